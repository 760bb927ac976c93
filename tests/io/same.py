"""What it means that two tables hold the same data."""

import numpy as np

from howsure import ResponseTable


def assert_same(left: ResponseTable, right: ResponseTable) -> None:
    assert left.items.tolist() == right.items.tolist()
    assert list(left.sources) == list(right.sources)
    assert left.scale == right.scale
    assert {name: column.tolist() for name, column in left.groups.items()} == {
        name: column.tolist() for name, column in right.groups.items()
    }
    for name, source in left.sources.items():
        other = right.sources[name]
        np.testing.assert_array_equal(source.values, other.values)
        np.testing.assert_array_equal(source.offsets, other.offsets)
        assert rater_names(left, name) == rater_names(right, name)


def rater_names(table: ResponseTable, source: str) -> list[str] | None:
    raters = table.sources[source].raters
    return None if raters is None else [table.raters[code] for code in raters]
