"""A real Dask scheduler and real workers, each in a process of its own."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from howsure.errors import DataError
from howsure.sweeps import Counts, Grid, Store, Task, run
from tests.sweeps.tasks import bits, draw

distributed = pytest.importorskip("distributed")

ROOT = Path(__file__).parents[2]
GRID = Grid.product({"i": range(120)})


class Cluster:
    """One scheduler and the workers that were started for it."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.processes = []
        self._start("scheduler", "--port", "0")

    def add_worker(self):
        # --no-nanny: nobody restarts a worker that is killed.
        return self._start("worker", "--nthreads", "1", "--no-nanny")

    def _start(self, *arguments):
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--scheduler-file", self.file]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "CELL_SECONDS": "0.01"}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(command, env=environment, cwd=self.file.parent, **quiet))
        return self.processes[-1]

    def client(self):
        end = time.monotonic() + 30
        while not self.file.exists():
            assert time.monotonic() < end, "the scheduler did not start"
            time.sleep(0.05)
        return distributed.Client(scheduler_file=str(self.file), timeout="30s")

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def inline():
    return bits(run(draw, GRID, rng=3).rows)


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path, cluster, inline):
    doomed, _ = cluster.add_worker(), cluster.add_worker()
    with cluster.client() as client:
        client.wait_for_workers(2, timeout=30)
        seen = []

        def kill_in_the_middle(counts):
            seen.append(counts.done)
            if counts.done >= 30 and doomed.poll() is None:
                doomed.kill()
                doomed.wait()

        executor = client.get_executor(pure=False)
        sweep = run(draw, GRID, store=tmp_path / "study.db", executor=executor, rng=3, progress=kill_in_the_middle)
        assert len(client.scheduler_info()["workers"]) == 1
    assert doomed.returncode == -9
    assert any(30 <= done < len(GRID) for done in seen)
    assert bits(sweep.rows) == inline
    assert bits(Store(tmp_path / "study.db").rows()) == inline


def test_a_lost_cluster_is_one_line_and_the_study_goes_on_elsewhere(tmp_path, cluster, inline):
    cluster.add_worker()
    with cluster.client() as client:
        client.wait_for_workers(1, timeout=30)
        # A worker that lacks the task stops the study; no cell is to blame.
        with pytest.raises(DataError, match="A worker cannot load the task: There is no module `nowhere`"):
            run(Task("nowhere:draw", 1), GRID, executor=client.get_executor(pure=False))

        def kill_the_scheduler(counts):
            if counts.done >= 10:
                cluster.close()

        store = tmp_path / "study.db"
        with pytest.raises(DataError, match=r"The executor broke .*Finished grid points are kept"):
            run(
                draw,
                GRID,
                store=store,
                executor=client.get_executor(pure=False),
                rng=3,
                progress=kill_the_scheduler,
                n_pending=5,
            )
    (counts,) = Store(store).counts().values()
    assert counts.done >= 10
    assert counts == Counts(done=counts.done, missing=len(GRID) - counts.done)
    assert bits(run(draw, GRID, store=store).rows) == inline
