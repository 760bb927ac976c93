"""From files or data in memory, and sources as people name them, to a table and a contest.

Four layouts: one tidy table whose sources are values of a column or conditions ("kind=human"); one wide table whose
sources are columns ("rater_*"); one file per source ("human=ratings.csv"); or evaluation logs, which name their models
themselves. Which it is follows from how files and sources are written, and a note says so.
"""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure import _check
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.documents import Aside
from howsure.documents.numbers import counted
from howsure.errors import ArgumentError, DataError, MissingFileError

if TYPE_CHECKING:  # Polars comes with them, which a contest in memory does not need
    from howsure.io.columns import Layout
    from howsure.io.folders import Skipped
    from howsure.io.sheets import Sheet


GOLD = "gold"
PEOPLE = "human"


@dataclass(frozen=True, slots=True)
class File:
    """One file to read.

    Attributes
    ----------
    path : str
        Or a dataframe that is read in its place.
    name : str or None
        The source that it holds; None where the file itself says whose responses it holds.
    value : str or None
        Its column of responses, where it has one of its own.
    """

    path: Any
    name: str | None = None
    value: str | None = None


def named_files(files: "Sequence[str | File | Any]", skipped: "list[Skipped] | None" = None) -> list[File]:
    """Return the files behind what was typed; a path that exists is never taken for anything else.

    A `File` stays as it is, and a dataframe is read in place of a file. Of a folder these are its logs, or its tables;
    the files in it that are left out go to `skipped`.

    Examples
    --------
    >>> named_files(["human=ratings.csv:label"])
    [File(path='ratings.csv:label', name='human', value=None)]
    """
    if not files:
        raise ArgumentError(
            "give a table of responses, for example ratings.csv, or one for each source: human=ratings.csv."
        )
    found: list[File] = []
    for text in files:
        if not isinstance(text, str):
            found.append(text if isinstance(text, File) else File(text))
            continue
        name, equals, path = text.partition("=")
        if not equals or os.path.exists(text):
            found += _paths(text, None, skipped)
        elif not name or not path:
            raise ArgumentError(f"a named table is written name=file; got {text!r}.")
        else:
            found += _paths(path, name, skipped)
    seen: set[tuple[str, str | None]] = set()
    for file in (file for file in found if isinstance(file.path, str)):
        if (key := (os.path.realpath(file.path), file.value or file.name)) in seen:
            raise ArgumentError(f"{file.path} is given twice; give it once.")
        seen.add(key)
    return found


def contest_from(
    files: Sequence[str],
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    by: Sequence[str] | str | None = None,
    complete: bool = True,
    **options: Any,
) -> "Contest":
    """Put A and B against each other, measured against `gold`; without it the contest is gold-free.

    Each of them is a source, a condition such as "kind=human", or a column or glob of a wide table. Gold may be a file
    of its own, or a column that repeats an item's gold label. Where the files hold two models, A is the first of them
    unless `a` and `b` say otherwise. The other options are those of `howsure.read`.
    """
    asked = [spec for spec in (gold, a, b) if spec is not None]
    if len(set(asked)) != len(asked):
        raise ArgumentError(f"`gold`, `a` and `b` must be different sources; got {', '.join(asked)}.")
    if (a is None) != (b is None):
        raise ArgumentError(f"`a` and `b` go together; got {'a' if b is None else 'b'} alone.")
    if len(files) == 1 and isinstance(files[0], Contest):
        if asked:
            raise ArgumentError("a contest has its gold, A and B already: leave `a`, `b` and `gold` out.")
        return files[0].complete() if complete else files[0]
    table, names = _read(files, asked, gold, _layout(by, options), every=a is None)
    standard = names.get(gold, gold) if gold is not None else None
    if a is None or b is None:
        if gold is None:
            standard, said = gold_by_name(table)
            table = replace(table, notes=(*said, *table.notes))
        a, b = _only_two(table, standard)
        table = _with_note(table, Aside(f"A is {a} and B is {b}: the files hold no other models."))
    return table.contest(gold=standard, a=names.get(a, a), b=names.get(b, b), complete=complete)


