"""RATINGS: budgets, p and effects of response models fitted to seven datasets (tables 1 to 3)."""

import math
from collections.abc import Collection, Sequence
from typing import Any

from howsure._random import child
from howsure.metrics import AdditiveMetric
from howsure.models import preset
from howsure.planning.engines.exact import ExactEngine
from howsure.replications.expected_outcomes import SimulationSize
from howsure.replications.legacy import published_metric
from howsure.replications.published import Measured, PublishedNumber, Setting, figures, lookup

CONVENTION = (
    "as printed only with an item bootstrap inside every simulated data set (resample_simulated), which doubles the "
    "variance between items: beside each p stands the p of the stated question, without it, at the printed number of "
    "items and at half of it."
)
METRICS = {"mae": "mae", "wins": "wins", "memd": "emd-histogram-legacy"}
LARGEST = (100_000, 100)
"""The largest budget that the paper prints, and its K: where the cells with a dash are recomputed."""
PRECISION = 0.1
"""Error that p-values of the stated question may have, times the root of the number of data sets: .003 with 1,000."""
SETTING = ("table", "dataset", "metric")


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what tells the cells of the tables, or of one, apart."""
    return [{name: cell[name] for name in SETTING} for cell in published() if table in (None, cell["table"])]


def measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Recompute p and effect of one cell, and p without the item bootstrap, with all items and with half of them."""
    cell = lookup(published(), setting, SETTING)
    model = preset(f"likert-{cell['dataset'].lower()}")
    metric = published_metric(METRICS[cell["metric"]]).on(model.scale)
    assert isinstance(metric, AdditiveMetric)
    n_responses = int(cell["K"] or LARGEST[1])
    n_items = int(cell["NK"] or LARGEST[0]) // n_responses
    [printed] = simulation.outcomes(
        model, [metric], n_items=n_items, n_responses=n_responses, epsilon=cell["epsilon"], resample_simulated=True
    )
    # Without the bootstrap inside, the advantage is a mean over independent items, which the planner computes.
    engine = ExactEngine(
        model, [metric], (n_responses,) * 3, epsilon=cell["epsilon"], seed=child(simulation.seed, "exact")
    )
    sizes = {"p_without_item_bootstrap": n_items, "p_at_half_the_items": max(1, n_items // 2)}
    engine.sharpen([*sizes.values()], PRECISION / math.sqrt(simulation.n_simulations))
    return {
        **printed.numbers("p", "effect"),
        **{name: engine.outlook(0, size).expected_pvalue for name, size in sizes.items()},
    }


def rows(measured: Sequence[Measured]) -> list[PublishedNumber]:
    """Put published and recomputed numbers side by side."""
    found = []
    for setting, values in measured:
        cell = lookup(published(), setting, SETTING)
        identity = {key: cell[key] for key in ("table", "dataset", "metric", "epsilon")}
        printed = cell["p"] is not None
        identity |= {"NK": int(cell["NK"] or LARGEST[0]), "K": int(cell["K"] or LARGEST[1])}
        beside = {name: values[name] for name in ("p_without_item_bootstrap", "p_at_half_the_items")}
        found += [
            PublishedNumber(
                identity,
                "p",
                cell["p"] if printed else math.nan,
                values["p"],
                values["p_error"],
                beside,
                bool(values["p_is_bound"]),
            ),
            PublishedNumber(identity, "effect", cell["effect"], values["effect"], values["effect_error"]),
        ][: 2 if printed else 1]
    return found


def notes(tables: Collection[int]) -> tuple[str, ...]:
    """Return what a reader of these tables must know."""
    said = [
        "The paper prints a folded normal with ⟨.19, .11⟩ for the item means of Toxicity; its tables come out with "
        "that of LEADER, |N(0, .28)| clamped to .8, which is used here.",
        "Ties count as at least as extreme (≥), also where the paper's rule for the other direction says <.",
        "B's mean is clamped to [0, 1], which the paper does not state but its tables require.",
    ]
    if any(cell["p"] is None and cell["table"] in tables for cell in published()):
        said.append(
            f"A dash: the paper finds no significant design. Recomputed is the largest budget that it prints, "
            f"{LARGEST[0]:,} = N × {LARGEST[1]}, where p must not be below .05."
        )
    return tuple(said)


def tables() -> set[int]:
    """Return the numbers of the tables."""
    return {cell["table"] for cell in published()}


def published() -> list[dict[str, Any]]:
    """Return the printed cells, with None where the paper has a dash."""
    return figures("ratings_tables.json")
