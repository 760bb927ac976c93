"""The gallery shows every chart there is, and its page is the one that its program writes."""

import runpy
from pathlib import Path

from howsure.reports import DRAWN

ROOT = Path(__file__).parents[2]
GALLERY = runpy.run_path(str(ROOT / "scripts" / "gallery.py"))


def test_the_page_lists_every_chart():
    listed = {kind for kinds, _, _ in GALLERY["SHOWN"].values() for kind in kinds} | set(GALLERY["ELSEWHERE"])
    assert set(DRAWN) <= listed, f"scripts/gallery.py lacks {set(DRAWN) - listed}"
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == GALLERY["page"](), "run scripts/gallery.py"


def test_every_picture_is_there_and_small():
    pictures = {path.stem: path for path in (ROOT / "docs" / "gallery").glob("*.svg")}
    assert set(pictures) == set(GALLERY["SHOWN"])
    assert sum(path.stat().st_size for path in pictures.values()) < 1_500_000
    for path in pictures.values():
        assert path.read_text(encoding="utf-8").startswith("<svg")