def judged_contests_from(
    files: Sequence[str],
    *,
    judge: str,
    gold: str,
    a: str | None = None,
    b: str | None = None,
    by: Sequence[str] | str | None = None,
    **options: Any,
) -> "tuple[Contest, Contest]":
    """Put A and B against each other twice, measured against people's labels (`gold`) and against the judge's.

    Both contests hold all items, with or without labels. The sources are named as in `contest_from`.
    """
    asked = [spec for spec in (gold, judge, a, b) if spec is not None]
    if len(set(asked)) != len(asked):
        raise ArgumentError(f"`gold`, `judge`, `a` and `b` must be different sources; got {', '.join(asked)}.")
    if (a is None) != (b is None):
        raise ArgumentError(f"`a` and `b` go together; got {'a' if b is None else 'b'} alone.")
    table, names = _read(files, asked, gold, _layout(by, options), every=a is None)
    if a is None or b is None:
        a, b = _only_two(table, names.get(gold, gold), judge)
        table = _with_note(table, Aside(f"A is {a} and B is {b}: the files hold no other models."))
    how = {"a": names.get(a, a), "b": names.get(b, b), "complete": False}
    people, own = (table.contest(gold=names.get(spec, spec), **how) for spec in (gold, judge))  # type: ignore[arg-type]
    return people.in_order(), own.in_order()


def table_from(
    files: Sequence[str], *, sources: Sequence[str] = (), by: Sequence[str] | str | None = None, **options: Any
) -> "ResponseTable":
    """Read the table of these files: the `sources` asked for, written as in `contest_from`, or all of them."""
    return _read(files, sources, None, _layout(by, options), every=not sources)[0]


def _layout(by: Sequence[str] | str | None, given: dict[str, Any]) -> "Layout":
    """Return the options of `read` as one record; lists may be written with commas."""
    from howsure.io.columns import Layout

    options = {name: value for name, value in given.items() if value is not None}
    return Layout(**options | {"groups": _listed(by), "order": _listed(given.get("order")) or None})


def _read(
    files: Sequence[str], asked: Sequence[str], gold: str | None, layout: "Layout", *, every: bool
) -> tuple["ResponseTable", dict[str, str]]:
    """Return the table, and what each source that was asked for is called in it."""
    from howsure.io.reading import is_log, keep_sources, read_files, split_sources

    if len(files) == 1 and isinstance(files[0], ResponseTable | Contest):
        if isinstance(files[0], Contest):
            raise ArgumentError("this takes a table of all sources; a contest has no more than gold, A and B.")
        return keep_sources(files[0], None if every else asked), {}
    skipped: list[Skipped] = []
    found = named_files(files, skipped)
    standard = gold if gold is not None and _is_file(gold, found) else None
    single = len(found) == 1 and found[0].name is None and standard is None
    if single and not is_log(found[0].path):
        return _read_sheet(found[0], asked, gold, layout, every=every)
    table = read_files(_wanted(found, [] if every else [spec for spec in asked if spec != standard]), layout)
    if skipped:
        said = f"{counted(len(skipped), 'file')} left out (first: {Path(skipped[0].path).name}: {skipped[0].reason})."
        table = _with_note(table, Aside(said))
    if standard is None:
        for spec in asked:
            table.source(spec)
        return table, {}
    name, own = _standard(standard, layout)
    if name in table.sources:
        raise ArgumentError(
            f"`gold` {standard} and the other files both hold a source called {name!r}; name the files."
        )
    from howsure.io.joining import join

    return join(split_sources(table) | {name: own}, labels=layout.labels), {standard: name}


def _paths(text: str, name: str | None, skipped: "list[Skipped] | None") -> list[File]:
    if os.path.isdir(text):
        return unfolded(File(text, name), skipped)
    if os.path.exists(text):
        return [File(text, name)]
    path, colon, column = text.rpartition(":")
    if colon and column and os.path.exists(path):
        return [File(path, name, column)]
    if not any(mark in text for mark in "*?["):
        return [File(text, name)]
    matched = sorted(glob.glob(text))
    if not matched:
        raise MissingFileError(f"no file matches {text}.")
    return [File(path, name) for path in matched]


