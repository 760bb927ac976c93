"""Simulated data: the short way (means, counts) and the long way (every response) have the same distribution."""

import json

import numpy as np
import pytest
from scipy import stats

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError
from howsure.models import (
    PERTURBATIONS,
    PRESETS,
    CategoricalModel,
    EmpiricalModel,
    LikertModel,
    NormalModel,
    load,
    make_family,
    preset,
    resolve,
    save,
)
from howsure.models.answers import coins
from howsure.models.simulation import derive

LEVELS = ("likert-toxicity", "likert-multidomain", "categorical-dices")
RNG = np.random.default_rng


def real_model(kind="continuous"):
    rng = RNG(3)
    values = rng.integers(1, 6, 400).astype(float) if kind == "ordinal" else rng.normal(50, 20, 400)
    return EmpiricalModel(Responses(values, np.arange(0, 401, 4)), Scale.of(values, kind=kind))


def same_distribution(left, right):
    # Sums in another order differ in their last bits, which a test for equal distributions must not see.
    left, right = (np.round(side.ravel(), 9) for side in (left, right))
    return stats.ks_2samp(left, right, method="asymp").pvalue > 1e-5


@pytest.mark.parametrize("n_responses", [3, 20, 40])
@pytest.mark.parametrize("null", [False, True], ids=["alternative", "null"])
@pytest.mark.parametrize("name", ["normal", *LEVELS])
def test_summaries_have_the_distribution_of_full_responses(name, null, n_responses):
    model = preset(name)
    options = {"n_responses": n_responses, "epsilon": 0.3, "null": null}
    responses = model.draw(20, 500, needs="values", rng=RNG(2), **options)
    for needs in ("means", "counts") if model.scale.levels else ("means",):
        short = model.draw(20, 500, needs=needs, rng=RNG(1), **options)
        long = [derive(part, "values", needs, model.scale) for part in responses]
        if needs == "counts":
            # Compare what metrics look at: each level's count, and how A and B differ from gold.
            short, long = ([*parts, np.abs(parts[2] - parts[0])] for parts in (short, long))
            for left, right in zip(short, long, strict=True):
                for level in range(left.shape[-1]):
                    assert same_distribution(left[..., level], right[..., level])
            continue
        pairs = [*zip(short, long, strict=True)]
        pairs += [(np.abs(short[i] - short[0]), np.abs(long[i] - long[0])) for i in (1, 2)]
        pairs += [
            (
                np.abs(short[2] - short[0]) - np.abs(short[1] - short[0]),
                np.abs(long[2] - long[0]) - np.abs(long[1] - long[0]),
            )
        ]
        for left, right in pairs:
            assert same_distribution(left, right)


@pytest.mark.parametrize("perturbation", ["noise", "guessing", "split", "mixing"])
@pytest.mark.parametrize("null", [False, True], ids=["alternative", "null"])
@pytest.mark.parametrize("name", ["normal", "likert-toxicity", "categorical-dices"])
def test_summaries_follow_full_responses_under_every_perturbation(name, null, perturbation):
    model = preset(name)
    if name == "normal" and perturbation == "mixing":
        pytest.skip("continuous responses have no shares")
    options = {"n_responses": 6, "epsilon": 0.4, "perturbation": perturbation, "null": null}
    short = model.draw(20, 500, needs="means", rng=RNG(4), **options)
    long = [part.mean(axis=-1) for part in model.draw(20, 500, needs="values", rng=RNG(5), **options)]
    for left, right in zip(short, long, strict=True):
        assert same_distribution(left, right)
    assert same_distribution(short[2] - short[0], long[2] - long[0])


