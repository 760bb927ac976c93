"""VET's JSON: the matrices `gold`, `preds1` and `preds2`, one row for each item and one column for each response."""

from assay.errors import DataError
from assay.io.readers.base import Glance, Header, Reader, Row, Rows
from assay.io.readers.json_stream import JsonCursor

KEYS = ("gold", "preds1", "preds2")


def recognises(glance: Glance) -> bool:
    """Take an object with `gold`, `preds1` and `preds2`, or as many of them as a first look shows, each a matrix."""
    found = [key for key in glance.first if key in KEYS]
    rows_of = [glance.first[key] for key in found]
    matrices = all(isinstance(rows, list) and rows and isinstance(rows[0], list) for rows in rows_of)
    return not glance.is_array and bool(found) and matrices and set(glance.first) <= set(KEYS)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each cell of the matrices; the row's number is the item."""
    with glance.open() as file:
        cursor = JsonCursor(file, glance.name)
        for key in cursor.members():
            for item in cursor.elements():
                cells = cursor.value()
                if not isinstance(cells, list):
                    raise DataError(f"{glance.name}: row {item} of {key!r} (counting from 0) is not a list.")
                for number, value in enumerate(cells):
                    missing = value is None or value == "NaN"
                    yield Row(
                        str(item), None if missing else value, source=key, repeat=number,
                        lacks="empty" if missing else "",
                    )  # fmt: skip


READER = Reader("vet", "VET data", recognises, rows, "a response of one item by gold or a model")
