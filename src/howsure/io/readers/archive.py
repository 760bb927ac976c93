"""Zip archives, read with a bound on what they expand to; deflate and zstandard (method 93)."""

import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from howsure.errors import DataError

SMALL = 64 * 2**20
MOST_EXPANSION = 200
"""A member that expands to more than `SMALL` bytes and more than this many times its size is refused."""


class BoundedMember:
    """A member's bytes as they expand; more of them than a log can have is an error."""

    def __init__(self, file: IO[bytes], name: str, limit: int) -> None:
        self._file = file
        self._name = name
        self._left = limit

    def read(self, n_bytes: int) -> bytes:
        """Read on."""
        with readable(self._name):
            chunk = self._file.read(n_bytes)
        self._left -= len(chunk)
        if self._left < 0:
            raise DataError(f"{self._name} expands to far more than its size; such archives are not opened.")
        return chunk


class Archive:
    """A zip file whose members are read one at a time.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        with readable(self.name):
            self._zip = _zipfile().ZipFile(path)
        self.members: list[str] = self._zip.namelist()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @contextmanager
    def open(self, member: str) -> Iterator[Any]:
        """Open a member for reading from its start."""
        name = f"{self.name} ({member})"
        info = self._zip.getinfo(member)
        limit = max(SMALL, MOST_EXPANSION * max(info.compress_size, 1))
        if info.file_size > limit:
            raise DataError(f"{name} expands to far more than its size; such archives are not opened.")
        with readable(name):
            file = self._zip.open(info)
        try:
            yield BoundedMember(file, name, limit)
        finally:
            file.close()


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what a damaged archive raises into one line."""
    try:
        yield
    except DataError:
        raise
    except MemoryError:
        raise DataError(f"{name} asks for more memory than there is; such archives are not opened.") from None
    except _damages() as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{name} is damaged or cut off ({reason}).") from None


def _damages() -> tuple[type[Exception], ...]:
    """Return what the zip module raises: a wrong mark, an unknown method, a password, a number out of range."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError
    known = (OSError, EOFError, zlib.error, struct.error, NotImplementedError, RuntimeError, ValueError, LookupError)
    return (*known, _zipfile().BadZipFile, ZstdError)


def _zipfile() -> Any:
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile
    return zipfile
