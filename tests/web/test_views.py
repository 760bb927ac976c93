"""What the page says of a result: few words, the same numbers as the report, and a page for every question."""

import dataclasses
import json
import math
import re
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from starlette.testclient import TestClient

import howsure
from howsure import examples, io
from howsure.comparison.verdicts import as_text, asides
from howsure.questions.base import Run
from howsure.questions.compare import Compare
from howsure.questions.leaderboard import Leaderboard
from howsure.questions.plan import Plan
from howsure.questions.score import Score
from howsure.web import Settings, create_app, questions
from howsure.web.everyday_words import CHOICES, LABELS, humanly, label_of
from howsure.web.questions import PAGES, Page, shown_fields
from howsure.web.samples import sample
from howsure.web.uploads import Upload
from howsure.web.views import view_of
from howsure.web.views.base import groups
from tests.reports.results import made

HERE = Run(workers=1)


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    place = tmp_path_factory.mktemp("views") / "ratings.csv"
    io.write(examples.ratings(60), place)
    return str(place)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    place = tmp_path_factory.mktemp("views") / "judged.csv"
    place.write_bytes(sample("raters")[1])
    return str(place)


def frozen(asked, path):
    found = asked.answer(HERE)
    kept = json.loads(json.dumps(view_of(path).freeze(found, asked), allow_nan=False))  # as a file keeps it
    return found, kept


@pytest.mark.parametrize(
    "more", [{}, {"alternative": "greater"}, {"alternative": "less"}, {"confidence_level": 0.999999}]
)
def test_a_verdict_has_a_dozen_words_and_the_numbers_of_the_report(ratings, more):
    asked = Compare(files=(ratings,), gold="human", a="model-2", b="model-1", metric=("mae",), **more)
    [found], kept = frozen(asked, "compare")
    shown = view_of("compare").show(kept, {})
    assert len(shown["verdict"].split()) <= 12
    assert ("is better than" in shown["verdict"]) == (
        found.pvalue <= 1 - found.confidence_interval.confidence_level + 1e-12
    )
    now = shown["interval"]["now"]
    assert now["value"] == found.advantage
    assert now["low"] == (found.confidence_interval.low if math.isfinite(found.confidence_interval.low) else None)
    assert sum(bar["d"] for bar in shown["bars"]["items"]) / 60 == pytest.approx(found.advantage)


def test_both_answers_about_raters_are_those_of_the_result(judged):
    asked = Compare(files=(judged,), a="model-2", b="model-1", margin=0.4)
    [found], kept = frozen(asked, "compare")
    for whose, answer in (("these", found.rater_answers.these), ("like", found.rater_answers.like)):
        shown = view_of("compare").show(kept, {"whose": [whose]})
        assert shown["interval"]["now"]["low"] == answer.confidence_interval.low
        assert (shown["tone"] == "unclear") == (answer.pvalue > 0.05)
        assert shown["verdict"].endswith("for these 6 raters." if whose == "these" else "for raters like these 6.")
        assert answer.margin is not None
        assert any("0.4" in line for line in shown["more"])
    assert kept["lead"] == "like"
    few = dataclasses.replace(asked, where=("rater=rater-1",))
    assert len(frozen(few, "compare")[1]["sides"]) == 1


@pytest.mark.parametrize("seed", range(8))
def test_the_page_writes_the_numbers_of_the_command_line(tmp_path, seed):
    rng = np.random.default_rng(seed)
    lines = [f"q{i},{name},{value}" for i in range(20) for name, value in zip("ab", rng.integers(1, 8, 2), strict=True)]
    place = tmp_path / "numbers.csv"
    place.write_text("\n".join(["item,source,value", *lines]), encoding="utf-8")
    [found], kept = frozen(Compare(files=(str(place),), a="a", b="b"), "compare")
    of_a, of_b, by, _ = as_text(found)
    shown = view_of("compare").show(kept, {})
    assert f"{of_a} for a, {of_b} for b." in shown["detail"]
    assert (shown["interval"]["a"]["said"], shown["interval"]["b"]["said"]) == (of_a, of_b)
    assert f"Difference {'−' if found.advantage < 0 else ''}{by}, " in shown["interval"]["now"]["words"]
    assert by in str(found)


