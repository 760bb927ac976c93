"""NLPStatTest's own sample files and a saved session of its wizard, where they are at hand."""

import json

import numpy as np
import pytest

from howsure.errors import DataError
from howsure.paired import analyse, describe, effect_sizes, read_scores, recommend, significance_test
from tests.reference.scores import NLPSTATTEST_EXPECTED, NLPSTATTEST_SAMPLES


@pytest.fixture(scope="module")
def folder(shared):
    """The folder of sample files, or a skip where it is absent."""
    found = shared / "nlpstattest"
    if not found.is_dir():
        pytest.skip("NLPStatTest's sample files are not here")
    return found


@pytest.fixture(scope="module")
def session(folder):
    """What NLPStatTest saved after its wizard went through data-file.txt."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((folder / "config_cookies.yaml").read_text())


@pytest.mark.parametrize("name", NLPSTATTEST_SAMPLES)
def test_the_right_answers_come_out(folder, name):
    scores = read_scores(folder / name)
    for what, answer in NLPSTATTEST_SAMPLES[name].items():
        if what in ("t", "wilcoxon", "sign"):
            got = significance_test(scores, test=what).pvalue
        else:
            got = effect_sizes(scores, effect_size=[what])[0].estimate
        assert got == pytest.approx(answer, abs=5e-6), what


def test_t_of_the_large_sample(folder):
    found = significance_test(read_scores(folder / "data-file.txt"), test="t")
    assert (found.n, found.statistic) == (2001, pytest.approx(1.644513, abs=5e-7))


@pytest.mark.parametrize("name", NLPSTATTEST_EXPECTED)
def test_each_sample_gives_what_the_manual_promises(folder, name):
    test, direction = NLPSTATTEST_EXPECTED[name]
    found = analyse(read_scores(folder / name), n_simulations=200, rng=0)
    assert found.significance.test == test
    if direction is None:
        assert found.sentence.startswith("No clear difference between A and B: ")
        assert max(found.curve.power) < 0.3
    else:
        assert found.sentence.startswith(
            {"higher": "A scores higher than B: ", "lower": "B scores higher than A: "}[direction]
        )
        assert found.curve.power[-1] > 0.99


def test_the_wizard_walks_the_same_way(folder, session):
    scores = read_scores(folder / session["fileName"])
    found = describe(scores)
    printed = json.loads(session["summary_stats_dict"])
    names = {"mean": "mean", "median": "median", "std.dev.": "standard_deviation", "min": "minimum", "max": "maximum"}
    for column, summary in (("score1", found.a), ("score2", found.b), ("difference", found.difference)):
        for theirs, ours in names.items():
            assert getattr(summary, ours) == pytest.approx(float(printed[column][theirs]), abs=5.1e-6), (column, theirs)
    assert found.skewness == pytest.approx(float(session["skewness_gamma"]), abs=3e-4)
    assert str(found.normal).lower() == session["is_normal"]
    advice = recommend(scores, found)
    assert advice.statistic == session["mean_or_median"]
    theirs = {
        key: {name.replace("_med", "-median") for name, _ in json.loads(session[f"{key}_tests"])}
        for key in ("recommended", "not_preferred", "not_recommended")
    }
    ours = {key: {choice.test for choice in choices} for key, choices in advice.lists.items()}
    assert ours["recommended"] == theirs["recommended"] == {"wilcoxon"}
    # The manual calls t inappropriate here, "OK for large sample"; 2,001 segments are one.
    assert ours["non-preferred"] == theirs["not_preferred"] | theirs["not_recommended"]
    assert ours["inappropriate"] == set()


def test_where_its_session_is_wrong(folder, session):
    found = analyse(read_scores(folder / session["fileName"]), test="t", n_simulations=20, rng=0)
    # It saved the p-value of another statistic (1.33451); the paired t is 1.644513.
    assert float(session["pval"]) == pytest.approx(0.18311)
    assert found.significance.pvalue == pytest.approx(0.100227, abs=5e-7)
    interval = found.significance.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((-0.00079, 0.00905), abs=1e-5)
    assert json.loads(session["estimator_value_list"])[0][1][0] == pytest.approx(0.07905)
    assert found.effects[0].estimate == pytest.approx(found.significance.statistic / np.sqrt(2001))


def test_a_file_three_times_over_is_noticed(folder):
    once, thrice = (read_scores(folder / name) for name in ("data-file.txt", "data-file-3.txt"))
    assert once.notes == ()
    assert "3 copies of the same 2,001 segments" in thrice.notes[0]
    found = significance_test(thrice, test="wilcoxon")
    assert found.pvalue < 0.001 < significance_test(once, test="wilcoxon").pvalue
    assert thrice.notes[0] in str(found)


def test_malformed_and_short_samples(folder):
    with pytest.raises(DataError, match="line 2: 2 columns, but the lines before have 3"):
        read_scores(folder / "BAD.txt")
    assert read_scores(folder / "10-lines.txt").n == 7
