"""What visitors upload: kept in folders with names that cannot be guessed, deleted on request and after a time."""

import json
import re
import secrets
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.web.settings import Settings

NAME = re.compile(r"[^\w.-]+")
IDENTITY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Upload:
    """One upload: its files, whose it is, and what was recognised.

    Attributes
    ----------
    identity : str
    owner : str
    files : tuple of str
        Paths on this machine; never shown to anybody.
    names : tuple of str
        What the visitor called them.
    seen : mapping
        What was recognised: sources, scale, sizes, notes.
    """

    identity: str
    owner: str
    files: tuple[str, ...]
    names: tuple[str, ...]
    seen: dict[str, Any]


class Uploads:
    """The uploads of all visitors, in one folder."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = settings.root / "uploads"
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)

    def add(self, owner: str, files: Sequence[tuple[str, bytes]]) -> Upload:
        """Keep files, read them once, and say what they are; nothing is kept of what cannot be read."""
        if not files or not any(content for _, content in files):
            raise DataError("the upload is empty: choose a file, or paste a table.")
        identity = secrets.token_hex(16)
        folder = self.root / identity
        folder.mkdir(mode=0o700)
        try:
            paths, names = [], []
            for number, (name, content) in enumerate(files):
                path = folder / f"{number}-{safe_name(name)}"
                path.write_bytes(content)
                paths.append(str(path))
                names.append(Path(name.replace("\\", "/")).name[:80] or "table")
            seen = recognised(paths, names, self.settings)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        found = Upload(identity, owner, tuple(paths), tuple(names), seen)
        about = {"owner": owner, "files": paths, "names": names, "seen": seen}
        (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
        return found

    def get(self, identity: str, owner: str | None) -> Upload | None:
        """Return an upload of this visitor; a visitor without a session needs no more than its identity."""
        if not IDENTITY.fullmatch(identity):
            return None
        about = self.root / identity / "about.json"
        try:
            known = json.loads(about.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if owner is not None and known["owner"] != owner:
            return None
        return Upload(identity, known["owner"], tuple(known["files"]), tuple(known["names"]), known["seen"])

    def of(self, owner: str) -> list[Upload]:
        """Return the uploads of a visitor, the newest first."""
        folders = sorted(self.root.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
        found = (self.get(folder.name, owner) for folder in folders)
        return [upload for upload in found if upload is not None]

    def delete(self, identity: str, owner: str) -> bool:
        """Delete an upload of this visitor; return whether there was one."""
        if self.get(identity, owner) is None:
            return False
        shutil.rmtree(self.root / identity, ignore_errors=True)
        return True

    def sweep(self) -> None:
        """Delete what is older than it may be."""
        oldest = time.time() - 3600 * self.settings.keep_hours
        for folder in self.root.iterdir():
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def safe_name(name: str) -> str:
    """Return a file name made of harmless letters, which keeps its ending: readers look at it."""
    base = NAME.sub("_", Path(name.replace("\\", "/")).name)[-60:].lstrip(".-")
    return base or "table.csv"


def recognised(paths: Sequence[str], names: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Return what the files are: sources with their sizes, scale, notes; or scores, or why neither."""
    seen: dict[str, Any] = {"sources": {}, "columns": [], "notes": [], "problem": ""}
    try:
        table = _table(paths, names)
    except DataError as error:
        seen["problem"] = hidden(str(error), paths, names)
        return _as_sheet(seen, paths, names, settings)
    if sum(source.values.size for source in table.sources.values()) > settings.max_rows:
        raise DataError(f"the table has more than {settings.max_rows:,} responses, the most this server takes.")
    seen["sources"] = {name: int(source.values.size) for name, source in table.sources.items()}
    seen["n_items"], seen["scale"] = int(table.n_items), str(table.scale)
    seen["groups"], seen["raters"] = list(table.groups), len(table.raters)
    seen["notes"] = [hidden(note, paths, names) for note in table.notes]
    return _as_sheet(seen, paths, names, settings)


def _as_sheet(seen: dict[str, Any], paths: Sequence[str], names: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Add the columns of the first file; a file that is no table of any kind is refused."""
    from assay.io.sheets import open_sheet

    try:
        sheet = open_sheet(paths[0])
        seen["columns"] = list(sheet.columns)[:200]
        if len(sheet.columns) > settings.max_columns:
            raise DataError(f"the table has more than {settings.max_columns:,} columns, the most this server takes.")
    except DataError as error:
        if not seen["sources"]:
            raise DataError(seen["problem"] or hidden(str(error), paths, names)) from None
    return seen


def _table(paths: Sequence[str], names: Sequence[str]) -> Any:
    from assay.io import layouts

    if len(paths) == 1:
        return layouts.table_from(paths)
    stems = [Path(name).stem for name in names]
    return layouts.table_from([f"{stem}={path}" for stem, path in zip(stems, paths, strict=True)])


def hidden(said: str, paths: Sequence[str], names: Sequence[str]) -> str:
    """Return a message that calls files as the visitor does: paths of this machine are nobody's business."""
    for path, name in zip(paths, names, strict=True):
        said = said.replace(path, name).replace(Path(path).name, name)
    return said
