"""LEADER: true p by metric, and p estimated from single data sets by six sampling strategies (tables 5–14)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay._random import child
from assay.auditing.estimators import EXPECTED, Estimator, Estimators, pairs, write
from assay.errors import ArgumentError
from assay.models import ResponseModel, preset
from assay.replications.legacy import published_metric
from assay.replications.outcomes import Simulation
from assay.replications.published import Measured, Row, Setting, figures, groups
from assay.resampling import Scheme

CONVENTION = (
    "1,000 items × 5 responses, σ ~ U(0, 0.3) (the text says U(0, 2)); true p from fresh data sets, with one response "
    "per item where the strategy keeps one; EMD rows by the legacy distance of histogram counts, beside them the p of "
    "a correct EMD; estimated p differs between data sets, so the published value is placed in its distribution. "
    "(bootstrap, all) and (bootstrap, first) pool what they keep: their null contrasts are exactly 0."
)
N_ITEMS, N_RESPONSES = 1000, 5
DATA = {"simulated": "normal", "toxicity": "likert-toxicity"}
METRICS = {
    "MAE": "mae",
    "Wins(MAE)": "wins",
    "Wins(MAE) vectorized": "wins-responses",
    "MSE": "mse",
    "Spearman Rho": "spearman",
    "EMD Agg": "emd-means-histogram-legacy",
    "EMD Agg vectorized": "emd-responses-histogram-legacy",
    "Mean of EMDs": "emd-histogram-legacy",
    "Cosine vectorized": "cosine-responses",
}
CORRECT = {"EMD Agg": "emd-means", "EMD Agg vectorized": "emd-responses", "Mean of EMDs": "emd"}
STRATEGIES = {
    "all_items,sample(1)": Scheme("all", "one"),
    "all_items,sample(5)": Scheme("all", "bootstrap"),
    "bootstrap_items,all": Scheme("bootstrap", "all"),
    "bootstrap_items,first_element": Scheme("bootstrap", "first"),
    "bootstrap_items,sample(1)": Scheme("bootstrap", "one"),
    "bootstrap_items,sample(5)": Scheme("bootstrap", "bootstrap"),
}
N_DATA_SETS = 20
"""Single data sets on which p is estimated; each with a tenth of the number of draws that true p gets."""


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what is measured for every table, or for one.

    True p of all metrics by the number of responses that strategies keep, and estimated p of all metrics by strategy
    and data set.
    """
    found: list[dict[str, Any]] = []
    for (number,), cells in groups(published(), "table"):
        if table in (None, number):
            found += [{"table": number, "responses": kept} for kept in sorted({_kept(cell) for cell in cells})]
            found += [
                {"table": number, "sampling": sampling, "data_set": data_set}
                for (sampling,), _ in groups(cells, "sampling")
                for data_set in range(1, N_DATA_SETS + 1)
            ]
    return found


def measure(setting: Setting, simulation: Simulation) -> dict[str, float]:
    """Measure true p, or p estimated from one data set, for each metric that the table prints."""
    cells = _cells_of(setting)
    model = preset(DATA[cells[0]["data"]])
    names = list(dict.fromkeys(cell["metric"] for cell in cells))
    if "sampling" in setting:
        return _estimated(simulation, model, names, STRATEGIES[setting["sampling"]], cells[0]["epsilon"])
    return _true(simulation, model, names, setting["responses"], cells[0]["epsilon"])


def rows(measured: Sequence[Measured]) -> list[Row]:
    """Put published and recomputed numbers side by side, estimated p as a distribution over data sets."""
    found = []
    estimates: dict[tuple[int, str], list[Mapping[str, float]]] = {}
    for setting, values in measured:
        if "sampling" in setting:
            estimates.setdefault((setting["table"], setting["sampling"]), []).append(values)
        else:
            found += [_true_row(cell, values) for cell in _cells_of(setting)]
    for (table, sampling), several in estimates.items():
        cells = _cells_of({"table": table, "sampling": sampling})
        found += [_estimated_row(cell, several) for cell in cells]
    return sorted(found, key=lambda row: (row.cell["table"], row.quantity != "true_p"))


