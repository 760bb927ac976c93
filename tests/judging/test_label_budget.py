"""The budget of labels and judge calls: designs reach the target, none is cheaper, and new data confirm them."""

from dataclasses import replace

import numpy as np
import pytest

import howsure
from howsure import ArgumentError
from howsure.judging import JudgedContest, compare_with_judge
from howsure.judging.combined_advantage import VarianceParts, combine
from howsure.judging.label_budget import LabelPrices, plan_labels
from tests.judging.test_combined_advantage import simulated
from tests.judging.test_judged_comparison import MODELS, rated, table


@pytest.fixture(scope="module")
def pilot():
    contest = howsure.read(table(rated(n=80, n_all=400))).contest(**MODELS, complete=False)
    return compare_with_judge(JudgedContest.by_rater(contest, "gpt-judge"))


def cost(parts, prices, n, n_all, raters):
    return n * parts.per_item * 2 * prices.response + 2 * n_all * prices.judge + raters * prices.rater


def test_no_design_on_a_grid_is_cheaper(pilot):
    prices = LabelPrices(response=0.5, judge=0.02, rater=10.0)
    found = plan_labels(pilot, prices=prices, width=0.4, n_raters=[6, 12, 20])
    best, parts = found.with_judge, pilot.parts
    assert best.half_width <= 0.2
    for raters in (6, 12, 20):
        for n in range(10, 600, 10):
            for n_all in range(n, 6000, 200):
                error = parts.error(n=n, n_all=n_all, n_raters=raters, per_item=parts.per_item)
                if error.half_width(0.025) <= 0.2:
                    assert cost(parts, prices, n, n_all, raters) >= 0.97 * best.cost  # numbers of items grow by 2%
    assert found.worthwhile == (best.cost < found.without_judge.cost)


def test_a_judge_that_costs_too_much_is_not_worth_its_price(pilot):
    cheap, dear = (plan_labels(pilot, prices=LabelPrices(judge=price), width=0.4) for price in (0.001, 50.0))
    assert cheap.worthwhile
    assert "the judge saves" in str(cheap)
    assert not dear.worthwhile
    assert str(dear).startswith("gpt-judge is not worth its price. For a 95% CI of width 0.40 without it, label ")


def test_a_useless_judge_is_not_worth_anything(pilot):
    parts = replace(pilot.parts, left=pilot.parts.items)
    assert not plan_labels(replace(pilot, parts=parts), prices=LabelPrices(judge=0.001), width=0.4).worthwhile


def test_raters_who_disagree_set_a_limit(pilot):
    found = plan_labels(pilot, prices=LabelPrices(judge=0.01), width=0.02, n_raters=[3])
    assert (found.with_judge, found.without_judge, found.designs) == (None, None, ())
    assert "No design gives a 95% CI of width 0.020, because raters disagree" in str(found)


def test_power_needs_more_than_half_a_width(pilot):
    width = plan_labels(pilot, prices=LabelPrices(judge=0.01), width=0.4)
    power = plan_labels(pilot, prices=LabelPrices(judge=0.01), difference=0.2)
    assert power.with_judge.cost > width.with_judge.cost
    assert "80% power for a difference of 0.20" in str(power)


def test_new_data_have_the_width_that_was_planned(pilot):
    """Variances of the simulation are known: items 1, raters .09, labels .25; the judge leaves .36/(.64+.36)."""
    parts = VarianceParts(0.09, 0.25, 1.0, 0.36, 100, 500, 8, 8.0)
    known = replace(pilot, parts=parts)
    found = plan_labels(known, prices=LabelPrices(judge=0.05), width=0.6, n_raters=[10]).with_judge
    how = {"n": found.n_labelled, "n_all": found.n_judged, "n_raters": 10, "per_item": 8, "judge_noise": 0.6}
    widths = [2 * combine(simulated(seed, **how)).error.half_width(0.025) for seed in range(200)]
    assert np.mean(widths) == pytest.approx(0.6, rel=0.06)


WRONG = [
    ({"target_width": 0.3}, "say what a call of the judge costs: `cost_judge`"),
    ({"cost_judge": 0.1}, "say what the study must reach: `target_width`"),
    ({"cost_judge": 0.1, "target_width": 0.3, "epsilon": 0.1}, "`epsilon` does not go with `judge`"),
    ({"cost_judge": 0.1, "difference": 0.3, "target_power": 0.9}, "with `judge`, `target_power` is 0.8; got 0.9"),
    ({"cost_judge": 0.1, "target_width": -0.3}, "must be above 0"),
]


@pytest.mark.parametrize(("options", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_options_get_one_clear_line(options, said):
    with pytest.raises(ArgumentError) as caught:
        howsure.plan(table(rated()), judge="gpt-judge", **MODELS, **options)
    assert said in str(caught.value)


def test_a_price_of_the_judge_goes_with_a_judge():
    with pytest.raises(ArgumentError, match="`cost_judge` has no effect here: it goes with `judge`"):
        howsure.plan(table(rated()), cost_judge=0.1, n_items=50, test="none", **MODELS)
