"""Designs that differ in their number of items only: they share what is simulated, so they are computed together.

A group is what `plan` computes inline, and what `howsure plan --store` and `--dask` compute elsewhere: the same
function with the same seed gives the same numbers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from howsure._random import entropy_of
from howsure.data.scales import Scale
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval
from howsure.metrics import Metric, entry_of, metric_from
from howsure.models import from_dict
from howsure.planning.choices import ItemSearch, Target
from howsure.planning.designs import Design
from howsure.planning.engines.base import DesignOutlook, Engine, TestPower
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.model import ModelEngine
from howsure.planning.request import PlanRequest, Scenario
from howsure.planning.result import Cell
from howsure.sweeps import Grid, task

NUMBERS = (
    "advantage",
    "advantage_error",
    "expected_pvalue",
    "expected_pvalue_error",
    "ci_width",
    "ci_width_error",
    "power",
    "power_error",
    "standard_error",
    "detectable",
    "detectable_epsilon",
    "expected_pvalue_is_bound",
)


def cells_of(engine: Engine, scenario: Scenario, shape: Design, search: ItemSearch) -> list[Cell]:
    """Compute the cells of a group: test after test, design after design, metric after metric. Costs come later."""
    request = scenario.request
    # Every metric is searched for by itself: one may need twice the items of another.
    metrics = range(len(scenario.names))
    numbers = {
        (test, metric): search.numbers(engine, shape, test, metric) for test in request.tests for metric in metrics
    }
    engine.prepare([shape.with_items(n) for n in sorted({n for each in numbers.values() for n in each})])
    cells = []
    for test in request.tests:
        for n in sorted({n for metric in metrics for n in numbers[test, metric]}):
            design = shape.with_items(n)
            for metric, name in enumerate(scenario.names):
                if n not in numbers[test, metric]:
                    continue
                found = engine.outlook(design, metric)
                # Student's interval of two or three items is wider than two models can differ.
                found = replace(found, ci_width=min(found.ci_width, _widest(scenario.metrics[metric])))
                power = engine.power(design, metric, test) if request.with_power else None
                solved = (math.nan, math.nan)
                if search.detect is not None:
                    solved = engine.detectable(design, metric, test, search.detect)
                cells.append(
                    replace(
                        cell_of(engine, design, found, power, test, metric=metric, name=name),
                        epsilon=scenario.epsilon,
                        epsilon_a=request.epsilon_a,
                        detectable=solved[0],
                        detectable_epsilon=solved[1],
                    )
                )
    return cells


def _widest(metric: Metric) -> float:
    """Return the distance between the largest and the least advantage that a metric allows; infinite for most."""
    return 2.0 if metric.relative else 2 * metric.span


def cell_of(
    engine: Engine,
    design: Design,
    found: DesignOutlook,
    power: TestPower | None,
    test: Test,
    *,
    metric: int = 0,
    name: str = "",
    cost: float = math.nan,
) -> Cell:
    """Return what an engine found for a design and a metric (its number and name) as a cell."""
    return Cell(
        **{part.name: getattr(found, part.name) for part in fields(found)},
        design=design,
        metric=name,
        test="" if power is None else engine.test_name(design, test),
        epsilon=None,
        power=math.nan if power is None else power.power,
        power_error=math.nan if power is None else power.error,
        power_interval=None if power is None else power.interval,
        cost=cost,
        engine=engine.name(metric),
    )


def cells_of_model(scenario: Scenario, shape: Design, search: ItemSearch) -> list[Cell]:
    """Compute the cells of one group of a response model."""
    return cells_of(ModelEngine(scenario), scenario, shape, search)


Group = tuple[Scenario, Design, ItemSearch]


def grid_of(groups: Sequence[Group]) -> Grid:
    """Return the groups as cells of a study."""
    return Grid(_parameters(*group) for group in groups)


SETTINGS = (
    "epsilon_a",
    "alpha",
    "alternative",
    "confidence_level",
    "engine",
    "n_simulations",
    "precision",
    "resample_simulated",
)
"""Fields of a request that decide the numbers of a group, beside those that a scenario resolves."""


def _parameters(scenario: Scenario, shape: Design, search: ItemSearch) -> dict[str, Any]:
    request = scenario.request
    return {
        "model": scenario.model.to_dict(),
        "epsilon": scenario.epsilon,
        "perturbation": scenario.perturbation,
        "test": None if request.test is None else list(request.test),
        **{name: getattr(request, name) for name in SETTINGS},
        "metric": [_entry(metric, scenario.model.scale) for metric in scenario.metrics],
        "n_responses": list(shape.n_responses),
        "n_items": list(search.n_items),
        "limit": search.limit,
        "target": None if search.target is None else asdict(search.target),
        "detect": search.detect,
        "seed": entropy_of(scenario.seed),
    }


@task(version=5)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Compute a group of designs, by several metrics and tests; `cell` is one of `grid_of`.

    The name of every number begins with the place of its design. The random numbers are those of the plan's own seed,
    which the cell holds, not those of `rng`.
    """
    target = cell["target"]
    search = ItemSearch(
        n_items=tuple(cell["n_items"]),
        limit=cell["limit"],
        detect=cell["detect"],
        target=None if target is None else Target(**target),
    )
    request = PlanRequest(
        metrics=tuple(metric_from(entry) for entry in cell["metric"]),
        rng=cell["seed"],
        **{name: cell[name] for name in ("perturbation", "test", *SETTINGS)},
    )
    scenario = Scenario.of(from_dict(cell["model"]), request, workers=1).at(cell["epsilon"])
    found = cells_of_model(scenario, Design(1, *cell["n_responses"]), search)
    return {
        f"{place} {name}": value for place, each in enumerate(found) for name, value in _flat(each, scenario).items()
    }


