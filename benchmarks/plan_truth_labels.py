"""Do plans from small real pilots come true? dices350, 350 items × 123 raters; writes docs/measured/plan_truth_labels.csv.

From the full table, pilots of 50 items × 5 raters' responses are drawn, each is planned from, and the plan's interval
width and rejection rate at several designs are compared with what those designs give on the full table, by drawing
real items (with replacement: the 350 are the population) and for each of them distinct real raters. The two models of
the table answer once and are far apart, so A and B are groups of raters: A's answers are real answers, and B's are too,
but on a share of the items they are those that B's raters gave to another item ("guessing").

    HOWSURE_SHARED=../shared python benchmarks/plan_truth_labels.py [--pilots 30] [--studies 400]

Three ways to carry the pilot on are judged: resampling its items with the pilot's own A and B (empirical), a Dirichlet
model fitted to gold (fitted), and the fitted model bent towards the pilot's items (smoothed); the last two with the same
share of guessing. Before that, it is printed how much the shares of each label differ between the items of the full
table, and how much a Dirichlet model fitted to all of it says they do; after it, what the number of EM steps does
(docs/measured/plan_truth_steps.csv; 0 is the fitted model).
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from howsure._random import seed_of
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.metrics import resolve
from howsure.models import EmpiricalModel, SmoothedModel, fit
from howsure.nulls import SIGN_FLIP, Hypothesis, Units
from howsure.planning.engines.decisions import NO_RESAMPLES, Test
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Setting
from howsure.planning.engines.pool_power import power_from_pool
from howsure.planning.engines.score_pools import GrowingPools
from measured import write_rows

DESIGNS = ((50, 5), (100, 5), (200, 5), (100, 10), (100, 20))
METRICS = ("accuracy", "tv")
GUESSING = 0.3
PILOT = (50, 5)
STEPS = (0, 1, 4, 16, 32, 64)


def truth_table() -> tuple[np.ndarray, object]:
    """Return the codes, items × raters."""
    import polars as pl

    shared = Path(os.environ.get("HOWSURE_SHARED", "../shared"))
    humans = pl.read_csv(shared / "data" / "dices350.csv", infer_schema=False).filter(pl.col("kind") == "human")
    wide = humans.pivot(on="source", index="item_id", values="value").drop("item_id")
    labels = wide.to_numpy().astype(str)
    scale = Scale.of(labels.ravel())
    return scale.encode(labels.ravel()).reshape(labels.shape), scale


def study(codes: np.ndarray, n_items: int, k: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Draw a study: items, for each 3 k distinct raters dealt to gold, A and B; B guesses on some items."""
    items = rng.integers(0, len(codes), n_items)
    raters = rng.permuted(np.tile(np.arange(codes.shape[1]), (n_items, 1)), axis=1)[:, : 3 * k]
    drawn = codes[items[:, np.newaxis], raters]
    guessed = rng.random(n_items) < GUESSING
    other = rng.integers(0, len(codes), n_items)
    drawn[guessed, 2 * k :] = codes[other[guessed, np.newaxis], raters[guessed, 2 * k :]]
    return drawn[:, :k], drawn[:, k : 2 * k], drawn[:, 2 * k :]


def contest_of(parts: tuple[np.ndarray, ...], scale: object) -> Contest:
    sources = [Responses.from_grid(part) for part in parts]
    return Contest(*sources, scale, np.arange(len(parts[0])).astype(str))


def counts(part: np.ndarray, n_levels: int) -> np.ndarray:
    return np.stack([(part == level).sum(axis=-1) for level in range(n_levels)], axis=-1).astype(float)


def real_outcomes(codes: np.ndarray, scale: object, n_studies: int) -> dict[tuple, tuple[float, float, float]]:
    """Return interval width, rejection rate and mean advantage of every design on the full table."""
    rng = np.random.default_rng(0)
    n_levels = len(scale.levels)
    found = {}
    for n_items, k in DESIGNS:
        advantages = {name: [] for name in METRICS}
        for _ in range(n_studies):
            parts = [counts(part, n_levels) for part in study(codes, n_items, k, rng)]
            for name in METRICS:
                advantages[name].append(resolve(name).on(scale).item_advantages(*parts))
        for name in METRICS:
            rows = np.array(advantages[name])
            means = rows.mean(axis=1)
            rejected = np.mean(SIGN_FLIP.simulated_pvalues(Units.independent(rows), Hypothesis(), NO_RESAMPLES) <= 0.05)
            low, high = np.quantile(means, [0.025, 0.975])
            found[n_items, k, name] = (high - low, float(rejected), float(means.mean()))
    return found


def predictions(codes: np.ndarray, scale: object, number: int) -> list[dict[str, object]]:
    """Plan from one pilot, in three ways."""
    rng = np.random.default_rng(1000 + number)
    parts = study(codes, *PILOT, rng)
    contest = contest_of(parts, scale)
    gold = ResponseTable(contest.items, {"gold": contest.gold}, scale)
    fitted = fit(gold, source="gold", rng=0).model
    models = {
        "empirical": (EmpiricalModel.of(contest), 0.0, None),
        "fitted": (fitted, GUESSING, "guessing"),
        "smoothed": (SmoothedModel.of(fitted, contest.gold), GUESSING, "guessing"),
    }
    rows = []
    for way, (model, epsilon, perturbation) in models.items():
        metrics = [resolve(name).on(scale) for name in METRICS]
        for k in dict.fromkeys(k for _, k in DESIGNS):
            engine = ExactEngine(
                model, metrics, (k, k, k), epsilon=epsilon, perturbation=perturbation, seed=seed_of(number)
            )
            engine.sharpen_power([n for n, each in DESIGNS if each == k], 0.02)
            for n_items in [n for n, each in DESIGNS if each == k]:
                for name, outlook, pool in zip(METRICS, engine.outlooks(n_items), engine.pools, strict=True):
                    power = power_from_pool(pool, n_items, Test(), seed=seed_of(number), n=1000).power
                    rows.append(
                        {"way": way, "n_items": n_items, "k": k, "metric": name, "width": outlook.ci_width,
                         "power": power, "advantage": outlook.advantage}
                    )  # fmt: skip
    return rows


