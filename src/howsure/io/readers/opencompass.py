"""OpenCompass results with details: results/MODEL/DATASET.json, where `details` has each item by its number."""

from collections.abc import Mapping

from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, at


def recognises(glance: Glance) -> bool:
    """Take an object whose details say of each item whether it is correct."""
    details = glance.first.get("details")
    entries = details.values() if isinstance(details, Mapping) else ()
    first = next((entry for entry in entries if isinstance(entry, Mapping)), None)
    return first is not None and "correct" in first


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each item."""
    header.model, header.task = glance.path.resolve().parent.name, glance.path.stem
    with glance.open() as file:
        details = at(JsonCursor(file, glance.name).value(), "details")
    for item, entry in details.items():
        if isinstance(entry, Mapping):
            value = entry.get("correct")
            value = value[0] if isinstance(value, list) and value else value
            yield answered(
                str(item), value if isinstance(value, bool | int | float) else None, "correct", absent="unscored"
            )


READER = Reader("opencompass", "OpenCompass results", recognises, rows, "one item", kinds=("json",))
