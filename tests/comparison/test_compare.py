"""From a contest to a verdict: the contract field by field, words, caveats, corrections, and the level."""

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from howsure import ArgumentError, Comparison, Contest, FunctionMetric, HowsureWarning, Responses, Scale, _json
from howsure.comparison import Comparisons, compare, compare_each
from howsure.data.summaries import means
from howsure.documents.numbers import in_words
from howsure.documents.numbers import pvalue as pvalue_text
from howsure.documents.text import render
from howsure.inference import sign_flips_of_rows
from howsure.intervals import INTERVALS
from howsure.metrics import BUILTIN
from howsure.metrics.labels import F1, RocAuc
from howsure.metrics.ratings import MeanRating
from howsure.nulls import NULLS
from howsure.nulls.null import SCHEMES
from howsure.resampling import first_responses
from howsure.resampling.responses_kept import equal_responses

CONTRACT = [
    "metric", "better", "a_score", "b_score", "advantage", "confidence_interval", "pvalue", "pvalue_se",
    "expected_pvalue", "n_items", "n_responses", "null", "scheme", "n_resamples", "seed", "notes", "signature",
]  # fmt: skip
Z = stats.norm.ppf(0.975)
FEW = Contest.from_arrays([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], [3, 3, 1, 2, 7, 10], names=("human", "new", "old"))


def paired(n_items, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    return Contest.from_arrays(gold, gold + 0.1 * rng.normal(size=n_items), gold + 0.2 * rng.normal(size=n_items))


# The contract


def test_the_json_contract_field_by_field(likert):
    likert = equal_responses(likert)
    result = compare(likert, metric="mae", rng=7, n_resamples=499)
    content = json.loads(_json.dumps(result.to_dict()))
    assert [name for name in CONTRACT if name not in content] == []
    mean = BUILTIN["mae"]
    assert (content["metric"], content["better"]) == ("mae", "lower")
    assert content["advantage"] == pytest.approx(content["b_score"] - content["a_score"])
    assert content["a_score"] == pytest.approx(np.mean([
        abs(np.mean(likert.a.take(np.array([i])).values) - np.mean(likert.gold.take(np.array([i])).values))
        for i in range(30)
    ]))  # fmt: skip
    limits = content["confidence_interval"]
    assert {"low", "high", "method"} <= set(limits)
    assert limits["low"] < content["advantage"] < limits["high"]
    assert (limits["method"], limits["confidence_level"]) == ("symmetric", 0.95)
    assert 0 < content["pvalue"] <= 1
    assert content["pvalue_se"] == pytest.approx(
        2 * math.sqrt(content["pvalue"] / 2 * (1 - content["pvalue"] / 2) / 499), rel=1e-9
    )
    assert 0 < content["expected_pvalue"] < 1
    assert content["n_items"] == 30
    assert content["n_responses"] == likert.n_responses
    assert (content["null"], content["scheme"]) == ("sign-flip", "items bootstrap, responses all")
    assert (content["n_resamples"], content["seed"]) == (499, 7)
    assert content["notes"] == []
    assert content["signature"].endswith(f"| seed=7 | data={likert.digest}")
    assert mean.name in content["signature"]


def test_the_draws_behind_the_numbers(ratings):
    result = compare(ratings, rng=1, n_resamples=399)
    assert result.draws.shape == result.null_draws.shape == (399,)
    as_extreme = min((result.null_draws >= result.advantage).sum(), (result.null_draws <= result.advantage).sum())
    assert result.pvalue == pytest.approx(min(1, 2 * (as_extreme + 1) / 400))
    ends = result.at(interval="percentile").confidence_interval
    assert (ends.low, ends.high) == pytest.approx(tuple(np.quantile(result.draws, [0.025, 0.975])))
    at_least = np.mean(result.null_draws[:, np.newaxis] >= result.draws)
    assert result.expected_pvalue == pytest.approx(max(at_least, 1 / 400))
    for array in (result.draws, result.null_draws, result.standard_errors, result.evidence.jackknife):
        assert not array.flags.writeable


def test_exact_sign_flips_against_the_textbook():
    depression = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    result = compare(Contest.from_arrays(None, depression, after), metric="rating", rng=0)
    assert result.exact
    assert result.pvalue == 0.02734375  # ORACLES: exact sign-flip of the mean, Hollander & Wolfe
    assert result.pvalue_se == 0


@pytest.mark.parametrize(("n_items", "enumerated"), [(13, True), (14, False)])
def test_few_items_are_enumerated(n_items, enumerated):
    result = compare(paired(n_items), metric="spearman", rng=0)
    assert result.exact is enumerated
    assert result.null_draws.size == (2**13 if enumerated else 9999)
    for metric in ("mae", "spearman"):
        assert compare(paired(n_items), metric=metric, rng=0, n_resamples=2**14).exact


def test_nothing_is_drawn_that_the_answer_does_not_use():
    data = paired(30)
    signs = Contest.from_arrays([1] * 30, [1] * 20 + [0] * 10, [0] * 9 + [1] * 21)
    for contest, metric, n_drawn in ((data, "mae", (9999, 0)), (data, "spearman", (0, 9999)), (signs, "mae", (0, 0))):
        plain, asked = (compare(contest, metric=metric, rng=0, **how) for how in ({}, {"n_resamples": 999}))
        assert (plain.draws.size, plain.null_draws.size) == n_drawn
        assert math.isnan(plain.expected_pvalue)
        assert (asked.draws.size, asked.null_draws.size) == (999, 999)
        assert 0 < asked.expected_pvalue < 1


def test_a_mean_of_item_scores_has_an_exact_p_that_no_seed_moves():
    contest = paired(40, seed=4)
    first, second = (compare(contest, rng=seed) for seed in (0, 1))
    assert first.exact
    assert first.pvalue == second.pvalue
    assert first.pvalue_se == 0
    drawn = compare(contest, rng=0, n_resamples=9999)
    assert not drawn.exact
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 9999, first.pvalue / 2)
    assert low <= drawn.pvalue / 2 * 10_000 - 1 <= high
    tails = {side: first.at(alternative=side).pvalue for side in ("greater", "less")}
    assert min(tails.values()) == pytest.approx(first.pvalue / 2)
    assert tails == {side: compare(contest, alternative=side, rng=5).pvalue for side in tails}


