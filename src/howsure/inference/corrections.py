"""Several questions asked of the same data: p-values adjusted so that the answers hold together."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.errors import ArgumentError
from howsure.scales import FloatArray

Correction = Literal["holm", "benjamini-hochberg", "none"]
CORRECTIONS: tuple[Correction, ...] = ("holm", "benjamini-hochberg", "none")
JOINT_CORRECTIONS = ("westfall-young", *CORRECTIONS)
"""With the one that takes joint draws (`howsure.inference.simultaneous`) besides p-values."""


def adjust(pvalues: npt.ArrayLike, *, method: str = "holm") -> FloatArray:
    """Return p-values adjusted for the number of questions, in the order given and read-only.

    Parameters
    ----------
    pvalues : array of float
        One p-value per question; NaN (an undefined p-value) stays NaN and is not counted as a question.
    method : {"holm", "benjamini-hochberg", "none"}
        Holm bounds the probability of any false finding, Benjamini–Hochberg the expected share of false findings.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    _check.one_of("method", method, CORRECTIONS)
    values = np.array(pvalues, dtype=np.float64)
    if values.ndim != 1:
        raise ArgumentError(f"`pvalues` must be a list of numbers; got an array of shape {values.shape}.")
    if ((values < 0) | (values > 1)).any():
        raise ArgumentError(f"`pvalues` must lie between 0 and 1; got {values[(values < 0) | (values > 1)][0]:g}.")
    counted = ~np.isnan(values)
    if method != "none":
        values[counted] = _step(values[counted], method)
    values.flags.writeable = False
    return values


def _step(pvalues: FloatArray, method: str) -> FloatArray:
    """Multiply the r-th smallest p-value and keep the order.

    Holm steps down: × (n − r + 1), then the running maximum. Benjamini–Hochberg steps up: × n / r, then the running
    minimum from above. Six lines here; the library function that does the same takes two seconds to import.
    """
    order = np.argsort(pvalues)
    rank = np.arange(1, pvalues.size + 1)
    ordered = pvalues[order]
    adjusted = np.empty_like(ordered)
    if method == "holm":
        adjusted[order] = np.maximum.accumulate(ordered * (pvalues.size - rank + 1))
    else:
        adjusted[order] = np.minimum.accumulate((ordered * pvalues.size / rank)[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
