"""The table of readers: which formats are known, and which of them a file is."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from howsure import _offers
from howsure.errors import DataError, MissingFileError
from howsure.io.readers import (
    alpaca_eval,
    arena,
    argilla,
    bfcl,
    crowdflower,
    deepeval,
    doccano,
    evalplus,
    every_eval_ever,
    helm,
    human_eval,
    inspect_ai,
    label_studio,
    lewidi,
    lm_eval,
    mlflow,
    mqm,
    mt_bench,
    mturk,
    nlpstattest,
    openai_evals,
    opencompass,
    pandalm,
    prodigy,
    promptfoo,
    qualtrics,
    ragas,
    swe_bench,
    tau_bench,
    terminal_bench,
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
    arena.READER,
    bfcl.READER,
    crowdflower.READER,
    doccano.READER,
    evalplus.READER,
    every_eval_ever.READER,
    human_eval.READER,
    mlflow.READER,
    mt_bench.READER,
    opencompass.READER,
    pandalm.READER,
    qualtrics.READER,
    ragas.READER,
    swe_bench.READER,
    tau_bench.READER,
    terminal_bench.READER,
)
"""Every format, in the order in which they are tried."""


def recognise(path: str | Path) -> tuple[Reader, Glance] | None:
    """Return the reader that knows a file by its content, and its first look at it; None if none does.

    A file is looked at once, until it changes.
    """
    glance = Glance.of(path)
    with legible(glance, "a log"):
        if not glance.file.exists():
            raise no_file(path)
        if not glance.file.is_file():
            return None
        status = glance.file.stat()
    reader = _reader(glance, status.st_mtime_ns, status.st_size)
    return None if reader is None else (reader, glance)


@lru_cache(maxsize=10_000)
def _reader(glance: Glance, changed: int, size: int) -> Reader | None:
    with legible(glance, "a log"):
        offered: list[Reader] = list(_offers.offered(_offers.READERS).values())
        for reader in (*READERS, *offered):
            if glance.kind in reader.kinds and reader.recognises(glance):
                return reader
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
    except (DataError, MissingFileError):
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
