"""Raters as a random factor in a comparison: whether they are one, and the error of a contrast that follows from it."""

import math
from dataclasses import dataclass, replace

import numpy as np

from assay import _check
from assay.errors import ArgumentError, DataError
from assay.inference import CombinedError, effective_df, two_way
from assay.metrics import AdditiveMetric, Metric
from assay.rating_design import design_of, rated
from assay.resampling import (
    CellTable,
    Scheme,
    cell_table,
    cluster_jackknife,
    cluster_sums,
    jackknife,
    ratio_error,
    summaries_of,
)
from assay.responses import Contest, Responses
from assay.scales import FloatArray, IntArray

FEW = 5
"""Below this many raters a note says that the data can say little about other raters."""

LEAVE_OUT = 50
"""Up to this many raters each is left out in turn; with more, draws of raters are as good and cheaper."""

PEAK = 0.648
"""Where artanh(x) (1 − x²) is largest."""


@dataclass(frozen=True, slots=True)
class RaterChoice:
    """Whether raters are drawn, the null that goes with it, and the notes that say so."""

    scheme: Scheme
    null: str
    notes: tuple[str, ...]


def choose(contest: Contest, scheme: Scheme, *, raters: str | None, null: str | None) -> RaterChoice:
    """Decide whether raters are a random factor: as asked or, when left open, by the data and what else was asked."""
    roles = rated(contest)
    if raters == "bootstrap" and not roles:
        raise DataError("raters='bootstrap' needs rater ids, and two or more raters; these data have none.")
    if raters is None:
        raters, notes = _by_the_data(contest, roles, scheme, null)
    else:
        crossed = raters == "fixed" and _crosses(contest, roles)
        notes = ["Raters are held fixed: the result speaks of these raters only."] if crossed else []
    if raters == "bootstrap":
        notes = [*notes, *_few(contest, roles)]
    chosen = replace(scheme, raters=raters)  # type: ignore[arg-type]
    return RaterChoice(chosen, null or ("random-effects" if raters == "bootstrap" else "swapped-items"), tuple(notes))


def _by_the_data(contest: Contest, roles: list[str], scheme: Scheme, null: str | None) -> tuple[str, list[str]]:
    if not roles:
        return "fixed", _unseen(contest)
    if not _crosses(contest, roles):
        return "fixed", ["Every rater judged one item only, so resampling items resamples raters too."]
    if null in (None, "random-effects", "recentred") and (scheme.items, scheme.responses) == ("bootstrap", "all"):
        n_raters = design_of(*(contest.sources[role] for role in roles)).n_raters
        return "bootstrap", [
            f"Raters are a random factor: the result speaks of raters like these {n_raters}, not of them alone "
            "(raters='fixed', --raters fixed, asks the narrower question)."
        ]
    asked = f"null={null!r}" if null not in (None, "random-effects", "recentred") else str(scheme)
    return "fixed", [f"Raters are held fixed, as {asked} asks: the result speaks of these raters only."]


def _crosses(contest: Contest, roles: list[str]) -> bool:
    return bool(roles) and design_of(*(contest.sources[role] for role in roles)).kind != "nested"


def _unseen(contest: Contest) -> list[str]:
    """Say what ratings without rater ids, or of a single rater, cannot show."""
    if contest.gold is not None:
        return []
    if contest.a.raters is not None and contest.b.raters is not None:
        return ["All ratings come from one rater. The result holds for that rater only."]
    unknown = [
        name
        for name, source in zip(contest.names[1:], (contest.a, contest.b), strict=True)
        if source.n_responses > 1 and name not in contest.repeats
    ]
    if not unknown:
        return []
    return [
        f"The responses of {' and '.join(unknown)} have no rater ids, so they count as repeats. If people gave them, "
        "name the raters (rater=…, --rater): where the same few raters judge many items, this p-value is too small and "
        "this interval too narrow."
    ]


def _few(contest: Contest, roles: list[str]) -> list[str]:
    n_raters = design_of(*(contest.sources[role] for role in roles)).n_raters
    if n_raters >= FEW:
        return []
    return [f"{n_raters} raters say little about others like them: the interval is wide for that reason."]


