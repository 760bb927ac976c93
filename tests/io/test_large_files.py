"""Large files are read in bounded memory, or refused before they are read."""

import subprocess
import sys

import polars
import pytest

from howsure import DataError, doctor, read
from howsure.io import sheets, text_files
from howsure.io.sheets import open_sheet
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
    with pytest.raises(DataError, match=r"of memory, and the limit is 0.0 GB. Make a smaller file with only the columns"):
        read(path)


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


def test_ratings_take_at_most_ten_times_the_memory_of_their_file(tmp_path):
    """Of 42 MB they took 14 times as much (4 GB for 424 MB), now 6 times (1.6 GB), apart from what Python takes."""
    path, small = tmp_path / "t.csv", tmp_path / "small.csv"
    models = ["gpt-big", "gpt-small", "other-one", "other-two"]
    with path.open("w") as file:
        file.write("item,model,rater,score\n")
        for i in range(250_000):
            file.writelines(f"question-{i:07d},{m},annotator-{i % 997},{1 + i % 5}\n" for m in models)
    small.write_text("item,model,score\n" + "".join(f"q{i},x,1\nq{i},y,2\n" for i in range(9)))
    code = "import resource, sys, howsure; at = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; "
    code += "howsure.read(sys.argv[1]); before = at(); howsure.io.sheets.LARGE = 0; howsure.read(sys.argv[2]); "
    code += "print(at() - before)"
    run = subprocess.run([sys.executable, "-c", code, small, path], capture_output=True, text=True, check=True)
    assert int(run.stdout) * 1024 < 10 * path.stat().st_size
