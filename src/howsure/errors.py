"""Every exception and warning of the package.

Each exception also inherits the built-in that people expect, so `except ValueError` works. The command line turns
`ArgumentError` into exit code 2 (usage) and every other `HowsureError` into exit code 1 (data).
"""

import re

LONGEST = 1000
"""The most characters of a message: about ten lines of a terminal."""
LONG_WORD = re.compile(r"\S{160,}")
WORD_SHOWN = 60
"""How many characters are shown of both ends of a long word: of a path, the folder and the file's name."""


def in_one_line(message: str) -> str:
    """Return a message as people see it: line breaks as spaces, and what is too long cut in the middle.

    Messages repeat what was typed or read, and a column may be called by 100,000 letters.

    Examples
    --------
    >>> len(in_one_line(f"no source is called {'x' * 100_000!r}; the table has a, b."))
    161
    """
    return cut(" ".join(message.splitlines()))


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a text; one of more than `longest` letters without the middle of its long words, and of itself if need be.

    Examples
    --------
    >>> cut("a b c", 4), cut("a b c", 5)
    ('a … c', 'a b c')
    """
    if len(text) > longest:
        text = LONG_WORD.sub(lambda word: f"{word[0][:WORD_SHOWN]}…{word[0][-WORD_SHOWN:]}", text)
    if len(text) > longest:  # the start says what happened, and the end what to do
        text = f"{text[: longest * 2 // 3].rstrip()} … {text[-(longest // 3) :].lstrip()}"
    return text


class HowsureError(Exception):
    """Base of everything this package raises on purpose; its message is one line, whatever the data contain."""

    def __str__(self) -> str:
        """Return the message as people see it."""
        return in_one_line(super().__str__())


class ArgumentError(HowsureError, ValueError):
    """An argument that cannot be meant: out of range, unknown, or in a combination that has no meaning."""


class DataError(HowsureError, ValueError):
    """Data that cannot be used as asked; the message names the place and the remedy."""


class MissingFileError(DataError, FileNotFoundError):
    """A file that is not there."""


class HowsureWarning(UserWarning):
    """A result that holds only with a reservation; the same text is in the result's notes."""


def needs_extra(what: str, extra: str) -> ArgumentError:
    """Return the error that something needs an optional part, and how it is installed.

    The package is on no index yet, so that only a clone can install it.

    Examples
    --------
    >>> str(needs_extra("a chart", "charts"))
    "a chart needs the extra charts. In a clone of howsure: pip install '.[charts]'."
    """
    return ArgumentError(f"{what} needs the extra {extra}. In a clone of howsure: pip install '.[{extra}]'.")
