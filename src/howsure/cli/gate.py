"""`howsure gate`: its exit codes, its settings in howsure.toml, and `howsure gate init`, which writes them."""

import os
from pathlib import Path
from typing import Any

import click

from howsure import _check, _fields, _files
from howsure.cli import _commands
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.wording.options import as_options

SETTINGS = "howsure.toml"
TABLE = "gate"
WRITTEN = ("junit", "markdown", "report", "chart", "state", "sequential")
"""Options that name a file to write. Settings may come from somebody else, with the data beside them, so they may name
files below their own folder only, and replace none."""

TEMPLATE = """\
# Settings of `howsure gate`, which reads this file where it is called without files.
# Options on the command line win. Every option of `howsure gate --help-all` may stand here.

[gate]
# Baseline and candidate: tables, logs or folders. Names of models in one table go to baseline and candidate.
files = ["results/baseline.jsonl", "results/candidate.jsonl"]

# The largest loss that does not matter, in units of the metric: 0.02 is two points of accuracy.
margin = 0.02

# What must be shown: not worse by more than the margin (default), better by more than it, or within it.
# superior = true
# equivalent = true

# The lowest and the highest possible value of ratings and other numbers. Right or wrong answers need none where the
# log's format or the column's name (correct, passed, resolved ...) says that they are; other zeros and ones: [0, 1].
# range = [1, 5]

# The metric and gold labels, where the data do not say: howsure metrics lists them.
# metric = "accuracy"
# gold = "human"

# A loss in any slice fails the gate, too. Items of one document or conversation stay together.
# by = "topic"
# cluster = "document"

# More failed or missing samples than this share are an error (exit code 3).
max-error-rate = 0.05

# The largest chance that a model at the margin passes is 1 - confidence-level.
confidence-level = 0.95

# Looking before the end must be planned before the first look.
# looks = 2
# state = "gate.jsonl"
"""


class GateCommand(_commands.Command):
    """The command of a gate: everything that keeps it from running ends with exit code 3, in one line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; `init` writes the settings, and without files they are read."""
        from howsure.cli.app import complain
        from howsure.gating.rule import COULD_NOT_RUN

        try:
            if args[:1] == ["init"] and not Path("init").exists():
                _init(args[1:])
                ctx.exit(0)
            if not ctx.resilient_parsing and Path(SETTINGS).is_file() and not self._has_files(ctx, args):
                ctx.default_map = {**(ctx.default_map or {}), **read_settings(SETTINGS, self)}
            return super().parse_args(ctx, args)
        except (HowsureError, click.UsageError) as error:
            complain(as_options(error.format_message() if isinstance(error, click.UsageError) else str(error)))
            raise click.exceptions.Exit(COULD_NOT_RUN) from None

    def _has_files(self, ctx: click.Context, args: list[str]) -> bool:
        """Whether files are named among the arguments."""
        try:
            typed = self.make_parser(ctx).parse_args(args=list(args))[0].get("files")
            return isinstance(typed, tuple | list) and len(typed) > 0
        except click.UsageError:  # it is told where the command is parsed
            return True

    def invoke(self, ctx: click.Context) -> Any:
        """Run; any error means that the gate could not be run."""
        from howsure.cli.app import complain
        from howsure.gating.rule import COULD_NOT_RUN

        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except BrokenPipeError:
            raise
        except (HowsureError, click.UsageError, OSError) as error:
            said = error.format_message() if isinstance(error, click.UsageError) else str(error)
            complain(getattr(error, "strerror", None) or said)
            raise click.exceptions.Exit(COULD_NOT_RUN) from None


def _init(args: list[str]) -> None:
    """Write the commented settings."""
    unknown = [arg for arg in args if arg != "--force"]
    if unknown:
        raise ArgumentError(f"gate init takes no {unknown[0]!r}; it writes {SETTINGS} here (--force overwrites it).")
    _files.check_outputs({SETTINGS: SETTINGS}, force="--force" in args)
    _files.write_text(SETTINGS, TEMPLATE)
    click.echo(f"{SETTINGS}: written. Set files and margin, then run howsure gate.")


def read_settings(path: str, command: click.Command) -> dict[str, Any]:
    """Return the options that the table [gate] of a file sets, by field."""
    from howsure import _json  # it needs NumPy, which help does without

    try:
        content = _json.loads_toml(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not a readable TOML file: {error}.") from None
    table = content.get(TABLE)
    if not isinstance(table, dict):
        raise DataError(f"{path} has no table [{TABLE}]; howsure gate init writes an example.")
    fields = {
        parameter.field.name.replace("_", "-"): parameter.field
        for parameter in command.params
        if isinstance(parameter, _commands.FieldOption | _commands.FieldArgument)
    }
    found = {}
    for key, value in table.items():
        known = str(key).replace("_", "-")
        if known not in fields:
            hint = _check.nearest(known, fields)
            raise ArgumentError(f"{path}: {key!r} is not an option of howsure gate.{hint}")
        field: _fields.Field = fields[known]
        try:
            found[field.name] = _commands.checked_setting(field, value)
        except HowsureError as error:
            raise type(error)(f"{path}: {error}") from None
        if field.name == "force":
            raise ArgumentError(f"{path} may not overwrite files: remove force from it, and type --force yourself.")
        if field.name in WRITTEN:
            place, below = Path(os.path.realpath(found[field.name])), Path(os.path.realpath(path)).parent
            if below not in place.parents:
                raise ArgumentError(
                    f"{path} may name files below its own folder only; type {field.flag} {found[field.name]} yourself."
                )
    return found
