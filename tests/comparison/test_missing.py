"""What missing answers could change, and what is said about it."""

import re

import numpy as np
import polars as pl
import pytest

from howsure import ArgumentError, read
from howsure.comparison import missing_bounds
from howsure.questions import Compare


def scores(n, lost_a=(), lost_b=()):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, n).astype(float), rng.integers(0, 2, n).astype(float)
    rows = [
        {"item": f"q{i:02}", "model": model, "score": None if i in lost else float(values[i])}
        for i in range(n)
        for model, values, lost in (("a", a, lost_a), ("b", b, lost_b))
    ]
    return pl.DataFrame(rows), a, b


def test_bounds_are_those_of_the_data_with_the_gaps_filled():
    frame, a, b = scores(12, lost_a=(0, 5), lost_b=(3,))
    contest = read(frame).contest(a="a", b="b", complete=False)
    best, worst = missing_bounds(contest, metric="rating", rng=0)
    for result, of_a, of_b in ((best, 1.0, 0.0), (worst, 0.0, 1.0)):
        full_a, full_b = a.copy(), b.copy()
        full_a[[0, 5]], full_b[3] = of_a, of_b
        assert result.advantage == pytest.approx((full_a - full_b).mean())
        assert result.n_items == 12


def test_with_gold_the_best_answer_is_golds():
    rows = [
        {"item": i, "source": s, "value": v}
        for i, values in enumerate([(1, 1, 5), (3, None, 3), (5, 4, None)])
        for s, v in zip(("gold", "a", "b"), values, strict=True)
    ]
    contest = read(pl.DataFrame(rows)).contest(gold="gold", a="a", b="b", complete=False)
    best, worst = missing_bounds(contest, metric="mae", rng=0, n_resamples=99)
    # best for A: a answers 3 on item 1 (error 0), b answers 1 on item 2 (error 4)
    assert best.a_score == pytest.approx((0 + 0 + 1) / 3)
    assert best.b_score == pytest.approx((4 + 0 + 4) / 3)
    assert worst.a_score == pytest.approx((0 + 2 + 1) / 3)
    assert worst.b_score == pytest.approx((4 + 0 + 0) / 3)


def test_bounds_hold_every_way_to_fill_the_gaps():
    frame, a, b = scores(8, lost_a=(1, 2), lost_b=(6,))
    contest = read(frame).contest(a="a", b="b", complete=False)
    best, worst = missing_bounds(contest, metric="rating", rng=0, n_resamples=99)
    for fill in np.ndindex(2, 2, 2):
        full_a, full_b = a.copy(), b.copy()
        full_a[[1, 2]], full_b[6] = fill[:2], fill[2]
        assert worst.advantage - 1e-12 <= (full_a - full_b).mean() <= best.advantage + 1e-12


def test_exchanging_a_and_b_exchanges_the_bounds():
    frame, _, _ = scores(10, lost_a=(1,), lost_b=(4, 6))
    table = read(frame)
    best, worst = missing_bounds(table.contest(a="a", b="b", complete=False), rng=0, n_resamples=99)
    other_best, other_worst = missing_bounds(table.contest(a="b", b="a", complete=False), rng=0, n_resamples=99)
    assert best.advantage == pytest.approx(-other_worst.advantage)
    assert worst.advantage == pytest.approx(-other_best.advantage)


def test_a_metric_without_item_scores_is_refused():
    frame, _, _ = scores(6, lost_a=(1,))
    gold = frame.filter(pl.col("model") == "b").with_columns(model=pl.lit("gold"))
    contest = read(pl.concat([frame, gold])).contest(gold="gold", a="a", b="b", complete=False)
    with pytest.raises(ArgumentError, match="need a metric that is a mean over items; 'spearman' is not one"):
        missing_bounds(contest, metric="spearman")


def test_the_question_says_whether_the_verdict_depends_on_them(tmp_path):
    frame, _, _ = scores(12, lost_a=(0, 5), lost_b=(3,))
    frame.write_csv(tmp_path / "t.csv")
    found = Compare(files=(str(tmp_path / "t.csv"),), a="a", b="b", missing="bounds", n_resamples=99).answer()
    assert any("If all 3 missing answers were best for a, " in note for note in found[0].notes)
    assert found[0].notes[0].endswith("The verdict stays the same.")
    whole, _, _ = scores(12)
    whole.write_csv(tmp_path / "t.csv")
    found = Compare(files=(str(tmp_path / "t.csv"),), a="a", b="b", missing="bounds", n_resamples=99).answer()
    assert found[0].notes[0] == "No answer of A or B is missing."


def test_slices_have_bounds_of_their_own(tmp_path):
    frame, _, _ = scores(24, lost_a=(0, 5), lost_b=(3,))
    half = pl.when(pl.col("item").cast(pl.String).str.extract(r"(\d+)").cast(pl.Int64) < 12)
    frame.with_columns(task=half.then(pl.lit("x")).otherwise(pl.lit("y"))).write_csv(tmp_path / "t.csv")
    asked = {"a": "a", "b": "b", "by": "task", "missing": "bounds", "n_resamples": 99}
    found = Compare(files=(str(tmp_path / "t.csv"),), **asked).answer()
    assert [entry.slice for entry in found] == ["task = x", "task = y"]
    assert "If all 3 missing answers were best for a, " in found[0].notes[0]
    assert found[1].notes[0] == "No answer of A or B is missing."
    alone = Compare(files=(str(tmp_path / "t.csv"),), **(asked | {"by": None, "where": ("task=x",)})).answer()
    advantages = re.compile(r"(-?[\d.]+) \(")
    assert advantages.findall(found[0].notes[0]) == advantages.findall(alone[0].notes[0])
    for entry in found:  # the bounds hold together, as the intervals do
        assert entry.n_together == 2


@pytest.mark.parametrize("rater", ["", ",r"])
def test_missing_preferences(rater, tmp_path):
    answers = ["A", "A", "B", "tie", "A", "", "A", "", "A", "A"]
    rows = "".join(f"{number},judge,{answer}{rater}\n" for number, answer in enumerate(answers))
    (tmp_path / "p.csv").write_text(f"item,source,value{',rater' if rater else ''}\n{rows}")
    asked = {"files": (str(tmp_path / "p.csv"),), "preference": "judge", "a": "A", "b": "B", "tie": "tie"}
    [found] = Compare(**asked, missing="bounds", n_resamples=99).answer()
    assert found.advantage == pytest.approx((6 - 1) / 8)
    if rater:
        assert any("2 answers of raters are missing. Bounds are for answers without" in note for note in found.notes)
        return
    [told] = [note for note in found.notes if "both missing answers were best" in note]
    assert told.startswith("If both missing answers were best for A, A scores better by 0.70 (")
    assert "; if worst, A scores better by 0.30 (" in told
