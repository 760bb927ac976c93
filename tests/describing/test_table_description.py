import json
from dataclasses import replace

import evalica
import numpy as np
import pandas as pd
import pytest

import howsure
from howsure import _json
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.describing import TableDescription, describe
from howsure.describing.strata import strata_of
from howsure.documents import text
from howsure.documents.text import cell_width
from howsure.metrics import resolve


def test_a_description_says_for_whom_results_speak():
    rng = np.random.default_rng(8)
    grid = rng.integers(0, 4, (10, 3)).astype(float)
    ids = np.tile(np.arange(3), (10, 1))
    sources = {
        "crossed": Responses.from_grid(grid, ids),
        "nested": Responses.from_grid(grid, np.arange(30).reshape(10, 3)),
        "single": Responses.from_grid(grid[:, :1], ids[:, :1]),
        "unknown": Responses.from_grid(grid),
        "model": Responses.from_grid(grid[:, :1]),
    }
    scale = Scale.of(np.arange(4.0))
    table = ResponseTable(np.arange(10).astype(str), sources, scale, raters=tuple(map(str, range(30))))
    found = describe(table, n_resamples=9, rng=0)
    said = " ".join(found.conclusions)
    assert "crossed: 3 raters judged many items each; the verdict of compare holds for these raters, because" in said
    assert "nested: 30 raters judged one item each, so resampling items resamples raters too." in said
    assert "single: one rater. Results hold for this rater only." in said
    assert "unknown: several responses per item, but no rater ids." in said
    assert "model" not in said
    assert [part.agreement is not None for part in found.sources] == [True, True, False, False, False]
    assert found.to_dict()["sources"][0]["design"]["kind"] == "crossed"
    assert str(found).startswith("10 items; scale: ordinal")


@pytest.mark.parametrize(
    ("name", "kind", "n_raters", "alpha_near"),
    [("dices350.csv", "crossed", 123, 0.2), ("lewidi23_ConvAbuse.csv", "partially crossed", 8, 0.7)],
)
def test_real_tables(shared, name, kind, n_raters, alpha_near):
    table = howsure.read(shared / name, sources={"human": "kind=human"})
    found = describe(table, n_resamples=19, rng=0).sources[0]
    assert (found.design.kind, found.design.n_raters) == (kind, n_raters)
    source = table.sources["human"]
    grid = np.full((n_raters, table.n_items), np.nan)
    grid[source.raters, source.items] = source.values
    level = "nominal" if table.scale.kind == "nominal" else "ordinal"
    expected = evalica.alpha(pd.DataFrame(grid), distance=level).alpha
    assert found.agreement["krippendorff_alpha"].value == pytest.approx(expected, abs=1e-9)
    assert found.agreement["krippendorff_alpha"].value in found.agreement["krippendorff_alpha"].confidence_interval
    assert expected == pytest.approx(alpha_near, abs=0.15)


def test_the_runs_of_a_model_are_no_raters():
    grid = np.random.default_rng(8).integers(0, 4, (10, 3)).astype(float)
    sources = {"human": Responses.from_grid(grid), "model": Responses.from_grid(grid)}
    table = ResponseTable(np.arange(10).astype(str), sources, Scale.of(np.arange(4.0)), repeats=("model",))
    told = " ".join(describe(table, n_resamples=9, rng=0).conclusions)
    assert "human: several responses per item, but no rater ids." in told
    assert "model" not in told


