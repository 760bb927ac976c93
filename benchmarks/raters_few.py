"""Measure level and power with unequal rater loads and with gold by few raters; write docs/measured/raters_few.csv.

    python benchmarks/raters_few.py [--data-sets 400]    run
    python benchmarks/raters_few.py --fresh              other data, in docs/measured/raters_fresh.csv
    python benchmarks/raters_few.py --tables             print the tables of docs/evidence/raters.md from the files

Loads: differences between two models of 40 items × 12 raters; rater × model SD 0.3 or 0.6, item × model SD 0 or 0.5,
noise 1 per rating. balanced; three raters for each item by lot; halves (two groups of raters, each judges half of the items);
one (one rater judges all items, eleven share a second judgement of each); Zipf (three raters for each item, drawn in
proportion to 1, 1/2, 1/3 …). The reference is a mixed model: the components by Fisher scoring, the mean by generalised
least squares, Satterthwaite's degrees of freedom for the whole. Power is at three standard errors of that mean.

Gold: as in benchmarks/raters.py. "opposite": A is off by +0.2 and B by −0.2, raters differ by `severity`. "power": A has noise
0.15 and B 0.25 (numbers); labels of raters who are right with 0.8 and lean by SD 0.5 (logits), models who are right with
the probabilities given. "fixed" is Student's test of the item advantages: the answer for these raters.

Fresh: data that no setting of the method was chosen on, both models equally good for raters in general. "ratings": levels
1 to 5 of raters whose thresholds are shifted (by ±0.15 of the scale at most, uniformly, or normally with the same
standard deviation) and whose noise differs; items are beta(2, 2), A is a fifth of the scale too high on half of the items
and B too low. Beside them Student's test of as many shifts alone: what is left when nothing else has to be estimated. "labels": three labels, raters lean to
each by SD 0.7 (logits); A's errors (a quarter of its answers) go to the first label, B's to the second. N = 40, 150 and
R = 3, 4, 5.
"""

import argparse
import csv
import math
import warnings
from itertools import chain

import numpy as np
from scipy.special import stdtr, stdtrit

from howsure import Contest, Responses
from howsure.data.scales import Scale
from howsure.errors import HowsureWarning
from howsure.inference import clopper_pearson
from howsure.metrics import resolve
from howsure.raters.advantage_error import curved_error
from howsure.raters.components import two_way
from howsure.raters.mixed_model import fit_crossed
from howsure.resampling import summaries_of
from measured import MEASURED

OUT, FRESH = MEASURED / "raters_few.csv", MEASURED / "raters_fresh.csv"
SHAPES, SHIFT = ("uniform", "normal"), 0.15
KINDS = ("balanced", "three", "halves", "one", "zipf")


