"""Groups of designs: the same numbers inline, from a store and on a cluster, from one set of simulated items."""

import pytest

from howsure.planning import Design, plan
from howsure.planning.groups import cells_from, grid_of, measure
from howsure.sweeps import run


def elsewhere(groups):
    """Compute groups as the cells of a study, as `howsure plan --store` does."""
    sweep = run(measure, grid_of(groups), rng=99)  # the study's own seed plays no part
    return [
        cells_from(scenario, shape, row.values) for (scenario, shape, _), row in zip(groups, sweep.rows, strict=True)
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["mae", "wins"], "n_items": [10, 40], "n_responses": [2, 5], "test": ["sign-flip", "paired-t"]},
        {"metrics": ["mae"], "target_power": 0.8, "n_responses": [5], "test": "paired-t"},
        {"metrics": ["mae"], "target_p": 0.05, "budget": 300, "n_responses": [2, 5]},
        {"metrics": ["rmse"], "n_items": [20], "n_responses": [3], "test": None, "n_simulations": 50},
        {"metrics": ["rating"], "n_items": [20], "n_responses": [3]},
    ],
)
def test_a_plan_from_a_store_is_the_plan(options):
    asked = {"epsilon": 0.3, "precision": 0.1, "rng": 1, "workers": 1, **options}
    assert plan("normal", compute=elsewhere, **asked).to_dict() == plan("normal", **asked).to_dict()


def test_designs_with_the_same_responses_are_one_group():
    seen = []

    def counted(groups):
        seen.extend(groups)
        return elsewhere(groups)

    plan("normal", metrics=["mae"], epsilon=0.3, n_items=[10, 40, 90], n_responses=[2, 5], precision=0.05, rng=5,
         compute=counted)  # fmt: skip
    assert [(shape, wanted.n_items) for _, shape, wanted in seen] == [
        (Design(1, k, 5, 5), (10, 40, 90)) for k in (2, 5)
    ]
