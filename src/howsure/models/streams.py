"""Several generators as one: what is simulated together comes from the streams that each data set, or block, has."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt


class Streams:
    """Generators as one, for what has rows of each of them on its leading axis: each draws as if it drew alone.

    The last argument of a method is the shape, or parameters that have these rows. `n_rows` is of each generator.

    Examples
    --------
    >>> one, other = np.random.default_rng(1), np.random.default_rng(2)
    >>> Streams([one, other], [2, 1]).integers(0, 10, (3, 4)).tolist()
    [[4, 5, 7, 9], [0, 1, 8, 9], [8, 2, 1, 2]]
    >>> np.random.default_rng(1).integers(0, 10, (2, 4)).tolist()
    [[4, 5, 7, 9], [0, 1, 8, 9]]
    """

    def __init__(self, generators: list[np.random.Generator], n_rows: list[int]) -> None:
        self.generators, self.stops = generators, np.cumsum(n_rows)

    def __getattr__(self, name: str) -> Callable[..., npt.NDArray[Any]]:
        return lambda *given, **how: self._each(name, *given, **how)

    def _each(self, name: str, *given: Any, **how: Any) -> npt.NDArray[Any]:
        """Call each generator for its rows."""
        *first, last = given
        parts, start = [], 0
        for generator, stop in zip(self.generators, self._ends(last), strict=True):
            own = last[start:stop] if isinstance(last, np.ndarray) else (stop - start, *last[1:])
            parts.append(getattr(generator, name)(*first, own, **how))
            start = stop
        return np.concatenate(parts)

    def _ends(self, last: Any) -> Any:
        """Return where the rows of each generator end."""
        n_all = len(last) if isinstance(last, np.ndarray) else last[0]
        return self.stops * n_all // self.stops[-1]
