"""The error of an advantage when items and raters are both random factors."""

import math
from dataclasses import dataclass

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.documents.numbers import number
from howsure.errors import DataError
from howsure.inference.combined_error import CombinedError
from howsure.metrics import AdditiveMetric, Metric
from howsure.raters.components import TwoWay, components_of, effective_df
from howsure.raters.design import leave_out_raters, overlap, rated, raters_of
from howsure.resampling import (
    CellTable,
    Stack,
    cell_table,
    cluster_df,
    cluster_sums,
    jackknife,
    ratio_error,
    summaries_of,
)

LEAVE_OUT = 50
"""Up to this many raters each is left out in turn; with more, draws of raters are as precise and cheaper."""

PEAK = 0.5183
"""Where (artanh(x) (1 − x²))² / x is largest."""


@dataclass(frozen=True, slots=True)
class RaterError:
    """An advantage with its error from items and raters.

    Attributes
    ----------
    error : CombinedError or None
        The parts of raters, and of items beyond them, if A and B are equal; None where raters are held fixed.
    advantage : float, optional
        The advantage that the error belongs to, where it is not that of plain means: ratings are weighted so that
        raters of many items do not dominate it.
    scores : tuple of float, optional
        The scores of A and B with the same weights.
    """

    error: CombinedError | None
    advantage: float | None = None
    scores: tuple[float, float] | None = None

    def is_weighted(self, plain: float, rounding: float) -> bool:
        """Whether the advantage differs from the plain one."""
        return self.advantage is not None and abs(self.advantage - plain) > rounding

    def note(self, plain: tuple[float, float]) -> str:
        """Return why scores and advantage are not the plain ones, which are given."""
        plain_a, plain_b = (number(score) for score in plain)
        return (
            "Raters judged unequal numbers of items. Scores and their difference are weighted so that the busiest "
            f"raters do not dominate them; the plain means are {plain_a} and {plain_b}."
        )


def rater_error(
    contest: Contest, metric: Metric, *, both: FloatArray, raters: FloatArray, clusters: IntArray | None
) -> RaterError:
    """Return an advantage's error when items and raters are both random factors.

    A linear metric is the mean of an items × raters table, which a mixed model splits; where some raters are busier
    than others, the most precise weights are taken. The error of any other metric with item scores comes from the table
    of its pseudo-responses (`curved_error`), that of one without from draws (`_measured_error`: `both` and `raters`).
    """
    if isinstance(metric, AdditiveMetric) and not metric.linear:
        return RaterError(curved_error(contest, metric, clusters))
    if not metric.linear:
        return RaterError(_measured_error(contest, metric, both=both, raters=raters, clusters=clusters))
    best = clusters is None and _paired(contest)
    components = components_of(_units_by_raters(contest, metric, clusters), best=best)
    if not best or components.weights is None:
        return RaterError(components.error)
    # Each rater gave one rating to each output of an item: in the order of the cells they have the cells' weights.
    of_a, of_b = (float(components.weights @ side.values[np.argsort(side.cells)]) for side in (contest.a, contest.b))
    return RaterError(components.error, components.mean, (of_a, of_b))


def _paired(contest: Contest) -> bool:
    """Whether every rater judged A and B on the same items, once each: then all cells are equally precise."""
    a, b = contest.a, contest.b
    if contest.gold is not None or overlap(a, b).cells != 1:
        return False
    n_cells = len({*zip(a.items.tolist(), a.raters.tolist(), strict=True)}) if a.raters is not None else 0
    return n_cells == a.values.size == b.values.size


def _units_by_raters(contest: Contest, metric: Metric, clusters: IntArray | None) -> CellTable:
    """Return the pseudo-responses of a metric, items × raters or clusters × raters."""
    table = cell_table(contest, metric)
    return table if clusters is None else table.by_cluster(clusters)