def skewed(path, *, raters=0):
    """A table in which b is a little better on all items but one, which it loses; each rater says the same."""
    rng, who = np.random.default_rng(0), [f"r{i}" for i in range(raters)] or [""]
    lines = ["item,source,rater,value" if raters else "item,source,value"]
    for i in range(40):
        b = 3.1 + 0.05 * rng.normal() if i else 1.8
        for source, value in (("a", 3), ("b", b)):
            lines += [",".join(filter(None, (f"q{i}", source, name, f"{value:.3f}"))) for name in who]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("raters", [0, 6])
def test_the_page_allows_for_skewness_as_the_command_line_does(tmp_path, raters):
    asked = Compare(files=(skewed(tmp_path / "skewed.csv", raters=raters),), a="a", b="b")
    [found], kept = frozen(asked, "compare")
    printed = str(found)
    shown = view_of("compare").show(kept, {"whose": ["these"]} if raters else {})
    second = re.search(r"\(\.\d+ by a test that allows for skewness\)", printed)
    assert second is not None
    assert second[0] in shown["detail"]
    one = found.rater_answers.these.as_comparison(found) if raters else found
    assert one.pvalue <= 0.05 < one.skewness_pvalue
    assert any("one that allows for skewness disagree" in line for line in asides(one))
    for line in asides(one):
        assert line in shown["more"]
    if not raters:
        assert all(line in printed for line in asides(one))


@pytest.mark.parametrize("margin", [0.05, 0.4, 1.0, 3.0])
@pytest.mark.parametrize(("a", "b"), [("model-1", "model-2"), ("model-2", "model-1")])
def test_the_page_says_of_a_margin_what_the_command_line_says(judged, margin, a, b):
    [found], kept = frozen(Compare(files=(judged,), a=a, b=b, margin=margin, raters="fixed"), "compare")
    [claim] = [line for line in view_of("compare").show(kept, {"whose": ["these"]})["more"] if " CI " in line]
    assert claim in str(found)


@pytest.fixture(scope="module")
def helped(tmp_path_factory):
    """A table with six raters of a part and a judge of everything."""
    place = tmp_path_factory.mktemp("views") / "helped.csv"
    place.write_bytes(sample("judged")[1])
    return str(place)


@pytest.mark.parametrize("more", [{}, {"raters": "fixed"}, {"margin": 1.0}])
def test_with_a_judge_the_page_says_what_the_report_says(helped, more):
    asked = Compare(files=(helped,), judge="gpt-judge", a="model-2", b="model-1", **more)
    found, kept = frozen(asked, "compare")
    shown = view_of("compare").show(kept, {})
    assert len(shown["verdict"].split()) <= 12
    assert shown["switch"] == (found.combined.rater_answers is not None)
    whose = "like" if found.combined.null == "random-effects" else "these" if shown["switch"] else "all"
    shown = view_of("compare").show(kept, {"whose": [whose]})
    assert shown["interval"]["now"]["value"] == found.advantage
    assert (shown["tone"] == "unclear") == (found.pvalue > 0.05)
    assert any("less than 1 " in line for line in shown["more"]) == ("margin" in more)
    table = next(block for block in found.document().blocks if hasattr(block, "rows"))
    assert [row["from"].lower() for row in shown["judged"]["rows"]] == [row[0] for row in table.rows]
    assert [row["n"] for row in shown["judged"]["rows"]] == [80, 400, 400]
    printed = str(found)
    for said in (shown["more"][0], *shown["judged"]["findings"]):
        assert said in printed
    assert any(said.startswith("Even a perfect judge would leave ±") for said in shown["judged"]["findings"])
    for row in shown["judged"]["rows"]:
        assert row["ends"] in printed


