import itertools
from dataclasses import replace

import evalica
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom

import howsure
from howsure import _json
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.describing import describe
from howsure.errors import ArgumentError, DataError
from howsure.raters import measure_agreement
from howsure.raters.agreement_coefficients import LEVELS, alpha, categorical, cells_from, intraclass, krippendorff_alpha
from howsure.raters.rater_summaries import summarise_raters
from tests.reference import raters as reference


def cells(grid):
    present = ~np.isnan(grid)
    return cells_from(grid[present], *np.nonzero(present))


def once(weighed, table):
    """Return coefficients of the table as it is."""
    return {name: float(value) for name, [value] in weighed(np.ones((table.n_items, 1))).items()}


def alpha_of(table, level):
    return once(alpha(table, level=level), table)["krippendorff_alpha"]


def table_of(grid, *, kind="ordinal", names=None):
    n_items, n_raters = grid.shape
    ids = np.tile(np.arange(n_raters), (n_items, 1))
    scale = Scale.of(grid[~np.isnan(grid)], kind=kind)
    names = names or tuple(f"r{number}" for number in range(n_raters))
    return ResponseTable(np.arange(n_items).astype(str), {"human": Responses.from_grid(grid, ids)}, scale, raters=names)


def test_shrout_and_fleiss_to_the_printed_digits():
    table = cells(reference.SHROUT_FLEISS)
    found = once(intraclass(table), table)
    assert [round(value, 6) for value in found.values()] == list(reference.SHROUT_FLEISS_ICC)


def test_brennan_to_the_printed_digits():
    table = cells(reference.BRENNAN)
    found = once(intraclass(table), table)
    assert (round(found["icc_3k"], 4), round(found["icc_2k"], 4)) == reference.BRENNAN_COEFFICIENTS


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorff_to_the_printed_digits(level):
    table = cells(reference.KRIPPENDORFF)
    assert round(alpha_of(table, level), 6) == reference.KRIPPENDORFF_ALPHA[level]


def test_fleiss_to_the_printed_digits():
    grid = np.array([np.repeat(np.arange(5.0), row) for row in reference.FLEISS_COUNTS])
    table = cells(grid)
    assert round(once(categorical(table), table)["fleiss_kappa"], 6) == reference.FLEISS_KAPPA


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(6))
def test_our_alpha_of_draws_is_evalicas_of_the_responses(level, seed):
    """Ragged tables: different numbers of raters per item, items of one rater, raters of one item."""
    rng = np.random.default_rng(seed)
    grid = rng.integers(0, 6, (int(rng.integers(5, 40)), int(rng.integers(2, 7)))).astype(float) ** rng.integers(1, 3)
    grid[rng.random(grid.shape) < rng.uniform(0, 0.6)] = np.nan
    grid = grid[(~np.isnan(grid)).any(axis=1)]
    table = cells(grid)
    theirs = evalica.alpha(pd.DataFrame(grid.T), distance=level).alpha
    assert alpha_of(table, level) == pytest.approx(theirs, abs=1e-9)
    assert krippendorff_alpha(table, level=level) == pytest.approx(theirs, abs=1e-12)
    found = measure_agreement(table_of(grid), measurement_level=level, n_resamples=9, rng=0)
    assert found["krippendorff_alpha"].value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("grid", "told"),
    [
        (np.ones((4, 3)), "all responses are equal"),
        (np.array([[1, np.nan], [np.nan, 2.0], [1, np.nan]]), "no item has two raters"),
        (np.array([[1, 1.0], [np.nan, 2.0], [1, 1]]), "the responses vary too little"),
    ],
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_alpha_of_responses_that_cannot_show_agreement_is_undefined(level, grid, told):
    """evalica says 1 for the first, and raises an error for the second."""
    found = measure_agreement(table_of(grid), measurement_level=level, n_resamples=9, rng=0)
    assert np.isnan(found["krippendorff_alpha"].value)
    assert np.isnan(found["krippendorff_alpha"].confidence_interval.low)
    assert told in found.notes[-1]


