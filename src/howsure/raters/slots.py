"""Slots instead of raters: columns such as rater_1 … rater_5 that hold an item's labels in some order, not people.

Labels that were sorted within each item, or listed label by label, have lost who gave them. To generalise from slots
as if they were people mistakes the order for a rater who is always stricter.
"""

import re
from collections.abc import Sequence

import numpy as np

from howsure.data.responses import Responses
from howsure.data.scales import BoolArray, IntArray, Scale

OUT_OF_ORDER = 0.05
"""People are taken to be out of order on at least this share of the items on which they differ, ..."""

DOUBT = 0.05
"""... so that no such item at all has at most this probability: 59 items are enough to tell."""

NUMBERED = re.compile(r"(?:.*\D)?0*(\d+)")


def looks_like_slots(source: Responses, names: Sequence[str], scale: Scale) -> str:
    """Return why the raters of a source look like slots; empty where they do not. Raters are in the order of their ids.

    Pairs of raters are not tested: one person may simply be stricter than another on every item.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sorted_labels = np.sort(rng.integers(1, 6, (200, 3)), axis=1)[:, ::-1].astype(float)
    >>> slots = Responses(sorted_labels.ravel(), np.arange(0, 601, 3), np.tile(np.arange(3), 200))
    >>> looks_like_slots(slots, ("r1", "r2", "r3"), Scale("continuous"))
    'r1 ≥ r2 ≥ r3 on all 200 items: these look like sorted slots, not people'
    """
    if source.raters is None or source.weights is not None or len(names) < 3:
        return ""
    firsts = source.offsets[:-1]
    within = np.ones(source.values.size, dtype=bool)
    within[firsts[firsts < source.values.size]] = False  # whether a response follows another one to the same item
    steps = np.diff(source.values, prepend=0.0)
    rises, falls = (
        np.bincount(source.items, within & mask, minlength=source.n_items) for mask in (steps > 0, steps < 0)
    )
    differ = (source.sizes >= 3) & (rises + falls > 0)
    if scale.kind != "nominal" and _enough(differ) and not (rises[differ].any() and falls[differ].any()):
        sign = " ≤ " if rises[differ].any() else " ≥ "
        shown = [*names] if len(names) <= 4 else [*names[:2], "…", names[-1]]
        n_items = int(np.count_nonzero(source.sizes >= 3))
        return f"{sign.join(shown)} on all {n_items:,} items: these look like sorted slots, not people"
    n_labels = _n_labels(source)
    shared = (source.sizes >= 5) & (n_labels > 1) & (n_labels < source.sizes)  # a label could be interrupted by another
    if _enough(shared) and not (rises + falls > n_labels - 1)[shared].any():
        return f"{names[0]} … {names[-1]} list an item's labels one after another: these look like slots, not people"
    return ""


def _enough(items: BoolArray) -> bool:
    """Whether people would have been out of order on one of so many items."""
    return bool((1 - OUT_OF_ORDER) ** int(np.count_nonzero(items)) <= DOUBT)


def may_be_slots(source: Responses, names: Sequence[str]) -> bool:
    """Whether raters are numbered from 0 or 1 on and each judged every item, as slots that were filled at random do."""
    if source.raters is None or len(names) < 3 or not (source.sizes == len(names)).all():
        return False
    found = [NUMBERED.fullmatch(name) for name in names]
    numbers = [int(match[1]) for match in found if match is not None]
    return len(numbers) == len(names) and numbers in ([*range(len(names))], [*range(1, len(names) + 1)])


def _n_labels(source: Responses) -> IntArray:
    """Return how many different labels each item has."""
    ordered = source.values[np.lexsort((source.values, source.items))]
    is_new = np.ones(ordered.size, dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]) | (source.items[1:] != source.items[:-1])
    return np.bincount(source.items[is_new], minlength=source.n_items)
