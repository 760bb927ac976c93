import numpy as np
import pytest

from howsure.comparison import compare
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.models import PanelModel, from_dict
from howsure.testing import check_model

LEVELS = np.arange(1.0, 6.0)


def table_of(n_items=24, n_raters=5, per_item=5, shift=0.0, seed=0):
    """Return ratings of items in documents of three; raters differ by `shift` from the first to the last."""
    rng = np.random.default_rng(seed)
    means = np.repeat(rng.uniform(2, 4, n_items // 3), 3)[:, np.newaxis]
    moved = means + np.linspace(-shift, shift, n_raters) + rng.normal(0, 0.5, (n_items, n_raters))
    grid = np.clip(np.round(moved), 1, 5)
    grid[np.argsort(rng.random(grid.shape), axis=1) >= per_item] = np.nan
    gold = Responses.from_grid(grid, np.tile(np.arange(n_raters), (n_items, 1)))
    groups = {"document": np.array([f"d{item // 3}" for item in range(n_items)])}
    names = tuple(f"r{rater}" for rater in range(n_raters))
    items = np.array([f"q{item:02d}" for item in range(n_items)])
    return ResponseTable(items, {"human": gold}, Scale.of(LEVELS, kind="ordinal"), raters=names, groups=groups)


@pytest.mark.parametrize("cluster", [None, "document"])
def test_panels_keep_the_laws_of_models(cluster):
    model = PanelModel.of(table_of(), "human", cluster)
    check_model(model)
    again = from_dict(model.to_dict())
    assert str(again).split(";")[0] == str(model).split(";")[0]
    one, other = (each.table(30, 3, epsilon=0.3, perturbation="split", rng=1) for each in (model, again))
    assert [one.sources[name].values.tolist() for name in one.sources] == [
        other.sources[name].values.tolist() for name in other.sources
    ]


def test_a_rater_stays_who_they_are_on_every_item():
    model = PanelModel.of(table_of(n_items=60, shift=1.5), "human")
    gold = model.table(200, 5, rng=3).sources["gold"]
    grid = gold.values.reshape(200, 5)
    assert gold.raters.reshape(200, 5).tolist() == [[0, 1, 2, 3, 4]] * 200
    shifts = grid.mean(axis=0) - grid.mean()
    alone = grid.std(axis=1).mean() / np.sqrt(200)
    assert np.ptp(shifts) > 6 * alone  # five raters drawn from five who differ by up to three points


def test_where_raters_judged_part_of_the_items_the_panel_grows_by_as_much():
    model = PanelModel.of(table_of(n_items=60, n_raters=8, per_item=4), "human")
    gold = model.table(100, 3, rng=0).sources["gold"]
    assert (gold.sizes == 3).all()
    assert np.unique(gold.raters).size == 6  # three of an item, and twice as many in all, as in the table


def test_documents_stay_together_and_are_wrong_as_a_whole():
    model = PanelModel.of(table_of(), "human", "document")
    table = model.table(31, 4, epsilon=1.0, perturbation="split", rng=2)
    groups = table.groups["document"]
    assert np.unique(groups, return_counts=True)[1].tolist() == [3] * 10 + [1]
    found = compare(table.contest(gold="gold", a="A", b="B"), metric="mae", cluster="document", rng=0)
    assert found.n_items == 31


def test_raters_of_one_item_only_come_and_go_with_it():
    gold = Responses([1.0, 2.0, 3.0, 3.0, 5.0, 4.0], [0, 2, 4, 6], raters=[0, 1, 2, 3, 4, 5])
    items, raters = np.array(["x", "y", "z"]), tuple("abcdef")
    table = ResponseTable(items, {"gold": gold}, Scale.of(LEVELS, kind="ordinal"), raters=raters)
    assert PanelModel.of(table, "gold").table(5, 2, rng=0).sources["gold"].raters is None
