"""What is true of every chart: ticks that a person would write, and tooltips with no more digits than are known."""

import re

import pytest

from howsure.reports import DRAWN, chart_files, colours, drawing, pictures
from tests.reports.conftest import figures
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


def ticks(picture):
    """Return all text of a picture that is a number."""
    return [text for text in re.findall(r">([^<]+)</text>", picture) if re.fullmatch(r"[−\d.,]+(e.*|[a-zµ])?%?", text)]


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_ticks_are_numbers_that_a_person_would_write(kind):
    """A study against 10, 20 and 40 had the ticks 1e+1, 2e+1 and 4e+1; a search had 1k."""
    written = [text for figure in figures(kind) for text in ticks(figure.svg)]
    assert written
    assert [text for text in written if re.search(r"[a-zµ]", text)] == []


@pytest.mark.parametrize("kind", ["Comparison", "TableDescription"])
def test_a_picture_for_dark_pages_is_the_one_that_is_drawn_with_dark_colours(kind):
    """The map of a description has shades; the others have their colours replaced in the light picture."""
    for figure in figures(kind):
        look = pictures.merged(colours.config() | {"aria": False}, figure.spec.get("config", {}))
        drawn = vl_convert.vegalite_to_svg(colours.on_dark({**figure.spec, "config": look}))
        assert figure.dark_svg == chart_files.renumbered(drawn) != figure.svg


def test_a_picture_does_not_depend_on_what_was_drawn_before(tmp_path):
    """Shades and clip paths have numbers; a text that looks like one of them stays as it is."""
    alt = pytest.importorskip("altair")
    rows = [{"x": x, "name": f'fill="url(#gradient_{x + 90})" id="clip{x + 90}"'} for x in range(3)]
    base = alt.Chart(alt.InlineData(values=rows)).mark_rect(clip=True).encode(y="name:N", tooltip="name:N")
    shaded = alt.hconcat(*(base.encode(color=f"{field}:Q", x=f"{field}:Q") for field in ("x", "x2"))).resolve_scale(
        color="independent"
    )
    drawn = []
    for _ in range(2):
        pictures._drawn.cache_clear()
        chart_files.write(tmp_path / "picture.svg", chart=lambda: shaded)
        drawn.append((pictures.svg(shaded.to_dict()), (tmp_path / "picture.svg").read_bytes()))
        vl_convert.vegalite_to_svg(base.encode(color="x:Q").to_dict())
    assert drawn[0] == drawn[1]
    picture = drawn[0][0]
    numbered = re.findall(r'(?<= id=")(?:clip|gradient_)\d+(?=[^<>]*>)', picture)
    assert sorted(numbered) == sorted(set(re.findall(r'(?<="url\(#)\w+(?=[^<>]*>)', picture)))
    assert len(numbered) == len(set(numbered)) == 4
    assert all(re.search(f"gradient_{x}.*clip{x}", picture) for x in (90, 91, 92))


def test_shades_between_two_colours_are_those_between_the_colours_of_dark_pages():
    shade = {"field": "x", "type": "quantitative", "scale": {"range": [colours.A, colours.B]}}
    spec = {"data": {"values": [{"x": 0}, {"x": 1}, {"x": 2}]}, "mark": "point", "encoding": {"color": shade}}
    light, dark = (set(re.findall(r'"rgb[^"]+"', pictures.svg(spec, dark=dark))) for dark in (False, True))
    assert not light & dark
    for shades, ends in (
        (light, (colours.A, colours.B)),
        (dark, (colours.ON_DARK[colours.A], colours.ON_DARK[colours.B])),
    ):
        assert {'"rgb({}, {}, {})"'.format(*bytes.fromhex(end[1:])) for end in ends} <= shades


def test_a_colour_in_a_text_stays_as_it_is_on_dark_pages():
    said = f'fill="{colours.INK}"'
    spec = {
        "data": {"values": [{"said": said}]},
        "mark": {"type": "text", "color": colours.INK},
        "encoding": {"text": {"field": "said"}},
    }
    dark = pictures.svg(spec, dark=True)
    assert f">{said}</text>" in dark
    assert f'fill="{colours.ON_DARK[colours.INK]}"' in dark


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_tooltips_have_no_more_digits_than_are_known(kind):
    """Vega shows all sixteen digits of a number that has no format."""
    told = [tip for tips in found(charted(kind), "tooltip") for tip in tips]
    assert [tip["field"] for tip in told if tip["type"] == "quantitative" and "format" not in tip] == []


def test_a_chart_that_is_changed_leaves_its_source_as_it_was():
    """Copies share marks and channels, and nothing that changes them writes into what is shared."""
    alt = pytest.importorskip("altair")
    points = drawing.rows([{"at": 1}]).mark_point().encode(x=alt.X("at:Q"))
    before = points.to_dict()
    both = alt.layer(points, points.mark_line(size=3).encode(x=alt.X("at:Q", title="other"), y=alt.value(2)))
    beside = alt.hconcat(both, points.properties(width=7).transform_filter("datum.at > 0")).configure_axis(grid=False)
    (first, second), last = beside.to_dict()["hconcat"][0]["layer"], beside.to_dict()["hconcat"][1]
    assert points.to_dict() == before
    assert first == {key: before[key] for key in ("mark", "encoding")}
    assert (second["mark"], second["encoding"]["x"]["title"]) == ({"type": "line", "size": 3}, "other")
    assert (last["width"], last["transform"], last["encoding"]) == (7, [{"filter": "datum.at > 0"}], before["encoding"])


def test_tips_have_three_digits_of_numbers_and_all_of_counts():
    name, number, count, titled = (tip.to_dict() for tip in drawing.tips("who:N", "x:Q", "n:C", **{"y:Q": "power"}))
    assert (number["format"], count["format"], count["type"]) == (",.3~r", ",.15~r", "quantitative")
    assert "format" not in name
    assert titled["title"] == "power"
