"""Lists of scores in text files: one line per item, one column per system."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from howsure import _files
from howsure.errors import ArgumentError, DataError
from howsure.io._decoding import read_whole
from howsure.paired.limits import LARGEST, SMALLEST
from howsure.paired.score_lists import BEYOND, PairedScores, ScoreTable, cluster_codes


def read_scores(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    cluster: str | None = None,
    encoding: str | None = None,
) -> PairedScores:
    """Read the scores of two systems from a text file with one line per item.

    Columns are separated by tabs, commas, semicolons or blanks. A first line without any number names the columns;
    empty lines and lines that start with `#` are skipped.

    Parameters
    ----------
    path : path
    columns : two str, optional
        Which columns to read, by name or by number (the first is 1), when the file has more than two.
    cluster : str, optional
        The column with the cluster id of each line, by name or number.
    encoding : str, optional
        The encoding of a file that is not UTF-8, such as "cp1252".
    """
    table = read_table(path, columns=columns, cluster=cluster, encoding=encoding)
    if len(table.names) != 2:
        many = len(table.names)
        raise DataError(
            f"{path} has {many} columns of scores, and this compares two. Choose two by name or number "
            "(`columns='1,2'`), name the column of document ids (`cluster='3'`), or compare every pair (`all_pairs`)."
        )
    return table.pair(*table.names)


def read_table(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    cluster: str | None = None,
    encoding: str | None = None,
) -> ScoreTable:
    """Read the scores of two or more systems from a text file; see `read_scores` for the format."""
    rows, header, first = _rows(Path(path), encoding)
    width = len(rows[0][1])
    names = header or tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:width] if width <= 26 else map(str, range(1, width + 1)))
    group = None if cluster is None else _position("cluster", cluster, header, width, path)
    if columns is None:
        chosen = [column for column in range(width) if column != group]
    else:
        chosen = [_position("columns", column, header, width, path) for column in columns]
        if len(chosen) < 2:
            raise ArgumentError(f"`columns` must name two columns or more, one for each system; got {columns[0]!r}.")
        if len(set(chosen)) != len(chosen) or group in chosen:
            raise ArgumentError(f"`columns` and `cluster` must be different columns; got {', '.join(columns)}.")
    if len(chosen) < 2:
        raise DataError(
            f"{path} has one column of scores (line {first}: {' '.join(rows[0][1])!r}); two are needed, one for each "
            f"system, separated by blanks, commas or tabs."
        )
    values = np.array([[_score(fields[c], path, number, c) for c in chosen] for number, fields in rows])
    codes = None if group is None else cluster_codes([fields[group] for _, fields in rows], len(rows))
    return ScoreTable(values, tuple(names[column] for column in chosen), codes)


def write_scores(scores: PairedScores, path: str | Path) -> None:
    """Write two lists of scores as text that `read_scores` reads back, for example the evaluation units of `to_units`.

    Parameters
    ----------
    scores : PairedScores
    path : path
        Columns are separated by commas in a file that ends in .csv, else by tabs.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(PairedScores.from_arrays([0.5, 1], [0.25, 0]), f"{folder}/units.txt")
    ...     read_scores(f"{folder}/units.txt").differences.tolist()
    [0.25, 1.0]
    """
    columns: dict[str, list[str]] = {
        scores.names[0]: [repr(value) for value in scores.a.tolist()],
        scores.names[1]: [repr(value) for value in scores.b.tolist()],
    }
    if scores.clusters is not None:
        columns["cluster"] = [f"c{code}" for code in scores.clusters.tolist()]
    separator = "," if Path(path).suffix.lower() == ".csv" else "\t"
    header = [name.replace(separator, " ") for name in columns]
    lines = [separator.join(row) for row in (header, *zip(*columns.values(), strict=True))]
    _files.write_text(path, "\n".join(lines) + "\n")


def _rows(path: Path, encoding: str | None) -> tuple[list[tuple[int, list[str]]], tuple[str, ...] | None, int]:
    """Return the (line number, fields) of every line with data, the header if there is one, and the first line."""
    lines = [
        (number, line)
        for number, line in enumerate(read_whole(path, encoding=encoding).splitlines(), 1)
        if line.strip()
    ]
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
    if not lines:
        raise DataError(f"{path} is empty: it has no line with scores.")
    separator = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
    rows = [(number, _cells(line.strip(), separator)) for number, line in lines]
    header = None
    if not any(_number(part) is not None for part in rows[0][1]):
        header = tuple(rows.pop(0)[1])
        if not rows:
            raise DataError(f"{path} has no line with numbers: its only line is {lines[0][1].strip()[:60]!r}.")
        if len(set(header)) != len(header):
            raise DataError(f"{path}, line {lines[0][0]}: two columns have the same name.")
    width = len(header or rows[0][1])
    for number, fields in rows:
        if len(fields) != width:
            raise DataError(f"{path}, line {number}: {_count(len(fields))}, but the lines before have {width}.")
    return rows, header, rows[0][0]


def _cells(line: str, separator: str | None) -> list[str]:
    """Cut a line into cells; a separator between quotes does not count."""
    if separator is None or '"' not in line:
        return [cell.strip() for cell in line.split(separator)]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


def _number(text: str) -> float | None:
    """Return the number that people would read; Python also reads 1_000 and the digits of other scripts."""
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _score(text: str, path: str | Path, line: int, column: int) -> float:
    number = _number(text)
    if number is None:
        what = "is empty" if not text else f"is not a number: {text[:40]!r}"
        raise DataError(f"{path}, line {line}, column {column + 1} {what}.")
    if number and not SMALLEST <= abs(number) <= LARGEST and math.isfinite(number):
        raise DataError(f"{path}, line {line}, column {column + 1} is {text}; {BEYOND}")
    if not math.isfinite(number):
        raise DataError(
            f"{path}, line {line}, column {column + 1} is {text}; remove the line (for both systems) or give a score."
        )
    return number


def _position(option: str, column: str, header: tuple[str, ...] | None, width: int, path: str | Path) -> int:
    text = str(column).strip()
    if header is not None and text in header:
        return header.index(text)
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= width:
        return int(text) - 1
    known = ", ".join(header) if header else f"1 to {width} (the file has no header line)"
    raise ArgumentError(f"`{option}` must name columns of {path}: {known}; got {text!r}.")


def _count(n: int) -> str:
    return "one column" if n == 1 else f"{n} columns"
