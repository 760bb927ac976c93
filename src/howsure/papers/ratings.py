"""RATINGS: budgets, p and effects of response models fitted to seven datasets (tables 1 to 3).

Figures 1 to 11 show shapes and fits of the response models, p against K, and the power of five tests.
"""

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from howsure._random import child, generator
from howsure.data.scales import FloatArray
from howsure.inference import expected_pvalue
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import LikertModel, ResponseModel, preset
from howsure.models.answers import LikertAnswers
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.figures import Plot, Point, point_of, spread_of
from howsure.papers.legacy import published_metric
from howsure.papers.published import Measured, PublishedNumber, Setting, figures, lookup
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Setting as ItemSetting
from howsure.planning.engines.monte_carlo import simulated_power

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


RESPONSES = (1, 2, 5, 10, 20, 50, 100, 200, 500)
BUDGETS = (1000, 2500, 5000, 10_000, 25_000)
FEW_RESPONSES, FEW_BUDGETS = (1, 5, 10, 25, 50, 100), (500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000)
NAMES = {"mae": "MAE", "wins": "wins", "memd": "mean EMD (legacy)"}
MOST_ITEMS = 2_500_000
"""Simulated items of one kind in a cell: large designs get fewer data sets, 100 at least."""
_INSIDE = (
    "p as the tables of the paper have it: an item bootstrap inside every simulated data set, which doubles the "
    "variance between items."
)


_AXES: dict[str, Any] = {"x": "responses per item, K", "y": "expected p", "log_x": True}
_ONE_RESPONSE = "With one response the legacy EMD is 0 whatever is answered, so its p is 1."


