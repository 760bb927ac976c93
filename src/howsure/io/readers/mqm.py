"""MQM and ESA ratings of translations (WMT), tab-separated; ESA also as JSON Lines, as WMT publishes it.

MQM has one row per error: a segment's score by a rater is the sum of its errors' penalties (Freitag et al. 2021,
table 4): major 5, minor 1, major non-translation 25, minor punctuation 0.1, neutral and no error 0. Lower is better.
ESA has one score per segment and rater.
"""

import csv
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.errors import DataError
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, answered, csv_records, id_of, json_lines

PENALTY = {"major": 5.0, "critical": 25.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no error": 0.0}
MQM = {"system", "rater", "category", "severity"}
SEGMENT = ("seg_id", "globalSegId", "segment_id", "seg", "line_id")
DOCUMENT = ("doc", "docid", "document", "doc_id")
RATER = ("rater", "annotator")
ESA = "esa_score"


def recognises(glance: Glance) -> bool:
    """Take a header with system, rater and segment, and category and severity (MQM) or an ESA score."""
    if glance.is_array:
        return False
    columns = set(glance.first or glance.columns)
    if not (set(SEGMENT) & columns and set(RATER) & columns and "system" in columns):
        return False
    return columns >= MQM or ESA in columns


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each segment, system and rater."""
    if ESA in (glance.first or glance.columns):
        header.higher_is_better["esa"] = True
        yield from _esa(glance)
        return
    header.higher_is_better["mqm"] = False
    sums: dict[tuple[str, str, str], float] = {}
    for line, cells in _lines(glance):
        key = _item(cells), cells["system"], cells["rater"]
        sums[key] = sums.get(key, 0.0) + _penalty(cells["category"], cells["severity"], f"{glance.name}, line {line}")
    for (item, system, rater), penalty in sums.items():
        yield Row(item, round(penalty, 6), "mqm", source=system, rater=rater)


def _esa(glance: Glance) -> Iterator[Row]:
    lines = json_lines(glance) if glance.first else _lines(glance)
    for line, cells in lines:
        said = cells[ESA]
        value = said.strip() if isinstance(said, str) else said
        try:
            number = None if value in ("", None) else float(value)
        except (TypeError, ValueError):
            raise DataError(f"{glance.name}, line {line}, column {ESA!r}: {value!r} is not a number.") from None
        rater = _first(cells, RATER)
        who = None if rater is None else str(rater)
        yield answered(_item(cells), number, "esa", source=str(cells["system"]), rater=who, task=cells.get("langs"))


def _penalty(category: str, severity: str, place: str) -> float:
    kind, level = category.strip().lower(), severity.strip().lower()
    if level not in PENALTY:
        raise DataError(f"{place}: severity {severity!r} has no MQM penalty; known: {', '.join(PENALTY)}.")
    if level == "major" and kind.startswith("non-translation"):
        return 25.0
    if level == "minor" and kind.startswith("fluency/punctuation"):
        return 0.1
    return PENALTY[level]


def _item(cells: Mapping[str, Any]) -> str:
    document, segment = _first(cells, DOCUMENT), _first(cells, SEGMENT)
    return id_of(f"{document}:{segment}" if document else segment)


def _first(cells: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((cells[name] for name in names if name in cells), None)


def _lines(glance: Glance) -> Iterator[tuple[int, dict[str, str]]]:
    columns = glance.columns
    for number, (line, cells) in enumerate(csv_records(glance, delimiter="\t", quoting=csv.QUOTE_NONE)):
        if number == 0:
            continue
        if len(cells) != len(columns):
            place = f"{glance.name}, line {line}"
            raise DataError(f"{place} has {len(cells)} cells, but the header has {len(columns)} columns.")
        yield line, dict(zip(columns, cells, strict=True))


READER = Reader(
    "mqm",
    "MQM or ESA ratings",
    recognises,
    rows,
    "the penalty or score of one segment by one rater",
    kinds=("text", "json"),
)
