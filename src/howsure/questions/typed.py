"""Values as people type them, on the command line and in forms: "50,100", "100:1000:100", "5/1/1", "mae,wins"."""

from collections.abc import Sequence
from typing import Any

from howsure._fields import Field
from howsure.errors import ArgumentError

MOST_NUMBERS = 10_000


def whole_numbers(option: str, text: str) -> list[int]:
    """Read "50,100,200" or "100:1000:100" (both ends included), or a mixture."""
    found: list[int] = []
    for part in text.split(","):
        pieces = part.split(":")
        try:
            numbers = [int(piece) for piece in pieces]
        except ValueError:
            raise ArgumentError(
                f"{option} must be whole numbers separated by commas, or first:last:step; got {text!r}."
            ) from None
        if len(numbers) == 1:
            found += numbers
            continue
        first, last, step = (*numbers, 1)[:3]
        if len(numbers) > 3 or step < 1 or last < first:
            raise ArgumentError(f"{option}: a range is first:last:step with first ≤ last; got {part!r}.")
        if (last - first) // step >= MOST_NUMBERS:
            raise ArgumentError(f"{option}: a range has at most {MOST_NUMBERS:,} numbers; got {part!r}.")
        found += range(first, last + 1, step)
    if min(found) < 1:
        raise ArgumentError(f"{option} must be at least 1; got {min(found)}.")
    return list(dict.fromkeys(found))


def response_numbers(text: str, name: str = "`n_responses`") -> list[int | tuple[int, int, int]]:
    """Read "1,5,10", "1:10:1", or "5/1/1" for gold, A and B."""
    found: list[int | tuple[int, int, int]] = []
    for part in text.split(","):
        if "/" not in part:
            found += whole_numbers(name, part)
            continue
        sizes = [whole_numbers(name, piece) for piece in part.split("/")]
        if len(sizes) != 3 or any(len(size) != 1 for size in sizes):
            raise ArgumentError(f"{name}: numbers for gold, A and B are written 5/1/1; got {part!r}.")
        found.append((sizes[0][0], sizes[1][0], sizes[2][0]))
    return list(dict.fromkeys(found))


def value_of(field: Field, text: Any) -> Any:
    """Return the value behind what was typed: lists may be repeated or written with commas."""
    if not field.many:
        return _one(field, text)
    entries: Sequence[str] = [text] if isinstance(text, str) else text
    if field.option.positional or field.kind is str:
        if len(entries) == 1 and not field.option.positional:
            entries = [part.strip() for part in entries[0].split(",") if part.strip()]
        return tuple(entries)
    if field.kind is int:
        return tuple(number for entry in entries for number in whole_numbers(field.flag, entry))
    return tuple(_one(field, part) for entry in entries for part in entry.split(","))


def _one(field: Field, text: Any) -> Any:
    if field.kind not in (int, float) or not isinstance(text, str):
        return text
    try:
        if "_" in text or not text.isascii():  # Python reads 1_000 and ١, people who type them mean something else
            raise ValueError
        return field.kind(text)
    except ValueError:
        kind = "a whole number" if field.kind is int else "a number"
        raise ArgumentError(f"`{field.name}` must be {kind}; got {text!r}.") from None
