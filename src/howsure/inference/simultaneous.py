"""Several advantages judged together: p-values and intervals that hold jointly, and what they say about ranks.

Advantages of many models are differences of few sums, so a pair's draws are made when they are looked at and never
kept. A *sum* is one number for each model and draw; the draws of a pair are the difference of two rows.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError
from howsure.inference.corrections import adjust
from howsure.inference.pvalues import tie_tolerance

BoolArray = npt.NDArray[np.bool_]

MOST_GROUPS = 1000
"""More maximal groups than this help nobody; the search for them stops."""


def adjust_stepdown(statistics: npt.ArrayLike, null_statistics: npt.ArrayLike, *, exact: bool = False) -> FloatArray:
    """Return p-values adjusted by the maximum of what is left (Westfall and Young 1993, algorithm 4.1).

    The largest statistic is compared with the largest of all null statistics, the second largest with the largest of
    the others, and so on: a question that is settled no longer counts. It uses how the statistics move together, so it
    finds more than Holm's correction where they do. Like Holm's, it bounds the probability of any false finding.

    Parameters
    ----------
    statistics : array of float
        One for each question, on a common scale (|t|, or −log p); larger is more extreme. NaN stays NaN.
    null_statistics : array, (draws, questions)
        The same statistics in draws in which all nulls hold, drawn jointly.
    exact : bool
        Whether the draws are all there are; else the data are counted as one more draw.

    Examples
    --------
    >>> draws = np.abs(np.random.default_rng(0).normal(size=(9999, 3)))
    >>> adjust_stepdown([3.2, 2.3, 0.4], draws).round(3)
    array([0.004, 0.043, 0.697])
    """
    observed = np.asarray(statistics, dtype=np.float64)
    null = np.asarray(null_statistics, dtype=np.float64)
    if null.ndim != 2 or observed.ndim != 1 or null.shape[1] != observed.size:
        raise ArgumentError(f"`null_statistics` must be draws × {observed.size}; got the shape {null.shape}.")
    known = np.concatenate([observed[~np.isnan(observed)], null[~np.isnan(null)]])
    lowest = float(known.min()) if known.size else 0.0
    sums = np.zeros((observed.size + 1, null.shape[0]))
    sums[:-1] = np.nan_to_num(null.T - lowest, nan=0.0)
    first = np.arange(observed.size)
    return adjust_pairs(observed - lowest, sums, first=first, second=np.full_like(first, observed.size), exact=exact)


def adjust_smallest(pvalues: npt.ArrayLike, tails: npt.ArrayLike, *, exact: bool = False) -> FloatArray:
    """Return p-values adjusted by the smallest of what is left (min-p; Westfall and Young 1993, algorithm 4.2).

    It suits questions whose statistics have no common scale. Adjusted p-values keep the order of the p-values, and are
    never above Holm's: rounding aside, as many draws have a smallest tail below p as Bonferroni's sum allows.

    Parameters
    ----------
    pvalues : array of float, (questions,)
        NaN stays NaN.
    tails : array, (questions, draws)
        The p-value that each null draw would have had (`tails_among`), drawn jointly.
    exact : bool
        Whether the draws are all there are.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(2, 999))
    >>> adjust_smallest([0.01, 0.2], [tails_among(one) for one in draws]).round(3)
    array([0.017, 0.2  ])
    """
    own = np.asarray(pvalues, dtype=np.float64)
    together = adjust_stepdown(-own, -np.asarray(tails, dtype=np.float64).T, exact=exact)
    return np.asarray(np.fmin(np.fmax(together, own), adjust(own, method="holm")))


def tails_among(draws: FloatArray, observed: float = math.nan, alternative: str = "two-sided") -> FloatArray:
    """Return the p-value that each null draw would have among all of them; NaN for an undefined one.

    `observed` is what the data have, counted as one more draw as it is for their own p-value: without it the smallest
    p-value of a draw would be above the smallest of the data, which then nothing adjusts. Left out where draws are all
    there are.

    Examples
    --------
    >>> tails_among(np.array([3.0, -1.0, 0.0, 1.0]))
    array([0.5, 0.5, 1. , 1. ])
    >>> tails_among(np.array([3.0, -1.0, 0.0, 1.0]), observed=4.0)
    array([0.8, 0.4, 0.8, 1. ])
    """
    pool = np.append(draws, observed)
    ordered = np.sort(pool[~np.isnan(pool)])
    slack = tie_tolerance(ordered)
    above = 1 - np.searchsorted(ordered, draws - slack, side="left") / max(ordered.size, 1)
    below = np.searchsorted(ordered, draws + slack, side="right") / max(ordered.size, 1)
    two_sided = np.minimum(1.0, 2 * np.minimum(above, below))
    found = {"greater": above, "less": below}.get(alternative, two_sided)
    return np.where(np.isnan(draws), np.nan, found)


def adjust_pairs(
    statistics: FloatArray,
    sums: FloatArray,
    *,
    first: IntArray,
    second: IntArray,
    scale: FloatArray | None = None,
    exact: bool = False,
) -> FloatArray:
    """Return the p-values of `adjust_stepdown` for pairs, whose null statistics are |difference of sums| · scale.

    Parameters
    ----------
    statistics : array of float, (pairs,)
        NaN stays NaN.
    sums : array, (models, draws)
    first, second : array of int, (pairs,)
        Which two rows of the sums a pair is the difference of.
    scale : array of float, (pairs,)
        Ones when left out.
    exact : bool
    """
    asked = np.flatnonzero(~np.isnan(statistics))
    order = asked[np.argsort(-statistics[asked], kind="stable")]
    by = np.ones(statistics.size) if scale is None else scale
    observed = statistics[order]
    # Equal on paper is equal: 100 machine epsilons of the statistic, as in `tail_pvalue`.
    least = observed - 100 * np.finfo(np.float64).eps * np.maximum(np.abs(observed), 1.0)
    counts = stepdown_counts(sums, first[order], second[order], by[order], least)
    extra = 0 if exact else 1
    adjusted = np.full(statistics.size, np.nan)
    adjusted[order] = np.maximum.accumulate((counts + extra) / (sums.shape[1] + extra))
    return adjusted


def tail_pairs(
    advantages: FloatArray,
    sums: FloatArray,
    *,
    first: IntArray,
    second: IntArray,
    tolerance: float = 0.0,
    exact: bool = False,
) -> FloatArray:
    """Return the two-sided `tail_pvalue` of each pair: twice the smaller tail of its draws, at most 1.

    `tolerance` is how far apart two advantages may be that are equal on paper.

    Examples
    --------
    >>> sums = np.array([[2.0, 0.0, -2.0, 0.0], [0.0, 1.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0]])
    >>> tail_pairs(np.array([2.0, 0.0]), sums, first=np.array([0, 1]), second=np.array([2, 2]), exact=True)
    array([0.5, 1. ])
    """
    counts = tail_counts(sums, first, second, advantages, max(tolerance, 2 * tie_tolerance(sums)))
    extra = 0 if exact else 1
    return np.asarray(np.minimum(1.0, 2 * (counts.min(axis=0) + extra) / (sums.shape[1] + extra)))


def stepdown_counts(
    sums: FloatArray, first: IntArray, second: IntArray, scale: FloatArray, observed: FloatArray
) -> IntArray:
    """Count for each pair the draws in which it or a pair after it is as extreme as it was observed to be.

    Pairs come in descending order of `observed`; a draw's statistic is |difference of sums| · scale. From the last pair
    to the first, one running maximum for each draw is enough, so that nothing is as large as pairs × draws.
    """
    counts, largest = np.zeros(first.size, dtype=np.int64), np.zeros(sums.shape[1])
    for q in range(first.size - 1, -1, -1):
        np.maximum(largest, np.abs(sums[first[q]] - sums[second[q]]) * scale[q], out=largest)
        counts[q] = np.count_nonzero(largest >= observed[q])
    return counts


def tail_counts(sums: FloatArray, first: IntArray, second: IntArray, observed: FloatArray, slack: float) -> IntArray:
    """Count for each pair the draws at or above, and at or below, the observed advantage: (2, pairs)."""
    counts = np.zeros((2, first.size), dtype=np.int64)
    for q in range(first.size):
        advantages = sums[first[q]] - sums[second[q]]
        counts[:, q] = (
            np.count_nonzero(advantages >= observed[q] - slack),
            np.count_nonzero(advantages <= observed[q] + slack),
        )
    return counts


def joint_level(statistics: npt.ArrayLike, *, confidence_level: float = 0.95) -> float:
    """Return the level that intervals need one by one so that all of them hold together.

    Each question's draws are ranked among themselves, so that questions on different scales count equally (Beran 1988);
    the smallest tail of a draw says how far the intervals would have had to reach.

    Parameters
    ----------
    statistics : array, (draws, questions)
        |draw − estimate|, or that over its standard error; drawn jointly. NaN is never the smallest tail.
    confidence_level : float
        Of all intervals together.

    Examples
    --------
    The same question asked twice counts as one; independent questions need a higher level each.

    >>> draws = np.abs(np.random.default_rng(0).normal(size=(9999, 2)))
    >>> round(joint_level(draws[:, [0, 0]]), 3), round(joint_level(draws), 3)
    (0.95, 0.974)
    """
    level = _check.fraction("confidence_level", confidence_level)
    values = np.asarray(statistics, dtype=np.float64)
    smallest = np.full(values.shape[0], np.inf)
    for column in values.T:
        known = ~np.isnan(column)
        order = np.argsort(column[known])
        ordered = column[known][order]
        places = np.arange(order.size)
        places[1:][ordered[1:] == ordered[:-1]] = 0
        tails = np.empty(order.size)
        tails[order] = (order.size - np.maximum.accumulate(places)) / max(order.size, 1)  # ties reach equally far
        smallest[known] = np.minimum(smallest[known], tails)
    smallest = smallest[np.isfinite(smallest)]
    if not smallest.size:
        return level
    return float(min(1 - np.quantile(smallest, 1 - level, method="lower"), 1 - 1 / smallest.size))


@dataclass(frozen=True, slots=True)
class RankSets:
    """Between which ranks each model lies, 1 being the best.

    Attributes
    ----------
    low, high : array of int
    """

    low: IntArray
    high: IntArray

    @property
    def may_be_first(self) -> BoolArray:
        """Whether no other model is known to be better."""
        return np.asarray(self.low == 1)


def rank_sets(above: npt.ArrayLike) -> RankSets:
    """Return between which ranks each model lies, given who is known to be better than whom.

    If with probability 0.95 no entry of `above` is false, then all true ranks lie in these sets together with at least
    that probability (Mogstad, Romano, Shaikh and Wilhelm 2024). The rank of a model is one more than the number of
    better ones; models that are truly equal share it.

    Parameters
    ----------
    above : array of bool, (models, models)
        `above[j, k]`: model j is known to be better than model k.

    Examples
    --------
    >>> sets = rank_sets([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    >>> sets.low.tolist(), sets.high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    known = np.asarray(above, dtype=bool)
    return RankSets(1 + known.sum(axis=0), known.shape[0] - known.sum(axis=1))


def groups_alike(apart: npt.ArrayLike, *, order: npt.ArrayLike | None = None) -> tuple[list[tuple[int, ...]], bool]:
    """Return the largest groups in which no two models are told apart, and whether these are all there are.

    A group is a maximal clique: no model outside could join it. Groups may overlap: A and B, and B and C, may be alike
    although A and C are not. They are found by the algorithm of Bron and Kerbosch (1973) with a pivot.

    Parameters
    ----------
    apart : array of bool, (models, models)
        Symmetric: whether two models are told apart.
    order : array of int, optional
        The models from best to worst, by which groups and their members are sorted; by number when left out.

    Examples
    --------
    >>> groups_alike([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0]])
    ([(0, 1), (1, 2), (3,)], True)
    """
    told = np.asarray(apart, dtype=bool)
    m = told.shape[0]
    place = np.empty(m, dtype=np.int64)
    place[np.arange(m) if order is None else np.asarray(order)] = np.arange(m)
    # Sets of models are the bits of one integer each.
    rows = np.packbits(~told & ~np.eye(m, dtype=bool), axis=1, bitorder="little")
    alike = [int.from_bytes(row.tobytes(), "little") for row in rows]
    found: list[tuple[int, ...]] = []
    todo = [(0, (1 << m) - 1, 0)]
    while todo and len(found) < MOST_GROUPS:
        members, candidates, excluded = todo.pop()
        if not candidates:
            if not excluded and members:
                found.append(tuple(sorted(_bits(members), key=lambda j: place[j])))
            continue
        known = {j: (alike[j] & candidates).bit_count() for j in _bits(candidates | excluded)}
        n_candidates = candidates.bit_count()
        if all(known[j] == n_candidates - 1 for j in _bits(candidates)):  # they are a group already
            todo.append((members | candidates, 0, int(any(known[j] == n_candidates for j in _bits(excluded)))))
            continue
        pivot = max(known, key=lambda j: known[j])
        for j in _bits(candidates & ~alike[pivot]):
            todo.append((members | 1 << j, candidates & alike[j], excluded & alike[j]))
            candidates &= ~(1 << j)
            excluded |= 1 << j
    found.sort(key=lambda group: [int(place[j]) for j in group])
    return found, not todo


def _bits(number: int) -> list[int]:
    """Return which bits are set, the lowest first."""
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found
