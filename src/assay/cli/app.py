"""The `assay` command: gathers the commands and turns errors into one line and an exit code."""

import sys

import typer

from assay.cli import sweep
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


app.add_typer(sweep.app, name="sweep")


def main() -> None:
    """Run the command line; data errors exit 1, usage errors 2, an interrupt 130."""
    try:
        app()
    except AssayError as error:
        print(f"assay: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, ArgumentError) else 1)
    except KeyboardInterrupt:
        print("assay: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
