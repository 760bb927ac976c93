"""Reports of every kind of result, each written once."""

import pytest

from assay import report
from tests.reports.results import made

FORMATS = ("html", "md", "tex", "json")


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Return where the reports of a kind of result are."""
    root, known = tmp_path_factory.mktemp("written"), set()

    def place(kind):
        if kind not in known:
            (root / kind).mkdir()
            for ending in FORMATS:
                report(made(kind), root / kind / f"report.{ending}")
            known.add(kind)
        return root / kind

    return place


@pytest.fixture
def texts(written):
    """Return the page, the Markdown and the LaTeX of a kind of result."""
    return lambda kind: [(written(kind) / f"report.{ending}").read_text(encoding="utf-8") for ending in FORMATS[:3]]
