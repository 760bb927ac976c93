"""Files as people name them: a path, a glob, `name=path` for one source, `name=path:column` for its value column."""

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure import _check
from howsure.errors import ArgumentError, MissingFileError


@dataclass(frozen=True, slots=True)
class File:
    """One file to read.

    Attributes
    ----------
    path : str
        Or a dataframe that is read in its place.
    name : str or None
        The source that it holds; None where the file itself says whose responses it holds.
    value : str or None
        Its column of responses, where it has one of its own.
    """

    path: Any
    name: str | None = None
    value: str | None = None


def named_files(files: "Sequence[str | File | Any]") -> list[File]:
    """Return the files behind what was typed; a path that exists is never taken for anything else.

    A `File` stays as it is, and a dataframe is read in place of a file.

    Examples
    --------
    >>> named_files(["human=ratings.csv:label"])
    [File(path='ratings.csv:label', name='human', value=None)]
    """
    if not files:
        raise ArgumentError(
            "give a table of responses, for example ratings.csv, or one for each source: human=ratings.csv."
        )
    found: list[File] = []
    for text in files:
        if not isinstance(text, str):
            found.append(text if isinstance(text, File) else File(text))
            continue
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            found += _paths(text, None)
        elif not name or not path:
            raise ArgumentError(f"a named table is written name=file; got {text!r}.")
        else:
            found += _paths(path, name)
    seen: set[tuple[str, str | None]] = set()
    for file in (file for file in found if isinstance(file.path, str)):
        if (key := (str(Path(file.path).resolve()), file.value or file.name)) in seen:
            raise ArgumentError(f"{file.path} is given twice; give it once.")
        seen.add(key)
    return found


def no_file(path: str | Path) -> MissingFileError:
    """Return the error for a file that is not there; it names one that is called nearly so."""
    place = Path(path)
    nearby = [str(entry) for entry in place.parent.iterdir()] if place.parent.is_dir() else []
    return MissingFileError(f"there is no file {path}.{_check.nearest(str(place), nearby)}")


def _paths(text: str, name: str | None) -> list[File]:
    if Path(text).exists():
        return [File(text, name)]
    path, colon, column = text.rpartition(":")
    if colon and column and Path(path).exists():
        return [File(path, name, column)]
    if not any(mark in text for mark in "*?["):
        return [File(text, name)]
    matched = sorted(glob.glob(text))
    if not matched:
        raise MissingFileError(f"no file matches {text}.")
    return [File(path, name) for path in matched]
