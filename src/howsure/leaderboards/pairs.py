"""All pairs of models from one set of resamples: p-values, adjusted p-values, and intervals that hold together.

Under the null the sign of a whole unit turns, for all models at once, as `compare` swaps A and B item by item. A flip
leaves the squares of unit advantages as they are, so the studentised stepdown needs no standard errors of resamples.
Intervals do: for them units are resampled with replacement; each advantage is divided by its own standard error, in the
data and in each resample, and the quantile of the largest over all pairs is how many standard errors every interval
reaches. "Significantly different" means adjusted p ≤ α, as in `compare`; the intervals do not decide.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from howsure import _random
from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.documents import Aside
from howsure.errors import DataError
from howsure.inference.corrections import adjust
from howsure.inference.evidence import NO_SPREAD, quantiles
from howsure.inference.sign_flips import sign_flips
from howsure.inference.simultaneous import adjust_pairs, tail_pairs
from howsure.intervals import FEW_TELLING
from howsure.leaderboards.request import PairsRequest
from howsure.leaderboards.units import BoardUnits, Tasks
from howsure.nulls import SIGN_FLIP, Null
from howsure.resampling.draws import CELLS, in_batches
from howsure.resampling.units import draw_counts, draw_signs, every_sign

WORK = 1e11
"""Multiplications that standard errors of pairs may take in all draws; beyond them fewer draws measure the quantile."""
LEAST = 999
"""At least this many draws measure it."""
MOST_EXACT = 200
"""Up to this many pairs p-values are exact; each takes some milliseconds."""
ROUNDING = 1e-13
"""A variance below this share of the models' own is what rounding leaves of two equal numbers."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Which pairs are asked for: `first` against `second`, numbers of models.

    Attributes
    ----------
    first, second : array of int
    baseline : int or None
        The model that all others are held against; None for all pairs.
    """

    first: IntArray
    second: IntArray
    baseline: int | None = None

    @classmethod
    def of(cls, m: int, baseline: int | None = None) -> "Pairs":
        """Return all pairs of m models, or those with a baseline."""
        if baseline is None:
            first, second = np.triu_indices(m, 1)
            return cls(first.astype(np.int64), second.astype(np.int64))
        others = np.array([j for j in range(m) if j != baseline], dtype=np.int64)
        return cls(others, np.full_like(others, baseline), baseline)


@dataclass(frozen=True, slots=True)
class PairSettings:
    """How the pairs are tested.

    Attributes
    ----------
    pairs : Pairs
    level : float
        The confidence level.
    n_resamples : int
    seed : SeedSequence
    workers : int
    correction : str
    progress : callable, optional
    rounding : float
        How far apart scores may be that are equal on paper.
    count_all : bool
        Whether p-values are exact where the number of pairs allows it.
    """

    pairs: Pairs
    level: float
    n_resamples: int
    seed: np.random.SeedSequence
    workers: int
    correction: str = "westfall-young"
    progress: Callable[[int], object] | None = None
    rounding: float = 1e-12
    count_all: bool = False

    @classmethod
    def of(
        cls,
        request: PairsRequest,
        names: Sequence[str],
        *,
        rng: _random.Rng = None,
        workers: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> "PairSettings":
        """Resolve a request for these models."""
        return cls(
            Pairs.of(len(names), None if request.baseline is None else names.index(request.baseline)),
            request.confidence_level,
            request.n_draws,
            _random.replayable(rng),
            _random.n_workers(workers),
            request.correction,
            progress,
        )

    @property
    def correction_without_joint_draws(self) -> str:
        """The correction where nothing is known of how pairs vary together: Holm's in place of Westfall and Young's."""
        return "holm" if self.correction == "westfall-young" else self.correction


@dataclass(frozen=True, slots=True)
class Findings:
    """Scores, pairs and what their ranks follow from, as arrays in the order of the models and pairs.

    Attributes
    ----------
    scores, score_low, score_high : array, (models,)
    advantages, low, high : array, (pairs,)
        With the intervals that hold together.
    errors : array, (pairs,)
        The standard errors of the advantages.
    pvalues, adjusted : array, (pairs,)
    marginal : array, (2, pairs)
        How far the interval of a pair reaches when only the rank of its first, or of its second, model matters.
    first_place_shares : array, (models,)
    word : str
        What a unit is.
    n_units : int
    null : Null
    correction : str
    exact : bool
    notes : tuple of str
    alike : array of bool, (pairs,), optional
        Which two models have the same score on every unit; none where it is left out.
    """

    scores: FloatArray
    score_low: FloatArray
    score_high: FloatArray
    advantages: FloatArray
    low: FloatArray
    high: FloatArray
    errors: FloatArray
    pvalues: FloatArray
    adjusted: FloatArray
    marginal: FloatArray
    first_place_shares: FloatArray
    word: str
    n_units: int
    null: Null
    correction: str
    exact: bool
    notes: tuple[str, ...] = ()
    alike: BoolArray | None = None


def findings_of(units: BoardUnits, settings: PairSettings, *, tested: "Tested | None" = None) -> Findings:
    """Return what these units say of all pairs.

    `tested` are the tests of the pairs, where units do not give them: for metrics without item scores.
    """
    pairs = settings.pairs
    spread = Spread.of(units, settings)
    reach = reach_of(units, spread, settings)
    tested = tested or sign_flip_test(units, spread, settings)
    correction, adjusted = settings.correction, tested.adjusted
    if correction != "westfall-young":
        adjusted = adjust(tested.pvalues, method=correction)
    advantages, arms = spread.advantages(units), spread.arms(reach.pairs)
    own_reach = (np.where(np.isinf(spread.least), 1.0, reach.by_model[of]) for of in (pairs.first, pairs.second))
    errors = np.sqrt(np.square(units.errors).sum(axis=0))
    score_arms = reach.scores * np.where(errors > settings.rounding, errors, np.nan)
    notes = (
        Aside(
            f"With this many pairs, the width of the intervals of pairs is estimated from {reach.n_draws:,} of the "
            f"{settings.n_resamples:,} resamples."
        ),
    )
    return Findings(
        scores=units.scores,
        score_low=units.scores - score_arms,
        score_high=units.scores + score_arms,
        advantages=advantages,
        low=advantages - arms,
        high=advantages + arms,
        errors=np.sqrt(np.maximum(spread.variances, 0.0)),
        pvalues=tested.pvalues,
        adjusted=adjusted,
        marginal=np.stack([spread.arms(1.0) * reaches for reaches in own_reach]),
        first_place_shares=reach.first_place_shares,
        word=units.word,
        n_units=units.n_units,
        null=SIGN_FLIP,
        correction=correction,
        exact=tested.exact,
        notes=notes if reach.n_draws < settings.n_resamples else (),
        alike=spread.telling == 0,
    )


def bounded_by_missing(worst: Findings, best: Findings, tasks: Tasks, pairs: Pairs) -> Findings:
    """Return what holds whatever the missing scores are: between all of them at their worst and at their best."""
    lacks = np.array([name in tasks.lacking for name in tasks.models])
    first, second = pairs.first, pairs.second
    open_pair, both = lacks[first] | lacks[second], lacks[first] & lacks[second]
    same = np.sign(worst.advantages) == np.sign(best.advantages)
    pvalues, adjusted = (
        np.where(open_pair & ~same, 1.0, np.maximum(a, b))
        for a, b in ((worst.pvalues, best.pvalues), (worst.adjusted, best.adjusted))
    )
    undefined = np.where(both, np.nan, 0.0)
    return replace(
        worst,
        alike=None if worst.alike is None else worst.alike & ~open_pair,
        scores=np.where(lacks, np.nan, worst.scores),
        score_low=np.fmin(worst.score_low, best.score_low),
        score_high=np.fmax(worst.score_high, best.score_high),
        advantages=np.where(open_pair, np.nan, worst.advantages),
        low=np.fmin(worst.low, best.low) + undefined,
        high=np.fmax(worst.high, best.high) + undefined,
        errors=np.maximum(worst.errors, best.errors),
        pvalues=pvalues + undefined,
        adjusted=adjusted + undefined,
        marginal=np.maximum(worst.marginal, best.marginal) + np.where(open_pair, np.inf, 0.0),
        first_place_shares=np.where(lacks, np.nan, worst.first_place_shares),
    )


@dataclass(frozen=True, slots=True)
class Tested:
    """What sign flips say of each pair: p-values by themselves and adjusted for all.

    Attributes
    ----------
    pvalues, adjusted : array, (pairs,)
    exact : bool
    """

    pvalues: FloatArray
    adjusted: FloatArray
    exact: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """How far intervals reach, in standard errors, and how often each model is in first place.

    Attributes
    ----------
    pairs : float
        Of all advantages together.
    by_model : array, (models,)
        Of all advantages of one model, for its rank alone.
    scores : array, (models,)
        Of each model's own score, one by one.
    first_place_shares : array, (models,)
        The share of resamples in which each model is in first place, ties shared.
    n_draws : int
        How many draws measured `pairs` and `by_model`.
    """

    pairs: float
    by_model: FloatArray
    scores: FloatArray
    first_place_shares: FloatArray
    n_draws: int


def sign_sums(units: BoardUnits, settings: PairSettings) -> tuple[FloatArray, bool]:
    """Return the scores with the sign of each unit turned or not: (models, draws), and whether these are all ways.

    The coins are those by which `compare` exchanges A and B, so a pair's advantages are those of its null draws.
    """
    drawing = ScoresFlipped(units.totals)
    if 2**drawing.width <= settings.n_resamples:
        return drawing.flipped(every_sign(drawing.width)), True
    draws = in_batches(
        drawing,
        (1, units.totals.shape[1]),
        n_resamples=settings.n_resamples,
        seed=settings.seed,
        purpose=SIGN_FLIP.name,
        workers=settings.workers,
    )
    return draws.advantages[0], False


class ScoresFlipped:
    """The scores of all models where each unit's sign is turned or not; `totals` are those of (units, models)."""

    def __init__(self, totals: FloatArray) -> None:
        self.totals, self.width = totals, len(totals)

    def flipped(self, signs: FloatArray) -> FloatArray:
        """Return the scores under signs of the units, (draws, units): (models, draws)."""
        return np.ascontiguousarray((signs @ self.totals).T)

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores under random signs; they have no errors of their own."""
        scores = self.flipped(draw_signs(rng, (n_draws,), self.width))[np.newaxis]
        return scores, np.full(scores.shape, np.nan)


def sign_flip_test(units: BoardUnits, spread: "Spread", settings: PairSettings) -> Tested:
    """Test every pair by flipping the signs of units, studentised and stepped down for the adjustment.

    A flip leaves the squares of unit advantages as they are, so |advantage| / √Σ squares orders draws as |t| does. With
    `count_all` p-values are exact where the number of pairs allows it, as `compare` has them; the stepdown stays one of
    draws, but it is never above Holm's correction of exact p-values.
    """
    pairs, alike = spread.pairs, spread.telling == 0
    sums, exact = sign_sums(units, settings)
    scores = units.totals.sum(axis=0)
    advantages = scores[pairs.first] - scores[pairs.second]
    with np.errstate(divide="ignore"):
        scale = np.where(alike, 0.0, 1 / np.sqrt(spread.squares))
    statistics = np.where(alike, np.nan, np.abs(advantages) * scale)
    of_pairs = {"first": pairs.first, "second": pairs.second}
    pvalues = tail_pairs(advantages, sums, tolerance=settings.rounding, exact=exact, **of_pairs)
    adjusted = adjust_pairs(statistics, sums, scale=scale, exact=exact, **of_pairs)
    pvalues[alike] = 1.0
    adjusted[alike] = 1.0
    if settings.count_all and not exact and pairs.first.size <= MOST_EXACT:
        counted = _exact_pvalues(units, pairs, settings.rounding)
        exact = not np.isnan(counted).any()
        pvalues = np.where(np.isnan(counted), pvalues, counted)
        adjusted = np.minimum(adjusted, adjust(pvalues, method="holm"))
    return Tested(pvalues, np.maximum(adjusted, pvalues), exact)


def _exact_pvalues(units: BoardUnits, pairs: Pairs, rounding: float) -> FloatArray:
    """Return the exact two-sided p-value of each pair; NaN where it can only be drawn."""
    slack = rounding * float(units.shares.max())
    found = np.full(pairs.first.size, np.nan)
    for q, (j, k) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        flips = sign_flips(units.totals[:, j] - units.totals[:, k], rounding=slack)
        if flips is not None:
            found[q] = flips.pvalue("two-sided").pvalue
    return found


def reach_of(units: BoardUnits, spread: "Spread", settings: PairSettings) -> Reach:
    """Draw units with replacement and measure how far simultaneous intervals have to reach."""
    n, m = units.totals.shape
    pairs, rests = spread.pairs, units.rests
    # Only differences matter: without what all models share, they do not drown in the rounding of large squares.
    bare = rests - rests.mean(axis=1, keepdims=True)
    own_least = NO_SPREAD**2 * np.square(units.errors).sum(axis=0)
    n_draws = settings.n_resamples
    if pairs.baseline is None:
        least, columns = spread.least_variances(m), bare
        n_draws = int(min(n_draws, max(LEAST, WORK / (n * m * m / 2))))
    else:
        least, columns = spread.least, bare[:, pairs.first] - bare[:, [pairs.baseline]]
    moves, ratios = np.empty((2, settings.n_resamples, m))
    largest = np.full((n_draws, m), np.nan)

    def batch(number: int, start: int, stop: int) -> None:
        weights = draw_units(units, settings.seed, number, stop - start)
        moves[start:stop], ratios[start:stop] = column_ratios(rests, units, weights, own_least)
        if start < n_draws:
            some = weights[: n_draws - start]
            if pairs.baseline is None:
                largest[start : start + len(some)] = pair_maxima(columns, units, some, least)
            else:
                found = column_ratios(columns, units, some, least)[1]
                largest[start : start + len(some), pairs.first] = np.abs(found)
        if settings.progress is not None:
            settings.progress(stop - start)

    size = max(1, CELLS // (n * m))
    _random.map_blocks(batch, settings.n_resamples, workers=settings.workers, size=size, width=units.totals.size)
    if pairs.baseline is not None:
        largest[:, pairs.baseline] = _largest(largest)
    level = 1 - (1 - settings.level) * spread.share
    own = _quantiles(np.abs(ratios), settings.level)
    if n < FEW_TELLING:  # too little to resample, as for pairs
        own = np.full(m, -float(stdtrit(max(1, n - units.starts.size), (1 - settings.level) / 2)))
    return Reach(
        float(_quantiles(_largest(largest)[:, np.newaxis], level)[0]),
        _quantiles(largest, level),
        own,
        first_place_shares_of(units.scores + moves),
        n_draws,
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """How much the units of each pair's advantage vary, and which pairs can be resampled.

    Where fewer than ten units tell two models apart there is too little to resample: such a pair gets Student's
    interval with that many units, at its own share of the error probability.

    Attributes
    ----------
    pairs : Pairs
    level : float
        Of the intervals.
    squares : array, (pairs,)
        The sum of squared unit advantages.
    telling : array of int, (pairs,)
        How many units tell the two models apart.
    variances : array, (pairs,)
        Of the advantage.
    least : array, (pairs,)
        The smallest variance of a draw that is not rounding; infinite for pairs that are not resampled.
    share : float
        The share of pairs that are resampled: so much of the error probability is theirs.
    """

    pairs: Pairs
    level: float
    squares: FloatArray
    telling: IntArray
    variances: FloatArray
    least: FloatArray
    share: float

    @classmethod
    def of(cls, units: BoardUnits, settings: PairSettings) -> "Spread":
        """Measure every pair."""
        if units.n_units < 2:
            raise DataError(
                f"a leaderboard needs at least two {units.word}s that every model answered; got {units.n_units}."
            )
        errors, pairs, n = units.errors, settings.pairs, units.n_units

        def batch(_: int, start: int, stop: int) -> tuple[npt.NDArray[Any], ...]:
            first, second = pairs.first[start:stop], pairs.second[start:stop]
            advantages = units.totals[:, first] - units.totals[:, second]
            # Zero is what is below the rounding of the scores, or of the pair's largest unit advantage.
            tie = np.maximum(settings.rounding / n, ROUNDING * n * np.abs(advantages).max(axis=0))
            differs = np.abs(advantages) > tie
            rests = errors[:, first] - errors[:, second]
            return (
                np.square(np.where(differs, advantages, 0.0)).sum(axis=0),
                np.square(rests).sum(axis=0),
                differs.sum(axis=0),
            )

        size = max(1, CELLS // n)
        parts = _random.map_blocks(batch, pairs.first.size, workers=settings.workers, size=size, width=n)
        squares, variances, telling = map(np.concatenate, zip(*parts, strict=True))
        own = np.square(errors).sum(axis=0)
        sizes = own[pairs.first] + own[pairs.second]
        variances = np.where(variances > ROUNDING * sizes, variances, 0.0)
        drawn = (telling >= FEW_TELLING) & (variances > 0)
        least = np.where(drawn, np.maximum(NO_SPREAD**2 * variances, ROUNDING * sizes), np.inf)
        asked = np.count_nonzero(telling)
        share = np.count_nonzero(drawn) / asked if asked else 0.0
        return cls(pairs, settings.level, squares, telling, variances, least, share)

    def advantages(self, units: BoardUnits) -> FloatArray:
        """Return the advantage of each pair, exactly 0 where no unit tells the two models apart."""
        differences = units.scores[self.pairs.first] - units.scores[self.pairs.second]
        return np.where(self.telling == 0, 0.0, differences)

    def least_variances(self, m: int) -> FloatArray:
        """Return `least` as a symmetric matrix of models."""
        matrix = np.full((m, m), np.inf)
        matrix[self.pairs.first, self.pairs.second] = matrix[self.pairs.second, self.pairs.first] = self.least
        return matrix

    def arms(self, reach: float) -> FloatArray:
        """Return how far the interval of each pair's advantage reaches; NaN for models that answer alike."""
        tail = (1 - self.level) / 2 / max(1, int(np.count_nonzero(self.telling)))
        few = np.isinf(self.least)
        quantiles = np.full(few.size, reach)
        quantiles[few] = -stdtrit(np.maximum(self.telling[few] - 1, 1), tail)
        return np.where(
            (self.telling > 1) & (self.variances > 0), quantiles * np.sqrt(np.maximum(self.variances, 0)), math.nan
        )


