"""How fast is `compare`? Every figure is a ratio from this one run; nothing here is a test.

    python benchmarks/compare_speed.py [--quick] [--out docs/measured/compare_speed.json]

1. *Items*: MAE and wins together, 9,999 swapped + 9,999 bootstrap draws at 1,000 × 5, against
   `scipy.stats.permutation_test` + `scipy.stats.bootstrap` on the same item advantages.
2. *Responses*: (bootstrap, bootstrap) at 1,000 × 5 per draw, against vectorised NumPy and against one Python call per
   item (the way of the published toolkit).
3. *Size*: time against items and draws (log-log slopes) and peak memory at 100,000 × 5 × 3 with 10,000 draws of each kind.
4. *Threads*: two against one, and whether the bits agree.
5. *Start-up*: `howsure --help` against `import numpy`, and the first `compare` with an empty compilation cache.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

import howsure
from howsure import _random, comparison
from howsure.metrics import resolve
from howsure.resampling import Scheme, _kernels, draw

ROOT = Path(__file__).parents[1]
BOTH = Scheme("bootstrap", "bootstrap")


def make(n, k, rng=0, levels=False):
    rng = np.random.default_rng(rng)
    means, sds = rng.random(n), 0.3 * rng.random(n)
    shifted = np.clip(means + rng.uniform(-0.1, 0.1, n), 0, 1)
    arrays = [m[:, None] + sds[:, None] * rng.normal(size=(n, k)) for m in (means, means, shifted)]
    if levels:
        arrays = [np.clip(np.floor(5 * array), 0, 4) for array in arrays]
    return howsure.Contest.from_arrays(*arrays, scale="ordinal" if levels else "continuous"), arrays


def clock(function, repeats=3):
    """Return the best of several wall-clock times."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def rounds(functions, repeats):
    """Return the times of each function; they take turns, so that a slow minute of the machine hits all alike."""
    times = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            times[name].append(clock(function, 1))
    return {name: np.array(of_name) for name, of_name in times.items()}


def race(functions, repeats):
    """Return the best time of each function."""
    return {name: float(times.min()) for name, times in rounds(functions, repeats).items()}


def items_study(repeats):
    contest, arrays = make(1000, 5)
    gold, a, b = (array.mean(axis=1) for array in arrays)
    mae = np.abs(b - gold) - np.abs(a - gold)
    advantages = [mae, np.sign(mae)]

    def scipy_way():
        for d in advantages:
            stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=9999, vectorized=True, rng=0)
            stats.bootstrap((d,), np.mean, n_resamples=9999, vectorized=True, rng=0, method="percentile")

    def ours():
        comparison.compare_each(contest, metrics=["mae", "wins"], n_resamples=9999, rng=0)

    ours()
    times = race({"scipy": scipy_way, "howsure": ours}, repeats)
    seconds = {f"{name}_seconds": time for name, time in times.items()}
    return seconds | {"ratio": times["scipy"] / times["howsure"]}


def numpy_draw(rng, arrays, metric):
    """One draw of (bootstrap, bootstrap) in vectorised NumPy."""
    n, k = arrays[0].shape
    items = rng.integers(0, n, n)
    drawn = [np.take_along_axis(array[items], rng.integers(0, k, (n, k)), axis=1) for array in arrays]
    if metric in ("mae", "wins"):
        gold, a, b = (array.mean(axis=1) for array in drawn)
        d = np.abs(b - gold) - np.abs(a - gold)
        return (np.sign(d) if metric == "wins" else d).mean()
    if metric == "emd":
        gold, a, b = (np.sort(array, axis=1) for array in drawn)
        return (np.abs(b - gold).mean(axis=1) - np.abs(a - gold).mean(axis=1)).mean()
    cells = 5 * np.arange(n)[:, None]
    gold, a, b = (
        np.bincount((cells + array.astype(int)).ravel(), minlength=5 * n).reshape(n, 5) / k for array in drawn
    )
    return (np.abs(b - gold).sum(axis=1) - np.abs(a - gold).sum(axis=1)).mean()


def item_by_item_draw(rng, arrays, metric):
    """One draw with a Python call per item, as the published toolkit does it."""
    n, k = arrays[0].shape
    items = rng.integers(0, n, n)
    drawn = [np.take_along_axis(array[items], rng.integers(0, k, (n, k)), axis=1) for array in arrays]
    distance = {
        "mae": lambda x, y: abs(np.mean(x) - np.mean(y)),
        "wins": lambda x, y: abs(np.mean(x) - np.mean(y)),
        "emd": stats.wasserstein_distance,
        "tv": lambda x, y: (
            np.abs(np.bincount(x.astype(int), minlength=5) - np.bincount(y.astype(int), minlength=5)).sum()
            / (2 * x.size)
        ),
    }[metric]
    scores = [[distance(model[i], drawn[0][i]) for i in range(n)] for model in drawn[1:]]
    return np.mean(scores[1]) - np.mean(scores[0])


