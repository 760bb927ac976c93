"""A fitted model smoothed towards the items that were seen."""

import numpy as np
import pytest

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError
from howsure.models import CategoricalModel, SmoothedModel, fit, from_dict, preset

SCALE = Scale("nominal", (0.0, 1.0, 2.0), ("a", "b", "c"), "made up")


def two_kinds_of_items(n_items, k, rng):
    """Items on which most say a, and items on which most say c; one in sixteen says b on either: no Dirichlet."""
    often = np.where(rng.random(n_items) < 0.7, 0.85, 0.2)
    shares = np.stack([often * 15 / 16, np.full(n_items, 1 / 16), (1 - often) * 15 / 16], axis=1)
    counts = np.stack([rng.multinomial(k, share) for share in shares])
    values = np.concatenate([np.repeat([0.0, 1.0, 2.0], row) for row in counts])
    return Responses.from_grid(values.reshape(n_items, k)), shares


def variances(model):
    return model.items((1, 20_000), np.random.default_rng(0)).shares[0].var(axis=0)


def test_labels_differ_between_items_as_much_as_they_really_do():
    gold, _ = two_kinds_of_items(200, 6, np.random.default_rng(1))
    _, shares = two_kinds_of_items(20_000, 1, np.random.default_rng(2))
    table = ResponseTable(np.arange(200).astype(str), {"gold": gold}, SCALE)
    fitted = fit(table, source="gold", rng=0).model
    smoothed = SmoothedModel.of(fitted, gold)
    real = shares.var(axis=0)
    off, was_off = (np.abs(variances(model) - real) for model in (smoothed, fitted))
    assert (off < was_off).all()
    assert off[0] < was_off[0] / 2


def test_it_is_more_likely_than_the_fitted_model():
    gold, _ = two_kinds_of_items(60, 5, np.random.default_rng(3))
    fitted = CategoricalModel((3.0, 0.5, 1.5))
    smoothed = SmoothedModel.of(fitted, gold)

    def log_likelihood(model):
        shares = model.items((1, 20_000), np.random.default_rng(0)).shares[0]
        return np.log(np.exp(np.array(smoothed.seen) @ np.log(np.maximum(shares, 1e-300)).T).mean(axis=1)).sum()

    assert log_likelihood(smoothed) > log_likelihood(fitted) + 1


@pytest.mark.parametrize("name", ["categorical-dices", "likert-toxicity"])
def test_it_is_a_model_like_any_other_and_reads_back(name):
    fitted = preset(name)
    gold = fitted.table(30, 4, rng=0).sources["gold"]
    model = SmoothedModel.of(fitted, gold)
    assert model.table(20, 3, epsilon=0.3, rng=0).n_items == 20
    again = from_dict(model.to_dict())
    for left, right in zip(*(one.draw(1, 50, epsilon=0.3, rng=1) for one in (model, again)), strict=True):
        np.testing.assert_array_equal(left, right)
    assert "smoothed towards 30 real items" in str(model)


def test_only_levels_can_be_counted():
    with pytest.raises(ArgumentError, match="scale with categories"):
        SmoothedModel(preset("normal"), ((1.0, 2.0),))
    with pytest.raises(ArgumentError, match="one row of counts"):
        SmoothedModel(preset("categorical-dices"), ((1.0, 2.0),))
