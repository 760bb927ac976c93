"""Tables as CSV for people: values as they are, an interval in two columns, and no text that a spreadsheet computes."""

import csv
import io
import re
from typing import Any

from howsure.documents.document import BETWEEN, Column, Document, Measured, Table

FORMULA = ("=", "+", "-", "@", "\t", "\n")
"""How a cell begins that a spreadsheet takes for a formula."""


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


def from_frame(frame: Any) -> str:
    """Return the rows of a data frame as CSV; columns of lists are left out, because a cell holds one value.

    Examples
    --------
    >>> import polars
    >>> print(from_frame(polars.DataFrame({"model": ["=1+1", "b"], "score": [-0.5, 2.0]})), end="")
    model,score
    '=1+1,-0.5
    b,2.0
    """
    import polars

    columns = [
        polars.Series(harmless(column.name), [*map(harmless, column.cast(polars.String))], polars.String)
        if column.dtype in (polars.String, polars.Categorical, polars.Enum)
        else column.alias(harmless(column.name))
        for column in frame
        if not column.dtype.is_nested()
    ]
    return str(polars.DataFrame(columns).write_csv())


def harmless(cell: Any) -> Any:
    """Return a cell as a spreadsheet should get it: text that it would compute begins with an apostrophe.

    Names of models, items and labels are whatever somebody wrote into a table. A carriage return becomes a line feed:
    it would end the row, because the writer puts no quotes around it.

    Examples
    --------
    >>> [harmless(cell) for cell in ("=HYPERLINK(1)", "-a", "-0.5", "+inf", "a=b", "", -3, None)]
    ["'=HYPERLINK(1)", "'-a", '-0.5', '+inf', 'a=b', '', -3, None]
    """
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r\n", "\n").replace("\r", "\n")
    if not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell if cell[0] in "+-" else f"'{cell}"  # float skips tabs and line feeds


def _csv(table: Table) -> str:
    split = [
        column.kind in BETWEEN and not all(isinstance(row[i], str) for row in table.rows)
        for i, column in enumerate(table.columns)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    titles = [title for column, two in zip(table.columns, split, strict=True) for title in _titles(column, two)]
    writer.writerow(map(harmless, titles))
    for row in table.rows:
        entries = [entry for value, two in zip(row, split, strict=True) for entry in _entries(value, two)]
        writer.writerow(map(harmless, entries))
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
