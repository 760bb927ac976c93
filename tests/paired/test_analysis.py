import json

import numpy as np
import pytest

from howsure import _json
from howsure.errors import ArgumentError, DataError
from howsure.paired import PairedScores, analyse, significance_test

rng = np.random.default_rng(4)
b = rng.beta(5, 5, 150)
scores = PairedScores.from_arrays(b + rng.normal(0.03, 0.1, 150), b, names=("new", "base"))


@pytest.fixture(scope="module")
def analysis():
    return analyse(scores, margin=0.1, n_simulations=100, rng=1)


def test_recommended_test_is_run_and_the_choice_explained(analysis):
    assert analysis.significance.test == analysis.recommendation.test == "t"
    assert analysis.significance.pvalue == significance_test(scores).pvalue
    assert analysis.recommendation.sentence.startswith("Recommended test: paired t test. The differences are ")
    assert analysis.sentence.startswith("new scores higher than base: mean ")


def test_each_finding_is_said_once(analysis):
    said = [block.text for block in analysis.document().blocks if getattr(block, "role", "") == "verdict"]
    assert said == [analysis.significance.sentence, analysis.equivalence.sentence]


def test_json_round_trip_has_the_promised_names(analysis):
    found = json.loads(_json.dumps(analysis.to_dict()))
    assert {"pvalue", "statistic", "confidence_interval", "n", "sentence", "effects", "curve"} <= found.keys()
    assert found["pvalue"] == found["significance"]["pvalue"]
    assert [effect["effect"] for effect in found["effects"]] == ["cohen-d", "hedges-g", "wilcoxon-r", "hodges-lehmann"]
    assert found["equivalence"]["margin"] == 0.1


def test_same_seed_same_analysis(analysis):
    again = analyse(scores, margin=0.1, n_simulations=100, rng=1, workers=3)
    assert again.to_dict() == analysis.to_dict()


def test_inappropriate_test_is_run_with_a_warning():
    skewed = PairedScores.from_arrays(np.random.default_rng(1).exponential(size=60), np.zeros(60))
    found = analyse(skewed, test="t", n_simulations=50, rng=0)
    assert any("does not suit these scores" in note for note in found.notes)


def test_units_are_tested_and_named():
    found = analyse(scores, unit_size=7, n_simulations=50, rng=0)
    assert found.n == 21
    assert "n = 21 units of 7 segments" in found.sentence
    assert any("3 of 150 segments are dropped" in note for note in found.notes)


def test_no_difference_is_not_called_equality():
    same = PairedScores.from_arrays(np.random.default_rng(2).normal(size=30), np.zeros(30))
    assert analyse(same, n_simulations=50, rng=0).sentence.startswith("No clear difference between B and A: ")


def test_right_or_wrong_scores_are_reported_as_accuracy():
    answers = np.random.default_rng(3).random((2, 100)) < [[0.7], [0.4]]
    found = analyse(PairedScores.from_arrays(*answers.astype(float)), n_simulations=50, rng=0)
    assert ": accuracy " in found.sentence
    assert found.to_dict()["estimate"] == pytest.approx(answers[0].mean() - answers[1].mean())
    assert found.significance.confidence_interval.method == "score"


def test_clusters_are_named():
    clustered = PairedScores.from_arrays(scores.a, scores.b, clusters=np.arange(150) // 5)
    found = analyse(clustered, n_simulations=50, rng=0)
    assert "n = 150 in 30 clusters" in found.sentence


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        (scores, {"unit_size": 100}, DataError, "too few for two units"),
        (scores, {"n_resamples": 0}, ArgumentError, "n_resamples"),
        (scores, {"test": "z"}, ArgumentError, "`test`"),
        (PairedScores.from_arrays([1, 2], [1, 2]), {}, DataError, "identical"),
        (PairedScores.from_arrays([1.5, 2.5], [1, 2]), {}, DataError, "every one of the 2 differences A − B is 0.5"),
    ],
)
def test_bad_input(data, options, error, message):
    with pytest.raises(error, match=message):
        analyse(data, **options)
