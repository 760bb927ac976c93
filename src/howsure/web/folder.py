"""The folder of a server: uploads, jobs and everything temporary are in it, and one server at a time uses it.

The system releases the lock of a server that dies, however it dies. That tells a folder in use from one left behind.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path

from howsure.errors import ArgumentError

PREFIX = "howsure-web-"
YOUNG = 60.0
"""Seconds for which a temporary folder without a locked file may be one that is being made."""


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
        for place in scratch(self.path).glob("*"):
            if place.stat().st_mtime < time.time() - 3600 * hours:
                _delete(place)

    def close(self) -> None:
        """Let other servers use it; delete it if it is temporary."""
        if self.is_temporary:
            _delete(self.path)
        os.close(self._lock)


def empty(root: Path) -> Path:
    """Return the folder in which processes work where names of files mean nothing."""
    return root / "empty"


def scratch(root: Path) -> Path:
    """Return the folder for temporary files."""
    return root / "temporary"


def delete_left_behind() -> None:
    """Delete temporary folders of servers that were killed: they hold what visitors uploaded."""
    for place in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if place.is_symlink() or place.stat().st_uid != os.getuid() or place.stat().st_mtime > time.time() - YOUNG:
            continue
        found = _locked(place)
        if found is not None:
            _delete(place)
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


def _delete(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)
