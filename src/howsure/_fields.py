"""Fields that say everything about themselves, once: type, default, help, choices and bounds.

A record whose fields are made by `option` is checked by `check`; command-line options, JSON bodies, web forms and their
messages are made from the same fields (`howsure.questions`).
"""

import dataclasses
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from howsure import _check
from howsure.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Option:
    """What a field says about itself beside its type and default.

    Attributes
    ----------
    help : str
        One sentence for the person who has to fill it in.
    choices : tuple of str or str
        The words it may be; as "module:NAME" the keys or entries of a constant, imported only when needed.
    suggested : str
        Names that shells complete where other values are possible, too; as "module:NAME".
    at_least, at_most : float, optional
        Bounds of a number.
    fraction : bool
        Whether a number lies strictly between 0 and 1.
    group : str
        Under which heading help and forms show it.
    positional : bool
        Whether the command line takes it without a name.
    metavar : str
        What help calls its value, such as COLUMN. The paths of a FILE are completed by shells.
    common : bool
        Whether it is one of the few options that people use first; --help shows these, --help-all shows every option.
    also : str
        Types that Python may pass in place of text, as annotations write them: "Metric", "int", "Mapping[str, str]".
        Numbers become text, a mapping becomes name=value, and other objects stay as they are.
    """

    help: str
    choices: tuple[str, ...] | str = ()
    suggested: str = ""
    at_least: float | None = None
    at_most: float | None = None
    fraction: bool = False
    group: str = ""
    positional: bool = False
    metavar: str = ""
    common: bool = False
    also: str = ""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The words it may be; empty where any will do."""
        return _named(self.choices) if isinstance(self.choices, str) else self.choices

    @property
    def names(self) -> tuple[str, ...]:
        """The words to complete: those it may be, or those that are suggested."""
        return self.allowed or (_named(self.suggested) if self.suggested else ())


@cache
def _named(words: str) -> tuple[str, ...]:
    return tuple(resolve_name(words))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: its name, what values it takes, its default, and its `Option`.

    Attributes
    ----------
    name : str
    kind : type
        str, int, float or bool: the type of one value.
    many : bool
        Whether it takes several values (a tuple).
    optional : bool
        Whether it may be left open (None).
    required : bool
        Whether it has no default.
    default : object
    option : Option
    """

    name: str
    kind: type
    many: bool
    optional: bool
    required: bool
    default: Any
    option: Option

    @property
    def flag(self) -> str:
        """How the command line writes it."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A record whose fields are checked when it is made."""

    def __post_init__(self) -> None:
        check(self)


def option(default: Any = dataclasses.MISSING, help: str = "", **said: Any) -> Any:
    """Return a dataclass field that carries its `Option`; `said` are the parts of it beside `help`."""
    return dataclasses.field(default=default, metadata={"option": Option(help, **said)})


def like(record: Any, name: str, **other: Any) -> Any:
    """Return a field like that of another record; `other` are the parts of its `Option` that differ."""
    [field] = [field for field in dataclasses.fields(record) if field.name == name]
    said = dataclasses.replace(field.metadata["option"], **other)
    return dataclasses.field(default=field.default, metadata={"option": said})


def fields_of(record: Any) -> tuple[Field, ...]:
    """Return the fields of a record type that carry an `Option`, in their order.

    Examples
    --------
    >>> @dataclass
    ... class Drawing:
    ...     n_resamples: int = option(9999, "Number of resamples.", at_least=1)
    >>> [(field.flag, field.kind, field.default) for field in fields_of(Drawing)]
    [('--n-resamples', <class 'int'>, 9999)]
    """
    return _fields_of(record)


@cache
def _fields_of(record: Any) -> tuple[Field, ...]:
    hints = get_type_hints(record)
    found = []
    for field in dataclasses.fields(record):
        said = field.metadata.get("option")
        if said is None:
            continue
        kind, many, optional = _taken_apart(hints[field.name])
        required = field.default is dataclasses.MISSING
        default = None if required else field.default
        found.append(Field(field.name, kind, many, optional, required, default, said))
    return tuple(found)


