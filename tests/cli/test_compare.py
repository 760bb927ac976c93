"""`howsure compare` from file to verdict: the layouts, the JSON contract, and every bad input of the specification."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from howsure import read
from howsure.comparison import compare

ROLES = ["--gold", "human", "--a", "m1", "--b", "m2"]
CONTRACT = {
    "metric", "better", "a_score", "b_score", "advantage", "confidence_interval", "pvalue", "pvalue_se",
    "expected_pvalue", "n_items", "n_responses", "null", "scheme", "n_resamples", "seed", "notes", "signature",
}  # fmt: skip


def rows(n_items=12):
    rng = np.random.default_rng(0)
    for i in range(n_items):
        truth = rng.integers(1, 6)
        for source, k, noise in (("human", 3, 1), ("m1", 2, 1), ("m2", 2, 2)):
            for j in range(k):
                value = int(np.clip(truth + rng.integers(-noise, noise + 1), 1, 5))
                yield {"item": f"q{i}", "source": source, "repeat": j, "value": value, "topic": "xy"[i % 2]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same ratings in every layout of the specification."""
    root = tmp_path_factory.mktemp("tables")
    tidy = pl.DataFrame(list(rows()))
    tidy.write_csv(root / "ratings.csv")
    tidy.write_csv(root / "ratings.tsv", separator="\t")
    human = pl.col("source") == "human"
    rater = pl.when(human).then("r" + pl.col("repeat").cast(str)).otherwise("source")
    kind = pl.when(human).then(pl.lit("human")).otherwise(pl.lit("model"))
    tidy.with_columns(kind.alias("kind"), rater.alias("source")).write_csv(root / "conditions.csv")
    tidy.filter(pl.col("source") == "human").drop("source").write_csv(root / "human.csv")
    tidy.filter(pl.col("source") == "m1").drop("source").write_ndjson(root / "a.jsonl")
    tidy.filter(pl.col("source") == "m2").drop("source").write_parquet(root / "b.parquet")
    cells = (pl.col("source") + "_" + pl.col("repeat").cast(str)).alias("cell")
    tidy.with_columns(cells).pivot(on="cell", index="item", values="value").write_csv(root / "wide.csv")
    return root


LAYOUTS = {
    "tidy": ["ratings.csv", *ROLES],
    "tidy, columns named": ["ratings.tsv", "--item", "item", "--source", "source", "--value", "value", *ROLES],
    "conditions": ["conditions.csv", "--gold", "kind=human", "--a", "source=m1", "--b", "source=m2"],
    "one file per source": ["human=human.csv", "m1=a.jsonl", "m2=b.parquet", *ROLES],
    "wide": ["wide.csv", "--gold", "human_*", "--a", "m1_*", "--b", "m2_*"],
}


def as_a_process(*arguments):
    """Run the command as a shell does; return (exit code, stdout, stderr)."""
    left = subprocess.run([sys.executable, "-m", "howsure", *arguments], capture_output=True, text=True, check=False)
    return left.returncode, left.stdout, left.stderr


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_every_layout_gives_the_same_answer(command, folder, monkeypatch, layout):
    """The one file per source, whose readers are of three kinds, in a process of its own."""
    options = ["--metric", "mae", "--raters", "fixed", "--json", "--n-resamples", "999"]
    monkeypatch.chdir(folder)
    call = as_a_process if layout == "one file per source" else command
    code, out, err = call("compare", *LAYOUTS[layout], *options)
    assert (code, err) == (0, "")
    (found,) = json.loads(out)["comparisons"]
    table = read(folder / "ratings.csv", item="item", source="source", value="value")
    contest = table.contest(gold="human", a="m1", b="m2")
    expected = compare(contest, metric="mae", raters="fixed", rng=0, n_resamples=999)
    assert found["advantage"] == expected.advantage
    assert found["pvalue"] == expected.pvalue
    assert found["n_responses"] == {"gold": 3, "a": 2, "b": 2}
    assert any("guessed from their names" in note for note in found["notes"])


def test_the_json_has_one_object_per_metric(command, folder):
    code, out, err = command(
        "compare", folder / "ratings.csv", *ROLES, "--metric", "mae", "--metric", "tv", "--json", "--n-resamples", 99
    )  # fmt: skip
    assert (code, err) == (0, "")
    content = json.loads(out)
    assert content["correction"] == "holm"
    assert [entry["metric"] for entry in content["comparisons"]] == ["mae", "tv"]
    for entry in content["comparisons"]:
        assert set(entry) >= CONTRACT
        assert {"low", "high", "method"} <= set(entry["confidence_interval"])
        assert set(entry["n_responses"]) == {"gold", "a", "b"}
        assert (entry["seed"], entry["n_resamples"]) == (0, 99)


