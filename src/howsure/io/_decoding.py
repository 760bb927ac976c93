"""What is text and what is not: the same refusals for every text file, and small files read whole."""

import codecs
import stat
from pathlib import Path

from howsure.errors import ArgumentError, DataError, MissingFileError

CHUNK = 2**20
LARGEST_WHOLE = 2**31
"""Bytes of a file that is read whole; a pipe without end is refused once it has sent as many."""


def refuse_binary(chunk: bytes, position: int, name: str, decoder: codecs.IncrementalDecoder) -> None:
    """Refuse a part of a file that is not UTF-8 text; the decoder remembers a character that the parts cut."""
    if position == 0 and chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{name} is UTF-16 text; save it as UTF-8, or say so with `encoding='utf-16'`.")
    if (zero := chunk.find(b"\0")) >= 0:
        raise DataError(f"{name} is a binary file (NUL at byte {position + zero}), not text.")
    pending = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        where = position - pending + error.start
        raise DataError(
            f"{name} is not UTF-8 text: byte {where} is 0x{error.object[error.start]:02x}. Save it as UTF-8, or name "
            "its encoding: `encoding='cp1252'` for most files that Windows wrote."
        ) from None


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know."""
    try:
        "a".encode(encoding)
    except (LookupError, UnicodeError, TypeError, ValueError):
        raise ArgumentError(f"`encoding` must be one that Python knows, such as cp1252; got {encoding!r}.") from None


def read_whole(path: Path, *, encoding: str | None = None) -> str:
    """Return a text file as one string, read once, so that a pipe serves as well as a file.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        UTF-8 if left out, with or without a mark at the beginning.
    """
    if encoding is not None:
        check_encoding(encoding)
    decoder = codecs.getincrementaldecoder("utf-8")()
    parts, size = [], 0
    try:
        if stat.S_ISCHR(path.stat().st_mode):
            raise DataError(f"{path} is a device and not a file; name a file.")
        with path.open("rb") as file:
            while part := file.read(CHUNK):
                if encoding is None:
                    refuse_binary(part, size, str(path), decoder)
                parts.append(part)
                size += len(part)
                if size > LARGEST_WHOLE:
                    raise DataError(f"{path} is larger than {LARGEST_WHOLE // 2**30} GB.")
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; name one file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        return b"".join(parts).decode(encoding or "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not {encoding or 'UTF-8'} text: {error.reason} at byte {error.start}.") from None
