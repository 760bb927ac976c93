import json
import re

import numpy as np
import pytest

from assay.paired import PairedScores, analyse
from assay.reports.scores import charts, sections, to_html, to_json, to_markdown


@pytest.fixture(scope="module")
def analysis():
    rng = np.random.default_rng(1)
    b = rng.beta(5, 5, 90)
    names = ("<new>", "</script>")
    return analyse(
        PairedScores.from_arrays(b + rng.normal(0.03, 0.1, 90), b, names=names), n_simulations=30, rng=1, margin=0.1
    )


def test_page_stands_alone_and_escapes_names(analysis):
    page = to_html(analysis)
    assert not re.search(r'(src|href)="https?:', page)
    assert "&lt;new&gt; scores higher" in page
    assert page.count("</script>") == 2  # the library and our own; a system of that name ends neither
    assert page.count("vegaEmbed(") >= len(charts(analysis))


def test_charts_are_drawn(analysis):
    import vl_convert

    for _, chart in charts(analysis).values():
        picture = vl_convert.vegalite_to_svg(chart.to_json())
        assert picture.startswith("<svg")
        assert "NaN" not in picture


def test_charts_hold_the_numbers_of_the_analysis(analysis):
    drawn = charts(analysis)
    bars = drawn["difference"][1].to_dict()["layer"][0]["data"]["values"]
    assert sum(bar["count"] for bar in bars) == 90
    curve = drawn["power"][1].to_dict()["layer"][1]["data"]["values"]
    assert [point["power"] for point in curve] == list(analysis.curve.power)


def test_markdown_has_every_section(analysis):
    text = to_markdown(analysis)
    for title in sections(analysis):
        assert f"## {title}" in text
    assert "Equivalence" in sections(analysis)
    assert analysis.signature in text


def test_json_is_the_analysis(analysis):
    assert json.loads(to_json(analysis))["pvalue"] == analysis.significance.pvalue
