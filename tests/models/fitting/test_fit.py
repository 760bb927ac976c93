import json
import os
from pathlib import Path

import numpy as np
import pytest

from howsure import io
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.data.summaries import counts
from howsure.documents.numbers import number, plainly
from howsure.errors import ArgumentError, DataError, HowsureWarning
from howsure.models import LikertModel, NormalModel, fit, load, make_family, preset
from howsure.models.fitting import goodness, number_fit
from howsure.models.fitting.goodness import compare_with_data, moments

SHARED = Path(os.environ.get("HOWSURE_SHARED", Path(__file__).parents[3].parent / "shared"))
QUICK = {"mean": "truncated-normal", "sd": "truncated-normal"}


def table_of(rows, kind=None):
    values = np.concatenate([np.asarray(row, dtype=float) for row in rows])
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    items = np.arange(len(rows)).astype(str)
    return ResponseTable(items, {"human": Responses(values, offsets)}, Scale.of(values, kind=kind))


def test_the_best_families_are_found_and_checked_on_held_out_items():
    result = fit(preset("likert-toxicity").table(400, (5, 1, 1), rng=2), source="gold")
    assert result.model.mean.kind == "folded-normal"
    assert abs(result.parameters[0].estimate - 0.28) < 4 * result.parameters[0].standard_error
    bics = [candidate.bic for candidate in result.candidates]
    assert bics == sorted(bics)
    assert result.bic == pytest.approx(bics[0], abs=0.5)
    assert all(np.isfinite(candidate.held_out) for candidate in result.candidates[:3])
    assert all(feature.pvalue > 0.005 for feature in result.goodness)
    first, second, *_ = str(result).splitlines()
    means, sds = (f"{feature.pvalue:.2g}"[1:] for feature in result.goodness)
    assert first == (
        f"Goodness of fit: no evidence against the model (item means p = {means}, item standard deviations p = {sds})."
    )
    assert second.startswith("gold: 400 items, 5 responses each; Likert items, 5 categories")


def test_ragged_data_are_fitted_with_their_own_sizes():
    rng = np.random.default_rng(0)
    model = preset("likert-amazon")
    sizes = rng.integers(2, 9, 300).tolist()
    rows = [model.draw(1, 1, n_responses=size, needs="values", rng=rng)[0][0, 0] for size in sizes]
    result = fit(table_of(rows), **QUICK)
    mean, sd = result.parameters[0], result.parameters[2]
    assert abs(mean.estimate - 0.552121) < 4 * mean.standard_error
    assert abs(sd.estimate - 0.318177) < 4 * sd.standard_error
    assert result.n_responses == pytest.approx(np.mean([len(row) for row in rows]))


def test_noise_within_items_is_not_taken_for_spread_between_them():
    # All items alike: what their means differ by is noise of three responses each.
    truth = NormalModel(make_family("constant", [0.5]), make_family("constant", [0.2]))
    result = fit(truth.table(300, (3, 1, 1), rng=1), source="gold", low=-1.0, high=2.0, **QUICK)
    observed = truth.table(300, (3, 1, 1), rng=1).source("gold").values.reshape(300, 3).mean(axis=1).std() / 3
    assert result.model.mean.sd < observed / 2


def test_censored_ends_of_a_continuous_scale_are_recognised():
    truth = NormalModel(make_family("truncated-normal", [0.7, 0.3]), make_family("constant", [0.25]), 0, 100, clip=True)
    result = fit(truth.table(300, (10, 1, 1), rng=1), source="gold", **QUICK)
    assert result.model.clip
    assert (result.model.low, result.model.high) == (0, 100)
    # The items' own means before the ends cut them: 0.66 on average for this truncated normal.
    drawn = result.model.mean.draw((1, 20_000), np.random.default_rng(0)).mean()
    expected = truth.mean.draw((1, 20_000), np.random.default_rng(0)).mean()
    assert drawn == pytest.approx(expected, abs=0.06)


