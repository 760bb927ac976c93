import json
from dataclasses import replace

import numpy as np
import pytest

from howsure.errors import ArgumentError, DataError
from howsure.models import fit, preset
from howsure.reports import plot, write_chart
from howsure.reports.fit import chart
from tests.reports.results import rows_of


@pytest.fixture(scope="module")
def ratings():
    table = preset("likert-amazon").table(60, (5, 1, 1), rng=1)
    return fit(table, source="gold", mean="truncated-normal", sd="truncated-normal", rng=0)


def test_bars_are_shares_of_the_real_items_and_the_line_of_simulated_ones(ratings):
    drawn = plot(ratings).to_dict()
    histogram, cumulative = drawn["vconcat"][1]["hconcat"]
    bars, line, steps_of_both = (
        part["data"]["values"] if "values" in part["data"] else drawn["datasets"][part["data"]["name"]]
        for part in (*histogram["layer"], cumulative)
    )
    means = ratings.goodness[0]
    assert sum(bar["real"] for bar in bars) == pytest.approx(1)
    assert sum(point["share"] for point in line) == pytest.approx(1)
    for bar in bars:
        inside = (means.real >= bar["low"]) & (means.real < bar["high"])
        assert bar["real"] == pytest.approx(inside.mean())
        # A mean of five ratings on five levels has its own bar.
        assert (
            np.unique(means.simulated[(means.simulated > bar["low"]) & (means.simulated < bar["high"])].round(9)).size
            == 1
        )
    for side in ("real", "simulated"):
        steps = [step for step in steps_of_both if step["side"] == side]
        assert steps[-1]["share"] == 1
        values = getattr(means, side)
        for step in steps[::50]:
            at_most = np.searchsorted(values, step["value"], side="right") / values.size
            assert step["share"] <= at_most


@pytest.mark.parametrize("suffix", [".html", ".svg", ".png", ".pdf", ".json"])
def test_every_format_is_written(ratings, tmp_path, suffix):
    path = tmp_path / f"fit{suffix}"
    write_chart(replace(ratings, source="</script>") if suffix == ".html" else ratings, str(path))
    assert path.stat().st_size > 1000
    if suffix == ".json":
        title = " ".join(json.loads(path.read_text(encoding="utf-8"))["title"]["text"])
        assert title == f"gold: 60 items, 5 responses each; {ratings.described}."
    if suffix == ".html":
        page = path.read_text(encoding="utf-8")
        assert "vegaEmbed(" in page
        assert "<script src" not in page  # it needs no network
        assert "https://" not in page.split("<script")[0]
        [spec] = [line for line in page.splitlines() if line.lstrip().startswith("const spec = ")]
        assert "<" not in spec  # Altair takes the encoder that keeps names in data from ending the script
        assert "\\u003c" in spec


def test_labels_are_drawn_by_share_and_disagreement():
    found = fit(preset("categorical-dices").table(50, (6, 1, 1), rng=1), source="gold", rng=0)
    spec = plot(found).to_dict()
    panels = [row["hconcat"][0] for row in spec["vconcat"][1:]]
    titles = [" ".join(panel["title"]["text"]) for panel in panels]
    assert [title.partition(":")[0] for title in titles] == ["shares of 'a'", "disagreement within items"]
    assert all("the model reproduces them" in title or "the model misses them" in title for title in titles)
    hanging = [row for row in rows_of(spec) if "end" in row]
    assert hanging
    for bar in hanging:  # a rootogram: bars hang from the curve
        assert bar["top"] - bar["end"] == pytest.approx(bar["real"] ** 0.5)


def test_bad_input_gets_one_clear_line(ratings, tmp_path):
    real = fit(preset("likert-amazon").table(20, (5, 1, 1), rng=1), source="gold", response_model="empirical")
    with pytest.raises(ArgumentError, match="there is nothing to draw"):
        chart(real)
    with pytest.raises(ArgumentError, match="must be a file that ends in"):
        write_chart(ratings, str(tmp_path / "fit.gif"))
    with pytest.raises(DataError, match="cannot be written"):
        write_chart(ratings, str(tmp_path / "nowhere" / "fit.svg"))


def test_the_first_row_shows_all_responses_beside_those_of_the_model(ratings):
    spec = plot(ratings).to_dict()
    histogram, cumulative = spec["vconcat"][0]["hconcat"]
    bars, line = (spec["datasets"][part["data"]["name"]] for part in histogram["layer"])
    levels = ratings.model.levels
    shares = [np.mean(ratings.responses.real == level) for level in levels]
    assert ratings.responses.real.size == 60 * 5
    assert [bar["real"] for bar in bars] == pytest.approx(shares)
    assert [point["share"] for point in line] == pytest.approx([bar["simulated"] for bar in bars])
    assert cumulative["encoding"]["y"]["title"] == "share of responses up to here"
    assert "responses" not in ratings.to_dict()


def test_all_labels_stand_under_their_names_with_the_shares_of_the_model():
    found = fit(preset("categorical-dices").table(50, (6, 1, 1), rng=1), source="gold", rng=0)
    first = plot(found).to_dict()["vconcat"][0]
    assert first["layer"][0]["encoding"]["x"]["field"] == "label"
    rows = [row for row in rows_of(plot(found).to_dict()) if "label" in row]
    alpha = np.array([parameter.estimate for parameter in found.parameters])
    simulated = [row["share"] for row in rows if row["side"] == "simulated"]
    real = [row["share"] for row in rows if row["side"] == "real"]
    # Shares of 100,000 responses in items of six have a standard error below .0045 here: 16,667 items of share SD < .5.
    assert simulated == pytest.approx((alpha / alpha.sum()).tolist(), abs=4 * 0.5 / 16_667**0.5)
    assert real == pytest.approx([np.mean(found.responses.real == code) for code in range(3)])
    assert [row["label"] for row in rows if row["side"] == "real"] == ["a", "b", "c"]
