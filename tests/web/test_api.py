"""The JSON API: uploads, questions, jobs, and every refusal a sentence."""

import io
import json
import re
import subprocess
import sys
import time
import urllib.request
import zipfile

import jsonschema
import pytest

from howsure.cli import _ask
from howsure.models import preset
from howsure.questions import Compare
from howsure.web.jobs import connected
from howsure.web.questions import PAGES
from howsure.web.rendering import WRITTEN
from howsure.wording.options import as_options

ROLES = {"gold": "human", "a": "model-2", "b": "model-1"}


def test_health(client):
    assert client.get("/api/v1/health").json()["status"] == "ok"


def test_an_upload_says_what_was_recognised(client, ratings_csv):
    answer = client.post("/api/v1/tables", files={"file": ("ratings.csv", ratings_csv)})
    seen = answer.json()
    assert answer.status_code == 201
    assert seen["sources"] == {"human": 300, "model-1": 180, "model-2": 180}
    assert seen["n_items"] == 60
    assert "ordinal" in seen["scale"]
    assert seen["files"] == ["ratings.csv"]


def test_the_answer_is_that_of_the_command(client, table, ratings_csv, tmp_path):
    place = tmp_path / "ratings.csv"
    place.write_bytes(ratings_csv)
    answer = client.post("/api/v1/compare", json={"table": table, **ROLES, "metric": ["mae"], "n_resamples": 199})
    assert answer.status_code == 200, answer.text
    [found] = answer.json()["comparisons"]
    [same] = Compare(files=(str(place),), **ROLES, metric=("mae",), n_resamples=199).answer()
    expected = json.loads(json.dumps(same.to_dict()))
    for name in ("advantage", "pvalue", "confidence_interval", "a_score", "signature", "verdict"):
        assert found[name] == expected[name]


def test_the_document_comes_on_request(client, table):
    body = {"table": table, **ROLES, "n_resamples": 99}
    document = client.post("/api/v1/compare?document=true", json=body).json()["document"]
    assert document["html"].startswith("<div")
    assert "booktabs" in document["latex"]


def test_a_report_is_downloaded_with_its_pictures(client, table):
    pytest.importorskip("altair")
    answer = client.post("/api/v1/compare", json={"table": table, **ROLES, "n_resamples": 99})
    place = f"/history/{answer.headers['x-howsure-job']}"
    links = re.findall(r'href="(/history/[^"]*report[^"]*)"', client.get(place).text)
    assert links == [f"{place}/report.html", f"{place}/report-md.zip", f"{place}/report-tex.zip"]
    for link, ending, sign in zip(links[1:], (".svg", ".pdf"), (b"<svg", b"%PDF"), strict=True):
        with zipfile.ZipFile(io.BytesIO(client.get(link).content)) as archive:
            [report, *pictures] = archive.namelist()
            text = archive.read(report).decode()
            assert len(pictures) == 3
            for picture in pictures:
                assert picture.endswith(ending)
                assert picture in text
                assert archive.read(picture).startswith(sign)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"a": "x", "b": "y"}, 422, "`table` is required"),
        ({"table": "0" * 32, "a": "x", "b": "y"}, 404, "no such table"),
        ({"table": "../../etc/passwd", "a": "x", "b": "y"}, 404, "no such table"),
        ({"table": None, "a": "model-1"}, 422, "is required"),
        ({"preset": "normal", "a": "x", "b": "y"}, 422, "needs a table"),
    ],
)
def test_questions_that_cannot_be_asked(client, body, status, said):
    answer = client.post("/api/v1/compare", json=body)
    assert answer.status_code == status
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"metrik": "mae"}, 422, "Did you mean `metric`"),
        ({"files": ["/etc/passwd"]}, 422, "cannot be named here"),
        ({"n_resamples": 5 * 10**6}, 422, "at most 1,000,000 on this server"),
        ({"n_resamples": 10**9}, 422, "`n_resamples` must be a whole number of at most 10,000,000"),
        ({"n_resamples": "many"}, 422, "`n_resamples` must be"),
        ({"a": "nobody"}, 400, "nobody"),
        ({"metric": ["nonsense"]}, 422, "`metric` must be one of"),
        ({"preset": "normal"}, 422, "pass `table` or `preset`, not both"),
    ],
)
def test_wrong_fields_get_a_sentence(client, table, change, status, said):
    answer = client.post("/api/v1/compare", json={"table": table, **ROLES, **change})
    assert answer.status_code == status, answer.text
    assert said in answer.json()["error"]
    assert "/tmp/" not in answer.text


