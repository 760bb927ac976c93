"""Items to label: larger samples contain smaller ones, chances are right, and compare uses them."""

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure import ArgumentError, DataError, examples
from howsure.cli import app
from howsure.inference import binomial_region
from howsure.judging.combined_advantage import LabelDesign, Labelled, combine
from howsure.judging.labels_to_draw import draw_items, sample_of, score_strata
from tests.judging.test_judged_comparison import MODELS, labelled, rated, table

ITEMS = np.array([f"q{i}" for i in range(300)])


@given(st.integers(1, 299), st.integers(0, 50), st.lists(st.integers(0, 4), min_size=300, max_size=300))
@settings(max_examples=50, deadline=None)
def test_a_larger_sample_contains_the_smaller_one(n, seed, strata):
    names = np.array([f"s{code}" for code in strata])
    for how in (None, names):
        few, many = (draw_items(ITEMS, size, strata=how, seed=seed)[0].tolist() for size in (n, n + 1))
        assert many[:n] == few
        assert len(set(many)) == n + 1


def test_other_items_and_their_order_change_nothing():
    drawn = ITEMS[draw_items(ITEMS, 300, seed=3)[0]]
    some = np.random.default_rng(0).permutation(ITEMS)[:100]
    again = some[draw_items(some, 100, seed=3)[0]]
    assert again.tolist() == [item for item in drawn.tolist() if item in set(some.tolist())]


def test_a_column_of_strata_is_there_only_where_there_are_some():
    items = np.array([f"i{number}" for number in range(30)])
    assert "stratum" not in str(sample_of(items, 5))
    assert "stratum" in str(sample_of(items, 5, strata=np.array(["x", "y"] * 15), by="topic"))


def test_every_item_is_drawn_equally_often():
    n = 400
    counts = np.zeros(300, dtype=int)
    for seed in range(n):
        counts[draw_items(ITEMS, 60, seed=seed)[0]] += 1
    region = binomial_region(n, 0.2, confidence_level=1 - 0.05 / 300)
    assert region.low <= counts.min() <= counts.max() <= region.high


def test_strata_get_their_share():
    strata = np.array(["a"] * 200 + ["b"] * 90 + ["c"] * 10)
    drawn, chances = draw_items(ITEMS, 30, strata=strata)
    assert [int((strata[drawn] == name).sum()) for name in "abc"] == [20, 9, 1]
    assert chances == pytest.approx(0.1)
    drawn, chances = draw_items(ITEMS, 31, strata=strata)
    for name in "abc":
        own = strata[drawn] == name
        assert chances[own] == pytest.approx(own.sum() / (strata == name).sum())


def test_the_chances_add_up_to_all_items():
    strata = np.array(["a"] * 200 + ["b"] * 90 + ["c"] * 10)
    found = sample_of(ITEMS, 47, strata=strata, by="kind")
    assert (1 / np.array(found.probabilities)).sum() == pytest.approx(300)


def test_equal_scores_stay_in_one_stratum():
    scores = np.array([1.0] * 60 + [2.0] * 30 + [3.0] * 10)
    strata = score_strata(scores)
    assert all(np.unique(strata[scores == value]).size == 1 for value in (1, 2, 3))
    assert np.unique(score_strata(np.full(50, 2.0))).tolist() == ["1"]
    assert np.bincount(np.unique(score_strata(np.arange(100.0)), return_inverse=True)[1]).tolist() == [20] * 5


