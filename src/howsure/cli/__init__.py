"""The command line: one file per command, each parses, calls the library and renders."""

import errno
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130

AGAIN = 0.05
"""Seconds after which an interrupt that could not be raised is raised again."""


def main() -> None:
    """Run the command line. Ctrl-C is one line and exit code 130, during imports and while workers start, too."""
    from howsure._isolation import import_installed_code_only

    import_installed_code_only()
    open_streams()
    heard = []
    others = sys.unraisablehook

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    def ignored(what: "sys.UnraisableHookArgs") -> None:
        # Within a destructor, or a function that a library calls back, an error cannot be raised, and an interrupt
        # would be lost. So it comes again, a moment later.
        if isinstance(what.exc_value, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
        else:
            others(what)

    # Draws have threads of their own; those of linear algebra only wait busily. Worker processes inherit it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(50_000, 20, 20)  # imports make no garbage, so it is looked for seldom
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        if hasattr(signal, "setitimer"):  # not on Windows
            signal.signal(signal.SIGALRM, interrupt)
            sys.unraisablehook = ignored
    try:
        from howsure.cli.app import main as run

        run()
    except SystemExit as error:
        if heard and error.code == INTERRUPTED:
            leave()
        raise
    except BaseException as error:
        # An interrupt within an import may come out as an error of that import.
        if not (heard or isinstance(error, KeyboardInterrupt)):
            raise
        sys.stderr.write("howsure: interrupted: no result is kept; run the command again\n")
        if heard:
            leave()
        sys.exit(INTERRUPTED)


class ClosedOutput(io.TextIOBase):
    """Standard output that the shell closed (`>&-`): an answer that is written to it is lost, and that is an error."""

    encoding = "utf-8"

    @property
    def buffer(self) -> None:
        """Refuse."""
        raise OSError(errno.EBADF, "standard output is closed, so the answer is lost; leave out >&-")

    def write(self, text: str) -> int:
        """Refuse."""
        return self.buffer  # type: ignore[return-value]


def open_streams() -> None:
    """Give closed standard streams a place: Python sets them to None, and the next files would take their numbers."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            place = os.open(os.devnull, os.O_RDWR)
            if place != number:
                os.dup2(place, number)
                os.close(place)
        if getattr(sys, name) is None:
            opened = ClosedOutput() if number == 1 else os.fdopen(number, "r" if number == 0 else "w", closefd=False)
            setattr(sys, name, opened)


def leave() -> None:
    """End now: a thread that computes would be waited for otherwise."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


__all__ = ["main"]