def _flat(cell: Cell, scenario: Scenario) -> dict[str, float]:
    interval = cell.power_interval
    names, tests = scenario.names, [test.name for test in scenario.request.tests]
    return {
        "n_items": cell.n_items,
        "metric": names.index(cell.metric),
        "test": tests.index(cell.test) if cell.test else 0,
        "low": math.nan if interval is None else interval.low,
        "high": math.nan if interval is None else interval.high,
        **{name: float(getattr(cell, name)) for name in NUMBERS},
    }


def cells_from(scenario: Scenario, shape: Design, values: Mapping[str, Any]) -> list[Cell]:
    """Return the cells of a group from the numbers that `measure` gave."""
    rows: dict[int, dict[str, float]] = {}
    for key, value in values.items():
        number, _, name = key.partition(" ")
        rows.setdefault(int(number), {})[name] = math.nan if value is None else float(value)
    request, engine = scenario.request, ModelEngine(scenario)
    cells = []
    for place in sorted(rows):
        row = rows[place]
        metric, ends = int(row.pop("metric")), (row.pop("low"), row.pop("high"))
        test = request.tests[int(row.pop("test"))].name
        interval = None
        if not math.isnan(ends[0]):
            interval = ConfidenceInterval(*ends, "percentile", request.confidence_level)
        cells.append(
            Cell(
                design=shape.with_items(int(row.pop("n_items"))),
                metric=scenario.names[metric],
                test=test if request.with_power else "",
                epsilon=scenario.epsilon,
                epsilon_a=request.epsilon_a,
                cost=math.nan,
                engine=engine.name(metric),
                expected_pvalue_is_bound=bool(row.pop("expected_pvalue_is_bound")),
                power_interval=interval,
                **row,  # type: ignore[arg-type]
            )
        )
    return cells


def _entry(metric: Metric, scale: Scale) -> str | dict[str, Any]:
    found = entry_of(metric, scale)
    if found is None:
        raise ArgumentError(f"metric {metric.name!r} has no name that a study could keep; plan without a store.")
    return found
