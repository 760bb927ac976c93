"""RATINGS: budgets, p and effects of response models fitted to seven datasets (tables 1 and 2)."""

from collections.abc import Sequence
from typing import Any

from assay.models import preset
from assay.replications.legacy import published_metric
from assay.replications.outcomes import Simulation
from assay.replications.published import Measured, Row, Setting, figures, lookup

CONVENTION = (
    "as printed only with an item bootstrap inside every simulated data set (resample_simulated), which doubles the "
    "variance between items: beside each p stands the p of the stated question, without it, at the printed number of "
    "items and at half of it."
)
METRICS = {"mae": "mae", "wins": "wins", "memd": "emd-histogram-legacy"}
SETTING = ("table", "dataset", "metric")


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what tells the cells of tables 1 and 2, or of one, apart; cells that the paper left empty are left out."""
    return [{name: cell[name] for name in SETTING} for cell in published() if table in (None, cell["table"])]


def measure(setting: Setting, simulation: Simulation) -> dict[str, float]:
    """Recompute p and effect of one cell, and p without the item bootstrap, with all items and with half of them."""
    cell = lookup(published(), setting, SETTING)
    model = preset(f"likert-{cell['dataset'].lower()}")
    metric = published_metric(METRICS[cell["metric"]]).on(model.scale)
    n_responses = int(cell["K"])
    n_items = int(cell["NK"]) // n_responses
    printed, plain, half = (
        simulation.outcomes(
            model, [metric], n_items=size, n_responses=n_responses, epsilon=cell["epsilon"],
            resample_simulated=resampled,
        )[0]
        for size, resampled in ((n_items, True), (n_items, False), (max(1, n_items // 2), False))
    )  # fmt: skip
    return {**printed.numbers("p", "effect"), "p_without_item_bootstrap": plain.p, "p_at_half_the_items": half.p}


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        cell = lookup(published(), setting, SETTING)
        identity = {key: cell[key] for key in ("table", "dataset", "metric", "epsilon")}
        identity |= {"NK": int(cell["NK"]), "K": int(cell["K"])}
        beside = {name: values[name] for name in ("p_without_item_bootstrap", "p_at_half_the_items")}
        found += [
            Row(identity, "p", cell["p"], values["p"], values["p_error"], beside),
            Row(identity, "effect", cell["effect"], values["effect"], values["effect_error"]),
        ]
    return found


def published() -> list[dict[str, Any]]:
    """Return the printed rows."""
    return [row for row in figures("ratings_tables.json") if row["p"] is not None]
