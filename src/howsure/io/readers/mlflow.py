"""MLflow evaluation tables (JSON): `columns` beside `data`, with a column METRIC/score for each metric."""

from typing import Any

from howsure.io.json_files import JsonCursor
from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, id_of

SCORE = "/score"
ASKED = ("inputs", "input", "question", "prompt")


def recognises(glance: Glance) -> bool:
    """Take an object of columns and data."""
    first = glance.first
    return not glance.is_array and set(first) == {"columns", "data"} and isinstance(first["columns"], list)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each record and metric; a record of a table without metrics is unscored."""
    header.model = glance.path.stem
    with glance.open() as file:
        whole: dict[str, Any] = JsonCursor(file, glance.name).value()
    columns = [str(column) for column in whole["columns"]]
    scores = [column for column in columns if column.endswith(SCORE)]
    asked = next((column for column in ASKED if column in columns), columns[0])
    if not scores:
        header.notes.append(f"{glance.name} has no column METRIC{SCORE}: nothing in it was scored.")
    for record in whole["data"]:
        entry = dict(zip(columns, record, strict=True))
        for column in scores or [""]:
            value = entry.get(column) if column else None
            number = value if isinstance(value, int | float) else None
            yield answered(id_of(entry[asked]), number, column.removesuffix(SCORE), absent="unscored")


READER = Reader("mlflow", "an MLflow evaluation table", recognises, rows, "a metric of one record", kinds=("json",))
