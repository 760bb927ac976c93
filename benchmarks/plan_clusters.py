"""Do plans for clusters of items (documents) come true, also with raters? Writes docs/measured/plan_clusters.csv.

    python benchmarks/plan_clusters.py [--pilots 30] [--studies 200]
    python benchmarks/plan_clusters.py tables      print the table of docs/evidence/plans.md from the file

"items": one response of gold, A and B per item, mean absolute error. In half of the documents B is off by half a point to one
side, in a third A is; the rest is noise of single items. "raters": ratings of the outputs of A and B by raters who judge
whole documents (standard deviations of documents .5, raters .3, single ratings 1; A is better by .6), mean rating. Sizes are
equal, or drawn from 1 to twice the mean less one. The truth is how often `compare` with `cluster` rejects on fresh studies.
Reported: found power and width, planned power (median and 80% of the pilots), width over the found one, and how often the 95%
interval of the planned power covers the found one (two standard errors of it allowed).
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from howsure import Contest, Responses, Scale
from howsure.comparison import compare
from howsure.errors import HowsureWarning
from howsure.metrics import resolve
from howsure.planning import Effect, plan
from measured import MEASURED, markdown, read_rows, write_rows

OUT = MEASURED / "plan_clusters.csv"
CASES = [
    ("items", 10, 10, "equal", 0, [30]),
    ("items", 20, 5, "equal", 0, [20, 60]),
    ("items", 40, 4, "unequal", 0, [40]),
    ("raters", 12, 4, "equal", 6, [36]),
    ("raters", 30, 4, "equal", 6, [30, 90]),
    ("raters", 30, 4, "unequal", 6, [30]),
]
"""What, documents of the pilot, items of each, their sizes, raters, documents that are planned."""


def documents(rng, n_documents, size, kind):
    """Return the document of each item."""
    sizes = rng.integers(1, 2 * size, n_documents) if kind == "unequal" else np.full(n_documents, size)
    return np.repeat(np.arange(n_documents), sizes)


def against_gold(rng, n_documents, size, kind):
    """Return A and B against gold; both are off in some documents."""
    document = documents(rng, n_documents, size, kind)
    gold = rng.normal(size=document.size)

    def side(noise, share):
        off = np.where(rng.random(n_documents) < share, rng.choice([-0.5, 0.5], n_documents), 0.0)
        return gold + noise * rng.normal(size=gold.size) + off[document]

    return Contest.from_arrays(gold, side(0.5, 1 / 3), side(0.6, 0.5), groups={"document": document.astype(str)})


def ratings(rng, n_documents, size, kind, n_raters):
    """Return ratings of A and B by raters who judge everything."""
    document = documents(rng, n_documents, size, kind)
    ids = np.tile(np.arange(n_raters), (document.size, 1))
    sides = [
        Responses.from_grid(
            shift + 0.5 * rng.normal(size=(n_documents, 1))[document] + 0.3 * rng.normal(size=n_raters)
            + rng.normal(size=ids.shape),
            ids,
        )
        for shift in (0.6, 0.0)
    ]  # fmt: skip
    items = np.arange(document.size).astype(str)
    return Contest(None, *sides, Scale("continuous"), items, ("", "A", "B"), groups={"document": document.astype(str)})


def study(what, n_documents, size, kind, n_raters, seed):
    """Draw a study, or a pilot."""
    rng = np.random.default_rng(seed)
    if what == "items":
        return against_gold(rng, n_documents, size, kind)
    return ratings(rng, n_documents, size, kind, n_raters)


def measure(case, n_pilots, n_studies):
    """Plan from pilots, and measure what comes of it."""
    what, n_documents, size, kind, n_raters, planned = case
    metric = "mae" if what == "items" else "rating"
    rows = []
    for number in planned:
        found = []
        for seed in range(n_studies):
            contest = study(what, number, size, kind, n_raters, [seed, number, size, 1])
            one = compare(contest, metric=metric, cluster="document", n_resamples=399, rng=seed, workers=1)
            found.append((one.pvalue <= 0.05, one.confidence_interval.width, one.advantage))
        power, width, advantage = np.mean(found, axis=0)
        cells = []
        for seed in range(n_pilots):
            pilot = study(what, n_documents, size, kind, n_raters, [seed, n_documents, size, 2])
            raters = {"n_raters": n_raters, "raters": "random"} if n_raters else {"n_responses": [1]}
            made = plan(
                pilot, metrics=metric, cluster="document", effect=Effect(resolve(metric), float(advantage)),
                n_items=round(number * pilot.n_items / n_documents + 0.5), rng=seed, workers=1, **raters,
            )  # fmt: skip
            cells.append(made.cells[0])
        error = float(np.sqrt((power * (1 - power) + 1 / n_studies) / n_studies))
        low, median, high = np.quantile([cell.power for cell in cells], [0.1, 0.5, 0.9])
        covered = [
            cell.power_interval.low - 2 * error <= power <= cell.power_interval.high + 2 * error for cell in cells
        ]
        rows.append({
            "what": what, "raters": n_raters, "sizes": kind, "pilot": f"{n_documents} × {size}",
            "design": f"{number} × {size}", "advantage": f"{advantage:.3g}", "found": round(power, 3),
            "error": round(error, 3), "planned": round(float(median), 3), "low": round(float(low), 3),
            "high": round(float(high), 3), "found_width": f"{width:.4g}",
            "width_ratio": round(float(np.median([cell.ci_width for cell in cells])) / width, 2),
            "covers": sum(covered), "pilots": n_pilots, "studies": n_studies,
        })  # fmt: skip
        print(*rows[-1].values(), sep=" | ", flush=True)
    return rows


def tables():
    """Print the table of the page."""
    head = ["what", "sizes", "pilot", "design", "found power", "planned (80% of pilots)", "width, planned over found",
            "intervals that cover"]  # fmt: skip
    print(
        markdown(
            head,
            [
                [
                    f"{row['raters']} raters" if int(row["raters"]) else "no raters", row["sizes"], row["pilot"],
                    row["design"], f"{row['found']} ± {row['error']}", f"{row['planned']} ({row['low']}–{row['high']})",
                    row["width_ratio"], f"{row['covers']} of {row['pilots']}",
                ]
                for row in read_rows(OUT)
            ],
        )
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("run", "tables"), default="run")
    parser.add_argument("--pilots", type=int, default=30)
    parser.add_argument("--studies", type=int, default=200)
    options = parser.parse_args()
    if options.what == "run":
        warnings.simplefilter("ignore", HowsureWarning)
        begun = time.process_time()
        write_rows([row for case in CASES for row in measure(case, options.pilots, options.studies)], OUT)
        print(f"{time.process_time() - begun:.0f} s of processor time", flush=True)
    tables()


if __name__ == "__main__":
    main()
