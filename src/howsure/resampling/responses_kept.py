"""Which responses a scheme keeps of each item before anything is drawn: all, the first, or equally many of A and B."""

from dataclasses import replace

import numpy as np

from howsure.contests import Contest
from howsure.resampling.schemes import Scheme
from howsure.responses import Responses


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


def kept_responses(contest: Contest, scheme: Scheme) -> Contest:
    """Return the contest with the responses that a scheme keeps of each item, or may draw from."""
    if scheme.responses == "first":
        return first_responses(contest)
    return equal_responses(contest) if scheme.responses == "equal" else contest
