"""Run `howsure audit --paper leader`; write docs/measured/audit_leader_*.csv and the last section of docs/evidence/audit.md.

    python benchmarks/audit_leader.py run [--store FILE] [--workers 2]
    python benchmarks/audit_leader.py page
    python benchmarks/audit_leader.py part

"part" says what the run would take, from 2 of the 50 data sets of every cell, on one thread, and writes nothing.
The run goes on from its store. The time of a run from the start is kept in docs/measured/audit_leader_run.json.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import numpy as np

from howsure.auditing import Audit, AuditRequest, SmallestRow, TestRow, document, grid_of, measure
from howsure.auditing import leader_layout as leader_findings
from howsure.questions.audit import leader

ROOT = Path(__file__).parents[1]
MEASURED, PAGE = ROOT / "docs" / "measured", ROOT / "docs" / "evidence" / "audit.md"
START, END = "<!-- benchmarks/audit_leader.py -->", "<!-- end -->"
KINDS = {"tests": TestRow, "smallest": SmallestRow}
SHOWN = ("mae", "wins", "spearman")


def run(options):
    command = [
        sys.executable,
        "-m",
        "howsure",
        "audit",
        "--paper",
        "leader",
        "--json",
        "--workers",
        str(options.workers),
    ]
    fresh = not Path(options.store).exists()
    started = time.monotonic()
    found = subprocess.run([*command, "--store", options.store], check=True, stdout=subprocess.PIPE, text=True).stdout
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    write(json.loads(found)["audits"])
    seconds = {"workers": options.workers}
    if fresh:
        seconds |= {
            "wall_seconds": round(time.monotonic() - started),
            "cpu_seconds": round(used.ru_utime + used.ru_stime),
        }
    (MEASURED / "audit_leader_run.json").write_text(json.dumps(seconds, indent=1) + "\n")


def part(of=25):
    """Print about how many processor seconds the whole run takes."""
    total = 0.0
    for model, asked in leader():
        few = {"n_simulations": asked["n_simulations"] // of, "n_fresh": AuditRequest.n_fresh // of}
        cells = [dict(cell) for cell in grid_of(model, **asked | few)[0]]
        measure(cells[-1] | {"n_simulations": 2, "n_fresh": 2}, np.random.default_rng(0))  # loads compiled loops
        for cell in cells:
            begun = time.process_time()
            measure(cell, np.random.default_rng(1))
            total += of * (time.process_time() - begun)
            print(model, cell["epsilon"], f"{total:.0f} s so far", flush=True)


def write(audits):
    for name, kind in KINDS.items():
        names = ["model", *(field.name for field in fields(kind))]
        with (MEASURED / f"audit_leader_{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows({"model": audit["model"]} | row for audit in audits for row in audit[name])


def read():
    """Return the audits as far as the page needs them."""
    rows = {}
    for name, kind in KINDS.items():
        types = {field.name: field.type for field in fields(kind)}
        with (MEASURED / f"audit_leader_{name}.csv").open() as file:
            for line in csv.DictReader(file):
                model = line.pop("model")
                made = kind(
                    **{
                        key: types[key](float(text))
                        if types[key] in (int, float)
                        else text == "True"
                        if types[key] is bool
                        else text
                        for key, text in line.items()
                    }
                )
                rows.setdefault(model, {}).setdefault(name, []).append(made)
    return [
        Audit(model, tuple(of["tests"]), (), tuple(of["smallest"]), 0.05, 0.95, of["tests"][0].n_data_sets, 1000, 0, (), "")
        for model, of in rows.items()
    ]  # fmt: skip


def markdown(table, wanted=lambda row: True):
    head = [column.title for column in table.columns]
    shown = [
        [f"**{cell}**" if (i, j) in table.marked else cell for j, cell in enumerate(line)]
        for i, line in enumerate(table.rows)
        if wanted(line)
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *shown))


def wanted(line):
    """Keep the tests that LEADER left out and its best strategy, by three metrics."""
    metric, test = line[:2]
    return (
        metric in SHOWN
        and not (test.endswith("expected)") and not test.startswith("bootstrap-sign"))
        and "pooled" not in test
    )


def page():
    parts = []
    for audit in read():
        tests = document.rejections(audit, 1000, 5)
        parts += [
            f"## {audit.model[0].upper()}{audit.model[1:]}",
            *("* " + line for line in leader_findings.findings(audit).splitlines()),
            "", "Smallest error of estimated p among the metrics, in brackets the mean error of all of them:", "",
            markdown(leader_findings.smallest(audit, "scheme")),
            "", "The same by metric, among the schemes:", "",
            markdown(leader_findings.smallest(audit, "metric")),
            "", f"Rejected at a nominal 5%, in percent [95% interval], by three of the metrics and the strategy that LEADER found "
            f"best beside the tests that it left out; power where B is worse; **bold**: a true null rejected more often than chance allows in "
            f"{audit.n_simulations} data sets:", "",
            markdown(tests, wanted), "",
        ]  # fmt: skip
    seconds = json.loads((MEASURED / "audit_leader_run.json").read_text())
    took = "This run was interrupted and went on from its store, so the preset's time was not measured."
    if "cpu_seconds" in seconds:
        took = (
            f"The whole preset took {seconds['wall_seconds']:,} s with {seconds['workers']} workers "
            f"({seconds['cpu_seconds']:,} s of processor time)."
        )
    said = f"{took} Every number is in `docs/measured/audit_leader_tests.csv`."
    before, _, rest = PAGE.read_text().partition(START)
    PAGE.write_text(before + "\n".join([START, "", said, "", *parts, END]) + rest.partition(END)[2])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page", "part"))
    parser.add_argument("--store", default="/tmp/audit_leader.db")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    {"run": lambda: run(options), "page": page, "part": part}[options.what]()


if __name__ == "__main__":
    main()
