"""`howsure scores`: its questions as commands."""

import click

from howsure.cli import _ask, _commands
from howsure.questions.scores import SCORES, ScoresDescribe, ScoresEffect, ScoresGlossary


def group() -> click.Group:
    """Return the commands of `howsure scores`."""
    here = (ScoresDescribe, ScoresEffect, ScoresGlossary)
    commands = [_ask.command(question, _ask.Here if question in here else _ask.Threads) for question in SCORES]
    said = "Compare systems by their scores on the same segments."
    return _commands.Group("scores", commands=commands, help=said, no_args_is_help=True)
