import json

import polars as pl
import pytest

from howsure.describing import TableDescription
from howsure.questions import Describe


@pytest.fixture
def ratings(tmp_path):
    rows = ["item,source,rater,value"]
    rows += [f"q{i},human,{rater},{(i * k) % 4}" for i in range(8) for k, rater in enumerate(("ann", "bob", "cy"), 1)]
    rows += [f"q{i},model,,{i % 4}" for i in range(8)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows))
    return path


def test_it_prints_design_agreement_and_conclusions(ratings, command):
    code, out, err = command("describe", ratings, "--n-resamples", 19)
    assert code == 0, err
    assert "Krippendorff's alpha" in out
    assert "human: 3 raters judged several items each; the verdict of compare holds for these raters, because" in out
    assert "bob" not in out
    whole = command("describe", ratings, "--n-resamples", 19, "--verbose")[1]
    assert "Crossed (human): every rater judged every item." in whole
    assert "bob" in whole
    assert command("describe", ratings, "--n-resamples", 19, "--workers", 1)[1] == out


def test_json_has_everything_and_reads_back(ratings, command):
    _, out, _ = command("describe", ratings, "--json", "--n-resamples", 19, "--only", "human")
    content = json.loads(out)
    assert [part["name"] for part in content["sources"]] == ["human"]
    assert {entry["name"] for entry in content["sources"][0]["agreement"]["coefficients"]} >= {"icc_2", "fleiss_kappa"}
    again = TableDescription.from_dict(content)
    assert again.document() == Describe(files=(str(ratings),), only=("human",), n_resamples=19).answer().document()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--measurement-level", "intervall"], "Did you mean 'interval'"),
        (["--workers", -1], "--workers must be a whole number of at least 1; got -1"),
        (["--n-resamples", 0], "--n-resamples must be a whole number of at least 1"),
        (["--top", 0], "--top must be a whole number of at least 1"),
        (
            ["--only", "model", "--measurement-level", "nominal"],
            "--measurement-level applies to agreement, and no source has",
        ),
        (["--a", "human"], "--a requires two models: pass --a and --b"),
        (["--metric", "mae"], "--metric requires two models"),
        (
            ["--a", "human", "--b", "model", "--metric", "spearman"],
            "need a metric with item scores",
        ),
        (["--cluster", "topic"], "no column 'topic'"),
        (["--chart", "x.gif"], "--chart must be a file that ends in"),
        (["--report", "nowhere/x.md"], "there is no folder"),
    ],
)
def test_what_is_wrong_or_has_no_effect_is_one_line_before_any_work(words, told, ratings, command):
    code, out, err = command("describe", ratings, *words)
    assert code in (1, 2)
    assert not out
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("rows", "words", "told"),
    [
        (
            ["q,x,ann,1", "q,x,bob,2", "q,y,ann,2", "q,y,bob,3"],
            ["--a", "x", "--b", "y"],
            "at least 2 items",
        ),
        (["q,x,ann,1", "q,x,bob,2"], [], None),
        (["q,x,ann,1", "q,x,bob,1", "r,x,ann,1", "r,x,bob,1"], [], None),
        (["q,x,ann,1", "q,y,ann,1", "r,x,ann,1", "r,y,ann,1"], ["--a", "x", "--b", "y"], None),
    ],
)
def test_small_and_constant_tables_are_described_or_refused_in_one_line(rows, words, told, tmp_path, command):
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["item,source,rater,value", *rows]))
    code, out, err = command("describe", path, "--n-resamples", 9, *words)
    if told is None:
        assert code == 0, err
        assert "Sources" in out
    else:
        assert code == 1
        assert told in err
        assert err.count("\n") == 1


@pytest.fixture
def scores(tmp_path):
    rows = ["item,source,rater,value,document"]
    rows += [
        f"q{i},{model},{rater},{(3 * i + 5 * k + 7 * (model == 'x')) % 11},d{i // 2}"
        for i in range(12) for k, rater in enumerate(("ann", "bob", "cy", "di")) for model in ("x", "y", "z")
    ]  # fmt: skip
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    return path


