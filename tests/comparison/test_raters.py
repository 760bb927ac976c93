from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import binom

import howsure
from howsure import _json
from howsure.comparison import compare, compare_each
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError
from howsure.metrics import ItemMetric, resolve
from howsure.raters import variance_components
from howsure.raters.advantage_error import curved_parts, largest, saturation, share_of
from howsure.raters.components import two_way

pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")


def ratings(rng, n=30, r=5, *, of_raters=0.3, shift=0.0, per_item=None):
    """Draw gold-free ratings: every rater judges both models, and has an opinion of each model."""
    items = rng.normal(size=(n, 1))
    both = [
        value + items + rng.normal(size=r) + of_raters * rng.normal(size=r) + rng.normal(size=(n, r))
        for value in (shift, 0.0)
    ]
    if per_item:
        gone = np.argsort(rng.random((n, r)), axis=1) >= per_item
        for grid in both:
            grid[gone] = np.nan
    ids = np.tile(np.arange(r), (n, 1))
    a, b = (Responses.from_grid(grid, ids) for grid in both)
    docs = {"document": np.array([f"d{i // 3}" for i in range(n)])}
    return Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"), docs)


def against_gold(rng, n=40, r=6):
    gold = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=r) + rng.normal(size=(n, r))
    ids = np.tile(np.arange(r), (n, 1))
    models = [Responses.from_grid(gold.mean(axis=1, keepdims=True) + rng.normal(size=(n, 2))) for _ in range(2)]
    return Contest(Responses.from_grid(gold, ids), *models, Scale("continuous"), np.arange(n).astype(str))


def without_ids(contest):
    bare = {role: Responses(source.values, source.offsets) for role, source in contest.sources.items()}
    return Contest(bare.get("gold"), bare["a"], bare["b"], contest.scale, contest.items, contest.names, contest.groups)


def test_the_default_with_rater_ids_is_analysis_of_variance_and_says_so():
    contest = ratings(np.random.default_rng(1), shift=0.5)
    result = compare(contest, metric="rating", n_resamples=99, rng=0)
    table = two_way(contest.a.values - contest.b.values, items=contest.a.items, raters=contest.a.raters)
    assert result.null == "random-effects"
    assert result.pvalue == pytest.approx(table.error.pvalue(result.advantage), rel=1e-9)
    ends = table.error.interval(result.advantage)
    assert (result.confidence_interval.low, result.confidence_interval.high) == pytest.approx((ends.low, ends.high))
    assert result.confidence_interval.method == "t"
    assert result.notes[0] == "The result generalises to raters like these 5."
    assert "raters=random" in result.signature
    assert result.pvalue_se == 0


@pytest.mark.parametrize(
    ("metrics", "asked"),
    [
        (["rating"], {}),
        (["rating", "superiority"], {}),
        (["rating"], {"raters": "fixed"}),
        (["rating"], {"null": "shifted-bootstrap"}),
        (["superiority"], {"null": "shifted-bootstrap", "raters": "fixed"}),
        (["rating"], {"null": "permuted-responses"}),
    ],
)
@pytest.mark.parametrize("n", [6, 30])
def test_progress_comes_to_its_end(metrics, asked, n):
    done = []
    contest = ratings(np.random.default_rng(14), n)
    compare_each(contest, metrics=metrics, n_resamples=150, rng=0, progress=done.append, **asked)
    assert sum(done) == 2 * 150


def test_fixed_raters_are_the_narrower_question_and_a_smaller_p():
    contest = ratings(np.random.default_rng(2), n=100, of_raters=0.6, shift=0.5)
    broad, narrow = (compare(contest, metric="rating", raters=raters, rng=0) for raters in (None, "fixed"))
    assert narrow.pvalue < broad.pvalue
    assert narrow.null == "sign-flip"
    assert narrow.notes == ("The result holds for these 5 raters only, as asked.",)


def test_without_ids_the_result_says_what_it_could_not_see():
    contest = without_ids(ratings(np.random.default_rng(3)))
    note = compare(contest, metric="rating", rng=0).notes[0]
    assert note.startswith("The responses of A and B have no rater ids, so they count as repeats. If people gave them")
    known = replace(contest, repeats=("A", "B"))
    assert not any("rater" in note for note in compare(known, metric="rating", rng=0).notes)
    single = Contest.from_arrays(None, [1.0, 2.0, 3.0], [2.0, 2.5, 1.0], scale="continuous")
    assert not any("rater" in note for note in compare(single, metric="rating", rng=0).notes)


