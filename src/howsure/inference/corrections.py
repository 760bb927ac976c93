"""Several questions asked of the same data: p-values adjusted so that the answers hold together."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import FloatArray
from howsure.errors import ArgumentError

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


def too_few_resamples(n_resamples: int, n_questions: int, *, alpha: float, method: str, sides: int = 2) -> str:
    """Return a note where no p-value from so many resamples can be significant after the correction; else "".

    The smallest p-value is sides / (resamples + 1). Holm multiplies it by the number of questions;
    Benjamini–Hochberg does not where all are as small, nor does Westfall and Young's correction.

    Examples
    --------
    >>> too_few_resamples(99, 9, alpha=0.05, method="holm")[:61]
    'With 99 resamples no adjusted p-value can be below 0.18, so n'
    >>> too_few_resamples(999, 9, alpha=0.05, method="holm")
    ''
    """
    times = n_questions if method == "holm" else 1
    smallest = min(1.0, sides * times / (n_resamples + 1))
    if smallest <= alpha + 1e-12:
        return ""
    enough = math.ceil(sides * times / alpha - 1e-9) - 1
    return (
        f"With {n_resamples:,} resamples no {'adjusted ' if times > 1 else ''}p-value can be below {smallest:.2g}, so "
        f"nothing can be significant. Use at least {enough:,} resamples (`n_resamples`)."
    )


def _step(pvalues: FloatArray, method: str) -> FloatArray:
    """Multiply the r-th smallest p-value and keep the order.

    Holm (1979) steps down: × (n − r + 1), then the running maximum. Benjamini and Hochberg (1995) step up: × n / r,
    then the running minimum from above.
    """
    # `scipy.stats.false_discovery_control` is the second branch; loading scipy.stats takes 0.4 s, and it has no Holm.
    order = np.argsort(pvalues)
    rank = np.arange(1, pvalues.size + 1)
    ordered = pvalues[order]
    adjusted = np.empty_like(ordered)
    if method == "holm":
        adjusted[order] = np.maximum.accumulate(ordered * (pvalues.size - rank + 1))
    else:
        adjusted[order] = np.minimum.accumulate((ordered * pvalues.size / rank)[::-1])[::-1]
    return np.minimum(adjusted, 1.0)
