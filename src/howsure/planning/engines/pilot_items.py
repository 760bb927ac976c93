"""The items of a pilot: subsets of their responses, the distribution of their advantages, and how items are moved."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from howsure.contests import Contest
from howsure.errors import ArgumentError
from howsure.planning.differences import Effect
from howsure.planning.engines.exact import PoolPair
from howsure.planning.engines.grid_shapes import bent, symmetrised, tilted
from howsure.planning.engines.score_pools import ON_GRID, Pool, grid_step
from howsure.planning.engines.score_sums import SumGrid
from howsure.responses import Responses, cluster_codes
from howsure.scales import FloatArray
from howsure.summaries import grid as rows_of


@dataclass(frozen=True, slots=True, eq=False)
class PilotAdvantages:
    """The advantages of the pilot's items at one number of responses: mean and mean square of each item.

    Beyond the pilot, the model adds `shift` to the mean and multiplies the variance by `stretch`.
    """

    pair: PoolPair
    null: Pool
    means: FloatArray
    squares: FloatArray
    shift: float = 0.0
    stretch: float = 1.0

    def variances(self, weights: FloatArray) -> FloatArray:
        """Return the variance of single items' advantages for rows of weights."""
        return np.maximum(weights @ self.squares - np.square(weights @ self.means), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which items belong together: a study draws whole clusters, and its test exchanges whole clusters.

    Attributes
    ----------
    codes : array of int
        The cluster of each item.
    sizes : array of float
        The items of each cluster.
    """

    codes: npt.NDArray[np.int64]
    sizes: FloatArray

    @classmethod
    def of(cls, contest: Contest, cluster: str) -> "Clusters":
        """Take the clusters of a column."""
        _, codes = cluster_codes(contest.groups, cluster)
        return cls(codes, np.bincount(codes).astype(np.float64))

    @property
    def n(self) -> int:
        """How many there are."""
        return self.sizes.size

    @property
    def per_cluster(self) -> float:
        """Items of a cluster, on average."""
        return float(self.sizes.mean())

    def sums(self, values: FloatArray) -> FloatArray:
        """Return sums over the items of each cluster, along the last axis."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))

    def weighed(self, weights: FloatArray) -> FloatArray:
        """Return how much each cluster counts, given how much its items do."""
        found = self.sums(weights) / self.sizes
        return np.asarray(found / found.sum(axis=-1, keepdims=True))

    def advantages(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the advantage of each cluster, (sets, clusters): how far it moves the mean over all items.

        For clusters of equal size it is their mean; large ones move the mean more, as they do in `compare`.
        """
        mean = math.fsum(weights * scores.mean(axis=0))
        off = self.sums(weights * (scores - mean)) / self.sums(weights)
        return np.asarray(mean + self.sizes / self.per_cluster * off)

    def variances(self, weights: FloatArray, means: FloatArray, squares: FloatArray) -> FloatArray:
        """Return the variance of these advantages for rows of weights, from mean and mean square of each item."""
        centre = (weights @ means)[:, np.newaxis]
        inside = self.sums(weights)
        inside = np.where(inside > 0, inside, 1.0)  # a cluster that was not drawn does not count
        off = self.sums(weights * means) / inside - centre
        noise = self.sums(np.square(weights) * np.maximum(squares - np.square(means), 0.0)) / np.square(inside)
        each = np.square(self.sizes / self.per_cluster) * (np.square(off) + noise)
        return np.asarray((self.weighed(weights) * each).sum(axis=1))


def subsets(side: Responses, k: int, n_sets: int, stream: np.random.Generator) -> FloatArray:
    """Draw k of each item's responses without replacement: (sets, items, k); an item with fewer gives some twice."""
    rows, sizes = rows_of(side), side.sizes
    chosen = np.empty((n_sets, len(rows), k))
    columns = np.arange(k) % sizes[:, np.newaxis]
    beyond = np.arange(rows.shape[1]) >= sizes[:, np.newaxis]
    uneven = bool((sizes < k).any())
    first = rows.shape[1] * np.arange(len(rows))[:, np.newaxis]  # where the responses of each item begin
    for start in range(0, n_sets, 16):
        part = slice(start, min(start + 16, n_sets))
        keys = stream.random((part.stop - start, *rows.shape))
        keys[:, beyond] = 2.0
        order = np.argsort(keys, axis=-1)
        picked = np.take_along_axis(order, columns[np.newaxis], axis=-1) if uneven else order[..., :k]
        np.take(rows, picked + first, out=chosen[part])
    return chosen


def pool_of(scores: FloatArray, weights: FloatArray, *, step: float | None = None, unbiased: bool = True) -> Pool:
    """Return the distribution of a score: every set of responses counts equally, every item by its weight."""
    n_sets, n_items = scores.shape
    step = grid_step(scores.ravel()) if step is None else step
    scaled = scores / step
    points = np.rint(scaled)
    low = int(points.min())
    counts = np.bincount((points - low).astype(np.int64).ravel(), np.tile(weights / n_sets, n_sets))
    means = scores.mean(axis=0)
    mean = math.fsum(weights * means)  # an advantage of zero is zero, without the rounding of a sum
    of_squares = float(weights @ np.square(scores).mean(axis=0))
    kish = float(np.square(weights).sum()) if unbiased else 0.0
    # Items that were drawn vary less around their own mean than around that of all items.
    variance = max(of_squares - mean**2, 0.0) / (1 - kish) if kish < 1 else 0.0
    error = 0.0
    if n_sets > 1:
        error = math.sqrt(float(np.square(weights) @ scores.var(axis=0, ddof=1)) / n_sets)
    grid = bent(SumGrid(low, counts / counts.sum()), mean / step, variance / step**2)
    off_grid = float(np.mean(np.abs(scaled - points) > ON_GRID))
    return Pool(step, grid, off_grid, mean, error, math.sqrt(variance), 0.0, n_items, max(n_items * n_sets, 1.0))


def mirrored(pool: Pool) -> Pool:
    """Return the pool made symmetric around zero."""
    grid = symmetrised(pool.grid)
    return replace(pool, grid=grid, mean=0.0, standard_error=0.0, sd=math.sqrt(grid.variance) * pool.step)


def moved_pool(pool: Pool, mean: float) -> Pool | None:
    """Return the pool with another mean; scores of zero keep their share. None where no weights give that mean."""
    points, shares = pool.grid.points, pool.grid.shares
    zero = points == 0
    ties = 0.0 if pool.off_grid else float(shares[zero].sum())
    if pool.off_grid:
        zero = np.zeros_like(zero)
    if ties >= 1:
        return None
    wanted = mean / pool.step / (1 - ties)
    rest = np.where(zero, 0.0, shares) / (1 - ties)
    likely = points[rest > 0]
    if not likely.min() < wanted < likely.max():
        return None
    moved = tilted(SumGrid(pool.grid.low, rest), wanted)
    if abs(moved.mean - wanted) > 1e-6 * max(1.0, abs(wanted)):
        return None
    grid = SumGrid(pool.grid.low, moved.shares * (1 - ties) + np.where(zero, shares, 0.0))
    return replace(pool, grid=grid, mean=mean, sd=math.sqrt(grid.variance) * pool.step)


def moved_weights(advantages: FloatArray, weights: FloatArray, effect: Effect, *, strict: bool = True) -> FloatArray:
    """Return weights exp(θ d) of the items, with θ such that each row's mean advantage is the effect's; ties stay.

    Rows for which there is no such θ keep their weights, unless that is an error (`strict`).
    """
    largest = float(np.abs(advantages).max())
    tied = np.abs(advantages) <= 1e-12 * max(largest, 1e-300)
    ties = weights[:, tied].sum(axis=1)
    rest = np.where(tied, 0.0, weights)
    reach = advantages[~tied]
    can = np.zeros(len(weights), dtype=bool)
    if reach.size:
        wanted = effect.advantage / np.maximum(1 - ties, 1e-300)
        top = np.where(rest > 0, advantages, -np.inf).max(axis=1)
        bottom = np.where(rest > 0, advantages, np.inf).min(axis=1)
        can = (bottom < wanted) & (wanted < top)
    if strict and not can.all():
        differ = 1 - float(ties[0])
        most = differ * float(reach.max()) if reach.size else 0.0
        raise ArgumentError(
            f"an advantage of {effect.advantage:g} in {effect.metric.name} is not possible with the "
            f"pilot's items: A and "
            f"B differ on {100 * differ:.0f}% of them, and the largest is {most:.4g}."
        )
    z = advantages / max(largest, 1e-300)
    goal = np.where(can, effect.advantage / np.maximum(1 - ties, 1e-300) / max(largest, 1e-300), 0.0)
    low, high = np.full(len(weights), -200.0), np.full(len(weights), 200.0)
    middle, out = np.zeros(len(weights)), rest
    for _ in range(48):
        logs = middle[:, np.newaxis] * z
        logs -= logs.max(axis=1, keepdims=True)
        out = np.exp(logs, out=logs)
        out *= rest
        out /= np.maximum(out.sum(axis=1, keepdims=True), 1e-300)
        off = out @ z - goal
        if np.abs(off[can]).max(initial=0.0) < 1e-14:
            break
        low, high = np.where(off > 0, low, middle), np.where(off > 0, middle, high)
        # Newton's step, as the mean grows with θ by the variance; halving where that leaves what is left of the range.
        middle = middle - off / np.maximum(out @ np.square(z) - np.square(off + goal), 1e-300)
        middle = np.where((low <= middle) & (middle <= high), middle, (low + high) / 2)
    moved = out * (1 - ties)[:, np.newaxis] + np.where(tied, weights, 0.0)
    return np.where(can[:, np.newaxis], moved, weights)
