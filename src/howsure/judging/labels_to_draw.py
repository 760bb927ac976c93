"""Which items should people label? Draw them at random, in strata if asked, and keep the chances for the analysis.

Every item has a random number of its own, made of the seed and the item's id. A simple sample takes the n items with
the smallest numbers; of strata, each takes its share of them by the divisor method of Webster, whose shares never
shrink as n grows. So a larger sample with the same seed contains every smaller one.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from howsure._frames import in_any_form
from howsure.data.contests import Contest
from howsure.data.responses import Labels
from howsure.data.scales import FloatArray, IntArray
from howsure.documents import Block, Column, Document, Sentence, Table
from howsure.documents.numbers import counted, listed
from howsure.errors import ArgumentError, DataError
from howsure.judging.combined_advantage import LabelDesign
from howsure.judging.judged_contests import Overlapping
from howsure.provenance import Provenance
from howsure.records import Signed

if TYPE_CHECKING:
    import polars

N_STRATA = 5
"""By judge score, items fall into so many strata of equal size: they take most of what a judge can give."""

SHOWN = 10
"""So many of the drawn items stand in the document; the file has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSample(Signed):
    """The items that people should label, with the chance that each of them had.

    Attributes
    ----------
    items : tuple of str
        In the order in which they were drawn, so that the first ones are a sample, too.
    strata : tuple of str
        The stratum of each; empty text where there are none.
    probabilities : tuple of float
        The chance of each to be drawn.
    n_all : int
        The number of items that they were drawn from.
    n_labelled : int
        How many of the drawn items have labels already.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    items: tuple[str, ...]
    strata: tuple[str, ...]
    probabilities: tuple[float, ...]
    n_all: int
    n_labelled: int = 0
    notes: tuple[str, ...]
    provenance: Provenance

    def document(self) -> Document:
        """Return how many items to label, by stratum, and the first of them."""
        n, strata = len(self.items), list(dict.fromkeys(sorted(self.strata)))
        kind = "a random sample" if strata == [""] else f"random samples from {len(strata)} strata"
        said = f"Label these {n:,} of {counted(self.n_all, 'item')}: {kind}."
        if self.n_labelled:
            said += f" {self.n_labelled:,} of them have labels already."
        blocks: list[Block] = [Sentence(said, "verdict")]
        if strata != [""]:
            rows = []
            for name in strata:
                chosen = [p for stratum, p in zip(self.strata, self.probabilities, strict=True) if stratum == name]
                rows.append((name, round(len(chosen) / chosen[0]), len(chosen), chosen[0]))
            columns = (Column("stratum"), Column("items", "count"), Column("to label", "count"))
            blocks.append(Table((*columns, Column("chance", "number")), tuple(rows)))
        shown: dict[Column, tuple[object, ...]] = {Column("item"): self.items[:SHOWN]}
        shown |= {Column("stratum"): self.strata[:SHOWN]} if strata != [""] else {}
        shown |= {Column("chance", "number"): self.probabilities[:SHOWN]}
        title = f"The first {SHOWN}" if n > SHOWN else ""
        blocks.append(Table(tuple(shown), tuple(zip(*shown.values(), strict=True)), title))
        blocks.append(
            Sentence(
                "A larger sample with the same seed contains these items. Pass the file to howsure compare with "
                "--sampled once they are labelled."
            )
        )
        return Document("Which items should people label?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each item to label."""
        import polars

        columns = {"item": list(self.items), "stratum": list(self.strata), "probability": list(self.probabilities)}
        return polars.DataFrame(columns)


