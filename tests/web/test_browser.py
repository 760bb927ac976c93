"""What a person does in a browser: drop a table, read the answer, change the question, download, look back."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from tests.web.browser import MOST, Server, accessible, for_everybody, shared_file

MORE = {
    "describe": "Raters agree little", "fit": "This model fits", "score": "model-2 scores best",
    "reliability": "by chance", "simulate": "50 items", "replicate": "published numbers", "audit": "Use sign-flip",
}  # fmt: skip
"""Every question under "More" with words of its example's headline."""


def answered(page, said=""):
    """Wait for an answer that is not being replaced; return the headline."""
    page.locator("#answer:not(.htmx-request) .done").wait_for()
    found = page.locator("#answer:not(.htmx-request) .done .verdict .big", has_text=said).first
    found.wait_for()
    return found.inner_text()


def drop(page, server, path):
    """Choose a file, which goes up by itself; return the identity of the table."""
    page.goto(server.url)
    page.set_input_files("#file", path if isinstance(path, list) else str(path))
    page.wait_for_url(re.compile(r"/tables/[0-9a-f]{32}$"))
    return page.url.rsplit("/", 1)[1]


@pytest.fixture
def ratings(tmp_path, ratings_csv):
    place = tmp_path / "my ratings.csv"
    place.write_bytes(ratings_csv)
    return place


@pytest.fixture
def judged(tmp_path):
    """Ratings of two models by six raters, one of whom is strict."""
    from howsure.web.samples import sample

    place = tmp_path / "judged.csv"
    place.write_bytes(sample("raters")[1])
    return place


def tab(page, name):
    page.get_by_role("tab", name=name).click()


def downloaded(page, name):
    with page.expect_download() as waiting:
        page.locator(".files").get_by_role("link", name=name).first.click()
    return Path(waiting.value.path()).read_bytes()


def test_from_drop_to_answer_change_download_and_history(page, server, ratings):
    table = drop(page, server, ratings)
    assert "60 items · 3 sources" in page.inner_text("#facts")
    assert page.locator("#first .verdict .big").inner_text() == "model-2 is better than model-1."
    for_everybody(page)
    page.get_by_role("link", name="Open the answer").click()
    assert answered(page) == "model-2 is better than model-1."
    assert f"/compare?table={table}" in page.url
    assert len(answered(page).split()) <= 12
    for_everybody(page)
    page.select_option("#say-a", "model-2")  # A and B cannot be the same, so B changes along
    page.wait_for_url(re.compile("a=model-2"))
    answered(page)
    assert page.input_value("#say-b") == "model-1"
    page.select_option("#say-measure", "spearman")
    page.locator("#answer", has_text="Spearman correlation").wait_for()
    assert "=&" not in page.url
    assert not page.url.endswith("=")
    page.go_back()  # to the question before, which stands in the menus
    page.wait_for_url(re.compile("measure=mae"))
    answered(page)
    assert page.input_value("#say-measure") == "mae"
    assert page.input_value("#say-a") == "model-2"
    tab(page, "Downloads")
    assert downloaded(page, "Report").startswith(b"<!doctype html>")
    assert b"model-1" in downloaded(page, "Items")
    assert downloaded(page, "Picture SVG").startswith(b"<svg")
    tab(page, "Code")
    assert "howsure compare 'my ratings.csv'" in page.inner_text("#code")
    assert str(server.folder) not in page.content()
    page.get_by_role("link", name="History").click()
    for_everybody(page)
    titles = page.locator(".list h3").all_inner_texts()
    assert titles == [f"Is model-{a} better than model-{b}?" for a, b in ((2, 1), (2, 1), (1, 2))]
    page.get_by_text("Rename").first.click()
    page.locator("input[name=title]").first.fill("Rank order")
    page.get_by_role("button", name="Save").first.click()
    page.locator(".list h3", has_text="Rank order").wait_for()
    page.locator("summary", has_text="Delete").first.click()
    page.get_by_role("button", name="Delete this answer").first.click()
    page.locator("main", has_not_text="Rank order").wait_for()
    assert page.locator(".list > li").count() == 2
    page.goto(f"{server.url}/tables")
    page.locator("summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete my ratings.csv").click()
    page.locator("main", has_not_text="my ratings.csv").wait_for()


