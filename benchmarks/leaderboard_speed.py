"""Measure how long boards take, and how long `compare` takes for a pair; write docs/measured/leaderboard_speed.csv.

    python benchmarks/leaderboard_speed.py [--sizes 10x200x5 40x1000x5 500x1000x1]

Wall time, processor time of one process on all cores, and the most memory it had; every board in a process of its own, after
one small board that loads what is compiled. The load average at the start says how many others used the machine. The ratio is
processor time of the board against that of `compare` for a pair, times pairs.
"""

import argparse
import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.comparison import compare
from howsure.leaderboards import compare_all
from measured import MEASURED, ROOT, markdown, put_between, write_rows

SIZES = ("10x200x5", "40x1000x5", "100x1000x5", "500x1000x1")


def table_of(m, n, k):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(n, 1))
    sources = {
        f"m{j}": Responses.from_grid(truth + 0.02 * j + 0.5 * rng.normal(size=(n, 1)) + rng.normal(size=(n, k)))
        for j in range(m)
    }
    return ResponseTable(np.arange(n).astype(str), sources, Scale("continuous"))


def measure(size):
    m, n, k = map(int, size.split("x"))
    compare_all(table_of(12, 300, 1), rng=0)
    table = table_of(m, n, k)
    compare(table.contest(a="m0", b="m1"), rng=0)
    load, n_cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    wall, started = time.perf_counter(), time.process_time()
    board = compare_all(table, rng=0)
    seconds, passed = time.process_time() - started, time.perf_counter() - wall
    started = time.process_time()
    for j in range(1, 6):
        compare(table.contest(a="m0", b=f"m{j}"), rng=0)
    pair = (time.process_time() - started) / 5
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform != "darwin" else 1024**3)
    return {
        "models": m, "items": n, "responses": k, "pairs": len(board.pairs), "processor_seconds": round(seconds, 2),
        "wall_seconds": round(passed, 2), "compare_pair_seconds": round(pair, 4),
        "times_faster": round(len(board.pairs) * pair / seconds, 1), "gigabytes": round(memory, 2),
        "cores": n_cores, "load": round(load, 1),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    rows = []
    for size in parser.parse_args().sizes:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            rows.append(pool.submit(measure, size).result())
        print(rows[-1], flush=True)
    write_rows(rows, MEASURED / "leaderboard_speed.csv")
    head = [
        "models",
        "items",
        "responses",
        "pairs",
        "leaderboard, wall",
        "leaderboard, processor",
        "`compare`, one pair",
        "times faster",
        "memory",
        "load",
    ]
    body = [
        [str(r["models"]), f"{r['items']:,}", str(r["responses"]), f"{r['pairs']:,}", f"{r['wall_seconds']:.1f} s",
         f"{r['processor_seconds']:.1f} s",
         f"{1000 * r['compare_pair_seconds']:.0f} ms", f"{r['times_faster']:.0f}", f"{r['gigabytes']:.1f} GB",
         f"{r['load']:.0f}"]
        for r in rows
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- speed -->", markdown(head, body))


if __name__ == "__main__":
    main()
