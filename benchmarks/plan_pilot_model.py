"""Do a plan from a pilot and a plan from a model fitted to the same file agree? Writes docs/measured/plan_pilot_model.csv.

    HOWSURE_SHARED=../shared python benchmarks/plan_pilot_model.py [--pilots 20]
    python benchmarks/plan_pilot_model.py --page      put the table into docs/evidence/plans.md

Each file is 100 items × 5 responses of gold. Three have the ratings of presets, where A is as good as gold and B is moved by
ε, as a response model has it; the others are drawn from real tables (see plan_truth.py) and from `howsure example`. Both
plans are for the mean of the file's population, measured with the file's own numbers of responses, for a budget of 500 gold
responses. Reported: the design that each recommends (how often both take the same, and the median power that the pilot's
plan gives to the model's choice less that of its own), and planned power at two designs, as medians over the files. "In
interval" counts the files where the power by the model lies in the 95% interval that the pilot's plan states.
"""

import os
import warnings
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from howsure.data.response_tables import ResponseTable
from howsure.errors import HowsureWarning
from howsure.examples import ratings
from howsure.metrics import resolve
from howsure.models import fit, preset
from howsure.planning import Effect, plan
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells
from plan_truth import advantages, population

ITEMS, K, BUDGET = 100, 5, 500
FILE = "plan_pilot_model.csv"
CASES = [
    ("normal", "mae", 0.12),
    ("likert-toxicity", "mae", 0.25),
    ("categorical-dices", "tv", 0.25),
    ("howsure example", "mae", None),
    ("inductive", "mae", None),
    ("ConvAbuse", "mae", None),
    ("dices350", "tv", None),
]
"""File, metric, and the ε of presets."""


def files(name, metric, epsilon, count):
    """Return pilots of one population, and the true difference with their numbers of responses."""
    if epsilon is not None:
        pilots = [
            preset(name).table(ITEMS, K, epsilon=epsilon, rng=i).contest(gold="gold", a="A", b="B")
            for i in range(count)
        ]
        [cell] = plan(name, metrics=metric, epsilon=epsilon, n_items=ITEMS, n_responses=[K], test=None, rng=0).cells
        return pilots, cell.advantage
    if name == "howsure example":
        pilots = [ratings(ITEMS, rng=i).contest(gold="human", a="model-2", b="model-1") for i in range(count)]
        large = ratings(20_000, rng=count).contest(gold="human", a="model-2", b="model-1")
        return pilots, plan(
            large, metrics=metric, raters="fixed", n_items=ITEMS, n_responses=[K], test=None, rng=0
        ).pilot.advantage
    people = population(name)
    k = 3 if name == "ConvAbuse" else K  # it has as few as five responses of an item, for gold, A and B together
    pilots = [people.contest(ITEMS, k, np.random.default_rng([i, 5])) for i in range(count)]
    return pilots, float(advantages(people, resolve(metric).on(people.scale), k).mean())


def measure(name, metric, epsilon, count, _number):
    """Return the row of one population."""
    warnings.simplefilter("ignore", HowsureWarning)
    pilots, true = files(name, metric, epsilon, count)
    own = tuple(max(1, round(pilots[0].n_responses[role])) for role in ("gold", "a", "b"))
    usual = sorted({1, 2, 3, own[0]})
    designs = {"few": (1, *own[1:]), "own": own}
    same, loss, inside = 0, [], dict.fromkeys(designs, 0)
    powers = {(place, way): [] for place in designs for way in ("pilot", "model")}
    for pilot in pilots:
        options = {"metrics": metric, "effect": Effect(resolve(metric), true), "budget": BUDGET, "rng": 0, "workers": 1}
        by_pilot = plan(pilot, n_responses=usual, raters="fixed", **options)
        table = ResponseTable(pilot.items, {"gold": pilot.gold}, pilot.scale)
        model = fit(table, source="gold", rng=0).model
        by_model = plan(model, n_responses=usual, reference_responses=own, **options)
        of_pilot = {cell.design.n_responses: cell for cell in by_pilot.cells}
        of_model = {cell.design.n_responses: cell for cell in by_model.cells}
        taken, other = (found.recommended.design.n_responses for found in (by_pilot, by_model))
        same += taken == other
        loss.append(of_pilot[taken].power - of_pilot[other].power)
        for place, design in designs.items():
            ends = of_pilot[design].power_interval
            inside[place] += ends.low <= of_model[design].power <= ends.high
            powers[place, "pilot"].append(of_pilot[design].power)
            powers[place, "model"].append(of_model[design].power)
    return [{
        "file": name, "metric": metric, "files": count, "responses": "/".join(map(str, own)), "difference": f"{true:.4g}",
        "same_design": same, "loss": round(median(loss), 3), "worst_loss": round(max(loss), 3),
        **{f"{way}_{place}": round(median(powers[place, way]), 2) for place in designs for way in ("pilot", "model")},
        **{f"inside_{place}": inside[place] for place in designs},
    }]  # fmt: skip


def page():
    """Put the table into the page of evidence."""
    head = ["file, metric", "responses", "difference", "same design", "power lost by the model's choice (worst)",
            "1 gold response: pilot, model", "in interval", "own responses: pilot, model", "in interval"]  # fmt: skip
    body = [
        [f"{r['file']}, {r['metric']}", r["responses"], r["difference"], f"{r['same_design']} of {r['files']}",
         f"{r['loss']} ({r['worst_loss']})", f"{r['pilot_few']}, {r['model_few']}", f"{r['inside_few']} of {r['files']}",
         f"{r['pilot_own']}, {r['model_own']}", f"{r['inside_own']} of {r['files']}"]
        for r in read_rows(MEASURED / FILE)
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "plans.md", "<!-- pilot and model -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CASES, measure, page, data_sets=20)