def test_nested_raters_are_drawn_with_their_items():
    rng = np.random.default_rng(4)
    grid, ids = rng.normal(size=(2, 20, 3)), np.arange(60).reshape(20, 3)
    a, b = (Responses.from_grid(side, ids) for side in grid)
    contest = Contest(None, a, b, Scale("continuous"), np.arange(20).astype(str), ("", "A", "B"))
    result = compare(contest, metric="rating", rng=0)
    assert result.null == "sign-flip"
    assert "Every rater judged one item only" in result.notes[0]


def test_one_rater_in_all_speaks_of_that_rater():
    source = Responses([1.0, 2.0, 4.0], [0, 1, 2, 3], [0, 0, 0])
    contest = Contest(None, source, source, Scale("continuous"), np.array(["x", "y", "z"]), ("", "A", "B"))
    assert "one rater" in compare(contest, metric="rating", rng=0).notes[0]
    with pytest.raises(DataError, match="two or more raters"):
        compare(contest, metric="rating", raters="random")


def test_few_raters_get_a_note_and_a_wide_interval():
    rng = np.random.default_rng(5)
    how = {"metric": "rating", "raters": "random", "n_resamples": 99, "rng": 0}
    two, ten = (compare(ratings(rng, r=r), **how) for r in (2, 10))
    assert "2 raters are too few to generalise reliably: a p-value near .05 is only a hint." in " ".join(two.notes)
    assert not any("too few" in note for note in ten.notes)
    assert two.confidence_interval.width > 2 * ten.confidence_interval.width


@pytest.mark.parametrize("asked", [{"null": "sign-flip"}, {"responses": "first"}, {"null": "permuted-responses"}])
def test_what_is_asked_may_hold_raters_fixed(asked):
    result = compare(ratings(np.random.default_rng(6)), metric="rating", n_resamples=99, rng=0, **asked)
    assert "The result holds for these 5 raters only, as" in " ".join(result.notes)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"null": "sign-flip"}, "sign-flip holds the raters fixed"),
        ({"responses": "first"}, "a resampled rater has all their responses"),
        ({"items": "all", "null": "random-effects"}, "random-effects treats items and raters as random factors"),
        ({"raters": "fixed", "null": "random-effects"}, "random-effects treats raters as a random factor"),
        ({"interval": "bca"}, "a bca interval needs resampled items and all responses"),
        ({"interval": "symmetric"}, "a symmetric interval needs item scores, resampled items and all responses"),
    ],
)
def test_combinations_without_meaning_are_refused(asked, message):
    with pytest.raises(ArgumentError, match=message):
        compare(ratings(np.random.default_rng(7)), metric="rating", **{"raters": "random", **asked})


@pytest.mark.parametrize("metric", ["mae", "wins", "spearman", "rmse", "emd"])
def test_raters_of_gold_count_for_every_metric(metric):
    contest = against_gold(np.random.default_rng(8))
    result = compare(contest, metric=metric, n_resamples=499, rng=0)
    assert result.null == "random-effects"
    assert (result.pvalue_se > 0) == (metric in ("spearman", "rmse"))  # the others need no draws
    assert 0 < result.pvalue <= 1
    swapped = compare(contest.swapped(), metric=metric, n_resamples=499, rng=0)
    assert swapped.advantage == pytest.approx(-result.advantage)
    assert swapped.pvalue == pytest.approx(result.pvalue, rel=1e-6)
    again = compare(contest, metric=metric, n_resamples=499, rng=0, workers=3)
    assert (again.pvalue, again.confidence_interval) == (result.pvalue, result.confidence_interval)


@pytest.mark.parametrize("metric", ["rmse", "spearman"])
def test_few_raters_are_left_out_one_by_one(metric):
    rng = np.random.default_rng(15)
    gold = rng.normal(size=(40, 6))
    ids = np.tile(np.arange(6), (40, 1))
    models = [Responses.from_grid(gold.mean(axis=1, keepdims=True) + rng.normal(size=(40, 1))) for _ in range(2)]

    def contest(kept):
        source = Responses.from_grid(gold[:, kept], ids[:, kept])
        return Contest(source, *models, Scale("continuous"), np.arange(40).astype(str))

    left = [compare(contest(np.arange(6) != r), metric=metric, n_resamples=3, rng=0).advantage for r in range(6)]
    result = compare(contest(np.arange(6)), metric=metric, n_resamples=99, rng=0)
    factor = 1.0
    if metric == "rmse":
        share = abs(result.advantage) / np.sqrt(np.square(models[0].values - models[1].values).mean())
        factor = (share / (np.arctanh(share) * (1 - share**2))) ** 2
    assert result.rater_error.variances[0] == pytest.approx(factor**2 * 5 / 6 * np.square(left - np.mean(left)).sum())


