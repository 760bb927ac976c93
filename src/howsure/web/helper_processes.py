"""Processes that answer one short call after another, so that no file and no number is looked at in the server itself.

What a helper process may use is bounded: memory by the system, processor time by whoever waits. One that dies or
takes too long is replaced, and the caller gets a sentence.
"""

import multiprocessing
import os
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.web.folder import empty, scratch

T = TypeVar("T")
PAUSE = 0.05
PATIENCE = 6
"""How many times its processor seconds a call may last: the machine may be busy, but no visitor waits forever."""
TOO_MUCH = "this needs more memory than the server allows."


@cache
def _few() -> CapacityLimiter:
    return CapacityLimiter(8)


async def apart(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function that waits for a helper process, in one of a few threads of its own: pages have theirs."""
    return await to_thread.run_sync(lambda: function(*arguments), limiter=_few())


class Child:
    """A process of our own at the other end of a pipe.

    It is a copy of one that has imported what most of them need and does nothing else: it starts at once.
    """

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["howsure.web.preloaded"])
        self.here, there = context.Pipe()
        self.process = context.Process(target=target, args=(there, *arguments), daemon=True)
        self.process.start()
        self.killed = False
        there.close()

    @property
    def alive(self) -> bool:
        """Whether it still runs; one that was killed does not, however long the system takes to end it."""
        return not self.killed and self.process.is_alive()

    @property
    def megabytes(self) -> float:
        """How much memory it holds."""
        return resident(self.process.pid or 0)

    @property
    def seconds(self) -> float:
        """How much processor time it has used."""
        return used(self.process.pid or 0)

    def kill(self) -> None:
        """End it."""
        self.killed = True
        self.process.kill()
        self.process.join(timeout=5)


class HelperProcess:
    """A process that calls one function; started when it is first asked.

    Parameters
    ----------
    address : str
        The function, as "module:name".
    folder : Path
        The folder of the server.
    seconds : float
        How much processor time a call may take.
    megabytes : float
        How much memory the process may hold.
    by_system : bool
        Whether the system refuses more, and not only whoever waits. It counts addresses, of which the engine that
        draws charts sets many aside.
    """

    def __init__(self, address: str, folder: Path, *, seconds: float, megabytes: float, by_system: bool = True) -> None:
        self.address, self.folder = address, folder
        self.seconds, self.megabytes, self.by_system = seconds, megabytes, by_system
        self._lock = threading.Lock()
        self._child: Child | None = None

    def ask(self, *arguments: Any) -> Any:
        """Return what the function returns; our own errors are raised again, others with a sentence."""
        with self._lock:
            if self._child is None or not self._child.alive:
                self._child = Child(work, self.address, self.folder, self.megabytes if self.by_system else 0.0)
            try:
                self._child.here.send(arguments)
                self._wait(self._child)
                kind, answer = self._child.here.recv()
            except (OSError, EOFError):
                self.stop()
                raise DataError(TOO_MUCH) from None
        if kind == "usage":
            raise ArgumentError(answer)
        if kind == "data":
            raise DataError(answer)
        return answer

    def _wait(self, child: Child) -> None:
        most, until = child.seconds + self.seconds, time.monotonic() + PATIENCE * self.seconds
        while not child.here.poll(PAUSE):
            if child.megabytes > self.megabytes:
                self.stop()
                raise DataError(TOO_MUCH)
            if child.seconds > most or time.monotonic() > until:
                self.stop()
                raise DataError(f"this takes longer than the {self.seconds:g} seconds that the server allows.")

    def stop(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child = None


def work(connection: Any, address: str, folder: Path, megabytes: float) -> None:
    """Call the function until the other side closes."""
    import warnings

    enclosed(folder, megabytes)
    warnings.simplefilter("ignore")
    function = resolve_name(address)
    while True:
        try:
            arguments = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_called(function, arguments))


def _called(function: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "answer", function(*arguments)
    except ArgumentError as error:
        return "usage", str(error)
    except HowsureError as error:
        return "data", str(error)
    except MemoryError:
        return "data", TOO_MUCH
    except Exception as error:  # the server says what it can without giving anything away
        return "data", f"an internal error of howsure ({type(error).__name__})."


def resident(pid: int) -> float:
    """Return how many megabytes a process holds; 0 where that cannot be known."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def used(pid: int) -> float:
    """Return how many seconds of processor time a process has used; 0 where that cannot be known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def enclosed(root: Path, megabytes: float = 0.0) -> None:
    """Keep this process to itself: an empty folder, no plug-ins, one thread for matrices, bounded memory.

    Names that a visitor sends may be taken for files by the readers; in an empty folder they name nothing. Temporary
    files are in the folder of the server, which deletes what a process that is killed leaves there.
    """
    import resource
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes are the parallelism; before NumPy is imported
    os.environ["HOWSURE_PLUGINS"] = "off"
    os.nice(5)  # pages before answers
    for place in (empty(root), scratch(root)):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.chdir(empty(root))
    tempfile.tempdir = str(scratch(root))
    if megabytes:
        limit = int(megabytes * 1e6) + 2 * 2**30  # addresses, many of which are never touched
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