def test_bodies_that_are_no_json(client):
    for content, kind in ((b"{", "application/json"), (b"[]", "application/json"), (b"a=1", "text/plain")):
        answer = client.post("/api/v1/compare", content=content, headers={"content-type": kind})
        assert answer.status_code == 422
        assert "JSON" in answer.json()["error"]


@pytest.mark.parametrize(
    "body", [rb'{"\ud800": 1}', rb'{"table": "\udfff"}', rb'{"a": "\ud800"}', rb'{"preset": "\udc00"}']
)
def test_halves_of_characters_get_a_sentence(client, table, body):
    whole = {"table": table, **ROLES, **json.loads(body)}
    for path in ("compare", "plan"):
        answer = client.post(f"/api/v1/{path}", content=json.dumps(whole), headers={"content-type": "application/json"})
        assert answer.status_code in (404, 422), answer.text
        assert answer.json()["error"].endswith(".")


def test_one_visitors_table_is_not_anothers(app, client, ratings_csv):
    mine = client.post("/api/v1/tables", files={"file": ("r.csv", ratings_csv)}).json()["table"]
    assert client.get(f"/api/v1/tables/{mine}").status_code == 200
    app.cookies.clear()
    client.get("/")  # another visitor gets a session
    assert client.get(f"/api/v1/tables/{mine}").status_code == 404
    assert client.post("/api/v1/compare", json={"table": mine, **ROLES}).status_code == 404


def test_a_deleted_table_is_gone(client, table):
    assert client.delete(f"/api/v1/tables/{table}").status_code == 200
    assert client.get(f"/api/v1/tables/{table}").status_code == 404


def test_nothing_is_left_of_a_deleted_table_and_its_answers(client):
    names = ("human", "zebra-crossing", "quagga")
    rows = ["item,source,value", *(f"i{i},{name},{i % 3}" for i in range(9) for name in names)]
    table = client.post("/api/v1/tables", files={"file": ("r.csv", "\n".join(rows))}).json()["table"]
    jobs, root = client.app.state.jobs, client.app.state.settings.root
    with connected(jobs.path) as other:  # somebody always looks: else SQLite would clean up by itself
        other.execute("SELECT * FROM jobs").fetchall()
        body = {"table": table, "gold": "human", "a": "zebra-crossing", "b": "quagga", "n_resamples": 99}
        answer = client.post("/api/v1/compare", json=body)
        assert answer.status_code == 200, answer.text
        job = answer.headers["x-howsure-job"]
        assert [path for path in root.rglob("*") if path.is_file() and b"zebra-crossing" in path.read_bytes()]
        assert client.delete(f"/api/v1/tables/{table}").json() == {"deleted": table}
        assert client.get(f"/api/v1/jobs/{job}").status_code == 404
        assert client.get(f"/history/{job}/report.html").status_code == 404
        left = [path for path in root.rglob("*") if path.is_file() and b"zebra-crossing" in path.read_bytes()]
    assert left == []


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02" * 100, b"PK\x03\x04" + b"\x00" * 50, "ünïcode".encode("utf-16"), b"<html><script>x</script>"],
    ids=["empty", "binary", "zip", "utf-16", "html"],
)
def test_hostile_uploads_get_a_sentence(client, content):
    answer = client.post("/api/v1/tables", files={"file": ("../../x.csv", content)})
    assert answer.status_code in (201, 400, 422)
    if answer.status_code != 201:
        assert answer.json()["error"]
        assert "Traceback" not in answer.text


