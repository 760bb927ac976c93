"""The walk-through of NLPStatTest's manual, figures 1 to 10, as one visit, with its own sample files."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from tests.web.browser import for_everybody, shared_file

FIELDS = {
    "Data analysis": ("unit_size", "unit_statistic", "shuffle", "normality_alpha", "tolerance"),
    "Significance": ("alternative", "delta", "alpha", "n_resamples", "normality_alpha"),
    "Effect size": ("effect_alpha", "effect_size"),
    "Power": ("power_method", "steps", "sizes", "n_simulations", "power_alpha", "n_resamples"),
}
"""What the manual lets a user specify, by step."""


@pytest.fixture
def scores():
    """The manual's own sample file."""
    return shared_file("nlpstattest/data-h1-greater-normal")


def step(page, title):
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=title, exact=True).click()
    page.wait_for_load_state()


def ask(page):
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".done")


def shown(page):
    return page.inner_text("section.answer")


def has_fields(page, title):
    # Waited for: the address changes before the new page has been read, and counting at once raced with it.
    for name in FIELDS[title]:
        page.locator(f"[name={name}]").first.wait_for(state="attached")


def opened(page, name):
    """Return a field after opening the part of the form that holds it."""
    field = page.locator(f"#field-{name}")
    if not field.is_visible():
        page.locator("details", has=field).locator("summary").click()
    return field


def downloaded(page, name):
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name).first.click()
    return Path(waiting.value.path())


def test_the_manual_from_upload_to_deletion(page, server, scores, tmp_path):
    # Figure 1: prospective power. The manual's example: 199 lines.
    page.goto(f"{server.url}/power")
    for name, value in (("sd", "1"), ("effect", "0.2"), ("target_power", "0.8"), ("alpha", "0.05")):
        page.fill(f"#field-{name}", value)
    assert {"two-sided", "greater", "less"} <= {
        text.strip() for text in page.locator("#field-alternative option").all_inner_texts()
    }
    ask(page)
    assert "199" in shown(page)

    # Figure 2: the file, and a configuration file, which is optional.
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Scores").click()
    step(page, "Upload")
    page.set_input_files("#file", str(scores))
    page.set_input_files("#settings", str(shared_file("nlpstattest/config_cookies.yaml")))
    page.get_by_role("button", name="Continue to the data analysis").click()
    assert "test=t" in page.url
    assert "steps=20" in page.url

    # Figures 3 and 4: data analysis; the settings came from the configuration file.
    has_fields(page, "Data analysis")
    ask(page)
    answer = shown(page)
    for said in ("mean", "median", "normal", "skewness", "Recommended"):
        assert said.lower() in answer.lower(), said
    assert page.locator("section.answer img").count() >= 1
    for_everybody(page)
    opened(page, "unit_size").fill("2")
    opened(page, "shuffle").fill("7")
    ask(page)
    assert "unit_size=2" in page.url
    assert "shuffle=7" in page.url

    # Figures 5 and 6: significance, with the three lists and a reason for each test.
    step(page, "Significance")
    has_fields(page, "Significance")
    tests = page.locator(".tests").inner_text()
    assert "Recommended tests" in tests
    assert "Less preferred tests" in tests
    assert "needs resampling" in tests
    page.get_by_role("radio", name=re.compile("^permutation Valid")).check()
    page.fill("#field-delta", "0.1")
    page.select_option("#field-alternative", "greater")
    page.fill("#field-n_resamples", "499")
    ask(page)
    assert "permutation" in shown(page)
    assert re.search(r"p\s*(=|<|≤)", shown(page))
    page.get_by_role("radio", name="the recommended test").check()  # a step can be done again
    ask(page)
    for_everybody(page)
    assert "confidence interval" in shown(page).lower() or "interval" in shown(page).lower()

    # Figures 7 and 8: effect sizes.
    step(page, "Effect size")
    has_fields(page, "Effect size")
    for name in ("cohen-d", "hedges-g", "hodges-lehmann", "wilcoxon-r"):
        page.get_by_role("checkbox", name=name).check()
    ask(page)
    for said in ("Cohen", "Hedges", "Hodges", "Wilcoxon"):
        assert said in shown(page), said
    for_everybody(page)

    # Figures 9 and 10: power, by simulation of normal data and by the bootstrap.
    step(page, "Power")
    has_fields(page, "Power")
    opened(page, "steps").fill("3")
    page.fill("#field-n_simulations", "50")
    page.select_option("#field-power_method", "normal")
    ask(page)
    assert page.locator("section.answer img").count() >= 1
    assert "unit_size=2" in page.url  # what was set in the first step goes along
    for_everybody(page)

    # What each number means is one click away.
    page.get_by_role("link", name="Glossary").click()
    assert "It is not the probability that the null hypothesis is true" in page.inner_text("main")
    page.go_back()

    # Downloads and deletion.
    step(page, "Downloads and deletion")
    for_everybody(page)
    assert page.locator("tbody tr").count() >= 5
    assert json.loads(downloaded(page, "JSON").read_text(encoding="utf-8"))["schema_version"]
    with zipfile.ZipFile(downloaded(page, "LaTeX")) as archive:
        assert archive.read("report.tex").startswith(b"\\documentclass")
    assert downloaded(page, "PNG").read_bytes().startswith(b"\x89PNG")
    settings = downloaded(page, "Download the settings")
    assert "unit-size = 2" in settings.read_text(encoding="utf-8")
    kept = tmp_path / "settings.toml"
    kept.write_bytes(settings.read_bytes())
    page.get_by_role("button", name="Delete the file and its results").click()
    assert "data-h1-greater-normal" not in page.inner_text("main")
    page.goto(f"{server.url}/jobs")
    assert "Scores" not in page.inner_text("main")

    # The configuration file that was downloaded goes up again; a step in between can be left out.
    page.goto(f"{server.url}/scores-upload")
    page.set_input_files("#file", str(scores))
    page.set_input_files("#settings", str(kept))
    page.get_by_role("button", name="Continue to the data analysis").click()
    step(page, "Effect size")
    assert "unit_size=2" in page.url
    ask(page)
    assert "Cohen" in shown(page)


def test_a_bad_file_of_the_manual_gets_a_sentence(page, server):
    page.goto(f"{server.url}/scores-upload")
    page.set_input_files("#file", str(shared_file("nlpstattest/BAD.txt")))
    page.expected.append("400")  # the browser logs the refusal, too
    page.get_by_role("button", name="Continue to the data analysis").click()
    assert "line 2" in page.inner_text(".problem")