def _size(simulation: SimulationSize, n_items: int) -> SimulationSize:
    most = max(100, MOST_ITEMS // n_items)
    return SimulationSize(min(simulation.n_simulations, most), simulation.seed)


# Figures 1 and 2: what the models look like.

SHAPES = ((0.1, 0.1), (0.5, 0.1), (0.5, 0.3), (0.5, 1.0), (-0.2, 0.4), (1.2, 0.4))


def _shapes(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    found: dict[str, float] = {}
    for mean, sd in SHAPES:
        answers = LikertAnswers(np.array([[mean]]), np.array([[sd]]), np.arange(5) / 5)
        found |= {f"{mean} {sd} {i}": float(share) for i, share in enumerate(answers.shares[0, 0])}
    return found


def _shape_points(measured: Sequence[Measured]) -> list[Point]:
    [(_, values)] = measured
    return [
        Point(f"mean {mean:g}, standard deviation {sd:g}", "censored normal", i / 5, values[f"{mean} {sd} {i}"])
        for mean, sd in SHAPES
        for i in range(5)
    ]


FITS = {"Toxicity": "likert-toxicity", "MultiDomain": "likert-multidomain"}
PLACES = np.linspace(0, 1, 201)


def _fits(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return shares of items up to each place: the families that are drawn from, and five simulated responses."""
    model = preset(FITS[setting["dataset"]])
    assert isinstance(model, LikertModel)
    draws = model.draw(1, 20_000, n_responses=5, needs="values", rng=child(simulation.seed, "responses"))
    observed = {"mean": draws[0][0].mean(axis=-1), "sd": draws[0][0].std(axis=-1)}
    found: dict[str, float] = {}
    for name, family in (("mean", model.mean), ("sd", model.sd)):
        curves = {"family": family.cdf(PLACES), "responses": np.mean(observed[name][:, None] <= PLACES + 1e-9, axis=0)}
        if setting["dataset"] == "Toxicity" and name == "mean":
            curves["printed"] = ndtr((PLACES - 0.19) / 0.11) - ndtr((-PLACES - 0.19) / 0.11)
        for series, values in curves.items():
            found |= {f"{name} {series} {i}": float(value) for i, value in enumerate(values)}
    return found


SERIES = {
    "family": "the family that is drawn from",
    "responses": "of five simulated responses",
    "printed": "the printed folded normal (.19, .11)",
}


def _fit_points(measured: Sequence[Measured]) -> list[Point]:
    found = []
    for setting, values in measured:
        for name, said in (("mean", "item means"), ("sd", "item standard deviations")):
            for series, shown in SERIES.items():
                found += [
                    Point(f"{setting['dataset']}: {said}", shown, float(x), values[f"{name} {series} {i}"])
                    for i, x in enumerate(PLACES.round(6))
                    if f"{name} {series} {i}" in values
                ]
    return found


# Figures 3, 4 and 5: p against K.

STUDIED = {"Toxicity": ("likert-toxicity", 0.05), "MultiDomain": ("likert-multidomain", 0.1)}
STAGES = {"multistage": "items and responses", "flat": "items only, responses averaged first"}


def _staged_settings(datasets: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"figure": 3, "dataset": dataset, "budget": budget, "responses": responses}
        for dataset in datasets
        for budget in BUDGETS
        for responses in RESPONSES
        if budget // responses >= 2
    ]


def _staged(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Return p of MAE at one design, with responses that are drawn anew, and with their averages alone."""
    name, epsilon = STUDIED[setting["dataset"]]
    model, responses = preset(name), setting["responses"]
    n_items = setting["budget"] // responses
    sized = _size(simulation, n_items)
    [outcome] = sized.outcomes(
        model,
        [published_metric("mae").on(model.scale)],
        n_items=n_items,
        n_responses=responses,
        epsilon=epsilon,
        resample_simulated=True,
    )
    flat = expected_pvalue(*_flat(model, n_items, responses, epsilon, sized))
    return {
        **spread_of(outcome, "multistage"),
        "flat p": flat.pvalue,
        "flat p_error": flat.standard_error,
        "flat p_is_bound": float(flat.is_bound),
    }


def _flat(
    model: ResponseModel, n_items: int, n_responses: int, epsilon: float, simulation: SimulationSize
) -> tuple[FloatArray, FloatArray]:
    """Return null advantages and advantages of MAE where an item has one answer of each source, its average.

    Both draw items with replacement; in the null a fair coin decides for each model whether A's or B's average is it.
    """
    stream = generator(simulation.seed, "flat")
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(simulation.n_simulations):
        for null, kept in zip((True, False), found, strict=True):
            gold, a, b = (
                side[0]
                for side in model.draw(1, n_items, n_responses=n_responses, epsilon=epsilon, needs="means", rng=stream)
            )
            if null:
                first, second = (np.where(stream.random(n_items) < 0.5, a, b) for _ in range(2))
            else:
                first, second = a, b
            advantages = np.abs(second - gold) - np.abs(first - gold)
            kept.append(float(advantages[stream.integers(0, n_items, n_items)].mean()))
    return np.array(found[0]), np.array(found[1])


def _staged_points(stages: Sequence[str], datasets: Sequence[str]) -> Any:
    def points(measured: Sequence[Measured]) -> list[Point]:
        found = []
        for stage in stages:
            for dataset in datasets:
                panel = f"{dataset}, ε = {STUDIED[dataset][1]:g}"
                panel += f": {STAGES[stage]}" if len(stages) > 1 else ""
                for setting, values in measured:
                    if setting["dataset"] == dataset:
                        series, x = f"{setting['budget']:,}", setting["responses"]
                        found.append(point_of(panel, series, x, values, f"{stage} p"))
        return found

    return points


FIVE = {"mae": "MAE", "wins": "wins", "emd-histogram-legacy": "mean EMD (legacy)", "mse": "MSE", "spearman": "Spearman"}


def _metrics_settings() -> list[dict[str, Any]]:
    return [
        {"figure": 5, "dataset": dataset, "responses": responses}
        for dataset in STUDIED
        for responses in RESPONSES
        if 2500 // responses >= 5
    ]


def _by_metrics(
    model: ResponseModel, names: Sequence[str], simulation: SimulationSize, design: tuple[int, int], epsilon: float
) -> dict[str, float]:
    """Return p by each metric at a design, budget and K."""
    budget, responses = design
    n_items = budget // responses
    metrics: list[Metric] = [published_metric(METRICS.get(name, name)).on(model.scale) for name in names]
    outcomes = _size(simulation, n_items).outcomes(
        model, metrics, n_items=n_items, n_responses=responses, epsilon=epsilon, resample_simulated=True
    )
    found: dict[str, float] = {}
    for name, outcome in zip(names, outcomes, strict=True):
        found |= spread_of(outcome, name)
    return found


def _metrics(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    name, epsilon = STUDIED[setting["dataset"]]
    return _by_metrics(preset(name), [*FIVE], simulation, (2500, setting["responses"]), epsilon)


def _metrics_points(measured: Sequence[Measured]) -> list[Point]:
    panels = {dataset: f"{dataset}, ε = {epsilon:g}" for dataset, (_, epsilon) in STUDIED.items()}
    return [
        point_of(panels[setting["dataset"]], shown, setting["responses"], values, f"{name} p")
        for name, shown in FIVE.items()
        for setting, values in measured
    ]


# Figure 6: power.

TESTS = {
    "pooled-responses": "multistage bootstrap",
    "sign-flip": "paired permutation",
    "welch-t": "Welch's t",
    "wilcoxon": "Wilcoxon signed-rank",
}
PANELS = (
    *((f"K = {k}, against items", n, k) for k in (5, 10) for n in (100, 200, 400, 700, 1000, 1500, 2000)),
    *(("N = 1,000, against responses", 1000, k) for k in (1, 2, 3, 5, 7, 10)),
)


def _power_settings() -> list[dict[str, Any]]:
    return [{"figure": 6, "panel": panel, "items": n, "responses": k} for panel, n, k in PANELS]


def _power(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    model = preset("likert-toxicity")
    metric = published_metric("mae").on(model.scale)
    item_setting = ItemSetting(model, (setting["responses"],) * 3, 0.1)
    found: dict[str, float] = {}
    for name in TESTS:
        answer = simulated_power(
            item_setting,
            metric,
            setting["items"],
            Test(name),
            seed=child(simulation.seed, "power"),
            n=max(2, simulation.n_simulations // 4),
        )
        found |= {f"{name} power": answer.power, f"{name} power_error": answer.error}
    return found


def _power_points(measured: Sequence[Measured]) -> list[Point]:
    found = []
    for name, shown in TESTS.items():
        for setting, values in measured:
            x = setting["responses"] if setting["panel"].startswith("N") else setting["items"]
            found.append(point_of(setting["panel"], shown, x, values, f"{name} power"))
    return found


# Figures 7 to 11: p against K for one data set each.

DATASETS = {7: "Amazon", 8: "HS-Brexit", 9: "ConvAbuse", 10: "ArMIS", 11: "MHS"}


def _dataset_plot(figure: int) -> Plot:
    def settings() -> list[dict[str, Any]]:
        return [
            {"figure": figure, "budget": budget, "responses": responses}
            for budget in FEW_BUDGETS
            for responses in FEW_RESPONSES
        ]

    def measure(setting: Setting, simulation: SimulationSize) -> dict[str, float]:
        model = preset(f"likert-{DATASETS[figure].lower()}")
        return _by_metrics(model, [*NAMES], simulation, (setting["budget"], setting["responses"]), 0.1)

    def points(measured: Sequence[Measured]) -> list[Point]:
        return [
            point_of(shown, f"{setting['budget']:,}", setting["responses"], values, f"{name} p")
            for name, shown in NAMES.items()
            for setting, values in measured
        ]

    title, notes = f"p against K on {DATASETS[figure]}, ε = .1", (_INSIDE, _ONE_RESPONSE)
    return Plot(title=title, series="N × K", settings=settings, measure=measure, points=points, notes=notes, **_AXES)


FIGURES = {
    1: Plot(
        title="shapes that a censored normal can have", x="level", y="share of responses", series="shape",
        settings=lambda: [{"figure": 1}], measure=_shapes, points=_shape_points, mark="bar",
        notes=("The paper does not print the parameters of its examples; these are ours.",),
    ),
    2: Plot(
        title="item means and standard deviations of the fitted models", x="value", y="share of items up to here",
        series="distribution", settings=lambda: [{"figure": 2, "dataset": dataset} for dataset in FITS],
        measure=_fits, points=_fit_points,
        notes=(
            "The data sets are not part of this package: beside the families stand five simulated responses per item.",
            "The caption prints a folded normal with ⟨.19, .11⟩ for the item means of Toxicity; the tables of the "
            "paper come out with that of LEADER, |N(0, .28)| clamped to .8.",
        ),
    ),
    3: Plot(
        title="p of MAE against K, items and responses drawn or items alone", series="N × K",
        settings=lambda: _staged_settings([*STUDIED]), measure=_staged,
        points=_staged_points([*STAGES], [*STUDIED]), **_AXES,
        notes=(_INSIDE, "Items only: each model's average of an item is drawn from the averages of A and B by a fair "
               "coin, and items are bootstrapped. The paper does not spell this out; it is our reading.",
               "That p falls with K comes out. That the multistage bootstrap gives smaller p-values than items only "
               "does not: with 300 data sets its p is the smaller one at 33 of the 90 points."),
    ),
    4: Plot(
        title="p of MAE against K on Toxicity, p on a logarithmic scale", series="N × K",
        settings=lambda: _staged_settings(["Toxicity"]), measure=_staged,
        points=_staged_points(["multistage"], ["Toxicity"]), log_y=True, **_AXES,
        notes=(_INSIDE, "A p that the data sets cannot tell from zero stands at 1 / (their number + 1)."),
    ),
    5: Plot(
        title="p against K by five metrics, N × K = 2,500", series="metric", settings=_metrics_settings,
        measure=_metrics, points=_metrics_points, **_AXES,
        notes=(
            _INSIDE, _ONE_RESPONSE, "The paper does not name its five metrics here; the last two are our choice. ε as "
            "in the captions of its panels; the text says .1 for both.",
        ),
    ),
    6: Plot(
        title="power on Toxicity, ε = .1, level .05", x="items, or responses per item", y="power", series="test",
        settings=_power_settings, measure=_power, points=_power_points,
        notes=(
            "The multistage bootstrap rejects true nulls too often with few responses, so that its lead is in part not "
            "power: see the page on which p-value to trust.",
        ),
    ),
    **{figure: _dataset_plot(figure) for figure in DATASETS},
}  # fmt: skip
WITHOUT_NUMBERS: dict[int, str] = {}