def _taken_apart(hint: Any) -> tuple[type, bool, bool]:
    optional = many = False
    if get_origin(hint) in (Union, UnionType):
        parts = [part for part in get_args(hint) if part is not NoneType]
        optional = len(parts) < len(get_args(hint))
        hint = parts[0]
    if get_origin(hint) is tuple:
        many, hint = True, get_args(hint)[0]
    return hint, many, optional


def check(record: Any) -> None:
    """Check every field of a record against its option, and put each value into its canonical type."""
    for field in fields_of(record.__class__):
        object.__setattr__(record, field.name, checked(field, getattr(record, field.name)))


def checked(field: Field, value: Any) -> Any:
    """Return the value in its canonical type, or say what it must be."""
    if value is None:
        if field.optional:
            return None
        raise ArgumentError(f"`{field.name}` must be given.")
    if not field.many:
        return _checked_one(field, value)
    if field.option.also and isinstance(value, Mapping):
        value = [f"{name}={entry}" for name, entry in value.items()]
    alone = isinstance(value, str) or not isinstance(value, Iterable) or getattr(value, "shape", None) == ()
    return tuple(_checked_one(field, entry) for entry in ([value] if alone else value))


def _checked_one(field: Field, value: Any) -> Any:
    said, name = field.option, field.name
    if field.kind is bool:
        return _check.flag(name, value)
    if field.kind is str:
        if said.also and not isinstance(value, str):
            return _other(field, value)
        if not isinstance(value, str):
            raise ArgumentError(f"`{name}` must be text; got {_check.shown(value)}.")
        if not said.positional:  # the bytes of a path need not be text
            _check.encodable(name, value)
        if said.positional or said.metavar == "FILE":
            _check.path(name, value)
        return _check.one_of(name, value, said.allowed) if said.choices else value
    if field.kind not in (int, float):
        return value
    if isinstance(value, bool):
        raise ArgumentError(f"`{name}` must be a number; got {_check.shown(value)}.")
    if said.fraction:
        return _check.fraction(name, value)
    low = -float("inf") if said.at_least is None else said.at_least
    high = float("inf") if said.at_most is None else said.at_most
    if field.kind is float:
        return _check.real(name, value, at_least=low, at_most=high)
    least, most = (None if bound is None else int(bound) for bound in (said.at_least, said.at_most))
    return _check.integer(name, value, at_least=least, at_most=most)


def _other(field: Field, value: Any) -> Any:
    """Return what Python may pass in place of text: numbers as they are typed (5, 5/1/1), objects as they are."""
    kinds = field.option.also
    if (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool)
        and any(word in kinds for word in ("int", "float"))
    ):
        return str(_check.label(field.name, value))
    if (
        isinstance(value, list | tuple)
        and "tuple" in kinds
        and len(value) == 3
        and all(isinstance(each, numbers.Integral) for each in value)
    ):
        return "/".join(str(_check.label(field.name, each)) for each in value)
    sizes = "tuple[" in kinds and isinstance(value, tuple)
    passes = (
        not isinstance(value, bool) and not sizes and any(one.__name__ in kinds for one in type(value).__mro__[:-1])
    )
    if passes or (kinds == "Any" and not isinstance(value, bool | Mapping)):
        return value
    if kinds == "Any":
        raise ArgumentError(f"`{field.name}` must be text; got {_check.shown(value)}.")
    wanted = kinds.replace(" | ", " or ").replace("tuple[int, int, int]", "three of them")
    raise ArgumentError(f"`{field.name}` must be text or {wanted}; got {_check.shown(value)}.")


def part(kind: type, record: Any) -> Any:
    """Return a record of `kind` with the fields that `record` shares with it: a question's procedure, its data."""
    return kind(**{field.name: getattr(record, field.name) for field in fields_of(kind)})
