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

MARKS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow stream"}
READ: dict[str, Callable[[Any], pl.DataFrame]] = {
    "Parquet": pl.read_parquet,
    "Arrow": pl.read_ipc,
    "Arrow stream": pl.read_ipc_stream,
}
MOST_MEMORY = 16 * 2**30
"""Bytes that a file may expand to while it is tried."""

TRIAL = """
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
except (ImportError, ValueError, OSError):
    pass
import polars
READ = {"Parquet": polars.read_parquet, "Arrow": polars.read_ipc, "Arrow stream": polars.read_ipc_stream}
for line in iter(sys.stdin.readline, ""):
    path, kind = json.loads(line)
    reason = None
    try:
        with open(path, "rb") as file:
            for column in READ[kind](file):
                if not column.dtype.is_nested() and not isinstance(column.dtype, (polars.Duration, polars.Object)):
                    column.cast(polars.String, strict=False)
    except BaseException as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    print(json.dumps([reason]), flush=True)
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
                return READ[found](file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).splitlines()[0]
    raise DataError(f"{name} is not a readable {kind} file ({reason}).")


class _Trials:
    """Another process that tries files, one after the other, until it dies of one or this process ends."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()

    def reason(self, path: str, kind: str) -> str | None:
        """Return why a file cannot be read, or None."""
        with self.lock:
            try:
                answer = self._asked(json.dumps([path, kind]))
            except OSError:  # no other process can be started here
                return None
            if not answer:
                self.end()
                return "it is damaged"
            found: str | None = json.loads(answer)[0]
            return found

    def _asked(self, question: str) -> str:
        if self.process is not None and self.process.poll() is not None:  # somebody ended it
            self.end()
        if self.process is None:
            atexit.register(self.end)
            self.process = start_isolated(
                TRIAL,
                str(MOST_MEMORY),
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
def _trial(path: str, kind: str, changed: int, size: int) -> str | None:
    """Read the file in another process; return why it cannot be read, or None."""
    return _TRIALS.reason(path, kind)
