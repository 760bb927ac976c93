"""How often p-value and interval contradict each other about 0, and what their agreement costs; docs/measured/test_and_interval.csv.

    python benchmarks/test_and_interval.py [--data-sets 1000]    run, and put the table into docs/evidence/intervals.md
    python benchmarks/test_and_interval.py --page                the table only

Two models answer N items; "equal" models are exchangeable, of "different" ones A is better. Both intervals are made of
the same resamples: "before" as its method gives it, "after" as `compare` gives it, in agreement with the test. Where A
is better, the true advantage is that of 400,000 items, of metrics without item scores the mean over 200 studies of
2,000 items.
"""

import argparse
import functools
import warnings

import numpy as np

from howsure import Contest, Responses
from howsure.comparison import compare
from howsure.data.scales import Scale
from howsure.errors import HowsureWarning
from howsure.inference import binomial_region
from howsure.intervals import INTERVALS
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

OUT = MEASURED / "test_and_interval.csv"
ITEMS = (12, 20, 30, 60, 100)
ALPHA = 0.05


def labels(rng, n, better, *, right, differ):
    """Return right and wrong answers: A and B differ on a share of the items."""
    both = rng.random(n) < right
    swapped = rng.random(n) < differ
    a_wins = rng.random(n) < (0.8 if better else 0.5)
    a, b = np.where(swapped, a_wins, both), np.where(swapped, ~a_wins, both)
    gold = np.ones((n, 1))
    return contest(gold, a[:, np.newaxis] * 1.0, b[:, np.newaxis] * 1.0, Scale.of([0.0, 1.0], kind="nominal"))


def errors(rng, n, better, *, skewed=False):
    """Return numbers: gold, and two models that miss it."""
    gold = rng.normal(size=(n, 1))
    noise = rng.lognormal(0, 1, (2, n, 1)) * rng.choice([-1, 1], (2, n, 1)) if skewed else rng.normal(size=(2, n, 1))
    noise[1] *= 1.5 if better else 1.0
    return contest(gold, gold + noise[0], gold + noise[1], Scale("continuous"))


def ratings(rng, n, better):
    """Return ratings 1 to 5 of both models' outputs, without gold."""
    item = rng.normal(size=n)
    sides = [np.clip(np.round(item + rng.normal(size=n) + shift), -2, 2) + 3 for shift in (0.5 * better, 0.0)]
    return contest(None, *(side[:, np.newaxis] for side in sides), Scale.of([1.0, 2.0, 3.0, 4.0, 5.0]))


def contest(gold, a, b, scale):
    sources = [None if side is None else Responses.from_grid(side) for side in (gold, a, b)]
    return Contest(*sources, scale, np.arange(len(a)).astype(str))


RARE = functools.partial(labels, right=0.8, differ=0.1)
OFTEN = functools.partial(labels, right=0.6, differ=0.4)
SETTINGS = {
    "accuracy, 10% differ": ("accuracy", RARE),
    "accuracy, 40% differ": ("accuracy", OFTEN),
    "rating 1 to 5": ("rating", ratings),
    "mae": ("mae", errors),
    "mae, lognormal errors": ("mae", functools.partial(errors, skewed=True)),
    "wins (mae)": ("wins", errors),
    "rmse": ("rmse", errors),
    "spearman": ("spearman", errors),
    "kendall": ("kendall", errors),
    "f1": ("f1", OFTEN),
}


@functools.cache
def truth_of(name):
    """Return the advantage of endlessly many items where A is better."""
    metric, make = SETTINGS[name]
    rng = np.random.default_rng(1)
    if metric in ("spearman", "kendall", "f1", "rmse"):
        return float(np.mean([advantage(make(rng, 2000, True), metric) for _ in range(200)]))
    return advantage(make(rng, 400_000, True), metric)


def advantage(data, metric):
    from howsure.metrics import resolve
    from howsure.resampling import summaries_of

    chosen = resolve(metric)
    chosen = chosen.on(data.scale) if hasattr(chosen, "on") else chosen
    return float(chosen.advantage(*summaries_of(data, chosen.needs)))


def measure(name, n, better, n_sets):
    metric, make = SETTINGS[name]
    rng = np.random.default_rng([list(SETTINGS).index(name), n, better])
    truth = truth_of(name) if better else 0.0
    counts = dict.fromkeys(("p", "clash_before", "clash_after", "outside_before", "covers_before", "covers_after"), 0)
    n_defined, width = 0, np.zeros(2)
    for number in range(n_sets):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)
            result = compare(make(rng, n, better), metric=metric, n_resamples=999, rng=number)
        after = result.confidence_interval
        before = INTERVALS[after.method].limits(result.evidence, after.confidence_level, "two-sided")
        if np.isnan(before.low) or np.isnan(result.pvalue):
            continue
        n_defined += 1
        rejects = result.pvalue <= ALPHA + 1e-12
        counts["p"] += rejects
        counts["outside_before"] += 0 not in before
        for when, ends in (("before", before), ("after", after)):
            counts[f"clash_{when}"] += rejects == (0 in ends)
            counts[f"covers_{when}"] += truth in ends
        width += [before.width, after.width]
    return {"setting": name, "n_items": n, "models": "different" if better else "equal", "interval": after.method,
            "data_sets": n_defined, **counts, "width": round(float(width[1] / width[0]), 4)}  # fmt: skip


def page():
    """Put the table into docs/evidence/intervals.md; shares outside the region of 5 or 95% are bold."""
    body = []
    for row in read_rows(OUT):
        n = int(row["data_sets"])

        def share(name, row=row, n=n):
            return f"{100 * int(row[name]) / n:.1f}"

        level = binomial_region(n, ALPHA, confidence_level=0.99)
        too_often = row["models"] == "equal" and int(row["p"]) > level.high
        covers = [
            f"**{share(name)}**"
            if int(row[name]) < binomial_region(n, 0.95, confidence_level=0.99).low
            else share(name)
            for name in ("covers_before", "covers_after")
        ]
        p = f"**{share('p')}**" if too_often else share("p")
        body.append([row["setting"], row["n_items"], row["models"], row["interval"], share("clash_before"),
                     share("clash_after"), p, share("outside_before"), *covers, row["width"]])  # fmt: skip
    head = ["metric", "items", "models", "interval", "contradictions before, %", "after, %", "p ≤ .05, %",
            "interval before excludes 0, %", "coverage before, %", "after, %", "width after / before"]  # fmt: skip
    target = ROOT / "docs" / "evidence" / "intervals.md"
    put_between(target, "<!-- benchmarks/test_and_interval.py -->", markdown(head, body))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--page", action="store_true", help="write the table only")
    parser.add_argument("--only", default="", help="settings that contain this text, to try")
    options = parser.parse_args()
    if not options.page:
        rows = []
        for name in (name for name in SETTINGS if options.only in name):
            for better in (False, True):
                for n in ITEMS:
                    rows.append(measure(name, n, better, options.data_sets))
                    print(rows[-1], flush=True)
        if options.only:
            return
        write_rows(rows, OUT)
    page()


if __name__ == "__main__":
    main()
