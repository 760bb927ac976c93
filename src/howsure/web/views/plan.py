"""How much data: four inputs in a sentence, studies in 100 that find the difference, the map and the curve."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.documents.numbers import number, rough
from howsure.web.everyday_words import humanly, in_hundred, plural
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.base import Asked, Menu, Sent, View, first
from howsure.web.views.compare import contest_menus, measured

ITEMS = (25, 50, 100, 200, 500, 1000, 2000)
RESPONSES = (1, 2, 3, 5, 10)
RATERS = (5, 10, 15, 20, 30, 50, 80)
"""The numbers that the map shows, with the one that was asked for among them."""

PER_ITEM = 3
DIFFERENCE = 0.05
"""The difference that matters for a preset, unless somebody says otherwise: their scales go from 0 to 1."""

NO_RATERS = (
    "A plan needs human answers or rater ids, and this pilot has neither. Say which column names the raters (change, "
    "above), or plan from the standard deviation of the differences: More, How many segments does a study need?"
)

SHADES = (0.2, 0.4, 0.6, 0.8, 0.9)


class PlanView(View):
    """A study that is not there yet, like a pilot or like a response model."""

    template = "plan.html"
    answer = "answers/plan.html"
    sentence = "sentences/plan.html"
    own = (
        "difference",
        "n_items",
        "n_responses",
        "n_raters",
        "raters_per_item",
        "budget",
        "a",
        "b",
        "gold",
        "metric",
        "better",
        "epsilon",
    )

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the plan of a grid of designs around the one that was asked for."""
        preset = first(sent, "preset")
        rated = _rated(upload)
        menus = _menus(sent, upload, rated, preset)
        if upload is None and not preset:
            return Asked(None, menus, "Choose a pilot table or a preset, and the answer appears here.")
        if rated and upload is not None and not upload.seen.get("raters"):
            problem = upload.seen.get("problem", "")
            return Asked(None, menus, humanly(problem) if problem else NO_RATERS)
        given = read_fields([field for field in shown_fields(page) if field.name not in self.own], sent)
        if any(
            name in given for name in ("target_power", "target_p", "target_width", "max_cost", "next", "preference")
        ):
            return Asked(_as_typed(page, sent, upload), menus)  # a search of its own, shown as its report
        given.setdefault("layout", "matrix")
        given |= {"n_items": _with(ITEMS, _whole(first(sent, "n_items", menus["n_items"].value)))}
        wide = _whole(first(sent, "across", menus["across"].value))
        if rated:
            per = _whole(first(sent, "per", menus["per"].value))
            given |= {"n_raters": tuple(n for n in _with(RATERS, wide) if n >= per), "raters_per_item": (per,)}
        else:
            given["n_responses"] = tuple(map(str, _with(RESPONSES, wide)))
        if upload is not None and not upload.is_model:
            contest, _ = contest_menus(upload, sent)
            chosen = measured(contest["measure"].value)
            given |= {"a": contest["a"].value, "b": contest["b"].value, **chosen, "metric": (chosen["metric"],)}
            given |= {} if contest["gold"].value == "none" else {"gold": contest["gold"].value}
            if not contest["b"].value:
                given = {name: value for name, value in given.items() if name not in ("a", "b", "better")}
                given["metric"] = ()
        if text := first(sent, "difference"):
            given |= read_fields(
                [field for field in shown_fields(page) if field.name == "difference"], {"difference": [text]}
            )
        elif upload is None or upload.is_model or "a" not in given:
            given["difference"] = DIFFERENCE
        return Asked({name: value for name, value in given.items() if value not in ((), None)}, menus)

    def freeze(self, result: Any, asked: Any) -> dict[str, Any]:
        """Return the power and the cost of every design."""
        designs = getattr(result, "cells", ())  # a budget of labels and judge calls has none
        cells = [cell for cell in designs if not cell.reason and math.isfinite(cell.power)]
        rated = any(cell.n_raters for cell in cells)
        grid = len({cell.design for cell in cells}) > 3 and not asked.target_power
        if not cells or not grid:
            return super().freeze(result, asked) | {"title": "How much data?", "grid": False}
        first_of = (cells[0].metric, cells[0].test, cells[0].epsilon)
        cells = [cell for cell in cells if (cell.metric, cell.test, cell.epsilon) == first_of]
        difference = asked.difference or max(abs(cell.advantage) for cell in cells)
        pilot = result.pilot
        own = pilot is not None and pilot.difference != "given"
        title = f"How much data to find a difference of {rough(difference)}?"
        return {
            "title": title,
            "grid": True,
            "rated": rated,
            "cells": [_cell(cell, rated) for cell in cells],
            "difference": rough(difference),
            "own": own,
            "of_raters": {f"{cell.n_items}|{cell.n_raters}": cell.shares.get("raters", 0.0) for cell in cells},
            "priced": any(name.startswith("cost_") for name in asked.given),
            **_summary(cells, difference),
            "like": _like(asked),
        }

    def show(self, frozen: dict[str, Any], sent: Sent) -> dict[str, Any]:
        """Return the design that was asked for among the others: verdict, a better one, map and curve."""
        if not frozen.get("grid"):
            return frozen
        at = {(cell["n"], cell["k"]): cell for cell in frozen["cells"]}
        rows, columns = sorted({n for n, _ in at}), sorted({k for _, k in at})
        n = _nearest(rows, first(sent, "n_items"), 100)
        k = _nearest(columns, first(sent, "across"), 10 if frozen["rated"] else 3)
        here = at.get((n, k)) or frozen["cells"][0]
        budget = _whole(first(sent, "budget", "0"), least=0) or math.inf
        word = "raters" if frozen["rated"] else "answers per item"
        said = in_hundred(here["power"])
        enough = here["power"] >= 0.8
        cost = plural(here["cost"], "unit of cost" if frozen["priced"] else "human answer")
        if frozen["priced"]:
            cost = f"Cost {here['cost']:,.0f}"
        over = " That is more than you can pay for." if here["cost"] > budget else ""
        missed = f"A true difference of {frozen['difference']} would usually be missed."
        would = missed if here["power"] < 0.5 else f"{'Enough' if enough else 'Not quite enough'} by the usual 80."
        spread = (
            f" The pilot fixes this only to between {in_hundred(here['low'])} and {in_hundred(here['high'])}."
            if here["low"] is not None
            else ""
        )
        return frozen | {
            "tone": "good" if enough else "unclear",
            "verdict": f"{said[:1].upper()}{said[1:]} in 100 such studies would find it.",
            "detail": f"{cost}: {here['design']}.{over} {would}",
            "more": spread.strip(),
            "here": here,
            "better": _better(list(at.values()), here, budget),
            "map": {
                "rows": rows,
                "columns": columns,
                "n": n,
                "k": k,
                "word": word,
                "budget": math.isfinite(budget),
                "cells": [
                    {
                        **{name: cell[name] for name in ("n", "k", "power", "cost", "said")},
                        "over": cell["cost"] > budget,
                        "level": sum(cell["power"] >= shade for shade in SHADES),
                    }
                    for cell in frozen["cells"]
                ],
                "words": "Map of plans: studies in 100 that find the difference.",
            },
            "curve": _curve(at, n, k, word),
            "ceiling": _ceiling(frozen, at, rows, n, k),
            "word": word,
        }