def unfolded(file: File, skipped: "list[Skipped] | None" = None) -> list[File]:
    """Return the files of a folder; a file, or data in memory, stays what it is."""
    if not (isinstance(file.path, str | Path) and os.path.isdir(file.path)):
        return [file]
    from howsure.io.folders import contents

    found = contents(file.path)
    if skipped is not None:
        skipped += found.skipped
    return [File(path, file.name) for path in found.paths]


def _is_file(gold: str, files: Sequence[File]) -> bool:
    """Whether gold is a file of its own; a source of that name comes first."""
    return gold not in [file.name for file in files] and os.path.isfile(gold)


def _standard(path: str, layout: "Layout") -> tuple[str, "ResponseTable"]:
    """Read the gold standard from a file of its own: its only source, or the people in it."""
    from howsure.io.reading import is_log, read_files, split_sources

    value = None if layout.value == "answer" else layout.value
    free = replace(layout, value=value, scorer=None, filter=None, where=None)
    if not is_log(path):
        return GOLD, read_files([File(path, GOLD)], free)
    held = split_sources(read_files([File(path)], free))
    name = PEOPLE if PEOPLE in held else next(iter(held))
    if len(held) > 1 and name != PEOPLE:
        raise DataError(
            f"{path} holds several sources ({', '.join(held)}); say which is gold: gold=FILE, `gold` its name."
        )
    return name, held[name]


def gold_by_name(table: "ResponseTable", *, n_models: int = 2) -> tuple[str | None, list[str]]:
    """Return the source that must be gold beside so many models or more, and a note; of labels only gold is right.

    Numbers may be compared without gold, and then "human" may as well be one of those that are ranked: the note asks.
    It is gold where people gave its values and nobody gave those of the others.
    """
    from howsure.io.column_names import SURELY_GOLD, gold_in, plain

    name = gold_in(table.sources)
    if name is None or len(table.sources) <= n_models:
        return None, []
    judged = [source for source, responses in table.sources.items() if responses.raters is not None]
    if table.scale.kind == "nominal" or plain(name) in SURELY_GOLD or judged == [name]:
        return name, [f"Gold is {name}, by its name. Change it with `gold`."]
    return None, [f"{name} counts as a model. If it is gold, say so: `gold={name!r}`."]


def with_gold_by_name(table: "ResponseTable", *, n_models: int) -> tuple["ResponseTable", str | None]:
    """Return the table with a note, and its gold; a source that may be gold or one of the models is an error."""
    from howsure.io.column_names import gold_in

    gold, notes = gold_by_name(table, n_models=n_models)
    if gold is None and notes:
        name = gold_in(table.sources)
        raise ArgumentError(
            f"{name} may be what people say, or one of the models: `gold={name!r}` measures the models against it; "
            "`model` names the models, with it or without it."
        )
    return replace(table, notes=(*notes, *table.notes)), gold


def _only_two(table: "ResponseTable", gold: str | None, judge: str | None = None) -> tuple[str, str]:
    models = [name for name in table.sources if name not in (gold, judge)]
    if len(models) != 2:
        said = "`a` and `b` say which two models are compared"
        if len(models) == 1:
            said += (
                f"; the files hold {models[0]} alone. Two logs of one model are its repeats; name them to compare them"
            )
            raise ArgumentError(f"{said}: a=FILE b=FILE.")
        from howsure.io.column_names import gold_in
        from howsure.io.sheets import listed

        name = gold_in(models) if gold is None else None
        hint = "" if name is None else f" If {name} is gold, say so: `gold={name!r}`."
        raise ArgumentError(f"{said}; the files hold {listed(models) or 'none'}.{hint}")
    return models[0], models[1]


