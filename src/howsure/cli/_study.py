"""What the commands that run studies share: where to compute, where to remember, and the progress bar."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from howsure._isolation import isolate_multiprocessing

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from howsure.sweeps import Counts, Grid, Sweep, Task


FINISHED_WITH_FAILURES = 3


def run_study(
    task: "Task",
    grid: "Grid",
    *,
    store: Path | None = None,
    workers: int | None = None,
    dask: str | None = None,
    rng: int | None = None,
    retry: bool = False,
    threads: int | None = None,
) -> "Sweep":
    """Run a study where the options say, with a progress bar; Ctrl-C says what was kept and exits with 130.

    Without `workers` and `dask`, cells are computed here: on `threads`, which a cell may use by itself, or one after
    the other.
    """
    from concurrent.futures import BrokenExecutor

    from howsure.errors import DataError
    from howsure.sweeps import run

    if threads is not None and task.threaded:
        task, threads = task.on(threads), None
    is_new = store is not None and not store.exists()
    try:
        with executor(workers, dask, threads) as pool, _bar() as progress:
            return run(task, grid, store=store, executor=pool, rng=rng, retry=retry, progress=progress)
    except KeyboardInterrupt:
        kept = _kept(task, store)
        if store is not None and is_new and _is_empty(store):
            store.unlink(missing_ok=True)
            kept = "no grid point was finished, so nothing is kept"
        click.echo(f"howsure: interrupted: {kept}", err=True)
        sys.exit(130)
    except DataError as error:
        if isinstance(error.__cause__, BrokenExecutor):
            raise DataError(
                f"{error} If a grid point kills its worker each time, use --dask local: it ends as a failed grid point."
            ) from None
        raise


def _kept(task: "Task", store: Path | None) -> str:
    from howsure.documents.numbers import counted
    from howsure.errors import DataError
    from howsure.sweeps import Counts, Store

    if store is None:
        return "nothing is kept without --store"
    try:
        done = Store(store).counts().get((task.name, task.version), Counts()).done
    except DataError:  # the interrupt came before the store was made
        done = 0
    kept = f"{counted(done, 'finished grid point')} {'is' if done == 1 else 'are'}"
    return f"{kept} in {store}; the same command continues from there"


def _is_empty(store: Path) -> bool:
    """Return whether a store is not there, or holds neither a result nor a failure."""
    from howsure.errors import DataError
    from howsure.sweeps import Store

    try:
        return not any(counts.done or counts.failed for counts in Store(store).counts().values())
    except DataError:
        return True


@contextmanager
def executor(workers: int | None, dask: str | None, threads: int | None = None) -> Iterator["Executor | None"]:
    """Open the executor that the options ask for; None computes here, one cell after the other."""
    if dask is not None or workers is not None:
        isolate_multiprocessing()
    if dask is not None:
        with _dask(dask, workers) as pool:
            yield pool
    elif workers is not None:
        with _processes(workers) as pool:
            yield pool
    elif threads is not None:
        from concurrent.futures import ThreadPoolExecutor

        threaded = ThreadPoolExecutor(threads)
        try:
            yield threaded
        finally:  # whatever ends the run ends the command: a cell that takes long must not keep it waiting
            threaded.shutdown(wait=False, cancel_futures=True)
    else:
        yield None


@contextmanager
def _processes(workers: int) -> Iterator["Executor"]:
    import multiprocessing
    import threading
    from concurrent.futures import InvalidStateError, ProcessPoolExecutor

    before, hook = set(multiprocessing.active_children()), threading.excepthook

    def excepthook(failure: threading.ExceptHookArgs) -> None:
        """Leave out what a pool's thread raises after Ctrl-C, when the future of a dead worker is cancelled already."""
        if not issubclass(failure.exc_type, InvalidStateError):
            hook(failure)

    threading.excepthook = excepthook
    # "spawn" works alike on every system, and a worker inherits neither threads nor the open store.
    pool = ProcessPoolExecutor(workers, DeafContext(), initializer=_follow_driver)
    try:
        yield pool
    except BaseException:
        # The driver stops now, so a cell that takes an hour must not keep it waiting.
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        pool.shutdown()  # the dead workers end it soon; it gives back its semaphores, of which Python warns otherwise
        raise
    pool.shutdown()
    threading.excepthook = hook  # after Ctrl-C the thread of the pool may outlive it, so the other one stays


