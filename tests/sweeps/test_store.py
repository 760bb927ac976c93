import os
import shutil
import sqlite3

import pytest

from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.sweeps import Counts, Grid, Store, run, task
from howsure.sweeps.store import APPLICATION, SCHEMA
from tests.sweeps.tasks import bits, draw, fragile

SMALL = Grid.product({"i": range(5)})


@task(version=2)
def later(cell, rng):
    return {"x": rng.random()}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


def test_a_finished_store_is_one_file_that_gives_the_results_back(path):
    sweep = run(draw, SMALL, store=path, rng=5)
    assert os.listdir(path.parent) == ["study.db"]
    assert bits(Store(path).rows()) == bits(sweep.rows)
    assert Store(path).seed == sweep.seed == 5
    assert Store(path).to_frame().drop("task", "version").equals(sweep.to_frame())


def test_cells_that_are_done_are_not_computed_again(path, monkeypatch):
    first = run(draw, SMALL, store=path, rng=5)
    monkeypatch.setenv("CELL_SECONDS", "nothing may read this")
    assert bits(run(draw, SMALL, store=Store(path)).rows) == bits(first.rows)


def test_a_larger_grid_adds_its_cells(path):
    run(draw, SMALL, store=path, rng=5)
    larger = SMALL + Grid([{"i": 99}])
    counts = []
    run(draw, larger, store=path, progress=counts.append)
    assert counts == [Counts(done=5, missing=1), Counts(done=6)]
    assert bits(Store(path).rows()) == bits(run(draw, larger, rng=5).rows)


def test_a_store_holds_several_tasks_and_versions(path):
    run(draw, SMALL, store=path, rng=5)
    run(later, Grid([{"i": 1}]), store=path)
    assert Store(path).counts() == {
        ("tests.sweeps.tasks:draw", 1): Counts(done=5),
        ("tests.sweeps.test_store:later", 2): Counts(done=1),
    }


def test_failed_cells_are_kept_until_they_are_to_be_tried_again(path):
    grid = Grid.product({"kind": ["good", "raise"]})
    run(fragile, grid, store=path, rng=5)
    assert run(fragile, grid, store=path).counts == Counts(done=1, failed=1)
    counts = []
    run(fragile, grid, store=path, retry=True, progress=counts.append)
    assert counts == [Counts(done=1, missing=1), Counts(done=1, failed=1)]
    _change(path, "UPDATE cells SET state = 'failed' WHERE parameters LIKE '%good%'")
    again = run(fragile, grid, store=path, retry=True)
    assert bits(again.rows) == bits(run(fragile, grid, rng=5).rows)


def test_without_a_seed_the_store_keeps_the_one_that_was_drawn(path):
    first = run(draw, Grid([{"i": 0}]), store=path)
    second = run(draw, SMALL, store=path)
    assert first.seed == second.seed == Store(path).seed
    assert bits(run(draw, SMALL, rng=first.seed).rows) == bits(second.rows)


def test_another_seed_is_refused(path):
    run(draw, SMALL, store=path, rng=5)
    with pytest.raises(ArgumentError, match=r"holds a study with seed 5; got seed 6. Leave the seed out"):
        run(draw, SMALL, store=path, rng=6)


@pytest.mark.parametrize(("schema", "age"), [(SCHEMA + 1, "a newer"), (SCHEMA - 1, "an older")])
def test_a_store_of_another_format_is_refused_and_left_alone(path, schema, age):
    run(draw, SMALL, store=path, rng=5)
    _change(path, f"PRAGMA user_version = {schema}")
    before = path.read_bytes()
    for use in (lambda: run(draw, SMALL, store=path), Store(path).rows):
        with pytest.raises(DataError, match=f"was made by {age} version of howsure .store format {schema}"):
            use()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["study.db"]


def test_what_is_not_a_store_is_refused_and_left_alone(path):
    path.write_bytes(b"item,score\n" * 1000)
    _refused(path, "not an SQLite file")
    path.unlink()
    _change(path, "CREATE TABLE songs (title)")
    _refused(path, "another program's SQLite file")


def test_an_empty_file_becomes_a_store_but_is_none_to_a_reader(path):
    path.touch()
    with pytest.raises(DataError, match="is empty"):
        Store(path).rows()
    assert run(draw, SMALL, store=path).counts == Counts(done=5)


def test_a_store_cut_short_is_refused(path):
    run(draw, Grid.product({"i": range(200)}), store=path, rng=5)
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(DataError, match="is damaged"):
        Store(path).rows()


def test_a_store_that_is_not_there(tmp_path):
    with pytest.raises(MissingFileError, match="there is no such store"):
        Store(tmp_path / "study.db").counts()
    with pytest.raises(MissingFileError, match="there is no folder"):
        run(draw, SMALL, store=tmp_path / "nowhere" / "study.db")


def test_a_driver_killed_before_it_wrote_anything_leaves_a_usable_file(path):
    _change(path, "PRAGMA journal_mode = WAL")
    assert run(draw, SMALL, store=path).counts == Counts(done=5)


def test_readers_see_a_run_that_is_under_way(path):
    seen = []
    run(draw, SMALL, store=path, rng=5, progress=lambda counts: seen.append((Store(path).counts(), counts)))
    assert [list(inside.values()) for inside, _ in seen] == [[counts] for _, counts in seen]


def test_while_a_run_is_under_way_its_log_is_written_ahead(path):
    seen = []
    run(draw, SMALL, store=path, rng=5, progress=lambda counts: seen.append(path.with_name("study.db-wal").exists()))
    assert all(seen)


def test_a_reader_that_stays_does_not_stop_the_driver(path):
    run(draw, Grid([{"i": 0}]), store=path, rng=5)
    reader = sqlite3.connect(path)
    cursor = reader.execute("SELECT * FROM cells")
    cursor.fetchone()
    assert run(draw, SMALL, store=path).counts == Counts(done=5)
    reader.close()


def test_a_copy_of_a_store_goes_on_where_the_original_was(path):
    run(draw, SMALL, store=path, rng=5)
    shutil.copy(path, path.with_name("copy.db"))
    assert run(draw, SMALL, store=path.with_name("copy.db")).counts == Counts(done=5)


def test_the_format_is_written_into_the_file(path):
    run(draw, SMALL, store=path, rng=5)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
    connection.close()


def _refused(path, words):
    before = path.read_bytes()
    for use in (lambda: run(draw, SMALL, store=path), Store(path).rows):
        with pytest.raises(DataError, match=words):
            use()
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["study.db"]


def _change(path, statement):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()
