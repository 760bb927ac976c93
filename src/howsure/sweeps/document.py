"""A sweep as a document: how many grid points are done, and their results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from howsure import _json
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import counted

if TYPE_CHECKING:
    from howsure.sweeps.cell_rows import CellRow
    from howsure.sweeps.driver import Sweep

MOST = 100
"""How many grid points a report shows; all of them are in `to_frame` and in an export."""


def document(found: "Sweep") -> Document:
    """Return how many grid points are done, the first failure, and a row for each grid point."""
    done = [row for row in found.rows if row.state == "done"]
    first, *others = str(found).splitlines()
    blocks: list[Block] = [Sentence(said, "verdict" if place == 0 else "") for place, said in enumerate(others)]
    if done:
        blocks.append(_table(done))
    if len(done) > MOST:
        blocks.append(Sentence(f"The table shows the first {MOST} of {len(done):,} finished grid points.", "aside"))
    fixed = _fixed([row.parameters for row in found.rows])
    if fixed:
        same = ", ".join(f"{name} = {_text(value)}" for name, value in fixed.items())
        blocks += details([Sentence(f"At every grid point: {same}.")])
    return Document(f"A sweep of {counted(len(found.rows), 'grid point')}", tuple(blocks), (), first)


def _table(rows: Sequence["CellRow"]) -> Table:
    fixed = _fixed([row.parameters for row in rows])
    names = [name for name in dict.fromkeys(name for row in rows for name in row.parameters) if name not in fixed]
    values = list(dict.fromkeys(name for row in rows for name in row.values))
    columns = (*(Column(name) for name in names), *(Column(name, "number") for name in values))
    lines = tuple(
        (*(_text(row.parameters.get(name)) for name in names), *(row.values.get(name) for name in values))
        for row in rows[:MOST]
    )
    return Table(columns, lines, "Grid points")


def _fixed(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters that all grid points share."""
    first = cells[0] if cells else {}
    return {
        name: value
        for name, value in first.items()
        if len(cells) > 1 and all(name in cell and cell[name] == value for cell in cells)
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json.dumps(value)
