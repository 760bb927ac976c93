import json
import subprocess
import sys

import pytest


@pytest.fixture
def ratings(tmp_path):
    rows = ["item,source,rater,value"]
    rows += [f"q{i},human,{rater},{(i * k) % 4}" for i in range(8) for k, rater in enumerate(("ann", "bob", "cy"), 1)]
    rows += [f"q{i},model,,{i % 4}" for i in range(8)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows))
    return path


def run(*arguments):
    command = [sys.executable, "-c", "from assay.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_prints_design_agreement_and_conclusions(ratings):
    done = run("describe", ratings, "--raters", "--n-resamples", 19)
    assert done.returncode == 0, done.stderr
    assert "human: crossed: every rater judged every item (8 items × 3 raters, 24 responses)" in done.stdout
    assert "Krippendorff's alpha" in done.stdout
    assert "bob" in done.stdout
    assert "raters like these 3" in done.stdout
    again = run("describe", ratings, "--raters", "--n-resamples", 19, "--workers", 1)
    assert again.stdout == done.stdout


def test_json_has_everything(ratings):
    done = run("describe", ratings, "--json", "--n-resamples", 19, "--only", "human")
    content = json.loads(done.stdout)
    assert [part["name"] for part in content["sources"]] == ["human"]
    assert {entry["name"] for entry in content["sources"][0]["agreement"]["coefficients"]} >= {"icc_2", "fleiss_kappa"}


def test_a_wrong_level_is_one_line_and_exit_code_2(ratings):
    done = run("describe", ratings, "--level", "intervall")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Did you mean 'interval'" in done.stderr


def test_variance_components_of_a_contrast(tmp_path):
    rows = ["item,source,rater,value"]
    rows += [
        f"q{i},{model},{rater},{(3 * i + 5 * k + 7 * (model == 'x')) % 11}"
        for i in range(12) for k, rater in enumerate(("ann", "bob", "cy", "di")) for model in ("x", "y", "z")
    ]  # fmt: skip
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    done = run("describe", path, "--a", "x", "--b", "y", "--n-resamples", 19)
    assert done.returncode == 0, done.stderr
    assert "Variance components of x − y" in done.stdout
    assert "ten times the raters" in done.stdout
    assert "z: crossed" not in done.stdout
    content = json.loads(run("describe", path, "--a", "x", "--b", "y", "--n-resamples", 19, "--json").stdout)
    study = content["components"]["decision_study"]
    assert study[0]["change"] == "as it is"
    assert study[2]["n_raters"] == 8
    assert study[2]["standard_error"] < study[0]["standard_error"]
    alone = run("describe", path, "--a", "x")
    assert alone.returncode == 2
    assert "need --a and --b" in alone.stderr


def test_compare_takes_raters_and_clusters(tmp_path):
    rows = ["item,source,rater,value,document"]
    rows += [
        f"q{i},{model},{rater},{(3 * i + 5 * k + 7 * (model == 'x')) % 11},d{i // 2}"
        for i in range(12) for k, rater in enumerate(("ann", "bob", "cy", "di")) for model in ("x", "y")
    ]  # fmt: skip
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    done = run("compare", path, "--a", "x", "--b", "y", "--cluster", "document", "--n-resamples", 99)
    assert done.returncode == 0, done.stderr
    assert "null=random-effects" in done.stdout
    assert "cluster=document" in done.stdout
    assert "The result generalises to raters like these 4." in " ".join(done.stdout.split())
    fixed = run("compare", path, "--a", "x", "--b", "y", "--raters", "fixed", "--n-resamples", 99)
    assert "null=swapped-items" in fixed.stdout


def test_preferences_on_the_command_line(tmp_path):
    rows = ["item,rater,value"] + [f"q{i},{rater},{(i * k) % 3}" for i in range(9) for k, rater in enumerate("xyz", 1)]
    path = tmp_path / "preferences.csv"
    path.write_text("\n".join(rows))
    named = f"human={path}"
    done = run("compare", named, "--preference", "human", "--a", 1, "--b", 2, "--tie", 0, "--n-resamples", 99)
    assert done.returncode == 0, done.stderr
    assert "win rate" in done.stdout
    assert "because the responses are preferences" in done.stdout
    both = run("compare", named, "--preference", "human", "--a", 1, "--b", 2, "--gold", "human")
    assert both.returncode == 2
    assert "preferences are gold-free" in both.stderr


def test_dices_is_described_by_its_humans_alone(shared):
    path = shared / "dices350.csv"
    mixed = run("describe", path)
    assert mixed.returncode == 1
    assert mixed.stderr.count("\n") == 1
    assert "describe --only kind=human" in mixed.stderr
    done = run("describe", path, "--only", "kind=human", "--n-resamples", 19)
    assert done.returncode == 0, done.stderr
    assert "350 items × 123 raters" in done.stdout


def test_convabuse_shows_what_two_raters_against_the_others_are_made_of(shared, tmp_path):
    import polars as pl

    frame = pl.read_csv(shared / "lewidi23_ConvAbuse.csv")
    who = pl.when(pl.col("source") == "Ann1").then(pl.lit("x")).when(pl.col("source") == "Ann2").then(pl.lit("y"))
    path = tmp_path / "judged.csv"
    frame.with_columns(judge=who.otherwise(pl.lit("others"))).write_csv(path)
    words = ["--gold", "judge=others", "--a", "judge=x", "--b", "judge=y", "--item", "item_id", "--rater", "source"]
    done = run("describe", path, *words, "--n-resamples", 19, "--metric", "mae")
    assert done.returncode == 0, done.stderr
    assert "Variance components of judge=x − judge=y" in done.stdout
    assert "twice the raters" in done.stdout
    planned = run(
        "plan", path, *words, "--metric", "mae", "--contrast", "0.1", "--n-raters", "6,20", "--n-items", "500,2000"
    )
    assert planned.returncode == 0, planned.stderr
    assert "random-effects finds it with power" in planned.stdout
