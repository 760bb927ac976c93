"""Make docs/reference/commands.md: every command with all its options, as `--help-all` prints them.

python scripts/commands_page.py
"""

from collections.abc import Iterator
from pathlib import Path

import click

from howsure.cli._commands import SHORT
from howsure.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "commands.md"
HEAD = """# Commands

Made by `python scripts/commands_page.py`; `howsure COMMAND --help` shows the common options, `--help-all` every option.
"""
WIDTH = 100


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command below a group with its full name."""
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from commands(below, f"{name} {each}")
    else:
        yield name, command


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for name, command in commands(app, "howsure"):
        context = click.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
        context.meta[SHORT] = False
        shown = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
        parts.append(f"## {name}\n\n```text\n{shown.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
