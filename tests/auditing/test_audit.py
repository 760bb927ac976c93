"""The audit: its numbers are those of `compare`, its truths those of the simulator, and known answers come out."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from howsure import _random, models
from howsure.auditing import Audit, audit, grid_of, measure
from howsure.auditing.document import BEST, FAILED, errors, ranked, rejections
from howsure.auditing.estimators import (
    BOOTSTRAP_SIGN,
    Estimates,
    Estimator,
    Estimators,
    analyse,
    analyse_rows,
    pairs,
)
from howsure.auditing.grid_point import DataDesign, _test_rows, found_own, true_values
from howsure.comparison import compare
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.documents import text
from howsure.errors import ArgumentError
from howsure.inference import PValue, binomial_region, expected_pvalue
from howsure.intervals import INTERVALS
from howsure.metrics import resolve
from howsure.models import simulate_advantages
from howsure.papers.leader import STRATEGIES
from howsure.resampling import Scheme
from howsure.sweeps import Grid, run
from tests.resampling.drawing import draw

ALL, ONE = ("bootstrap", "all"), ("bootstrap", "one")
NORMAL = models.preset("normal")
N = 120
"""Data sets of each kind in the audit that most tests look at."""
SMALL = {"designs": [(20, 2)], "n_simulations": 5, "n_resamples": 39, "n_fresh": 100}


@pytest.fixture(scope="module")
def found():
    """Normal items, one and ten responses, B worse by 0.3: N data sets of each kind, 199 draws."""
    return audit(
        "normal", metrics=["mae"], designs=[(30, 1), (30, 10)], epsilons=[0.3], intervals=["percentile", "studentised"],
        n_simulations=N, n_resamples=199, n_fresh=500, rng=5,
    )  # fmt: skip


def rows(found, **wanted):
    return [row for row in found.tests if all(getattr(row, name) == value for name, value in wanted.items())]


def contest(n_items=25, n_responses=3, rng=1, epsilon=0.2, model=NORMAL):
    return model.table(n_items, n_responses, epsilon=epsilon, rng=rng).contest(gold="gold", a="A", b="B")


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("name", ["mae", "wins", "spearman"])
@pytest.mark.parametrize("n_items", [6, 25])
@pytest.mark.parametrize(
    ("scheme", "null"),
    [
        (Scheme(), "sign-flip"),
        (Scheme(), "shifted-bootstrap"),
        (Scheme(), "permuted-responses"),
        (Scheme(responses="bootstrap"), "pooled-responses"),
        (Scheme("all", "one"), "pooled-responses"),
        (Scheme(responses="first"), "sign-flip"),
    ],
)
def test_what_is_audited_is_what_compare_says(name, scheme, null, n_items):
    data = contest(n_items, model=models.preset("likert-toxicity"))
    metric = resolve(name).on(data.scale)
    how = Estimators((metric,), ((scheme, (null,)),), intervals=tuple(INTERVALS), n_resamples=99)
    answers = how.on(([data], _random.replayable(3)))
    asked = {"metric": name, "null": null, "items": scheme.items, "responses": scheme.responses}
    two, one = (
        compare(data, **asked, alternative=side, n_resamples=99, interval="percentile", rng=3)
        for side in ("two-sided", "greater")
    )
    tail = answers.tests[Estimator(name, f"{scheme.items}/{scheme.responses}", null, "tail")]
    expected = answers.tests[Estimator(name, f"{scheme.items}/{scheme.responses}", null, "expected")]
    assert tail.tolist() == [[one.pvalue, two.pvalue]]
    assert expected.tolist() == [[two.expected_pvalue, two.expected_pvalue]]
    for key, limits in answers.limits.items():
        interval = INTERVALS[key.interval].limits(two.evidence)  # by itself, before it agrees with the test about 0
        np.testing.assert_array_equal(limits, [[interval.low, interval.high]])
    kept = scheme.items == "bootstrap" and scheme.responses in ("all", "first")
    assert {key.interval for key in answers.limits} == (
        {"percentile", "basic"}
        | ({"bca", "t"} if kept else set())
        | ({"studentised", "symmetric", "edgeworth", "sign-flip"} if kept and name != "spearman" else set())
        | ({"score"} if kept and name == "wins" else set())
    )


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_what_several_nulls_share_is_drawn_once_and_changes_nothing(monkeypatch):
    """Every null alone gives what it gives beside the others; items are left out only where an interval needs it."""
    from howsure.comparison import gathering, moments

    drawn, left_out = [], []
    draw_, jackknife_ = gathering.draw, moments.jackknife
    monkeypatch.setattr(gathering, "draw", lambda *a, **k: drawn.append(k["exchange"]) or draw_(*a, **k))
    monkeypatch.setattr(moments, "jackknife", lambda *a: left_out.append(1) or jackknife_(*a))
    data, metrics, nulls = (
        contest(),
        (resolve("mae"), resolve("spearman")),
        ("sign-flip", "shifted-bootstrap", BOOTSTRAP_SIGN),
    )

    def found(*nulls, intervals=("studentised",)):
        how = Estimators(metrics, ((Scheme(), nulls),), n_resamples=39, intervals=intervals)
        return how.on(([data], _random.replayable(3)))

    together = found(*nulls)
    assert drawn == [None, "sign-flip"]
    assert not left_out
    alone = [found(null) for null in nulls]
    assert repr(together.tests) == repr({key: value for one in alone for key, value in one.tests.items()})
    assert all(repr(one.limits) == repr(together.limits) for one in alone)
    found("shifted-bootstrap", BOOTSTRAP_SIGN, intervals=("t",))
    assert left_out == [1]


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_leaders_estimated_p_is_pooled_responses_or_a_change_of_sign(strategy):
    data, scheme = contest(), STRATEGIES[strategy]
    metric = resolve("mae")
    null = next(name for _, name, reason in pairs([scheme], ["pooled-responses"]) if not reason)
    assert null == (
        BOOTSTRAP_SIGN if strategy in ("bootstrap_items,all", "bootstrap_items,first_element") else "pooled-responses"
    )
    answers = Estimators((metric,), ((scheme, (null,)),), n_resamples=99).on(([data], _random.replayable(0)))
    drawn, under_null = (
        draw(data, [metric], scheme=scheme, null=kind, n_resamples=99, seed=_random.replayable(0)).advantages[0]
        for kind in (None, "pooled-responses")
    )
    key = Estimator("mae", f"{scheme.items}/{scheme.responses}", null, "expected")
    [[estimate, _]] = answers.tests[key]
    assert estimate == expected_pvalue(under_null, drawn).pvalue
    if null == BOOTSTRAP_SIGN:
        assert key._replace(pvalue="tail") not in answers.tests
        assert not np.abs(under_null).max() > 1e-12
        changed = np.mean(drawn <= 0) if np.median(drawn) >= 0 else np.mean(drawn >= 0)
        assert estimate == max(changed, 1 / 100)


def test_analytical_tests_are_scipys():
    from scipy import stats

    advantages = np.random.default_rng(0).normal(0.2, 1, 60)
    one, two = (stats.ttest_1samp(advantages, 0, alternative=side).pvalue for side in ("greater", "two-sided"))
    assert analyse("paired-t", advantages) == pytest.approx((one, two))
    one, two = (
        stats.wilcoxon(advantages, alternative=side, method="asymptotic").pvalue for side in ("greater", "two-sided")
    )
    assert analyse("wilcoxon", advantages) == pytest.approx((one, two))


def test_data_sets_are_analysed_together_as_alone():
    rows = np.random.default_rng(3).normal(0.3, size=(3, 20)).round(1)
    for name in ("paired-t", "wilcoxon"):
        assert analyse_rows(name, rows).tolist() == [[*analyse(name, row)] for row in rows]


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("n_items", [6, 21])
@pytest.mark.parametrize("n_responses", [1, 3, 7])
def test_data_sets_are_compared_at_once_as_one_by_one(n_items, n_responses):
    """What draws nothing has the same bits; the rest differs by its draws. Also where nothing can be said."""
    model = models.preset("likert-toxicity")
    tables = [model.table(n_items, n_responses, epsilon=0.2, rng=i) for i in range(7)]
    data = [table.contest(gold="gold", a="A", b="B") for table in tables]
    one = data[0]
    nearly = one.a.values.copy()
    nearly[0] = 1 - nearly[0]
    data += [one.having({"b": one.a}), one.having({"a": one.gold}), one.having({"b": Responses(nearly, one.a.offsets)})]
    metrics = tuple(resolve(name).on(model.scale) for name in ("mae", "spearman", "accuracy", "tv", "wins"))
    drawing = Scheme(responses="bootstrap"), ("sign-flip", "pooled-responses")
    how = Estimators(
        metrics,
        ((Scheme(), ("sign-flip", "shifted-bootstrap", "permuted-responses")), drawing),
        tests=("paired-t", "wilcoxon"),
        intervals=tuple(INTERVALS),
        n_resamples=999,
    )
    at_once = how.on((data, _random.replayable(1)))
    by_one = Estimates.joined([how.on(([each], _random.replayable(i))) for i, each in enumerate(data)])
    assert at_once.tests.keys() == by_one.tests.keys()
    assert at_once.limits.keys() == by_one.limits.keys()
    for key, together in at_once.tests.items():
        alone = by_one.tests[key]
        if key.null in ("paired-t", "wilcoxon"):
            np.testing.assert_array_equal(together, alone)
        elif key.null != "shifted-bootstrap" and key.pvalue == "tail":
            # Two counts of 999 draws, doubled; six standard errors. Not for p-values that change their side, or break
            # their ties, with the middle of the draws.
            np.testing.assert_allclose(together, alone, rtol=0, atol=2 / 1000 + 6 * 2 * math.sqrt(2 * 0.25 / 999))
    for key, together in at_once.limits.items():
        if key.interval in ("t", "score", "edgeworth", "sign-flip") and key.metric != "spearman":
            np.testing.assert_array_equal(together, by_one.limits[key])


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_an_audit_is_the_same_on_any_number_of_threads():
    asked = {"metrics": ["mae", "wins"], "designs": [(12, 2)], "n_simulations": 7, "n_resamples": 39, "n_fresh": 70}
    one, *others = (audit("normal", workers=workers, rng=5, **asked).to_dict() for workers in (1, 2, 3, None))
    assert all(other == one for other in others)


def test_the_true_p_is_that_of_fresh_data_sets():
    metrics = [resolve("mae"), resolve("wins")]
    asked = {"n_items": 40, "n_responses": 3, "epsilon": 0.2, "n_simulations": 300, "rng": 8}
    drawn, null = (simulate_advantages(NORMAL, metrics, null=null, **asked) for null in (False, True))
    for i, truth in enumerate(true_values(NORMAL, metrics, DataDesign(40, 3, 0.2), n_simulations=300, rng=8)):
        assert truth.pvalue == expected_pvalue(null[i], drawn[i])
        assert truth.advantage == drawn[i].mean()


def test_the_rows_carry_the_true_p_of_their_cell():
    """With one response kept, the true p is that of one response per item."""
    grid, _ = grid_of(
        "normal", metrics=["mae"], schemes=[("bootstrap", "all"), ("bootstrap", "one")], epsilons=[0.3], **SMALL
    )
    cell = next(cell for cell in grid if cell["epsilon"] == 0.3)
    values = measure(cell, np.random.default_rng(4))
    seed = _random.child(_random.seed_of(np.random.default_rng(4)), "B worse")
    for scheme, kept in (("bootstrap/all", 2), ("bootstrap/one", 1)):
        truth = true_values(
            NORMAL, [resolve("mae")], DataDesign(20, kept, 0.3), n_simulations=100,
            rng=_random.child(seed, "true", kept),
        )[0]  # fmt: skip
        assert values[f"tests|B worse|mae|{scheme}|shifted-bootstrap|tail|true_pvalue"] == truth.pvalue.pvalue


def test_tests_beside_others_are_those_that_stand_alone_and_alone_see_different_errors():
    """LEADER's preset: its strategies, and the tests that it left out on the draws of one of them."""
    shared = {"metrics": ["mae", "spearman"], "epsilons": [0.3], **SMALL}
    both, _ = grid_of(
        "normal", schemes=[("bootstrap", "all"), ("bootstrap", "one")], nulls=["pooled-responses"],
        beside={"bootstrap/all": ["sign-flip", "shifted-bootstrap"]}, **shared,
    )  # fmt: skip
    alone, _ = grid_of("normal", schemes=[("bootstrap", "all")], nulls=["sign-flip", "shifted-bootstrap"], **shared)
    together, single = (measure(list(grid)[1], np.random.default_rng(7)) for grid in (both, alone))
    assert {name: together[name] for name in single if not name.startswith("smallest")} == single
    more = {tuple(name.split("|")[1:5]) for name in together} - {tuple(name.split("|")[1:5]) for name in single}
    assert ("B worse", "mae", "bootstrap/one", "pooled-responses") in more
    assert ("different errors", "mae", "bootstrap/all", "bootstrap-sign") in more
    assert not any("bootstrap/one" in key for key in more if key[0] == "different errors")


