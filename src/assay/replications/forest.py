"""FOREST: p, effect and width of the interval for categorical data (tables 2 and 3)."""

from dataclasses import replace
from typing import Any

from assay.metrics import resolve
from assay.models import CategoricalModel
from assay.replications.outcomes import Outcome, Simulation
from assay.replications.results import Row, error_of_difference, figures, groups

CONVENTION = (
    "fresh items in every simulated data set, N = ⌊NK/K⌋, total variation divided by the number of labels, "
    "interval = basic interval of the alternative draws; printed K is the best of many, so printed p is biased "
    "low; the effects printed in table 3 belong to other rows and are not compared."
)


def rows(simulation: Simulation, table: int | None = None) -> list[Row]:
    """Recompute tables 2 and 3, or one of them."""
    found = []
    for number in (2, 3):
        if table in (None, number):
            found += _table(simulation, number)
    return found


def _table(simulation: Simulation, number: int) -> list[Row]:
    found = []
    for (dataset, budget, n_responses), cells in groups(figures(f"forest_table{number}.json"), "dataset", "NK", "K"):
        model = CategoricalModel(tuple(cells[0]["alpha"]))
        metrics = [resolve(cell["metric"]).on(model.scale) for cell in cells]
        n_items = int(budget // n_responses)
        larger = replace(simulation, n_simulations=simulation.n_simulations * _more(n_items))
        outcomes = larger.outcomes(
            model, metrics, n_items=n_items, n_responses=int(n_responses), epsilon=cells[0]["epsilon"],
            name=(dataset, number),
        )  # fmt: skip
        for cell, outcome in zip(cells, outcomes, strict=True):
            found += _rows_of(cell, outcome, number, larger.n_simulations)
    return found


def _more(n_items: int) -> int:
    """Return how many times as many data sets a design gets: small ones are cheap, and their tails heavy."""
    return max(1, min(20, 100 // n_items))


def _rows_of(cell: dict[str, Any], outcome: Outcome, number: int, n_simulations: int) -> list[Row]:
    identity = {"table": number, **{key: cell[key] for key in ("dataset", "metric", "epsilon", "NK", "K")}}
    labels = len(cell["alpha"]) if cell["metric"] == "tv" else 1
    if number == 3:
        error = error_of_difference(outcome.ci_width_error / labels, n_simulations)
        return [Row(identity, "ci_width", cell["ci_width"], outcome.ci_width / labels, error)]
    p_error = error_of_difference(outcome.p_error, n_simulations)
    effect_error = error_of_difference(outcome.effect_error / labels, n_simulations)
    return [
        Row(identity, "p", cell["p"], outcome.p, p_error),
        Row(identity, "effect", cell["effect"], outcome.effect / labels, effect_error),
    ]


def work(n_simulations: int, table: int | None = None) -> int:
    """Return how many data sets are simulated in all."""
    numbers = [number for number in (2, 3) if table in (None, number)]
    designs = [
        int(budget // n_responses)
        for number in numbers
        for (_, budget, n_responses), _ in groups(figures(f"forest_table{number}.json"), "dataset", "NK", "K")
    ]
    return 2 * n_simulations * sum(_more(n_items) for n_items in designs)