def responses_study(repeats, n_draws):
    found = {}
    for metric in ("mae", "wins", "emd", "tv"):
        contest, arrays = make(1000, 5, levels=metric == "tv")
        bound = resolve(metric).on(contest.scale)
        seed = _random.seed_of(0)

        def ours(contest=contest, bound=bound, seed=seed):
            draw(contest, [bound], scheme=BOTH, null=None, n_resamples=n_draws, seed=seed, workers=2)

        def vectorised(arrays=arrays, metric=metric):
            rng = np.random.default_rng(0)
            for _ in range(200):
                numpy_draw(rng, arrays, metric)

        def item_by_item(arrays=arrays, metric=metric):
            rng = np.random.default_rng(0)
            for _ in range(3):
                item_by_item_draw(rng, arrays, metric)

        ours()
        times = race({"howsure": ours, "numpy": vectorised, "item_by_item": item_by_item}, repeats)
        sizes = {"howsure": n_draws, "numpy": 200, "item_by_item": 3}
        per_draw = {name: seconds / sizes[name] for name, seconds in times.items()}
        found[metric] = {f"{name}_microseconds": 1e6 * seconds for name, seconds in per_draw.items()}
        found[metric]["ratio_numpy"] = per_draw["numpy"] / per_draw["howsure"]
        found[metric]["ratio_item_by_item"] = per_draw["item_by_item"] / per_draw["howsure"]
    return found


CHILD = """
import json, resource, sys, time
sys.path.insert(0, {path!r})
from compare_speed import make
from howsure import comparison
contest, _ = make({n}, 5)
comparison.compare(contest, metric="mae", n_resamples=64, rng=0, workers={workers})
start = time.perf_counter()
comparison.compare(contest, metric="mae", n_resamples={draws}, rng=0, workers={workers})
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]))
"""


def size_study(quick):
    def run(n, draws, workers=2):
        code = CHILD.format(path=str(Path(__file__).parent), n=n, draws=draws, workers=workers)
        return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)

    by_items = {n: run(n, 2_000 if quick else 10_000) for n in (12_500, 25_000, 50_000, 100_000)}
    by_draws = {draws: run(100_000, draws) for draws in ((500, 1_000, 2_000) if quick else (2_500, 5_000, 10_000))}

    def slope(table):
        return float(np.polyfit(np.log(list(table)), np.log([seconds for seconds, _ in table.values()]), 1)[0])

    return {
        "seconds_by_items": {n: seconds for n, (seconds, _) in by_items.items()},
        "slope_items": slope(by_items),
        "seconds_by_draws": {draws: seconds for draws, (seconds, _) in by_draws.items()},
        "slope_draws": slope(by_draws),
        "peak_gigabytes_100000_items": max(by_items[100_000][1], *(peak for _, peak in by_draws.values())),
    }


SEEDS = _kernels.seed_draws(np.uint64(0), 1, 0, 10_000)[0]
COINS = _kernels.swap_table(np.random.default_rng(0).normal(size=(512, 1)))


def toss(n_threads, n_times=1_000):
    """Sum a few numbers with random signs, all in the cache; two threads do half of it each and never meet.

    What the second gains here is what the machine itself gives.
    """

    def half(_):
        for _ in range(n_times // 2):
            _kernels.swap_sums(COINS, SEEDS)

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(half, range(2)))


def threads_study(repeats, n_draws):
    contest, _ = make(1000, 5)
    levels, _ = make(1000, 5, levels=True)
    seed = _random.seed_of(0)
    cases = {
        "responses, mae": (contest, "mae", BOTH, None, 4 * n_draws),
        "responses, emd": (contest, "emd", BOTH, None, 2 * n_draws),
        "responses, tv": (levels, "tv", BOTH, None, 4 * n_draws),
        "items, mae": (contest, "mae", Scheme(), None, 40 * n_draws),
        "sign-flip, mae": (contest, "mae", Scheme("all"), "sign-flip", 800 * n_draws),
        "sign-flip, spearman": (contest, "spearman", Scheme("all"), "sign-flip", 2 * n_draws),
    }
    found = {}
    for name, (data, metric, scheme, null, b) in cases.items():
        bits, bound = {}, resolve(metric).on(data.scale)

        def run(workers, data=data, bound=bound, scheme=scheme, null=null, b=b, bits=bits):
            bits[workers] = draw(
                data, [bound], scheme=scheme, null=null, n_resamples=b, seed=seed, workers=workers
            ).advantages

        run(1)
        functions = {(job, workers): partial(job, workers) for job in (toss, run) for workers in (1, 2)}
        times = rounds(functions, 2 * repeats)
        gains, bare_gains = (times[job, 1] / times[job, 2] for job in (run, toss))
        found[name] = {
            "ratio": float(times[run, 1].min() / times[run, 2].min()),
            "median_ratio": float(np.median(gains)),
            "machine_ratio": float(times[toss, 1].min() / times[toss, 2].min()),
            "machine_median_ratio": float(np.median(bare_gains)),
            "median_ratio_to_machine": float(np.median(gains / bare_gains)),
            "one_thread_seconds": float(times[run, 1].min()),
            "n_rounds": len(gains),
            "identical_bits": bool(np.array_equal(bits[1], bits[2])),
        }
    return found


