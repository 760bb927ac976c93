"""Do plans come true where raters limit the power and the pilot has few? Writes docs/measured/raters_plan_ceiling.csv.

    python benchmarks/raters_plan_ceiling.py [--data-sets 40]
    python benchmarks/raters_plan_ceiling.py --page      put the table into docs/evidence/raters.md

Mean ratings whose components are known, as in raters_plan.py (items × model SD 0.5, raters × model 0.3, noise 1). From each
pilot of 60 items the fewest items for 80% power are planned, with a given number of raters. Reported is the power that these
studies have with the known components, over the pilots that recommend a design, and the power with any number of items.
"""

import os
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from howsure.errors import HowsureWarning
from howsure.planning import Design
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.rater_power import expectation
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells
from raters_plan import KNOWN, planned_from, ratings

ITEMS, MOST = 60, 5000
FILE = "raters_plan_ceiling.csv"
CASES = [(6, 10, 0.45), (6, 10, 0.5), (6, 10, 0.6), (6, 20, 0.4), (10, 10, 0.5)]
"""Raters of the pilot and of the study, and the difference."""


def measure(own, raters, shift, count, number):
    """Return the row of one setting."""
    warnings.simplefilter("ignore", HowsureWarning)
    powers, items, noted = [], [], 0
    for i in range(count):
        pilot = ratings(np.random.default_rng([i, own, number]), ITEMS, own, own, shift)
        found = planned_from(pilot, advantage=shift, n_raters=[raters], target_power=0.8, rng=0, max_items=MOST)
        if found.recommended is None:
            continue
        powers.append(expectation(KNOWN, found.recommended.design, shift, Test()).power)
        items.append(found.recommended.n_items)
        noted += any("Such plans are too optimistic" in note for note in found.notes)
    limit = expectation(KNOWN, Design(MOST, 0, raters, raters, raters, raters, False, 2), shift, Test()).power
    return [{
        "pilot_raters": own, "raters": raters, "difference": shift, "pilots": count, "recommend": len(powers),
        "items": round(float(np.median(items))), "power": round(float(np.median(powers)), 3),
        "low": round(float(np.quantile(powers, 0.1)), 3), "limit": round(limit, 3), "noted": noted,
    }]  # fmt: skip


def page():
    """Put the table into the page of evidence."""
    head = ["pilot", "raters planned", "difference", "pilots that recommend a design", "items", "true power (lowest 10%)",
            "power with any number of items", "plans with a note"]  # fmt: skip
    body = [
        [f"{ITEMS} × {r['pilot_raters']}", r["raters"], r["difference"], f"{r['recommend']} of {r['pilots']}", r["items"],
         f"{r['power']} ({r['low']})", r["limit"], f"{r['noted']} of {r['recommend']}"]
        for r in read_rows(MEASURED / FILE)
    ]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "raters.md", "<!-- ceiling -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CASES, measure, page, data_sets=40)