def curved_error(contest: Contest, metric: AdditiveMetric, clusters: IntArray | None) -> CombinedError:
    """Return the error of an advantage that is a mean of item scores, by its table of pseudo-responses.

    The variance of items is that of the item advantages. It includes the noise of single pseudo-responses, as does the
    part of raters, and the noise must count once. With more than two raters it is moved to the part of items, which has
    many degrees of freedom, up to half of the other variance of items (measured, docs/evidence/raters.md). Where the
    advantage comes close to the largest possible one, raters move it less than they would move an advantage of zero
    (`saturation`).
    """
    parts = curved_parts(contest, metric, clusters)
    moved = min(parts.noise, parts.items / 2) if parts.table.n_raters > 2 else 0.0
    of_raters, df = parts.of_raters
    more = (saturation_of(contest, metric) ** 2 - 1) * max(0.0, of_raters - parts.noise)
    return CombinedError((max(0.0, of_raters - moved) + more, parts.items + moved), (df, max(1.0, parts.n - 1.0)))


@dataclass(frozen=True, slots=True)
class CurvedParts:
    """The variance of a curved advantage: raters (noise included), noise, and items beyond it; n items or clusters."""

    table: TwoWay
    noise: float
    items: float
    n: float

    @property
    def of_raters(self) -> tuple[float, float]:
        """The part of raters with its degrees of freedom."""
        error = self.table.error
        return (error.variances[0], error.dfs[0]) if len(error.dfs) > 1 else (0.0, 1.0)


def curved_parts(contest: Contest, metric: AdditiveMetric, clusters: IntArray | None) -> CurvedParts:
    """Split the variance of a curved advantage into its parts."""
    table = _units_by_raters(contest, metric, clusters)
    found = components_of(table)
    whole, n = _item_variance(contest, metric, clusters)
    noise = found.residual * float(np.square(table.weights / table.weights.sum()).sum())
    noise = 0.0 if math.isnan(noise) else min(max(0.0, noise), whole)
    return CurvedParts(found, noise, whole - noise, n)


def _measured_error(
    contest: Contest, metric: Metric, *, both: FloatArray, raters: FloatArray, clusters: IntArray | None
) -> CombinedError:
    """Return the error of an advantage without item scores.

    Three variances are measured: of items (jackknife), of raters (`raters`: draws of raters alone) and of both drawn
    together (`both`). The third minus the first two is the part that items and raters share, because each of the three
    counts independent noise (Owen 2007, eq. 3).

    Drawn raters leave an item with fewer different raters: its gold gets noisier, and an advantage moves less than it
    should. So for up to `LEAVE_OUT` raters and a smooth metric, the variance of raters comes from leaving out each
    rater in turn. A metric that is not smooth jumps when a rater is left out.
    """
    items, n = _item_variance(contest, metric, clusters)
    sources = [contest.sources[role] for role in rated(contest)]
    per_rater = np.bincount(np.concatenate([source.raters for source in sources if source.raters is not None]))
    per_rater = per_rater[per_rater > 0].astype(np.float64)
    r = per_rater.size
    of_raters = _variance(raters) * r / (r - 1)
    shared = (_variance(both) - (n - 1) / n * items - (r - 1) / r * of_raters) * n * r / ((n - 1) * (r - 1))
    shared = min(max(0.0, shared), items, of_raters)
    if r <= LEAVE_OUT and metric.smooth:
        left_out = _left_out_variance(contest, metric)
        of_raters = of_raters if math.isnan(left_out) else left_out
    dfs = (effective_df(np.square(per_rater)), max(1.0, n - 1.0))
    factor = saturation_of(contest, metric)
    return CombinedError((of_raters * factor**2, items - shared), dfs, n_resamples=both.size)


def _variance(draws: FloatArray) -> float:
    """Return the variance of the draws that are defined; undefined where none is."""
    return float(np.nanvar(draws)) if np.isfinite(draws).any() else math.nan


