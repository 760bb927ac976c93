"""Published tables at reduced size: differences stay within what Monte-Carlo error explains.

The full-size run is `benchmarks/replicate.py`; its tables are in `docs/evidence/replications.md`.
"""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from scipy import stats

from howsure.documents import Table
from howsure.documents.text import render
from howsure.errors import ArgumentError, DataError
from howsure.models import preset, simulate_advantages
from howsure.papers import PAPERS, PublishedNumber, Replication, conclude, leader, measure, plan, replicate
from howsure.papers.expected_outcomes import Outcome, SimulationSize, exact_pvalues
from howsure.papers.legacy import published_metric
from howsure.papers.published import figures
from howsure.papers.raters import BinnedModel
from howsure.papers.replicating import tables
from howsure.sweeps import Grid, Store, run


def z_scores(rows):
    return np.array([row.difference / row.standard_error for row in rows if row.standard_error > 0])


def few_outliers(rows, *, share=0.05):
    """Whether no more rows are beyond 1.96 standard errors than a binomial region around twice the nominal share."""
    outside = int((np.abs(z_scores(rows)) > 1.96).sum())
    return outside <= stats.binom.ppf(1 - 1e-6, len(rows), 2 * share)


@pytest.mark.parametrize(("table", "n_simulations"), [(6, 20), (10, 20), (14, 40)])
def test_raters_tables_come_out(table, n_simulations):
    result = replicate("raters", table=table, n_simulations=n_simulations)
    assert len(result.rows) == 36
    assert few_outliers(result.rows)
    assert abs(np.mean([row.difference for row in result.rows])) < 0.02


def test_forest_table_2_comes_out():
    result = replicate("forest", table=2, n_simulations=50)
    assert few_outliers(result.of("p"))
    assert few_outliers(result.of("effect"))
    near = sum(abs(row.difference) <= 0.02 for row in result.of("p"))
    assert near >= 28
    for row in result.of("effect"):
        allowed = 0.15 if row.cell["metric"] == "kl" else 0.05
        assert abs(row.difference) <= allowed * row.published + 3 * row.standard_error


def test_forest_table_3_widths_come_out():
    result = replicate("forest", table=3, n_simulations=200)
    for row in result.rows:
        allowed = 0.25 if row.cell["metric"] == "kl" else 0.12
        assert abs(row.difference) <= allowed * row.published + 3 * row.standard_error


def test_ratings_come_out_only_with_the_bootstrap_inside():
    result = replicate("ratings", table=2, n_simulations=40)
    assert len(result.of("p")) == 21
    assert few_outliers(result.of("p"))
    assert few_outliers(result.of("effect"))
    beside = np.array([row.beside["p_without_item_bootstrap"] for row in result.of("p")])
    printed = np.array([row.published for row in result.of("p")])
    # Without it nearly every published design has far less than the printed p: a smaller budget is enough.
    assert (beside < printed).sum() >= stats.binom.ppf(1 - 1e-4, 21, 0.5)
    assert beside.mean() < printed.mean() / 2


def test_leader_true_p_comes_out_and_a_correct_emd_is_far_more_sensitive():
    model = preset("normal")
    names = ["mae", "wins", "spearman", "emd-histogram-legacy", "emd"]
    metrics = [published_metric(name).on(model.scale) for name in names]
    draws, null = (
        simulate_advantages(model, metrics, n_items=1000, epsilon=0.05, null=kind, n_simulations=500, rng=1)
        for kind in (False, True)
    )
    found = {name: Outcome.of(*pair) for name, pair in zip(names, zip(null, draws, strict=True), strict=True)}
    published = {"mae": 0.067622, "wins": 0.001909, "spearman": 0.263784, "emd-histogram-legacy": 0.195486}
    for name, p in published.items():
        # The published p has an error of its own, from 1,000 data sets.
        assert abs(found[name].p - p) <= 4 * found[name].p_error * np.sqrt(1.5) + 0.001
    assert found["emd"].p < 0.1 < found["emd-histogram-legacy"].p


def test_leader_puts_the_published_estimate_into_a_distribution(monkeypatch):
    monkeypatch.setattr(leader, "N_DATA_SETS", 5)
    result = replicate("leader", table=9, n_simulations=20)
    for row in result.of("estimated_p"):
        assert 0 <= row.beside["quantile_of_published"] <= 1
        assert row.beside["low"] <= row.reproduced <= row.beside["high"]
    assert len(result.of("true_p")) == len(result.of("estimated_p")) == 40


