"""FOREST: p, effect and width of the interval for categorical data (tables 2 and 3)."""

from collections.abc import Sequence
from typing import Any

from assay.models import CategoricalModel
from assay.replications.legacy import published_metric
from assay.replications.outcomes import Simulation
from assay.replications.published import Measured, Row, Setting, figures, lookup

CONVENTION = (
    "fresh items in every simulated data set, N = ⌊NK/K⌋, the first of tied labels wins a vote, "
    "total variation divided by the number of labels, "
    "interval = basic interval of the alternative draws; printed K is the best of many, so printed p is biased "
    "low; the effects printed in table 3 belong to other rows and are not compared."
)
METRICS = {"accuracy": "accuracy-first-label-legacy"}
SETTING = ("table", "dataset", "metric")
QUANTITIES = {2: ("p", "effect"), 3: ("ci_width",)}


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what tells the rows of tables 2 and 3, or of one, apart."""
    return [{name: row[name] for name in SETTING} for row in published() if table in (None, row["table"])]


def measure(setting: Setting, simulation: Simulation) -> dict[str, float]:
    """Recompute one row: p and effect, or the width of the interval."""
    row = lookup(published(), setting, SETTING)
    model = CategoricalModel(tuple(row["alpha"]))
    n_items = int(row["NK"] // row["K"])
    metric = published_metric(METRICS.get(row["metric"], row["metric"]))
    [outcome] = simulation.times(_more(n_items)).outcomes(
        model, [metric.on(model.scale)], n_items=n_items, n_responses=int(row["K"]),
        epsilon=row["epsilon"],
    )  # fmt: skip
    found = outcome.numbers(*QUANTITIES[row["table"]])
    labels = len(row["alpha"]) if row["metric"] == "tv" else 1
    return {name: number if name.startswith("p") else number / labels for name, number in found.items()}


def _more(n_items: int) -> int:
    """Return how many times as many data sets a design gets: small ones are cheap, and their tails heavy."""
    return max(1, min(20, 100 // n_items))


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        row = lookup(published(), setting, SETTING)
        identity = {key: row[key] for key in ("table", "dataset", "metric", "epsilon", "NK", "K")}
        found += [
            Row(identity, name, row[name], values[name], values[f"{name}_error"]) for name in QUANTITIES[row["table"]]
        ]
    return found


def published() -> list[dict[str, Any]]:
    """Return the printed rows."""
    return [{"table": table, **row} for table in QUANTITIES for row in figures(f"forest_table{table}.json")]