def largest(contest: Contest, metric: Metric) -> float:
    """Return the largest advantage that these A and B could have with any gold; infinite where there is no maximum.

    Gold cannot be closer to A than to B by more than A and B are apart, if the metric is a distance (or counts items).
    """
    if not metric.distance:
        return math.inf
    _, a, b = summaries_of(contest, metric.needs)
    return max(abs(float(metric.advantage(model, a, b))) for model in (a, b))


def share_of(advantage: FloatArray | float, largest: float) -> FloatArray:
    """Return the advantage as a share of the largest: 0 where there is no maximum, or where A and B are the same."""
    return np.minimum(1.0, np.abs(advantage) / largest) if 0 < largest < math.inf else np.zeros(np.shape(advantage))


def saturation(share: FloatArray | float) -> FloatArray:
    """Return by what factor raters would move the advantage more if it were zero, given its share of the largest.

    Near the maximum raters hardly move an advantage, and a study whose few raters happen to lean to one side would look
    certain: with the error at hand, wins rejected 9% of true nulls with five raters. On Fisher's scale,
    artanh(advantage / largest), they move it equally everywhere; beyond the point where the standard error there grows
    faster than the estimate, the factor is that of a constant estimate (the problem that Hauck and Donner 1977
    describe). The factor is squared: raters who all lean to one side also show too little of how much raters differ,
    and measured levels confirm that this is needed (docs/evidence/raters.md). Only the part of raters is scaled: items
    are many, and the test on Fisher's scale would lose power where they are few.

    Examples
    --------
    >>> saturation(np.array([0.0, 0.3, 0.6, 0.9])).round(3)
    array([1.   , 1.134, 1.764, 2.647])
    """
    share = np.maximum(share, 1e-9)  # at 0 the ratio below is 0 / 0, and next to it 1
    turned = np.minimum(share, PEAK)
    return np.asarray(share * turned / np.square(np.arctanh(turned) * (1 - np.square(turned))))


def saturation_of(contest: Contest, metric: Metric) -> float:
    """Return the factor of the advantage that the contest has."""
    advantage = float(metric.advantage(*summaries_of(contest, metric.needs)))
    return float(saturation(share_of(advantage, largest(contest, metric))))


def _left_out_variance(contest: Contest, metric: Metric) -> float:
    """Return the jackknife variance of an advantage over raters, each left out of every source that they judged."""
    roles = rated(contest)
    advantages = []
    for rater in raters_of(contest.sources[role] for role in roles):
        kept = {role: leave_out_raters(contest.sources[role], rater) for role in roles}
        try:
            without = contest.having(kept).complete()
        except DataError:  # nobody else judged anything
            continue
        advantage = float(metric.advantage(*summaries_of(without, metric.needs)))
        if not math.isnan(advantage):
            advantages.append(advantage)
    return _jackknife_variance(np.array(advantages)) if len(advantages) > 1 else math.nan


def _item_variance(contest: Contest, metric: Metric, clusters: IntArray | None) -> tuple[float, float]:
    """Return the variance of the advantage that comes from items (or clusters), and how many there are.

    Clusters of unequal sizes count for fewer: one more than the degrees of freedom of their error.
    """
    if isinstance(metric, AdditiveMetric):
        advantages = metric.item_advantages(*summaries_of(contest, metric.needs))
        units = np.arange(advantages.size) if clusters is None else clusters
        sums, sizes = cluster_sums(advantages, units)
        return ratio_error(sums, sizes) ** 2, cluster_df(sizes) + 1
    [left] = jackknife(Stack(contest), metric, clusters)
    n = contest.n_items if clusters is None else cluster_df(np.bincount(clusters).astype(np.float64)) + 1
    return _jackknife_variance(left), n


def _jackknife_variance(left_out: FloatArray) -> float:
    """Return the variance of an estimate from what it is without each unit in turn."""
    return float((left_out.size - 1) / left_out.size * np.square(left_out - left_out.mean()).sum())
