"""Commands that are not yet made from questions."""

import sys

import typer

from assay.cli import fit, simulate

app = typer.Typer(name="assay", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback()
def _top() -> None:
    pass


app.command()(fit.fit)
app.command()(simulate.simulate)

INTERRUPTED = 130
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run(arguments: list[str]) -> None:
    """Run one command."""
    try:
        code = app(arguments, standalone_mode=False)
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except UsageError as error:
        message = error.format_message()  # type: ignore[attr-defined]
        print(message if message.startswith("Usage:") else f"assay: {message}", file=sys.stderr)
        sys.exit(2)
    except typer.Abort:
        raise KeyboardInterrupt from None


def help_of(name: str) -> str:
    """Return what a command does."""
    kept = {
        command.callback.__name__: command.callback.__doc__ for command in app.registered_commands if command.callback
    }
    groups = {group.name: group.typer_instance.info.help for group in app.registered_groups if group.typer_instance}
    return str(kept.get(name) or groups.get(name) or "").strip()
