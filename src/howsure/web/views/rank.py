"""Which may be the best: the board with rank ranges and intervals, and two of its rows against each other."""

import math
from string import ascii_uppercase
from typing import Any

from howsure.documents.numbers import error_of, number
from howsure.documents.numbers import pvalue as p_of
from howsure.questions.base import Question
from howsure.web.everyday_words import p_said, sentence, short
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.base import Asked, Menu, Sent, View, first, too_few
from howsure.web.views.compare import contest_menus, helped, measured
from howsure.wording.estimates import bounds, brief, ci, with_interval
from howsure.wording.sentences import claim

MOST_SHOWN = 60
"""Rows of the board; the file of the result has all."""


class RankView(View):
    """Many models on the same items."""

    template = "rank.html"
    answer = "answers/rank.html"
    sentence = "sentences/rank.html"
    own = ("model", "gold", "metric", "better", "raters", "judge")

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the question about all models of the table that are not left out."""
        if upload is None or upload.is_model:
            return Asked(None, missing="Choose a table, and the ranking appears here.")
        menus, corrected = contest_menus(upload, sent)
        rest = [name for name in menus["a"].choices if name[0] != menus["gold"].value]
        menus = {name: menus[name] for name in ("gold", "measure", "judge") if name in menus}
        whose = first(sent, "raters")
        menus["raters"] = Menu("raters", "Whose judgement", whose, [("fixed", ""), ("random", "")], "--raters")
        given = read_fields([field for field in shown_fields(page) if field.name not in ("metric", "better")], sent)
        if given.get("winner"):
            return Asked(given, menus, "", corrected)
        if len(rest) < 2:
            return Asked(None, menus, too_few(upload, "A ranking"), corrected)
        given = {name: value for name, value in given.items() if name != "gold"} | measured(menus["measure"].value)
        if menus["gold"].value != "none":
            given["gold"] = menus["gold"].value
        if upload.left_out or (upload.gold and menus["gold"].value != upload.gold):
            given["model"] = tuple(name for name, _ in rest)
        return Asked(helped(given, menus), menus, "", corrected)

    def freeze(self, result: Any, asked: Question) -> dict[str, Any]:
        """Return the rows of the board and every pair."""
        if not hasattr(result, "confidence_set"):  # a plan, one board for each task, or a ranking with a judge
            return super().freeze(result, asked) | {"board": False}
        best = [short(name) for name in result.confidence_set]
        leader = short(result.models[0].name)
        n = len(result.models)
        verdict = (
            f"{leader} is best, clear of all others."
            if len(best) == 1
            else f"{len(best)} of {n} models may be the best; {leader} leads."
        )
        top = result.models[0]
        pairs = f"{result.n_significant:,} of {len(result.pairs):,} pairs differ clearly, counting all pairs together."
        if len(result.pairs) == 1:
            pairs = f"The two {'differ' if result.n_significant else 'do not differ'} clearly."
        detail = f"{pairs} {leader}: {result.title} {with_interval(top.score, top.confidence_interval)}."
        low, high = _range(result.models)
        return {
            "title": f"Which of {n} models may be the best?",
            "tone": "wins-a" if len(best) == 1 else "unclear",
            "verdict": verdict,
            "detail": detail,
            "board": True,
            "level": ci(result.confidence_level),
            "rows": [_row(model, result, low, high) for model in result.models[:MOST_SHOWN]],
            "n_models": n,
            "axis": [f"{low:.3g}", f"{high:.3g}"],
            "measure": f"{sentence(result.title)}, {result.better} is better",
            "pairs": [_pair(pair) for pair in result.pairs],
            "n_pairs": len(result.pairs),
            "gold": result.gold,
            "scopes": [scope.name for scope in result.scopes],
            "random": bool(result.scopes)
            and result.confidence_set == result.scopes[-1].confidence_set
            and result.n_significant == result.scopes[-1].n_significant,
            "about_raters": bool(result.scopes) and "raters" in result.scopes[0].name,
        }

    def show(self, frozen: dict[str, Any], sent: Sent) -> dict[str, Any]:
        """Return the board with the rows that were ticked, and what is known of the two."""
        if not frozen.get("board"):
            return frozen
        names = {row["name"] for row in frozen["rows"]}
        picked = [name for name in sent.get("pick", ()) if name in names][:2]
        pair = None
        if len(picked) == 2:
            known = {(entry["a"], entry["b"]): entry for entry in frozen["pairs"]}
            pair = known.get((picked[0], picked[1])) or known.get((picked[1], picked[0]))
        whose = first(sent, "raters") or ("random" if frozen["random"] else "fixed")
        return frozen | {"picked": picked, "pair": pair, "switch": frozen["about_raters"], "whose": whose}


def _range(models: Any) -> tuple[float, float]:
    ends = [
        end for model in models for end in (model.confidence_interval.low, model.confidence_interval.high, model.score)
    ]
    known = [end for end in ends if math.isfinite(end)] or [0.0, 1.0]
    low, high = min(known), max(known)
    low = 0.0 if 0 <= low < 0.5 * high else low
    return low, high if high > low else low + 1


def _row(model: Any, board: Any, low: float, high: float) -> dict[str, Any]:
    ends = model.confidence_interval
    error = error_of(ends, model.score)
    at = {
        name: None if not math.isfinite(value) else f"{2 + 96 * (value - low) / (high - low):.1f}%"
        for name, value in (("low", ends.low), ("score", model.score), ("high", ends.high))
    }
    letters = [letter_of(place) for place, group in enumerate(board.groups) if model.name in group]
    ranks = f"{model.rank_low}–{model.rank_high}" if model.rank_low != model.rank_high else str(model.rank_low)
    return {
        "name": model.name,
        "short": short(model.name),
        "rank": ranks,
        "rank_value": model.rank or model.rank_low,
        "score": number(model.score, error),
        "score_value": model.score if math.isfinite(model.score) else "",
        "ends": bounds(ends, model.score),
        "at": at,
        "best": model.in_confidence_set,
        "ties": " ".join(letters),
        "leads": f"{100 * model.first_place_share:.0f}%",
        "n_items": model.n_items,
    }


def letter_of(place: int) -> str:
    """Return A, B, … Z, A2, B2, … of a group.

    Examples
    --------
    >>> letter_of(0), letter_of(27)
    ('A', 'B2')
    """
    round_ = place // 26
    return ascii_uppercase[place % 26] + (str(round_ + 1) if round_ else "")


def _pair(pair: Any) -> dict[str, Any]:
    """Return what is said of two models, the better one first."""
    if pair.advantage < 0:
        pair = pair.turned
    ends, apart = pair.confidence_interval, pair.as_estimate.is_significant
    why = " The test settles the clearest pairs first, which an interval cannot." if apart and 0 in ends else ""
    return {
        "a": pair.a,
        "b": pair.b,
        "apart": apart,
        "verdict": f"{claim((short(pair.a), short(pair.b)), significant=apart)}.",
        "detail": f"Difference {brief(pair.advantage, ends)}, {p_said(p_of(pair.pvalue_adjusted))}, counting all pairs."
        + why,
    }