def test_far_out_the_p_value_is_a_number_and_not_a_bound():
    n = 60
    gold = np.arange(n) / n
    b = gold + np.where(np.arange(n) % 30 == 0, 0.05, 0.4) + np.arange(n) / 1000
    result = compare(Contest.from_arrays(gold, gold + 0.1, b), rng=0)
    # 0.05 and 0.08 are worse for A: all but these two signs are +, and few arrangements take no more from the sum.
    advantages = np.abs(b - gold) - 0.1
    taken = -advantages[advantages < 0].sum()
    sizes = np.abs(advantages)
    n_sets = 1 + (sizes <= taken).sum() + sum((sizes[i] + sizes[i + 1 :] <= taken + 1e-12).sum() for i in range(n))
    assert result.pvalue == pytest.approx(2 * n_sets / 2**n, rel=1e-9)
    assert f"p = {result.pvalue:.2g}." in result.verdict
    assert "<" not in result.verdict


def test_clusters_have_an_exact_p_too():
    contest = replace(paired(60, seed=6), groups={"document": np.arange(60) // 4})
    result = compare(contest, cluster="document", rng=0)
    assert result.exact
    enumerated = compare(contest, cluster="document", rng=0, n_resamples=2**15)
    assert enumerated.null_draws.size == 2**15
    assert result.pvalue == enumerated.pvalue


def test_sampled_p_agrees_with_the_enumerated_one():
    exact = compare(paired(12, seed=3), rng=0, n_resamples=4096)
    assert exact.pvalue == compare(paired(12, seed=3), rng=0).pvalue
    sampled = compare(paired(12, seed=3), rng=0, n_resamples=4000)
    assert exact.exact
    assert not sampled.exact
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 4000, exact.pvalue / 2)
    assert low <= sampled.pvalue / 2 * 4001 - 1 <= high


def test_a_comparison_comes_back_from_its_dict_and_its_json(likert):
    for result in (
        compare(likert, rng=0, n_resamples=99),
        compare(likert, rng=0, n_resamples=99, alternative="greater"),
        compare(likert, metric="spearman", rng=0, n_resamples=99),
    ):
        again = Comparison.from_dict(json.loads(_json.dumps(result.to_dict())))
        assert _json.dumps(again.to_dict()) == _json.dumps(result.to_dict())
        assert render(again.document(), verbose=True) == render(result.document(), verbose=True)
        with pytest.raises(ArgumentError, match="read back without its resamples"):
            again.at(confidence_level=0.9)


def test_nan_comes_back_as_nan():
    with pytest.warns(HowsureWarning):
        result = compare(Contest.from_arrays([1, 1], [1, 2], [2, 1]), metric="spearman", rng=0)
    again = Comparison.from_dict(json.loads(_json.dumps(result.to_dict())))
    assert math.isnan(again.advantage)
    assert math.isnan(again.confidence_interval.high)
    assert math.isnan(again.effect_sizes.cohen_d)


def test_at_uses_the_same_draws(ratings):
    result = compare(ratings, rng=0, n_resamples=999)
    wider = result.at(confidence_level=0.99)
    assert wider.confidence_interval.low < result.confidence_interval.low
    assert wider.confidence_interval.high > result.confidence_interval.high
    assert wider.pvalue == result.pvalue
    assert wider.evidence is result.evidence
    direct = compare(ratings, rng=0, n_resamples=999, confidence_level=0.9, alternative="greater", interval="bca")
    derived = result.at(confidence_level=0.9, alternative="greater", interval="bca")
    assert _json.dumps(derived.to_dict()) == _json.dumps(direct.to_dict())
    for wrong in ({"confidence_level": 95}, {"alternative": "up"}, {"interval": "best"}):
        with pytest.raises(ArgumentError):
            result.at(**wrong)


def test_at_offers_no_interval_that_compare_refuses(ratings):
    result = compare(ratings, rng=0, n_resamples=99, responses="bootstrap", null="shifted-bootstrap")
    for method in ("bca", "studentised"):
        with pytest.raises(ArgumentError, match="needs"):
            compare(ratings, rng=0, n_resamples=99, responses="bootstrap", null="shifted-bootstrap", interval=method)
        assert math.isnan(result.at(interval=method).confidence_interval.low)


def test_a_frame_has_one_row_for_each_comparison(likert):
    found = compare_each(likert, metrics=["mae", "tv"], by="topic", rng=0, n_resamples=99)
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["metric"].to_list() == ["mae", "tv", "mae", "tv"]
    assert frame["slice"].to_list() == ["topic = art", "topic = art", "topic = law", "topic = law"]
    assert frame["advantage"].to_list() == [entry.advantage for entry in found]
    assert {"interval_low", "interval_high", "pvalue_adjusted", "n_responses_gold", "cohen_d"} <= set(frame.columns)
    assert found[0].to_frame().height == 1
    free = compare(Contest.from_arrays(None, [1, 2, 4], [2, 1, 1]), metric="rating", rng=0)
    assert "n_responses_gold" not in free.to_frame().columns


def test_effect_sizes_by_hand():
    result = compare(FEW, metric="mae", rng=0)
    advantages = np.array([2, 1, 2, 2, 2, 3])
    sizes = result.effect_sizes
    assert sizes.cohen_d == pytest.approx(advantages.mean() / advantages.std(ddof=1))
    assert sizes.win_rate == 1
    errors = [0, 0, 0, 0, 0, 1], [2, 1, 2, 2, 2, 4]
    pairs = [np.sign(y - x) for x in errors[0] for y in errors[1]]
    assert sizes.cliffs_delta == pytest.approx(np.mean(pairs))
    assert math.isnan(compare(FEW, metric="rmse", rng=0).effect_sizes.cohen_d)
    assert math.isnan(compare(paired(20), metric="wins", rng=0).effect_sizes.cliffs_delta)


# Words


def test_the_verdict_in_english():
    result = compare(FEW, metric="mae", rng=0, interval="percentile", n_resamples=999)
    lines = str(result).splitlines()
    assert lines[0] == (
        "new is better than old: mean absolute error 0.17 vs 2.17, lower by 2.00 (95% CI 1.50 to 2.50), p = .031."
    )
    lines = render(result.document(), verbose=True).splitlines()
    assert "6 items with 1 gold, 1 A and 1 B responses each." in lines
    assert lines[-1] == (
        "howsure 0.2.0 | compare | metric=mae | null=sign-flip | items=bootstrap | responses=all | raters=fixed | "
        "interval=percentile | confidence_level=0.95 | alternative=two-sided | n_resamples=999 | seed=0 | "
        f"data={FEW.digest}"
    )


@pytest.mark.parametrize(
    ("contest", "options", "words"),
    [
        (FEW.swapped(), {}, "new is better than old"),
        (FEW, {"confidence_level": 0.99}, "No clear difference between new and old"),
        (FEW.swapped(), {"alternative": "greater"}, "No clear sign that old is better than new"),
        (FEW, {"alternative": "less"}, "No clear sign that new is worse than old"),
        (FEW, {"alternative": "greater"}, "new is better than old"),
        (FEW.swapped(), {"alternative": "less"}, "new is better than old"),
    ],
)
def test_who_is_better(contest, options, words):
    assert compare(contest, rng=0, n_resamples=999, **options).verdict.startswith(f"{words}:")


def test_a_sampled_p_at_its_limit_is_a_bound():
    result = compare(paired(60), rng=0, n_resamples=99)
    assert result.pvalue == 0.02
    assert "p < .02." in result.verdict
    assert "p < .01" in result.at(alternative="greater").verdict


def test_p_equal_to_the_level_is_significant_at_any_level():
    result = compare(paired(60), rng=0, n_resamples=19)  # p is 2 / 20, and 1 − 0.9 is a little below 0.1
    assert result.pvalue == 0.1
    assert result.at(confidence_level=0.9).verdict.startswith("A is better than B")


def test_sizes_say_when_they_are_means(likert):
    result = compare(likert, rng=0, n_resamples=99)
    assert result.sizes == "30 items with 3.733 gold, 2.667 A and 2.6 B responses each on average."


# Bad or thin data


@pytest.mark.parametrize("name", list(BUILTIN))
def test_one_item_gives_nan_and_notes_never_a_crash(name):
    contest = Contest.from_arrays([[1, 2]], [[1, 2]], [[2, 2]], scale="ordinal")
    with pytest.warns(HowsureWarning, match=name):
        result = compare(contest, metric=name, rng=0)
    assert math.isnan(result.confidence_interval.low)
    assert math.isnan(result.pvalue) or result.pvalue == 1
    assert result.notes
    assert "undefined" in str(result)


def test_comparisons_come_back_from_their_json(likert):
    likert = equal_responses(likert)
    found = compare_each(likert, metrics=["mae", "tv"], n_resamples=99, rng=0)
    again = Comparisons.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert "".join(found.json_pieces()) == _json.dumps(found.to_dict(), indent=2)
    assert "".join(found[0].json_pieces()) == _json.dumps(found[0].to_dict(), indent=2)
    assert ", all 2 together" in found[0].verdict
    assert ", all 100,000 together" in replace(found[0], n_together=100_000).verdict
    assert _json.dumps(again.to_dict()) == _json.dumps(found.to_dict())
    assert str(again) == str(found)


def test_few_items_say_what_p_they_can_reach():
    with pytest.warns(HowsureWarning):
        result = compare(Contest.from_arrays([1.0], [1.0], [2.0]), rng=0)
    assert "With 1 item no p-value below 1 is possible (0.5 one-sided)." in result.notes
    result = compare(FEW.take(np.arange(4)), rng=0, interval="percentile", n_resamples=999, alternative="greater")
    assert "With 4 items no p-value below 0.125 is possible (0.0625 one-sided)." in result.notes


def test_a_verdict_that_few_items_cannot_decide_is_not_said_twice():
    result = compare(Contest.from_arrays(None, [1.5, 2.5, 3.0], [0.0, 1.0, 1.0]), rng=0, n_resamples=999)
    said = str(result)
    assert "With 3 items no difference can be significant" in said
    assert "no p-value below" not in said
    assert result.confidence_interval.low == 0  # no p-value can be small, so the interval does not exclude 0
    assert "borderline" not in said
    with pytest.warns(HowsureWarning):
        same = compare(Contest.from_arrays(None, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]), rng=0, n_resamples=999)
    assert "Cohen's d" not in str(same)


