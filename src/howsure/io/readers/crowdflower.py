"""CrowdFlower and Appen reports (CSV): one judgment per row, `_unit_id` and `_worker_id` beside the answers."""

from collections.abc import Iterator
from itertools import zip_longest

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, csv_records, id_of

UNIT, WORKER = "_unit_id", "_worker_id"


def recognises(glance: Glance) -> bool:
    """Take a header with unit and worker."""
    return {UNIT, WORKER} <= set(glance.columns)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each judgment and question: a column without underscore that differs within a unit."""
    first, answers = dict[tuple[str, str], str](), dict[str, None]()
    for cells in _judgments(glance):
        for column, value in cells.items():
            asked = not column.startswith("_") and not column.endswith("_gold")
            if asked and first.setdefault((cells[UNIT], column), value) != value:
                answers[column] = None
    for cells in _judgments(glance):
        tainted = cells.get("_tainted", "").lower() == "true"
        for column in answers:
            value = cells[column]
            lacks = "rejected" if tainted else "" if value.strip() else "empty"
            about = {"source": "human", "rater": cells[WORKER], "lacks": lacks}
            yield Row(id_of(cells[UNIT]), None if lacks else value, column, **about)  # type: ignore[arg-type]


def _judgments(glance: Glance) -> Iterator[dict[str, str]]:
    records = csv_records(glance, strict=True)
    _, columns = next(records)
    return (dict(zip_longest(columns, cells, fillvalue="")) for _, cells in records if any(cells))


READER = Reader(
    "crowdflower", "a CrowdFlower report", recognises, rows, "an answer of one worker", kinds=("text",), personal=True
)
