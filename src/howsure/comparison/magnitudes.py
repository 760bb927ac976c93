"""Values that spoil a comparison: too large or small to be squared and summed, or far outside all others."""

import numpy as np

from howsure.contests import Contest
from howsure.inference.intervals import quantiles

FAR = 10
"""A value is far outside if it is this many widths of the middle 90% of values away from their middle."""


def check_magnitudes(contest: Contest) -> None:
    """Refuse values whose squares or sums are no longer numbers; the message names the first."""
    for role, source in contest.sources.items():
        source.check_magnitudes(_name(contest, role), contest.items)


def far_outside(contest: Contest) -> list[str]:
    """Say which value lies far outside all others: the result depends on it, and it is often a code for "missing"."""
    if contest.scale.kind == "nominal":
        return []
    values = np.concatenate([source.values for source in contest.sources.values()])
    low, high = quantiles(values, (0.05, 0.95))
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
    more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
    return [
        f"{place}: the value {source.values[number]:g}{more} lies far outside the others, of which nearly all are "
        f"between {low:g} and {high:g}. If it is an error or a code for a missing answer, leave it out: the result "
        "depends on it."
    ]


def _name(contest: Contest, role: str) -> str:
    return dict(zip(("gold", "a", "b"), contest.names, strict=True))[role] or role