def test_the_measured_error_is_that_of_analysis_of_variance_where_both_apply():
    from howsure.metrics.ratings import MeanRating

    class Curved(MeanRating):
        linear = False

    contest = ratings(np.random.default_rng(9), n=40, r=8)
    exact = compare(contest, metric="rating", n_resamples=9999, rng=0).rater_error
    measured = compare(contest, metric=Curved(), n_resamples=9999, rng=0).rater_error
    assert measured.variance == pytest.approx(exact.variance, rel=0.08)
    assert measured.dfs == pytest.approx(exact.dfs)


def test_identical_models_are_alike():
    contest = ratings(np.random.default_rng(10))
    same = Contest(None, contest.a, contest.a, contest.scale, contest.items, contest.names)
    result = compare(same, metric="rating", n_resamples=99, rng=0)
    assert (result.advantage, result.pvalue) == (0.0, 1.0)


def test_another_level_needs_no_new_draws():
    contest = ratings(np.random.default_rng(11))
    result = compare(contest, metric="rating", n_resamples=99, rng=0)
    other = compare(contest, metric="rating", n_resamples=99, rng=0, confidence_level=0.8, alternative="greater")
    moved = result.at(confidence_level=0.8, alternative="greater")
    assert _json.dumps(moved.to_dict()) == _json.dumps(other.to_dict())  # NaN is not equal to itself
    assert howsure.Comparison.from_dict(result.to_dict()).pvalue == result.pvalue
    assert result.at(interval="percentile").confidence_interval.method == "percentile"


def test_clusters_are_drawn_and_swapped_whole():
    contest = ratings(np.random.default_rng(12), n=60)
    fixed = compare(contest, metric="rating", raters="fixed", cluster="document", n_resamples=999, rng=0)
    assert "The result generalises to values of 'document' like these 20." in " ".join(fixed.notes)
    assert "cluster=document" in fixed.signature
    tiny = compare(contest.take(np.arange(9)), metric="rating", raters="fixed", cluster="document", rng=0)
    assert tiny.null == "paired-t"  # three exchanges are never rare
    assert "3 clusters are too few for the sign-flip test" in " ".join(tiny.notes)
    asked = compare(
        contest.take(np.arange(9)), metric="rating", raters="fixed", cluster="document", null="sign-flip", rng=0
    )
    assert asked.exact
    assert asked.pvalue >= 2 / 2**3
    both = compare(contest, metric="rating", cluster="document", n_resamples=99, rng=0)
    assert both.rater_error.dfs[1] == pytest.approx(19, abs=0.01)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"cluster": "documnt"}, ArgumentError, "Did you mean 'document'"),
        ({"cluster": "document", "null": "permuted-responses"}, ArgumentError, "`cluster` goes with all responses"),
        ({"cluster": "one"}, DataError, "all items are in one cluster"),
    ],
)
def test_clusters_that_cannot_be_used(asked, error, message):
    contest = ratings(np.random.default_rng(13))
    contest = Contest(
        None, contest.a, contest.b, contest.scale, contest.items, contest.names,
        {**contest.groups, "one": np.full(30, "x")},
    )  # fmt: skip
    with pytest.raises(error, match=message):
        compare(contest, metric="rating", raters="fixed", **asked)


@pytest.mark.parametrize("r", [2, 3, 4, 5])
def test_p_and_interval_agree_with_few_raters(r):
    for number in range(40):
        there = ratings(np.random.default_rng([number, r]), 100, r)
        found = compare(there, metric="rating", raters="random", n_resamples=9, rng=0)
        assert (found.pvalue <= 0.05) == (0 not in found.confidence_interval)


