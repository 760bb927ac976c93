"""Measure whether planned boards come true; write docs/measured/leaderboard_plan.csv.

    python benchmarks/leaderboard_plan.py [--data-sets 400]
    python benchmarks/leaderboard_plan.py --page

Five models answer items several times. *Ratings*: quality + item N(0, 1) + item × model N(0, 0.5²) + noise N(0, 1).
*Pass or fail*: logit P(pass) = quality + item N(0, 1) + item × model N(0, 0.5²). The plan is made from a pilot of 4,000
items, whose scores are moved to the true ones, as the plan supposes, and asks for 80%. Then studies of the planned size are
drawn: more items, or more responses on as many items as separate them in 60% of all studies. Counted is how often all the
first adjacent ranks are significantly different with 999 resamples, and how often the best model is first, beside the plan.
"""

import time

import numpy as np

from howsure import Responses, ResponseTable, Scale
from howsure.inference import binomial_region
from howsure.leaderboards import compare_all, plan_leaderboard
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

POWER, PILOT = 0.8, 4000
KINDS = {"ratings": np.array([0.45, 0.25, 0.05, 0.0, -0.1]), "pass or fail": np.array([0.9, 0.5, 0.1, 0.0, -0.2])}
CELLS = [
    (kind, what, neighbours, k)
    for kind in KINDS
    for what, neighbours, k in (
        ("items", 1, 1),
        ("items", 1, 3),
        ("items", 2, 3),
        ("responses", 1, 2),
        ("responses", 2, 2),
    )
]


def simulate(rng, kind, n, k):
    quality = KINDS[kind]
    level = quality + rng.normal(size=(n, 1)) + 0.5 * rng.normal(size=(n, quality.size))
    if kind == "ratings":
        return level[:, :, np.newaxis] + rng.normal(size=(n, quality.size, k))
    return (rng.random((n, quality.size, k)) < 1 / (1 + np.exp(-level[:, :, np.newaxis]))).astype(float)


def table_of(scores):
    sources = {f"m{j}": Responses.from_grid(scores[:, j]) for j in range(scores.shape[1])}
    names = tuple(sources)
    return ResponseTable(np.arange(len(scores)).astype(str), sources, Scale("continuous"), repeats=names)


def truth_of(kind):
    """Return the expected score of each model; P(pass) by quadrature."""
    quality = KINDS[kind]
    if kind == "ratings":
        return quality
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return np.array([weights @ (1 / (1 + np.exp(-(q + np.sqrt(1.25) * nodes)))) / weights.sum() for q in quality])


def moved(pilot, truth):
    """Return the pilot with scores that are the true ones, as a plan supposes."""
    return pilot + (truth - pilot.mean(axis=(0, 2)))[np.newaxis, :, np.newaxis]


def shrunk(pilot, n_items):
    """Return a study of fewer items with the scores, the covariance of items and the noise of the pilot."""
    few = pilot[:n_items]
    means, rest = few.mean(axis=2), few - few.mean(axis=2, keepdims=True)
    whole = pilot.mean(axis=2)
    white = (means - means.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(means.T)).T)
    noise = (pilot - whole[:, :, np.newaxis]).std(axis=(0, 2)) / rest.std(axis=(0, 2))
    means = whole.mean(axis=0) + white @ np.linalg.cholesky(np.cov(whole.T)).T
    return means[:, :, np.newaxis] + noise[np.newaxis, :, np.newaxis] * rest


def cell(kind, what, neighbours, k, data_sets, seed):
    rng = np.random.default_rng(seed)
    started = time.process_time()
    pilot = moved(simulate(rng, kind, PILOT, k), truth_of(kind))
    if what == "items":
        plan = plan_leaderboard(table_of(pilot), adjacent_ranks=neighbours, target_power=POWER, rng=seed)
        n_items, n_responses = plan.n_items, k
    else:
        n_items = plan_leaderboard(table_of(pilot), adjacent_ranks=neighbours, target_power=0.6, rng=seed).n_items
        plan = plan_leaderboard(
            table_of(shrunk(pilot, n_items)), adjacent_ranks=neighbours, target_power=POWER, rng=seed
        )
        n_responses = plan.n_responses
    said = next(one for one in plan.outlooks if (one.n_items, one.n_responses) in {(n_items, k), (n_items, n_responses)}
                and one.power >= POWER)  # fmt: skip
    separated = leads = 0
    for number in range(data_sets):
        board = compare_all(table_of(simulate(rng, kind, n_items, n_responses)), rng=number, n_resamples=999, workers=1)
        pairs = [board.pair(f"m{j}", f"m{j + 1}") for j in range(neighbours)]
        ordered = [board.model(f"m{j}").score > board.model(f"m{j + 1}").score for j in range(neighbours)]
        separated += all(pair.pvalue_adjusted <= 0.05 for pair in pairs) and all(ordered)
        leads += board.leaders[0].name == "m0"
    return [{
        "kind": kind, "planned": what, "neighbours": neighbours, "n_items": n_items, "n_responses": n_responses,
        "said_separated": round(said.power, 4), "said_leads": round(said.first_place_share, 4), "data_sets": data_sets,
        "separated": separated, "leads": leads, "seconds": round(time.process_time() - started, 1),
    }]  # fmt: skip


def page():
    rows = read_rows(MEASURED / "leaderboard_plan.csv")
    head = ["data", "planned", "pairs of adjacent ranks", "items × responses", "plan: significantly different", "found", "region of the plan",
            "plan: the best is first", "found", "studies"]  # fmt: skip
    body = []
    for r in rows:
        n, said = int(r["data_sets"]), float(r["said_separated"])
        region = binomial_region(n, said)
        body.append([
            r["kind"], r["planned"], r["neighbours"], f"{int(r['n_items']):,} × {r['n_responses']}", f"{100 * said:.1f}%",
            f"{100 * int(r['separated']) / n:.1f}%", f"{100 * region.low / n:.1f} to {100 * region.high / n:.1f}%",
            f"{100 * float(r['said_leads']):.1f}%", f"{100 * int(r['leads']) / n:.1f}%", r["data_sets"],
        ])  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", "<!-- plans -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, "leaderboard_plan.csv", CELLS, cell, page, data_sets=400)
