"""What takes how long, beside the previous release, and what limits it. Nothing here is a test.

    python benchmarks/speed_table.py [--previous 72c649b] [--out docs/measured/speed_table.json]

Every job runs in a process of its own, once with this version and once with the previous release (a git worktree of that
commit), in turns; what is given is the least processor time of three turns (25 for resamples and `howsure compare`), after a
first call that compiles. Processor time does not count the time that other processes take on a busy machine, but they
still share its caches; so read the ratios, which come from the same minutes.
"""

import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]

PREPARE = """
import resource, sys, time
import numpy as np
from dataclasses import replace
import howsure
from howsure import auditing, comparison
from howsure import Contest, _random
from howsure.metrics import resolve
from howsure.resampling import Scheme, draw

def contest_of(n):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=n)
    return Contest.from_arrays(gold, gold + rng.normal(size=n), gold + 1.1 * rng.normal(size=n))

def draws(n, name, b, null=None):
    contest, metric = contest_of(n), resolve(name)
    metric = (replace(metric, threshold=0.0) if name == "auc" else metric).on(contest.scale)
    how = {"scheme": Scheme("bootstrap" if null is None else "all"), "null": null, "seed": _random.seed_of(0), "workers": 1}
    draw(contest, [metric], n_resamples=4, **how)
    return lambda: draw(contest, [metric], n_resamples=b, **how)

def bare(n, b):
    from numba import njit
    from howsure.resampling._kernels import _below, _word, seed_draws
    half = np.uint64(32)

    @njit
    def loop(n, seeds):
        total, below = np.uint64(0), np.uint64(n)
        for d in range(seeds.size):
            for i in range(n // 2):
                word = _word(seeds[d], np.uint64(i))
                total += _below(below, word) + _below(below, word >> half)
        return total

    seeds = seed_draws(np.uint64(1), 1, 0, b)[0]
    loop(10, seeds[:2])
    return lambda: loop(n, seeds)

def pvalue(n):
    contest = contest_of(n)
    comparison.compare(contest, metric="mae", rng=0, workers=1)
    return lambda: comparison.compare(contest, metric="mae", rng=0, workers=1)

def flips(n):
    from howsure.inference import sign_flips
    advantages = np.random.default_rng(0).normal(size=n) + 4 / n**0.5
    sign_flips(advantages)
    return lambda: [sign_flips(advantages) for _ in range(10)]

def slices(n, size=5):
    def compared(n):
        contest = replace(contest_of(size * n), groups={"topic": np.repeat(np.arange(n).astype(str), size)})
        return lambda: comparison.compare_each(contest, metrics=["mae"], by="topic", rng=0, workers=1)
    compared(1_001 if n > 1_000 else 200)()  # compiles
    return compared(n)

def varied(n, mean):
    def compared(n):
        sizes = np.maximum(1, np.random.default_rng(1).poisson(mean, n))
        contest = replace(contest_of(sizes.sum()), groups={"topic": np.repeat(np.arange(n).astype(str), sizes)})
        return lambda: comparison.compare_each(contest, metrics=["mae"], by="topic", rng=0, workers=1)
    compared(1_001 if n > 1_000 else 200)()  # compiles
    return compared(n)

def functions(error, n_metrics):
    from howsure.metrics import FunctionMetric
    metrics = [FunctionMetric(error(1 + i / 100), better="lower", name=f"own {i}") for i in range(n_metrics)]
    contest = contest_of(200)
    return lambda: comparison.compare_each(contest, metrics=metrics, rng=0, workers=1)

def own(n_metrics):
    return functions(lambda most: lambda gold, model: np.minimum(abs(gold - model), most).mean(), n_metrics)

def branching(n_metrics):
    def error(most):
        def capped(gold, model):
            found = abs(gold - model).mean()
            return found if found < most else most
        return capped
    return functions(error, n_metrics)

def vectorized(n_metrics):
    from howsure.metrics import FunctionMetric
    def error(most):
        return lambda gold, model, axis: np.minimum(abs(gold - model), most).mean(axis=axis)
    metrics = [
        FunctionMetric(error(1 + i / 100), better="lower", name=f"own {i}", vectorized=True) for i in range(n_metrics)
    ]
    contest = contest_of(200)
    return lambda: comparison.compare_each(contest, metrics=metrics, rng=0, workers=1)

def declared(n_metrics):
    from howsure import metrics
    base = getattr(metrics, "ItemMetric", metrics.AdditiveMetric)
    def scores(power):
        return lambda self, gold, model: abs(gold - model) ** power
    kinds = [
        type(f"Own{i}", (base,), {"name": f"own-{i}", "title": f"own {i}", "item_scores": scores(1 + i / 100)})
        for i in range(n_metrics)
    ]
    contest, chosen = contest_of(200), [kind() for kind in kinds]
    comparison.compare_each(contest, metrics=chosen[:2], rng=0, workers=1)
    return lambda: comparison.compare_each(contest, metrics=chosen, rng=0, workers=1)

def audited(n_items, n_responses, n_data_sets):
    import inspect
    older = "n_data_sets" in inspect.signature(auditing.audit).parameters
    count, fresh = ("n_data_sets", "n_simulations") if older else ("n_simulations", "n_fresh")
    how = dict(
        metrics=["mae"], schemes=[("bootstrap", "all"), ("bootstrap", "bootstrap")], nulls=["sign-flip", "shifted-bootstrap"],
        intervals=["percentile", "studentised"], designs=[(n_items, n_responses)], epsilons=[0.3], n_resamples=399, rng=0,
        workers=1,
    )
    how[fresh] = 20
    auditing.audit("normal", **how, **dict([(count, 2)]))
    return lambda: auditing.audit("normal", **how, **dict([(count, n_data_sets)]))

job = {job}
times = []
for _ in range({turns}):
    start = time.process_time()
    job()
    times.append(time.process_time() - start)
print(min(times))
"""