@pytest.mark.parametrize(("n", "r", "per_item"), [(100, 3, None), (100, 5, None), (60, 10, 3)])
def test_the_level_holds_when_raters_are_crossed(n, r, per_item):
    """400 data sets by the p-value that `compare` gives (every tenth); fixed raters until too many are rejected."""
    count, rejected, fixed = 400, 0, 0
    low, high = binom.ppf([0.0005, 0.9995], count, 0.05)
    for number in range(count):
        contest = ratings(np.random.default_rng([number, n]), n, r, per_item=per_item)
        differences = contest.a.values - contest.b.values
        table = two_way(differences, items=contest.a.items, raters=contest.a.raters, best=True)
        pvalue = table.error.pvalue(table.mean)
        rejected += pvalue <= 0.05
        how = {"metric": "rating", "rng": number, "interval": "percentile"}
        if number % 10 == 0:
            assert compare(contest, raters="random", n_resamples=9, **how).pvalue == pytest.approx(pvalue, rel=1e-9)
        if fixed <= high:
            fixed += compare(contest, raters="fixed", n_resamples=99, **how).pvalue <= 0.05
    assert low <= rejected <= high < fixed


def test_ratings_of_translations_with_ten_raters(shared):
    path = shared / "wmt23_sxsmqm_ende.csv"
    table = howsure.read(path, item="item_id", source="system", rater="rater", value="value")
    contest = table.contest(a="ONLINE-W", b="ONLINE-A")
    found = compare_each(contest, metrics=["rating"], n_resamples=999, rng=0)[0]
    assert found.null == "random-effects"
    assert found.n_responses == {"a": 3, "b": 3}
    assert found.advantage < 0  # penalties: A, the better system, has fewer


@pytest.mark.parametrize("metric", ["accuracy", "tv", "f1"])
def test_dices_is_crossed_and_every_metric_counts_its_raters(shared, metric):
    import polars as pl

    frame = pl.read_csv(shared / "dices350.csv")
    humans, models = (frame.filter((pl.col("kind") == "model") == part) for part in (False, True))
    unsafe = pl.when(models["value"].cast(pl.Float64) > 0.3).then(pl.lit("Yes")).otherwise(pl.lit("No"))
    table = howsure.read(
        pl.concat([humans, models.with_columns(value=unsafe)]),
        sources={"human": "kind=human", "vader": "source=vader_neg", "profanity": "source=alt-profanity-check"},
    )
    result = compare(table.contest(gold="human", a="vader", b="profanity"), metric=metric, n_resamples=99, rng=0)
    assert "raters like these 123" in " ".join(result.notes)
    assert result.rater_error.dfs == pytest.approx((122, 349))
    assert result.advantage in result.confidence_interval


@pytest.mark.parametrize("metric", ["mae", "accuracy", "spearman"])
def test_convabuse_is_ragged_and_its_raters_count(shared, metric):
    import polars as pl

    frame = pl.read_csv(shared / "lewidi23_ConvAbuse.csv")
    judged = pl.when(pl.col("source").is_in(["Ann1", "Ann2"])).then(pl.col("source")).otherwise(pl.lit("others"))
    table = howsure.read(
        frame.with_columns(kind=judged), item="item_id", rater="source", repeat="rep",
        sources={"others": "kind=others", "x": "kind=Ann1", "y": "kind=Ann2"},
    )  # fmt: skip
    result = compare(table.contest(gold="others", a="x", b="y"), metric=metric, n_resamples=199, rng=0)
    assert "raters like these 6" in " ".join(result.notes)
    assert 1 < result.rater_error.dfs[0] <= 5
    assert 0 < result.pvalue <= 1


def opposite(rng, n=100, r=5):
    """Draw models that are off to opposite sides: raters as such prefer neither, the few at hand do."""
    means = rng.random(n)
    gold = means[:, np.newaxis] + 0.15 * rng.normal(size=r) + 0.25 * rng.normal(size=(n, r))
    models = [Responses.from_grid((means + bias + 0.15 * rng.normal(size=n))[:, np.newaxis]) for bias in (0.2, -0.2)]
    source = Responses.from_grid(gold, np.tile(np.arange(r), (n, 1)))
    return Contest(source, *models, Scale("continuous"), np.arange(n).astype(str))


def test_wins_against_the_gold_of_few_raters_hold_their_level():
    count, rejected = 400, 0
    for number in range(count):
        contest = opposite(np.random.default_rng([16, number]))
        rejected += compare(contest, metric="wins", n_resamples=99, rng=number, workers=1).pvalue <= 0.05
    assert rejected <= binom.ppf(0.999, count, 0.05)