def test_sign_flip_and_the_t_test_hold_their_level_under_both_true_nulls(found):
    """In each of two designs under each null, and in all of them together: 10% instead of 5 would be seen."""
    inside, together = (binomial_region(n, 0.05, confidence_level=0.999) for n in (N, 4 * N))
    for checked in ({"null": "sign-flip", "scheme": "bootstrap/all", "pvalue": "tail"}, {"null": "paired-t"}):
        counts = [row.rejected for row in rows(found, **checked) if row.is_null]
        assert len(counts) == 4
        assert all(count in inside for count in counts)
        assert sum(counts) in together


def test_pooling_single_responses_rejects_too_often(found):
    """METHODS §5: 16.9% at 50×1."""
    row = rows(found, null="pooled-responses", pvalue="tail", truth="same", n_responses=1)[0]
    assert row.rejected > binomial_region(N, 0.05, confidence_level=0.999).high


def test_pooling_rejects_models_that_are_equally_good_but_err_on_different_items(found):
    row = rows(found, null="pooled-responses", pvalue="tail", truth="different errors", n_responses=10)[0]
    same = rows(found, null="pooled-responses", pvalue="tail", truth="same", n_responses=10)[0]
    region = binomial_region(N, 0.05, confidence_level=0.999)
    assert row.rejected > region.high
    assert same.rejected in region


