"""Coefficients from sums by item against `benchmarks/agreement_plain.py`, where each draw passes over all cells."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.raters.agreement_coefficients import LEVELS, MOST_HELD, alpha, categorical, cells_from, intraclass
from howsure.raters.agreement_intervals import measure_errors


@pytest.fixture(scope="module")
def plain(program):
    return program("agreement_plain")


@st.composite
def tables(draw):
    """Ragged cells: items of one rater, raters of one item, few levels or many, values that round."""
    n_items, n_raters = draw(st.integers(1, 12)), draw(st.integers(2, 6))
    n_levels, step = draw(st.sampled_from([1, 2, 3, 5, 40])), draw(st.sampled_from([1.0, 0.1, 1 / 3]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    grid = step * rng.integers(n_levels, size=(n_items, n_raters))
    present = rng.random(grid.shape) < draw(st.sampled_from([0.3, 0.7, 1.0]))
    present[0, 0] = True
    return cells_from(grid[present], *np.nonzero(present)), rng


@pytest.mark.filterwarnings("error::RuntimeWarning")
@given(tables())
def test_sums_by_item_give_what_each_draw_gives(plain, table):
    cells, rng = table
    weights = rng.multinomial(cells.n_items, np.full(cells.n_items, 1 / cells.n_items), size=5).T.astype(float)
    raters = (rng.random(cells.n_raters) < 0.8).astype(float)
    some = cells.of(raters)
    found = [categorical(some), categorical(some, ordered=True), intraclass(some)]
    expected = [plain.categorical, functools.partial(plain.categorical, ordered=True), plain.intraclass]
    for level in LEVELS:
        found.append(alpha(some, level=level))
        expected.append(lambda *how, level=level: {"krippendorff_alpha": plain.alpha(*how, level=level)})
    for weighed, one in zip(found, expected, strict=True):
        drawn = weighed(weights)
        for number, items in enumerate(weights.T):
            for name, value in one(cells, items, raters).items():
                assert drawn[name][number] == pytest.approx(value, rel=1e-8, abs=1e-8, nan_ok=True), name


@pytest.mark.parametrize(
    ("kind", "level"), [("ordinal", "ordinal"), ("continuous", "interval"), ("nominal", "nominal")]
)
def test_errors_are_those_of_draws_one_by_one(plain, kind, level):
    """The same stream of draws, however many are weighed at once, and raters left out the same way."""
    rng = np.random.default_rng(1)
    grid = np.round(rng.normal(size=(30, 1)) + rng.normal(size=(30, 7)))
    present = rng.random(grid.shape) < 0.6
    cells = cells_from(grid[present], *np.nonzero(present))

    def fast(raters):
        some = cells.of(raters)
        ordered = functools.partial(categorical, ordered=True)
        parts = {"nominal": [categorical], "ordinal": [ordered, intraclass], "continuous": [intraclass]}[kind]
        weighed = [alpha(some, level=level), *(part(some) for part in parts)]
        return lambda items: {name: values for part in weighed for name, values in part(items).items()}

    def slow(raters):
        def weighed(items):
            drawn = [plain.coefficients(cells, column, raters, kind=kind, level=level) for column in items.T]
            return {name: np.array([entry[name] for entry in drawn]) for name in drawn[0]}

        return weighed

    how = {"units": np.arange(cells.n_items), "n_raters": 7, "n_resamples": 70, "seed": np.random.SeedSequence(3)}
    one, other = measure_errors(fast, workers=3, at_once=5, **how), measure_errors(slow, workers=1, **how)
    assert one.keys() == other.keys()
    for name, error in one.items():
        assert error.variances == pytest.approx(other[name].variances, rel=1e-9), name


def test_ratio_distances_of_many_levels_come_some_rows_at_a_time(plain, monkeypatch):
    rng = np.random.default_rng(5)
    grid = rng.integers(60, size=(20, 4)).astype(float)
    cells = cells_from(grid.ravel(), *np.indices(grid.shape).reshape(2, -1))
    expected = plain.alpha(cells, np.ones(20), np.ones(4), level="ratio")
    assert cells.levels.size <= MOST_HELD
    monkeypatch.setattr("howsure.raters.agreement_coefficients.MOST_HELD", 11)
    found = alpha(cells, level="ratio")(np.ones((20, 2)))["krippendorff_alpha"]
    assert found == pytest.approx([expected, expected])


def test_copies_of_a_rater_are_one_rater_in_the_plain_coefficients(plain):
    """Weighted coefficients equal those over all pairs of distinct raters, item copies kept apart."""
    rng = np.random.default_rng(3)
    grid = rng.integers(0, 3, (6, 4)).astype(float)
    cells = cells_from(grid.ravel(), *np.indices(grid.shape).reshape(2, -1))
    item_weights, rater_weights = np.array([1.0, 2, 0, 1, 1, 1]), np.array([2.0, 1, 0, 1])
    shares, agreed = [], []
    for i in range(6):
        pairs = [
            (rater_weights[r] * rater_weights[s], grid[i, r] == grid[i, s])
            for r in range(4) for s in range(4) if r != s
        ]  # fmt: skip
        agreed.append(sum(w * same for w, same in pairs) / sum(w for w, _ in pairs))
        shares.append([(rater_weights * (grid[i] == c)).sum() / rater_weights.sum() for c in range(3)])
    weight = item_weights / item_weights.sum()
    observed, by_chance = weight @ agreed, np.square(weight @ np.array(shares)).sum()
    found = plain.categorical(cells, item_weights, rater_weights)
    assert found["agreement"] == pytest.approx(observed)
    assert found["fleiss_kappa"] == pytest.approx((observed - by_chance) / (1 - by_chance))