def test_the_switch_changes_verdict_picture_and_p_together(page, server, judged):
    table = drop(page, server, judged)
    page.goto(f"{server.url}/compare?table={table}")
    assert answered(page).endswith("for raters like these 6.")
    before = page.inner_text(".verdict"), page.locator("figure[data-chart=interval]").inner_html()
    page.get_by_role("radio", name="These raters").check(force=True)
    assert answered(page, "for these 6 raters").endswith("for these 6 raters.")
    after = page.inner_text(".verdict"), page.locator("figure[data-chart=interval]").inner_html()
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert "whose=these" in page.url
    page.reload()
    assert answered(page).endswith("for these 6 raters.")
    page.goto(f"{server.url}/history")
    assert page.locator(".list h3").count() == 1  # both are one answer


def test_items_are_read_with_pointer_and_keys(page, server, ratings):
    table = drop(page, server, ratings)
    page.goto(f"{server.url}/compare?table={table}")
    answered(page)
    chart = page.locator("figure[data-chart=items]")
    chart.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    chart.locator(".tip", has_text="answers").wait_for()
    first = chart.locator(".tip").inner_text()
    page.keyboard.press("ArrowRight")
    chart.locator(".tip:not([hidden])").wait_for()
    assert chart.locator(".tip").inner_text() != first
    chart.locator(".hit").nth(3).click()
    assert "gold" in chart.locator(".tip").inner_text()
    rows = page.locator("#items tbody tr")
    assert rows.count() == 12
    page.get_by_role("button", name=re.compile("^Item")).click()
    names = page.locator("#items tbody th").all_inner_texts()
    assert names == sorted(names)


def test_more_options_answer_by_themselves(page, server, ratings):
    table = drop(page, server, ratings)
    page.goto(f"{server.url}/compare?table={table}")
    answered(page)
    page.get_by_text("More options").click()
    page.fill("#field-margin", "0.5")
    page.press("#field-margin", "Tab")
    page.locator(".verdict", has_text="differ by less than 0.5").wait_for()
    assert "margin=0.5" in page.url
    page.fill("#field-confidence_level", "95")
    page.press("#field-confidence_level", "Tab")
    page.locator("#answer .note.bad", has_text="“Confidence” must lie strictly between 0 and 1").wait_for()
    page.expected.append("422")
    page.reload()
    page.locator("#answer .note.bad", has_text="Did you mean 0.95").wait_for()
    assert page.input_value("#field-confidence_level") == "95"


def test_roles_of_columns_are_corrected_and_the_answer_follows(page, server, tmp_path):
    rows = [f"i{i},{source},{i % 4},p{i % 3}" for i in range(12) for source in ("human", "m1", "m2")]
    place = tmp_path / "tagged.csv"
    place.write_text("\n".join(["item,source,value,tag", *rows]), encoding="utf-8")
    drop(page, server, place)
    assert "rater" not in page.inner_text("#facts")
    page.locator("th", has_text="tag").locator("select").select_option("rater")
    page.locator("#facts", has_text="3 raters").wait_for()
    assert page.locator("th", has_text="tag").locator(".tag").inner_text() == "as you said"
    for_everybody(page)
    page.locator("th", has_text="tag").locator("select").select_option("")
    page.locator("#facts", has_not_text="raters").wait_for()
    page.get_by_label("What human is").select_option("out")
    page.locator(".chip.gold").wait_for(state="detached")
    page.locator("#first", has_text="m1").wait_for()
    page.goto(page.url.replace("/tables/", "/compare?table="))
    answered(page)
    assert page.locator("#say-gold option").first.inner_text() == "ratings of each answer"