def test_one_rater_and_a_judge_leave_nothing_to_switch(helped, tmp_path):
    head, *rows = Path(helped).read_text(encoding="utf-8").splitlines()
    place = tmp_path / "one.csv"
    kept = [row for row in rows if "rater-1," in row or "gpt-judge," in row]
    place.write_text("\n".join([head, *kept]), encoding="utf-8")
    found, kept = frozen(Compare(files=(str(place),), judge="gpt-judge", a="model-2", b="model-1"), "compare")
    assert found.combined.rater_answers is None
    shown = view_of("compare").show(kept, {"whose": ["like"]})
    assert not shown["switch"]
    assert len(shown["judged"]["rows"]) == 3


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (Score, "model-2 scores best: mean rating 3.23."),
        (Leaderboard, "model-2 and model-1 may be the best by people's judgement."),
    ],
)
def test_other_questions_with_a_judge_have_a_headline(helped, question, said):
    asked = question(files=(helped,), judge="gpt-judge")
    _, kept = frozen(asked, question.name)
    assert kept["verdict"] == said


def test_a_label_budget_is_shown_as_its_report(helped):
    prices = {"cost_response": 0.5, "cost_judge": 0.01, "cost_rater": 20.0}
    asked = Plan(files=(helped,), judge="gpt-judge", a="model-2", b="model-1", target_width=0.3, **prices)
    found, kept = frozen(asked, "plan")
    assert view_of("plan").show(kept, {})["detail"] == found.document().blocks[0].text


@pytest.mark.parametrize("path", ["compare", "leaderboard", "judge", "score", "gate"])
def test_the_judge_of_a_table_is_part_of_its_questions(path):
    seen = {"sources": {"m1": 9, "m2": 9}, "roles": {}, "models": [], "model": "", "rater_names": ["r1", "gpt"]}
    upload = Upload("0" * 32, "me", ("f.csv",), seen | {"kind": "ordinal", "judge": "gpt"})
    asked = view_of(path).question(PAGES[path], {}, upload)
    assert asked.given["judge"] == "gpt"
    assert "judge" not in view_of(path).question(PAGES[path], {}, dataclasses.replace(upload, said_judge="")).given
    if "judge" in asked.menus:
        none = view_of(path).question(PAGES[path], {"judge": ["none"]}, upload)
        assert "judge" not in none.given
        assert not none.corrected
    else:
        form = groups(PAGES[path], upload, {})
        entries = [*form["first"], *(entry for entries in form["more"].values() for entry in entries)]
        assert next(entry for entry in entries if entry["name"] == "judge")["default_words"] == "gpt"


def test_what_cannot_be_told_is_said(ratings):
    asked = Compare(files=(ratings,), gold="human", a="model-2", b="model-1", metric=("mae",))
    found = asked.answer(HERE)
    undefined = dataclasses.replace(found[0], advantage=math.nan, pvalue=math.nan, rater_answers=None)
    kept = view_of("compare").freeze(dataclasses.replace(found, comparisons=(undefined,)), asked)
    assert kept["verdict"] == "These data cannot tell."
    json.dumps(kept, allow_nan=False)


def test_several_comparisons_are_shown_as_their_report(ratings):
    asked = Compare(files=(ratings,), gold="human", a="model-2", b="model-1", metric=("mae", "rmse"))
    _, kept = frozen(asked, "compare")
    assert kept["several"]
    assert kept["title"] == "Is model-2 better than model-1?"
    assert len(kept["verdict"].split()) <= 13


def test_a_board_has_ranges_ties_and_every_pair(ratings):
    found, kept = frozen(Leaderboard(files=(ratings,), gold="human", metric="mae"), "leaderboard")
    assert kept["verdict"] == "model-2 is best, clear of all others."
    shown = view_of("leaderboard").show(kept, {"pick": ["model-1", "model-2", "nobody"]})
    assert shown["picked"] == ["model-1", "model-2"]
    assert shown["pair"]["verdict"] == "model-2 is better than model-1."
    assert [row["best"] for row in shown["rows"]] == [model.in_confidence_set for model in found.models]