def judged(rng, kind, n=40, r=12):
    """Return which rater judges which item."""
    found = np.zeros((n, r), dtype=bool)
    if kind == "balanced":
        found[:] = True
    elif kind == "three":
        found = np.argsort(rng.random((n, r)), axis=1) < 3
    elif kind == "halves":
        found[: n // 2, : r // 2] = found[n // 2 :, r // 2 :] = True
    elif kind == "one":
        found[:, 0] = found[np.arange(n), 1 + np.arange(n) % (r - 1)] = True
    else:
        chance = 1 / np.arange(1, r + 1)
        for row in found:
            row[rng.choice(r, 3, replace=False, p=chance / chance.sum())] = True
    items, raters = np.nonzero(found)
    return items, np.unique(raters, return_inverse=True)[1]


def mixed_model(y, items, raters, start):
    """Return mean, half-width and standard error of the reference."""
    fit = fit_crossed(y, items, raters, start)
    w = fit.weights
    share = np.array([np.square(np.bincount(c, w)).sum() for c in (items, raters)] + [np.square(w).sum()])
    variance = float(share @ fit.truncated)
    df = 2 * variance**2 / float(share @ fit.covariance @ share)
    return float(w @ y), float(stdtrit(max(1.0, df), 0.975)) * math.sqrt(variance), math.sqrt(variance)


def loads(n_data_sets):
    """Count rejections and widths of ours and of the mixed model."""
    for of_raters, of_items in ((0.3, 0.0), (0.6, 0.5)):
        for number, kind in enumerate(KINDS):
            rng = np.random.default_rng([number, int(10 * of_raters)])
            rows = []
            for _ in range(n_data_sets):
                items, raters = judged(rng, kind)
                y = math.sqrt(2) * (of_raters * rng.normal(size=12)[raters] + rng.normal(size=items.size))
                y += math.sqrt(2) * of_items * rng.normal(size=40)[items]
                ours = two_way(y, items=items, raters=raters, best=True)
                found = mixed_model(y, items, raters, (ours.items, ours.raters, ours.residual))
                rows.append((ours.mean, ours.error.half_width(0.025), *found))
            mean, reach, reference, reference_reach, error = np.transpose(rows)
            shift = 3 * error.mean()
            for test, estimate, half in (("ours", mean, reach), ("mixed model", reference, reference_reach)):
                yield {
                    "study": f"loads, SD {of_raters:g} and {of_items:g}", "cell": kind, "test": test,
                    **rate("level", np.abs(estimate) > half), **rate("power", np.abs(estimate + shift) > half),
                    "width": round(2 * float(half.mean()), 4), "n_data_sets": n_data_sets,
                }  # fmt: skip


def rate(name, rejected):
    ends = clopper_pearson(int(rejected.sum()), rejected.size)
    return {name: float(rejected.mean()), f"{name}_low": round(ends.low, 4), f"{name}_high": round(ends.high, 4)}


def contest(gold, models, scale):
    n, r = gold.shape
    source = Responses.from_grid(gold, np.tile(np.arange(r), (n, 1)))
    return Contest(source, *map(Responses.from_grid, models), scale, np.arange(n).astype(str))


def numbers(rng, n, r, severity, bias, noise, n_levels=0):
    """Return numbers, or the same cut into labels."""
    means = rng.random(n)
    sides = [means[:, np.newaxis] + severity * rng.normal(size=r) + 0.25 * rng.normal(size=(n, r))]
    sides += [(means + s * rng.normal(size=n) + b)[:, np.newaxis] for s, b in zip(noise, (bias, -bias), strict=True)]
    if n_levels:
        sides = [np.clip(np.floor(n_levels * side), 0, n_levels - 1) for side in sides]
        return contest(sides[0], sides[1:], Scale.of(np.arange(float(n_levels)), kind="nominal"))
    return contest(sides[0], sides[1:], Scale("continuous"))


def labels(rng, n, r, right):
    """Return labels of raters who lean, and of models that are right with these probabilities."""
    truth = rng.integers(0, 2, n)
    chance = 1 / (1 + np.exp(-((2 * truth[:, np.newaxis] - 1) * math.log(4) + 0.5 * rng.normal(size=r))))
    models = [np.where(rng.random(n) < p, truth, 1 - truth).astype(float)[:, np.newaxis] for p in right]
    return contest((rng.random((n, r)) < chance).astype(float), models, Scale.of([0.0, 1.0], kind="nominal"))


def shifts(rng, shape, size):
    """Return by how much raters shift their thresholds."""
    return rng.uniform(-SHIFT, SHIFT, size) if shape == "uniform" else SHIFT / math.sqrt(3) * rng.normal(size=size)


def student(n_data_sets):
    """Count rejections of Student's test of the shifts of R raters."""
    for shape in SHAPES:
        for r in (3, 4, 5):
            found = shifts(np.random.default_rng(r), shape, (n_data_sets, r))
            error = found.std(axis=1, ddof=1) / math.sqrt(r)
            rejected = np.abs(found.mean(axis=1)) > stdtrit(r - 1, 0.975) * error
            row = {"study": "shifts", "cell": f"{shape}, {r}", "test": "Student", "n_data_sets": n_data_sets}
            yield row | rate("level", rejected)


def fresh_ratings(rng, n, r, shape):
    """Return levels of raters who shift all thresholds, and of two models that are off in opposite directions."""
    means = rng.beta(2, 2, n)
    noise = rng.uniform(0.05, 0.2, r)
    seen = means[:, np.newaxis] + shifts(rng, shape, r) + noise * rng.standard_t(5, (n, r))
    off = 0.2 * (rng.random(n) < 0.5)
    sides = [seen, *((means + sign * off + 0.1 * rng.normal(size=n))[:, np.newaxis] for sign in (1, -1))]
    sides = [1 + np.clip(np.floor(5 * side), 0, 4) for side in sides]
    return contest(sides[0], sides[1:], Scale.of(np.arange(1.0, 6.0), kind="ordinal"))


def fresh_labels(rng, n, r):
    """Return three labels of raters who lean to some, and of two models whose errors go to different labels."""
    truth = rng.integers(0, 3, n)
    logits = 1.5 * (truth[:, np.newaxis, np.newaxis] == np.arange(3)) + 0.7 * rng.normal(size=(r, 3))
    gold = np.argmax(logits + rng.gumbel(size=(n, r, 3)), axis=2).astype(float)
    models = [np.where(rng.random(n) < 0.75, truth, wrong).astype(float)[:, np.newaxis] for wrong in (0, 1)]
    return contest(gold, models, Scale.of([0.0, 1.0, 2.0], kind="nominal"))


def fresh_cells():
    for n in (40, 150):
        for r in (3, 4, 5):
            for metric in ("mae", "wins"):
                for shape in SHAPES:
                    yield (
                        "level", metric, f"{n} × {r}, {shape}",
                        (lambda rng, n=n, r=r, shape=shape: fresh_ratings(rng, n, r, shape)),
                    )  # fmt: skip
            yield "level", "accuracy", f"{n} × {r}", lambda rng, n=n, r=r: fresh_labels(rng, n, r)


def gold_cells():
    for r in (3, 5):
        for severity in (0.0, 0.06, 0.15):
            for metric in ("mae", "wins"):
                yield (
                    "level",
                    metric,
                    f"100 × {r}, severity {severity:g}",
                    (lambda rng, r=r, s=severity: numbers(rng, 100, r, s, 0.2, (0.15, 0.15))),
                )
            yield (
                "level",
                "accuracy",
                f"100 × {r}, severity {severity:g}",
                (lambda rng, r=r, s=severity: numbers(rng, 100, r, s, 0.2, (0.15, 0.15), 2)),
            )
        for metric in ("mae", "wins"):
            yield "power", metric, f"60 × {r}", lambda rng, r=r: numbers(rng, 60, r, 0.15, 0.0, (0.15, 0.25))
        for n, right in ((100, (0.85, 0.65)), (300, (0.8, 0.7)), (1000, (0.79, 0.73))):
            yield "power", "accuracy", f"{n} × {r}", lambda rng, n=n, r=r, p=right: labels(rng, n, r, p)


def gold(n_data_sets, cells):
    """Count rejections for raters like these and for these raters."""
    for number, (what, name, cell, draw) in enumerate(cells):
        rejected = {"raters like these": [], "these raters": []}
        for k in range(n_data_sets):
            data = draw(np.random.default_rng([number, k]))
            metric = resolve(name).on(data.scale)
            advantages = metric.item_advantages(*summaries_of(data, metric.needs))
            mean, error = float(advantages.mean()), float(advantages.std(ddof=1)) / math.sqrt(advantages.size)
            narrow = 2 * float(stdtr(advantages.size - 1, -abs(mean) / error)) if error else 1.0
            broad = curved_error(data, metric, None).pvalue(mean)
            rejected["these raters"].append(narrow <= 0.05)
            rejected["raters like these"].append(max(broad, narrow) <= 0.05)
        for test, found in rejected.items():
            row = {"study": f"gold, {what}", "cell": f"{name}, {cell}", "test": test, "n_data_sets": n_data_sets}
            yield row | rate(what, np.array(found))


def tables():
    with OUT.open() as lines:
        rows = list(csv.DictReader(lines))
    print(
        "| components | loads | level, % | mixed model | power, % | mixed model | width | mixed model |\n|" + "---|" * 8
    )
    ours, theirs = ([row for row in rows if row["test"] == test] for test in ("ours", "mixed model"))
    for one, two in zip(ours, theirs, strict=True):
        shown = [f"{shares(row, 'level')}" for row in (one, two)] + [
            f"{100 * float(row['power']):.0f}" for row in (one, two)
        ]
        print(
            "|",
            " | ".join([one["study"][7:], one["cell"], *shown, *(f"{float(row['width']):.2f}" for row in (one, two))]),
            "|",
        )
    with FRESH.open() as lines:
        fresh = list(csv.DictReader(lines))
    for what, shown in (("level", rows), ("power", rows), ("level", fresh)):
        print(f"\n| {what} | raters like these, % | these raters, % |\n|---|---|---|")
        pairs = [row for row in shown if row["study"] == f"gold, {what}"]
        for one, two in zip(pairs[::2], pairs[1::2], strict=True):
            print("|", " | ".join([one["cell"], shares(one, what), f"{100 * float(two[what]):.1f}"]), "|")


def shares(row, name):
    return (
        f"{100 * float(row[name]):.1f} [{100 * float(row[name + '_low']):.1f}, {100 * float(row[name + '_high']):.1f}]"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=400)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    if options.tables:
        tables()
        return
    warnings.simplefilter("ignore", HowsureWarning)
    names = [
        "study", "cell", "test", "level", "level_low", "level_high", "power", "power_low", "power_high", "width",
        "n_data_sets",
    ]  # fmt: skip
    n = options.data_sets
    found = chain(student(200 * n), gold(n, fresh_cells())) if options.fresh else chain(loads(n), gold(n, gold_cells()))
    with (FRESH if options.fresh else OUT).open("w", newline="") as file:
        out = csv.DictWriter(file, names)
        out.writeheader()
        for row in found:
            out.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
