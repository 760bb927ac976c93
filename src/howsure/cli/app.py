"""The `howsure` command: gathers the commands and turns errors into one line and an exit code."""

import sys
from functools import cache
from pkgutil import resolve_name

import click

from howsure.errors import ArgumentError, HowsureError

# In the order in which people meet them: the help lists them so.
QUESTIONS: dict[str, tuple[str, str]] = {
    "doctor": ("howsure.questions.doctor:Doctor", "Here"),
    "compare": ("howsure.questions.compare:Compare", "Threads"),
    "leaderboard": ("howsure.questions.leaderboard:Leaderboard", "Threads"),
    "describe": ("howsure.questions.describe:Describe", "Threads"),
    "fit": ("howsure.questions.fit:Fit", "Here"),
    "simulate": ("howsure.questions.simulate:Simulate", "Here"),
    "plan": ("howsure.questions.plan:Plan", "ThreadsOrStudy"),
    "audit": ("howsure.questions.audit:Audit", "StudyOptions"),
    "replicate": ("howsure.questions.replicate:Replicate", "StudyOptions"),
    "power": ("howsure.questions.scores:Power", "Here"),
}
"""Commands made from questions: the question's address, and the group of fields that says where to compute."""

BUILT: dict[str, str] = {
    "convert": "howsure.cli.convert:command",
    "example": "howsure.cli.example:command",
    "scores": "howsure.cli.scores:group",
    "sweep": "howsure.cli.sweep:group",
    "serve": "howsure.cli.serve:command",
}
"""Commands that a function of this folder makes."""


class Commands(click.Group):
    """The group of all commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return [*QUESTIONS, *BUILT]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        return _command(cmd_name) if cmd_name in QUESTIONS or cmd_name in BUILT else None


@cache
def _command(name: str) -> click.Command:
    if name in BUILT:
        return resolve_name(BUILT[name])()  # type: ignore[no-any-return]
    from howsure.cli import _ask

    address, computing = QUESTIONS[name]
    return _ask.command(resolve_name(address), getattr(_ask, computing))


app = Commands(
    "howsure",
    help="Is model A really better than model B, and how much data does it take to know?",
    no_args_is_help=True,
)


def main() -> None:
    """Run the command line; data errors exit 1, usage errors 2, an interrupt 130."""
    try:
        sys.exit(app.main(standalone_mode=False) or 0)
    except HowsureError as error:
        _complain(str(error))
        sys.exit(2 if isinstance(error, ArgumentError) else 1)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        sys.exit(2)
    except click.UsageError as error:
        _complain(error.format_message())
        sys.exit(2)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted: no result is kept; run the command again")
        sys.exit(130)
    except UnicodeEncodeError as error:  # bytes of the command line that are no text
        _complain(f"{error.object[:40]!a} is not text in UTF-8; write the option in UTF-8.")
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:  # a full disk behind stdout, for one
        _complain(error.strerror or str(error))
        sys.exit(1)


def _complain(message: str) -> None:
    from howsure.documents.text import plain

    encoding = sys.stderr.encoding or "utf-8"
    print(f"howsure: {plain(message)}".encode(encoding, errors="replace").decode(encoding), file=sys.stderr)
