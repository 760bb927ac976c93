"""Files that once hung, crashed, or took all memory: each gives one line, in bounded time and memory."""

import datetime
import json
import os
import random
import sys
import tracemalloc

import numpy as np
import polars as pl
import pytest

from howsure import Responses, Scale
from howsure.data.summaries import counts
from howsure.errors import DataError
from howsure.io import read, write
from tests.fuzz.mutations import write_over

FRAME = pl.DataFrame({"item": ["q1", "q2"], "source": ["x", "x"], "value": [1.0, 2.0]})


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_a_path_is_never_a_glob(ending, tmp_path):
    save = FRAME.write_ipc if ending == "arrow" else FRAME.write_parquet
    save(tmp_path / f"r1.{ending}")
    other = FRAME.with_columns(value=pl.lit(9.0))
    (other.write_ipc if ending == "arrow" else other.write_parquet)(tmp_path / f"r[1].{ending}")
    assert read(tmp_path / f"r[1].{ending}").sources["x"].values.tolist() == [9, 9]
    with pytest.raises(DataError, match="there is no file"):
        read(tmp_path / f"r*.{ending}")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in the file system")
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.jsonl", "pipe.parquet", "pipe.eval", "pipe.json", "pipe"])
def test_a_pipe_is_refused_and_not_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match="is a pipe or a device"):
        read(tmp_path / name)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no such device")
def test_a_device_is_refused():
    with pytest.raises(DataError, match="/dev/zero is a pipe or a device"):
        read("/dev/zero")


def test_durations_are_seconds(tmp_path):
    frame = FRAME.with_columns(value=pl.Series([datetime.timedelta(seconds=2), datetime.timedelta(seconds=0.5)]))
    frame.write_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").sources["x"].values.tolist() == [2.0, 0.5]


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_integers_of_any_length(ending, tmp_path):
    entry = f'{{"item": 1, "source": "x", "value": {"9" * 5000}}}\n'
    (tmp_path / f"t.{ending}").write_text(entry if ending == "jsonl" else f"[{entry}]")
    with pytest.raises(DataError, match="inf is not finite"):
        read(tmp_path / f"t.{ending}")


def test_a_key_that_is_there_twice(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"item": 1, "source": "x", "value": 1}\n{"item": 2, "value": 1, "value": 2}\n')
    with pytest.raises(DataError, match="line 2 has the key 'value' twice; remove one"):
        read(tmp_path / "t.jsonl")


def test_a_number_with_underscores_is_no_number(tmp_path):
    (tmp_path / "t.csv").write_text("item,source,value\n1,x,1_000\n2,x,3\n3,x,4\n")
    with pytest.raises(DataError, match="line 2, column 'value': '1_000' is not a number"):
        read(tmp_path / "t.csv")
    assert Scale.of(["1_000", "3"]).kind == "nominal"


def test_half_of_a_surrogate_pair_is_replaced(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"item": "\\ud800", "source": "x", "value": "\\udfff a"}\n')
    assert read(tmp_path / "t.jsonl").items.tolist() == ["?"]


def test_free_text_is_questioned_before_anything_is_allocated(tmp_path):
    rows = "".join(f"{i},{source},an answer {i} by {source}\n" for i in range(12_000) for source in ("x", "y"))
    (tmp_path / "t.csv").write_text(f"item,source,value\n{rows}")
    tracemalloc.start()
    with pytest.raises(DataError, match=r"24,000 of 24,000 values are different; this looks like free text"):
        read(tmp_path / "t.csv")
    assert tracemalloc.get_traced_memory()[1] < 64 * 2**20
    tracemalloc.stop()


def test_counts_of_too_many_labels_are_refused():
    n = 24_000
    responses = Responses(np.arange(n, dtype=float), np.arange(n + 1))
    scale = Scale("nominal", tuple(map(float, range(n))), tuple(map(str, range(n))))
    with pytest.raises(DataError, match=r"24,000 items × 24,000 labels are .* Merge rare labels"):
        counts(responses, scale)


def test_keys_that_are_data_are_refused(tmp_path):
    with (tmp_path / "t.jsonl").open("w") as file:
        for i in range(20_000):
            file.write(json.dumps({"item": i, f"key {i}": 1}) + "\n")
    with pytest.raises(DataError, match="has more than 5,000 different keys by line 10000, so its keys are data"):
        read(tmp_path / "t.jsonl")


def test_many_columns_take_time_in_proportion(tmp_path):
    names = [f"column_{i}" for i in range(40_000)]
    (tmp_path / "t.csv").write_text(
        f"item,source,value,{','.join(names)}\n" + "".join(f"{i},x,{i}{',' * len(names)}\n" for i in range(3))
    )
    assert read(tmp_path / "t.csv").n_items == 3


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_damaged_binary_files_never_end_the_process(ending, tmp_path, capfd):
    """Each file is tried in a process of its own, so a few dozen mutations are what the time allows."""
    path = tmp_path / f"t.{ending}"
    (FRAME.write_parquet if ending == "parquet" else FRAME.write_ipc)(path)
    whole, rng = path.read_bytes(), random.Random(ending)
    for _ in range(6):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(4, len(content))] = rng.randrange(256)
        path.write_bytes(content[: rng.choice([len(content), rng.randrange(len(content))])])
        try:
            read(path)
        except DataError:
            continue
    assert "panicked" not in capfd.readouterr().err


TEXTS = {
    "csv": 'item,source,rater,value\nq1,x,ann,3\nq1,x,"b, ob",4\nq2,y,ann,5\nq2,x,ann,1\n',
    "tsv": "item\tsource\tvalue\nq1\tx\tgood\nq2\ty\tbad\nq2\tx\tbad\n",
    "jsonl": '{"item": "q1", "source": "x", "value": 1}\n{"item": "q2", "source": "x", "value": {"a": 1, "b": 2}}\n',
    "json": '[{"item": "q1", "source": "x", "value": {"a": 1, "b": 2}}, {"item": "q2", "source": "x", "value": null}]',
}
TOKENS = [b'"', b",", b"\t", b"\n", b"\r", b"{", b"[" * 3000, b"}", b"\xff", b"\0", b"1e999", b"9" * 5000, b"\\ud800"]


@pytest.mark.parametrize("ending", TEXTS)
def test_a_damaged_table_gives_a_table_or_one_line(ending, tmp_path):
    path, rng = tmp_path / f"t.{ending}", random.Random(ending)
    refused = 0
    for _ in range(100):
        content = TEXTS[ending].encode()
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(content) + 1)
            stop = start + rng.choice((0, 1, 3, 20))
            content = content[:start] + rng.choice([b"", *TOKENS]) + content[stop:]
        write_over(path, content)
        try:
            write(read(path), tmp_path / "again.csv", force=True)
        except DataError as error:
            refused += 1
            line = str(error)
            if "\n" in line:
                raise AssertionError(line) from error
    assert refused > 10
