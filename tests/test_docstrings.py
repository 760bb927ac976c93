"""Every example in a docstring runs and shows what it says."""

import doctest
import importlib
import pkgutil

import pytest

import howsure

MODULES = [
    module.name
    for module in pkgutil.walk_packages(howsure.__path__, "howsure.")
    if not module.name.endswith("__main__")  # which would run the command
]


def examples(name):
    """Return the docstrings of a module that hold examples."""
    return [test for test in doctest.DocTestFinder().find(importlib.import_module(name)) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, tmp_path, monkeypatch):
    found = examples(name)
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in found:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_there_are_examples_to_run():
    assert sum(len(test.examples) for name in MODULES for test in examples(name)) > 200
