"""One driver for each store: a file beside it that the operating system unlocks however the driver ends."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from howsure.errors import DataError

MARK = int.from_bytes(b"asdr")
"""What says that a lock file is ours, in the place where SQLite keeps the number of an application."""


@contextmanager
def alone(store: Path, driver: Callable[[], str]) -> Iterator[None]:
    """Hold the right to drive the store at this path (no link); SQLite's own file lock is portable.

    A lock file that a killed driver left is used again and removed. A file of that name that is not ours is never
    touched.
    """
    guard = Path(f"{store}-driver")
    keep = _is_foreign(guard)
    with closing(sqlite3.connect(guard, isolation_level=None, timeout=0)) as connection:
        try:
            if not keep:
                connection.execute(f"PRAGMA application_id = {MARK}")
            connection.execute("BEGIN EXCLUSIVE")
            if not guard.exists():  # the driver before removed it between our opening and our locking it
                raise DataError(f"{store} was being run until a moment ago; run the study again.")
        except sqlite3.OperationalError as error:
            if not str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_BUSY"):
                raise
            raise DataError(
                f"{store} is being run by {driver()}; wait for it, stop it, or use another store."
            ) from None
        try:
            yield
        finally:
            if not keep:
                with suppress(OSError):
                    guard.unlink()


def _is_foreign(guard: Path) -> bool:
    """Refuse a file that is not a lock; return whether it is empty, and so perhaps somebody's."""
    try:
        with guard.open("rb") as file:
            head = file.read(72)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise DataError(
            f"{guard} is in the way of the lock: {error.strerror}. Rename it, or use another store."
        ) from None
    if head and (len(head) < 72 or int.from_bytes(head[68:72]) != MARK):
        raise DataError(f"{guard} is in the way: a run locks a file of this name. Rename it, or use another store.")
    return not head