def test_a_judge_among_the_raters_is_guessed_corrected_and_asked_about(page, server, tmp_path):
    from howsure import examples
    from howsure import io as tables

    place = tmp_path / "helped.csv"
    tables.write(examples.judged(), place)
    table = drop(page, server, place)
    line = page.locator("p", has_text="Judge among the raters")
    assert page.input_value("#judge") == "gpt-judge"
    assert line.locator(".tag").inner_text() == "guessed"
    page.locator("#first .verdict", has_text="gpt-judge scored all of them").wait_for()
    for_everybody(page)
    page.get_by_label("Judge among the raters").select_option("")
    page.locator("#first .verdict .big", has_text="model-2 is better than model-1, for raters like these 7").wait_for()
    assert line.locator(".tag").count() == 0
    page.get_by_label("Judge among the raters").select_option("gpt-judge")
    page.locator("#first .verdict", has_text="gpt-judge scored all of them").wait_for()
    assert line.locator(".tag").count() == 0  # said, not guessed
    page.goto(f"{server.url}/compare?table={table}")
    assert answered(page) == "No clear difference, for raters like these 6."
    assert page.locator("#answer .done > *").first.get_attribute("class").startswith("verdict")
    assert page.locator("#judged tbody th").all_inner_texts() == ["People alone", "Judge alone", "People and judge"]
    page.locator("#judged", has_text="Even a perfect judge would leave ±0.23").wait_for()
    for_everybody(page)
    page.get_by_role("radio", name="These raters").check(force=True)
    assert answered(page, "for these 6 raters") == "model-2 is better than model-1, for these 6 raters."
    tab(page, "Code")
    page.locator("#code", has_text="--judge gpt-judge").wait_for()
    page.select_option("#say-judge", "none")
    page.locator("#answer:not(.htmx-request) .done .verdict .big", has_text="7").wait_for()
    assert page.locator("#judged").count() == 0
    page.goto(f"{server.url}/judge?table={table}")
    assert answered(page) == "We cannot tell whether gpt-judge may replace one of these raters."
    assert page.locator("#field-judge option").first.inner_text() == "gpt-judge"
    page.get_by_role("cell", name="shuffled judge").wait_for()  # without pictures, the report is open
    for_everybody(page)


def test_a_pasted_table_and_hostile_labels(page, server):
    sources = (("human", "<b>x</b>"), ("m1", "<b>x</b>"), ("m2", "</script><svg onload=alert(1)>"))
    rows = [f"<i>{i},{source},{label}" for i in range(12) for source, label in sources]
    page.get_by_text("Paste a table").click()
    page.fill("#text", "\n".join(["item,source,value", *rows]))
    page.locator(".drop details button").click()
    page.locator("#first .verdict .big", has_text="m1 is better than m2").wait_for()
    page.get_by_role("link", name="Open the answer").click()
    assert answered(page) == "m1 is better than m2."
    assert page.locator("#items tbody th").first.inner_text().startswith("<i>")
    assert page.locator("main b b, main i, main [onload]").count() == 0


def test_a_ranking_and_two_of_its_rows(page, server):
    drop(page, server, shared_file("wmt23_sxsmqm_ende.csv"))
    page.select_option("#measure", "rating lower")
    page.locator("#first .big", has_text="5 of 10 models may be the best; refA leads").wait_for()
    page.get_by_role("link", name="Open the answer").click()
    assert answered(page) == "5 of 10 models may be the best; refA leads."
    for_everybody(page)
    page.get_by_role("button", name=re.compile("^Model")).click()
    names = page.locator(".board tbody th").all_inner_texts()
    assert names == sorted(names)
    page.get_by_role("checkbox", name="Compare refA").check()
    page.locator("tr.picked", has_text="refA").wait_for()
    page.get_by_role("checkbox", name="Compare ONLINE-A").check()
    page.locator("#pair .big", has_text="refA is better than ONLINE-A").wait_for()
    page.get_by_role("radio", name="These raters").check(force=True)
    assert answered(page, "4 of 10") == "4 of 10 models may be the best; refA leads."
    page.locator("#pair a", has_text="Compare these two").click()
    assert "refA is better than ONLINE-A" in answered(page)


