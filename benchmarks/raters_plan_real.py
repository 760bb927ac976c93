"""Do plans with raters come true on real data? Four real tables; writes docs/measured/raters_plan_real.csv.

    HOWSURE_SHARED=../shared python benchmarks/raters_plan_real.py [--pilots 30] [--studies 300] [--only inductive]
    python benchmarks/raters_plan_real.py tables      print the table of docs/evidence/raters.md from the file

The population is the real table of items × raters. A study draws its items and its raters from it with replacement,
independently of each other, which is what `compare` supposes when raters are a random factor. dices350: 350 items × 123
raters, labels; A is the expert, B a word list ("Yes" where its score of
negative words is above .05). inductive: numbers from 0 to 100; three groups of 100 raters
judged 24 items each, and one of each group makes a seat, so that there are 72 items × 100 seats; A is GPT-4, B GPT-3.5.
ConvAbuse: ordered levels, 8 raters of whom 3 judge an item on average; of the items with four raters or more one
rater is A, another B, who answers for another item on 30% of them. wmt23: penalties by 10 raters, 3 per segment, of two
systems' own translations, without gold.

The truth is how often `compare` rejects on fresh studies of a design. Each pilot is planned from twice: with its own
advantage ("own"), and with the advantage that is true at the pilot's design ("given").
"""

import argparse
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl

from howsure import Contest, Responses
from howsure.comparison import compare_each
from howsure.data.scales import Scale
from howsure.errors import HowsureWarning
from howsure.metrics import resolve
from howsure.planning import Effect, plan
from measured import MEASURED, markdown, read_rows, write_rows

SHARED = Path(os.environ.get("HOWSURE_SHARED", "../shared")) / "data"
OUT = MEASURED / "raters_plan_real.csv"
GUESSING = 0.3
UNSAFE = 0.05
CASES = {
    "dices350": (("accuracy", "tv"), [(100, 5), (100, 3), (300, 5), (100, 15)]),
    "inductive": (("mae", "wins"), [(60, 5), (60, 3), (180, 5), (60, 15)]),
    "ConvAbuse": (("mae",), [(100, 8), (300, 8), (100, 16)]),
    "wmt23": (("rating",), [(60, 10), (104, 10), (60, 20)]),
}
"""Metrics, and items × raters; the first is the pilot's design."""


class Population:
    """Gold of every rater (items × raters; NaN where there is none), and the answers of A and B (or of their raters)."""

    def __init__(self, gold, a, b, scale):
        self.gold, self.a, self.b, self.scale = gold, a, b, scale

    def study(self, n, r, rng):
        """Draw items and raters, each with replacement."""
        raters = rng.integers(0, (self.a if self.gold is None else self.gold).shape[1], r)
        items = rng.integers(0, len(self.a), n)
        if self.gold is None:
            sides = [side[items][:, raters] for side in (self.a, self.b)]
            seen = ~np.isnan(sides[0]).all(axis=1)
            sides = [None, *(side[seen] for side in sides)]
        else:
            gold = self.gold[items][:, raters]
            seen = ~np.isnan(gold).all(axis=1)
            sides = [gold[seen], self.a[items][seen, np.newaxis], self._answers_of_b(items, rng)[seen, np.newaxis]]
        ids = np.tile(np.arange(r), (int(seen.sum()), 1))
        of_people = [side is not None and side.shape[1] > 1 for side in sides]
        sources = [
            None if side is None else Responses.from_grid(side, ids) if people else Responses.from_grid(side)
            for side, people in zip(sides, of_people, strict=True)
        ]
        names = ("" if self.gold is None else "gold", "A", "B")
        return Contest(*sources, self.scale, np.arange(int(seen.sum())).astype(str), names)

    def _answers_of_b(self, items, rng):
        return self.b[items]


class Guessing(Population):
    """A population in which B answers for another item on some of them."""

    def _answers_of_b(self, items, rng):
        guessed = rng.random(len(items)) < GUESSING
        return np.where(guessed, self.b[rng.integers(0, len(self.b), len(items))], self.b[items])


