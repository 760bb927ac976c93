"""How long the jobs take that people wait for; writes docs/measured/speed.csv and the tables of docs/evidence/speed.md.

    OPENBLAS_NUM_THREADS=1 python benchmarks/speed.py [--only WORD] [--page]

Commands are measured with their start-up, calls of Python after one call before. Each figure is the least of three turns,
in seconds of processor time (`seconds`) and of the clock (`clock`), on one thread unless the job says otherwise. The goal
is what was agreed before the measurement; a job of SciPy's beside one of ours has the ratio of both instead.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

import howsure
from howsure import comparison
from howsure.metrics import resolve
from howsure.models import preset, simulate_advantages
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

TURNS = 3


def contest_of(n, k=1):
    """Return a contest of n items with k responses of each source, A a little better than B."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(n, 1))
    gold, a, b = (howsure.Responses.from_grid(gold + sd * rng.normal(size=(n, k))) for sd in (0.3, 1.0, 1.1))
    return howsure.Contest(gold, a, b, howsure.Scale("continuous"), np.arange(n).astype(str))


def compare(n, k, metric, **options):
    """Return a comparison as a job."""
    contest = contest_of(n, k)
    return lambda: comparison.compare(contest, metric=metric, rng=0, workers=1, **options)


def scipys(n, k, n_resamples):
    """Return SciPy's permutation test and bootstrap of the item advantages of MAE as a job."""
    rows = resolve("mae").on(howsure.Scale("continuous")).item_advantages(*means(contest_of(n, k)))

    def mean(values, axis):
        return values.mean(axis=axis)

    def job():
        how = {"n_resamples": n_resamples, "batch": 200, "rng": np.random.default_rng(0)}
        stats.permutation_test((rows,), mean, permutation_type="samples", vectorized=True, **how)
        stats.bootstrap((rows,), mean, method="percentile", vectorized=True, **how)

    return job


def means(contest):
    """Return the mean response to each item of gold, A and B."""
    return [source.values.reshape(contest.n_items, -1).mean(axis=1) for source in (contest.gold, contest.a, contest.b)]


def simulated(name, workers):
    """Return 1,000 data sets and 1,000 null data sets of 1,000 items × 5 responses by MAE and wins as a job."""
    model = preset(name)
    metrics = [resolve(metric).on(model.scale) for metric in ("mae", "wins")]
    how = {"n_items": 1000, "n_responses": 5, "epsilon": 0.05, "n_simulations": 1000, "rng": 0, "workers": workers}
    return lambda: [simulate_advantages(model, metrics, null=null, **how) for null in (False, True)]


def calls(folder):
    """Return the jobs: what is done, the goal, and a function or the words of a command."""
    tables = {}
    for n in (200, 1_000_000):
        contest = contest_of(n)
        sides = {name: source.values for name, source in (("gold", contest.gold), ("a", contest.a), ("b", contest.b))}
        tables[n] = folder / f"{n}.parquet"
        pl.DataFrame({"item": np.arange(n), **sides}).write_parquet(tables[n])
        pl.DataFrame({"item": np.arange(n), **sides}).write_csv(tables[n].with_suffix(".csv"))

    def compared(n, ending, *words):
        return ["compare", str(tables[n].with_suffix(ending)), "--gold", "gold", "--a", "a", "--b", "b", *words]

    return [
        ("python -c 'import numpy'", None, ["import numpy"]),
        ("howsure --help", None, ["--help"]),
        ("howsure compare, 200 items", 0.8, compared(200, ".csv", "--metric", "mae")),
        ("howsure compare, 200 items, Spearman", 2.0, compared(200, ".csv", "--metric", "spearman")),
        ("compare, 200 items, second call in a process", 0.15, compare(200, 1, "mae")),
        ("compare, Spearman, 1,000 items", 2.0, compare(1000, 1, "spearman")),
        ("compare, Kendall, 200 items", 1.0, compare(200, 1, "kendall")),
        ("compare, own function, 200 items", None, compare(200, 1, MEDIAN)),
        ("Polars reads 1,000,000 items from CSV", None, lambda: pl.read_csv(tables[1_000_000].with_suffix(".csv"))),
        ("howsure compare, 1,000,000 items from CSV", None, compared(1_000_000, ".csv", "--metric", "mae")),
        ("compare, MAE, 1,000 × 5, exact p and formula", None, compare(1000, 5, "mae", interval="t")),
        ("compare, MAE, 1,000 × 5, 9,999 + 9,999 resamples", None, compare(1000, 5, "mae", n_resamples=9_999)),
        ("SciPy, the same item advantages, 9,999 + 9,999 resamples", None, scipys(1000, 5, 9_999)),
        ("howsure plan normal", 1.5, ["plan", "normal", "--epsilon", "0.1", "--target-power", "0.8"]),
        ("howsure plan likert-toxicity", None, ["plan", "likert-toxicity", "--epsilon", "0.1", "--target-power", "0.8"]),
        ("howsure audit, 100 data sets of 30 items", 5.0,
         ["audit", "normal", "--metric", "mae", "--n-items", "30", "--n-responses", "1", "--n-simulations", "100"]),
        ("2,000 data sets of 1,000 × 5, normal, two threads", None, simulated("normal", 2)),
        ("2,000 data sets of 1,000 × 5, Likert, two threads", None, simulated("likert-toxicity", 2)),
    ]  # fmt: skip


