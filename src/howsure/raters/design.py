"""Who judged what: nested, crossed, partially crossed or unknown, from the rater ids of a table."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses, cells_from_codes
from howsure.data.scales import IntArray

RATER_IDS = ("coded", "as written")
"""How rater ids of logs are kept: as codes that tell nobody who it was, or as they are."""
FEW_RATERS = 5
"""Fewer raters say little about others like them, and so does a plan made from them."""

DesignKind = Literal["crossed", "partially crossed", "nested", "unknown"]

MEANING: dict[DesignKind, str] = {
    "crossed": "every rater judged every item",
    "partially crossed": "raters judged several items each, but not all",
    "nested": "every rater judged one item only, so resampling items resamples raters too",
    "unknown": "there are no rater ids",
}


@dataclass(frozen=True, slots=True)
class RatingDesign:
    """Which raters judged which items.

    Attributes
    ----------
    kind : {"crossed", "partially crossed", "nested", "unknown"}
    n_items, n_raters, n_responses : int
        Items with a response; raters is 0 when unknown.
    raters_per_item, items_per_rater : tuple of int
        Fewest, median and most; responses per item where raters are unknown.
    repeated : bool
        Whether a rater judged some item more than once.
    load : float
        How many items the rater of a response judged, on average over (item, rater) pairs: 1 where no rater judged two
        items. It says how much of one rater is in many items, which a mean over raters does not. 0 when unknown.

    Examples
    --------
    >>> print(design_of(Responses([1, 2, 3, 1], [0, 2, 4], [0, 1, 0, 1])))
    crossed: every rater judged every item (2 items × 2 raters, 4 responses)
    """

    kind: DesignKind
    n_items: int
    n_raters: int
    n_responses: int
    raters_per_item: tuple[int, int, int]
    items_per_rater: tuple[int, int, int]
    repeated: bool = False
    load: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def __str__(self) -> str:
        raters = f" × {self.n_raters} raters" if self.n_raters else ""
        return f"{self.kind}: {MEANING[self.kind]} ({self.n_items} items{raters}, {self.n_responses} responses)"


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far the raters of two sources are the same people on the same items.

    Attributes
    ----------
    raters : float
        Share of all raters who judged both sources; NaN without rater ids.
    cells : float
        Share of all (item, rater) pairs in which both sources were judged.
    """

    raters: float
    cells: float


def design_of(*sources: Responses) -> RatingDesign:
    """Find the design of one source, or of several that share items and raters."""
    sizes = np.sum([source.sizes for source in sources], axis=0)
    answered = sizes[sizes > 0]
    if any(source.raters is None for source in sources):
        return RatingDesign("unknown", answered.size, 0, int(sizes.sum()), _spread(answered), (0, 0, 0))
    items, raters = cells_of(sources)
    per_item = np.bincount(items)
    per_rater = np.bincount(raters)
    per_item, per_rater = per_item[per_item > 0], per_rater[per_rater > 0]
    if items.size == answered.size * per_rater.size and answered.size > 1:
        kind: DesignKind = "crossed"
    else:
        kind = "nested" if per_rater.size and per_rater.max() == 1 else "partially crossed"
    most = max(np.unique(source.cells, return_counts=True)[1].max(initial=0) for source in sources)
    load = float(np.square(per_rater).sum() / per_rater.sum()) if per_rater.size else 0.0
    return RatingDesign(
        kind,
        answered.size,
        per_rater.size,
        int(sizes.sum()),
        _spread(per_item),
        _spread(per_rater),
        bool(most > 1),
        load,
    )


def overlap(a: Responses, b: Responses) -> Overlap:
    """Measure how far two sources were judged by the same raters."""
    if a.raters is None or b.raters is None:
        return Overlap(float("nan"), float("nan"))
    cells = [np.unique(source.cells) for source in (a, b)]
    return Overlap(_shared(np.unique(a.raters), np.unique(b.raters)), _shared(*cells))


def rated(data: Contest | ResponseTable) -> list[str]:
    """Return the sources (of a contest: gold, a, b) whose responses come from two or more identified raters."""
    return [
        name for name, source in data.sources.items() if source.raters is not None and np.unique(source.raters).size > 1
    ]


def raters_of(sources: Iterable[Responses]) -> IntArray:
    """Return every rater of some source once, ascending; sources without rater ids have none."""
    known = [source.raters for source in sources if source.raters is not None]
    return np.unique(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)


def leave_out_raters(source: Responses, raters: npt.ArrayLike) -> Responses:
    """Return the responses of all other raters, on the same items; a source without rater ids keeps them all."""
    return source if source.raters is None else source.keep(~np.isin(source.raters, raters))


def cells_of(sources: Sequence[Responses]) -> tuple[IntArray, IntArray]:
    """Return item and rater of every (item, rater) pair that has a response in some source."""
    return cells_from_codes(np.unique(np.concatenate([source.cells for source in sources])))


def _shared(one: IntArray, other: IntArray) -> float:
    union = np.union1d(one, other).size
    return np.intersect1d(one, other).size / union if union else float("nan")


def _spread(counts: IntArray) -> tuple[int, int, int]:
    if not counts.size:
        return (0, 0, 0)
    return int(counts.min()), int(np.median(counts)), int(counts.max())
