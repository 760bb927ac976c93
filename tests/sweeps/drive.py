"""A driver in a process of its own, for tests that end it."""

import os
from concurrent.futures import ThreadPoolExecutor

from howsure.sweeps import run
from tests.sweeps.tasks import GRID, draw

SEED = 2026


def drive(store, n_threads, seconds, told):
    """Run the study; tell before the store is opened, and then whenever cells have been recorded."""
    os.environ["CELL_SECONDS"] = str(seconds)

    def tell(what=None):
        told.send(None)

    tell()
    if n_threads == 1:
        run(draw, GRID, store=store, rng=SEED, progress=tell)
    else:
        with ThreadPoolExecutor(n_threads) as executor:
            run(draw, GRID, store=store, rng=SEED, executor=executor, progress=tell)