def test_variance_components_of_an_advantage(scores, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    code, out, err = command("describe", scores, "--a", "x", "--b", "y", "--n-resamples", 19)
    assert code == 0, err
    assert "Difference between " in out
    assert "Share of the error variance:" in out
    whole = command("describe", scores, "--a", "x", "--b", "y", "--n-resamples", 19, "--verbose")[1]
    assert "ten times the raters" in whole
    assert "│ z " not in out
    content = json.loads(command("describe", scores, "--a", "x", "--b", "y", "--n-resamples", 19, "--json")[1])
    study = content["components"]["decision_study"]
    assert study[0]["change"] == "present design"
    assert study[2]["n_raters"] == 8
    assert study[2]["standard_error"] < study[0]["standard_error"]


def test_clusters_are_drawn_together_and_are_a_component(scores, command):
    options = ["describe", scores, "--a", "x", "--b", "y", "--n-resamples", 99, "--json"]
    alone, grouped = (json.loads(command(*options, *more)[1]) for more in ([], ["--cluster", "document"]))
    assert grouped["clusters"] == {"column": "document", "n_clusters": 6, "items_per_cluster": [2, 2, 2]}
    assert "6 clusters (document) of 2 items each;" in " ".join(grouped["conclusions"])
    assert list(grouped["components"]["components"]) != list(alone["components"]["components"])
    assert "cluster=document" in grouped["signature"]
    one, other = (found["sources"][0]["agreement"]["coefficients"] for found in (alone, grouped))
    assert [entry["value"] for entry in one] == [entry["value"] for entry in other]
    assert [entry["confidence_interval"] for entry in one] != [entry["confidence_interval"] for entry in other]


def test_compare_takes_raters_and_clusters(scores, command):
    options = ["compare", scores, "--a", "x", "--b", "y", "--n-resamples", 99]
    code, out, err = command(*options, "--cluster", "document")
    assert code == 0, err
    assert "cluster=document" in out
    assert "For raters like these:" in out
    assert "null=random-effects" in command(*options, "--raters", "random")[1]
    assert "null=sign-flip" in command(*options, "--raters", "fixed")[1]


def test_preferences_on_the_command_line(tmp_path, command):
    rows = ["item,rater,value"] + [f"q{i},{rater},{(i * k) % 3}" for i in range(9) for k, rater in enumerate("xyz", 1)]
    path = tmp_path / "preferences.csv"
    path.write_text("\n".join(rows))
    named = f"human={path}"
    models = ["--preference", "human", "--a", 1, "--b", 2]
    code, out, err = command("compare", named, *models, "--tie", 0, "--n-resamples", 99)
    assert code == 0, err
    assert "win rate" in out
    assert "win rate 0." in out
    code, _, err = command("compare", named, *models, "--gold", "human")
    assert code == 2
    assert "preferences are gold-free" in err
    code, out, err = command("describe", named, *models, "--tie", 0, "--n-resamples", 19)
    assert code == 0, err
    assert "Difference between " in out


def test_dices_is_described_by_its_humans_alone(shared, command):
    path = shared / "dices350.csv"
    code, _, err = command("describe", path)
    assert code == 1
    assert err.count("\n") == 1
    assert "describe --only kind=human" in err
    code, out, err = command("describe", path, "--only", "kind=human", "--n-resamples", 19)
    assert code == 0, err
    assert "10 of 123 raters" in command("describe", path, "--only", "kind=human", "--n-resamples", 19, "--verbose")[1]
    assert "r099 (agrees less)" in out


def test_convabuse_shows_what_two_raters_against_the_others_are_made_of(shared, tmp_path, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    frame = pl.read_csv(shared / "lewidi23_ConvAbuse.csv")
    who = pl.when(pl.col("source") == "Ann1").then(pl.lit("x")).when(pl.col("source") == "Ann2").then(pl.lit("y"))
    path = tmp_path / "judged.csv"
    frame.with_columns(judge=who.otherwise(pl.lit("others"))).write_csv(path)
    words = ["--gold", "judge=others", "--a", "judge=x", "--b", "judge=y", "--item", "item_id", "--rater", "source"]
    code, out, err = command("describe", path, *words, "--n-resamples", 19, "--metric", "mae")
    assert code == 0, err
    assert "Difference between " in out
    assert "Share of the error variance:" in out
    code, out, err = command(
        "plan", path, *words, "--metric", "mae", "--difference", "0.1", "--n-raters", "6,20", "--n-items", "500,2000"
    )
    assert code == 0, err
    assert "raters (2 per item) have 80% power for a difference of 0.1 in mae at the lowest cost" in out


def test_without_rater_ids_it_says_how_agreement_is_had(tmp_path, command):
    path = tmp_path / "plain.csv"
    rows = [f"{i},{source},{(i + len(source)) % 3}" for i in range(6) for source in ("x", "yy")]
    path.write_text("\n".join(["item,source,value", *rows]))
    code, out, err = command("describe", path)
    assert code == 0, err
    told = " ".join(out.split())
    assert "No rater ids found. To estimate agreement, pass their column with --rater." in told
