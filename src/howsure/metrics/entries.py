"""Metrics as plain values, by which a cell of a study names a metric wherever the cell is computed."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from howsure.errors import ArgumentError
from howsure.metrics.base import Metric
from howsure.metrics.builtin import resolve
from howsure.scales import Scale

PLAIN = (str, int, float, bool, type(None))


def entry_of(metric: Metric, scale: Scale | None = None) -> str | dict[str, Any] | None:
    """Return the metric's name, with the parameters that are not at their default; None if these do not define it.

    With `scale`, the metric is already on that scale.

    Examples
    --------
    >>> from dataclasses import replace
    >>> entry_of(resolve("mae")), entry_of(replace(resolve("f1"), threshold=2.0))
    ('mae', {'name': 'f1', 'threshold': 2.0})
    """
    try:
        known = resolve(metric.name) if scale is None else resolve(metric.name).on(scale)
    except ArgumentError:
        return None
    if known == metric:
        return metric.name
    if type(known) is not type(metric) or not is_dataclass(metric):
        return None
    changed = {
        field.name: getattr(metric, field.name)
        for field in fields(metric)
        if getattr(metric, field.name) != getattr(known, field.name)
    }
    if not changed or not all(isinstance(value, PLAIN) for value in changed.values()):
        return None
    return {"name": metric.name, **changed}


def metric_from(entry: str | Mapping[str, Any]) -> Metric:
    """Return the metric of an entry that `entry_of` made."""
    if isinstance(entry, str):
        return resolve(entry)
    parameters = dict(entry)
    return replace(resolve(parameters.pop("name")), **parameters)
