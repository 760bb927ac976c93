"""Hostile uploads and names: each gets a 4xx with a sentence, and the memory of server and reader stays bounded."""

import gzip
import io as bytes_io
import json
import os
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from howsure.errors import LONGEST
from howsure.web import Settings, create_app
from howsure.web.helper_processes import HelperProcess

ROWS = "\n".join(
    ["item,source,value", *(f"i{i},{s},{i % 3}" for i in range(9) for s in ("human", "m1", "m2"))]
).encode()
MEMORY = 600
"""Megabytes that the reader of uploads may hold in these tests."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A server that gives little."""
    settings = Settings(
        folder=str(tmp_path_factory.mktemp("small")), workers=1, max_megabytes=20, max_rows=100_000,
        max_columns=500, max_memory=MEMORY,
    )  # fmt: skip
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765") as client:
        yield client


def zipped(**members):
    held = bytes_io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return held.getvalue()


def parquet_bomb():
    """A million rows of one value take a few hundred bytes on the disk; ten columns of them are made of one."""
    import polars

    held = bytes_io.BytesIO()
    column = polars.Series("x", ["a" * 1000]).new_from_index(0, 500_000)
    polars.DataFrame({f"x{i}": column for i in range(4)}).write_parquet(held, compression="zstd")
    return held.getvalue()


def zstd_bomb():
    try:
        from compression import zstd
    except ImportError:
        zstd = pytest.importorskip("backports.zstd", reason="no zstd: the zstd bomb was not tried")
    return zstd.compress(b"a" * 200_000_000)


HOSTILE = {
    "empty": ("x.csv", lambda: b""),
    "binary": ("x.csv", lambda: b"\x00\x01\x02" * 1000),
    "an executable": ("x.exe", lambda: b"MZ" + os.urandom(5000)),
    "utf-16 that is cut off": ("x.csv", lambda: ROWS.decode().encode("utf-16")[:-1]),
    "bytes that are no utf-8": ("x.csv", lambda: b"item,source,value\n1,\xe9,3\n"),
    "html": ("x.csv", lambda: b"<html><script>alert(1)</script></html>"),
    "a million columns": ("x.csv", lambda: b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n"),
    "too many rows": ("x.csv", lambda: b"item,source,value\n" + b"".join(b"i%d,m,1\n" % i for i in range(150_000))),
    "a zip bomb": ("x.eval", lambda: zipped(header__json=b"{}", samples__json=b"0" * 80_000_000)),
    "a zip of nothing": ("x.zip", lambda: zipped(a__txt=b"hello")),
    "a gzip bomb": ("x.csv.gz", lambda: gzip.compress(b"item,source,value\n" + b"0" * 40_000_000, 6)),
    "a zstd bomb": ("x.csv.zst", zstd_bomb),
    "a Parquet bomb": ("x.parquet", parquet_bomb),
    "a broken Parquet file": ("x.parquet", lambda: b"PAR1" + b"\xff" * 500 + b"PAR1"),
    "deep JSON": ("x.json", lambda: b"[" * 200_000),
    "a column of 100,000 letters": ("x.csv", lambda: ROWS.replace(b"value", 100_000 * b"x")),
    "a model of 100,000 letters": ("x.csv", lambda: ROWS.replace(b"m1", 100_000 * b"x")),
    "endless JSON keys": ("x.jsonl", lambda: b"".join(b'{"k%d": 1}\n' % i for i in range(20_000))),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_uploads_get_a_sentence(small, kind):
    name, content = HOSTILE[kind]
    answer = small.post("/api/v1/tables", files={"file": (name, content())})
    assert 400 <= answer.status_code < 500, answer.text[:300]
    said = answer.json()["error"]
    assert said.endswith(".")
    assert "Traceback" not in said
    assert str(small.app.state.settings.folder) not in said
    reader = small.app.state.uploads.reader
    if reader._child is not None:
        assert reader._child.megabytes < MEMORY


def test_the_server_goes_on_after_them(small):
    assert small.post("/api/v1/tables", files={"file": ("r.csv", ROWS)}).status_code == 201


def test_a_gigabyte_that_is_only_declared_is_refused_unread(small):
    answer = small.post("/api/v1/tables", content=b"x", headers={"content-length": str(10**9)})
    assert answer.status_code == 413
    assert "at most" in answer.json()["error"]


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "..\\..\\boot.ini", "/etc/shadow", "\x00.csv", "a" * 300 + ".csv", "con"]
)
def test_path_names_name_no_place(small, name):
    answer = small.post("/api/v1/tables", files={"file": (name, ROWS)})
    root = Path(small.app.state.settings.folder)
    assert answer.status_code in (201, 400)
    assert not [path for path in root.parent.iterdir() if path.name in ("passwd", "boot.ini", "shadow")]
    for path in root.rglob("*"):
        assert path.resolve().is_relative_to(root.resolve())


