"""The description of a table as a document."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from howsure.documents import Block, Column, Document, Heading, Measured, Sentence, Table, details
from howsure.documents.numbers import counted, error_of, joined
from howsure.raters.advantage_components import blocks as component_blocks
from howsure.raters.agreement import Agreement, coefficient_table, rater_table, raters_that_differ
from howsure.raters.design import MEANING
from howsure.wording.estimates import cells, ci_column

if TYPE_CHECKING:
    from howsure.describing.strata import Stratum
    from howsure.describing.table_description import SourceDescription, TableDescription

LINES, SOURCES = 5, 10
"""So many sources have a line each, and so many stand in the table by default."""


def of_table(found: "TableDescription") -> Document:
    """Return what is in a table as a document: sizes, sources and one line of agreement each; the rest are details."""
    rated = [part.agreement for part in found.sources if part.agreement is not None]
    blocks: list[Block] = [Sentence(f"{counted(found.n_items, 'item')}; scale: {found.scale}.")]
    lines: list[Block] = [Sentence(line, "verdict") for line in found.conclusions]
    blocks += lines if len(lines) <= LINES else [_in_short(found, rated), *details(lines)]
    blocks += _sources(found.sources)
    if rated:
        blocks += [*raters_that_differ(rated), *details([coefficient_table(rated), *rater_table(rated, found.top)])]
    if found.components is not None:
        blocks += component_blocks(found.components)
    if found.strata:
        blocks += details(_strata(found))
    return Document("What is in the table", tuple(blocks), found.notes, found.signature)


def _in_short(found: "TableDescription", rated: Sequence[Agreement]) -> Sentence:
    """Return the range of agreement of many sources, in place of a line for each."""
    n = sum(part.design.n_raters > 0 for part in found.sources)
    known = [(one["krippendorff_alpha"].value, one.source) for one in rated]
    known = sorted(pair for pair in known if not math.isnan(pair[0]))
    every = len(found.sources)
    line = f"{'All ' if n == every else f'{n} of '}{counted(every, 'source')} have rater ids."
    if known:
        (low, least), (high, most) = known[0], known[-1]
        line = f"{line} Krippendorff's alpha is between {low:.2f} ({least}) and {high:.2f} ({most})."
    return Sentence(line, "verdict")


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
        # Where a rater answered several times, responses per item are more than raters per item.
        mean = part.n_responses / part.n_items if part.n_items else 0.0
        per_item = f"{mean:.3g} on average" if design.repeated else _spread(design.raters_per_item)
        rows.append((part.name, part.n_items, part.n_responses, per_item, *(who if rated else ())))
    shown = tuple(rows[:SOURCES])
    blocks: list[Block] = [Table(columns, shown, "Sources")]
    if len(rows) > SOURCES:
        blocks.append(Sentence(f"These are the first {SOURCES} of {len(rows):,} sources.", "aside"))
        blocks += details([Table(columns, tuple(rows[SOURCES:]), "Other sources")])
    kinds = dict.fromkeys(part.design.kind for part in sources if part.design.n_raters)
    of_kind = {kind: [part.name for part in sources if part.design.kind == kind] for kind in kinds}
    if of_kind:
        lines = (f"{kind.capitalize()} ({joined(names, 3)}): {MEANING[kind]}." for kind, names in of_kind.items())
        return [*blocks, *details(Sentence(line, "aside") for line in lines)]
    return [*blocks, Sentence("No rater ids found. To estimate agreement, pass their column with `rater`.", "aside")]


def _spread(counts: tuple[int, int, int]) -> str:
    few, median, most = counts
    return f"{median:,}" if few == most else f"{few:,} to {most:,}"


def _strata(found: "TableDescription") -> list[Block]:
    assert found.components is not None
    gold, a, b = found.components.names
    scored = not math.isnan(found.strata[0].a_score)
    nominal = found.scale.startswith("nominal")
    columns = (
        Column("raters"),
        Column("items", "count"),
        Column("pairs that agree" if nominal else "SD of ratings", "percent" if nominal else "number"),
        *([Column("score of A", "number"), Column("score of B", "number")] if scored else []),
        Column("A better by", "number"),
        ci_column(found.strata[0].confidence_interval.confidence_level),
    )
    rows = tuple(
        (
            part.name,
            part.n_items,
            part.agreement,
            *([Measured(score, _error(part)) for score in (part.a_score, part.b_score)] if scored else []),
            *cells(part.advantage, part.confidence_interval),
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
