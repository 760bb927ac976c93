"""Files that the package writes: refused before the work where they cannot be, and written whole or not at all.

A file is written under another name beside its place, flushed to the disk, and renamed. A full disk, an interrupt or a
power cut therefore leaves the old file as it was. A draft that a killed process left is deleted when the same file is
written next. Pipes and devices (`/dev/stdout`) are written directly.
"""

import errno
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path

from howsure.errors import ArgumentError, DataError, MissingFileError

try:
    import fcntl
except ImportError:  # Windows, where drafts of killed processes stay
    fcntl = None  # type: ignore[assignment]

Place = str | os.PathLike[str]
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
OS_ERROR = re.compile(r"\(os error (\d+)\)")
"""How libraries in Rust (Polars) write the number of an error of the system."""

WATCH: ContextVar[Callable[[str, int], AbstractContextManager[Callable[[int], object]]]] = ContextVar(
    "WATCH", default=lambda label, total: nullcontext(lambda amount: None)
)
"""Shows how far the reading of a large file or folder is: a context, from a label and a total, that gives a function to
be told how much more is done. The command line sets it to its bar on stderr."""


def check_outputs(
    outputs: Mapping[str, Place | None],
    *,
    inputs: Iterable[Place] = (),
    endings: Mapping[str, Iterable[str]] | None = None,
    force: bool = False,
) -> None:
    """Refuse, before any work, what cannot or should not be written.

    Parameters
    ----------
    outputs : mapping of str to path or None
        Where each option (`--out`) writes; None writes nothing.
    inputs : iterable of paths
        What is read: never overwritten, whatever is forced. What is no file is passed over.
    endings : mapping of str to endings, optional
        What the file of an option may end in.
    force : bool
        Whether files that exist may be overwritten.

    Examples
    --------
    >>> check_outputs({"--out": "model.txt"}, endings={"--out": [".json"]})
    Traceback (most recent call last):
        ...
    howsure.errors.ArgumentError: `--out` must be a file that ends in .json; got 'model.txt'.
    """
    read = {key for place in inputs if (key := _key(Path(place))) is not None}
    written: dict[Path, str] = {}
    for option, place in outputs.items():
        if place is None:
            continue
        path, known = Path(place), list((endings or {}).get(option, ()))
        if known and path.suffix.lower() not in known:
            raise ArgumentError(f"`{option}` must be a file that ends in {_or(known)}; got {str(place)!r}.")
        _check_place(path)
        real = Path(os.path.realpath(path))
        if real in written:
            raise ArgumentError(f"`{written[real]}` and `{option}` would write the same file, {path}; name two files.")
        written[real] = option
        if _is_special(path):
            continue
        if (key := _key(path)) is not None:
            if key in read:
                raise ArgumentError(f"`{option}` would overwrite {path}, which is read; name another file.")
            if not force:
                raise ArgumentError(f"{path} exists already; name another file, or add `force=True` to overwrite it.")


@contextmanager
def writing(place: Place) -> Iterator[Path]:
    """Yield a path to write to; the file takes its place once it is complete, and not before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with writing(f"{folder}/a.txt") as draft:
    ...         _ = draft.write_text("all of it")
    ...     [path.name for path in Path(folder).iterdir()]
    ['a.txt']
    """
    path = Path(place)
    _check_place(path)
    if _is_special(path):
        with _named(path):
            yield path
        return
    real = Path(os.path.realpath(path))  # a link stays a link to the new file
    with _named(path):
        draft, handle = _new_draft(real, path.suffix)
    try:
        with _named(path):
            yield draft
            with suppress(FileNotFoundError):
                os.chmod(draft, stat.S_IMODE(real.stat().st_mode))
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(draft, real)
            _flush_folder(real.parent)
    finally:
        with suppress(OSError):
            draft.unlink()
        if handle is not None:
            os.close(handle)


def _new_draft(real: Path, suffix: str) -> tuple[Path, int | None]:
    """Make a draft beside a file and lock it; delete drafts of the same file that nobody has locked.

    The system unlocks the draft of a process that is killed, so an unlocked one was left behind.
    """
    begins = f".howsure-{hashlib.sha256(os.fsencode(real.name)).hexdigest()[:12]}-"
    if fcntl is not None:
        for draft in real.parent.glob(f"{begins}*"):
            with suppress(OSError):
                handle = os.open(draft, os.O_WRONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    draft.unlink()
                finally:
                    os.close(handle)
    while True:
        draft = real.with_name(f"{begins}{secrets.token_hex(6)}{suffix}")
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)  # the user's umask applies
        if fcntl is None:
            os.close(handle)
            return draft, None
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if draft.exists():
            return draft, handle
        os.close(handle)  # another process took it for one that was left behind, before it was locked


def write_text(place: Place, text: str) -> None:
    """Write a text file (UTF-8), whole or not at all."""
    with writing(place) as draft:
        draft.write_text(text, encoding="utf-8", newline="")


def _check_place(path: Path) -> None:
    """Refuse a folder, and a file in a folder that is not there or cannot be written."""
    try:
        folder = Path(os.path.realpath(path)).parent
        there, known = folder.is_dir(), _exists(path)
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null byte
        raise DataError(f"{str(path)!r} cannot be written: {_reason(error)}.") from None
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it.")
    if not there:
        raise MissingFileError(f"{path} cannot be written: there is no folder {folder}.")
    if (known and not os.access(path, os.W_OK)) or (not _is_special(path) and not os.access(folder, os.W_OK)):
        raise DataError(f"{path} cannot be written: permission denied.")


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in what the operating system, or a library on its behalf, refuses."""
    try:
        yield
    except (BrokenPipeError, DataError):
        raise
    except Exception as error:
        number = OS_ERROR.search(str(error))
        if number is None and not isinstance(error, OSError):
            raise
        refused = error if number is None else OSError(int(number[1]), os.strerror(int(number[1])))
        raise DataError(f"{path} cannot be written: {_reason(refused)}.") from refused


def is_full(error: BaseException | None) -> bool:
    """Return whether an error, or the one that it was raised from, says that a disk has no room left.

    Examples
    --------
    >>> is_full(OSError(errno.ENOSPC, "No space left on device")), is_full(ValueError())
    (True, False)
    """
    while error is not None:
        if getattr(error, "errno", None) in NO_ROOM or getattr(error, "sqlite_errorname", "") == "SQLITE_FULL":
            return True
        error = error.__cause__
    return False


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).rstrip(".")


def _is_special(path: Path) -> bool:
    """Say whether the path is a pipe or a device, which a rename would replace."""
    return path.exists() and not path.is_file()


def _key(path: Path) -> tuple[int, int] | None:
    """Return what two names of the same file share; None for what is no file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _flush_folder(folder: Path) -> None:
    """Make the new name itself last; not every system can open a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _or(endings: list[str]) -> str:
    return endings[0] if len(endings) == 1 else f"{', '.join(endings[:-1])} or {endings[-1]}"