def spread_of_shares(codes: np.ndarray, scale: object) -> None:
    """Print the variance between items of each label's share, real and by a Dirichlet model fitted to all responses."""
    shares = counts(codes, len(scale.levels)) / codes.shape[1]
    real = shares.var(axis=0, ddof=1) - (shares * (1 - shares)).mean(axis=0) / (codes.shape[1] - 1)
    table = ResponseTable(np.arange(len(codes)).astype(str), {"gold": Responses.from_grid(codes)}, scale)
    alpha = np.array(fit(table, source="gold", rng=0).model.alpha)
    mean = alpha / alpha.sum()
    print("label | variance of its share between items | the same by a Dirichlet model")
    for row in zip(scale.labels, real.round(4), (mean * (1 - mean) / (alpha.sum() + 1)).round(4), strict=True):
        print(*row, sep=" | ")


def by_steps(codes: np.ndarray, scale: object, n_pilots: int) -> list[dict[str, object]]:
    """Return how far the expected advantage is from the true one, by the steps towards the pilot's items."""
    metrics = [resolve(name).on(scale) for name in METRICS]
    rows = []
    for k in (5, 20):
        parts = [counts(part, len(scale.levels)) for part in study(codes, 60_000, k, np.random.default_rng(0))]
        true = [float(metric.item_advantages(*parts).mean()) for metric in metrics]
        found: dict[tuple[int, str], list[float]] = {}
        for number in range(n_pilots):
            contest = contest_of(study(codes, *PILOT, np.random.default_rng(1000 + number)), scale)
            gold = ResponseTable(contest.items, {"gold": contest.gold}, scale)
            smoothed = SmoothedModel.of(fit(gold, source="gold", rng=0).model, contest.gold)
            for steps in STEPS:
                setting = Setting(replace(smoothed, steps=steps), (k, k, k), GUESSING, "guessing")
                pools = GrowingPools(setting, metrics, seed_of(number)).pools()
                for name, pool in zip(METRICS, pools, strict=True):
                    found.setdefault((steps, name), []).append(pool.mean)
        for (steps, name), advantages in found.items():
            target = true[METRICS.index(name)]
            rows.append(
                {
                    "metric": name, "k": k, "steps": steps, "true_advantage": round(target, 4),
                    "median": round(float(np.median(advantages)), 4),
                    "error": round(float(np.sqrt(np.mean((np.array(advantages) - target) ** 2))), 4),
                }
            )  # fmt: skip
    return rows


def write(rows: list[dict[str, object]], path: str) -> None:
    write_rows(rows, path)
    for row in rows:
        print(*row.values(), sep=" | ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pilots", type=int, default=30)
    parser.add_argument("--studies", type=int, default=400)
    arguments = parser.parse_args()
    codes, scale = truth_table()
    spread_of_shares(codes, scale)
    real = real_outcomes(codes, scale, arguments.studies)
    planned = [row for number in range(arguments.pilots) for row in predictions(codes, scale, number)]
    rows = []
    for (n_items, k, metric), (width, rejected, advantage) in real.items():
        for way in ("empirical", "fitted", "smoothed"):
            mine = [
                row for row in planned
                if (row["way"], row["n_items"], row["k"], row["metric"]) == (way, n_items, k, metric)
            ]  # fmt: skip
            widths, powers, advantages = (
                np.array([row[name] for row in mine]) for name in ("width", "power", "advantage")
            )
            rows.append(
                {
                    "metric": metric, "n_items": n_items, "k": k, "way": way, "true_width": round(width, 4),
                    "planned_width": round(float(np.median(widths)), 4),
                    "width_ratio_low": round(float(np.quantile(widths / width, 0.1)), 2),
                    "width_ratio_high": round(float(np.quantile(widths / width, 0.9)), 2),
                    "true_advantage": round(advantage, 4), "planned_advantage": round(float(np.median(advantages)), 4),
                    "advantage_error": round(float(np.sqrt(np.mean((advantages - advantage) ** 2))), 4),
                    "true_rejections": round(rejected, 3), "planned_power": round(float(np.median(powers)), 3),
                    "power_low": round(float(np.quantile(powers, 0.1)), 3),
                    "power_high": round(float(np.quantile(powers, 0.9)), 3),
                    "power_error": round(float(np.sqrt(np.mean((powers - rejected) ** 2))), 3),
                    "pilots": arguments.pilots, "studies": arguments.studies,
                }
            )  # fmt: skip
    write(rows, "docs/measured/plan_truth_labels.csv")
    write(by_steps(codes, scale, arguments.pilots), "docs/measured/plan_truth_steps.csv")


if __name__ == "__main__":
    main()