def test_an_advantage_by_how_far_gold_agrees():
    rng = np.random.default_rng(37)
    truth = rng.integers(0, 3, 90)
    split = np.arange(90) < 30
    gold = np.tile(truth[:, np.newaxis], (1, 4))
    gold[split, :2] = (gold[split, :2] + 1) % 3
    a, b = truth.copy(), truth.copy()
    b[~split] = (b[~split] + 1) % 3
    contest = howsure.Contest.from_arrays(gold.astype(float), a.astype(float), b.astype(float), scale="nominal")
    low, high = strata_of(contest, resolve("accuracy-responses"))
    assert (low.name, low.n_items, high.name, high.n_items) == ("agree least", 30, "agree most", 60)
    assert (low.agreement, high.agreement) == pytest.approx((1 / 3, 1.0))
    assert (high.a_score, high.b_score, high.advantage) == (1.0, 0.0, 1.0)
    assert low.advantage == 0
    assert strata_of(contest, resolve("f1")) == ()
    whole = sum(part.n_items * part.advantage for part in (low, high)) / 90
    assert whole == pytest.approx(
        howsure.compare(contest, metric="accuracy-responses", n_resamples=99, seed=0).advantage
    )
    table = ResponseTable(contest.items, dict(zip(contest.names, contest.sources.values(), strict=True)), contest.scale)
    found = describe(table, contest=contest, n_resamples=9, rng=0)
    again = TableDescription.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert _json.dumps(again.to_dict()) == _json.dumps(found.to_dict())
    assert "accuracy by the agreement of gold on the item (A: A, B: B)" in text.render(found.document(), verbose=True)


def described(n_sources=3, n_raters=4, n_items=30):
    """A gold standard and models, all judged by the same raters, with long names."""
    rng = np.random.default_rng(8)
    sources = {
        f"organisation/a-model-of-a-long-name-{number}": Responses.from_grid(
            rng.integers(0, 5, (n_items, n_raters)).astype(float), np.tile(np.arange(n_raters), (n_items, 1))
        )
        for number in range(n_sources)
    }
    names = tuple(f"rater-{number}" for number in range(n_raters))
    return ResponseTable(np.arange(n_items).astype(str), sources, Scale.of(np.arange(5.0)), raters=names)


@pytest.mark.parametrize("n_sources", [1, 3, 21])
def test_the_default_output_fits_one_screen(n_sources):
    found = describe(described(n_sources), n_resamples=9, rng=0).document()
    short, whole = (text.render(found, verbose=verbose).splitlines() for verbose in (False, True))
    assert len(short) <= 40
    assert max(cell_width(line) for line in (*short, *whole) if line[:1] in "┏┃┡│└" and line) <= 80
    assert sum(line[:5] == "Note:" for line in short) <= 3


@pytest.mark.parametrize("n_raters", [2, 6])
def test_each_source_has_one_line_with_its_agreement(n_raters):
    found = describe(described(2, n_raters), n_resamples=19, rng=0)
    for part in found.sources:
        alpha_of, ends = part.agreement["krippendorff_alpha"].value, part.agreement["krippendorff_alpha"]
        [line] = [line for line in str(found).splitlines() if line.startswith(f"{part.name}: ")]
        how = (
            "compare treats them as a random factor."
            if n_raters > 4
            else "the verdict of compare holds for these raters"
        )
        assert f"{n_raters} raters judged many items each; {how}" in line
        said = line.split("alpha ")[1].split(" ")[0].replace("−", "-")
        width = ends.confidence_interval.high - ends.confidence_interval.low
        assert float(said) == pytest.approx(alpha_of, abs=width / 20)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_difference_of_two_models_names_the_one_that_scores_better(sign):
    table = described(2)
    first, second = table.sources
    moved = replace(table.sources[first], values=table.sources[first].values + 3.0 * sign)
    moved = replace(table, sources={first: moved, second: table.sources[second]}, scale=Scale("continuous"))
    found = describe(moved, contest=moved.contest(a=first, b=second), n_resamples=9, rng=0)
    winner, loser = (first, second) if sign > 0 else (second, first)
    [line] = [line for line in str(found).splitlines() if " scores better than " in line]
    assert line.startswith(f"{winner} scores better than {loser} by ")
    by = float(line.split(" by ")[1].split(" ")[0])
    assert by == pytest.approx(abs(found.components.advantage), abs=0.1)
    assert (
        max(cell_width(line) for line in text.render(found.document(), verbose=True).splitlines() if line[:1] in "┏┃│")
        <= 80
    )
