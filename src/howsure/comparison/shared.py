"""What several comparisons of one contest have in common: computed by the first, reused by the others."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Shared:
    """A memory for comparisons of the same contest with the same seed, levels and number of draws.

    Attributes
    ----------
    leaves_out : bool
        Whether items are left out in turn, which the BCa and t intervals of metrics without item scores need.
    has_intervals : bool
        Whether intervals are asked for; where they are not, swapped items need no other draws.

    Examples
    --------
    >>> memory = Shared()
    >>> memory.once("draws", lambda: 1), memory.once("draws", lambda: 2)
    (1, 1)
    """

    leaves_out: bool = True
    has_intervals: bool = True
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, compute: Callable[[], Known]) -> Known:
        """Return what is known under a key, computed if it is not known yet."""
        if key not in self._known:
            self._known[key] = compute()
        found: Known = self._known[key]
        return found
