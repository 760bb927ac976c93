"""Dataframes in the form that is asked for: Polars, pandas or Arrow; pandas needs no Arrow."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from howsure import _check
from howsure.errors import ArgumentError

KINDS = ("polars", "pandas", "arrow")


def in_any_form(make: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that returns a Polars dataframe also return pandas or Arrow: `to_frame("pandas")`."""

    @wraps(make)
    def to_frame(self: Any, kind: str = "polars", **options: Any) -> Any:
        return converted(make(self, **options), _check.one_of("kind", kind, KINDS))

    del to_frame.__wrapped__  # the signature is the one above
    said = (make.__doc__ or "").rstrip()
    to_frame.__doc__ = f"{said}\n\n        `kind` is polars, pandas or arrow.\n        "
    return to_frame


def converted(frame: Any, kind: str) -> Any:
    """Return a Polars dataframe in another form.

    Examples
    --------
    >>> import polars
    >>> converted(polars.DataFrame({"model": ["a", "b"], "rank": [1, None]}), "pandas")
      model  rank
    0     a   1.0
    1     b   NaN
    """
    if kind == "pandas":
        try:
            import pandas
        except ImportError:
            raise ArgumentError("`kind='pandas'` needs pandas: pip install pandas.") from None

        return pandas.DataFrame({column.name: _of_pandas(column) for column in frame.get_columns()})
    if kind == "arrow":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ArgumentError("`kind='arrow'` needs pyarrow: pip install pyarrow.") from None
        return frame.to_arrow()
    return frame


def _of_pandas(column: Any) -> Any:
    import pandas
    import polars

    if column.dtype == polars.Enum:
        return pandas.Categorical(column.to_list(), categories=column.dtype.categories.to_list(), ordered=True)
    if column.dtype.is_numeric():
        return (column.cast(polars.Float64) if column.null_count() else column).to_numpy()
    return column.to_list()
