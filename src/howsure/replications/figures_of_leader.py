"""LEADER, figures 1 to 4: the smallest errors of estimated p by metric, and the item parameters of Toxicity."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure._random import child
from howsure.models import LikertModel, preset
from howsure.replications import leader
from howsure.replications.expected_outcomes import SimulationSize
from howsure.replications.figures import Plot, Point
from howsure.replications.published import Measured, Setting

ITEMS = 1000
"""Items of the paper's sample."""


def _errors(table: int) -> Any:
    def points(measured: Sequence[Measured]) -> list[Point]:
        rows = [row for row in leader.rows(measured) if row.cell["table"] == table]
        recomputed = f"recomputed, median of {leader.N_DATA_SETS} data sets"
        found = []
        for row in rows:
            series, x = row.cell["metric"], row.cell["epsilon"]
            found.append(Point("printed", series, x, row.published))
            found.append(Point(recomputed, series, x, row.reproduced, row.beside["low"], row.beside["high"]))
        return found

    return points


def _histogram_settings(figure: int) -> Any:
    return lambda: [{"figure": figure}]


def _parameters(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return shares of items by their mean (figure 3) or standard deviation (4): as drawn, and from five responses."""
    model = preset("likert-toxicity")
    assert isinstance(model, LikertModel)
    stream = np.random.default_rng(child(simulation.seed, "items"))
    of_means = setting["figure"] == 3
    family = model.mean if of_means else model.sd
    drawn = family.draw((1, ITEMS), stream)[0]
    responses, _, _ = model.draw(1, ITEMS, n_responses=5, needs="values", rng=child(simulation.seed, "responses"))
    observed = responses[0].mean(axis=-1) if of_means else responses[0].std(axis=-1)
    edges = _edges(of_means)
    found: dict[str, float] = {}
    for name, values in (("drawn", drawn), ("responses", observed)):
        shares, _ = np.histogram(values, edges)
        found |= {f"{name} {i}": float(share / ITEMS) for i, share in enumerate(shares)}
        found |= {f"{name} mean": float(values.mean()), f"{name} sd": float(values.std(ddof=1))}
    return found


def _edges(of_means: bool) -> Any:
    return np.arange(-0.025, 0.85, 0.05) if of_means else np.arange(-0.0125, 0.51, 0.025)


SERIES = {"drawn": "as drawn", "responses": "of five simulated responses"}


def _histogram(measured: Sequence[Measured]) -> list[Point]:
    [(setting, values)] = measured
    edges = _edges(setting["figure"] == 3)
    found = []
    for name, said in SERIES.items():
        panel = f"{said}: mean {values[f'{name} mean']:.2f}, standard deviation {values[f'{name} sd']:.2f}"
        found += [
            Point(panel, said, round(float((edges[i] + edges[i + 1]) / 2), 6), values[f"{name} {i}"])
            for i in range(edges.size - 1)
        ]
    return found


_NO_DATA = "The left half of the figure shows the data set, which is not part of this package."
FIGURES = {
    1: Plot(
        title="smallest |estimated p − true p| by metric, simulated data", x="ε of B", y="smallest error",
        series="metric", settings=lambda: leader.settings(2), points=_errors(2),
        notes=("The figure draws table 2. The band holds 5 to 95% of data sets.",),
    ),
    2: Plot(
        title="smallest |estimated p − true p| by metric, toxicity data", x="ε of B", y="smallest error",
        series="metric", settings=lambda: leader.settings(4), points=_errors(4),
        notes=("The figure draws table 4. The band holds 5 to 95% of data sets.",),
    ),
    3: Plot(
        title="item means of Toxicity, a sample of 1,000 items", x="item mean", y="share of items", series="means",
        settings=_histogram_settings(3), measure=_parameters, points=_histogram, mark="bar",
        notes=(_NO_DATA, "The legend of the figure says mean .20 and standard deviation .16; the text, which the "
               "tables follow, draws |N(0, .28)| clamped to .8."),
    ),
    4: Plot(
        title="item standard deviations of Toxicity, a sample of 1,000 items", x="item standard deviation",
        y="share of items", series="standard deviations", settings=_histogram_settings(4), measure=_parameters,
        points=_histogram, mark="bar", notes=(_NO_DATA,),
    ),
}  # fmt: skip
WITHOUT_NUMBERS: dict[int, str] = {}
