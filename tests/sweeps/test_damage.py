"""Stores that were damaged, deleted, linked or crowded: nothing is silently wrong, and `retry` brings it back."""

import os
import sqlite3
from functools import partial

import numpy as np
import pytest

from howsure.errors import DataError
from howsure.sweeps import Counts, Grid, Store, run
from howsure.sweeps.store import alone
from tests.sweeps.tasks import bits, draw, fragile

SMALL = Grid.product({"i": range(12), "name": ["a", "b"]})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.db"


def change(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.mark.parametrize(
    "column", ["values", "state", "parameters", "task", "version", "seconds", "stage", "traceback", "checksum"]
)
def test_a_changed_entry_is_reported_with_its_cell_and_computed_again(path, column):
    whole = run(draw, SMALL, store=path, rng=5)
    change(
        path,
        f"""UPDATE cells SET "{column}" = ? WHERE position = 3""",
        {"version": 7, "seconds": 8.5}.get(column, "{}"),
    )
    assert sum(row.stage == "store" for row in Store(path).rows()) == 1
    again = run(draw, SMALL, store=path)
    assert again.counts == Counts(done=23, failed=1)
    [broken] = again.failures
    assert broken.stage == "store"
    assert "damaged; run the sweep with --retry to compute it again" in broken.error
    if column not in {"parameters", "task", "version"}:
        assert dict(broken.parameters) == dict(list(SMALL)[2])
    assert bits(run(draw, SMALL, store=path, retry=True).rows) == bits(whole.rows)
    assert bits(Store(path).rows()) == bits(whole.rows)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".json"])
def test_a_damaged_result_is_never_exported_as_an_empty_row(path, ending):
    run(draw, SMALL, store=path, rng=5)
    target = path.with_suffix(ending)
    change(path, """UPDATE cells SET "values" = '{}' WHERE position = 3""")
    with pytest.raises(
        DataError, match=r"the stored result of 1 grid point is damaged: \w{8} \(i=1, name=a\)\. Nothing"
    ):
        Store(path).export(target)
    change(path, """UPDATE cells SET "values" = '{}' WHERE position > 3""")
    with pytest.raises(
        DataError, match=r"results of 22 grid points are damaged: .* and 19 more\. Nothing is written; run"
    ):
        Store(path).export(target)
    assert not target.exists()
    run(draw, SMALL, store=path, retry=True)
    Store(path).export(target)
    assert target.exists()


def test_a_cell_whose_identity_is_damaged_is_computed_anew_and_forgotten_by_retry(path):
    whole = run(draw, SMALL, store=path, rng=5)
    change(path, "UPDATE cells SET identity = 'lost' WHERE position = 3")
    assert bits(run(draw, SMALL, store=path).rows) == bits(whole.rows)
    assert len(Store(path).rows()) == 25
    run(draw, SMALL, store=path, retry=True)
    assert sorted(bits(Store(path).rows())) == sorted(bits(whole.rows))


def test_the_cells_of_another_task_are_left_to_it(path):
    run(draw, SMALL, store=path, rng=5)
    run(fragile, Grid([{"kind": "good"}]), store=path)
    change(path, """UPDATE cells SET "values" = '{}' WHERE position = 25""")
    run(draw, SMALL, store=path, retry=True)
    assert [row.stage for row in Store(path).rows()][24] == "store"
    assert run(fragile, Grid([{"kind": "good"}]), store=path, retry=True).counts == Counts(done=1)


def test_a_damaged_seed_is_refused(path):
    run(draw, SMALL, store=path, rng=5)
    change(path, "UPDATE study SET content = '6' WHERE name = 'seed'")
    for use in (lambda: run(draw, SMALL, store=path), lambda: Store(path).seed):
        with pytest.raises(DataError, match=r"the store is damaged \(its seed\)\. Restore a copy"):
            use()


