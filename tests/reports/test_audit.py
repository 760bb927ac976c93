import html

import pytest

from assay import audit
from assay.errors import DataError

pytest.importorskip("altair")
from assay.auditing.tables import tables
from assay.reports.audit import chart, to_html, write_chart


@pytest.fixture(scope="module")
def found():
    return audit("normal", designs=[(20, 2)], n_simulations=6, n_resamples=39, n_fresh=60, rng=0)


def test_the_chart_shows_every_rate_beside_what_was_promised(found):
    spec = chart(found).to_dict()
    drawn, limits = (spec["datasets"][part["data"]["name"]] for part in spec["vconcat"])
    assert len(drawn) == len(found.tests)
    for point, row in zip(drawn, found.tests, strict=True):
        assert point["share"] == 100 * row.rate
        assert [point["low"], point["high"]] == [100 * end for end in row.rate_interval]
        assert point["promised"] == (5 if row.is_null else None)
    assert [point["share"] for point in limits] == [100 * row.coverage for row in found.intervals]
    assert {point["promised"] for point in limits} == {95}


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_the_chart_is_a_picture_or_a_page_of_its_own(found, ending, tmp_path):
    write_chart(found, tmp_path / f"audit.{ending}")
    text = (tmp_path / f"audit.{ending}").read_text()
    assert "swapped-items (bootstrap/all)" in text
    assert "<script src=" not in text


def test_the_page_holds_the_recommendation_and_every_table(found):
    page = to_html(found)
    plain = page.replace("&#39;", "'").replace("&#34;", '"')
    assert all(html.escape(text, quote=False) in plain for text in (found.verdict, *found.reasons))
    for table in tables(found):
        assert table.title in page
        for row in table.rows:
            assert f"<td>{row[1]}</td>" in page
    assert page.count('class="missed"') == sum(len(table.marked) for table in tables(found))


def test_a_folder_that_is_not_there_is_one_line(found, tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        write_chart(found, tmp_path / "nowhere" / "audit.svg")