def test_labels_report_alpha_and_bias_and_goodness_sees_a_wrong_model():
    pilot = preset("categorical-dices").table(300, (20, 1, 1), rng=1)
    result = fit(pilot, source="gold")
    assert [parameter.name for parameter in result.parameters] == ["α(a)", "α(b)", "α(c)"]
    shares = np.bincount(pilot.source("gold").values.astype(int)) / 6000
    alpha = np.array(result.model.alpha)
    assert result.mean_absolute_bias == pytest.approx(np.abs(shares - alpha / alpha.sum()).mean())
    right = preset("likert-amazon")
    data = right.table(300, (5, 1, 1), rng=1).source("gold")
    wrong = LikertModel(make_family("uniform", [0, 1]), make_family("uniform", [0, 0.3]))
    names = ("means", "deviations")
    for model, ok in ((right, True), (wrong, False)):
        first, second = compare_with_data(model, data, moments, names, np.random.default_rng(1))
        assert (first.pvalue > 0.01) is ok
        assert (second.pvalue > 0.01) is ok


def test_a_fitted_model_is_said_with_the_digits_that_are_known():
    labels = fit(preset("categorical-dices").table(60, (5, 1, 1), rng=1), source="gold")
    rounded = ", ".join(number(one.estimate, one.standard_error) for one in labels.parameters)
    assert f"Dirichlet({rounded})" in str(labels)
    steps = fit(preset("likert-amazon").table(60, (5, 1, 1), rng=1), source="gold", mean="beta", sd="folded-normal")
    a, b, sd = (plainly(one.estimate, one.standard_error) for one in steps.parameters)
    assert f"latent means beta({a}, {b}), standard deviations folded-normal({sd}, 1)" in str(steps)
    assert str(preset("likert-amazon")).endswith("(0.552, 0.0321), standard deviations truncated-normal(0.318, 0.0183)")


def test_the_model_file_is_accepted_by_simulate(tmp_path):
    result = fit(preset("categorical-dices").table(50, (5, 1, 1), rng=1), source="gold")
    result.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == result.model
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["fit"]["method"] == "map"
    assert document["fit"]["parameters"][0].keys() == {"name", "estimate", "standard_error"}


def test_real_items_can_be_resampled_even_with_one_response_each():
    result = fit(table_of([[1], [2], [3]]), response_model="empirical")
    assert result.model.table(10, 1, rng=0).n_items == 10
    assert "real items are resampled" in str(result)


def test_few_responses_get_a_warning_that_is_also_a_note():
    rows = [[1, 2], [3, 3], [5, 4], [2, 2], [1, 1], [4, 5]]
    with pytest.warns(HowsureWarning, match="hardly determined") as caught:
        result = fit(table_of(rows), **QUICK)
    assert str(caught[0].message) in result.notes


def test_two_levels_say_that_single_parameters_mean_little():
    result = fit(preset("likert-multidomain").table(100, (5, 1, 1), rng=1), source="gold", **QUICK)
    assert any("trust what the model simulates" in note for note in result.notes)


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda: fit(table_of([[1], [2], [3]])), DataError, "every item has one response from human"),
        (
            lambda: fit(table_of([[1, 2], [2, 3]]), response_model="gauss"),
            ArgumentError,
            "`response_model` must be one of",
        ),
        (lambda: fit(table_of([[1, 2], [2, 3]]), mean="betta"), ArgumentError, "Did you mean 'beta'"),
        (lambda: fit(table_of([[1, 2], [2, 3]]), criterion="cic"), ArgumentError, "`criterion`"),
        (lambda: fit(table_of([[1, 2], [2, 3]], "continuous"), response_model="likert"), ArgumentError, "needs levels"),
        (lambda: fit(table_of([[1, 2], [2, 3]], "nominal"), response_model="normal"), ArgumentError, "needs numbers"),
        (lambda: fit(table_of([[0.1] * 3] * 3, "continuous")), DataError, "are equal"),
        (lambda: fit(table_of([[0.1], [0.9], [0.5, 0.4]], "continuous"), high=0.5), DataError, "between low and high"),
        (lambda: fit(preset("normal").table(5, 3, rng=0)), ArgumentError, "must name one of the sources: gold, A, B"),
        (lambda: fit(preset("normal").table(5, 3, rng=0), source="C"), DataError, "no source is called 'C'"),
    ],
)
@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_bad_input_gets_one_clear_line(act, error, message):
    with pytest.raises(error, match=message) as caught:
        act()
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not (SHARED / "data" / "dices350.csv").exists(), reason="shared data are not here")
def test_dices_alpha_is_within_a_standard_error_of_the_published_one():
    table = io.read(SHARED / "data" / "dices350.csv", item="item_id", value="value", sources={"human": "kind=human"})
    result = fit(table, source="human")
    published = np.array([5.22, 0.86, 2.75])
    estimates = np.array([parameter.estimate for parameter in result.parameters])
    errors = np.array([parameter.standard_error for parameter in result.parameters])
    assert (np.abs(estimates - published) < errors).all()
    # One Σα must serve a label that hardly varies between items and two that vary much.
    table_of_counts = counts(table.source("human"), table.scale)
    of_items = table_of_counts / table_of_counts.sum(axis=1, keepdims=True)
    mean = of_items.mean(axis=0)
    between = of_items.var(axis=0) - mean * (1 - mean) / 123
    assert (mean * (1 - mean) / between - 1).round(1).tolist() == [4.6, 105.9, 4.6]
    assert [feature.pvalue for feature in result.goodness] == [0.005, 0.005]
    # The published bias, .0231, is that of the published α on these very responses: it is the same data.
    shares = np.bincount(table.scale.codes(table.source("human").values)) / table.source("human").values.size
    assert np.abs(shares - published / published.sum()).mean() == pytest.approx(0.0231, abs=2e-4)


