"""Measure what a sweep costs beside the cells themselves; write docs/measured/sweeps.csv.

    python benchmarks/sweeps.py [--cells 100000] [--scaling-cells 100] [--out docs/measured/sweeps.csv]

* overhead: trivial cells, inline and on two processes or two Dask workers, with and without a store. The time of the
  whole run, start of the workers excluded, divided by the number of cells.
* scaling: cells of 0.2 s on one and on two local Dask workers. "waiting" cells sleep and show what Dask's scheduling
  costs; "computing" cells keep a core busy, so their ratio also depends on whether two cores were free.
"""

import argparse
import csv
import itertools
import os
import platform
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from distributed import Client, LocalCluster

from howsure.sweeps import Grid, run, task

ROOT = Path(__file__).parents[1]
SECONDS = 0.2


@task(version=1)
def trivial(cell, rng):
    return {"x": rng.random()}


@task(version=1)
def waiting(cell, rng):
    time.sleep(SECONDS)
    return {"x": rng.random()}


@task(version=1)
def computing(cell, rng):
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        pass
    return {"x": rng.random()}


def seconds_of(study, n_cells, **options):
    grid = Grid.product({"i": range(n_cells)})
    with tempfile.TemporaryDirectory() as folder:
        if options.pop("stored", True):
            options["store"] = Path(folder) / "study.db"
        begin = time.perf_counter()
        sweep = run(study, grid, rng=1, **options)
        seconds = time.perf_counter() - begin
    assert sweep.counts.done == n_cells
    return seconds


def on_dask(study, n_cells, n_workers):
    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.wait_for_workers(n_workers)
        executor = client.get_executor(pure=False)
        seconds_of(study, n_workers, executor=executor)  # workers import their modules
        return seconds_of(study, n_cells, executor=executor)


def overhead(n_cells):
    yield "overhead", "inline, no store", n_cells, seconds_of(trivial, n_cells, stored=False)
    yield "overhead", "inline", n_cells, seconds_of(trivial, n_cells)
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        seconds_of(trivial, 2, executor=executor)
        yield "overhead", "two processes", n_cells, seconds_of(trivial, n_cells, executor=executor)
    few = n_cells // 10
    yield "overhead", "two Dask workers", few, on_dask(trivial, few, 2)


def scaling(n_cells):
    for study in (waiting, computing):
        for n_workers in (1, 2):
            label = f"{study.name.partition(':')[2]}, {n_workers} Dask worker{'s' * (n_workers > 1)}"
            yield "scaling", label, n_cells, on_dask(study, n_cells, n_workers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--scaling-cells", type=int, default=100)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "measured" / "sweeps.csv")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["measure", "run", "n_cells", "seconds", "milliseconds_per_cell", "load"])
        for measure, label, n_cells, seconds in itertools.chain(
            overhead(options.cells), scaling(options.scaling_cells)
        ):
            # The load shows how many other processes wanted the cores; it includes this program's own.
            cost, load = 1000 * seconds / n_cells, os.getloadavg()[0]
            table.writerow([measure, label, n_cells, f"{seconds:.3f}", f"{cost:.3f}", f"{load:.1f}"])
            print(
                f"{measure:9} {label:28} {n_cells:7,} cells {seconds:8.3f} s {cost:8.3f} ms per cell, load {load:.1f}"
            )
    print(f"Python {platform.python_version()}, {len(os.sched_getaffinity(0))} cores")


if __name__ == "__main__":
    main()
