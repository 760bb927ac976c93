"""A progress bar on stderr, for work that takes more than a second while somebody is looking."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

PATIENCE = 1.0
"""Seconds of silence before a bar appears."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how much more is done; the bar shows only if the work lasts."""
    started = time.monotonic()
    lock = threading.Lock()
    done = 0
    show: Callable[[int], None] | None = None
    with ExitStack() as stack:

        def advance(amount: int) -> None:
            nonlocal done, show
            with lock:
                done += amount
                if show is None and time.monotonic() - started > PATIENCE:
                    show = _bar(stack, label, total)
                if show is not None:
                    show(done)

        yield advance


def _bar(stack: ExitStack, label: str, total: int) -> Callable[[int], None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    console = Console(stderr=True)
    bar = stack.enter_context(
        Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal)
    )
    task = bar.add_task(label, total=total)
    return lambda done: bar.update(task, completed=done)
