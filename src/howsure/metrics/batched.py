"""Many draws in the shape of one, so that a function written for one data set is called once for all of them.

A `Batched` array looks like the array of one draw. NumPy's functions see the axes of one draw and work on all draws at
once, in the same order of additions. Whatever needs the numbers of a single draw (`if`, a mask, another library)
raises TypeError; the function is then called draw by draw.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import EllipsisType, FunctionType
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from howsure.scales import FloatArray

ALONG: dict[Any, tuple[int, int | None]] = {
    **dict.fromkeys((np.mean, np.sum, np.prod, np.std, np.var, np.median, np.min, np.max, np.ptp), (1, None)),
    **dict.fromkeys((np.any, np.all, np.average, np.argmin, np.argmax, np.cumsum, np.cumprod), (1, None)),
    **dict.fromkeys((np.nanmean, np.nansum, np.nanstd, np.nanvar, np.nanmedian, np.nanmin, np.nanmax), (1, None)),
    **dict.fromkeys((np.percentile, np.quantile, np.nanpercentile, np.nanquantile), (2, None)),
    **{np.sort: (1, -1), np.argsort: (1, -1), np.diff: (2, -1)},
}
"""Functions along axes: which argument is the axis, and the axis that they take by default."""

ITEMWISE: dict[Any, None] = dict.fromkeys((np.where, np.clip, np.round, np.isclose))
PYTHONS = (np.add, np.subtract, np.multiply, np.true_divide, np.negative, np.absolute)
"""What may be done with Python's numbers, those after `float`: the truth of a comparison adds up as a number there, and
NumPy's other functions treat them differently from its own."""

DOTS = (np.dot, np.inner, np.vdot, np.matmul)
METHODS: dict[str, Any] = {
    each.__name__: each
    for each in (*ALONG, *ITEMWISE, *DOTS)
    if hasattr(np.ndarray, each.__name__) and each is not np.sort  # the method sorts in place
}


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError("this needs one resample at a time")


class Batched(NDArrayOperatorsMixin):
    """Arrays of one shape, one for each draw; its own shape is that of one.

    Examples
    --------
    >>> two = Batched(np.array([[1.0, 2.0, 6.0], [4.0, 4.0, 4.0]]))
    >>> two.shape, np.median(abs(two - [1, 1, 1])).draws
    ((3,), array([1., 3.]))
    """

    __bool__ = __array__ = _refuse

    __slots__ = ("draws",)

    def __init__(self, draws: Any) -> None:
        self.draws: Any = np.ascontiguousarray(draws)  # sums of other layouts add in another order

    shape = property(lambda self: self.draws.shape[1:])
    ndim = property(lambda self: self.draws.ndim - 1)
    size = property(lambda self: math.prod(self.shape))
    dtype = property(lambda self: self.draws.dtype)

    def __len__(self) -> int:
        return int(self.shape[0]) if self.ndim else _refuse()

    def __iter__(self) -> Iterator["Batched"]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> "Batched":
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, bool) or not isinstance(each, int | slice | EllipsisType | None) for each in keys):
            _refuse()
        return Batched(self.draws[(slice(None), *keys)])

    def __getattr__(self, name: str) -> Any:
        """Return a method that is a function of NumPy as well."""
        if name not in METHODS:
            raise AttributeError(name)
        return partial(METHODS[name], self)

    def astype(self, dtype: Any) -> "Batched":
        """Return the same numbers as another type."""
        return Batched(self.draws.astype(float if dtype is number else dtype))

    def item(self) -> Any:
        """Return the number of each draw as Python's."""
        return number(self)

    def __pow__(self, power: Any) -> "Batched":
        return self._power(lambda numbers: numbers**power, power)

    def __rpow__(self, base: Any) -> "Batched":
        return self._power(lambda numbers: base**numbers, base)

    def _power(self, of: Callable[[Any], Any], other: Any) -> "Batched":
        """Take powers as NumPy does of arrays and of numbers: in two ways, which may differ in the last digit."""
        if isinstance(other, Batched) or np.ndim(other):
            _refuse()
        return Batched(of(self.draws) if self.ndim else np.array([of(each) for each in self.draws], self.dtype))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> "Batched":
        if method != "__call__" or options or ufunc.nout > 1:
            _refuse()
        if ufunc.signature:
            return _dot(*inputs) if ufunc in DOTS else _refuse()
        aligned = _aligned(inputs)
        found = ufunc(*aligned)
        if found.ndim == 1 and any(isinstance(each, np.ndarray) and each.dtype.kind == "O" for each in aligned):
            return Batched(found) if ufunc in PYTHONS else _refuse()
        return self._of_all(found)

    def __array_function__(self, function: Any, _: Any, given: tuple[Any, ...], options: dict[str, Any]) -> "Batched":
        if function in DOTS and not options:
            return _dot(*given)
        weights = options.pop("weights", None)
        if options and any(np.ndim(each) for each in options.values()):
            _refuse()
        if weights is not None:
            options["weights"] = weights.draws if isinstance(weights, Batched) else weights
        if function in ITEMWISE:
            return self._of_all(function(*_aligned(given), **options))
        if function not in ALONG:
            _refuse()
        place, default = ALONG[function]
        axis = options.pop("axis", given[place] if len(given) > place else default)
        between = given[1:place]
        if not isinstance(given[0], Batched) or len(given) > place + 1 or (between and any(map(np.ndim, between))):
            _refuse()
        own = range(1, self.ndim + 1)
        axes = own[axis] if axis is not None else 1 if self.ndim == 1 else tuple(own)
        return self._of_all(function(self.draws, *between, axis=axes, **options))

    def _of_all(self, found: Any) -> "Batched":
        """Take what was found of all draws, if it is one array or number for each."""
        if not isinstance(found, np.ndarray) or len(found) != len(self.draws) or found.dtype.kind == "O":
            _refuse()
        return Batched(found)