def test_very_many_items_are_fitted_by_a_random_part_and_say_so(monkeypatch):
    monkeypatch.setattr(number_fit, "MOST_KINDS", 300)
    monkeypatch.setattr(goodness, "MOST_CHECKED", 200)
    monkeypatch.setattr(goodness, "AT_ONCE", 10_000)
    pilot = preset("normal").table(1_000, 4, rng=5)
    found = fit(pilot, source="gold", mean="truncated-normal", sd="truncated-normal")
    assert found.n_items == 1_000
    assert "fitted to 300 items drawn at random from 1,000" in found.notes[0]
    assert found.goodness[0].real.size == 200
    assert found.goodness[0].simulated.size == 200 * goodness.REPLICATES
    monkeypatch.undo()
    whole = fit(pilot, source="gold", mean="truncated-normal", sd="truncated-normal")
    for part, all_items in zip(found.parameters, whole.parameters, strict=True):
        assert abs(part.estimate - all_items.estimate) < 4 * part.standard_error


def test_a_part_of_the_items_may_have_one_response_each():
    rng = np.random.default_rng(4)
    table = table_of([rng.normal(rng.normal(), 1.0, 2 if item < 2 else 1) for item in range(40)])
    with pytest.warns(HowsureWarning, match="Half of the items have 1 or fewer responses"):
        found = fit(table, **QUICK)
    assert all(np.isfinite(parameter.estimate) for parameter in found.parameters)


@pytest.mark.parametrize("nudge", [-1e-5, 0.0, 1e-5])
def test_the_last_digits_of_a_criterion_choose_no_family(nudge):
    """Other processors sum in another order: of equally good families the simpler one is taken, on all of them."""
    means, spreads = tuple(number_fit.MEANS), tuple(number_fit.SPREADS)
    tried = [
        (number_fit.Candidate(means[1], spreads[0], 0.0, 3, 100.0, 100.0 + nudge), None),
        (number_fit.Candidate(means[0], spreads[0], 0.0, 4, 100.0, 100.0), None),
        (number_fit.Candidate(means[0], spreads[1], 0.0, 4, 100.0, 100.0 - nudge), None),
        (number_fit.Candidate(means[1], spreads[1], 0.0, 2, 101.0, 101.0), None),
    ]
    for order in (tried, tried[::-1]):
        best = [(one.mean, one.sd) for one, _ in number_fit._best_first(order, "bic")]
        assert best == [(means[1], spreads[0]), (means[0], spreads[0]), (means[0], spreads[1]), (means[1], spreads[1])]


@pytest.mark.filterwarnings("error")
def test_kinks_leave_no_warning():
    """With few items beside a uniform family the curvature may be negative: no error, no root of a negative number."""
    result = fit(table_of([[(i * k) % 4 for k in (1, 2, 3)] for i in range(6)]), mean="beta", sd="uniform")
    assert np.isnan([parameter.standard_error for parameter in result.parameters[2:]]).all()