def draw_items(items: Labels, n: int, *, strata: Labels | None = None, seed: int = 0) -> tuple[IntArray, FloatArray]:
    """Return the places of n items in the order in which they are drawn, and the chance of each.

    Examples
    --------
    >>> items = np.array([f"item-{i}" for i in range(100)])
    >>> (few, _), (many, chances) = draw_items(items, 3, seed=1), draw_items(items, 20, seed=1)
    >>> few.tolist() == many[:3].tolist(), float(chances[0])
    (True, 0.2)
    """
    if not 1 <= n <= items.size:
        raise ArgumentError(f"`n` must be between 1 and the number of items, {items.size:,}; got {n:,}.")
    numbers = np.array([_number(seed, item) for item in items.tolist()])
    _, codes = np.unique(np.zeros(items.size) if strata is None else strata, return_inverse=True)
    sizes = np.bincount(codes)
    order = np.lexsort((numbers, codes))
    rank = np.empty(items.size)
    rank[order] = np.arange(items.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # Webster's divisors: the k-th item of a stratum of size N comes when the sample reaches the share (k − ½) / N.
    turn = (rank + 0.5) / sizes[codes]
    drawn = np.lexsort((numbers, turn))[:n]
    taken = np.bincount(codes[drawn], minlength=sizes.size)
    return drawn, (taken / sizes)[codes[drawn]]


def _number(seed: int, item: str) -> int:
    """Return the random number of an item."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{item}".encode()).digest()[:8], "big") >> 1


def score_strata(scores: FloatArray, n_strata: int = N_STRATA) -> Labels:
    """Return which of equally large groups each score belongs to; equal scores stay together.

    Examples
    --------
    >>> score_strata(np.array([1.0, 2, 3, 4, 5, 6]), 3).tolist()
    ['1 lowest', '1 lowest', '2', '2', '3 highest', '3 highest']
    """
    edges = np.unique(np.quantile(scores, np.arange(1, n_strata) / n_strata, method="inverted_cdf"))
    codes = np.searchsorted(edges, scores, side="left")
    _, codes = np.unique(codes, return_inverse=True)
    last = int(codes.max())
    names = [str(code + 1) for code in range(last + 1)]
    if last:
        names[0], names[-1] = f"{names[0]} lowest", f"{names[-1]} highest"
    return np.array(names)[codes]


def sample_of(
    items: Labels,
    n: int,
    *,
    strata: Labels | None = None,
    by: str = "",
    seed: int = 0,
    gold: str | None = None,
    labelled: Labels | None = None,
    notes: tuple[str, ...] = (),
    data: str = "",
) -> LabelSample:
    """Return the sample of n items as a result."""
    drawn, chances = draw_items(items, n, strata=strata, seed=seed)
    told = list(notes)
    names = np.full(items.size, "") if strata is None else strata
    taken = {str(name): int((names[drawn] == name).sum()) for name in np.unique(names)}
    scarce = [name for name, count in taken.items() if count < 2]
    if strata is not None and scarce:
        told.append(
            f"{counted(len(scarce), 'stratum').replace('stratums', 'strata')} with fewer than two items to label "
            f"({listed(scarce, 3)}): strata of so few items are analysed together with another."
        )
    known = set() if labelled is None else set(labelled.tolist())
    chosen = items[drawn]
    return LabelSample(
        items=tuple(chosen.tolist()),
        strata=tuple(names[drawn].tolist()),
        probabilities=tuple(chances.tolist()),
        n_all=items.size,
        n_labelled=sum(item in known for item in chosen.tolist()),
        notes=tuple(told),
        provenance=Provenance("sample", {"n": n, "strata": by or None, "gold": gold}, seed, data),
    )


@dataclass(frozen=True, slots=True)
class LabelChances:
    """With which chance each item was chosen to be labelled.

    Attributes
    ----------
    name : str
        The file or column that says it.
    chances : mapping of str to float
        By item.
    strata : mapping of str to str
        By item; empty where there are none.
    """

    name: str
    chances: Mapping[str, float]
    strata: Mapping[str, str]

    def applied(self, found: Overlapping) -> tuple[Overlapping, LabelDesign, list[str]]:
        """Return the labelled items that were drawn, how they were drawn, and notes on the others."""
        items, notes = found.humans.items.tolist(), []
        known = np.array([item in self.chances for item in items])
        if not known.any():
            raise DataError(f"none of the {len(items):,} labelled items is in {self.name}. Check the item ids.")
        if n := int((~known).sum()):
            first = found.humans.items[~known][0]
            notes.append(f"{counted(n, 'labelled item')} not in {self.name} left out (first: item {first}).")
            rows = np.flatnonzero(known)
            found = replace(found, humans=found.humans.take(rows), where=found.where[rows])
            items = found.humans.items.tolist()
        if self.strata and (n := len(self.chances) - len(items)) > 0:
            notes.append(
                f"{n:,} of {len(self.chances):,} drawn items have no label: the labelled ones of their strata stand "
                "for them. If labels are missing for a reason, the result is biased."
            )
        p = np.array([self.chances[item] for item in items])
        if not self.strata:
            return found, LabelDesign.drawn(p), notes
        names = np.array([self.strata[item] for item in items])
        values, codes = np.unique(names, return_inverse=True)
        sizes: dict[str, float] = {}
        for item, chance in self.chances.items():
            sizes[self.strata[item]] = sizes.get(self.strata[item], 0.0) + 1 / chance
        if empty := [name for name in sizes if name not in values]:
            notes.append(f"No labelled item in {listed(empty, 3)}: the result is about the other strata.")
        shares = np.array([sizes[str(value)] for value in values])
        design = LabelDesign.drawn(p, codes, shares / shares.sum())
        return found, replace(design, strata=_joined(codes)), notes


def _joined(codes: IntArray) -> IntArray:
    """Return strata in which no item is alone: a stratum of one item goes with its neighbour."""
    sizes = np.bincount(codes)
    if (sizes > 1).all() or sizes.size == 1:
        return codes
    target, group, waiting = np.zeros(sizes.size, dtype=np.int64), 0, 0
    for code, size in enumerate(sizes.tolist()):
        target[code] = group
        waiting += size
        if waiting > 1:
            group, waiting = group + 1, 0
    if waiting:  # the last one was alone
        target[target == group] = max(group - 1, 0)
    return np.asarray(target[codes])


def chances_of(design: str, contest: Contest, *, is_file: bool) -> LabelChances:
    """Read the chance of each item to be labelled from a file of `sample`, or from a column of the table."""
    if not is_file:
        from howsure.data.responses import group_codes

        group_codes(contest.groups, "sampled", design)
        cells = dict(zip(contest.items.tolist(), contest.groups[design].tolist(), strict=True))
        there = {item: cell for item, cell in cells.items() if cell not in ("", "None", "nan")}
        return LabelChances(design, {item: _chance(design, item, cell) for item, cell in there.items()}, {})
    from howsure.io.sheets import open_sheet

    sheet = open_sheet(design)
    name = Path(design).name
    for column in ("item", "probability"):
        if column not in sheet.columns:
            raise DataError(
                f"{design} has no column {column!r}, which a file of howsure sample has; it has "
                f"{listed(sheet.columns)}."
            )
    items = [str(item) for item in sheet.ids("item").to_list()]
    if len(set(items)) < len(items):
        twice = next(item for place, item in enumerate(items) if item in items[:place])
        raise DataError(f"{design} has item {twice} twice; keep one row for each item.")
    chances = {
        item: _chance(design, item, cell) for item, cell in zip(items, sheet.ids("probability").to_list(), strict=True)
    }
    strata = sheet.ids("stratum").fill_null("").to_list() if "stratum" in sheet.columns else []
    return LabelChances(name, chances, dict(zip(items, strata, strict=True)) if any(strata) else {})


def _chance(design: str, item: str, cell: object) -> float:
    try:
        value = float(str(cell))
    except ValueError:
        value = np.nan
    if not 0 < value <= 1:
        raise DataError(f"{design}, item {item}: the chance must be above 0 and at most 1; got {str(cell)!r}.")
    return value
