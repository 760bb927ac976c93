"""Which responses a scheme keeps of each item before anything is drawn: all, the first, or equally many of A and B."""

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Labels, Responses
from howsure.resampling.schemes import Scheme

MANY = np.iinfo(np.int64).max
"""More responses than any item has."""


def first_responses(contest: Contest) -> Contest:
    """Return the contest with only the first response of each source to each item."""

    def first(source: Responses) -> Responses:
        if source.weights is not None:
            return source
        where = source.offsets[:-1]
        raters = None if source.raters is None else source.raters[where]
        return Responses(source.values[where], np.arange(source.n_items + 1), raters)

    return contest.having({role: first(source) for role, source in contest.sources.items()})


def equal_responses(contest: Contest) -> Contest:
    """Return the contest with as many responses of A as of B to each item, the first ones of each; gold keeps all.

    A source that answers with probabilities has no number of responses, and nothing is taken away.
    """
    if contest.a.weights is not None or contest.b.weights is not None:
        return contest
    sizes = np.minimum(contest.a.sizes, contest.b.sizes)

    def cut(source: Responses) -> Responses:
        place = np.arange(source.values.size) - np.repeat(source.offsets[:-1], source.sizes)
        return source.keep(place < np.repeat(sizes, source.sizes))

    return replace(contest, a=cut(contest.a), b=cut(contest.b))


def equally_many(contest: Contest) -> Contest:
    """Return the contest with as many responses of A as of B to each item, chosen at random; gold keeps all."""
    a, b = with_equal_runs([contest.a, contest.b], contest.items)
    return replace(contest, a=a, b=b)


def with_equal_runs(sources: Sequence[Responses], items: Labels) -> list[Responses]:
    """Return sources with as many responses to an item as the one with the fewest has, chosen at random.

    A source that did not answer an item at all does not count. What is chosen hangs on the item's name and on the
    responses, not on their order or on that of the items.
    """
    sizes = np.min([np.where(source.sizes > 0, source.sizes, MANY) for source in sources], axis=0)
    names = np.array([crc32(str(item).encode(errors="replace")) for item in items], dtype=np.uint64)
    first, step = np.uint64(1442695040888963407), np.uint64(6364136223846793005)  # a congruential step (Knuth's MMIX)

    def chosen(source: Responses) -> Responses:
        by_value = np.lexsort((source.values, source.items))
        place = np.arange(source.values.size) - np.repeat(source.offsets[:-1], source.sizes)
        lots = ((names[source.items] << np.uint64(16)) + place.astype(np.uint64)) * step + first
        lots = (lots ^ (lots >> np.uint64(32))) * step
        drawn = by_value[np.lexsort((lots, source.items))]  # the responses of an item in the order of their lots
        keep = np.zeros(source.values.size, dtype=bool)
        keep[drawn[place < np.repeat(sizes, source.sizes)]] = True
        return source.keep(keep)

    return [source if (source.sizes <= sizes).all() else chosen(source) for source in sources]


def kept_responses(contest: Contest, scheme: Scheme) -> Contest:
    """Return the contest with the responses that a scheme keeps of each item, or may draw from."""
    if scheme.responses == "first":
        return first_responses(contest)
    return equal_responses(contest) if scheme.responses == "equal" else contest
