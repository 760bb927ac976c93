"""Which files an agent may name: those below the folders that the server was started with."""

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.errors import DataError

LISTED = 12
"""How many files a message names where one is missing."""


@dataclass(frozen=True, slots=True)
class AllowedFolders:
    """Folders below which files may be read and written; links are followed before they are judged."""

    roots: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[str]) -> "AllowedFolders":
        """Check the folders; the current one by default."""
        roots = []
        for folder in folders or (".",):
            path = Path(folder).resolve()
            if not path.is_dir():
                raise DataError(f"there is no folder {folder}.")
            roots.append(path)
        return cls(tuple(roots))

    def file(self, text: str) -> list[str]:
        """Return what is read for a name: PATH, NAME=PATH, PATH:COLUMN or a pattern, with whole paths."""
        name, equals, rest = text.partition("=")
        if equals and name and rest and not self._there(text):
            return [f"{name}={path}" for path in self.file(rest)]
        if any(sign in text for sign in "*?["):
            found = [path for root in self.roots for path in sorted(glob.glob(str(root / text)))]
            if not found:
                raise DataError(f"no file matches {text}. {self._listing()}")
            return [str(self.inside(path)) for path in found]
        path, colon, column = text.rpartition(":")
        if colon and path and not self._there(text):
            return [f"{self.existing(path)}:{column}"]
        return [str(self.existing(text))]

    def existing(self, text: str) -> Path:
        """Return a path that exists below the folders."""
        path = self.inside(text)
        if not path.exists():
            raise DataError(f"there is no file {text}. {self._listing()}")
        if path.is_dir():  # its files are read, and one of them may be a link
            for folder, folders, files in os.walk(path):
                for name in (*folders, *files):
                    if (Path(folder) / name).is_symlink():
                        self.inside(Path(folder) / name)
        return path

    def inside(self, text: str | os.PathLike[str]) -> Path:
        """Return a path below the folders, whether it exists or not."""
        try:
            tried = [(root / text).resolve() for root in self.roots]
        except (OSError, ValueError):
            raise DataError(f"{str(text)!r} is not a path.") from None
        allowed = [path for path in tried if any(path.is_relative_to(root) for root in self.roots)]
        if not allowed:
            names = ", ".join(root.name or str(root) for root in self.roots)
            raise DataError(f"{text} is outside of {names}; only files below these folders can be used.")
        return next((path for path in allowed if path.exists()), allowed[0])

    def refuse_paths(self, values: Any) -> None:
        """Refuse text that leads to a file outside: gold, for one, may be a file of its own."""
        for value in values if isinstance(values, list | tuple) else [values]:
            if not isinstance(value, str) or not value:
                continue
            path = Path(value.partition("=")[2] or value)
            if path.is_absolute() or ".." in path.parts or path.exists():
                self.inside(path.resolve() if path.exists() else path)

    def _there(self, text: str) -> bool:
        return any((root / text).exists() for root in self.roots)

    def _listing(self) -> str:
        names = [path.name for root in self.roots for path in sorted(root.iterdir()) if not path.name.startswith(".")]
        shown = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
        return f"Files here: {shown or 'none'}."
