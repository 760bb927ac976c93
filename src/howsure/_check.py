"""Argument checks: the only place that words "`x` must …; got …".

Public functions check at the door; what is inside trusts them. Each check returns the value in its canonical type.
"""

import difflib
import errno
import math
import operator
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Real
from os import PathLike
from typing import Any

from howsure.errors import ArgumentError

LARGEST = 2**63 - 1
"""The largest whole number that arrays and files hold."""
MOST_DIGITS = 300
"""Seeds may be longer than other whole numbers: NumPy draws 128 bits. With 300 digits they are still finite floats."""
SEEDS = ("seed", "rng")
MOST_ITEMS = 10_000_000
"""Items, raters and further responses of a study that is planned: a plan for so many items takes 0.6 GB."""
MOST_AUDITED = 1_000_000
"""Items of each data set that an audit simulates, and their responses by one source: it takes 2.2 GB for 1,000 × 1,000,
and 1.4 GB for a million items with five responses."""
MOST_RESPONSES = 1_000
"""Responses per item of a simulated data set or of a resample: of 100,000 items they take 0.8 GB for each source."""
LONGEST_PATH = 4096
"""What Linux takes; other systems take less."""
MOST_SHOWN = 80
"""The most characters of a wrong value that a message repeats."""


def shown(value: object) -> str:
    """Return a wrong value for a message, in one short line.

    Examples
    --------
    >>> shown("x" * 100_000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    >>> shown(10**5000)
    'int'
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # numbers of more than 4,300 digits, lists within lists, or a fault in somebody's __repr__
        return type(value).__name__
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def integer(name: str, value: object, *, at_least: int | None, at_most: int | None = None) -> int:
    """Return `value` as an int between two bounds; without an upper bound it is at most `LARGEST`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(f"`{name}` must be a whole number; got {shown(value)}.") from None
    if isinstance(value, bool) or (at_least is not None and number < at_least):
        bound = "" if at_least is None else f" of at least {at_least}"
        raise ArgumentError(f"`{name}` must be a whole number{bound}; got {shown(value)}.")
    if at_most is None and name in SEEDS:
        if abs(number) >= 10**MOST_DIGITS:
            raise ArgumentError(f"`{name}` must be a whole number of at most {MOST_DIGITS} digits; got {shown(value)}.")
        return number
    most = LARGEST if at_most is None else at_most
    if number > most:
        raise ArgumentError(f"`{name}` must be a whole number of at most {most:,}; got {shown(value)}.")
    if number < -LARGEST:
        raise ArgumentError(f"`{name}` must be a whole number of at least {-LARGEST:,}; got {shown(value)}.")
    return number


SMALLEST = 1e-12
"""No level, share or probability is asked for nearer to 0 or 1: quantiles there are rounding errors."""


def fraction(name: str, value: object) -> float:
    """Return `value` as a float strictly between 0 and 1; a percentage gets a hint."""
    number = real(name, value)
    if SMALLEST <= number <= 1 - SMALLEST:
        return number
    if 0 < number < 1:
        raise ArgumentError(f"`{name}` must not be nearer to 0 or 1 than {SMALLEST:g}; got {shown(value)}.")
    hint = f" Did you mean {number / 100:g}?" if 1 < number < 100 else ""
    raise ArgumentError(f"`{name}` must lie strictly between 0 and 1; got {shown(value)}.{hint}")


