"""Two lists of scores: NLPStatTest's six steps as six panels, each already answered."""

import math
from typing import Any

from howsure.documents.numbers import error_of, number
from howsure.documents.numbers import pvalue as p_of
from howsure.questions.base import Question
from howsure.web.everyday_words import between, in_hundred, p_said, plural, sentence
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.base import Asked, Menu, Sent, View, chosen, first
from howsure.wording.estimates import bounds, ci
from howsure.wording.sentences import HIGHER, claim

KINDS = {
    "recommended": ("Recommended", "on"),
    "non_preferred": ("Less preferred", ""),
    "inappropriate": ("Inappropriate here", "bad"),
}


class ScoresView(View):
    """Two systems, one score for each segment."""

    template = "scores.html"
    answer = "answers/scores.html"
    sentence = "sentences/scores.html"
    own = ("columns", "unit_size", "unit_statistic", "test", "effect")

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the question about two columns of the file."""
        if upload is None or not upload.seen.get("lines"):
            why = (
                "This file does not hold a list of scores for each system."
                if upload
                else "Choose a file with two columns of scores."
            )
            return Asked(None, missing=why)
        names = upload.seen["score_columns"]
        sent_columns = [part for text in sent.get("columns", ()) for part in text.split(",")]
        asked = {
            "a": first(sent, "a") or next(iter(sent_columns), ""),
            "b": first(sent, "b") or "".join(sent_columns[1:2]),
        }
        a = chosen(asked["a"], names)
        b = chosen(asked["b"], names, other=a)
        size = first(sent, "unit_size", "1")
        statistics = [("mean", "mean"), ("median", "median")]
        statistic = first(sent, "unit_statistic", "mean")
        menus = {
            "a": Menu("a", "First system", a, [(name, name) for name in names], "--columns", "is-a"),
            "b": Menu("b", "Second system", b, [(name, name) for name in names], "--columns", "is-b"),
            "unit_size": Menu("unit_size", "Segments per evaluation unit", size, option="--unit-size"),
            "unit_statistic": Menu("unit_statistic", "Score of a unit", statistic, statistics, "--unit-statistic"),
        }
        given = read_fields(shown_fields(page), {name: texts for name, texts in sent.items() if name != "columns"})
        if given.get("unit_size", 1) == 1:
            given.pop("unit_statistic", None)
        if len(names) > 2 or [a, b] != names[:2]:
            given["columns"] = (str(names.index(a) + 1), str(names.index(b) + 1))
        corrected = any(asked[name] and asked[name] != menus[name].value for name in asked)
        return Asked(given, menus, "", corrected)

    def freeze(self, result: Any, asked: Question) -> dict[str, Any]:
        """Return the answer of each step in one line, and what its panel shows."""
        test, about = result.significance, result.description
        a, b = result.names
        ends, level = test.confidence_interval, ci(test.confidence_interval.confidence_level)
        error = error_of(ends, test.estimate)
        shown = p_said(p_of(test.pvalue, test.pvalue_standard_error))
        unit = "unit" if result.unit_size > 1 else "segment"
        how = f"{test.label}, {plural(test.n, unit)}"
        if test.reject:
            pair, tone = ((a, b), "wins-a") if test.estimate > test.delta else ((b, a), "wins-b")
        else:
            pair, tone = (a, b), "unclear"
        likely = (
            f"likely between {between(ends.low, ends.high, error)} ({level}; {shown}"
            if math.isfinite(ends.low) and math.isfinite(ends.high)
            else f"({shown}"
        )
        advice, normal = result.recommendation, "normal" if about.normal else "not normal"
        best = [one.test for one in advice.recommended]
        return {
            "title": f"Does {a} score higher than {b}?",
            "tone": tone,
            "verdict": f"{claim(pair, significant=test.reject, verbs=HIGHER)}.",
            "detail": f"{sentence(test.estimand)} {number(test.estimate, error)}, {likely}, {how}).",
            "names": [a, b],
            "unit": unit,
            "notes": [str(note) for note in result.notes],
            "steps": {
                "upload": f"{plural(result.description.n * result.unit_size, 'segment')}, 2 systems",
                "summary": f"{sentence(about.shape)}, {normal}: compare {advice.statistic}s",
                "test": f"{shown} by the {test.label}" + (", the recommended one" if test.test in best else ""),
                "effect": _effect_line(result.effects),
                "power": _power_line(result.curve, unit),
            },
            "hist": _histogram(about),
            "summary": _summary(about, a, b),
            "shape": result.recommendation.reason,
            "stable": _stable(result.unit_sizes),
            "test": test.test,
            "tests": _tests(result.recommendation),
            "statistic": result.recommendation.statistic_reason,
            "effects": [_effect(one) for one in result.effects],
            "curve": _curve(result.curve, test, unit),
            "curve_notes": [str(note) for note in result.curve.notes],
            "effect": f"{result.curve.effect:.3g}",
            "observed": result.curve.effect_source == "observed",
        }


def _histogram(about: Any) -> dict[str, Any]:
    found = about.histograms["difference"]
    middle, low, high = about.difference.median, about.difference.minimum, about.difference.maximum
    return {
        "edges": list(map(float, found.edges)),
        "counts": list(map(int, found.counts)),
        "mark": float(middle),
        "name": f"median {number(middle, about.difference.standard_deviation / 10)}",
        "words": f"Histogram of {about.n:,} differences, from {low:.3g} to {high:.3g}.",
    }


def _summary(about: Any, a: str, b: str) -> list[list[str]]:
    rows = []
    for name, part in ((a, about.a), (b, about.b), (f"{a} − {b}", about.difference)):
        error = part.standard_deviation / max(1, part.n) ** 0.5
        values = (part.mean, part.median, part.standard_deviation, part.minimum, part.maximum)
        rows.append([name, f"{part.n:,}", *(number(value, error) for value in values)])
    return rows


def _stable(sizes: Any) -> str:
    if not sizes.stable:
        return ""
    return (
        f"With more segments per unit the standard deviation first settles at {sizes.stable[0]} segments "
        f"(change of {sizes.tolerance:g} or less)."
    )


def _tests(found: Any) -> list[dict[str, Any]]:
    from howsure.paired import TESTS

    lists = []
    for kind, (title, look) in KINDS.items():
        tests = [
            {"name": one.test, "label": sentence(TESTS[one.test].label), "reason": one.reason}
            for one in getattr(found, kind)
        ]
        lists += [{"title": title, "look": look, "tests": tests}] if tests else []
    return lists


def _effect(one: Any) -> dict[str, str]:
    ends = one.confidence_interval
    error = error_of(ends, one.estimate)
    known = math.isfinite(ends.low) and math.isfinite(ends.high)
    return {
        "label": one.label,
        "estimate": number(one.estimate, error),
        "size": one.size or "–",
        "meaning": one.meaning,
        "ends": bounds(ends, one.estimate) if known else "none",
    }


def _effect_line(effects: Any) -> str:
    if not effects:
        return "No effect size asked for"
    found = _effect(effects[0])
    return f"{found['label']} {found['estimate']} ({found['ends']})"


def _power_line(curve: Any, unit: str) -> str:
    enough = [size for size, power in zip(curve.sizes, curve.power, strict=True) if power >= 0.8]
    effect = f"{curve.effect:.2g}".replace("-", "−")
    if enough:
        return f"{plural(enough[0], unit)} find a difference of {effect} in 80 of 100 studies or more"
    return (
        f"{plural(curve.sizes[-1], unit)} find a difference of {effect} in {in_hundred(curve.power[-1])} of 100 studies"
    )


def _curve(curve: Any, test: Any, unit: str) -> dict[str, Any]:
    points = [[int(size), float(power)] for size, power in zip(curve.sizes, curve.power, strict=True)]
    here = next((point for point in points if point[0] == test.n), None)
    words = f"Studies in 100 that find a difference of {curve.effect:.3g}, by number of {unit}s."
    return {
        "x": [0, points[-1][0]],
        "label": f"{unit}s",
        "unit": f"{unit}s",
        "words": words,
        "lines": [{"on": True, "dots": True, "points": points}],
        **({"here": here} if here else {}),
    }
