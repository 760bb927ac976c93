"""Which column is the item, the source, the value, the rater and the repeat: as asked, or guessed from the names."""

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
