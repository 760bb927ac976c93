"""FOREST: bias of the fits (table 1); p, effect and width of the interval for categorical data (tables 2 and 3).

Figures 3 to 6 show p and the width of the interval against K, and what the responses of an item leave open.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from howsure._random import child
from howsure.metrics import AdditiveMetric, ItemMetric
from howsure.models import CategoricalModel, preset, simulate_advantages
from howsure.models.fitting.labels import fit_dirichlet
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.figures import Plot, Point, point_of
from howsure.papers.legacy import published_metric
from howsure.papers.published import Measured, PublishedNumber, Setting, figures, lookup
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.score_sums import Summands

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


NAMES = {"accuracy": "accuracy", "tv": "total variation", "wins": "wins", "kl": "KL divergence"}
BUDGETS = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000)
RESPONSES = (*range(1, 11), *range(20, 101, 20), 140, 200, 300, 400, 500)
PRECISION = 0.1
FEW_ITEMS = 10
"""Repeated sets of responses of one item, from which its own variance is estimated."""


def _measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return p and width of every metric and budget at one K: one pool of item scores serves every budget."""
    model, responses = preset("categorical-d3code"), setting["responses"]
    metrics = [published_metric(METRICS.get(name, name)).on(model.scale) for name in NAMES]
    additive = [metric for metric in metrics if isinstance(metric, AdditiveMetric)]
    engine = ExactEngine(model, additive, (responses,) * 3, epsilon=0.3, seed=child(simulation.seed, "pool"))
    sizes = {budget: budget // responses for budget in BUDGETS if budget >= responses}
    engine.sharpen([*sizes.values()], max(0.003, min(0.05, PRECISION / math.sqrt(simulation.n_simulations))))
    found: dict[str, float] = {}
    for number, (name, pool) in enumerate(zip(NAMES, engine.pools, strict=True)):
        sums = Summands(pool.grid)
        labels = len(model.scale.levels) if name == "tv" else 1
        for budget, n_items in sizes.items():
            outlook = engine.outlook(number, n_items)
            total = sums.times(n_items)
            width = (total.quantile(0.975) - total.quantile(0.025)) * pool.step / n_items / labels
            found |= {
                f"{name} {budget} p": outlook.expected_pvalue,
                f"{name} {budget} p_error": outlook.expected_pvalue_error,
                f"{name} {budget} width": float(width),
                f"{name} {budget} width_error": float(width) * pool.variance_error / 2,
            }
    return found


def _points(quantity: str) -> Any:
    def points(measured: Sequence[Measured]) -> list[Point]:
        found = []
        for name, panel in NAMES.items():
            for budget in BUDGETS:
                known = f"{name} {budget} {quantity}"
                found += [
                    point_of(panel, f"{budget:,}", setting["responses"], values, known)
                    for setting, values in measured
                    if known in values
                ]
        return found

    return points


def _settings(figure: int, several: Sequence[int]) -> Callable[[], list[dict[str, Any]]]:
    return lambda: [{"figure": figure, "responses": responses} for responses in several]


def _within(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return how much the score of one item varies between sets of K responses: quantiles over items, for A and B."""
    model, responses = preset("categorical-jobsq3"), setting["responses"]
    metric = published_metric("tv-sum-legacy").on(model.scale)
    assert isinstance(metric, ItemMetric)
    n_items = max(20, simulation.n_simulations // 2)
    stream = np.random.default_rng(child(simulation.seed, "items"))
    sources = model.sources((1, n_items), stream, epsilon=0.3)
    gold, a, b = (
        np.stack([source.summary("counts", responses, stream)[0] for _ in range(FEW_ITEMS)]) for source in sources
    )
    found: dict[str, float] = {}
    for side, counts in (("A", a), ("B", b)):
        variances = metric.item_scores(gold, counts).var(axis=0, ddof=1)
        found |= {f"{side} mean": float(variances.mean())}
        found |= {f"{side} {share}": float(np.quantile(variances, share)) for share in (0.05, 0.95)}
    return found


def _within_points(measured: Sequence[Measured]) -> list[Point]:
    found = []
    for side in ("A", "B"):
        for setting, values in measured:
            y, low, high = (values[f"{side} {name}"] for name in ("mean", "0.05", "0.95"))
            found.append(Point("JobsQ3", f"machine {side}", setting["responses"], y, low, high))
    return found


SHARES = tuple(round(share, 2) for share in np.arange(0.01, 1, 0.02))


def _differences_settings() -> list[dict[str, Any]]:
    return [{"figure": 6, "epsilon": epsilon, "responses": k} for epsilon in (0.01, 0.3) for k in (1, 10, 100)]


def _differences(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return the quantiles of the advantages of simulated data sets, by accuracy and by wins."""
    model = preset("categorical-toxicity")
    metrics = [published_metric(METRICS.get(name, name)).on(model.scale) for name in ("accuracy", "wins")]
    draws = simulate_advantages(
        model,
        metrics,
        n_items=2500 // setting["responses"],
        n_responses=setting["responses"],
        epsilon=setting["epsilon"],
        n_simulations=simulation.n_simulations,
        rng=simulation.seed,
        workers=1,
    )
    return {
        f"{name} {share}": float(np.quantile(values, share))
        for name, values in zip(("accuracy", "wins"), draws, strict=True)
        for share in SHARES
    }


def _differences_points(measured: Sequence[Measured]) -> list[Point]:
    return [
        Point(f"{name}, ε = {setting['epsilon']:g}", f"K = {setting['responses']}", values[f"{name} {share}"], share)
        for epsilon in (0.01, 0.3)
        for name in ("accuracy", "wins")
        for setting, values in measured
        if setting["epsilon"] == epsilon
        for share in SHARES
    ]


FIGURES = {
    3: Plot(
        title="p against K on D3code, ε = .3", x="responses per item, K", y="expected p", series="N × K",
        settings=_settings(3, RESPONSES), measure=_measure, points=_points("p"), log_x=True,
        notes=("The paper's figure runs over K up to 500 in steps of 20; here some of them are skipped.",),
    ),
    4: Plot(
        title="width of the 95% interval against K on D3code, ε = .3", x="responses per item, K",
        y="width of the interval", series="N × K", settings=_settings(3, RESPONSES), measure=_measure,
        points=_points("width"), log_x=True,
        notes=("The width of total variation is divided by the number of labels, as the paper's is.",),
    ),
    5: Plot(
        title="how much the score of one item varies between sets of K responses, JobsQ3",
        x="responses per item, K", y="variance within items", series="scores of",
        settings=_settings(5, (1, 2, 3, 5, 10, 20, 50, 100)), measure=_within, points=_within_points, log_x=True,
        notes=(
            "Read as: the variance of an item's total variation from gold over repeated sets of K responses of gold "
            "and machine, ε = .3; the band holds 5 to 95% of the items.",
        ),
    ),
    6: Plot(
        title="advantages of simulated data sets by K on Toxicity, N × K = 2,500",
        x="advantage (above 0: A is better)", y="share of data sets up to here", series="responses per item",
        settings=_differences_settings, measure=_differences, points=_differences_points, mark="step",
        notes=(
            "The caption says ε = .01. There the advantages of wins spread to both sides alike, while the text says "
            "that they grow almost only in the positive direction, as they do at ε = .3.",
        ),
    ),
}  # fmt: skip
WITHOUT_NUMBERS = {1: "a diagram of how models are assessed", 2: "a diagram of the simulator"}
