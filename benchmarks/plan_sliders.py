"""How fast the sliders of the plan page are answered, and how good their power is; writes docs/measured/plan_sliders.csv.

    python benchmarks/plan_sliders.py

Seconds are processor time, so that a busy machine does not change them: of the process that answers, and for known
pools also of the server that asks it, draws the map and sends it (with the client that asks the server). A question is a number of items, responses and an ε for a
response model; its answer is power, expected p, interval width and the whole map. Power from 200 items on follows from
moments; it is compared with 4,000 simulated studies of the same pool.
"""

import os
import tempfile
import time
from collections import OrderedDict
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in the server; must come before NumPy

import numpy as np
from starlette.testclient import TestClient

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.pool_power import moment_power, power_from_pool
from howsure.planning.engines.simulated_pvalues import Test
from howsure.web import Settings, create_app
from howsure.web.sliders import answered
from measured import MEASURED, ROOT, markdown, put_between, write_rows

SUBJECTS = (("likert-toxicity", "mae"), ("normal", "mae"), ("categorical-dices", "accuracy"), ("normal", "wins"))
EPSILONS = (0.05, 0.1, 0.2, 0.3)
ITEMS = (10, 20, 30, 50, 80, 120, 190, 200, 400, 1000, 2000)


def asked(kept: OrderedDict[tuple[Any, ...], Any], **question: Any) -> float:
    """Return the milliseconds that an answer takes."""
    start = time.process_time()
    answered({"n_responses": 5, "n_raters": 5, **question}, kept)
    return 1000 * (time.process_time() - start)


def through_server(client: Any, preset: str, metric: str, n: int) -> float:
    """Return the milliseconds that server and client take for one answer, beside the process that computes it."""
    sent = {"preset": preset, "metric": metric, "epsilon": 0.1, "n_items": n, "n_responses": 5}
    start = time.process_time()
    answer = client.get("/plan/try", params=sent, headers={"hx-request": "true"})
    assert f"{n:,} items" in answer.text
    return 1000 * (time.process_time() - start)


def main() -> None:
    """Measure, and write the table."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(folder=folder, workers=1))
        with TestClient(app, base_url="http://127.0.0.1:8765") as client:
            measure(client)


def measure(client: Any) -> None:
    """Measure with a server, and write the table."""
    rows = []
    for name, metric in SUBJECTS:
        kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        asked(kept, preset=name, metric=metric, epsilon=0.15, n_items=100)  # imports and compiled loops
        new = [asked(kept, preset=name, metric=metric, epsilon=each, n_items=100) for each in EPSILONS]
        known = [
            asked(kept, preset=name, metric=metric, epsilon=each, n_items=n) for each in EPSILONS for n in ITEMS
        ]  # fmt: skip
        through_server(client, name, metric, 100)  # makes the pools
        served = [through_server(client, name, metric, n) for n in ITEMS]
        off = []
        for epsilon in EPSILONS:
            for k in (1, 5, 20):
                model = preset(name)
                engine = ExactEngine(
                    model, [resolve(metric).on(model.scale)], (k, k, k), epsilon=epsilon, seed=seed_of(0)  # type: ignore[list-item]
                )  # fmt: skip
                for n in (200, 500, 1000):
                    simulated = power_from_pool(engine.pools[0], n, Test(), seed=seed_of(1), n=4000).power
                    off.append(moment_power(engine.pools[0], n, Test()) - simulated)
        rows.append(
            {
                "subject": name,
                "metric": metric,
                "new_epsilon_ms": round(max(new)),
                "known_ms_median": round(float(np.median(known)), 1),
                "known_ms_slowest": round(max(known), 1),
                "n_known": len(known),
                "server_ms_median": round(float(np.median(served)), 1),
                "server_ms_slowest": round(max(served), 1),
                "power_rms_deviation": round(float(np.sqrt(np.mean(np.square(off)))), 4),
                "power_largest_deviation": round(float(np.abs(off).max()), 4),
                "n_powers": len(off),
            }
        )
        print(rows[-1])
    write_rows(rows, MEASURED / "plan_sliders.csv")
    head = [
        "response model",
        "metric",
        "new ε, ms",
        "known pool, ms (median, slowest)",
        "server, ms (median, slowest)",
        "deviation of power (rms, largest)",
    ]
    table = [
        [row["subject"], row["metric"], str(row["new_epsilon_ms"]), f"{row['known_ms_median']}, {row['known_ms_slowest']}",
         f"{row['server_ms_median']}, {row['server_ms_slowest']}",
         f"{row['power_rms_deviation']}, {row['power_largest_deviation']}"]
        for row in rows
    ]  # fmt: skip
    put_between(ROOT / "docs" / "how-to" / "web.md", "<!-- sliders -->", markdown(head, table))


if __name__ == "__main__":
    main()
