"""The sliders of the plan page: answers at once, the mark on the map, and the same without JavaScript."""

import re
from collections import OrderedDict

import pytest

from howsure import io
from howsure.errors import ArgumentError
from howsure.planning import plan
from howsure.planning.interactive import ModelSliders
from howsure.web.sliders import answered, drawn

ASKED = {"preset": "likert-toxicity", "metric": "mae", "n_items": 100, "n_responses": 5, "epsilon": 0.3, "n_raters": 5}


@pytest.fixture(scope="module")
def kept():
    """What the process of the sliders keeps."""
    return OrderedDict()


def test_an_answer_is_that_of_the_plan(kept):
    found = answered(ASKED, kept)
    [cell] = plan(
        "likert-toxicity", metrics=["mae"], epsilon=0.3, n_items=[100], n_responses=[5], rng=0, workers=1
    ).cells  # fmt: skip
    assert found["design"] == "100 items × 5 responses"
    assert found["expected_pvalue"] == pytest.approx(cell.expected_pvalue, abs=0.02)
    assert found["ci_width"] == pytest.approx(cell.ci_width, rel=0.1)
    assert found["power"] == pytest.approx(cell.power, abs=3 * (0.25 / 300) ** 0.5)
    assert found["cost"] == 500


def test_more_items_have_more_power_on_either_side_of_the_two_ways_to_it(kept):
    powers = [answered({**ASKED, "epsilon": 0.1, "n_items": n}, kept)["power"] for n in (50, 190, 210, 1500)]
    assert powers == sorted(powers)
    assert powers[2] - powers[1] < 0.12


def test_a_new_number_of_items_makes_no_new_pool(kept):
    answered(ASKED, kept)
    [subject] = kept.values()
    assert isinstance(subject, ModelSliders)
    before = dict(subject._pools)
    answered({**ASKED, "n_items": 700}, kept)
    assert dict(subject._pools) == before  # which was asked last may differ


def test_prices_make_a_cost(kept):
    assert answered({**ASKED, "cost_item": 2.0, "cost_response": 0.5}, kept)["cost"] == 100 * 2 + 500 * 0.5


def test_the_mark_moves_with_the_design():
    tiles = [(n, k, 0.5) for n in (10, 100) for k in (1, 10)]
    low, high = drawn(tiles, 10, 1)["mark"], drawn(tiles, 100, 10)["mark"]
    assert low[0] < drawn(tiles, 10, 3)["mark"][0] < high[0]
    assert high[1] < drawn(tiles, 30, 3)["mark"][1] < low[1]


def test_raters_of_a_pilot_have_a_slider(tmp_path):
    place = tmp_path / "rated.csv"
    rows = ["item,source,rater,value"]
    for item in range(12):
        for rater in range(4):
            rows.append(f"i{item},m1,r{rater},{1 + (item * 7 + rater * 3) % 5}")
            rows.append(f"i{item},m2,r{rater},{1 + (item * 5 + rater * 2 + 1) % 5}")
    place.write_text("\n".join(rows), encoding="utf-8")
    assert len(io.read(place).raters) == 4
    asked = {"files": [str(place)], "a": "m1", "b": "m2", "n_items": 50, "n_raters": 6, "n_responses": 1}
    found = answered(asked, OrderedDict())
    assert found["across"] == "raters"
    assert "6 raters" in found["design"]
    more = answered({**asked, "n_raters": 40, "n_items": 500}, OrderedDict())
    assert more["power"] > found["power"]


def test_metrics_without_item_scores_are_refused(kept):
    with pytest.raises(ArgumentError, match="no item scores"):
        answered({**ASKED, "metric": "spearman"}, kept)


def test_the_page_works_as_a_plain_form_and_in_parts(client):
    whole = client.get("/plan/try?preset=normal&metric=mae&n_items=50&n_responses=3&epsilon=0.3")
    assert whole.status_code == 200
    assert "50 items × 3 responses: power" in whole.text
    part = client.get(
        "/plan/try?preset=normal&metric=mae&n_items=60&n_responses=3&epsilon=0.3", headers={"hx-request": "true"}
    )
    assert part.text.startswith('<div id="expected">')
    assert "60 items × 3 responses" in part.text
    assert re.search(r'id="value-n_items" hx-swap-oob="true">60<', part.text)


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        ("preset=nonsense", 422, "`preset` must be one of"),
        ("preset=normal&n_items=many", 422, "must be a number"),
        ("preset=normal&n_items=1e9", 422, "`n_items` must"),
        ("preset=normal&epsilon=nan", 422, "`epsilon` must"),
        ("table=0", 404, "no such table"),
    ],
)
def test_wrong_sliders_get_a_sentence(client, sent, status, said):
    answer = client.get(f"/plan/try?{sent}", headers={"accept": "text/plain" if status == 404 else "text/html"})
    assert answer.status_code == status
    assert said in answer.text