def population(name):
    """Read a real table."""
    files = {"inductive": "inductive_exp2", "ConvAbuse": "lewidi23_ConvAbuse", "wmt23": "wmt23_sxsmqm_ende"}
    frame = pl.read_csv(SHARED / f"{files.get(name, name)}.csv", infer_schema=False)
    if name == "wmt23":
        return _wmt23(frame)
    humans = frame.filter(pl.col("kind") == "human")
    wide = humans.pivot(on="source", index="item_id", values="value", aggregate_function="first", maintain_order=True)
    others = frame.filter(pl.col("kind") != "human")
    others = others.pivot(on="source", index="item_id", values="value", aggregate_function="first")
    if name == "dices350":
        joined = wide.join(others, on="item_id", how="inner", maintain_order="left")
        scale = Scale.of(humans["value"].to_numpy().astype(str), kind="nominal")
        gold = joined.select(wide.columns[1:]).to_numpy()
        shape = gold.shape
        gold = scale.encode(gold.ravel().astype(str)).reshape(shape)
        unsafe = joined["vader_neg"].cast(float).to_numpy() > UNSAFE
        a, b = (scale.encode(side) for side in (joined["expert"].to_numpy().astype(str), np.where(unsafe, "Yes", "No")))
        return Population(gold.astype(float), a.astype(float), b.astype(float), scale)
    numbers = wide.select(pl.all().exclude("item_id").cast(float)).to_numpy()
    if name == "inductive":
        return _inductive(wide["item_id"].to_list(), numbers, others)
    return _convabuse(numbers)


def _inductive(items, numbers, models):
    """Put one rater of each of the three large groups on a seat: 72 items × 100 seats."""
    seen = ~np.isnan(numbers)
    rows = np.flatnonzero(seen.sum(axis=1) >= 100)
    groups = {}
    for row in rows:
        groups.setdefault(tuple(np.flatnonzero(seen[row])[:100]), []).append(row)
    blocks, order = [], []
    for raters, members in groups.items():
        blocks.append(numbers[np.ix_(members, raters)])
        order += members
    gold = np.concatenate(blocks)
    assert not np.isnan(gold).any(), gold.shape
    wide = pl.DataFrame({"item_id": [items[row] for row in order]}).join(models, on="item_id", maintain_order="left")
    a, b = (wide[column].cast(float).to_numpy() for column in ("gpt4_rating", "gpt3.5_text2_rating"))
    return Population(gold, a, b, Scale("continuous"))


def _convabuse(numbers):
    """Take two raters of an item for the answers of A and B, and leave them out of gold."""
    rng = np.random.default_rng(0)
    rows = numbers[(~np.isnan(numbers)).sum(axis=1) >= 4].copy()
    taken = np.array([rng.permuted(np.flatnonzero(~np.isnan(row)))[:2] for row in rows])
    a, b = (rows[np.arange(len(rows)), column] for column in taken.T)
    for column in taken.T:
        rows[np.arange(len(rows)), column] = np.nan
    scale = Scale.of(numbers[~np.isnan(numbers)], kind="ordinal")
    coded = np.full(rows.shape, np.nan)
    coded[~np.isnan(rows)] = scale.encode(rows[~np.isnan(rows)])
    return Guessing(coded, scale.encode(a).astype(float), scale.encode(b).astype(float), scale)


def _wmt23(frame):
    """Take the penalties of two systems, as scores: more is better."""
    chosen = frame.with_columns(-pl.col("value").cast(float))
    sides = []
    for system in ("ONLINE-W", "ONLINE-A"):
        wide = chosen.filter(pl.col("system") == system).pivot(
            on="rater", index="item_id", values="value", aggregate_function="mean", maintain_order=True
        )
        sides.append(wide.select("item_id", *sorted(wide.columns[1:])).sort("item_id"))
    assert sides[0]["item_id"].equals(sides[1]["item_id"])
    a, b = (side.drop("item_id").to_numpy().astype(float) for side in sides)
    return Population(None, a, b, Scale("continuous"))


def truth(people, metrics, design, n_studies):
    """Return, for each metric, rejections, mean width and mean advantage of fresh studies."""
    found = {}
    for number in range(n_studies):
        contest = people.study(*design, np.random.default_rng([number, *design, 1]))
        how = {"raters": "random", "n_resamples": 199, "workers": 1, "correction": "none"}
        for one in compare_each(contest, metrics=metrics, rng=number, **how):
            found.setdefault(one.metric, []).append((one.pvalue <= 0.05, one.confidence_interval.width, one.advantage))
    return {metric: np.nanmean(np.array(rows, dtype=float), axis=0) for metric, rows in found.items()}


