"""The folder of a server: uploads, jobs and everything temporary are in it, and one server at a time uses it.

The system releases the lock of a server that dies, however it dies. That tells a folder in use from one left behind.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from howsure.errors import ArgumentError, DataError

LOG = logging.getLogger(__name__)
PREFIX = "howsure-web-"
FULL = (
    "the disk of this server is full, so nothing new can be kept. What is there can be read and deleted; delete "
    "something, or ask whoever runs the server for space."
)
YOUNG = 60.0
"""Seconds for which a temporary folder without a locked file may be one that is being made."""


class FullDiskError(DataError):
    """The disk of the server has no space for something."""

    def __init__(self, message: str = FULL) -> None:
        super().__init__(message)


class Folder:
    """A folder that this server alone uses until it is closed.

    Parameters
    ----------
    given : str, optional
        Where it is; a private temporary folder, which is deleted at the end, if left out.
    """

    def __init__(self, given: str | None) -> None:
        self.is_temporary = given is None
        if given is None:
            delete_left_behind()
        self.path = Path(given or tempfile.mkdtemp(prefix=PREFIX)).resolve()
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = _locked(self.path)
        except OSError as error:
            raise ArgumentError(f"`folder` {self.path} cannot be used: {error.strerror}.") from None
        if found is None:
            raise ArgumentError(f"another server uses `folder` {self.path}: stop it, or give another folder.")
        self._lock = found
        shutil.rmtree(scratch(self.path), ignore_errors=True)  # of processes that were killed

    def sweep(self, hours: float) -> None:
        """Delete what killed processes left in the folder for temporary files, once it is old."""
        for place in older(scratch(self.path), 3600 * hours):
            delete(place)

    def close(self) -> None:
        """Let other servers use it; delete it if it is temporary."""
        if self.is_temporary:
            delete(self.path)
        os.close(self._lock)


def empty(root: Path) -> Path:
    """Return the folder in which processes work where names of files mean nothing."""
    return root / "empty"


def scratch(root: Path) -> Path:
    """Return the folder for temporary files."""
    return root / "temporary"


def delete_left_behind() -> None:
    """Delete temporary folders of servers that were killed: they hold what visitors uploaded."""
    for place in older(Path(tempfile.gettempdir()), YOUNG, f"{PREFIX}*"):
        with suppress(OSError):  # somebody else deletes it meanwhile, or may not let us
            if place.is_symlink() or place.stat().st_uid != os.getuid() or (found := _locked(place)) is None:
                continue
            delete(place)
            os.close(found)


def _locked(folder: Path) -> int | None:
    """Return the open file that locks a folder; None where another server holds it."""
    import fcntl

    found = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(found)
        return None
    return found


def older(folder: Path, seconds: float, pattern: str = "*") -> Iterator[Path]:
    """Yield what is in a folder and did not change for so long; what vanishes meanwhile is passed over."""
    for place in sorted(folder.glob(pattern)):
        try:
            changed = place.stat(follow_symlinks=False).st_mtime
        except OSError:
            continue
        if changed < time.time() - seconds:
            yield place


def delete(place: Path) -> None:
    """Delete a file, or a folder with everything in it; what is gone already is no error."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.unlink()
    if os.path.lexists(place):
        LOG.error("a %s could not be deleted", "folder" if place.is_dir() else "file")
