"""From fields to command-line options and back: the only place that knows how a field is typed in."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import click

from howsure import _fields
from howsure._fields import Field
from howsure.errors import HowsureError
from howsure.questions.typed import value_of

NAMED = re.compile(r"`([a-z_]+)(?:=(?:'([^'`]*)'|([^`']*)))?`")


class Command(click.Command):
    """A command that refuses an option given twice, shows its options under their headings, and names them in errors.

    `flags` says how the command line writes each setting.
    """

    def __init__(self, name: str, *, flags: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self.flags = flags

    def invoke(self, ctx: click.Context) -> Any:
        """Run; errors name settings as they are typed."""
        try:
            return super().invoke(ctx)
        except HowsureError as error:
            raise type(error)(as_options(str(error), self.flags)) from error.__cause__

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and refuse a second value for an option that takes one."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        seen: set[str | None] = set()
        for parameter in order:
            if isinstance(parameter, click.Option) and not parameter.multiple:
                if parameter.name in seen:
                    raise click.UsageError(f"{parameter.opts[0]} was given twice; it takes one value.")
                seen.add(parameter.name)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of one group together."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups.setdefault(getattr(parameter, "group", ""), []).append(record)
        for group in sorted(groups, key=bool):  # what has no heading comes first
            records = groups[group]
            with formatter.section(group or "Options"):
                formatter.write_dl(records)


def command_of(name: str, record: Any, function: Callable[[Any], object], said: str) -> Command:
    """Return the command that makes a record from what was typed, and calls a function with it."""
    return Command(
        name,
        flags=flags_of(record),
        params=parameters(record),
        callback=lambda **typed: function(record_from(record, typed)),
        help=said,
    )


class GroupedOption(click.Option):
    """An option that knows its heading."""

    def __init__(self, names: list[str], *, group: str, **kwargs: Any) -> None:
        super().__init__(names, **kwargs)
        self.group = group


class _Option(GroupedOption):
    """An option whose words are looked up when help is shown, not before."""

    def __init__(self, field: Field, **kwargs: Any) -> None:
        super().__init__([field.flag, field.name], group=field.option.group, **kwargs)
        self.field = field

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        self.help = _help(self.field)
        return super().get_help_record(ctx)


class _Argument(click.Argument):
    """An argument that has a line of help."""

    def __init__(self, *args: Any, help: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.said = help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the name and the help."""
        return self.make_metavar(ctx), self.said


def parameters(*records: Any) -> list[click.Parameter]:
    """Return a click parameter for each field of the records."""
    found: list[click.Parameter] = []
    for field in (field for record in records for field in _fields.fields_of(record)):
        if field.option.positional:
            how = {"nargs": -1 if field.many else 1, "required": field.required, "metavar": _metavar(field)}
            found.append(_Argument([field.name], **how, help=_help(field)))
        elif field.kind is bool:
            found.append(_Option(field, is_flag=True))
        else:
            found.append(_Option(field, multiple=field.many, required=field.required, metavar=_metavar(field)))
    return found


def _name(field: Field) -> str:
    return field.name.rstrip("s").upper()


def _metavar(field: Field) -> str:
    if field.option.positional:
        name = f"{_name(field)}{'...' if field.many else ''}"
        return name if field.required else f"[{name}]"
    return {int: "NUMBER", float: "NUMBER"}.get(field.kind, "TEXT")


def _help(field: Field) -> str:
    said = as_options(field.option.help)
    if field.option.choices:
        said += f" One of: {', '.join(field.option.allowed)}."
    default = field.default
    if isinstance(default, tuple):
        default = ",".join(map(str, default))
    shown = "" if default in (None, "", False) else f"  [default: {default}]"
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
