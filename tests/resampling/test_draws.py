"""Draws: both paths, every scheme and null on ragged data, the same bits for any number of workers."""

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure import Contest
from howsure._random import seed_of
from howsure.data.responses import Responses
from howsure.metrics import BUILTIN, resolve
from howsure.models import preset
from howsure.resampling import Scheme, Stack, can_stack, first_responses, summaries_of
from howsure.resampling import draw as draw_stacked
from howsure.resampling.draws import UnitsDrawn
from howsure.resampling.responses import pool
from howsure.resampling.units import MANY, draw_counts, draw_signs
from tests.resampling.drawing import draw, every_exchange, jackknife

ADDITIVE = [name for name, metric in BUILTIN.items() if metric.additive]
SCHEMES = [
    Scheme(items, responses) for items in ("all", "bootstrap") for responses in ("all", "first", "one", "bootstrap")
]
NULLS = [None, "sign-flip", "pooled-responses", "permuted-responses"]


@dataclass
class Spy:
    """A metric that keeps what it is shown."""

    needs: str = "values"
    additive: bool = False
    ignores: str = ""
    shown: list = field(default_factory=list)

    def swappable(self, gold, a, b):
        return a, b

    def advantage(self, gold, a, b):
        width = 1 if self.needs == "means" else 2
        lead = np.broadcast_shapes(*(side.shape[:-width] for side in (gold, a, b)))
        sides = [np.broadcast_to(side, (*lead, *side.shape[-width:])) for side in (gold, a, b)]
        self.shown.append([side.reshape(-1, *side.shape[-width:]) for side in sides])
        return np.zeros(lead)

    def rows(self):
        """Yield the (gold, a, b) rows of every draw, as lists of present responses."""
        for gold, a, b in self.shown:
            n_draws = max(side.shape[0] if side.ndim == 3 else 1 for side in (gold, a, b))
            sides = [np.broadcast_to(side, (n_draws, *side.shape[-2:])) for side in (gold, a, b)]
            for d in range(n_draws):
                yield [[row[~np.isnan(row)].tolist() for row in side[d]] for side in sides]


@dataclass(frozen=True)
class General:
    """A metric that does not say what it has, and therefore takes the general path."""

    metric: object
    additive: bool = False

    @property
    def ignores(self):
        return self.metric.ignores

    def swappable(self, gold, a, b):
        return self.metric.swappable(gold, a, b)

    @property
    def needs(self):
        return self.metric.needs

    def advantage(self, gold, a, b):
        return self.metric.advantage(gold, a, b)


def telling(n_items=6):
    """A ragged contest in which every response says where it comes from: source, item, position."""
    sizes = {"gold": [3, 1, 2, 4, 1, 2], "a": [2, 1, 3, 1, 2, 2], "b": [1, 2, 2, 3, 1, 4]}
    sides = [
        [[1000 * s + 10 * i + j if j < sizes[role][i] else np.nan for j in range(4)] for i in range(n_items)]
        for s, role in enumerate(sizes)
    ]
    return Contest.from_arrays(*sides, scale="continuous"), sides


def spied(scheme, null, n_resamples=70):
    contest, sides = telling()
    spy = Spy()
    draw(contest, [spy], scheme=scheme, null=null, n_resamples=n_resamples, seed=seed_of(3))
    rows = [[[value for value in row if value == value] for row in side] for side in sides]
    return list(spy.rows()), rows


def item_of(value):
    return int(value) % 1000 // 10


# What a draw contains


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@pytest.mark.parametrize("null", NULLS)
def test_items_are_shared_and_each_source_answers_for_the_drawn_item(scheme, null):
    draws, _ = spied(scheme, null)
    shown = set()
    for sides in draws:
        drawn = [item_of(row[0]) for row in sides[0]]
        shown.add(tuple(drawn))
        for side in sides:
            assert [{item_of(value) for value in row} for row in side] == [{item} for item in drawn]
    if scheme.items == "all":
        assert shown == {tuple(range(6))}
    else:
        assert len(draws) == 70
        assert len(shown) > 60


