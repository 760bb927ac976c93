"""From fields to command-line options and back: the only place that knows how a field is typed in."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import click
from click.shell_completion import CompletionItem

from howsure import _fields
from howsure._fields import Field
from howsure.questions.typed import value_of

FILE = "FILE"

NAMED = re.compile(r"`([a-z_]+)(?:=(?:'([^'`]*)'|([^`']*)))?`")


WIDEST = 32
"""Choices that are wider than this are written in the help text, not as [one|other]."""

MOST_NAMES = 12
"""Longer lists of suggested names have a command of their own, such as howsure metrics."""

SHORT = "howsure.short_help"
"""The key under which a context says whether its help shows the common options only."""


class FieldOption(click.Option):
    """An option made from a field; its choices are looked up when help or completions are shown, not before."""

    def __init__(self, field: Field, **how: Any) -> None:
        super().__init__([field.flag, field.name], shell_complete=partial(_completions, field), **how)
        self.field = field
        self.group = field.option.group
        self.common = field.option.common

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        self.help = _help(self.field, short=ctx.meta.get(SHORT, False))
        self.metavar = None if self.is_flag else _metavar(self.field)
        return super().get_help_record(ctx)


class FieldArgument(click.Argument):
    """An argument made from a field."""

    def __init__(self, field: Field, **how: Any) -> None:
        name = f"{_name(field)}{'...' if field.many else ''}"
        how |= {"nargs": -1 if field.many else 1, "required": field.required}
        how["metavar"] = name if field.required else f"[{name}]"
        super().__init__([field.name], shell_complete=partial(_completions, field), **how)
        self.field = field

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the name and the help."""
        return self.make_metavar(ctx), _help(self.field, short=False)


def _completions(field: Field, ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
    """Return the names that begin as typed (of a list its last entry), and paths where the field takes a file."""
    entries, comma, last = typed.rpartition(",") if field.many and not field.option.positional else ("", "", typed)
    found = [CompletionItem(f"{entries}{comma}{name}") for name in field.option.names if name.startswith(last)]
    return [CompletionItem(typed, type="file"), *found] if field.option.metavar == FILE else found


def parameters(*records: Any) -> list[click.Parameter]:
    """Return a click parameter for each field of the records."""
    found: list[click.Parameter] = []
    for field in (field for record in records for field in _fields.fields_of(record)):
        if field.option.positional:
            found.append(FieldArgument(field))
        elif field.kind is bool:
            found.append(FieldOption(field, is_flag=True))
        else:
            found.append(FieldOption(field, multiple=field.many, required=field.required))
    return found


def file_option(name: str, help: str, group: str, *, common: bool = True, **how: Any) -> FieldOption:
    """Return an option for a file that is no field of a record."""
    said = _fields.Option(help, group=group, metavar=FILE, common=common)
    return FieldOption(Field(name, str, many=False, optional=True, required=False, default=None, option=said), **how)


def _name(field: Field) -> str:
    return field.name.rstrip("s").upper()


def _metavar(field: Field) -> str:
    if _narrow(field):
        return f"[{'|'.join(field.option.allowed)}]"
    kind = {int: "NUMBER", float: "NUMBER"}.get(field.kind, "NAME" if field.option.choices else "TEXT")
    return field.option.metavar or kind


def _narrow(field: Field) -> bool:
    """Whether all choices fit beside the option."""
    return bool(field.option.choices) and len("|".join(field.option.allowed)) <= WIDEST


def _help(field: Field, *, short: bool) -> str:
    said = as_options(field.option.help)
    if field.option.choices and (field.option.positional or not (short or _narrow(field))):
        said += f" One of: {', '.join(field.option.allowed)}."
    elif field.option.suggested and not (short or field.option.positional) and len(field.option.names) <= MOST_NAMES:
        said += f" Known: {', '.join(field.option.names)}."
    default = field.default
    if isinstance(default, tuple):
        default = ", ".join(map(str, default))
    shown = "" if default is None or default is False or default == "" else f"  [default: {default}]"
    return f"{said}{shown}"


def record_from(record: Any, typed: dict[str, Any]) -> Any:
    """Return the record that was typed in; what is not there has its default."""
    fields = [field for field in _fields.fields_of(record) if typed.get(field.name) not in (None, ())]
    return record(**{field.name: value_of(field, typed[field.name]) for field in fields})


def flags_of(*records: Any) -> dict[str, str]:
    """Return how the command line writes each field of the records."""
    fields = [field for record in records for field in _fields.fields_of(record)]
    return {field.name: _name(field) if field.option.positional else field.flag for field in fields}


def as_options(said: str, flags: Mapping[str, str] | None = None) -> str:
    """Return a message in the words of the command line: `interval='score'` becomes --interval score.

    With `flags`, only settings that are among them become options.

    Examples
    --------
    >>> as_options("Take `interval='score'`, or more than `n_items` items.")
    'Take --interval score, or more than --n-items items.'
    """

    def option(found: re.Match[str]) -> str:
        name, quoted, bare = found.groups()
        if flags is not None and name not in flags:
            return found.group(0).strip("`")
        value = quoted if quoted is not None else bare
        flag = f"--{name.replace('_', '-')}" if flags is None else flags[name]
        return flag if value is None else f"{flag} {value}"

    return NAMED.sub(option, said)
