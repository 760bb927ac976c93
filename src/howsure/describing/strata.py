"""An advantage by how far gold agrees on an item: a model may be better only where people agree."""

import math
from dataclasses import dataclass

import numpy as np

from howsure.comparison.moments import item_scores
from howsure.data.contests import Contest
from howsure.data.responses import Responses, group_codes
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.inference import ConfidenceInterval
from howsure.inference.combined_error import CombinedError
from howsure.metrics import AdditiveMetric, Metric
from howsure.resampling import summaries_of
from howsure.resampling.clusters import cluster_df, cluster_sums, ratio_error

MOST_LEVELS = 4
"""Up to this many different degrees of agreement are strata of their own; more are cut into three."""
NAMES = ("agree least", "in between", "agree most")


@dataclass(frozen=True, slots=True)
class Stratum:
    """The items on which gold's raters agree about as much.

    Attributes
    ----------
    name : str
    n_items : int
    agreement : float
        On labels the share of pairs of responses that are equal, else the standard deviation of responses; its mean
        over the items.
    a_score, b_score : float
        Of each model on these items; NaN for a metric that exists only between two models.
    advantage : float
    confidence_interval : ConfidenceInterval
        For these raters: items (or clusters of items) alone are taken as a sample.
    """

    name: str
    n_items: int
    agreement: float
    a_score: float
    b_score: float
    advantage: float
    confidence_interval: ConfidenceInterval


def item_agreement(responses: Responses, scale: Scale) -> FloatArray:
    """Return how far the responses to each item agree; NaN for items with one response or none.

    On labels it is the share of pairs that are equal, on numbers and ordered labels minus the standard deviation.

    Examples
    --------
    >>> from howsure.data.scales import Scale
    >>> item_agreement(Responses([0, 0, 1, 2, 2], [0, 3, 5]), Scale("nominal", (0.0, 1.0, 2.0))).round(3).tolist()
    [0.333, 1.0]
    """
    sizes, items = responses.sizes, responses.items
    with np.errstate(invalid="ignore", divide="ignore"):
        if scale.kind == "nominal":
            levels, codes = np.unique(responses.values, return_inverse=True)
            counts = np.unique(items * levels.size + codes, return_counts=True)
            pairs = np.bincount(counts[0] // levels.size, counts[1] * (counts[1] - 1), responses.n_items)
            return np.asarray(np.where(sizes > 1, pairs / (sizes * (sizes - 1)), np.nan))
        means = np.bincount(items, responses.values, responses.n_items) / sizes
        squares = np.bincount(items, np.square(responses.values - means[items]), responses.n_items)
        return np.asarray(np.where(sizes > 1, -np.sqrt(squares / (sizes - 1)), np.nan))


def strata_of(
    contest: Contest, metric: Metric, *, cluster: str | None = None, confidence_level: float = 0.95
) -> tuple[Stratum, ...]:
    """Return the advantage where gold's raters agree least, in between and most; nothing where that cannot be told."""
    if contest.gold is None or contest.gold.weights is not None or not isinstance(metric, AdditiveMetric):
        return ()
    bound = metric.on(contest.scale)
    found = item_scores(bound, *summaries_of(contest, bound.needs), contest.items)
    agreed = item_agreement(contest.gold, contest.scale)
    places = _places(agreed)
    if found is None or places is None:
        return ()
    clusters = None if cluster is None else group_codes(contest.groups, "cluster", cluster)[1]
    strata = []
    for number in np.unique(places[places >= 0]).tolist():
        here = np.flatnonzero(places == number)
        sides = [float(side[here].mean()) if side.size else math.nan for side in (found.a, found.b)]
        own = found.advantages[here]
        units = np.arange(here.size) if clusters is None else np.unique(clusters[here], return_inverse=True)[1]
        error = _error(own, units)
        strata.append(
            Stratum(
                name=_name(number, int(places.max()), float(np.abs(agreed[here]).mean()), contest.scale),
                n_items=here.size,
                agreement=float(np.abs(agreed[here]).mean()),
                a_score=sides[0],
                b_score=sides[1],
                advantage=float(own.mean()),
                confidence_interval=error.interval(float(own.mean()), confidence_level=confidence_level),
            )
        )
    return tuple(strata)


def _places(agreed: FloatArray) -> IntArray | None:
    """Return the stratum of each item, 0 for the least agreement; −1 for items with one response."""
    known = ~np.isnan(agreed)
    levels, codes = np.unique(agreed[known].round(9), return_inverse=True)
    if levels.size < 2:
        return None
    places = np.full(agreed.size, -1, dtype=np.int64)
    if levels.size <= MOST_LEVELS:
        places[known] = codes
        return places
    cuts = np.quantile(agreed[known], [1 / 3, 2 / 3])
    thirds = np.searchsorted(cuts, agreed[known], side="right")
    places[known] = np.unique(thirds, return_inverse=True)[1]
    return places if places.max() > 0 else None


def _name(number: int, last: int, agreement: float, scale: Scale) -> str:
    if last == len(NAMES) - 1:
        return NAMES[number]
    if number in (0, last):
        return NAMES[0 if number == 0 else -1]
    if scale.kind == "nominal":
        return f"{100 * agreement:.0f}% of pairs agree"
    return f"standard deviation {agreement:.3g}"


def _error(advantages: FloatArray, units: IntArray) -> CombinedError:
    sums, sizes = cluster_sums(advantages, units)
    if sums.size < 2:
        return CombinedError((0.0,), (1.0,))
    return CombinedError((ratio_error(sums, sizes) ** 2,), (max(1.0, cluster_df(sizes)),))