def test_interval_alpha_and_icc_do_not_move_with_the_origin():
    rng = np.random.default_rng(4)
    grid = rng.normal(size=(20, 1)) + rng.normal(size=(20, 5))
    one, other = cells(grid), cells(grid + 1e4)
    assert alpha_of(one, "interval") == pytest.approx(alpha_of(other, "interval"))
    assert once(intraclass(one), one) == pytest.approx(once(intraclass(other), other), rel=1e-6)


def test_perfect_agreement_is_one_and_no_agreement_is_near_zero():
    perfect = table_of(np.repeat(np.arange(5.0)[:, np.newaxis], 3, axis=1))
    found = measure_agreement(perfect, n_resamples=49, rng=0)
    assert {entry.value for entry in found.coefficients} == {1.0}
    noise = measure_agreement(
        table_of(np.random.default_rng(5).integers(0, 4, (400, 6)).astype(float)), n_resamples=99, rng=0
    )
    for name in ("krippendorff_alpha", "fleiss_kappa", "icc_2"):
        assert abs(noise[name].value) < 0.05
        assert 0 in noise[name].confidence_interval


def test_intervals_do_not_depend_on_workers_and_hold_the_estimate():
    rng = np.random.default_rng(6)
    table = table_of(np.clip(np.round(rng.normal(2, 1, (50, 1)) + rng.normal(0, 0.7, (50, 8))), 0, 4))
    one, other = (measure_agreement(table, n_resamples=130, rng=1, workers=workers) for workers in (1, 3))
    assert one == other
    for entry in one.coefficients:
        assert entry.value in entry.confidence_interval
    assert "crossed" in str(one)
    assert one.to_frame().shape == (8, 7)
    assert one.to_dict()["measurement_level"] == "ordinal"


@pytest.mark.parametrize("n_raters", [2, 3, 23])
def test_progress_hears_of_twice_the_draws_for_each_source(n_raters, monkeypatch):
    monkeypatch.setattr("howsure.raters.agreement.AT_ONCE", 64 * max(9, n_raters))
    table = table_of(np.random.default_rng(9).integers(0, 3, (9, n_raters)).astype(float))
    alone = ResponseTable(
        table.items, {**table.sources, "model": Responses(np.ones(9), range(10))}, table.scale, {}, table.raters
    )
    told = []
    describe(alone, n_resamples=70, rng=0, workers=1, progress=told.append)
    assert sum(told) == 2 * 2 * 70
    assert len(told) > 3


def test_an_outlier_is_seen_among_the_raters():
    rng = np.random.default_rng(7)
    grid = np.repeat(rng.integers(0, 3, (60, 1)), 5, axis=1).astype(float)
    grid[:, 4] += 2
    raters = {entry.rater: entry for entry in measure_agreement(table_of(grid), n_resamples=9, rng=0).raters}
    assert raters["r4"].with_plurality == 0
    assert raters["r4"].mean_shift == pytest.approx(2)
    assert raters["r0"].with_plurality == 1
    assert raters["r0"].mean_shift == pytest.approx(-0.5)


def test_plurality_is_that_of_the_others():
    found = measure_agreement(table_of(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 2.0]])), n_resamples=9, rng=0).raters
    assert [entry.with_plurality for entry in found] == [0.0, 0.5, 0.5]


def test_items_with_one_rater_do_not_count_for_the_agreement():
    grid = np.array([[0.0, 0.0], [1.0, np.nan], [1.0, 0.0]])
    found = measure_agreement(table_of(grid, kind="nominal"), n_resamples=19, rng=0)
    assert found["agreement"].value == 0.5
    assert any("1 of 3 items have one rater only. They count for how common" in note for note in found.notes)


def test_what_cannot_be_measured_is_refused():
    table = table_of(reference.SHROUT_FLEISS)
    with pytest.raises(DataError, match="no source has two or more"):
        measure_agreement(ResponseTable(table.items, {"x": Responses([1.0] * 6, range(7))}, table.scale))
    with pytest.raises(DataError, match="no source is called"):
        measure_agreement(table, source="humans")
    with pytest.raises(ArgumentError, match="`measurement_level` must be one of"):
        measure_agreement(table, measurement_level="intervall")
    with pytest.raises(ArgumentError, match="the measurement level ordinal requires ordered labels"):
        measure_agreement(table_of(reference.SHROUT_FLEISS, kind="nominal"), measurement_level="ordinal")
    with pytest.raises(DataError, match="0 or more"):
        measure_agreement(table_of(-reference.SHROUT_FLEISS), measurement_level="ratio")


