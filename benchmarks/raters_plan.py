"""Do plans with raters come true? Compare them with `compare` on fresh data; write docs/measured/raters_plan.csv.

    python benchmarks/raters_plan.py [--studies 1000] [--pilots 200] [--only pilot] [--workers 2] [--out FILE]
    python benchmarks/raters_plan.py tables      print the tables of docs/evidence/raters.md from the file

"known": mean ratings whose components are known (items × model SD 0.5, raters × model 0.3, noise 1); the planned power and
width of a design against those of `compare` on fresh data sets. "pilot": 20 pilots of 100 items × 5 gold raters, planned
from with the advantage that is true at that design; planned numbers are medians over pilots (with the range of 80% of
them), the truth is `compare` on fresh data. "leaning": the same from pilots of 80 × 6 in which A and B lie on different
sides of what raters differ by, so that the few at hand decide who wins. "unseen": pilots of 120 × 4 of a third kind, first
run when the plans were as they are; the other two were looked at while they were made. "interval": pilots of mean ratings, and how often the 95% interval of the
number of items holds the true one.
"""

import argparse
import csv
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from howsure import Contest, Responses
from howsure.comparison import compare_each
from howsure.data.scales import Scale
from howsure.errors import HowsureWarning
from howsure.inference import clopper_pearson
from howsure.metrics import resolve
from howsure.planning import Design, Effect, plan
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.rater_power import Noise, expectation, fewest

ROOT = Path(__file__).parents[1]
OF_ITEMS, OF_RATERS = 0.5, 0.3
KNOWN = Noise(2 * OF_ITEMS**2, 2 * OF_RATERS**2, 2.0)
DESIGNS = [
    (50, 3, 3), (100, 5, 5), (20, 10, 10), (200, 20, 20), (60, 10, 3), (200, 20, 3), (150, 15, 1), (100, 3, 0),
]  # fmt: skip
"""Items, raters, raters per item; 0 per item stands for nested raters, `raters` of them for each item."""

OF_PILOTS = {
    "pilot": [(100, 5), (300, 5), (100, 10), (100, 3), (100, 20)],
    "leaning": [(80, 6), (240, 6), (80, 15), (80, 3)],
    "unseen": [(120, 4), (360, 4), (120, 8), (240, 8), (60, 3)],
}
"""Items and raters; the first is the pilot's design."""

NOISES = {
    "pilot": (0.15, 0.25, ((0.0, 0.15), (0.0, 0.27))),
    "leaning": (0.25, 0.3, ((0.0, 0.1), (0.35, 0.1))),
    "unseen": (0.1, 0.4, ((0.0, 0.2), (0.1, 0.35))),
}
"""Standard deviations of raters and of their answers; how far each model is off, on average and from item to item."""

METRICS = {"continuous": ("mae", "wins"), "ordinal": ("tv", "accuracy")}


def planned_from(pilot, *, metric="rating", advantage=None, **options):
    """Plan raters from a pilot."""
    effect = None if advantage is None else Effect(resolve(metric), advantage)
    return plan(pilot, metrics=metric, effect=effect, raters="random", **options)


def ratings(rng, n, r, per_item, shift):
    """Return gold-free ratings with the known components."""
    nested = per_item == 0
    ids = np.arange(n * r).reshape(n, r) if nested else np.tile(np.arange(r), (n, 1))
    sides = [
        value + OF_ITEMS * rng.normal(size=(n, 1)) + (OF_RATERS * rng.normal(size=ids.max() + 1))[ids]
        + rng.normal(size=(n, r))
        for value in (shift, 0.0)
    ]  # fmt: skip
    if 0 < per_item < r:
        gone = np.argsort(rng.random((n, r)), axis=1) >= per_item
        for side in sides:
            side[gone] = np.nan
    a, b = (Responses.from_grid(side, ids) for side in sides)
    return Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))


