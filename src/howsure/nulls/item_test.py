"""The contract of a test of item differences: rows of units in, an estimate, a p-value and an interval per row out.

A unit is an item or a whole cluster of items, given by the sum and the number of its differences; independent items are
units of size one and need no code of their own. A row is one data set. The data of a user are one row; a power curve
and a study of error rates are thousands, and all go through the same code.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

import numpy as np

from howsure.data.scales import FloatArray, IntArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.resampling.draws import Draws

MEAN, MEDIAN, HODGES_LEHMANN = "mean difference", "median difference", "Hodges–Lehmann difference"

Tails = tuple[FloatArray, FloatArray]
"""The one-sided p-values of each row: that the difference is less than zero, and that it is greater."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Rows of units: `sums[r, k]` is the sum of the `sizes[r, k]` differences of unit `k` in row `r`.

    Sizes that all rows share may be given once.
    """

    sums: FloatArray
    sizes: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", np.atleast_2d(self.sizes))

    @classmethod
    def of(cls, rows: FloatArray, clusters: IntArray | None = None) -> "Units":
        """Take each row as a data set, in ascending order: results do not depend on the order of the items.

        `clusters` holds the number of the cluster, from 0 on, of each column.
        """
        if clusters is None:
            return cls.independent(np.sort(rows, axis=1, kind="stable"))
        order = np.argsort(rows, axis=1, kind="stable")
        each = zip(rows, order, strict=True)
        sums = np.stack([np.bincount(clusters[o], weights=row[o]).astype(np.float64) for row, o in each])
        sizes = np.broadcast_to(np.bincount(clusters).astype(np.float64), sums.shape)
        order = np.lexsort((sizes, sums), axis=1)
        return cls(np.take_along_axis(sums, order, axis=1), np.take_along_axis(sizes, order, axis=1))

    @classmethod
    def independent(cls, rows: FloatArray) -> "Units":
        """Take each row of a matrix as a data set of independent differences."""
        return cls(rows, np.ones(rows.shape[1]))

    @classmethod
    def joined(cls, parts: Sequence["Units"]) -> "Units":
        """Put the rows of several together."""
        sizes = [part.sizes for part in parts]
        alike = len(sizes[0]) == 1 and all(np.array_equal(each, sizes[0]) for each in sizes)
        return cls(np.concatenate([part.sums for part in parts]), sizes[0] if alike else np.concatenate(sizes))

    @property
    def n(self) -> int:
        """The number of units."""
        return int(self.sums.shape[1])

    @property
    def means(self) -> FloatArray:
        """The mean difference of each row."""
        return np.asarray(self.sums.sum(axis=1) / self.sizes.sum(axis=1))

    def less(self, delta: float) -> "Units":
        """Return the units with `delta` taken from each difference; what only rounding keeps from zero becomes zero."""
        if delta == 0:
            return self
        sums = self.sums - delta * self.sizes
        rounding = 8 * np.finfo(np.float64).eps * max(abs(delta) * float(self.sizes.max()), float(abs(self.sums).max()))
        return Units(np.where(np.abs(sums) <= rounding, 0.0, sums), self.sizes)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What is tested: is the difference other, greater or less than `delta`, and which interval goes with `alpha`."""

    alternative: str = "two-sided"
    delta: float = 0.0
    alpha: float = 0.05
    interval: bool = True

    @property
    def tail(self) -> float:
        """The probability of error on each side that is watched."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def decide(self, less: FloatArray, greater: FloatArray) -> Tails:
        """Return the p-value, and on which side of `delta` the test sees the difference: 1 above, −1 below, 0 neither.

        The two-sided p-value is twice the smaller of the two one-sided ones.
        """
        return combined((less, greater), self.alternative), np.sign(less - greater)

    def ends(self, low: FloatArray, high: FloatArray) -> Tails:
        """Return the ends of the interval; the side that a one-sided question does not bound is open."""
        if self.alternative == "less":
            low = np.full_like(low, -np.inf)
        if self.alternative == "greater":
            high = np.full_like(high, np.inf)
        return low, high


def combined(tails: Tails, alternative: str) -> FloatArray:
    """Return the p-values of an alternative: the smaller tail doubled, at most 1, or one of them."""
    less, greater = tails
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(less, greater)))
    return greater if alternative == "greater" else less


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many resamples, and from which seed; `progress` is called with how many each finished batch adds."""

    seed: np.random.SeedSequence
    n_resamples: int = 9999
    progress: Callable[[int], object] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TestedRows:
    """The result of a test on each row; NaN where it is undefined. `side` is that of `Hypothesis.decide`."""

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    side: FloatArray
    low: FloatArray
    high: FloatArray
    n_draws: int = 0
    exact: bool = False


# ---- which test suits which differences ------------------------------------------------------------------------------


class Shape(Enum):
    """What differences look like, as far as it decides which test suits them."""

    NORMAL = "normal"
    SYMMETRIC = "symmetric"
    SKEWED = "skewed"
    CLUSTERED = "clustered"
    RIGHT_OR_WRONG = "right or wrong"


class Grade(Enum):
    """How well a test suits differences of a shape."""

    RECOMMENDED = "recommended"
    NON_PREFERRED = "non-preferred"
    INAPPROPRIATE = "inappropriate"


@dataclass(frozen=True, slots=True)
class Suitability:
    """How well a test suits a shape, its place among the tests of the same grade (first is best), and why."""

    grade: Grade
    place: int
    reason: str


def recommended(reason: str) -> Suitability:
    """Return the suitability of the best test."""
    return Suitability(Grade.RECOMMENDED, 0, reason)