def test_too_much_is_refused_whatever_the_header_says(client):
    answer = client.post("/api/v1/tables", files={"file": ("x.csv", b"a" * 6_000_000)})
    assert answer.status_code == 413
    declared = client.post("/api/v1/tables", content=b"x", headers={"content-length": str(10**9)})
    assert declared.status_code == 413

    def chunks():
        for _ in range(70):
            yield b"x" * 100_000

    assert client.post("/api/v1/tables", content=chunks()).status_code == 413


def test_other_hosts_and_origins_are_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert client.get("/", headers={"origin": origin}).status_code == 403
    assert client.get("/", headers={"origin": "http://127.0.0.1:8765"}).status_code == 200


MODEL = {"howsure_model": 1, "model": preset("normal").to_dict(), "fit": None}


def test_a_model_file_stands_where_a_preset_does(client):
    sent = json.dumps(MODEL).encode()
    seen = client.post("/api/v1/tables", files={"file": ("model.json", sent)}).json()
    assert seen["model"] == str(preset("normal"))
    body = {"n_items": 20, "seed": 3}
    found = client.post("/api/v1/simulate", json={"table": seen["table"], **body}).json()
    same = client.post("/api/v1/simulate", json={"preset": "normal", **body}).json()
    assert found["sources"] == same["sources"]
    tried = client.get("/plan", params={"table": seen["table"], "n_items": 50, "difference": 0.1})
    assert tried.status_code == 200
    assert "the model model.json" in tried.text
    refused = client.post("/api/v1/compare", json={"table": seen["table"], **ROLES})
    assert refused.status_code == 422
    assert refused.json()["error"] == "compare needs a table, and model.json is a response model."


@pytest.mark.parametrize(
    "change", [{"model": {}}, {"model": {"kind": "os.system"}}, {"howsure_model": 99}, {"model": 1}]
)
def test_wrong_model_files_get_a_sentence(client, change):
    answer = client.post("/api/v1/tables", files={"file": ("model.json", json.dumps({**MODEL, **change}).encode())})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("model.json: ")


def test_files_beside_an_answer_have_the_ending_that_their_question_writes():
    written = {path: page.question.written for path, page in PAGES.items() if page.question.written is not None}
    assert {path: file.endings[0] for path, file in written.items()} == {
        path: f".{name.partition('.')[2]}" for path, (name, _) in WRITTEN.items()
    }


def test_too_many_designs_get_a_sentence(client):
    body = {"preset": "normal", "epsilon": [0.1], "n_items": list(range(10, 400)), "n_responses": ["1:100:1"]}
    answer = client.post("/api/v1/plan", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"] == "a request has at most 10,000 designs on this server; got 39,000."


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        (
            "audit",
            {"n_items": [1_000_000_000]},
            "`n_items` must be a whole number of at most 1,000,000; got 1000000000",
        ),
        ("audit", {"n_responses": [5, 10**9]}, "`n_responses` must be a whole number of at most 1,000; got 1000000000"),
        ("plan", {"n_items": [50, 9_000_000]}, "`n_items` must be at most 2,000,000 on this server; got 9,000,"),
        ("plan", {"n_items": [50], "n_responses": ["5/1/3000000"]}, "`n_responses` must be at most 2,000,000"),
        ("plan", {"n_raters": [9_000_000]}, "`n_raters` must be at most 2,000,000 on this server"),
        ("audit", {"n_items": [2, 200_000], "n_responses": [50]}, "a design has at most 2,000,000 responses"),
        ("simulate", {"n_items": 1_000_000}, "a design has at most 2,000,000 responses on this server; got 5,000,000"),
        ("simulate", {"n_items": 10, "n_responses": "10000000"}, "`n_responses` must be at most 2,000,000"),
    ],
)
def test_numbers_beyond_the_limits_are_refused_in_lists_too(client, path, change, said):
    answer = client.post(f"/api/v1/{path}", json={"preset": "normal", **change})
    assert answer.status_code == 422, answer.text[:300]
    assert said in answer.json()["error"]


