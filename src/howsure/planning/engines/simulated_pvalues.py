"""p-values of many simulated data sets at once, for tests on item advantages: rows are data sets.

A resampling test has draws of its own, which are never drawn here. A draw of `sign-flip` is a sum of numbers with
random signs, a draw of the item bootstrap a sum of items drawn with replacement; the tails of both sums follow from
expansions, whose error docs/how-to/plan.md measures against enumeration and brute force.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, ndtr, stdtr

from howsure import _check
from howsure.data.scales import BoolArray, FloatArray
from howsure.nulls import NULLS, SIGN_FLIP
from howsure.nulls.item_tests import ItemTest
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses
from howsure.nulls.shifted_bootstrap import ShiftedBootstrap

Tails = tuple[FloatArray, FloatArray]
"""P(draw ≤ data) and P(draw ≥ data) under the null, by data set."""

ENUMERATED = 12
"""Up to this many items all 2ᴺ swaps are counted."""


DOUBT = (0.1, 8.0)
"""How far the log of a tail by expansion may be off: at least, and for each unit of the fourth cumulant."""

HELD_SUMS = 1 << 16
"""How many sums with signs are held at a time."""

RESAMPLING = tuple(null.name for null in (SIGN_FLIP, PooledResponses, PermutedResponses, ShiftedBootstrap))
"""Nulls that metrics without item scores have, too."""

ITEM_TESTS = tuple(null for null in NULLS.values() if isinstance(null, ItemTest))
ITEM_BOOTSTRAP, WELCH = "item-bootstrap", "welch-t"

TESTS: dict[str, str] = {
    **{name: NULLS[name].says for name in RESAMPLING},
    ITEM_BOOTSTRAP: "items are resampled; p is the share of resamples on the other side of zero, doubled",
    **{null.name: null.says for null in ITEM_TESTS},
    WELCH: "Welch's t of the item scores of A and of B, without the pairing",
}
"""Tests whose power can be computed: the nulls of `compare`, and the baselines of RATINGS, figure 6."""


@dataclass(frozen=True, slots=True)
class Test:
    """Which test, and when it rejects.

    Attributes
    ----------
    name : str
        One of `TESTS`.
    alpha : float
    alternative : {"two-sided", "greater", "less"}
    """

    __test__ = False  # not a test of ours, whatever pytest thinks

    name: str = SIGN_FLIP.name
    alpha: float = 0.05
    alternative: str = "two-sided"

    def __post_init__(self) -> None:
        from howsure.inference import ALTERNATIVES

        _check.one_of("test", self.name, TESTS)
        _check.fraction("alpha", self.alpha)
        _check.one_of("alternative", self.alternative, ALTERNATIVES)

    @property
    def sides(self) -> int:
        """The number of tails in which it rejects."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def tail(self) -> float:
        """The level of one tail."""
        return self.alpha / self.sides

    def normal_power(
        self, advantage: FloatArray | float, reach: FloatArray | float, error: FloatArray | float = 1.0
    ) -> FloatArray:
        """Return how often a normal advantage with this standard error lies beyond the reach of its interval."""
        above, below = ndtr((advantage - reach) / error), ndtr((-advantage - reach) / error)
        if self.alternative == "two-sided":
            return np.asarray(above + below)
        return np.asarray(above if self.alternative == "greater" else below)

    def can_reject(self, n_items: int) -> bool:
        """Whether this many items can give a p-value at or below the level: 2ᴺ swaps may be too few."""
        return self.name not in NULLS or NULLS[self.name].can_reject(n_items, self.tail * (1 + 1e-9))

    def rejects(self, tails: "Tails") -> BoolArray:
        """Return which data sets are significant."""
        # The tolerance is for p-values that are equal to the level on paper.
        return np.asarray(combine(tails, self.alternative) <= self.alpha * (1 + 1e-9))

    def decide(self, advantages: FloatArray) -> BoolArray:
        """Return which data sets of item advantages are significant; p is only as precise as that takes."""
        if self.name == SIGN_FLIP.name:
            return self.rejects(sign_flip(advantages, near=self.tail))
        return self.rejects(ON_ADVANTAGES[self.name](advantages))


def combine(tails: Tails, alternative: str) -> FloatArray:
    """Return the p-values of an alternative: the smaller tail doubled, at most 1, or one of them."""
    less, greater = tails
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(less, greater)))
    return greater if alternative == "greater" else less


def sign_flip(advantages: FloatArray, *, near: float | None = None) -> Tails:
    """Exchange A and B item by item: the sum of the item advantages with random signs.

    Counted exactly for few items and where all advantages have the same size (then it is the sign test); otherwise the
    signs of the largest items are enumerated and the sum of the others follows Edgeworth's expansion. With `near`, only
    whether a tail lies above or below it matters: where the expansion alone leaves no doubt, nothing is enumerated.

    Examples
    --------
    >>> less, greater = sign_flip(np.array([[1.0, 2.0, 3.0, 4.0]]))
    >>> float(greater[0])  # one arrangement of 16
    0.0625
    """
    sizes = np.abs(advantages)
    largest = sizes.max(axis=1, keepdims=True)
    if advantages.shape[1] <= ENUMERATED:
        return _enumerated(advantages)
    if bool(np.all((sizes <= 1e-9 * largest) | (sizes >= (1 - 1e-9) * largest))):
        return _sign_test(advantages, largest)
    return _expanded(advantages, near)