def clusters_of(contest: Contest, cluster: str | None, scheme: Scheme, null: str) -> tuple[IntArray | None, list[str]]:
    """Return the number of each item's cluster, and the note that says so; None when items stand alone."""
    if cluster is None:
        return None, []
    if cluster not in contest.groups:
        known = ", ".join(contest.groups) or "none"
        hint = _check.nearest(cluster, contest.groups)
        raise ArgumentError(
            f"`cluster` must name a column that describes items; got {cluster!r}. Columns: {known}.{hint}"
        )
    if scheme.responses != "all" or scheme.items != "bootstrap" or null in ("pooled-responses", "dealt-responses"):
        raise ArgumentError(
            f"`cluster` goes with all responses and items='bootstrap'; got null={null!r} with {scheme}."
        )
    names, codes = np.unique(contest.groups[cluster], return_inverse=True)
    if names.size < 2:
        raise DataError(f"all items are in one cluster ({cluster} {names[0]!r}): nothing can be said about others.")
    note = f"Items are clustered: the result speaks of others like these {names.size} values of {cluster!r}."
    return codes.astype(np.int64), [note]


def rater_error(
    contest: Contest, metric: Metric, *, both: FloatArray, raters: FloatArray, clusters: IntArray | None
) -> CombinedError:
    """Return the error of a contrast, were A and B alike, when items and raters are both random factors.

    A linear metric is the mean of an items × raters table, which analysis of variance takes apart. For the others see
    `measured_parts`; and where the contrast nears the largest that is possible, what raters do to it is no measure of
    what they would do to a contrast of zero (`saturation`).
    """
    if metric.linear:
        table = cell_table(contest, metric)
        table = table if clusters is None else _by_cluster(table, clusters)
        return two_way(table.values, items=table.items, raters=table.raters, weights=table.weights).error
    error, _ = measured_parts(contest, metric, both=both, raters=raters, clusters=clusters)
    of_raters, of_items = error.variances
    return replace(error, variances=(of_raters * _saturation(contest, metric) ** 2, of_items))


def measured_parts(
    contest: Contest, metric: Metric, *, both: FloatArray, raters: FloatArray, clusters: IntArray | None
) -> tuple[CombinedError, float]:
    """Return the error of a curved contrast, and how much of the variance of raters more items would leave as it is.

    Three variances are measured, that of items (item scores or jackknife), of raters (`raters`: draws of raters alone)
    and of both drawn together (`both`), and the part that items and raters share is what the third exceeds the sum of
    the first two by: resampled, independent noise is counted in each (Owen 2007, eq. 3).

    Drawn raters leave an item with fewer different ones: its gold gets noisier, and a contrast moves less than it
    would. So up to `LEAVE_OUT` raters their variance is that of the contrast without each of them in turn. A metric
    that counts items jumps then, as items change sides; the noise of that is known from the items and taken off, and
    since what remains is erratic, the larger of both variances is taken. Of such a metric more items leave little: most
    of what it is found to vary by are items that change sides.
    """
    items, n = item_variance(contest, metric, clusters)
    sources = [contest.sources[role] for role in rated(contest)]
    per_rater = np.bincount(np.concatenate([source.raters for source in sources if source.raters is not None]))
    per_rater = per_rater[per_rater > 0].astype(np.float64)
    r = per_rater.size
    of_raters = float(np.nanvar(raters)) * r / (r - 1)
    shared = (float(np.nanvar(both)) - (n - 1) / n * items - (r - 1) / r * of_raters) * n * r / ((n - 1) * (r - 1))
    shared = min(max(0.0, shared), items, of_raters)
    lasting = of_raters - shared
    if r <= LEAVE_OUT and (metric.smooth or isinstance(metric, AdditiveMetric)):
        left_out, jumps = _left_out_variance(contest, metric, clusters)
        if metric.smooth:
            of_raters = of_raters if math.isnan(left_out) else left_out
            lasting = max(0.0, of_raters - shared)
        else:
            of_raters = float(np.fmax(of_raters, left_out - jumps + shared))
            lasting = lasting if math.isnan(left_out) else max(0.0, left_out - jumps)
    dfs = (effective_df(np.square(per_rater)), max(1.0, n - 1.0))
    return CombinedError((of_raters, items - shared), dfs, n_resamples=both.size), lasting


def _saturation(contest: Contest, metric: Metric) -> float:
    contrast = float(metric.contrast(*summaries_of(contest, metric.needs)))
    return float(saturation(share_of(contrast, largest(contest, metric))))


def largest(contest: Contest, metric: Metric) -> float:
    """Return the largest contrast that any gold could make of these A and B; infinite for metrics without an end.

    Gold cannot be closer to A than to B by more than A and B are apart, if the metric is a distance (or counts items).
    """
    if not metric.distance:
        return math.inf
    _, a, b = summaries_of(contest, metric.needs)
    return max(abs(float(metric.contrast(model, a, b))) for model in (a, b))