def sizes_of(rows, scheme, item):
    return {"all": len(rows[item]), "bootstrap": len(rows[item])}.get(scheme.responses, 1)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_responses_without_a_null_come_from_their_own_source(scheme):
    draws, rows = spied(scheme, None)
    for sides in draws:
        for side, own in zip(sides, rows, strict=True):
            for row in side:
                item = item_of(row[0])
                assert len(row) == sizes_of(own, scheme, item)
                assert set(row) <= set(own[item])
                if scheme.responses == "all":
                    assert row == own[item]
                if scheme.responses == "first":
                    assert row == own[item][:1]


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_sign_flip_exchange_whole_items(scheme):
    draws, rows = spied(scheme, "sign-flip")
    patterns = set()
    for _, a, b in draws:
        swapped = []
        for of_a, of_b in zip(a, b, strict=True):
            sources = {int(of_a[0]) // 1000, int(of_b[0]) // 1000}
            assert sources == {1, 2}
            assert len({int(value) // 1000 for value in of_a}) == 1
            swapped.append(int(of_a[0]) // 1000 == 2)
            source, item = int(of_a[0]) // 1000, item_of(of_a[0])
            assert len(of_a) == sizes_of(rows[source], scheme, item)
        patterns.add(tuple(swapped))
    assert len(patterns) > 32  # of 64 patterns, seen in 70 draws


def test_pooled_responses_draw_each_models_number_from_both():
    draws, rows = spied(Scheme("all", "bootstrap"), "pooled-responses", 200)
    shown = [set() for _ in range(6)]
    for gold, a, b in draws:
        for item in range(6):
            both = {*rows[1][item], *rows[2][item]}
            assert set(gold[item]) <= set(rows[0][item])
            assert set(a[item]) <= both
            assert set(b[item]) <= both
            assert (len(a[item]), len(b[item])) == (len(rows[1][item]), len(rows[2][item]))
            shown[item] |= set(a[item])
    assert all(shown[item] == {*rows[1][item], *rows[2][item]} for item in range(6))


@pytest.mark.parametrize("items", ["all", "bootstrap"])
def test_permuted_responses_lose_and_double_nothing(items):
    draws, rows = spied(Scheme(items, "all"), "permuted-responses")
    hands = set()
    for _, a, b in draws:
        for of_a, of_b in zip(a, b, strict=True):
            item = item_of(of_a[0])
            assert sorted([*of_a, *of_b]) == sorted([*rows[1][item], *rows[2][item]])
            assert len(of_a) == len(rows[1][item])
            hands.add((item, tuple(sorted(of_a))))
    possible = sum(math.comb(len(a) + len(b), len(a)) for a, b in zip(rows[1], rows[2], strict=True))
    assert len(hands) == possible


def test_dealing_first_responses_deals_one_to_each():
    draws, rows = spied(Scheme("all", "first"), "permuted-responses")
    for _, a, b in draws:
        for item in range(6):
            assert sorted([*a[item], *b[item]]) == [rows[1][item][0], rows[2][item][0]]


def test_another_number_of_responses_may_be_drawn():
    draws, _ = spied(Scheme("bootstrap", "bootstrap", n_responses=7), None)
    assert all(len(row) == 7 for sides in draws for side in sides for row in side)


def test_gold_may_be_absent():
    contest, _ = telling()
    free = Contest(None, contest.a, contest.b, contest.scale, contest.items)
    for null in NULLS:
        scheme = Scheme("bootstrap", "bootstrap" if null == "pooled-responses" else "all")
        found = draw(free, [BUILTIN["rating"]], scheme=scheme, null=null, n_resamples=10, seed=seed_of(0))
        assert np.isfinite(found.advantages).all()


# The same bits


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_workers_change_no_draw(likert, scheme, null):
    metrics = [BUILTIN[name].on(likert.scale) for name in ("mae", "emd", "spearman", "wins-responses", "tv")]

    def drawn(n_resamples, workers):
        return draw(
            likert, metrics, scheme=scheme, null=null, n_resamples=n_resamples, seed=seed_of(5), workers=workers
        ).advantages  # fmt: skip

    alone = drawn(150, 1)
    for workers in (2, 3):
        assert (drawn(150, workers) == alone).all()


def test_all_metrics_see_the_same_resamples(likert):
    names = ["mae", "rmse", "tv", "emd"]
    metrics = [BUILTIN[name].on(likert.scale) for name in names]
    options = {"scheme": Scheme(responses="bootstrap"), "null": None, "n_resamples": 100, "seed": seed_of(1)}
    together = draw(likert, metrics, **options).advantages
    for i, metric in enumerate(metrics):
        assert (draw(likert, [metric], **options).advantages[0] == together[i]).all()


def test_seeds_and_purposes_differ(ratings):
    def drawn(seed, null):
        return draw(
            ratings, [BUILTIN["mae"]], scheme=Scheme(), null=null, n_resamples=50, seed=seed_of(seed)
        ).advantages  # fmt: skip

    assert (drawn(1, None) != drawn(2, None)).any()
    signs = np.sign(drawn(1, "sign-flip")), np.sign(drawn(1, "permuted-responses"))
    assert (signs[0] != signs[1]).any()


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize(
    ("scheme", "null"),
    [(Scheme("bootstrap", "all"), None), (Scheme("bootstrap", "first"), None), (Scheme("all", "all"), "sign-flip")],
    ids=str,
)
def test_the_linear_path_is_the_general_path(likert, name, scheme, null):
    metric = BUILTIN[name].on(likert.scale)
    found = draw(likert, [metric, General(metric)], scheme=scheme, null=null, n_resamples=130, seed=seed_of(2))
    np.testing.assert_allclose(found.advantages[0], found.advantages[1], rtol=1e-10, atol=1e-12)


def test_a_draws_standard_error_is_that_of_its_items(ratings):
    metric = BUILTIN["mae"]
    found = draw(ratings, [metric], scheme=Scheme(), null=None, n_resamples=20, seed=seed_of(4))
    spy = Spy("means")
    draw(ratings, [spy], scheme=Scheme(), null=None, n_resamples=20, seed=seed_of(4))
    gold, a, b = (np.concatenate(side) for side in zip(*spy.shown, strict=True))
    advantages = metric.item_advantages(gold, a, b)
    np.testing.assert_allclose(found.advantages[0], advantages.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(found.standard_errors[0], advantages.std(axis=1, ddof=1) / math.sqrt(40), rtol=1e-9)


def test_a_draws_standard_error_survives_a_large_mean():
    rng = np.random.default_rng(0)
    a = rng.normal(scale=1e-3, size=50)
    contest = Contest.from_arrays(np.zeros(50), 1 + np.abs(a), 1e6 + np.abs(a[::-1]), scale="continuous")
    found = draw(contest, [BUILTIN["mae"]], scheme=Scheme(), null=None, n_resamples=200, seed=seed_of(4))
    spread = (np.abs(a[::-1]) - np.abs(a)).std(ddof=1) / math.sqrt(50)
    assert np.median(found.standard_errors) == pytest.approx(spread, rel=0.1)


def test_recentred_draws_have_mean_zero(ratings):
    options = {"scheme": Scheme(), "n_resamples": 200, "seed": seed_of(6)}
    plain = draw(ratings, [BUILTIN["mae"], BUILTIN["rmse"]], null=None, **options)
    moved = plain.shifted()
    np.testing.assert_allclose(moved.advantages, plain.advantages - plain.advantages.mean(axis=1, keepdims=True))
    assert np.abs(moved.advantages.mean(axis=1)).max() < 1e-15


# Enumeration, jackknife, pools


def swapped_by_hand(contest, pattern):
    """Return the contest with A and B exchanged on the items of the pattern, response by response."""
    a, b = [], []
    for item, swap in enumerate(pattern):
        own = [side.values[side.offsets[item] : side.offsets[item + 1]] for side in (contest.a, contest.b)]
        a.append(own[swap])
        b.append(own[not swap])
    sides = [Responses(np.concatenate(side), np.cumsum([0, *map(len, side)])) for side in (a, b)]
    return Contest(contest.gold, *sides, contest.scale, contest.items)


def pad(row, width):
    return np.pad(np.atleast_1d(row), (0, width - np.size(row)), constant_values=np.nan)


@pytest.mark.parametrize("name", list(BUILTIN))
@pytest.mark.parametrize("responses", ["all", "first"])
def test_enumeration_is_every_way_to_swap(likert, name, responses):
    few = likert.take(np.arange(5))
    metric = BUILTIN[name].on(likert.scale)
    found = every_exchange(few, [metric], scheme=Scheme(responses=responses))
    assert found.exact
    few = first_responses(few) if responses == "first" else few
    expected = []
    gold, *models = summaries_of(few, metric.needs)
    for pattern in itertools.product([False, True], repeat=5):
        coins = pattern[::-1]  # the first item's coin is the lowest bit
        if metric.ignores:  # what the metric looks at is swapped
            shown = [list(model) for model in metric.swappable(gold, *models)]
            sides = [[shown[model != swap][item] for item, swap in enumerate(coins)] for model in (False, True)]
            width = max(np.size(row) for side in sides for row in side)
            sides = [np.stack([pad(row, width) for row in side]) for side in sides]
            sides = [side[:, 0] if metric.needs == "means" else side for side in sides]
            expected.append(float(metric.advantage(gold, *sides)))
        else:
            contest = swapped_by_hand(few, coins)
            expected.append(float(metric.advantage(*summaries_of(contest, metric.needs))))
    np.testing.assert_allclose(found.advantages[0], expected, rtol=1e-12, atol=1e-12)


def test_enumeration_of_many_items_comes_in_batches(ratings):
    few = ratings.take(np.arange(14))
    found = every_exchange(few, [BUILTIN["emd"].on(few.scale), General(BUILTIN["mae"])], scheme=Scheme())
    assert found.advantages.shape == (2, 2**14)
    of_items = BUILTIN["mae"].item_advantages(*summaries_of(few, "means"))
    for number in (0, 1, 4097, 2**14 - 1):
        signs = [-1 if number >> item & 1 else 1 for item in range(14)]
        assert found.advantages[1, number] == pytest.approx(np.mean(of_items * signs), abs=1e-12)


@pytest.mark.parametrize("name", ["mae", "rmse", "spearman", "emd-responses"])
def test_jackknife_leaves_out_one_item_at_a_time(ratings, name):
    metric = BUILTIN[name]
    expected = []
    for item in range(40):
        rest = ratings.take(np.delete(np.arange(40), item))
        expected.append(float(metric.advantage(*summaries_of(rest, metric.needs))))
    np.testing.assert_allclose(jackknife(ratings, metric), expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("n", [60, 300])  # few are scored anew, more are weighed
@pytest.mark.parametrize("name", ["rmse", "cosine", "spearman", "kendall", "f1", "precision", "auc", "max-error"])
def test_jackknife_leaves_out_clusters_of_unequal_size(name, n):
    model = preset("likert-toxicity" if name in ("f1", "precision", "auc") else "normal")
    contest = model.table(n, 2, epsilon=0.4, rng=1).contest(gold="gold", a="A", b="B")
    metric = BUILTIN[name].on(contest.scale)
    clusters = np.random.default_rng(2).permutation(np.minimum(np.arange(n), 20))
    expected = []
    for cluster in range(21):
        rest = contest.take(np.flatnonzero(clusters != cluster))
        expected.append(float(metric.advantage(*summaries_of(rest, metric.needs))))
    assert not np.isnan(expected).any()
    np.testing.assert_allclose(jackknife(contest, metric, clusters), expected, rtol=1e-10, atol=1e-13)


def test_jackknife_of_many_items_leaves_out_groups(ratings):
    many = ratings.take(np.resize(np.arange(40), 1001))
    assert jackknife(many, BUILTIN["rmse"]).size == 200
    assert np.isnan(jackknife(ratings.take(np.arange(1)), BUILTIN["max-error"])).all()


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=5))
def test_a_pool_holds_as_responses_then_bs(sizes):
    a, b = (
        Responses(
            np.arange(sum(size[side] for size in sizes)) + 100.0 * side, np.cumsum([0, *(s[side] for s in sizes)])
        )
        for side in (0, 1)
    )
    both = pool(a, b)
    for item in range(len(sizes)):
        own = [side.values[side.offsets[item] : side.offsets[item + 1]].tolist() for side in (a, b, both)]
        assert own[2] == [*own[0], *own[1]]


def test_inputs_are_unchanged(likert):
    before = likert.digest
    for scheme, null in itertools.product(SCHEMES, NULLS):
        draw(likert, [BUILTIN["tv"]], scheme=scheme, null=null, n_resamples=5, seed=seed_of(0))
    assert likert.digest == before


# Independence: exact probabilities of every outcome of a small case


@pytest.mark.parametrize(
    ("scheme", "null", "possible"),
    [
        (Scheme("all", "one"), None, list(itertools.product((0.0, 1.0), (2.0, 3.0), (4.0, 5.0)))),
        (Scheme("all", "one"), "pooled-responses", list(itertools.product((0.0, 1.0), *[(2.0, 3.0, 4.0, 5.0)] * 2))),
        (
            Scheme("all", "one"),
            "sign-flip",
            [(g, *pair) for g in (0.0, 1.0) for x in (2.0, 3.0) for y in (4.0, 5.0) for pair in ((x, y), (y, x))],
        ),
    ],
    ids=str,
)
def test_sources_are_drawn_independently(scheme, null, possible):
    contest = Contest.from_arrays([[0, 1]] * 2, [[2, 3]] * 2, [[4, 5]] * 2, scale="continuous")
    spy = Spy("means")
    draw(contest, [spy], scheme=scheme, null=null, n_resamples=6400, seed=seed_of(2))
    sides = [np.concatenate(side) for side in zip(*spy.shown, strict=True)]
    for item in (0, 1):
        outcomes = list(zip(*(side[:, item].tolist() for side in sides), strict=True))
        counts = [outcomes.count(outcome) for outcome in possible]
        assert sum(counts) == 6400
        assert stats.chisquare(counts).pvalue > 1e-4
    both = [tuple(row) for row in sides[1].tolist()]
    each = sorted({value for row in both for value in row})
    assert stats.chisquare([both.count(pair) for pair in itertools.product(each, repeat=2)]).pvalue > 1e-4


def test_coins_items_and_responses_are_drawn_independently():
    contest = Contest.from_arrays([[0, 1], [10, 11]], [[2, 2], [12, 12]], [[3, 3], [13, 13]], scale="continuous")
    spy = Spy("means")
    draw(contest, [spy], scheme=Scheme("bootstrap", "one"), null="sign-flip", n_resamples=6400, seed=seed_of(9))
    gold, a, _ = (np.concatenate(side) for side in zip(*spy.shown, strict=True))
    outcomes = list(zip(gold[:, 0].tolist(), a[:, 0].tolist(), strict=True))
    possible = [(10 * i + g, 10 * i + x) for i in (0, 1) for g in (0, 1) for x in (2, 3)]
    counts = [outcomes.count(outcome) for outcome in possible]
    assert sum(counts) == 6400
    assert stats.chisquare(counts).pvalue > 1e-4


SMALL_JOB = """
import sys
import numpy as np
import howsure
rng = np.random.default_rng(0)
gold, a, b = rng.normal(size=(3, 40))
contest = howsure.Contest.from_arrays(gold, gold + 0.1 * a, gold + 0.2 * b)
if {compiled}:
    import numba
result = howsure.compare(contest, metric="mae", seed=0)
print(("numba" in sys.modules, "scipy.special" in sys.modules))
print(result.draws.tobytes().hex()[:200], result.null_draws.sum(), result.confidence_interval)
"""


@pytest.mark.parametrize("responses", ["one", "first"])
@pytest.mark.parametrize("null", [None, "pooled-responses", "sign-flip"])
def test_a_single_response_is_its_own_mean(responses, null, ratings):
    """Metrics of means and of responses then share their draws, which changes no bit."""
    options = {"scheme": Scheme("bootstrap", responses), "null": null, "n_resamples": 30, "seed": seed_of(4)}
    metrics = [General(BUILTIN[name]) for name in ("mae", "wins-responses", "emd", "cosine-responses")]
    together = draw(ratings, metrics, **options).advantages
    for metric, row in zip(metrics, together, strict=True):
        assert draw(ratings, [metric], **options).advantages[0].tobytes() == row.tobytes()


@pytest.mark.parametrize("name", ["spearman", "kendall", "cosine", "rmse", "cosine-responses", "emd-responses", "f1"])
@pytest.mark.parametrize("n_items", [2, 37, 1001])
def test_leaving_out_items_in_batches_is_leaving_them_out_one_by_one(name, n_items):
    contest = preset("likert-toxicity").table(n_items, 3, epsilon=0.2, rng=3).contest(gold="gold", a="A", b="B")
    metric = BUILTIN[name].on(contest.scale)
    gold, a, b = summaries_of(contest, metric.needs)
    groups = np.arange(n_items) % (n_items if n_items <= 1000 else 200)
    rows = [groups != group for group in range(groups.max() + 1)]
    with np.errstate(all="ignore"):
        one_by_one = [float(metric.advantage(gold[kept], a[kept], b[kept])) for kept in rows]
        np.testing.assert_allclose(jackknife(contest, metric), one_by_one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("null", [None, "pooled-responses"])
@pytest.mark.parametrize("workers", [1, 2])
def test_metrics_of_means_see_the_same_draws_whether_responses_are_drawn_or_not(null, workers):
    """Bit for bit, over more draws than are drawn ahead."""
    contest = Contest.from_arrays(*np.random.default_rng(6).random((3, 900, 3)))
    names = ("mae", "cosine-responses", "spearman")
    metrics = [BUILTIN[name].on(contest.scale) for name in names]
    how = {"scheme": Scheme("bootstrap", "bootstrap"), "null": null, "n_resamples": 150, "seed": seed_of(1)}
    together = draw(contest, metrics, workers=workers, **how).advantages
    for metric, found in zip(metrics, together, strict=True):
        np.testing.assert_array_equal(found, draw(contest, [metric], **how).advantages[0])


# Many data sets, many items


def test_a_stack_draws_for_each_data_set_by_itself():
    """The draws of each data set have its own mean and spread, and a stack's are as good as those of one."""
    grids = np.random.default_rng(0).normal(size=(3, 4, 30, 2))
    grids[2] += 0.3 * np.arange(4)[:, np.newaxis, np.newaxis]
    stack = Stack.of_grids(*grids, scale=Contest.from_arrays(*grids[:, 0]).scale)
    assert can_stack(stack.contests)
    metrics = [resolve(name).on(stack.whole.scale) for name in ("mae", "rmse", "spearman")]
    for exchange, scheme in (
        (None, Scheme()),
        ("sign-flip", Scheme("all")),
        ("pooled-responses", Scheme("bootstrap", "bootstrap")),
    ):
        how = {"scheme": scheme, "exchange": exchange, "n_resamples": 800}
        found = draw_stacked(stack, metrics, seed=seed_of(1), **how).advantages
        assert found.shape == (3, 4, 800)
        for number, contest in enumerate(stack.contests):
            alone = draw_stacked(Stack(contest), metrics, seed=seed_of(2), **how).advantages
            for i in range(3):
                assert stats.ks_2samp(found[i, number], alone[i, 0]).pvalue > 1e-5
        np.testing.assert_array_equal(draw_stacked(stack, metrics, seed=seed_of(1), workers=3, **how).advantages, found)


@pytest.mark.parametrize("exchange", [None, "sign-flip"])
def test_kinds_are_counted_as_their_items_would_be_drawn(exchange):
    """Sums over few kinds of many items have the distribution of sums over items."""
    rng = np.random.default_rng(0)
    right = rng.random((2, MANY)) < [[0.7], [0.69]]
    contest = Contest.from_arrays(None, *right.astype(float))
    metric = resolve("rating").on(contest.scale)
    drawing = UnitsDrawn(Stack(contest), [metric], None, exchanges=exchange is not None)
    assert drawing.kinds is not None
    assert drawing.kinds.sum() == MANY
    counted, errors = drawing.advantages(np.random.default_rng(1), 2000)
    one_by_one = UnitsDrawn(Stack(contest), [General(metric)], None, exchanges=exchange is not None)
    assert one_by_one.kinds is None
    drawn, _ = one_by_one.advantages(np.random.default_rng(2), 400)
    assert stats.ks_2samp(counted[0, 0], drawn[0, 0]).pvalue > 1e-4
    if exchange is None:
        advantages = right[0].astype(float) - right[1]
        assert np.median(errors) == pytest.approx(advantages.std(ddof=1) / math.sqrt(MANY), rel=0.01)


def test_counts_and_signs_are_fair():
    rng = np.random.default_rng(0)
    counts = draw_counts(rng, (3000,), 7)
    assert (counts.sum(axis=1) == 7).all()
    expected = 3000 * stats.binom.pmf(np.arange(8), 7, 1 / 7)
    seen = np.bincount(counts[:, 2].astype(int), minlength=8)
    common = expected > 5
    observed, hoped = (np.append(side[common], side[~common].sum()) for side in (seen, expected))
    assert stats.chisquare(observed, hoped, sum_check=False).pvalue > 1e-4
    signs = draw_signs(rng, (2, 2000), 13)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean(axis=(0, 1))).max() < 5 / math.sqrt(4000)
    of_kinds = draw_signs(rng, (4000,), 13, kinds=np.array([9, 4]))
    assert stats.ks_2samp(of_kinds[:, 0], signs[..., :9].sum(axis=-1).ravel()).pvalue > 1e-4
