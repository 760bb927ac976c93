"""FOREST: bias of the fits (table 1); p, effect and width of the interval for categorical data (tables 2 and 3)."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from howsure._random import child
from howsure.models import CategoricalModel, preset
from howsure.models.fitting.dirichlet import fit_dirichlet
from howsure.replications.expected_outcomes import SimulationSize
from howsure.replications.legacy import published_metric
from howsure.replications.published import Measured, PublishedNumber, Setting, figures, lookup

CONVENTION = (
    "fresh items in every simulated data set, N = ⌊NK/K⌋, the first of tied labels wins a vote, "
    "total variation divided by the number of labels, "
    "interval = basic interval of the alternative simulations; printed K is the best of many, so printed p is biased "
    "low; the effects printed in table 3 belong to other rows and are not compared."
)
METRICS = {"accuracy": "accuracy-first-label-legacy", "tv": "tv-sum-legacy"}
SETTING = ("table", "dataset", "metric")
FITS = 3
"""Data sets that are simulated and fitted again for table 1."""
QUANTITIES = {2: ("p", "effect"), 3: ("ci_width",)}


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what tells the rows of the tables, or of one, apart."""
    found = [{"table": 1, "dataset": row["dataset"]} for row in figures("forest_table1.json") if table in (None, 1)]
    return found + [{name: row[name] for name in SETTING} for row in published() if table in (None, row["table"])]


def measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Recompute one row: p and effect, or the width of the interval."""
    if setting.get("table") == 1:
        return _bias(
            lookup(figures("forest_table1.json"), {"dataset": setting.get("dataset")}, ("dataset",)), simulation
        )
    row = lookup(published(), setting, SETTING)
    model = CategoricalModel(tuple(row["alpha"]))
    n_items = int(row["NK"] // row["K"])
    metric = published_metric(METRICS.get(row["metric"], row["metric"]))
    [outcome] = simulation.times(_more(n_items)).outcomes(
        model,
        [metric.on(model.scale)],
        n_items=n_items,
        n_responses=int(row["K"]),
        epsilon=row["epsilon"],
    )
    found = outcome.numbers(*QUANTITIES[row["table"]])
    labels = len(row["alpha"]) if row["metric"] == "tv" else 1
    return {name: number if name.startswith("p") else number / labels for name, number in found.items()}


def _more(n_items: int) -> int:
    """Return how many times as many data sets a design gets: small ones are cheap, and their tails heavy."""
    return max(1, min(20, 100 // n_items))


def rows(measured: Sequence[Measured]) -> list[PublishedNumber]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        if setting["table"] == 1:
            found.append(_bias_row(setting["dataset"], values))
            continue
        row = lookup(published(), setting, SETTING)
        identity = {key: row[key] for key in ("table", "dataset", "metric", "epsilon", "NK", "K")}
        found += [
            PublishedNumber(
                identity,
                name,
                row[name],
                values[name],
                values[f"{name}_error"],
                is_bound=name == "p" and bool(values["p_is_bound"]),
            )
            for name in QUANTITIES[row["table"]]
        ]
    return found


def notes(tables: Collection[int]) -> tuple[str, ...]:
    """Return what a reader of these tables must know."""
    said = []
    if 1 in tables:
        said.append(
            "Table 1 compares the shares of labels in a data set with those of the printed α. The shares are known "
            "here for DICES-350, which is public; the other data sets are not part of this package. “mab of a right "
            "fit” is the value of a fit to data of the printed size simulated from the printed α. It is far below the "
            "printed numbers, so these show a misfit and not sampling noise. The paper does not print how many "
            "responses an item of D3code has."
        )
    if 3 in tables:
        said.append("The printed effects of table 3 belong to other rows, so they are not compared.")
    if {2, 3} & {*tables}:
        said.append(
            "The paper counts null simulations that exceed a simulation (>); ties count here (≥), as the printed "
            "p-values need."
        )
    return tuple(said)


def tables() -> set[int]:
    """Return the numbers of the tables."""
    return {1, *QUANTITIES}


def _bias(row: dict[str, Any], simulation: SimulationSize) -> dict[str, float]:
    """Return the mean absolute bias of the printed α, and of our own fits to data simulated from it."""
    model = preset(f"categorical-{row['dataset'].lower()}")
    assert isinstance(model, CategoricalModel)
    expected = np.array(model.alpha) / sum(model.alpha)
    found = {"mab": math.nan, "mab_of_a_right_fit": math.nan}
    if "shares" in row:
        found["mab"] = float(np.abs(np.array(row["shares"]) - expected).mean())
    if row["responses"]:
        biases = []
        for number in range(min(FITS, simulation.n_simulations // 100 + 1)):
            counts, _, _ = model.draw(
                1,
                row["items"],
                n_responses=(row["responses"], 1, 1),
                needs="counts",
                rng=child(simulation.seed, number),
            )
            biases.append(fit_dirichlet(counts[0]).mean_absolute_bias)
        found["mab_of_a_right_fit"] = float(np.mean(biases))
    return found


def _bias_row(dataset: str, values: Mapping[str, float]) -> PublishedNumber:
    [row] = [row for row in figures("forest_table1.json") if row["dataset"] == dataset]
    beside = {"mab_of_a_right_fit": values["mab_of_a_right_fit"]}
    # α is printed with two decimals, and the bias with four.
    return PublishedNumber({"table": 1, "dataset": dataset}, "mab", row["mab"], values["mab"], 0.0, beside)


def published() -> list[dict[str, Any]]:
    """Return the printed rows."""
    return [{"table": table, **row} for table in QUANTITIES for row in figures(f"forest_table{table}.json")]
