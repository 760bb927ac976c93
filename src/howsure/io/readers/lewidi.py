"""Le-Wi-Di data of 2023 (comma strings) and 2025 (one entry for each annotator)."""

from collections.abc import Iterator, Mapping
from typing import Any

from howsure.errors import DataError
from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, id_of, objects_of


def recognises(glance: Glance) -> bool:
    """Take an object of objects with `annotations` and `annotators`."""
    first = next(iter(glance.first.values()), None)
    return not glance.is_array and isinstance(first, Mapping) and {"annotations", "annotators"} <= set(first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each label that an annotator gave; one annotator may give several."""
    for key, entry in objects_of(glance):
        task = str(entry.get("annotation task", ""))
        for rater, number, label in _labels(entry, f"{glance.name}, entry {key}"):
            yield answered(id_of(key), label or None, task, source="human", rater=rater, repeat=number)


def _labels(entry: Mapping[str, Any], place: str) -> Iterator[tuple[str, int, str]]:
    given = entry["annotations"]
    if isinstance(given, Mapping):
        for rater, labels in given.items():
            parts = str(labels).split(",") if isinstance(labels, str) else [labels]
            yield from ((rater, number, str(label).strip()) for number, label in enumerate(parts))
        return
    values, raters = str(given).split(","), str(entry["annotators"]).split(",")
    if len(values) != len(raters):
        raise DataError(f"{place} has {len(values)} annotations by {len(raters)} annotators.")
    yield from ((rater.strip(), 0, value.strip()) for rater, value in zip(raters, values, strict=True))


READER = Reader("lewidi", "Le-Wi-Di data", recognises, rows, "a label by one annotator", kinds=("json",))
