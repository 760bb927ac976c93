"""Several questions asked of the same data: p-values adjusted so that the answers hold together."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from assay import _check
from assay.errors import ArgumentError
from assay.scales import FloatArray

Correction = Literal["holm", "benjamini-hochberg", "none"]
CORRECTIONS: dict[Correction, str] = {"holm": "holm", "benjamini-hochberg": "fdr_bh", "none": ""}
"""Our name of each correction and the name that statsmodels has for it."""


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
    name = CORRECTIONS[_check.one_of("method", method, CORRECTIONS)]  # type: ignore[index]
    values = np.array(pvalues, dtype=np.float64)
    if values.ndim != 1:
        raise ArgumentError(f"`pvalues` must be a list of numbers; got an array of shape {values.shape}.")
    if ((values < 0) | (values > 1)).any():
        raise ArgumentError(f"`pvalues` must lie between 0 and 1; got {values[(values < 0) | (values > 1)][0]:g}.")
    counted = ~np.isnan(values)
    if name and np.count_nonzero(counted) > 1:  # one question needs no adjustment, and no import of two seconds
        from statsmodels.stats.multitest import multipletests

        values[counted] = multipletests(values[counted], method=name)[1]
    values.flags.writeable = False
    return values