@pytest.mark.parametrize("gold", ["/etc/passwd", "../about.json", "pyproject.toml", "human/../../about.json"])
def test_no_name_of_a_visitor_is_a_file(small, gold):
    table = small.post("/api/v1/tables", files={"file": ("r.csv", ROWS)}).json()["table"]
    answer = small.post("/api/v1/compare", json={"table": table, "gold": gold, "a": "m1", "b": "m2"})
    assert answer.status_code in (400, 422)
    assert "root:" not in answer.text
    page = small.get("/plan", params={"table": table, "gold": gold, "where": f"value={gold}", "cluster": gold})
    assert page.status_code in (200, 422)
    assert "root:" not in page.text


def test_plug_ins_are_not_loaded_for_visitors(monkeypatch):
    from howsure import _offers

    monkeypatch.setenv("HOWSURE_PLUGINS", "off")
    _offers.offered.cache_clear()
    try:
        assert _offers.offered(_offers.METRICS) == {}
    finally:
        _offers.offered.cache_clear()


def test_scripts_in_labels_stay_text(small):
    evil = "<script>alert(1)</script>"
    rows = "\n".join(
        ["item,source,value", *(f"i{i},{s},{evil if i % 2 else 'x'}" for i in range(9) for s in ("g", "m1", evil))]
    )
    table = small.post("/api/v1/tables", files={"file": (f"{evil}.csv", rows.encode())}).json()["table"]
    shown = small.get(f"/tables/{table}").text
    assert evil not in shown
    assert "&lt;script&gt;" in shown
    answer = small.post("/api/v1/compare?document=true", json={"table": table, "gold": "g", "a": "m1", "b": evil})
    assert evil not in answer.json()["document"]["html"]


def test_names_of_files_are_no_markup_in_any_format(small):
    name = "<img src=x onerror=alert(1)>&\\input{secret}.csv"
    table = small.post("/api/v1/tables", files={"file": (name, ROWS)}).json()["table"]
    answer = small.post("/api/v1/compare", json={"table": table, "gold": "human", "a": "m1", "b": "m2"})
    job = answer.headers["x-howsure-job"]
    pages = [small.get(f"/tables/{table}"), small.get(f"/history/{job}"), small.get("/history")]
    files = [small.get(f"/history/{job}/{file}") for file in ("report.html", "report.md", "report.tex", "result.json")]
    for found in (*pages, *files):
        assert found.status_code == 200
        assert "<img src=x" not in found.text
        assert "\\input" not in found.text
        assert str(small.app.state.settings.folder) not in found.text.replace("\\_", "_")
    assert "secret_.csv" in files[0].text


def test_an_error_of_our_own_is_logged_without_what_a_visitor_sent(small, monkeypatch, caplog):
    def broken(owner):
        raise ValueError("a visitor's secret")

    monkeypatch.setattr(small.app.state.uploads, "of", broken)
    answer = small.get("/tables")
    assert answer.status_code == 500
    assert "none of your data is lost" in answer.text
    assert "ValueError in" in caplog.text
    assert "secret" not in caplog.text + answer.text


def test_hosts_that_are_no_names_are_refused(small):
    for host in ("[::1", "a b", "[", ""):
        assert small.get("/", headers={"host": host}).status_code == 421


