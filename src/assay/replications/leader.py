"""LEADER: true p by metric, and p estimated from single data sets by six sampling strategies (tables 5–14)."""

from typing import Any

import numpy as np

from assay._random import child, n_workers
from assay.inference import PValue, expected_pvalue
from assay.metrics import Metric, resolve
from assay.models import preset
from assay.replications.outcomes import Outcome, Simulation
from assay.replications.results import Row, error_of_difference, figures, groups
from assay.resampling import Scheme, draw
from assay.responses import Contest

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


def rows(simulation: Simulation, table: int | None = None) -> list[Row]:
    """Recompute true and estimated p of every table, or of one."""
    found = []
    for (number, data, epsilon), cells in groups(_cells(table), "table", "data", "epsilon"):
        found += _true(simulation, cells, data, epsilon)
        found += _estimated(simulation, cells, data, epsilon, number)
    return found


def work(n_simulations: int, table: int | None = None) -> int:
    """Return how many data sets are drawn or resampled in all."""
    cells = _cells(table)
    kinds = {(cell["table"], _kept(cell)) for cell in cells}
    strategies = {(cell["table"], cell["sampling"]) for cell in cells}
    return 2 * n_simulations * len(kinds) + 2 * _n_resamples(n_simulations) * N_DATA_SETS * len(strategies)


def _n_resamples(n_simulations: int) -> int:
    return max(1, n_simulations // 10)


def _cells(table: int | None) -> list[dict[str, Any]]:
    return [row for row in figures("leader_tables.json") if table in (None, row["table"])]


def _kept(cell: dict[str, Any]) -> int:
    """Return how many responses per item the strategy keeps."""
    return 1 if STRATEGIES[cell["sampling"]].responses in ("one", "first") else N_RESPONSES


def _identity(cell: dict[str, Any]) -> dict[str, Any]:
    return {key: cell[key] for key in ("table", "data", "epsilon", "sampling", "metric")}


def _true(simulation: Simulation, cells: list[dict[str, Any]], data: str, epsilon: float) -> list[Row]:
    model = preset(DATA[data])
    found = []
    for n_responses in sorted({_kept(cell) for cell in cells}):
        wanted = [cell for cell in cells if _kept(cell) == n_responses]
        names = list(dict.fromkeys(cell["metric"] for cell in wanted))
        correct = [name for name in names if name in CORRECT]
        metrics = [resolve(METRICS[name]).on(model.scale) for name in names]
        metrics += [resolve(CORRECT[name]).on(model.scale) for name in correct]
        outcomes = simulation.outcomes(
            model, metrics, n_items=N_ITEMS, n_responses=n_responses, epsilon=epsilon, name=(data,)
        )
        legacy = dict(zip(names, outcomes, strict=False))
        right = dict(zip(correct, outcomes[len(names) :], strict=True))
        found += [
            _true_row(cell, legacy[cell["metric"]], right.get(cell["metric"]), simulation.n_simulations)
            for cell in wanted
        ]
    return found


def _true_row(cell: dict[str, Any], outcome: Outcome, correct: Outcome | None, n_simulations: int) -> Row:
    beside = {} if correct is None else {"p_with_correct_emd": correct.p}
    error = error_of_difference(outcome.p_error, n_simulations)
    return Row(_identity(cell), "true_p", cell["true_p"], outcome.p, error, beside)


def _estimated(
    simulation: Simulation, cells: list[dict[str, Any]], data: str, epsilon: float, number: int
) -> list[Row]:
    model = preset(DATA[data])
    tables = [
        model.table(N_ITEMS, N_RESPONSES, epsilon=epsilon, rng=child(simulation.seed, "estimated", number, data_set))
        for data_set in range(N_DATA_SETS)
    ]
    contests = [table.contest(gold="gold", a="A", b="B") for table in tables]
    found = []
    for (sampling,), wanted in groups(cells, "sampling"):
        metrics = [resolve(METRICS[cell["metric"]]).on(model.scale) for cell in wanted]
        estimates = [_estimate(simulation, contest, metrics, STRATEGIES[sampling]) for contest in contests]
        found += [
            _estimated_row(cell, list(pvalues))
            for cell, pvalues in zip(wanted, zip(*estimates, strict=True), strict=True)
        ]
    return found


def _estimate(simulation: Simulation, contest: Contest, metrics: list[Metric], scheme: Scheme) -> list[PValue]:
    """Return p estimated from one data set, one for each metric."""
    draws, null = (
        draw(
            contest, metrics, scheme=scheme, null=kind, n_resamples=_n_resamples(simulation.n_simulations),
            seed=child(simulation.seed, contest.digest, str(scheme)), workers=n_workers(simulation.workers),
            progress=simulation.progress,
        ).contrasts
        for kind in (None, "pooled-responses")
    )  # fmt: skip
    return [expected_pvalue(*pair) for pair in zip(null, draws, strict=True)]


def _estimated_row(cell: dict[str, Any], pvalues: list[PValue]) -> Row:
    published = cell["estimated_p"]
    values = np.array([pvalue.pvalue for pvalue in pvalues])
    # A bound says "below 1 / (b + 1)": for the rank of the published number it counts as 0.
    ranked = np.array([0.0 if pvalue.is_bound else pvalue.pvalue for pvalue in pvalues])
    rank = float(np.mean(ranked < published) + np.mean(ranked == published) / 2)
    low, high = (float(value) for value in np.quantile(values, [0.05, 0.95]))
    beside = {"quantile_of_published": rank, "low": low, "high": high}
    return Row(_identity(cell), "estimated_p", published, float(np.median(values)), float(values.std(ddof=1)), beside)