def test_what_raters_move_is_scaled_to_where_models_are_alike():
    """An advantage at its maximum hardly moves with the raters; the factor undoes that, and stays below 2.95."""
    contest = opposite(np.random.default_rng(17))
    a, b = (Responses(pick(contest.a.values, contest.b.values), range(101)) for pick in (np.maximum, np.minimum))
    contest, apart = replace(contest, a=a, b=b), (a.values - b.values).mean()
    factors = []
    for shift in (0.0, 0.1, 0.2, 0.4, 5.0):
        moved = replace(contest, gold=Responses(contest.gold.values + shift, contest.gold.offsets, contest.gold.raters))
        share = compare(moved, metric="mae", n_resamples=3, rng=0).advantage / apart
        factors.append((share, float(saturation(share_of(share * apart, largest(moved, resolve("mae")))))))
        assert largest(moved, resolve("spearman")) == np.inf
    shares, found = np.transpose(factors)
    assert (np.diff(shares) > 0).all()
    assert shares[-1] == pytest.approx(1)
    assert (np.diff(found) > 0).all()
    assert found[0] == pytest.approx((shares[0] / (np.arctanh(shares[0]) * (1 - shares[0] ** 2))) ** 2)
    grid = np.linspace(0.01, 1, 10_000, endpoint=False)
    assert found[-1] == pytest.approx(1 / (np.square(np.arctanh(grid) * (1 - grid**2)) / grid).max(), rel=1e-6)


def test_a_linear_metric_taken_for_a_curved_one_has_the_parts_of_analysis_of_variance():
    contest = ratings(np.random.default_rng(18), n=30, r=6)
    table = two_way(contest.a.values - contest.b.values, items=contest.a.items, raters=contest.a.raters)
    parts = curved_parts(contest, resolve("rating"), None)
    assert parts.noise == pytest.approx(table.residual / 180)
    assert parts.of_raters[0] - parts.noise == pytest.approx(table.raters / 6)
    assert parts.items == pytest.approx(table.items / 30)


@dataclass(frozen=True)
class Redeclared(ItemMetric):
    """Mean absolute error as a user would write it."""

    name: ClassVar[str] = "my-error"
    title: ClassVar[str] = "my error"
    distance: ClassVar[bool] = True

    def item_scores(self, gold, model):
        return np.abs(model - gold)


def test_a_metric_that_is_mae_in_every_way_gets_the_bits_of_mae():
    contest = against_gold(np.random.default_rng(15), n=30, r=5)
    built_in, own = (compare(contest, metric=metric, n_resamples=299, rng=0) for metric in ("mae", Redeclared()))
    assert (own.advantage, own.pvalue) == (built_in.advantage, built_in.pvalue)
    assert (own.confidence_interval.low, own.confidence_interval.high) == (
        built_in.confidence_interval.low,
        built_in.confidence_interval.high,
    )
    found = [variance_components(contest, metric=metric) for metric in ("mae", Redeclared())]
    assert found[0].components == found[1].components
    assert found[0].largest == found[1].largest


@pytest.mark.parametrize("n_raters", [3, 5, 12])
def test_the_null_that_is_drawn_is_the_one_that_gives_p(n_raters):
    rng = np.random.default_rng(n_raters)
    n, raters = 40, np.tile(np.arange(n_raters), 40)
    effects = rng.normal(0, 0.3, n_raters)
    sides = [
        Responses(
            (shift + rng.normal(0, 1, (n, n_raters)) + sign * effects).ravel(),
            np.arange(0, n * n_raters + 1, n_raters),
            raters,
        )
        for shift, sign in ((0.3, 1), (0.0, -1))
    ]
    contest = Contest(None, *sides, Scale("continuous"), np.arange(n).astype(str))
    found = compare(contest, metric="rating", raters="random", rng=0)
    beyond = np.mean(np.abs(found.null_draws) >= abs(found.advantage))
    assert beyond == pytest.approx(found.pvalue, abs=1 / found.null_draws.size)


def test_scores_subtract_to_the_difference_where_raters_are_weighted():
    rng = np.random.default_rng(11)
    n, taste = 40, rng.normal(size=6)
    busy = np.zeros((n, 6), dtype=bool)
    busy[:, 0] = True  # one rater judged everything, the others eight items each
    busy[np.arange(n), 1 + np.arange(n) % 5] = True
    sides = [np.where(busy, rng.normal(size=(n, 6)) + sign * taste, np.nan) for sign in (1, -1)]
    ids = np.tile(np.arange(6), (n, 1))
    a, b = (Responses.from_grid(side, ids) for side in sides)
    contest = Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))
    result = compare(contest, raters="random", rng=0)
    assert result.advantage == pytest.approx(result.a_score - result.b_score)
    assert abs(result.a_score - a.values.mean()) > 1e-6
    assert any("the plain means are" in note for note in result.notes)
