"""The `assay` command: gathers the commands and turns errors into one line and an exit code."""

import sys

import typer

from assay.cli import audit, compare, describe, example, fit, plan, power, replicate, scores, simulate, sweep
from assay.errors import ArgumentError, AssayError

app = typer.Typer(
    name="assay",
    help="Is model A really better than model B, and how much data does it take to know?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def _top() -> None:
    pass


# In the order in which people meet them: the help lists them so.
app.command()(example.example)
app.command()(compare.compare)
app.command()(describe.describe)
app.command()(plan.plan)
app.command()(fit.fit)
app.command()(simulate.simulate)
app.command()(audit.audit)
app.command()(replicate.replicate)
app.add_typer(scores.app, name="scores")
app.command()(power.power)
app.add_typer(sweep.app, name="sweep")


UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # Typer's own, or Click's where Typer still builds on it


def main() -> None:
    """Run the command line; data errors exit 1, usage errors 2, an interrupt 130."""
    try:
        sys.exit(app(standalone_mode=False))
    except AssayError as error:
        print(f"assay: {' '.join(str(error).splitlines())}", file=sys.stderr)  # a label may contain a line break
        sys.exit(2 if isinstance(error, ArgumentError) else 1)
    except UsageError as error:
        message = error.format_message()  # type: ignore[attr-defined]
        print(message if message.startswith("Usage:") else f"assay: {message}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        print("assay: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:  # a full disk behind stdout, for one
        print(f"assay: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)
