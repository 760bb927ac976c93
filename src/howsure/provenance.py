"""Where a result comes from: version, call, parameters, seed and data, in one line that can be pasted into a paper."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from typing import Any

SIMPLE = re.compile(r"[\w.:/,+()@^-][\w.:/,+()@^ -]*")
"""Text that needs no quotes in a signature: nothing in it could be taken for a separator."""


@cache
def version() -> str:
    """Return the installed version of howsure."""
    return metadata.version("howsure")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What it takes to compute a result again.

    Attributes
    ----------
    call : str
        The question that was asked.
    parameters : mapping
        Everything that decides the answer, in the order in which the signature shows it; what is None is not shown.
    seed : int or None
        The number that, passed as `rng`, gives the same draws; None where no draw decided anything.
    data : str
        The first digits of the data's digest; empty where there are no data.
    version : str
        The version of howsure; the one that is installed if left out.

    Examples
    --------
    >>> print(Provenance("compare", {"metric": "f1", "threshold": 2.0}, 7, "c5c8", "0.2.0").signature)
    howsure 0.2.0 | compare | metric=f1 | threshold=2 | seed=7 | data=c5c8
    """

    call: str
    parameters: Mapping[str, Any]
    seed: int | None
    data: str
    version: str = ""

    def __post_init__(self) -> None:
        if not self.version:
            object.__setattr__(self, "version", version())

    def changed(self, **parameters: Any) -> "Provenance":
        """Return the provenance of the same call with other parameters."""
        return replace(self, parameters={**self.parameters, **parameters})

    @property
    def signature(self) -> str:
        """The one line: what was computed, on which data, with which seed and version."""
        given = {name: value for name, value in self.parameters.items() if value is not None}
        parts = [f"{name}={_show(value)}" for name, value in given.items()]
        parts += [] if self.seed is None else [f"seed={self.seed}"]
        parts += [f"data={self.data}"] if self.data else []
        return " | ".join([f"howsure {self.version}", self.call, *parts])


def _show(value: object) -> str:
    """Return a value so that no two values look alike and none looks like two."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str):
        return value if SIMPLE.fullmatch(value) else json.dumps(value, ensure_ascii=False)
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False, default=str)
