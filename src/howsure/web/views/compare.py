"""Is A better than B: the sentence, the verdict for these raters and for raters like these, intervals and items."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.comparison.verdicts import as_text, asides, margin_claim
from howsure.documents import csv_tables
from howsure.documents.numbers import error_of, number, rough
from howsure.documents.numbers import pvalue as p_of
from howsure.questions.base import Question
from howsure.raters.design import FEW_RATERS
from howsure.reports.drawing import finite
from howsure.web.everyday_words import between, humanly, measures, p_said, plural, sentence, short, signed
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.base import Asked, Menu, Sent, View, chosen, first, too_few
from howsure.wording.estimates import beside_skewness, bounds, ci, interval
from howsure.wording.sentences import few_raters, headline

MOST_BARS = 300
"""Items in the picture; of more, every so many of the sorted ones."""

MOST_ROWS = 12
"""Items in the table: those that move the difference most."""

MOST_SAID = 12
"""Responses of a source that are listed for an item."""

NO_GOLD = "ratings of each answer"

NO_JUDGE, NO_JUDGE_SAID = "none", "no judge"
"""How an address says that a table's judge is not asked, and how the menu does."""


class CompareView(View):
    """Two models on the same items."""

    template = "compare.html"
    answer = "answers/compare.html"
    sentence = "sentences/compare.html"
    own = ("a", "b", "gold", "metric", "better", "raters", "judge")

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the question; A, B, gold and metric that are left open are those that the table suggests."""
        if upload is None or upload.is_model:
            return Asked(None, missing="Choose a table, and the answer appears here.")
        menus, corrected = contest_menus(upload, sent)
        if not menus["b"].value:
            return Asked(None, menus, too_few(upload, "A comparison"), corrected)
        given = read_fields([field for field in shown_fields(page) if field.name not in ("metric", "better")], sent)
        given |= {"a": menus["a"].value, "b": menus["b"].value, **measured(menus["measure"].value)}
        given = {name: value for name, value in given.items() if name != "gold"}
        if menus["gold"].value != "none":
            given["gold"] = menus["gold"].value
        given["metric"] = (given["metric"],)
        return Asked(helped(given, menus), menus, "", corrected)

    def freeze(self, result: Any, asked: Question) -> dict[str, Any]:
        """Return verdicts, picture and items of one comparison; of several, what was found of each."""
        from howsure.judging import JudgedComparison

        if isinstance(result, JudgedComparison):
            found = self._frozen(_with_lead_tests(result.combined), asked)
            for side in found["sides"].values():
                side["more"].insert(0, result.findings[0])
            return found | {"judged": _judged(result)}
        _, a, b = result[0].names
        if len(result) > 1:
            return super().freeze(result, asked) | {"title": _title(a, b), "several": True}
        return self._frozen(result[0], asked)

    def _frozen(self, one: Any, asked: Question) -> dict[str, Any]:
        title = _title(*one.names[1:])
        sides, lead = _sides(one)
        found = {"title": title, "several": False, "sides": sides, "lead": lead, **_picture(one, sides)}
        found |= {name: sides[lead][name] for name in ("tone", "verdict", "detail")}
        found["n_raters"] = 0 if one.rater_answers is None else one.rater_answers.n_raters
        found["few"] = 0 < found["n_raters"] < FEW_RATERS
        return found | (_items(one, asked) if one.item_scores is not None and one.item_scores.a.size else {})

    def show(self, frozen: dict[str, Any], sent: Sent) -> dict[str, Any]:
        """Return the answer for these raters, or for raters like these."""
        if frozen.get("several"):
            return frozen
        whose = chosen(first(sent, "whose", frozen["lead"]), [frozen["lead"], *frozen["sides"]])
        side = frozen["sides"][whose]
        chart = frozen["interval"] | {"now": side["now"], "tone": side["tone"]}
        shown: dict[str, Any] = frozen | side
        return shown | {"whose": whose, "switch": len(frozen["sides"]) > 1, "interval": chart}


def _title(a: str, b: str) -> str:
    return f"Is {short(a)} better than {short(b)}?"


def contest_menus(upload: Upload, sent: Sent) -> tuple[dict[str, Menu], bool]:
    """Return the menus for A, B, gold, metric and judge, and whether something other than what was sent is chosen.

    Only a table with a judge has a menu for it.
    """
    models, gold = upload.models, upload.gold
    sources = list(upload.seen.get("sources", {}))
    standards = list(dict.fromkeys([*([gold] if gold else []), "none", *(sources if len(sources) <= 40 else [])]))
    asked = {name: first(sent, name) for name in ("a", "b", "gold", "measure", "judge")}
    of_gold = chosen(asked["gold"], standards)
    models = [
        name for name in dict.fromkeys([*models, *([gold] if gold and of_gold != gold else [])]) if name != of_gold
    ]
    a = chosen(asked["a"], models)
    b = chosen(asked["b"], models, other=a)
    offered = measures(upload.seen.get("kind", ""), "" if of_gold == "none" else of_gold, upload.seen.get("better", ""))
    other = [(asked["measure"], asked["measure"])] if asked["measure"] and asked["measure"] not in dict(offered) else []
    measure = chosen(asked["measure"] or upload.measure, [value for value, _ in (*offered, *other)])
    said = {"none": NO_GOLD, gold: f"{short(gold)} (human answers)" if gold else ""}
    golds = [(name, said.get(name, short(name))) for name in standards]
    menus = {
        "a": Menu("a", "Model A", a, [(name, short(name)) for name in models], "--a", "is-a"),
        "b": Menu("b", "Model B", b, [(name, short(name)) for name in models], "--b", "is-b"),
        "gold": Menu("gold", "Measured against", of_gold, golds, "--gold"),
        "measure": Menu("measure", "Measure", measure, [*offered, *other], "--metric"),
    }
    judge = asked["judge"] or upload.judge
    if judge:
        judges = list(dict.fromkeys(name for name in (upload.judge, judge, NO_JUDGE) if name))
        said_judges = [(name, NO_JUDGE_SAID if name == NO_JUDGE else short(name)) for name in judges]
        menus["judge"] = Menu("judge", "Judge", judge, said_judges, "--judge")
    corrected = any(asked[name] and asked[name] != menus[name].value for name in asked if name in menus)
    return menus, corrected


def helped(given: dict[str, Any], menus: dict[str, Menu]) -> dict[str, Any]:
    """Return the fields of a question with the judge that its sentence names, if it names one."""
    judge = menus["judge"].value if "judge" in menus else NO_JUDGE
    rest = {name: value for name, value in given.items() if name != "judge"}
    return rest if judge == NO_JUDGE else rest | {"judge": judge}


def measured(measure: str) -> dict[str, Any]:
    """Return the metric, and the direction of better where the menu says it.

    Examples
    --------
    >>> measured("rating lower"), measured("mae")
    ({'metric': 'rating', 'better': 'lower'}, {'metric': 'mae'})
    """
    metric, _, better = measure.partition(" ")
    return {"metric": metric} | ({"better": better} if better else {})


def _sides(one: Any) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the answer for these raters and for raters like these, or the only one; and which comes first."""
    answers = one.rater_answers
    if answers is None or math.isnan(one.advantage):
        return {"all": _side(one, one.shown_pvalue, "")}, "all"
    n = answers.n_raters
    sides = {
        "these": _side(answers.these.as_comparison(one), answers.these.shown_pvalue, f", for these {n} raters"),
        "like": _side(answers.like.as_comparison(one), answers.like.shown_pvalue, f", for raters like these {n}"),
    }
    if n < FEW_RATERS:
        sides["like"]["more"].insert(0, f"Only a hint: {few_raters(n)}.")
    return sides, "these" if n < FEW_RATERS else "like"


