"""A new test of differences is one class and one entry: every step, report and command knows it."""

import subprocess
import sys

NEW = """
import sys
import numpy as np
from click.testing import CliRunner
from howsure.cli import scores as commands
from howsure.difference_tests import CATALOGUE, Sample, Shape
from howsure.difference_tests.base import recommended
from howsure.difference_tests.means import MeanTest, StudentT

class Trimmed(MeanTest):
    name, label, statistic, how = "trimmed", "trimmed t test", "t", "the largest and the smallest are left out"
    suitability = {**StudentT.suitability, Shape.NORMAL: recommended("it is new.")}

    def run(self, sample, hypothesis, resamples=None):
        return StudentT().run(Sample.independent(np.sort(sample.sums, axis=1)[:, 1:-1]), hypothesis)

del CATALOGUE["t"]
CATALOGUE["trimmed"] = Trimmed()

from howsure import paired
from howsure.reports.accounts import account_of
from howsure.reports.scores import charts

rng = np.random.default_rng(1)
scores = paired.PairedScores.from_arrays(rng.normal(0.3, 1, 60), np.zeros(60))
analysis = paired.analyse(scores, margin=0.5, n_simulations=20, rng=1)
assert analysis.test == analysis.curve.test == analysis.equivalence.test == "trimmed"
assert analysis.recommendation.recommended[0].reason == "It is new."
assert "trimmed t test" in analysis.sentence
assert "left out" in " ".join(account_of(analysis).done)
assert charts(analysis)
assert paired.PairedAnalysis.from_dict(analysis.to_dict()).sentence == analysis.sentence
table = paired.ScoreTable(rng.normal(size=(30, 3)), ("x", "y", "z"))
assert {pair.test for pair in paired.compare_systems(table, test="trimmed").pairs} == {"trimmed"}
paired.write_scores(scores, sys.argv[1])
found = CliRunner().invoke(commands.group(), ["test", sys.argv[1], "--test", "trimmed"])
assert found.exit_code == 0, found
assert "trimmed t test" in found.output
"""


def test_a_new_test_is_one_class_and_one_entry(tmp_path):
    command = [sys.executable, "-c", NEW, str(tmp_path / "scores.txt")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
