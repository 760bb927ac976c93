"""RATINGS figure 6: power of four tests on Toxicity data, against N at K = 5 and 10, and against K at N = 1,000.

Writes docs/measured/plan_figure6.csv and docs/measured/plan_figure6.svg, in a few minutes.

    python benchmarks/ratings_figure6.py [--studies 1000]

The tests, at level .05 on the mean absolute error with ε = .1: pooled responses (the paper's multistage bootstrap, with
a tail p-value), swapped items (paired permutation), Welch's t and Wilcoxon's signed ranks.
"""

import argparse
import csv
import time
from pathlib import Path

from assay._random import seed_of
from assay.metrics import resolve
from assay.models import preset
from assay.planning.power import Test, simulated
from assay.planning.scores import Setting

EPSILON = 0.1
TESTS = ("pooled-responses", "swapped-items", "welch-t", "wilcoxon")
ITEMS = (100, 200, 400, 700, 1000, 1500, 2000, 3000)
RESPONSES = (1, 2, 3, 5, 7, 10, 15, 20)
PANELS = (
    [("K = 5", n, 5) for n in ITEMS] + [("K = 10", n, 10) for n in ITEMS] + [("N = 1,000", 1000, k) for k in RESPONSES]
)


def curves(n_studies: int) -> list[dict[str, object]]:
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    rows = []
    for panel, n_items, k in PANELS:
        setting = Setting(model, (k, k, k), EPSILON)
        for test in TESTS:
            found = simulated(setting, metric, n_items, Test(test), seed=seed_of(k), n=n_studies)
            rows.append(
                {"panel": panel, "n_items": n_items, "k": k, "test": test, "power": round(found.power, 4),
                 "error": round(found.error, 4)}
            )  # fmt: skip
    return rows


def chart(rows: list[dict[str, object]]):
    import altair as alt

    panels = []
    for panel in dict.fromkeys(row["panel"] for row in rows):
        mine = [row for row in rows if row["panel"] == panel]
        by_items = panel.startswith("K")
        x = alt.X("n_items:Q" if by_items else "k:Q", title="items" if by_items else "responses per item")
        base = alt.Chart(alt.InlineData(values=mine), width=260, height=220, title=panel)
        panels.append(
            base.mark_line(point=True).encode(
                x=x, y=alt.Y("power:Q", scale=alt.Scale(domain=[0, 1])), color=alt.Color("test:N", sort=list(TESTS))
            )
        )
    return alt.hconcat(*panels)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=1000)
    arguments = parser.parse_args()
    wall, cpu = time.perf_counter(), time.process_time()
    rows = curves(arguments.studies)
    print(f"{len(rows)} powers in {time.perf_counter() - wall:.0f} s ({time.process_time() - cpu:.0f} s of processor)")
    target = Path("docs/measured/plan_figure6.csv")
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    drawn = chart(rows)
    drawn.save(str(target.with_suffix(".svg")))


if __name__ == "__main__":
    main()