def _with_lead_tests(one: Any) -> Any:
    """Return a comparison whose leading answer about raters has the margin and the power of the comparison itself."""
    answers = one.rater_answers
    if answers is None:
        return one
    lead = "like" if answers.like.confidence_interval == one.confidence_interval else "these"
    told = replace(getattr(answers, lead), margin=one.margin, detectable=one.detectable)
    return replace(one, rater_answers=replace(answers, **{lead: told}))


def _judged(result: Any) -> dict[str, Any]:
    """Return what people, the judge and both say, and what the judge was worth."""
    level, rows = ci(result.confidence_interval.confidence_level), []
    for (name, one), n in zip(result.estimates, (result.n_labelled, result.n_all, result.n_all), strict=True):
        ends = one.confidence_interval
        said = {"from": sentence(name), "n": n, "value": signed(one.value, error_of(ends, one.value))}
        rows.append(said | {"ends": bounds(ends, one.value), "p": p_of(one.pvalue)})
    a = short(result.combined.names[1])
    return {"judge": short(result.judge), "a": a, "level": level, "rows": rows, "findings": list(result.findings[1:])}


def _side(one: Any, shown: str, whose: str) -> dict[str, Any]:
    """Return the words and numbers of one answer; `shown` is its p-value as text."""
    a, b = (short(name) for name in one.names[1:])
    ends, value, level = one.confidence_interval, one.advantage, ci(one.confidence_interval.confidence_level)
    error = error_of(ends, value)
    found = {"low": ends.low, "high": ends.high, "value": value}
    numbers: dict[str, Any] = {name: finite(one) for name, one in found.items()} | {"level": level}
    numbers["said"] = {name: number(one, error) for name, one in found.items()}
    if math.isnan(one.pvalue) or math.isnan(value):
        why = next((note for note in one.notes if "undefined" in note), "The difference is undefined on these items.")
        return {
            "tone": "unclear",
            "verdict": "These data cannot tell.",
            "detail": humanly(why),
            "more": [],
            "now": numbers | {"words": "No interval."},
        }
    sure = one.as_estimate.is_significant
    p = f"{p_said(shown)}{beside_skewness(one.skewness_pvalue, one.n_resamples)}"
    of_a, of_b, by, shown_ends = as_text(one)
    scores = f"{sentence(one.title)}: {of_a} for {a}, {of_b} for {b}."
    verdict = headline(a, b, one.as_estimate, one.alternative, whose)
    if sure:
        detail = f"{scores} {a if value > 0 else b} is {one.better} by {by} ({level} {shown_ends}; {p})."
    else:
        likely = f"likely between {between(ends.low, ends.high, error)}"
        detail = f"{scores} The difference is {likely} ({level}; {p})."
    undefined = one.margin is None or math.isnan(one.margin.equivalence)
    more = asides(one) + ([] if undefined else [margin_claim(replace(one, names=(one.names[0], a, b)))])
    if not sure and 0 < one.detectable < math.inf:
        more.append(f"If the true difference were {rough(one.detectable)}, 80 in 100 studies like this would find it.")
    numbers["said"]["value"] = f"−{by}" if value < 0 else by
    words = f"Difference {numbers['said']['value']}, {interval(ends, value)}."
    tone = ("wins-a" if value > 0 else "wins-b") if sure else "unclear"
    return {"tone": tone, "verdict": verdict, "detail": detail, "more": more, "now": numbers | {"words": words}}