JOBS = {
    # name: (job in this version, job in the previous release, how many times more work the previous would have done)
    "bare generator, 1,000,000 items, 200 resamples": ("bare(1_000_000, 200)", "bare(1_000_000, 200)", 1),
    "MAE, 1,000 items, 200,000 resamples": ("draws(1_000, 'mae', 200_000)",) * 2 + (1,),
    "MAE, 10,000 items, 20,000 resamples": ("draws(10_000, 'mae', 20_000)",) * 2 + (1,),
    "MAE, 100,000 items, 2,000 resamples": ("draws(100_000, 'mae', 2_000)",) * 2 + (1,),
    "MAE, 1,000,000 items, 200 resamples": ("draws(1_000_000, 'mae', 200)",) * 2 + (1,),
    "wins, 1,000 items, 9,999 resamples": ("draws(1_000, 'wins', 9_999)",) * 2 + (1,),
    "wins, 1,000,000 items, 9,999 resamples": (
        "draws(1_000_000, 'wins', 9_999)",
        "draws(1_000_000, 'wins', 20)",
        9_999 / 20,
    ),
    "wins, 1,000,000 items, 9 resamples": ("draws(1_000_000, 'wins', 9)",) * 2 + (1,),
    "Spearman, 100,000 items, 199 resamples": (
        "draws(100_000, 'spearman', 199)",
        "draws(100_000, 'spearman', 40)",
        199 / 40,
    ),
    "AUC, 100,000 items, 199 resamples": (
        "draws(100_000, 'auc', 199)",
        "draws(100_000, 'auc', 40)",
        199 / 40,
    ),
    "Kendall, 100,000 items, 199 resamples": (
        "draws(100_000, 'kendall', 199)",
        "draws(100_000, 'kendall', 20)",
        199 / 20,
    ),
    "MAE, 100,000 items, 199 resamples": ("draws(100_000, 'mae', 199)",) * 2 + (1,),
    "compare, 1,000 items, defaults": ("pvalue(1_000)",) * 2 + (1,),
    "ten exact p-values of 200 items": ("flips(200)", "", 1),
    "ten exact p-values of 10,000 items": ("flips(10_000)", "", 1),
    "compare --by, 20,000 slices of 5 items": ("slices(20_000)", "slices(500)", 40),
    "compare --by, 100,000 slices of 5 items": ("slices(100_000)", "slices(500)", 200),
    "compare --by, 100,000 slices of 5 items on average": ("varied(100_000, 5)", "varied(500, 5)", 200),
    "compare --by, 10,000 slices of 20 items on average": ("varied(10_000, 20)", "varied(500, 20)", 20),
    "compare --by, 500 slices of 20 items": ("slices(500, 20)",) * 2 + (1,),
    "compare, 200 own metrics with item scores, 200 items": ("declared(200)",) * 2 + (1,),
    "compare, 200 own metrics, vectorized functions, 200 items": ("vectorized(200)", "own(10)", 20),
    "compare, 200 own metrics, plain functions, 200 items": ("own(200)", "own(10)", 20),
    "compare, 10 own metrics, functions that need one resample at a time": ("branching(10)",) * 2 + (1,),
    "audit, 30 items × 1, 200 data sets of each kind": ("audited(30, 1, 200)", "audited(30, 1, 50)", 4),
    "audit, 100 items × 5, 100 data sets of each kind": ("audited(100, 5, 100)", "audited(100, 5, 50)", 2),
}