def test_a_bootstrap_sign_read_as_p_rejects_twice_as_often_as_it_says(found):
    """METHODS §6: 10.2%, since the side of this one-sided p follows the data."""
    counts = [row.rejected for row in rows(found, null=BOOTSTRAP_SIGN) if row.is_null]
    assert len(counts) == 4
    assert sum(counts) > binomial_region(4 * N, 0.05, confidence_level=0.999).high


def test_the_one_sided_tail_p_of_sign_flip_is_unbiased_where_a_and_b_are_alike(found):
    for row in rows(found, null="sign-flip", scheme="bootstrap/all", pvalue="tail", truth="same"):
        assert abs(row.bias) < 4 * row.bias_se


def test_power_grows_with_the_responses_and_is_a_share(found):
    few, many = (
        rows(found, null="sign-flip", scheme="bootstrap/all", pvalue="tail", truth="B worse", n_responses=k)[0]
        for k in (1, 10)
    )
    assert few.rate_interval[1] < many.rate_interval[0]
    assert 0 <= few.rate <= many.rate <= 1


def test_studentised_intervals_cover_more_than_percentiles():
    """On 12 items: 1,383 and 1,352 of 1,500 data sets."""
    few = audit(
        "normal", metrics=["mae"], designs=[(12, 3)], epsilons=[0.3], schemes=[("bootstrap", "all")], nulls=[],
        intervals=["percentile", "studentised"], n_simulations=500, n_resamples=199, rng=5,
    )  # fmt: skip
    covered = {name: sum(row.covered for row in few.intervals if row.interval == name) for name in
               ("percentile", "studentised")}  # fmt: skip
    assert covered["studentised"] >= covered["percentile"] + 15


