"""Click from fields: options and commands that are made from records, and help that teaches.

This is the only place that knows how a field is typed. The help shows the common options, all with --help-all,
examples, and suggestions for mistyped names.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from howsure import _check, _fields
from howsure._fields import Field
from howsure.errors import HowsureError
from howsure.questions.typed import value_of
from howsure.wording.options import as_options

FILE = "FILE"


WIDEST_CHOICES = 32
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
    return bool(field.option.choices) and len("|".join(field.option.allowed)) <= WIDEST_CHOICES


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


def checked_setting(field: Field, value: Any) -> Any:
    """Return a value from a file of settings in its type, in the form in which the command line has it."""
    kept = _fields.checked(field, value_of(field, value) if isinstance(value, str) else value)
    return list(map(str, kept)) if field.many else kept if field.kind is bool else str(kept)


def flags_of(*records: Any) -> dict[str, str]:
    """Return how the command line writes each field of the records."""
    fields = [field for record in records for field in _fields.fields_of(record)]
    return {field.name: _name(field) if field.option.positional else field.flag for field in fields}


FEW = 12
"""Commands with at most this many options show all of them in --help."""

WIDEST = 25
"""Options that are wider than this have their help in the next line."""

GLUE, HYPHEN = "\N{NO-BREAK SPACE}", "\N{NON-BREAKING HYPHEN}"


class Formatter(click.HelpFormatter):
    """Writes help without line breaks inside names such as benjamini-hochberg."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = WIDEST, col_spacing: int = 2) -> None:
        """Write names and what they mean."""
        super().write_dl([(name, said.replace("-", HYPHEN)) for name, said in rows], col_max, col_spacing)

    def write(self, string: str) -> None:
        """Write text."""
        super().write(string.replace(HYPHEN, "-"))


class Context(click.Context):
    """The context of a command; it knows how help is written."""

    formatter_class = Formatter


def _show_all(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        ctx.meta[SHORT] = False
        click.echo(ctx.get_help())
        ctx.exit()


HELP_ALL = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="Show every option."
)


class Command(click.Command):
    """A command that refuses an option given twice and names options in errors as they are typed.

    `flags` says how the command line writes each setting; `examples` are commands that run, for the end of the help.
    """

    context_class = Context

    def __init__(
        self, name: str, *, flags: Mapping[str, str] | None = None, examples: Sequence[str] = (), **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self.flags = flags
        self.examples = examples

    def invoke(self, ctx: click.Context) -> Any:
        """Run; errors name settings as they are typed."""
        try:
            return super().invoke(ctx)
        except HowsureError as error:
            raise type(error)(as_options(str(error), self.flags)) from error.__cause__

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, --help and --help-all."""
        return [*super().get_params(ctx), HELP_ALL]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; suggest a name for an unknown option, and refuse a second value for an option that takes one."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        except click.NoSuchOption as error:
            known = [name.lstrip("-") for parameter in self.get_params(ctx) for name in parameter.opts]
            hint = (
                _check.nearest(error.option_name.lstrip("-"), known).replace("'", "'--", 1)
                or f" See {ctx.command_path} --help-all."
            )
            raise click.UsageError(f"No such option {error.option_name!r}.{hint}", ctx) from None
        seen: set[str | None] = set()
        for parameter in order:
            if isinstance(parameter, click.Option) and not parameter.multiple:
                if parameter.name in seen:
                    raise click.UsageError(f"{parameter.opts[0]} was given twice; it takes one value.")
                seen.add(parameter.name)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help: short, unless the command has few options or --help-all was given."""
        ctx.meta.setdefault(SHORT, len(self._made_from_fields(click.Option)) > FEW)
        super().format_help(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options in one list, or all of them under their headings."""
        sections: dict[str, list[FieldOption]] = {"Options": []}
        for option in sorted(self._made_from_fields(click.Option), key=lambda option: bool(option.group)):
            if not ctx.meta[SHORT]:
                sections.setdefault(option.group or "Options", []).append(option)
            elif option.common:
                sections["Options"].append(option)
        for heading, parameters in {"Arguments": self._made_from_fields(click.Argument), **sections}.items():
            if parameters:
                with formatter.section(heading):
                    formatter.write_dl([parameter.get_help_record(ctx) for parameter in parameters])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and how to see the other options."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{_broken(example, formatter.current_indent, formatter.width)}\n")
        if ctx.meta[SHORT]:
            formatter.write_paragraph()
            n_options = len(self._made_from_fields(click.Option))
            formatter.write(f"Show all {n_options} options: {ctx.command_path} --help-all\n")

    def _made_from_fields(self, kind: type) -> list[Any]:
        """Return the arguments or the options that are made from fields."""
        return [parameter for parameter in self.params if isinstance(parameter, kind)]


def _broken(example: str, indent: int, width: int) -> str:
    """Return an example in as many lines as it takes; a shell reads them as one."""
    glued = re.sub(" (?!--)", GLUE, example)  # an option stays beside its value
    lines = textwrap.wrap(glued, width - 6, break_long_words=False, break_on_hyphens=False)
    return " " * indent + f" \\\n{' ' * (indent + 4)}".join(lines).replace(GLUE, " ")


def command_of(
    name: str, record: Any, function: Callable[[Any], object], said: str, examples: Sequence[str] = ()
) -> Command:
    """Return the command that makes a record from what was typed, and calls a function with it."""
    return Command(
        name,
        flags=flags_of(record),
        params=parameters(record),
        callback=lambda **typed: function(record_from(record, typed)),
        help=said,
        examples=examples,
    )


class Group(click.Group):
    """Commands in the order in which people need them, under headings; a mistyped name gets a suggestion."""

    context_class = Context

    def sections(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:
        """Return the headings of the help and the names of the commands below each."""
        return {"Commands": self.list_commands(ctx)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first line of each command's help."""
        width = max(map(len, self.list_commands(ctx)))
        for heading, names in self.sections(ctx).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), self._summary(ctx, name)) for name in names])

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return "" if command is None else (command.help or "").split("\n")[0]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; a name that is none gets a suggestion."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            hint = _check.nearest(name, self.list_commands(ctx))
            if not hint and Path(name).is_file():
                hint = f" To check a file: howsure doctor {name}"
            hint = hint or f" See {ctx.command_path} --help."
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)
