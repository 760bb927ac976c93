"""Two threads against one, in everything that takes longer than a fifth of a second.

    OPENBLAS_NUM_THREADS=1 python benchmarks/threads.py [--rounds 6] [--share 1.0] [--only WORDS]
        [--out docs/measured/threads.csv]

Each kind of work runs on one and on two threads in turns with a loop that stays in the cache (`machine`: what a second
thread can gain here at all). Gains are best time over best time. Read them on a machine that does nothing else. `--share`
makes the work smaller, to see that the program runs. The last rows say from how many numbers on a second thread helps where
Python calls NumPy all the time (`howsure.resampling.draws.ALONE`). Nothing here is a test.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars

import howsure
from compare_speed import BOTH, make, rounds, toss
from howsure import _random, auditing, comparison, leaderboards, models, paired, planning
from howsure.metrics import resolve
from howsure.resampling import Scheme, draw
from measured import MEASURED, write_rows

OWN = howsure.FunctionMetric(lambda gold, model: np.median(np.abs(model - gold)), better="lower", name="own")


def contest_of(n):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=n)
    return howsure.Contest.from_arrays(gold, gold + rng.normal(size=n), gold + 1.1 * rng.normal(size=n))


def rated(n=400, r=8):
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=r) + rng.normal(size=(n, r))
    ids = np.tile(np.arange(r), (n, 1))
    a, b = (howsure.Responses.from_grid(gold.mean(axis=1, keepdims=True) + rng.normal(size=(n, 2))) for _ in range(2))
    return howsure.Contest(
        howsure.Responses.from_grid(gold, ids), a, b, howsure.Scale("continuous"), np.arange(n).astype(str),
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
        ).advantages

    small, labels, many, raters = make(1000, 5)[0], make(1000, 5, levels=True)[0], contest_of(100_000), rated()
    rng = np.random.default_rng(0)
    names = [f"m{j}" for j in range(30)]
    table = howsure.read(polars.DataFrame({
        "item": np.repeat(np.arange(500), 30), "source": names * 500, "value": rng.normal(size=15_000),
    }))  # fmt: skip
    swap, items = Scheme("all"), Scheme()

    def simulated(workers):
        model, count = models.preset("likert-toxicity"), max(64, round(share * 20_000))
        metrics = [resolve("mae").on(model.scale), resolve("wins").on(model.scale)]
        return models.simulate_advantages(
            model, metrics, n_items=100, epsilon=0.1, n_simulations=count, rng=0, workers=workers
        )

    def compared(workers, *, metric="mae", n_resamples=199_999, **how):
        n_draws = max(64, round(share * n_resamples))
        return comparison.compare(raters, metric=metric, n_resamples=n_draws, rng=0, workers=workers, **how).draws

    def ranked(workers):
        found = leaderboards.compare_all(table, rng=0, n_resamples=max(64, round(share * 9_999)), workers=workers)
        return np.array([pair.pvalue_adjusted for pair in found.pairs])

    def ranked_by(metric, workers):
        found = leaderboards.compare_all(
            judged_models, gold="gold", metric=metric, rng=0, n_resamples=max(64, round(share * 1_999)), workers=workers
        )
        return np.array([pair.pvalue_adjusted for pair in found.pairs])

    def voted(workers):
        found = leaderboards.compare_votes(votes, rng=0, n_resamples=max(64, round(share * 999)), workers=workers)
        return np.array([pair.pvalue_adjusted for pair in found.pairs])

    def agreed(workers):
        levels = np.random.default_rng(0).integers(1, 6, (300, 1)) + np.random.default_rng(1).integers(-1, 2, (300, 6))
        judged = howsure.read(polars.DataFrame({
            "item": np.repeat(np.arange(300), 6), "source": ["gold"] * 1800, "value": levels.ravel(),
            "rater": [f"r{j}" for j in range(6)] * 300,
        }), scale="ordinal")  # fmt: skip
        found = raters.measure_agreement(
            judged, source="gold", rng=0, n_resamples=max(64, round(share * 39_999)), workers=workers
        )
        return np.array([one.confidence_interval.low for one in found.coefficients])

    def tested(test, n_resamples, workers):
        count = max(64, round(share * n_resamples))
        return np.array(paired.significance_test(scores, test=test, n_resamples=count, rng=0, workers=workers).pvalue)

    def powered(test, workers):
        found = paired.power_curve(
            few_scores, test=test, sizes=[100, 200, 400], n_simulations=max(64, round(share * 2_000)),
            rng=0, workers=workers,
        )  # fmt: skip
        return np.array(found.power)

    def planned(metric, workers):
        found = planning.plan(
            "normal",
            metrics=metric,
            epsilon=0.2,
            n_items=[100, 200],
            n_responses=[(1, 1, 1), (2, 2, 2)],
            rng=0,
            workers=workers,
        )
        return np.array([cell.power for cell in found.cells])

    def sliced(workers):
        found = comparison.compare_each(parted, metrics=["mae"], by="topic", rng=0, n_resamples=9_999, workers=workers)
        return np.array([one.pvalue for one in found])

    judged_models = howsure.read(polars.DataFrame({
        "item": np.repeat(np.arange(500), 21), "source": ["gold", *names[:20]] * 500,
        "value": (rng.normal(size=(500, 1)) + rng.normal(size=(500, 21))).ravel(),
    }))  # fmt: skip
    votes = polars.DataFrame({
        "model_a": [f"m{i}" for i in rng.integers(0, 20, 5_000)],
        "model_b": [f"m{i}" for i in rng.integers(20, 40, 5_000)],
        "winner": rng.choice(["model_a", "model_b"], 5_000),
    })  # fmt: skip
    gold, a, b = (np.random.default_rng(i).normal(size=max(200, round(share * 5_000))) for i in range(3))
    parted = replace(
        howsure.Contest.from_arrays(gold, gold + a, gold + b), groups={"topic": np.arange(gold.size) // 20}
    )
    scores = paired.PairedScores.from_arrays(*(np.random.default_rng(0).normal(0.01, 1, (2, 2_000))))
    few_scores = paired.PairedScores.from_arrays(*(np.random.default_rng(0).normal(0.1, 1, (2, 200))))

    def audited(n_simulations, workers, **how):
        n_simulations = max(2, round(share * n_simulations))
        found = auditing.audit("normal", rng=0, workers=workers, n_simulations=n_simulations, **how)
        return np.array([row.mean for row in found.tests])

    small_design = {"metrics": ["mae"], "designs": [(30, 1), (30, 10)], "n_resamples": 199, "n_fresh": 20}

    return {
        "items, mae, 1,000 items": partial(drawn, small, "mae", 200_000, items, None),
        "responses, mae, 1,000 × 5": partial(drawn, small, "mae", 20_000, BOTH, None),
        "responses, tv, 1,000 × 5": partial(drawn, labels, "tv", 20_000, BOTH, None),
        "sign-flip, mae, 1,000 items": partial(drawn, small, "mae", 2_000_000, swap, "sign-flip"),
        "items, mae, 100,000 items": partial(drawn, many, "mae", 2_000, items, None),
        "items, spearman, 100,000 items": partial(drawn, many, "spearman", 2_048, items, None),
        "items, kendall, 100,000 items": partial(drawn, many, "kendall", 512, items, None),
        "raters and items, 400 × 8": compared,
        "raters and items, spearman, 400 × 8": partial(compared, metric="spearman", n_resamples=19_999),
        "documents, 400 items": partial(compared, raters="fixed", cluster="document"),
        "simulated studies, likert": simulated,
        "a leaderboard of 30 models": ranked,
        "a leaderboard of 20 models, spearman": partial(ranked_by, "spearman"),
        "5,000 votes on 40 models": voted,
        "agreement of 6 raters, 300 items": agreed,
        "250 slices of 20 items": sliced,
        "two lists of 2,000 scores, bootstrap": partial(tested, "bootstrap", 99_999),
        "two lists of 2,000 scores, permutation": partial(tested, "permutation", 199_999),
        "power of two lists, bootstrap": partial(powered, "bootstrap"),
        "power of two lists, wilcoxon": partial(powered, "wilcoxon"),
        "a plan, spearman, 4 designs": partial(planned, "spearman"),
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
    parser.add_argument("--only", default="", help="kinds of work whose names contain this")
    parser.add_argument("--out", type=Path, default=MEASURED / "threads.csv")
    options = parser.parse_args()
    rows = []
    for name, work in works(options.share).items():
        if options.only not in name:
            continue
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