def test_answers_keep_to_themselves(client):
    headers = client.get("/").headers
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "HttpOnly" in headers["set-cookie"]
    assert "SameSite=Strict" in headers["set-cookie"]


@pytest.mark.parametrize("path", ["/static/icon.svg", "/static/style.css", "/favicon.ico", "/history/none"])
def test_only_a_page_begins_a_session(client, path):
    # An icon that comes after its page was asked for without a session; one of its own would expire the page's forms.
    assert "set-cookie" not in client.get(path).headers
    client.get("/")
    session = dict(client.cookies)
    assert list(session) == ["howsure_session"]
    client.get(path)
    assert dict(client.cookies) == session


def test_forms_without_their_token_are_refused(client, ratings_csv):
    answer = client.post("/tables", files={"file": ("r.csv", ratings_csv)})
    assert answer.status_code == 422
    assert "has expired" in answer.text


def test_every_question_of_the_web_has_a_command():
    command = _ask.command(Compare)
    assert {parameter.name for parameter in command.params} >= {"gold", "a", "b"}
    assert as_options("`a`") == "--a"


SCORES = "\n".join(f"{0.5 + 0.01 * (i % 7)} {0.48 + 0.01 * (i % 5)}" for i in range(60)).encode()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("leaderboard", {"gold": "human", "n_resamples": 199}),
        ("plan", {"preset": "normal", "metric": ["mae"], "epsilon": [0.3], "n_items": [50], "n_responses": ["5"]}),
        ("power", {"sd": 1.0, "effect": 0.2, "target_power": 0.8}),
        ("scores-test", {"test": "t"}),
        ("scores-describe", {}),
        ("fit", {"gold": "human"}),
        ("describe", {}),
        ("score", {"gold": "human", "metric": ["mae"]}),
        ("reliability", {"gold": "human"}),
        ("gate", {"gold": "human", "baseline": "model-1", "candidate": "model-2", "margin": 0.1, "range": ["1", "5"]}),
        ("simulate", {"preset": "normal", "n_items": 20}),
    ],
)
def test_every_kind_of_question_is_answered(client, table, path, body):
    if path.startswith("scores"):
        table = client.post("/api/v1/tables", files={"file": ("scores.txt", SCORES)}).json()["table"]
    needs_table = path not in ("plan", "power", "simulate")
    answer = client.post(f"/api/v1/{path}?document=true", json={**({"table": table} if needs_table else {}), **body})
    for _ in range(200):  # a busy machine answers with a job
        if answer.status_code != 202:
            break
        time.sleep(0.5)
        answer = client.get(f"/api/v1/jobs/{answer.json()['job']}/result?document=true")
    assert answer.status_code == 200, answer.text
    assert answer.json()["document"]["html"]


def test_the_description_has_every_question_with_an_example_that_its_schema_takes(client):
    described = client.get("/api/v1/openapi.json").json()["paths"]
    for path in PAGES:
        body = described[f"/api/v1/{path}"]["post"]["requestBody"]["content"]["application/json"]
        jsonschema.validate(body["example"], body["schema"])
        assert body["example"]


def test_the_address_is_printed_once_the_server_listens(tmp_path):
    from tests.web.browser import free_port

    port = free_port()
    command = [sys.executable, "-m", "howsure", "serve", "--port", str(port), "--folder", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert f"http://127.0.0.1:{port}" in process.stdout.readline()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/health", timeout=30) as answer:  # at once
                assert json.load(answer)["status"] == "ok"
        finally:
            process.kill()