def known(cell):
    """Compare the planned power and width of one design with those measured."""
    (n, r, per_item), studies = cell
    nested, per = per_item == 0, per_item or r
    design = Design(n, 0, per, per, n * r if nested else r, per, nested, 2)
    shift = 3 * float(np.sqrt(KNOWN.total(design)))
    rejected, width = 0, []
    for number in range(studies):
        contest = ratings(np.random.default_rng([number, n, r, per_item]), n, r, per_item, shift)
        n_resamples = 499 if nested else 3  # random effects need no draws here
        how = {"raters": None if nested else "random", "n_resamples": n_resamples, "workers": 1}
        found = compare_each(contest, metrics=["rating"], rng=number, **how)[0]
        rejected += found.pvalue <= 0.05
        width.append(found.confidence_interval.width)
    planned = expectation(KNOWN, design, shift, Test())
    name = f"{n} × {r} each, nested" if nested else f"{n} × {r}" + (f", {per} per item" if per < r else "")
    return [row("known", "rating", name, planned.width, np.nanmean(width), planned.power, rejected, studies)]


def against_gold(rng, n, r, study, kind):
    """Return models against the gold of few raters, B further off than A: by more noise, or to one side."""
    means = rng.random(n)
    of_raters, noise, models = NOISES[study]
    gold = means[:, np.newaxis] + of_raters * rng.normal(size=r) + noise * rng.normal(size=(n, r))
    sides = [gold, *((means + off + sd * rng.normal(size=n))[:, np.newaxis] for off, sd in models)]
    scale = Scale("continuous")
    if kind == "ordinal":
        sides, scale = [np.clip(np.floor(5 * side), 0, 4) for side in sides], Scale.of(np.arange(5.0), kind="ordinal")
    ids = np.tile(np.arange(r), (n, 1))
    sources = [Responses.from_grid(sides[0], ids), *(Responses.from_grid(side) for side in sides[1:])]
    return Contest(*sources, scale, np.arange(n).astype(str))


def pilots(cell):
    """Plan from pilots against gold, and measure what comes of it."""
    study, kind, studies = cell
    metrics, designs = METRICS[kind], OF_PILOTS[study]
    truth = {}
    for n, r in designs:
        for number in range(studies):
            contest = against_gold(np.random.default_rng([number, n, r, 1]), n, r, study, kind)
            for found in compare_each(
                contest, metrics=metrics, raters="random", n_resamples=199, rng=number, workers=1, correction="none"
            ):
                kept = truth.setdefault((found.metric, n, r), [0, [], []])
                kept[0] += found.pvalue <= 0.05
                kept[1].append(found.confidence_interval.width)
                kept[2].append(found.advantage)
    rows = []
    for metric in metrics:
        advantage = float(np.mean(truth[metric, *designs[0]][2]))
        planned = {design: [] for design in designs}
        for number in range(20):
            pilot = against_gold(np.random.default_rng([number, 2]), *designs[0], study, kind)
            for n, r in designs:
                found = planned_from(
                    pilot, metric=metric, advantage=advantage, n_items=n, n_raters=r, rng=number,
                    workers=1,
                )  # fmt: skip
                planned[n, r].append((found.cells[0].ci_width, found.cells[0].power))
        for n, r in designs:
            rejected, widths, advantages = truth[metric, n, r]
            (low, width, high), (least, power, most) = np.quantile(planned[n, r], [0.1, 0.5, 0.9], axis=0).T
            rows.append(
                row(study, metric, f"{n} × {r}", width, np.nanmean(widths), power, rejected, studies)
                | {"width_low": low, "width_high": high, "power_low": least, "power_high": most}
                | {"advantage": advantage, "true_advantage": np.mean(advantages)}
            )
    return rows


def interval(cell):
    """Count how often the interval of the number of items holds the true one."""
    r, per_item, n_pilots = cell
    target = Design(2, 0, 20, 20, 20, 20, False, 2)
    true = fewest(KNOWN, target, np.array([0.6]), Test(), target=0.8, most=100_000, of="items")[0]
    inside, ends = 0, []
    for number in range(n_pilots):
        pilot = ratings(np.random.default_rng([number, r, per_item, 3]), 50, r, per_item, 0.6)
        found = planned_from(
            pilot, advantage=0.6, n_raters=20, raters_per_item=20, n_items=[50], target_power=0.8, rng=number, workers=1
        )
        low, high = found.pilot.needed.low, found.pilot.needed.high
        inside += low <= true <= high
        ends.append((low, high))
    shares = clopper_pearson(inside, n_pilots)
    low, high = np.quantile(ends, 0.5, axis=0, method="inverted_cdf")
    return [
        {
            "study": "interval", "metric": "rating", "design": f"50 × {r}" + (f", {per_item} per item" if per_item < r else ""),
            "n": n_pilots, "coverage": inside / n_pilots, "low": shares.low, "high": shares.high, "true_items": true,
            "median_low": low, "median_high": high,
        }
    ]  # fmt: skip


