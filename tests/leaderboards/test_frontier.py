"""Cost and quality: which models are dominated, and how much the cheaper ones give up."""

from dataclasses import replace

import pytest

from howsure.errors import ArgumentError, DataError
from howsure.inference import binomial_region
from howsure.leaderboards import compare_all
from howsure.leaderboards.frontier import with_costs
from howsure.questions import Leaderboard
from howsure.reports import plot
from tests.reports.results import rows_of

from .tables import ratings, table_of

COSTS = {"m0": 1.0, "m1": 5.0, "m2": 2.0, "m3": 4.0}


def board_of(step=1.0, seed=0, n=60):
    return compare_all(table_of(ratings(n, 4, 1, step=step, seed=seed)), rng=0, n_resamples=499, workers=1)


def test_a_model_is_dominated_by_a_better_one_that_costs_no_more():
    board = with_costs(board_of(), COSTS, "price")
    told = {one.name: one.dominated_by for one in board.costs}
    assert told == {"m3": "", "m2": "", "m1": "m2", "m0": ""}  # m3 is better than m1 too, but m2 is cheaper
    for one in board.costs:
        pair = None if one.name == "m3" else board.pair("m3", one.name)
        assert one.at_most_worse == (0.0 if pair is None else pair.confidence_interval.high)


def test_sentences_say_what_the_numbers_say():
    board = with_costs(board_of(), COSTS, "price")
    said = str(board).splitlines()
    why = "another one is significantly better and costs no more"
    assert f"1 of 4 models is dominated: {why} (m1)." in said
    [m2] = [one for one in board.costs if one.name == "m2"]
    [line] = [line for line in said if line.startswith("m2 costs 50% of m3 and is worse by at most ")]
    assert float(line.split()[-3]) == pytest.approx(m2.at_most_worse, abs=0.006)
    alike = with_costs(board_of(step=0.0), COSTS, "price")
    none = "None of the 4 models is dominated: no cheaper model is significantly better than another."
    assert none in str(alike).splitlines()


def test_statements_about_cost_err_in_at_most_5_percent():
    """Equal models at different prices: none is dominated, and none is worse than another."""
    n_sets, wrong = 150, 0
    for seed in range(n_sets):
        board = with_costs(board_of(step=0.0, seed=seed, n=30), COSTS, "price")
        wrong += any(one.dominated_by for one in board.costs)
    assert wrong <= binomial_region(n_sets, 0.05).high


def test_a_frontier_is_drawn():
    board = replace(with_costs(board_of(), COSTS, "price"), picture="frontier")
    points = {row["model"]: row["who"] for row in rows_of(plot(board).to_dict())}
    assert points == {"m0": "may be worth its cost", "m1": "dominated", "m2": "may be worth its cost",
                      "m3": "may be worth its cost"}  # fmt: skip
    with pytest.raises(ArgumentError, match="the frontier needs what models cost"):
        plot(replace(board_of(), picture="frontier"))


@pytest.fixture
def table(tmp_path):
    scores = ratings(20, 3, 1, step=2.0)[:, :, 0]
    rows = [f"i{i},m{j},{scores[i, j]:.3f},{j + 1 + (i % 2)}" for i in range(20) for j in range(3)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["item,model,score,tokens", *rows]))
    return path


def test_costs_come_from_a_column_or_a_file(table):
    how = {"files": (str(table),), "source": "model", "value": "score", "n_resamples": 99}
    by_column = Leaderboard(**how, cost="tokens").answer()
    assert {one.name: one.cost for one in by_column.costs} == {"m0": 1.5, "m1": 2.5, "m2": 3.5}
    assert by_column.cost_name == "tokens"
    prices = table.with_name("prices.csv")
    prices.write_text("model,usd_per_item\nm0,0.5\nm1,9\nm2,2\nother,4\n")
    by_file = Leaderboard(**how, cost=str(prices)).answer()
    assert {one.name: one.cost for one in by_file.costs} == {"m0": 0.5, "m1": 9.0, "m2": 2.0}
    assert by_file.cost_name == "usd per item"


@pytest.mark.parametrize(
    ("prices", "error", "message"),
    [
        ("model,usd\nm0,1\nm1,2\n", DataError, "usd has no cost for m2. Add it, or leave the models out"),
        ("model,usd\nm0,1\nm1,-2\nm2,1\n", DataError, "line 3.*a cost must be a number of at least 0; got '-2'"),
        ("model,usd\nm0,1\nm1,much\nm2,1\n", DataError, "a cost must be a number of at least 0; got 'much'"),
        ("model,usd,note\nm0,1,x\n", DataError, "a file of costs has two columns, model and cost; got 3"),
        (None, ArgumentError, "`cost` must be a column or a file of two columns .* got 'token'. Did you mean 'tokens'"),
    ],
)
def test_bad_costs_get_one_clear_line(table, prices, error, message):
    cost = "token"
    if prices is not None:
        table.with_name("prices.csv").write_text(prices)
        cost = str(table.with_name("prices.csv"))
    with pytest.raises(error, match=message):
        Leaderboard(files=(str(table),), source="model", value="score", n_resamples=99, cost=cost).answer()