def non_preferred(place: int, reason: str) -> Suitability:
    """Return the suitability of a test that is valid but not the best."""
    return Suitability(Grade.NON_PREFERRED, place, reason)


def inappropriate(place: int, reason: str) -> Suitability:
    """Return the suitability of a test that answers another question or errs."""
    return Suitability(Grade.INAPPROPRIATE, place, reason)


DEPENDENT = "it treats segments as independent, but segments of one cluster are dependent."
"""Why a test that takes no clusters does not suit them."""


# ---- the contract ----------------------------------------------------------------------------------------------------


class ItemTest(Null):
    """A test of item differences, with all that other code has to know about it.

    `howsure scores` runs it by itself, on the differences of two lists of scores; as a null of `howsure compare` the
    differences are item advantages. To add one, write a class in the file of its idea and enter it in the catalogue.

    Attributes
    ----------
    score_name, label : str
        Its name in `howsure scores`, and in a sentence.
    estimand, statistic : str
    compares : str
        What it looks at, to complete "The test compares …".
    how : str
        What it computes, with its reference.
    resamples : bool
        Whether `run` draws random numbers.
    needs_variation : bool
        Whether it is undefined where all differences are equal.
    ignores_zeros : bool
        Whether items with a difference of `delta` are left out.
    estimates_accuracy : bool
        Whether of right-or-wrong scores it tests the difference in accuracy, and not its own estimand.
    exact_with_few_clusters : bool
        Whether its error rate is nominal with fewer than 50 clusters.
    caution : str
        What a reader must know about its null hypothesis.
    suitability : mapping of Shape to Suitability
    """

    score_name: ClassVar[str]
    label: ClassVar[str]
    estimand: ClassVar[str]
    statistic: ClassVar[str]
    compares: ClassVar[str]
    how: ClassVar[str]
    resamples: ClassVar[bool] = False
    needs_variation: ClassVar[bool] = False
    ignores_zeros: ClassVar[bool] = False
    estimates_accuracy: ClassVar[bool] = False
    exact_with_few_clusters: ClassVar[bool] = False
    caution: ClassVar[str] = ""
    suitability: ClassVar[Mapping[Shape, Suitability]]

    @abstractmethod
    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row."""

    @abstractmethod
    def estimate(self, ordered: FloatArray) -> float:
        """Return the estimate of one data set of ascending differences, without testing it."""

    def simulated_pvalues(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> FloatArray:
        """Return the p-value of each of many simulated data sets, of which only matters whether it is at most alpha."""
        return self.run(units, replace(hypothesis, interval=False), resamples).pvalue

    @property
    def compares_means(self) -> bool:
        """Whether it is about the mean, so that a result may be reported as one about average scores."""
        return self.estimand == MEAN

    def suits(self, shape: Shape, n: int) -> Suitability:
        """Return how well it suits `n` differences of this shape."""
        return self.suitability[shape]

    def caution_for(self, n: int) -> str:
        """Return what must be known about the test of so many segments; empty where there is nothing."""
        return self.caution

    def __repr__(self) -> str:
        return f"<{self.label}>"


NO_RESAMPLES = Resamples(np.random.SeedSequence(0), 0)


class FormulaTest(ItemTest):
    """A test whose p-value follows from the item differences by a formula, so that `compare` draws nothing for it."""

    item_scores = True
    direct = True
    clusters = False
    counts_resamples = False
    audited = ("tail",)

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples, shifted: for the expected p-value and the picture."""
        return draws.shifted()

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the p-value of each row of item advantages, or of their sums by cluster."""
        units = Units.of(evidence.items)
        if evidence.unit_sizes.size:
            units = Units(evidence.unit_sums, evidence.unit_sizes)
        return exact_pvalues(self.run(units, Hypothesis(alternative, interval=False), NO_RESAMPLES).pvalue)

    def cautions(self, evidence: Evidence, metric: str, alternative: str) -> list[str]:
        """Return what a reader must know about the hypothesis of the test."""
        caution = self.caution_for(evidence.items.shape[1])
        return [caution] if caution else []


def on_the_data(name: str) -> tuple[Rule, ...]:
    """Return the rules of a test by a formula: neither raters nor responses are drawn."""
    kept = f"{name} tests the item advantages of the data; keep the responses (use `responses='all'`, equal or first)."
    return holds_raters(name), Rule(verdict="refuse", reason=kept, responses=("one", "bootstrap"))


def exact_pvalues(values: FloatArray) -> PValues:
    """Return p-values that no draws have made; where they are NaN, all item advantages of the row are equal."""
    zeros, undefined = np.zeros(len(values), dtype=np.int64), np.isnan(values)
    why = ["The p-value is undefined: all item advantages are equal." if none else "" for none in undefined]
    return PValues(values, np.where(undefined, np.nan, 0.0), zeros, zeros > 0, True, zeros, why)


def no_interval(like: FloatArray) -> Tails:
    """Return the ends of an interval that was not asked for."""
    nothing = np.full(like.shape, np.nan)
    return nothing, nothing


def extreme_draws(values: FloatArray, tail: float) -> Tails:
    """Return the k-th smallest and the k-th largest value of each row, infinite where there are too few draws.

    k is the `tail` of the draws, the data counted as one more: the rank at which a p-value of draws is at most `tail`.
    """
    n_draws = values.shape[1]
    k = int(np.floor(tail * (n_draws + 1) + 1e-9))
    if k < 1:
        return np.full(values.shape[0], -np.inf), np.full(values.shape[0], np.inf)
    ordered = np.partition(values, sorted({k - 1, n_draws - k}), axis=1)
    return ordered[:, k - 1], ordered[:, n_draws - k]
