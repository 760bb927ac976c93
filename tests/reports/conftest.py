"""Reports of every kind of result, each written once."""

import importlib

import pytest

from assay import report
from tests.reports.results import made

FORMATS = ("html", "md", "tex", "json")


@pytest.fixture(scope="session", autouse=True)
def quick_copies():
    """Let Altair copy a chart without a call for each of its many properties that are not set: it takes long."""
    schemapi = importlib.import_module("altair.utils.schemapi")
    whole = schemapi._deep_copy
    parts = (schemapi.SchemaBase, list, dict)

    def copied(obj, by_ref):
        if not isinstance(obj, schemapi.SchemaBase) or hasattr(obj, "__deepcopy__"):
            return whole(obj, by_ref)
        arguments = [copied(each, by_ref) for each in obj._args]
        named = {
            name: copied(each, by_ref) if isinstance(each, parts) and name not in by_ref else each
            for name, each in obj._kwds.items()
        }
        with schemapi.debug_mode(False):
            return obj.__class__(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schemapi, "_deep_copy", copied)
        yield


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Return where the reports of a kind of result are: all of them, or those with the endings that are needed."""
    root = tmp_path_factory.mktemp("written")

    def place(kind, *endings):
        (root / kind).mkdir(exist_ok=True)
        for ending in endings or FORMATS:
            if not (root / kind / f"report.{ending}").exists():
                report(made(kind), root / kind / f"report.{ending}")
        return root / kind

    return place


@pytest.fixture
def texts(written):
    """Return the page, the Markdown and the LaTeX of a kind of result."""
    return lambda kind: [
        (written(kind, *FORMATS[:3]) / f"report.{ending}").read_text(encoding="utf-8") for ending in FORMATS[:3]
    ]