ONCE = ("compare --by", "compare, 200 own", "compare, 10 own")
"""Jobs of many seconds: they are measured in one turn."""

COMMANDS = {
    "howsure compare, 200 items": "compare ratings.csv --gold human --a model-2 --b model-1",
    "howsure compare, 40,000 columns": "compare wide.csv --gold c0 --a c1 --b c2",
    "howsure compare --by, 100,000 slices of 5 items on average": "compare varied.csv --gold human --a a --b b --by topic --metric mae",
    "howsure compare --by, 100,000 slices of 5 items": "compare slices.csv --gold human --a a --b b --by topic --metric mae",
    "howsure fit, 1,000,000 responses, normal": "fit normal.csv --gold human",
    "howsure fit, 1,000,000 responses, likert": "fit likert.csv --gold human",
}
"""Commands whose processor seconds and memory are measured, start-up included."""

LIMITS = {
    "bare generator, 1,000,000 items, 200 resamples": "arithmetic",
    "MAE, 1,000 items, 200,000 resamples": "generator and additions",
    "MAE, 10,000 items, 20,000 resamples": "generator and additions",
    "MAE, 100,000 items, 2,000 resamples": "generator and additions",
    "MAE, 1,000,000 items, 200 resamples": "generator and additions; preparing the items once",
    "wins, 1,000 items, 9,999 resamples": "generator and additions",
    "wins, 1,000,000 items, 9,999 resamples": "preparing the items once; a resample is three binomial counts",
    "wins, 1,000,000 items, 9 resamples": "preparing the items once",
    "Spearman, 100,000 items, 199 resamples": "generator; memory: ranks of 32 resamples are fetched in the order of each model",
    "AUC, 100,000 items, 199 resamples": "generator; memory: weights of 32 resamples are fetched in the order of each model",
    "Kendall, 100,000 items, 199 resamples": "additions: weights of 32 resamples are added up for each of 17 levels",
    "MAE, 100,000 items, 199 resamples": "generator and additions",
    "compare, 1,000 items, defaults": "resamples of the interval",
    "ten exact p-values of 200 items": "NumPy calls",
    "ten exact p-values of 10,000 items": "sums of powers, sorting",
    "compare --by, 20,000 slices of 5 items": "Python: a result for each slice",
    "compare --by, 100,000 slices of 5 items": "Python: a result for each slice",
    "compare --by, 100,000 slices of 5 items on average": "Python: a result for each slice; resamples of slices of ten and more items",
    "compare --by, 10,000 slices of 20 items on average": "resamples and exact p-values of each slice; sorting",
    "compare --by, 500 slices of 20 items": "Python: a comparison of its own for each slice; sorting its resamples",
    "howsure compare --by, 100,000 slices of 5 items on average": "Python: a result for each slice; reading the table",
    "howsure compare --by, 100,000 slices of 5 items": "Python: a result for each slice; reading the table",
    "audit, 30 items × 1, 200 data sets of each kind": "resamples; NumPy calls for many data sets at a time",
    "audit, 100 items × 5, 100 data sets of each kind": "resamples of responses",
    "compare, 200 own metrics with item scores, 200 items": "exact p-values, resamples of the intervals, and their joint confidence level",
    "compare, 200 own metrics, vectorized functions, 200 items": "the functions, called with many resamples at a time",
    "compare, 200 own metrics, plain functions, 200 items": "the functions, called with many resamples at a time",
    "compare, 10 own metrics, functions that need one resample at a time": "Python: one call of the function for each resample and model",
    "howsure compare, 200 items": "imports: Polars, NumPy",
    "howsure compare, 40,000 columns": "Python: names of columns",
    "howsure fit, 1,000,000 responses, normal": "the likelihood, once for each trial of the optimiser",
    "howsure fit, 1,000,000 responses, likert": "the likelihood, once for each trial of the optimiser",
}


