"""Designs as cells of a study: the same answers as without one, and one set of simulated items for each setting."""

import math

from assay.planning import Answerer, Design, ask, cell
from assay.planning.cell import NUMBERS, measure
from assay.sweeps import run


def plain_question(**options):
    given = {"metrics": ["mae", "wins"], "epsilon": 0.3, "precision": 0.05, "rng": 5, "workers": 1, **options}
    return ask("normal", **given)


DESIGNS = [Design.of(n, k) for k in (2, 5) for n in (10, 40, 90)]


def test_designs_with_the_same_responses_are_one_cell():
    question = plain_question()
    sweep = run(cell.measure, cell.grid(question, DESIGNS), rng=1)
    assert len(sweep.rows) == 2
    found = cell.cells(question, sweep)
    assert [(each.design, each.metric) for each in found] == [
        (design, metric) for design in DESIGNS for metric in ("mae", "wins")
    ]
    answerer = Answerer(question)
    answerer.prepare(DESIGNS)
    for each, other in zip(found, [one for design in DESIGNS for one in answerer.cells(design)], strict=True):
        error = math.hypot(each.expected_pvalue_error, other.expected_pvalue_error)
        assert abs(each.expected_pvalue - other.expected_pvalue) < 4 * error
        assert each.engine == other.engine == "exact"
        assert each.cost == other.cost


def test_what_is_simulated_study_by_study_is_a_cell_for_each_design():
    question = plain_question(metrics=["rmse"], test=None, engine="monte-carlo", n_simulations=20)
    sweep = run(cell.measure, cell.grid(question, DESIGNS[:2]), rng=1)
    assert len(sweep.rows) == 2
    assert [each.engine for each in cell.cells(question, sweep)] == ["monte-carlo"] * 2


def test_a_cell_of_one_design_and_metric_has_plain_names():
    given = {"model": "normal", "metric": "mae", "n_items": 20, "n_responses": 3, "epsilon": 0.3, "test": None}
    import numpy as np

    assert tuple(measure(given, np.random.default_rng(0))) == NUMBERS
