"""Agreement and descriptions of tables as documents."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from howsure.comparison import component_tables
from howsure.documents import Block, Column, Document, Heading, Measured, Sentence, Table, details
from howsure.documents.numbers import counted, error_of, joined, listed, measured
from howsure.rating_design import MEANING

if TYPE_CHECKING:
    from howsure.agreement.rater_summaries import RaterSummary
    from howsure.agreement.report import Agreement
    from howsure.agreement.strata import Stratum
    from howsure.agreement.table_description import SourceDescription, TableDescription

TOP = 10
"""How many raters are shown by default."""
LINES, SOURCES = 5, 10
"""So many sources have a line each, and so many stand in the table by default."""


def of_agreement(found: "Agreement") -> Document:
    """Return the agreement of one source as a document."""
    blocks = (
        Sentence(f"{found.source}: {found.design}."),
        _coefficients([found]),
        *_outstanding([found]),
        *_raters([found], TOP),
    )
    return Document(f"Agreement of {found.source}", blocks, found.notes, found.signature)


def of_table(found: "TableDescription") -> Document:
    """Return what is in a table as a document: sizes, sources and one line of agreement each; the rest are details."""
    rated = [part.agreement for part in found.sources if part.agreement is not None]
    blocks: list[Block] = [Sentence(f"{counted(found.n_items, 'item')}; scale: {found.scale}.")]
    lines: list[Block] = [Sentence(line, "verdict") for line in found.conclusions]
    blocks += lines if len(lines) <= LINES else [_in_short(found, rated), *details(lines)]
    blocks += _sources(found.sources)
    if rated:
        blocks += [*_outstanding(rated), *details([_coefficients(rated), *_raters(rated, found.top)])]
    if found.components is not None:
        blocks += component_tables.blocks(found.components)
    if found.strata:
        blocks += details(_strata(found))
    return Document("What is in the table", tuple(blocks), found.notes, found.signature)


def _in_short(found: "TableDescription", rated: Sequence["Agreement"]) -> Sentence:
    """Return the range of agreement of many sources, in place of a line for each."""
    n = sum(part.design.n_raters > 0 for part in found.sources)
    known = [(one["krippendorff_alpha"].value, one.source) for one in rated]
    known = sorted(pair for pair in known if not math.isnan(pair[0]))
    every = len(found.sources)
    said = f"{'All ' if n == every else f'{n} of '}{counted(every, 'source')} have rater ids."
    if known:
        (low, least), (high, most) = known[0], known[-1]
        said = f"{said} Krippendorff's alpha is between {low:.2f} ({least}) and {high:.2f} ({most})."
    return Sentence(said, "verdict")


def _sources(sources: Sequence["SourceDescription"]) -> list[Block]:
    rated = any(part.design.n_raters for part in sources)
    columns = (
        Column("source"),
        Column("items", "count"),
        Column("responses", "count"),
        Column("responses per item"),
        *([Column("raters", "count"), Column("items per rater")] if rated else []),
    )
    rows = []
    for part in sources:
        design = part.design
        who: tuple[Any, ...] = (None, None)
        if design.n_raters:
            who = (design.n_raters, _spread(design.items_per_rater))
        per_item = _spread(design.raters_per_item)
        rows.append((part.name, part.n_items, part.n_responses, per_item, *(who if rated else ())))
    shown = tuple(rows[:SOURCES])
    blocks: list[Block] = [Table(columns, shown, "Sources")]
    if len(rows) > SOURCES:
        blocks.append(Sentence(f"These are the first {SOURCES} of {len(rows):,} sources.", "aside"))
        blocks += details([Table(columns, tuple(rows[SOURCES:]), "Other sources")])
    kinds = dict.fromkeys(part.design.kind for part in sources if part.design.n_raters)
    of_kind = {kind: [part.name for part in sources if part.design.kind == kind] for kind in kinds}
    if of_kind:
        said = (f"{kind.capitalize()} ({joined(names, 3)}): {MEANING[kind]}." for kind, names in of_kind.items())
        return [*blocks, *details(Sentence(line, "aside") for line in said)]
    return [*blocks, Sentence("No rater ids found. To estimate agreement, pass their column with `rater`.", "aside")]


def _spread(counts: tuple[int, int, int]) -> str:
    few, median, most = counts
    return f"{median:,}" if few == most else f"{few:,} to {most:,}"


def _coefficients(rated: Sequence["Agreement"]) -> Table:
    several = len(rated) > 1
    level = rated[0].coefficients[0].confidence_interval.confidence_level
    columns = (
        *([Column("source")] if several else []),
        Column("coefficient"),
        Column("value", "number"),
        Column(f"{100 * level:g}% CI", "interval"),
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


def _outstanding(rated: Sequence["Agreement"]) -> Iterator[Block]:
    """Yield who differs from the other raters more than chance explains."""
    for one in rated:
        odd = [rater for rater in one.raters if rater.stands_out]
        if odd:
            named = listed((f"{rater.rater} ({rater.stands_out})" for rater in odd), 5)
            yield Sentence(f"Raters of {one.source} that differ significantly from the others: {named}.")


def _raters(rated: Sequence["Agreement"], top: int) -> Iterator[Block]:
    """Yield the raters who are furthest from the others."""
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
        Column("agrees with plurality", "percent"),
        *([Column("mean shift", "number")] if numeric else []),
        Column("differs"),
    )
    rows = tuple((*([one.source] if several else []), *_rater(rater, numeric=numeric)) for one, rater in shown)
    title = (
        "Raters" if len(shown) == len(every) else f"{len(shown)} of {len(every)} raters, furthest from the others first"
    )
    yield Table(columns, rows, title)


def _rater(rater: "RaterSummary", *, numeric: bool) -> tuple[Any, ...]:
    moved = (Measured(rater.mean_shift, rater.shift_error),) if numeric else ()
    return (rater.rater, rater.n_items, rater.with_plurality, *moved, rater.stands_out or None)


def _strata(found: "TableDescription") -> list[Block]:
    assert found.components is not None
    gold, a, b = found.components.names
    level = found.strata[0].confidence_interval.confidence_level
    scored = not math.isnan(found.strata[0].a_score)
    nominal = found.scale.startswith("nominal")
    columns = (
        Column("raters"),
        Column("items", "count"),
        Column("pairs that agree" if nominal else "SD of ratings", "percent" if nominal else "number"),
        *([Column("score of A", "number"), Column("score of B", "number")] if scored else []),
        Column("A better by", "number"),
        Column(f"{100 * level:g}% CI", "interval"),
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
        Heading(f"{found.components.metric} by the agreement of {gold} on the item (A: {a}, B: {b})"),
        Table(columns, rows),
        Sentence("The CIs hold for these raters: only items are treated as a random sample.", "aside"),
    ]


def _error(part: "Stratum") -> float:
    return error_of(part.confidence_interval, part.advantage)
