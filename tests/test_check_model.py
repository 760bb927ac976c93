"""`check_model` passes every model of the package, and says which law a broken one breaks."""

from dataclasses import dataclass

import numpy as np
import pytest

from howsure import Contest
from howsure.models import PRESETS, CategoricalModel, EmpiricalModel, LikertModel, NormalModel
from howsure.models.answers import NormalAnswers
from howsure.models.families import Uniform
from howsure.testing import check_model

REAL = Contest.from_arrays([[1, 2, 2], [3, 3, 4], [2, 5, 5]], [[1, 1], [3, 4], [4, 5]], [[5, 4], [1, 2], [2, 2]])
MODELS = PRESETS | {
    "clipped": NormalModel(Uniform(0, 1), Uniform(0, 0.3), low=1, high=5, clip=True),
    "real items": EmpiricalModel(REAL.gold, REAL.scale),
    "a pilot": EmpiricalModel.of(REAL),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_package_keeps_the_contract(name):
    check_model(MODELS[name])


class _Crossed(NormalAnswers):
    def summary(self, needs, n_responses, generator, other=None):
        found = super().summary(needs, n_responses, generator, other)
        return found + 0.3 if needs == "means" else found


@dataclass(frozen=True)
class OtherMeans(NormalModel):
    def items(self, shape, generator):
        gold = super().items(shape, generator)
        return _Crossed(gold.mean, gold.sd)


@dataclass(frozen=True)
class Beside(LikertModel):
    def draw(self, *sizes, **how):
        return tuple(found + (0.05 if how.get("needs") == "values" else 0) for found in super().draw(*sizes, **how))


@dataclass(frozen=True)
class Frozen(NormalModel):
    def draw(self, *sizes, **how):
        return tuple(np.broadcast_to(found[:1], found.shape) for found in super().draw(*sizes, **how))


@dataclass(frozen=True)
class Unwritten(CategoricalModel):
    def to_dict(self):
        return {"kind": "unwritten", "draw": lambda: 3}


@dataclass(frozen=True)
class Blind(CategoricalModel):
    def draw(self, *sizes, epsilon=0.0, **how):
        return super().draw(*sizes, epsilon=(0.6, 0.1) if epsilon else 0.0, **how)


SPREAD = (Uniform(0, 1), Uniform(0, 0.3))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("normal", "str: it is not a ResponseModel"),
        (OtherMeans(*SPREAD), "OtherMeans: means and single responses of gold are distributed differently"),
        (Beside(*SPREAD), "Beside: gold answers beside the scale"),
        (Frozen(*SPREAD), "Frozen: all data sets of gold are the same"),
        (Unwritten((1.0, 2.0)), "Unwritten: `to_dict` gives what JSON cannot hold"),
        (Blind((1.0, 2.0)), "Blind: B is not further from gold than A where it is perturbed"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_a_model_that_breaks_the_contract_is_told(model, said):
    with pytest.raises(AssertionError) as caught:
        check_model(model)
    assert said in str(caught.value)