def test_resampled_responses_make_intervals_too_wide(found):
    of = {key: [row for row in found.intervals if (row.scheme, row.interval) == key] for key in (
        ("bootstrap/all", "studentised"), ("bootstrap/all", "percentile"), ("bootstrap/bootstrap", "percentile"),
    )}  # fmt: skip
    studentised, plain, both = of.values()
    assert len(studentised) == 6
    assert all((row.advantage == 0) == (row.truth != "B worse") for row in plain)
    for one, other in zip(plain, both, strict=True):
        if one.n_responses > 1:
            assert one.width < other.width
            assert one.covered <= other.covered


def test_the_verdict_comes_first_and_is_short(found):
    assert str(found).startswith(f"{found.verdict}\n")
    assert found.verdict.startswith("Use sign-flip (bootstrap/all) with the metric mae: its type I error is at most ")
    assert "Use the " in found.verdict
    assert "Do not use pooled-responses (bootstrap/all)" in found.verdict or "Do not use " in found.verdict
    assert len(found.verdict.split()) < 100


def test_the_verdict_is_true_word_for_word(found):
    """The worst rate of true nulls, the power, and both with their intervals are those of the rows."""
    rows = [row for row in found.tests if (row.scheme, row.null, row.pvalue) == ("bootstrap/all", "sign-flip", "tail")]
    worst = max((row for row in rows if row.is_null), key=lambda row: row.rate)
    low, high = (100 * end for end in worst.rate_interval)
    assert (
        f"its type I error is at most {100 * worst.rate:.1f}% (nominal 5%, 95% CI {low:.1f}% to {high:.1f}%, "
        f"{worst.n_items} items × {worst.n_responses} response" in found.verdict
    )
    powers = sorted(row.rate for row in rows if not row.is_null)
    said = re.findall(r"([\d.]+)% \(95% CI [^)]*\) for ε = 0.3", found.verdict)
    assert said == [f"{100 * power:.1f}" for power in (powers[0], powers[-1])]


def test_the_ranked_table_starts_with_the_recommended_test_and_marks_those_that_reject_too_often(found):
    table = ranked(found)
    assert table.rows[0][0] == "sign-flip (bootstrap/all)"
    assert 0 in table.marked
    failed = [i for i, _ in (mark for mark in table.marked if isinstance(mark, tuple))]
    assert failed
    assert all(table.rows[i][1] > found.alpha for i in failed)
    assert len(table.rows) <= BEST + FAILED
    assert max(map(len, text.render(found.document()).split("\n\n")[1].splitlines())) <= text.WIDTH