def row(study, metric, design, width, true_width, power, rejected, n):
    ends = clopper_pearson(rejected, n)
    return {
        "study": study, "metric": metric, "design": design, "width": width, "true_width": true_width, "power": power,
        "rejected": rejected / n, "low": ends.low, "high": ends.high, "n": n,
    }  # fmt: skip


def tables():
    with (ROOT / "docs" / "measured" / "raters_plan.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    def of(entry, *names):
        return [float(entry[name]) for name in names]

    print("| design | planned width | measured | planned power | measured |\n|---|---|---|---|---|")
    for entry in rows:
        if entry["study"] == "known":
            width, true, power, rejected, low, high = of(
                entry, "width", "true_width", "power", "rejected", "low", "high"
            )
            print(
                f"| {entry['design']} | {width:.3f} | {true:.3f} | {power:.2f} | {rejected:.2f} [{low:.2f}, {high:.2f}] |"
            )
    for number, entry in enumerate(rows):
        if entry["study"] in OF_PILOTS:
            if entry["study"] != rows[number - 1]["study"]:
                print("\n| metric | design | true advantage | planned width / true | planned power | measured |")
                print("|---|---|---|---|---|---|")
            low, high, true, power, least, most, share, advantage, *ends = of(
                entry, "width_low", "width_high", "true_width", "power", "power_low", "power_high", "rejected",
                "true_advantage", "low", "high",
            )  # fmt: skip
            print(
                f"| {entry['metric']} | {entry['design']} | {advantage:.3f} | {low / true:.2f}–{high / true:.2f} | "
                f"{power:.2f} ({least:.2f}–{most:.2f}) | {share:.2f} [{ends[0]:.2f}, {ends[1]:.2f}] |"
            )
    print("\n| pilot | coverage, % | true number of items | median interval |\n|---|---|---|---|")
    for entry in rows:
        if entry["study"] == "interval":
            share, low, high, true, least, most = of(
                entry, "coverage", "low", "high", "true_items", "median_low", "median_high"
            )
            ends = f"{least:.0f} to " + (f"{most:.0f}" if np.isfinite(most) else "none suffices")
            print(
                f"| {entry['design']} | {100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}] | {true:.0f} | {ends} |"
            )


def run(job):
    warnings.simplefilter("ignore", HowsureWarning)
    task, cell = job
    return {"known": known, "interval": interval}.get(task, pilots)(cell)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=("run", "tables"), default="run")
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--pilots", type=int, default=200)
    parser.add_argument("--only", choices=("known", "interval", *OF_PILOTS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", default=ROOT / "docs" / "measured" / "raters_plan.csv")
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    jobs = [("known", (design, options.studies)) for design in DESIGNS]
    jobs += [("interval", (*shape, options.pilots)) for shape in ((3, 3), (5, 5), (10, 10), (30, 30), (10, 3))]
    jobs += [(study, (study, kind, options.studies // 3)) for study in OF_PILOTS for kind in METRICS]
    jobs = [job for job in jobs if options.only in (None, job[0])]
    started, rows = time.time(), []
    with ProcessPoolExecutor(options.workers) as pool:
        for number, part in enumerate(pool.map(run, jobs), 1):
            rows += part
            print(f"{number}/{len(jobs)}, {time.time() - started:.0f} s", file=sys.stderr)
    if options.only and Path(options.out).exists():
        with Path(options.out).open(newline="") as file:
            kept = list(csv.DictReader(file))
        order = ["known", "interval", *OF_PILOTS]
        rows = sorted([*(e for e in kept if e["study"] != options.only), *rows], key=lambda e: order.index(e["study"]))
    names = list(dict.fromkeys(name for entry in rows for name in entry))
    with Path(options.out).open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(
            {name: round(value, 5) if isinstance(value, float) else value for name, value in entry.items()}
            for entry in rows
        )


if __name__ == "__main__":
    main()