def real(name: str, value: object, *, at_least: float = -math.inf, at_most: float = math.inf) -> float:
    """Return `value` as a finite float between two bounds."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # a whole number of more than 308 digits
        number = math.inf
    except (TypeError, ValueError):
        raise ArgumentError(f"`{name}` must be a number; got {shown(value)}.") from None
    if not math.isfinite(number):
        raise ArgumentError(f"`{name}` must be a finite number; got {shown(value)}.")
    if not at_least <= number <= at_most:
        bounds = f"at least {at_least:g}" if math.isinf(at_most) else f"between {at_least:g} and {at_most:g}"
        raise ArgumentError(f"`{name}` must be {bounds}; got {shown(value)}.")
    return number


def one_of(name: str, value: object, options: Iterable[str]) -> str:
    """Return `value` if it is one of `options`; otherwise name them all and suggest the nearest."""
    known = list(options)
    if isinstance(value, str) and value in known:
        return value
    raise ArgumentError(f"`{name}` must be one of {', '.join(known)}; got {shown(value)}.{nearest(value, known)}")


def nearest(word: object, options: Iterable[str]) -> str:
    """Return " Did you mean 'x'?" for the option closest to `word`, or nothing when none is close."""
    known = list(options)
    if not isinstance(word, str) or len(word) > LONGEST_PATH:  # no name is as long, and comparing it takes minutes
        return ""
    # Somebody who types "power" means target_power rather than a short word with similar letters.
    longer = [option for option in known if len(word) >= 4 and word in option]
    close = longer[:1] or difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def encodable(name: str, value: str) -> str:
    """Return text that can be written to a file; half of a character that is two, as broken JSON has it, cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"`{name}` holds half of a character (a lone surrogate): {shown(value)}.") from None
    return value


def text(name: str, value: object) -> str:
    """Return text that can be written to a file."""
    if not isinstance(value, str):
        raise ArgumentError(f"`{name}` must be text; got {shown(value)}.")
    return encodable(name, value)


def texts(name: str, value: object) -> tuple[str, ...]:
    """Return a list of texts; a text alone is a list of one, and a set is put in order."""
    if isinstance(value, str):
        value = [value]
    return tuple(
        sorted(text(name, entry) for entry in value)
        if isinstance(value, set | frozenset)
        else (text(name, entry) for entry in entries(name, value))
    )


def entries(name: str, value: object) -> tuple[Any, ...]:
    """Return the entries of a list: whatever has an order, and is neither text nor a mapping."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | set | frozenset):
        with suppress(TypeError):  # an array without a dimension
            return tuple(value)
    raise ArgumentError(f"`{name}` must be a list; got {shown(value)}.")


def label(name: str, value: object) -> Any:
    """Return what may stand for a category: text, a number or a truth value."""
    if isinstance(value, str):
        return encodable(name, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return integer(name, value, at_least=None)
    if isinstance(value, bool | Real):
        return value
    raise ArgumentError(f"`{name}` must be text or a number; got {shown(value)}.")


def mapping(name: str, value: object) -> dict[str, Any]:
    """Return a mapping whose names are text."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"`{name}` must be a mapping of names; got {shown(value)}.")
    return {text(name, key): entry for key, entry in value.items()}


def path(name: str, value: object) -> str:
    """Return a path as text, `name=file:column` included; whether there is such a file is not looked at."""
    if not isinstance(value, str | PathLike) or not isinstance(os.fspath(value), str):
        raise ArgumentError(f"`{name}` must be a path; got {shown(value)}.")
    place = os.fspath(value)
    try:
        os.stat(place)
    except OSError as error:
        with_names = "=" in place or ":" in place
        if error.errno != errno.ENAMETOOLONG or (with_names and len(place) < LONGEST_PATH):
            return place
    except ValueError:  # a null character, or half of a character
        pass
    else:
        return place
    raise ArgumentError(f"`{name}`: no file can be called {shown(place)}.")


def instance(name: str, value: object, *kinds: type) -> Any:
    """Return an object that is of one of these types."""
    if not isinstance(value, kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise ArgumentError(f"`{name}` must be a {wanted}; got {shown(value)}.")
    return value


def flag(name: str, value: object) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise ArgumentError(f"`{name}` must be true or false; got {shown(value)}.")
    return value


def callback(name: str, value: Any) -> Any:
    """Return a function, or None."""
    if value is not None and not callable(value):
        raise ArgumentError(f"`{name}` must be a function or None; got {type(value).__name__}.")
    return value
