"""The level study draws means and mean squares in place of tables: it must decide as `compare` does."""

import numpy as np
import pytest

from howsure.comparison import compare
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale


@pytest.fixture(scope="module")
def study(program):
    return program("raters_level")


def mean_squares(grid):
    n, r = grid.shape
    rows, columns = grid.mean(axis=1), grid.mean(axis=0)
    rest = grid - rows[:, np.newaxis] - columns + grid.mean()
    return r * rows.var(ddof=1), n * columns.var(ddof=1), np.square(rest).sum() / ((n - 1) * (r - 1))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "r"), [(100, 5), (100, 10), (500, 5), (500, 20)])
def test_the_study_has_the_p_of_compare(study, n, r, seed):
    rng = np.random.default_rng([seed, n, r])
    # With and without effects of items, so that their component is estimated above and below zero.
    of_items = 0.5 * (seed % 2)
    sides = of_items * rng.normal(size=(2, n, 1)) + 0.3 * rng.normal(size=(2, 1, r)) + rng.normal(size=(2, n, r))
    ids = np.tile(np.arange(r), (n, 1))
    a, b = (Responses.from_grid(side, ids) for side in sides)
    contest = Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))
    result = compare(contest, metric="rating", n_resamples=9, rng=0, workers=1)
    squares = mean_squares(sides[0] - sides[1])
    assert study.half_width(*squares, n=n, r=r) == pytest.approx(result.confidence_interval.width / 2)
    # The p-value is the level whose interval just reaches zero, but never below that for these raters alone.
    reached = study.half_width(*squares, n=n, r=r, level=1 - result.pvalue)
    if result.pvalue == result.rater_answers.these.pvalue:
        assert reached <= abs(result.advantage) * (1 + 1e-6)
    else:
        assert reached == pytest.approx(abs(result.advantage))


@pytest.mark.parametrize("of_items", [0.0, 0.5])
def test_the_drawn_numbers_are_those_of_tables(study, of_items):
    n, r, size = 12, 4, 10_000
    rng = np.random.default_rng(1)
    found = []
    for _ in range(size):
        sides = of_items * rng.normal(size=(2, n, 1)) + 0.3 * rng.normal(size=(2, 1, r)) + rng.normal(size=(2, n, r))
        grid = sides[0] - sides[1]
        found.append((grid.mean(), *mean_squares(grid)))
    drawn = study.numbers(np.random.default_rng(2), n, r, of_items=of_items, size=40 * size)
    for ours, theirs in zip(np.transpose(found), drawn, strict=True):
        for power in (1, 2):
            one, other = ours**power, theirs**power
            assert abs(one.mean() - other.mean()) < 4 * np.hypot(one.std(), other.std() / np.sqrt(40)) / np.sqrt(size)
    # The four are independent of each other.
    correlations = np.corrcoef(found, rowvar=False)[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(size)


def test_the_level_is_at_most_five_percent_where_items_do_not_matter(study):
    """The part of raters alone is Student's t with raters − 1 degrees of freedom; that of items only adds to it."""
    size = 400_000
    mean, items, raters, rest = study.numbers(np.random.default_rng(3), 500, 5, of_items=0.0, size=size)
    exact = study.half_width(rest, raters, rest, n=500, r=5)
    both = study.half_width(items, raters, rest, n=500, r=5)
    assert (both >= exact).all()
    assert abs((np.abs(mean) >= exact).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / size)
