"""Baselines beside the verdict, and LEADER's estimator under its own name."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from howsure import _json
from howsure.cli.app import app
from howsure.comparison import Comparisons, compare, compare_each
from howsure.comparison.baselines import BASELINES, with_baselines
from howsure.data.contests import Contest
from howsure.documents.text import render
from howsure.errors import ArgumentError, HowsureWarning


@pytest.fixture(scope="module")
def contest():
    rng = np.random.default_rng(5)
    gold = rng.normal(size=(40, 3))
    a, b = gold + rng.normal(0, 0.5, (40, 3)), gold + rng.normal(0.1, 0.7, (40, 3))
    return Contest.from_arrays(gold, a, b)


def errors(contest):
    gold, a, b = (np.array([item.mean() for item in np.split(source.values, 40)]) for source in
                  (contest.gold, contest.a, contest.b))  # fmt: skip
    return np.abs(a - gold), np.abs(b - gold)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_baselines_are_those_of_scipy_on_item_errors(contest, alternative):
    found = compare_each(contest, metrics=["mae"], alternative=alternative, n_resamples=99, rng=0)
    [entry] = with_baselines(found, [*BASELINES], seed=0)
    a, b = errors(contest)
    # A is better where its error is smaller, so "greater" asks whether B's errors are larger.
    expected = {
        "welch-t": stats.ttest_ind(b, a, equal_var=False, alternative=alternative).pvalue,
        "paired-t": stats.ttest_rel(b, a, alternative=alternative).pvalue,
        "wilcoxon": stats.wilcoxon(b - a, alternative=alternative).pvalue,
    }
    known = {one.test: one.pvalue for one in entry.baselines}
    for test, pvalue in expected.items():
        assert known[test] == pytest.approx(pvalue, rel=1e-9)
    draws = np.random.default_rng(1).choice(b - a, (4000, 40)).mean(axis=1)
    sides = {"greater": np.mean(draws <= 0), "less": np.mean(draws >= 0)}
    flat = min(1.0, 2 * min(sides.values())) if alternative == "two-sided" else sides[alternative]
    assert abs(known["item-bootstrap"] - flat) < 4 * np.sqrt(0.25 / 2000 + 0.25 / 4000)
    assert entry.pvalue == found[0].pvalue  # the verdict is the same as without them


def test_exchanging_a_and_b_exchanges_the_sides(contest):
    there = with_baselines(compare_each(contest, metrics=["mae"], alternative="greater", rng=0), [*BASELINES][:3], 0)
    swapped = replace(contest, a=contest.b, b=contest.a)
    back = with_baselines(compare_each(swapped, metrics=["mae"], alternative="less", rng=0), [*BASELINES][:3], 0)
    for one, two in zip(there[0].baselines, back[0].baselines, strict=True):
        assert one.pvalue == pytest.approx(two.pvalue, rel=1e-9)


def test_the_document_says_that_baselines_decide_nothing(contest):
    found = with_baselines(compare_each(contest, metrics=["mae", "rmse"], n_resamples=99, rng=0), ["welch-t"], 0)
    said = render(found.document(), verbose=True)
    assert "The verdict is by sign-flip. The baselines are shown for comparison only." in said
    assert "It is undefined where a model has no score for each item (rmse)." in said
    assert "although they are the same items" in " ".join(said.replace("│", " ").split())
    again = Comparisons.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert again[0].baselines == found[0].baselines
    assert found.to_frame()["baseline_welch-t"][0] == found[0].baselines[0].pvalue


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_models_that_are_alike_give_one():
    same = Contest.from_arrays([1, 2, 3, 4], [1, 2, 4, 4], [1, 2, 4, 4])
    [entry] = with_baselines(compare_each(same, metrics=["mae"], rng=0), [*BASELINES], 0)
    assert {one.test: one.pvalue for one in entry.baselines} == dict.fromkeys(BASELINES, 1.0)


def test_an_unknown_baseline_is_refused(contest):
    with pytest.raises(ArgumentError, match="Did you mean 'welch-t'"):
        with_baselines(compare_each(contest, metrics=["mae"], n_resamples=99, rng=0), ["welch"], 0)


def test_bootstrap_sign_is_the_share_of_draws_on_the_other_side(contest):
    with pytest.warns(HowsureWarning, match="It has no null distribution"):
        result = compare(contest, metric="mae", null="bootstrap-sign", n_resamples=999, rng=3)
    other = min(np.sum(result.draws <= 0), np.sum(result.draws >= 0))
    assert result.pvalue == pytest.approx(min(1.0, 2 * (other + 1) / 1000))
    # LEADER's own number: one side, without the 1 that a test adds.
    assert result.expected_pvalue == pytest.approx(max(other / 999, 1 / 1000))
    greater = result.at(alternative="greater")
    assert greater.pvalue == pytest.approx((np.sum(result.draws <= 0) + 1) / 1000)
    [note] = [note for note in result.notes if note.startswith("bootstrap-sign is LEADER's estimator")]
    assert note.endswith("rejects for 10 to 12% of equally good models at .05.")
    assert "null=bootstrap-sign" in result.signature


@pytest.mark.parametrize("settings", [{"responses": "one"}, {"responses": "bootstrap"}, {"items": "all"}])
def test_bootstrap_sign_is_refused_where_it_would_be_something_else(contest, settings):
    with pytest.raises(ArgumentError, match="bootstrap-sign"):
        compare(contest, metric="mae", null="bootstrap-sign", **settings, n_resamples=99, rng=0)


def test_an_expected_p_that_draws_cannot_tell_from_zero_is_a_bound():
    far = Contest.from_arrays(np.zeros(30), np.full(30, 0.01), np.linspace(3, 4, 30))
    said = render(compare(far, metric="mae", n_resamples=99, rng=0).document(), verbose=True)
    assert "if the study were repeated with new items: below 0.01. It is a property of the design" in said


def test_the_command_line_shows_baselines(tmp_path):
    rows = "".join(
        f"i{i},{source},{value}\n" for i in range(8) for source, value in (("g", i), ("x", i + 1), ("y", i - i % 3))
    )
    (tmp_path / "t.csv").write_text("item,source,value\n" + rows)
    asked = ["compare", str(tmp_path / "t.csv"), "--gold", "g", "--a", "x", "--b", "y", "--test", "paired-t", "--json"]
    [entry] = json.loads(CliRunner().invoke(app, asked, catch_exceptions=False).stdout)["comparisons"]
    assert [one["test"] for one in entry["baselines"]] == ["paired-t"]
