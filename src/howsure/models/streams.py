"""Several generators as one: what is simulated together comes from the streams that each data set, or block, has."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _random
from howsure._loading import pays
from howsure.scales import FloatArray

WORD = int(np.iinfo(np.uint64).max)


class Streams:
    """Generators as one, for what has rows of each of them on its leading axis: each draws as if it drew alone.

    The last argument of a method is the shape, or parameters that have these rows. `n_rows` is of each generator. What
    is drawn most is drawn by one compiled loop over all of them: a call of each would end so soon that threads wait for
    each other.

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
        self._known = all(isinstance(one.bit_generator, np.random.SFC64) for one in generators)
        self._states: npt.NDArray[np.uint64] | None = None
        """Of the generators, where the loops have moved on and they have not."""

    def random(self, shape: tuple[int, ...]) -> FloatArray:
        """Draw uniform numbers."""
        return self._looped("uniforms", shape) if self._loops(shape) else self._each("random", shape)

    def triangular(self, left: float, mode: float, right: float, shape: tuple[int, ...]) -> FloatArray:
        """Draw triangular numbers."""
        if self._loops(shape):
            return self._looped("triangulars", shape, float(left), float(mode), float(right))
        return self._each("triangular", left, mode, right, shape)

    def integers(self, low: int, high: int, shape: tuple[int, ...], **how: Any) -> npt.NDArray[Any]:
        """Draw integers; whole words by a loop."""
        if (low, high) == (0, WORD) and how == {"dtype": np.uint64, "endpoint": True} and self._loops(shape):
            return self._looped("words", shape, dtype=np.uint64)
        return self._each("integers", low, high, shape, **how)

    def __getattr__(self, name: str) -> Callable[..., npt.NDArray[Any]]:
        return lambda *given, **how: self._each(name, *given, **how)

    def _each(self, name: str, *given: Any, **how: Any) -> npt.NDArray[Any]:
        """Call each generator for its rows."""
        if self._states is not None:
            for generator, state in zip(self.generators, self._states, strict=True):
                whole: Any = generator.bit_generator.state
                generator.bit_generator.state = {**whole, "state": {"state": state}}
            self._states = None
        *first, last = given
        parts, start = [], 0
        for generator, stop in zip(self.generators, self._ends(last), strict=True):
            own = last[start:stop] if isinstance(last, np.ndarray) else (stop - start, *last[1:])
            parts.append(getattr(generator, name)(*first, own, **how))
            start = stop
        return np.concatenate(parts)

    def _loops(self, shape: tuple[int, ...]) -> bool:
        return self._known and pays(math.prod(shape))

    def _looped(self, name: str, shape: tuple[int, ...], *given: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
        from howsure.models import _stream_kernels

        if self._states is None:
            self._states = _random.states(self.generators)
        out = np.empty(math.prod(shape), dtype=dtype)
        getattr(_stream_kernels, name)(self._states, self._ends(shape) * math.prod(shape[1:]), out, *given)
        return out.reshape(shape)

    def _ends(self, last: Any) -> Any:
        """Return where the rows of each generator end."""
        n_all = len(last) if isinstance(last, np.ndarray) else last[0]
        return self.stops * n_all // self.stops[-1]
