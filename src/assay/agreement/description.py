"""What is in a table of ratings: who judged what, how far they agree, and what can and cannot be concluded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay import _random
from assay.agreement.report import Agreement, measure_agreement
from assay.rating_design import Overlap, RatingDesign, design_of, overlap
from assay.responses import ResponseTable


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """One source of a table.

    Attributes
    ----------
    name : str
    n_items, n_responses : int
    design : RatingDesign
    agreement : Agreement or None
        None without two or more identified raters.
    """

    name: str
    n_items: int
    n_responses: int
    design: RatingDesign
    agreement: Agreement | None

    def __str__(self) -> str:
        few, median, most = self.design.raters_per_item
        what = "raters" if self.design.n_raters else "responses"
        per = f"{median}" if few == most else f"{few} to {most} (median {median})"
        lines = [f"{self.name}: {self.design}; {per} {what} per item"]
        if self.design.n_raters > 1:
            few, median, most = self.design.items_per_rater
            lines[0] += f", {few} to {most} items per rater" if few != most else f", {median} items per rater"
        if self.agreement is not None:
            lines += [f"  {entry}" for entry in self.agreement.coefficients]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Description:
    """What is in a table, and what can be concluded from it.

    Attributes
    ----------
    n_items : int
    scale : str
    sources : tuple of SourceDescription
    overlaps : mapping of (str, str) to Overlap
        For each two sources with rater ids, how far they were judged by the same raters.
    conclusions : tuple of str
    notes : tuple of str
    """

    n_items: int
    scale: str
    sources: tuple[SourceDescription, ...]
    overlaps: Mapping[tuple[str, str], Overlap]
    conclusions: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything by name."""
        return {
            "n_items": self.n_items,
            "scale": self.scale,
            "sources": [
                {
                    "name": part.name,
                    "n_items": part.n_items,
                    "n_responses": part.n_responses,
                    "design": part.design.to_dict(),
                    "agreement": None if part.agreement is None else part.agreement.to_dict(),
                }
                for part in self.sources
            ],
            "overlaps": [
                {"a": a, "b": b, "raters": found.raters, "cells": found.cells}
                for (a, b), found in self.overlaps.items()
            ],
            "conclusions": list(self.conclusions),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{self.n_items} items; scale: {self.scale}", *map(str, self.sources), *self.conclusions]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


def describe(
    table: ResponseTable,
    *,
    level: str | None = None,
    n_resamples: int = 499,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Description:
    """Describe a table: designs, agreement, and what a comparison of its sources can and cannot conclude.

    The parameters are those of `measure_agreement`; `progress` hears of twice `n_resamples` draws for each source.

    Examples
    --------
    >>> import polars
    >>> from assay import read
    >>> frame = polars.DataFrame(
    ...     {"item": [1, 1, 2, 2], "source": ["human"] * 4, "rater": ["ann", "bob"] * 2, "value": [3, 4, 1, 1]}
    ... )
    >>> found = describe(read(frame), n_resamples=9, rng=0)
    >>> found.sources[0].design.kind
    'crossed'
    """
    seed = _random.replayable(rng)
    how = {"level": level, "n_resamples": n_resamples, "workers": workers, "progress": progress}
    sources = tuple(_describe_source(table, name, seed, how) for name in table.sources)
    rated = [part.name for part in sources if part.design.n_raters > 1]
    pairs = [(a, b) for i, a in enumerate(rated) for b in rated[i + 1 :]]
    overlaps = {(a, b): overlap(table.sources[a], table.sources[b]) for a, b in pairs}
    return Description(
        n_items=table.n_items,
        scale=str(table.scale),
        sources=sources,
        overlaps=overlaps,
        # The runs of a model are repeats, about which no word of raters is true.
        conclusions=tuple(line for part in sources if part.name not in table.repeats for line in _conclusions(part))
        + _pairing(overlaps),
        notes=tuple(table.notes),
    )


def _describe_source(
    table: ResponseTable, name: str, seed: np.random.SeedSequence, how: dict[str, Any]
) -> SourceDescription:
    responses = table.sources[name]
    design = design_of(responses)
    found = None
    if design.n_raters > 1 and design.raters_per_item[2] > 1:
        found = measure_agreement(table, source=name, rng=_random.child(seed, name), **how)
    elif how["progress"] is not None:
        how["progress"](2 * how["n_resamples"])
    return SourceDescription(name, int((responses.sizes > 0).sum()), int(np.sum(responses.sizes)), design, found)


def _conclusions(part: SourceDescription) -> list[str]:
    """Say for which raters a result against this source's ratings holds."""
    design, name = part.design, part.name
    if design.kind == "unknown":
        if design.raters_per_item[2] == 1:
            return []
        return [
            f"{name} has several responses per item but no rater ids. Results treat every response as another rater's; "
            "they are too certain if the same raters judged many items."
        ]
    if design.n_raters == 1:
        return [f"{name} has one rater. Results hold for that rater only."]
    if design.kind == "nested":
        return [f"{name}: every rater judged one item, so resampling items is enough."]
    few = " With so few raters the intervals are wide." if design.n_raters < 5 else ""
    return [f"{name}: results generalise to raters like these {design.n_raters} if raters are resampled too.{few}"]


def _pairing(overlaps: Mapping[tuple[str, str], Overlap]) -> tuple[str, ...]:
    if not overlaps:
        return ()
    least = min(overlaps.values(), key=lambda found: found.cells)
    if least.cells > 0.999:
        return ("The same raters judged the same items for all these sources, so comparisons are paired by rater.",)
    return (f"Any two of the sources share at least {least.cells:.0%} of their (item, rater) pairs.",)