def _cells_of(setting: Setting) -> list[dict[str, Any]]:
    """Return the published cells that a setting belongs to."""
    found = [
        cell
        for cell in published()
        if cell["table"] == setting["table"]
        and setting.get("sampling", cell["sampling"]) == cell["sampling"]
        and setting.get("responses", _kept(cell)) == _kept(cell)
    ]
    if not found:
        raise ArgumentError(f"nothing is published at {dict(setting)}.")
    return found


def published() -> list[dict[str, Any]]:
    """Return the printed rows."""
    return figures("leader_tables.json")


def _kept(cell: dict[str, Any]) -> int:
    """Return how many responses per item the strategy keeps."""
    return 1 if STRATEGIES[cell["sampling"]].responses in ("one", "first") else N_RESPONSES


def _identity(cell: dict[str, Any]) -> dict[str, Any]:
    return {key: cell[key] for key in ("table", "data", "epsilon", "sampling", "metric")}


def _true(
    simulation: Simulation, model: ResponseModel, names: list[str], n_responses: int, epsilon: float
) -> dict[str, float]:
    correct = [name for name in names if name in CORRECT]
    metrics = [METRICS[name] for name in names] + [CORRECT[name] for name in correct]
    outcomes = simulation.outcomes(
        model, [published_metric(metric).on(model.scale) for metric in metrics], n_items=N_ITEMS,
        n_responses=n_responses, epsilon=epsilon,
    )  # fmt: skip
    found = {}
    for name, outcome in zip(names, outcomes, strict=False):
        found[f"{name} p"], found[f"{name} p_error"] = outcome.numbers("p").values()
    for name, outcome in zip(correct, outcomes[len(names) :], strict=True):
        found[f"{name} p_with_correct_emd"] = outcome.p
    return found


def _true_row(cell: dict[str, Any], values: Mapping[str, float]) -> Row:
    name = cell["metric"]
    beside = {"p_with_correct_emd": values[f"{name} p_with_correct_emd"]} if name in CORRECT else {}
    return Row(_identity(cell), "true_p", cell["true_p"], values[f"{name} p"], values[f"{name} p_error"], beside)


def _estimated(
    simulation: Simulation, model: ResponseModel, names: list[str], scheme: Scheme, epsilon: float
) -> dict[str, float]:
    table = model.table(N_ITEMS, N_RESPONSES, epsilon=epsilon, rng=child(simulation.seed, "data set"))
    contest = table.contest(gold="gold", a="A", b="B")
    metrics = tuple(published_metric(METRICS[name]).on(model.scale) for name in names)
    n_resamples = max(1, simulation.n_simulations // 10)
    ((_, null, _),) = pairs([scheme], ["pooled-responses"], single=False)
    estimators = Estimators(metrics, ((scheme, (null,)),), n_resamples=n_resamples)
    answers = estimators.on(contest, child(simulation.seed, "draws")).tests
    found: dict[str, float] = {}
    for name in names:
        pvalue = answers[Estimator(METRICS[name], write(scheme), null, EXPECTED)].estimate
        # A share below 1 / (b + 1) is reported as that bound, and no share of b² pairs equals it.
        found |= {f"{name} p": pvalue, f"{name} is_bound": pvalue == 1 / (n_resamples + 1)}
    return found


def _estimated_row(cell: dict[str, Any], several: Sequence[Mapping[str, float]]) -> Row:
    published, name = cell["estimated_p"], cell["metric"]
    values = np.array([one[f"{name} p"] for one in several])
    # A bound says "below 1 / (b + 1)": for the rank of the published number it counts as 0.
    ranked = np.array([0.0 if one[f"{name} is_bound"] else one[f"{name} p"] for one in several])
    rank = float(np.mean(ranked < published) + np.mean(ranked == published) / 2)
    low, high = (float(value) for value in np.quantile(values, [0.05, 0.95]))
    beside = {"quantile_of_published": rank, "low": low, "high": high}
    return Row(_identity(cell), "estimated_p", published, float(np.median(values)), float(values.std(ddof=1)), beside)