def test_a_plan_from_a_pilot_works_on_the_first_try(page, server, ratings, judged):
    table = drop(page, server, ratings)
    page.get_by_role("link", name="How much data do I need?").click()
    assert "in 100 such studies would find it" in answered(page)
    assert f"table={table}" in page.url
    drop(page, server, judged)
    page.get_by_role("link", name="How much data do I need?").click()
    assert "in 100 such studies would find it" in answered(page)
    for_everybody(page)
    page.fill("#say-difference", "0.3")
    page.press("#say-difference", "Tab")
    page.wait_for_url(re.compile("difference=0.3"))
    before = answered(page)
    cell = page.get_by_role("link", name=re.compile(r"^2,000 items × 50 raters"))
    cell.click()
    page.wait_for_url(re.compile("n_items=2000.*across=50|across=50.*n_items=2000"))
    assert answered(page) != before
    assert page.input_value("#say-n_items") == "2000"
    page.fill("#say-budget", "100000")
    page.press("#say-budget", "Tab")
    page.wait_for_url(re.compile("budget=100000"))
    answered(page)
    page.reload()
    assert page.input_value("#say-n_items") == "2000"
    assert page.input_value("#say-budget") == "100000"


def test_a_plan_from_a_preset_and_its_better_design(page, server):
    page.goto(f"{server.url}/plan")
    page.select_option("#say-like", "preset:normal")
    page.wait_for_url(re.compile("preset=normal"))
    first = answered(page)
    assert first.endswith("in 100 such studies would find it.")
    page.fill("#say-n_items", "37")
    page.press("#say-n_items", "Tab")
    page.locator("#answer:not(.htmx-request) figure[data-chart=map] text.strong", has_text="37").wait_for()
    page.locator("button[data-set]").click()
    page.locator("#answer:not(.htmx-request) .verdict.good").wait_for()
    for_everybody(page)


def test_power_follows_its_numbers_and_its_point(page, server):
    page.goto(f"{server.url}/power")
    assert answered(page) == "You need 199 segments."
    page.fill("#say-effect", "0.5")
    page.press("#say-effect", "Tab")
    assert answered(page, "34") == "You need 34 segments."
    point = page.get_by_role("slider", name="Size of the study")
    point.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"power=(8[1-9]|9\d)"))
    answered(page)
    assert int(page.input_value("#say-power")) > 80
    box = page.get_by_role("slider", name="Size of the study").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 120, box["y"], steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"power=[1-7]\d\b"))
    answered(page)
    for_everybody(page)


@pytest.mark.parametrize("path", MORE)
def test_more_questions_answer_their_title(page, server, path):
    page.goto(f"{server.url}/{path}")
    page.get_by_role("button", name="Try it on an example").click()
    assert MORE[path] in answered(page)
    pictures = page.locator("#answer img")
    assert pictures.count() >= 1
    pictures.evaluate_all("all => Promise.all(all.map(one => one.decode()))")
    for_everybody(page)
    tab(page, "Downloads")
    links = page.locator(".files a")
    for link in links.all():
        answer = page.request.get(link.evaluate("link => link.href"))
        assert answer.ok, link.inner_text()
        assert answer.headers["content-disposition"].startswith("attachment")
        if zipfile.is_zipfile(file := io.BytesIO(answer.body())):
            with zipfile.ZipFile(file) as whole:
                assert any(name.startswith("report.") for name in whole.namelist())


def test_every_page_is_for_everybody(page, server):
    assert page.locator("h1").inner_text() == "How sure can you be that one model is better?"
    questions = page.locator(".asks h2").all_inner_texts()
    assert questions == ["Is A better than B?", "Which may be the best?", "How much data?", "Two lists of scores"]
    for path in (
        "",
        "/tables",
        "/compare",
        "/leaderboard",
        "/plan",
        "/scores",
        "/describe",
        "/glossary",
        "/history",
        "/api",
    ):
        page.goto(server.url + path)
        for_everybody(page)
    page.expected.append("404")
    page.goto(f"{server.url}/nowhere")
    assert "There is no such page" in page.inner_text("main")
    for_everybody(page)


def test_a_fitted_model_is_asked_about_and_goes_up_again(page, server, tmp_path):
    page.goto(f"{server.url}/fit")
    page.get_by_role("button", name="Try it on an example").click()
    answered(page)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download model.json").click()
    kept = tmp_path / "model.json"
    kept.write_bytes(Path(waiting.value.path()).read_bytes())
    page.get_by_role("button", name="Use model.json").click()
    page.locator("#facts", has_text="A response model").wait_for()
    for_everybody(page)
    drop(page, server, kept)
    page.get_by_role("link", name="What would such responses look like?").click()
    answered(page, "items")
    page.get_by_role("button", name="Use simulated.csv").click()
    page.locator("#facts", has_text="3 sources").wait_for()


