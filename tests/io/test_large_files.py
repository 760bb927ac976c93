"""Large files are read in bounded memory, or refused before they are read."""

import json
import re
import subprocess
import sys
from contextlib import contextmanager

import polars
import pytest

from howsure import DataError, doctor, read
from howsure._files import WATCH
from howsure.io import sheets, text_files
from howsure.io.sheets import open_sheet
from howsure.paired import read_scores
from tests.io.same import assert_same


def test_a_table_that_takes_too_much_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """A CSV file of 2.4 GB took 10.9 GB."""
    path = tmp_path / "t.csv"
    path.write_text("item,model,score\n" + "".join(f"q{i},x,{i % 5}\nq{i},y,{i % 3}\n" for i in range(100)))
    need = 2 * path.stat().st_size + 30 * 3 * 201
    monkeypatch.setattr(text_files, "MOST_MEMORY", need)
    assert read(path).n_items == 100
    monkeypatch.setattr(text_files, "MOST_MEMORY", need - 1)
    monkeypatch.setattr(text_files, "_read_plain", lambda *_: pytest.fail("it was read"))
    with pytest.raises(
        DataError, match=r"of memory, and the limit is 0.0 GB. Make a smaller file with only the columns"
    ):
        read(path)


def _json_lines(path, frame):
    path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dicts()))


def _json(path, frame):
    path.write_text(json.dumps(frame.to_dicts()))


