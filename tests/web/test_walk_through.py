"""The walk-through of NLPStatTest's manual, figures 1 to 10, as one visit, with its own sample files."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.web.browser import for_everybody, shared_file

SETTINGS = {
    "Evaluation units": ("shuffle", "tolerance"),
    "Significance levels": ("normality_alpha", "alpha", "effect_alpha", "power_alpha"),
    "What counts": ("alternative", "delta", "n_resamples", "effect_size"),
    "Simulated studies": ("power_method", "steps", "sizes", "n_simulations"),
}
"""What the manual lets a user specify, beside what stands in the sentence and in the panels."""

STEPS = ["Upload", "Data analysis", "Significance", "Effect size", "Power", "Downloads and deletion"]


@pytest.fixture
def scores():
    """The manual's own sample file."""
    return shared_file("nlpstattest/data-h1-greater-normal")


def answered(page, said=""):
    """Wait for an answer that is not being replaced."""
    page.locator("#answer:not(.htmx-request) .done", has_text=said).wait_for()


def opened(page, title):
    """Return the panel of a step, open."""
    panel = page.locator("details.step", has=page.get_by_role("heading", name=title, exact=True))
    if panel.get_attribute("open") is None:
        panel.locator("summary").first.click()
    return panel


def set_to(page, name, value):
    """Fill in an option under "More options", which answers by itself."""
    field = page.locator(f"#field-{name}")
    if field.evaluate("field => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
        field.press("Tab")
    page.wait_for_url(re.compile(f"{name}={re.escape(value)}"))
    answered(page)


def downloaded(page, name):
    with page.expect_download() as waiting:
        page.locator(".files").get_by_role("link", name=name).first.click()
    return Path(waiting.value.path())


def test_the_manual_from_upload_to_deletion(page, server, scores, tmp_path):
    # Figure 1: prospective power. The manual's example: 199 lines.
    page.goto(f"{server.url}/power")
    answered(page, "You need 199 segments.")
    page.get_by_text("More options").click()
    sides = page.locator("#field-alternative option").evaluate_all("all => all.map(one => one.value)")
    assert {"", "greater", "less"} <= set(sides)

    # Figure 2: the file, and a configuration file, which is optional.
    page.goto(f"{server.url}/scores")
    page.get_by_role("link", name="Choose a table").click()
    page.set_input_files("#file", str(scores))
    page.locator("#first .big", has_text="A scores higher than B").wait_for()
    page.get_by_role("link", name="Open the answer").click()
    answered(page)
    assert page.locator("details.step h2").all_inner_texts() == STEPS
    for_everybody(page)
    panel = opened(page, "Upload")
    panel.locator("input[name=settings]").set_input_files(str(shared_file("nlpstattest/config_cookies.yaml")))
    panel.get_by_role("button", name="Use these settings").click()
    page.wait_for_url(re.compile("test=t.*steps=20|steps=20.*test=t"))
    answered(page)

    # Figures 3 and 4: data analysis; evaluation unit size comes first, and everything else can be set.
    panel = opened(page, "Data analysis")
    for said in ("mean", "median", "skewness", "normal"):
        assert said in panel.inner_text().lower(), said
    panel.locator("figure svg").wait_for()
    page.get_by_text("More options").click() if not page.locator("details.more[open]").count() else None
    for group, names in SETTINGS.items():
        for name in names:
            field = page.locator("fieldset", has=page.locator("legend", has_text=group)).locator(f"[name={name}]")
            field.first.wait_for(state="attached")
    page.fill("#say-unit_size", "2")
    page.press("#say-unit_size", "Tab")
    page.wait_for_url(re.compile("unit_size=2"))
    answered(page, "50 units")
    set_to(page, "shuffle", "7")

    # Figures 5 and 6: significance, with the three lists and a reason for each test.
    panel = opened(page, "Significance")
    lists = panel.locator(".tests").inner_text()
    assert "Recommended" in lists
    assert "Less preferred" in lists
    assert "needs resampling" in lists
    panel.get_by_role("radio", name=re.compile("^Permutation test of the mean")).check()
    page.wait_for_url(re.compile("test=permutation"))
    answered(page, "permutation test of the mean")
    set_to(page, "n_resamples", "499")
    set_to(page, "alternative", "greater")
    set_to(page, "delta", "0.1")
    for_everybody(page)

    # Figures 7 and 8: effect sizes.
    panel = opened(page, "Effect size")
    for said in ("Cohen", "Hedges", "Hodges", "Wilcoxon"):
        assert said in panel.inner_text(), said

    # Figures 9 and 10: power, by simulation of normal data and by the bootstrap.
    set_to(page, "steps", "3")
    set_to(page, "n_simulations", "50")
    set_to(page, "power_method", "normal")
    panel = opened(page, "Power")
    panel.locator("figure svg").wait_for()
    panel.locator("#say-effect").fill("0.05")
    panel.locator("#say-effect").press("Tab")
    page.wait_for_url(re.compile("effect=0.05"))
    answered(page, "a difference of 0.05")
    assert panel.get_attribute("open") is not None  # a panel that was opened stays so
    assert "unit_size=2" in page.url

    # Downloads and deletion.
    panel = opened(page, "Downloads and deletion")
    for_everybody(page)
    assert json.loads(downloaded(page, "Numbers").read_text(encoding="utf-8"))["schema_version"]
    with zipfile.ZipFile(downloaded(page, "LaTeX")) as archive:
        assert archive.read("report.tex").startswith(b"\\documentclass")
    assert downloaded(page, "Picture PNG").read_bytes().startswith(b"\x89PNG")
    kept = tmp_path / "settings.toml"
    kept.write_bytes(downloaded(page, "Settings").read_bytes())
    assert "unit-size = 2" in kept.read_text(encoding="utf-8")
    panel.locator("summary", has_text="Delete the file").click()
    panel.get_by_role("button", name="Delete them").click()
    page.wait_for_url(re.compile("/tables$"))
    assert "data-h1-greater-normal" not in page.inner_text("main")
    page.goto(f"{server.url}/history")
    assert "score higher" not in page.inner_text("main")

    # What each number means is one click away.
    page.locator("summary", has_text="More").click()
    page.get_by_role("link", name="What the numbers mean").click()
    page.locator("main", has_text="It is not the probability that the null hypothesis is true").wait_for()

    # The configuration file that was downloaded goes up again.
    page.goto(server.url)
    page.set_input_files("#file", str(scores))
    page.get_by_role("link", name="Open the answer").click()
    answered(page)
    panel = opened(page, "Upload")
    panel.locator("input[name=settings]").set_input_files(str(kept))
    panel.get_by_role("button", name="Use these settings").click()
    page.wait_for_url(re.compile("unit_size=2"))
    answered(page, "50 units")


def test_a_bad_file_of_the_manual_gets_a_sentence(page, server):
    page.expected.append("400")  # the browser logs the refusal, too
    page.set_input_files("#file", str(shared_file("nlpstattest/BAD.txt")))
    page.locator(".note.bad", has_text="line 2").wait_for()