def drawn_set(seed, how):
    """Return one simulated data set whose items were drawn in strata or with unequal chances; its truth is .2."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.2, 1, 400)
    judge = truth + 0.5 * rng.normal(size=400)
    items = np.array([f"{seed}-{i}" for i in range(400)])
    if how == "strata":
        strata = score_strata(judge)
        where, chances = draw_items(items, 60, strata=strata, seed=seed)
        _, codes = np.unique(strata[where], return_inverse=True)
        design = LabelDesign.drawn(chances, codes, np.full(5, 0.2))
    else:
        chance = np.where(judge > 0.2, 0.25, 0.1)
        where = np.flatnonzero(rng.random(400) < chance)
        design = LabelDesign.drawn(chance[where]) if how == "chances" else LabelDesign.simple(where.size)
    human = truth[where] + 0.5 * rng.normal(size=where.size)
    return Labelled(human, judge, where, design)


@pytest.mark.parametrize("how", ["strata", "chances"])
def test_intervals_of_designed_samples_cover_the_truth(how):
    n = 400
    found = [combine(drawn_set(seed, how)) for seed in range(n)]
    hits = sum(abs(one.estimate - 0.2) <= one.error.half_width(0.025) for one in found)
    assert hits >= binomial_region(n, 0.95).low
    assert np.mean([one.estimate for one in found]) == pytest.approx(0.2, abs=0.02)


def test_labels_with_unequal_chances_are_biased_without_them():
    alone = [combine(drawn_set(seed, "ignored"), slope=0.0).estimate for seed in range(100)]
    used = [combine(drawn_set(seed, "chances"), slope=0.0).estimate for seed in range(100)]
    assert abs(np.mean(alone) - 0.2) > 0.2
    assert np.mean(used) == pytest.approx(0.2, abs=0.05)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    howsure.write(examples.judged(), "judged.csv")
    return tmp_path


def test_from_the_command_to_compare(folder):
    words = ["sample", "judged.csv", "--n", "80", "--by-judge-score", "--judge", "gpt-judge", "--a", "model-2", "--b"]
    shown = CliRunner().invoke(app.app, [*words, "model-1", "--out", "to-label.csv"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert "Label these 80 of 400 items: random samples from 4 strata." in shown.stdout
    drawn = pl.read_csv("to-label.csv")
    assert drawn.columns == ["item", "stratum", "probability"]
    assert drawn.height == 80
    labels = pl.read_csv("judged.csv")
    people = labels.filter(pl.col("rater") != "gpt-judge")["item"].unique()
    found = howsure.compare("judged.csv", judge="gpt-judge", sampled="to-label.csv", **MODELS)
    both = drawn.filter(pl.col("item").is_in(people.to_list())).height
    assert found.n_labelled == both
    assert any(f"{80 - both} of 80 drawn items have no label" in note for note in found.notes)
    assert any(f"{80 - both} labelled items not in to-label.csv left out" in note for note in found.notes)
    assert "sampled=to-label.csv" in found.signature


def test_a_simple_sample_is_what_compare_assumes(folder):
    """With every labelled item in the file and one chance for all, the file changes nothing."""
    labels = pl.read_csv("judged.csv")
    people = labels.filter(pl.col("rater") != "gpt-judge")["item"].unique().sort()
    pl.DataFrame({"item": people, "stratum": "", "probability": 0.2}).write_csv("all.csv")
    one, other = (
        howsure.compare("judged.csv", judge="gpt-judge", sampled=file, **MODELS) for file in (None, "all.csv")
    )
    assert other.combined.advantage == pytest.approx(one.combined.advantage)
    assert other.half_width == pytest.approx(one.half_width)


def test_chances_may_be_a_column(folder):
    rows = pl.read_csv("judged.csv").with_columns(chance=pl.when(pl.col("topic") == "news").then(0.1).otherwise(0.3))
    plain, used = (howsure.compare(rows, judge="gpt-judge", sampled=how, **MODELS) for how in (None, "chance"))
    assert plain.combined.advantage != pytest.approx(used.combined.advantage)
    same = howsure.compare(rows.with_columns(chance=0.2), judge="gpt-judge", sampled="chance", **MODELS)
    assert same.combined.advantage == pytest.approx(plain.combined.advantage)


def test_what_is_labelled_already_is_counted():
    found = howsure.sample(table(labelled()), n=100, gold="human")
    assert 0 < found.n_labelled < 60
    assert "have labels already" in str(found)
    by_label = howsure.sample(table(labelled()), n=30, by_judge_score=True, judge="gpt-judge")
    assert set(by_label.strata) == {"neg", "neu", "pos"}
    by_score = howsure.sample(table(rated()), n=30, by_judge_score=True, judge="gpt-judge")
    assert len(set(by_score.strata)) == 5
    again = howsure.sample(table(rated()), n=40, by_judge_score=True, judge="gpt-judge")
    assert again.items[:30] == by_score.items


WRONG = [
    ({"n": 1000}, ArgumentError, "`n` must be between 1 and the number of items, 200; got 1,000"),
    ({"stratify": "item", "by_judge_score": True}, ArgumentError, "not both"),
    ({"by_judge_score": True}, ArgumentError, "`judge` and `by_judge_score` go together"),
    ({"by_judge_score": True, "judge": "gtp"}, DataError, "`judge` must name a rater, or a source"),
    ({"stratify": "topic"}, DataError, "topic"),
]


@pytest.mark.parametrize(("options", "error", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_wrong_options_get_one_clear_line(options, error, said):
    with pytest.raises(error) as caught:
        howsure.sample(table(rated()), **options)
    assert said in str(caught.value)


@pytest.mark.parametrize(("rows", "said"), [
    ({"item": ["q1", "q1"], "probability": [0.1, 0.1]}, "has item q1 twice"),
    ({"item": ["q1"], "probability": [1.5]}, "item q1: the chance must be above 0 and at most 1; got '1.5'"),
    ({"item": ["q1"], "chance": [0.5]}, "has no column 'probability'"),
    ({"item": ["z1"], "probability": [0.5]}, "none of the 60 labelled items is in chances.csv"),
])  # fmt: skip
def test_wrong_files_get_one_clear_line(tmp_path, rows, said):
    pl.DataFrame(rows).write_csv(tmp_path / "chances.csv")
    with pytest.raises(DataError) as caught:
        howsure.compare(table(rated()), judge="gpt-judge", sampled=str(tmp_path / "chances.csv"), **MODELS)
    assert said in str(caught.value)


def test_what_people_rated_already_is_counted_beside_the_judge():
    found = howsure.sample(
        examples.judged(), n=100, judge="gpt-judge", by_judge_score=True, a="model-2", b="model-1", seed=0
    )
    assert 0 < found.n_labelled < 100
    assert f"{found.n_labelled} of them have labels already." in str(found)
