"""LEADER: true p by metric, and p estimated from single data sets by six sampling strategies (tables 5–14).

Tables 1–4 are made of them: the smallest error |estimated p − true p| by strategy and by metric. Figures 1 and 2 plot
these by metric, figures 3 and 4 the item parameters of Toxicity.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from howsure._random import child
from howsure.data.scales import FloatArray
from howsure.errors import ArgumentError
from howsure.inference import expected_pvalue
from howsure.metrics import AdditiveMetric
from howsure.models import LikertModel, ResponseModel, preset
from howsure.papers.expected_outcomes import FAR, SMALLEST, SimulationSize, exact_pvalues
from howsure.papers.figures import Plot, Point
from howsure.papers.legacy import published_metric
from howsure.papers.published import Measured, PublishedNumber, Setting, figures
from howsure.resampling import Scheme, Stack, draw

CONVENTION = (
    "1,000 items × 5 responses, σ ~ U(0, 0.3) (the text says U(0, 2)); true p from fresh data sets, with one response "
    "per item where the strategy keeps one; EMD rows by the legacy distance of histogram counts, beside them the p of "
    "a correct EMD; estimated p differs between data sets, so the published value is placed in its distribution. "
    "(bootstrap, all) and (bootstrap, first) pool what they keep: their null advantages are exactly 0."
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
ONE_RESPONSE = ("MAE", "Wins(MAE)", "MSE", "Spearman Rho", "EMD Agg", "Cosine vectorized")
"""What the paper prints for strategies that keep one response per item; the others would be the same or nothing."""
NAMES = {
    "Cosine Similarity": ("Cosine vectorized",),
    "Aggregated EMD": ("EMD Agg",),
    "Aggregated EMD vectorized": ("EMD Agg vectorized",),
    "Wins(MAE)": ("Wins(MAE)", "Wins(MAE) vectorized"),
}
"""What tables 2 and 4 call the metrics of tables 5–14, where the names differ."""
FULL = {"simulated": (5, 6, 7, 8, 9), "toxicity": (10, 11, 12, 13, 14)}
"""The tables with all results, from which the others take the smallest errors."""
N_DATA_SETS = 20
"""Single data sets on which p is estimated."""
FEWER = 2
"""Draws on each are this many times fewer than data sets behind true p: p moves far more from one to the next."""
TELLS = 0.05
"""True p below which the exact engine gives the digits; above, simulation tells them as well."""


def settings(table: int | None = None) -> list[dict[str, Any]]:
    """Return what is measured for every table, or for one.

    True p of all metrics by the number of responses that strategies keep, and estimated p by data set: all strategies
    and metrics see the same one.
    """
    found: list[dict[str, Any]] = []
    of_data = _summaries().get(table)  # type: ignore[arg-type]
    wanted = (table,) if of_data is None else FULL[of_data]
    for number in dict.fromkeys(cell["table"] for cell in published()):
        if table is None or number in wanted:
            found += [{"table": number, "responses": kept} for kept in (1, N_RESPONSES)]
            found += [{"table": number, "data_set": data_set} for data_set in range(1, N_DATA_SETS + 1)]
    return found


def measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Measure true p of every metric, or p estimated from one data set by every strategy and metric."""
    cells = [cell for cell in published() if cell["table"] == setting["table"]]
    if not cells or not {"responses", "data_set"} & {*setting}:
        raise ArgumentError(f"nothing is published at {dict(setting)}.")
    model = preset(DATA[cells[0]["data"]])
    if "data_set" in setting:
        return _estimated(simulation, model, cells[0]["epsilon"])
    return _true(simulation, model, setting["responses"], cells[0]["epsilon"])


