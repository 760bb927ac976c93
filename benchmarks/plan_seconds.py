"""How long people wait for a plan, in seconds of processor time; writes docs/measured/plan_seconds.csv.

    python benchmarks/plan_seconds.py [--only kendall] [--runs 3]      (more than one run keeps the other rows)

Each row is the least of so many processes of its own, on one thread. "first" is the answer to the first question, without what the import of
the package takes; "again" the same question with another ε (for a pilot: another seed) in the same process: the median
of five others where the first took less than a second, else one. Twelve designs: 50, 100, 200 and 500 items × 1, 3 and 10 responses, ε = .2, with the power of swapped items. Pilots have gold, A
and B with 10 responses each on 500 items, and are asked for the cheapest design with a power of .8. The largest errors
that the plan itself states stand beside.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from measured import MEASURED, read_rows, write_rows

OUT = MEASURED / "plan_seconds.csv"
PRESETS = [
    ("normal", "mae", 0.5), ("categorical-dices", "tv", 0.8), ("likert-toxicity", "wins", 1.0),
    *(("likert-toxicity", metric, 8.0) for metric in ("spearman", "kendall", "cosine", "f1", "auc", "rmse")),
]  # fmt: skip
PILOTS = [("normal", "mae"), ("likert-toxicity", "mae"), ("categorical-dices", "tv"), ("categorical-jobsq3", "tv")]
CASES = {
    **{f"12 designs of {name}, {metric}": ("preset", name, metric, goal) for name, metric, goal in PRESETS},
    **{f"pilot of 500 × 10 like {name}, {metric}": ("pilot", name, metric, 20.0) for name, metric in PILOTS},
    "the web page's example: likert-toxicity, mae, ε = .1, budget 2,000": ("budget", "likert-toxicity", "mae", 2.0),
}


def measure(kind, name, metric):
    """Ask twice, in this process, and return seconds and errors."""
    import warnings

    import howsure.cli.app  # noqa: F401 (its import is not part of the answer)
    from howsure.models import preset
    from howsure.planning import plan
    from howsure.planning.designs import USUAL_RESPONSES

    warnings.simplefilter("ignore")

    def ask(number):
        if kind == "pilot":
            table = preset(name).table(500, 10, epsilon=0.3, rng=number)
            return plan(
                table.contest(gold="gold", a="A", b="B"), metrics=metric, target_power=0.8, rng=number, workers=1
            )
        epsilon = (0.1 if kind == "budget" else 0.2) + 0.01 * number
        numbers = USUAL_RESPONSES if kind == "budget" else (1, 3, 10)
        designs = {"budget": 2000} if kind == "budget" else {"n_items": [50, 100, 200, 500]}
        designs |= {"n_responses": [(k, k, k) for k in numbers]}
        return plan(name, metrics=metric, epsilon=epsilon, rng=0, workers=1, **designs)

    seconds: list[float] = []
    while len(seconds) < (6 if seconds and seconds[0] < 1 else 2):
        begun = time.process_time()
        found = ask(len(seconds))
        seconds.append(time.process_time() - begun)
    errors = [max(getattr(cell, part) for cell in found.cells) for part in ("power_error", "advantage_error")]
    return [seconds[0], statistics.median(seconds[1:]), *errors, len(found.cells)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    parser.add_argument("--runs", type=int, default=1, help="processes for each row; the least seconds count")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    rows = {row["what"]: row for row in read_rows(OUT)} if OUT.exists() else {}
    for what, (*asked, goal) in CASES.items():
        if options.only in what:
            command = [sys.executable, __file__, "--measure", *asked]
            done = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(options.runs)]
            found = [json.loads(each.stdout) for each in done]
            first, again = (min(each[place] for each in found) for place in (0, 1))
            power, advantage, n_cells = found[0][2:]
            rows[what] = {
                "what": what, "first": round(first, 2), "again": round(again, 2), "goal": goal, "cells": n_cells,
                "power_error": round(power, 4), "advantage_error": f"{advantage:.2g}",
            }  # fmt: skip
            print(*rows[what].values(), sep=" | ", flush=True)
    write_rows([rows[what] for what in CASES if what in rows], OUT)


if __name__ == "__main__":
    main()
