"""Parquet and Arrow files. A damaged one can end the whole process, so another process tries each file first."""

import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import DataError

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow stream"}
MOST_MEMORY = 16 * 2**30
"""Bytes that a file may expand to while it is tried."""

TRIAL = """
import sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]),) * 2)
except (ImportError, ValueError, OSError):
    pass
import polars
path, kind = sys.argv[1:3]
try:
    with open(path, "rb") as file:
        read = {"Parquet": polars.read_parquet, "Arrow": polars.read_ipc, "Arrow stream": polars.read_ipc_stream}[kind]
        for column in read(file):
            if not column.dtype.is_nested() and not isinstance(column.dtype, (polars.Duration, polars.Object)):
                column.cast(polars.String, strict=False)
except BaseException as error:
    print(str(error).splitlines()[0] if str(error) else type(error).__name__)
    sys.exit(1)
"""


def read_binary(path: Path, name: str, kind: str) -> pl.DataFrame:
    """Read a file that its ending says is `kind`: Parquet or Arrow."""
    with path.open("rb") as file:
        start = file.read(8)
    found = next((title for mark, title in MARKS.items() if start.startswith(mark)), "")
    if found.split(" ")[0] != kind:
        reason: str | None = "it is empty" if not start else f"it starts with {start[:6]!r}"
    else:
        status = path.stat()
        reason = _trial(str(path.resolve()), found, status.st_mtime_ns, status.st_size)
    if reason is None:
        try:
            with path.open("rb") as file:  # a path would be taken for a glob
                return _read(file, found)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).splitlines()[0]
    raise DataError(f"{name} is not a readable {kind} file ({reason}).")


def _read(file: Any, kind: str) -> pl.DataFrame:
    if kind == "Parquet":
        return pl.read_parquet(file)
    return pl.read_ipc(file) if kind == "Arrow" else pl.read_ipc_stream(file)


@lru_cache(maxsize=64)
def _trial(path: str, kind: str, changed: int, size: int) -> str | None:
    """Read the file in a process of its own; return why it cannot be read, or None."""
    command = [sys.executable, "-c", TRIAL, path, kind, str(MOST_MEMORY)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError:  # no other process can be started here
        return None
    if done.returncode == 0:
        return None
    return done.stdout.strip() or "it is damaged"
