"""Sentences are claims: true word for word when A wins, when B wins, when nothing is clear, and with a margin."""

import math
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from howsure import Contest, Responses
from howsure.comparison import compare, compare_each, verdicts
from howsure.comparison.detectable import detectable, of_parts
from howsure.comparison.margins import margin_tests
from howsure.data.scales import Scale
from howsure.documents import Table
from howsure.documents.text import render
from howsure.errors import HowsureWarning
from howsure.inference import binomial_region
from howsure.inference.combined_error import CombinedError
from howsure.inference.evidence import Evidence
from howsure.intervals.direct import score_statistic
from howsure.nulls import NULLS

NAMES = ("human", "new", "old")


def contest(shift, n_items=60, noise=1.0, seed=3):
    """A's errors are smaller than B's by `shift` on average."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    a = gold + noise * np.abs(rng.normal(size=n_items))
    b = gold + noise * np.abs(rng.normal(size=n_items)) + shift
    return Contest.from_arrays(gold, a, b, names=NAMES)


def test_the_winner_comes_first_with_its_own_number():
    for shift, winner, loser, places in ((1.0, "new", "old", 2), (-1.0, "old", "new", 3)):
        result = compare(contest(shift), metric="mae", rng=0, n_resamples=499)
        scores = {"new": result.a_score, "old": result.b_score}
        assert result.verdict.startswith(
            f"{winner} is better than {loser}: mean absolute error {scores[winner]:.{places}f} vs "
            f"{scores[loser]:.{places}f}, lower by {abs(result.advantage):.{places}f} (95% CI "
        )
        assert "−" not in result.verdict
        assert scores[winner] < scores[loser]


def test_a_verdict_without_a_winner_says_what_could_have_been_found():
    result = compare(contest(0.0), metric="mae", rng=0, n_resamples=499)
    found = str(result)
    assert found.startswith("No clear difference between ")
    assert f"This design has 80% power for a difference of {result.detectable:.2g}." in found
    assert "80% power" not in str(compare(contest(1.0), metric="mae", rng=0, n_resamples=499))


@pytest.mark.parametrize("df", [3, 5, 8, 20, 1000])
@pytest.mark.parametrize(("alternative", "tail"), [("two-sided", 0.025), ("greater", 0.05)])
def test_the_detectable_advantage_is_found_8_times_in_10(df, alternative, tail):
    known = Evidence(np.zeros(1), df=np.array([float(df)]), n_units=df + 1)
    found = detectable(0.5, known, NULLS["shifted-bootstrap"], 0.95, alternative)
    assert stats.nct.sf(stats.t.isf(tail, df), df, found / 0.5) == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(("variances", "dfs"), [((1.0, 0.2), (2.0, 39.0)), ((0.3, 1.0), (1.0, 20.0)), ((1.0,), (2.0,))])
def test_with_raters_each_study_estimates_its_error_anew(variances, dfs):
    rng, n = np.random.default_rng(3), 20_000
    found = of_parts(CombinedError(variances, dfs), 0.025)
    squares = sum(
        v * stats.t.isf(0.025, df) ** 2 * rng.chisquare(df, n) / df for v, df in zip(variances, dfs, strict=True)
    )
    rejected = np.abs(rng.normal(found, math.sqrt(sum(variances)), n)) > np.sqrt(squares)
    assert int(rejected.sum()) in binomial_region(n, 0.8, confidence_level=0.999)


@pytest.mark.parametrize(("n", "least"), [(2, "0.5"), (5, "0.062")])
def test_where_no_p_is_small_enough_no_advantage_is_said_to_be_found(n, least):
    rng = np.random.default_rng(n)
    few = Contest.from_arrays(*(rng.normal(size=(n, 3)) for _ in range(3)))
    result = compare(few, metric="mae", rng=0)
    assert result.detectable == math.inf
    assert f"With {n} items no difference can be significant, however large: p is never below {least}." in str(result)
    assert "80% power" not in str(result)


@pytest.mark.parametrize(("n_raters", "leads"), [(3, "these"), (6, "like")])
def test_both_answers_about_raters_stand_in_two_aligned_lines(n_raters, leads):
    """Few raters say too little about others: then the answer for these raters leads."""
    rng = np.random.default_rng(1)
    raters = np.tile(np.arange(n_raters), (30, 1))
    sides = [Responses.from_grid(rng.normal(shift, size=(30, n_raters)), raters) for shift in (0, 1)]
    result = compare(Contest(None, *sides, Scale("continuous"), np.arange(30).astype(str)), metric="rating", rng=0)
    answers = result.rater_answers
    assert result.pvalue == getattr(answers, leads).pvalue
    first, second, advice = answers.lines(result)
    assert first.startswith(f"For these {n_raters} raters:     B better by ")
    assert second.startswith("For raters like these:  B better by ")
    assert "−" not in first + second
    few = f"Report the first line. The second is only a hint: {n_raters} raters are too few to generalise reliably."
    many = "Report the second line unless exactly these raters are the standard."
    assert advice.startswith(few if leads == "these" else many)
    assert "\n".join([first, second, advice]) in str(result)


def test_test_and_interval_that_disagree_are_explained():
    result = compare(contest(0.24, seed=5), metric="mae", rng=0, n_resamples=499)
    ends = result.confidence_interval
    for low, high, p, words in (
        (0.1, 0.3, 0.2, "The interval excludes 0 although p is above 0.05"),
        (-0.1, 0.3, 0.01, "The interval includes 0 although p is at most 0.05"),
    ):
        changed = replace(result, pvalue=p, confidence_interval=replace(ends, low=low, high=high))
        assert words in str(changed)
    agreed = replace(result, pvalue=0.2, confidence_interval=replace(ends, low=-0.1, high=0.3))
    assert "although" not in str(agreed)


@pytest.mark.parametrize(
    ("shift", "margin", "words"),
    [
        (1.0, 0.3, "new is better than old by more than 0.3 (90% CI"),
        (0.0, 0.8, "new and old are equivalent: they differ by less than 0.8 (90% CI"),
        (0.4, 0.4, "new is not worse than old by more than 0.4 (90% CI"),
        (-0.4, 0.3, "The data do not show that new is within 0.3 of old"),
    ],
)
def test_a_margin_claims_no_more_than_its_interval(shift, margin, words):
    result = compare(contest(shift), metric="mae", rng=0, n_resamples=999, margin=margin)
    assert words in result.verdict
    ends = result.margin.confidence_interval
    assert ends.confidence_level == pytest.approx(0.9)
    assert (result.margin.equivalence <= 0.05) == (-margin < ends.low and ends.high < margin)
    [row] = result.to_frame().to_dicts()
    assert row["margin"] == margin
    for name in ("superiority", "non_inferiority", "equivalence"):
        assert row[f"margin_{name}"] == getattr(result.margin, name)


def test_margin_tests_with_students_interval_are_students_tests():
    data = contest(0.3, n_items=25)
    result = compare(data, metric="mae", rng=0, n_resamples=199, interval="t", margin=0.2)
    gold, a, b = (side.values for side in (data.gold, data.a, data.b))
    advantages = np.abs(b - gold) - np.abs(a - gold)
    for name, shift, side in (("superiority", 0.2, "greater"), ("non_inferiority", -0.2, "greater")):
        expected = stats.ttest_1samp(advantages, shift, alternative=side).pvalue
        assert getattr(result.margin, name) == pytest.approx(expected, rel=1e-6)
    upper = stats.ttest_1samp(advantages, 0.2, alternative="less").pvalue
    assert result.margin.equivalence == pytest.approx(max(upper, result.margin.non_inferiority), rel=1e-6)


@pytest.mark.parametrize("margin", [0.02, 0.1, 0.3])
def test_margin_tests_with_the_score_interval_are_score_tests(margin):
    rng = np.random.default_rng(0)
    gold, *noise = rng.integers(0, 2, (3, 100))
    a, b = (np.where(rng.random(100) < 0.2, other, gold) for other in noise)
    contest = Contest.from_arrays(gold, a, b, scale="nominal")
    won, lost = (int(((x == gold) & (y != gold)).sum()) for x, y in ((a, b), (b, a)))
    found = compare(contest, metric="accuracy", rng=0, margin=margin, interval="score").margin
    statistics = [score_statistic(won, lost, 100, difference) for difference in (margin, -margin)]
    superiority, non_inferiority = stats.norm.sf(statistics)
    assert found.superiority == pytest.approx(superiority, rel=1e-6)
    assert found.non_inferiority == pytest.approx(non_inferiority, rel=1e-6)
    assert found.equivalence == pytest.approx(max(1 - superiority, non_inferiority), rel=1e-6)


def test_a_margin_that_cannot_be_tested_is_undefined():
    data = Contest.from_arrays([1.0], [1.0], [2.0])
    with pytest.warns(match="undefined"):
        result = compare(data, metric="mae", rng=0, margin=0.5)
    assert math.isnan(result.margin.equivalence)


def test_many_slices_are_counted_and_notes_name_theirs():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=120)
    groups = {"topic": np.repeat([f"t{i}" for i in range(12)], 10)}
    a, b = gold + 0.1 * rng.normal(size=120), gold + np.where(groups["topic"] == "t3", 5.0, rng.normal(size=120))
    found = compare_each(Contest.from_arrays(gold, a, b, groups=groups), metrics=["mae"], by="topic", rng=0)
    shown = str(found)
    assert shown.startswith("Of 12 comparisons: A is better on ")
    assert shown.count("howsure 0.2.0 |") == 1
    assert "by=topic" in shown


@pytest.mark.parametrize("n_better", [3, 120, 300])
def test_of_very_many_slices_the_table_has_those_with_the_smallest_pvalues(n_better):
    rng = np.random.default_rng(0)
    gold, groups = np.zeros(7 * 1001), {"topic": np.repeat(np.arange(1001), 7)}
    a, b = rng.normal(size=(2, gold.size))
    better = rng.permutation(1001)[:n_better]
    a[np.isin(groups["topic"], better)] = 0.0
    contest = Contest.from_arrays(gold, a, b, groups=groups)
    found = compare_each(contest, metrics=["mae"], by="topic", rng=0, correction="none", confidence_level=0.98)
    document = found.document()
    [table] = [block for block in document.blocks if isinstance(block, Table)]
    pvalues = np.array([entry.pvalue for entry in found])
    decided = np.flatnonzero(pvalues <= 0.02)
    n_rows = min(max(decided.size, 50), 200)
    assert n_better <= decided.size < n_better + 50
    assert [row[0] for row in table.rows] == [found[i].slice for i in np.argsort(pvalues, kind="stable")[:n_rows]]
    assert f"The table has the {n_rows} with the smallest p-values; a report as .csv (`report`) has all." in str(found)
    assert "On topic" not in str(found)
    assert found.to_frame().height == len(found.to_dict()["comparisons"]) == 1001
    order = np.argsort(pvalues, kind="stable")
    entries = list(found)
    for place, said in ((order[0], "First."), (order[-1], "Last."), (order[-2], "Shared."), (order[-3], "Shared.")):
        entries[place] = replace(entries[place], notes=(*entries[place].notes, said))
    notes = replace(found, comparisons=tuple(entries)).document().notes
    assert f"{found[order[0]].slice}, mae: First." in notes
    assert notes[-1] == "1 more note is on single comparisons that are not in the table."
    assert any(note.endswith("mae: Shared.") for note in notes)
    assert not any("Last." in note for note in notes)


def test_effect_sizes_and_expected_p_are_shown():
    result = compare(contest(1.0), metric="mae", rng=0, n_resamples=499)
    shown = render(result.document(), verbose=True)
    for said in ("Effect size: Cohen's d", "Mean one-sided p-value if the study were repeated with new items: "):
        assert said in shown
        assert said not in str(result)


def test_the_default_metric_is_chosen_by_the_scale():
    labels = Contest.from_arrays(["x", "y", "x"], ["x", "y", "y"], ["y", "y", "y"])
    result = compare(labels, rng=0)
    assert result.metric == "accuracy"
    assert "Metric: accuracy (default for nominal labels). Change it with `metric`." in result.notes


def test_margin_tests_of_raters_are_their_t_tests():
    """Of one part, a shifted Student's test; p is not 1 for want of an interval below the level of one half."""
    error = CombinedError((0.04,), (7.0,))
    for advantage in (0.5, 0.1, -0.3):
        found = margin_tests(
            0.25,
            lambda level, side, c=advantage: error.interval(c, confidence_level=level, alternative=side),
            confidence_level=0.95,
        )
        above, below = ((advantage + 0.25) / 0.2, (advantage - 0.25) / 0.2)
        assert found.superiority == pytest.approx(stats.t.sf(below, 7), rel=1e-6)
        assert found.non_inferiority == pytest.approx(stats.t.sf(above, 7), rel=1e-6)
        assert found.equivalence == pytest.approx(max(stats.t.sf(above, 7), stats.t.cdf(below, 7)), rel=1e-6)


