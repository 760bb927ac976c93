"""How fast are simulated designs? Every figure is a ratio from this one run; nothing here is a test.

    python benchmarks/simulation.py [--pairs 20] [--out docs/measured/simulation.csv]

1. *Expected p of one design*, 1,000 alternative + 1,000 null data sets of 1,000 items × 5 responses, by MAE and wins
   (and Spearman), against the published toolkit's way: every response drawn by its own call (Python's `random` for
   normal items, a NumPy generator made for each call for Likert items), every item scored by its own call. The old way
   is timed on a few pairs of data sets and multiplied.
2. *Responses*: K = 500 against K = 50, for summaries that need no single responses.
3. *Memory*: peak for 8,000 data sets against 1,000.
4. *Bare generator*: the share of the time in which NumPy's generator alone draws as many numbers.
"""

import argparse
import csv
import random
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy import stats

from howsure.inference import expected_pvalue
from howsure.metrics import resolve
from howsure.models import preset, simulate_advantages

N_ITEMS, N_RESPONSES, EPSILON, B = 1000, 5, 0.05, 1000


# --- the published way, re-implemented from its description: one call per response, one call per item -----------------


def old_normal(null):
    """Draw one data set of normal items with Python's random module."""
    gold, a, b = [], [], []
    for _ in range(N_ITEMS):
        mean, sd = random.random(), random.uniform(0, 0.3)
        moved = min(max(mean + random.uniform(-EPSILON, EPSILON), 0), 1)
        gold.append([random.gauss(mean, sd) for _ in range(N_RESPONSES)])
        for source, own in ((a, mean), (b, moved)):
            centres = [random.choice((mean, moved)) if null else own for _ in range(N_RESPONSES)]
            source.append([random.gauss(centre, sd) for centre in centres])
    return gold, a, b


def old_likert(null):
    """Draw one data set of toxicity ratings, with a NumPy generator made for each call."""
    gold, a, b = [], [], []
    for _ in range(N_ITEMS):
        mean = min(abs(np.random.default_rng().normal(0, 0.28)), 0.8)
        sd = max(np.random.default_rng().triangular(-0.05, 0.21, 0.45), 0)
        moved = min(max(mean + np.random.default_rng().uniform(-EPSILON, EPSILON), 0), 1)
        gold.append([likert(mean, sd) for _ in range(N_RESPONSES)])
        for source, own in ((a, mean), (b, moved)):
            centres = [random.choice((mean, moved)) if null else own for _ in range(N_RESPONSES)]
            source.append([likert(centre, sd) for centre in centres])
    return gold, a, b


def likert(mean, sd):
    response = min(max(np.random.default_rng().normal(mean, sd), 0), 1)
    return min(int(response * 5), 4) / 5


def old_mae(gold, a, b):
    of_a = np.mean([abs(np.mean(x) - np.mean(g)) for g, x in zip(gold, a, strict=True)])
    of_b = np.mean([abs(np.mean(x) - np.mean(g)) for g, x in zip(gold, b, strict=True)])
    return of_b - of_a


def old_wins(gold, a, b):
    won = lost = 0
    for g, x, y in zip(gold, a, b, strict=True):
        of_a, of_b = abs(np.mean(x) - np.mean(g)), abs(np.mean(y) - np.mean(g))
        won += of_a < of_b
        lost += of_b < of_a
    return (won - lost) / len(gold)


def old_spearman(gold, a, b):
    means = [[np.mean(responses) for responses in source] for source in (gold, a, b)]
    return stats.spearmanr(means[0], means[1])[0] - stats.spearmanr(means[0], means[2])[0]


OLD = {"mae": old_mae, "wins": old_wins, "spearman": old_spearman}


def old_seconds(draw, metrics, n_pairs):
    """Return seconds for drawing and for scoring one pair (alternative + null): the fastest of a few, as below."""
    drawing, scoring = [], []
    for _ in range(n_pairs):
        drawing.append(0.0)
        scoring.append(0.0)
        for null in (False, True):
            start = time.perf_counter()
            data = draw(null)
            drawn = time.perf_counter()
            for metric in metrics:
                OLD[metric](*data)
            drawing[-1] += drawn - start
            scoring[-1] += time.perf_counter() - drawn
    return min(drawing), min(scoring)


