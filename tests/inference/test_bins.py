"""Bars that respect the grid of the data."""

import numpy as np
import pytest

from howsure.inference.bins import bin_edges, grid_step


def test_means_of_five_answers_fall_into_six_bars():
    means = np.random.default_rng(0).integers(0, 2, (300, 5)).mean(axis=1)
    counts, _ = np.histogram(means, bin_edges(means))
    assert counts.size == np.unique(means).size == 6
    assert counts.tolist() == [int((means == value).sum()) for value in np.unique(means)]


@pytest.mark.parametrize("n", [41, 100, 999])
def test_a_fine_grid_has_bars_of_equally_many_values(n):
    edges = bin_edges(np.arange(n) / n)
    assert edges.size - 1 <= 40
    held = np.histogram(np.arange(n) / n, edges)[0]
    assert set(held[:-1]) == {held[0]}


def test_values_without_a_grid_have_equal_steps():
    values = np.random.default_rng(1).normal(size=500)
    edges = bin_edges(values)
    assert grid_step(np.unique(values)) == 0
    assert np.ptp(np.diff(edges)) < 1e-12
    assert (edges[0], edges[-1]) == (values.min(), values.max())


@pytest.mark.parametrize("values", [[], [3.0], [3.0, 3.0], [np.nan]])
def test_nothing_and_one_value_have_one_bar(values):
    assert bin_edges(np.array(values)).size == 2
