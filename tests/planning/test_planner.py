import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from howsure import _json
from howsure.errors import ArgumentError
from howsure.metrics import resolve
from howsure.models import NormalModel, make_family, preset
from howsure.models.answers import NormalAnswers
from howsure.nulls import SIGN_FLIP, Hypothesis, Units
from howsure.planning import Costs, Design, Effect, Plan, PlanRequest, plan
from howsure.planning.engines.decisions import Test
from tests.reference.planning import DELTA, MEAN_METRIC_N, OMEGA2, PAIRED_T_N, SIGMA2


@dataclass(frozen=True)
class TwoStage(NormalModel):
    """Ratings of A's and B's own outputs: A is better by δ, items differ by ω, responses by σ."""

    delta: float = DELTA
    omega2: float = OMEGA2
    sigma2: float = SIGMA2

    def sources(self, shape, generator, *, epsilon=0.0, perturbation=None):
        gold = self.items(shape, generator)
        spread = (gold.mean * 0) + math.sqrt(self.sigma2)
        gap = self.delta + math.sqrt(self.omega2) * generator.standard_normal(shape)
        return gold, NormalAnswers(gold.mean + gap, spread), NormalAnswers(gold.mean, spread)


def two_stage(**parameters):
    return TwoStage(make_family("constant", [0.5]), make_family("constant", [0.1]), **parameters)


@pytest.mark.parametrize("k", MEAN_METRIC_N)
def test_the_power_of_the_mean_metric_is_that_of_two_stage_sampling(k):
    design = {"n_items": [round(MEAN_METRIC_N[k])], "n_responses": [k], "precision": 0.01}
    [cell] = plan(two_stage(), metrics=["rating"], epsilon=0, rng=0, **design).cells
    assert cell.power == pytest.approx(0.8, abs=4 * cell.power_error)


@pytest.mark.parametrize(("item", "best"), [(2.0, 2.45), (12.0, 6.0)])
def test_the_best_number_of_responses_is_that_of_two_stage_sampling(item, best):
    """K* = √(c_i / c_r · σ² / ω²), here σ² of A and B together, 1/3, and ω² = 1/9."""
    costs = Costs(item=item, response=0, run=0.5)
    assert math.sqrt(item * (2 * SIGMA2) / OMEGA2) == pytest.approx(best, abs=0.01)
    found = plan(
        two_stage(), metrics=["rating"], epsilon=0, n_responses=[1, 2, 3, 6, 12, 24], budget=item * 1500, costs=costs,
        test=None, precision=0.5, rng=0,
    )  # fmt: skip
    widths = {cell.n_responses["a"]: cell.ci_width for cell in found.cells}
    assert min(widths, key=widths.get) in ({2, 3} if best < 3 else {6})


def test_items_are_free_then_one_response_is_best():
    found = plan(
        two_stage(), metrics=["rating"], epsilon=0, n_responses=[1, 2, 5], budget=3000, test=None, precision=0.5, rng=0
    )
    widths = [cell.ci_width for cell in found.cells]
    assert widths == sorted(widths)


@pytest.mark.parametrize("d", PAIRED_T_N)
def test_the_power_of_paired_t_is_that_of_the_noncentral_t(d):
    model = two_stage(delta=d, omega2=0.5, sigma2=0.25)
    design = {"n_items": [round(PAIRED_T_N[d])], "n_responses": [1], "test": "paired-t", "precision": 0.01}
    [cell] = plan(model, metrics=["rating"], epsilon=0, rng=0, **design).cells
    assert cell.power == pytest.approx(0.8, abs=4 * cell.power_error + 0.005)  # N is rounded


@pytest.mark.parametrize(("effect", "metric"), [(Effect(resolve("mae"), 0.02), "mae"), (Effect.win_rate(0.6), "wins")])
def test_a_named_difference_is_what_the_plan_expects(effect, metric):
    found = plan("normal", metrics=[metric], effect=effect, n_items=[50], n_responses=[5], test=None, rng=0)
    [cell] = found.cells
    assert cell.advantage == pytest.approx(effect.advantage, abs=4 * cell.advantage_error + 0.002)
    assert f"ε = {cell.epsilon:.4g}" in found.notes[0]


def test_accuracy_points_may_describe_a_plan_by_another_metric():
    effect = Effect.accuracy_points(5)
    found = plan("categorical-dices", metrics=["tv"], effect=effect, n_items=[50], n_responses=[5], test=None, rng=0)
    assert 0.1 < found.cells[0].epsilon < 0.4