def draw_units(units: BoardUnits, seed: np.random.SeedSequence, number: int, n_draws: int) -> FloatArray:
    """Return how often each draw of a batch takes each unit, within its stratum: (draws, units).

    Items in one stratum are drawn as `compare` draws them.
    """
    parts = []
    for stratum, size in enumerate(units.sizes.tolist()):
        rng = _random.generator(seed, "resamples", *([stratum] if stratum else []), number)
        parts.append(draw_counts(rng, (n_draws,), size))
    return np.concatenate(parts, axis=1)


def column_ratios(
    rests: FloatArray, units: BoardUnits, weights: FloatArray, least: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how far each column's mean moves in each draw, and that over its standard error: (draws, columns).

    `rests` are deviations from the mean of each stratum, (units, columns). The mean of a draw is a ratio of sums in
    each stratum, and its error that of a ratio (Cochran 1977, eq. 6.12). A ratio is NaN if its variance is at most
    `least`.
    """
    moves = np.zeros((len(weights), rests.shape[1]))
    variances = np.zeros_like(moves)
    for stratum in _strata(units):
        w, z, x = weights[:, stratum], units.shares[stratum], rests[stratum]
        size, grown = _ratio_factors(w, z)
        total, mixed, squares = w @ x, w @ (z[:, np.newaxis] * x), w @ np.square(x)
        rate = total / size
        moves += rate * z.sum()
        variances += grown * (squares - 2 * rate * mixed + np.square(rate) * (w @ np.square(z))[:, np.newaxis])
    with np.errstate(invalid="ignore", divide="ignore"):
        return moves, np.where(variances > least, moves / np.sqrt(variances), np.nan)


def pair_maxima(rests: FloatArray, units: BoardUnits, weights: FloatArray, least: FloatArray) -> FloatArray:
    """Return the largest studentised |advantage| of each model with any other, for each draw: (draws, models).

    `least[j, k]` is the smallest variance of the advantage of j and k that is not rounding; infinite for a pair that is
    left out. A draw in which no pair of a model is defined has NaN.
    """
    n_draws, m = len(weights), rests.shape[1]
    moves, products = np.zeros((n_draws, m)), np.zeros((n_draws, m, m))
    for stratum in _strata(units):
        w, z, x = weights[:, stratum], units.shares[stratum], rests[stratum]
        size, grown = _ratio_factors(w, z)
        total, mixed = w @ x, w @ (z[:, np.newaxis] * x)
        rate = total / size
        moves += rate * z.sum()
        part = (w[:, np.newaxis, :] * x.T) @ x
        crossed = rate[:, :, np.newaxis] * mixed[:, np.newaxis, :]
        squares = (w @ np.square(z))[:, np.newaxis, np.newaxis]
        part += rate[:, :, np.newaxis] * rate[:, np.newaxis, :] * squares - crossed - crossed.swapaxes(1, 2)
        products += grown[:, :, np.newaxis] * part
    own = np.einsum("djj->dj", products)
    variances = own[:, :, np.newaxis] + own[:, np.newaxis, :] - 2 * products
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.abs(moves[:, :, np.newaxis] - moves[:, np.newaxis, :]) / np.sqrt(variances)
    ratios = np.where(variances > least, ratios, -np.inf)
    ratios[:, np.arange(m), np.arange(m)] = -np.inf
    largest = ratios.max(axis=2)
    return np.where(np.isinf(largest), np.nan, largest)


def _strata(units: BoardUnits) -> list[slice]:
    """Return the units of each stratum."""
    stops = [*units.starts[1:].tolist(), units.n_units]
    return [slice(start, stop) for start, stop in zip(units.starts.tolist(), stops, strict=True)]


def _ratio_factors(weights: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the drawn share of a stratum, and what its squared residuals are multiplied by: (draws, 1)."""
    n = shares.size
    size = (weights @ shares)[:, np.newaxis]
    size = np.where(size > 0, size, np.inf)  # a stratum that is drawn with no weight does not move
    return size, np.square(shares.sum() / size) * (n / (n - 1) if n > 1 else 0.0)


def first_place_shares_of(scores: FloatArray) -> FloatArray:
    """Return the share of resamples (rows) in which each model (column) has the best score, ties shared."""
    first = scores >= scores.max(axis=1, keepdims=True) - 1e-12 * np.abs(scores).max(initial=1e-300)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def normal_moves(covariance: FloatArray, settings: PairSettings) -> FloatArray:
    """Return normal draws of how far the scores move: (draws, models)."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    moved = np.empty((settings.n_resamples, root.shape[0]))
    for number, start, stop in _random.blocks(settings.n_resamples):
        normal = _random.generator(settings.seed, "normal scores", number).standard_normal((stop - start, len(root)))
        moved[start:stop] = np.einsum("dc,jc->dj", normal, root)
    return moved


def _largest(values: FloatArray) -> FloatArray:
    """Return the largest of each row, NaN where none is defined."""
    known = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    return np.where(np.isinf(known), np.nan, known)


def _quantiles(values: FloatArray, level: float) -> FloatArray:
    """Return a quantile of the defined numbers of each column; NaN where there is none."""
    known = (column[~np.isnan(column)] for column in np.ascontiguousarray(values.T))
    return np.array([quantiles(column, [level])[0] for column in known])
