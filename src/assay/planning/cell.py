"""One design as a cell of a study: what `assay plan --store` and `assay sweep` (task "plan") compute."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay._random import entropy_of, seed_of
from assay.models import from_dict
from assay.planning.answering import Answerer, Question, ask
from assay.planning.designs import Design
from assay.planning.results import Cell
from assay.sweeps import Grid, Sweep, task

NUMBERS = (
    "contrast", "contrast_error", "expected_pvalue", "expected_pvalue_error", "ci_width", "ci_width_error", "power",
    "power_error",
)  # fmt: skip


@task(version=1)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Say what one design may expect by one metric.

    Parameters of a cell: `model` (a preset's name, or a model as in a model file), `metric`, `n_items`, `n_responses`
    (one number or three), and any option of `ask`, such as `epsilon`, `test`, `engine` or `precision`.
    """
    options = {name: value for name, value in cell.items() if name not in {"n_items", "n_responses", "metric", "model"}}
    described = cell["model"]
    model = from_dict(dict(described)) if isinstance(described, Mapping) else described
    question = ask(model, metrics=[cell["metric"]], rng=entropy_of(seed_of(rng)), workers=1, **options)
    sizes = cell["n_responses"]
    design = Design.of(cell["n_items"], sizes if isinstance(sizes, int) else tuple(sizes))
    answerer = Answerer(question)
    answerer.prepare([design])
    [found] = answerer.cells(design)
    return {name: float(getattr(found, name)) for name in NUMBERS}


def grid(question: Question, designs: list[Design]) -> Grid:
    """Return the cells of a plan: every design by every metric."""
    shared = {
        "model": question.model.to_dict(), "epsilon": question.epsilon, "perturbation": question.perturbation,
        "test": question.test.name if question.with_power else None, "alpha": question.test.alpha,
        "alternative": question.test.alternative, "confidence_level": question.confidence_level,
        "engine": question.engine, "n_simulations": question.n_simulations, "precision": question.precision,
        "resample_simulated": question.resample_simulated,
    }  # fmt: skip
    return Grid(
        {**shared, "metric": metric.name, "n_items": design.n_items, "n_responses": list(design.n_responses)}
        for design in designs
        for metric in question.metrics
    )


def cells(question: Question, sweep: Sweep) -> list[Cell]:
    """Return the finished cells of a study; failed ones are left out."""
    found = []
    for row in sweep.rows:
        if row.state != "done":
            continue
        design = Design(row.parameters["n_items"], *row.parameters["n_responses"])
        metric = next(metric for metric in question.metrics if metric.name == row.parameters["metric"])
        additive = metric.additive and question.engine != "monte-carlo" and not question.resample_simulated
        numbers = {name: float(row.values[name]) for name in NUMBERS}
        found.append(
            Cell(
                n_items=design.n_items,
                n_responses=dict(zip(("gold", "a", "b"), design.n_responses, strict=True)),
                epsilon=question.epsilon,
                metric=metric.name,
                cost=question.costs.of(design),
                engine="exact" if additive else "monte-carlo",
                **numbers,
            )
        )
    return found
