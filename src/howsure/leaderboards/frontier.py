"""Cost and quality: which models another one beats for no more money, and how much quality a cheaper one gives up.

Costs are taken as given: prices, or the mean of a column over each model's rows. What is uncertain is quality. A model
is dominated if another one is significantly better and costs no more, and how much worse than the leader a model can be
is the far end of the interval of that pair. Both hold for all models together, as tests and intervals of pairs do.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from howsure import _check, _json
from howsure.documents import Block, Column, Measured, Sentence, Table
from howsure.documents.numbers import error_of, joined, listed, measured, number
from howsure.errors import ArgumentError, DataError
from howsure.leaderboards.result import CostQuality, Leaderboard
from howsure.wording.estimates import ci

SHOWN = 3
"""So many cheaper models are named in sentences."""


def costs_of(cost: str, files: tuple[Any, ...], source: str | None) -> tuple[Mapping[str, float], str]:
    """Return the cost of each model and what it is called.

    `cost` is a file with a row for each model (its name, its cost), or a column of the table: then a model's cost is
    the mean over its rows.
    """
    from howsure.io.sheets import open_sheet

    if Path(cost).suffix and Path(cost).is_file():
        sheet = open_sheet(cost)
        if len(sheet.columns) != 2:
            raise DataError(f"{sheet.name}: a file of costs has two columns, model and cost; got {len(sheet.columns)}.")
        names, values = (sheet.ids(column).to_list() for column in sheet.columns)
        return _means(names, values, sheet), str(sheet.columns[1])
    sheet = open_sheet(files[0])
    if cost not in sheet.columns:
        known = list(sheet.columns)
        hint = _check.nearest(cost, known)
        raise ArgumentError(f"`cost` must be a column or a file of two columns (model, cost); got {cost!r}.{hint}")
    if source is None:
        from howsure.io.columns import guess

        source = guess(sheet, "source", taken=[cost])
    if source is None:
        raise ArgumentError("`cost` as a column requires a column of model names; pass it with `source`.")
    return _means(sheet.ids(source).to_list(), sheet.ids(cost).to_list(), sheet), cost


def _means(names: list[Any], values: list[Any], sheet: Any) -> dict[str, float]:
    """Return the mean of the values of each name; one that is no number of at least 0 is an error with its place."""
    found: dict[str, list[float]] = {}
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        if name is None or value is None:
            continue
        try:
            known = float(str(value).replace(",", ""))
        except ValueError:
            known = math.nan
        if not (math.isfinite(known) and known >= 0):
            raise DataError(f"{sheet.place(row)}: a cost must be a number of at least 0; got {value!r}.")
        found.setdefault(str(name), []).append(known)
    return {name: sum(each) / len(each) for name, each in found.items()}


def with_costs(board: Leaderboard, costs: Mapping[str, float], name: str) -> Leaderboard:
    """Return the leaderboard with what quality costs; a model without a cost is an error."""
    lacking = [model.name for model in board.models if model.name not in costs]
    if lacking:
        raise DataError(f"{name} has no cost for {listed(lacking, 3)}. Add it, or leave the models out (`model`).")
    better: dict[str, list[str]] = {model.name: [] for model in board.models}
    for pair in board.significant:
        ends = pair.confidence_interval
        ahead = (ends.low + ends.high) / 2 if math.isnan(pair.advantage) else pair.advantage
        winner, loser = (pair.a, pair.b) if ahead > 0 else (pair.b, pair.a)
        better[loser].append(winner)
    leader = board.models[0].name
    against = {pair.b: pair for pair in board.pairs if pair.a == leader}
    against |= {pair.a: pair.turned for pair in board.pairs if pair.b == leader}
    found: list[CostQuality] = []
    for model in board.models:
        by = [other for other in better[model.name] if costs[other] <= costs[model.name]]
        loss = against[model.name].confidence_interval.high if model.name in against else 0.0
        cheapest = min(by, key=lambda other: costs[other]) if by else ""
        found.append(
            CostQuality(model.name, costs[model.name], cheapest, math.nan if math.isnan(loss) else max(0.0, loss))
        )
    signature = f"{board.signature} | cost={_json.digest([[one.name, one.cost] for one in found])[:12]}"
    return replace(board, costs=tuple(found), cost_name=name.replace("_", " "), signature=signature)


def frontier_blocks(board: Leaderboard) -> list[Block]:
    """Return what to say of cost and quality: sentences and a table."""
    if not board.costs:
        return []
    m = len(board.costs)
    dominated = [one for one in board.costs if one.dominated_by]
    confidence = f"{100 * board.confidence_level:g}% confidence"
    said = [f"None of the {m:,} models is dominated: no cheaper model is significantly better than another."]
    if dominated:
        names = joined([one.name for one in dominated], 5)
        verb = "is" if len(dominated) == 1 else "are"
        why = "another one is significantly better and costs no more"
        said = [f"{len(dominated):,} of {m:,} models {verb} dominated: {why} ({names})."]
    said += _cheaper(board)
    columns = (
        Column("model"),
        Column(board.cost_name, "number"),
        Column(board.title, "number"),
        Column(f"worse than {board.models[0].name} by at most", "number"),
        Column("dominated by"),
    )
    rows: list[tuple[object, ...]] = []
    for one in sorted(board.costs, key=lambda one: one.cost):
        row = board.model(one.name)
        score, error = measured(row.score, row.confidence_interval), error_of(row.confidence_interval)
        worst: object = "–" if one.name == board.models[0].name else Measured(one.at_most_worse, error)
        rows.append((one.name, one.cost, score, worst, one.dominated_by or "–"))
    title = f"Cost and quality (the bounds hold together with {confidence})"
    return [*(Sentence(line) for line in said), replace(Table(columns, tuple(rows), title), detail=m > 20)]


def _cheaper(board: Leaderboard) -> list[str]:
    """Return how much the cheaper models give up, from the best on; dominated ones are left out."""
    leader = board.costs[0]
    lines = []
    least = leader.cost
    for one in board.costs[1:]:
        if one.dominated_by or not one.cost < least or math.isnan(one.at_most_worse):
            continue
        least = one.cost
        row = board.model(one.name)
        worse = number(one.at_most_worse, error_of(row.confidence_interval))
        share = f"{100 * one.cost / leader.cost:.3g}%"
        bound = f"worse by at most {worse} ({ci(board.confidence_level)})"
        lines.append(f"{one.name} costs {share} of {leader.name} and is {bound}.")
    return lines[:SHOWN]