WRITERS = {
    ".csv": lambda path, frame: frame.write_csv(path, quote_style="always"),
    ".jsonl": _json_lines,
    ".json": _json,
    ".parquet": lambda path, frame: frame.write_parquet(path),
    ".arrow": lambda path, frame: frame.write_ipc(path),
    ".feather": lambda path, frame: frame.write_ipc_stream(path),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_every_kind_of_table_has_the_same_limit_of_memory(ending, tmp_path, monkeypatch):
    """Only CSV files without quotes had one: a Parquet file of 12 MB may hold as much as a CSV file of 400 MB."""
    path = tmp_path / f"t{ending}"
    rows = [(f"q{i // 2}", "xy"[i % 2], str(i % 5)) for i in range(200_000)]
    WRITERS[ending](path, polars.DataFrame(rows, schema=["item", "model", "score"], orient="row"))
    monkeypatch.setattr(text_files, "MOST_MEMORY", 45 * 2**20)
    assert read(path).n_items == 100_000
    monkeypatch.setattr(text_files, "MOST_MEMORY", 15 * 2**20)
    with pytest.raises(DataError) as caught:
        read(path)
    said = r"holds 0\.0 GB in about (\d+,\d+) cells; .* and the limit is 0\.0 GB\. Make a smaller file with only"
    cells = re.search(rf"t{ending} {said}", str(caught.value))
    assert int(cells[1].replace(",", "")) == pytest.approx(600_000, rel=0.1)


def test_less_memory_than_the_limit_counts(monkeypatch):
    monkeypatch.setattr(text_files.Path, "read_text", lambda path: "MemTotal: 9 kB\nMemAvailable:     2048 kB\n")
    assert text_files.memory_limit() == 2 * 2**20
    with pytest.raises(DataError, match=r"^t holds 0\.0 GB in about 70,000 cells; .* Take less\.$"):
        text_files.refuse_too_large("t", 10**5, 70_000, remedy="Take less.")


def test_lists_of_scores_have_the_same_limit(tmp_path, monkeypatch):
    path = tmp_path / "s.txt"
    path.write_text("".join(f"{i % 7} {i % 5}\n" for i in range(50_000)))
    need = 2 * path.stat().st_size + 30 * 4 * 2 * 50_001
    monkeypatch.setattr(text_files, "MOST_MEMORY", need)
    assert read_scores(path).n == 50_000
    monkeypatch.setattr(text_files, "MOST_MEMORY", need - 1)
    with pytest.raises(DataError, match=r"s\.txt holds .* Make a smaller file with only the columns of the systems"):
        read_scores(path)
    monkeypatch.setattr(text_files, "LARGEST_WHOLE", 1000)
    with pytest.raises(DataError, match=r"s\.txt is larger than .* the limit of a file that is read as a whole\. Make"):
        read_scores(path)


def test_progress_is_shown_while_json_and_scores_are_read(tmp_path):
    path, scores = tmp_path / "t.jsonl", tmp_path / "s.txt"
    rows = [{"item": f"q{i // 2}", "model": "xy"[i % 2], "score": i % 5} for i in range(30_000)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores.write_text("".join(f"{i % 7} {i % 5}\n" for i in range(250_000)))
    seen = []

    @contextmanager
    def watch(label, total):
        yield lambda amount: seen.append((label, amount / total))

    token = WATCH.set(watch)
    try:
        read(path)
        read_scores(scores)
    finally:
        WATCH.reset(token)
    for label in ("reading t.jsonl", "reading s.txt"):
        shares = [share for each, share in seen if each == label]
        assert len(shares) > 1
        assert 0.7 < sum(shares) <= 1


TIDY = [f"q{i},{m},{(i * k) % 5},r{i % 4}\n" for i in range(40) for k, m in ((2, "x"), (3, "y"))]
WIDE = [f"q{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]},\n" for i in range(40)]


@pytest.mark.parametrize("text", ["item,model,score,rater\n" + "".join(TIDY), "item,label,x,y\n" + "".join(WIDE)])
def test_a_large_table_is_kept_in_less_memory_and_read_alike(tmp_path, monkeypatch, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    plain = read(path)
    monkeypatch.setattr(sheets, "LARGE", 0)
    assert polars.Categorical in open_sheet(path).frame.dtypes
    assert_same(read(path), plain)
    assert read(path).notes == plain.notes
    assert str(doctor(path)) == str(doctor(path))


def _peak(code, *paths):
    """Return how many bytes a process takes more for the second path than for the first, which is small."""
    start = "import resource, sys, howsure; at = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
    code = f"{start} read = {code}; read(sys.argv[1]); before = at(); read(sys.argv[2]); print(at() - before)"
    run = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    return int(run.stdout) * 1024


def test_scores_take_as_much_memory_as_their_limit_expects(tmp_path):
    """Two million lines took 1 GB, now 0.3 GB, of which copies of segments are looked for in most."""
    path, small = tmp_path / "s.txt", tmp_path / "small.txt"
    path.write_text("".join(f"{i % 7} {i % 5}\n" for i in range(500_000)))
    small.write_text("1 2\n3 4\n5 5\n")
    need = 2 * path.stat().st_size + 30 * 4 * 2 * 500_000
    assert _peak("__import__('howsure.paired').paired.read_scores", small, path) < need


def test_ids_of_clusters_take_as_much_memory_as_their_letters(tmp_path):
    """In an array of text, each of these took 400 kB: 8 GB."""
    path = tmp_path / "s.txt"
    path.write_text("".join(f"{i} {i % 5} {'x' * 100_000 if i == 7 else i % 4}\n" for i in range(20_000)))
    assert read_scores(path, cluster="3").n_clusters == 5


def test_ratings_take_at_most_ten_times_the_memory_of_their_file(tmp_path):
    """Of 42 MB they took 14 times as much (4 GB for 424 MB), now 6 times (1.6 GB), apart from what Python takes."""
    path, small = tmp_path / "t.csv", tmp_path / "small.csv"
    models = ["gpt-big", "gpt-small", "other-one", "other-two"]
    with path.open("w") as file:
        file.write("item,model,rater,score\n")
        for i in range(250_000):
            file.writelines(f"question-{i:07d},{m},annotator-{i % 997},{1 + i % 5}\n" for m in models)
    small.write_text("item,model,score\n" + "".join(f"q{i},x,1\nq{i},y,2\n" for i in range(9)))
    code = "lambda path: (setattr(howsure.io.sheets, 'LARGE', 0) if path.endswith('t.csv') else 0, howsure.read(path))"
    assert _peak(code, small, path) < 10 * path.stat().st_size
