"""Designs as cells of a study: what `assay plan --store` and `assay sweep` (task "plan") compute.

Designs with the same numbers of responses share their simulated items, so in a plan they are one cell.
"""

from collections.abc import Mapping, Sequence
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


@task(version=2)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Say what one design may expect by one metric; or several designs, by several metrics.

    Parameters of a cell: `model` (a preset's name, or a model as in a model file), `metric`, `n_items`, `n_responses`
    (one number or three), and any option of `ask`, such as `epsilon`, `test`, `engine` or `precision`. Where `metric`
    and `n_items` are lists, each number is named after its metric and number of items too.
    """
    options = {name: value for name, value in cell.items() if name not in {"n_items", "n_responses", "metric", "model"}}
    described = cell["model"]
    model = from_dict(dict(described)) if isinstance(described, Mapping) else described
    metrics, n_items = (_listed(cell[name]) for name in ("metric", "n_items"))
    question = ask(model, metrics=metrics, rng=entropy_of(seed_of(rng)), workers=1, **options)
    sizes = cell["n_responses"]
    designs = [Design.of(n, sizes if isinstance(sizes, int) else tuple(sizes)) for n in n_items]
    answerer = Answerer(question)
    answerer.prepare(designs)
    found = [each for design in designs for each in answerer.cells(design)]
    if not isinstance(cell["metric"], list | tuple) and not isinstance(cell["n_items"], list | tuple):
        return {name: float(getattr(found[0], name)) for name in NUMBERS}
    return {_named(each.metric, each.n_items, name): float(getattr(each, name)) for each in found for name in NUMBERS}


def grid(question: Question, designs: list[Design]) -> Grid:
    """Return the cells of a plan: all designs with the same numbers of responses, by every metric."""
    shared = {
        "model": question.model.to_dict(), "epsilon": question.epsilon, "perturbation": question.perturbation,
        "test": question.test.name if question.with_power else None, "alpha": question.test.alpha,
        "alternative": question.test.alternative, "confidence_level": question.confidence_level,
        "engine": question.engine, "n_simulations": question.n_simulations, "precision": question.precision,
        "resample_simulated": question.resample_simulated, "metric": [metric.name for metric in question.metrics],
    }  # fmt: skip
    together: dict[tuple[int, ...], list[int]] = {}
    for design in designs:
        # Simulated studies serve one design only: then there is nothing to share.
        alone = () if _is_exact(question) else (design.n_items,)
        together.setdefault((*design.n_responses, *alone), []).append(design.n_items)
    return Grid({**shared, "n_items": items, "n_responses": list(key[:3])} for key, items in together.items())


def cells(question: Question, sweep: Sweep) -> list[Cell]:
    """Return the finished cells of a study, design by design; failed ones are left out."""
    found = []
    for row in sweep.rows:
        if row.state != "done":
            continue
        for n_items in row.parameters["n_items"]:
            design = Design(n_items, *row.parameters["n_responses"])
            for metric in question.metrics:
                numbers = {name: float(row.values[_named(metric.name, n_items, name)]) for name in NUMBERS}
                found.append(
                    Cell(
                        n_items=design.n_items,
                        n_responses=dict(zip(("gold", "a", "b"), design.n_responses, strict=True)),
                        epsilon=question.epsilon,
                        metric=metric.name,
                        cost=question.costs.of(design),
                        engine="exact" if metric.additive and _may_be_exact(question) else "monte-carlo",
                        **numbers,
                    )
                )
    return found


def _may_be_exact(question: Question) -> bool:
    return question.engine != "monte-carlo" and not question.resample_simulated


def _is_exact(question: Question) -> bool:
    return _may_be_exact(question) and all(metric.additive for metric in question.metrics)


def _named(metric: str, n_items: int, name: str) -> str:
    return f"{metric} {n_items} {name}"


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]
