"""How much memory do many labels take? Peak memory and processor time of commands on 20,000 items × 5,000 labels.

    python benchmarks/labels_memory.py [--items 20000] [--labels 5000] [--out docs/measured/labels_memory.csv]

Gold and two models give three of 5,000 labels to each item. Each command runs in a process of its own. Dense counts of
one source would take 800 MB, and three sources are needed.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = """
import resource, sys, time
from howsure.cli import main
code = 0
try:
    main()
except SystemExit as end:
    code = end.code or 0
print(code, time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""
RATERS = 3
COMMANDS = {
    **{
        metric: ["compare", "{table}", "--metric", metric] for metric in ("accuracy", "tv", "js", "kl", "wins", "brier")
    },
    "four metrics": ["compare", "{table}", "--metric", "js,tv,kl,accuracy"],
    "responses drawn": ["compare", "{table}", "--metric", "js", "--responses", "bootstrap", "--n-resamples", "199"],
    "leaderboard": ["leaderboard", "{table}", "--metric", "js"],
    "describe": ["describe", "{table}"],
    "free text, insisted": ["compare", "{text}", "--metric", "accuracy", "--scale", "nominal"],
    "free text": ["compare", "{text}", "--metric", "accuracy"],
    "f1": ["compare", "{table}", "--metric", "f1"],
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--labels", type=int, default=5_000)
    parser.add_argument("--out", default="docs/measured/labels_memory.csv")
    asked = parser.parse_args()
    dice = random.Random(0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table, text = Path(folder) / "labels.csv", Path(folder) / "text.csv"
        with table.open("w") as file:
            file.write("item,source,value\n")
            for item in range(asked.items):
                usual = [dice.randrange(asked.labels) for _ in range(4)]
                for source, sure in (("gold", 0.7), ("model-a", 0.6), ("model-b", 0.5)):
                    for _ in range(RATERS):
                        label = usual[0] if dice.random() < sure else dice.choice(usual)
                        file.write(f"{item},{source},label {label}\n")
        with text.open("w") as file:
            file.write("item,source,value\n")
            for item in range(8_000):
                for source in ("gold", "model-a", "model-b"):
                    file.write(f"{item},{source},answer {dice.randrange(10**9)} to {item}\n")
        for name, command in COMMANDS.items():
            words = [word.format(table=table, text=text) for word in command]
            sources = (
                []
                if command[0] == "describe"
                else ["--gold", "gold", *(["--a", "model-a", "--b", "model-b"] if command[0] == "compare" else [])]
            )
            asked_for = [sys.executable, "-c", RUN, *words, *sources]
            done = subprocess.run(asked_for, capture_output=True, text=True, check=False)
            code, seconds, peak = done.stderr.split()[-3:]
            rows.append([name, "refused" if code != "0" else "done", peak, round(float(seconds), 1)])
            print(*rows[-1], done.stderr.strip().splitlines()[0] if code != "0" else "", flush=True)
    with open(asked.out, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["command", "outcome", "peak_megabytes", "processor_seconds"])
        out.writerows(rows)


if __name__ == "__main__":
    main()
