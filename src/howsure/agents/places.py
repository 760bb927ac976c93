"""Which files an agent may name: those below the folders that the server was started with."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from howsure.errors import DataError
from howsure.io.folders import readable_files

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

    def inside(self, text: str | os.PathLike[str]) -> Path:
        """Return the real path that a text names below the folders, whether it exists or not.

        Every path of an agent goes through here. One that leads outside, by links, `..` or from the root of the disk,
        is as absent as one that nobody made.
        """
        if ".." not in Path(text).parts:
            found = [path for root in self.roots if self.allows(path := root / text)]
            if found:
                real = [Path(os.path.realpath(path)) for path in found]
                return next((path for path in real if os.path.exists(path)), real[0])
        raise self._absent(text)

    def allows(self, path: str | os.PathLike[str]) -> bool:
        """Whether a path leads below the folders, wherever its links point."""
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):  # a null byte, or half of a character
            return False
        return any(real.is_relative_to(root) for root in self.roots)

    def file(self, text: str) -> list[str]:
        """Return what is read for a text: PATH, NAME=PATH, PATH:COLUMN or a pattern, with whole paths."""
        name, equals, rest = text.partition("=")
        if equals and name and rest and not self._there(text):
            return [f"{name}={path}" for path in self._paths(rest)]
        return self._paths(text)

    def _paths(self, text: str) -> list[str]:
        if not self._there(text):
            if any(sign in text for sign in "*?["):
                return [str(path) for path in self._matching(text)]
            path, colon, column = text.rpartition(":")
            if colon and path:
                return [f"{self._readable(path, text)}:{column}"]
        return [str(self._readable(text, text))]

    def name_or_file(self, text: str) -> str:
        """Return the whole path where a name is that of a file, else the name: gold may be either."""
        path = self.inside(text)
        return str(path) if os.path.isfile(path) else text

    def _there(self, text: str) -> bool:
        try:
            return os.path.exists(self.inside(text))
        except DataError:
            return False

    def _readable(self, path: str | os.PathLike[str], text: str) -> Path:
        """Return a path that exists; of a folder, all that its reader opens must be below the folders, too."""
        real = self.inside(path)
        if not os.path.exists(real):
            raise self._absent(text)
        for place in readable_files(real) if real.is_dir() else ():
            if place.is_symlink():
                self.inside(place)
        return real

    def _matching(self, pattern: str) -> list[Path]:
        """Return what matches a pattern; a link that leads outside is an error, and its target is not looked at."""
        found: list[Path] = []
        for root in self.roots:
            parts, places = Path(pattern).parts, [root]
            if Path(pattern).is_absolute():
                parts = Path(pattern).relative_to(root).parts if Path(pattern).is_relative_to(root) else ("..",)
            for part in parts:
                folders = [place for place in map(self.inside, places) if place.is_dir()]
                places = [
                    folder / name for folder in folders for name in sorted(os.listdir(folder)) if _fits(name, part)
                ]
            found += [self._readable(place, str(place)) for place in places]
        if not found:
            raise self._absent(pattern)
        return found

    def _absent(self, text: str | os.PathLike[str]) -> DataError:
        below = next(
            (str(Path(text).relative_to(root)) for root in self.roots if Path(text).is_relative_to(root)), text
        )
        names = ", ".join(root.name or str(root) for root in self.roots)
        said = str(below) if str(below).isprintable() else repr(str(below))
        return DataError(f"there is no file {said} below {names}. {self._listing()}")

    def _listing(self) -> str:
        names = [path.name for root in self.roots for path in sorted(root.iterdir()) if not path.name.startswith(".")]
        shown = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
        return f"Files here: {shown or 'none'}."


def _fits(name: str, part: str) -> bool:
    """Whether a name matches a part of a pattern; a star does not stand for the dot of a hidden file."""
    return fnmatchcase(name, part) and not (name.startswith(".") and not part.startswith("."))
