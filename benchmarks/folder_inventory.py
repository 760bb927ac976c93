"""Time and memory of `howsure doctor FOLDER` for 500 small logs and for 1 GB of long ones.

    python benchmarks/folder_inventory.py [--out docs/measured/folder_inventory.csv]

Each folder is checked in a process of its own. Wall time, processor time and peak memory include Python and imports.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from logs_memory import samples

HEAD = {"version": 2, "status": "success", "plan": {"steps": []}}


def many(folder, n_logs=500, n_samples=200):
    """Write small archives: 20 models, 25 runs of each."""
    for number in range(n_logs):
        about = {"eval_id": f"e{number}", "task": "t", "model": f"m-{number % 20}", "task_args": {"temperature": 0}}
        summaries = [
            {"id": f"q{i}", "epoch": 1, "input": f"question {i} " + "x" * 300,
             "scores": {"match": {"value": "CI"[(i * number) % 2]}}}
            for i in range(n_samples)
        ]  # fmt: skip
        with zipfile.ZipFile(folder / f"log-{number}.eval", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("header.json", json.dumps(HEAD | {"eval": about}))
            archive.writestr("summaries.json", json.dumps(summaries))


def large(folder, n_logs=10, megabytes=100):
    """Write 1 GB of JSON logs with long messages."""
    texts = [json.dumps(sample) for sample in samples(megabytes)]
    for number in range(n_logs):
        head = HEAD | {"eval": {"task": "t", "model": f"m-{number}", "eval_id": f"e{number}"}}
        with (folder / f"log-{number}.json").open("w") as file:
            file.write(json.dumps(head)[:-1] + ', "samples": [' + ", ".join(texts) + "]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="docs/measured/folder_inventory.csv")
    asked = parser.parse_args()
    rows = []
    for name, write in (("500 logs", many), ("1 GB", large)):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder))
            paths = list(Path(folder).iterdir())
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([sys.executable, "-m", "howsure", "doctor", folder], stdout=subprocess.DEVNULL, check=True)
            seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            size = sum(path.stat().st_size for path in paths)
            rows.append([name, len(paths), size // 10**6, round(seconds, 1), round(used, 1), after.ru_maxrss // 1024])
    with open(asked.out, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["folder", "files", "megabytes", "seconds", "processor_seconds", "peak_megabytes"])
        table.writerows(rows)


if __name__ == "__main__":
    main()
