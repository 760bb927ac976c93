"""A study as a document: a TOML file that names a task and its grid."""

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure import _check, _json
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.sweeps.grid import Grid
from howsure.sweeps.tasks import Task

MOST_BYTES = 10_000_000
ENTRIES = ("task", "seed", "files", "grid", "cells")


@dataclass(frozen=True, slots=True)
class Study:
    """What a study document says.

    Attributes
    ----------
    task : Task
    grid : Grid
    seed : int or None
        None where the document leaves it to the store.
    """

    task: Task
    grid: Grid
    seed: int | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, tasks: Mapping[str, str] | None = None) -> "Study":
        """Read a document; `tasks` gives short names to addresses.

        The document has `task = "module:function"`, optionally `seed = 7`, a table `[grid]` whose lists are axes and
        whose other entries are the same in every cell, and `[[cells]]` for single cells besides. Files that the task
        reads are named under `[files]`, from the folder of the document; each is a parameter of every cell, with its
        absolute path, which workers elsewhere find, too, and its digest, so that results of a file that has changed
        are not taken for those of the file as it is now.
        """
        document = _document(Path(path))
        try:
            for entry in document:
                _check.one_of("entry", entry, ENTRIES)
            named = document.get("task")
            if not isinstance(named, str):
                raise ArgumentError('`task` must be given, as "package.module:function" or a short name.')
            seed = document.get("seed")
            if named not in (tasks or {}):
                _join_path(Path(path))
            return cls(
                _task(named, tasks or {}),
                _grid(document, Path(path).resolve().parent),
                None if seed is None else _check.integer("seed", seed, at_least=0),
            )
        except ArgumentError as error:
            raise DataError(f"{path}: {error}") from None


def _join_path(path: Path) -> None:
    """Let a study's own functions be found in a file beside it, last of all; workers on this machine inherit that."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)


def _document(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise MissingFileError(f"{path}: there is no such file.")
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        raise DataError(f"{path}: not a readable TOML document: it is not a file of at most {MOST_BYTES:,} bytes.")
    try:
        return _json.loads_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a readable TOML document: {str(error).rstrip('.')}.") from None


def _task(named: str, tasks: Mapping[str, str]) -> Task:
    if ":" not in named and named not in tasks:
        known = f"{', '.join(sorted(tasks))} or " if tasks else ""
        raise ArgumentError(
            f'`task` must be {known}an address, "package.module:function"; got {named!r}.{_check.nearest(named, tasks)}'
        )
    return Task.load(tasks.get(named, named))


def _grid(document: Mapping[str, Any], folder: Path) -> Grid:
    axes, cells, files = document.get("grid", {}), document.get("cells", []), document.get("files", {})
    if not (isinstance(axes, dict) and isinstance(files, dict) and isinstance(cells, list)) or not all(
        isinstance(cell, dict) for cell in cells
    ):
        raise ArgumentError("`grid` and `files` must be tables, [grid], and `cells` a list of tables, [[cells]].")
    grid = Grid.product({name: values if isinstance(values, list) else [values] for name, values in axes.items()})
    grid = grid + Grid(cells) if axes else Grid(cells)
    if not len(grid):
        raise ArgumentError("the sweep has no grid points; give a [grid] or [[cells]].")
    return Grid([{name: _file(path, folder) for name, path in files.items()}]) * grid if files else grid


def _file(path: Any, folder: Path) -> dict[str, str]:
    if not isinstance(path, str):
        raise ArgumentError(f"a file of the study must be named by its path, in quotes; got {path!r}.")
    try:
        place = os.path.join(folder, path)
        if not os.path.isfile(place):  # nothing else has an end
            raise FileNotFoundError
        with open(place, "rb") as file:
            return {"path": place, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
    except (OSError, ValueError):
        raise ArgumentError(f"the study's file {path!r} cannot be read in {folder}.") from None
