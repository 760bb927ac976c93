"""What several test files share: small contests, and where the real tables are."""

import gc
import importlib
import os
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings

from howsure import Contest

settings.register_profile("howsure", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("howsure")


FIRST = ("web", "reports", "auditing")
"""Folders whose tests share a browser, a server, drawn reports or a long simulation."""


def pytest_collection_modifyitems(items):
    """Let one of two processes begin with all tests that share something slow; short ones are left for the end.

    Each process begins with one half of the list, and whoever has nothing left takes tests from the end of the other's.
    """
    place = {name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path.parent.name, len(FIRST)))


def pytest_collection_finish(session):
    """Look for garbage seldom, and never among the thousands of tests and modules, where there is none."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def shared():
    """The folder of real tables, or a skip where it is absent."""
    root = Path(os.environ.get("HOWSURE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (root / "data").is_dir():
        pytest.skip("the shared data are not here")
    return root / "data"


@pytest.fixture(autouse=True)
def import_path():
    """Restore what may be imported after a test: every command takes the current folder off the path."""
    path, environment = sys.path.copy(), {name: os.environ.get(name) for name in ("PYTHONPATH", "PYTHONSAFEPATH")}
    yield
    sys.path[:] = path
    for name, value in environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of this process: a second one would not start beside it."""
    from tests.web.browser import launched

    with launched() as started:
        yield started


class Said(NamedTuple):
    """What a command answered."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def howsure(monkeypatch, capsys):
    """Run `howsure …` within this process."""

    def run(*words):
        from howsure.cli import main

        monkeypatch.setattr("sys.argv", ["howsure", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        return Said(end.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def program():
    """Import a program of benchmarks/ by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
        yield importlib.import_module


@pytest.fixture(scope="session")
def ratings():
    """Continuous: 40 items, 5 gold, 3 A and 4 B responses, ragged; A is a little better."""
    rng = np.random.default_rng(7)
    truth = rng.uniform(size=(40, 1))
    gold, a, b = (truth + noise * rng.normal(size=(40, k)) for noise, k in ((0.2, 5), (0.25, 3), (0.4, 4)))
    gold[::4, 4] = a[1::3, 2] = b[::5, 2:] = np.nan
    return Contest.from_arrays(gold, a, b)


@pytest.fixture(scope="session")
def likert():
    """Ordinal, levels 1 to 5: 30 items, 4 gold, 3 A and 3 B responses, ragged."""
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 6, size=(30, 1))
    gold, a, b = (
        np.clip(truth + rng.integers(-noise, noise + 1, size=(30, k)), 1, 5).astype(float)
        for noise, k in ((1, 4), (1, 3), (2, 3))
    )
    gold[::4, 3] = a[1::3, 2] = b[::5, 1:] = np.nan
    groups = {"topic": np.where(np.arange(30) % 3 == 0, "art", "law")}
    return Contest.from_arrays(gold, a, b, groups=groups)


@pytest.fixture(scope="session")
def labels():
    """Nominal: 25 items, 3 gold, 2 A and 2 B responses."""
    rng = np.random.default_rng(9)
    names = np.array(["no", "unsure", "yes"])
    truth = rng.integers(3, size=(25, 1))
    sides = [
        names[np.where(rng.uniform(size=(25, k)) < right, truth, rng.integers(3, size=(25, k)))]
        for right, k in ((0.8, 3), (0.7, 2), (0.4, 2))
    ]
    return Contest.from_arrays(*sides)
