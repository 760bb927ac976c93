"""How far a model is from gold: one file per family of metrics, `better` included.

error · wins · distribution · probabilities · labels · ranking · ratings · runs · function (your own)
"""

from howsure.metrics.base import AdditiveMetric, ItemMetric, Metric, RelativeMetric, parameters_of, spelled
from howsure.metrics.builtin import BUILTIN, resolve
from howsure.metrics.entries import entry_of, metric_from
from howsure.metrics.function import FunctionMetric

__all__ = [
    "BUILTIN",
    "AdditiveMetric",
    "FunctionMetric",
    "ItemMetric",
    "Metric",
    "RelativeMetric",
    "entry_of",
    "metric_from",
    "parameters_of",
    "resolve",
    "spelled",
]