def test_scores_of_raters_table_3_follow_the_formula_and_no_k_gives_the_printed_pair():
    result = replicate("raters", table=3, n_simulations=60)
    assert len(result.rows) == 36
    [row] = [row for row in result.of("score_a") if row.cell["metric"] == "MAE" and row.cell["epsilon"] == 0.1]
    for responses in (1, 5, 10, 25, 50, 100):
        # The mean of |N(0, 2σ²/K)| with σ uniform on [0, .3].
        expected = 0.15 * np.sqrt(2 / responses) * np.sqrt(2 / np.pi)
        assert row.beside[f"K={responses}"] == pytest.approx(expected, rel=0.05)
    assert row.agrees is False
    assert row.cell["nearest_K"] == 5
    [note] = [note for note in result.notes if "No K of the grid gives the printed MAE" in note]
    assert "K = 5 gives .0757 and .0929" in note
    [b] = [row for row in result.of("score_b") if row.cell["metric"] == "MAE" and row.cell["epsilon"] == 0.1]
    assert abs(b.beside["K=5"] - 0.0929) < 4 * b.standard_error


def test_raters_tables_1_and_2_repeat_the_long_tables():
    long = {tuple(row[key] for key in ("metric", "epsilon", "items", "responses")): row["p"]
            for row in figures("raters_tables.json")}  # fmt: skip
    for row in figures("raters_tables_1_2.json"):
        printed = long[tuple(row[key] for key in ("metric", "epsilon", "items", "responses"))]
        assert row["p"] == pytest.approx(printed, abs=5.1e-5)


def test_forest_table_1_is_known_for_the_public_data():
    result = replicate("forest", table=1, n_simulations=2)
    known = {row.cell["dataset"]: row for row in result.rows}
    assert known["DICES"].reproduced == pytest.approx(0.0231, abs=2e-4)  # α is printed with two decimals
    assert known["DICES"].agrees
    assert known["JobsQ3"].agrees is None
    # A fit to data that come from the printed α has a far smaller bias than the printed one.
    assert known["JobsQ3"].beside["mab_of_a_right_fit"] < known["JobsQ3"].published / 10
    assert "4 cannot be reproduced from public data" in str(result)
    [summary] = [
        block for block in result.document().blocks if isinstance(block, Table) and "Difference" in block.title
    ]
    named = dict(zip([column.title for column in summary.columns], summary.rows[0], strict=True))
    assert (named["numbers"], named["missing"], named["within 2 SE"]) == (5, 4, 1.0)


def test_a_summary_without_missing_numbers_has_no_column_of_them():
    result = replicate("forest", table=3, n_simulations=8)
    assert all("missing" not in [column.title for column in block.columns]
               for block in result.document().blocks if isinstance(block, Table))  # fmt: skip


def test_leader_tables_1_to_4_take_the_smallest_errors():
    true = {f"{name} {key}": value for name in leader.METRICS
            for key, value in (("p", 0.2), ("p_error", 0.01), ("p_is_bound", False), ("p_with_correct_emd", 0.1),
                               ("p_with_correct_emd_is_bound", False))}  # fmt: skip
    estimated = [
        {f"{sampling} {name} {key}": value for sampling in leader.STRATEGIES for name in leader.metrics_of(sampling)
         for key, value in (("p", 0.5), ("is_bound", False))}
        for _ in range(3)
    ]  # fmt: skip
    for number, one in enumerate(estimated):
        one["bootstrap_items,all MAE p"] = 0.2 + 0.01 * number
    measured = [({"table": 6, "responses": kept}, true) for kept in (1, 5)]
    measured += [({"table": table, "responses": kept}, true) for table in (5, 7, 8, 9) for kept in (1, 5)]
    measured += [({"table": table, "data_set": n}, one) for table in (5, 6, 7, 8, 9) for n, one in enumerate(estimated)]
    rows = [row for row in leader.rows(measured) if row.cell["table"] in (1, 2)]
    assert len(rows) == 6 * 5 + 8 * 5
    for row in rows:
        near = "MAE" in row.cell.get("metric", "") or row.cell.get("sampling") == "bootstrap_items,all"
        if row.cell.get("metric") != "Wins(MAE)":
            assert row.reproduced == pytest.approx(0.01 if near else 0.3)
    # Where all rows of table 6 can be read, the printed errors are the smallest of the printed rows.
    [wins] = [row for row in rows if row.cell.get("metric") == "Wins(MAE)" and row.cell["epsilon"] == 0.05]
    assert wins.beside["from_printed_rows"] == pytest.approx(wins.published, abs=1e-5)
    assert wins.reproduced == pytest.approx(0.3)


