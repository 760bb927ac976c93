"""Intervals of many slices of equally many items: of one kind at once, or of the draws of each."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from howsure import inference
from howsure.comparison.comparisons import nothing
from howsure.comparison.together import carried_on, reached_level
from howsure.inference import ConfidenceInterval
from howsure.inference.bootstrap_t import symmetric_at
from howsure.inference.direct import won_and_lost
from howsure.scales import FloatArray


class SliceLimits(NamedTuple):
    """Intervals: the ends of each, and its notes."""

    low: FloatArray
    high: FloatArray
    notes: list[tuple[str, ...]]


def slice_limits(
    levels: Sequence[float],
    *,
    estimates: FloatArray,
    errors: FloatArray,
    jackknife: FloatArray,
    signs: Any,
    draws: FloatArray,
    standard_errors: FloatArray,
    span: float,
    alternative: str,
) -> list[SliceLimits]:
    """Return the intervals of slices (rows) at each level: score intervals where advantages are signs, else symmetric.

    Those without draws are computed once for each kind, then moved and scaled. Those of draws are carried on where the
    draws do not reach the level.
    """
    n = jackknife.shape[1]
    given = n * estimates[:, np.newaxis] - (n - 1) * jackknife  # of a mean, leaving one out gives it back
    won, lost = won_and_lost(given)
    drawn = ~signs & (won + lost >= inference.FEW_TELLING)
    size = np.abs(given).max(axis=1)
    scaled = np.where(signs, (size > 0) & inference.are_signs(given), errors > 0)
    codes = ((2 * signs + scaled) * (n + 1) + won) * (n + 1) + lost
    codes[drawn] = -1
    _, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
    scale = np.where(scaled, np.where(signs, size, errors), 1.0)
    middle = np.where(signs, -0.0, estimates)  # −0 changes no bit
    found = []
    for level in levels:
        asked: Any = {"confidence_level": level, "alternative": alternative}
        units = []
        for i in first.tolist():
            if drawn[i]:
                units.append(ConfidenceInterval(math.nan, math.nan, "symmetric", level))
            elif signs[i]:
                alike = np.repeat([1.0, -1.0, 0.0], [won[i], lost[i], n - won[i] - lost[i]])
                units.append(inference.score(alike if scaled[i] else given[i], span=span, **asked))
            else:
                known: Any = {"standard_errors": nothing(), "standard_error": float(scaled[i])}
                units.append(inference.symmetric(nothing(), 0.0, advantages=given[i], **known, **asked))
        low, high = (middle + scale * np.array([getattr(one, end) for one in units])[kinds] for end in ("low", "high"))
        found.append(SliceLimits(low, high, [units[kind].notes for kind in kinds.tolist()]))
    reached = [min(level, reached_level(levels[0], draws.shape[1])) for level in levels]
    for i in np.flatnonzero(drawn).tolist():
        estimate = float(estimates[i])
        known = {"standard_errors": standard_errors[i], "standard_error": float(errors[i]), "alternative": alternative}
        near = symmetric_at(reached, draws[i], estimate, advantages=given[i], **known)
        for limits, one, level in zip(found, near, levels, strict=True):
            ends = carried_on(one, level, alternative, estimate=estimate, n_items=n, span=span)
            limits.low[i], limits.high[i], limits.notes[i] = ends.low, ends.high, ends.notes
    return found
