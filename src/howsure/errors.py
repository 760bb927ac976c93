"""Every exception and warning of the package.

Each exception also inherits the built-in that people expect, so `except ValueError` works. The command line turns
`ArgumentError` into exit code 2 (usage) and every other `HowsureError` into exit code 1 (data).
"""


class HowsureError(Exception):
    """Base of everything this package raises on purpose; its message is one line, whatever the data contain."""

    def __str__(self) -> str:
        """Return the message, with the line breaks of labels and file names as spaces."""
        return " ".join(super().__str__().splitlines())


class ArgumentError(HowsureError, ValueError):
    """An argument that cannot be meant: out of range, unknown, or in a combination that has no meaning."""


class DataError(HowsureError, ValueError):
    """Data that cannot be used as asked; the message names the place and the remedy."""


class MissingFileError(DataError, FileNotFoundError):
    """A file that is not there."""


class HowsureWarning(UserWarning):
    """A result that holds only with a reservation; the same text is in the result's notes."""