def test_leader_table_5_has_the_row_of_wins_with_five_responses():
    """Its difference is printed, too: 0.371267 − 0.510317 = −0.139050."""
    asked = {"table": 5, "metric": "Wins(MAE)", "sampling": "all_items,sample(5)"}
    [row] = [cell for cell in leader.published() if asked.items() <= cell.items()]
    assert (row["estimated_p"], row["true_p"]) == (0.371267, 0.510317)
    [note] = [note for note in PAPERS["leader"].notes({5}) if note.startswith("Table 5")]
    assert "Wins(MAE)" not in note


def test_leader_says_which_rows_cannot_be_read():
    [note] = [note for note in PAPERS["leader"].notes({11}) if note.startswith("Table 11")]
    assert note.startswith("Table 11: 14 of 45 rows cannot be read in the source or contradict themselves")
    assert "EMD Agg (all_items,sample(1))" in note
    assert not any(note.startswith("Table 6") for note in PAPERS["leader"].notes({6}))


def test_a_dash_of_ratings_agrees_with_a_large_p_only():
    dash = PublishedNumber({"table": 1}, "p", float("nan"), 0.2, 0.01)
    assert dash.agrees
    assert PublishedNumber({"table": 1}, "p", float("nan"), 0.01, 0.005).agrees is False
    dashes = [row for row in figures("ratings_tables.json") if row["p"] is None]
    assert len(dashes) == 6
    assert "A dash" in PAPERS["ratings"].notes({1})[-1]


def test_a_bound_is_shown_as_one_and_has_no_error():
    row = PublishedNumber({"table": 1, "metric": "mae"}, "p", 0.0001, 1 / 1001, 0.001, is_bound=True)
    shown = str(Replication("raters", "as printed.", (row,), 1000, 0))
    assert "< 0.001" in shown
    assert "+0.00" not in shown.split("Convention", maxsplit=1)[0].splitlines()[-3]
    assert row.difference == 0
    assert row.agrees


def test_the_exact_engine_gives_digits_that_simulation_confirms():
    model = preset("normal")
    metric = published_metric("wins").on(model.scale)
    design = {"n_items": 150, "n_responses": 5, "epsilon": 0.1}
    simulation = SimulationSize(200, np.random.SeedSequence(1))
    [answer] = exact_pvalues(model, [metric], **design, simulation=simulation)
    [outcome] = SimulationSize(6000, np.random.SeedSequence(2)).outcomes(model, [metric], **design)
    assert abs(answer.p - outcome.p) < 4 * outcome.p_error
    assert not answer.is_bound
    [tiny] = exact_pvalues(model, [metric], **{**design, "n_items": 5000}, simulation=simulation)
    assert tiny.is_bound


@pytest.mark.parametrize("null", [False, True])
def test_binned_responses_have_the_distribution_of_the_legacy_distance(null):
    model = preset("normal")
    binned = BinnedModel(model)
    metric = published_metric("emd-histogram-legacy")
    options = {"n_items": 20, "n_responses": 12, "epsilon": 0.1, "null": null, "n_simulations": 1500}
    long = simulate_advantages(model, [metric.on(model.scale)], rng=1, **options)[0]
    short = simulate_advantages(binned, [metric.on(binned.scale)], rng=2, **options)[0]
    assert stats.ks_2samp(np.round(long, 9), np.round(short, 9)).pvalue > 1e-5


SMALL = {"raters": 14, "leader": 9, "forest": 3, "ratings": 2}