def run(source, job, cache, turns):
    """Return the processor time of a job with the package in `source`."""
    environment = os.environ | {"PYTHONPATH": str(source / "src"), "NUMBA_CACHE_DIR": cache}
    code = PREPARE.replace("{job}", job).replace("{turns}", str(turns))
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{job} with {source}: {done.stderr[-2000:]}")
    return float(done.stdout)


MEASURED_RUN = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6)
"""


def command(source, words, folder, cache, turns=3):
    """Return the least processor time of a command, caches warm, and its memory in GB."""
    path = os.pathsep.join([str(source / "src"), str(Path(folder) / "packages")])
    environment = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # byte code is kept, as it is for everybody who does not forbid it
    line = [sys.executable, "-c", MEASURED_RUN, sys.executable, "-m", "howsure", *words.split()]
    found = []
    for _ in range(turns + 1):
        done = subprocess.run(line, env=environment, check=False, capture_output=True, text=True, cwd=folder)
        done.check_returncode()
        found.append([float(number) for number in done.stdout.split()])
    return min(found[1:])


def write_tables(folder):
    """Write the files that the commands read."""
    rng = np.random.default_rng(0)
    subprocess.run(
        [sys.executable, "-m", "howsure", "example", "ratings.csv"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")}, cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    with (Path(folder) / "wide.csv").open("w") as file:
        names = [f"c{j}" for j in range(40_000)]
        for row in [["item", *names], *([i, *rng.normal(size=40_000).round(6)] for i in range(10))]:
            file.write(",".join(str(cell) for cell in row) + "\n")
    sizes = {"slices": np.full(100_000, 5), "varied": np.maximum(1, np.random.default_rng(1).poisson(5, 100_000))}
    for name, each in sizes.items():
        cells, topics = (
            rng.normal(size=(each.sum(), 3)).round(6).tolist(),
            np.repeat(np.arange(each.size), each).tolist(),
        )
        rows = enumerate(zip(topics, cells, strict=True))
        lines = (f"{i},t{topic},{gold},{a},{b}\n" for i, (topic, (gold, a, b)) in rows)
        (Path(folder) / f"{name}.csv").write_text("item,topic,human,a,b\n" + "".join(lines))
    means = rng.normal(size=(200_000, 1))
    values = means + rng.normal(size=(200_000, 5))
    for name, cells in (("normal", values.round(6)), ("likert", np.clip(np.round(3 + 1.2 * values), 1, 5))):
        lines = (f"{i},human,{cell}\n" for i, row in enumerate(cells.tolist()) for cell in row)
        (Path(folder) / f"{name}.csv").write_text("item,source,value\n" + "".join(lines))


def threads():
    """Return what a second thread gains, if `threads.py` has measured it."""
    path = ROOT / "docs" / "measured" / "threads.csv"
    if not path.exists():
        return ""
    with path.open() as file:
        rows = [
            f"| {row['work']} | {row['seconds']} | {row['two_threads']} | {row['machine']} |"
            for row in csv.DictReader(file)
        ]
    return f"""
## Two threads against one

Made by `python benchmarks/threads.py` (`docs/measured/threads.csv`), all with the same bits on one and on two threads. *The
machine* is what a second thread gained at the same time in a loop that stays in the cache. The goal was 1.8.

| work | seconds on one thread | two threads against one | the machine |
|---|---|---|---|
{chr(10).join(rows)}
"""


def page(found):
    """Write docs/evidence/run-times.md."""
    rows = []
    for name, row in found["jobs"].items():
        before = f"{row['previous']:.3g}" if row["previous"] is not None else "–"
        ratio = f"{row['previous'] / row['now']:.3g}" if row["previous"] is not None else "–"
        memory = f" ({row['memory']:.2f} GB)" if "memory" in row else ""
        rows.append(f"| {name} | {row['now']:.3g}{memory} | {before} | {ratio} | {LIMITS[name]} |")
    calm = "did nothing else" if found["load"] < 1.5 else "was busy with other work"
    advice = "" if found["load"] < 1.5 else ", so read the ratios rather than the seconds"
    text = f"""# Run times, and what limits them

Made by `python benchmarks/speed_table.py`, which also measures an earlier version ({found["previous"]}) in turns with this
version. Seconds of processor time on one thread, the least of three turns (of 25 for resamples and
`howsure compare`, whose memory others may use, too). The machine had {found["cores"]} cores and {calm}
(load up to {found["load"]:.1f}){advice}. Commands are measured with their start-up.

| job | this version | earlier version | times as fast | what limits it |
|---|---|---|---|---|
{chr(10).join(rows)}

