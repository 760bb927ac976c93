"""RATINGS: budgets, p and effects of response models fitted to seven datasets (tables 1 and 2)."""

from typing import Any

from assay.metrics import resolve
from assay.models import preset
from assay.replications.outcomes import Simulation
from assay.replications.results import Row, error_of_difference, figures

CONVENTION = (
    "as printed only with an item bootstrap inside every simulated data set (resample_simulated), which doubles the "
    "variance between items: beside each p stands the p of the stated question, without it, at the printed number of "
    "items and at half of it."
)
METRICS = {"mae": "mae", "wins": "wins", "memd": "emd-histogram-legacy"}


def rows(simulation: Simulation, table: int | None = None) -> list[Row]:
    """Recompute tables 1 and 2, or one of them; cells that the paper left empty are left out."""
    found = []
    for cell in _cells(table):
        model = preset(f"likert-{cell['dataset'].lower()}")
        metric = resolve(METRICS[cell["metric"]]).on(model.scale)
        n_responses = int(cell["K"])
        n_items = int(cell["NK"]) // n_responses
        printed, plain, half = (
            simulation.outcomes(
                model, [metric], n_items=size, n_responses=n_responses, epsilon=cell["epsilon"],
                resample_simulated=resampled, name=(cell["dataset"],),
            )[0]
            for size, resampled in ((n_items, True), (n_items, False), (max(1, n_items // 2), False))
        )  # fmt: skip
        identity = {key: cell[key] for key in ("table", "dataset", "metric", "epsilon")}
        identity |= {"NK": int(cell["NK"]), "K": n_responses}
        p_error = error_of_difference(printed.p_error, simulation.n_simulations)
        effect_error = error_of_difference(printed.effect_error, simulation.n_simulations)
        beside = {"p_without_item_bootstrap": plain.p, "p_at_half_the_items": half.p}
        found += [
            Row(identity, "p", cell["p"], printed.p, p_error, beside),
            Row(identity, "effect", cell["effect"], printed.effect, effect_error),
        ]
    return found


def work(n_simulations: int, table: int | None = None) -> int:
    """Return how many data sets are simulated in all."""
    return 6 * n_simulations * len(_cells(table))


def _cells(table: int | None) -> list[dict[str, Any]]:
    published = figures("ratings_tables.json")
    return [row for row in published if row["p"] is not None and table in (None, row["table"])]
