"""RATINGS figure 6: power of four tests on Toxicity data, against N at K = 5 and 10, and against K at N = 1,000.

Writes docs/measured/plan_figure6.csv and docs/measured/plan_figure6.svg, in a few minutes.

    python benchmarks/ratings_figure6.py [--studies 1000] [--workers 2]

The tests, at level .05 on the mean absolute error with ε = .1: pooled responses (the paper's multistage bootstrap, with
a tail p-value), swapped items (paired permutation), Welch's t and Wilcoxon's signed ranks.
"""

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the processes are the parallelism; must come before NumPy

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.item_scores import Setting
from howsure.planning.engines.monte_carlo import simulated_power
from measured import write_rows

EPSILON = 0.1
TESTS = ("pooled-responses", "sign-flip", "welch-t", "wilcoxon")
ITEMS = (100, 200, 400, 700, 1000, 1500, 2000, 3000)
RESPONSES = (1, 2, 3, 5, 7, 10, 15, 20)
PANELS = (
    [("K = 5", n, 5) for n in ITEMS] + [("K = 10", n, 10) for n in ITEMS] + [("N = 1,000", 1000, k) for k in RESPONSES]
)


def point(panel: str, n_items: int, k: int, test: str, n_studies: int) -> tuple[dict[str, object], float]:
    """Return one power and the processor time it took."""
    begun = time.process_time()
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    setting = Setting(model, (k, k, k), EPSILON)
    found = simulated_power(setting, metric, n_items, Test(test), seed=seed_of(k), n=n_studies)
    row: dict[str, object] = {
        "panel": panel, "n_items": n_items, "k": k, "test": test, "power": round(found.power, 4),
        "error": round(found.error, 4),
    }  # fmt: skip
    return row, time.process_time() - begun


def curves(n_studies: int, workers: int) -> tuple[list[dict[str, object]], float]:
    """Return all powers, computed in several processes, and the processor time of all."""
    asked = [(*place, test, n_studies) for place in PANELS for test in TESTS]
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(point, *zip(*asked, strict=True)))
    return [row for row, _ in found], sum(seconds for _, seconds in found)


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
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    wall = time.perf_counter()
    rows, cpu = curves(arguments.studies, arguments.workers)
    print(f"{len(rows)} powers in {time.perf_counter() - wall:.0f} s ({cpu:.0f} s of processor)")
    target = Path("docs/measured/plan_figure6.csv")
    write_rows(rows, target)
    drawn = chart(rows)
    drawn.save(str(target.with_suffix(".svg")))


if __name__ == "__main__":
    main()
