"""Designs that differ in their number of items only: they share what is simulated, so they are computed together.

A group is what `plan` computes inline, and what `howsure plan --store` and `--dask` compute elsewhere: the same
function with the same seed gives the same numbers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from howsure._random import entropy_of
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval
from howsure.metrics import Metric, entry_of, metric_from
from howsure.models import from_dict
from howsure.planning.designs import Design
from howsure.planning.engines.base import DesignOutlook, Engine, TestPower
from howsure.planning.engines.model import ModelEngine
from howsure.planning.engines.simulated_pvalues import Test
from howsure.planning.plans import Cell
from howsure.planning.premises import Premises, premises
from howsure.planning.targets import Target, fewest_items
from howsure.scales import Scale
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which numbers of items a group has: those given, or the fewest that reach a target.

    Attributes
    ----------
    n_items : tuple of int
        Numbers of items that are computed in any case.
    limit : int
        The most items that a search may end with; 0 where nothing is searched.
    target : Target or None
    detect : float or None
        The power with which the smallest detectable advantage is found.
    """

    n_items: tuple[int, ...] = ()
    limit: int = 0
    target: Target | None = None
    detect: float | None = None


def cells_of(
    engine: Engine,
    shape: Design,
    wanted: Wanted,
    *,
    metrics: Sequence[str],
    tests: Sequence[Test],
    with_power: bool,
    strengths: tuple[float, float | None] = (0.0, None),
) -> list[Cell]:
    """Compute the cells of a group: test after test, design after design, metric after metric. Costs come later."""
    numbers = {test: _numbers(engine, shape, wanted, test) for test in tests}
    designs = [shape.with_items(n) for n in sorted({n for each in numbers.values() for n in each})]
    engine.prepare(designs)
    cells = []
    for test in tests:
        for n in numbers[test]:
            design = shape.with_items(n)
            for metric, name in enumerate(metrics):
                found = engine.outlook(design, metric)
                power = engine.power(design, metric, test) if with_power else None
                cell = cell_of(engine, design, found, power, test, metric=metric, name=name)
                solved = (math.nan, math.nan)
                if wanted.detect is not None:
                    solved = engine.detectable(design, metric, test, wanted.detect)
                cells.append(
                    replace(
                        cell,
                        epsilon=strengths[1],
                        epsilon_a=strengths[0],
                        detectable=solved[0],
                        detectable_epsilon=solved[1],
                    )
                )
    return cells


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


def _numbers(engine: Engine, shape: Design, wanted: Wanted, test: Test) -> list[int]:
    """Return the numbers of items: those given, and the fewest that reach the target (or the limit if none does)."""
    numbers = list(wanted.n_items)
    if not wanted.limit or wanted.target is None:
        return numbers
    target, tried = wanted.target, dict[int, float]()

    def value(n: int) -> float:
        if n not in tried:
            tried[n] = target.measure(engine, shape.with_items(n), test)
        return tried[n]

    guess = engine.guess(shape.with_items(2), test, target.value if target.kind == "power" else 0.8)
    found = fewest_items(value, target, guess=guess, most=wanted.limit)
    return sorted({*numbers, found or wanted.limit})


def of_model(given: Premises, shape: Design, wanted: Wanted) -> list[Cell]:
    """Compute the cells of one group of a response model."""
    return cells_of(
        ModelEngine(given),
        shape,
        wanted,
        metrics=[metric.name for metric in given.metrics],
        tests=given.tests,
        with_power=given.with_power,
        strengths=(given.epsilon_a, given.epsilon),
    )


def grid_of(groups: Sequence[tuple[Premises, Design, Wanted]]) -> Grid:
    """Return the groups as cells of a study."""
    return Grid(_parameters(*group) for group in groups)


def _parameters(given: Premises, shape: Design, wanted: Wanted) -> dict[str, Any]:
    return {
        "model": given.model.to_dict(),
        "epsilon": given.epsilon,
        "epsilon_a": given.epsilon_a,
        "perturbation": given.perturbation,
        "test": [test.name for test in given.tests] if given.with_power else None,
        "alpha": given.tests[0].alpha,
        "alternative": given.tests[0].alternative,
        "confidence_level": given.confidence_level,
        "engine": given.engine,
        "n_simulations": given.n_simulations,
        "precision": given.precision,
        "resample_simulated": given.resample_simulated,
        "metric": [_entry(metric, given.model.scale) for metric in given.metrics],
        "n_responses": list(shape.n_responses),
        "n_items": list(wanted.n_items),
        "limit": wanted.limit,
        "target": None if wanted.target is None else asdict(wanted.target),
        "detect": wanted.detect,
        "seed": entropy_of(given.seed),
    }


@task(version=4)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Compute a group of designs, by several metrics and tests; `cell` is one of `grid_of`.

    The name of every number begins with the place of its design. The random numbers are those of the plan's own seed,
    which the cell holds, not those of `rng`.
    """
    asked = dict(cell)
    target = asked.pop("target")
    wanted = Wanted(
        n_items=tuple(asked.pop("n_items")),
        limit=asked.pop("limit"),
        detect=asked.pop("detect"),
        target=None if target is None else Target(**target),
    )
    shape = Design(1, *asked.pop("n_responses"))
    model, seed = from_dict(asked.pop("model")), asked.pop("seed")
    metrics = [metric_from(entry) for entry in asked.pop("metric")]
    given = premises(model, metrics=metrics, rng=seed, workers=1, **asked)
    found = of_model(given, shape, wanted)
    return {f"{place} {name}": value for place, each in enumerate(found) for name, value in _flat(each, given).items()}


def _flat(cell: Cell, given: Premises) -> dict[str, float]:
    interval = cell.power_interval
    names, tests = [metric.name for metric in given.metrics], [test.name for test in given.tests]
    return {
        "n_items": cell.n_items,
        "metric": names.index(cell.metric),
        "test": tests.index(cell.test) if cell.test else 0,
        "low": math.nan if interval is None else interval.low,
        "high": math.nan if interval is None else interval.high,
        **{name: float(getattr(cell, name)) for name in NUMBERS},
    }


def read(given: Premises, shape: Design, values: Mapping[str, Any]) -> list[Cell]:
    """Return the cells of a group from the numbers that `measure` gave."""
    rows: dict[int, dict[str, float]] = {}
    for key, value in values.items():
        number, _, name = key.partition(" ")
        rows.setdefault(int(number), {})[name] = math.nan if value is None else float(value)
    engine = ModelEngine(given)
    cells = []
    for place in sorted(rows):
        row = rows[place]
        metric, ends = int(row.pop("metric")), (row.pop("low"), row.pop("high"))
        test = given.tests[int(row.pop("test"))].name
        interval = None
        if not math.isnan(ends[0]):
            interval = ConfidenceInterval(*ends, "percentile", given.confidence_level)
        cells.append(
            Cell(
                design=shape.with_items(int(row.pop("n_items"))),
                metric=given.metrics[metric].name,
                test=test if given.with_power else "",
                epsilon=given.epsilon,
                epsilon_a=given.epsilon_a,
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