def rows(measured: Sequence[Measured]) -> list[PublishedNumber]:
    """Put published and recomputed numbers side by side, estimated p as a distribution over data sets."""
    true: dict[tuple[int, int], Mapping[str, float]] = {}
    estimates: dict[int, list[Mapping[str, float]]] = {}
    for setting, values in measured:
        if "data_set" in setting:
            estimates.setdefault(setting["table"], []).append(values)
        else:
            true[setting["table"], setting["responses"]] = values
    found = []
    for cell in published():
        if cell["table"] in estimates:
            found.append(_true_row(cell, true[cell["table"], _kept(cell["sampling"])]))
            found.append(_estimated_row(cell, estimates[cell["table"]]))
    found += [_smallest_row(cell, true, estimates) for cell in smallest() if {*FULL[cell["data"]]} <= {*estimates}]
    return sorted(found, key=lambda row: (row.cell["table"], row.quantity != "true_p"))


def notes(tables: Collection[int]) -> tuple[str, ...]:
    """Return which rows cannot be read, and where paper and recomputation differ."""
    said = []
    for table in sorted({*tables} - {*_summaries()}):
        known, unread = _legible(table), _unread(table)
        if unread:
            said.append(
                f"Table {table}: {45 - len(known)} of 45 rows cannot be read in the source or contradict themselves, "
                f"and are not compared: {'; '.join(unread)}."
            )
    if {*_summaries()} & {*tables}:
        said.append(
            "Tables 1 to 4: the smallest of several errors, each from one data set, is small by chance. Reproduced is "
            "its median over data sets; “from printed rows” is the smallest among the rows of tables 5 to 14 that can "
            "be read. A printed error below 10⁻⁵ counts as 0."
        )
    if {*tables} & {3, 4, *FULL["toxicity"]}:
        said.append(
            "Toxicity: the text turns responses in [0, .2) into .2, and so on; the tables come out with the lower "
            "edges 0, .2, .4, .6, .8. The paper's gold is a sample of real comments, ours is simulated. The item means "
            "are |N(0, .28)|, as in the text; the legend of figure 3 has .20 and .16."
        )
    said.append(
        "B's mean is clamped to [0, 1]. The paper counts null resamples that exceed a resample (<); ties count here "
        "(≥). A true p below .05 is computed by the exact engine where the metric is a mean of item scores."
    )
    return tuple(said)


def published() -> list[dict[str, Any]]:
    """Return the printed rows of tables 5–14."""
    return figures("leader_tables.json")


def smallest() -> list[dict[str, Any]]:
    """Return the printed cells of tables 1–4."""
    return figures("leader_tables_1_4.json")


def tables() -> set[int]:
    """Return the numbers of the tables."""
    return {*_summaries(), *(number for of_data in FULL.values() for number in of_data)}


def metrics_of(sampling: str) -> tuple[str, ...]:
    """Return the metrics that the paper prints for a strategy."""
    return ONE_RESPONSE if _kept(sampling) == 1 else tuple(METRICS)


def smallest_errors(
    by: str, name: str, true: Mapping[int, Mapping[str, float]], estimates: Sequence[Mapping[str, float]]
) -> FloatArray:
    """Return the smallest |estimated p − true p| on each data set, over metrics (by sampling) or strategies.

    `true` is the measured true p by the number of responses that a strategy keeps.
    """
    chosen = [(name, metric) for metric in metrics_of(name)] if by == "sampling" else _of_metric(name)

    def known(values: Mapping[str, float], name: str, bound: str) -> float:
        return 0.0 if values[f"{name} {bound}"] else values[f"{name} p"]  # a bound says that p may be 0

    errors = [
        [
            abs(known(one, f"{sampling} {metric}", "is_bound") - known(true[_kept(sampling)], metric, "p_is_bound"))
            for sampling, metric in chosen
        ]
        for one in estimates
    ]
    return np.asarray(np.array(errors).min(axis=1))


def _of_metric(name: str) -> list[tuple[str, str]]:
    return [
        (sampling, metric)
        for sampling in STRATEGIES
        for metric in NAMES.get(name, (name,))
        if metric in metrics_of(sampling)
    ]


def _summaries() -> dict[int, str]:
    return {cell["table"]: cell["data"] for cell in smallest()}