def test_a_plan_of_a_pilot_runs_beside_a_store(ratings):
    asked = Plan(files=(ratings,), gold="human", a="model-2", b="model-1", n_items=(50, 100), n_responses=("1", "3"))
    beside = Run(workers=1, study=lambda *anything: pytest.fail("a pilot needs no store"))
    assert len(asked.answer(beside).cells) == 4
    with pytest.raises(howsure.errors.ArgumentError, match="are for plans from a response model"):
        asked.answer(dataclasses.replace(beside, study_asked=True))


def test_the_map_of_a_plan_and_the_better_design():
    asked = Plan(
        files=("normal",), metric=("mae",), difference=0.1, n_items=(25, 100, 500), n_responses=("1", "3", "5")
    )
    found, kept = frozen(asked, "plan")
    sent = {"n_items": ["25"], "across": ["1"], "budget": ["2,000"]}
    shown = view_of("plan").show(kept, sent)
    power = {(cell.n_items, cell.n_responses["gold"]): cell.power for cell in found.cells}
    assert shown["here"]["power"] == power[25, 1]
    assert {(cell["n"], cell["k"]): cell["power"] for cell in shown["map"]["cells"]} == power
    assert [cell["over"] for cell in shown["map"]["cells"] if cell["n"] == 500 and cell["k"] == 5] == [True]
    best = shown["better"]
    assert best["cost"] <= 2000
    assert best["enough"]
    assert all(cell["cost"] >= best["cost"] for cell in kept["cells"] if cell["power"] >= 0.8)
    assert len(shown["verdict"].split()) <= 12


@pytest.mark.parametrize("name", ["normal", "likert-convabuse", "categorical-d3code"])
def test_a_preset_is_planned_on_the_first_try(name):
    page, view = PAGES["plan"], view_of("plan")
    asked = view.question(page, {"preset": [name]}, None)
    question = questions.ask(page, asked.given, (name,))
    shown = view.show(view.freeze(question.answer(HERE), question), asked.sent_with({}))
    assert re.fullmatch(r"(\d+|Over 99) in 100 such studies would find it\.", shown["verdict"])
    assert shown["here"]["n"] == 100
    assert sum(shown["like"].get("counts") or [count for _, count in shown["like"]["bars"]]) == 400


def test_messages_call_options_what_the_page_calls_them():
    for name in {field.name for page in PAGES.values() for field in shown_fields(page)}:
        assert f"`{name}`" not in humanly(f"`{name}` must be given.")
        assert "_" not in label_of(name)
    assert set(LABELS) - {"table"} <= {field.name for page in PAGES.values() for field in shown_fields(page)}
    assert all(CHOICES.values())


@pytest.mark.parametrize("path", PAGES)
def test_a_form_shows_few_controls_at_once(path):
    upload = Upload(
        "0" * 32, "me", ("f.csv",), {"sources": {"a": 1, "b": 1}, "roles": {}, "columns": ["x"], "model": ""}
    )
    view = view_of(path)
    form = groups(PAGES[path], upload, {}, view.own)
    assert len(form["first"]) <= 4
    names = [entry["name"] for entries in form["more"].values() for entry in entries]
    assert len(names) == len(set(names))


def test_a_new_question_has_a_page_under_more_by_itself(tmp_path, monkeypatch):
    monkeypatch.setitem(PAGES, "gate", Page("gate", "Is it good enough?", f"{__name__}:Gate", menu="Gate"))
    with TestClient(create_app(Settings(folder=str(tmp_path), workers=1)), base_url="http://127.0.0.1:8765") as client:
        page = client.get("/gate")
        assert page.status_code == 200
        assert "<h1>Is it good enough?</h1>" in page.text
        assert 'name="metric"' in page.text
        assert '<a href="/gate">' in client.get("/").text
        assert "/api/v1/gate" in client.get("/api/v1/openapi.json").json()["paths"]
    found = view_of("gate").freeze(made("ModelScores"), Gate(files=("r.csv",)))
    assert 0 < len(found["verdict"].split()) <= 13


