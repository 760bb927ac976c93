"""The smallest contrast that a design detects with a given power: solved over ε."""

from collections.abc import Sequence
from dataclasses import replace

from assay.errors import ArgumentError
from assay.planning.answering import Answerer, Question
from assay.planning.effects import expected_contrast
from assay.planning.engines.item_scores import Setting
from assay.planning.results import Cell


def with_detectable(question: Question, cells: Sequence[Cell], target: float) -> list[Cell]:
    """Return the cells with the smallest contrast that each design finds with the target power; NaN if none is."""
    if question.epsilon is None:
        raise ArgumentError("the smallest detectable contrast needs a model whose difference can be varied.")
    return [_solved(question, cell, target) for cell in cells]


def _solved(question: Question, cell: Cell, target: float) -> Cell:
    metric = next(metric for metric in question.metrics if metric.name == cell.metric)
    alone = replace(question, metrics=(metric,))

    def power(epsilon: float) -> float:
        answerer = Answerer(alone.at(epsilon))
        answerer.prepare([cell.design], for_power_only=True)
        return answerer.power(cell.design).power

    low, high = 0.0, 1.0
    if power(high) < target:
        return cell
    while high - low > 0.005 * max(high, 0.02):
        middle = (low + high) / 2
        if power(middle) >= target:
            high = middle
        else:
            low = middle
    setting = Setting(question.model, cell.design.n_responses, high, question.perturbation)
    contrast, _ = expected_contrast(metric, setting, seed=question.seed, workers=question.workers)
    return replace(cell, detectable=contrast, detectable_epsilon=high)
