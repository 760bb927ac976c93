"""How large is the difference? Cohen's d, Hedges' g, Wilcoxon's r and Hodges–Lehmann, each with its interval."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure.data.scales import FloatArray
from howsure.documents import Block, Caution, Column, Document, Sentence, Table, details
from howsure.documents.numbers import error_of, measured, minus, number
from howsure.errors import ArgumentError
from howsure.inference.effect_sizes import cohen_dz, hedges_factor
from howsure.inference.estimate import ConfidenceInterval, Estimate
from howsure.inference.solving import root
from howsure.nulls import SIGN_FLIP, STUDENT_T, Resamples
from howsure.nulls.bootstrap import StudentisedBootstrap
from howsure.nulls.item_test import extreme_draws
from howsure.nulls.medians import BootstrapMedian, PermutationMedian
from howsure.nulls.ranks import SignedRanks, SignTest, Wilcoxon, hodges_lehmann, walsh_interval
from howsure.paired.description import SKEWED, Description, describe
from howsure.paired.score_lists import PairedScores
from howsure.paired.score_options import MOST_RESAMPLES
from howsure.records import Record
from howsure.resampling.draws import in_batches
from howsure.resampling.units import draw_counts
from howsure.wording.estimates import ci_column, interval

COHEN = {"large": 0.8, "medium": 0.5, "small": 0.2}
"""Cohen's words for |d|, by the smallest d that each is used for."""
LEAST_JACKKNIFE = 10
"""With fewer differences each one left out changes d by more than a linear error describes."""
HEAVY = 3.0
"""Excess kurtosis from which tails are called heavy: that of a Laplace distribution."""
NO_INTERVAL = (math.nan, math.nan)
IN_CLUSTERS = "No interval: rank methods treat segments as independent, and the scores come in clusters."
COHEN_CAUTION = (
    "Cohen's conventions small (0.2), medium (0.5) and large (0.8) come from the behavioural sciences. On your scores "
    "a small effect can matter."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize(Record):
    """One effect size and its interval.

    Attributes
    ----------
    effect : {"cohen-d", "hedges-g", "wilcoxon-r", "hodges-lehmann"}
    estimate : float
        Positive if `a` is higher; NaN when it is undefined.
    confidence_interval : ConfidenceInterval
        Its `method` says how it was made.
    n : int
        The number of differences it rests on.
    notes : tuple of str
    """

    derived: ClassVar[tuple[str, ...]] = ("label", "meaning", "tests", "size")

    effect: str
    estimate: float
    confidence_interval: ConfidenceInterval
    n: int
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name in words."""
        return _BY_NAME[self.effect].label

    @property
    def meaning(self) -> str:
        """What it measures."""
        return _BY_NAME[self.effect].meaning

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests it goes with."""
        return _BY_NAME[self.effect].tests

    @property
    def size(self) -> str:
        """Its size by Cohen's convention: small, medium, large, or nothing where there is none."""
        if not _BY_NAME[self.effect].has_convention or math.isnan(self.estimate):
            return ""
        return next((word for word, least in COHEN.items() if abs(self.estimate) >= least), "below small")

    def document(self) -> Document:
        """Return the effect size with its interval and its meaning."""
        return Document(self.label, effect_blocks((self,)), self.notes)


@dataclass(frozen=True, slots=True)
class _Data:
    """The scores whose effect is measured, and what else decides its interval and its notes."""

    scores: PairedScores
    alpha: float
    resamples: Resamples
    description: Description


class EffectMeasure(ABC):
    """One way to measure a difference.

    Attributes
    ----------
    name, label, meaning : str
        On the command line, in a sentence, and what it measures.
    tests : tuple of str
        The tests it goes with.
    has_convention : bool
        Whether Cohen's words small, medium and large are used for it.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    meaning: ClassVar[str]
    tests: ClassVar[tuple[str, ...]]
    has_convention: ClassVar[bool] = False

    @abstractmethod
    def measure(self, data: _Data) -> EffectSize:
        """Return the effect size with its interval and its notes."""

    def _found(
        self, estimate: float, ends: tuple[float, float], method: str, data: _Data, notes: tuple[str, ...]
    ) -> EffectSize:
        interval = ConfidenceInterval(*ends, method, 1 - data.alpha)
        n = data.scores.n
        return EffectSize(effect=self.name, estimate=estimate, confidence_interval=interval, n=n, notes=notes)


class CohenD(EffectMeasure):
    """The mean difference in standard deviations of the differences."""

    name = "cohen-d"
    label = "Cohen's d"
    meaning = "mean difference in standard deviations of the differences"
    tests = (STUDENT_T.score_name, StudentisedBootstrap.score_name, SIGN_FLIP.score_name)
    has_convention = True

    def factor(self, n: int) -> float:
        """Return what d is multiplied by."""
        return 1.0

    def measure(self, data: _Data) -> EffectSize:
        """Return the effect size; its interval inverts the noncentral t, or resamples clusters."""
        scores, description, notes = data.scores, data.description, data.scores.notes
        n, factor = scores.n, self.factor(scores.n)
        estimate = math.nan if scores.constant is not None else float(cohen_dz(np.sort(scores.differences)))
        if math.isnan(estimate * factor):
            why = "Undefined: the differences do not vary." if n > 2 else f"Undefined for {n} differences."
            return self._found(math.nan, NO_INTERVAL, "none", data, (*notes, why))
        if scores.clusters is not None:
            low, high = _clustered_interval(scores, data.alpha, data.resamples)
            method = f"percentile bootstrap of {scores.n_clusters} clusters"
        elif n >= LEAST_JACKKNIFE and _excess_kurtosis(scores.differences) > HEAVY:
            low, high = _jackknife_interval(scores.differences, estimate, data.alpha)
            method = "jackknife"
            caution = Caution(
                f"The differences have outliers or heavy tails: a 95% interval of {self.label} covered 55% to 97% "
                "where measured. Hodges–Lehmann depends on them less."
            )
            notes = (caution, *notes)
        else:
            low, high = _noncentral_interval(estimate, n, data.alpha)
            method = "noncentral t"
            if not description.normal and not math.isnan(description.normality_pvalue):
                shape = description.normality
                notes += (f"The interval of {self.label} assumes normal differences; here they are {shape}.",)
        if scores.unit_size > 1:
            notes += (f"Standardised effects grow with the unit size; here a unit has {scores.unit_size} segments.",)
        return self._found(factor * estimate, (factor * low, factor * high), method, data, notes)


class HedgesG(CohenD):
    """Cohen's d without its small-sample bias."""

    name = "hedges-g"
    label = "Hedges' g"
    meaning = "Cohen's d without its small-sample bias"

    def factor(self, n: int) -> float:
        """Return what d is multiplied by."""
        return hedges_factor(n - 1)


class WilcoxonR(EffectMeasure):
    """The standardised rank sum of Wilcoxon's test."""

    name = "wilcoxon-r"
    label = "Wilcoxon r"
    meaning = "standardised rank sum, Z/√n; at most 0.87 with many segments, slightly more with few"
    tests = (Wilcoxon.score_name,)

    def measure(self, data: _Data) -> EffectSize:
        """Return the effect size of the differences that are not zero."""
        scores, notes = data.scores, data.scores.notes
        moved = scores.differences[scores.differences != 0]
        n = moved.size
        if n < scores.n:
            notes += (f"Wilcoxon r ignores the {scores.n - n:,} of {scores.n:,} differences that are zero.",)
        if n < 2:
            notes += (f"Undefined for {n} differences that are not zero.",)
            return replace(self._found(math.nan, NO_INTERVAL, "none", data, notes), n=n)
        estimate = float(SignedRanks.of(moved[np.newaxis, :]).z[0]) / math.sqrt(n)
        interval, method = NO_INTERVAL, "none"
        if scores.clusters is not None:
            notes += (IN_CLUSTERS,)
        else:
            interval, method = _r_interval(moved, data.alpha), "U-statistic variance, Fisher scale"
            if math.isnan(interval[0]):
                notes += ("No interval for Wilcoxon r: all differences have the same sign.",)
        return replace(self._found(estimate, interval, method, data, notes), n=n)


class HodgesLehmann(EffectMeasure):
    """The median of the Walsh averages."""

    name = "hodges-lehmann"
    label = "Hodges–Lehmann"
    meaning = "median of the means of all pairs of differences (i ≤ j), in units of the scores"
    tests = (Wilcoxon.score_name, SignTest.score_name, BootstrapMedian.score_name, PermutationMedian.score_name)

    def measure(self, data: _Data) -> EffectSize:
        """Return the effect size; its interval consists of Walsh averages."""
        scores, skewness, notes = data.scores, data.description.skewness, data.scores.notes
        ordered = np.sort(scores.differences)
        if abs(skewness) >= SKEWED:
            notes += (
                "Hodges–Lehmann estimates the median only if differences are symmetric; here the skewness is "
                f"{minus(f'{skewness:.2f}')}.",
            )
        interval, method = NO_INTERVAL, "none"
        if scores.clusters is not None:
            notes += (IN_CLUSTERS,)
        else:
            interval, method = walsh_interval(ordered, data.alpha / 2), "Walsh averages"
            if math.isinf(interval[0]):
                few = f"{scores.n} differences are too few for an interval of Hodges–Lehmann at this confidence level."
                notes += (few,)
        return self._found(hodges_lehmann(ordered), interval, method, data, notes)


_BY_NAME: Mapping[str, EffectMeasure] = {
    effect.name: effect for effect in (CohenD(), HedgesG(), WilcoxonR(), HodgesLehmann())
}
EFFECTS = tuple(_BY_NAME)
"""The names of the effect sizes."""


@_matrices.on_one_thread
def effect_sizes(
    scores: PairedScores,
    *,
    effect_size: Sequence[str] = EFFECTS,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
) -> tuple[EffectSize, ...]:
    """Measure the difference between two systems in units that allow comparison.

    The interval of d and g inverts the noncentral t distribution (exact for normal differences), is a jackknife where
    tails are heavy, and with clusters a percentile bootstrap of clusters; that of r uses the variance of a U-statistic
    on Fisher's scale; that of Hodges–Lehmann consists of Walsh averages. The differences that normality is rejected for
    (at `normality_alpha`) get a note beside the interval that needs it.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    ...                                   [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    >>> [round(effect.estimate, 4) for effect in effect_sizes(scores)]
    [-1.2846, -1.1739, -0.8893, -1.3]
    """
    _check.fraction("alpha", alpha)
    if not effect_size:
        raise ArgumentError(f"`effect_size` must name at least one of {', '.join(EFFECTS)}; got none.")
    for effect in effect_size:
        _check.one_of("effect_size", effect, EFFECTS)
    _check.integer("n_resamples", n_resamples, at_least=1, at_most=MOST_RESAMPLES)
    seed = _random.replayable(rng)
    data = _Data(scores, alpha, Resamples(seed, n_resamples), describe(scores, alpha=normality_alpha))
    return tuple(_BY_NAME[effect].measure(data) for effect in effect_size)


def effect_sentence(size: EffectSize, names: Sequence[str]) -> str:
    """Return an effect size without a sign, with its interval and the system that scores higher."""
    if math.isnan(size.estimate):
        return f"{size.label} is undefined."
    by = Estimate(size.estimate, size.confidence_interval).unsigned()
    ends = by.confidence_interval
    known = "" if math.isnan(ends.low) else f" ({interval(ends, by.value)})"
    higher = f" with {names[size.estimate < 0]} higher" if size.estimate else ""
    convention = f", {size.size} by Cohen's convention" if size.size else ""
    return f"{size.label} is {number(by.value, error_of(ends, by.value))}{higher}{known}{convention}."


def effect_blocks(found: Sequence[EffectSize]) -> tuple[Block, ...]:
    """Return a table of effect sizes, and a caution where Cohen's words stand in it."""
    columns = (
        Column("effect size"),
        Column("estimate", "number"),
        ci_column(found[0].confidence_interval.confidence_level),
        Column("Cohen's convention"),
        Column("goes with", detail=True),
        Column("definition", detail=True),
    )
    rows = []
    for size in found:
        estimate = measured(size.estimate, size.confidence_interval)
        tests = ", ".join(size.tests)
        rows.append((size.label, estimate, size.confidence_interval, size.size, tests, size.meaning))
    caution = details([Sentence(COHEN_CAUTION)]) if any(size.size for size in found) else []
    return (Table(columns, tuple(rows)), *caution)


def _noncentral_interval(d: float, n: int, alpha: float) -> tuple[float, float]:
    """Return the effects for which the observed t is an extreme, but not too extreme, value."""
    from scipy.stats import nct

    t = d * math.sqrt(n)
    reach = 10 * math.sqrt(1 + t**2 / (2 * (n - 1))) * (1 + 3 / (n - 1))

    def solve(probability: float) -> float:
        def excess(noncentrality: float) -> float:
            below = float(nct.cdf(t, n - 1, noncentrality))
            if math.isnan(below):  # SciPy gives up far out in the tails, where the answer is 0 or 1
                below = float(noncentrality < t)
            return below - probability

        return root(excess, t - reach, t + reach, tolerance=1e-10) / math.sqrt(n)

    return solve(1 - alpha / 2), solve(alpha / 2)


def _jackknife_interval(differences: FloatArray, estimate: float, alpha: float) -> tuple[float, float]:
    """Return d ± t · its jackknife error (Tukey 1958), which counts skewness and tails that a noncentral t ignores.

    The robust route of Algina, Keselman and Penfield (2005) measures another quantity: trimmed means in units of a
    winsorised deviation.
    """
    from scipy.special import stdtrit

    n = differences.size
    differences = differences / np.abs(differences).max()  # d has no unit
    rest = (differences.sum() - differences) / (n - 1)
    squares = np.square(differences - differences.mean()).sum() - np.square(differences - differences.mean()) * n / (
        n - 1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = rest / np.sqrt(np.maximum(squares, 0.0) / (n - 2))
    if not np.isfinite(left_out).all():  # one difference is all that varies
        return NO_INTERVAL
    error = math.sqrt((n - 1) / n * float(np.square(left_out - left_out.mean()).sum()))
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    return estimate - reach, estimate + reach


def _excess_kurtosis(differences: FloatArray) -> float:
    """Return the fourth moment of standardised differences beyond the 3 of a normal distribution."""
    centred = differences - differences.mean()
    largest = float(np.abs(centred).max())
    if not largest > 0:
        return math.nan
    squares = np.square(centred / largest)  # so that no fourth power is too large or too small for a float
    return float(np.square(squares).mean() / squares.mean() ** 2) - 3


def _clustered_interval(scores: PairedScores, alpha: float, resamples: Resamples) -> tuple[float, float]:
    """Return the percentile interval of d from resampled clusters."""
    drawing = _EffectDrawn(scores)
    draws = in_batches(drawing, (1, 1), n_resamples=resamples.n_resamples, seed=resamples.seed, purpose="effect")
    low, high = extreme_draws(draws.advantages[0], alpha / 2)
    return float(low[0]), float(high[0])


class _EffectDrawn:
    """Cohen's d where whole clusters are drawn with replacement."""

    def __init__(self, scores: PairedScores) -> None:
        self.mean, self.width = scores.differences.mean(), scores.n_clusters or 0
        rests = scores.differences - self.mean
        self.moments = np.stack([np.bincount(scores.clusters, weights=rests**power) for power in (0, 1, 2)], axis=1)  # type: ignore[arg-type]

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return the effect of each draw; it has no error of its own."""
        size, first, second = np.moveaxis(draw_counts(rng, (1, 1, n_draws), self.width) @ self.moments, -1, 0)
        moved = first / size
        spread = np.sqrt(np.maximum(second / size - moved**2, 0) * size / (size - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            effects = (moved + self.mean) / spread
        return effects, np.full(effects.shape, np.nan)


def _r_interval(moved: FloatArray, alpha: float) -> tuple[float, float]:
    """Return an interval for Wilcoxon's r, from the variance of the rank-biserial correlation it is a multiple of.

    W counts the pairs with a positive sum. Each number's share of positive sums with the others is its influence, and
    four times the variance of these shares over n is the variance of the estimate (Hoeffding 1948).
    """
    from scipy.special import ndtri

    n = moved.size
    ordered = np.sort(moved)
    at_least = n - np.searchsorted(ordered, -ordered, side="left")
    above = n - np.searchsorted(ordered, -ordered, side="right")
    share = (at_least + above) / 2 - (ordered > 0) - (ordered == 0) / 2
    influence = share / (n - 1)
    ranked = SignedRanks.of(moved[np.newaxis, :])
    biserial = float(4 * ranked.rank_sum[0] / (n * (n + 1))) - 1
    largest = n * (n + 1) / 4 / math.sqrt(float(ranked.squares[0]) / 4) / math.sqrt(n)
    error = 2 * 2 * float(influence.std(ddof=1)) / math.sqrt(n)
    if abs(biserial) >= 1 or error == 0:
        return (math.nan, math.nan)
    arm = -float(ndtri(alpha / 2)) * error / (1 - biserial**2)
    low, high = np.tanh(np.arctanh(biserial) + np.array([-arm, arm])) * largest
    return float(low), float(high)
