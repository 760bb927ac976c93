"""Doccano exports: `text` and `label`, as an array, as lines or as CSV; one file for each annotator."""

from collections.abc import Iterator
from typing import Any

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, array_of, csv_records, id_of, json_lines


def recognises(glance: Glance) -> bool:
    """Take records of a text and its labels, and nothing else but an id and a comment."""
    if glance.kind == "text":
        return sorted(glance.columns) == ["label", "text"]
    label = glance.first.get("label")
    return {"text", "label"} <= set(glance.first) <= {"id", "text", "label", "Comments"} and isinstance(label, list)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each label of a text; spans within it are not labels of the whole."""
    spans = 0
    for entry in _entries(glance):
        labels = entry["label"] if isinstance(entry["label"], list) else [entry["label"]]
        about: dict[str, Any] = {"item": id_of(entry["text"]), "source": "human", "rater": glance.path.stem}
        spans += sum(isinstance(label, list) for label in labels)
        whole = [label for label in labels if isinstance(label, str) and label]
        if not whole:
            yield Row(value=None, lacks="spans only" if labels else "empty", **about)
        for number, label in enumerate(whole):
            yield Row(value=label, repeat=number, **about)
    if spans:
        header.notes.append(f"{glance.name}: {spans:,} spans are left out; only labels of whole texts are compared.")


def _entries(glance: Glance) -> Iterator[dict[str, Any]]:
    if glance.kind == "json":
        return array_of(glance) if glance.is_array else (entry for _, entry in json_lines(glance))
    records = csv_records(glance, strict=True)
    _, columns = next(records)
    return (dict(zip(columns, cells, strict=False)) for _, cells in records if any(cells))


READER = Reader("doccano", "a Doccano export", recognises, rows, "a label of one text", kinds=("json", "text"))