def _legible(table: int) -> set[tuple[str, str]]:
    return {(cell["sampling"], cell["metric"]) for cell in published() if cell["table"] == table}


def _unread(table: int) -> list[str]:
    """Return the rows of a table that are printed but not legible, by metric."""
    known = _legible(table)
    missing: dict[str, list[str]] = {}
    for sampling in STRATEGIES:
        for metric in metrics_of(sampling):
            if (sampling, metric) not in known:
                missing.setdefault(metric, []).append(f"({sampling})")
    return [f"{metric} {' '.join(several)}" for metric, several in missing.items()]


def _kept(sampling: str) -> int:
    """Return how many responses per item the strategy keeps."""
    return 1 if STRATEGIES[sampling].responses in ("one", "first") else N_RESPONSES


def _identity(cell: dict[str, Any]) -> dict[str, Any]:
    return {key: cell[key] for key in ("table", "data", "epsilon", "sampling", "metric")}


def _true(simulation: SimulationSize, model: ResponseModel, n_responses: int, epsilon: float) -> dict[str, float]:
    names = metrics_of("all_items,sample(1)" if n_responses == 1 else "all_items,sample(5)")
    correct = [name for name in names if name in CORRECT]
    metrics = [
        published_metric(name).on(model.scale)
        for name in (*(METRICS[name] for name in names), *(CORRECT[name] for name in correct))
    ]
    outcomes = simulation.outcomes(model, metrics, n_items=N_ITEMS, n_responses=n_responses, epsilon=epsilon)
    found: dict[str, float] = {}
    for name, outcome in zip(names, outcomes, strict=False):
        found |= {f"{name} {key}": number for key, number in outcome.numbers("p").items()}
    for name, outcome in zip(correct, outcomes[len(names) :], strict=True):
        found |= {f"{name} p_with_correct_emd": outcome.p, f"{name} p_with_correct_emd_is_bound": outcome.p_is_bound}
    small = []
    for name, metric, outcome in zip(names, metrics, outcomes, strict=False):
        if isinstance(metric, AdditiveMetric) and outcome.p < TELLS:
            if outcome.distance > FAR:
                found |= {f"{name} p": SMALLEST, f"{name} p_is_bound": True}
            else:
                small.append((name, metric))
    digits = exact_pvalues(
        model,
        [metric for _, metric in small],
        n_items=N_ITEMS,
        n_responses=n_responses,
        epsilon=epsilon,
        simulation=simulation,
    )
    for (name, _), answer in zip(small, digits, strict=True):
        found |= {f"{name} p": answer.p, f"{name} p_is_bound": answer.is_bound}
    return found


def _true_row(cell: dict[str, Any], values: Mapping[str, float]) -> PublishedNumber:
    name = cell["metric"]
    of_correct = ("p_with_correct_emd", "p_with_correct_emd_is_bound") if name in CORRECT else ()
    beside = {key: float(values[f"{name} {key}"]) for key in of_correct}
    p, error, is_bound = (values[f"{name} {key}"] for key in ("p", "p_error", "p_is_bound"))
    return PublishedNumber(_identity(cell), "true_p", cell["true_p"], p, error, beside, bool(is_bound))


