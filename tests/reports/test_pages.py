"""Reports in a real browser: nothing is requested, nothing complains, and axe-core finds no violation."""

import pytest

from howsure.documents import Definitions, Document, Points, Sentence, html
from howsure.reports import DRAWN
from tests.reports.results import MADE
from tests.web.browser import accessible


@pytest.fixture(scope="module")
def phone(browser):
    """A page as narrow as a phone's, without a network, and what it says and asks for."""
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    yield page, said, asked
    context.close()


@pytest.mark.parametrize("kind", MADE)
def test_a_report_opens_offline_without_errors_and_is_accessible(kind, phone, written):
    page, said, asked = phone
    said.clear()
    asked.clear()
    page.emulate_media(color_scheme="dark" if len(kind) % 2 else "light")
    address = (written(kind) / "report.html").as_uri()
    page.goto(address)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    pictures = page.locator("img").all()
    assert bool(pictures) == (kind in DRAWN)
    assert all(picture.evaluate("image => image.naturalWidth") > 100 for picture in pictures)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390  # only tables and pictures scroll sideways
    accessible(page)


def test_long_words_are_broken_on_a_phone(phone):
    """A report that named a file by its whole path was wider than the phone."""
    page, _, _ = phone
    long = "/data/" + "evaluation_2026" * 8
    blocks = (Sentence(long, "verdict"), Sentence(long), Points((long,)), Definitions((("File", long),)))
    page.set_content(html.page(Document(long, blocks, (long,), long)))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
