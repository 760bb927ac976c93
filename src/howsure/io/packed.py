"""Files behind files: what gzip or zstandard packed, and what standard input sends, as files that can be read twice."""

import atexit
import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

from howsure.errors import DataError, MissingFileError

STANDARD_INPUT = "-"
PACKED = (".gz", ".zst", ".zstd")
CHUNK = 2**20
SMALL = 64 * 2**20
MOST_EXPANSION = 200
"""A file that unpacks to more than `SMALL` bytes and more than this many times its size is refused."""

_allows: ContextVar[Callable[[Path], bool]] = ContextVar("_allows", default=lambda path: True)

_copies: dict[tuple[str, int, int], Path] = {}
_folders: list[Path] = []


@contextmanager
def only_where(allows: Callable[[Path], bool]) -> Iterator[None]:
    """Read files only where a function allows it, until the end of the block; others count as absent."""
    before = _allows.set(allows)
    try:
        yield
    finally:
        _allows.reset(before)


def may_read(path: str | Path) -> bool:
    """Whether a file may be read here: a server of tools reads below its folders only."""
    return _allows.get()(Path(path))


def actual(path: str | Path) -> Path:
    """Return the file to read: itself, or a copy that was unpacked or saved, once for each process.

    A file that may not be read is an error, as one that is not there.

    Examples
    --------
    >>> str(actual("ratings.csv"))
    'ratings.csv'
    """
    if str(path) == STANDARD_INPUT:
        return _copies.get(("-", 0, 0)) or _kept(("-", 0, 0), _save_input(_folder()))
    place = Path(path)
    if not may_read(place):
        raise MissingFileError(f"there is no file {place}.")
    if place.suffix.lower() not in PACKED or not place.is_file():
        return place
    status = place.stat()
    key = str(place.resolve()), status.st_mtime_ns, status.st_size
    return _copies.get(key) or _kept(key, _unpack(place, _folder() / place.stem))


def _kept(key: tuple[str, int, int], copy: Path) -> Path:
    return _copies.setdefault(key, copy)


def plain_path(path: str | Path) -> Path:
    """Return a path without the ending that says how the file is packed: samples.jsonl for samples.jsonl.gz."""
    place = Path(path)
    return place.with_suffix("") if place.suffix.lower() in PACKED else place


def _folder() -> Path:
    if not _folders:
        atexit.register(_remove)
    _folders.append(Path(tempfile.mkdtemp(prefix="howsure-")))
    return _folders[-1]


def _remove() -> None:
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(place: Path, copy: Path) -> Path:
    limit = max(SMALL, MOST_EXPANSION * place.stat().st_size)
    try:
        with _opened(place) as packed, copy.open("wb") as file:
            while chunk := packed.read(CHUNK):
                limit -= len(chunk)
                if limit < 0:
                    raise DataError(f"{place} expands to far more than its size; such files are not opened.")
                file.write(chunk)
    except DataError:
        raise
    except (OSError, EOFError, zlib.error, ValueError, _zstd().ZstdError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{place} cannot be unpacked ({reason}).") from error
    return copy


def _opened(place: Path) -> IO[bytes]:
    return gzip.open(place) if place.suffix.lower() == ".gz" else _zstd().open(place)  # type: ignore[return-value]


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _save_input(folder: Path) -> Path:
    """Save what standard input sends; its first bytes tell which format it is."""
    copy = folder / "input"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, CHUNK)
    with copy.open("rb") as file:
        start = file.read(2**16)
    if not start:
        raise DataError("standard input is empty.")
    return copy.rename(copy.with_suffix(_ending(start)))


def _ending(start: bytes) -> str:
    for mark, ending in ((b"PAR1", ".parquet"), (b"ARROW1", ".arrow"), (b"PK\x03\x04", ".xlsx")):
        if start.startswith(mark):
            return ending
    text = start.decode("utf-8-sig", errors="replace").lstrip()
    line = text.partition("\n")[0].rstrip()
    if text[:1] == "{":
        return ".jsonl" if line.endswith("}") else ".json"
    return ".json" if text[:1] == "[" else ".tsv" if "\t" in line else ".csv"