def test_question_to_answer_in_under_twelve_tabs(page, server, ratings):
    table = drop(page, server, ratings)
    page.goto(f"{server.url}/compare?table={table}")
    answered(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skips to the content
    for pressed in range(2, 13):  # noqa: B007
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "say-b":
            break
    page.keyboard.press("ArrowUp")
    answered(page)
    assert pressed < 12
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_a_phone_shows_the_verdict_in_its_upper_half(page, server, ratings):
    table = drop(page, server, ratings)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{server.url}/compare?table={table}")
    answered(page)
    assert page.locator(".verdict .big").bounding_box()["y"] < 400
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("figure[data-chart=interval] svg").wait_for()
    assert page.locator("figure[data-chart=interval]").bounding_box()["y"] < 500
    page.emulate_media(media="print")
    assert page.is_visible(".verdict")
    assert page.is_visible("#method")
    assert not page.is_visible("nav")


def test_a_long_question_tells_how_far_it_is_and_can_be_cancelled(page, server):
    page.goto(f"{server.url}/replicate?paper=forest&n_simulations=5000&ask=1")
    page.wait_for_selector("progress")
    accessible(page)
    page.locator(".label", has_text="%").wait_for()
    page.goto(f"{server.url}/history")
    page.locator("section[aria-label=Running] .label", has_text="%").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator(".tag", has_text="Stopped by you").wait_for()
    assert page.get_by_role("button", name="Go on").count() == 1


def test_two_tabs_and_two_browsers(page, server, browser, ratings):
    table = drop(page, server, ratings)
    address = f"{server.url}/compare?table={table}"
    page.goto(address)
    answered(page)
    other = page.context.new_page()
    other.goto(address + "&a=model-1&b=model-2")
    answered(other)
    page.select_option("#say-measure", "rmse")
    page.locator("#answer", has_text="Root mean squared error").wait_for()
    assert other.input_value("#say-measure") == "mae"
    other.close()
    tab(page, "Downloads")
    link = page.get_by_role("link", name="Link to this result").get_attribute("href")
    stranger = browser.new_context().new_page()
    stranger.goto(server.url + link)
    stranger.locator(".done .verdict", has_text="Root mean squared error").wait_for()
    assert stranger.get_by_role("button", name="Delete").count() == 0
    refused = stranger.goto(address)
    assert refused.status == 404
    stranger.context.close()


def test_the_basic_path_needs_no_javascript(browser, server, ratings):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(MOST)
    page.goto(server.url)
    page.set_input_files("#file", str(ratings))
    page.locator(".drop > .row > button", has_text="Read it").click()
    page.wait_for_url(re.compile(r"/tables/[0-9a-f]{32}$"))
    page.goto(page.url.replace("/tables/", "/compare?table="))
    page.wait_for_selector(".done")
    assert page.locator(".verdict .big").inner_text() == "model-2 is better than model-1."
    page.select_option("#say-measure", "rmse")
    page.get_by_role("button", name="Ask").click()
    page.locator("#answer", has_text="Root mean squared error").wait_for()
    assert "=&" not in page.url
    assert page.locator("#method h2").is_visible()
    assert (
        page.locator("figure img.static").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    )
    context.close()


def test_a_killed_server_is_noticed_and_its_history_comes_back(browser, tmp_path, ratings):
    running = Server(tmp_path / "folder", "--workers", "1")
    page = browser.new_context().new_page()
    page.set_default_timeout(MOST)
    try:
        table = drop(page, running, ratings)
        page.goto(f"{running.url}/compare?table={table}")
        answered(page)
        running.kill()
        page.select_option("#say-measure", "rmse")
        page.locator("#gone", has_text="The server does not answer").wait_for()
        assert page.locator(".verdict .big").is_visible()
        running.start()
        page.select_option("#say-measure", "spearman")
        page.locator("#answer", has_text="Spearman").wait_for()
        assert page.locator("#gone").is_hidden()
        page.goto(f"{running.url}/history")
        assert page.locator(".list h3", has_text="Is model-1 better than model-2?").count() == 2
    finally:
        page.context.close()
        running.kill()
