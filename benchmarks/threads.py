"""Two threads against one, in everything that takes longer than a fifth of a second.

    OPENBLAS_NUM_THREADS=1 python benchmarks/threads.py [--rounds 6] [--share 1.0] [--out docs/measured/threads.csv]

Each kind of work runs on one and on two threads in turns with a loop that stays in the cache (`machine`: what a second
thread can gain here at all). Gains are best time over best time. Read them on a machine that does nothing else. `--share`
makes the work smaller, to see that the program runs. The last rows say from how many numbers on a second thread helps where
Python calls NumPy all the time (`assay.resampling.draws.ALONE`). Nothing here is a test.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import polars

import assay
from assay import _random, models
from assay.metrics import resolve
from assay.resampling import Scheme, draw
from compare_speed import BOTH, make, rounds, toss
from measured import MEASURED, write_rows

OWN = assay.FunctionMetric(lambda gold, model: np.median(np.abs(model - gold)), better="lower", name="own")


def contest_of(n):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=n)
    return assay.Contest.from_arrays(gold, gold + rng.normal(size=n), gold + 1.1 * rng.normal(size=n))


def rated(n=400, r=8):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=r) + rng.normal(size=(n, r))
    ids = np.tile(np.arange(r), (n, 1))
    a, b = (assay.Responses.from_grid(gold.mean(axis=1, keepdims=True) + rng.normal(size=(n, 2))) for _ in range(2))
    return assay.Contest(
        assay.Responses.from_grid(gold, ids), a, b, assay.Scale("continuous"), np.arange(n).astype(str),
        groups={"document": np.arange(n) // 4},
    )  # fmt: skip


def calls(n, n_calls, workers):
    """Call NumPy with n numbers, as metrics that see one draw at a time do: half of the calls in each half."""

    def half(_):
        gold, model = np.arange(float(n)), np.ones(n)
        return sum(float(np.abs(model - gold).mean()) for _ in range(n_calls // 2))

    with ThreadPoolExecutor(workers) as pool:
        return np.array(list(pool.map(half, range(2))))


def works(share):
    """Return each kind of work as a function of the number of threads."""
    seed = _random.seed_of(0)

    def drawn(contest, name, n_draws, scheme, null, workers):
        bound = resolve(name).on(contest.scale)
        n_draws = max(4, round(share * n_draws))
        return draw(
            contest, [bound], scheme=scheme, null=null, n_resamples=n_draws, seed=seed, workers=workers
        ).contrasts

    small, labels, many, raters = make(1000, 5)[0], make(1000, 5, levels=True)[0], contest_of(100_000), rated()
    rng = np.random.default_rng(0)
    names = [f"m{j}" for j in range(30)]
    table = assay.read(polars.DataFrame({
        "item": np.repeat(np.arange(500), 30), "source": names * 500, "value": rng.normal(size=15_000),
    }))  # fmt: skip
    swap, items = Scheme("all"), Scheme()

    def simulated(workers):
        model, count = models.preset("likert-toxicity"), max(64, round(share * 20_000))
        metrics = [resolve("mae").on(model.scale), resolve("wins").on(model.scale)]
        return models.simulate_contrasts(
            model, metrics, n_items=100, epsilon=0.1, n_simulations=count, rng=0, workers=workers
        )

    def compared(workers, **how):
        found = assay.compare(
            raters, metric="mae", n_resamples=max(64, round(share * 199_999)), rng=0, workers=workers, **how
        )
        return found.draws

    def ranked(workers):
        found = assay.compare_all(table, rng=0, n_resamples=max(64, round(share * 9_999)), workers=workers)
        return np.array([pair.pvalue_adjusted for pair in found.pairs])

    def audited(n_simulations, workers, **how):
        n_simulations = max(2, round(share * n_simulations))
        found = assay.audit("normal", rng=0, workers=workers, n_simulations=n_simulations, **how)
        return np.array([row.mean for row in found.tests])

    small_design = {"metrics": ["mae"], "designs": [(30, 1), (30, 10)], "n_resamples": 199, "n_fresh": 20}

    return {
        "items, mae, 1,000 items": partial(drawn, small, "mae", 200_000, items, None),
        "responses, mae, 1,000 × 5": partial(drawn, small, "mae", 20_000, BOTH, None),
        "responses, tv, 1,000 × 5": partial(drawn, labels, "tv", 20_000, BOTH, None),
        "swapped items, mae, 1,000 items": partial(drawn, small, "mae", 2_000_000, swap, "swapped-items"),
        "items, mae, 100,000 items": partial(drawn, many, "mae", 2_000, items, None),
        "items, spearman, 100,000 items": partial(drawn, many, "spearman", 2_048, items, None),
        "items, kendall, 100,000 items": partial(drawn, many, "kendall", 512, items, None),
        "raters and items, 400 × 8": compared,
        "documents, 400 items": partial(compared, raters="fixed", cluster="document"),
        "simulated studies, likert": simulated,
        "a board of 30 models": ranked,
        "an audit, 100 items × 5, 150 data sets": partial(audited, 150),
        "an audit, 30 items × 1 and 10, 300 data sets": partial(audited, 300, **small_design),
        "an audit, 30 items × 1 and 10, 40 data sets": partial(audited, 40, **small_design),
        "a function of the user's, 400 items": partial(drawn, raters, OWN, 9_999, items, None),
        "NumPy, calls with 1,000 numbers": partial(calls, 1_000, max(4, round(share * 40_000))),
        "NumPy, calls with 16,384 numbers": partial(calls, 16_384, max(4, round(share * 10_000))),
        "NumPy, calls with 65,536 numbers": partial(calls, 65_536, max(4, round(share * 2_500))),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--out", type=Path, default=MEASURED / "threads.csv")
    options = parser.parse_args()
    rows = []
    for name, work in works(options.share).items():
        bits = [work(1), work(2)]
        jobs = {(job, n): partial(job, n) for job in (work, toss) for n in (1, 2)}
        times = rounds(jobs, options.rounds)
        gain, machine = (times[job, 1].min() / times[job, 2].min() for job in (work, toss))
        rows.append(
            {
                "work": name, "seconds": f"{times[work, 1].min():.3f}", "two_threads": f"{gain:.2f}",
                "machine": f"{machine:.2f}", "same_bits": bool(np.array_equal(*bits, equal_nan=True)),
            }
        )  # fmt: skip
        print(rows[-1], flush=True)
    write_rows(rows, options.out)


if __name__ == "__main__":
    main()
