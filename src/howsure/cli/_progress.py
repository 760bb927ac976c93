"""A progress bar on stderr, for work that takes more than a second while somebody is looking."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0
"""Seconds of silence before a bar appears."""
PAUSE = 0.1
"""Seconds between two drawings of a bar."""
WIDTH = 30


def is_watched() -> bool:
    """Whether stderr is a terminal on which a line can be drawn again."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class Bar:
    """One line on stderr that is drawn again and again, and is gone at the end; nothing where nobody is looking."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._begun, self._first, self._drawn = time.monotonic(), 0.0, -1.0
        self._watched = is_watched()

    def begin(self, done: float) -> None:
        """Count from here: what is done already says nothing about the time that is left."""
        self._begun, self._first = time.monotonic(), done

    def rate(self, done: float) -> float:
        """Return how much is done in a second."""
        return (done - self._first) / max(time.monotonic() - self._begun, 1e-9)

    def show(self, done: float, total: int, said: str = "") -> None:
        """Draw how much is done, and how long the rest will take."""
        now = time.monotonic()
        if not self._watched or (done < total and now - self._drawn < PAUSE):
            return
        self._drawn = now
        share = min(1.0, done / max(total, 1))
        filled = "=" * round(WIDTH * share)
        rate = self.rate(done)
        left = f"  {_clock((total - done) / rate)} left" if rate > 0 and done < total else ""
        line = f"{self._label} [{filled:<{WIDTH}}] {100 * share:3.0f}%{said}{left}"
        self._write(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K")

    def close(self) -> None:
        """Take the line away."""
        if self._drawn >= 0:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how much more is done; the bar shows only if the work lasts."""
    bar, lock = Bar(label), threading.Lock()
    started, done = time.monotonic(), 0

    def advance(amount: int) -> None:
        nonlocal done
        with lock:
            done += amount
            if time.monotonic() - started > PATIENCE:
                bar.show(done, total)

    try:
        yield advance
    finally:
        bar.close()


def _clock(seconds: float) -> str:
    """Return "0:05", "12:30" or "3:00:00"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