def _wanted(files: Sequence[File], asked: Sequence[str]) -> list[File]:
    """Return the files of the sources that are asked for; files without a name may hold any."""
    names = [file.name for file in files if file.name is not None]
    if len(names) == len(files):
        for spec in asked:
            if spec not in names:
                hint = _check.nearest(spec, names)
                raise ArgumentError(
                    f"no table is called {spec!r}; the tables are {', '.join(dict.fromkeys(names))}.{hint}"
                )
    return [file for file in files if not asked or file.name is None or file.name in asked]


def _read_sheet(
    file: File, asked: Sequence[str], gold: str | None, layout: "Layout", *, every: bool
) -> tuple["ResponseTable", dict[str, str]]:
    """Read one table, tidy or wide."""
    from howsure.io.reading import read_sheet
    from howsure.io.sheets import open_sheet
    from howsure.io.tidy import read_tidy
    from howsure.io.wide import read_columns

    layout = replace(layout, value=file.value or layout.value)
    sheet = open_sheet(file.path, paths=layout.named_columns, encoding=layout.encoding, sheet=layout.sheet)
    wide = not every and _is_wide(sheet, asked, layout)
    of_items = gold if gold is not None and not wide and not _is_source(sheet, gold, layout) else None
    if every:
        return read_sheet(sheet, replace(layout, gold=of_items)), {}
    if wide:
        rater, repeat = (_listed(spec) if spec else spec for spec in (layout.rater, layout.repeat))
        how: dict[str, Any] = {"rater": rater, "repeat": repeat, "marks": gold is None}
        table = read_columns(sheet, {spec: spec for spec in asked}, layout, **how)
        return _with_note(table, Aside(f"Read as a wide table: {_wide_columns(sheet, asked)}.")), {}
    others = [spec for spec in asked if spec != of_items]
    names = _names(others, sheet)
    return read_tidy(sheet, replace(layout, gold=of_items), {names[spec]: spec for spec in others}), names


def _is_source(sheet: "Sheet", gold: str, layout: "Layout") -> bool:
    """Whether gold is anything but a column that repeats the gold label of an item."""
    from howsure.io.columns import guess

    if gold not in sheet.columns:
        return True
    try:
        column = layout.source or guess(sheet, "source")
    except DataError:
        return True
    return column is None or gold == column or gold in sheet.ids(column).to_list()


def _is_wide(sheet: "Sheet", asked: Sequence[str], layout: "Layout") -> bool:
    """Whether the sources are columns: all match some, and no tidy reading of them is possible."""
    from howsure.io.columns import guess, matching

    if layout.value or layout.source or not all(matching(sheet, spec) for spec in asked):
        return False
    try:
        column = guess(sheet, "source")
        value = guess(sheet, "value", taken=[column])
    except DataError:  # more than one candidate: the columns that were named decide
        return True
    if column is None or value is None:
        return True
    return not set(asked) <= set(sheet.ids(column).to_list())


def _wide_columns(sheet: "Sheet", asked: Sequence[str]) -> str:
    from howsure.io.columns import matching
    from howsure.io.sheets import listed

    parts = []
    for spec in asked:
        matched = matching(sheet, spec)
        parts.append(f"{spec} is {listed(matched)}" if matched != [spec] else f"{spec} is a column")
    return "; ".join(parts)


def _names(asked: Sequence[str], sheet: "Sheet") -> dict[str, str]:
    """Call each source by its value: "kind=human" is human, unless two conditions end alike."""
    short = {}
    for spec in asked:
        column, _, value = spec.partition("=")
        short[spec] = value.strip() if value.strip() and column.strip() in sheet.columns else spec
    return short if len(set(short.values())) == len(short) else {spec: spec for spec in asked}


def _with_note(table: "ResponseTable", note: str) -> "ResponseTable":
    return replace(table, notes=(note, *table.notes))


def _listed(names: Sequence[str] | str | None) -> list[str]:
    """Split "low,medium,high"; a list stays as it is."""
    if isinstance(names, str):
        return [name.strip() for name in names.split(",") if name.strip()]
    return list(names or ())