def _estimated(simulation: SimulationSize, model: ResponseModel, epsilon: float) -> dict[str, float]:
    table = model.table(N_ITEMS, N_RESPONSES, epsilon=epsilon, rng=child(simulation.seed, "data set"))
    contest = table.contest(gold="gold", a="A", b="B")
    n_resamples = max(2, simulation.n_simulations // FEWER)
    found: dict[str, float] = {}
    for sampling, scheme in STRATEGIES.items():
        names = metrics_of(sampling)
        metrics = [published_metric(METRICS[name]).on(model.scale) for name in names]
        options: Any = {
            "scheme": scheme,
            "n_resamples": n_resamples,
            "seed": child(simulation.seed, "draws"),
            "workers": 1,
        }
        draws = draw(Stack(contest), metrics, **options).advantages[:, 0]
        # Pooled responses that are all kept make A and B the same pool.
        null_draws = (
            np.zeros_like(draws)
            if scheme.keeps_responses
            else draw(Stack(contest), metrics, exchange="pooled-responses", **options).advantages[:, 0]
        )
        for name, *both in zip(names, null_draws, draws, strict=True):
            answer = expected_pvalue(*both)
            found |= {f"{sampling} {name} p": answer.pvalue, f"{sampling} {name} is_bound": answer.is_bound}
    return found


def _estimated_row(cell: dict[str, Any], several: Sequence[Mapping[str, float]]) -> PublishedNumber:
    published, start = cell["estimated_p"], f"{cell['sampling']} {cell['metric']}"
    values = np.array([one[f"{start} p"] for one in several])
    bounds = np.array([bool(one[f"{start} is_bound"]) for one in several])
    # A bound says "below 1 / (b + 1)": for the rank of the published number it counts as 0.
    ranked = np.where(bounds, 0.0, values)
    rank = float(np.mean(ranked < published) + np.mean(ranked == published) / 2)
    low, high = (float(value) for value in np.quantile(values, [0.05, 0.95]))
    beside = {"quantile_of_published": rank, "low": low, "high": high}
    beside |= {
        f"{end}_is_bound": 1.0 for end, share in (("low", 0.05), ("high", 0.95)) if not np.quantile(ranked, share)
    }
    middle, is_bound = float(np.median(values)), float(np.median(ranked)) == 0
    return PublishedNumber(
        _identity(cell), "estimated_p", published, middle, float(values.std(ddof=1)), beside, is_bound
    )


def _smallest_row(
    cell: dict[str, Any],
    true: Mapping[tuple[int, int], Mapping[str, float]],
    estimates: Mapping[int, Sequence[Mapping[str, float]]],
) -> PublishedNumber:
    """Return a smallest error beside the printed one: median and spread over data sets."""
    [table] = {one["table"] for one in published() if one["data"] == cell["data"] and one["epsilon"] == cell["epsilon"]}
    of_table = {kept: true[table, kept] for kept in (1, N_RESPONSES)}
    errors = smallest_errors(cell["by"], cell["name"], of_table, estimates[table])
    names = (cell["name"],) if cell["by"] == "sampling" else NAMES.get(cell["name"], (cell["name"],))
    printed = [
        abs(one["estimated_p"] - one["true_p"])
        for one in published()
        if one["table"] == table and one[cell["by"]] in names
    ]
    low, high = (float(value) for value in np.quantile(errors, [0.05, 0.95]))
    beside = {"from_printed_rows": min(printed, default=math.nan), "low": low, "high": high}
    identity = {"table": cell["table"], "data": cell["data"], cell["by"]: cell["name"], "epsilon": cell["epsilon"]}
    middle, spread = float(np.median(errors)), float(errors.std(ddof=1))
    return PublishedNumber(identity, "smallest_error", cell["error"], middle, spread, beside)


ITEMS = 1000
"""Items of the paper's sample."""


def _errors(table: int) -> Any:
    def points(measured: Sequence[Measured]) -> list[Point]:
        recomputed = f"recomputed, median of {N_DATA_SETS} data sets"
        found = []
        for row in rows(measured):
            if row.cell["table"] != table:
                continue
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
        series="metric", settings=lambda: settings(2), points=_errors(2),
        notes=("The figure draws table 2. The band holds 5 to 95% of data sets.",),
    ),
    2: Plot(
        title="smallest |estimated p − true p| by metric, toxicity data", x="ε of B", y="smallest error",
        series="metric", settings=lambda: settings(4), points=_errors(4),
        notes=("The figure draws table 4. The band holds 5 to 95% of data sets.",
               "The rises of the printed errors at ε = .1 (MAE, Wins and Mean of EMDs to .13 and .14) do not come out: "
               "over data sets the median falls as ε grows. Each printed point is the smallest of few errors on one "
               "data set."),
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
