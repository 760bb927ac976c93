"""Reports of every kind of result, each written once."""

import pytest

from assay import report
from tests.reports.results import made

FORMATS = ("html", "md", "tex", "json")


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
