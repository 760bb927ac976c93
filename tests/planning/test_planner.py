import math
from dataclasses import dataclass

import pytest

from assay import _json
from assay.errors import ArgumentError
from assay.metrics import resolve
from assay.models import NormalModel, make_family, preset
from assay.models.answers import NormalAnswers
from assay.planning import Costs, Design, Effect, Plan, plan, plan_from_pilot
from assay.planning.designs import within
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
    assert cell.contrast == pytest.approx(effect.contrast, abs=4 * cell.contrast_error + 0.002)
    assert f"ε = {cell.epsilon:.4g}" in found.notes[0]


def test_accuracy_points_may_describe_a_plan_by_another_metric():
    effect = Effect.accuracy_points(5)
    found = plan("categorical-dices", metrics=["tv"], effect=effect, n_items=[50], n_responses=[5], test=None, rng=0)
    assert 0.1 < found.cells[0].epsilon < 0.4


def test_the_detectable_contrast_has_the_target_power():
    found = plan(
        "normal", metrics=["mae"], epsilon=0.1, n_items=[70], n_responses=[5], detectable=True, precision=0.02, rng=0
    )
    [cell] = found.cells
    again = plan("normal", metrics=["mae"], epsilon=cell.detectable_epsilon, n_items=[70], n_responses=[5], rng=1)
    assert again.cells[0].power == pytest.approx(0.8, abs=0.04)
    assert again.cells[0].contrast == pytest.approx(cell.detectable, rel=0.05)


def test_the_cheapest_design_reaches_the_target():
    found = plan("normal", metrics=["mae"], epsilon=0.12, n_responses=[2, 20], target_power=0.8, precision=0.02, rng=0)
    reached = [cell for cell in found.cells if cell.power >= 0.8]
    assert found.recommended == min(reached, key=lambda cell: cell.cost)
    assert "cheapest" in str(found)


def test_a_budget_is_never_exceeded_and_costs_are_counted():
    costs = Costs(item=1, response=0.1, run=0.05)
    for design in within(0.3 / 0.1, Costs(item=0, response=0.1), [1, 3, 10]):
        assert Costs(item=0, response=0.1).of(design) <= 3 + 1e-9
    found = plan("normal", metrics=["mae"], epsilon=0.3, n_responses=[(5, 1, 1), 5], budget=100, costs=costs, rng=0)
    assert [cell.cost <= 100 for cell in found.cells] == [True, True]
    assert found.cells[0].n_items == int(100 / (1 + 0.5 + 0.1))


def test_a_plan_is_read_back_from_its_json():
    found = plan("normal", metrics=["mae"], epsilon=0.3, n_items=[20], n_responses=[5], rng=0)
    import json

    again = Plan.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert again.cells[0].to_dict().items() >= {"n_items": 20, "metric": "mae"}.items()
    assert math.isnan(again.cells[0].detectable)
    assert found.to_frame().shape[0] == 1


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
        ({"epsilon": 0.1}, "say which designs"),
        ({"n_items": [10]}, "say how large the difference is"),
        ({"epsilon": 0.1, "budget": 0.5}, "does not pay for one item"),
        ({"epsilon": 0.1, "n_items": [100], "budget": 10}, "no design fits"),
        (
            {"epsilon": 0.01, "n_responses": 1, "target_power": 0.9, "max_items": 200},
            "cannot be reached with N ≤ 200",
        ),
        ({"epsilon": 0.01, "n_items": [50], "n_responses": [1], "target_power": 0.9}, "cannot be reached with N ≤ 50"),
        ({"effect": Effect(resolve("mae"), 3.0), "n_items": [10], "n_responses": [5]}, "the largest is"),
        ({"epsilon": 2, "n_items": [10]}, "`epsilon` must be between 0 and 1"),
        ({"epsilon": 0.1, "n_items": [10], "metrics": ["rmse"], "engine": "exact"}, "engine='exact' needs item scores"),
        ({"epsilon": 0.1, "n_items": [10], "test": "t"}, "`test` must be one of"),
        ({"epsilon": 0.1, "n_items": [10], "target_power": 80}, "Did you mean 0.8"),
    ],
)
def test_bad_input_gets_one_clear_line(options, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        plan("normal", rng=0, **{"metrics": ["mae"], **options})
    assert "\n" not in str(caught.value)


def test_a_pilot_gives_a_design_and_says_how_sure_it_is():
    table = preset("likert-toxicity").table(60, 4, epsilon=0.4, rng=3)
    pilot = table.contest(gold="gold", a="A", b="B")
    found = plan_from_pilot(pilot, metrics=["mae"], n_responses=[3], n_resamples=20, precision=0.02, rng=0)
    assert found.sentences[0].startswith("You have 60 items × 4 gold responses")
    assert found.pilot["n_items_low"] <= found.recommended.n_items <= found.pilot["n_items_high"]
    assert "observed power" not in str(found)


def test_a_pilot_with_a_difference_is_fitted():
    table = preset("categorical-dices").table(80, 6, rng=3)
    pilot = table.contest(gold="gold", a="A", b="B")
    options = {
        "metrics": ["tv"],
        "epsilon": 0.3,
        "n_items": [50],
        "n_responses": [5, 50],
        "n_resamples": 5,
        "precision": 0.02,
        "rng": 0,
    }
    found = plan_from_pilot(pilot, **options)
    assert found.model.startswith("categorical items")
    assert found.pilot["goodness"]
    assert any("go far beyond the pilot's 6" in note for note in found.notes)
    resampled = plan_from_pilot(pilot, pilot_model="empirical", **options)
    assert "real items resampled" in resampled.model


def test_designs_say_what_they_are():
    assert str(Design(1, 1, 1, 1)) == "1 item × 1 response"
    assert str(Design(2000, 5, 1, 2)) == "2,000 items × 5 gold, 1 A, 2 B responses"
