"""One word, one meaning: docs/reference/options.md holds every option, and no option that it rules out."""

import re
from pathlib import Path

import click

from howsure.cli.app import app

ROOT = Path(__file__).parents[2]


def commands(command, path=()):
    """Yield every command with its path."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*path, name))


def words(column):
    """Return the words of a column of the table, row by row."""
    lines = (ROOT / "docs" / "reference" / "options.md").read_text(encoding="utf-8").splitlines()
    return [re.findall(r"`(\w+)`", line.split("|")[column]) for line in lines if line.startswith("| `")]


COMMANDS = dict(commands(app))
USED = {parameter.name for command in COMMANDS.values() for parameter in command.params}
KNOWN = [word for row in words(1) for word in row] + ["normality_alpha", "power_alpha", "effect_alpha"]


def test_the_table_holds_every_option_once():
    assert sorted(KNOWN) == sorted(USED)


def test_words_that_are_ruled_out_are_no_options():
    ruled_out = {word for row in words(3) for word in row}
    assert ruled_out & USED <= {"alpha", "null", "items", "delta"}  # options with another meaning


def test_options_that_differ_by_an_s_are_few():
    pairs = {name for name in USED if f"{name}s" in USED}
    assert pairs == {"file", "item", "rater"}  # one file of scores; columns beside schemes; see the table