def test_undefined_is_null_in_json_and_a_note(command, tmp_path):
    table = tmp_path / "one.csv"
    table.write_text("item,source,value\nx,human,1\nx,m1,1\nx,m2,2\n")
    code, out, err = command("compare", table, *ROLES, "--json")
    assert (code, err) == (0, "")
    (found,) = json.loads(out)["comparisons"]
    assert found["confidence_interval"]["low"] is None
    assert found["pvalue"] == 1
    assert any("With 1 item no p-value below 1 is possible" in note for note in found["notes"])


def test_constant_data_say_so(command, tmp_path):
    table = tmp_path / "same.csv"
    lines = [f"{item},{source},3" for item in range(9) for source in ("human", "m1", "m2")]
    table.write_text("\n".join(["item,source,value", *lines]))
    code, out, err = command("compare", table, *ROLES, "--metric", "spearman")
    assert (code, err) == (0, "")
    assert "No verdict on m1 and m2" in out
    assert "p undefined" in out
    assert "Note: The observed advantage is undefined." in out


def test_the_text_shows_table_verdict_choices_notes_and_signature(command, folder):
    code, short, err = command("compare", folder / "ratings.csv", *ROLES)
    assert (code, err) == (0, "")
    assert len(short.splitlines()) < 12
    assert "guessed" not in short
    code, out, err = command("compare", folder / "ratings.csv", *ROLES, "--verbose")
    assert out.startswith("No clear difference between m1 and m2: mean absolute error")
    assert "12 items with 3 gold, 2 A and 2 B responses each." in out
    assert "Scale: ordinal: 1, 2, 3, 4, 5" in out
    assert "Metric: mae (default for ordinal responses). Change it with --metric." in out
    assert "guessed from their names: item = item, source = source, value = value" in out
    assert out.splitlines()[-1].startswith("howsure 0.2.0 | compare | metric=mae | null=sign-flip")


def test_slices_are_adjusted_together(command, folder):
    code, out, _ = command("compare", folder / "ratings.csv", *ROLES, "--by", "topic", "--n-resamples", 99)
    assert code == 0
    assert "topic = x" in out
    assert "topic = y" in out
    assert "Verdicts use p-values adjusted for 2 comparisons (holm)." in out


def test_a_seed_gives_the_same_bytes_for_any_number_of_workers(command, folder):
    arguments = [
        "compare",
        folder / "ratings.csv",
        *ROLES,
        "--null",
        "permuted-responses",
        "--n-resamples",
        500,
        "--json",
    ]
    outputs = {command(*arguments, "--seed", 3, "--workers", workers)[1] for workers in (1, 2, 3)}
    assert len(outputs) == 1
    assert command(*arguments, "--seed", 4)[1] not in outputs


def test_gold_free_ratings_and_penalties(command, folder):
    for extra, sign in ((["--better", "higher"], 1), (["--better", "lower"], -1)):
        code, out, _ = command(
            "compare", folder / "ratings.csv", "--a", "m1", "--b", "m2", "--json", "--n-resamples", 99,
            "--metric", "rating", *extra,
        )  # fmt: skip
        assert code == 0
        (found,) = json.loads(out)["comparisons"]
        assert found["advantage"] == pytest.approx(sign * (found["a_score"] - found["b_score"]))
    code, out, _ = command("compare", folder / "ratings.csv", "--a", "m1", "--b", "m2", "--verbose")
    assert "Metric: rating (default for ratings without gold)." in out


# Bad input: one line that names the place and the remedy


