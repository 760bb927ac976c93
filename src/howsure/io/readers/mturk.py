"""Mechanical Turk batches (CSV): one row per assignment, answers in `Answer.*`."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from howsure.errors import DataError
from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, csv_records, id_of

HIT = "HITId"
KEYS = {HIT, "AssignmentId", "WorkerId"}
ANSWER = "Answer."


def recognises(glance: Glance) -> bool:
    """Take a header with HIT, assignment and worker, and at least one answer."""
    return set(glance.columns) >= KEYS and any(column.startswith(ANSWER) for column in glance.columns)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each assignment and answer; those of rejected assignments are left out.

    The item is the HIT, or the column that the user names. Where a HIT asks for several items, the star of the scorer
    ("q*") stands for the same in the item ("Answer.Q*_URL").
    """
    for cells in _lines(glance):
        worker = cells["WorkerId"]
        rejected = cells.get("AssignmentStatus", "").strip().lower() == "rejected"
        for column, value in cells.items():
            if not column.startswith(ANSWER):
                continue
            lacks = "rejected" if rejected else "" if value.strip() else "empty"
            of = _item_column(glance, header, column)
            scorer = header.scorer if "*" in header.item and of != HIT else column.removeprefix(ANSWER)
            yield Row(id_of(cells[of]), None if lacks else value, scorer, source="human", rater=worker, lacks=lacks)


def _item_column(glance: Glance, header: Header, answer: str) -> str:
    wanted = header.item or HIT
    if "*" in wanted:
        before, _, after = header.scorer.removeprefix(ANSWER).partition("*")
        own = re.fullmatch(f"{re.escape(before)}(.*){re.escape(after)}", answer.removeprefix(ANSWER))
        if own is None:
            return HIT
        wanted = wanted.replace("*", own[1])
    if wanted not in glance.columns:
        raise DataError(f"{glance.name} has no column {wanted!r} for the item of {answer!r}.")
    return wanted


def _lines(glance: Glance) -> Iterator[dict[str, str]]:
    """Yield the cells of each record by column; a record may be shorter than the header."""
    records = csv_records(glance, strict=True)
    _, columns = next(records)
    for line, cells in records:
        if len(cells) > len(columns):
            place = f"{glance.name}, line {line}"
            raise DataError(f"{place} has {len(cells)} cells, but the header has {len(columns)} columns.")
        if any(cells):
            yield dict(zip_longest(columns, cells, fillvalue=""))


READER = Reader(
    "mturk",
    "a Mechanical Turk batch",
    recognises,
    rows,
    "an answer of one worker to one HIT",
    personal=True,
    kinds=("text",),
)