@pytest.mark.parametrize("name", list(BUILTIN))
def test_constant_data_are_undefined_or_equal_never_significant(name):
    same = np.ones((20, 3))
    contest = Contest.from_arrays(same, same, same, scale="ordinal")
    if BUILTIN[name].additive and math.isfinite(BUILTIN[name].span):
        result = compare(contest, metric=name, rng=0, n_resamples=99)
        ends = result.confidence_interval
        assert -ends.low == ends.high == pytest.approx(BUILTIN[name].span * Z**2 / (20 + Z**2))
        assert "A and B differ on no item" in ends.notes[0]
        assert result.at(confidence_level=0.9).confidence_interval.high < ends.high
    else:
        with pytest.warns(HowsureWarning):
            result = compare(contest, metric=name, rng=0, n_resamples=99)
        assert math.isnan(result.confidence_interval.low)
    assert math.isnan(result.pvalue) or (result.advantage == 0 and result.pvalue == 1)


@pytest.mark.parametrize("interval", ["symmetric", "studentised", "t", "bca", "percentile", "basic"])
@pytest.mark.parametrize("offset", [0, 1000])
def test_a_constant_advantage_has_no_interval(interval, offset):
    gold = np.arange(20) / 10 + offset
    with pytest.warns(HowsureWarning, match="undefined"):
        result = compare(
            Contest.from_arrays(gold, gold + 0.1, gold + 0.3), rng=0, n_resamples=99, interval=interval
        )  # fmt: skip
    assert result.advantage == pytest.approx(0.2)
    assert math.isnan(result.confidence_interval.low)
    assert result.pvalue == 0.02