def _follow_driver() -> None:
    """In a worker process: leave Ctrl-C to the driver, and end when the driver does, however that happens."""
    import multiprocessing
    import os
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is None:
        return

    def watch() -> None:
        driver.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _dask(address: str, workers: int | None) -> Iterator["Executor"]:
    import logging

    from howsure._random import n_workers
    from howsure.errors import ArgumentError, DataError, needs_extra

    try:
        import dask
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise needs_extra("`--dask`", "dask") from None
    if address != "local" and workers is not None:
        raise ArgumentError("`--workers` does not apply to a running Dask cluster, which has its own workers; omit it.")
    # What Dask has to say about a lost worker or scheduler ends up in rows and messages.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        if address == "local":
            options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
            # A cell that waits on a worker would share the blame for its death: give it one cell at a time.
            alone = dask.config.set({"distributed.scheduler.worker-saturation": 1.0})
            with alone, deaf_to_interrupts():
                cluster: Any = LocalCluster(n_workers=n_workers(workers), **options)  # type: ignore[no-untyped-call]
            target = stack.enter_context(cluster)
            stack.callback(_await_restarts, cluster)
        else:
            target = address
        try:
            client: Any = stack.enter_context(Client(target, timeout="10s"))  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise DataError(f"No Dask scheduler answers at {address} ({error}).") from None
        if not client.scheduler_info(n_workers=-1)["workers"]:
            click.echo(f"howsure: the cluster at {address} has no workers yet; waiting for them", err=True)
        # pure=False: cells are distinct, so Dask need not find out by hashing their arguments.
        yield client.get_executor(pure=False)


def _await_restarts(cluster: Any) -> None:
    """Wait until workers that died are up again: one that is closed while it starts prints a traceback on stderr."""
    from time import monotonic, sleep

    def running(nanny: Any) -> bool:
        # The scheduler hears first of a death, and of a new worker before that is ready.
        up = nanny.process is not None and nanny.process.status.name == "running"
        return up and nanny.worker_address in cluster.scheduler.workers

    latest = monotonic() + 10
    while not all(map(running, cluster.workers.values())) and monotonic() < latest:
        sleep(0.02)


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Start processes that leave Ctrl-C to the driver, which hears it afterwards.

    Processes and threads inherit the signals that their parent holds back; one that was held back comes when it is let
    through. Where there are no such masks (Windows), Ctrl-C is ignored meanwhile.
    """
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _bar() -> Iterator[Callable[["Counts"], None]]:
    """Draw done, failed, rate and time left on stderr, where that is a terminal."""
    from howsure.cli._progress import Bar

    bar, begun = Bar("grid points"), False

    def show(counts: "Counts") -> None:
        nonlocal begun
        finished = counts.done + counts.failed
        if not begun:
            bar.begin(finished)
            begun = True
        # A cell may take minutes, so the rate is that of the whole run and not of the last seconds.
        rate = bar.rate(finished + counts.begun)
        failed = f"{counts.failed:,} failed, " if counts.failed else ""
        said = f"  {finished:,} of {counts.total:,}, {failed}{rate:,.{0 if rate >= 10 else 2}f} per second"
        bar.show(finished + counts.begun, counts.total, said)

    try:
        yield show
    finally:
        bar.close()


class DeafProcess(SpawnProcess):
    """A worker that leaves Ctrl-C to the driver from its first moment on; workers find this class by its address."""

    def start(self) -> None:
        """Start, with interrupts held back."""
        with deaf_to_interrupts():
            super().start()


class DeafContext(SpawnContext):
    """Makes such workers."""

    Process = DeafProcess
