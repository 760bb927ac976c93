"""What a person does in a browser: upload, ask, read, download, delete; no console error, no request elsewhere."""

from pathlib import Path

from tests.web.browser import accessible


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


def test_the_home_page_has_five_questions_each_with_an_example(page, server):
    page.goto(server.url)
    assert page.locator(".card h2").all_inner_texts() == [
        "Is A really better than B?", "How much data does it take?", "I have two lists of scores",
        "Which of these models may be best?", "Which p-value can I trust?",
    ]  # fmt: skip
    for number, said in ((2, "A scores higher than B"), (3, "model-2 leads"), (4, "swapped-items")):
        page.goto(server.url)
        page.get_by_role("button", name="Try it on an example").nth(number).click()
        page.wait_for_selector(".done")
        assert said in page.inner_text("section.answer")


def test_sliders_move_numbers_and_the_mark_while_they_are_dragged(page, server):
    page.goto(f"{server.url}/plan/try?preset=likert-toxicity&metric=mae")
    accessible(page)
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
    assert "What it lacks" in page.inner_text("main")
    page.fill("#field-rater", "tag")
    page.get_by_role("button", name="Read it so").click()
    assert "3 raters" in page.inner_text(".verdict")
    accessible(page)


def test_a_phone_needs_no_sideways_scrolling(page, server):
    page.set_viewport_size({"width": 390, "height": 800})
    for path in ("/", "/tables", "/compare", "/plan/try", "/scores-upload", "/audit", "/glossary", "/jobs"):
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