def test_undefined_draws_are_counted_in_a_note():
    contest = Contest.from_arrays([1, 1, 1, 2], [1, 2, 3, 4], [4, 2, 3, 1])
    result = compare(contest, metric="spearman", rng=0, n_resamples=999, interval="percentile")
    undefined = int(np.isnan(result.draws).sum())
    assert undefined > 0
    assert f"{undefined} of 999 resamples were undefined and omitted." in result.notes


def test_an_incomplete_contest_is_completed_and_said_so():
    sides = [Responses(np.arange(5.0), np.arange(6)), Responses([0, 2, 4, 4.5], [0, 1, 1, 2, 3, 4])]
    sides.append(Responses([0, 9, 4, 3, 1.0], np.arange(6)))
    contest = Contest(*sides, Scale("continuous"), np.array(list("vwxyz")))
    for result in (compare(contest, rng=0), compare_each(contest, rng=0)[0]):
        assert result.n_items == 4
        assert result.advantage == (0 + 2 + 0 + 3) / 4 - (0 + 0 + 1 + 0.5) / 4
        assert "1 of 5 items left out: 1 without a response from A (first: item w)." in result.notes


def test_unequal_numbers_of_runs_are_said_where_they_matter(likert):
    """A mean of more responses is closer to gold, so A and B that answer alike would be called different."""
    n = int((likert.a.sizes != likert.b.sizes).sum())
    said = f"A and B have unequally many runs on {n} of {likert.n_items} items"
    assert any(said in note for note in compare(likert, rng=0, n_resamples=99).notes)
    for options in ({"responses": "first"}, {"metric": "rating"}, {"metric": "wins-responses"}):
        assert not any("runs" in note for note in compare(likert, rng=0, n_resamples=99, **options).notes)


