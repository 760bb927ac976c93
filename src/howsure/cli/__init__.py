"""The command line: one file per command, each parses, calls the library and renders."""

import gc
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


def leave() -> None:
    """End now: a thread that computes, or compiles a kernel, would be waited for otherwise."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


__all__ = ["main"]
