"""A new result type needs one document function, and appears in every format."""

from dataclasses import dataclass

from howsure import report
from howsure.documents import Column, Document, Sentence, Table, html, latex, markdown, text
from howsure.records import Record


@dataclass(frozen=True, kw_only=True)
class Tosses(Record):
    """A coin and how it fell."""

    heads: int
    tails: int

    def document(self) -> Document:
        columns = (Column("side"), Column("count", "count"))
        rows = (("heads", self.heads), ("tails", self.tails))
        return Document("Tosses", (Sentence(f"{self.heads} heads.", "verdict"), Table(columns, rows)))


FOUND = Tosses(heads=7, tails=3)


def test_it_is_text_markdown_latex_html_and_json(tmp_path):
    shown = FOUND.document()
    for rendered in (text.render(shown), markdown.render(shown), latex.render(shown), html.fragment(shown)):
        assert "7 heads." in rendered
    assert "7 heads." in str(FOUND)
    assert "7 heads." in FOUND._repr_html_()
    assert Tosses.from_dict(FOUND.to_dict()) == FOUND
    for ending in ("html", "md", "tex", "json", "csv"):
        report(FOUND, tmp_path / f"tosses.{ending}")
        assert "heads" in (tmp_path / f"tosses.{ending}").read_text(encoding="utf-8")
