"""The `howsure` command: gathers the commands and turns errors into one line and an exit code."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pkgutil import resolve_name

import click

from howsure._files import WATCH
from howsure.cli import _commands
from howsure.cli._commands import Group
from howsure.cli._progress import progress
from howsure.errors import ArgumentError, HowsureError, in_one_line

COMMANDS: dict[str, dict[str, tuple[str, str] | str]] = {
    "Start here": {
        "doctor": ("howsure.questions.doctor:Doctor", "Here"),
        "demo": "howsure.cli.demo:demo",
        "example": "howsure.cli.other_commands:example",
        "convert": "howsure.cli.other_commands:convert",
    },
    "Analyse data": {
        "compare": ("howsure.questions.compare:Compare", "Threads"),
        "leaderboard": ("howsure.questions.leaderboard:Leaderboard", "Threads"),
        "gate": ("howsure.questions.gate:Gate", "GateFiles"),
        "judge": ("howsure.questions.judge:Judge", "Here"),
        "score": ("howsure.questions.score:Score", "Here"),
        "reliability": ("howsure.questions.reliability:Reliability", "Here"),
        "describe": ("howsure.questions.describe:Describe", "Threads"),
        "scores": "howsure.cli.scores:group",
    },
    "Plan a study": {
        "sample": ("howsure.questions.sample:SampleItems", "Here"),
        "plan": ("howsure.questions.plan:Plan", "ThreadsOrStudy"),
        "power": ("howsure.questions.scores:Power", "Here"),
        "fit": ("howsure.questions.fit:Fit", "Here"),
        "simulate": ("howsure.questions.simulate:Simulate", "Here"),
    },
    "Methods": {
        "metrics": "howsure.cli.other_commands:metrics",
        "presets": "howsure.cli.other_commands:presets",
        "audit": ("howsure.questions.audit:Audit", "StudyOptions"),
        "replicate": ("howsure.questions.replicate:Replicate", "StudyOptions"),
    },
    "Services": {
        "serve": "howsure.cli.other_commands:serve",
        "mcp": "howsure.cli.agents:mcp",
        "agent-files": "howsure.cli.agents:agent_files",
        "sweep": "howsure.cli.sweep:group",
    },
}
"""The commands under the headings of the help.

A command made from a question has the question's address and the record of `howsure.cli._ask` that says where to
compute; any other has the address of the function that makes it.
"""

SOURCES = {name: source for section in COMMANDS.values() for name, source in section.items()}
QUESTIONS = {name: source for name, source in SOURCES.items() if isinstance(source, tuple)}

KINDS = {"gate": "howsure.cli.gate:GateCommand"}
"""Commands that parse or end in a way of their own."""

FIRST_STEPS = """\
howsure tests whether model A is really better than model B, given raters that
disagree.

Check your own data first:
  howsure doctor YOUR-FILE.csv

Or see the main commands on simulated ratings:
  howsure demo

List all commands:
  howsure --help"""


class Commands(Group):
    """The group of all commands, each imported when it is used."""

    def sections(self, ctx: click.Context) -> Mapping[str, Sequence[str]]:
        """Return the headings of the help and the names of the commands below each."""
        return {heading: list(section) for heading, section in COMMANDS.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(SOURCES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        return _command(cmd_name) if cmd_name in SOURCES else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; without arguments show what to do first."""
        if not args and not ctx.resilient_parsing:
            click.echo(FIRST_STEPS)
            ctx.exit()
        return super().parse_args(ctx, args)


@cache
def _command(name: str) -> click.Command:
    source = SOURCES[name]
    if isinstance(source, str):
        return resolve_name(source)()  # type: ignore[no-any-return]
    from howsure.cli import _ask

    address, computing = source
    kind = resolve_name(KINDS[name]) if name in KINDS else _commands.Command
    return _ask.command(resolve_name(address), getattr(_ask, computing), kind)


@click.version_option(package_name="howsure", prog_name="howsure", message="%(prog)s %(version)s")
@click.command(cls=Commands, name="howsure")
def app() -> None:
    """Test whether model A is really better than model B, or plan a study.

    Every command has its own help: howsure COMMAND --help
    """
    WATCH.set(progress)


def main() -> None:
    """Run the command line; data errors exit 1, usage errors 2, an interrupt 130."""
    try:
        sys.exit(app.main(prog_name="howsure", standalone_mode=False) or 0)
    except HowsureError as error:
        complain(str(error))
        sys.exit(2 if isinstance(error, ArgumentError) else 1)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.UsageError as error:
        complain(error.format_message())
        sys.exit(2)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted: no result is kept; run the command again")
        sys.exit(130)
    except UnicodeEncodeError as error:  # bytes of the command line that are no text
        complain(f"{error.object[:40]!a} is not text in UTF-8; write the option in UTF-8.")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except MemoryError as error:  # NumPy says how much an array would take
        reason = f" ({error})" if str(error) else ""
        complain(f"this needs more memory than there is{reason}; ask for fewer items, responses or resamples.")
        sys.exit(1)
    except OSError as error:  # a full disk behind stdout, for one
        complain(error.strerror or str(error))
        sys.exit(1)


def complain(message: str) -> None:
    """Print one line to stderr."""
    from howsure.documents.text import plain

    encoding = sys.stderr.encoding or "utf-8"
    said = f"howsure: {in_one_line(plain(message))}".encode(encoding, errors="replace").decode(encoding)
    with suppress(OSError):  # nobody can be told, but the exit code still says it
        print(said, file=sys.stderr)
