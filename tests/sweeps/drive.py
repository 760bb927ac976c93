"""A driver in a process of its own, for tests that end it: `python -m tests.sweeps.drive STORE N_THREADS`.

It says "ready" before it opens the store, and then a line whenever cells have been recorded.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

from assay.sweeps import run
from tests.sweeps.tasks import GRID, draw

SEED = 2026

if __name__ == "__main__":
    store, n_threads = sys.argv[1], int(sys.argv[2])

    def say(what: object) -> None:
        print(what, flush=True)

    say("ready")
    if n_threads == 1:
        run(draw, GRID, store=store, rng=SEED, progress=say)
    else:
        with ThreadPoolExecutor(n_threads) as executor:
            run(draw, GRID, store=store, rng=SEED, executor=executor, progress=say)
