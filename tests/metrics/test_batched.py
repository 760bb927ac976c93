"""A function written for one data set is called with many draws at once, and says what it says of each alone."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import Contest, FunctionMetric, _json
from howsure.comparison import compare
from howsure.metrics import function
from howsure.metrics.batched import Batched, call_together


def bare_float(gold, model):
    return float(np.mean(np.abs(gold - model)))


def of_floats(gold, model):
    of_gold, of_model = float(gold.std()), model.std().item()
    return 2 * of_gold * of_model / (of_gold**2 + of_model)


def centred_by_a_float(gold, model, *, scale=2.0):
    return np.mean((gold - float(model.mean())) ** 2 / scale)


def above_a_float(gold, model):
    return np.mean(gold > float(model.mean()))


def in_a_loop(gold, model):
    return sum(abs(x - y) for x, y in zip(gold, model, strict=True)) / len(gold)


def silenced(gold, model):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nanmean(np.where(gold > 9, gold / (gold - gold), model))


TOGETHER = {
    "mae": lambda gold, model: abs(gold - model).mean(),
    "bare float": bare_float,
    "of floats": of_floats,
    "centred": centred_by_a_float,
    "above": above_a_float,
    "loop": in_a_loop,
    "silenced": silenced,
    "median": lambda gold, model: np.median(np.abs(gold - model)),
    "rmse": lambda gold, model: np.sqrt(np.mean((gold - model) ** 2)),
    "root by power": lambda gold, model: ((gold - model) ** 2).mean() ** 0.5,
    "odd powers": lambda gold, model: (abs(gold) ** 1.3).mean() ** 1.7 + 1.1 ** model.mean() + (2**gold).sum(),
    "percentile": lambda gold, model: np.percentile(abs(gold - model), 90) - np.quantile(model, 0.3, method="lower"),
    "spread": lambda gold, model: (gold - model).std(ddof=1) / np.var(gold) + np.ptp(model),
    "share": lambda gold, model: np.mean((abs(gold - model) < 0.5) & (gold > 0) | ~(model > 0)),
    "cosine": lambda gold, model: np.dot(gold, model) / np.sqrt((gold @ gold) * model.dot(model)),
    "correlation": lambda gold, model: (
        np.sum((gold - gold.mean()) * (model - model.mean())) / (gold.std() * model.std() * gold.size)
    ),
    "determination": lambda gold, model: 1 - np.sum((gold - model) ** 2) / np.sum((gold - np.mean(gold)) ** 2),
    "ranks": lambda gold, model: np.mean((gold.argsort().argsort() - np.argsort(np.argsort(model))) ** 2),
    "sorted": lambda gold, model: abs(np.sort(gold) - np.sort(model)).max(),
    "trimmed": lambda gold, model: np.sort(abs(gold - model))[1:-1].mean() + model[0] - gold[-1],
    "clipped": lambda gold, model: np.clip(gold - model, -1, 1).round(2).sum() + model.clip(0, None).mean(),
    "weights": lambda gold, model: np.average(abs(gold - model), weights=abs(gold)) + np.average(model),
    "runs": lambda gold, model: np.cumsum(gold - model).max() - np.diff(model).min(),
    "curves": lambda gold, model: np.tanh(gold * model).mean() + np.exp(model.mean()) + np.log1p(gold**2).sum(),
    "logistic": lambda gold, model: np.logaddexp(0, -gold * model).mean() + np.cos(gold).min(),
    "kept axes": lambda gold, model: np.sum(abs(gold - model), keepdims=True)[0:1].sum(),
    "integers": lambda gold, model: (gold > model).sum() // 2 + np.argmax(gold) - (model > 0).astype(float).sum(),
}

RESPONSES = {
    "items first": lambda gold, model: np.abs(np.nanmean(gold, axis=1) - np.nanmean(model, axis=-1)).mean(),
    "responses first": lambda gold, model: (gold.mean(axis=0) - np.mean(model, 0)).std(),
    "all": lambda gold, model: (gold.sum() - model.sum()) / gold.shape[0] + np.median(gold),
    "columns": lambda gold, model: abs(gold[:, 0] - model[..., -1]).max() + (gold - gold.mean(axis=1)[:, None]).std(),
}


def same_bits(score, sides):
    together = call_together(score, [tuple(sides)])
    alone = np.array([float(score(*pair)) for pair in zip(*sides, strict=True)])
    assert together is not None
    assert np.array_equal(together, alone)


@settings(max_examples=10, deadline=None)
@given(n=st.integers(3, 300), n_draws=st.integers(2, 90), seed=st.integers(0, 999), levels=st.sampled_from([0, 5]))
@pytest.mark.parametrize("name", TOGETHER)
def test_draws_together_have_the_bits_of_each_alone(name, n, n_draws, seed, levels):
    rng = np.random.default_rng(seed)
    sides = rng.normal(size=(2, n_draws, n))
    if levels:
        sides = np.round(sides * levels) / levels
        sides[:, :, 0] += 0.1  # some spread is left
    same_bits(TOGETHER[name], sides)


@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 60), width=st.integers(1, 9), seed=st.integers(0, 999))
@pytest.mark.parametrize("name", RESPONSES)
def test_responses_together_have_the_bits_of_each_draw_alone(name, n, width, seed):
    same_bits(RESPONSES[name], np.random.default_rng(seed).normal(size=(2, 20, n, width)))


def branches(gold, model):
    return 1.0 if abs(gold - model).mean() > 1 else 0.0


def clamps(gold, model):
    return max(float(1 - abs(gold - model).mean()), 0.0)


def counts_truths(gold, model):
    return (float(gold.mean()) > 0) + (float(model.mean()) > 0)


def writes(gold, model):
    error = abs(gold - model)
    error[error > 1] = 1
    return error.mean()


def changes_in_place(gold, model):
    error = gold - model
    kept = error
    error -= 1
    return kept.mean()


def gives_up(gold, model):
    try:
        return float(np.asarray(gold).mean())
    except TypeError:
        return 0.0


ALONE = {
    "branches": branches,
    "clamps": clamps,
    "counts truths": counts_truths,
    "writes": writes,
    "changes in place": changes_in_place,
    "gives up": gives_up,
    "mask": lambda gold, model: model[gold > 0].sum(),
    "fancy": lambda gold, model: model[np.argsort(gold)][:3].mean(),
    "maximum": lambda gold, model: np.maximum(float(gold.mean()), 0.0) + np.clip(float(model.mean()), 0.0, None),
    "math": lambda gold, model: math.sqrt(abs(gold - model).mean()),
    "truth": lambda gold, model: bool((gold > 0).any()) * 0.5,
    "membership": lambda gold, model: float(0.0 in gold),
    "list": lambda gold, model: np.mean(gold.tolist()),
    "object": lambda gold, model: np.array([gold.mean(), model.mean()]).max(),
    "several": lambda gold, model: np.percentile(gold, [10, 90]).mean(),
    "unknown": lambda gold, model: np.corrcoef(gold, model)[0, 1],
    "reduced": lambda gold, model: np.add.reduce(gold) / 2,
    "out": lambda gold, model: np.abs(gold, out=np.empty(len(gold))).mean(),
    "matrix": lambda gold, model: (np.outer(gold, gold) @ model).mean(),
    "constant": lambda gold, model: 0.25,
}


@pytest.mark.parametrize("name", ALONE)
def test_a_function_that_needs_one_draw_at_a_time_is_called_draw_by_draw(name):
    sides = np.random.default_rng(2).normal(size=(2, 40, 30))
    expected = [float(ALONE[name](*pair)) for pair in zip(*sides.copy(), strict=True)]
    together = call_together(ALONE[name], [tuple(sides)])
    assert together is None or together.tolist() != expected
    assert FunctionMetric(ALONE[name], better="lower").score(*sides).tolist() == expected


@pytest.mark.parametrize("name", [*TOGETHER, *ALONE])
def test_a_comparison_does_not_show_how_its_draws_were_scored(name, monkeypatch):
    score = {**TOGETHER, **ALONE}[name]
    contest = Contest.from_arrays(*np.random.default_rng(4).normal(size=(3, 25)))
    metric = FunctionMetric(score, better="lower", name="own")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(contest, metric=metric, n_resamples=99, rng=0)
        monkeypatch.setattr(function, "TOGETHER", 1)
        expected = compare(contest, metric=metric, n_resamples=99, rng=0)
    assert _json.dumps(found.to_dict()) == _json.dumps(expected.to_dict())
    assert np.array_equal(found.draws, expected.draws, equal_nan=True)


def test_a_function_of_numpy_is_called_a_few_times_only():
    shapes = []

    def error(gold, model):
        shapes.append((type(gold), gold.shape))
        return abs(gold - model).mean()

    sides = np.random.default_rng(0).normal(size=(2, 300, 20))
    found = FunctionMetric(error, better="lower").score(*sides)
    assert found.tolist() == abs(sides[0] - sides[1]).mean(axis=1).tolist()
    assert shapes == [(np.ndarray, (20,))] * function.CHECKED + [(Batched, (20,))]


def test_what_numpy_warns_of_in_a_draw_is_warned_of_in_the_name_of_the_function():
    sides = np.random.default_rng(0).normal(size=(2, 30, 5))
    sides[1, 20] = 0  # one draw has no spread
    metric = FunctionMetric(lambda gold, model: gold.std() / model.std(), better="lower")
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        found = metric.score(*sides)
    assert [each.filename for each in caught] == [__file__]
    assert np.isinf(found[20])
    assert np.isfinite(np.delete(found, 20)).all()


def test_an_exception_in_one_draw_is_the_function_s_own():
    def ratio(gold, model):
        with np.errstate(all="ignore"):
            return float(gold.sum()) / float(model.sum())

    sides = np.random.default_rng(0).normal(size=(2, 30, 5))
    assert np.isfinite(FunctionMetric(ratio, better="lower").score(*sides)).all()
    sides[1, 20] = 0
    with pytest.raises(ZeroDivisionError):
        FunctionMetric(ratio, better="lower").score(*sides)
    with pytest.raises(KeyError, match="nothing"):
        FunctionMetric(lambda gold, model: {}["nothing"], better="lower").score(*sides)


def test_a_function_that_counts_its_calls_is_called_draw_by_draw_in_order():
    calls = []

    def counting(gold, model):
        calls.append(0)
        return gold.mean() + len(calls)

    sides = np.zeros((2, 40, 5))
    found = FunctionMetric(counting, better="lower").score(*sides)
    first = [*range(1, function.CHECKED + 1)]
    assert found.tolist() == [*first, *range(function.CHECKED + 2, 42)]  # one call tried all draws


def test_draws_of_several_axes_are_scored():
    gold, model = np.random.default_rng(0).normal(size=(2, 3, 20, 7))
    metric = FunctionMetric(bare_float, better="lower")
    assert np.array_equal(metric.score(gold, model), abs(gold - model).mean(axis=2))
    assert np.array_equal(metric.score(gold[0, 0], model), abs(gold[0, 0] - model).mean(axis=2))
    assert metric.score(gold[:, :0], model[:, :0]).shape == (3, 0)
