"""How many segments: four numbers, the answer, and the curve around it."""

import math
from dataclasses import replace
from typing import Any

from howsure.errors import ArgumentError
from howsure.questions.base import Question
from howsure.web.everyday_words import in_hundred, plural
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.base import Asked, Menu, Sent, View, first

DEFAULTS = {"effect": "0.2", "sd": "1", "power": "80", "alpha": "0.05"}
SHARES = (0.25, 0.5, 0.75, 1, 1.5, 2)
"""Sizes of the table, as shares of the answer."""


class PowerView(View):
    """A t-test before there are data."""

    template = "power.html"
    answer = "answers/power.html"
    sentence = "sentences/power.html"
    own = ("effect", "sd", "target_power", "alpha")

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the question; what is left open has a usual value."""
        values = {name: first(sent, name, default) for name, default in DEFAULTS.items()}
        labels = {
            "effect": "Difference",
            "sd": "Standard deviation of the differences",
            "power": "Studies in 100 that find it",
            "alpha": "Level of the test",
        }
        options = {"effect": "--effect", "sd": "--sd", "power": "--target-power", "alpha": "--alpha"}
        menus = {name: Menu(name, labels[name], values[name], option=options[name]) for name in values}
        fields = [field for field in shown_fields(page) if field.name not in self.own]
        given = read_fields(fields, sent)
        named = {"effect": "effect", "sd": "sd", "power": "target_power", "alpha": "alpha"}
        own = read_fields(
            [field for field in shown_fields(page) if field.name in self.own],
            {named[name]: [_in_one(values[name]) if name == "power" else values[name]] for name in values},
        )
        if given.get("n_items") is not None:  # how many are given, so what such a study finds is asked for
            own.pop("target_power")
        return Asked(own | given, menus)

    def freeze(self, result: Any, asked: Any) -> dict[str, Any]:
        """Return the answer and the power of other sizes."""
        n, effect = result.n_items, f"{result.effect:.4g}"
        found = in_hundred(result.power)
        if result.solved_for == "power":
            verdict = f"{found[:1].upper()}{found[1:]} in 100 such studies would find it."
        elif result.solved_for == "effect":
            verdict = f"Such a study finds a difference of {effect}."
        else:
            verdict = f"You need {plural(n, 'segment')}."
        half = _power(asked, result.effect, max(3, n // 2))
        detail = (
            f"With {plural(n, 'segment')}, {found} of 100 studies find a true mean difference of {effect}. "
            f"Half as many would find it in {in_hundred(half)} of 100."
        )
        sizes = sorted({max(3, round(n * i / 20)) for i in range(1, 41)})
        points = [[size, _power(asked, result.effect, size)] for size in sizes]
        rows = [
            (size, f"{100 * _power(asked, result.effect, size):.1f}")
            for size in sorted({max(3, round(n * share)) for share in SHARES})
        ]
        curve = {
            "x": [0, sizes[-1]],
            "label": "segments that both systems answered",
            "unit": "segments",
            "drag": "power",
            "here": [n, result.power],
            "lines": [{"on": True, "points": points}],
            "words": f"Studies in 100 that find the difference, by number of segments; {n:,} give {found}.",
        }
        how = "" if result.alternative == "two-sided" else "one-sided "
        design = f"{how or 'Two-sided '}{'paired t test' if result.design == 'paired' else 't test of two samples'}"
        return {
            "title": f"How many segments to find {effect}?",
            "tone": "good",
            "verdict": verdict,
            "detail": detail,
            "curve": curve,
            "rows": rows,
            "design": design[:1].upper() + design[1:],
        }


def _in_one(text: str) -> str:
    """Return a power as a share: it is typed as studies in 100, and a share is understood, too.

    Examples
    --------
    >>> _in_one("80"), _in_one("0.8"), _in_one("many")
    ('0.8', '0.8', 'many')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    return f"{value / 100:.6g}" if value >= 1 else text


def _power(asked: Any, effect: float, n: int) -> float:
    question: Question = replace(asked, effect=effect, target_power=None, n_items=n)
    try:
        found: Any = question.answer()
        return float(found.power)
    except ArgumentError:
        return math.nan
