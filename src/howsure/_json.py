"""Values to JSON and back: a canonical form, and the digest that identifies it.

NaN is written as `null` and an infinite bound as the string "inf" or "-inf" (which `float` reads), because JSON has
neither.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import chain
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, cast

import numpy as np

SIMPLE = frozenset({float, int, str, bool, type(None)})
"""The types of most values, which are looked at first: there may be millions."""


def plain(value: Any) -> Any:
    """Turn dataclasses, arrays, NumPy scalars and mappings into what `json` can write."""
    if type(value) in SIMPLE and (type(value) is not float or math.isfinite(value)):
        return value
    if isinstance(value, str | int):
        return value
    if isinstance(value, float | np.floating):
        number = float(value)
        if math.isnan(number):
            return None
        return number if math.isfinite(number) else str(number)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        return [plain(entry) for entry in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"no JSON form for {type(value).__name__}")


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Write `value` as JSON text."""
    if indent is not None:
        return _indented(value, "\n", " " * indent)
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False)


def pieces(content: Mapping[str, Any], *, indent: int = 2) -> Iterator[str]:
    """Yield what `dumps` returns in pieces; a value that is an iterator is written as a list, one entry in each piece.

    Examples
    --------
    >>> "".join(pieces({"a": 1, "b": iter([2, 3])})) == dumps({"a": 1, "b": [2, 3]}, indent=2)
    True
    """
    step, mark = " " * indent, "{"
    line, inner = "\n" + step, "\n" + 2 * step
    for name, value in content.items():
        begin = f"{mark}{line}{encode_basestring(name)}: "
        mark = ","
        if not isinstance(value, Iterator):
            yield begin + _indented(value, line, step)
            continue
        opened = "["
        for entry in value:
            yield f"{begin}{opened}{inner}{_indented(entry, inner, step)}"
            begin, opened = "", ","
        yield f"{begin}[]" if begin else f"{line}]"
    yield "{}" if mark == "{" else "\n}"


def _indented(value: Any, line: str, step: str) -> str:
    """Write what `json.dumps` writes with an indent, which it does piece by piece: millions of them take memory."""
    kind = type(value)
    if kind in _WRITERS:
        return _WRITERS[kind](value)
    inner = line + step
    if kind is dict and set(map(type, value)) <= _TEXT:
        parts = [
            f"{encode_basestring(key)}: {_WRITERS[type(entry)](entry)}"
            if type(entry) in _WRITERS
            else f"{encode_basestring(key)}: {_indented(entry, inner, step)}"
            for key, entry in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(parts)}{line}}}" if parts else "{}"
    if kind is list or kind is tuple:
        parts = [_indented(entry, inner, step) for entry in value]
        return f"[{inner}{f',{inner}'.join(parts)}{line}]" if parts else "[]"
    known = plain(value)
    return _indented(known, line, step) if type(known) in (dict, list) else json.dumps(known, ensure_ascii=False)


def _number(value: float) -> str:
    return repr(value) if math.isfinite(value) else json.dumps(plain(value))


_NAMES = {None: "null", True: "true", False: "false"}
_TEXT = {str}
_WRITERS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring, float: _number, int: repr, bool: _NAMES.__getitem__, type(None): _NAMES.__getitem__
}  # fmt: skip


def loads(text: str) -> Any:
    """Read JSON as the standard has it: no NaN, no infinity, no key twice; what breaks it is a ValueError.

    Examples
    --------
    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: the key 'a' is there twice
    """
    try:
        return shallow(json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins))
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def loads_toml(text: str) -> dict[str, Any]:
    """Read TOML; what breaks it is a ValueError: its grammar, its depth, or a number of more than 4,300 digits.

    Examples
    --------
    >>> loads_toml("a = " + 500 * "[" + 500 * "]")
    Traceback (most recent call last):
        ...
    ValueError: it is nested more than 100 levels deep
    """
    import tomllib

    try:
        return cast(dict[str, Any], shallow(tomllib.loads(text)))
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


DEEPEST = 100
"""No settings, model or log needs as many levels, and Python's own limit, 1,000 calls, is far enough away."""
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def shallow(content: Any) -> Any:
    """Return what was read; a ValueError if it is nested so deeply that looking at it would exhaust Python's stack."""
    level = {0: content} if isinstance(content, dict | list) else {}
    for _ in range(DEEPEST):
        below = chain.from_iterable(value.values() if isinstance(value, dict) else value for value in level.values())
        # By identity: a few aliases of YAML can stand for more entries than there is memory.
        level = {id(entry): entry for entry in below if isinstance(entry, dict | list)}
    if level:
        raise ValueError(TOO_DEEP)
    return content


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found


def canonical(value: Any) -> str:
    """Write `value` in the one form that equal values share: sorted keys, no spaces."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """Return the SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
