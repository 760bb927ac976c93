"""Agreement and descriptions of tables as documents."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from howsure.comparison import component_tables
from howsure.documents import Block, Column, Document, Heading, Measured, Sentence, Table
from howsure.documents.numbers import as_error, counted, error_of, listed, measured
from howsure.rating_design import MEANING

if TYPE_CHECKING:
    from howsure.agreement.rater_summaries import RaterSummary
    from howsure.agreement.report import Agreement
    from howsure.agreement.strata import Stratum
    from howsure.agreement.table_description import SourceDescription, TableDescription

TOP = 10
"""How many raters are shown by default."""


def of_agreement(found: "Agreement") -> Document:
    """Return the agreement of one source as a document."""
    blocks = (Sentence(f"{found.source}: {found.design}."), _coefficients([found]), *_raters([found], TOP))
    return Document(f"Agreement of {found.source}", blocks, found.notes, found.signature)


def of_table(found: "TableDescription") -> Document:
    """Return what is in a table as a document."""
    rated = [part.agreement for part in found.sources if part.agreement is not None]
    blocks: list[Block] = [Sentence(f"{counted(found.n_items, 'item')}; scale: {found.scale}.")]
    blocks += [Sentence(line, "verdict") for line in found.conclusions]
    blocks += _sources(found.sources)
    if rated:
        blocks += [_coefficients(rated), *_raters(rated, found.top)]
    if found.components is not None:
        blocks += component_tables.blocks(found.components)
    if found.strata:
        blocks += _strata(found)
    return Document("What is in the table", tuple(blocks), found.notes, found.signature)


def _sources(sources: Sequence["SourceDescription"]) -> list[Block]:
    rated = any(part.design.n_raters for part in sources)
    columns = (
        Column("source"),
        Column("items", "count"),
        Column("responses", "count"),
        Column("per item"),
        *([Column("raters", "count"), Column("items per rater"), Column("design")] if rated else []),
    )
    rows = []
    for part in sources:
        design = part.design
        who: tuple[Any, ...] = (None, None, "no rater ids")
        if design.n_raters:
            who = (design.n_raters, _spread(design.items_per_rater), design.kind)
        per_item = _spread(design.raters_per_item)
        rows.append((part.name, part.n_items, part.n_responses, per_item, *(who if rated else ())))
    kinds = dict.fromkeys(part.design.kind for part in sources if part.design.n_raters)
    meaning = " ".join(f"{kind.capitalize()}: {MEANING[kind]}." for kind in kinds)
    told = meaning or "There are no rater ids. If a column holds them, name it (`rater`): agreement is shown then."
    return [Table(columns, tuple(rows), "Who judged what"), Sentence(told, "aside")]


def _spread(counts: tuple[int, int, int]) -> str:
    few, median, most = counts
    return f"{median}" if few == most else f"{few} to {most} (median {median})"


def _coefficients(rated: Sequence["Agreement"]) -> Table:
    several = len(rated) > 1
    level = rated[0].coefficients[0].confidence_interval.confidence_level
    columns = (
        *([Column("source")] if several else []),
        Column("coefficient"),
        Column("value", "number"),
        Column(f"{100 * level:g}% interval", "interval"),
    )
    rows = tuple(
        (
            *([one.source] if several else []),
            entry.title,
            measured(entry.value, entry.confidence_interval),
            entry.confidence_interval,
        )
        for one in rated
        for entry in one.coefficients
    )
    title = "Agreement" if several else f"Agreement of {rated[0].source}"
    return Table(columns, rows, title)


def _raters(rated: Sequence["Agreement"], top: int) -> Iterator[Block]:
    """Yield who stands out, and the raters who are furthest from the others."""
    for one in rated:
        odd = [rater for rater in one.raters if rater.stands_out]
        if odd:
            named = listed((f"{rater.rater} ({rater.stands_out})" for rater in odd), 5)
            yield Sentence(f"Of the raters of {one.source}, {named} {'stands' if len(odd) == 1 else 'stand'} out.")
    every = [(one, rater) for one in rated for rater in one.raters]
    order = sorted(every, key=lambda pair: -1.0 if math.isnan(pair[1].distance) else pair[1].distance, reverse=True)
    shown = order[:top]
    if not shown:
        return
    several = len(rated) > 1
    numeric = any(not math.isnan(rater.mean_shift) for _, rater in shown)
    columns = (
        *([Column("source")] if several else []),
        Column("rater"),
        Column("items", "count"),
        Column("with plurality", "percent"),
        *([Column("mean shift", "number"), Column("± error", "number")] if numeric else []),
        Column("stands out"),
    )
    rows = tuple((*([one.source] if several else []), *_rater(rater, numeric=numeric)) for one, rater in shown)
    title = (
        "Raters" if len(shown) == len(every) else f"{len(shown)} of {len(every)} raters, furthest from the others first"
    )
    yield Table(columns, rows, title)


def _rater(rater: "RaterSummary", *, numeric: bool) -> tuple[Any, ...]:
    moved = (Measured(rater.mean_shift, rater.shift_error), as_error(rater.shift_error)) if numeric else ()
    return (rater.rater, rater.n_items, rater.with_plurality, *moved, rater.stands_out or None)


def _strata(found: "TableDescription") -> list[Block]:
    assert found.components is not None
    gold, a, b = found.components.names
    level = found.strata[0].confidence_interval.confidence_level
    scored = not math.isnan(found.strata[0].a_score)
    spread = "pairs that agree" if found.scale.startswith("nominal") else "standard deviation"
    columns = (
        Column(f"responses of {gold}"),
        Column("items", "count"),
        Column(spread, "percent" if found.scale.startswith("nominal") else "number"),
        *([Column(a, "number"), Column(b, "number")] if scored else []),
        Column("advantage", "number"),
        Column(f"{100 * level:g}% interval", "interval"),
    )
    rows = tuple(
        (
            part.name,
            part.n_items,
            part.agreement,
            *([Measured(score, _error(part)) for score in (part.a_score, part.b_score)] if scored else []),
            measured(part.advantage, part.confidence_interval),
            part.confidence_interval,
        )
        for part in found.strata
    )
    return [
        Heading(f"{found.components.metric} by how far {gold} agrees on the item"),
        Table(columns, rows),
        Sentence("These intervals are for these raters: only items are treated as a sample.", "aside"),
    ]


def _error(part: "Stratum") -> float:
    return error_of(part.confidence_interval, part.advantage)
