import numpy as np
import pytest

from howsure._random import generator, seed_of
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError
from howsure.metrics import BUILTIN
from howsure.resampling import Scheme, cell_table, summaries_of
from howsure.resampling.units import draw_counts
from tests.resampling.drawing import draw

TWO_WAY = Scheme(raters="random")


def contest_of(rng, *, n=12, r=5, missing=0.0, kind="ordinal", gold_free=False):
    """Draw a contest whose gold (or whose A and B) come from identified raters."""
    grids = rng.integers(0, 5, (3, n, r)).astype(float)
    ids = np.tile(np.arange(r), (n, 1))
    grids[:, rng.random((n, r)) < missing] = np.nan
    grids[:, :, 0] = rng.integers(0, 5, (3, n))
    sources = [Responses.from_grid(grid, ids) for grid in grids]
    scale = Scale.of(np.arange(5.0), kind=kind)
    if gold_free:
        return Contest(None, sources[1], sources[2], scale, np.arange(n).astype(str), ("", "A", "B"))
    models = [Responses.from_grid(grid[:, :2]) for grid in rng.integers(0, 5, (2, n, 2)).astype(float)]
    return Contest(sources[0], *models, scale, np.arange(n).astype(str))


def weights_of_draw(seed, n_items, n_raters, n_draws):
    """Return how often each item and rater was drawn."""
    rng = generator(seed, "resamples", 0)
    counts = (
        draw_counts(rng, (n_draws,), n_items) if n_items else np.ones((n_draws, 1)),
        draw_counts(rng, (n_draws,), n_raters),
    )
    return [side.astype(int) for side in counts]


def by_hand(contest, metric, items, raters):
    """Score one draw from its definition: repeat items, and in each the responses of drawn raters."""
    rows = {role: [] for role in contest.sources}
    for item in np.repeat(np.arange(contest.n_items), items):
        drawn = {}
        for role, source in contest.sources.items():
            own = slice(source.offsets[item], source.offsets[item + 1])
            values = source.values[own]
            drawn[role] = values if source.raters is None else np.repeat(values, raters[source.raters[own]])
        if all(len(values) for values in drawn.values()):
            for role, values in drawn.items():
                rows[role].append(values)
    if not rows["a"]:
        return np.nan
    built = {
        role: Responses(np.concatenate(rows[role]), np.concatenate([[0], np.cumsum([len(v) for v in rows[role]])]))
        for role in rows
    }
    n = len(rows["a"])
    drawn = Contest(built.get("gold"), built["a"], built["b"], contest.scale, np.arange(n).astype(str))
    return float(metric.advantage(*summaries_of(drawn, metric.needs)))


@pytest.mark.parametrize("missing", [0.0, 0.7])
@pytest.mark.parametrize(
    "name", ["mae", "mse", "rmse", "spearman", "tv", "accuracy", "emd", "emd-responses", "wins-responses"]
)
def test_a_draw_is_what_its_definition_says(name, missing):
    contest = contest_of(np.random.default_rng(1), missing=missing, kind="ordinal")
    metric = BUILTIN[name].on(contest.scale)
    found = draw(contest, [metric], scheme=TWO_WAY, null=None, n_resamples=20, seed=seed_of(7)).advantages[0]
    items, raters = weights_of_draw(seed_of(7), contest.n_items, 5, 20)
    expected = [by_hand(contest, metric, items[d], raters[d]) for d in range(20)]
    np.testing.assert_allclose(found, expected, atol=1e-12, equal_nan=True)


def test_a_draw_without_any_rater_of_its_items_is_undefined():
    rng = np.random.default_rng(3)
    gold = Responses(rng.normal(size=2), np.arange(3), np.arange(2))  # each item has a rater of its own
    models = [Responses.from_grid(rng.normal(size=(2, 1))) for _ in range(2)]
    contest = Contest(gold, *models, Scale("continuous"), np.arange(2).astype(str))
    found = draw(contest, [BUILTIN["mae"]], scheme=TWO_WAY, null=None, n_resamples=80, seed=seed_of(0)).advantages[0]
    items, raters = weights_of_draw(seed_of(0), 2, 2, 80)
    np.testing.assert_array_equal(np.isnan(found), ((items > 0) & (raters > 0)).sum(axis=1) == 0)
    np.testing.assert_allclose(found, [by_hand(contest, BUILTIN["mae"], items[d], raters[d]) for d in range(80)])
    assert 0 < np.isnan(found).sum() < 80