def test_a_flipped_bit_is_never_silent(path):
    """Every bit that is flipped changes nothing, is reported, or is found in its cell; `retry` then mends the cell."""
    whole = run(draw, Grid.product({"i": range(60)}), store=path, rng=5)
    content, rng = path.read_bytes(), np.random.default_rng(8)
    seen = {"same": 0, "refused": 0, "reported": 0}
    for number in rng.integers(8 * len(content), size=250).tolist():
        flipped = bytearray(content)
        flipped[number // 8] ^= 1 << number % 8
        path.write_bytes(flipped)
        try:
            rows, seed = Store(path).rows(), Store(path).seed
        except DataError:
            seen["refused"] += 1
            continue
        assert seed == 5
        if bits(rows) == bits(whole.rows):
            seen["same"] += 1
            continue
        seen["reported"] += 1
        assert any(row.stage == "store" for row in rows)
        good = set(map(repr, bits(row for row in rows if row.stage != "store")))
        assert good <= set(map(repr, bits(whole.rows)))
        again = run(draw, Grid.product({"i": range(60)}), store=path, retry=True)
        assert bits(again.rows) == bits(whole.rows)
    assert all(seen.values()), seen


@pytest.mark.parametrize("replace", [False, True])
def test_a_store_that_goes_away_during_a_run_is_no_success(path, replace):
    def remove(counts):
        if counts.done == 3:
            path.unlink()
            if replace:
                path.write_text("something else")

    with pytest.raises(DataError, match="was deleted or replaced while the study ran"):
        run(draw, SMALL, store=path, rng=5, progress=remove)


def test_a_store_that_goes_away_at_the_end_is_no_success(path):
    with pytest.raises(DataError, match="was deleted or replaced while the study ran"):
        run(draw, Grid([{"i": 1}]), store=path, progress=lambda counts: counts.done and path.unlink())


def test_a_users_file_with_the_name_of_the_lock_is_left_alone(path):
    mine = path.with_name("study.db-driver")
    mine.write_text("who drives on Monday")
    with pytest.raises(DataError, match=r"study\.db-driver is in the way: .* Rename it, or use another store\."):
        run(draw, SMALL, store=path)
    assert mine.read_text() == "who drives on Monday"
    mine.write_text("")
    run(draw, SMALL, store=path)
    assert mine.read_text() == ""


def test_the_lock_that_a_killed_driver_left_is_taken_over_and_removed(path):
    guard = path.with_name("study.db-driver")
    seen = []
    run(draw, Grid([{"i": 1}]), store=path, progress=lambda counts: seen.append(guard.read_bytes()))
    guard.write_bytes(seen[0])
    run(draw, SMALL, store=path)
    assert os.listdir(path.parent) == ["study.db"]


def test_a_second_driver_does_not_get_in_by_another_name(path, tmp_path):
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    told = []

    def second(counts):
        with pytest.raises(DataError) as caught:
            run(draw, SMALL, store=link)
        told.append(str(caught.value))

    run(draw, Grid([{"i": 1}]), store=path, progress=second)
    assert all("is being run by process" in text for text in told)
    assert os.listdir(link.parent) == ["link.db"]
    os.link(path, tmp_path / "hard.db")
    with pytest.raises(DataError, match="several names"):
        run(draw, SMALL, store=path)


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        run(draw, SMALL, store=tmp_path)


@pytest.mark.parametrize("statement", ["PRAGMA application_id", "BEGIN EXCLUSIVE"])
def test_an_interrupt_while_the_lock_is_taken_leaves_no_lock_behind(path, monkeypatch, statement):
    class Interrupted(sqlite3.Connection):
        heard = False

        def execute(self, words, *values):
            found = super().execute(words, *values)
            if words.startswith(statement) and not self.heard:
                self.heard = True
                raise KeyboardInterrupt
            return found

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Interrupted))
    with pytest.raises(KeyboardInterrupt), alone(path, lambda: "another"):
        pass
    assert not path.with_name("study.db-driver").exists()
