"""`howsure scores`: its questions as commands, with settings from a file and evaluation units to a file."""

from typing import Any

import click

from howsure.cli import _ask, _commands
from howsure.questions.scores import SCORES, ScoresDescribe, ScoresEffect, ScoresGlossary


def group() -> click.Group:
    """Return the commands of `howsure scores`."""
    commands = []
    for question in SCORES:
        threads = question not in (ScoresDescribe, ScoresEffect, ScoresGlossary)
        command = _ask.command(question, _ask.Threads if threads else _ask.Here)
        if question is not ScoresGlossary:
            command.params.append(_config())
        commands.append(command)
    said = "Compare systems by their scores on the same segments."
    return _commands.Group("scores", commands=commands, help=said, no_args_is_help=True)


def _config() -> click.Option:
    """Return the option that reads settings from a file; they are defaults, so that the command line wins."""
    said = "Read options from this file: .toml, or .yml or .yaml of NLPStatTest."
    how: dict[str, Any] = {"is_eager": True, "expose_value": False, "callback": _read_config}
    return _commands.file_option("config", said, "Settings", common=False, **how)


def _read_config(context: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    from howsure.questions.score_settings import read_settings

    context.default_map = {**(context.default_map or {}), **read_settings(path)}