@pytest.fixture(scope="module")
def processes():
    """One process beside this one."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("paper", PAPERS)
def test_threads_processes_and_a_store_change_no_bit(paper, tmp_path, monkeypatch, processes):
    monkeypatch.setattr(leader, "N_DATA_SETS", 2)
    counts = []
    options = {"table": SMALL[paper], "n_simulations": 2}
    threads = replicate(paper, **options, progress=counts.append)
    assert counts[0].missing == counts[-1].done == len(plan(paper, **options))
    stored = replicate(paper, **options, store=tmp_path / "study.db", executor=processes)
    again = replicate(paper, **options, store=tmp_path / "study.db", executor=Refusing())
    assert repr(threads.to_dict()) == repr(stored.to_dict()) == repr(again.to_dict())


class Refusing(ThreadPoolExecutor):
    """An executor for runs that must find every cell in the store."""

    def submit(self, *arguments):
        raise AssertionError("a finished cell was computed again")


def test_an_interrupted_replication_goes_on(tmp_path):
    def stop(counts):
        if counts.done >= 5:
            raise KeyboardInterrupt

    options = {"table": 3, "n_simulations": 4}
    store = tmp_path / "study.db"
    with pytest.raises(KeyboardInterrupt):
        replicate("forest", **options, store=store, progress=stop)
    assert 5 <= Store(store).counts()[measure.name, measure.version].done < 32
    begun = []
    resumed = replicate("forest", **options, store=store, progress=begun.append)
    assert begun[0].done >= 5
    assert repr(resumed.to_dict()) == repr(replicate("forest", **options).to_dict())


def test_every_part_of_every_table_is_a_cell():
    sizes = {paper: len(plan(paper)) for paper in PAPERS}
    # RATERS: 4 ε × 36 designs, means and bins, and 6 K of table 3; FOREST: every printed row; RATINGS: every cell, with
    # or without a p; LEADER: 10 tables × (2 numbers of responses + 20 data sets), of which tables 1 to 4 are made.
    assert sizes == {"raters": 294, "leader": 220, "forest": 85, "ratings": 63}
    assert len(plan("leader", table=1)) == len(plan("leader", table=4)) == 110
    assert {paper: tables(paper) for paper in PAPERS} == {
        "raters": tuple(range(1, 16)), "leader": tuple(range(1, 15)), "forest": (1, 2, 3), "ratings": (1, 2, 3)
    }  # fmt: skip


def test_a_replication_with_failed_cells_is_not_concluded():
    cells = Grid([{"paper": "forest", "table": 3, "dataset": "Toxicity", "metric": "mae", "n_simulations": 2}])
    with pytest.raises(DataError, match="nothing is published at table=3, dataset=Toxicity, metric=mae"):
        conclude(run(measure, cells, rng=0))


def test_a_replication_says_what_it_did_and_becomes_a_frame():
    rows = (
        PublishedNumber({"table": 1}, "p", 0.04, 0.05, 0.01, {"low": 0.0}),
        PublishedNumber({"table": 1}, "p", 0.04, 0.09, 0.01),
    )
    result = Replication("forest", "as printed.", rows, 100, 0, ("a note.",))
    said = "50% of 2 published numbers are reproduced within two standard errors."
    assert str(result).startswith(said)
    whole = render(result.document(), width=120, verbose=True).splitlines()
    rows_shown = [[cell.strip() for cell in line.strip("│").split("│")] for line in whole if line.startswith("│")]
    assert ["0.04", "0.090", "0.050", "0.010", "– ←"] in rows_shown
    assert rows_shown[-1][:7] == ["1", "p", "2", "0.0361", "0.03", "50%", "0.05"]
    again = Replication.from_dict(result.to_dict())
    assert again.to_dict() == result.to_dict()
    assert result.to_frame().columns == [
        "table", "quantity", "published", "reproduced", "standard_error", "is_bound", "low"
    ]  # fmt: skip
    assert result.to_dict()["rows"][0] == rows[0].to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paper": "forrest"}, "Did you mean 'forest'"),
        ({"paper": "forest", "table": 4}, "must be one of 1, 2, 3; got 4"),
        ({"paper": "forest", "n_simulations": 1}, "at least 2"),
        ({"paper": "forest", "n_simulations": 0}, "at least 2"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        replicate(**arguments)


@pytest.mark.parametrize("skewed", [False, True])
def test_the_error_of_a_width_is_the_spread_of_studies_whatever_the_draws_look_like(skewed):
    rng = np.random.default_rng(0)
    draws = rng.standard_exponential(size=(300, 1000)) if skewed else rng.normal(size=(300, 1000))
    studies = [Outcome(0.5, 0.0, one) for one in draws]
    spread = np.std([study.ci_width for study in studies], ddof=1)
    assert np.median([study.ci_width_error for study in studies]) == pytest.approx(spread, rel=0.2)
    together = Outcome(0.5, 0.0, draws.ravel())
    assert together.width_error(1000) == pytest.approx(spread, rel=0.2)
    assert together.ci_width_error < spread / 10
    # The error for normal draws of this spread, 3.73 σ/√b, is too small where draws are skewed.
    assert bool(3.73 * together.draws.std() / np.sqrt(1000) < 0.8 * spread) is skewed


def test_no_one_number_of_responses_gives_the_scores_of_raters_table_3():
    """MAE .0677 of A lies between 6 and 7 responses, MEMD 1.209 between 30 and 35: what the note says."""
    from howsure._random import seed_of
    from howsure.papers import raters
    from howsure.papers.expected_outcomes import SimulationSize

    def scores(k):
        return raters.measure({"table": 3, "responses": k}, SimulationSize(100, seed_of(0)))

    six, seven, thirty, more = map(scores, (6, 7, 30, 35))
    assert seven["MAE 0.005 a"] < 0.0677 < six["MAE 0.005 a"]
    assert thirty["MEMD 0.005 a"] < 1.209 < more["MEMD 0.005 a"]
