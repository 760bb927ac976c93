import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents import Table
from howsure.documents.numbers import shown
from howsure.errors import ArgumentError
from howsure.paired import plan_power, t_power
from tests.reference.scores import (
    NLPSTATTEST_SCREEN,
    ONE_SAMPLE_POWER,
    PAIRED_N,
    TWO_SAMPLE,
)


@pytest.mark.parametrize("power", PAIRED_N)
@pytest.mark.parametrize("effect", PAIRED_N[0.8])
def test_lines_for_a_power(power, effect):
    found = plan_power(effect=effect, sd=1, target_power=power)
    assert found.n_exact == pytest.approx(PAIRED_N[power][effect], abs=0.0051)
    assert found.n_items == math.ceil(PAIRED_N[power][effect])
    assert found.power >= power
    assert found.n_normal < found.n_exact


def test_screen_of_nlpstattest():
    assert plan_power(effect=0.2, sd=1, target_power=0.8).n_items == NLPSTATTEST_SCREEN


def test_two_samples():
    assert t_power(20, 1.0, design="independent") == pytest.approx(TWO_SAMPLE["power"], abs=5e-7)
    for alternative, name in (("two-sided", "n"), ("greater", "n_one_sided")):
        found = plan_power(effect=1, sd=1, target_power=0.9, alternative=alternative, design="independent")
        assert found.n_exact == pytest.approx(TWO_SAMPLE[name], abs=5e-6)


def test_another_known_power():
    assert t_power(25, 1 / 3) == pytest.approx(ONE_SAMPLE_POWER, abs=5e-6)


@given(st.integers(5, 5000), st.floats(0.1, 0.99), st.floats(0.01, 100), st.sampled_from(["two-sided", "less"]))
def test_detectable_difference_is_the_inverse(n, power, sd, alternative):
    found = plan_power(n_items=n, sd=sd, target_power=power, alternative=alternative)
    assert found.effect > 0
    back = plan_power(n_items=n, sd=sd, effect=found.effect, alternative=alternative)
    assert back.power == pytest.approx(power, abs=1e-6)


def test_sign_of_delta_does_not_matter():
    assert (
        plan_power(effect=-0.2, sd=1, target_power=0.8).n_items
        == plan_power(effect=0.2, sd=1, target_power=0.8).n_items
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sd": 1, "effect": 0.1}, "give two of `n_items`, `effect` and `target_power`.*got effect"),
        ({"sd": 1, "effect": 0.1, "n_items": 5, "target_power": 0.8}, "give two of"),
        ({"sd": 0, "effect": 0.1, "target_power": 0.8}, "`sd` must be above 0"),
        ({"sd": 1, "effect": 0, "target_power": 0.8}, "`effect` must not be 0"),
        ({"sd": 1, "effect": 0.1, "target_power": 80}, "Did you mean 0.8"),
        ({"sd": 1, "effect": 0.1, "target_power": 0.03}, "above `alpha`"),
        ({"sd": 1, "target_power": 0.8, "n_items": 1}, "`n_items` must be a whole number of at least 2"),
        ({"sd": 1, "effect": 0.1, "target_power": 0.8, "design": "pared"}, "Did you mean 'paired'"),
    ],
)
def test_bad_plans(options, message):
    with pytest.raises(ArgumentError, match=message):
        plan_power(**options)


def test_a_plan_shows_the_power_of_smaller_and_larger_studies():
    plan = plan_power(effect=0.2, sd=1, target_power=0.8)
    assert plan.power_with(plan.n_items) == pytest.approx(plan.power)
    [table] = [block for block in plan.document().blocks if isinstance(block, Table)]
    assert [row[0] for row in table.rows] == [50, 100, 149, 199, 298, 398]
    assert [float(row[1]) for row in table.rows] == sorted(float(row[1]) for row in table.rows)
    assert shown(table.rows[3][1], table.columns[1].kind) == f"{plan.power:.3f}"
