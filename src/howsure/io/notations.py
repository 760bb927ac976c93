"""Numbers as people in other places write them: 3,5 and 1.234,5, 85 %, 1 000, ٣٫٥ and ３; and characters nobody sees.

A column has one notation. It is read only if every cell fits, and a note shows one cell before and after.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from howsure.errors import DataError

INVISIBLE = r"\p{Default_Ignorable_Code_Point}"
"""Characters that are not drawn (Unicode, sec. 5.21): soft hyphens, joiners, fillers, marks of direction, tags."""

MOVED = str.maketrans({"٫": ".", "٬": ",", "−": "-", "\u2009": " ", "\u202f": " ", "\u00a0": " ", "’": "'"})
WITH_COMMA = re.compile(r"[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?")
WITH_POINT = re.compile(r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d+)?")
WITH_GAPS = re.compile(r"[+-]?[1-9]\d{0,2}(?:[ ']\d{3})+(?:[.,]\d+)?")
THOUSAND = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""1,234 may be a thousand and more, or one and a bit."""


LOOK_ALIKES = str.maketrans("АВЕЅІЈКМНОРСТУХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABESIJKMHOPCTYXaeopcyxijsABEZHIKMNOPTYXo")
"""Cyrillic and Greek letters that look like Latin ones: the common cases among the confusables of Unicode (UTS 39)."""

COMMA, GROUPS = "with a decimal comma", "with thousands separators"


@dataclass(frozen=True, slots=True)
class Notation:
    """Cells as numbers, and how they are read: "as percentages"."""

    numbers: pl.Series
    title: str


def without_invisible(cells: pl.Series) -> pl.Series:
    """Return a column of text without characters that nobody sees; what is then blank becomes null."""
    if not cells.str.contains(INVISIBLE).any():
        return cells
    clean = cells.str.replace_all(INVISIBLE, "")
    return clean.set(clean.str.strip_chars() == "", None)


def look_alikes(texts: pl.Series) -> tuple[str, str, str] | None:
    """Return two texts that look alike because one has Cyrillic or Greek letters, and how these are coded."""
    suspects = texts.filter(texts.str.contains("[\u0370-\u04ff]")).unique(maintain_order=True).to_list()
    plain = {text: text.translate(LOOK_ALIKES) for text in suspects}
    twins = set(texts.filter(texts.is_in(list(plain.values()))).to_list()) if suspects else set()
    for text, latin in plain.items():
        if text != latin and latin in twins:
            odd = dict.fromkeys(one for one, other in zip(text, latin, strict=True) if one != other)
            return latin, text, ", ".join(f"U+{ord(one):04X} looks like {one.translate(LOOK_ALIKES)}" for one in odd)
    return None


def in_other_notation(cells: pl.Series, decimal: str | None, ambiguous: str) -> Notation | None:
    """Return a column of text (null for missing) as numbers if every cell is one in the same notation.

    None where they are no numbers. `decimal` settles what a comma means; where only it could tell (1,234), and where
    percentages stand beside other numbers, the error starts with `ambiguous`, the place of such a cell.
    """
    written = [None if cell is None else _western(cell) for cell in cells.to_list()]
    known = [cell for cell in written if cell is not None]
    percent = [cell.endswith("%") for cell in known]
    if any(percent) and not all(percent):
        others = [cell for cell, is_percent in zip(known, percent, strict=True) if not is_percent]
        if all(_plain(cell) is not None for cell in others):
            raise DataError(f"{ambiguous} has percentages beside other numbers such as {others[0]!r}; write all alike.")
        return None
    bare = [cell.rstrip("% ") if all(percent) else cell for cell in known]
    titles = ["as percentages"] if known and all(percent) else []
    comma = _comma(bare, decimal, ambiguous)
    if comma is None:
        return None
    titles += [comma] if comma else []
    numbers = iter(_number(cell, comma == COMMA) / (100 if all(percent) else 1) for cell in bare)
    found = pl.Series([None if cell is None else next(numbers) for cell in written], dtype=pl.Float64)
    return Notation(found, " ".join(titles) or "in other digits")


def may_be_number(cell: str) -> bool:
    """Whether a cell by itself is a number in some notation."""
    text = _western(cell).rstrip("% ")
    return any(shape.fullmatch(text) for shape in (WITH_COMMA, WITH_POINT, WITH_GAPS)) or _plain(text) is not None


def are_numbers(cells: pl.Series) -> bool:
    """Whether every cell is a number in some notation."""
    odd = cells.filter(cells.cast(pl.Float64, strict=False).is_null()).unique()
    return all(may_be_number(cell) for cell in odd)


def _western(cell: str) -> str:
    """Return a cell with digits, separators and minus signs as ASCII has them."""
    text = unicodedata.normalize("NFKC", cell).translate(MOVED).strip()
    return "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text)


def _comma(cells: Sequence[str], decimal: str | None, ambiguous: str) -> str | None:
    """Return what marks there are beside digits: "" for points only; None where the cells are no numbers."""
    gaps = [cell for cell in cells if WITH_GAPS.fullmatch(cell)]
    rest = [re.sub("[ ']", "", cell) if WITH_GAPS.fullmatch(cell) else cell for cell in cells]
    odd = [cell for cell in rest if _plain(cell) is None]
    as_comma = all(WITH_COMMA.fullmatch(cell) for cell in rest)
    as_point = all(WITH_POINT.fullmatch(cell) or _plain(cell) is not None for cell in rest)
    if not odd:
        return GROUPS if gaps else ""
    if as_comma and as_point and decimal is None and all(THOUSAND.fullmatch(cell) for cell in odd):
        raise DataError(
            f"{ambiguous} is {odd[0]!r}, which may be {odd[0].replace(',', '')} or {odd[0].replace(',', '.')}. Say "
            "which with `decimal='point'` or `decimal='comma'`."
        )
    if as_comma and decimal != "point":
        return COMMA
    return GROUPS if as_point and decimal != "comma" else None


def _number(cell: str, comma: bool) -> float:
    text = re.sub("[ ']", "", cell)
    return float(text.replace(".", "").replace(",", ".") if comma else text.replace(",", ""))


def _plain(cell: str) -> float | None:
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