def test_the_reasons_name_what_does_not_hold_and_by_how_much(found):
    text = " ".join(found.reasons)
    assert "ooled-responses (bootstrap/bootstrap) rejected" in text
    assert "ign-flip (bootstrap/all) rejected" not in text
    assert "equally good but err on different items" in text
    assert found.reasons[-1].startswith(f"With {N} simulations, error rates between ")


def test_no_test_is_recommended_whose_own_interval_excludes_the_level(found):
    """9 of 120 is 7.5% [3.5, 13.8]; 12 of 120 is 10% [5.3, 16.8], which is inside what 99 of 100 audits show."""

    def liberal(count):
        def changed(row):
            mine = (row.scheme, row.null, row.pvalue, row.truth, row.n_responses)
            if mine == ("bootstrap/all", "sign-flip", "tail", "same", 10):
                return replace(row, rejected=count, below=(0,) * 9)
            return row

        return replace(found, tests=tuple(map(changed, found.tests)))

    assert binomial_region(N, 0.05, confidence_level=0.999).high >= 12
    assert "Use sign-flip (bootstrap/all)" in liberal(9).verdict
    assert "Use sign-flip (bootstrap/all)" not in liberal(12).verdict


def test_what_rounding_leaves_is_shown_as_nothing(found):
    """p-values that are all equal have a spread of 8.7e-19 by rounding; 100% of few data sets are not 100% of all."""
    from howsure.auditing import document

    row = replace(found.tests[0], spread=8.7e-19, absolute_error=0.25)
    assert document._error(row).endswith("; 0; 0.25")
    assert document._share(1.0, (0.9963, 1.0)) == "100.0 (99 to 100)"


def test_power_is_adjusted_for_size_when_tests_are_chosen():
    """A test that rejects 6% of true nulls is held to the level at which it rejects 5%."""
    from howsure.auditing.advice import _Test
    from howsure.auditing.result import TestRow

    def row(truth, rejected, below):
        numbers = dict.fromkeys(
            (
                "true_pvalue",
                "true_pvalue_se",
                "mean",
                "spread",
                "absolute_error",
                "absolute_error_se",
                "smallest_error",
            ),
            0.5,
        )
        words = {"metric": "mae", "scheme": "bootstrap/all", "null": "shifted-bootstrap", "pvalue": "tail"}
        return TestRow(
            n_items=10, n_responses=1, n_kept=1, epsilon=0.1, truth=truth, **words, **numbers, n_data_sets=100,
            undefined=0, rejected=rejected, below=below,
        )  # fmt: skip

    null, worse = row("same", 6, (0, 1, 1, 2, 3, 4, 4, 5, 6)), row("B worse", 60, tuple(range(10, 55, 5)))
    assert _Test([null, worse], 0.05).power == 0.45
    assert _Test([replace(null, rejected=5), worse], 0.05).power == 0.60


def test_the_true_p_is_that_of_the_design_whatever_the_order_of_schemes():
    asked = {"metrics": ["mae"], "epsilons": [0.3], "rng": 4, **SMALL}
    one, other = (audit("normal", schemes=order, **asked) for order in ((ALL, ONE), (ONE, ALL)))
    for found in (one, other):
        of_design = next(row for row in found.tests if row.truth == "B worse" and row.scheme == "bootstrap/all")
        of_one = next(row for row in found.tests if row.truth == "B worse" and row.scheme == "bootstrap/one")
        assert of_design.true_pvalue != of_one.true_pvalue
        cell = errors(found, 20, 2).rows[0][-1]
        assert cell.startswith(f"{of_design.true_pvalue:.3f} ± ")
        assert f"K = 1: {of_one.true_pvalue:.3f} ± " in cell


def test_a_true_p_that_fresh_data_sets_cannot_tell_from_zero_is_a_bound():
    found = audit("normal", metrics=["mae"], schemes=[ALL], designs=[(100, 5)], epsilons=[0.9], n_simulations=2,
                  n_resamples=19, n_fresh=50, different_errors=False, rng=1)  # fmt: skip
    bounds = {row.truth: (row.true_pvalue_is_bound, row.true_pvalue) for row in found.tests}
    assert bounds["B worse"] == (True, pytest.approx(1 / 51))
    assert not bounds["same"][0]
    null, worse = errors(found, 100, 5).rows[0][2:]
    assert worse == "< 0.02"
    assert "±" in null


def test_metrics_and_models_of_ones_own_are_audited():
    class Own(type(resolve("mae"))):
        """Mean absolute error under another name."""

        name = "mine"

    class Twice(models.NormalModel):
        """A model that no file can hold."""

        kind = "twice"

    mine = audit("normal", metrics=[Own(), "mae"], rng=3, **SMALL)
    by = {name: [row.rejected for row in mine.tests if row.metric == name] for name in ("mine", "mae")}
    assert by["mine"] == by["mae"]
    model = Twice(NORMAL.mean, NORMAL.sd)
    assert len(audit(model, metrics=["mae"], rng=3, **SMALL).tests) == len(by["mae"])


