"""Where a result comes from: version, call, parameters, seed and data, in one line that can be pasted into a paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata


@cache
def version() -> str:
    """Return the installed version of assay."""
    return metadata.version("assay")


@dataclass(frozen=True, slots=True)
class Provenance:
    """What it takes to compute a result again.

    Attributes
    ----------
    call : str
        The function that was called.
    parameters : mapping
        Its parameters, in the order in which the signature shows them.
    seed : int
        The number that, passed as `rng`, gives the same draws.
    data : str
        The first digits of the data's digest.
    """

    call: str
    parameters: Mapping[str, object]
    seed: int
    data: str

    @property
    def signature(self) -> str:
        """The one line: what was computed, on which data, with which seed and version."""
        parts = [f"{name}={_show(value)}" for name, value in self.parameters.items()]
        return " | ".join([f"assay {version()}", self.call, *parts, f"seed={self.seed}", f"data={self.data}"])


def _show(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
