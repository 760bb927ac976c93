"""Why a plan from a pilot and one from a model of the same file differ: how much item advantages vary in each.

    HOWSURE_SHARED=../shared python benchmarks/plan_pilot_variances.py [--data-sets 20]
    python benchmarks/plan_pilot_variances.py --page      put the table into docs/evidence/plans.md

The files are those of `plan_pilot_model.py`, and the one of README (`howsure example`, with a difference of 0.1). A plan from a
pilot exchanges A and B on some of its items until the mean advantage is the difference, which keeps the mean square of item
advantages. A model that is fitted to gold makes A as good as gold and B worse by ε; 20,000 items are simulated from it, with
the file's numbers of responses. Variances are medians over the files, beside the items that each plan needs for 80% power.
"""

import os
import warnings
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.summaries import grid
from howsure.errors import HowsureWarning
from howsure.examples import ratings
from howsure.metrics import resolve
from howsure.models import fit
from howsure.planning import Effect, plan
from howsure.resampling import summaries_of
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells
from plan_pilot_model import CASES, files

FILE, SIMULATED = "plan_pilot_variances.csv", 20_000
README = "README's file"


def advantages_of(contest, metric):
    bound = metric.on(contest.scale)
    return np.asarray(bound.item_advantages(*summaries_of(contest, bound.needs)))


def measure(name, metric, epsilon, count, _number):
    """Return the row of one population."""
    warnings.simplefilter("ignore", HowsureWarning)
    if name == README:
        pilots, difference = [ratings().contest(gold="human", a="model-2", b="model-1")], 0.1
    else:
        pilots, difference = files(name, metric, epsilon, count)
    chosen = resolve(metric)
    own = tuple(max(1, round(pilots[0].n_responses[role])) for role in ("gold", "a", "b"))
    found = {key: [] for key in ("pilot", "plan", "model", "items_pilot", "items_model")}
    for number, pilot in enumerate(pilots):
        item = advantages_of(pilot, chosen)
        found["pilot"].append(item.var(ddof=1))
        found["plan"].append(np.square(item).mean() - difference**2)
        options = {"metrics": metric, "effect": Effect(chosen, difference), "target_power": 0.8, "rng": 0, "workers": 1}
        options |= {"n_responses": [own]}
        model = fit(ResponseTable(pilot.items, {"gold": pilot.gold}, pilot.scale), source="gold", rng=0).model
        by_model = plan(model, reference_responses=own, **options)
        size = by_model.recommended or by_model.cells[0]
        k = max(own)
        many = model.table(SIMULATED, k, epsilon=size.epsilon, rng=number).contest(gold="gold", a="A", b="B")
        sides = {role: Responses.from_grid(grid(many.sources[role])[:, :n])
                 for role, n in zip(("gold", "a", "b"), own, strict=True)}  # fmt: skip
        found["model"].append(advantages_of(many.having(sides), chosen).var(ddof=1))
        of_pilot = plan(pilot, raters="fixed", **options).recommended
        for key, cell in (("items_pilot", of_pilot), ("items_model", by_model.recommended)):
            found[key].append(np.nan if cell is None else cell.n_items)
    return [{"file": name, "metric": metric, "files": len(pilots), "responses": "/".join(map(str, own)),
             "difference": f"{difference:.4g}",
             **{key: f"{median(found[key]):.4g}" for key in ("pilot", "plan", "model")},
             **{key: f"{np.nanmedian(found[key]):.0f}" for key in ("items_pilot", "items_model")}}]  # fmt: skip


def page():
    head = ["file, metric", "responses", "difference", "variance of item advantages: pilot", "in the pilot's plan",
            "by the fitted model", "items: pilot's plan", "fitted model"]  # fmt: skip
    body = [
        [f"{r['file']}, {r['metric']}", r["responses"], r["difference"], r["pilot"], r["plan"], r["model"], r["items_pilot"],
         r["items_model"]]
        for r in read_rows(MEASURED / FILE)
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "plans.md", "<!-- variances -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, [(README, "mae", None), *CASES], measure, page, data_sets=20)