def test_a_continuous_scale_repeats_sorted_responses():
    contest = contest_of(np.random.default_rng(2), missing=0.5, kind="continuous", gold_free=True)
    metric = BUILTIN["emd"].on(contest.scale)
    with_gold = Contest(contest.a, contest.a, contest.b, contest.scale, contest.items)
    found = draw(with_gold, [metric], scheme=TWO_WAY, null=None, n_resamples=9, seed=seed_of(1)).advantages[0]
    items, raters = weights_of_draw(seed_of(1), contest.n_items, 5, 9)
    np.testing.assert_allclose(found, [by_hand(with_gold, metric, items[d], raters[d]) for d in range(9)], atol=1e-12)


def test_draws_do_not_depend_on_workers_or_on_the_other_metrics():
    contest = contest_of(np.random.default_rng(3), missing=0.3)
    names = ["mae", "spearman", "tv"]
    both = [
        draw(contest, [BUILTIN[name] for name in names], scheme=TWO_WAY, null=None, n_resamples=130, seed=seed_of(0),
             workers=workers).advantages
        for workers in (1, 3)
    ]  # fmt: skip
    np.testing.assert_array_equal(*both)
    alone = draw(contest, [BUILTIN["tv"]], scheme=TWO_WAY, null=None, n_resamples=130, seed=seed_of(0)).advantages
    np.testing.assert_array_equal(alone[0], both[0][2])


def test_items_are_kept_when_only_raters_are_drawn():
    contest = contest_of(np.random.default_rng(4))
    scheme = Scheme(items="all", raters="random")
    metric = BUILTIN["mae"]
    found = draw(contest, [metric], scheme=scheme, null=None, n_resamples=5, seed=seed_of(0)).advantages[0]
    _, raters = weights_of_draw(seed_of(0), 0, 5, 5)
    ones = np.ones(contest.n_items, dtype=int)
    np.testing.assert_allclose(found, [by_hand(contest, metric, ones, raters[d]) for d in range(5)], atol=1e-12)


def test_what_cannot_be_drawn_is_refused():
    contest = contest_of(np.random.default_rng(5))
    how = {"null": None, "n_resamples": 3, "seed": seed_of(0)}
    nobody = Contest(contest.a, contest.a, contest.b, contest.scale, contest.items)
    with pytest.raises(DataError, match="needs rater ids"):
        draw(nobody, [BUILTIN["mae"]], scheme=TWO_WAY, **how)
    with pytest.raises(ArgumentError, match="all their responses"):
        draw(contest, [BUILTIN["mae"]], scheme=Scheme(responses="bootstrap", raters="random"), **how)
    with pytest.raises(ArgumentError, match="sign-flip"):
        draw(contest, [BUILTIN["mae"]], scheme=TWO_WAY, **{**how, "null": "sign-flip"})


def test_pseudo_responses_of_paired_ratings_are_each_raters_difference():
    contest = contest_of(np.random.default_rng(6), missing=0.4, gold_free=True)
    table = cell_table(contest, BUILTIN["rating"])
    np.testing.assert_allclose(table.values, contest.a.values - contest.b.values, atol=1e-12)
    np.testing.assert_array_equal(table.items, contest.a.items)
    np.testing.assert_array_equal(table.raters, contest.a.raters)
    np.testing.assert_allclose(table.weights, 1 / (contest.n_items * contest.a.sizes[contest.a.items]))


def test_the_mean_of_the_pseudo_responses_is_the_advantage_also_when_raters_judge_one_model_only():
    rng = np.random.default_rng(7)
    n = 9
    a = Responses.from_grid(rng.normal(size=(n, 3)), np.tile([0, 1, 2], (n, 1)))
    b = Responses.from_grid(rng.normal(size=(n, 2)), np.tile([2, 3], (n, 1)))
    contest = Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))
    table = cell_table(contest, BUILTIN["rating"])
    expected = float(BUILTIN["rating"].advantage(*summaries_of(contest, "means")))
    assert table.weights.sum() == pytest.approx(1)
    assert float(table.weights @ table.values) == pytest.approx(expected)


def test_duplicating_every_response_changes_no_pseudo_response():
    contest = contest_of(np.random.default_rng(8), missing=0.3, gold_free=True)

    def twice(source):
        return Responses(np.repeat(source.values, 2), 2 * source.offsets, np.repeat(source.raters, 2))

    doubled = Contest(None, twice(contest.a), twice(contest.b), contest.scale, contest.items, contest.names)
    one, two = (cell_table(side, BUILTIN["rating"]) for side in (contest, doubled))
    np.testing.assert_allclose(one.values, two.values, atol=1e-12)
    np.testing.assert_allclose(one.weights, two.weights)
