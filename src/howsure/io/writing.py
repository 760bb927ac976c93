"""Write a table back as a tidy file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from howsure import _check, _files
from howsure.data.response_tables import ResponseTable
from howsure.errors import DataError
from howsure.io.reading import as_table

WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".jsonl": lambda frame, path: frame.write_ndjson(path),
    ".parquet": lambda frame, path: frame.write_parquet(path),
}


def write(table: ResponseTable | Any, path: str | Path, *, force: bool = False) -> None:
    """Write a table with one response per row: item, source, rater (if any), repeat, value and the groups.

    `read` gives the same table back, with ``groups=None`` if it has groups, and with the same `scale` or `order` if it
    was read with one (a Parquet file keeps the order of labels).

    Parameters
    ----------
    table : ResponseTable, dataframe or path
    path : path
        Its ending says the format: .csv, .tsv, .jsonl or .parquet.
    force : bool
        Whether a file that exists may be replaced; without it that is an error. The new file holds the columns that
        howsure uses and no others, so it is no copy of the file that was read.

    Examples
    --------
    >>> import polars, tempfile
    >>> from howsure.io import read
    >>> table = read(polars.DataFrame({"item": [1, 2], "value": ["good", "bad"]}), sources="human")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(table, f"{folder}/table.csv")
    ...     print(open(f"{folder}/table.csv").read())
    item,source,repeat,value
    1,human,1,good
    2,human,1,bad
    <BLANKLINE>
    """
    _files.check_outputs({"path": _check.path("path", path)}, force=_check.flag("force", force))
    table, target = as_table(table), Path(path)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise DataError(f"{path}: the ending {target.suffix!r} is not one that can be written ({', '.join(WRITERS)}).")
    if any(not label.strip() for label in table.scale.labels):
        raise DataError("a label is blank, which would be read as a missing value; give it a name.")
    with _files.writing(target) as draft:
        writer(table.to_frame(), draft)
