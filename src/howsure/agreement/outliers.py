"""Raters who stand out: each beside the others, with a level for all of them together."""

import math

import numpy as np
import numpy.typing as npt

from howsure.scales import FloatArray

ALPHA = 0.05
"""How often some rater is named where none differs from the others more than chance lets them."""
LEAST = 5
"""Fewer raters say too little about what is usual among them."""


def distances(values: npt.ArrayLike, errors: npt.ArrayLike) -> FloatArray:
    """Return how far each value is from the mean of the others, in standard errors; NaN with fewer than three.

    The spread of the others tells how much raters differ; a value whose own error is larger than theirs may be further
    away. With equal errors and normal values this is Student's t with (number − 2) degrees of freedom.

    Examples
    --------
    >>> distances([1.0, 1.2, 0.9, 1.1, 5.0], [0.0] * 5).round(1).tolist()
    [-0.5, -0.4, -0.5, -0.4, 27.4]
    """
    x, error = np.asarray(values, dtype=np.float64), np.nan_to_num(np.asarray(errors, dtype=np.float64))
    known = ~np.isnan(x)
    n = int(known.sum())
    found = np.full(x.shape, np.nan)
    if n < 3:
        return found
    y, own = x[known], np.square(error[known])
    rest = n - 1
    means = (y.sum() - y) / rest
    centred = y - y.mean()
    # The sum of squares of the others around their own mean: that of all, less what the one left out adds.
    squares = np.maximum(0.0, np.square(centred).sum() - np.square(centred) * n / rest)
    spread = squares / (rest - 1)
    usual = (own.sum() - own) / rest
    variance = np.maximum(spread - usual, 0.0) + own + spread / rest
    with np.errstate(divide="ignore", invalid="ignore"):
        found[known] = np.where(variance > 0, (y - means) / np.sqrt(variance), np.where(y == means, 0.0, np.inf))
    return found


def outlying(
    values: npt.ArrayLike, errors: npt.ArrayLike, *, lower_only: bool = False, looks: int = 1
) -> npt.NDArray[np.bool_]:
    """Return which values stand out, at the level `ALPHA` for all of them and all `looks` together.

    The farthest is judged first, then the farthest of the rest.
    """
    from scipy.special import stdtr

    x = np.array(values, dtype=np.float64)
    found = np.zeros(x.shape, dtype=bool)
    while True:
        far = distances(x, errors)
        n = int((~np.isnan(far)).sum())
        if n < LEAST:
            return found
        size = np.where(np.isnan(far), -math.inf, -far if lower_only else np.abs(far))
        most = int(np.argmax(size))
        tail = float(stdtr(n - 2, -size[most])) * (1 if lower_only else 2)
        if tail * n * looks > ALPHA:
            return found
        found[most], x[most] = True, math.nan
