"""The table of readers: which formats are known, and which of them a file is."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from howsure import _offers
from howsure.errors import DataError
from howsure.io.readers import (
    alpaca_eval,
    argilla,
    deepeval,
    helm,
    inspect_ai,
    label_studio,
    lewidi,
    lm_eval,
    mqm,
    mturk,
    nlpstattest,
    openai_evals,
    prodigy,
    promptfoo,
    vet,
)
from howsure.io.readers.base import Glance, Header, Reader, Rows
from howsure.io.sheets import no_file

READERS: tuple[Reader, ...] = (
    inspect_ai.READER,
    lm_eval.READER,
    helm.READER,
    promptfoo.READER,
    deepeval.READER,
    openai_evals.READER,
    alpaca_eval.READER,
    label_studio.READER,
    argilla.READER,
    prodigy.READER,
    mturk.READER,
    lewidi.READER,
    mqm.READER,
    nlpstattest.READER,
    vet.READER,
)
"""Every format, in the order in which they are tried."""


def recognise(path: str | Path) -> tuple[Reader, Glance] | None:
    """Return the reader that knows a file or folder by its content, and its first look at it; None if none does."""
    place = Path(path)
    if not place.exists():
        raise no_file(path)
    glance = Glance(place)
    with legible(glance, "a log"):
        if not (glance.is_folder or place.is_file()):
            return None
        for reader in (*READERS, *_offers.offered(_offers.READERS).values()):
            if reader.recognises(glance):
                return reader, glance
    return None


def rows_of(reader: Reader, glance: Glance, header: Header) -> Rows:
    """Yield a file's rows; whatever a damaged file makes a reader stumble over becomes one line."""
    with legible(glance, reader.title):
        yield from reader.rows(glance, header)


@contextmanager
def legible(glance: Glance, title: str) -> Iterator[None]:
    """Turn what a reader stumbles over into one line that names the file."""
    try:
        yield
    except DataError:
        raise
    except UnicodeDecodeError as error:
        raise DataError(f"{glance.name} is not UTF-8 text: byte {error.start} cannot be read.") from None
    except OSError as error:
        raise DataError(f"{glance.name} cannot be read: {error.strerror or error}.") from None
    except KeyError as error:
        raise DataError(f"{glance.name} is not {title} as expected: {error.args[0]!r} is missing.") from None
    except Exception as error:  # a file may break any assumption; the user gets the place, not our stack
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{glance.name} is not {title} as expected: {reason}.") from None