class Gate(Score):
    """A question of tomorrow."""

    name = "gate"


def test_results_fit_the_schemas_of_the_openapi_document(client, table):
    document = client.get("/api/v1/openapi.json").json()
    asked = {"compare": {"table": table, "gold": "human", "a": "model-2", "b": "model-1", "n_resamples": 99},
             "leaderboard": {"table": table, "gold": "human", "n_resamples": 99},
             "power": {"sd": 1, "effect": 0.2, "target_power": 0.8}}  # fmt: skip
    for path, body in asked.items():
        answer = client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        schema = document["paths"][f"/api/v1/{path}"]["post"]["responses"]["200"]["content"]["application/json"][
            "schema"
        ]
        jsonschema.validate(answer.json(), {**schema, "components": document["components"]})
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"nothing": 1}, {**schema, "components": document["components"]})
    page = client.get("/api").text
    for path in document["paths"]:
        assert path in page
    assert "Comparisons" in page


def test_an_answer_is_out_of_date_once_the_table_is_read_otherwise(client, table):
    assert client.get(f"/compare?table={table}").status_code == 200
    assert "Out of date" not in client.get("/history").text
    csrf = client.get(f"/tables/{table}").text.partition('name="csrf" value="')[2][:64]
    client.post(f"/tables/{table}/correct", data={"csrf": csrf, "scale": "continuous", "measure": "rmse"})
    seen = client.get("/history").text
    assert seen.count("Out of date") == 1
    assert "Ask again" in seen
    again = client.get(f"/compare?table={table}").text
    assert "Root mean squared error" in again  # the measure that was chosen for the table
    client.app.state.uploads.delete(table)  # as when it is old; its answers are younger
    assert "(deleted)" in client.get("/history").text


def test_unknown_addresses_get_a_page_and_programs_a_sentence(client):
    page = client.get("/nowhere")
    assert page.status_code == 404
    assert "There is no such page" in page.text
    assert "<nav" in page.text
    assert client.get("/api/v1/nowhere").json() == {"error": "there is no such page."}


def test_no_address_has_empty_parameters(client, table):
    answer = client.get(f"/compare?table={table}&margin=&a=model-2&b=", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/compare?table={table}&a=model-2"
    part = client.get(f"/compare?table={table}&margin=&a=model-2", headers={"hx-request": "true"})
    assert re.fullmatch(r"/compare\?table=\w+&a=model-2", part.headers["hx-push-url"])
    assert part.text.lstrip().startswith('<div id="answer">')


def test_what_a_design_detects_does_not_read_as_a_finding(ratings):
    """ "80 in 100 studies like this would find a true difference of 0.58" was read as what had been found."""
    asked = Compare(
        files=(ratings,), gold="human", a="model-2", b="model-1", metric=("mae",), confidence_level=0.999999
    )
    _, kept = frozen(asked, "compare")
    shown = json.dumps(kept)
    assert re.search(r"If the true difference were [\d.]+, 80 in 100 studies like this would find it\.", shown)


def test_the_map_of_a_pilot_has_its_gold_responses(ratings):
    """Designs with 1, 2 and 3 gold responses were one column, that of the 3 responses of A and B."""
    asked = Plan(
        files=(ratings,), gold="human", a="model-2", b="model-1", difference=0.1, n_items=(50, 100),
        n_responses=("1", "2", "3"),
    )  # fmt: skip
    _, kept = frozen(asked, "plan")
    assert {cell["k"] for cell in kept["cells"]} == {1, 2, 3}