# Options that cannot be meant


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "meen"}, "`metric` must be one of mae"),
        ({"null": "swapped"}, "`null` must be one of sign-flip, paired-t, sign-test, wilcoxon, studentised"),
        ({"alternative": "bigger"}, "`alternative` must be one of two-sided, greater, less; got 'bigger'"),
        ({"n_resamples": 0}, "`n_resamples` must be a whole number of at least 1; got 0."),
        ({"n_resamples": -3}, "`n_resamples` must be a whole number of at least 1; got -3."),
        ({"n_resamples": 1e4}, "`n_resamples` must be a whole number; got 10000.0."),
        ({"confidence_level": 95}, "`confidence_level` must lie strictly between 0 and 1; got 95. Did you mean 0.95?"),
        ({"interval": "bootstrap-t"}, "`interval` must be one of percentile, basic, bca, studentised"),
        ({"rng": -1}, "`rng` must be a whole number of at least 0; got -1."),
        ({"workers": 0}, "`workers` must be a whole number of at least 1; got 0."),
        ({"metric": "rmse", "interval": "studentised"}, "a studentised interval needs item scores"),
        (
            {"items": "all", "responses": "bootstrap", "null": "shifted-bootstrap", "interval": "bca"},
            "a bca interval needs",
        ),
    ],
)
def test_options_are_refused_in_one_line(likert, options, message):
    with pytest.raises(ArgumentError) as caught:
        compare(likert, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_nominal_table_with_a_numeric_metric_is_refused(labels):
    with pytest.raises(ArgumentError, match="metric 'mae' needs numbers or ordered labels, but the scale is nominal"):
        compare(labels, metric="mae")


def test_gold_is_asked_for_where_it_is_needed():
    with pytest.raises(ArgumentError, match="metric 'mae' needs gold"):
        compare(Contest.from_arrays(None, [1, 2], [2, 1]), metric="mae")


RULES = [(rule, null.name) for null in NULLS.values() for rule in null.rules]
RULES += [(rule, "shifted-bootstrap") for rule in SCHEMES]


@pytest.mark.parametrize(
    ("rule", "null"),
    # Rules about random raters have tests of their own.
    [(rule, null) for rule, null in RULES if rule.raters != "random" and null != "random-effects"],
    ids=lambda one: one if isinstance(one, str) else f"{one.verdict} {one.items} {one.responses}",
)
def test_every_rule_of_the_validity_table_is_heard(likert, rule, null):
    contest = Contest.from_arrays([1, 2, 3, 4, 5], [1, 2, 3, 4, 4], [2, 2, 1, 4, 5]) if rule.single else likert
    items = rule.items or "bootstrap"
    keeps = (
        {"permuted-responses": "all", "bootstrap-sign": "all"}.get(null, "bootstrap")
        if rule.items != "all"
        else "bootstrap"
    )
    options = {"null": null, "items": items, "responses": rule.responses[0] if rule.responses else keeps}
    if rule.enlarged:
        options["n_responses"] = 50
    reason = rule.reason
    if rule.verdict == "refuse":
        with pytest.raises(ArgumentError) as caught:
            compare(contest, rng=0, n_resamples=99, **options)
        assert reason in str(caught.value)
        assert "\n" not in str(caught.value)
    elif rule.verdict == "warn":
        with pytest.warns(HowsureWarning) as heard:
            result = compare(contest, rng=0, n_resamples=99, **options)
        assert reason in [str(warning.message) for warning in heard]
        assert reason in result.notes
    else:
        assert reason in compare(contest, rng=0, n_resamples=99, **options).notes


# Several questions


def test_holm_and_benjamini_hochberg_over_metrics_and_slices(likert):
    options = {"metrics": ["mae", "tv", "accuracy"], "by": "topic", "rng": 0, "n_resamples": 499}
    for correction, method in (("holm", "holm"), ("benjamini-hochberg", "fdr_bh")):
        from statsmodels.stats.multitest import multipletests

        found = compare_each(likert, correction=correction, **options)
        expected = multipletests([entry.pvalue for entry in found], method=method)[1]
        assert [entry.pvalue_adjusted for entry in found] == pytest.approx(expected)
        assert f"p-values adjusted for 6 comparisons ({correction})." in str(found)
    plain = compare_each(likert, correction="none", **options)
    assert [entry.pvalue_adjusted for entry in plain] == [entry.pvalue for entry in plain]


def test_the_verdict_follows_the_adjusted_p():
    contest = Contest.from_arrays(np.arange(6), np.arange(6), [1, 3, 3, 6, 6, 6])
    alone = compare(contest, rng=0, interval="percentile", n_resamples=999)
    assert alone.verdict.startswith("A is better than B")
    both = compare_each(contest, metrics=["mae", "rmse"], rng=0, interval="percentile", n_resamples=999)
    assert both[0].pvalue == alone.pvalue == 0.03125
    assert both[0].pvalue_adjusted == 0.0625
    assert both[0].verdict.startswith("No clear difference")


def test_a_single_comparison_is_not_adjusted(likert):
    found = compare_each(likert, metrics=["mae"], rng=0, n_resamples=99)
    assert len(found) == 1
    assert math.isnan(found[0].pvalue_adjusted)
    assert found[0].pvalue == compare(likert, metric="mae", rng=0, n_resamples=99).pvalue


@pytest.mark.parametrize("sizes", [[12, 20, 12, 3], [20, 20, 20, 20]])
@pytest.mark.parametrize(("metrics", "n_resamples"), [(["mae", "mse"], None), (["mae", "spearman"], 199)])
def test_slices_are_compared_as_if_alone(sizes, metrics, n_resamples):
    rng = np.random.default_rng(0)
    contest = Contest.from_arrays(*rng.normal(size=(3, sum(sizes))), groups={"topic": np.repeat(range(4), sizes)})
    how = {"metrics": metrics, "rng": 4, "n_resamples": n_resamples, "correction": "none"}
    progress = []
    found = iter(compare_each(contest, by="topic", progress=progress.append, **how))
    for _, part in contest.slices("topic"):
        for alone in compare_each(part, **how):
            entry = next(found)
            assert (entry.advantage, entry.a_score, entry.effect_sizes) == (
                alone.advantage, alone.a_score, alone.effect_sizes
            )  # fmt: skip
            assert entry.draws.shape == alone.draws.shape
            if entry.draws.size and alone.n_items > 3:
                assert entry.draws.std() == pytest.approx(alone.draws.std(), rel=0.3)
            if entry.exact:
                assert entry.pvalue == alone.pvalue
    assert sum(progress) == 4 * 2 * (n_resamples or 9999)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": []}, "`metrics` must name at least one metric; got none."),
        ({"by": "genre"}, "`by` must name a column that describes items; got 'genre'. Columns: topic."),
        (
            {"correction": "bonferroni"},
            "`correction` must be one of westfall-young, holm, benjamini-hochberg, none; got 'bonferroni'.",
        ),
    ],
)
def test_questions_that_cannot_be_meant(likert, options, message):
    with pytest.raises(ArgumentError) as caught:
        compare_each(likert, **options)
    assert str(caught.value) == message


