"""What a person does in a browser: upload, ask, read, download, delete; no console error, no request elsewhere."""

from pathlib import Path

import pytest

from tests.web.browser import CHROMIUM, Server, need_browser


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    need_browser()
    running = Server(tmp_path_factory.mktemp("browsed"), "--n-workers", "1")
    yield running
    running.kill()


@pytest.fixture(scope="module")
def browser():
    need_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser, server):
    """A page that fails on console errors and on requests to anywhere else."""
    context = browser.new_context(accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    wrong = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith(server.url) else wrong.append(request.url))
    yield opened
    assert wrong == []
    context.close()


def accessible(page):
    """Fail where axe-core finds something."""
    from axe_playwright_python.sync_playwright import Axe

    # The policy of the page forbids foreign scripts, so axe is run from the outside, by the browser's own evaluation.
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_an_example_in_one_click_and_every_download(page, server):
    page.goto(server.url)
    accessible(page)
    page.get_by_role("button", name="Try it on an example").first.click()
    page.wait_for_selector(".assay-verdict")
    assert "model-2 is better than model-1" in page.inner_text(".assay-verdict")
    assert page.get_by_role("img").count() >= 1
    accessible(page)
    for name, starts in (("HTML report", "<!doctype html>"), ("Markdown", "# "), ("LaTeX", "\\documentclass"),
                         ("JSON", "{"), ("CSV", "metric")):  # fmt: skip
        with page.expect_download() as waiting:
            page.get_by_role("link", name=name, exact=True).click()
        assert Path(waiting.value.path()).read_text(encoding="utf-8").startswith(starts)


def test_from_upload_to_verdict_and_deletion(page, server, ratings_csv, tmp_path):
    place = tmp_path / "my ratings.csv"
    place.write_bytes(ratings_csv)
    page.goto(f"{server.url}/tables")
    accessible(page)
    page.set_input_files("#file", str(place))
    page.get_by_role("button", name="Upload").click()
    assert "60 items, 3 sources" in page.inner_text("main")
    accessible(page)
    page.get_by_role("link", name="Is A really better than B?").click()
    page.fill("#field-a", "model-2")
    page.fill("#field-b", "model-1")
    page.fill("#field-gold", "human")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".assay-verdict")
    assert "a=model-2" in page.url
    assert "assay compare" in page.inner_text("main")
    assert str(tmp_path) not in page.content()
    page.fill("#field-b", "nobody")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".problem")
    assert "nobody" in page.inner_text(".problem")
    page.goto(f"{server.url}/jobs")
    accessible(page)
    assert page.locator("tbody tr").count() == 2
    page.goto(f"{server.url}/tables")
    page.get_by_role("button", name="Delete my ratings.csv").click()
    assert "my ratings.csv" not in page.inner_text("main")


def test_a_pasted_table_and_hostile_labels(page, server):
    page.goto(f"{server.url}/tables")
    sources = (("human", "<b>x</b>"), ("m1", "<b>x</b>"), ("m2", "</script><svg onload=alert(1)>"))
    rows = [f"i{i},{source},{label}" for i in range(12) for source, label in sources]
    page.fill("#text", "\n".join(["item,source,value", *rows]))
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="Is A really better than B?").click()
    for name, value in (("a", "m1"), ("b", "m2"), ("gold", "human")):
        page.fill(f"#field-{name}", value)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_selector(".assay-verdict")
    assert "m1 is better than m2" in page.inner_text(".assay-verdict")
    assert page.locator("main svg, main b").count() == 0


def test_a_phone_needs_no_sideways_scrolling(page, server):
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/", "/tables", "/compare", "/jobs"):
        page.goto(server.url + path)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_basic_path_needs_no_javascript(browser, server, ratings_csv, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(60_000)
    place = tmp_path / "ratings.csv"
    place.write_bytes(ratings_csv)
    page.goto(f"{server.url}/tables")
    page.set_input_files("#file", str(place))
    page.get_by_role("button", name="Upload").click()
    table = page.url.rsplit("/", 1)[1]
    page.goto(f"{server.url}/compare?table={table}&a=model-2&b=model-1&gold=human&ask=1")
    page.wait_for_selector(".assay-verdict")
    context.close()