def test_a_grid_point_of_somebody_else_calls_no_function():
    with pytest.raises(ArgumentError, match="os:abort is neither a metric nor a response model"):
        found_own("own-class:os:abort")


class Rated(models.NormalModel):
    """Gold by three raters who judge every item, each with a shift of their own."""

    def table(self, n_items, n_responses=1, *, rng=None, **how):
        seed = _random.seed_of(rng)
        found = super().table(n_items, n_responses, rng=_random.child(seed, "items"), **how)
        gold = np.repeat(found.sources["gold"].values.reshape(n_items, -1)[:, :1], 3, axis=1)
        generator = _random.generator(seed, "raters")
        gold = gold + generator.normal(size=3) + 0.1 * generator.normal(size=gold.shape)
        sources = dict(found.sources) | {"gold": Responses.from_grid(gold, np.tile(np.arange(3), (n_items, 1)))}
        return ResponseTable(found.items, sources, found.scale, raters=("x", "y", "z"))


def test_raters_are_taken_into_account_as_compare_does():
    model = Rated(NORMAL.mean, NORMAL.sd)
    found = audit(model, metrics=["mae"], rng=3, **SMALL)
    with_raters = [row for row in found.tests if row.scheme == "bootstrap/all/raters"]
    assert {(row.null, row.pvalue) for row in with_raters} == {("random-effects", "tail")}
    assert "random-effects (bootstrap/all/raters)" in found.verdict
    data = model.table(20, 2, rng=1).contest(gold="gold", a="A", b="B")
    assert compare(data, metric="mae", raters="random", rng=0, n_resamples=99).null == "random-effects"
    assert not any(row.scheme.endswith("/raters") for row in audit("normal", metrics=["mae"], rng=3, **SMALL).tests)


class Documents(models.NormalModel):
    """Items in documents of four, which share a shift of A and one of B."""

    def table(self, n_items, n_responses=1, *, rng=None, **how):
        seed = _random.seed_of(rng)
        found = super().table(n_items, n_responses, rng=_random.child(seed, "items"), **how)
        document = np.arange(n_items) // 4
        shifts = _random.generator(seed, "documents").normal(0, 0.4, (2, document[-1] + 1))
        moved = {
            name: Responses.from_grid(found.sources[name].values.reshape(n_items, -1) + shift[document][:, np.newaxis])
            for name, shift in zip(("A", "B"), shifts, strict=True)
        }
        groups = {"document": np.array([f"d{number:03d}" for number in document])}
        return ResponseTable(found.items, dict(found.sources) | moved, found.scale, groups=groups)


def test_clusters_are_resampled_together_as_compare_does():
    """A and B are equally good, but items of a document are not independent: items alone reject too often."""
    model, asked = Documents(NORMAL.mean, NORMAL.sd), {"metrics": ["mae"], "nulls": ["sign-flip"], "rng": 3}
    sizes = {"designs": [(48, 2)], "n_simulations": 60, "n_resamples": 39, "n_fresh": 20, "epsilons": [], "tests": []}
    sizes |= {"schemes": [ALL], "intervals": []}
    together, alone = (audit(model, cluster=name, **asked, **sizes) for name in ("document", None))
    rejected = {
        name: next(row.rejected for row in found.tests if row.pvalue == "tail")
        for name, found in (("together", together), ("alone", alone))
    }
    assert rejected["together"] <= binomial_region(60, 0.05, confidence_level=0.999).high < rejected["alone"]
    data = model.table(48, 2, rng=1).contest(gold="gold", a="A", b="B")
    how = Estimators((resolve("mae"),), ((Scheme(), ("sign-flip",)),), n_resamples=39, cluster="document")
    key = Estimator("mae", "bootstrap/all", "sign-flip", "tail")
    [[_, pvalue]] = how.on(([data], _random.replayable(2))).tests[key]
    assert pvalue == compare(data, metric="mae", cluster="document", n_resamples=39, rng=2).pvalue


