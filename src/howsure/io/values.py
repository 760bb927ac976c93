"""From cells to the numbers of a scale: what is missing, what is a number, what is a label, and what is a mistake."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from howsure import _check
from howsure.errors import DataError
from howsure.io.columns import Layout
from howsure.io.sheets import as_text
from howsure.scales import KINDS, SPELLINGS, FloatArray, IntArray, Scale, alike

MISSING_WORDS = ("na", "n/a", "nan", "null", "none")
"""Words that stand for a missing number, whatever their case; among labels they are labels."""

AS_ASKED = "as asked"
MOST_LABELS = 500
"""More different labels than this, most of them given once, are free text."""

Place = Callable[[int], str]


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
    note : str or None
        How many cells are missing and where the first is.
    """

    values: FloatArray
    present: npt.NDArray[np.bool_]
    scale: Scale
    note: str | None


def encode(cells: pl.Series, layout: Layout, place: Place) -> Encoded:
    """Put cells on the scale that a layout asks for or that they seem to have; `place` says where a cell is.

    Labels are stripped of spaces at their ends, and two that differ only by case, spaces or Unicode form are refused,
    unless the layout's `labels` is "exact".
    """
    scale, order, labels = layout.scale, layout.order, _check.one_of("labels", layout.labels, SPELLINGS)
    if scale is not None:
        _check.one_of("scale", scale, KINDS)
    if order is None and isinstance(cells.dtype, pl.Enum) and scale in (None, "ordinal"):
        order = cells.dtype.categories.to_list()
    text = None if cells.dtype.is_numeric() and order is None else as_text(cells)
    numbers = cells.cast(pl.Float64) if text is None else _numbers(text, scale, order, place)
    if numbers is not None:
        numbers = numbers.fill_nan(None)
        _refuse_infinite(numbers, place)
    kept = text if numbers is None else numbers
    assert kept is not None
    present = kept.is_not_null().to_numpy()
    if not present.any():
        raise DataError(f"there is no value at all: every cell is empty, from {place(0)} on.")
    kept = kept.drop_nulls()
    if numbers is not None:
        values = kept.to_numpy()
        found = Scale.of(values, kind=scale)
    else:
        if labels == "stripped":
            kept = kept.str.strip_chars()
        found, values = _labels(kept, present, scale, order, place)
        if labels == "stripped":
            refuse_alike(found.labels)
    return Encoded(values, present, found, _missing_note(present, place))


def refuse_alike(labels: Sequence[str]) -> None:
    """Refuse labels that are probably one label in two spellings."""
    twins = alike(labels)
    if twins is not None:
        raise DataError(
            f"the labels {twins[0]!r} and {twins[1]!r} differ only by case, spaces or Unicode form. Spell them alike, "
            "or keep them as they are with `labels='exact'`."
        )


def refuse_mixed_sources(encoded: Encoded, source: Factor, place: Place) -> None:
    """Refuse a guess of "labels" for a table in which one source answers in numbers and another in words.

    Such a table is nearly always a mistake, so it is an error and not a nominal scale.
    """
    if encoded.scale.kind != "nominal" or encoded.scale.is_numeric or encoded.scale.reason == AS_ASKED:
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


def _numbers(text: pl.Series, scale: str | None, order: Sequence[Any] | None, place: Place) -> pl.Series | None:
    """Return the cells as numbers with null for missing, or None when they are labels."""
    if order is not None:
        return None
    stripped = text.str.strip_chars()
    numbers = stripped.cast(pl.Float64, strict=False)
    if scale == "nominal":
        return numbers if bool((numbers.is_finite().fill_null(False) | text.is_null()).all()) else None
    stray = numbers.is_null() & text.is_not_null() & ~stripped.str.to_lowercase().is_in(MISSING_WORDS)
    n_stray, n_numbers = int(stray.sum()), int(numbers.fill_nan(None).is_not_null().sum())
    if not n_stray:
        return numbers
    if scale is None and n_numbers <= n_stray:
        return None
    first = int(stray.arg_max() or 0)
    if scale == "ordinal" and n_numbers <= n_stray:
        remedy = "Labels need their order: `order='low,medium,high'`."
    else:
        remedy = "Fix or clear the cell, or treat all values as labels with `scale='nominal'`."
    rest = f", but {n_numbers:,} other values are" if n_numbers else f", so the scale cannot be {scale}"
    raise DataError(f"{place(first)}: {text[first]!r} is not a number{rest}. {remedy}")


def _refuse_infinite(numbers: pl.Series, place: Place) -> None:
    infinite = numbers.is_infinite().fill_null(False)
    if infinite.any():
        first = int(infinite.arg_max() or 0)
        raise DataError(f"{place(first)}: {numbers[first]} is not finite. Fix the cell, or leave it empty if missing.")


def _labels(
    text: pl.Series, present: npt.NDArray[np.bool_], scale: str | None, order: Sequence[Any] | None, place: Place
) -> tuple[Scale, FloatArray]:
    distinct = text.unique().sort().to_list()
    if scale is None and order is None and len(distinct) > max(MOST_LABELS, len(text) // 2):
        raise DataError(
            f"{place(int(np.flatnonzero(present)[0]))}: {len(distinct):,} of {len(text):,} values are different; this "
            "looks like free text. Name another column with `value`, or insist with `scale='nominal'`."
        )
    if order is None:
        reason = AS_ASKED if scale else f"text labels such as {distinct[0]!r}"
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


def _missing_note(present: npt.NDArray[np.bool_], place: Place) -> str | None:
    if present.all():
        return None
    absent = np.flatnonzero(~present)
    verb = "is" if absent.size == 1 else "are"
    return f"{absent.size:,} of {present.size:,} values {verb} missing and left out (first: {place(int(absent[0]))})."
