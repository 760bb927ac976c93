"""Write docs/schemas: the JSON schema of every question and of every result.

python scripts/schemas.py
"""

import importlib
import json
from pathlib import Path

from assay import records
from assay.cli.app import QUESTIONS, load
from assay.questions.base import schema_of

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
RESULTS = {
    "audit": "assay.auditing:Audit",
    "comparisons": "assay.comparison:Comparisons",
    "description": "assay.agreement:TableDescription",
    "diagnosis": "assay.io:Diagnosis",
    "fit": "assay.models:Fit",
    "leaderboard": "assay.leaderboard:Leaderboard",
    "plan": "assay.planning:Plan",
    "scores-analysis": "assay.paired:PairedAnalysis",
    "simulation": "assay.models:Simulation",
}


def schemas() -> dict[str, str]:
    """Return each file's name and text."""
    found = {f"question-{name}": schema_of(load(address)) for name, (address, _) in QUESTIONS.items()}
    for name, address in RESULTS.items():
        module, _, kind = address.partition(":")
        found[f"result-{name}"] = records.schema_of(getattr(importlib.import_module(module), kind))
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"{name}.json": json.dumps(head | schema, indent=1, ensure_ascii=False) + "\n" for name, schema in found.items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
