import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import ArgumentError
from howsure.sweeps import Grid
from howsure.sweeps.tasks import Task

axes = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.lists(st.integers(), min_size=1, max_size=4, unique=True), max_size=3
)


@given(axes)
def test_a_product_has_every_combination_once(axes):
    grid = Grid.product(axes)
    assert len(grid) == math.prod(len(values) for values in axes.values())
    assert len({tuple(cell.items()) for cell in grid}) == len(grid)
    assert all(cell[name] in axes[name] for cell in grid for name in axes)


def test_the_last_axis_varies_fastest():
    assert [tuple(cell.values()) for cell in Grid.product({"a": [1, 2], "b": ["x", "y"]})] == [
        (1, "x"),
        (1, "y"),
        (2, "x"),
        (2, "y"),
    ]


def test_a_sum_keeps_the_order_and_holds_shared_cells_once():
    both = Grid.product({"a": [1, 2]}) + Grid([{"a": 3}, {"a": 1}])
    assert [cell["a"] for cell in both] == [1, 2, 3]


def test_a_product_of_grids_combines_their_cells():
    assert len(Grid.product({"a": [1, 2]}) * Grid([{"b": 1}, {"c": 2}])) == 4
    with pytest.raises(ArgumentError, match="both have `a`"):
        Grid([{"a": 1}]) * Grid([{"a": 2}])


def test_axes_are_all_parameters():
    assert Grid([{"a": 1}, {"b": 2, "a": 2}]).axes == ("a", "b")


def test_cells_cannot_be_changed():
    grid = Grid([{"a": 1}])
    with pytest.raises(TypeError):
        grid.cells[0]["a"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError):
        grid.cells = ()  # type: ignore[misc]


def test_numbers_of_numpy_make_the_same_cells_as_python_s():
    task = Task("m:f", 1)
    a, b = Grid([{"n": np.int64(3), "x": np.float64(0.5), "v": (1, 2)}]), Grid([{"n": 3, "x": 0.5, "v": [1, 2]}])
    assert a == b
    assert task.identity(a.cells[0]) == task.identity(b.cells[0])


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([{"a": 1}, {"a": 2}, {"a": 1}], "Grid point 3 repeats grid point 1 (a=1); add a parameter such as `repeat`"),
        ([{"state": 1}], "has a parameter called 'state'"),
        ([{1: 1}], "has a parameter called 1"),
        ([{"a": math.nan}], "Parameter `a` of grid point 1 must be finite; got nan"),
        ([{"a": [1, {"b": math.inf}]}], "must be finite"),
        ([{"a": object()}], "no JSON form for object"),
    ],
)
def test_a_cell_that_cannot_be_identified_is_refused(cells, words):
    with pytest.raises(ArgumentError) as caught:
        Grid(cells)
    assert words in str(caught.value)


@pytest.mark.parametrize("values", ["mae", 3])
def test_an_axis_is_a_list(values):
    with pytest.raises(ArgumentError, match="Axis `metric` must be a list of values"):
        Grid.product({"metric": values})