def test_the_detectable_advantage_has_the_target_power():
    found = plan(
        "normal", metrics=["mae"], epsilon=0.1, n_items=[70], n_responses=[5], detectable=True, precision=0.02, rng=0
    )
    [cell] = found.cells
    again = plan("normal", metrics=["mae"], epsilon=cell.detectable_epsilon, n_items=[70], n_responses=[5], rng=1)
    assert again.cells[0].power == pytest.approx(0.8, abs=0.04)
    assert again.cells[0].advantage == pytest.approx(cell.detectable, rel=0.05)


def test_the_cheapest_design_reaches_the_target():
    found = plan("normal", metrics=["mae"], epsilon=0.12, n_responses=[2, 20], target_power=0.8, precision=0.02, rng=0)
    reached = [cell for cell in found.cells if cell.power >= 0.8]
    assert found.recommended == min(reached, key=lambda cell: cell.cost)
    assert "at the lowest cost" in found.sentences[0]


def test_a_budget_is_never_exceeded_and_costs_are_counted():
    costs = Costs(item=1, response=0.1, run=0.05)
    cents = Costs(item=0, response=0.1)
    assert [cents.most_items(Design(1, k, k, k), 0.3 / 0.1) for k in (1, 3, 10)] == [30, 10, 3]  # 0.3 / 0.1 is below 3
    assert [cents.most_items(Design(1, k, k, k), 3) for k in (1, 3, 10)] == [30, 10, 3]
    found = plan("normal", metrics=["mae"], epsilon=0.3, n_responses=[(5, 1, 1), 5], budget=100, costs=costs, rng=0)
    assert [cell.cost <= 100 for cell in found.cells] == [True, True]
    assert found.cells[0].n_items == int(100 / (1 + 0.5 + 0.1))


def test_a_plan_is_read_back_from_its_json():
    found = plan("normal", metrics=["mae"], epsilon=0.3, n_items=[20], n_responses=[5], rng=0)
    assert math.isnan(found.cells[0].detectable)
    again = Plan.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert str(again) == str(found)
    assert _json.dumps(again.to_dict()) == _json.dumps(found.to_dict())
    assert found.to_frame().shape[0] == 1


def test_a_plan_from_a_pilot_is_read_back_with_its_intervals():
    pilot = preset("normal").table(40, 3, epsilon=0.5, rng=1).contest(gold="gold", a="A", b="B")
    found = plan(pilot, n_responses=[2, 3], budget=120, follow_up=[60], rng=0)
    again = Plan.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert again == found
    assert again.pilot.advantage_interval.low < again.pilot.advantage
    assert again.cells[0].power_interval.confidence_level == 0.95


def test_the_same_seed_gives_the_same_plan_on_any_number_of_threads():
    first, second = (
        plan("likert-toxicity", metrics=["mae"], epsilon=0.2, n_items=[50], n_responses=[5], rng=7, workers=workers)
        for workers in (1, 4)
    )
    assert first.cells[0].expected_pvalue == second.cells[0].expected_pvalue
    assert first.cells[0].power == second.cells[0].power


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.1, "test": None}, "Without a test there is no power to reach. Specify the designs"),
        ({"n_items": [10]}, "Specify the difference to detect with one of `difference`"),
        ({"epsilon": 0.1, "budget": 0.5}, "does not pay for one item"),
        ({"epsilon": 0.1, "n_items": [100], "budget": 10}, "no design fits"),
        ({"effect": Effect(resolve("mae"), 3.0), "n_items": [10], "n_responses": [5]}, "the largest is"),
        ({"epsilon": 2, "n_items": [10]}, "`epsilon` must be between 0 and 1"),
        (
            {"epsilon": 0.1, "n_items": [10], "metrics": ["rmse"], "engine": "exact"},
            "`engine='exact'` needs item scores",
        ),
        ({"epsilon": 0.1, "n_items": [10], "test": "t"}, "`test` must be one of"),
        ({"epsilon": 0.1, "metrics": ["rating"], "reference_responses": 3}, "`reference_responses` has no effect here"),
        ({"epsilon": 0.1, "n_items": [10], "target_power": 80}, "Did you mean 0.8"),
    ],
)
def test_bad_input_gets_one_clear_line(options, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        plan("normal", rng=0, **{"metrics": ["mae"], **options})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [{"max_items": 200}, {"n_items": [50, 100]}])
def test_a_target_out_of_reach_names_the_nearest_miss_and_shows_every_design(options):
    found = plan("normal", epsilon=0.01, n_responses=[1, 2], target_power=0.9, precision=0.02, rng=0, **options)
    assert found.recommended is None
    assert found.answers[0].nearest.power == max(cell.power for cell in found.cells)
    assert {cell.reason for cell in found.cells} == {"misses target"}
    assert "The nearest is" in found.sentences[0]