def _menus(sent: Sent, upload: Upload | None, rated: bool, preset: str) -> dict[str, Menu]:
    def typed(name: str, label: str, default: str, option: str) -> Menu:
        return Menu(name, label, first(sent, name, default), option=option)

    about = 0 if upload is None else int(upload.seen.get("n_items", 0))
    raters = 0 if upload is None else int(upload.seen.get("raters", 0))
    menus = {
        "difference": typed(
            "difference",
            "Difference that matters",
            "" if upload and not upload.is_model else f"{DIFFERENCE:g}",
            "--difference",
        ),
        "n_items": typed("n_items", "Items", str(about or 100), "--n-items"),
        "budget": typed("budget", "Answers I can pay for", "3000", "--budget"),
    }
    if rated:
        menus["across"] = typed("across", "Raters", str(max(2, raters) or 10), "--n-raters")
        menus["per"] = Menu(
            "per",
            "Raters per item",
            first(sent, "per", str(PER_ITEM)),
            [(str(n), str(n)) for n in (1, 2, 3, 5, 10)],
            "--raters-per-item",
        )
    else:
        menus["across"] = typed("across", "Answers per item", "3", "--n-responses")
    return menus


def _rated(upload: Upload | None) -> bool:
    """Whether raters are part of the design: the pilot names them, or there is no gold that could be simulated."""
    return upload is not None and not upload.is_model and (int(upload.seen.get("raters", 0)) > 1 or not upload.gold)


def _as_typed(page: Page, sent: Sent, upload: Upload | None) -> dict[str, Any]:
    """Return the fields as they were typed, with what the table suggests for A, B and gold."""
    named = {"n_items", "n_responses", "n_raters", "budget"} & set(sent)
    fields = [
        field for field in shown_fields(page) if field.name not in ("n_items", "budget") or field.name not in named
    ]
    given = read_fields(fields, {name: texts for name, texts in sent.items() if name not in named})
    if upload is not None and not upload.is_model:
        contest, _ = contest_menus(upload, sent)
        given |= {"a": contest["a"].value, "b": contest["b"].value}
        given |= {} if contest["gold"].value == "none" else {"gold": contest["gold"].value}
    elif not any(name in given for name in ("difference", "epsilon", "accuracy_points", "win_rate")):
        given["difference"] = DIFFERENCE
    return given


