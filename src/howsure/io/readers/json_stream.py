"""JSON texts of any size, one value at a time, in a window that grows only as far as one value needs."""

import codecs
import json
from collections.abc import Iterator
from typing import IO, Any

from howsure.errors import DataError
from howsure.io._records import whole_number

CHUNK = 2**18
LARGEST_VALUE = 64 * 2**20
"""Characters of one value (a sample, a header) that are taken into memory at once."""

SPACE = " \t\n\r"

DECODER = json.JSONDecoder(parse_constant=str, parse_int=whole_number)


class JsonCursor:
    """Walks through a JSON text: `peek` at the next value, take it, or step into it.

    Parameters
    ----------
    file : file of bytes
    name : str
        What messages call the file.

    Examples
    --------
    >>> import io
    >>> cursor = JsonCursor(io.BytesIO(b'{"model": "m", "samples": [1, 2]}'), "log.json")
    >>> for key in cursor.members():
    ...     print(key, [cursor.value() for _ in cursor.elements()] if cursor.peek() == "[" else cursor.value())
    model m
    samples [1, 2]
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.name = name
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    @property
    def position(self) -> int:
        """How many characters have been passed."""
        return self._before + self._at

    def peek(self) -> str:
        """Return the first character of what comes next; nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def value(self) -> Any:
        """Take the next value."""
        if not self.peek():
            raise self.damage("it ends in the middle of a value")
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not (self._cut(error) and self._more()):
                    reason = "it ends in the middle of a value" if self._cut(error) else error.msg
                    raise self.damage(reason, error.pos - self._at) from None
            except RecursionError:
                raise self.damage("it is nested too deep") from None
            else:
                if end < len(self._text) or not self._more():  # a number may go on in what is not yet read
                    self._at = end
                    return value

    def members(self) -> Iterator[str]:
        """Step into an object: yield each key; the caller takes its value."""
        self._expect("{")
        first = True
        while (mark := self.peek()) != "}":
            if not first:
                self._expect(",")
                mark = self.peek()
            if mark != '"':
                raise self.damage("a key in quotes is expected")
            key = self.value()
            self._expect(":")
            yield key
            first = False
        self._at += 1

    def elements(self) -> Iterator[int]:
        """Step into an array: yield the number of each element from 0; the caller takes the element."""
        self._expect("[")
        number = 0
        while self.peek() != "]":
            if number:
                self._expect(",")
            yield number
            number += 1
        self._at += 1

    def damage(self, reason: str, offset: int = 0) -> DataError:
        """Return the error that names the place."""
        return DataError(f"{self.name} is not JSON at character {self.position + offset + 1:,}: {reason}.")

    def _expect(self, mark: str) -> None:
        found = self.peek()
        if found != mark:
            raise self.damage(f"{mark!r} is expected, not {found!r}" if found else "it ends too early")
        self._at += 1

    def _cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the value only seems wrong because the window ends within it."""
        return error.msg.startswith("Unterminated") or error.pos > len(self._text) - 16

    def _more(self) -> bool:
        """Read on; twice as much as is waiting, so that a long value is not tried too often."""
        if self._ended:
            return False
        waiting = len(self._text) - self._at
        if waiting > LARGEST_VALUE:
            raise self.damage(f"one value is longer than {LARGEST_VALUE // 2**20} MB")
        try:
            chunk = self._file.read(max(CHUNK, waiting))
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            raise DataError(f"{self.name} is not UTF-8 text after character {self.position + waiting:,}.") from None
        self._ended = not chunk
        if text:
            self._text = self._text[self._at :] + text
            self._before += self._at
            self._at = 0
        return bool(text) or (not self._ended and self._more())