def test_a_narrower_hypothesis_is_not_recommended_for_its_power(found):
    def changed(row):
        if row.null == "permuted-responses":
            return replace(row, rejected=0 if row.is_null else row.n_data_sets, below=())
        return replace(row, below=()) if row.is_null else replace(row, rejected=row.n_data_sets // 2, below=())

    lucky = replace(found, tests=tuple(map(changed, found.tests)))
    assert "Use sign-flip (bootstrap/all) with the metric mae" in lucky.verdict
    alone = replace(lucky, tests=tuple(row for row in lucky.tests if row.null == "permuted-responses"))
    assert "Use permuted-responses (bootstrap/all) with the metric mae" in alone.verdict


def test_a_t_interval_holds_zero_where_the_t_test_does_not_reject():
    one = audit("normal", metrics=["mae", "spearman"], intervals=["t"], rng=1, **SMALL)
    assert {(row.metric, row.interval) for row in one.intervals} == {("mae", "t"), ("spearman", "t")}
    for row in [row for row in one.intervals if row.metric == "mae"]:
        if row.truth != "B worse":
            test = next(test for test in one.tests if (test.null, test.truth) == ("paired-t", row.truth))
            assert row.covered == test.n_data_sets - test.rejected


def test_the_smallest_error_hides_the_others(found):
    by_metric = [row for row in found.smallest if row.by == "metric"]
    assert {row.n for row in by_metric} == {2}
    assert all(row.smallest < row.mean <= row.largest for row in by_metric)


def test_tables_and_dictionary(found):
    frame = found.to_frame()
    assert frame.height == len(found.tests)
    assert {"bias", "bias_se", "rate", "rate_low", "rate_high"} <= set(frame.columns)
    assert found.to_frame(table="intervals").height == len(found.intervals)
    assert len(found.to_dict()["smallest"]) == len(found.smallest)
    with pytest.raises(ArgumentError, match="`table` must be one of tests, intervals, smallest"):
        found.to_frame(table="test")


def test_neither_workers_nor_a_store_change_a_bit(tmp_path):
    asked = {"metrics": ["mae", "tv"], "nulls": ["sign-flip", "pooled-responses"], "rng": 2, **SMALL}
    plain = audit("likert-toxicity", **asked)
    stored = [audit("likert-toxicity", workers=2, store=tmp_path / "audit.db", **asked) for _ in range(2)]
    assert plain.to_dict() == stored[0].to_dict() == stored[1].to_dict()


def test_labels_and_real_items_can_be_audited():
    labels = audit("categorical-dices", rng=0, **SMALL)
    assert {row.metric for row in labels.tests} == {"accuracy", "tv"}
    pilot = models.preset("likert-toxicity").table(30, 4, rng=0)
    real = models.EmpiricalModel(pilot.source("gold"), pilot.scale)
    assert {row.truth for row in audit(real, rng=0, **SMALL).tests} == {"same", "B worse", "different errors"}


def test_undefined_p_values_are_counted_and_not_taken_for_acceptance():
    """Where every gold rater and model agrees, no item differs: t has no value, swapped items say p = 1."""
    certain = models.LikertModel(models.make_family("constant", [0.1]), models.make_family("constant", [0.0]))
    same = audit(certain, metrics=["mae"], rng=0, epsilons=[], **SMALL)
    t = next(row for row in same.tests if row.null == "paired-t")
    assert (t.n_data_sets, t.undefined) == (0, 5)
    assert math.isnan(t.rate)
    swapped = next(row for row in same.tests if row.null == "sign-flip")
    assert (swapped.rejected, swapped.mean) == (0, 1.0)
    assert all(row.undefined == 5 and math.isnan(row.width) for row in same.intervals)
    assert "neither power" in str(same)


def test_meaningless_combinations_are_left_out_with_the_reason():
    _, notes = grid_of("normal", schemes=[("bootstrap", "bootstrap")], nulls=["permuted-responses"], epsilons=[0.1])
    assert notes == (
        "Not audited: permuted-responses with bootstrap/bootstrap (permuted-responses draws without replacement; "
        "use `responses='all'` with it, or the null pooled-responses).",
    )


def test_draws_that_cannot_use_the_level_are_noted():
    """Of 99 draws a two-sided p is .02, .04, .06, …: the level is 4%. Of 399 it is a multiple of 1/200."""
    notes = grid_of("normal", n_resamples=99)[1]
    assert notes[-1].startswith("With 99 resamples no p-value lies between 4 and 5%")
    assert notes[-1].endswith("Use `n_resamples` 399.")
    assert not any("resamples" in note for n in (39, 399, 799) for note in grid_of("normal", n_resamples=n)[1])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"nulls": ["signflip"]}, "`nulls` must be one of sign-flip, .* Did you mean 'sign-flip'"),
        ({"metrics": ["maee"]}, "`metric` must be one of .* Did you mean 'mae'"),
        ({"metrics": ["accuracy"]}, "needs labels"),
        ({"metrics": ["rating"]}, "response models simulate gold"),
        ({"metrics": []}, "`metrics` must be a list with at least one entry"),
        ({"metrics": "mae"}, "`metrics` must be a list"),
        ({"schemes": [("all", "all")]}, "`schemes` must resample something"),
        ({"schemes": [("some", "all")]}, r"`schemes` must be pairs of items \(all or bootstrap\) and responses"),
        ({"schemes": [Scheme(raters="random")]}, "`schemes` must be pairs of items and responses"),
        ({"designs": [100]}, r"`designs` must be pairs"),
        ({"designs": [(1, 5)]}, r"`designs` must be pairs of items \(2 or more\) .*; got \(1, 5\)"),
        ({"epsilons": [2]}, "`epsilons` must be between 0 and 1"),
        ({"perturbation": "split"}, "`perturbation` must be one of shift, mixing, noise, guessing"),
        ({"perturbation": "mixing"}, "requires a scale with categories"),
        ({"alpha": 5}, "Did you mean 0.05"),
        ({"intervals": ["wald"]}, "`intervals` must be one of"),
        ({"tests": ["t"]}, "`tests` must be one of"),
        ({"n_simulations": 1}, "`n_simulations` must be a whole number of at least 2"),
        ({"schemes": [("all", "one")], "nulls": ["permuted-responses"], "tests": []}, "no p-value is left"),
        ({"workers": 0}, "`workers` must be a whole number of at least 1"),
    ],
)
def test_bad_input_is_one_line(asked, message):
    with pytest.raises(ArgumentError, match=message) as error:
        audit("normal", **asked)
    assert "\n" not in str(error.value)