def test_gwets_formulas_to_the_published_digits():
    """One of the 12 units has one rating, which counts for the prevalence."""
    table = cells(reference.KRIPPENDORFF)
    found = once(categorical(table, ordered=True), table)
    assert {name: round(found[name], 6) for name in reference.KRIPPENDORFF_GWET} == reference.KRIPPENDORFF_GWET


def test_weighted_kappa_of_two_raters_to_the_printed_digits():
    pairs = np.repeat(np.indices((3, 3)).reshape(2, -1).T, reference.KAPPA_TABLE.ravel(), axis=0)
    table = cells(pairs.astype(float))
    found = once(categorical(table, ordered=True), table)
    assert round(found["cohen_kappa_linear"], 6) == reference.KAPPA_LINEAR
    assert round(found["cohen_kappa_quadratic"], 6) == reference.KAPPA_QUADRATIC
    assert "cohen_kappa" not in once(categorical(cells(reference.SHROUT_FLEISS)), cells(reference.SHROUT_FLEISS))


def repeats(values, raters, *, kind):
    """Read a table with several responses of a rater to an item: a list of values for each item."""
    rows = [(item, rater, value) for item, row in enumerate(values) for rater, value in zip(raters, row, strict=True)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "value"], orient="row")
    frame = frame.with_columns(pl.int_range(pl.len()).over("item", "rater").alias("repeat"))
    return howsure.read(frame, sources="human", scale=kind)


def test_repeats_of_a_rater_are_not_averaged_into_a_label_that_nobody_gave():
    """Ann says a and c, Bob says b: they never agree."""
    table = repeats([["a", "c", "b"], ["a", "c", "b"], ["a", "a", "a"]], ["ann", "ann", "bob"], kind="nominal")
    found = measure_agreement(table, n_resamples=9, rng=0)
    assert found["agreement"].value == pytest.approx(1 / 3)
    assert found["krippendorff_alpha"].value < 0.5
    assert "several answers to one item. Each different answer counts by its share." in " ".join(found.notes)


@pytest.mark.parametrize("level", LEVELS)
def test_repeats_count_as_one_answer_picked_at_random(level):
    """Agreement within items is linear in each rater's shares, so it is the mean over all picks of one answer each."""
    rng = np.random.default_rng(31)
    values, raters = rng.integers(1, 5, (4, 5)).astype(float), np.array([0, 0, 1, 1, 2])
    items = np.repeat(np.arange(4), 5)
    table = cells_from(values.ravel(), items, np.tile(raters, 4))
    picks = [np.array(pick) for pick in itertools.product([0, 1], [2, 3], [4])]
    picked = [cells(np.stack([values[i, pick] for pick in picks])) for i in range(4)]
    agreed = np.mean([once(categorical(one), one)["agreement"] for one in picked])
    assert once(categorical(table), table)["agreement"] == pytest.approx(agreed)
    # α = 1 - observed / expected, with the same values expected whatever is picked in which item.
    every = np.array([[values[i, pick[i]] for i in range(4)] for pick in itertools.product(picks, repeat=4)])
    apart = {
        "nominal": lambda a, b: a != b,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2,
    }.get(level)
    if apart is None:
        spread = np.sort(values.ravel())
        weight = np.tile([0.5, 0.5, 0.5, 0.5, 1.0], 4)
        margins = {v: weight[values.ravel() == v].sum() for v in spread}
        rank = {v: sum(n for w, n in margins.items() if w < v) + margins[v] / 2 for v in margins}
        apart = np.vectorize(lambda a, b: (rank[a] - rank[b]) ** 2)
    a, b = every[..., [0, 0, 1]], every[..., [1, 2, 2]]
    observed = np.mean(apart(a, b))
    flat, weight = values.ravel(), np.tile([0.5, 0.5, 0.5, 0.5, 1.0], 4)
    expected = (apart(flat[:, None], flat[None, :]) * np.outer(weight, weight)).sum() / (12 * 11)
    assert alpha_of(table, level) == pytest.approx(1 - observed / expected)


