"""What a person does in a browser: upload, ask, read, download, delete; no console error, no request elsewhere."""

import io
import zipfile
from pathlib import Path

import pytest

from tests.web.browser import accessible, for_everybody

EXAMPLES = {
    "compare": "model-2 is better than model-1", "plan": "items", "scores": "A scores higher than B",
    "leaderboard": "model-2 is significantly better", "audit": "sign-flip", "describe": "rater-6", "fit": "Likert",
    "score": "mean absolute error 0.438", "reliability": "by chance alone", "gate": "model-2 is not worse than model-1",
    "simulate": "50 items", "power": "199 segments", "replicate": "published numbers",
}  # fmt: skip
"""Every question with a word of its example's answer."""

FILES = {
    "HTML report": b"<!doctype html>", "Markdown": b"# ", "LaTeX": b"\\documentclass", "JSON": b"{", "CSV": b"",
    "Chart as SVG": b"<svg", "Chart as PNG": b"\x89PNG",
}  # fmt: skip


def downloaded(page, name):
    with page.expect_download() as waiting:
        page.locator(".downloads").get_by_role("link", name=name).first.click()
    return Path(waiting.value.path())


def fetched(page, name):
    """Ask for what a click would download, as this visitor and without the click."""
    link = page.locator(".downloads").get_by_role("link", name=name).first
    answer = page.request.get(link.evaluate("link => link.href"))
    assert answer.ok, name
    assert answer.headers["content-disposition"].startswith("attachment"), name
    return answer.body()


@pytest.mark.parametrize("path", EXAMPLES)
def test_an_example_in_one_click_for_everybody_and_every_download(page, path):
    page.locator(f"form[action='/example/{path}'] button").click()
    page.wait_for_selector(".done")
    assert EXAMPLES[path] in page.inner_text("section.answer")
    assert page.inner_text(".howsure-signature").startswith("howsure ")
    pictures = page.locator("section.answer img")
    assert pictures.count() >= 1
    pictures.evaluate_all("all => Promise.all(all.map(one => one.decode()))")
    for name, starts in FILES.items():
        content = downloaded(page, name).read_bytes() if path == "compare" else fetched(page, name)
        if zipfile.is_zipfile(file := io.BytesIO(content)):  # a report beside its pictures
            with zipfile.ZipFile(file) as whole:
                content = whole.read(next(entry for entry in whole.namelist() if entry.startswith("report.")))
        assert content.startswith(starts), name
        assert len(content) > 20, name
    for_everybody(page)


def test_pages_without_an_answer_are_for_everybody(page, server):
    assert page.locator(".card h2").all_inner_texts() == [
        "Is A really better than B?", "How much data do I need?", "I have two lists of scores",
        "Which of these models may be the best?", "Which p-value can I trust?",
    ]  # fmt: skip
    for path in ("", "/tables", "/compare", "/scores-upload", "/glossary", "/jobs"):
        page.goto(server.url + path)
        for_everybody(page)


def test_from_upload_to_verdict_and_deletion_with_the_keyboard_alone(page, server, ratings_csv, tmp_path):
    place = tmp_path / "my ratings.csv"
    place.write_bytes(ratings_csv)
    page.goto(f"{server.url}/tables")
    page.set_input_files("#file", str(place))
    tab_to(page, "button", "Upload")
    page.keyboard.press("Enter")
    page.locator(".verdict", has_text="60 items, 3 sources").wait_for()
    for_everybody(page)
    tab_to(page, "a", "Is A really better than B?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?**")
    for name, value in (("gold", "human"), ("a", "model-2"), ("b", "model-1")):
        tab_to(page, "input", name)
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type(value)
    page.keyboard.press("Enter")
    page.wait_for_selector(".howsure-verdict")
    assert "a=model-2" in page.url
    assert "howsure compare 'my ratings.csv'" in page.inner_text("main")
    assert str(server.folder) not in page.content()
    page.emulate_media(media="print")
    assert page.is_visible(".howsure-verdict")
    assert not page.is_visible("form.ask")
    page.emulate_media(media="screen")
    tab_to(page, "a", "HTML report")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    report = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "my ratings.csv" in report
    assert str(server.folder) not in report
    page.fill("#field-b", "nobody")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".problem")
    assert "nobody" in page.inner_text(".problem")
    page.goto(f"{server.url}/jobs")
    for_everybody(page)
    assert page.locator("tbody tr").count() == 2
    page.goto(f"{server.url}/tables")
    tab_to(page, "button", "Delete my ratings.csv")
    page.keyboard.press("Enter")
    page.locator("main", has_not_text="my ratings.csv").wait_for()


