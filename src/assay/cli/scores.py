"""`assay scores`: its questions as commands, with settings from a file and evaluation units to a file."""

from pathlib import Path
from typing import Any

import click

from assay import _check, _fields
from assay.cli import _ask
from assay.errors import ArgumentError, DataError, MissingFileError
from assay.questions.scores import SCORES, ScoresDescribe, ScoresEffect, ScoresGlossary


def group() -> click.Group:
    """Return the commands of `assay scores`."""
    commands = []
    for question in SCORES:
        threads = question not in (ScoresDescribe, ScoresEffect, ScoresGlossary)
        command = _ask.command(question, _ask.Threads if threads else _ask.Here)
        if question is not ScoresGlossary:
            command.params.append(_Config())
        commands.append(command)
    said = "Compare two systems by their scores on the same lines (columns of a text file)."
    return click.Group("scores", commands=commands, help=said, no_args_is_help=True)


class _Config(click.Option):
    """The option that reads settings from a file; they are defaults, so that the command line wins."""

    group = "Settings"

    def __init__(self) -> None:
        help_text = "File of settings: .toml with these options, or .yml or .yaml of NLPStatTest."
        super().__init__(["--config"], metavar="FILE", help=help_text, is_eager=True, expose_value=False,
                         callback=_read_config)  # fmt: skip


def _read_config(context: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    from assay.paired.nlpstattest import ENDINGS, read_settings

    ours = Path(path).suffix.lower() not in ENDINGS
    settings = _toml(Path(path)) if ours else read_settings(path)
    several = {field.name for question in SCORES for field in _fields.fields_of(question) if field.many}
    for name, value in settings.items():
        if name in several and not isinstance(value, list):
            settings[name] = [value]
    context.default_map = {**(context.default_map or {}), **settings}


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} is not a readable TOML file: {error}.") from None
    # One file may serve all commands, so an option of any of them may stand in it.
    known = {field.name.replace("_", "-") for question in SCORES for field in _fields.fields_of(question)}
    for key in settings:
        if key not in known:
            raise ArgumentError(f"{path}: {key!r} is not an option of `assay scores`.{_check.nearest(key, known)}")
    return {key.replace("-", "_"): value for key, value in settings.items()}
