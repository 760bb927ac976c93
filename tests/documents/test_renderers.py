"""Every renderer shows every kind of block, and nothing that comes from data is markup in any of them."""

import base64
import math
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents import (
    Code,
    Column,
    Definitions,
    Document,
    Figure,
    Heading,
    Points,
    Sentence,
    Table,
    html,
    latex,
    markdown,
    text,
)
from howsure.inference import ConfidenceInterval

HOSTILE = [
    "</script><svg onload=alert(1)>",
    "<!--<script>",
    r"\input{/etc/passwd}",
    "a|b`c`*d*_e_[f](javascript:1)",
    "\x1b[31mred\x07",
    "$x$ & 100% #1 {y} ~z^",
    "[/x] m[instruct]",
    "\u202etxt",
    'quote" onmouseover="x',
]


def example(name="model-1"):
    interval = ConfidenceInterval(0.1, 0.3, "t", 0.95)
    return Document(
        f"{name} and others",
        (
            Sentence(f"{name} is better.", "verdict"),
            Heading("Numbers"),
            Table(
                (Column("metric"), Column("items", "count"), Column("advantage", "number"), Column("ci", "interval"),
                 Column("p", "pvalue"), Column("share", "percent")),
                ((name, 1200, 0.25, interval, 3.1e-9, 0.5), ("none", 3, math.nan, (math.nan, math.nan), 0.04, None)),
                title=f"Table of {name}",
                marked=frozenset({0, (1, 4)}),
            ),
            Definitions(((name, "a model"),), title="Terms"),
            Points((f"{name} first.", "Then others.")),
            Code(f"howsure compare {name}\n\nhowsure"),
            Sentence("More.", "aside"),
        ),
        (f"Note on {name}.",),
        f"howsure | {name}",
    )  # fmt: skip


def test_text_shows_values_and_undefined_ones():
    shown = text.render(example())
    assert "1,200" in shown
    assert "0.100 to 0.300" in shown
    assert "3.1e-09" in shown
    assert "undefined" in shown
    assert "Note: Note on model-1." in shown


def test_text_tables_fit_the_width():
    wide = Table(tuple(Column(f"column {i}") for i in range(6)), (tuple("word " * 10 for _ in range(6)),))
    lines = text.table(wide, 80).splitlines()
    assert {text.cell_width(line) for line in lines} == {text.cell_width(lines[0])}
    assert text.cell_width(lines[0]) <= 80


@pytest.mark.parametrize("name", HOSTILE)
def test_html_keeps_hostile_names_as_text(name):
    class Tags(HTMLParser):
        def __init__(self):
            super().__init__()
            self.seen, self.attributes = set(), set()

        def handle_starttag(self, tag, attrs):
            self.seen.add(tag)
            self.attributes |= {key for key, _ in attrs}

    plain, hostile = Tags(), Tags()
    plain.feed(html.page(example()))
    hostile.feed(html.page(example(name)))
    assert hostile.seen == plain.seen
    assert hostile.attributes == plain.attributes


def test_pictures_are_images_of_their_own():
    picture = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    figure = Figure("f", 'a "title"', "told <b>", {}, picture, picture)
    page = html.page(Document("", (figure,)))
    assert "<script" not in page  # what is inside an image cannot run
    assert page.count(base64.b64encode(picture.encode()).decode()) == 2
    assert 'alt="told &lt;b&gt;"' in page
    assert "told &lt;b&gt;" in html.page(Document("", (replace(figure, svg=""),)))


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_has_no_raw_html_and_equal_columns(name):
    shown = markdown.render(example(name))
    outside = re.sub(r"^(`{3,})\w*\n.*?\n\1$", "", shown, flags=re.M | re.S)
    assert "<" not in re.sub(r"(`+).*?\1(?!`)", "", outside.replace("\\`", ""))  # inside code it is text
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_text_has_no_control_characters(name):
    assert all(letter.isprintable() or letter == "\n" for letter in text.render(example(name)))


@given(st.text(max_size=30))
def test_latex_leaves_no_command_of_the_data(name):
    escaped = latex.escape(name)
    bare = escaped
    for command in sorted(latex.SPECIAL.values(), key=len, reverse=True):
        bare = bare.replace(command, "")
    assert not set(bare) & set("\\{}$&#_%~^")


def test_latex_compiles(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: LaTeX output was not compiled")
    heads, bodies, ends = zip(*(_parts(latex.render(example(name))) for name in HOSTILE), strict=True)
    assert len(set(heads)) == len(set(ends)) == 1
    together = "\\begin{document}" + "\n\\clearpage\n".join(bodies) + "\\end{document}"  # the compiler starts once
    (tmp_path / "all.tex").write_text(heads[0] + together + ends[0], encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path, capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-800:]


def _parts(paper):
    """Return what stands before, within and after the document."""
    head, _, rest = paper.partition("\\begin{document}")
    body, _, end = rest.partition("\\end{document}")
    return head, body, end