def write(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text("item,source,value\n" + content)
    return path


GOOD = "x,human,1\nx,m1,2\nx,m2,3\ny,human,2\ny,m1,3\ny,m2,1\n"
BAD_FILES = {
    "no common items": ("x,human,1\ny,m1,2\nz,m2,3\n", [], 1, "no item has a response from every source"),
    "a source without responses": ("x,human,\nx,m1,2\nx,m2,3\n", [], 1, "human"),
    "words among numbers": (GOOD + "z,human,tree\n", [], 1, "line 8, column 'value': 'tree' is not a number"),
    "labels with mae": ("x,human,no\nx,m1,yes\nx,m2,no\n", ["--metric", "mae"], 2, "metric 'mae' needs numbers"),
    "labels with line breaks": ('x,human,"no\nway"\nx,m1,yes\nx,m2,yes\n', ["--metric", "mae"], 2, "no way, yes"),
    "infinite": (GOOD + "z,human,inf\n", [], 1, "line 8, column 'value': inf is not finite"),
    "duplicate rows": (
        b"item,source,rater,repeat,value\nx,human,r,1,1\nx,human,r,1,2\nx,m1,r,1,1\nx,m2,r,1,1\n", [], 1,
        "line 3 repeats line 2: item x of human by rater r, repeat 1. Remove one.",
    ),
    "binary": (bytes(range(256)) * 9, [], 1, "binary file"),
    "a line without end": (b"item,source,value\nx,human," + b"1" * 17 * 2**20, [], 1, "line 2 is longer than 16 MB"),
    "empty": (b"", [], 1, "is empty"),
    "a pickle": (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix", [], 1, "binary file"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(BAD_FILES))
def test_bad_files(command, tmp_path, case):
    content, extra, expected, message = BAD_FILES[case]
    code, out, err = command("compare", write(tmp_path / "bad.csv", content), *ROLES, *extra)
    assert (code, out) == (expected, "")
    assert err.startswith("howsure: ")
    assert message in err
    assert err.count("\n") == 1


BAD_OPTIONS = {
    "no direction": (["ratings.csv", *ROLES, "--better", "up"], 2, "--better must be one of higher, lower"),
    "direction of an error": (["ratings.csv", *ROLES, "--better", "lower"], 2, "--better is not a parameter of mae"),
    "missing file": (["nowhere.csv", *ROLES], 1, "there is no file nowhere.csv"),
    "wrong column": (["ratings.csv", *ROLES, "--item", "nope"], 1, "has no column 'nope'"),
    "unknown source": (["ratings.csv", "--gold", "humans", "--a", "m1", "--b", "m2"], 1, "Did you mean 'human'?"),
    "the same source twice": (["ratings.csv", "--gold", "human", "--a", "m1", "--b", "m1"], 2, "different sources"),
    "no draws": (["ratings.csv", *ROLES, "--n-resamples", "0"], 2, "at least 1; got 0."),
    "negative draws": (["ratings.csv", *ROLES, "--n-resamples", "-9"], 2, "at least 1; got -9."),
    "level 95": (["ratings.csv", *ROLES, "--confidence-level", "95"], 2, "Did you mean 0.95?"),
    "unknown metric": (["ratings.csv", *ROLES, "--metric", "spearmann"], 2, "Did you mean 'spearman'?"),
    "gold needed": (["ratings.csv", "--a", "m1", "--b", "m2", "--metric", "mae"], 2, "metric 'mae' needs gold"),
    "unknown null": (["ratings.csv", *ROLES, "--null", "pooled"], 2, "--null must be one of"),
    "a null without meaning": (
        ["ratings.csv", *ROLES, "--null", "pooled-responses"],
        2,
        "every null advantage is exactly 0",
    ),
    "unknown column of slices": (["ratings.csv", *ROLES, "--by", "genre"], 1, "no column 'genre'"),
    "unknown correction": (["ratings.csv", *ROLES, "--correction", "bonferroni"], 2, "--correction must be one of"),
    "unknown scale": (["ratings.csv", *ROLES, "--scale", "likert"], 2, "--scale must be one of"),
    "an order that lacks labels": (["ratings.csv", *ROLES, "--order", "low,high"], 1, "is not one of the labels"),
    "positive label for numbers": (
        ["ratings.csv", *ROLES, "--metric", "f1", "--positive", "5"],
        2,
        "--positive is for",
    ),
    "negative seed": (["ratings.csv", *ROLES, "--seed", "-1"], 2, "--seed must be a whole number of at least 0"),
    "no workers": (["ratings.csv", *ROLES, "--workers", "0"], 2, "at least 1; got 0."),
    "several files without names": (
        ["ratings.csv", "human.csv", *ROLES],
        2,
        "human.csv does not say whose responses it holds; name it: human=human.csv.",
    ),
}


@pytest.mark.parametrize("case", list(BAD_OPTIONS))
def test_bad_options(command, folder, monkeypatch, case):
    arguments, expected, message = BAD_OPTIONS[case]
    monkeypatch.chdir(folder)
    code, out, err = command("compare", *arguments)
    assert (code, out) == (expected, "")
    assert err.startswith("howsure: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_error_of_a_real_process(folder, monkeypatch):
    arguments, expected, message = BAD_OPTIONS["missing file"]
    monkeypatch.chdir(folder)
    code, out, err = as_a_process("compare", *arguments)
    assert (code, out) == (expected, "")
    assert message in err
    assert err.count("\n") == 1


# Real tables


def test_pandalm(command, shared):
    code, out, err = command(
        "compare", shared / "pandalm.csv", "--gold", "kind=human", "--a", "source=pandalm-7b", "--b",
        "source=gpt-3.5-turbo", "--scale", "nominal", "--metric", "accuracy", "--metric", "tv", "--json",
        "--n-resamples", 499,
    )  # fmt: skip
    assert (code, err) == (0, "")
    found = json.loads(out)["comparisons"]
    assert [entry["n_items"] for entry in found] == [999, 999]
    assert found[0]["n_responses"] == {"gold": 3, "a": 1, "b": 1}
    assert 0 < found[0]["pvalue"] <= 1
    # Plurality votes by hand: the first of tied labels wins.
    votes = {}
    for item, kind, source, value in text(shared / "pandalm.csv").select("item_id", "kind", "source", "value").rows():
        votes.setdefault("gold" if kind == "human" else source, {}).setdefault(item, []).append(value)

    def vote(source, item):
        given = votes[source][item]
        return max(sorted(set(given)), key=given.count)

    for entry, model in (("a_score", "pandalm-7b"), ("b_score", "gpt-3.5-turbo")):
        right = [vote(model, item) == vote("gold", item) for item in votes["gold"]]
        assert found[0][entry] == pytest.approx(np.mean(right))


def text(path):
    return pl.read_csv(path, infer_schema=False)


def test_inductive(command, shared):
    code, out, err = command(
        "compare", shared / "inductive_exp2.csv", "--gold", "kind=human", "--a", "source=gpt4_rating", "--b",
        "source=gpt3.5_text2_rating", "--metric", "mae", "--metric", "spearman", "--json", "--n-resamples", 199,
    )  # fmt: skip
    assert (code, err) == (0, "")
    error, correlation = json.loads(out)["comparisons"]
    assert error["n_items"] == 1161
    assert error["n_responses"]["gold"] > 10
    table = text(shared / "inductive_exp2.csv").with_columns(pl.col("value").cast(float))
    gold = table.filter(pl.col("kind") == "human").group_by("item_id").agg(pl.col("value").mean().alias("gold"))
    model = table.filter(pl.col("source") == "gpt4_rating").join(gold, on="item_id")
    assert error["a_score"] == pytest.approx((model["value"] - model["gold"]).abs().mean())
    ranked = model.select(pl.corr("value", "gold", method="spearman")).item()
    assert correlation["a_score"] == pytest.approx(ranked, abs=1e-9)


def test_dices(command, shared):
    """Two of its raters against the expert, since its models answer on another scale."""
    code, out, err = command(
        "compare", shared / "dices350.csv", "--gold", "kind=expert", "--a", "source=r000", "--b", "source=r001",
        "--metric", "accuracy", "--metric", "js", "--metric", "f1", "--positive", "Yes", "--json", "--n-resamples", 199,
    )  # fmt: skip
    assert (code, err) == (0, "")
    accuracy, _, f1 = json.loads(out)["comparisons"]
    assert accuracy["n_items"] == 350
    table = text(shared / "dices350.csv")
    sides = [
        dict(table.filter(pl.col("source") == name).select("item_id", "value").rows()) for name in ("expert", "r000")
    ]
    pairs = [(answer, sides[1][item]) for item, answer in sides[0].items()]
    assert accuracy["a_score"] == pytest.approx(np.mean([left == right for left, right in pairs]))
    hits, said, true = (
        sum(f(left, right) for left, right in pairs)
        for f in (
            lambda left, right: left == right == "Yes", lambda _, right: right == "Yes", lambda left, _: left == "Yes",
        )
    )  # fmt: skip
    assert f1["a_score"] == pytest.approx(2 * hits / (said + true))
    code, out, err = command(
        "compare", shared / "dices350.csv", "--gold", "kind=human", "--a", "kind=model", "--b", "kind=expert",
    )  # fmt: skip
    assert code == 1
    assert err.count("\n") == 1