@pytest.mark.parametrize("k", [1, 5, 8, 9, 63, 64, 65, 100, 600, 2000])
def test_coins_are_binomial(k):
    n = 40_000
    drawn = coins(k, (4, n // 4), RNG(6)).ravel()
    for threshold in {0, k // 3, k // 2, k}:
        low, high = stats.binom.ppf([5e-6, 1 - 5e-6], n, stats.binom.cdf(threshold, k, 0.5))
        assert low <= (drawn <= threshold).sum() <= high


def test_a_likert_mean_without_spread_on_a_cut_belongs_to_the_upper_bin():
    model = LikertModel(make_family("constant", [0.8]), make_family("constant", [0.0]))
    for needs, k in (("counts", 3), ("counts", 300)):
        assert model.draw(1, 2, n_responses=k, needs=needs, rng=0)[0].tolist() == [[[0, 0, 0, 0, k]] * 2]
    assert model.draw(1, 2, n_responses=3, needs="values", rng=0)[0].tolist() == [[[0.8] * 3] * 2]


@pytest.mark.parametrize("name", PRESETS)
def test_a_is_ideal_and_b_is_worse(name):
    model = preset(name)
    strength = 0.5 if "likert" in name or name == "normal" else 0.3
    gold, a, b = model.draw(
        40, 500, n_responses=20, epsilon=strength, needs="counts" if model.scale.levels else "means", rng=7
    )
    if model.scale.levels:
        gold, a, b = (part / 20 for part in (gold, a, b))
        error_a, error_b = (np.abs(part - gold).sum(axis=(-1, -2)) for part in (a, b))
    else:
        error_a, error_b = (np.abs(part - gold).sum(axis=-1) for part in (a, b))
    assert (error_b > error_a).sum() >= stats.binom.ppf(1 - 1e-6, 40, 0.5)


@pytest.mark.parametrize("name", ["normal", "likert-toxicity", "categorical-dices"])
def test_split_errors_never_meet_and_leave_both_models_equally_good(name):
    model = preset(name)
    gold, a, b = model.sources((400, 50), RNG(8), epsilon=0.5, perturbation="split")
    parameter = "probabilities" if name.startswith("categorical") else "mean"
    at_gold, at_a, at_b = (getattr(source, parameter) for source in (gold, a, b))
    right_a, right_b = (side == at_gold for side in (at_a, at_b))
    if parameter == "probabilities":
        right_a, right_b = right_a.all(axis=-1), right_b.all(axis=-1)
    assert (right_a ^ right_b).all()
    low, high = stats.binom.ppf([5e-6, 1 - 5e-6], right_a.size, 0.5)
    assert low <= (~right_a).sum() <= high
    errors = [np.abs(side - at_gold).reshape(400, -1).sum(axis=-1) for side in (at_a, at_b)]
    low, high = stats.binom.ppf([5e-6, 1 - 5e-6], 400, 0.5)
    assert low <= (errors[0] > errors[1]).sum() <= high


def test_guessing_touches_the_asked_share_of_items():
    gold, a, b = preset("normal").sources((20, 1000), RNG(9), epsilon=(0.0, 0.2), perturbation="guessing")
    assert a is gold
    low, high = stats.binom.ppf([5e-6, 1 - 5e-6], 20_000, 0.2)
    assert low <= (b.mean != gold.mean).sum() <= high


def test_both_models_can_be_perturbed_and_sizes_may_differ():
    gold, a, b = preset("normal").draw(3, 7, n_responses=(5, 1, 2), epsilon=(0.3, 0.1), needs="values", rng=0)
    assert (gold.shape, a.shape, b.shape) == ((3, 7, 5), (3, 7, 1), (3, 7, 2))


def test_clipped_responses_stay_within_the_bounds_and_scaled_ones_follow_them():
    families = make_family("uniform", [0, 1]), make_family("uniform", [0, 0.3])
    clipped = NormalModel(*families, low=0, high=100, clip=True)
    values = clipped.draw(2, 500, needs="values", rng=0)[0]
    assert values.min() == 0
    assert values.max() == 100
    unclipped = NormalModel(*families).draw(2, 500, needs="values", rng=0)[0]
    np.testing.assert_allclose(np.clip(unclipped, 0, 1) * 100, values)


@pytest.mark.parametrize("kind", ["continuous", "ordinal"])
def test_an_empirical_model_repeats_real_items(kind):
    model = real_model(kind)
    table = model.table(200, 4, rng=1)
    grid = table.source("gold").values.reshape(200, 4)
    rows = [set(row) for row in model.gold.values.reshape(100, 4)]
    assert all(any(set(drawn) <= row for row in rows) for drawn in grid)
    shifted = model.draw(1, 50, epsilon=0.2, needs="values" if kind == "continuous" else "counts", rng=1)
    assert shifted[2].shape[:2] == (1, 50)


def test_an_empirical_contest_keeps_the_models_answers():
    contest = Contest.from_arrays(np.zeros((5, 2)), np.ones((5, 3)), np.full((5, 1), 2.0))
    model = EmpiricalModel.of(contest)
    gold, a, b = model.draw(1, 10, needs="values", rng=0)
    assert (gold == 0).all()
    assert (a == 1).all()
    assert (b == 2).all()
    with pytest.raises(ArgumentError, match="leave `epsilon`"):
        model.draw(1, 10, epsilon=0.1)


def test_a_table_is_a_contest_with_every_response():
    table = preset("categorical-dices").table(30, (5, 2, 2), epsilon=0.3, rng=0)
    contest = table.contest(gold="gold", a="A", b="B")
    assert contest.n_responses == {"gold": 5, "a": 2, "b": 2}
    assert contest.scale.kind == "nominal"
    again = preset("categorical-dices").table(30, (5, 2, 2), epsilon=0.3, rng=0)
    assert again.contest(gold="gold", a="A", b="B").digest == contest.digest


@pytest.mark.parametrize("model", [*PRESETS.values(), real_model("continuous"), real_model("ordinal")], ids=str)
def test_models_survive_the_way_to_a_file_and_back(model, tmp_path):
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    for left, right in zip(model.draw(1, 20, rng=0), again.draw(1, 20, rng=0), strict=True):
        np.testing.assert_array_equal(left, right)
    assert resolve(tmp_path / "model.json").to_dict().keys() == model.to_dict().keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a JSON file"),
        ("[]", "not a model file"),
        ('{"howsure_model": 99, "model": {}}', "newer howsure .model format 99"),
        ('{"howsure_model": 1, "model": {"kind": "gamma"}}', "`model.kind` must be one of"),
        (
            '{"howsure_model": 1, "model": {"kind": "categorical", "alpha": [1, 0], "labels": []}}',
            "`model.alpha` must be between",
        ),
        ('{"howsure_model": 1, "model": {"kind": "likert"}}', "not a valid model"),
        ('{"howsure_model": 1}', "not a valid model"),
    ],
)
def test_bad_model_files_get_one_clear_line(text, message, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        load(path)


def test_a_model_file_says_its_version_first(tmp_path):
    save(preset("normal"), tmp_path / "model.json")
    assert next(iter(json.loads((tmp_path / "model.json").read_text()).items())) == ("howsure_model", 1)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: preset("likert-toxicty"), "Did you mean 'likert-toxicity'"),
        (lambda: CategoricalModel((1.0, 0.0)), "above 0"),
        (lambda: CategoricalModel((1.0,)), "at least two"),
        (lambda: LikertModel(make_family("uniform", [0, 1]), make_family("uniform", [0, 1]), (1.0,)), "at least two"),
        (lambda: NormalModel(make_family("uniform", [0, 1]), make_family("uniform", [-0.1, 1])), "not be negative"),
        (lambda: NormalModel(make_family("uniform", [0, 1]), make_family("constant", [-1])), "not be negative"),
        (lambda: preset("normal").draw(1, 5, epsilon=1.5), "`epsilon` must be between 0 and 1; got 1.5"),
        (lambda: preset("normal").draw(1, 5, epsilon=-0.1), "`epsilon` must be between 0 and 1"),
        (lambda: preset("normal").draw(1, 5, epsilon=float("nan")), "`epsilon` must be a finite number"),
        (lambda: preset("normal").draw(1, 5, epsilon=0.1, perturbation="mixing"), "use 'shift'"),
        (lambda: preset("categorical-dices").draw(1, 5, epsilon=0.1, perturbation="shift"), "use 'mixing'"),
        (lambda: preset("normal").draw(1, 5, perturbation="shfit"), "Did you mean 'shift'"),
        (lambda: preset("normal").draw(1, 5, n_responses=0), "`n_responses` must be a whole number of at least 1"),
        (lambda: preset("normal").draw(1, 5, n_responses=(1, 2)), "three for gold, A and B"),
        (lambda: preset("normal").draw(1, 0), "`n_items`"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_clear_line(act, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_every_perturbation_of_zero_strength_changes_nothing():
    for name in ("normal", "likert-toxicity", "categorical-dices"):
        for kind in PERTURBATIONS:
            gold, a, b = preset(name).sources((2, 5), RNG(0), epsilon=0.0, perturbation=kind)
            assert same_answers(gold, a)
            assert same_answers(gold, b)


def same_answers(left, right):
    if left is right:
        return True
    fields = ("probabilities",) if hasattr(left, "probabilities") else ("mean", "sd")
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in fields)
