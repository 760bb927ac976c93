"""A new test is one file in `nulls/` and one line in its catalogue: every command, report and page has it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import howsure

CLASS = """
from types import MappingProxyType
import numpy as np
from howsure.nulls.item_test import Shape, Units, on_the_data, recommended
from howsure.nulls.student import StudentT

class Trimmed(StudentT):
    name, score_name = "trimmed-t", "trimmed"
    label, statistic = "trimmed t test", "t"
    says = "no resampling: Student's t without the smallest and the largest item advantage"
    account = "the p-value is Student's of all but two items"
    how = "the largest and the smallest difference are left out"
    rules = on_the_data(name)
    suitability = MappingProxyType({**StudentT.suitability, Shape.NORMAL: recommended("it is new.")})

    def run(self, units, hypothesis, resamples=None):
        return super().run(Units.independent(np.sort(units.sums, axis=1)[:, 1:-1]), hypothesis)
"""

USED = """
import sys
import numpy as np
from click.testing import CliRunner
from starlette.testclient import TestClient
import howsure
from howsure import examples, models, paired, planning
from howsure.auditing import audit
from howsure.cli.app import app
from howsure.comparison import compare
from howsure.nulls import NULLS
from howsure.reports import report
from howsure.reports.accounts import account_of
from howsure.reports.scores import charts
from howsure.testing import check_null
from howsure.web import Settings, create_app

folder = sys.argv[1]
assert howsure.__file__.startswith(folder), howsure.__file__
check_null(NULLS["trimmed-t"])

# compare, with its report
result = compare(examples.ratings().contest(gold="human", a="model-2", b="model-1"), metric="mae", null="trimmed-t")
assert result.exact and result.pvalue < 0.01, result.pvalue
assert "<" not in result.shown_pvalue
report(result, f"{folder}/report.md")
assert "of all but two items" in open(f"{folder}/report.md").read()

# audit and plan
audited = audit(models.preset("normal"), metrics=["mae"], schemes=[("bootstrap", "all")], nulls=["trimmed-t"], tests=[],
                intervals=["t"], designs=[(12, 2)], epsilons=[0.1], n_simulations=20, n_resamples=39, rng=0).tests
assert {row.null for row in audited} == {"trimmed-t"}
plan = planning.plan(models.preset("normal"), metrics=["mae"], epsilon=0.3, test="trimmed-t", n_items=[60],
                     n_responses=[2], rng=0)
assert 0 < plan.cells[0].power < 1

# scores: it is recommended, chosen and run in every step
rng = np.random.default_rng(1)
scores = paired.PairedScores.from_arrays(rng.normal(0.3, 1, 60), np.zeros(60))
steps = paired.analyse(scores, margin=0.5, n_simulations=20, rng=1)
assert {choice.test: choice.reason for choice in steps.recommendation.recommended}["trimmed"] == "It is new."
steps = paired.analyse(scores, test="trimmed", margin=0.5, n_simulations=20, rng=1)
assert steps.test == steps.curve.test == steps.equivalence.test == "trimmed"
assert "trimmed t test" in steps.sentence
assert "left out" in " ".join(account_of(steps).done)
assert charts(steps)
assert paired.PairedAnalysis.from_dict(steps.to_dict()).sentence == steps.sentence
table = paired.ScoreTable(rng.normal(size=(30, 3)), ("x", "y", "z"))
assert {pair.test for pair in paired.compare_systems(table, test="trimmed").pairs} == {"trimmed"}

# the command line and the page
paired.write_scores(scores, f"{folder}/scores.txt")
for command in (["scores", "test", f"{folder}/scores.txt", "--test", "trimmed"], ["compare", "--help-all"]):
    printed = CliRunner().invoke(app, command)
    assert printed.exit_code == 0, printed.output
    assert "trimmed" in printed.output
with TestClient(create_app(Settings(folder=f"{folder}/server", workers=1)), base_url="http://127.0.0.1:8765") as page:
    assert "trimmed-t" in page.get("/api/v1/openapi.json").text
"""


def test_a_new_test_is_one_file_and_one_line(tmp_path):
    package = tmp_path / "howsure"
    shutil.copytree(Path(howsure.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "nulls" / "trimmed.py").write_text(CLASS)
    catalogue = package / "nulls" / "__init__.py"
    text = catalogue.read_text(encoding="utf-8")
    assert text.count("            RANDOM_EFFECTS,\n") == 1
    text = text.replace("            RANDOM_EFFECTS,\n", "            RANDOM_EFFECTS,\n            Trimmed(),\n")
    imports = "from howsure.nulls.student import StudentT\n"
    catalogue.write_text(
        text.replace(imports, f"{imports}from howsure.nulls.trimmed import Trimmed\n"), encoding="utf-8"
    )
    there = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", USED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=there, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
