"""What the values of a table mean: names (nominal), ordered steps (ordinal) or numbers (continuous).

A scale turns what is written in a file into floats and back. Nominal labels become their position in the sorted list
of labels; ordered labels their position in the given order; numbers stay what they are.
"""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.errors import ArgumentError, DataError

Kind = Literal["nominal", "ordinal", "continuous"]
KINDS: tuple[Kind, ...] = ("nominal", "ordinal", "continuous")
SPELLINGS = ("stripped", "exact")
"""How labels are read: without the space around them, or as they are written."""
DECIMALS = ("point", "comma")
"""What separates whole and fraction of a number, where the cells do not tell."""
OUTCOMES, SHARES = "right or wrong", "shares of preferences"
"""Reasons of a scale that say what a mean of its values is called: an accuracy, a win rate."""
FREE_TEXT = "free text, compared by spelling"
FREE_TEXT_CAUTION = "The values are free text: two answers are alike only if they are spelled alike."
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

MOST_LEVELS = 12
"""A numeric column with more distinct values than this is taken for continuous unless the user says otherwise."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The kind of a table's values, and its levels where it has any.

    Attributes
    ----------
    kind : {"nominal", "ordinal", "continuous"}
    levels : tuple of float
        The number that stands for each category, ascending; empty on a continuous scale.
    labels : tuple of str
        How each level is written; empty on a continuous scale.
    reason : str
        Why this scale was chosen, for showing to the user.
    declared : bool
        Whether somebody said which levels there are; false where they are only those that were seen in the data.

    Examples
    --------
    >>> Scale.of(["No", "Yes", "No"]).labels
    ('No', 'Yes')
    >>> Scale.of(["low", "high"], order=["low", "high"]).kind
    'ordinal'
    >>> Scale.of([0.113, 0.92, 0.55]).kind
    'continuous'
    """

    kind: Kind
    levels: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    reason: str = field(default="", compare=False)
    declared: bool = field(default=True, compare=False)

    def __post_init__(self) -> None:
        _check.one_of("kind", self.kind, KINDS)
        for level in _check.entries("levels", self.levels):
            _check.real("levels", level)
        _check.texts("labels", self.labels)

    @classmethod
    def of(cls, values: Any, *, kind: str | None = None, order: Sequence[Any] | None = None) -> "Scale":
        """Infer the scale of `values`, unless `kind` or the `order` of the labels says what it is.

        Numbers with at most 12 distinct values are ordinal (integers always; others when each value is used five
        times on average); other numbers are continuous; anything else is nominal.
        """
        if kind is not None:
            _check.one_of("scale", kind, KINDS)
        if order is not None:
            return cls._ordered(values, kind, order)
        try:
            n_values, numbers = len(values), numbers_in(values)
        except (TypeError, ValueError):  # no list, or lists within it
            raise ArgumentError(f"`values` must be a list of numbers or labels; got {_check.shown(values)}.") from None
        if not n_values:
            raise DataError("there is no value from which to tell the scale.")
        if numbers is None:
            return cls._of_text(values, kind)
        if not np.isfinite(numbers).all():
            raise DataError(f"value {numbers[~np.isfinite(numbers)][0]:g} is not finite; leave missing values out.")
        distinct = np.unique(numbers)
        if kind is None:
            few = distinct.size <= MOST_LEVELS
            whole = bool(np.all(distinct == np.floor(distinct)))
            ordinal = few and (whole or numbers.size >= 5 * distinct.size)
            kind = "ordinal" if ordinal else "continuous"
            reason = f"{distinct.size:,} distinct {'whole ' if whole else ''}number{'' if distinct.size == 1 else 's'}"
        else:
            reason = "as asked"
        if kind == "continuous":
            return cls("continuous", reason=reason)
        labels = tuple(_written(number) for number in distinct.tolist())
        return cls(kind, tuple(distinct.tolist()), labels, reason, declared=False)  # type: ignore[arg-type]

    @classmethod
    def _of_text(cls, values: Any, kind: str | None) -> "Scale":
        texts = [str(value) for value in values]
        labels = sorted(set(texts))
        if kind in ("continuous", "ordinal"):
            first = next(text for text in texts if _number(text) is None)
            remedy = "" if kind == "continuous" else " Give the order of the labels, for example order=['low', 'high']."
            raise DataError(f"value {first!r} is not a number, so the scale cannot be {kind}.{remedy}")
        reason = "as asked" if kind else f"text labels such as {labels[0]!r}"
        return cls("nominal", tuple(float(code) for code in range(len(labels))), tuple(labels), reason, declared=False)

    @classmethod
    def _ordered(cls, values: Any, kind: str | None, order: Sequence[Any]) -> "Scale":
        labels = tuple(_written(_check.label("order", label)) for label in _check.entries("order", order))
        if kind not in (None, "ordinal"):
            raise ArgumentError(f"`order` is for ordinal scales; got scale={kind!r} as well. Leave one of them out.")
        if len(set(labels)) != len(labels) or len(labels) < 2:
            raise ArgumentError(f"`order` must name at least two different labels; got {list(labels)}.")
        # Numbers in ascending order keep their values, so that a mean of ratings is the same with `order` and without.
        numbers = numbers_in(labels)
        ascending = numbers is not None and bool(np.isfinite(numbers).all() and (np.diff(numbers) > 0).all())
        levels = numbers if numbers is not None and ascending else np.arange(float(len(labels)))
        scale = cls("ordinal", tuple(levels.tolist()), labels, "the order was given")
        scale.encode(values)
        return scale

    def encode(self, values: Any) -> FloatArray:
        """Turn values as written into floats; a value that is not on the scale is an error that names it."""
        if self.is_numeric:
            numbers = numbers_in(values)
            if numbers is None:
                first = next(str(value) for value in values if _number(str(value)) is None)
                raise DataError(f"value {first!r} is not a number, but the scale is {self.kind}.")
            if self.kind != "continuous":
                strangers = ~np.isin(numbers, self.levels)
                if strangers.any():
                    raise DataError(
                        f"value {numbers[strangers][0]:g} is not one of the levels {', '.join(self.labels)}."
                    )
            return numbers
        code = dict(zip(self.labels, self.levels, strict=True))
        try:
            return np.array([code[_written(value)] for value in values], dtype=np.float64)
        except KeyError as error:
            raise DataError(f"value {error.args[0]!r} is not one of the labels {', '.join(self.labels)}.") from None

    def decode(self, values: FloatArray) -> list[Any]:
        """Turn floats back into what the file had."""
        if self.is_numeric:
            return list(values.tolist())
        return [self.labels[code] for code in values.astype(np.int64)]

    def codes(self, values: FloatArray) -> IntArray:
        """Return the position of each value among the levels."""
        return np.searchsorted(np.array(self.levels), values).astype(np.int64)

    @property
    def is_numeric(self) -> bool:
        """Whether values are written as the numbers that stand for them (always so on a continuous scale)."""
        return all(_number(label) == level for label, level in zip(self.labels, self.levels, strict=True))

    def __str__(self) -> str:
        shown = f": {', '.join(self.labels)}" if 0 < len(self.labels) <= MOST_LEVELS else ""
        return f"{self.kind}{shown}{f' ({self.reason})' if self.reason else ''}"