def test_within_a_budget_the_cheapest_design_that_reaches_the_target_is_taken():
    options = {"metrics": ["mae"], "epsilon": 0.3, "n_responses": [2, 20], "precision": 0.02, "rng": 0}
    found = plan("normal", budget=2000, target_power=0.8, **options)
    free = plan("normal", target_power=0.8, **options)
    assert found.recommended.design == free.recommended.design
    assert found.answers[0].saved == 2000 - found.recommended.cost
    assert f"{found.answers[0].saved:,g} of the budget of 2,000 are left." in found.sentences[0]


def test_designs_beyond_the_budget_are_shown_with_the_reason():
    found = plan("normal", epsilon=0.5, n_items=[10, 100], n_responses=[2], budget=50, test=None, rng=0)
    assert [(cell.n_items, cell.reason) for cell in found.cells] == [(10, ""), (100, "over budget")]
    found = plan("normal", epsilon=0.5, n_responses=[2, 99], budget=50, test=None, rng=0)
    assert [(cell.n_items, cell.cost, cell.reason) for cell in found.cells] == [(25, 50, ""), (1, 99, "over budget")]


def test_a_design_on_which_the_test_cannot_reject_is_never_taken():
    found = plan("categorical-dices", metrics=["tv"], epsilon=0.3, n_responses=[1, 100], budget=500, test=None,
                 precision=0.02, rng=0)  # fmt: skip
    assert [cell.reason for cell in found.cells] == ["", "test cannot reject"]
    assert found.recommended.n_items == 500
    assert any("the smallest p-value is 0.062" in note for note in found.notes)


@pytest.mark.parametrize(
    ("n", "alternative", "can"), [(5, "two-sided", False), (6, "two-sided", True), (5, "greater", True)]
)
def test_two_to_the_n_swaps_bound_the_p_value(n, alternative, can):
    assert Test("sign-flip", 0.05, alternative).can_reject(n) is can
    assert Test("paired-t", 0.05, alternative).can_reject(n)
    advantages = np.ones((1, n))
    pvalue = SIGN_FLIP.run(Units.independent(advantages), Hypothesis(alternative, interval=False)).pvalue[0]
    assert (pvalue <= 0.05) == can


def test_at_equal_power_more_items_are_taken():
    found = plan("normal", metrics=["mae"], epsilon=0.9, n_responses=[2, 5, 10], budget=1000, precision=0.02, rng=0)
    assert {round(cell.power, 2) for cell in found.cells} == {1.0}
    assert found.recommended.n_items == 500


def test_several_budgets_differences_and_tests_are_one_plan():
    found = plan(
        "normal", metrics=["mae"], epsilon=[0.1, 0.3], budget=[100, 400], test=["sign-flip", "welch-t"],
        n_responses=[2, 5], precision=0.05, rng=0,
    )  # fmt: skip
    asked = {(each.epsilon, each.test, each.budget) for each in found.answers}
    assert asked == {(e, t, b) for e in (0.1, 0.3) for t in ("sign-flip", "welch-t") for b in (100, 400)}
    for answer in found.answers:
        assert answer.recommended.cost <= answer.budget
        assert (answer.recommended.epsilon, answer.recommended.test) == (answer.epsilon, answer.test)
    alone = plan(
        "normal", metrics=["mae"], epsilon=0.3, budget=400, test="welch-t", n_responses=[2, 5], precision=0.05, rng=0
    )
    [same] = [each for each in found.answers if (each.epsilon, each.test, each.budget) == (0.3, "welch-t", 400)]
    assert alone.recommended.design == same.recommended.design


