"""The authors whose methods the package implements are named where readers look."""

from pathlib import Path

import pytest

from howsure.documents.text import render
from howsure.papers import PAPERS, PublishedNumber, Replication
from howsure.papers.citations import CITATIONS

ROOT = Path(__file__).parents[2]


def parts(citation):
    authors, _, rest = citation.partition(": ")
    title = max(rest.split(". ")[0].split("? 2024")[0].split(", NeurIPS")[0].split("? "), key=len)
    return authors.replace(" and ", ", ").split(", "), title


def one_line(path):
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


@pytest.mark.parametrize("source", CITATIONS)
@pytest.mark.parametrize("page", ["README.md", "CITATION.cff"])
def test_readme_and_citation_file_name_authors_and_title(source, page):
    authors, title = parts(CITATIONS[source])
    text = one_line(page)
    assert title in text
    assert all(author.split()[-1] in text for author in authors)


@pytest.mark.parametrize("paper", PAPERS)
def test_pages_and_reports_of_replications_cite_the_paper_in_full(paper):
    assert CITATIONS[paper] in one_line(f"docs/evidence/replications-{paper}.md")
    row = PublishedNumber({"table": 1}, "p", 0.5, 0.5, 0.01)
    assert CITATIONS[paper] in " ".join(render(Replication(paper, "", (row,), 20, 0).document()).split())


@pytest.mark.parametrize(
    ("page", "papers"),
    [
        ("replications.md", PAPERS),
        ("replications-searches.md", ("forest", "ratings")),
        ("audit.md", ("leader",)),
        ("levels.md", PAPERS),
    ],
)
def test_other_pages_of_evidence_cite_their_papers_in_full(page, papers):
    text = one_line(f"docs/evidence/{page}")
    assert all(CITATIONS[paper] in text for paper in papers)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_ratings_has_one_year(page):
    assert not any("RATINGS" in line and "(2025)" in line for line in page.read_text(encoding="utf-8").splitlines())


def test_nlpstattest_is_cited_on_the_page_about_its_tests():
    assert CITATIONS["nlpstattest"] in one_line("docs/evidence/scores.md")


def test_no_page_accuses_a_paper_of_printing_another_row():
    text = one_line("docs/evidence/replications-leader.md")
    assert "another row" not in text
    assert "number printed for" not in text