def share_of(contrast: FloatArray | float, largest: float) -> FloatArray:
    """Return the contrast as a share of the largest: 0 where there is no end, or where A and B are the same."""
    return np.minimum(1.0, np.abs(contrast) / largest) if 0 < largest < math.inf else np.zeros(np.shape(contrast))


def saturation(share: FloatArray | float) -> FloatArray:
    """Return by what factor raters would move the contrast more if it were zero, given its share of the largest.

    Near the end raters hardly move a contrast, and a study whose few raters happen to lean to one side would look
    certain. On Fisher's scale, artanh(contrast / largest), they move it alike everywhere; from the point on where the
    standard error there grows faster than the estimate, the factor is that of a constant estimate (Hauck and Donner
    1977 describe the trap).

    Examples
    --------
    >>> saturation(np.array([0.0, 0.3, 0.6, 0.9])).round(3)
    array([1.   , 1.065, 1.353, 2.01 ])
    """
    share = np.maximum(share, 1e-9)  # at 0 the ratio below is 0 / 0, and next to it 1
    turned = np.minimum(share, PEAK)
    return np.asarray(share / (np.arctanh(turned) * (1 - np.square(turned))))


def _left_out_variance(contest: Contest, metric: Metric, clusters: IntArray | None) -> tuple[float, float]:
    """Return the jackknife variance of a contrast over raters, each left out of every source that they judged.

    Second, what of it comes from items that happen to change when a rater is left out: independent noise, whose size
    their scatter tells; NaN for a metric without item scores. On a complete table of a linear metric these are the
    mean squares of raters and of the residual, over the number of cells.
    """
    roles = rated(contest)
    whole = _item_contrasts(contest, metric)
    contrasts, scores = [], []
    for rater in np.unique(np.concatenate([contest.sources[role].raters for role in roles])):
        kept = {role: _without(contest.sources[role], rater) for role in roles}
        try:
            without = replace(contest, **kept).complete()  # type: ignore[arg-type]
        except DataError:  # nobody else judged anything
            continue
        contrast = float(metric.contrast(*summaries_of(without, metric.needs)))
        if math.isnan(contrast):
            continue
        contrasts.append(contrast)
        judged = np.logical_and.reduce([source.sizes > 0 for source in kept.values()])
        scores.append(whole.copy())
        scores[-1][judged] = _item_contrasts(without, metric)
    left = np.array(contrasts)
    if left.size < 2:
        return math.nan, math.nan
    units = np.arange(contest.n_items) if clusters is None else clusters
    apart = np.array(scores) - np.mean(scores, axis=0)
    jumps = sum(ratio_error(*cluster_sums(row, units)) ** 2 for row in apart)
    factor = (left.size - 1) / left.size
    return float(factor * np.square(left - left.mean()).sum()), float(factor * jumps)


def _item_contrasts(contest: Contest, metric: Metric) -> FloatArray:
    """Return the contrast of each item; NaN for a metric without item scores."""
    if not isinstance(metric, AdditiveMetric):
        return np.full(contest.n_items, np.nan)
    return np.asarray(metric.item_contrasts(*summaries_of(contest, metric.needs)))


def _without(source: Responses, rater: int) -> Responses:
    """Return the responses of all other raters, on the same items."""
    assert source.raters is not None
    kept = source.raters != rater
    sizes = np.bincount(source.items[kept], minlength=source.n_items)
    return Responses(source.values[kept], np.concatenate([[0], np.cumsum(sizes)]), source.raters[kept])


def item_variance(contest: Contest, metric: Metric, clusters: IntArray | None) -> tuple[float, int]:
    """Return the variance of the contrast that comes from items (or clusters), and their number."""
    if isinstance(metric, AdditiveMetric):
        contrasts = metric.item_contrasts(*summaries_of(contest, metric.needs))
        units = np.arange(contrasts.size) if clusters is None else clusters
        sums, sizes = cluster_sums(contrasts, units)
        return ratio_error(sums, sizes) ** 2, sums.size
    left = jackknife(contest, metric) if clusters is None else cluster_jackknife(contest, metric, clusters)
    n = contest.n_items if clusters is None else left.size
    return float((left.size - 1) / left.size * np.square(left - left.mean()).sum()), n


def _by_cluster(table: CellTable, clusters: IntArray) -> CellTable:
    """Return the table of clusters × raters: values averaged over the items of a cluster."""
    keys, cell = np.unique((clusters[table.items] << 32) | table.raters, return_inverse=True)
    weights: FloatArray = np.bincount(cell, table.weights).astype(np.float64)
    means = np.bincount(cell, table.weights * table.values) / weights
    return CellTable(means, keys >> 32, keys & 0xFFFFFFFF, weights)
