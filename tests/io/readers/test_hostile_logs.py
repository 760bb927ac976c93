"""Damaged, cut, swollen and malicious logs: one clear line, and bounded memory."""

import io
import json
import os
import random
import struct
import tracemalloc
import zlib

import pytest

from howsure.errors import DataError
from howsure.io import json_files, read_logs
from howsure.io.json_files import JsonCursor
from howsure.io.logs import collect
from howsure.io.readers import base
from tests.fuzz.limits import bounded
from tests.fuzz.mutations import write_over
from tests.io.readers.made import FILES, eval_file, inspect_log, zipfile

N_MUTATIONS = int(os.environ.get("HOWSURE_FUZZ", "100"))
TOKENS = [
    b"null", b"[]", b"{}", b'"x"', b"-1", b"1e999", b"NaN", b"true", b"[[[[", b"}", b'"', b"\\ud800", b"\xff", b"\0",
    b"9" * 4301, b",", b":", b"\t", b"\n", b"[" * 2000, b'{"a":' * 1500,
]  # fmt: skip


def mutated(content, rng):
    """Change a file in one to three places: cut, drop, double, flip or write something else over a part."""
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(content) + 1)
        stop = min(len(content), start + rng.choice((0, 1, 1, 2, 8, 64)))
        kind = rng.randrange(6)
        if kind == 0:
            content = content[:start]
        elif kind == 1:
            content = content[:start] + content[stop:]
        elif kind == 2:
            content = content[:stop] + content[start:]
        elif kind == 3 and start < len(content):
            content = content[:start] + bytes([content[start] ^ (1 << rng.randrange(8))]) + content[start + 1 :]
        else:
            content = content[:start] + rng.choice(TOKENS) + content[stop:]
    return content


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_gives_a_table_or_one_line(name, tmp_path):
    path = FILES[name](tmp_path)
    whole, rng = path.read_bytes(), random.Random(name)
    refusals = []
    for number in range(N_MUTATIONS):
        write_over(path, mutated(whole, rng))
        refusals += refusal(path, wholly=number % 10 == 0)
    assert len(refusals) > N_MUTATIONS / 10  # else the mutations do not reach what they should
    assert all(line.strip() and "\n" not in line for line in refusals)


def refusal(path, *, wholly):
    """Read a file, wholly or (ten times faster) up to its rows; return what is said against it."""
    try:
        with bounded(memory=1 << 30):
            read_logs(path) if wholly else collect(path)
    except DataError as error:
        return [str(error)]
    return []


@pytest.mark.parametrize("name", ["inspect-json", "promptfoo", "label-studio", "lewidi-2025"])
def test_a_value_of_another_type_gives_a_table_or_one_line(name, tmp_path):
    """Mutations of the text are mostly no JSON; these are JSON of another shape."""
    path = FILES[name](tmp_path)
    whole, rng = json.loads(path.read_bytes()), random.Random(name)
    for number in range(N_MUTATIONS):
        content = json.loads(json.dumps(whole))
        _replace_one(content, rng)
        write_over(path, json.dumps(content).encode())
        assert all("\n" not in line for line in refusal(path, wholly=number % 10 == 0))


def _replace_one(value, rng):
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        if not keys:
            return
        key = rng.choice(list(keys))
        if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.8:
            value = value[key]
            continue
        value[key] = rng.choice([None, [], {}, "x", -1, 1e300, True, [[1]], {"a": {"b": 1}}, "\ud800", ""])
        return


@pytest.mark.parametrize("method", [8, 93])
def test_a_bomb_is_not_opened(method, tmp_path):
    """A hundred megabytes of blanks in a few kilobytes; the archive says so itself."""
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", compression=method) as bomb, bomb.open("header.json", "w") as member:
        for _ in range(50):
            member.write(b" " * 2**21)
    tracemalloc.start()
    with pytest.raises(DataError, match="expands to far more than its size"):
        read_logs(path)
    assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    tracemalloc.stop()


