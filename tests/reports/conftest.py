"""Reports of every kind of result, each written once."""

from functools import cache

import pytest

from howsure import report
from howsure.reports.frame import figures_of
from tests.reports.results import made, plotted

FORMATS = ("html", "md", "tex", "json")


@cache
def figures(kind):
    """Return the pictures of this kind of result, drawn once for all formats of its report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("howsure.reports.frame.plot", lambda _: plotted(kind))
        return figures_of(made(kind), made(kind).document())


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    """Return where the reports of a kind of result are, in all formats."""
    root = tmp_path_factory.mktemp("written")

    @cache
    def place(kind):
        (root / kind).mkdir()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("howsure.reports.frame.figures_of", lambda *_, **__: figures(kind))
            for ending in FORMATS:
                report(made(kind), root / kind / f"report.{ending}")
        return root / kind

    return place


@pytest.fixture
def texts(written):
    """Return the page, the Markdown and the LaTeX of a kind of result."""
    return lambda kind: [(written(kind) / f"report.{ending}").read_text(encoding="utf-8") for ending in FORMATS[:3]]
