"""Processes that answer one short call after another, so that no file and no number is looked at in the server itself.

What a helper process may use is bounded: memory by the system, processor time by whoever waits. One that dies or
takes too long is replaced, and the caller gets a sentence.
"""

import os
import select
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from howsure._files import is_full
from howsure._isolation import start_isolated
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.web.folder import FULL, FullDiskError, empty, scratch

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
    """A process of our own at the other end of a pipe: an isolated interpreter that calls one function.

    Parameters
    ----------
    address : str
        The function, as "module:name". Its first argument is its end of the pipe.
    *arguments
        What else the function is called with.
    """

    def __init__(self, address: str, *arguments: Any) -> None:
        self.here, there = Pipe()
        with there:
            self.process = start_isolated(
                f"from howsure.web.helper_processes import begin\nbegin({there.fileno()})",
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is for the server, which ends its children
                # Processes are the parallelism, and libraries read this when they are imported.
                env={"OPENBLAS_NUM_THREADS": "1"} | os.environ | {"HOWSURE_PLUGINS": "off"},
            )
        self.killed = False
        with suppress(OSError):  # one that dies at once is not alive, which whoever asks it next sees
            self.here.send((address, arguments))

    @property
    def alive(self) -> bool:
        """Whether it still runs; one that was killed does not, however long the system takes to end it."""
        return not self.killed and self.process.poll() is None

    @property
    def megabytes(self) -> float:
        """How much memory it holds."""
        return resident(self.process.pid)

    @property
    def seconds(self) -> float:
        """How much processor time it has used."""
        return used(self.process.pid)

    def kill(self) -> None:
        """End it."""
        self.killed = True
        self.process.kill()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=5)


def begin(descriptor: int) -> None:
    """In a child: call the function that the server names, and end when the server does, however that happens."""
    connection = Connection(descriptor)

    def watch() -> None:
        hung_up = select.poll()
        hung_up.register(connection.fileno(), 0)  # nothing but that the other end is closed
        hung_up.poll()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    address, arguments = connection.recv()
    resolve_name(address)(connection, *arguments)


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
                by_system = self.megabytes if self.by_system else 0.0
                self._child = Child(f"{__name__}:work", self.address, self.folder, by_system)
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
        if kind == "full":
            raise FullDiskError(answer)
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
    except MemoryError:
        return "data", TOO_MUCH
    except Exception as error:
        if is_full(error):
            return "full", FULL
        if isinstance(error, HowsureError):
            return "usage" if isinstance(error, ArgumentError) else "data", str(error)
        # The server says what it can without giving anything away.
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
    """Keep this process to itself: an empty folder and bounded memory.

    Names that a visitor sends may be taken for files by the readers; in an empty folder they name nothing. Temporary
    files are in the folder of the server, which deletes what a process that is killed leaves there.
    """
    import resource

    os.nice(5)  # pages before answers
    for place in (empty(root), scratch(root)):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.chdir(empty(root))
    tempfile.tempdir = str(scratch(root))
    if megabytes:
        limit = int(megabytes * 1e6) + 2 * 2**30  # addresses, many of which are never touched
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