def start_study(repeats):
    scripts = Path(sys.executable).parent

    def run(*command, **environment):
        subprocess.run(command, check=True, capture_output=True, env=os.environ | environment)

    help_time = clock(lambda: run(scripts / "howsure", "--help"), 3 * repeats)
    numpy_time = clock(lambda: run(sys.executable, "-c", "import numpy"), 3 * repeats)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "ratings.csv"
        run(scripts / "howsure", "example", table)
        command = (scripts / "howsure", "compare", table, "--gold", "human", "--a", "model-2", "--b", "model-1")
        first = clock(lambda: run(*command, NUMBA_CACHE_DIR=folder), 1)
        second = clock(lambda: run(*command, NUMBA_CACHE_DIR=folder), repeats)
    return {
        "help_seconds": help_time,
        "numpy_seconds": numpy_time,
        "help_ratio": help_time / numpy_time,
        "first_compare_seconds": first,
        "second_compare_seconds": second,
    }


PAGE = """# Speed of `compare`

Made by `python benchmarks/compare_speed.py` ({cores} cores); every number is from one run, and ratios compare
methods within it. The numbers are in `docs/measured/compare_speed.json`.

## Items

MAE and wins together at 1,000 × 5, 9,999 sign-flip and 9,999 bootstrap resamples: `howsure.compare` is **{items[ratio]:.0f} times** as fast
as `scipy.stats.permutation_test` + `scipy.stats.bootstrap` on the same item advantages.

## Responses

Items and responses resampled at 1,000 × 5, on two threads, per resample. *NumPy* resamples one data set at a time,
vectorised over items; *item by item* calls a Python function for each item, as the published toolkit does.

| metric | microseconds per resample | times NumPy | times item by item |
|---|---|---|---|
{responses}

Targets were 8 times NumPy and 300 times item by item for each metric.

## Threads

The target was 1.8. The two cores of a virtual machine are not always two real ones. So *the machine* is the gain of a
compiled loop that stays in the cache, measured in turns with the work beside it. Gains are the best of {rounds} runs with one thread
over the best of {rounds} with two; the share is the median over the turns of the work's gain divided by the machine's.

| work at 1,000 × 5 | two threads against one | the machine | share of the machine's gain | identical bits |
|---|---|---|---|---|
{threads}

The median share is **{share:.2f}**.

## Size

100,000 items × 5 responses × 3 sources, MAE, 10,000 resamples of each kind: {largest:.1f} s and {size[peak_gigabytes_100000_items]:.2f} GB at most. Time grows
with items to the power {size[slope_items]:.2f} (12,500 to 100,000) and with resamples to the power {size[slope_draws]:.2f}.

## Start-up

`howsure --help` takes {start[help_ratio]:.2f} times as long as `python -c "import numpy"`. The first `howsure compare` with an empty compilation
cache takes {start[first_compare_seconds]:.1f} s, the second {start[second_compare_seconds]:.1f} s.
"""


def page(found):
    """Make docs/evidence/speed.md of what was measured."""
    responses = "\n".join(
        f"| {metric} | {row['howsure_microseconds']:.0f} | {row['ratio_numpy']:.1f} | {row['ratio_item_by_item']:.0f} |"
        for metric, row in found["responses"].items()
    )
    threads = "\n".join(
        f"| {name} | {row['ratio']:.2f} | {row['machine_ratio']:.2f} | {row['median_ratio_to_machine']:.2f} "
        f"| {'yes' if row['identical_bits'] else 'NO'} |"
        for name, row in found["threads"].items()
    )
    rows = found["threads"].values()
    text = PAGE.format(
        **(found | {"responses": responses, "threads": threads}),
        share=float(np.median([row["median_ratio_to_machine"] for row in rows])),
        rounds=next(iter(rows))["n_rounds"],
        largest=max(found["size"]["seconds_by_items"].values()),
        cores=os.cpu_count(),
    )
    (ROOT / "docs" / "evidence" / "speed.md").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "measured" / "compare_speed.json")
    options = parser.parse_args()
    repeats, n_draws = (1, 500) if options.quick else (5, 9_999)
    found = {
        "items": items_study(repeats),
        "responses": responses_study(repeats, n_draws),
        "threads": threads_study(repeats, n_draws),
        "start": start_study(repeats),
        "size": size_study(options.quick),
    }
    found["peak_gigabytes_here"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    text = json.dumps(found, indent=2)
    print(text)
    options.out.write_text(text + "\n")
    if options.out.parent == ROOT / "docs" / "measured":
        page(found)


if __name__ == "__main__":
    main()
