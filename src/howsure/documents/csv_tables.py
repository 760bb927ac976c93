"""The tables of a document as CSV, one by one: values as they are, an interval in two columns."""

import csv
import io
import re
from typing import Any

from howsure.documents.document import BETWEEN, Column, Document, Measured, Table


def tables(document: Document) -> dict[str, str]:
    """Return every table as CSV, by a name made of its title.

    Examples
    --------
    >>> page = Document("Scores", (Table((Column("test"), Column("95% interval", "interval")), (("t", (0.1, 0.3)),)),))
    >>> print(tables(page)["table-1"], end="")
    test,95% interval low,95% interval high
    t,0.1,0.3
    """
    found: dict[str, str] = {}
    for number, block in enumerate((block for block in document.blocks if isinstance(block, Table)), 1):
        name = re.sub(r"[^a-z0-9]+", "-", block.title.lower()).strip("-")[:40].strip("-") or f"table-{number}"
        found[name if name not in found else f"{name}-{number}"] = _csv(block)
    return found


def _csv(table: Table) -> str:
    split = [
        column.kind in BETWEEN and not all(isinstance(row[i], str) for row in table.rows)
        for i, column in enumerate(table.columns)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([title for column, two in zip(table.columns, split, strict=True) for title in _titles(column, two)])
    for row in table.rows:
        writer.writerow([entry for value, two in zip(row, split, strict=True) for entry in _entries(value, two)])
    return text.getvalue()


def _titles(column: Column, two: bool) -> list[str]:
    return [f"{column.title} low", f"{column.title} high"] if two else [column.title]


def _entries(cell: Any, two: bool) -> list[Any]:
    value = cell.value if isinstance(cell, Measured) else cell
    if not two:
        return ["" if value is None else value]
    if value is None or isinstance(value, str):
        return [value or "", ""]
    return [value.low, value.high] if hasattr(value, "low") else list(value)
