"""Parquet and Arrow files. A damaged one can end the whole process, so another process tries each file first."""

import atexit
import json
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from howsure._isolation import start_isolated
from howsure.errors import DataError
from howsure.io import text_files

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow stream"}
READ: dict[str, Callable[[Any], pl.DataFrame]] = {
    "Parquet": pl.read_parquet,
    "Arrow": pl.read_ipc,
    "Arrow stream": pl.read_ipc_stream,
}
ADDRESSES = 16 * 2**30
"""Bytes of addresses that a process which tries files may have; threads reserve many more than they use."""
FIRST = 100_000
"""How many rows show how large the others are."""

TRIAL = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
except (ImportError, ValueError, OSError):
    pass
import polars
READ = {"Parquet": polars.read_parquet, "Arrow": polars.read_ipc, "Arrow stream": polars.read_ipc_stream}
SCAN = {"Parquet": polars.scan_parquet, "Arrow": polars.scan_ipc}
first, per_byte, per_cell = map(int, sys.argv[2:])
for line in iter(sys.stdin.readline, ""):
    path, kind, limit = json.loads(line)
    reason, n_bytes, n_cells = None, 0, 0
    try:
        with open(path, "rb") as file:
            head = READ[kind](file, n_rows=first if kind in SCAN else None)
        n_rows = head.height  # a stream does not say how many it has, so all of it is read
        if kind in SCAN and n_rows == first:
            with open(path, "rb") as file:
                n_rows = SCAN[kind](file).select(polars.len()).collect().item()
        n_bytes, n_cells = head.estimated_size() * n_rows // max(head.height, 1), n_rows * head.width
        del head
        if per_byte * n_bytes + per_cell * n_cells <= limit:
            with open(path, "rb") as file:
                for column in READ[kind](file):
                    if not column.dtype.is_nested() and not isinstance(column.dtype, (polars.Duration, polars.Object)):
                        column.cast(polars.String, strict=False)
    except BaseException as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    print(json.dumps([reason, n_bytes, n_cells]), flush=True)
"""


def read_binary(path: Path, name: str, kind: str) -> pl.DataFrame:
    """Read a file that its ending says is `kind`: Parquet or Arrow. One that takes too much memory is refused."""
    with path.open("rb") as file:
        start = file.read(8)
    found = next((title for mark, title in MARKS.items() if start.startswith(mark)), "")
    if found.split(" ")[0] != kind:
        reason: str | None = "it is empty" if not start else f"it starts with {start[:6]!r}"
    else:
        status = path.stat()
        limit = text_files.MOST_MEMORY
        reason, *sizes = _trial(str(path.resolve()), found, limit, status.st_mtime_ns, status.st_size)
        if reason is None:
            text_files.refuse_too_large(name, *sizes)
    if reason is None:
        try:
            with path.open("rb") as file:  # a path would be taken for a glob
                return READ[found](file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).splitlines()[0]
    raise DataError(f"{name} is not a readable {kind} file ({reason}).")


class _Trials:
    """Another process that tries files, one after the other, until it dies of one or this process ends."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()

    def tried(self, path: str, kind: str, limit: int) -> tuple[str | None, int, int]:
        """Return why a file cannot be read, or None, and about how many bytes and cells it expands to."""
        with self.lock:
            try:
                answer = self._asked(json.dumps([path, kind, limit]))
            except OSError:  # no other process can be started here
                return None, 0, 0
            if not answer:
                self.end()
                return "it is damaged", 0, 0
            reason, n_bytes, n_cells = json.loads(answer)
            return reason, n_bytes, n_cells

    def _asked(self, question: str) -> str:
        if self.process is not None and self.process.poll() is not None:  # somebody ended it
            self.end()
        if self.process is None:
            atexit.register(self.end)
            self.process = start_isolated(
                TRIAL,
                *map(str, (ADDRESSES, FIRST, text_files.PER_BYTE, text_files.PER_CELL)),
                text=True,
                errors="replace",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(question, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            return ""
        return self.process.stdout.readline()

    def end(self) -> None:
        """End the process, if there is one."""
        process, self.process = self.process, None
        atexit.unregister(self.end)
        if process is not None:
            process.kill()
            with suppress(OSError):  # what a broken pipe still holds is of no use
                process.communicate()
            process.wait()


_TRIALS = _Trials()


@lru_cache(maxsize=64)
def _trial(path: str, kind: str, limit: int, changed: int, size: int) -> tuple[str | None, int, int]:
    """Try the file in another process, once as long as it does not change."""
    return _TRIALS.tried(path, kind, limit)
