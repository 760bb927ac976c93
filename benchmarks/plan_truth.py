"""Do plans from small real pilots come true? Three real tables; writes docs/measured/plan_truth.csv.

    ASSAY_SHARED=../shared python benchmarks/plan_truth.py [--pilots 6] [--studies 300]

The population is the full table: items are drawn with replacement, and for each its own responses without. dices350: labels;
A and B are groups of raters, and B's answers are those to another item on 30 % of the items. inductive: numbers from 0 to
100; A is GPT-4 and B GPT-3.5, which answered once. ConvAbuse: ordered levels; items with five or more raters, A and B are
raters, B again answers for another item on 30 %. From each pilot (items × gold responses) several follow-ups are
planned, inside and beyond its size, with the pilot's own A and B. The truth is what swapped items find on fresh studies
of the same design. Reported: found power and width; planned power (median and 80 % of the pilots), how often the 95 %
interval that the plan states for its power covers the found one, and the planned width over the true one.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import polars as pl

from assay.contests import Contest
from assay.metrics import resolve
from assay.planning import plan
from assay.planning.engines.exact import student_width
from assay.planning.engines.simulated_pvalues import combine, swapped_items
from assay.responses import Responses
from assay.scales import Scale
from assay.summaries import summarise
from measured import write_rows

SHARED = Path(os.environ.get("ASSAY_SHARED", "../shared")) / "data"
GUESSING = 0.3
CASES = [
    ("dices350", "tv", (50, 3), [(50, 3), (200, 3), (100, 10)]),
    ("dices350", "accuracy", (100, 5), [(100, 5), (300, 5), (200, 15)]),
    ("inductive", "mae", (30, 3), [(30, 3), (100, 3), (60, 8)]),
    ("inductive", "mae", (100, 1), [(100, 1), (300, 1), (100, 5)]),
    ("ConvAbuse", "mae", (50, 3), [(50, 3), (200, 3), (100, 1)]),
]
"""Table, metric, pilot (items × gold responses), designs."""


def table_of(name):
    """Return responses of humans as a list of arrays by item, those of A and B (or None), and the scale."""
    files = {"dices350": "dices350", "inductive": "inductive_exp2", "ConvAbuse": "lewidi23_ConvAbuse"}
    frame = pl.read_csv(SHARED / f"{files[name]}.csv", infer_schema=False)
    humans = frame.filter(pl.col("kind") == "human").group_by("item_id", maintain_order=True).agg("value")
    if name == "inductive":
        models = frame.filter(pl.col("kind") == "model").group_by("item_id", "source").agg(pl.col("value").first())
        wide = models.pivot(on="source", index="item_id", values="value")
        a, b = "gpt4_rating", "gpt3.5_text2_rating"
        joined = humans.join(wide.drop_nulls([a, b]), on="item_id")
        gold = [np.array(values, dtype=float) for values in joined["value"]]
        keep = [i for i, values in enumerate(gold) if len(values) >= 8]
        sides = [joined[column].cast(float).to_numpy() for column in (a, b)]
        return [gold[i] for i in keep], [side[keep] for side in sides], Scale("continuous")
    values = humans["value"].to_list()
    everything = np.concatenate([np.array(each) for each in values])
    scale = Scale.of(everything, kind="nominal" if name == "dices350" else "ordinal")
    gold = [scale.encode(np.array(each)) for each in values if len(each) >= 5]
    return gold, None, scale


def study(table, n_items, k, rng):
    """Draw a study: items, and for each distinct responses for gold and, where there are no models, for A and B."""
    gold, models, scale = table
    chosen = rng.integers(0, len(gold), n_items)
    if models is not None:
        drawn = [rng.permuted(gold[i])[:k] for i in chosen]
        sides = [side[chosen][:, np.newaxis] for side in models]
        return _contest(np.array(drawn), *sides, scale)
    of_models = min(k, (min(len(gold[i]) for i in chosen) - k) // 2)
    others = rng.integers(0, len(gold), n_items)
    guessed = rng.random(n_items) < GUESSING
    rows = [rng.permuted(gold[i])[: k + 2 * of_models] for i in chosen]
    wrong = [rng.permuted(gold[i])[:of_models] for i in others]
    rows, wrong = np.array(rows), np.array(wrong)
    b = np.where(guessed[:, np.newaxis], wrong, rows[:, k + of_models :])
    return _contest(rows[:, :k], rows[:, k : k + of_models], b, scale)


def _contest(gold, a, b, scale):
    sources = [Responses.from_grid(np.asarray(side, dtype=float)) for side in (gold, a, b)]
    return Contest(*sources, scale, np.arange(len(gold)).astype(str))


def truth(table, metric, design, n_studies):
    """Return contrast, rejections and interval width of a design on the full table."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(n_studies):
        contest = study(table, *design, rng)
        sides = [summarise(side, metric.needs, contest.scale)[np.newaxis] for side in contest.sources.values()]
        rows.append(metric.item_contrasts(*sides)[0])
    rows = np.array(rows)
    rejected = np.mean(combine(swapped_items(rows), "two-sided") <= 0.05)
    return float(rows.mean()), float(rejected), student_width(float(rows.std(ddof=1, axis=1).mean()), design[0], 0.95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilots", type=int, default=6)
    parser.add_argument("--studies", type=int, default=300)
    arguments = parser.parse_args()
    rows = []
    for name, metric_name, pilot, designs in CASES:
        table = table_of(name)
        metric = resolve(metric_name).on(table[2])
        planned = {design: [] for design in designs}
        for number in range(arguments.pilots):
            contest = study(table, *pilot, np.random.default_rng([number, *pilot]))
            sizes = [round(count) for count in contest.n_responses.values()]
            for n_items, k in designs:
                asked = (k, *(sizes[1:] if table[1] is not None or k <= pilot[1] else (min(k, 15),) * 2))
                found = plan(contest, metrics=metric_name, n_items=n_items, n_responses=[asked], rng=number)
                planned[n_items, k].append(found.cells[0])
        for design in designs:
            contrast, rejected, width = truth(table, metric, design, arguments.studies)
            cells = planned[design]
            powers = np.array([cell.power for cell in cells])
            slack = 2 * np.sqrt((rejected * (1 - rejected) + 1 / arguments.studies) / arguments.studies)
            inside = [
                cell.power_interval.low - slack <= rejected <= cell.power_interval.high + slack for cell in cells
            ]  # the found power has an error, too
            low, median, high = np.quantile(powers, [0.1, 0.5, 0.9])
            rows.append(
                {
                    "data": name, "metric": metric_name, "pilot": f"{pilot[0]} × {pilot[1]}",
                    "design": f"{design[0]} × {design[1]}", "true_contrast": round(contrast, 4),
                    "planned_contrast": round(float(np.median([cell.contrast for cell in cells])), 4),
                    "true_width": round(width, 4),
                    "width_ratio": round(float(np.median([cell.ci_width for cell in cells])) / width, 2),
                    "true_power": round(rejected, 3), "planned_power": round(float(median), 3),
                    "power_low": round(float(low), 3), "power_high": round(float(high), 3),
                    "covered": sum(inside), "pilots": arguments.pilots, "studies": arguments.studies,
                }
            )  # fmt: skip
            print(*rows[-1].values(), sep=" | ", flush=True)
    write_rows(rows, "docs/measured/plan_truth.csv")
    covered, all_ = sum(row["covered"] for row in rows), sum(row["pilots"] for row in rows)
    print(f"intervals that cover the found power: {covered} of {all_}")


if __name__ == "__main__":
    main()
