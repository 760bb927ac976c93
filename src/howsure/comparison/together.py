"""Several metrics or slices at once: p-values and intervals that hold together, from the draws of each comparison.

Metrics on the same items share their draws, which therefore move together as the metrics do. Slices have different
items: the draws of each slice are shuffled, which makes them independent of the others.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from howsure import _random, inference
from howsure.comparison.results import Comparison
from howsure.data.scales import FloatArray, IntArray
from howsure.inference import ConfidenceInterval
from howsure.inference.corrections import too_few_resamples
from howsure.inference.estimate import tails_of
from howsure.inference.simultaneous import adjust_smallest, joint_level, tails_among
from howsure.intervals import INTERVALS

JOINT = ("holm", "westfall-young")
"""Corrections whose intervals hold together; those of the others hold one by one."""

MANY = 1000
"""With more slices than this, no draws are kept (a quarter of a megabyte each), and the level at which their intervals
hold together is that of independent ones: it lies beyond the most extreme draw, so draws could not give it."""

BEYOND = 20
"""So many draws must lie beyond a quantile for draws to tell it."""


def adjusted(found: Sequence[Comparison], correction: str, seed: np.random.SeedSequence) -> list[Comparison]:
    """Return comparisons whose adjusted p-values and intervals account for their number.

    Intervals hold together unless `correction` is "benjamini-hochberg" or "none", which do not promise that for
    p-values either.
    """
    if len(found) < 2:
        return list(found)
    if correction == "westfall-young":
        pvalues = _westfall_young(found, seed)
    else:
        pvalues = inference.adjust([entry.pvalue for entry in found], method=correction)
    entries = [
        replace(entry, pvalue_adjusted=float(p), notes=(*entry.notes, *_too_few(entry, len(found), correction)))
        for entry, p in zip(found, pvalues, strict=True)
    ]
    return _joint_intervals(entries, seed) if correction in JOINT else entries


def _too_few(entry: Comparison, n: int, correction: str) -> list[str]:
    """Return that its resamples are too few to be significant among n, where they are."""
    if entry.exact or not entry.null_draws.size:
        return []
    alpha, sides = 1 - entry.confidence_interval.confidence_level, 2 if entry.alternative == "two-sided" else 1
    few = too_few_resamples(entry.n_resamples, n, alpha=alpha, method=correction, sides=sides)
    return [few] if few else []


def wide_level(level: float, correction: str, n: int) -> float:
    """Return the level of each of n independent intervals that hold together; their own where that is not promised."""
    return independent_level(level, n) if correction in JOINT else level


def independent_level(level: float, n: int) -> float:
    """Return the level at which each of n independent intervals is right, if all of them are at `level`."""
    return float(level ** (1 / n))


def without_draws(entry: Comparison, level: float) -> tuple[Comparison, ConfidenceInterval]:
    """Return a comparison without its resamples, and its interval at another level."""
    kept = None if entry.evidence is None else entry.evidence.without_draws()
    return replace(entry, evidence=kept, beside=None), _far(entry, level)


def _far(entry: Comparison, level: float) -> ConfidenceInterval:
    """Return the interval at a level that its resamples may not reach."""
    own, side = entry.confidence_interval, entry.alternative
    if level == own.confidence_level or math.isnan(own.low) or entry.evidence is None:
        return own
    drawn = entry.draws.size > 0 and INTERVALS[own.method].needs_draws(entry.evidence)
    reached = reached_level(own.confidence_level, entry.draws.size) if drawn else 1.0
    near = entry.limits(own.method, min(level, reached), side)
    return carried_on(near, level, side, estimate=entry.advantage, n_items=entry.n_items, span=entry.span)


def reached_level(level: float, n_draws: int) -> float:
    """Return the highest level that draws can tell: `BEYOND` draws lie outside."""
    return max(level, 1 - BEYOND / n_draws)


def carried_on(
    near: ConfidenceInterval, level: float, alternative: str, *, estimate: float, n_items: int, span: float
) -> ConfidenceInterval:
    """Return the interval at a level beyond its own: its arms grow as Student's quantiles do."""
    if level <= near.confidence_level:
        return near
    growth = _growth(level, near.confidence_level, n_items - 1, alternative)
    low, high = (estimate + growth * (end - estimate) for end in (near.low, near.high))
    ends = max(low, min(near.low, -span)), min(high, max(near.high, span))
    return replace(near, low=ends[0], high=ends[1], confidence_level=level)


