"""What other packages offer by entry points: metrics, response models and readers, each under its name."""

from functools import cache
from importlib.metadata import entry_points
from typing import Any

METRICS, MODELS, READERS = "assay.metrics", "assay.models", "assay.readers"
"""The groups of entry points."""


@cache
def offered(group: str) -> dict[str, Any]:
    """Return what is offered in a group, by name; nothing is imported before it is asked for here."""
    return {entry.name: entry.load() for entry in entry_points(group=group)}