def shifted_bootstrap(advantages: FloatArray) -> Tails:
    """Items drawn with replacement, and the draws moved to a mean of zero: P(draw − mean ≥ mean)."""
    mean = advantages.mean(axis=1)
    return _bootstrap_tails(advantages, mean)


def item_bootstrap(advantages: FloatArray) -> Tails:
    """Items drawn with replacement: the share of draws on the other side of zero (flat item bootstrap)."""
    mean = advantages.mean(axis=1)
    less, greater = _bootstrap_tails(advantages, -mean)
    return greater, less


def welch_t(a: FloatArray, b: FloatArray) -> Tails:
    """Welch's t of the item scores of A and of B, without the pairing; scores are signed so that more is better."""
    n = a.shape[1]
    of_a, of_b = a.var(axis=1, ddof=1) / n, b.var(axis=1, ddof=1) / n
    total = of_a + of_b
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = total**2 * (n - 1) / (of_a**2 + of_b**2)
    less = _student(a.mean(axis=1) - b.mean(axis=1), np.sqrt(total), np.nan_to_num(freedom, nan=1.0))
    return less, 1 - less


ON_ADVANTAGES: dict[str, Callable[[FloatArray], Tails]] = {
    SIGN_FLIP.name: sign_flip,
    ShiftedBootstrap.name: shifted_bootstrap,
    ITEM_BOOTSTRAP: item_bootstrap,
    **{null.name: null.tails for null in ITEM_TESTS},
}
"""Tests that need no more than the advantage of each item."""


def normal_sum(observed: FloatArray, variance: FloatArray, kurtosis: FloatArray) -> Tails:
    """Return the tails of a symmetric sum with this variance and fourth cumulant over squared variance."""
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(variance > 0, observed / np.sqrt(variance), np.where(observed == 0, 0.0, np.sign(observed) * 1e9))
    upper = _edgeworth(np.abs(z), np.zeros_like(z), kurtosis)
    greater = np.where(z >= 0, upper, 1 - upper)
    return 1 - greater, greater


def _enumerated(advantages: FloatArray) -> Tails:
    n = advantages.shape[1]
    sums = advantages.sum(axis=1, keepdims=True)
    tie = 1e-10 * np.abs(advantages).sum(axis=1, keepdims=True)
    patterns = _signs(n)
    less, greater = np.empty(len(advantages)), np.empty(len(advantages))
    for start in range(0, len(advantages), 256):
        part = slice(start, start + 256)
        draws = advantages[part] @ patterns
        less[part] = (draws <= sums[part] + tie[part]).mean(axis=1)
        greater[part] = (draws >= sums[part] - tie[part]).mean(axis=1)
    return less, greater


def _sign_test(advantages: FloatArray, largest: FloatArray) -> Tails:
    above = (advantages > largest / 2).sum(axis=1)
    below = (advantages < -largest / 2).sum(axis=1)
    counted = above + below
    less = bdtr(above, counted, 0.5)
    greater = bdtr(below, counted, 0.5)
    return np.where(counted > 0, less, 1.0), np.where(counted > 0, greater, 1.0)


def _expanded(advantages: FloatArray, near: float | None) -> Tails:
    """P(Σ ±d ≥ Σ d) by Edgeworth's expansion; where that is too rough, the largest items are enumerated first.

    The saddlepoint formula of Lugannani and Rice failed where a few items dominate.
    """
    sums = advantages.sum(axis=1)
    squares = np.square(advantages)
    variance = squares.sum(axis=1)
    live = variance > 0
    safe = np.where(live, variance, 1.0)
    x = np.abs(sums) / np.sqrt(safe)
    kurtosis = -2 * np.einsum("ij,ij->i", squares, squares) / safe**2
    step = _flip_step(advantages)
    between = np.maximum(0.0, np.abs(sums) - step / 2) / np.sqrt(safe)  # on a grid: half a step before
    upper = _edgeworth(between, np.zeros_like(x), kurtosis)
    low, high = (1e-5, 0.3) if near is None else _doubtful(near, kurtosis)
    close = np.flatnonzero(live & (upper > low) & (upper < high))
    if close.size:
        upper[close] = _largest_enumerated(advantages[close], np.abs(sums[close]) - step / 2)
    # The other tail holds the observed sum, too: the two overlap by one step of the grid.
    lower = np.minimum(1.0, 1 - upper + step * np.exp(-np.square(x) / 2) / np.sqrt(2 * math.pi * safe))
    upper, lower = np.where(live, upper, 1.0), np.where(live, lower, 1.0)
    return np.where(sums >= 0, lower, upper), np.where(sums >= 0, upper, lower)