# Other metrics


def test_gold_free_ratings():
    contest = Contest.from_arrays(None, [[4, 5], [3, 3], [5, 4], [2, 3]], [[3, 3], [3, 2], [4, 4], [1, 3]])
    result = compare(contest, metric="rating", rng=0, interval="percentile", n_resamples=999)
    assert (result.a_score, result.b_score, result.advantage) == (3.625, 2.875, 0.75)
    assert list(result.n_responses) == ["a", "b"]
    assert result.names == ("", "A", "B")
    penalty = compare(contest, metric=MeanRating("lower"), rng=0, interval="percentile", n_resamples=999)
    assert (penalty.advantage, penalty.better) == (-0.75, "lower")
    assert penalty.pvalue == result.pvalue


def test_a_function_as_a_metric(ratings):
    def worst_error(gold, model):
        return np.abs(gold - model).max()

    mine = compare(ratings, metric=FunctionMetric(worst_error, better="lower"), rng=0, n_resamples=199)
    built = compare(ratings, metric="max-error", rng=0, n_resamples=199)
    assert (mine.advantage, mine.pvalue) == (built.advantage, built.pvalue)
    assert mine.confidence_interval == built.confidence_interval
    assert mine.metric == mine.title == "worst_error"
    assert "metric=worst_error" in mine.signature


@pytest.mark.parametrize("name", list(BUILTIN))
def test_every_metric_runs_on_every_scale_it_takes(name, ratings, likert, labels):
    metric = BUILTIN[name]
    for contest in (ratings, likert, labels):
        if contest.scale.kind not in metric.kinds:
            continue
        options = {}
        if contest is not labels and name in ("precision", "recall", "f1", "auc"):
            options = {"threshold": 0.5 if contest is ratings else 4.0}
        result = compare(contest, metric=type(metric)(**options), rng=0, n_resamples=199)
        assert result.confidence_interval.low <= result.confidence_interval.high
        assert 0 < result.pvalue <= 1
        assert result.n_items == contest.n_items


# Replays


def test_a_recorded_seed_replays_a_run_without_one(likert):
    first = compare(likert, n_resamples=99)
    again = compare(likert, n_resamples=99, rng=first.seed)
    assert _json.dumps(first.to_dict()) == _json.dumps(again.to_dict())
    generator = compare(likert, n_resamples=99, rng=np.random.default_rng(0))
    assert (compare(likert, n_resamples=99, rng=generator.seed).draws == generator.draws).all()


def test_progress_is_told_every_draw(likert):
    told = []
    compare(likert, rng=0, n_resamples=300, progress=told.append)
    assert sum(told) == 600


# Level


@pytest.mark.parametrize("different_items", [False, True])
def test_the_default_test_holds_its_level(different_items, monkeypatch):
    """Two true nulls: A and B answer alike, or they err equally but on different items (METHODS §5)."""
    n_studies, n_items = 1100, 20
    rng = np.random.default_rng(11)
    truth = rng.uniform(size=(n_studies, n_items, 1))
    shift = 0.3 * different_items
    bad = rng.permuted(np.tile(np.arange(n_items) % 2, (n_studies, 1)), axis=1)[..., np.newaxis]
    gold, a, b = (
        (truth + shift * wrong + 0.15 * rng.normal(size=(n_studies, n_items, 3))).reshape(-1, 3)
        for wrong in (0, bad, 1 - bad)
    )
    # More than a thousand slices are compared at once, each as if alone (test_many_slices.py).
    studies = Contest.from_arrays(gold, a, b, groups={"study": np.repeat(np.arange(n_studies), n_items)})
    monkeypatch.setattr("howsure.comparison.procedure.DRAWS", 999)  # for intervals: p-values are exact
    found = compare_each(studies, by="study", correction="none", rng=rng, workers=1)
    assert found[0].exact
    rejected = sum(study.pvalue <= 0.05 for study in found)
    low, high = stats.binom.ppf([0.0005, 0.9995], n_studies, 0.05)
    assert rejected <= high
    assert different_items or rejected >= low  # equally good but different is no exchange of noise: p may be too large


@pytest.mark.parametrize("name", ["auc", "spearman", "cosine"])
def test_metrics_that_ignore_a_models_scale_hold_their_level_on_any(name):
    n_studies, rejected = 300, 0
    metric = RocAuc(threshold=0.5) if name == "auc" else name
    rng = np.random.default_rng(13)
    options = {"metric": metric, "rng": rng, "n_resamples": 199, "workers": 1, "interval": "percentile"}
    for _ in range(n_studies):
        gold = rng.uniform(size=30)
        a, b = np.abs(gold + 0.4 * rng.normal(size=(2, 30)))
        rejected += compare(Contest.from_arrays(gold, a, 0.1 * b), **options).pvalue <= 0.05
    low, high = stats.binom.ppf([0.0005, 0.9995], n_studies, 0.05)
    assert low <= rejected <= high


def skewed_contest(n=60, seed=5):
    """A is a little better on nearly all items, and much worse on a few."""
    rng = np.random.default_rng(seed)
    errors = 0.3 + 0.05 * rng.normal(size=n)
    return Contest.from_arrays(
        np.zeros(n), errors - 0.1 + 1.5 * (np.arange(n) % 20 == 0), errors + 0.02 * rng.normal(size=n)
    )


