"""How much memory does a long log take? Peak memory of the process that reads it, and its processor time.

    python benchmarks/logs_memory.py [--megabytes 1000] [--out docs/measured/logs_memory.csv]

Writes an Inspect log of about that size (samples with long messages), as JSON and as a zstandard archive without
summaries, reads each in a process of its own, and notes the peak beyond what importing takes.
"""

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

READ = """
import resource, sys, time
from howsure.io import read_logs
import howsure.io.logs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
table = read_logs(sys.argv[1])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(before, peak, time.process_time() - start, table.sources["m"].values.size)
"""
MESSAGE = 100_000


def samples(megabytes):
    dice = random.Random(0)
    words = ["".join(dice.choices("abcdefghij ", k=8)) for _ in range(5000)]
    for number in range(megabytes * 10):
        text = " ".join(dice.choices(words, k=MESSAGE // 9))
        yield {
            "id": f"q{number}", "epoch": 1, "input": f"question {number}", "messages": [{"role": "user", "content": text}],
            "scores": {"match": {"value": dice.choice("CI"), "answer": "yes"}},
        }  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--out", default="docs/measured/logs_memory.csv")
    asked = parser.parse_args()
    head = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "eval_id": "e"}}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("json", "eval"):
            path = Path(folder) / f"log.{kind}"
            if kind == "json":
                with path.open("w") as file:
                    file.write(json.dumps(head)[:-1] + ', "samples": [')
                    for number, sample in enumerate(samples(asked.megabytes)):
                        file.write((", " if number else "") + json.dumps(sample))
                    file.write("]}")
            else:
                with zipfile.ZipFile(path, "w", compression=93, compresslevel=1) as archive:
                    archive.writestr("_journal/start.json", json.dumps(head))
                    for sample in samples(asked.megabytes):
                        archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
            done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True)
            before, peak, seconds, scores = done.stdout.split()
            rows.append(
                [
                    kind,
                    path.stat().st_size // 10**6,
                    scores,
                    int(before) // 1024,
                    int(peak) // 1024,
                    round(float(seconds), 1),
                ]
            )
            path.unlink()
    with open(asked.out, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["file", "megabytes", "scores", "megabytes_before", "peak_megabytes", "processor_seconds"])
        table.writerows(rows)


if __name__ == "__main__":
    main()
