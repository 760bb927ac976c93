"""Do plans from small real pilots come true? Writes docs/measured/plan_truth.csv and plan_after_pilots.csv.

    HOWSURE_SHARED=../shared python benchmarks/plan_truth.py [--pilots 4] [--studies 200] [--only wmt23-rating]
    python benchmarks/plan_truth.py tables      print the tables of docs/evidence/plans.md from the files

The population is the full table: items are drawn with replacement, and for each its own responses without. dices350: labels;
A and B are groups of raters, and B's answers are those to another item on 30% of the items. inductive: numbers from 0 to
100; A is GPT-4 and B GPT-3.5, which answered once. ConvAbuse: ordered levels; items with five or more raters, A and B are
raters, B again answers for another item on 30%. wmt23: penalties of two systems' translations by three people each,
without gold.

plan_truth.csv: the true difference is given. From each pilot (items × responses) studies are planned of its own size, of
four times its items, and of other numbers of responses, inside and beyond its own. The truth is what the sign-flip test
finds on fresh studies of the same design. Reported: found power and width; planned power (median and 80% of the pilots), how
often the 95% interval that the plan states for its power covers the found one (strictly, and with two standard errors of the
found power allowed), and the planned width over the true one.

plan_after_pilots.csv: no difference is given. Of many pilots of 60 items those count whose difference is significant; the
plan recommends a number of items for 80% power. Reported is the true power of such a study, if the plan is for the pilot's
own difference, for its lower 80% limit (what `plan` does), and for the true difference.
"""

import argparse
import contextlib
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.data.summaries import summarise
from howsure.errors import ArgumentError, HowsureWarning
from howsure.metrics import resolve
from howsure.models import EmpiricalModel
from howsure.nulls import SIGN_FLIP, Hypothesis, Units
from howsure.planning import Effect, PlanRequest, plan
from howsure.planning.engines.decisions import NO_RESAMPLES, Test
from howsure.planning.engines.exact import student_width
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.request import Scenario
from measured import MEASURED, markdown, read_rows, write_rows

SHARED = Path(os.environ.get("HOWSURE_SHARED", "../shared")) / "data"
OUT = MEASURED / "plan_truth.csv"
AFTER = MEASURED / "plan_after_pilots.csv"
AFTER_CASES = [("dices350", "accuracy", 1), ("dices350", "accuracy", 5), ("dices350", "tv", 5), ("inductive", "mae", 1),
               ("inductive", "mae", 5), ("ConvAbuse", "mae", 1), ("ConvAbuse", "mae", 3)]  # fmt: skip
PILOT_ITEMS, MOST_ITEMS = 60, 20_000
FILES = {"inductive": "inductive_exp2", "ConvAbuse": "lewidi23_ConvAbuse", "wmt23": "wmt23_sxsmqm_ende"}
GUESSING = 0.3
ITEMS = (30, 50, 100)
CASES = [
    ("dices350", "tv", (1, 3, 5), (1, 3, 5, 15)),
    ("dices350", "accuracy", (1, 3, 5), (1, 3, 5, 15)),
    ("inductive", "mae", (1, 3, 5), (1, 3, 5, 8)),
    ("ConvAbuse", "mae", (1, 3), (1, 3)),
    ("wmt23", "rating", (1, 3), (1, 3)),
]
"""Table, metric, responses of the pilots, responses that are planned."""


