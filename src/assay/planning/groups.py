"""Designs that differ in their number of items only: they share what is simulated, so they are computed together.

A group is what `plan` computes inline, and what `assay plan --store`, `--dask` and `assay sweep` (task "plan") compute
elsewhere: the same function with the same seed gives the same numbers.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from assay._random import entropy_of, seed_of
from assay.errors import ArgumentError
from assay.inference import ConfidenceInterval
from assay.metrics import Metric, entry_of, metric_from
from assay.models import from_dict
from assay.models.base import check_sizes
from assay.planning.designs import Design
from assay.planning.engines.base import DesignOutlook, Engine, TestPower
from assay.planning.engines.model import ModelEngine
from assay.planning.engines.simulated_pvalues import Test
from assay.planning.plans import Cell
from assay.planning.premises import Premises, premises
from assay.planning.targets import Target, fewest_items
from assay.scales import Scale
from assay.sweeps import Grid, task

NUMBERS = (
    "contrast",
    "contrast_error",
    "expected_pvalue",
    "expected_pvalue_error",
    "ci_width",
    "ci_width_error",
    "power",
    "power_error",
)

MORE_NUMBERS = (
    *NUMBERS,
    "standard_error",
    "detectable",
    "detectable_epsilon",
    "low",
    "high",
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
        The power with which the smallest detectable contrast is found.
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
    """Say what one design may expect by one metric; or a group of designs, by several metrics and tests.

    Parameters of a cell: `model` (a preset's name, or a model as in a model file), `metric`, `n_items`, `n_responses`
    (one number or three), and any option of `premises`, such as `epsilon`, `test`, `engine` or `precision`. Where
    `metric` and `n_items` are lists, every number begins with the place of its design.
    """
    others = {"n_items", "n_responses", "metric", "model", "limit", "target", "detect", "seed"}
    options = {name: value for name, value in cell.items() if name not in others}
    described = cell["model"]
    model = from_dict(dict(described)) if isinstance(described, Mapping) else described
    seed = cell.get("seed", entropy_of(seed_of(rng)))
    metrics = [metric_from(entry) for entry in _listed(cell["metric"])]
    given = premises(model, metrics=metrics, rng=seed, workers=1, **options)
    sizes = cell["n_responses"]
    shape = Design(1, *check_sizes(sizes if isinstance(sizes, int) else tuple(sizes)))
    target = cell.get("target")
    wanted = Wanted(
        n_items=tuple(_listed(cell["n_items"])),
        limit=cell.get("limit", 0),
        detect=cell.get("detect"),
        target=None if target is None else Target(**target),
    )
    found = of_model(given, shape, wanted)
    if not isinstance(cell["metric"], list | tuple) and not isinstance(cell["n_items"], list | tuple):
        return {name: float(getattr(found[0], name)) for name in NUMBERS}
    return {f"{place} {name}": value for place, each in enumerate(found) for name, value in _flat(each, given).items()}


def _flat(cell: Cell, given: Premises) -> dict[str, float]:
    interval = cell.power_interval
    ends = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    numbers = {"low": ends[0], "high": ends[1]}
    numbers |= {name: float(getattr(cell, name)) for name in MORE_NUMBERS if name not in numbers}
    names, tests = [metric.name for metric in given.metrics], [test.name for test in given.tests]
    place = tests.index(cell.test) if cell.test else 0
    return {"n_items": cell.n_items, "metric": names.index(cell.metric), "test": place, **numbers}


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


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
