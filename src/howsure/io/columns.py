"""Which column is the item, the source, the value, the rater and the repeat: as asked, or guessed from the names."""

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.io.sheets import Sheet, listed

ALIASES = {
    "item": (
        "item itemid",
        "exampleid sampleid docid instanceid questionid promptid segmentid taskid hitid",
        "id uid uuid key example question prompt segment doc document sample instance task qid idx index",
    ),
    "source": (
        "source",
        "model system modelname systemname modelid systemid generator provider",
        "llm engine bot agent",
    ),
    "value": (
        "value",
        "score rating label response answer annotation judgment judgement grade vote",
        "pred prediction output verdict choice class category points stars mark",
    ),
    "rater": (
        "rater raterid",
        "annotator annotatorid worker workerid judge judgeid coder participant participantid",
        "who user userid username reviewer evaluator assessor expert labeler labeller person by",
    ),
    "repeat": ("repeat rep", "epoch run trial replicate repetition iteration attempt seed rollout"),
}
"""Names of columns by role, the surest first; compared without case, spaces, hyphens, dots and underscores."""

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
    scorer: str | None = None
    filter: str | None = None
    rater_ids: str = "coded"

    @property
    def conditions(self) -> dict[str, str]:
        """The column and the value of each condition in `where`."""
        return conditions(self.where)

    @property
    def named_columns(self) -> list[str]:
        """Every column that is named."""
        roles = (self.item, self.source, self.value, self.rater, self.repeat, self.count, self.gold)
        return [*filter(None, roles), *self.conditions, *(self.groups or ())]


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
    found: dict[str, str | None] = dict.fromkeys(ALIASES)
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
    free = [column for column in sheet.columns if column not in set(taken)]
    matches = ([column for column in free if _plain(column) in names.split()] for names in ALIASES[role])
    return next((alike for alike in matches if alike), [])


def _plain(column: str) -> str:
    return column.lower().translate(str.maketrans("", "", " _-."))


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
    """Return the columns that a name or a glob such as "rater_*" stands for."""
    if pattern in sheet.columns:
        return [pattern]
    return [column for column in sheet.columns if fnmatch.fnmatchcase(column, pattern)]


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
    if not item or item in sheet.columns or "," not in item:
        return sheet, []
    parts = [part.strip() for part in item.split(",") if part.strip()]
    cells = [sheet.ids(part).rename(f"part {number}") for number, part in enumerate(parts)]
    joined = pl.select(pl.concat_str(cells, separator=BETWEEN)).to_series().rename(item)
    return replace(sheet, frame=sheet.frame.with_columns(joined)), parts


PEOPLE = {
    "rater", "annotator", "annotation", "worker", "judge", "coder", "participant", "human", "person", "expert", "crowd",
    "crowdworker", "reviewer", "evaluator", "assessor", "labeler", "labeller", "subject", "user", "ann", "annot",
    "gold",
}  # fmt: skip
RUNS = {
    "run", "rep", "repeat", "repetition", "replicate", "epoch", "trial", "iteration", "iter", "attempt", "seed",
    "sample", "try", "generation", "gen", "rollout", "completion",
}  # fmt: skip
"""Words in the names of columns, in the singular."""


@dataclass(frozen=True, slots=True)
class Responders:
    """What the columns of a source are, and why."""

    are_raters: bool
    reason: str


def responders(
    chosen: Mapping[str, Sequence[str]], *, rater: str | Sequence[str] | None, repeat: str | Sequence[str] | None
) -> dict[str, Responders]:
    """Return what the columns of each source that has several are: as asked, else by their names.

    `rater` and `repeat` name sources or columns, with globs; an empty `rater` means that there are no raters.
    """
    asked = {"rater": _listed(rater), "repeat": _listed(repeat)}
    several = {name: columns for name, columns in chosen.items() if len(columns) > 1}
    found = {}
    for name, columns in several.items():
        sides = {role for role, specs in asked.items() for spec in specs if _names(spec, name, columns)}
        if len(sides) > 1:
            raise ArgumentError(f"the columns of {name} cannot be both raters and repeats (`rater`, `repeat`).")
        if sides or rater == "":
            found[name] = Responders("rater" in sides, "as asked")
        else:
            found[name] = _by_name(name, columns)
    for role, specs in asked.items():
        for spec in specs:
            if not any(_names(spec, name, columns) for name, columns in several.items()):
                raise ArgumentError(
                    f"`{role}` must name a source that has several columns, or its columns; got {spec!r}. "
                    f"Such sources: {listed(list(several)) if several else 'none'}."
                )
    return found


def note(chosen: Mapping[str, Sequence[str]], found: Mapping[str, Responders]) -> str | None:
    """Return the sentence that says what the columns are; None where no source has several."""
    parts = [
        f"{name} has {len(chosen[name])} {'raters' if kind.are_raters else 'repeats'} ({kind.reason})"
        for name, kind in found.items()
    ]
    if not parts:
        return None
    settled = all(kind.reason == "as asked" for kind in found.values())
    change = "" if settled else " Change this with `rater` or `repeat`."
    return f"{'; '.join(parts)}.{change}"


def are_people(source: str) -> bool:
    """Whether a source's name says that people answered, so that its several responses are no runs of a model."""
    return bool((PEOPLE | {"truth"}) & set(_words(source)))


def _listed(specs: str | Sequence[str] | None) -> list[str]:
    return [spec for spec in ([specs] if isinstance(specs, str) else specs or ()) if spec]


def _names(spec: str, name: str, columns: Sequence[str]) -> bool:
    return spec == name or all(column == spec or fnmatch.fnmatchcase(column, spec) for column in columns)


def _by_name(source: str, columns: Sequence[str]) -> Responders:
    parts = [_words(column) for column in columns]
    shared = set.intersection(*(set(words) for words in parts))
    for kinds, are_raters in ((RUNS, False), (PEOPLE, True)):
        said = sorted(shared & kinds) or (sorted(kinds.intersection(_words(source))) if are_raters else [])
        if said:
            return Responders(are_raters, f"the names say {said[0]}")
    start = _n_alike(parts)
    stop = _n_alike([words[start:][::-1] for words in parts])
    apart = ["".join(words[start : len(words) - stop]) for words in parts]
    named = all(sum(letter.isalpha() for letter in text) > 1 for text in apart)
    return Responders(named, "the columns differ by names" if named else "the columns are numbered")


def _words(name: str) -> list[str]:
    """Split "gpt4_Runs12" into gpt, 4, run, 12."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W\d_]+|\d+", spaced)
    return [word.removesuffix("s") if len(word) > 3 else word for word in map(str.lower, words)]


def _n_alike(parts: Sequence[Sequence[str]]) -> int:
    """Return how many words all begin with."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*parts, strict=False)))
