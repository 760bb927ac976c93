"""From files, and sources as people name them, to a table and a contest.

Three layouts: one tidy table whose sources are values of a column or conditions ("kind=human"); one wide table whose
sources are columns ("rater_*"); or one file per source ("human=ratings.csv"). Which it is follows from how files and
sources are written, and a note says so.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import ArgumentError, DataError

if TYPE_CHECKING:
    from assay.io.sheets import Sheet
    from assay.responses import Contest, ResponseTable

Options = dict[str, str | None]


def contest_from(
    files: Sequence[str],
    *,
    a: str,
    b: str,
    gold: str | None = None,
    item: str | None = None,
    source: str | None = None,
    value: str | None = None,
    rater: str | None = None,
    repeat: str | None = None,
    by: Sequence[str] | str | None = None,
    scale: str | None = None,
    order: Sequence[str] | str | None = None,
) -> "Contest":
    """Put A and B against each other, as `--gold`, `--a` and `--b` name them; without `gold` the contest is gold-free.

    Each of them is a source, a condition such as "kind=human", or a column or glob of a wide table.
    """
    asked = [spec for spec in (gold, a, b) if spec is not None]
    if len(set(asked)) != len(asked):
        raise ArgumentError(f"--gold, --a and --b must be different sources; got {', '.join(asked)}.")
    table, names = _read(
        files, asked, {"item": item, "source": source, "value": value, "rater": rater, "repeat": repeat},
        groups=_listed(by), scale=scale, order=_listed(order) or None,
    )  # fmt: skip
    return table.contest(gold=names[gold] if gold is not None else None, a=names[a], b=names[b])


def preferences_from(
    files: Sequence[str],
    preference: str,
    *,
    a: str,
    b: str,
    tie: str | None,
    gold: str | None = None,
    **columns: Any,
) -> "Contest":
    """Put the models against each other whose labels, `a` and `b`, the source `preference` answers."""
    from assay import preferences

    if gold is not None:
        raise ArgumentError("preferences are gold-free; leave out --gold or --preference.")
    table = table_from(files, sources=[preference], **columns)
    return preferences.preferences_from(table, next(iter(table.sources)), a=a, b=b, tie=tie)


def table_from(
    files: Sequence[str],
    *,
    sources: Sequence[str] = (),
    item: str | None = None,
    source: str | None = None,
    value: str | None = None,
    rater: str | None = None,
    repeat: str | None = None,
    by: Sequence[str] | str | None = None,
    scale: str | None = None,
    order: Sequence[str] | str | None = None,
) -> "ResponseTable":
    """Read the table of these files: the `sources` asked for, written as in `contest_from`, or all of them."""
    columns = {"item": item, "source": source, "value": value, "rater": rater, "repeat": repeat}
    return _read(files, sources, columns, groups=_listed(by), scale=scale, order=_listed(order) or None)[0]


def _read(
    files: Sequence[str],
    asked: Sequence[str],
    columns: Options,
    *,
    groups: list[str],
    scale: str | None,
    order: list[str] | None,
) -> tuple["ResponseTable", dict[str, str]]:
    """Return the table, and what each source that was asked for is called in it."""
    named = _named_files(files)
    if named:
        wanted = _wanted_files(named, asked)
        return _read_files(wanted, columns, groups=groups, scale=scale, order=order), {name: name for name in wanted}

    from assay import io
    from assay.io.sheets import open_sheet

    sheet = open_sheet(files[0])
    if not asked:
        return io.read(sheet, **columns, groups=groups, scale=scale, order=order), {}
    if _is_wide(sheet, asked, columns):
        who = {role: _listed(columns[role]) if columns[role] else columns[role] for role in ("rater", "repeat")}
        table = io.read_wide(
            sheet, columns={spec: spec for spec in asked}, item=columns["item"], **who, groups=groups, scale=scale,
            order=order,
        )  # fmt: skip
        return _with_note(table, f"Read as a wide table: {_wide_columns(sheet, asked)}."), {
            spec: spec for spec in asked
        }
    names = _names(asked)
    table = io.read(
        sheet, **columns, groups=groups, scale=scale, order=order, sources={names[spec]: spec for spec in asked}
    )
    return table, names


def _named_files(files: Sequence[str]) -> dict[str, str]:
    """Return name → file where files are written name=file; nothing where a single plain file is given."""
    if not files:
        raise ArgumentError(
            "give a table of responses, for example ratings.csv, or one for each source: human=ratings.csv."
        )
    split = {file: file.partition("=") for file in files if "=" in file and not Path(file).exists()}
    if not split:
        if len(files) > 1:
            raise ArgumentError(
                f"several tables need names: {Path(files[0]).stem}={files[0]} {Path(files[1]).stem}={files[1]} …"
            )
        return {}
    if len(split) < len(files):
        plain = next(file for file in files if file not in split)
        raise ArgumentError(
            f"either all tables have names or none; {plain} has none. Write {Path(plain).stem}={plain}."
        )
    named: dict[str, str] = {}
    for file, (name, _, path) in split.items():
        if not name or not path:
            raise ArgumentError(f"a named table is written name=file; got {file!r}.")
        if name in named:
            raise ArgumentError(f"two tables are called {name!r}: {named[name]} and {path}.")
        named[name] = path
    return named


def _wanted_files(named: dict[str, str], asked: Sequence[str]) -> dict[str, str]:
    from assay import _check

    for spec in asked:
        if spec not in named:
            hint = _check.nearest(spec, named)
            raise ArgumentError(f"no table is called {spec!r}; the tables are {', '.join(named)}.{hint}")
    return {name: named[name] for name in asked} if asked else named


def _read_files(
    named: dict[str, str], columns: Options, *, groups: list[str], scale: str | None, order: list[str] | None
) -> "ResponseTable":
    """Read one file per source; a column that some files lack is guessed there, since each file has its own names."""
    from assay import io
    from assay.io.sheets import open_sheet

    sheets = {name: open_sheet(path) for name, path in named.items()}
    for column in [*columns.values(), *groups]:
        if column and not any(column in sheet.columns for sheet in sheets.values()):
            next(iter(sheets.values())).cells(column)
    tables = {}
    for name, sheet in sheets.items():
        own = {role: column if not column or column in sheet.columns else None for role, column in columns.items()}
        own["source"] = _source_column(sheet, name, own)
        tables[name] = io.read(
            sheet, **own, groups=[group for group in groups if group in sheet.columns], scale=scale, order=order,
            sources=name if own["source"] is None else {name: name},
        )  # fmt: skip
    return io.join(tables, files=named) if len(tables) > 1 else next(iter(tables.values()))


def _source_column(sheet: "Sheet", name: str, own: Options) -> str | None:
    """Return the column in which rows of this source are marked by its name; None where all rows are its own."""
    from assay.io import _columns
    from assay.io.sheets import listed

    if own["source"] == "":
        return None
    column = own["source"] or _columns.guess(sheet, "source", taken=list(own.values()))
    if column is None:
        return None
    known = sheet.ids(column).drop_nulls().unique(maintain_order=True).to_list()
    if name in known:
        return column
    if len(known) > 1:
        raise DataError(
            f"{sheet.name} holds {len(known)} sources ({listed(known)}) and none is called {name!r}. "
            f"If column {column!r} names raters, say --rater {column}."
        )
    return None


def _is_wide(sheet: "Sheet", asked: Sequence[str], columns: Options) -> bool:
    """Whether the sources are columns: all match some, and no tidy reading of them is possible."""
    from assay.io import _columns

    if columns["value"] or columns["source"] or not all(_columns.matching(sheet, spec) for spec in asked):
        return False
    try:
        column = _columns.guess(sheet, "source")
        value = _columns.guess(sheet, "value", taken=[column])
    except DataError:  # more than one candidate: the columns that were named decide
        return True
    if column is None or value is None:
        return True
    return not set(asked) <= set(sheet.ids(column).to_list())


def _wide_columns(sheet: "Sheet", asked: Sequence[str]) -> str:
    from assay.io import _columns
    from assay.io.sheets import listed

    parts = []
    for spec in asked:
        matched = _columns.matching(sheet, spec)
        parts.append(f"{spec} is {listed(matched)}" if matched != [spec] else f"{spec} is a column")
    return "; ".join(parts)


def _names(asked: Sequence[str]) -> dict[str, str]:
    """Call each source by its value: "kind=human" is human, unless two conditions end alike."""
    short = {spec: spec.partition("=")[2].strip() or spec for spec in asked}
    return short if len(set(short.values())) == len(short) else {spec: spec for spec in asked}


def _with_note(table: "ResponseTable", note: str) -> "ResponseTable":
    from dataclasses import replace

    return replace(table, notes=(note, *table.notes))


def _listed(names: Sequence[str] | str | None) -> list[str]:
    """Split "low,medium,high"; a list stays as it is."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    return list(names or ())
