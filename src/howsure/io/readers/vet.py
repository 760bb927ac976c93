"""VET's JSON: the matrices `gold`, `preds1` and `preds2`, one row for each item and one column for each response.

What its simulator writes has many such data sets: a list under `alt`, where the second machine is worse, and one under
`null`, where it is not.
"""

from collections.abc import Iterator

from howsure.errors import DataError
from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, answered

KEYS, SETS = ("gold", "preds1", "preds2"), ("alt", "null")


def recognises(glance: Glance) -> bool:
    """Take matrices under some of the three names and no others, or lists of such objects under `alt` and `null`."""
    found = glance.first
    if glance.is_array or not found:
        return False
    if set(found) <= set(SETS):
        return all(isinstance(one, list) and one and _are_matrices(one[0]) for one in found.values() if one is not None)
    return _are_matrices(found)


def _are_matrices(found: object) -> bool:
    if not isinstance(found, dict) or not found or not set(found) <= set(KEYS):
        return False
    return all(isinstance(rows, list) and rows and isinstance(rows[0], list) for rows in found.values())


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each cell of the matrices; the row's number is the item, the data set's number the task."""
    header.default = SETS[0]
    with glance.open() as file:
        cursor = JsonCursor(file, glance.name)
        for key in cursor.members():
            if key in SETS:
                for number in cursor.elements():
                    for name in cursor.members():
                        yield from _matrix(cursor, glance.name, name, scorer=key, task=f"data set {number + 1}")
            else:
                yield from _matrix(cursor, glance.name, key)


def _matrix(cursor: JsonCursor, file: str, key: str, *, scorer: str = "", task: str | None = None) -> Iterator[Row]:
    for item in cursor.elements():
        cells = cursor.value()
        if not isinstance(cells, list):
            raise DataError(f"{file}: row {item} of {key!r} (counting from 0) is not a list.")
        for number, value in enumerate(cells):
            known = None if value == "NaN" else value
            yield answered(str(item), known, scorer, source=key, repeat=number, task=task)


READER = Reader("vet", "VET data", recognises, rows, "a response of one item by gold or a model", kinds=("json",))
