"""Intervals of pairs that agree with their test: they exclude 0 exactly where the adjusted p-value rejects.

The test settles clear pairs first and corrects the others for fewer pairs, whereas intervals that hold together are
always corrected for all of them. Where the two disagree about 0, the test decides and the end next to 0 is moved there.
Such ends are those of the simultaneous confidence bounds that belong to a stepdown test (Strassburger and Bretz 2008,
Statistics in Medicine 27, 4914-4927): a pair that is rejected later than in the first step has 0 as its bound. What
agreement does to coverage is measured in docs/evidence/leaderboards.md.
"""

import math
from dataclasses import replace

import numpy as np

from howsure.comparison import compare
from howsure.inference.estimate import alpha_of
from howsure.leaderboards.pairs import Findings, PairSettings
from howsure.leaderboards.units import LeaderboardData
from howsure.nulls import NULLS

NEXT_TO_0 = 1e-6
"""An end at 0 that does not belong to the interval is this share of the advantage: far less than is printed."""


def of_two_models(
    found: Findings, data: LeaderboardData, settings: PairSettings, *, cluster: str | None
) -> tuple[Findings, list[str]]:
    """Return what `compare` says of the only pair, in place of what all pairs of a larger leaderboard get, and notes.

    `data` has the items that both models answered. The result holds for these raters.
    """
    [first], [second] = settings.pairs.first, settings.pairs.second
    if found.alike is not None and found.alike[0]:
        return found, []
    answer = compare(
        replace(data, table=replace(data.table, notes=())).contest(data.models[first], data.models[second]),
        metric=data.metric,
        raters="fixed",
        cluster=cluster,
        rng=settings.seed,
        workers=settings.workers,
        n_resamples=None if settings.count_all else settings.n_resamples,
        confidence_level=settings.level,
    )
    ends = answer.confidence_interval
    return replace(
        found,
        advantages=np.array([answer.advantage]),
        low=np.array([ends.low]),
        high=np.array([ends.high]),
        errors=np.array([answer.standard_error]),
        pvalues=np.array([answer.pvalue]),
        adjusted=np.array([answer.pvalue]),
        null=NULLS[answer.null],
        exact=answer.exact,
    ), list(answer.notes)


def agreeing(found: Findings, settings: PairSettings, *, largest: float = math.inf) -> Findings:
    """Return the findings with intervals that exclude 0 exactly where the adjusted p-value is at most α.

    No end lies beyond the `largest` difference that two models can have. The rank that a model has by itself follows:
    it takes account of every pair that differs significantly.
    """
    low, high = np.maximum(found.low, -largest), np.minimum(found.high, largest)
    centre = np.where(np.isnan(found.advantages), (low + high) / 2, found.advantages)
    rejects = found.adjusted <= alpha_of(settings.level)
    next_to_0 = NEXT_TO_0 * centre
    low = np.where(rejects & (centre > 0), np.maximum(low, next_to_0), np.where(rejects, low, np.minimum(low, 0.0)))
    high = np.where(rejects & (centre < 0), np.minimum(high, next_to_0), np.where(rejects, high, np.maximum(high, 0.0)))
    size = np.abs(centre)
    marginal = np.where(rejects, np.minimum(found.marginal, (1 - NEXT_TO_0) * size), found.marginal)
    if settings.pairs.baseline is not None or settings.pairs.first.size == 1:  # no pair is asked about by itself
        marginal = np.where(rejects, marginal, np.maximum(marginal, size))
    return replace(found, low=low, high=high, marginal=marginal)