def _picture(one: Any, sides: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the picture of both scores and the difference; its scale is the same for both answers."""
    _, a, b = one.names
    margin = None if one.margin is None else one.margin.margin
    reach = [
        abs(side["now"][end])
        for side in sides.values()
        for end in ("low", "high", "value")
        if side["now"][end] is not None
    ]
    plain = (one.a_score - one.b_score) * (1 if one.better == "higher" else -1)
    error = error_of(one.confidence_interval, one.advantage)
    of_a, of_b, *_ = as_text(one)
    weighted = math.isfinite(one.advantage) and number(plain, error) != number(one.advantage, error)
    unit = "the share of items won" if math.isnan(one.a_score) else one.title
    return {
        "interval": {
            "title": sentence(one.title),
            "better": one.better,
            "unit": unit,
            "margin": margin,
            "a": {"name": short(a), "score": finite(one.a_score), "said": of_a},
            "b": {"name": short(b), "score": finite(one.b_score), "said": of_b},
            "reach": 1.15 * max([*reach, margin or 0, 1e-9]),
        },
        "weighted": f"{number(one.advantage, error)} is weighted so that the busiest raters do not dominate; the plain "
        f"difference is {number(plain, error)}."
        if weighted
        else "",
        "n_items": one.n_items,
    }


def _items(one: Any, asked: Question) -> dict[str, Any]:
    """Return the items: bars of all, those that decide in a table with their responses, and all as CSV."""
    found = one.item_scores
    order = np.argsort(found.advantages, kind="stable")
    some = order if order.size <= MOST_BARS else order[np.linspace(0, order.size - 1, MOST_BARS).round().astype(int)]
    total = float(np.nansum(found.advantages))
    error = float(np.nanstd(found.advantages)) / 4
    largest = np.argsort(-np.abs(np.nan_to_num(found.advantages)), kind="stable")[:MOST_ROWS]
    responses = _responses(asked, [str(found.items[i]) for i in {*some.tolist(), *largest.tolist()}])

    def row(i: int) -> dict[str, Any]:
        name = str(found.items[i])
        return {
            "name": name,
            "d": float(found.advantages[i]),
            "said": signed(float(found.advantages[i]), error),
            "a": number(float(found.a[i]), error),
            "b": number(float(found.b[i]), error),
            **responses.get(name, {}),
        }

    wins = int((found.advantages > 0).sum()), int((found.advantages < 0).sum())
    rows = [
        row(int(i)) | {"share": f"{100 * found.advantages[i] / total:.0f}%".replace("-", "−") if total else "–"}
        for i in largest
    ]
    a, b = (short(name) for name in one.names[1:])
    words = f"{a} is better on {plural(wins[0], 'item')}, {b} on {wins[1]:,}."
    frame = _frame(found, one.names)
    return {
        "bars": {"items": [row(int(i)) for i in some], "a": a, "b": b, "wins": wins, "n": order.size, "words": words},
        "rows": rows,
        "ties": int(order.size - sum(wins)),
        "tables": {"items": csv_tables.from_frame(frame)},
    }


def _frame(found: Any, names: tuple[str, str, str]) -> Any:
    import polars

    columns = {"item": [str(item) for item in found.items], "difference": found.advantages}
    return polars.DataFrame(columns | {"a": found.a, "b": found.b}).rename(
        {"a": f"A: {names[1]}", "b": f"B: {names[2]}"}
    )


def _responses(asked: Any, items: list[str]) -> dict[str, dict[str, str]]:
    """Return the responses of gold, A and B to these items, as text."""
    contest = asked.data()
    at = {str(item): place for place, item in enumerate(contest.items)}
    found: dict[str, dict[str, str]] = {}
    sources = {"ra": contest.a, "rb": contest.b, **({} if contest.gold is None else {"gold": contest.gold})}
    for item in items:
        if (place := at.get(item)) is None:
            continue
        found[item] = {}
        for name, source in sources.items():
            coded = source.values[source.offsets[place] : source.offsets[place + 1]][: MOST_SAID + 1]
            values = [f"{one:g}" if isinstance(one, float) else str(one) for one in contest.scale.decode(coded)]
            found[item][name] = ", ".join(values[:MOST_SAID]) + (" …" if len(values) > MOST_SAID else "")
    return found