MEDIAN = howsure.FunctionMetric(lambda gold, model: np.median(np.abs(model - gold)), better="lower", name="median")


def seconds_of(job, folder):
    """Return processor seconds and seconds of the clock: the least of three turns."""
    if callable(job):
        job()
    found = []
    for _ in range(TURNS):
        who = resource.RUSAGE_SELF if callable(job) else resource.RUSAGE_CHILDREN
        before, start = resource.getrusage(who), time.perf_counter()
        if callable(job):
            job()
        else:
            words = ["-c", *job] if job[0].startswith("import") else ["-m", "howsure", *job]
            subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           cwd=folder, env=os.environ | {"HOWSURE_WORKERS": "1"})  # fmt: skip
        after = resource.getrusage(who)
        found.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.perf_counter() - start))
    return tuple(min(each) for each in zip(*found, strict=True))


def page():
    """Write the table and the ratios into the docs."""
    rows = read_rows(MEASURED / "speed.csv")
    clock = {row["job"]: float(row["seconds"]) for row in rows}
    put_between(
        ROOT / "docs" / "evidence" / "speed.md",
        "<!-- benchmarks/speed.py -->",
        markdown(
            ["job", "processor seconds", "on the clock", "goal"],
            [[row["job"], f"{float(row['seconds']):.3g}", f"{float(row['clock']):.3g}", row["goal"]] for row in rows],
        ),
    )
    scipy = clock["SciPy, the same item advantages, 9,999 + 9,999 resamples"]
    exact, drawn = (
        clock[f"compare, MAE, 1,000 × 5, {how}"] for how in ("exact p and formula", "9,999 + 9,999 resamples")
    )
    read = clock["Polars reads 1,000,000 items from CSV"]
    put_between(
        ROOT / "docs" / "evidence" / "speed.md",
        "<!-- ratios -->",
        f"* Against SciPy's permutation test and bootstrap of the same item advantages: **{scipy / exact:.0f} times** as "
        f"fast where nothing is resampled (goal 100), {scipy / drawn:.0f} times with as many resamples (goal 8).\n"
        f"* A million items take {clock['howsure compare, 1,000,000 items from CSV']:.1f} s from the file to the answer; "
        f"Polars alone reads the file in {read:.2f} s.\n"
        f"* `howsure --help` takes {clock['howsure --help'] / clock[HELP]:.2f} times as long as `{HELP}`.",
    )


HELP = "python -c 'import numpy'"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="jobs whose name holds this word; printed, not written")
    parser.add_argument("--page", action="store_true", help="write the page from the file")
    given = parser.parse_args()
    if given.page:
        return page()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, goal, job in calls(Path(folder)):
            if given.only in name:
                seconds, clock = seconds_of(job, folder)
                print(f"{name}: {seconds:.3f} ({clock:.3f} on the clock; goal {goal})", flush=True)
                rows.append({"job": name, "seconds": f"{seconds:.4f}", "clock": f"{clock:.4f}", "goal": goal or ""})
    if not given.only:
        write_rows(rows, MEASURED / "speed.csv")
        page()
    return None


if __name__ == "__main__":
    main()