def test_the_same_answer_twice_is_one_answer():
    once_each, twice = ([["a", "b"], ["b", "b"]], ["x", "y"]), ([["a", "a", "b"], ["b", "b", "b"]], ["x", "x", "y"])
    one, other = (measure_agreement(repeats(*how, kind="nominal"), n_resamples=29, rng=3) for how in (once_each, twice))
    assert str(one.coefficients) == str(other.coefficients)  # NaN is not equal to itself
    assert [entry.with_plurality for entry in one.raters] == [entry.with_plurality for entry in other.raters]


def test_the_mean_of_repeats_is_what_correlations_take():
    table = repeats([[1, 3, 2], [5, 5, 4], [2, 2, 2]], ["ann", "ann", "bob"], kind="ordinal")
    means = cells(np.array([[2.0, 2.0], [5.0, 4.0], [2.0, 2.0]]))
    found = measure_agreement(table, n_resamples=9, rng=0)
    assert found["icc_2"].value == pytest.approx(once(intraclass(means), means)["icc_2"])
    assert found["agreement"].value == pytest.approx(1 / 3)
    assert [entry.with_plurality for entry in found.raters] == pytest.approx([1 / 3, 1 / 3])
    assert [entry.mean_shift for entry in found.raters] == pytest.approx([1 / 3, -1 / 3])


@pytest.mark.parametrize("seed", range(4))
def test_names_of_nominal_labels_do_not_matter(seed):
    rng = np.random.default_rng([32, seed])
    grid = rng.integers(0, 4, (25, 3)).astype(float)
    grid[rng.random(grid.shape) < 0.2] = np.nan
    names = rng.permutation(4).astype(float)
    one = measure_agreement(table_of(grid, kind="nominal"), n_resamples=29, rng=1)
    renamed = np.where(np.isnan(grid), np.nan, names[np.nan_to_num(grid).astype(int)])
    other = measure_agreement(table_of(renamed, kind="nominal"), n_resamples=29, rng=1)
    for entry in one.coefficients:
        again = other[entry.name]
        assert again.value == pytest.approx(entry.value, nan_ok=True)
        assert again.confidence_interval.low == pytest.approx(entry.confidence_interval.low, nan_ok=True)


@pytest.mark.parametrize(("r", "told"), [(2, "these two raters on other items"), (3, "too narrow if some"), (6, None)])
def test_few_raters_are_noted_as_their_intervals_are(r, told):
    grid = np.random.default_rng(9).integers(0, 3, (20, r)).astype(float)
    notes = measure_agreement(table_of(grid), n_resamples=9, rng=0).notes
    assert (told in " ".join(notes)) if told else not notes


@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_the_order_of_items_and_raters_changes_nothing(kind):
    rng = np.random.default_rng(33)
    grid = rng.integers(0, 4, (24, 22)).astype(float)
    grid[rng.random(grid.shape) < 0.3] = np.nan
    table = table_of(grid, kind=kind)
    rows, columns = rng.permutation(24), rng.permutation(22)
    source = Responses.from_grid(grid[rows][:, columns], np.tile(np.arange(22), (24, 1)))
    names = tuple(table.raters[column] for column in columns)
    other = ResponseTable(table.items[rows], {"human": source}, table.scale, raters=names)
    one, again = (measure_agreement(some, n_resamples=29, rng=1) for some in (table, other))
    assert _json.dumps(one.to_dict()) == _json.dumps(again.to_dict())


def test_a_rater_who_stands_out_is_named_and_others_are_not():
    rng = np.random.default_rng(34)
    truth = rng.integers(0, 3, (80, 1))
    grid = np.where(rng.random((80, 8)) < 0.8, truth, rng.integers(0, 3, (80, 8))).astype(float)
    grid[:, 3] = rng.integers(0, 3, 80)
    found = measure_agreement(table_of(grid, kind="nominal"), n_resamples=9, rng=0)
    assert [(entry.rater, entry.stands_out) for entry in found.raters if entry.stands_out] == [("r3", "agrees less")]
    assert "Raters of human that differ significantly from the others: r3 (agrees less)." in str(found)
    higher = np.clip(truth + rng.integers(-1, 2, (80, 8)), 0, 4).astype(float)
    higher[:, 5] += 2
    found = measure_agreement(table_of(higher), n_resamples=9, rng=0)
    assert "rates higher" in {entry.rater: entry.stands_out for entry in found.raters}["r5"]
    mirrored = measure_agreement(table_of(4 - higher), n_resamples=9, rng=0)
    assert "rates lower" in {entry.rater: entry.stands_out for entry in mirrored.raters}["r5"]


