"""A driver in a process of its own, for tests that end it: `python -m tests.sweeps.drive STORE N_THREADS`."""

import sys
from concurrent.futures import ThreadPoolExecutor

from assay.sweeps import run
from tests.sweeps.tasks import GRID, draw

SEED = 2026

if __name__ == "__main__":
    store, n_threads = sys.argv[1], int(sys.argv[2])
    print("ready", flush=True)
    if n_threads == 1:
        run(draw, GRID, store=store, rng=SEED)
    else:
        with ThreadPoolExecutor(n_threads) as executor:
            run(draw, GRID, store=store, rng=SEED, executor=executor)