def _doubtful(near: float, kurtosis: FloatArray) -> Tails:
    """Return the range of expanded tails for which the true tail may lie on either side of `near`.

    What the expansion leaves out grows with the fourth cumulant; docs/how-to/plan.md says how this was checked.
    """
    factor = np.exp(np.minimum(DOUBT[0] - DOUBT[1] * kurtosis, 5.0))
    return near / factor, near * factor


def _largest_enumerated(advantages: FloatArray, bound: FloatArray) -> FloatArray:
    """Return P(Σ ±d ≥ bound): all signs of the largest items, and an expansion for the sum of the others.

    A sum of random signs differs from the normal because of a few large terms, and these are counted.
    """
    n = advantages.shape[1]
    n_counted = 12 if n <= 32 else 10 if n <= 64 else 8
    sizes = np.partition(np.abs(advantages), n - n_counted, axis=1)
    rest = np.square(sizes[:, : n - n_counted])
    variance = rest.sum(axis=1)
    kurtosis = -2 * np.square(rest).sum(axis=1) / np.square(np.where(variance > 0, variance, 1.0))
    tie = 1e-10 * sizes.sum(axis=1)
    largest = np.ascontiguousarray(sizes[:, n - n_counted :])
    size = HELD_SUMS >> n_counted
    parts = [slice(row, row + size) for row in range(0, len(largest), size)]
    rows = (largest, variance, kurtosis, bound, tie)
    return np.concatenate([signed_sum_tails(*(each[part] for each in rows)) for part in parts])


def signed_sum_tails(
    largest: FloatArray, variance: FloatArray, kurtosis: FloatArray, bound: FloatArray, tie: FloatArray
) -> FloatArray:
    """Return P(sum ≥ bound) in each row: all signs of the largest terms, Edgeworth's expansion for the sum of the rest.

    The rest has this variance and this fourth cumulant over squared variance; without variance there is no rest.
    """
    sums = np.zeros((len(largest), 1))
    for sizes in largest.T[..., np.newaxis]:
        sums = np.concatenate([sums + sizes, sums - sizes], axis=1)
    left = bound[:, np.newaxis] - sums
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.clip(left / np.sqrt(variance)[:, np.newaxis], -9.0, 9.0)
    upper = _edgeworth(x, np.zeros((1, 1)), kurtosis[:, np.newaxis])
    return np.asarray(np.where(variance > 0, upper.mean(axis=1), (left <= tie[:, np.newaxis]).mean(axis=1)))


def _signs(n: int) -> FloatArray:
    """Return all 2ⁿ columns of n signs."""
    return np.asarray(1.0 - 2.0 * ((np.arange(2**n) >> np.arange(n)[:, np.newaxis]) % 2), dtype=np.float64)


def _flip_step(advantages: FloatArray) -> float:
    """Return how far apart neighbouring sums of ±d are: twice the grid of the advantages, 0 where they have none."""
    from howsure.planning.engines.score_pools import FINE, grid_step

    sample = advantages[: max(1, 20000 // advantages.shape[1])]
    step = grid_step(sample.ravel())
    reach = float(np.ptp(sample))
    return 2 * step if reach > 0 and step > 4 * reach / FINE else 0.0


def _bootstrap_tails(advantages: FloatArray, shift: FloatArray) -> Tails:
    """Return P(mean of drawn items − mean ≤ shift) and ≥, by Edgeworth's expansion with skewness and kurtosis."""
    n = advantages.shape[1]
    centred = advantages - advantages.mean(axis=1, keepdims=True)
    squares = np.square(centred)
    variance = squares.mean(axis=1)
    live = variance > 0
    safe = np.where(live, variance, 1.0)
    skewness = (squares * centred).mean(axis=1) / safe**1.5 / math.sqrt(n)
    kurtosis = (np.square(squares).mean(axis=1) / safe**2 - 3) / n
    x = shift / np.sqrt(safe / n)
    upper = _edgeworth(x, skewness, kurtosis)
    greater = np.where(live, upper, (shift <= 0).astype(np.float64))
    return np.where(live, 1 - upper, (shift >= 0).astype(np.float64)), greater


def _edgeworth(x: FloatArray, skewness: FloatArray, kurtosis: FloatArray) -> FloatArray:
    """Return the upper tail at x of a standardised sum with these third and fourth cumulants."""
    square = np.square(x)  # NumPy's power takes ten times as long
    terms = kurtosis / 24 * x * (square - 3)
    if np.any(skewness):
        terms = terms + skewness / 6 * (square - 1) + skewness**2 / 72 * x * (square * (square - 10) + 15)
    density = np.exp(-square / 2) / math.sqrt(2 * math.pi)
    return np.asarray(np.clip(ndtr(-x) + density * terms, 0.0, 1.0))


def _student(mean: FloatArray, error: FloatArray, freedom: FloatArray) -> FloatArray:
    """Return P(T ≤ mean / error); without spread, the sign of the mean decides."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(error > 0, mean / error, np.where(mean == 0, 0.0, np.sign(mean) * 1e9))
    return np.asarray(stdtr(freedom, t))
