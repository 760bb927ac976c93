"""Coverage of the interval of one model's score, where raters judged several items each.

    python benchmarks/score_raters.py [--data-sets 1000] [--page]

Writes docs/measured/score_raters.csv and a table of docs/evidence/raters.md. A rating is item + rater + noise, with
standard deviations 1, 0.5 and 1 (*as usual*), 1, 0.1 and 1 (*raters hardly differ*) or 0.3, 0.5 and 1 (*items hardly
differ*), rounded to 1 to 5, or a pass above 0 (half of them) or above 1.2 (few). Each item has some of the raters; two
of them are eight times as busy as the others where loads are *unequal*. The truth is the mean over all items and raters.
"""

import numpy as np
from scipy.stats import norm

from howsure import Responses, ResponseTable, Scale
from howsure.inference import binomial_region
from howsure.scoring import score_models
from measured import MEASURED, ROOT, markdown, put_between, read_rows, run_cells

FILE, LEVEL, PASSES = "score_raters.csv", 0.95, {"half pass": 0.0, "few pass": 1.2}
SPREADS = {"as usual": (1, 0.5, 1), "raters hardly differ": (1, 0.1, 1), "items hardly differ": (0.3, 0.5, 1)}
DESIGNS = [(30, 5, 5), (30, 6, 6), (50, 10, 10), (100, 8, 3), (40, 20, 3)]
CELLS = [
    (kind, n, raters, per_item, load, spread)
    for kind in ("1 to 5", *PASSES)
    for n, raters, per_item in DESIGNS
    for load in ("equal", *(["unequal"] if per_item < raters else []))
    for spread in SPREADS
]


def measure(kind, n, n_raters, per_item, load, spread, data_sets, number):
    rng = np.random.default_rng([18, number])
    of_items, of_raters, of_noise = SPREADS[spread]
    busy = np.where((np.arange(n_raters) < 2) & (load == "unequal"), 8.0, 1.0)
    scale = Scale.of([0.0, 1.0], kind="ordinal") if kind in PASSES else Scale.of([1.0, 2.0, 3.0, 4.0, 5.0])
    sd = np.sqrt(of_items**2 + of_raters**2 + of_noise**2)
    truth = float(norm.sf(PASSES[kind] / sd)) if kind in PASSES else 3.0
    covered, width = dict.fromkeys(("these", "like"), 0), dict.fromkeys(("these", "like"), 0.0)
    for _ in range(data_sets):
        who = np.array([rng.choice(n_raters, per_item, replace=False, p=busy / busy.sum()) for _ in range(n)])
        item, rater = rng.normal(0, of_items, (n, 1)), rng.normal(0, of_raters, n_raters)
        values = item + rater[who] + rng.normal(0, of_noise, (n, per_item))
        scores = (values > PASSES[kind]) * 1.0 if kind in PASSES else np.clip(np.round(values), -2, 2) + 3
        ids = tuple(f"r{number}" for number in range(n_raters))
        table = ResponseTable(np.arange(n).astype(str), {"m": Responses.from_grid(scores, who)}, scale, {}, ids)
        [one] = score_models(table, raters="random", metrics=["rating"]).models
        for name, ends in (("these", one.for_these_raters), ("like", one.for_raters_like_these)):
            covered[name] += ends.low <= truth <= ends.high
            width[name] += ends.width / data_sets
    return [{"ratings": kind, "items": n, "raters": n_raters, "per_item": per_item, "load": load, "spread": spread,
             "data_sets": data_sets, **{f"covered_{name}": int(count) for name, count in covered.items()},
             "width": round(width["like"] / width["these"], 3)}]  # fmt: skip


def page():
    body = []
    for row in read_rows(MEASURED / FILE):
        n = int(row["data_sets"])
        least = binomial_region(n, LEVEL, confidence_level=0.99).low
        like, these = (int(row[f"covered_{name}"]) for name in ("like", "these"))
        shown = f"**{100 * like / n:.1f}**" if like < least else f"{100 * like / n:.1f}"
        body.append([row["ratings"], f"{row['items']} × {row['raters']}", row["per_item"], row["load"], row["spread"], shown,
                     f"{100 * these / n:.1f}", row["width"]])  # fmt: skip
    head = ["ratings", "items × raters", "raters of an item", "loads", "spread", "raters like these, %", "these raters, %",
            "width / width for these"]  # fmt: skip
    put_between(ROOT / "docs" / "evidence" / "raters.md", "<!-- scores -->", markdown(head, body))


if __name__ == "__main__":
    run_cells(__doc__, FILE, CELLS, measure, page, data_sets=1000)
