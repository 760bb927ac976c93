"""Settings of `howsure scores` in a file: read from TOML or from NLPStatTest's YAML, written as TOML."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from howsure import _check, _fields
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.questions.scores import SCORES


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return the options that a file sets, lists as lists; one file may serve all commands of `howsure scores`."""
    from howsure.paired import nlpstattest_settings

    ours = Path(path).suffix.lower() not in nlpstattest_settings.ENDINGS
    settings = _toml(Path(path)) if ours else nlpstattest_settings.read_settings(path)
    several = {field.name for question in SCORES for field in _fields.fields_of(question) if field.many}
    return {
        name: [value] if name in several and not isinstance(value, list) else value for name, value in settings.items()
    }


def write_settings(settings: Mapping[str, Any]) -> str:
    """Return options as TOML, as `read_settings` reads them.

    Examples
    --------
    >>> print(write_settings({"unit_size": 5, "effect_size": ["cohen-d"], "test": "t"}), end="")
    unit-size = 5
    effect-size = ["cohen-d"]
    test = "t"
    """
    import json

    return "".join(f"{name.replace('_', '-')} = {json.dumps(value)}\n" for name, value in settings.items())


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} is not a readable TOML file: {error}.") from None
    known = {field.name.replace("_", "-") for question in SCORES for field in _fields.fields_of(question)}
    for key in settings:
        if key not in known:
            raise ArgumentError(f"{path}: {key!r} is not an option of `howsure scores`.{_check.nearest(key, known)}")
    return {key.replace("-", "_"): value for key, value in settings.items()}