def test_an_audit_is_a_sweep_of_plain_cells():
    grid, _ = grid_of("normal", epsilons=[0.1], **SMALL)
    assert len(grid) == 2
    named = Grid([{**cell, "model": "normal"} for cell in grid])
    assert run(measure, named, rng=0).counts.done == 2


def test_an_audit_comes_back_from_its_json(found):
    content = json.loads(json.dumps(found.to_dict()))
    again = Audit.from_dict(content)
    assert again.to_dict() == content
    assert str(again) == str(found)
    assert again.tests == found.tests


def test_rates_that_miss_their_promise_are_marked(found):
    """A row of pooled single responses under a true null, and none of swapped items."""
    shown = rejections(found, 30, 1)
    marked = {shown.rows[i][1] for i, _ in shown.marked}
    assert "pooled-responses (bootstrap/bootstrap)" in marked
    assert not any(name.startswith("sign-flip (bootstrap/all)") for name in marked)
    for _, j in shown.marked:
        assert not shown.columns[j].title.startswith("B worse")


def test_estimators_are_summed_up_together_as_each_alone():
    rng = np.random.default_rng(3)
    answers = [rng.random((40, 2)) for _ in range(4)]
    answers[1][[3, 9], 0] = np.nan
    answers[3][:] = np.nan
    targets = [PValue(0.1 * i, 0.01, 99) for i in range(4)]
    together = [*_test_rows(answers, targets, 0.05)]
    assert repr(together) == repr([*_test_rows(answers[:1], targets[:1], 0.05)] + [
        row for i in (1, 2, 3) for row in _test_rows([answers[i]], [targets[i]], 0.05)
    ])  # fmt: skip
    assert [row["undefined"] for row in together] == [0, 2, 0, 40]
    known = np.delete(answers[1], [3, 9], axis=0)
    assert together[1]["mean"] == known[:, 0].mean()
    assert together[1]["absolute_error_se"] == pytest.approx(np.abs(known[:, 0] - 0.1).std(ddof=1) / np.sqrt(38))
    assert together[1]["below_5"] == np.count_nonzero(known[:, 1] <= 0.025)
    assert math.isnan(together[3]["mean"])


def test_looking_after_every_fifty_items_rejects_too_often_and_is_never_advised():
    asked = {"designs": [(500, 1)], "epsilons": [0.0], "intervals": [], "n_resamples": 19, "n_fresh": 20}
    tests = ["paired-t", "paired-t-every-50"]
    found = audit("normal", metrics=["mae"], nulls=["sign-flip"], tests=tests, n_simulations=400, rng=0, **asked)
    rates = {row.null: row for row in found.tests if row.truth == "same" and row.pvalue == "tail"}
    once, often = (rates[name] for name in tests)
    assert once.rejected in binomial_region(400, 0.05, confidence_level=0.999)
    # Ten looks at 5% reject in 19.3% of true nulls (Armitage, McPherson and Rowe 1969).
    assert often.rejected in binomial_region(400, 0.193, confidence_level=0.999)
    assert str(found).startswith("Use sign-flip")
    assert "Do not use paired-t-every-50: its type I error is up to " in str(found)
    assert "each look is another chance of a small p-value" in text.render(found.document(), verbose=True)


def test_few_items_have_one_look():
    from howsure.auditing.estimators import analyse

    rows = np.random.default_rng(0).normal(size=40)
    assert analyse("paired-t-every-50", rows) == analyse("paired-t", rows)
