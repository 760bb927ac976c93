"""From cells to the numbers of a scale: what is missing, what is a number, what is a label, and what is a mistake."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from howsure import _check
from howsure.data.scales import (
    EXACT,
    FREE_TEXT,
    FREE_TEXT_CAUTION,
    KINDS,
    OUTCOMES,
    SPELLINGS,
    FloatArray,
    IntArray,
    Scale,
    alike,
    refuse_rounded,
)
from howsure.documents.numbers import counted
from howsure.errors import DataError
from howsure.io.columns import Layout
from howsure.io.notations import in_other_notation, look_alikes, may_be_number, without_invisible
from howsure.io.sheets import as_text

MISSING_WORDS = ("na", "n/a", "nan", "null", "none")
"""Words that stand for a missing number, whatever their case; among labels they are labels."""

AS_ASKED = "as asked"
MOST_LABELS = 500
"""More different labels than this, most of them given once, are free text."""

Place = Callable[[int], str]

SOME_NUMBER = r"^[+\-−]?\p{Nd}[\p{Nd}.,٫٬ '’\s]*%?$"
"""What a number in any notation looks like."""

MOST_WORDS = 4
"""Labels are shorter than this on average, in words; many longer ones are free text."""


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A column of ids as numbers: `names[codes[row]]`, in the order of first appearance; -1 is a blank cell."""

    names: list[str]
    codes: IntArray

    @classmethod
    def of(cls, ids: pl.Series) -> "Factor":
        """Give every id of a column of text its number."""
        names = ids.drop_nulls().unique(maintain_order=True)
        codes = ids.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1)
        return cls(names.to_list(), codes.to_numpy())

    @classmethod
    def of_codes(cls, codes: pl.Series, names: list[str]) -> "Factor":
        """Keep the names that are used, in the order of first appearance; a code below 0 is a blank cell."""
        used = codes.filter(codes >= 0).unique(maintain_order=True)
        numbers = pl.int_range(len(used), eager=True)
        found = codes.replace_strict(used, numbers, default=-1, return_dtype=pl.Int64)
        return cls([names[code] for code in used], found.to_numpy())


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Cells as numbers on a scale.

    Attributes
    ----------
    values : array of float
        One for each cell that is present.
    present : array of bool
        Which cells those are.
    scale : Scale
    missing : str or None
        How many cells are missing and where the first is.
    notes : tuple of str
        How the others were read.
    """

    values: FloatArray
    present: npt.NDArray[np.bool_]
    scale: Scale
    missing: str | None
    notes: tuple[str, ...] = ()


RIGHT = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0,
         "fail": 0.0, "passed": 1.0, "failed": 0.0, "correct": 1.0, "incorrect": 0.0}  # fmt: skip
"""How people write that an answer is right or wrong, whatever the case."""


def as_outcomes(cells: pl.Series) -> pl.Series | None:
    """Return cells that all say right or wrong as 1 and 0, with null for missing; None if one says something else."""
    said = as_text(cells).str.strip_chars().str.to_lowercase()
    said = said.set(said.is_in(MISSING_WORDS).fill_null(False), None)
    numbers = said.replace_strict(RIGHT, default=None, return_dtype=pl.Float64)
    return numbers if len(said.drop_nulls()) and numbers.null_count() == said.null_count() else None


def encode(cells: pl.Series, layout: Layout, place: Place, *, outcomes: bool = False) -> Encoded:
    """Put cells on the scale that a layout asks for or that they seem to have; `place` says where a cell is.

    Where they may be `outcomes`, True and False (or yes and no, passed and failed) are 1 and 0: right and wrong.

    Labels are stripped of spaces at their ends, and two that differ only by case, spaces or Unicode form are refused,
    unless the layout's `labels` is "exact".
    """
    scale, order, labels = layout.scale, layout.order, _check.one_of("labels", layout.labels, SPELLINGS)
    if scale is not None:
        _check.one_of("scale", scale, KINDS)
    if order is None and isinstance(cells.dtype, pl.Enum) and scale in (None, "ordinal"):
        order = cells.dtype.categories.to_list()
    marked = as_outcomes(cells) if outcomes and scale is None and order is None else None
    notes = [] if marked is None else _marks_of_several_kinds(as_text(cells), place)
    cells = cells if marked is None else marked
    text = None if cells.dtype.is_numeric() and order is None else as_text(cells)
    if text is not None and labels == "stripped":
        text, about = _visible(text, place)
        notes += about
    numbers = cells.cast(pl.Float64) if text is None else _numbers(text, layout, order, place, notes)
    if numbers is not None:
        numbers = numbers.fill_nan(None)
        _refuse_infinite(numbers, place)
        _refuse_rounded(cells if text is None else text, numbers, place)
    kept = text if numbers is None else numbers
    assert kept is not None
    present = kept.is_not_null().to_numpy()
    if not present.any():
        raise DataError(f"there is no value at all: every cell is empty, from {place(0)} on.")
    kept = kept.drop_nulls()
    if numbers is not None:
        values = kept.to_numpy()
        found = Scale.of(values, kind=scale)
        found = found if marked is None else replace(found, reason=OUTCOMES)
    else:
        if labels == "stripped":
            kept = kept.str.strip_chars()
        found, values = _labels(kept, present, scale, order, place)
        if labels == "stripped":
            refuse_alike(found.labels)
        notes += _suspect(text, place) if scale is None and order is None and text is not None else []
        notes += [FREE_TEXT_CAUTION] if found.reason == FREE_TEXT else []
    return Encoded(values, present, found, _missing_note(present, place), tuple(notes))


def _visible(text: pl.Series, place: Place) -> tuple[pl.Series, list[str]]:
    """Return cells without characters that nobody sees, and a note that shows the first that had one."""
    clean = without_invisible(text)
    if clean is text:
        return text, []
    changed = text.is_not_null() & (text.ne_missing(clean))
    first = int(changed.arg_max() or 0)
    cells = counted(int(changed.sum()), "cell")
    return clean, [f"Invisible characters are removed from {cells} (first: {place(first)}: {text[first]!a})."]


SUSPECTS = {
    r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T]\d.*)?$": (
        "dates",
        "If they are no answers, name another column with `value`",
    ),
    r"^\d+ */ *\d+$": ("fractions", "If they are numbers, write 4/5 as 0.8 or as 4"),
    r"^0[xX][0-9a-fA-F]+$": ("hexadecimal numbers", "If they are numbers, write 0x4 as 4"),
}
"""Labels that are probably something else, and what to do then."""


def _suspect(text: pl.Series, place: Place) -> list[str]:
    """Say which labels look like something else, or like each other."""
    notes, stripped = _marks_of_several_kinds(text, place), text.str.strip_chars()
    for shape, (title, remedy) in SUSPECTS.items():
        like = stripped.str.contains(shape).fill_null(False)
        if like.any():
            first = int(like.arg_max() or 0)
            n = f"{int(like.sum()):,} of {len(text) - text.null_count():,} values"
            notes.append(
                f"{n} look like {title} and are read as labels (first: {place(first)}: {text[first]!r}). {remedy}; "
                "`scale='nominal'` says that they are labels."
            )
    if twins := look_alikes(stripped.drop_nulls()):
        one, other, codes = twins
        first = int((stripped == other).arg_max() or 0)
        notes.append(
            f"Two labels look alike and are kept apart: {one!r} and {other!r} ({codes}; first: {place(first)}). Spell "
            "them alike if they are one."
        )
    return notes


def _marks_of_several_kinds(text: pl.Series, place: Place) -> list[str]:
    """Say so where true and false stand beside 1 and 0."""
    said = text.str.strip_chars().str.to_lowercase()
    words, digits = (said.is_in(kind).fill_null(False) for kind in (["true", "false"], ["1", "0", "1.0", "0.0"]))
    if not (words.any() and digits.any()):
        return []
    fewer, others = (digits, words) if digits.sum() <= words.sum() else (words, digits)
    first, other = int(fewer.arg_max() or 0), int(others.arg_max() or 0)
    return [
        f"{counted(int(fewer.sum()), 'value')} such as {text[first]!r} ({place(first)}) beside "
        f"{int(others.sum()):,} such as {text[other]!r}. Write all alike if they mean the same."
    ]


def refuse_alike(labels: Sequence[str]) -> None:
    """Refuse labels that are probably one label in two spellings."""
    twins = alike(labels)
    if twins is not None:
        printable = all(label.isprintable() for label in twins)
        one, other = map(repr if printable else ascii, twins)  # labels that look the same are shown by their codes
        raise DataError(
            f"the labels {one} and {other} differ only by case, spaces or Unicode form. Spell them alike, or keep them "
            "as they are with `labels='exact'`."
        )


def refuse_mixed_sources(encoded: Encoded, source: Factor, place: Place) -> None:
    """Refuse a guess of "labels" for a table in which one source answers in numbers and another in words.

    Such a table is nearly always a mistake, so it is an error and not a nominal scale.
    """
    if encoded.scale.kind != "nominal" or encoded.scale.is_numeric or encoded.scale.reason in (AS_ASKED, FREE_TEXT):
        return
    number = pl.Series(encoded.scale.labels).cast(pl.Float64, strict=False).is_not_null().to_numpy()
    where, owner = np.flatnonzero(encoded.present), source.codes[encoded.present]
    is_number = number[encoded.values.astype(np.int64)]
    n_answers = np.bincount(owner, minlength=len(source.names))
    n_numbers = np.bincount(owner[is_number], minlength=len(source.names))
    in_numbers, in_words = (n_numbers == n_answers) & (n_answers > 0), (n_numbers == 0) & (n_answers > 0)
    if in_numbers.any() and in_words.any():
        shown = []
        for number_of_source, what in ((in_numbers.argmax(), "numbers"), (in_words.argmax(), "labels")):
            first = int((owner == number_of_source).argmax())
            label = encoded.scale.labels[int(encoded.values[first])]
            shown.append(f"{source.names[number_of_source]} answers in {what} ({place(int(where[first]))}: {label!r})")
        raise DataError(
            f"{' but '.join(shown)}. Read only sources of one kind (`sources`, or describe --only kind=human), bring "
            "them to one scale, or treat all values as labels with `scale='nominal'`."
        )


def _numbers(
    text: pl.Series, layout: Layout, order: Sequence[Any] | None, place: Place, notes: list[str]
) -> pl.Series | None:
    """Return the cells as numbers with null for missing, or None when they are labels; `notes` goes on."""
    scale = layout.scale
    if order is not None:
        return None
    stripped = text.str.strip_chars()
    numbers = stripped.cast(pl.Float64, strict=False)
    if scale == "nominal":
        return numbers if bool((numbers.is_finite().fill_null(False) | text.is_null()).all()) else None
    stray = numbers.is_null() & text.is_not_null() & ~stripped.str.to_lowercase().is_in(MISSING_WORDS)
    if not stray.any():
        return numbers
    odd = _in_some_notation(stripped, stray)
    words = stray & ~odd
    if not words.any():
        first = int(odd.arg_max() or 0)
        cells = stripped.set(~stray & numbers.fill_nan(None).is_null(), None)
        found = in_other_notation(cells, layout.decimal, place(first))
        if found is not None:
            notes.append(f"Numbers are read {found.title}: {text[first]!r} is {found.numbers[first]:g}.")
            return found.numbers
    n_numbers, n_words = int(numbers.fill_nan(None).is_not_null().sum()) + int(odd.sum()), int(words.sum())
    if scale is None and n_numbers <= n_words:
        return None
    first = int((words if n_words else odd).arg_max() or 0)
    if scale == "ordinal" and n_numbers <= n_words:
        remedy = "Labels need their order: `order='low,medium,high'`."
    else:
        remedy = "Fix or clear the cell, or treat all values as labels with `scale='nominal'`."
    n_others = n_numbers - (not n_words)
    rest = f", but {n_others:,} other values are" if n_others else f", so the scale cannot be {scale}"
    said = "is not a number" if n_words else "is not written like the other numbers"
    raise DataError(f"{place(first)}: {text[first]!r} {said}{rest if n_words else ''}. {remedy}")


def _in_some_notation(cells: pl.Series, stray: pl.Series) -> pl.Series:
    """Return which of the stray cells are numbers in another notation, each by itself."""
    alike = stray & cells.str.contains(SOME_NUMBER).fill_null(False)
    return alike & cells.set(~alike, None).map_elements(may_be_number, return_dtype=pl.Boolean).fill_null(False)


def _refuse_infinite(numbers: pl.Series, place: Place) -> None:
    infinite = numbers.is_infinite().fill_null(False)
    if infinite.any():
        first = int(infinite.arg_max() or 0)
        raise DataError(f"{place(first)}: {numbers[first]} is not finite. Fix the cell, or leave it empty if missing.")


def _refuse_rounded(cells: pl.Series, numbers: pl.Series, place: Place) -> None:
    """Refuse whole numbers so large that they would be rounded, and different ones taken for equal."""
    for row in (numbers.abs() >= EXACT).fill_null(False).arg_true().to_list():
        written = str(cells[row]).strip()
        if re.fullmatch(r"[+-]?\d+", written):
            refuse_rounded(int(written), place(row))


def _labels(
    text: pl.Series, present: npt.NDArray[np.bool_], scale: str | None, order: Sequence[Any] | None, place: Place
) -> tuple[Scale, FloatArray]:
    distinct = text.unique().sort().to_list()
    free = order is None and _is_free_text(distinct, len(text))
    if free and scale is None:
        raise DataError(
            f"{place(int(np.flatnonzero(present)[0]))}: {len(distinct):,} of {len(text):,} values are different; this "
            "looks like free text. Name another column with `value`, or insist with `scale='nominal'`."
        )
    if order is None:
        reason = FREE_TEXT if free else AS_ASKED if scale else f"text labels such as {distinct[0]!r}"
        found = Scale("nominal", tuple(float(code) for code in range(len(distinct))), tuple(distinct), reason)
    else:
        found = Scale.of([], kind=scale, order=order)
        known = list(found.labels)
        strange = ~text.is_in(known)
        if strange.any():
            first = int(strange.arg_max() or 0)
            raise DataError(
                f"{place(int(np.flatnonzero(present)[first]))}: {text[first]!r} is not one of the labels in `order`: "
                f"{', '.join(known)}.{_check.nearest(text[first], known)}"
            )
    codes = text.cast(pl.Enum(list(found.labels))).to_physical().to_numpy()
    return found, np.array(found.levels)[codes]


def _is_free_text(distinct: Sequence[str], n_values: int) -> bool:
    """Whether labels are too many, each given too seldom, or too long to be labels."""
    if len(distinct) > max(MOST_LABELS, n_values // 2):
        return True
    return len(distinct) > MOST_LABELS and sum(len(label.split()) for label in distinct) > MOST_WORDS * len(distinct)


def _missing_note(present: npt.NDArray[np.bool_], place: Place) -> str | None:
    if present.all():
        return None
    absent = np.flatnonzero(~present)
    verb = "is" if absent.size == 1 else "are"
    return f"{absent.size:,} of {present.size:,} values {verb} missing and left out (first: {place(int(absent[0]))})."