def _aligned(inputs: tuple[Any, ...]) -> list[Any]:
    """Return inputs that broadcast as those of one draw do; among arrays, Python's numbers become NumPy's."""
    ndims = [0 if isinstance(each, float) else each.ndim if hasattr(each, "ndim") else np.ndim(each) for each in inputs]
    most, found = max(ndims), list(inputs)
    for i, each in enumerate(inputs):
        if isinstance(each, Batched):
            draws = each.draws.astype(np.float64) if most and each.draws.dtype == object else each.draws
            found[i] = draws if ndims[i] == most else draws.reshape(-1, *(1,) * (most - ndims[i]), *each.shape)
    return found


def _dot(*vectors: Any) -> Batched:
    """Return the products of two vectors, added as `numpy.dot` adds them."""
    if any(getattr(each, "ndim", 0) != 1 for each in vectors):
        _refuse()
    return Batched(np.vecdot(*_aligned(vectors)))


def number(value: Any) -> Any:
    """Return what `float` returns; of many draws, Python's numbers, so that Python's rules hold for what follows."""
    if not isinstance(value, Batched):
        return float(value)
    return Batched(value.draws.astype(np.float64).astype(object)) if not value.ndim else _refuse()


def call_together(function: Callable[..., Any], parts: Sequence[tuple[FloatArray, ...]]) -> FloatArray | None:
    """Call a function of one data set with each part of the draws; return their scores.

    Returns None if the function does not return a number for each draw, as one that needs one draw at a time does not.
    """
    function = _passing_floats(function)
    # What NumPy warns of is left to calls with one draw, which then warn in the function's own name.
    with suppress(Exception), np.errstate(divide="raise", over="raise", invalid="raise"):
        found = [function(*map(Batched, sides)) for sides in parts]
        if all(isinstance(each, Batched) and each.ndim == 0 and each.dtype.kind in "bifO" for each in found):
            return np.concatenate([each.draws for each in found]).astype(np.float64)
    return None


def _passing_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose own `float(…)` lets draws pass, as many end with it; any other function as it is."""
    if not isinstance(function, FunctionType) or "float" not in function.__code__.co_names:
        return function
    names = {"float": number, **function.__globals__}
    same = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    same.__kwdefaults__ = function.__kwdefaults__
    return same
