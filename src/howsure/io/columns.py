"""Which column is the item, the source, the value, the rater and the repeat: as asked, or guessed from the names."""

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.data.scales import KINDS, SPELLINGS
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.io.column_names import ROLES, with_role
from howsure.io.sheets import Sheet, listed
from howsure.raters.design import RATER_IDS

Where = Mapping[str, str] | Sequence[str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How tables and logs are read: what `howsure.read` takes by keyword, in one record that is passed on.

    The first seven are names of columns: None is guessed from the names, "" means that there is no such column.
    """

    item: str | None = None
    source: str | None = None
    value: str | None = None
    rater: str | None = None
    repeat: str | None = None
    count: str | None = None
    gold: str | None = None
    groups: Sequence[str] | None = ()
    scale: str | None = None
    order: Sequence[Any] | None = None
    where: Where | None = None
    labels: str = "stripped"
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    pool: Sequence[str] = ()
    scorer: str | None = None
    filter: str | None = None
    rater_ids: str = "coded"

    def __post_init__(self) -> None:
        names = ("item", "source", "value", "rater", "repeat", "count", "gold")
        for name in (*names, "encoding", "decimal", "sheet", "scorer", "filter"):
            if getattr(self, name) is not None:
                _check.text(name, getattr(self, name))
        for name, check in (("groups", _check.texts), ("pool", _check.texts), ("order", _labels), ("where", _where)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, check(name, getattr(self, name)))
        if self.pool is None:
            object.__setattr__(self, "pool", ())
        if self.scale is not None:
            _check.one_of("scale", self.scale, KINDS)
        _check.one_of("labels", self.labels, SPELLINGS)
        _check.one_of("rater_ids", self.rater_ids, RATER_IDS)

    @property
    def conditions(self) -> dict[str, str]:
        """The column and the value of each condition in `where`."""
        return conditions(self.where)

    @property
    def named_columns(self) -> list[str]:
        """Every column that is named."""
        roles = (self.item, self.source, self.value, self.rater, self.repeat, self.count, self.gold)
        return [*filter(None, roles), *self.conditions, *(self.groups or ())]


def _labels(name: str, value: Any) -> tuple[Any, ...]:
    return tuple(_check.label(name, entry) for entry in _check.entries(name, value))


def _where(name: str, value: Any) -> Where:
    if isinstance(value, Mapping):
        return {key: str(_check.label(name, entry)) for key, entry in _check.mapping(name, value).items()}
    return _check.texts(name, value)


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role; None where there is none."""

    item: str | None
    source: str | None
    value: str | None
    rater: str | None
    repeat: str | None
    note: str | None

    @property
    def used(self) -> set[str]:
        """The columns that have a role."""
        return {name for name in (self.item, self.source, self.value, self.rater, self.repeat) if name is not None}


def find_columns(sheet: Sheet, given: dict[str, str | None], *, required: Sequence[str]) -> Columns:
    """Find the column of each role in `given`; None is guessed, "" means that there is no such column.

    A role that is not in `given` is not looked for. A `required` role without a column is an error.
    """
    found: dict[str, str | None] = dict.fromkeys(ROLES)
    _refuse_absent(sheet, [column for column in given.values() if column])
    found |= {role: column for role, column in given.items() if column}
    _refuse_shared(found)
    guessed = []
    for role, column in given.items():
        if column is None:
            found[role] = guess(sheet, role, taken=found.values())
            guessed += [f"{role} = {found[role]}"] if found[role] is not None else []
        if found[role] is None and role in required:
            whole = " If all rows are of one source, name it: sources='human' (human=FILE on the command line)."
            raise DataError(
                f"{sheet.name}: no {role} column found; pass its name with `{role}` (columns: "
                f"{listed(sheet.columns)}).{whole if role == 'source' else ''}"
            )
    note = Aside(f"Columns of {sheet.short_name} guessed from their names: {', '.join(guessed)}.") if guessed else None
    return Columns(**found, note=note)


def _refuse_absent(sheet: Sheet, columns: Sequence[str]) -> None:
    """Refuse columns that are not there, all of them at once."""
    absent = [column for column in columns if column not in sheet.columns]
    if len(absent) > 1:
        hints = [_check.nearest(column, sheet.columns).strip() for column in absent]
        shown = ", ".join(map(repr, absent))
        raise DataError(
            f"{sheet.name} has no columns {shown}; it has {listed(sheet.columns)}. {' '.join(hints)}".strip()
        )
    for column in absent:
        sheet.cells(column)


def guess(sheet: Sheet, role: str, *, taken: Iterable[str | None] = ()) -> str | None:
    """Return the column that looks like `role`, or None; more than one such column is an error."""
    alike = candidates(sheet, role, taken=taken)
    if len(alike) > 1:
        raise DataError(
            f"{sheet.name}: several columns look like the {role} ({', '.join(alike)}); "
            f"pass the name of one with `{role}`."
        )
    return alike[0] if alike else None


def candidates(sheet: Sheet, role: str, *, taken: Iterable[str | None] = ()) -> list[str]:
    """Return the columns that look most like `role`, apart from those that are `taken`."""
    used = set(taken)
    free = [column for column in sheet.columns if column not in used]
    while alike := with_role(free, role):
        filled = [column for column in alike if sheet.frame[column].null_count() < sheet.frame.height]
        if filled or role != "item":
            return filled or alike
        free = [column for column in free if column not in set(alike)]  # an empty column identifies nothing
    return []


def _refuse_shared(found: dict[str, str | None]) -> None:
    roles: dict[str, str] = {}
    for role, column in found.items():
        if column is None:
            continue
        if column in roles and {role, roles[column]} != {"source", "rater"}:
            raise ArgumentError(f"`{roles[column]}` and `{role}` must be different columns; got {column!r} for both.")
        roles[column] = role


@dataclass(frozen=True, slots=True)
class Condition:
    """Rows whose `column` says `value`."""

    column: str
    value: str

    @classmethod
    def parse(cls, text: str, source: str | None, sheet: Sheet) -> "Condition":
        """Read "kind=human"; a plain value is the source column's, also "temp=0" where no column is called temp."""
        column, equals, value = text.partition("=")
        if not equals:
            assert source is not None  # whoever allows plain values requires the column
            return cls(source, text)
        if source is not None and column.strip() not in sheet.columns and bool((sheet.ids(source) == text).any()):
            return cls(source, text)
        return cls(column.strip(), value.strip())


def matching(sheet: Sheet, pattern: str) -> list[str]:
    """Return the columns that a name or a glob such as "rater_*" stands for.

    "human" stands for human_1, human_2 and so on. The numbers must follow an underscore and run from 0 or 1:
    "claude" does not stand for the models claude-2 and claude-3.
    """
    if pattern in sheet:
        return [pattern]
    if alike := [column for column in sheet.columns if fnmatch.fnmatchcase(column, pattern)]:
        return alike
    matches = [re.fullmatch(re.escape(pattern) + r"_(\d+)", column) for column in sheet.columns]
    numbered = {int(match[1]): match[0] for match in matches if match}
    first = min(numbered, default=2)
    in_sequence = first in (0, 1) and sorted(numbered) == list(range(first, first + len(numbered)))
    return [numbered[number] for number in sorted(numbered)] if in_sequence else []


BETWEEN = ":"
"""Stands between the parts of an item's id."""


def conditions(where: Where | None) -> dict[str, str]:
    """Return column → value; "split=test" or a sequence of such texts may be given as well."""
    if where is None:
        return {}
    if isinstance(where, Mapping):
        return {str(column): str(value) for column, value in where.items()}
    found = {}
    for text in [where] if isinstance(where, str) else where:
        column, equals, value = text.partition("=")
        if not equals or not column.strip():
            raise ArgumentError(f"`where` must be written column=value; got {text!r}.")
        found[column.strip()] = value.strip()
    return found


def kept(sheet: Sheet, where: Where | None) -> tuple[Sheet, list[str]]:
    """Return the rows that meet every condition, and a note that counts them."""
    chosen = np.ones(sheet.frame.height, dtype=bool)
    wanted = conditions(where)
    for column, value in wanted.items():
        chosen &= sheet.rows_where(column, value)
    if not wanted:
        return sheet, []
    told = " and ".join(f"{column} is {value!r}" for column, value in wanted.items())
    if not chosen.any():
        raise DataError(f"{sheet.name} has no row where {told}.")
    rows = np.flatnonzero(chosen)
    lines = rows if sheet.lines is None else sheet.lines[rows]
    unit = "row" if sheet.lines is None else sheet.unit
    note = Aside(f"{rows.size:,} of {chosen.size:,} rows of {sheet.short_name} are used: those where {told}.")
    return replace(sheet, frame=sheet.frame[rows], lines=lines, unit=unit), [note]


def combined(sheet: Sheet, item: str | None) -> tuple[Sheet, list[str]]:
    """Return the sheet with a column for an item that is written "doc,dimension", and the columns it is made of."""
    parts = [part.strip() for part in (item or "").split(",") if part.strip()]
    if not item or item in sheet.columns or "," not in item or not parts:  # there is no column called ",,"
        return sheet, []
    cells = [sheet.ids(part).rename(f"part {number}") for number, part in enumerate(parts)]
    joined = pl.select(pl.concat_str(cells, separator=BETWEEN)).to_series().rename(item)
    return replace(sheet, frame=sheet.frame.with_columns(joined)), parts