def numbers_in(values: Any) -> FloatArray | None:
    """Return `values` as finite floats, or None when one of them is not a number."""
    array = np.asarray(values)
    if array.dtype.kind in "fiu":
        return array.astype(np.float64)
    if array.dtype.kind == "b":
        return None
    try:
        numbers = np.array([_float(value) for value in array.tolist()], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if np.isfinite(numbers).all() else None


EXACT = 2**53
"""Whole numbers up to this have a floating-point number of their own (IEEE 754); of larger ones only some have."""


def refuse_rounded(whole: int, place: str) -> None:
    """Refuse a whole number that would be rounded, so that different ones are not taken for equal."""
    if int(float(whole)) != whole:
        raise DataError(
            f"{place}: {whole} would be rounded to {int(float(whole))}. Subtract a common number from all values; if "
            "they are labels, put a letter before them."
        )


JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\ufe0e\ufe0f"))
"""Characters without a width that change how others look."""


def alike(labels: Iterable[str]) -> tuple[str, str] | None:
    """Return two labels that differ only by case, spaces, Unicode form or what joins and colours emoji, or None.

    Examples
    --------
    >>> alike(["Yes", "No", "yes"])
    ('Yes', 'yes')
    """
    seen: dict[str, str] = {}
    for label in labels:
        plain = unicodedata.normalize("NFKC", "".join(label.split())).casefold().translate(JOINERS)
        if seen.setdefault(plain, label) != label:
            return seen[plain], label
    return None


def _written(value: Any) -> str:
    """Return a value as its label is written: a whole number without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _number(text: str) -> float | None:
    try:
        number = _float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _float(value: Any) -> float:
    """Return a number; 1_000 is one in Python only, so it is none here."""
    if isinstance(value, str) and "_" in value:
        raise ValueError(value)
    return float(value)