def _like(asked: Any) -> dict[str, Any]:
    """Return what answers look like: the histogram of the pilot's, or of some that the response model gives."""
    from howsure.models import simulate

    contest = asked.data()
    if contest is None:
        subject = asked.simulator(asked.files[0]) if asked.files else None
        if subject is None or asked.gold is not None:
            return {}
        table = simulate(subject, n_items=400, n_responses=(1, 1, 1), rng=0).table
        assert table is not None
        values, scale = next(iter(table.sources.values())).values, table.scale
    else:
        values, scale = (contest.gold or contest.a).values, contest.scale
    if not scale.is_numeric and scale.labels:
        counts = np.bincount(scale.codes(values), minlength=len(scale.labels))
        return {"bars": [[label, int(count)] for label, count in zip(scale.labels, counts, strict=True)][:20]}
    width = np.diff(scale.levels).min() / 2 if len(scale.levels) > 1 else 0.0
    edges = [scale.levels[0] - width, *(level + width for level in scale.levels)] if width else 15
    counts, ends = np.histogram(values, bins=edges)
    middle = float(np.mean(values))
    name = f"mean {number(middle, float(np.std(values)) / 4)}"
    return {
        "edges": ends.tolist(),
        "counts": counts.tolist(),
        "mark": middle,
        "name": name,
        "plain": True,
        "words": f"Histogram of {values.size:,} answers, {name}.",
    }


def _with(numbers: Sequence[int], one: int) -> tuple[int, ...]:
    return tuple(sorted({*numbers, one}))


def _whole(text: str, least: int = 1) -> int:
    """Return a whole number as people type it: 3,000 or 3 000; the least where it is none."""
    digits = "".join(letter for letter in text if letter.isdigit())
    return max(least, min(int(digits[:9]), 100_000_000)) if digits else least


def _nearest(numbers: Sequence[int], text: str, default: int) -> int:
    wanted = _whole(text) if text else default
    return min(numbers, key=lambda one: abs(math.log(one / wanted)))


def _cell(cell: Any, rated: bool) -> dict[str, Any]:
    k = cell.n_raters if rated else cell.design.gold or cell.design.a
    ends = cell.power_interval
    return {
        "n": cell.n_items,
        "k": k,
        "power": float(cell.power),
        "cost": float(cell.cost),
        "design": str(cell.design),
        "low": None if ends is None else float(ends.low),
        "high": None if ends is None else float(ends.high),
        "said": f"{cell.design}: {in_hundred(cell.power)} of 100 studies find it",
    }


def _summary(cells: Sequence[Any], difference: float) -> dict[str, Any]:
    """Return what the history says of a plan: the cheapest design of the map that suffices."""
    enough = sorted((cell for cell in cells if cell.power >= 0.8), key=lambda cell: cell.cost)
    if enough:
        return {
            "tone": "good",
            "verdict": f"{enough[0].design} would do.",
            "detail": f"{in_hundred(enough[0].power)} of 100 studies find a difference of {rough(difference)}.",
        }
    return {
        "tone": "unclear",
        "verdict": "No design of the map suffices.",
        "detail": f"None finds a difference of {rough(difference)} in 80 of 100 studies.",
    }


def _better(cells: Sequence[dict[str, Any]], here: dict[str, Any], budget: float) -> dict[str, Any] | None:
    """Return the cheapest design that suffices within the budget, else the best that the budget allows."""
    within = [cell for cell in cells if cell["cost"] <= budget]
    enough = sorted((cell for cell in within if cell["power"] >= 0.8), key=lambda cell: (cell["cost"], cell["k"]))
    found = enough or sorted(within, key=lambda cell: (-cell["power"], cell["cost"]))
    if not found or found[0] is here or (not enough and found[0]["power"] <= here["power"]):
        return None
    return found[0] | {"enough": bool(enough), "in_hundred": in_hundred(found[0]["power"])}


def _curve(at: dict[tuple[int, int], dict[str, Any]], n: int, k: int, word: str) -> dict[str, Any]:
    rows, columns = sorted({one for one, _ in at}), sorted({one for _, one in at})
    shown = sorted({columns[0], columns[len(columns) // 2], columns[-1], k})
    lines = [
        {"name": f"{one} {word}", "on": one == k, "points": [[m, at[m, one]["power"]] for m in rows if (m, one) in at]}
        for one in shown
    ]
    here = at.get((n, k))
    said = in_hundred(here["power"]) if here else ""
    return {
        "x": [rows[0], rows[-1]],
        "log": True,
        "ticks": [rows[0], n, 500, rows[-1]],
        "label": "items",
        "unit": "items",
        "here": [n, here["power"]] if here else None,
        "lines": [line for line in lines if line["points"]],
        "words": f"Studies in 100 that find the difference, by number of items; you are here: {said}.",
    }


def _ceiling(frozen: dict[str, Any], at: dict[tuple[int, int], dict[str, Any]], rows: list[int], n: int, k: int) -> str:
    """Return that raters are what limits the study, where they are."""
    share = frozen["of_raters"].get(f"{n}|{k}", 0.0)
    most = at.get((rows[-1], k))
    if share < 0.4 or most is None or most["power"] >= 0.8:
        return ""
    return (
        f"Raters decide here. With {k} raters, {rows[-1]:,} items find it {in_hundred(most['power'])} times in 100: "
        f"{100 * share:.0f}% of the error comes from who happens to rate."
    )
