"""Colours that any eye tells apart, and lines that differ in grey print too.

Colour blindness is simulated with the matrices of Machado, Oliveira and Fernandes (2009) at full severity, which act on
linear RGB. Differences are CIE76 distances in CIELAB: about 2.3 is just noticeable.
"""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import howsure.reports
from howsure.reports import DRAWN, colours
from tests.reports.results import MADE, charted

MACHADO = {
    "normal": np.eye(3),
    "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                        [-0.011820, 0.042940, 0.968881]]),
    "tritan": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                        [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
CLEAR = 10
"""Several times what is just noticeable."""


def linear(colour):
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return CIELAB (D65) of linear RGB."""
    matrix = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    xyz = matrix @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, eye):
    return float(np.linalg.norm(lab(MACHADO[eye] @ linear(one)) - lab(MACHADO[eye] @ linear(other))))


def on(page, colour):
    return colours.ON_DARK.get(colour, colour) if page == "dark" else colour


def advantage(one, other):
    """Return the advantage ratio of WCAG 2."""
    bright, dark = sorted(float(np.array([0.2126, 0.7152, 0.0722]) @ linear(each)) for each in (one, other))[::-1]
    return (bright + 0.05) / (dark + 0.05)


def test_the_simulator_confuses_red_and_green_and_not_blue_and_yellow():
    """A known answer: a red and a green of equal lightness are alike to deutans, blue and yellow are not."""
    assert distance("#c0392b", "#6b7d00", "deutan") < distance("#c0392b", "#6b7d00", "normal") / 3
    assert distance("#0000ff", "#ffff00", "deutan") > 100


@pytest.mark.parametrize("page", ["light", "dark"])
@pytest.mark.parametrize("eye", MACHADO)
def test_colours_that_stand_beside_each_other_differ_for_every_eye(eye, page):
    pairs = [*combinations(colours.SERIES, 2), (colours.A, colours.B), (colours.A, colours.NULL),
             (colours.B, colours.NULL), (colours.MARK, colours.NULL), (colours.MARK, colours.A)]  # fmt: skip
    for one, other in pairs:
        assert distance(on(page, one), on(page, other), eye) >= CLEAR, (one, other)


@pytest.mark.parametrize("page", ["light", "dark"])
def test_models_differ_in_grey_and_series_by_dash_and_shape(page):
    lightness = [lab(linear(on(page, colour)))[0] for colour in (colours.A, colours.B)]
    assert abs(lightness[0] - lightness[1]) >= CLEAR
    for marks in (colours.DASHES, colours.SHAPES):
        assert len(set(marks)) == len(marks) >= len(colours.SERIES)


@pytest.mark.parametrize("page", ["light", "dark"])
def test_text_and_lines_stand_out_from_the_page(page):
    paper = on(page, colours.PAPER)
    for colour in (colours.INK, colours.QUIET):
        assert advantage(on(page, colour), paper) >= 4.5
    for colour in (*colours.SERIES, colours.NULL, colours.MARK):
        assert advantage(on(page, colour), paper) >= 2.7, colour


def test_every_colour_turns_on_dark_pages():
    named = {colours.INK, colours.QUIET, colours.NULL, colours.BAND, colours.PAPER, colours.SOFT, colours.LINE}
    named |= {colours.MARK, *colours.SERIES}
    assert named == set(colours.ON_DARK)


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_charts_use_these_colours_only(kind):
    known = {*colours.ON_DARK, *re.findall(r"#\w{6}", str(colours.config()))}
    used = set(re.findall(r"'(#[0-9a-fA-F]{3,8})'", str(charted(kind))))
    assert used <= known, used - known


def test_no_module_has_a_colour_of_its_own():
    for module in Path(howsure.reports.__file__).parent.glob("*.py"):
        if module.name != "colours.py":
            assert not re.search(r'"#[0-9a-fA-F]{3,8}"', module.read_text(encoding="utf-8")), module.name
