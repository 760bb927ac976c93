"""What other packages offer by entry points: metrics, response models and readers, each under its name."""

import os
from functools import cache
from importlib.metadata import entry_points
from typing import Any

METRICS, MODELS, READERS = "howsure.metrics", "howsure.models", "howsure.readers"
"""The groups of entry points."""


@cache
def offered(group: str) -> dict[str, Any]:
    """Return what is offered in a group, by name; nothing is imported before it is asked for here.

    Where the environment says HOWSURE_PLUGINS=off, as the web server does for its workers, nothing is offered.
    """
    if os.environ.get("HOWSURE_PLUGINS") == "off":
        return {}
    return {entry.name: entry.load() for entry in entry_points(group=group)}