def tab_to(page, kind, name):
    """Press the tabulator until an element has the focus; fail where none of this name ever has."""
    named = """() => { const at = document.activeElement; return [at.tagName.toLowerCase(), at.getAttribute('name') ||
        at.getAttribute('aria-label') || at.textContent.trim()] }"""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate(named) == [kind, name]:
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"the keyboard does not reach the {kind} {name}")


def test_a_pasted_table_and_hostile_labels(page, server):
    page.goto(f"{server.url}/tables")
    sources = (("human", "<b>x</b>"), ("m1", "<b>x</b>"), ("m2", "</script><svg onload=alert(1)>"))
    rows = [f"i{i},{source},{label}" for i in range(12) for source, label in sources]
    page.fill("#text", "\n".join(["item,source,value", *rows]))
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="Is A really better than B?").click()
    for name, value in (("a", "m1"), ("b", "m2"), ("gold", "human")):
        page.fill(f"#field-{name}", value)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".howsure-verdict")
    assert "m1 is better than m2" in page.inner_text(".howsure-verdict")
    assert page.locator("main svg, main b").count() == 0


def test_a_fitted_model_is_asked_about_and_goes_up_again(page, server, tmp_path):
    page.locator("form[action='/example/fit'] button").click()
    page.wait_for_selector(".done")
    kept = tmp_path / "model.json"
    kept.write_bytes(downloaded(page, "The model").read_bytes())
    page.get_by_role("button", name="Use model.json").click()
    assert "A response model" in page.inner_text(".verdict")
    for_everybody(page)
    page.goto(f"{server.url}/tables")
    page.set_input_files("#file", str(kept))
    page.get_by_role("button", name="Upload").click()
    assert page.locator("main li a").all_inner_texts() == [
        "How much data do I need?", "Which p-value can I trust?", "What would such responses look like?",
    ]  # fmt: skip
    page.get_by_role("link", name="What would such responses look like?").click()
    page.fill("#field-n_items", "20")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".done")
    assert "howsure simulate model.json" in page.inner_text("main")
    page.get_by_role("button", name="Use simulated.csv").click()
    assert "20 items, 3 sources" in page.inner_text(".verdict")


def test_sliders_move_numbers_and_the_mark_while_they_are_dragged(page, server):
    page.goto(f"{server.url}/plan/try?preset=likert-toxicity&metric=mae")
    for_everybody(page)
    before, mark = page.inner_text("#expected .verdict"), page.get_attribute("#mark", "cy")
    page.focus("#slide-n_items")
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.locator("#expected .verdict", has_text="300 items").wait_for()
    assert page.inner_text("#expected .verdict") != before
    assert float(page.get_attribute("#mark", "cy")) < float(mark)
    assert page.inner_text("#value-n_items") == "300"


def test_a_long_question_tells_how_far_it_is_and_can_be_cancelled(page, server):
    page.goto(f"{server.url}/replicate?paper=forest&n_simulations=5000&ask=1")
    page.wait_for_selector("progress")
    accessible(page)
    page.locator(".label", has_text="%").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("tbody tr")
    assert "cancelled" in page.inner_text("tbody")
    assert page.get_by_role("button", name="Resume").count() == 1


def test_what_was_recognised_can_be_corrected(page, server):
    page.goto(f"{server.url}/tables")
    rows = [f"i{i},{source},{i % 4},p{i % 3}" for i in range(12) for source in ("human", "m1", "m2")]
    page.fill("#text", "\n".join(["item,source,value,tag", *rows]))
    page.get_by_role("button", name="Upload").click()
    assert "raters" not in page.inner_text(".verdict")
    assert "Missing information" in page.inner_text("main")
    page.fill("#field-rater", "tag")
    page.get_by_role("button", name="Apply").click()
    assert "3 raters" in page.inner_text(".verdict")


def test_the_basic_path_needs_no_javascript(browser, server, ratings_csv, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(180_000)
    place = tmp_path / "ratings.csv"
    place.write_bytes(ratings_csv)
    page.goto(f"{server.url}/tables")
    page.set_input_files("#file", str(place))
    page.get_by_role("button", name="Upload").click()
    table = page.url.rsplit("/", 1)[1]
    page.goto(f"{server.url}/compare?table={table}&a=model-2&b=model-1&gold=human&ask=1")
    page.wait_for_selector(".howsure-verdict")
    context.close()
