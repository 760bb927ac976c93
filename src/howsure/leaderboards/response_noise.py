"""How much of the variance of the scores comes from single responses: what more of them would take away."""

from dataclasses import dataclass, replace

import numpy as np

from howsure.metrics import ItemMetric, Metric
from howsure.response_tables import ResponseTable
from howsure.responses import Responses
from howsure.scales import FloatArray, IntArray
from howsure.summaries import summarise

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ResponseNoise:
    """The variance of each model's score that its single responses add.

    Attributes
    ----------
    variances : array, (models,)
        0 where it is unknown.
    now : float
        How many responses a model has per item.
    known : bool
    notes : tuple of str
        Why it is not known.
    """

    variances: FloatArray
    now: float
    known: bool
    notes: tuple[str, ...] = ()

    def take(self, models: IntArray) -> "ResponseNoise":
        """Return that of these models, in this order."""
        return replace(self, variances=self.variances[models])


def response_noise(
    table: ResponseTable, metric: Metric, names: tuple[str, ...], *, gold: str | None, rows: IntArray
) -> ResponseNoise:
    """Measure it where an item's score is the mean of the scores of its single responses; else return why not."""
    sources = [table.source(name).take(rows) for name in names]
    now = float(np.mean([source.sizes.mean() for source in sources]))
    unknown = ResponseNoise(np.zeros(len(names)), now, False)
    if not isinstance(metric, ItemMetric) or any(source.weights is not None for source in sources):
        return replace(unknown, notes=(_not_linear(metric),))
    of_gold = None if gold is None else summarise(table.source(gold).take(rows), metric.needs, table.scale)
    variances = np.zeros(len(names))
    for j, (name, source) in enumerate(zip(names, sources, strict=True)):
        if not (source.sizes > 1).any():
            said = f"{name} has one response per item, so we cannot estimate what more responses would change."
            return replace(unknown, notes=(said,))
        single = _single_scores(metric, of_gold, source, table)
        whole = np.asarray(metric.item_scores(of_gold, summarise(source, metric.needs, table.scale)))  # type: ignore[arg-type]
        means = np.add.reduceat(single, source.offsets[:-1]) / source.sizes
        if not np.allclose(means, whole, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            return replace(unknown, notes=(_not_linear(metric),))
        squares = np.square(single - np.repeat(means, source.sizes))
        within = squares.sum() / (source.sizes - 1).sum()
        variances[j] = float(np.sum(within / source.sizes)) / source.n_items**2
    return ResponseNoise(variances, now, True)


def _not_linear(metric: Metric) -> str:
    return (
        f"Only the number of items is planned. With {metric.name}, an item's score is not the mean of the scores of "
        "its single responses, so more responses would also change the scores."
    )


def _single_scores(metric: ItemMetric, gold: FloatArray | None, source: Responses, table: ResponseTable) -> FloatArray:
    """Return the score that each response has by itself."""
    items = source.items
    alone = Responses(source.values, np.arange(source.values.size + 1))
    repeated = None if gold is None else gold[items]
    return np.asarray(metric.item_scores(repeated, summarise(alone, metric.needs, table.scale)), dtype=np.float64)  # type: ignore[arg-type]
