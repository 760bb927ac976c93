"""How far a model is from gold: one file per family of metrics, `better` included.

error · wins · distribution · labels · ranking · ratings (without gold, pass@k among them) · function (your own)
"""

from howsure.metrics.base import AdditiveMetric, ItemMetric, Metric, RelativeMetric, parameters_of, spelled
from howsure.metrics.builtin import BUILTIN, entry_of, formula_of, metric_from, resolve
from howsure.metrics.function import FunctionMetric

__all__ = [
    "BUILTIN",
    "AdditiveMetric",
    "FunctionMetric",
    "ItemMetric",
    "Metric",
    "RelativeMetric",
    "entry_of",
    "formula_of",
    "metric_from",
    "parameters_of",
    "resolve",
    "spelled",
]