def test_an_aide_that_takes_too_long_or_too_much_is_replaced(tmp_path, importable):
    helper = HelperProcess("tests.web.greedy:slow", tmp_path, seconds=0.5, megabytes=500)
    with pytest.raises(ValueError, match="longer than the"):
        helper.ask(30)
    computing = HelperProcess("tests.web.greedy:busy", tmp_path, seconds=60, megabytes=500)
    assert computing.ask(0) == 0
    computing.seconds = 0.5
    with pytest.raises(ValueError, match="longer than the"):
        computing.ask(30)
    greedy = HelperProcess("tests.web.greedy:hungry", tmp_path, seconds=20, megabytes=400)
    with pytest.raises(ValueError, match="more memory"):
        greedy.ask(900)
    greedy.stop()


def test_an_aide_is_not_stopped_because_others_keep_the_machine_busy(tmp_path, importable):
    helper = HelperProcess("tests.web.greedy:slow", tmp_path, seconds=60, megabytes=500)
    assert helper.ask(0) == 0
    helper.seconds = 0.4
    assert helper.ask(1.0) == 1.0
    helper.stop()


def test_settings_that_are_none_get_a_sentence(small):
    small.get("/")
    csrf = small.get("/tables").text.partition('name="csrf" value="')[2][:64]
    lines = b"\n".join(b"%d %d" % (i % 5, i % 7) for i in range(30))
    table = small.post("/api/v1/tables", files={"file": ("scores.txt", lines)}).json()["table"]
    bomb = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (97 + i, 97 + i, b",".join([b"*%c" % (96 + i)] * 9)) for i in range(1, 9)
    )
    for name, content in (("s.toml", b"= 3"), ("s.toml", b"nonsense = 1"), ("s.yaml", bomb), ("s.yaml", b"\x00")):
        answer = small.post(
            "/scores-settings", data={"csrf": csrf, "table": table}, files={"settings": (name, content)}
        )  # fmt: skip
        assert answer.status_code in (400, 422), answer.text[:200]
        assert "Traceback" not in answer.text


def test_tables_can_be_corrected(small):
    rows = "\n".join(
        ["id,who,number,person", *(f"{i},{s},{i % 3},p{i % 2}" for i in range(9) for s in ("g", "m1", "m2"))]
    )
    table = small.post("/api/v1/tables", files={"file": ("r.csv", rows.encode())}).json()["table"]
    csrf = small.get(f"/tables/{table}").text.partition('name="csrf" value="')[2][:64]
    columns = {"id": "item", "who": "source", "number": "value", "person": "rater"}
    sent = {"csrf": csrf, "column": list(columns), "role": list(columns.values()), "scale": "continuous"}
    answer = small.post(f"/tables/{table}/correct", data=sent)
    assert answer.status_code == 200, answer.text[:500]
    assert "2 raters" in answer.text
    assert "continuous" in answer.text
    found = small.post("/api/v1/compare", json={"table": table, "gold": "g", "a": "m1", "b": "m2"})
    assert found.status_code == 200, found.text
    wrong = small.post(f"/tables/{table}/correct", data={**sent, "column": ["who"], "role": ["value"]})
    assert wrong.status_code in (200, 422)
    assert json.loads(small.get(f"/api/v1/tables/{table}").text)["files"] == ["r.csv"]


DIGITS, LETTERS = "9" * 400, "x" * 100_000


@pytest.mark.parametrize(
    "said",
    [
        f'"n_resamples": {DIGITS}',
        f'"n_resamples": {"9" * 5000}',
        f'"n_resamples": "{LETTERS}"',
        f'"margin": {DIGITS}',
        f'"seed": {DIGITS}',
        f'"metric": {500 * "["}{500 * "]"}',
        f'"metric": {100_000 * "["}',
        f'"metric": ["{LETTERS}"]',
        f'"gold": ["{LETTERS}"]',
        f'"{LETTERS}": 1',
        f'"table": "{LETTERS}"',
        '"item": ",,"',
        f'"item": "{LETTERS}"',
    ],
    ids=range(13),
)
def test_numbers_brackets_and_names_have_limits(client, table, said):
    body = f'{{"table": "{table}", "a": "model-1", "b": "model-2", "gold": "human", {said}}}'
    answer = client.post("/api/v1/compare", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 404, 422), answer.text[:500]
    assert len(answer.json()["error"]) <= LONGEST + 3
