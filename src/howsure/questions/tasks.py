"""Questions as the tasks of a study: a cell is a question, and its row the numbers of the answer.

A cell has the options of the command of the same name, underscores for hyphens; the file `table` of a study's [files]
stands for the files of the question. A parameter `repetition` is not used: an axis of that name repeats every question
with other draws.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from howsure._fields import fields_of
from howsure.errors import ArgumentError
from howsure.questions.base import Run
from howsure.sweeps import task

if TYPE_CHECKING:
    import numpy as np

    from howsure.questions.base import Question
    from howsure.records import Record
    from howsure.sweeps import Grid, Sweep, Task
    from howsure.sweeps.grid import Cell

TASKS = {
    "audit": "howsure.questions.tasks:audit",
    "compare": "howsure.questions.tasks:compare",
    "describe": "howsure.questions.tasks:describe",
    "plan": "howsure.questions.tasks:plan",
    "replicate": "howsure.questions.tasks:replicate",
}
"""Ready-made tasks: the short name that a study document may use, and the task's address."""

PLANNED = (
    "advantage",
    "advantage_error",
    "expected_pvalue",
    "expected_pvalue_error",
    "ci_width",
    "ci_width_error",
    "power",
    "power_error",
    "standard_error",
)
"""What a cell of plans tells of a design."""

ONE_OF_EACH = {"scheme": "bootstrap/all", "null": "sign-flip", "interval": "percentile", "test": "none"}
"""What a cell of an audit measures unless it says otherwise."""


@task(version=2)
def compare(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Compare A and B: options of `howsure compare`."""
    from howsure.questions.compare import Compare

    found: Any = _answer(Compare, cell, rng, Run(workers=1))
    [one] = found
    return {
        "a_score": one.a_score,
        "b_score": one.b_score,
        "advantage": one.advantage,
        "low": one.confidence_interval.low,
        "high": one.confidence_interval.high,
        "pvalue": one.pvalue,
    }


@task(version=1)
def audit(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Audit one p-value and one interval: options of `howsure audit`, one of each.

    At ε = 0 every rejection is an error; above, `power` is that of the design and `level` that of equally good models.
    """
    from howsure.auditing import compute
    from howsure.auditing.estimators import BOOTSTRAP_SIGN, EXPECTED
    from howsure.auditing.grid_point import WORSE
    from howsure.questions.audit import Audit
    from howsure.sweeps import Grid

    def last(measured: "Task", grid: "Grid", seed: int) -> "Sweep":
        return compute(Grid(list(grid)[-1:]), rng=seed)  # cells come by ε, and 0 is always the first

    found: Any = _answer(Audit, {**ONE_OF_EACH, **cell}, rng, Run(workers=1, study=last))
    rows = [row for row in found.tests if row.pvalue != EXPECTED or row.null == BOOTSTRAP_SIGN]
    if len({(row.metric, row.scheme, row.null) for row in rows}) > 1:
        raise ArgumentError(
            "a grid point audits one p-value; give one `metric`, `scheme` and `null`, and no more in `test`."
        )
    main, *_ = rows
    limits = [row for row in found.intervals if row.truth == main.truth]
    if len(limits) > 1:
        raise ArgumentError("a grid point audits one `interval`.")
    rates = {"power" if row.truth == WORSE else "level": row.rate for row in reversed(rows)}
    return rates | {
        "true_pvalue": main.true_pvalue,
        "bias": main.bias,
        "spread": main.spread,
        "absolute_error": main.absolute_error,
        "coverage": limits[0].coverage if limits else math.nan,
        "width": limits[0].width if limits else math.nan,
    }


@task(version=1)
def plan(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Say what a design may expect by one metric, or which design a target takes: options of `howsure plan`."""
    from howsure.questions.plan import Plan

    found: Any = _answer(Plan, cell, rng, Run(workers=1))
    if len({(each.metric, each.test, each.epsilon, each.budget) for each in found.cells}) > 1:
        raise ArgumentError("a grid point plans for one `metric`, `epsilon`, `test` and `budget`; make axes of them.")
    asked = {"target_power", "target_p", "target_width", "budget", "max_cost"} & cell.keys()
    design = found.recommended if asked or len(found.cells) > 1 else found.cells[0]
    if design is None:  # nothing within the limits reaches the target
        return dict.fromkeys(("n_items", "cost", *PLANNED), math.nan)
    responses = {f"n_responses_{name}": float(number) for name, number in design.n_responses.items()}
    sizes = {"n_items": float(design.n_items), **responses, "n_raters": float(design.n_raters), "cost": design.cost}
    return sizes | {name: float(getattr(design, name)) for name in PLANNED}


@task(version=1)
def describe(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Say how far raters agree, and what the error of an advantage is made of: options of `howsure describe`.

    Coefficients are named by their source where several have raters.
    """
    from howsure.questions.describe import Describe

    found: Any = _answer(Describe, cell, rng, Run(workers=1))
    rated = [source for source in found.sources if source.agreement is not None]
    values = {"n_items": float(found.n_items), "n_responses": float(sum(each.n_responses for each in found.sources))}
    for source in rated:
        whose = f"{source.name} " if len(rated) > 1 else ""
        for coefficient in source.agreement.coefficients:
            ends = coefficient.confidence_interval
            named = f"{whose}{coefficient.name}"
            values |= {named: coefficient.value, f"{named} low": ends.low, f"{named} high": ends.high}
    if found.components is not None:
        values |= {"standard_error": found.components.standard_error()}
        values |= {f"variance of {name}": float(part) for name, part in found.components.variances().items()}
    return values


@task(version=1)
def replicate(cell: "Cell", rng: "np.random.Generator") -> dict[str, float]:
    """Say how well published tables come out again: options of `howsure replicate`.

    Single parts of a table are cells of `howsure.papers.replicating:measure`, which the command itself computes.
    """
    from howsure.questions.replicate import Replicate
    from howsure.sweeps import run

    if cell.get("figure") is not None or cell.get("search"):
        raise ArgumentError("a grid point reproduces tables; `figure` and `search` give no numbers for a row.")
    found: Any = _answer(Replicate, cell, rng, Run(study=lambda part, grid, seed: run(part, grid, rng=seed)))
    known = [row for row in found.rows if row.agrees is not None]
    return {
        "n_numbers": float(len(known)),
        "within_two_errors": sum(row.agrees for row in known) / len(known) if known else math.nan,
        "largest_difference": max((abs(row.difference) for row in known), default=math.nan),
    }


def _answer(kind: "type[Question]", cell: "Cell", rng: "np.random.Generator", run: Run) -> "Record":
    """Ask the question of a cell with a seed of its own."""
    import warnings

    from howsure.errors import HowsureWarning

    options: dict[str, Any] = {name: value for name, value in cell.items() if name != "repetition"}
    if isinstance(cell.get("table"), Mapping):  # the file under [files]; a number is the table of a paper
        options = {"files": [options.pop("table")["path"]], **options}
    words = {field.name for field in fields_of(kind) if field.kind is str}
    numbers = {name: str(value) for name, value in options.items() if name in words and type(value) in (int, float)}
    asked = kind.from_dict(options | numbers)  # an axis of numbers may be a field of words: n_responses = [1, 10]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)
        return replace(asked, seed=int(rng.integers(2**62))).answer(run)  # type: ignore[call-arg]
