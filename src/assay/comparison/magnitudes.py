"""Values that no comparison can bear: too large or small to be squared and summed, or far outside all others."""

import numpy as np

from assay.errors import DataError
from assay.responses import Contest

SMALLEST, LARGEST = 1e-100, 1e100
FAR = 10
"""A value is far outside if it is so many times the width of nearly all values (5 to 95 %) away from their middle."""


def check_magnitudes(contest: Contest) -> None:
    """Refuse values whose squares or sums are no longer numbers; the message names the first."""
    for role, source in contest.sources.items():
        size = np.abs(source.values)
        bad = np.flatnonzero((size > LARGEST) | ((size > 0) & (size < SMALLEST)) | ~np.isfinite(size))
        if bad.size:
            place = f"{_name(contest, role)}, item {contest.items[source.items[bad[0]]]}"
            raise DataError(
                f"{place}: {source.values[bad[0]]:g} is too large or too small to compute with (1e-100 to 1e100 in "
                "size). Rescale the values, or leave it out if it is an error."
            )


def far_outside(contest: Contest) -> list[str]:
    """Say which value lies far outside all others, because everything hangs on it: often a code for "missing"."""
    if contest.scale.kind == "nominal":
        return []
    values = np.concatenate([source.values for source in contest.sources.values()])
    low, high = np.quantile(values, [0.05, 0.95])
    found = [
        (role, number)
        for role, source in contest.sources.items()
        for number in np.flatnonzero(np.abs(source.values - (low + high) / 2) > FAR * max(high - low, 0.0)).tolist()
    ]
    if not found or high == low:
        return []
    role, number = found[0]
    source = contest.sources[role]
    place = f"{_name(contest, role)}, item {contest.items[source.items[number]]}"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return [
        f"{place}: the value {source.values[number]:g}{more} lies far outside the others, of which nearly all are "
        f"between {low:g} and {high:g}. If it is an error or a code for a missing answer, leave it out: the result "
        "hangs on it."
    ]


def _name(contest: Contest, role: str) -> str:
    return dict(zip(("gold", "a", "b"), contest.names, strict=True))[role] or role