* A resample of MAE takes {found["times_bare"]:.1f} times as long as the bare generator takes for the same random indices (1,000,000 items).
* Its time grows with items to the power {found["slope"]:.2f} from 1,000 to 1,000,000 items, with the same total number of drawn items
({found["slope_previous"]:.2f} in the earlier version).
* Once the items are prepared, 9,999 resamples of wins take {found["flat"]:.2f} times as long for 1,000,000 items as for 1,000.
* At 100,000 items a resample takes, in units of a resample of MAE by this version and by the earlier version: {found["ranks"]}.
* Jobs of the earlier version that would take minutes are measured with fewer resamples and multiplied, its commands not at all (–).
{threads()}"""
    (ROOT / "docs" / "evidence" / "run-times.md").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--previous", default="72c649b")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "measured" / "speed_table.json")
    parser.add_argument("--only", default="", help="measure jobs that start so, keep the others of --out")
    options = parser.parse_args()
    earlier = json.loads(options.out.read_text()) if options.only else {"jobs": {}, "load": 0.0}
    kept = earlier["jobs"]
    with tempfile.TemporaryDirectory() as folder:
        before = Path(folder) / "previous"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(before), options.previous], check=True, capture_output=True)
        caches = {side: str(Path(folder) / side) for side in ("now", "then")}
        try:
            jobs = {}
            for name, (job, old, times) in JOBS.items():
                if name in kept and not name.startswith(tuple(options.only.split(";"))):
                    jobs[name] = kept[name]
                    continue
                turns = 1 if name.startswith(ONCE) else 25 if name.endswith("resamples") else 3
                previous = run(before, old, caches["then"], turns) * times if old else None
                jobs[name] = {"now": run(ROOT, job, caches["now"], turns), "previous": previous}
                print(name, jobs[name], flush=True)
            write_tables(folder)
            install = [sys.executable, "-m", "pip"] if importlib.util.find_spec("pip") else ["pip"]
            target = str(Path(folder) / "packages")  # what the previous release's commands need and ours do not
            subprocess.run([*install, "install", "--quiet", "--target", target, "typer"], check=True)
            for name, words in COMMANDS.items():
                if name in kept and not name.startswith(tuple(options.only.split(";"))):
                    jobs[name] = kept[name]
                    continue
                turns = 25 if name == "howsure compare, 200 items" else 1
                minutes = name.startswith(
                    ("howsure compare --by", "howsure fit")
                )  # is how long the previous release takes
                previous, _ = (None, None) if minutes else command(before, words, folder, caches["then"], turns)
                now, memory = command(ROOT, words, folder, caches["now"], turns)
                jobs[name] = {"now": now, "previous": previous, "memory": memory}
                print(name, jobs[name], flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(before)], check=True, capture_output=True)
    means = [jobs[f"MAE, {n:,} items, {200_000_000 // n:,} resamples"] for n in (1_000, 10_000, 100_000, 1_000_000)]
    logs = np.log([1_000, 10_000, 100_000, 1_000_000])
    slopes = [1 + float(np.polyfit(logs, np.log([row[side] for row in means]), 1)[0]) for side in ("now", "previous")]
    unit = {side: jobs["MAE, 100,000 items, 199 resamples"][side] for side in ("now", "previous")}
    ranks = [
        f"{name} {jobs[job]['now'] / unit['now']:.1f} and {jobs[job]['now'] / unit['previous']:.1f}"
        for name in ("Spearman", "AUC", "Kendall")
        for job in [f"{name}, 100,000 items, 199 resamples"]
    ]
    found = {
        "previous": options.previous, "jobs": jobs, "slope": slopes[0], "slope_previous": slopes[1],
        "times_bare": means[-1]["now"] / jobs["bare generator, 1,000,000 items, 200 resamples"]["now"],
        "flat": (jobs["wins, 1,000,000 items, 9,999 resamples"]["now"] - jobs["wins, 1,000,000 items, 9 resamples"]["now"])
        / jobs["wins, 1,000 items, 9,999 resamples"]["now"],
        "ranks": "; ".join(ranks), "cores": os.cpu_count(), "load": max(earlier["load"], os.getloadavg()[0]),
    }  # fmt: skip
    options.out.write_text(json.dumps(found, indent=2) + "\n")
    if options.out.parent == ROOT / "docs" / "measured":
        page(found)


if __name__ == "__main__":
    main()
