"""Power from a pool of item scores: how often a test on item advantages rejects data sets that are drawn from it.

A data set is rejected where the sum of its advantages is large relative to its own spread. How often the sum alone is
large is nearly the same question, and has an exact answer, because sums of a pool are known (`score_sums`). So only
the difference of the two answers is drawn, which takes a fraction of the data sets. Where all advantages have the same
size the test is the sign test, and nothing is drawn.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrik, gammaln, ndtri

from howsure._random import generator
from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.nulls import SIGN_FLIP
from howsure.planning.engines.base import TestPower
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.score_pools import Pool
from howsure.planning.engines.score_sums import Summands

DATA_SETS, FEWEST_DATA_SETS, DRAWN_ITEMS = 4000, 1500, 1 << 22
"""The power is as precise as from this many data sets (error at most .008), or, where these would hold more than
`DRAWN_ITEMS` items, from at least `FEWEST_DATA_SETS` (.013)."""

FIRST_DATA_SETS = 400
"""Data sets drawn before it is known how many are needed."""

SMALL_ERROR = 0.0025
"""An error of this size is small enough, although that many data sets have a smaller one where power is near 0 or 1."""

NUMBERS = 1 << 20
"""Numbers held at a time."""

MOST_GUESSED = 1_000_000
"""The largest first guess of a number of items."""


def power_from_pool(
    pool: Pool, n_items: int, test: Test, *, seed: np.random.SeedSequence, n: int | None = None
) -> TestPower:
    """Return the power of a test on item advantages, as precise as from n data sets of the pool's scores.

    Examples
    --------
    >>> from howsure._random import seed_of
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> from howsure.planning.engines.exact import ExactEngine
    >>> engine = ExactEngine(preset("normal"), [resolve("mae")], (5, 5, 5), epsilon=0.3, seed=seed_of(0))
    >>> power_from_pool(engine.pools[0], 50, Test(), seed=seed_of(0)).power > 0.9
    True
    """
    n = n or min(DATA_SETS, max(FEWEST_DATA_SETS, DRAWN_ITEMS // n_items))
    if test.name == SIGN_FLIP.name and _has_one_size(pool):
        share, error = sign_test_power(pool, n_items, test), 0.0
    else:
        share, error = _drawn(pool, n_items, test, seed=seed, n=n)
    # Where the pool's mean is off by one standard error, the power is off by the slope of the normal at its quantile.
    slope = 0.0 if pool.sd == 0 else math.sqrt(n_items) * pool.standard_error / pool.sd * _normal_density(share)
    return TestPower(share, math.hypot(error, slope))


def first_guess(pool: Pool, test: Test, target: float, *, per_unit: float = 1.0) -> int:
    """Return about how many items reach a target power, by the normal formula; a unit of the pool has `per_unit`."""
    z = float(ndtri(1 - test.tail) + ndtri(target))
    if pool.mean == 0 or pool.sd == 0:
        return 64
    return int(min(MOST_GUESSED, max(2.0, per_unit * (z * pool.sd / pool.mean) ** 2)))


def _drawn(pool: Pool, n_items: int, test: Test, *, seed: np.random.SeedSequence, n: int) -> tuple[float, float]:
    """Return the share of rejected data sets and its error, which is that of n data sets without the known sums."""
    table, control = _lookup(pool), Control.of(pool, n_items, test)
    stream = generator(seed, "power", n_items)
    rejected, beyond = np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
    wanted = min(n, FIRST_DATA_SETS)
    while True:
        while rejected.size < wanted:
            rows = min(wanted - rejected.size, max(1, NUMBERS // n_items))
            scores = table[stream.integers(0, table.size, (rows, n_items), dtype=np.int32)]
            beyond = np.concatenate([beyond, control.beyond(scores.sum(axis=1))])
            rejected = np.concatenate([rejected, test.decide(scores * pool.step)])
        share, error = control.adjusted(rejected, beyond)
        goal = max(SMALL_ERROR, binomial_error(share, n))
        if wanted >= n or error <= goal:
            return share, error
        wanted = min(n, math.ceil(1.05 * wanted * (error / goal) ** 2))


@dataclass(frozen=True, slots=True)
class Control:
    """Bounds of the sum beyond which the test mostly rejects, and how often the sum lies beyond them.

    Attributes
    ----------
    low, high : float
        The bounds, in steps of the pool's grid; infinite where the test does not reject.
    probability : float
        Of a sum at or beyond one of them.
    """

    low: float
    high: float
    probability: float

    @classmethod
    def of(cls, pool: Pool, n_items: int, test: Test) -> "Control":
        """Return the sums at which a test rejects whose squares are what they are on average, given the sum."""
        points, shares = pool.grid.points, pool.grid.shares
        first, second, third = (float(points**power @ shares) for power in (1, 2, 3))
        variance = second - first**2
        if variance <= 0:
            return cls(-math.inf, math.inf, 0.0)
        square = float(ndtri(1 - test.tail)) ** 2
        slope = (third - first * second) / variance
        inside = (square * slope) ** 2 + 4 * square * n_items * (second - slope * first)
        if inside <= 0:
            slope, inside = 0.0, 4 * square * n_items * second
        ends = [(square * slope + side * math.sqrt(inside)) / 2 for side in (-1, 1)]
        low = -math.inf if test.alternative == "greater" else float(math.floor(ends[0]))
        high = math.inf if test.alternative == "less" else float(math.ceil(ends[1]))
        total = _sums(pool).times(n_items)
        above = 0.0 if math.isinf(high) else total.upper(int(high))
        below = 0.0 if math.isinf(low) else 1 - total.upper(int(low) + 1)
        return cls(low, high, min(max(above + below, 0.0), 1.0))

    def beyond(self, sums: FloatArray) -> BoolArray:
        """Return which sums are at or beyond the bounds; sums are whole numbers but for rounding."""
        return np.asarray((sums <= self.low + 0.5) | (sums >= self.high - 0.5))

    def adjusted(self, rejected: BoolArray, beyond: BoolArray) -> tuple[float, float]:
        """Return the share of rejected data sets, corrected by how far the share of sums is off, and its error."""
        n = rejected.size
        spread = float(beyond.var())
        both = float((rejected & beyond).mean()) - float(rejected.mean()) * float(beyond.mean())
        weight = min(1.0, max(0.0, both / spread)) if spread > 0 else 1.0
        left = rejected - weight * beyond
        share = min(max(float(left.mean()) + weight * self.probability, 0.0), 1.0)
        # One more success and failure each, as in `binomial_error`.
        squares = (float(np.square(left - left.mean()).sum()) + 1) / (n + 2)
        return share, math.sqrt(squares / n)


def _has_one_size(pool: Pool) -> bool:
    sizes = np.abs(pool.grid.points[pool.grid.shares > 0])
    sizes = sizes[sizes > 0]
    return bool(sizes.size) and float(sizes.min()) == float(sizes.max())


def sign_test_power(pool: Pool, n_items: int, test: Test) -> float:
    """Return how often the sign test rejects: over the numbers of items with a winner, and of those that A wins.

    Examples
    --------
    >>> from howsure.planning.engines.score_sums import SumGrid
    >>> grid = SumGrid(-1, np.array([0.1, 0.2, 0.7]))
    >>> pool = Pool(1.0, grid, 0.0, 0.6, 0.0, 0.66, 0.0, 1, 1.0)
    >>> round(sign_test_power(pool, 6, Test()), 4)  # 6 : 0, or 0 : 6
    0.1176
    """
    points, shares = pool.grid.points, pool.grid.shares
    wins, losses = float(shares[points > 0].sum()), float(shares[points < 0].sum())
    decided = min(1.0, wins + losses)  # a sum of shares may exceed 1 by its rounding
    middle, reach = n_items * decided, 10 * math.sqrt(n_items * decided * (1 - decided)) + 10
    ends = max(0, math.floor(middle - reach)), min(n_items, math.ceil(middle + reach))
    numbers = np.arange(ends[0], ends[1] + 1, dtype=np.int64)
    level = test.tail * (1 + 1e-9)
    # The most losses with which that many decided items are significant; −1 where none are.
    most = np.floor(np.nan_to_num(bdtrik(level, numbers, 0.5), nan=-1.0)) + 1
    for _ in range(3):
        most = np.where((most >= 0) & (bdtr(np.maximum(most, 0), numbers, 0.5) > level), most - 1, most)
    share = wins / decided

    def at_most(rare: float) -> FloatArray:
        found = bdtr(np.clip(most, 0, numbers), numbers, rare)
        return np.where(most >= 0, found, 0.0)

    rejected = np.zeros(numbers.size)
    if test.alternative != "less":
        rejected = rejected + at_most(1 - share)
    if test.alternative != "greater":
        rejected = rejected + at_most(share)
    return min(1.0, float(_binomial(numbers, n_items, decided) @ rejected))


def _binomial(numbers: IntArray, n: int, share: float) -> FloatArray:
    if share >= 1.0:
        return np.asarray(numbers == n, dtype=np.float64)
    ways = gammaln(n + 1) - gammaln(numbers + 1) - gammaln(n - numbers + 1)
    return np.asarray(np.exp(ways + numbers * math.log(share) + (n - numbers) * math.log1p(-share)))


@lru_cache(maxsize=8)
def _lookup(pool: Pool, size: int = 1 << 18) -> FloatArray:
    """Return the scores at equally spaced quantiles, so that drawing one is looking one up; the mean stays."""
    cumulated = np.cumsum(pool.grid.shares)
    ends = np.searchsorted((np.arange(size) + 0.5) / size, cumulated / cumulated[-1], side="right")
    return np.repeat(pool.grid.points, np.diff(ends, prepend=0))


@lru_cache(maxsize=8)
def _sums(pool: Pool) -> Summands:
    return Summands(pool.grid)


def binomial_error(share: float, n: int) -> float:
    """Return the standard error of a share of n; a share of 0 or 1 has an error, too."""
    centred = (share * n + 1) / (n + 2)
    return math.sqrt(centred * (1 - centred) / n)


def _normal_density(share: float) -> float:
    z = float(ndtri(min(max(share, 1e-4), 1 - 1e-4)))
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
