"""Published tables at reduced size: differences stay within what Monte-Carlo error explains.

The full-size run is `benchmarks/replicate.py`; its tables are in `docs/replications.md`.
"""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from scipy import stats

from assay.errors import ArgumentError, DataError
from assay.models import preset, simulate_contrasts
from assay.replications import PAPERS, Replication, Row, conclude, measure, plan, replicate
from assay.replications.legacy import published_metric
from assay.replications.outcomes import Outcome
from assay.replications.raters import BinnedModel
from assay.sweeps import Grid, Store, run


def z_scores(rows):
    return np.array([row.difference / row.standard_error for row in rows if row.standard_error > 0])


def few_outliers(rows, *, share=0.05):
    """Whether no more rows are beyond 1.96 standard errors than a binomial region around twice the nominal share."""
    outside = int((np.abs(z_scores(rows)) > 1.96).sum())
    return outside <= stats.binom.ppf(1 - 1e-6, len(rows), 2 * share)


@pytest.mark.parametrize(("table", "n_simulations"), [(6, 20), (10, 20), (14, 100)])
def test_raters_tables_come_out(table, n_simulations):
    result = replicate("raters", table=table, n_simulations=n_simulations)
    assert len(result.rows) == 36
    assert few_outliers(result.rows)
    assert abs(np.mean([row.difference for row in result.rows])) < 0.02


def test_forest_table_2_comes_out():
    result = replicate("forest", table=2, n_simulations=200)
    assert few_outliers(result.of("p"))
    assert few_outliers(result.of("effect"))
    near = sum(abs(row.difference) <= 0.02 for row in result.of("p"))
    assert near >= 28
    for row in result.of("effect"):
        allowed = 0.15 if row.cell["metric"] == "kl" else 0.05
        assert abs(row.difference) <= allowed * row.published + 3 * row.standard_error


def test_forest_table_3_widths_come_out():
    result = replicate("forest", table=3, n_simulations=100)
    for row in result.rows:
        allowed = 0.25 if row.cell["metric"] == "kl" else 0.12
        assert abs(row.difference) <= allowed * row.published + 3 * row.standard_error


def test_ratings_come_out_only_with_the_bootstrap_inside():
    result = replicate("ratings", table=2, n_simulations=100)
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
        simulate_contrasts(model, metrics, n_items=1000, epsilon=0.05, null=kind, n_simulations=500, rng=1)
        for kind in (False, True)
    )
    found = {name: Outcome.of(*pair) for name, pair in zip(names, zip(null, draws, strict=True), strict=True)}
    published = {"mae": 0.067622, "wins": 0.001909, "spearman": 0.263784, "emd-histogram-legacy": 0.195486}
    for name, p in published.items():
        # The published p has an error of its own, from 1,000 data sets.
        assert abs(found[name].p - p) <= 4 * found[name].p_error * np.sqrt(1.5) + 0.001
    assert found["emd"].p < 0.1 < found["emd-histogram-legacy"].p


def test_leader_puts_the_published_estimate_into_a_distribution():
    result = replicate("leader", table=9, n_simulations=20)
    for row in result.of("estimated_p"):
        assert 0 <= row.beside["quantile_of_published"] <= 1
        assert row.beside["low"] <= row.reproduced <= row.beside["high"]
    assert len(result.of("true_p")) == len(result.of("estimated_p")) == 40


@pytest.mark.parametrize("null", [False, True])
def test_binned_responses_have_the_distribution_of_the_legacy_distance(null):
    model = preset("normal")
    binned = BinnedModel(model)
    metric = published_metric("emd-histogram-legacy")
    options = {"n_items": 20, "n_responses": 12, "epsilon": 0.1, "null": null, "n_simulations": 1500}
    long = simulate_contrasts(model, [metric.on(model.scale)], rng=1, **options)[0]
    short = simulate_contrasts(binned, [metric.on(binned.scale)], rng=2, **options)[0]
    assert stats.ks_2samp(np.round(long, 9), np.round(short, 9)).pvalue > 1e-5


SMALL = {"raters": 14, "leader": 9, "forest": 3, "ratings": 2}


@pytest.mark.parametrize("paper", PAPERS)
def test_threads_processes_and_a_store_change_no_bit(paper, tmp_path):
    counts = []
    options = {"table": SMALL[paper], "n_simulations": 4}
    threads = replicate(paper, **options, progress=counts.append)
    assert counts[0].missing == counts[-1].done == len(plan(paper, **options))
    inline = conclude(run(measure, plan(paper, **options), rng=0), SMALL[paper])
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        stored = replicate(paper, **options, store=tmp_path / "study.db", executor=processes)
    again = replicate(paper, **options, store=tmp_path / "study.db", executor=Refusing())
    assert repr(threads.to_dict()) == repr(inline.to_dict()) == repr(stored.to_dict()) == repr(again.to_dict())


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
    assert repr(resumed) == repr(replicate("forest", **options))


def test_every_part_of_every_table_is_a_cell():
    sizes = {paper: len(plan(paper)) for paper in PAPERS}
    # RATERS: 4 ε × 36 designs, means and bins; FOREST: every printed row; RATINGS: those with a p; LEADER: 10 tables ×
    # (2 + 6 strategies × 20 data sets).
    assert sizes == {"raters": 288, "leader": 1220, "forest": 80, "ratings": 57}


def test_a_replication_with_failed_cells_is_not_concluded():
    cells = Grid([{"paper": "forest", "table": 3, "dataset": "Toxicity", "metric": "mae", "n_simulations": 2}])
    with pytest.raises(DataError, match="nothing is published at table=3, dataset=Toxicity, metric=mae"):
        conclude(run(measure, cells, rng=0))


def test_a_replication_says_what_it_did_and_becomes_a_frame():
    rows = (Row({"table": 1}, "p", 0.04, 0.05, 0.01, {"low": 0.0}), Row({"table": 1}, "p", 0.04, 0.09, 0.01))
    result = Replication("forest", "as printed.", rows, 100, 0)
    assert str(result).startswith("50% of 2 published numbers come out within two standard errors of their difference.")
    summary = [cell.strip() for cell in str(result).splitlines()[5].strip("│").split("│")]
    assert summary[:6] == ["1", "p", "2", "0.03606", "0.03", "50 %"]
    again = Replication.from_dict(result.to_dict())
    assert again.to_dict() == result.to_dict()
    assert result.to_frame().columns == ["table", "quantity", "published", "reproduced", "standard_error", "low"]
    assert result.to_dict()["rows"][0] == rows[0].to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paper": "forrest"}, "Did you mean 'forest'"),
        ({"paper": "forest", "table": 1}, "must be one of 2, 3; got 1"),
        ({"paper": "forest", "n_simulations": 1}, "at least 2"),
        ({"paper": "forest", "n_simulations": 0}, "at least 2"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        replicate(**arguments)