# --- this package -----------------------------------------------------------------------------------------------------


def new_expected_p(name, metrics, n_responses=N_RESPONSES, n_simulations=B, n_items=N_ITEMS):
    model = preset(name)
    ready = [resolve(metric).on(model.scale) for metric in metrics]
    options = {"n_items": n_items, "n_responses": n_responses, "epsilon": EPSILON, "n_simulations": n_simulations}
    draws, null = (simulate_advantages(model, ready, null=kind, rng=1, **options) for kind in (False, True))
    return [expected_pvalue(*pair).pvalue for pair in zip(null, draws, strict=True)]


def clock(function, repeats):
    """Return the best of several wall-clock times."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def bare(uniforms, normals, words, bits):
    """Return seconds in which NumPy's generator alone, on two threads, draws that many numbers per item and pair."""

    def thread(seed):
        generator = np.random.Generator(np.random.SFC64(seed))
        for _ in range(B // 2 * N_ITEMS // 50_000):
            for _ in range(uniforms):
                generator.random(50_000)
            for _ in range(normals):
                generator.standard_normal(50_000)
            for _ in range(words):
                generator.integers(0, 2**64 - 1, 50_000, dtype=np.uint64, endpoint=True)
            for _ in range(bits):
                generator.integers(0, 31, 50_000, dtype=np.uint8, endpoint=True)

    def both():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(thread, (1, 2)))

    return clock(both, 3)


def peak(n_simulations):
    tracemalloc.start()
    new_expected_p("normal", ["mae", "wins"], n_simulations=n_simulations)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []

    def say(what, value, unit):
        rows.append({"what": what, "value": f"{value:.4g}", "unit": unit})
        print(f"{what:<78} {value:>10.4g} {unit}", flush=True)

    bare_of = {"normal": bare(6, 6, 0, 2), "likert-toxicity": bare(4, 2, 18, 0)}
    for name, draw in (("normal", old_normal), ("likert-toxicity", old_likert)):
        new_expected_p(name, ["mae", "wins", "spearman"])  # compile before the clock runs
        for metrics in (["mae", "wins"], ["mae", "wins", "spearman"]):
            drawing, scoring = old_seconds(draw, metrics, options.pairs)
            new = clock(lambda n=name, m=metrics: new_expected_p(n, m), options.repeats)
            label = f"{name}, {' + '.join(metrics)}"
            say(f"{label}: published way, drawing one pair of data sets", 1000 * drawing, "ms")
            say(f"{label}: published way, scoring one pair, per metric", 1000 * scoring / len(metrics), "ms")
            say(f"{label}: expected p here, {B} + {B} data sets", 1000 * new, "ms")
            say(f"{label}: times faster", B * (drawing + scoring) / new, "×")
            started = time.process_time()
            old_seconds(draw, metrics, 2)
            half = time.process_time()
            for _ in range(2):
                new_expected_p(name, metrics)
            # Wall-clock ratios suffer when other programs run; processor time says what two free cores would give.
            ratio = B * (half - started) / ((time.process_time() - half) / 2)
            say(f"{label}: times faster by processor time, on two cores", ratio, "×")
            if "spearman" not in metrics:
                say(f"{label}: share of the time the bare generator needs", 100 * bare_of[name] / new, "%")
    for name, metrics in (
        ("normal", ["mae", "wins"]),
        ("likert-toxicity", ["mae", "emd"]),
        ("categorical-dices", ["tv"]),
    ):
        few, many = (
            clock(
                lambda n=name, m=metrics, k=k: new_expected_p(n, m, n_responses=k, n_simulations=300), options.repeats
            )
            for k in (50, 500)
        )
        say(f"{name}, {' + '.join(metrics)}: K = 500 against K = 50", many / few, "×")
    say("peak memory, 8,000 data sets of each kind against 1,000", peak(8000) / peak(1000), "×")
    if options.out:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["what", "value", "unit"])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