@pytest.mark.parametrize(
    ("target", "number"), [({"target_p": 0.05}, "expected_pvalue"), ({"target_width": 0.1}, "ci_width")]
)
def test_the_smallest_study_with_an_expected_p_or_a_width(target, number):
    [goal] = target.values()
    found = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[3], test=None, precision=0.01, rng=0, **target)
    n = found.recommended.n_items
    assert getattr(found.recommended, number) <= goal
    kind = "an expected p of at most 0.05" if "target_p" in target else "a confidence interval no wider than 0.1"
    assert str(found).startswith(f"{found.recommended.design.in_words} have {kind} ")
    fewer = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[3], n_items=[round(0.95 * n) - 1], test=None,
                 precision=0.01, rng=0)  # fmt: skip
    assert getattr(fewer.cells[0], number) > goal


def test_the_fewest_responses_at_a_fixed_budget():
    found = plan("normal", metrics=["mae"], epsilon=0.2, n_responses=[1, 2, 5, 10, 20], budget=400, target_power=0.8,
                 spend=True, precision=0.02, rng=0)  # fmt: skip
    reached = [cell.design.gold for cell in found.cells if cell.power >= 0.8]
    assert found.recommended.design.gold == min(reached)
    assert all(cell.n_items == 400 // cell.design.gold for cell in found.cells)
    assert ": the fewest responses per item that do (400 human responses)." in found.sentences[0]


def test_spending_the_whole_budget_saves_nothing_and_is_not_the_cheapest():
    """333 items × 3 responses cost 999 of 1,000, and that 1 is no saving."""
    options = {"epsilon": 0.2, "budget": 1000, "target_power": 0.9, "precision": 0.02, "rng": 0}
    found = plan("normal", metrics="mae", n_responses=[3, 5], spend=True, **options)
    assert found.recommended.n_items == 333
    assert "the fewest responses per item that do" in found.sentences[0]
    assert "are left" not in found.sentences[0]
    assert not any("times the cost" in line for line in found.sentences)


def test_a_target_out_of_reach_says_up_to_how_many_items():
    found = plan("normal", metrics="mae", epsilon=0.02, target_p=0.01, max_items=50, n_responses=[1, 2], rng=0)
    assert found.sentences[0].startswith(
        "No design with up to 50 items has an expected p of at most 0.01 for ε = 0.02. The nearest"
    )


def test_large_costs_keep_their_digits():
    found = plan(
        "normal", metrics="mae", epsilon=0.2, budget=1_234_567, n_responses=[1], max_items=10**7, test=None, rng=0
    )
    assert str(found).startswith("The best design for a budget of 1,234,567 has 1,234,567 items ")


def test_a_may_be_wrong_too():
    options = {"metrics": ["mae"], "n_items": [50], "n_responses": [5], "test": None, "rng": 0}
    equal = plan("normal", epsilon=0.3, epsilon_a=0.3, **options).cells[0]
    assert abs(equal.advantage) < 4 * equal.advantage_error
    assert plan("normal", epsilon=0.3, epsilon_a=0.1, **options).cells[0].advantage > 0.01


@pytest.mark.parametrize(("model", "scale"), [("likert-toxicity", 1.0), ("normal", 1.0)])
def test_without_gold_ratings_of_b_are_lower_by_epsilon(model, scale):
    found = plan(model, metrics=["rating"], epsilon=0.1, n_items=[200], n_responses=[5], precision=0.02, rng=0)
    [cell] = found.cells
    # Means that would fall below the scale stay at its end, so the difference is at most ε.
    assert 0.4 * 0.1 < cell.advantage < 0.1 * scale + 4 * cell.advantage_error
    assert cell.design.gold == 0
    assert cell.cost == 200 * 5 * 2
    assert any("Without gold, ε" in note for note in found.notes)


def test_without_gold_and_order_nothing_can_be_better():
    with pytest.raises(ArgumentError, match=r"needs (ratings|numbers)"):
        plan("categorical-dices", metrics=["rating"], epsilon=0.1, n_items=[20], rng=0)


def test_costs_are_a_sum_of_terms():
    costs = Costs(response=0, run=0.01)
    assert costs.of(Design(431, 0, 10, 10)) == pytest.approx(86.2)
    assert costs.of(Design(903, 0, 1, 1)) == pytest.approx(18.06)
    assert [*map(str, costs.terms(Design(431, 0, 10, 10)))] == ["8,620 model responses × 0.01"]
    all_four = Costs(item=2, response=0.5, run=0.1, rater=20)
    design = Design(100, 3, 2, 2, n_raters=6, raters_per_item=3)
    assert [term.count for term in all_four.terms(design)] == [100, 300, 6, 400]
    assert all_four.of(design) == pytest.approx(200 + 150 + 120 + 40)
    # An output that several raters judge is one output.
    rated = Design(50, 0, 4, 4, n_raters=4, raters_per_item=4, per_pair=2)
    assert [(term.what, term.count) for term in all_four.terms(rated)] == [
        ("items", 50), ("ratings", 400), ("raters", 4), ("model responses", 100),
    ]  # fmt: skip


def test_designs_say_what_they_are():
    assert str(Design(1, 1, 1, 1)) == "1 item × 1 response"
    assert str(Design(2000, 5, 1, 2)) == "2,000 items × 5 gold, 1 A, 2 B responses"
    assert str(Design(20, 0, 1, 1)) == "20 items × 1 response of each model"


def test_the_question_and_the_record_have_the_same_defaults():
    """The record is made from the question's fields by name."""
    from dataclasses import fields

    from howsure.questions import Plan as Question

    asked = {field.name: field.default for field in fields(Question)}
    record = {field.name: field.default for field in fields(PlanRequest) if field.name in asked}
    assert len(record) > 25
    assert record == {name: asked[name] for name in record}


def test_an_unknown_setting_names_the_one_that_was_meant():
    with pytest.raises(ArgumentError, match=r"`n_item` is not a setting of a plan\. Did you mean 'n_items'\?"):
        plan("normal", n_item=10)


def test_a_record_and_its_fields_by_name_are_the_same_plan():
    asked = {"metrics": ["mae"], "epsilon": 0.3, "n_items": [20], "n_responses": [2], "precision": 0.05, "rng": 3}
    assert plan("normal", PlanRequest(**asked)).to_dict() == plan("normal", **asked).to_dict()


def test_the_nearest_design_is_never_one_on_which_the_test_cannot_reject():
    """Five items never give p ≤ .05, whatever expected p they have."""
    found = plan("normal", metrics="mae", epsilon=0.3, n_items=[5, 6], n_responses=[1], target_p=0.001, rng=0)
    assert [cell.reason for cell in found.cells] == ["test cannot reject", "misses target"]
    assert found.answers[0].nearest.n_items == 6


def test_every_metric_is_searched_by_itself_and_told_in_one_line():
    """FOREST: the smallest N × K for each metric, whichever budget pays for it first."""
    options = {"epsilon": 0.3, "n_responses": [2, 10], "target_p": 0.05, "precision": 0.02, "rng": 0}
    both = plan("categorical-dices", metrics=["tv", "accuracy"], budget=[300, 2000, 4000], **options)
    assert len(both.sentences) == 2  # one line for each metric
    for metric, line in zip(("tv", "accuracy"), both.sentences, strict=True):
        alone = plan("categorical-dices", metrics=metric, budget=[4000], **options).recommended
        found, *others = [one.recommended for one in both.answers if one.metric == metric and one.recommended]
        assert all(other == found for other in others)
        assert found.design == alone.design
        assert line.startswith(f"{metric}: {found.design.in_words} have an expected p of at most 0.05")
    # Each budget has its whole designs, for each number of responses, beside what the search found.
    for k in (2, 10):
        items = {cell.n_items for cell in both.cells if cell.metric == "tv" and cell.design.gold == k}
        assert items >= {300 // k, 2000 // k, 4000 // k}


def test_a_grid_of_designs_is_answered_by_its_smallest_design_and_by_what_responses_bring():
    """RATERS: the smallest N × K of a grid, and how p changes with K at the same N × K."""
    found = plan("normal", metrics="mae", epsilon=0.2, n_items=[20, 40, 100, 200], n_responses=[1, 5, 10], rng=0)
    enough = [cell for cell in found.cells if cell.power >= 0.8]
    least = min(enough, key=lambda cell: (cell.cost, -cell.n_items))
    first, second = found.sentences[:2]
    assert first == f"Of these 12 designs, {least.design.in_words} have 80% power at the lowest cost ({least.cost:g})."
    assert found.verdict == first
    [marked] = [line for line in str(found).splitlines() if "best ←" in line]
    assert f" {least.n_items} │" in marked
    assert second.startswith("At the same cost of 200, 200 items with 1 gold, 5 A, 5 B responses each have power 0.")
    assert "20 items with 10 gold, 5 A, 5 B responses each have power" in second
    none = plan("normal", metrics="mae", epsilon=0.02, n_items=[20, 40], n_responses=[1, 5], test=None, rng=0)
    assert none.sentences[0].startswith("None of these 4 designs has an expected p of at most 0.05. The best is ")


def test_a_design_has_the_same_power_whatever_other_designs_are_planned():
    """Power of 500 × 1 was .60, .24 or .07, as ε was solved for the design with the most responses."""
    options = {"metrics": "mae", "effect": Effect(resolve("mae"), 0.02), "budget": 500, "rng": 0}
    alone = plan("normal", n_responses=[1], **options).cells[0]
    for others in ([1, 5], [1, 100], [1, (1, 1, 1), (20, 20, 20)]):
        [same] = [cell for cell in plan("normal", n_responses=others, **options).cells if cell.design == alone.design]
        assert same == alone
    # Nor do designs with the same responses and more items change it.
    sizes = {"metrics": "tv", "epsilon": 0.2, "n_responses": [10], "rng": 0}
    few = plan("categorical-dices", n_items=[50], **sizes).cells[0]
    assert plan("categorical-dices", n_items=[50, 100, 1000], **sizes).cells[0] == few


def test_a_named_difference_says_with_how_many_responses_it_is_measured():
    options = {"metrics": "mae", "effect": Effect(resolve("mae"), 0.03), "n_responses": [1, 3], "rng": 0}
    found = plan("normal", target_power=0.8, **options)
    measured = "for a difference of 0.03 in mae (as measured with {} gold, {} A and {} B responses per item)"
    assert measured.format(5, 5, 5) in found.sentences[0]
    other = plan("normal", target_power=0.8, reference_responses=(9, 2, 2), **options)
    assert measured.format(9, 2, 2) in other.sentences[0]
    [cell] = plan(
        "normal", metrics="mae", epsilon=other.cells[0].epsilon, n_items=50, n_responses=[(9, 2, 2)], rng=0
    ).cells
    assert cell.advantage == pytest.approx(0.03, rel=0.02)
    # The runs of A and B are the same in every design, and no design is given more of them for nothing.
    assert {(cell.design.a, cell.design.b) for cell in other.cells} == {(2, 2)}
    assert {(cell.design.a, cell.design.b) for cell in found.cells} == {(5, 5)}


def test_a_pilot_says_that_the_difference_is_measured_with_its_own_responses():
    pilot = preset("normal").table(40, (4, 2, 2), epsilon=0.5, rng=1).contest(gold="gold", a="A", b="B")
    options = {"metrics": "mae", "effect": Effect(resolve("mae"), 0.05), "rng": 0}
    found = plan(pilot, n_items=[40], n_responses=[1, 4], **options)
    assert "(as measured with 4 gold, 2 A and 2 B responses per item)" in found.sentences[0]
    assert found.cells[1].advantage == pytest.approx(0.05)
    assert found.cells[0].advantage < 0.05
    with pytest.raises(ArgumentError, match="`reference_responses` has no effect here: a pilot"):
        plan(pilot, reference_responses=5, **options)


def test_the_smallest_difference_detected_is_measured_as_a_named_one():
    options = {"metrics": "mae", "n_items": [80], "n_responses": [1], "precision": 0.02, "rng": 0}
    [cell] = plan("normal", epsilon=0.1, detectable=True, **options).cells
    again = plan("normal", effect=Effect(resolve("mae"), cell.detectable), **options).cells[0]
    assert again.power == pytest.approx(0.8, abs=0.04)


def test_no_interval_is_wider_than_two_models_can_differ():
    """Accuracy of two items was planned with widths of 7."""
    for metric in ("accuracy", "tv"):
        cells = plan("categorical-dices", metrics=metric, epsilon=0.3, n_items=[2, 3], n_responses=[1, 2], rng=0).cells
        assert all(cell.ci_width <= 2 for cell in cells)


def test_shared_ties_of_accuracy_are_said():
    found = plan("categorical-dices", metrics="accuracy", epsilon=0.3, n_items=[20], n_responses=[1, 2], rng=0)
    assert any(note.startswith("Accuracy shares a tied vote among the labels.") for note in found.notes)
    odd = plan("categorical-dices", metrics="accuracy", epsilon=0.3, n_items=[20], n_responses=[1, 3], rng=0)
    assert not any("tied vote" in note for note in odd.notes)