@lru_cache(maxsize=1024)
def _growth(level: float, reached: float, df: int, alternative: str) -> float:
    """Return how many times as long Student's arms are at a level as at another."""
    from scipy.special import stdtrit

    far, close = (-float(stdtrit(df, tails_of(each, alternative)[0])) for each in (level, reached))
    return far / close


def _joint_intervals(entries: list[Comparison], seed: np.random.SeedSequence) -> list[Comparison]:
    """Return the comparisons with intervals that hold together: each its own kind, at the level that takes."""
    level = entries[0].confidence_interval.confidence_level
    n_draws = min(entry.draws.size for entry in entries)
    alone = independent_level(level, len(entries))
    if len({entry.slice for entry in entries}) > 1 and alone > 1 - 1 / max(n_draws, 1):  # beyond every draw
        return [having(entry, entry.pvalue_adjusted, _far(entry, alone), len(entries)) for entry in entries]
    deviations = np.stack([_deviations(entry)[order[:n_draws]] for entry, order in _aligned(entries, seed, "draws")])
    needed = max(level, joint_level(deviations.T, confidence_level=level))  # 0 where no draw differs from another
    return [
        entry
        if math.isnan(own.low)
        else having(entry, entry.pvalue_adjusted, entry.limits(own.method, needed, entry.alternative), len(entries))
        for entry, own in ((entry, entry.confidence_interval) for entry in entries)
    ]


def having(entry: Comparison, pvalue: float, wide: ConfidenceInterval, n: int) -> Comparison:
    """Return the comparison with its adjusted p-value and the interval that it needs among n."""
    own = entry.confidence_interval
    if wide is own:
        return replace(entry, pvalue_adjusted=pvalue)
    ends = replace(wide, confidence_level=own.confidence_level)
    notes = [note for note in entry.notes if note not in own.notes]
    notes += [note for note in ends.notes if note in entry.notes]
    told = pvalue <= ends.alpha
    if told != (0 not in ends) and not math.isnan(pvalue):
        notes.append(clash(told, n))
    return replace(entry, pvalue_adjusted=pvalue, confidence_interval=ends, notes=tuple(notes), n_together=n)


def clash(told: bool, n: int) -> str:
    """Say that one of n intervals that hold together contradicts its p-value, which tells A and B apart or not."""
    return (
        f"The difference is {'' if told else 'not '}significant by its adjusted p-value, but the interval that holds "
        f"with the other {n - 1} {'includes' if told else 'excludes'} 0. The verdict follows the p-value."
    )


def _deviations(entry: Comparison) -> FloatArray:
    """Return how far each draw is from the estimate, in its own standard errors where it has them."""
    apart = np.abs(entry.draws - entry.advantage)
    errors = entry.standard_errors
    known = errors.size == apart.size and bool((errors > 0).any())
    return np.divide(apart, errors, out=np.full_like(apart, np.nan), where=errors > 0) if known else apart


def _westfall_young(found: Sequence[Comparison], seed: np.random.SeedSequence) -> FloatArray:
    """Return p-values adjusted by the smallest of those that joint null draws would have had."""
    n_draws = max(entry.null_draws.size for entry in found)
    own = np.array([entry.pvalue for entry in found])
    if not all(entry.null_draws.size for entry in found):
        return inference.adjust(own, method="holm")
    columns = []
    listed = all(entry.exact and entry.null_draws.size != entry.n_resamples for entry in found)
    exact = listed and len({entry.slice for entry in found}) == 1
    for entry, order in _aligned(found, seed, "null draws"):
        places = order if order.size == n_draws else np.resize(order, n_draws)
        observed = math.nan if exact else entry.advantage
        columns.append(tails_among(entry.null_draws, observed, entry.alternative)[places])
    return adjust_smallest(own, np.stack(columns), exact=exact)


def _aligned(
    found: Sequence[Comparison], seed: np.random.SeedSequence, purpose: str
) -> list[tuple[Comparison, IntArray]]:
    """Return each comparison with the order of its draws: as they are, or shuffled, the same way within a slice."""
    slices = list(dict.fromkeys(entry.slice for entry in found))
    orders = []
    for entry in found:
        size = entry.draws.size if purpose == "draws" else entry.null_draws.size
        order = np.arange(size)
        if len(slices) > 1:
            order = _random.generator(seed, "together", purpose, entry.slice).permutation(size)
        orders.append((entry, order))
    return orders