def measure(name, n_pilots, n_studies):
    """Plan from pilots of one table, and measure what comes of it."""
    people = population(name)
    metrics, designs = CASES[name]
    true = {design: truth(people, metrics, design, n_studies) for design in designs}
    rows = []
    for metric in metrics:
        given = float(true[designs[0]][metric][2])
        planned = {(way, design): [] for way in ("own", "given") for design in designs}
        for number in range(n_pilots):
            pilot = people.study(*designs[0], np.random.default_rng([number, 2]))
            for way in ("own", "given"):
                effect = None if way == "own" else Effect(resolve(metric), given)
                found = plan(
                    pilot, metrics=metric, effect=effect, raters="random", n_items=sorted({n for n, _ in designs}),
                    n_raters=sorted({r for _, r in designs}), rng=number, workers=1,
                )  # fmt: skip
                for cell in found.cells:
                    design = (cell.n_items, cell.n_raters)
                    if design in designs:
                        planned[way, design].append(cell)
        for way in ("own", "given"):
            rows += [
                _row(name, metric, way, designs[0], design, true[design][metric], planned[way, design], n_studies)
                for design in designs
            ]
    return rows


def _row(name, metric, way, pilot, design, true, cells, n_studies):
    rejected, width, advantage = (float(value) for value in true)
    error = float(np.sqrt((rejected * (1 - rejected) + 1 / n_studies) / n_studies))
    powers, widths = (np.array([getattr(cell, what) for cell in cells]) for what in ("power", "ci_width"))
    strictly = [cell.power_interval.low <= rejected <= cell.power_interval.high for cell in cells]
    allowed = [
        cell.power_interval.low - 2 * error <= rejected <= cell.power_interval.high + 2 * error for cell in cells
    ]
    low, median, high = np.quantile(powers, [0.1, 0.5, 0.9])
    return {
        "data": name, "metric": metric, "difference": way, "pilot": f"{pilot[0]} × {pilot[1]}",
        "design": f"{design[0]} × {design[1]}", "true_advantage": f"{advantage:.4g}",
        "planned_advantage": f"{np.median([cell.advantage for cell in cells]):.4g}",
        "width_ratio": round(float(np.median(widths)) / width, 2), "found": round(rejected, 3),
        "error": round(error, 3), "planned": round(float(median), 3), "low": round(float(low), 3),
        "high": round(float(high), 3), "covers_strictly": sum(strictly), "covers": sum(allowed), "pilots": len(cells),
        "studies": n_studies,
    }  # fmt: skip


def tables():
    """Print the table of the page, and the counts beside it."""
    rows = read_rows(OUT)
    head = ["data, metric", "difference", "pilot", "design", "true advantage", "width, planned over true", "found power",
            "planned (80% of pilots)", "intervals that cover"]  # fmt: skip
    print(
        markdown(
            head,
            [
                [
                    f"{row['data']}, {row['metric']}", row["difference"], row["pilot"], row["design"],
                    row["true_advantage"], row["width_ratio"], f"{row['found']} ± {row['error']}",
                    f"{row['planned']} ({row['low']}–{row['high']})", f"{row['covers']} of {row['pilots']}",
                ]
                for row in rows
            ],
        )
    )  # fmt: skip
    for way in ("own", "given"):
        mine = [row for row in rows if row["difference"] == way]
        total, strictly, covers = (
            sum(int(row[key]) for row in mine) for key in ("pilots", "covers_strictly", "covers")
        )
        near = [abs(float(row["planned"]) - float(row["found"])) - 2 * float(row["error"]) <= 0.07 for row in mine]
        print(
            f"{way}: intervals cover strictly {strictly} of {total}, with the error of the found power {covers}; "
            f"medians within .07 beyond it in {sum(near)} of {len(mine)} rows"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("run", "tables"), default="run")
    parser.add_argument("--pilots", type=int, default=30)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--only", choices=tuple(CASES))
    options = parser.parse_args()
    if options.what == "tables":
        tables()
        return
    warnings.simplefilter("ignore", HowsureWarning)
    for name in [options.only] if options.only else CASES:
        begun = time.process_time()
        found = measure(name, options.pilots, options.studies)
        kept = [row for row in read_rows(OUT) if row["data"] != name] + found if OUT.exists() else found
        print(f"{name}: {time.process_time() - begun:.0f} s of processor time", flush=True)
        write_rows(sorted(kept, key=lambda row: list(CASES).index(row["data"])), OUT)
    tables()


if __name__ == "__main__":
    main()