def test_skewed_advantages_are_noted_with_what_a_studentised_test_says():
    contest = skewed_contest()
    found = compare(contest, metric="mae", rng=0)
    [note] = [note for note in found.notes if "skewed" in note]
    other = compare(contest, metric="mae", null="studentised", rng=0)
    assert "Item differences in mae are markedly skewed (skewness -" in note
    assert found.skewness_pvalue == other.pvalue
    assert f"({in_words(pvalue_text(other.pvalue)).removeprefix('= ')} by a test that allows for skewness)" in str(
        found
    )
    assert math.isnan(other.skewness_pvalue)
    assert not any("skewed" in note for note in other.notes)
    assert not any("skewed" in note for note in compare(paired(60), metric="mae", rng=0).notes)
    flips = Contest.from_arrays([1] * 40, [1] * 38 + [0] * 2, [1] * 20 + [0] * 20)
    assert not any("skewed" in note for note in compare(flips, metric="accuracy", rng=0).notes)  # signs


def test_tests_that_disagree_because_of_skewness_are_a_borderline_case():
    differences = np.random.default_rng(2).lognormal(0, 1.2, 60) - 1.2
    result = compare(Contest.from_arrays(None, differences, np.zeros(60)), rng=0)
    assert result.pvalue < 0.05 < result.skewness_pvalue
    assert "disagree at 5%. Treat this as a borderline case." in str(result)


def test_a_studentised_test_of_few_items_that_differ_is_advised_against():
    b = [1] * 36 + [0] * 4
    found = compare(Contest.from_arrays([1] * 40, [1] * 40, b), metric="accuracy", null="studentised", rng=0)
    assert any("A and B differ by accuracy on only 4 of 40 items: the studentised" in note for note in found.notes)
    enough = compare(skewed_contest(), null="studentised", rng=0)
    assert not any("too little to resample" in note for note in enough.notes)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_studentised_test_is_the_share_of_larger_t(alternative):
    contest = skewed_contest()
    found = compare(contest, metric="mae", null="studentised", alternative=alternative, n_resamples=999, rng=0)
    items = BUILTIN["mae"].item_advantages(*(means(side) for side in (contest.gold, contest.a, contest.b)))
    t = items.mean() / (items.std(ddof=1) / math.sqrt(items.size))
    drawn = (found.draws - items.mean()) / found.standard_errors
    sides = {"two-sided": np.abs(drawn) >= abs(t), "greater": drawn >= t, "less": drawn <= t}
    assert found.pvalue == pytest.approx((sides[alternative].sum() + 1) / 1000, abs=1e-12)
    with pytest.raises(ArgumentError, match="`null='studentised'` needs a metric with item scores; 'rmse' has none"):
        compare(contest, metric="rmse", null="studentised")


def test_the_studentised_test_holds_its_level_better_where_advantages_are_skewed():
    n_studies, n = 400, 30
    rng = np.random.default_rng(12)
    advantages = rng.exponential(size=(n_studies, n)) - 1
    how = {"metric": "mae", "rng": rng, "n_resamples": 199, "workers": 1}
    rejected = 0
    for own in advantages:
        contest = Contest.from_arrays(np.zeros(n), 20.0 - own, np.full(n, 20.0), scale="continuous")
        rejected += compare(contest, null="studentised", **how).pvalue <= 0.05
    by_swaps = sum(found.pvalue("two-sided").pvalue <= 0.05 for found in sign_flips_of_rows(advantages))
    low, high = stats.binom.ppf([0.0005, 0.9995], n_studies, 0.06)  # measured: 6% (docs/evidence/levels.md)
    assert low <= rejected <= min(high, by_swaps)


def test_equally_many_responses_of_a_and_b_can_be_compared_and_gold_keeps_its():
    rng = np.random.default_rng(6)
    gold, a, b = rng.integers(0, 3, size=(40, 5)), rng.integers(0, 3, size=(40, 4)), rng.integers(0, 3, size=(40, 2))
    contest = Contest.from_arrays(gold, a, b, scale="nominal")
    assert any("A has 4 runs per item, B 2" in note for note in compare(contest, metric="tv", rng=0).notes)
    equal = compare(contest, metric="tv", responses="equal", rng=0)
    cut = compare(Contest.from_arrays(gold, a[:, :2], b, scale="nominal"), metric="tv", rng=0)
    assert not any("runs per item" in note for note in equal.notes)
    assert equal.n_responses == {"gold": 5, "a": 2, "b": 2}
    assert (equal.advantage, equal.pvalue) == (cut.advantage, cut.pvalue)
    assert (equal.confidence_interval.low, equal.confidence_interval.high) == (
        cut.confidence_interval.low, cut.confidence_interval.high
    )  # fmt: skip


@pytest.mark.parametrize("options", [{"responses": "one"}, {"responses": "bootstrap", "n_responses": 2}])
@pytest.mark.parametrize("name", ["mae", "rmse"])
def test_estimate_and_interval_are_of_the_same_quantity(ratings, name, options):
    found = compare(ratings, metric=name, null="shifted-bootstrap", n_resamples=1999, rng=0, **options)
    spread = found.draws.std() / math.sqrt(1999)
    assert found.advantage == pytest.approx(found.draws.mean(), abs=(4 if name == "mae" else 8) * spread)
    assert found.advantage == pytest.approx(found.b_score - found.a_score)
    assert found.advantage in found.confidence_interval
    assert math.isnan(found.effect_sizes.cohen_d)  # those of all responses are of something else
    assert found.a_score > compare(ratings, metric=name, n_resamples=99, rng=0).a_score  # fewer responses, more noise


