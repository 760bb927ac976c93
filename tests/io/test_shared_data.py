"""The real tables, where they are at hand."""

import os
from pathlib import Path

import pytest

from howsure.io import read, write
from tests.io.same import assert_same

DATA = Path(os.environ.get("HOWSURE_SHARED", Path(__file__).parents[3] / "shared")) / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")


@pytest.mark.parametrize(
    ("name", "options", "n_items", "sizes", "n_raters", "kind"),
    [
        (
            "dices350.csv",
            {"sources": {"human": "kind=human", "expert": "kind=expert"}},
            350, {"human": (123, 123), "expert": (1, 1)}, 124, "nominal",
        ),
        ("lewidi23_ConvAbuse.csv", {"sources": {"human": "kind=human"}}, 4050, {"human": (2, 8)}, 8, "ordinal"),
        (
            "inductive_exp2.csv",
            {"sources": {"human": "kind=human", "gpt-4": "source=gpt4_rating"}},
            1161, {"human": (10, 110), "gpt-4": (1, 1)}, 610, "continuous",
        ),
        (
            "pandalm.csv",
            {"sources": {"human": "kind=human", "pandalm": "source=pandalm-7b"}, "rater": "source", "scale": "nominal"},
            999, {"human": (3, 3), "pandalm": (1, 1)}, 3, "nominal",
        ),
        ("wmt23_sxsmqm_ende.csv", {}, 104, {"refA": (3, 3), "ONLINE-W": (3, 3)}, 10, "continuous"),
    ],
)  # fmt: skip
def test_the_tables_are_as_their_readme_says(name, options, n_items, sizes, n_raters, kind, tmp_path):
    table = read(DATA / name, **options)
    assert table.n_items == n_items
    assert table.scale.kind == kind
    assert len(table.raters) == n_raters
    for source, (fewest, most) in sizes.items():
        assert (table.sources[source].sizes.min(), table.sources[source].sizes.max()) == (fewest, most)
    write(table, tmp_path / "again.parquet")
    assert_same(read(tmp_path / "again.parquet", scale=options.get("scale")), table)