def test_a_bomb_that_lies_about_its_size_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "SMALL", 2**20)
    path = eval_file(tmp_path / "log.eval", inspect_log(), method=8)
    with zipfile.ZipFile(path, "w", compression=8) as bomb:
        bomb.writestr("header.json", b" " * 2**26)
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.find(mark)
        struct.pack_into("<I", content, at + offset, 1000)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"header.json"):
        read_logs(path)


def test_a_password_is_told(tmp_path):
    path = eval_file(tmp_path / "log.eval", inspect_log(), method=8)
    content = bytearray(path.read_bytes())
    at = -1
    while (at := content.find(b"PK\x01\x02", at + 1)) >= 0:
        content[at + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="is damaged or cut off"):
        read_logs(path)


def test_a_value_that_is_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(json_files, "LARGEST_VALUE", 2**20)
    (tmp_path / "log.json").write_text(json.dumps(inspect_log()).replace("question 0", "x" * 3 * 2**20))
    with pytest.raises(DataError, match="one value is longer than 1 MB"):
        read_logs(tmp_path / "log.json")


def test_a_long_log_streams_in_bounded_memory(tmp_path):
    """30 MB of samples with long messages, of which the scores are a few kilobytes."""
    log = inspect_log(n=30, epochs=10)
    filler = {"messages": [{"role": "user", "content": "x" * 100_000}]}
    log["samples"] = [sample | filler for sample in log["samples"]]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert path.stat().st_size > 30e6
    del log
    tracemalloc.start()
    table = read_logs(path)
    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()
    assert table.sources["m-1"].values.size == 300


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10**6])
def test_the_window_does_not_change_what_is_read(size, monkeypatch):
    monkeypatch.setattr(json_files, "CHUNK", size)
    text = json.dumps(
        {"a": [1, 23, -4.5e6, 'é\\"\u2028', None, True, {"b": [[]]}], "c": {}, "d": 12}, ensure_ascii=False
    )
    cursor = JsonCursor(io.BytesIO(b"\xef\xbb\xbf" + text.encode()), "log")
    assert cursor.value() == json.loads(text)
    assert cursor.peek() == ""
    cursor = JsonCursor(io.BytesIO(text.encode()), "log")
    seen = {}
    for key in cursor.members():
        seen[key] = [cursor.value() for _ in cursor.elements()] if cursor.peek() == "[" else cursor.value()
    assert seen == json.loads(text)


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2', '{"a": "unend', "[1 2]", '{"a" 1}', "{1: 2}", "[1,]", "tru", "", '"\\u12"']
)
def test_what_is_not_json_is_told_with_its_place(text):
    cursor = JsonCursor(io.BytesIO(text.encode()), "log.json")

    def walk():
        if cursor.peek() == "{":
            for _ in cursor.members():
                walk()
        elif cursor.peek() == "[":
            for _ in cursor.elements():
                walk()
        else:
            cursor.value()

    with pytest.raises(DataError, match=r"log.json is not JSON at character \d+"):
        walk()


def test_crc_errors_are_told(tmp_path):
    path = eval_file(tmp_path / "log.eval", inspect_log(), method=0)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"status": "success"', b'"status": "succesz"'))
    assert zlib.crc32(b"") == 0
    with pytest.raises(DataError, match="is damaged or cut off"):
        read_logs(path)


def test_outputs_without_a_provider_may_be_fewer(tmp_path):
    def output(item, provider, score):
        return {
            "vars": {"q": item},
            "prompt": {"label": "x"},
            "provider": {"id": provider},
            "success": True,
            "score": score,
        }

    outputs = [output(*each) for each in (("a", "m", 1), ("b", "m", 0), ("c", "m", 1), ("a", "", 0), ("b", "", 0))]
    content = {"evalId": "e", "results": {"version": 3, "prompts": [], "results": outputs}}
    (tmp_path / "run.json").write_text(json.dumps(content))
    table = read_logs(tmp_path / "run.json")
    assert {name: source.sizes.tolist() for name, source in table.sources.items()} == {"m": [1, 1, 1], "run": [1, 1, 0]}
    contest = table.contest(a="m", b="run")
    assert "1 of 3 items left out: 1 without a response from run (first: item c)." in contest.notes