def test_few_items_that_differ_are_noted():
    gold, a = [0] * 20 + [1] * 20, [0] * 20 + [1] * 20
    for n_differ, noted in ((9, True), (10, False)):
        b = [1 - value if item < n_differ else value for item, value in enumerate(gold)]
        result = compare(Contest.from_arrays(gold, a, b), metric="accuracy", interval="bca", n_resamples=99, rng=0)
        assert any("A and B differ by accuracy on only 9" in note for note in result.notes) is noted
        assert any("Use `interval='score'`." in note for note in result.notes) is noted
        default = compare(Contest.from_arrays(gold, a, b), metric="accuracy", n_resamples=99, rng=0)
        assert (default.confidence_interval.method, default.notes) == ("score", ())


@pytest.mark.parametrize(("metric", "n", "noted"), [("mse", 20, True), ("mse", 30, False), ("mae", 20, False)])
def test_metrics_that_hang_on_a_few_items_say_so_where_there_are_few(metric, n, noted):
    contest = Contest.from_arrays(*np.random.default_rng(1).normal(size=(3, n)))
    result = compare(contest, metric=metric, n_resamples=99, rng=0)
    assert any("depends on a few items" in note for note in result.notes) is noted


def test_intervals_by_default():
    contest = Contest.from_arrays(*np.random.default_rng(0).integers(1, 5, size=(3, 30, 2)), scale="ordinal")
    metrics = ["mae", "wins-responses", "accuracy", "wins", "spearman"]
    single = compare_each(first_responses(contest), metrics=["accuracy", "accuracy-responses"], n_resamples=99, rng=0)
    assert [entry.confidence_interval.method for entry in single] == ["score", "score"]  # no vote is tied
    methods = [
        entry.confidence_interval.method for entry in compare_each(contest, metrics=metrics, n_resamples=99, rng=0)
    ]
    assert methods == ["symmetric", "symmetric", "symmetric", "score", "t"]
    clustered = replace(contest, groups={"document": np.arange(30) // 2})
    for metric in metrics[:4]:
        found = compare(clustered, metric=metric, cluster="document", n_resamples=99, rng=0)
        assert found.confidence_interval.method == "sign-flip"
    drawn = compare(contest, metric="mae", responses="bootstrap", null="shifted-bootstrap", n_resamples=99, rng=0)
    assert drawn.confidence_interval.method == "percentile"


@pytest.mark.parametrize("name", ["rmse", "cosine", "spearman", "f1"])
def test_without_item_scores_the_interval_is_the_jackknifes_with_students_quantile(name):
    rng = np.random.default_rng(3)
    gold = rng.uniform(size=25)
    sides = gold, gold + 0.2 * rng.normal(size=25), gold + 0.4 * rng.normal(size=25)
    metric = F1(threshold=0.5) if name == "f1" else BUILTIN[name]
    found = compare(Contest.from_arrays(*sides), metric=metric, n_resamples=99, rng=0)
    left = np.array([float(metric.advantage(*(np.delete(side, i) for side in sides))) for i in range(25)])
    error = math.sqrt(24 / 25 * np.square(left - left.mean()).sum())
    arm = stats.t.ppf(0.975, 24) * error
    assert found.confidence_interval.method == "t"
    ends = INTERVALS["t"].limits(found.evidence)  # before it is brought in agreement with the test
    assert (ends.low, ends.high) == pytest.approx((found.advantage - arm, found.advantage + arm))
    assert found.at(confidence_level=0.9).confidence_interval.width < ends.width


def test_the_area_under_the_curve_has_delongs_interval_and_says_where_positives_are_few():
    rng = np.random.default_rng(4)
    gold = (np.arange(60) < 4).astype(float)
    sides = gold, gold + rng.normal(size=60), gold + rng.normal(size=60)
    metric = RocAuc(threshold=0.5)
    found = compare(Contest.from_arrays(*sides), metric=metric, n_resamples=99, rng=0)
    error, df = metric.error(*sides)
    arm = stats.t.ppf(0.975, df) * error
    ends = found.confidence_interval
    assert (ends.low, ends.high) == pytest.approx((found.advantage - arm, found.advantage + arm))
    assert any("Gold calls only 4 of 60 items positive" in note for note in found.notes)
    single = [(np.arange(60) < 1).astype(float), *sides[1:]]
    with pytest.warns(HowsureWarning, match="only 1 of 60 items positive"):
        alone = compare(Contest.from_arrays(*single), metric=metric, n_resamples=99, rng=0)
    assert math.isnan(alone.confidence_interval.low)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_students_interval_can_be_asked_for(ratings, alternative):
    ratings = equal_responses(ratings)
    result = compare(ratings, interval="t", alternative=alternative, n_resamples=99, rng=0)
    gold, a, b = (means(source) for source in (ratings.gold, ratings.a, ratings.b))
    theirs = stats.ttest_rel(np.abs(b - gold), np.abs(a - gold), alternative=alternative).confidence_interval(0.95)
    ends = result.confidence_interval
    assert (ends.low, ends.high) == pytest.approx((theirs.low, theirs.high))
    assert result.at(interval="symmetric").at(interval="t").confidence_interval == ends