def test_raters_who_are_alike_are_seldom_named():
    """150 tables without an odd rater: at most 5% may name one, here held to the binomial region above 5%."""
    rng = np.random.default_rng(35)
    named = 0
    for _ in range(150):
        skill = rng.beta(8, 2, 12)
        truth = rng.integers(0, 3, (40, 1))
        grid = np.where(rng.random((40, 12)) < skill, truth, rng.integers(0, 3, (40, 12))).astype(float)
        summaries = summarise_raters(cells(grid), [f"{number}" for number in range(12)], numeric=True)
        named += any(entry.stands_out for entry in summaries)
    assert named <= binom.ppf(0.999, 150, 0.05)


def test_clusters_widen_the_intervals_where_items_of_one_are_alike():
    rng = np.random.default_rng(36)
    truth = np.repeat(rng.integers(0, 5, (12, 1)), 5, axis=0)
    grid = np.clip(truth + rng.integers(-1, 2, (60, 6)), 0, 4).astype(float)
    table = replace(table_of(grid), groups={"document": np.repeat(np.arange(12), 5).astype(str)})
    alone, grouped = (measure_agreement(table, cluster=some, n_resamples=199, rng=0) for some in (None, "document"))
    assert grouped["icc_1"].value == alone["icc_1"].value
    assert grouped["icc_1"].confidence_interval.width > 1.1 * alone["icc_1"].confidence_interval.width
    assert alone.signature != grouped.signature
    each = replace(table, groups={"document": np.arange(100, 160).astype(str)})
    assert measure_agreement(each, cluster="document", n_resamples=29, rng=0).coefficients == (
        measure_agreement(table, n_resamples=29, rng=0).coefficients
    )
    with pytest.raises(DataError, match="all items are in one cluster"):
        describe(replace(table, groups={"document": np.full(60, "d")}), cluster="document", n_resamples=9, rng=0)


@pytest.mark.parametrize("crossed", [True, False])
def test_f_limits_are_for_items_with_raters_of_their_own(crossed):
    """Raters who judged all items have tastes that F limits ignore: they covered 80 to 91% there."""
    rng = np.random.default_rng(2)
    grid = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=3) + rng.normal(size=(30, 3))
    who = np.tile(np.arange(3), (30, 1)) if crossed else np.arange(90).reshape(30, 3)
    names = tuple(f"r{number}" for number in range(int(who.max()) + 1))
    table = ResponseTable(
        np.arange(30).astype(str), {"human": Responses.from_grid(grid, who)}, Scale("continuous"), {}, names
    )
    found = measure_agreement(table, n_resamples=99, rng=0)
    for name in ("icc_1", "icc_1k"):
        assert (found[name].confidence_interval.method == "F") is not crossed


@pytest.mark.parametrize(("n_yes", "noted"), [(2, True), (20, False)])
def test_rare_labels_of_few_items_have_a_note(n_yes, noted):
    both = np.repeat([1.0, 0.0], [n_yes, 50 - n_yes])
    grid = np.stack([both, both], axis=1)
    grid[-4:, 0] = 1.0
    table = ResponseTable(
        np.arange(50).astype(str),
        {"human": Responses.from_grid(grid, np.tile(np.arange(2), (50, 1)))},
        Scale("nominal", (0.0, 1.0), ("no", "yes")),
        {},
        ("ann", "bob"),
    )
    found = measure_agreement(table, n_resamples=99, rng=0)
    assert any("can cover 81% to 94% instead of 95%" in note for note in found.notes) is noted
    if noted:
        assert found.notes[0].startswith("Two raters gave the rarer label on 2 items only")
