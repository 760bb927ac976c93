import sys

import pytest

from howsure.errors import DataError, MissingFileError
from howsure.sweeps import Study
from tests.sweeps.tasks import draw

TASK = 'task = "tests.sweeps.tasks:draw"\n'


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "study.toml"
        path.write_text(text)
        return Study.read(path, **options)

    return read


def test_lists_are_axes_and_the_rest_is_the_same_everywhere(read):
    study = read(TASK + 'seed = 7\n[grid]\nn = [10, 20]\nv = [[1, 2]]\nmetric = "mae"\n[[cells]]\nn = 5\n')
    assert study.task is draw
    assert study.seed == 7
    assert [dict(cell) for cell in study.grid] == [
        {"n": 10, "v": [1, 2], "metric": "mae"},
        {"n": 20, "v": [1, 2], "metric": "mae"},
        {"n": 5},
    ]


def test_cells_may_be_all_there_is(read):
    study = read(TASK + "[[cells]]\nn = 5\n")
    assert [dict(cell) for cell in study.grid] == [{"n": 5}]
    assert study.seed is None


def test_a_short_name_stands_for_an_address(read):
    assert read('task = "draw"\n[grid]\nn = [1]', tasks={"draw": draw.name}).task is draw


def test_a_file_is_a_parameter_that_changes_with_its_content(read, tmp_path):
    data = tmp_path / "ratings.csv"
    data.write_text("item,value\n1,2\n")
    document = TASK + f'[files]\ntable = "{data}"\n[grid]\nn = [1, 2]'
    before = read(document).grid
    # The digest is that of sha256sum.
    digest = "ef33fffad288a01547889f181db1a98ff72484e3b76281d290d3b7f5c4cdbb7a"
    assert [dict(cell) for cell in before] == [
        {"table": {"path": str(data), "sha256": digest}, "n": 1},
        {"table": {"path": str(data), "sha256": digest}, "n": 2},
    ]
    data.write_text("item,value\n1,3\n")
    assert not {draw.identity(cell) for cell in before} & {draw.identity(cell) for cell in read(document).grid}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("task = ", "not a readable TOML document"),
        ("[grid]\nn = [1]", "`task` must be given"),
        (
            'task = "drew"\n[grid]\nn = [1]',
            "must be draw or an address, \"package.module:function\"; got 'drew'. Did you mean 'draw'?",
        ),
        ('task = "a:b"\n[grid]\nn = [1]', "There is no module `a`"),
        (TASK, "the sweep has no grid points"),
        (TASK + "[grid]\nn = []", "the sweep has no grid points"),
        (TASK + "grid = 3", "`grid` and `files` must be tables"),
        (TASK + "[cells]\nn = 3", "`cells` a list of tables"),
        (TASK + "seed = -1\n[grid]\nn = [1]", "`seed` must be a whole number of at least 0; got -1."),
        (
            TASK + "[grids]\nn = [1]",
            "`entry` must be one of task, seed, files, grid, cells; got 'grids'. Did you mean 'grid'?",
        ),
        (TASK + "[grid]\nn = [1, 1]", "Grid point 2 repeats grid point 1"),
        (TASK + "[grid]\nn = [nan]", "must be finite"),
        (TASK + "[files]\nf = 'no.csv'\n[grid]\nn = [1]", "the study's file 'no.csv' cannot be read"),
        (TASK + "[files]\nn = 'study.toml'\n[grid]\nn = [1]", "both have `n`"),
        (TASK + "[grid]\nn = [2026-01-01]", "no JSON form for date"),
        (TASK + "[files]\nf = -1\n[grid]\nn = [1]", "must be named by its path, in quotes; got -1"),
        (TASK + "[files]\nf = '/dev/zero'\n[grid]\nn = [1]", "the study's file '/dev/zero' cannot be read"),
        (
            TASK + f"[grid]\nn = {list(range(1001))}\nm = {list(range(1001))}",
            "a grid has at most 1,000,000 grid points",
        ),
        (TASK + f"[grid]\nn = {'9' * 5000}", "not a readable TOML document"),
        (TASK + f"[grid]\nn = {'[' * 2000}{']' * 2000}", "not a readable TOML document"),
        ('task = ".x:y"\n[grid]\nn = [1]', "A task is named `package.module:function`; got '.x:y'."),
        ('task = "a b:c"\n[grid]\nn = [1]', "A task is named `package.module:function`"),
        ('task = "x..y:z"\n[grid]\nn = [1]', "A task is named `package.module:function`"),
    ],
)
def test_a_document_that_cannot_be_meant_is_refused_with_its_name(read, text, words):
    with pytest.raises(DataError) as caught:
        read(text, tasks={"draw": draw.name})
    assert "study.toml: " in str(caught.value)
    assert words in str(caught.value)


def test_a_document_that_is_not_there(tmp_path):
    with pytest.raises(MissingFileError, match="there is no such file"):
        Study.read(tmp_path / "study.toml")


def test_a_file_without_an_end_is_no_document():
    with pytest.raises(DataError, match="it is not a file of at most"):
        Study.read("/dev/zero")


def test_a_module_that_fails_on_import_is_named(read, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "fails_on_import.py").write_text("1 / 0")
    (tmp_path / "exits_on_import.py").write_text("raise SystemExit(0)")
    for name in ("fails_on_import", "exits_on_import"):
        with pytest.raises(DataError, match=f"The module of the task `{name}:f` cannot be imported: "):
            read(f'task = "{name}:f"\n[grid]\nn = [1]')


def test_the_folder_of_a_study_is_searched_last_and_only_for_its_own_tasks(read, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    read('task = "draw"\n[grid]\nn = [1]', tasks={"draw": draw.name})
    assert sys.path == before
    (tmp_path / "beside_the_study.py").write_text(
        "from howsure.sweeps import task\n@task(version=1)\ndef f(cell, rng):\n    return {}\n"
    )
    read('task = "beside_the_study:f"\n[grid]\nn = [1]')
    assert sys.path == [*before, str(tmp_path)]


def test_files_are_named_from_the_folder_of_the_study(tmp_path, monkeypatch):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "table.csv").write_text("x")
    (tmp_path / "study" / "study.toml").write_text(TASK + "[files]\ntable = 'table.csv'\n[grid]\nn = [1]\n")
    monkeypatch.chdir(tmp_path)
    [cell] = Study.read("study/study.toml").grid
    assert cell["table"]["path"] == str(tmp_path / "study" / "table.csv")
