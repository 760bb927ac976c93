"""Write src/howsure/functions.pyi: the functions of `howsure` with the type and default of every parameter.

python scripts/stubs.py
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

from howsure.functions import QUESTIONS
from howsure.questions.as_function import (
    EXECUTED_WITH,
    EXECUTION,
    annotation_of,
    default_of,
    holds_data,
    keyword_fields,
    positional_field,
)
from howsure.questions.base import Question

STUB = Path(__file__).parents[1] / "src" / "howsure" / "functions.pyi"
HEAD = '''"""The functions of `howsure`; made by `python scripts/stubs.py` from the questions."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, overload

import numpy as np

from howsure.auditing import Audit, LeaderAudit
from howsure.comparison import Comparison, Comparisons
from howsure.describing import TableDescription
from howsure.gating import GateCheck, GateResult
from howsure.io import Diagnosis
from howsure.judging import JudgedComparison, JudgedScores, JudgeReport, LabelBudget, LabelSample
from howsure.leaderboards import Leaderboard, LeaderboardPlan, Leaderboards
from howsure.metrics import Metric
from howsure.models import Fit, Simulation
from howsure.paired import PairedAnalysis, PowerPlan
from howsure.papers import PaperFigure, Replication, Search
from howsure.planning import Plan
from howsure.scoring import ModelScores, Reliability

T = TypeVar("T")
Many = T | Sequence[T]
Seed = int | np.integer[Any] | np.random.SeedSequence | np.random.Generator | None

QUESTIONS: dict[str, str]
'''

ONE_METRIC, METRICS = "str | Metric | None", "list[str | Metric] | list[str] | tuple[str | Metric, ...]"
RESULTS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "doctor": [("Diagnosis", {})],
    "compare": [
        ("Comparison", {"metric": f"{ONE_METRIC} = None", "by": "None = None", "judge": "None = None"}),
        ("Comparisons", {"metric": METRICS, "judge": "None = None"}),
        ("Comparisons", {"by": "str", "judge": "None = None"}),
        ("JudgedComparison", {"metric": f"{ONE_METRIC} = None", "by": "None = None", "judge": "str"}),
    ],
    "leaderboard": [
        ("Leaderboard", {"each": "Literal[False] = False", "plan": "None = None", "judge": "None = None"}),
        ("Leaderboards", {"each": "Literal[True]", "plan": "None = None", "judge": "None = None"}),
        ("LeaderboardPlan", {"each": "Literal[False] = False", "plan": "int", "judge": "None = None"}),
        ("JudgedScores", {"each": "Literal[False] = False", "plan": "None = None", "judge": "str"}),
    ],
    "gate": [
        ("GateResult", {"check": "Literal[False] = False"}),
        ("GateCheck", {"check": "Literal[True]"}),
    ],
    "judge": [("JudgeReport", {})],
    "score": [("ModelScores", {"judge": "None = None"}), ("JudgedScores", {"judge": "str"})],
    "reliability": [("Reliability", {})],
    "describe": [("TableDescription", {})],
    "sample": [("LabelSample", {})],
    "fit": [("Fit", {})],
    "simulate": [("Simulation", {})],
    "plan": [("Plan", {"judge": "None = None"}), ("LabelBudget", {"judge": "str"})],
    "audit": [("Audit", {"paper": "None = None"}), ("LeaderAudit", {"paper": 'Literal["leader"]'})],
    "replicate": [
        ("Replication", {"figure": "None = None", "search": "Literal[False] = False"}),
        ("PaperFigure", {"figure": "int", "search": "Literal[False] = False"}),
        ("Search", {"figure": "None = None", "search": "Literal[True]"}),
    ],
    "scores": [("PairedAnalysis", {})],
    "power": [("PowerPlan", {})],
}
"""What each function returns; where that depends on parameters, with the types that they then have."""


def parameters(question: type[Question], narrowed: dict[str, str]) -> list[str]:
    """Return the parameters of a function as a stub writes them; `narrowed` replaces the types of some."""
    data = positional_field(question)
    found = ["*"]
    if data is not None:
        found = ["*data: Any"] if holds_data(data) else [f"{data.name}: {annotation_of(data)}", "/", "*"]
    for field in keyword_fields(question):
        default = "" if field.required else f" = {default_of(field)!r}"
        found.append(f"{field.name}: {narrowed.get(field.name, annotation_of(field) + default)}")
    return found + [f"{name}: {EXECUTION[name][0]} = None" for name in EXECUTED_WITH.get(question.function, ())]


def stub() -> str:
    """Return the stub, formatted as the other modules are."""
    lines = [HEAD]
    for name, address in QUESTIONS.items():
        question = resolve_name(address)
        for result, narrowed in RESULTS[name]:
            lines += ["@overload"] * (len(RESULTS[name]) > 1)
            lines += [f"def {name}({', '.join(parameters(question, narrowed))}) -> {result}: ..."]
    if find_spec("ruff") is None:
        sys.exit("scripts/stubs.py needs the extra lint: sh scripts/setup.sh test,lint")
    how = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", str(STUB), "-"]
    made = subprocess.run(how, input="\n".join(lines), capture_output=True, check=True, encoding="utf-8")
    return made.stdout


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
