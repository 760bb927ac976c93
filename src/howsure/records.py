"""Records: frozen results that are written as JSON and read back, and that show themselves as a document.

A record is a frozen dataclass. Fields that are not part of `repr` (draws and the like) are not written; a field with
`metadata={"json": …}` has that name in JSON, and so have the properties that a class names in `derived`, which are not
read back. JSON has neither NaN nor infinity: NaN is null, an infinite bound the string "inf" or "-inf", as
`howsure._json` writes them.
"""

import dataclasses
import math
import types
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal, Self, Union, cast, get_args, get_origin, get_type_hints

from howsure import _json
from howsure.documents import Document, Sentence, html, latex, markdown, text
from howsure.errors import DataError


class Record:
    """What every result has: `to_dict`, `from_dict`, `document`, and `str` and notebook views made from it.

    Attributes
    ----------
    schema_version : int
        Raised when the meaning of a written field changes.
    derived : tuple of str
        Properties that are written beside the fields, and ignored when read back.
    """

    __slots__ = ()
    schema_version: ClassVar[int] = 1
    derived: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:  # else `dataclass` would write one that shows every field of every part
            cls.__repr__ = Record.__repr__  # type: ignore[method-assign]

    @abstractmethod
    def document(self) -> Document:
        """Return the result as a document: sentences, tables, notes and where it comes from."""

    @property
    def exit_code(self) -> int:
        """With which code the command line ends: 0, unless the result is a verdict that programs act on."""
        return 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything that is written; `from_dict` reads it back."""
        return {"schema_version": self.schema_version, **_plain(_written(self))}

    def json_pieces(self) -> Iterator[str]:
        """Yield `to_dict` as JSON, in pieces: the whole of a large result need not be in memory at once."""
        return _json.pieces(self.to_dict())

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Make the record from `to_dict` or from its JSON."""
        version = content.get("schema_version", cls.schema_version)
        if version != cls.schema_version:
            raise DataError(
                f"this is version {version} of {cls.__name__}; this version of howsure reads {cls.schema_version}."
            )
        return cast(Self, _made(cls, content))

    def __str__(self) -> str:
        return text.render(self.document())

    def __repr__(self) -> str:
        document = self.document()
        said = next((block.text for block in document.blocks if isinstance(block, Sentence)), document.title)
        return f"<{type(self).__name__}: {said}>"

    def _repr_html_(self) -> str:
        return html.fragment(self.document())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return every view that a notebook may choose from; LaTeX is for notebooks that are printed."""
        document = self.document()
        views = {
            "text/plain": text.render(document),
            "text/html": html.fragment(document),
            "text/markdown": markdown.render(document),
            "text/latex": latex.fragment(document),
        }
        return {
            kind: view
            for kind, view in views.items()
            if (not include or kind in include) and not (exclude and kind in exclude)
        }


class Signed(Record):
    """A record whose field `provenance` says where it comes from."""

    __slots__ = ()
    provenance: Any

    @property
    def signature(self) -> str:
        """The one line that says where the result comes from."""
        return str(self.provenance.signature)


@cache
def _hints(record: Any) -> dict[str, tuple[str, Any]]:
    """Return the attribute and the type of each field that is written, by its name in JSON."""
    hints = get_type_hints(record)
    written = (field for field in dataclasses.fields(record) if field.repr)
    return {field.metadata.get("json", field.name): (field.name, hints[field.name]) for field in written}


def _written(record: Any) -> dict[str, Any]:
    """Return the values of the fields and of derived properties, by their names in JSON."""
    hints = _hints(cast(Any, type(record)))
    written = {key: getattr(record, name) for key, (name, _) in hints.items()}
    return written | {name: getattr(record, name) for name in getattr(record, "derived", ())}


def _plain(value: Any) -> Any:
    """Turn nested records into dictionaries; numbers, NaN and tuples stay what they are."""
    kind = type(value)
    if kind in _json.SIMPLE:
        return value
    if kind is dict:
        return {name: entry if type(entry) in _json.SIMPLE else _plain(entry) for name, entry in value.items()}
    if kind is tuple or kind is list:
        return [entry if type(entry) in _json.SIMPLE else _plain(entry) for entry in value]
    if hasattr(kind, "from_dict"):  # a record, or what else knows how it is written
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(entry) for name, entry in _written(value).items()}
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    return value


def _made(kind: Any, value: Any) -> Any:
    """Return the value of a field of type `kind` from what JSON says."""
    if isinstance(kind, type) and hasattr(kind, "from_dict") and not issubclass(kind, Record):
        return cast(Any, kind).from_dict(value)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(value, Mapping):
            raise DataError(f"{kind.__name__} must be an object; got {value!r}.")
        known = _hints(kind)
        missing = [name for name in _required(kind) if name not in value]
        if missing:
            raise DataError(f"{kind.__name__} lacks {', '.join(missing)}.")
        return kind(**{name: _made(hint, value[key]) for key, (name, hint) in known.items() if key in value})
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return value
    if origin in (Union, types.UnionType):
        return _made_optional(inner, value)
    if origin is tuple:
        each = inner[0] if len(inner) == 2 and inner[1] is Ellipsis else None
        parts = [each] * len(value) if each is not None else inner
        return tuple(_made(part, entry) for part, entry in zip(parts, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return {key: _made(inner[1], entry) for key, entry in value.items()}
    if origin is not None and issubclass(origin, Sequence):
        return [_made(inner[0], entry) for entry in value]
    if kind is float:
        return math.nan if value is None else float(value)
    return value


def _made_optional(choices: tuple[Any, ...], value: Any) -> Any:
    if value is None and types.NoneType in choices:
        return None
    kinds = [choice for choice in choices if choice is not types.NoneType]
    if int in kinds and isinstance(value, int):
        return value
    if str in kinds and isinstance(value, str) and value not in ("inf", "-inf"):
        return value
    return _made(float if float in kinds else kinds[0], value)


@cache
def _required(record: type) -> tuple[str, ...]:
    bare = dataclasses.MISSING
    return tuple(
        field.metadata.get("json", field.name)
        for field in dataclasses.fields(record)
        if field.repr and field.default is bare and field.default_factory is bare
    )


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a record or of one of its fields.

    Examples
    --------
    >>> schema_of(tuple[str, ...])
    {'type': 'array', 'items': {'type': 'string'}}
    """
    if isinstance(kind, type) and hasattr(kind, "from_dict") and not issubclass(kind, Record):
        return {"type": "object", "title": kind.__name__}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        properties = {key: schema_of(hint) for key, (_, hint) in _hints(kind).items()}
        required = list(_required(kind))
        properties |= {name: _derived_schema(kind, name) for name in getattr(kind, "derived", ())}
        if issubclass(kind, Record):
            properties = {"schema_version": {"const": kind.schema_version}} | properties
            required = ["schema_version", *required]
        return {"type": "object", "title": kind.__name__, "properties": properties, "required": required}
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(choice) for choice in inner]}
    if origin is tuple and not (len(inner) == 2 and inner[1] is Ellipsis):
        return {"type": "array", "prefixItems": [schema_of(part) for part in inner]}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    if origin is not None and issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(inner[0])}
    simple = {str: "string", bool: "boolean", int: "integer", types.NoneType: "null"}
    if kind is float:
        return {"anyOf": [{"type": "number"}, {"type": "null"}, {"enum": ["inf", "-inf"]}]}
    return {"type": simple[kind]} if kind in simple else {}


def _derived_schema(kind: type, name: str) -> dict[str, Any]:
    getter = getattr(kind, name)
    return schema_of(get_type_hints(getter.fget).get("return", Any)) if isinstance(getter, property) else {}


def digest(record: Any) -> str:
    """Return twelve digits that identify what a record writes."""
    return _json.digest(_plain(record))[:12]