def test_with_a_margin_raters_like_these_are_never_surer_than_these():
    surer = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        sides = [Responses.from_grid(rng.normal(size=(30, 3)), np.tile(np.arange(3), (30, 1))) for _ in range(2)]
        contest = Contest(None, *sides, Scale("continuous"), np.arange(30).astype(str))
        like = compare(contest, metric="rating", rng=0, margin=0.4, raters="random")
        these = like.beside.margin
        surer += like.margin_tests(0.4, "t", 0.95).equivalence < these.equivalence
        for name in ("superiority", "non_inferiority", "equivalence"):
            assert getattr(like.margin, name) >= getattr(these, name)
        assert like.margin.confidence_interval.low <= these.confidence_interval.low
        assert like.margin.confidence_interval.high >= these.confidence_interval.high
    assert surer  # without the rule it would happen


def test_a_model_without_order_has_no_rank_correlation_and_the_result_says_why():
    rng = np.random.default_rng(0)
    gold = Responses.from_grid(rng.normal(size=(30, 4)), np.tile(np.arange(4), (30, 1)))
    flat, model = (Responses.from_grid(values[:, np.newaxis]) for values in (np.ones(30), rng.normal(size=30)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", HowsureWarning)
        flat_a = Contest(gold=gold, a=flat, b=model, items=tuple(map(str, range(30))), scale=Scale("continuous"))
        found = compare(flat_a, metric="spearman", rng=0, margin=0.1)
    assert "The Spearman correlation is undefined: A gives all items the same mean answer." in found.notes
    assert found.verdict.startswith("No verdict on")
    assert "do not show" not in found.verdict
    assert "For these 4 raters" not in str(found)


def test_a_margin_says_when_the_other_one_is_better_by_more():
    there = contest(1.5)
    result = compare(replace(there, a=there.b, b=there.a), metric="mae", rng=0, n_resamples=999, margin=0.2)
    assert result.margin.confidence_interval.high < -0.2
    assert "old is better than new by more than 0.2 (90% CI" in result.verdict
    assert "do not show" not in result.verdict


def test_asides_of_several_metrics_name_theirs():
    found = compare_each(contest(0.05), metrics=["mae", "mse"], rng=0, n_resamples=999)
    ends = found[0].confidence_interval
    torn = [replace(one, n_together=0, confidence_interval=replace(ends, low=0.01, high=0.3)) for one in found]
    shown = str(replace(found, comparisons=tuple(torn)))
    assert "\nmae: The interval excludes 0 although p is above 0.05" in shown
    assert "\nmse: The interval excludes 0 although p is above 0.05" in shown


def test_notes_name_the_first_comparisons_that_they_belong_to():
    """Comparisons with the same notes are counted together; their order is that of the comparisons all the same."""
    said = [("x", "y"), ("y",), ("x", "y"), ("y", "x"), ("y",), ("x", "y"), ("y", "x"), ("y", "z"), ("x", "y")]
    found = [SimpleNamespace(notes=notes, slice=f"s{i}", metric="mae") for i, notes in enumerate(said)]
    assert verdicts._notes(found, found[:2]) == [
        "s0, mae, s2, mae, s3, mae, s5, mae, s6, mae and 1 more: x",
        "y",
        "1 more note is on single comparisons that are not in the table.",
    ]
