"""What is true of every chart: ticks that a person would write, and tooltips with no more digits than are known."""

import re

import pytest

from assay.reports import DRAWN, drawing
from tests.reports.results import MADE, charted

pytest.importorskip("altair")
vl_convert = pytest.importorskip("vl_convert")


def found(spec, wanted):
    """Return every value under this key, wherever it is."""
    if isinstance(spec, list):
        return [value for part in spec for value in found(part, wanted)]
    if not isinstance(spec, dict):
        return []
    own = [spec[wanted]] if wanted in spec else []
    return own + [value for key, part in spec.items() if key != "datasets" for value in found(part, wanted)]


def ticks(spec):
    """Return all text of a picture that is a number."""
    drawn = re.sub(r'aria-\w+="[^"]*"', "", vl_convert.vegalite_to_svg(spec))
    return [text for text in re.findall(r">([^<]+)</text>", drawn) if re.fullmatch(r"[−\d.,]+(e.*|[a-zµ])?%?", text)]


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_ticks_are_numbers_that_a_person_would_write(kind):
    """A study against 10, 20 and 40 had the ticks 1e+1, 2e+1 and 4e+1; a search had 1k."""
    written = ticks(charted(kind))
    assert written
    assert [text for text in written if re.search(r"[a-zµ]", text)] == []


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_tooltips_have_no_more_digits_than_are_known(kind):
    """Vega shows all sixteen digits of a number that has no format."""
    told = [tip for tips in found(charted(kind), "tooltip") for tip in tips]
    assert [tip["field"] for tip in told if tip["type"] == "quantitative" and "format" not in tip] == []


def test_tips_have_three_digits_of_numbers_and_all_of_counts():
    name, number, count, titled = (tip.to_dict() for tip in drawing.tips("who:N", "x:Q", "n:C", **{"y:Q": "power"}))
    assert (number["format"], count["format"], count["type"]) == (",.3~r", ",.15~r", "quantitative")
    assert "format" not in name
    assert titled["title"] == "power"
