"""From a contest to an items × raters table of pseudo-responses: the linear approximation of an additive metric.

An additive advantage is a mean over items of an item advantage c. What rater r adds to item i is found by leaving r's
responses to i out of one source at a time: with c' the item advantage without them, s their share of the source's
responses to i, and ω the mean of s over the sources that have raters, the pseudo-response is

    d = c + Σ (1 − s) (c − c') / ω,

summed over those sources (Tukey's pseudo-value where there is one). The mean of the pseudo-responses, weighted by ω, is
the advantage if the metric is linear, and close to it if not. For the mean rating of two models judged by the same
raters, d is the rater's own difference between the two.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Responses, cell_codes
from howsure.data.scales import FloatArray, IntArray
from howsure.raters.design import cells_of, rated
from howsure.resampling.draws import summaries_of

CHUNK = 2**20
"""This many responses are processed together, to limit memory."""


@dataclass(frozen=True, slots=True)
class CellTable:
    """One pseudo-response for each (item, rater) pair.

    Attributes
    ----------
    values : array of float
    items, raters : array of int
    weights : array of float
        The weight of each cell in the advantage; they sum to one.
    """

    values: FloatArray
    items: IntArray
    raters: IntArray
    weights: FloatArray


def cell_table(contest: Contest, metric: Any) -> CellTable:
    """Return the pseudo-responses of an additive metric, from every source that has two or more raters."""
    roles = rated(contest)
    sources = [contest.sources[role] for role in roles]
    items, raters = cells_of(sources)
    shares = [_shares(source, items, raters) for source in sources]
    weight = np.mean(shares, axis=0)
    advantages = metric.item_advantages(*summaries_of(contest, metric.needs))
    added = np.zeros(items.size)
    per_item = np.sum([source.sizes for source in contest.sources.values()], axis=0)
    ends = np.cumsum(per_item[items]) // CHUNK
    for number in np.unique(ends):
        chosen = np.flatnonzero(ends == number)
        for role, share in zip(roles, shares, strict=True):
            part = _left_out(contest, items[chosen], raters[chosen], role)
            without = metric.item_advantages(*summaries_of(part, metric.needs))
            added[chosen] += (1 - share[chosen]) * (advantages[items[chosen]] - without)
    return CellTable(advantages[items] + added / weight, items, raters, weight / contest.n_items)


def _shares(source: Responses, items: IntArray, raters: IntArray) -> FloatArray:
    """Return the share of each cell in its item's responses."""
    cells = cell_codes(items, raters)
    where = np.searchsorted(cells, source.cells)
    return np.bincount(where, minlength=cells.size) / source.sizes[items]


def _left_out(contest: Contest, items: IntArray, raters: IntArray, role: str) -> Contest:
    """Return a contest with one item for each cell, its rater left out of one source unless nothing would remain."""
    changed = {name: source.take(items) for name, source in contest.sources.items()}
    taken = changed[role]
    kept = taken.raters != raters[taken.items]
    empty = np.bincount(taken.items[kept], minlength=items.size) == 0
    changed[role] = taken.keep(kept | empty[taken.items])
    return replace(contest.having(changed), items=contest.items[items], groups={}, notes=())