class Population:
    """Real responses by item (NaN where there is none), and how a study is drawn from them."""

    def __init__(self, grid, scale, models=None, *, gold_free=False):
        self.grid, self.scale, self.models, self.gold_free = grid, scale, models, gold_free
        self.fewest = int((~np.isnan(grid)).sum(axis=-1).min())

    def of_models(self, k):
        """Return how many responses each model has in a study with k of gold."""
        if self.models is not None:
            return 1
        return k if self.gold_free else min(k, (self.fewest - k) // 2)

    def study(self, n_items, k, rng):
        """Draw a study: summaries need no more than the responses, items × responses, of gold, A and B."""
        chosen = rng.integers(0, self.grid.shape[-2], n_items)
        if self.gold_free:  # two systems, each with its own ratings
            return None, *(_some(side[chosen], k, rng) for side in self.grid)
        if self.models is not None:
            return _some(self.grid[chosen], k, rng), *(side[chosen][:, np.newaxis] for side in self.models)
        m = self.of_models(k)
        rows = _some(self.grid[chosen], k + 2 * m, rng)
        wrong = _some(self.grid[rng.integers(0, len(self.grid), n_items)], m, rng)
        guessed = rng.random((n_items, 1)) < GUESSING
        return rows[:, :k], rows[:, k : k + m], np.where(guessed, wrong, rows[:, k + m :])

    def contest(self, n_items, k, rng):
        """Draw a study as a table."""
        sides = [None if side is None else Responses.from_grid(side) for side in self.study(n_items, k, rng)]
        names = ("" if self.gold_free else "gold", "A", "B")
        return Contest(*sides, self.scale, np.arange(n_items).astype(str), names)


def _some(grid, k, rng):
    """Return k responses of each row, without replacement."""
    keys = rng.random(grid.shape) + np.isnan(grid)
    return np.take_along_axis(grid, np.argpartition(keys, k - 1, axis=1)[:, :k], axis=1)


def population(name):
    """Read a real table."""
    frame = pl.read_csv(SHARED / f"{FILES.get(name, name)}.csv", infer_schema=False)
    if name == "wmt23":
        return _wmt23(frame)
    humans = frame.filter(pl.col("kind") == "human").group_by("item_id", maintain_order=True).agg("value")
    if name == "inductive":
        models = frame.filter(pl.col("kind") == "model").group_by("item_id", "source").agg(pl.col("value").first())
        wide = models.pivot(on="source", index="item_id", values="value")
        sides = ("gpt4_rating", "gpt3.5_text2_rating")
        joined = humans.join(wide.drop_nulls(list(sides)), on="item_id", maintain_order="left")
        grid = _padded([np.array(values, dtype=float) for values in joined["value"]])
        return Population(grid, Scale("continuous"), [joined[column].cast(float).to_numpy() for column in sides])
    values = [np.array(each) for each in humans["value"].to_list()]
    scale = Scale.of(np.concatenate(values), kind="nominal" if name == "dices350" else "ordinal")
    return Population(_padded([scale.encode(each) for each in values if len(each) >= 5]), scale)


def _wmt23(frame):
    """Take the penalties of two systems, as scores: more is better."""
    scores = frame.with_columns(-pl.col("value").cast(float))
    sides = []
    for system in ("ONLINE-W", "ONLINE-A"):
        rows = scores.filter(pl.col("system") == system).group_by("item_id").agg("value").sort("item_id")
        sides.append(_padded([np.array(each) for each in rows["value"]]))
    return Population(np.array(sides), Scale("continuous"), gold_free=True)


def _padded(rows):
    grid = np.full((len(rows), max(map(len, rows))), np.nan)
    for row, values in zip(grid, rows, strict=True):
        row[: len(values)] = values
    return grid


def truth(people, metric, design, n_studies):
    """Return advantage, rejections and interval width of a design on the full table."""
    rng = np.random.default_rng(0)
    rows = np.array([_scored(people, metric, design, rng) for _ in range(n_studies)])
    rejected = np.mean(SIGN_FLIP.simulated_pvalues(Units.independent(rows), Hypothesis(), NO_RESAMPLES) <= 0.05)
    return float(rows.mean()), float(rejected), student_width(float(rows.std(ddof=1, axis=1).mean()), design[0], 0.95)


def advantages(people, metric, k, n_items=20_000):
    """Return the item advantages of a very large study."""
    return _scored(people, metric, (n_items, k), np.random.default_rng(0))


def _scored(people, metric, design, rng):
    sides = [
        summarise(Responses.from_grid(side), metric.needs, people.scale)[np.newaxis]
        for side in people.study(*design, rng)
        if side is not None
    ]
    return metric.item_advantages(sides[0] if len(sides) > 2 else None, *sides[-2:])[0]


def planned(people, metric, pilot, asked, number, difference):
    """Return the cells that are planned from one pilot for the true difference, by their items and responses."""
    effect = Effect(resolve(metric), difference)
    contest = people.contest(*pilot, np.random.default_rng([number, *pilot]))
    items = [pilot[0], 4 * pilot[0]]
    if people.gold_free:
        sizes = [k for k in asked if k == 1 or pilot[1] > 1]  # a pilot with one rating says nothing of more
        found = plan(contest, metrics=metric, effect=effect, n_items=items, n_responses=sizes, rng=number, workers=1)
        return {(cell.n_items, cell.design.a): cell for cell in found.cells}
    sizes = [(k, people.of_models(k), people.of_models(k)) for k in asked]
    found = plan(contest, metrics=metric, effect=effect, n_items=items, n_responses=sizes, rng=number, workers=1)
    return {(cell.n_items, cell.design.gold): cell for cell in found.cells}


def measure(case, n_pilots, n_studies):
    """Plan from all pilots of one table and metric, and measure what comes of it."""
    name, metric_name, of_pilots, asked = case
    people = population(name)
    metric = resolve(metric_name).on(people.scale)
    known, rows = {}, []
    for n in ITEMS:
        for k in of_pilots:
            difference = float(advantages(people, metric, k).mean())
            found = []
            for number in range(n_pilots):
                with contextlib.suppress(ArgumentError):
                    found.append(planned(people, metric_name, (n, k), asked, number, difference))
            for design in found[0] if found else ():
                if design not in known:
                    known[design] = truth(people, metric, design, n_studies)
                cells = [one[design] for one in found]
                rows.append(_row(name, metric_name, (n, k), design, known[design], cells, n_studies))
                print(*rows[-1].values(), sep=" | ", flush=True)
    return rows


def _row(name, metric, pilot, design, true, cells, n_studies):
    advantage, rejected, width = true
    slack = 2 * float(np.sqrt((rejected * (1 - rejected) + 1 / n_studies) / n_studies))
    ends = np.array([(cell.power_interval.low, cell.power_interval.high) for cell in cells])
    low, median, high = np.quantile([cell.power for cell in cells], [0.1, 0.5, 0.9])
    advantages, widths = (np.array([getattr(cell, what) for cell in cells]) for what in ("advantage", "ci_width"))
    return {
        "data": name, "metric": metric, "pilot": f"{pilot[0]} × {pilot[1]}", "design": f"{design[0]} × {design[1]}",
        "beyond": "yes" if design[1] > pilot[1] else "no", "true_advantage": f"{advantage:.4g}",
        "planned_advantage": f"{np.median(advantages):.4g}", "true_width": f"{width:.4g}",
        "width_ratio": round(float(np.median(widths)) / width, 2), "true_power": round(rejected, 3),
        "planned_power": round(float(median), 3), "power_low": round(float(low), 3),
        "power_high": round(float(high), 3),
        "covered_strictly": int(((ends[:, 0] <= rejected) & (rejected <= ends[:, 1])).sum()),
        "covered": int(((ends[:, 0] - slack <= rejected) & (rejected <= ends[:, 1] + slack)).sum()),
        "pilots": len(cells), "studies": n_studies,
    }  # fmt: skip


def after_pilots(case, n_pilots, n_studies):
    """Return the true power of what is recommended after a significant pilot."""
    name, metric_name, k = case
    people = population(name)
    metric = resolve(metric_name).on(people.scale)
    pool = advantages(people, metric, k)
    sizes, true = [(k, people.of_models(k), people.of_models(k))], {}

    def power(n_items):
        """Return how often a study of so many items finds the difference; nearby numbers of items share one answer."""
        n = min(round(float(f"{n_items:.2g}")), MOST_ITEMS)
        if n not in true:
            rng = np.random.default_rng(n)
            rows = max(1, 2_000_000 // n)
            found = [Test().decide(pool[rng.integers(0, pool.size, (min(rows, n_studies), n))])
                     for _ in range(-(-n_studies // rows))]  # fmt: skip
            true[n] = float(np.concatenate(found).mean())
        return true[n]

    rules = {"own": [], "limit": [], "given": []}
    for number in range(n_pilots):
        pilot = people.contest(PILOT_ITEMS, k, np.random.default_rng([number, 77]))
        options = {"metrics": metric_name, "n_responses": sizes, "rng": 0, "workers": 1}
        shown = PilotEngine(
            pilot, Scenario.of(EmpiricalModel.of(pilot), PlanRequest(metrics=metric_name))
        ).own_advantage()
        if shown.pvalue > 0.05:  # soon seen, and such pilots do not count
            continue
        found = plan(pilot, **options)
        if found.pilot.difference != "lower limit" or found.pilot.advantage * pool.mean() < 0:
            continue
        limit, own, _ = found.pilot.suppositions
        numbers = {"own": own.n_items, "limit": limit.n_items}
        with contextlib.suppress(ArgumentError):  # the pilot's items cannot show so large a difference
            given = plan(pilot, effect=Effect(resolve(metric_name), float(pool.mean())), **options).recommended
            numbers["given"] = given.n_items if given else np.inf
        for rule, n in numbers.items():
            rules[rule].append((n, power(min(n, MOST_ITEMS))))
    needed = next((n for n in range(10, MOST_ITEMS, 10) if power(n) >= 0.8), MOST_ITEMS)
    row = {"data": name, "metric": metric_name, "responses": k, "true_difference": round(float(pool.mean()), 4),
           "items_needed": needed, "pilots": n_pilots, "significant": len(rules["own"]), "refused": len(rules["own"]) - len(rules["given"])}  # fmt: skip
    for rule, found in rules.items():
        numbers, powers = np.array(found).T if found else (np.full(1, np.nan), np.full(1, np.nan))
        row |= {f"{rule}_items": round(float(np.median(numbers))), f"{rule}_power": round(float(powers.mean()), 3),
                f"{rule}_below_half": round(float((powers < 0.5).mean()), 3)}  # fmt: skip
    return row


def table_after():
    """Print the table of what follows significant pilots."""
    head = ["data, metric", "responses", "true difference (items needed)", "significant", "pilot's own difference: median "
            "items, mean true power, below .5", "lower 80% limit: the same", "true difference given: the same"]  # fmt: skip
    lines = []
    for row in read_rows(AFTER):
        rules = [
            f"{int(row[f'{rule}_items']):,}, {float(row[f'{rule}_power']):.2f}, {100 * float(row[f'{rule}_below_half']):.0f}%"
            for rule in ("own", "limit", "given")
        ]
        lines.append([f"{row['data']}, {row['metric']}", row["responses"],
                      f"{row['true_difference']} ({int(row['items_needed']):,})",
                      f"{row['significant']} of {row['pilots']}", *rules])  # fmt: skip
    print(markdown(head, lines))


def tables():
    """Print what the page shows: one row for each table, metric, number of responses, and side of the pilot's own."""
    rows = read_rows(OUT)
    head = ["data, metric", "pilot", "planned responses", "width, planned over true", "planned less true power, median "
            "of rows (worst)", "intervals that cover"]  # fmt: skip
    lines = []
    for data, metric, of_pilots, _ in CASES:
        for k in of_pilots:
            for beyond in ("no", "yes"):
                mine = [
                    row for row in rows
                    if (row["data"], row["metric"], row["beyond"]) == (data, metric, beyond)
                    and row["pilot"].endswith(f"× {k}")
                ]  # fmt: skip
                if mine:
                    ratios = sorted(float(row["width_ratio"]) for row in mine)
                    gaps = [float(row["planned_power"]) - float(row["true_power"]) for row in mine]
                    lines.append([
                        f"{data}, {metric}", f"30, 50, 100 × {k}", f"more than {k}" if beyond == "yes" else f"up to {k}",
                        f"{ratios[0]:.2f}–{ratios[-1]:.2f}",
                        f"{np.median(gaps):+.2f} ({max(gaps, key=abs):+.2f})", _covered(mine),
                    ])  # fmt: skip
    print(markdown(head, lines))
    for beyond in ("no", "yes"):
        mine = [row for row in rows if row["beyond"] == beyond]
        strictly = sum(int(row["covered_strictly"]) for row in mine)
        print(f"beyond the pilot's responses: {beyond}: {_covered(mine)} plans; strictly {strictly}")


def _covered(rows):
    return f"{sum(int(row['covered']) for row in rows)} of {sum(int(row['pilots']) for row in rows)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("run", "tables"), default="run")
    parser.add_argument("--pilots", type=int, default=4)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--only", choices=tuple(dict.fromkeys(f"{data}-{metric}" for data, metric, *_ in CASES)))
    arguments = parser.parse_args()
    if arguments.what == "run":
        warnings.simplefilter("ignore", HowsureWarning)
        if arguments.only is None:
            rows = []
            for case in AFTER_CASES:
                rows.append(after_pilots(case, 25 * arguments.pilots, 5 * arguments.studies))
                print(*rows[-1].values(), sep=" | ", flush=True)
            write_rows(rows, AFTER)
        for case in CASES:
            if arguments.only in (None, "-".join(case[:2])):
                begun = time.process_time()
                found = measure(case, arguments.pilots, arguments.studies)
                kept = (
                    [row for row in read_rows(OUT) if (row["data"], row["metric"]) != case[:2]] if OUT.exists() else []
                )
                kept = [row for row in kept if "beyond" in row]
                order = [each[:2] for each in CASES]
                write_rows(sorted([*kept, *found], key=lambda row: order.index((row["data"], row["metric"]))), OUT)
                print(f"{case[:2]}: {time.process_time() - begun:.0f} s of processor time", flush=True)
    table_after()
    tables()


if __name__ == "__main__":
    main()
