"""How long `howsure scores analyse` takes on 100,000 lines, and what its parts cost; run on an otherwise idle machine.

`python benchmarks/scores_speed.py` prints a table (seconds, the best of three; memory is the peak of the process).
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from howsure.nulls.ranks import hodges_lehmann, walsh_interval
from howsure.paired import TESTS, PairedScores, power_curve, significance_test

N = 100_000


def data(kind):
    rng = np.random.default_rng(1)
    b = rng.beta(5, 5, N)
    if kind == "normal":
        return b + rng.normal(0.001, 0.1, N), b
    if kind == "heavy tails":
        return b + 0.05 * rng.laplace(size=N), b
    if kind == "skewed":
        return b + 0.05 * rng.exponential(size=N), b
    return rng.integers(0, 2, N).astype(float), rng.integers(0, 2, N).astype(float)


def best(function, repeats=3):
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def main():
    print(f"{N:,} lines, {len(os.sched_getaffinity(0))} cores\n\n| what | seconds |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("normal", "heavy tails", "skewed", "right or wrong"):
            path = Path(folder) / "scores.txt"
            np.savetxt(path, np.column_stack(data(kind)), fmt="%.6f")
            command = [str(Path(sys.executable).with_name("howsure")), "scores", "analyse", str(path)]
            seconds = best(lambda command=command: subprocess.run(command, check=True, capture_output=True))
            print(f"| `howsure scores analyse`, {kind}, whole process | {seconds:.2f} |")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    a, b = data("heavy tails")
    scores = PairedScores.from_arrays(a, b)
    ordered = np.sort(a - b)
    print(f"| Hodges–Lehmann estimate | {best(lambda: hodges_lehmann(ordered)):.3f} |")
    print(f"| Wilcoxon interval | {best(lambda: walsh_interval(ordered, 0.025)):.3f} |")
    for name, test in TESTS.items():
        note = ", 9,999 resamples" if test.resamples else ""
        seconds = best(lambda name=name: significance_test(scores, test=name, rng=1), 1)
        print(f"| test {name}{note} | {seconds:.2f} |")
    for name in ("t", "wilcoxon"):
        seconds = best(lambda name=name: power_curve(scores, test=name, rng=1), 1)
        print(f"| power curve of {name}, five sizes of 100 studies | {seconds:.2f} |")
    small = PairedScores.from_arrays(a[:500], b[:500])
    for name in TESTS:
        seconds = best(lambda name=name: power_curve(small, test=name, rng=1), 1)
        print(f"| power curve of {name}, 500 lines, five sizes of 1,000 studies | {seconds:.2f} |")
    print(f"\nPeak memory of `howsure scores analyse`: {memory:.0f} MB")


if __name__ == "__main__":
    main()
