"""The search behind FOREST 2 and RATINGS 1–3: the smallest budget N × K at which some K gives p below .05.

The planner looks for the cheapest design of any size on which a test can reject. From there the budgets that the paper
tried are looked through, with every K that it tried, as the paper simulates: RATINGS bootstraps items inside every
simulated data set.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from howsure import documents
from howsure._frames import in_any_form
from howsure._random import child, entropy_of
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import CategoricalModel, ResponseModel, preset
from howsure.papers import forest, ratings
from howsure.papers.citations import CITATIONS
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.legacy import published_metric
from howsure.papers.published import SIGNIFICANT, Measured, Setting, figures, lookup
from howsure.planning import plan
from howsure.planning.engines.exact import ExactEngine
from howsure.records import Record

PRECISION = 0.1
"""Error that an exact p may have, times the root of the number of data sets."""
FEWEST = math.ceil(1 - math.log2(SIGNIFICANT))
"""Items that a two-sided test needs: 2 / 2ᴺ is the smallest p-value of a sign-flip test of N items."""
MANY, FIRST, APART = 10, 4, 3
"""With little effort: one data set in ten, four times the error; p-values three errors apart are different."""


class Tried(NamedTuple):
    """What a paper tried, and what it asks of its simulated data."""

    budgets: tuple[int, ...]
    n_responses: tuple[int, ...]
    resample_simulated: bool
    tables: tuple[int, ...]


TRIED = {
    "forest": Tried(
        (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000),
        (*range(1, 11), *range(20, 501, 20)),
        False,
        (2,),
    ),
    # RATINGS does not list what it tried: these are the budgets and the K that its tables print.
    "ratings": Tried(
        (200, 500, 1000, 1250, 2000, 2500, 4000, 5000, 10_000, 20_000, 25_000, 40_000, 50_000, 100_000),
        (1, 5, 10, 25, 50, 100),
        True,
        (1, 2, 3),
    ),
}


@dataclass(frozen=True, slots=True)
class Found:
    """One cell of a table: the printed design, the one that the search ends at, and the planner's cheapest.

    Attributes
    ----------
    table : int
    dataset, metric : str
    epsilon : float
    printed_budget, printed_responses, printed_p : float
        NaN where the paper has a dash: no design that it tried was significant.
    budget, n_responses, p, p_error : float
        The smallest budget that the paper tried at which some K gives p below .05, the K with the smallest p there,
        and that p; NaN where there is none.
    cheapest_budget, cheapest_items, cheapest_responses : float
        The cheapest design for the question as it is stated, of any budget, with so many items that a test can reject;
        NaN where none is within the budgets.
    """

    table: int
    dataset: str
    metric: str
    epsilon: float
    printed_budget: float
    printed_responses: float
    printed_p: float
    budget: float
    n_responses: float
    p: float
    p_error: float
    cheapest_budget: float
    cheapest_items: float
    cheapest_responses: float

    @property
    def printed_items(self) -> float:
        """Items of the printed design: NaN for a dash."""
        return self.printed_budget // self.printed_responses

    @property
    def same_budget(self) -> bool:
        """Whether search and paper end at the same budget, or both at none."""
        return _same(self.budget, self.printed_budget)

    @property
    def same_responses(self) -> bool:
        """Whether budget and K are the same."""
        return self.same_budget and _same(self.n_responses, self.printed_responses)


@dataclass(frozen=True, slots=True)
class Search(Record):
    """Where the search of a paper ends.

    Attributes
    ----------
    paper : str
    cells : tuple of Found
    n_simulations, seed : int
    """

    paper: str
    cells: tuple[Found, ...]
    n_simulations: int
    seed: int

    def document(self) -> Document:
        """Return how often the search ends where the paper does, and every row of the tables."""
        blocks: list[Block] = [Sentence(self._verdict(), "verdict"), self._table()]
        blocks += details(Sentence(said) for said in (_HOW[self.paper], self._too_few()) if said)
        blocks.append(Sentence(f"Paper: {CITATIONS[self.paper]}"))
        return Document(f"{self.paper.upper()}, the search behind its tables", tuple(blocks), NOTES)

    @in_any_form
    def to_frame(self) -> Any:
        """Return a dataframe with one row of the tables per row."""
        import polars as pl

        return pl.DataFrame([{name: getattr(cell, name) for name in Found.__slots__} for cell in self.cells])

    def _verdict(self) -> str:
        budgets, both = (sum(getattr(cell, name) for cell in self.cells) for name in ("same_budget", "same_responses"))
        n = len(self.cells)
        dashes = [cell for cell in self.cells if math.isnan(cell.printed_budget)]
        said = f"The search finds the printed budget N × K in {budgets} of {n} rows, and the printed K in {both}."
        if dashes:
            alike = sum(cell.same_budget for cell in dashes)
            said += f" In {alike} of {len(dashes)} rows with a dash it finds no design either."
        return said

    def _too_few(self) -> str:
        """Return on how many printed designs no test can reject, although their expected p is small."""
        few = [cell for cell in self.cells if cell.printed_items < FEWEST]
        if not few:
            return ""
        least = min(few, key=lambda cell: cell.printed_items)
        design = f"{least.printed_items:.0f} × {least.printed_responses:.0f}"
        return (
            f"{len(few)} of {len(self.cells)} printed designs have fewer than {FEWEST} items ({least.dataset} by "
            f"{least.metric}: {design}). Their expected p compares many simulated studies; in one such study the "
            f"sign-flip test cannot give a two-sided p below .05, whatever the data. The cheapest design has {FEWEST} "
            "items or more."
        )

    def _table(self) -> Table:
        columns = (
            *map(Column, ("table", "dataset", "metric", "ε")),
            Column("N × K printed", "count"),
            Column("found", "count"),
            Column("K printed", "count"),
            Column("found", "count"),
            Column("p printed", "number", detail=True),
            Column("found", "number", detail=True),
            Column("cheapest design", detail=True),
        )
        lines = [
            (
                str(cell.table),
                cell.dataset,
                cell.metric,
                f"{cell.epsilon:g}",
                _known(cell.printed_budget),
                _known(cell.budget),
                _known(cell.printed_responses),
                _known(cell.n_responses),
                _known(cell.printed_p),
                _p_of(cell),
                _cheapest(cell),
            )
            for cell in self.cells
        ]
        marked = frozenset(i for i, cell in enumerate(self.cells) if not cell.same_budget)
        return Table(columns, tuple(lines), "Designs printed and found (←: another budget is found)", marked)


_HOW = {
    "forest": "Budgets and K are those that the paper tried; p by the exact engine, on fresh items in every data set.",
    "ratings": "Budgets and K are all those that the tables print; the paper does not say which it tried for which "
    "data set, so the search may end at a design that it did not try. p as printed, with an item bootstrap inside "
    "every simulated data set; the cheapest design is for the question as stated, without it, and needs about half.",
}
NOTES = (
    "The printed p is the smallest over the K that were tried, so it is biased low, and where several K give nearly "
    "the same p, chance decides which is printed.",
)


def settings(paper: str, table: int | None = None) -> list[dict[str, Any]]:
    """Return the rows whose search is repeated."""
    return [
        {"search": True, "table": cell["table"], "dataset": cell["dataset"], "metric": cell["metric"]}
        for cell in _cells(paper)
        if table in (None, cell["table"])
    ]


def measure(paper: str, setting: Setting, simulation: SimulationSize) -> dict[str, float]:
    """Search the cheapest design, then the smallest budget that the paper tried."""
    cell = _cell(paper, setting)
    tried = TRIED[paper]
    model, metric = _subject(paper, cell)
    found = _cheapest_design(model, metric, cell["epsilon"], tried, simulation)
    smallest = _p_at(model, metric, cell["epsilon"], tried, simulation)
    cheapest = found["cheapest_budget"] * (2 if tried.resample_simulated else 1)
    at = _smallest_budget(lambda budget: smallest(budget)[0], tried.budgets, cheapest)
    if at is None:
        return {**found, "budget": math.nan, "n_responses": math.nan, "p": math.nan, "p_error": math.nan}
    p, error, n_responses = smallest(at)
    return {**found, "budget": float(at), "n_responses": float(n_responses), "p": p, "p_error": error}


def conclude(paper: str, measured: Sequence[Measured], n_simulations: int, seed: int) -> Search:
    """Put what was found beside what is printed."""
    cells = []
    for setting, values in measured:
        cell = _cell(paper, setting)
        printed = (math.nan if cell[name] is None else float(cell[name]) for name in ("NK", "K", "p"))
        cells.append(Found(cell["table"], cell["dataset"], cell["metric"], cell["epsilon"], *printed, **values))
    return Search(paper, tuple(cells), n_simulations, seed)


def _cells(paper: str) -> list[dict[str, Any]]:
    if paper == "forest":
        return [{"table": 2, **row} for row in figures("forest_table2.json")]
    return ratings.published()


def _cell(paper: str, setting: Setting) -> dict[str, Any]:
    keys = ("table", "dataset", "metric")
    return lookup(_cells(paper), {key: value for key, value in setting.items() if key != "search"}, keys)


def _subject(paper: str, cell: dict[str, Any]) -> tuple[ResponseModel, Metric]:
    model: ResponseModel
    if paper == "forest":
        model, name = CategoricalModel(tuple(cell["alpha"])), forest.METRICS.get(cell["metric"], cell["metric"])
    else:
        model, name = preset(f"likert-{cell['dataset'].lower()}"), ratings.METRICS[cell["metric"]]
    return model, published_metric(name).on(model.scale)


def _cheapest_design(
    model: ResponseModel, metric: Metric, epsilon: float, tried: Tried, simulation: SimulationSize
) -> dict[str, float]:
    """Return the planner's cheapest design with an expected p of .05."""
    planned = plan(
        model,
        metrics=[metric],
        epsilon=epsilon,
        n_responses=list(tried.n_responses),
        budget=max(tried.budgets),
        target_p=SIGNIFICANT,
        test=None,
        rng=entropy_of(child(simulation.seed, "plan")),
        workers=1,
        precision=_precision(simulation),
    )
    [answer] = planned.answers
    taken = answer.recommended
    names = ("cheapest_budget", "cheapest_items", "cheapest_responses")
    if taken is None:
        return dict.fromkeys(names, math.nan)
    return dict(zip(names, (taken.cost, float(taken.n_items), float(taken.design.gold)), strict=True))


class _Effort(NamedTuple):
    """How much is spent on one design: data sets where they are simulated, and the error that an exact p may have."""

    simulation: SimulationSize
    precision: float


def _p_at(model: ResponseModel, metric: Metric, epsilon: float, tried: Tried, simulation: SimulationSize) -> Any:
    """Return a function that gives the smallest p over K at a budget, its error, and the K; it remembers.

    Every K is tried with little effort, and those that may have the smallest p, below .05, with all of it.
    """
    known: dict[int, tuple[float, float, int]] = {}
    engines: dict[int, ExactEngine] = {}
    whole = _Effort(simulation, _precision(simulation))
    few = replace(simulation, n_simulations=max(MANY, simulation.n_simulations // MANY))
    first = _Effort(few, FIRST * whole.precision)

    def one(n_items: int, n_responses: int, effort: _Effort) -> tuple[float, float]:
        if tried.resample_simulated:
            [outcome] = effort.simulation.outcomes(
                model, [metric], n_items=n_items, n_responses=n_responses, epsilon=epsilon, resample_simulated=True
            )
            return outcome.p, outcome.p_error
        if n_responses not in engines:
            assert isinstance(metric, AdditiveMetric)
            engines[n_responses] = ExactEngine(
                model, [metric], (n_responses,) * 3, epsilon=epsilon, seed=child(simulation.seed, n_responses)
            )
        engines[n_responses].sharpen([n_items], effort.precision)
        outlook = engines[n_responses].outlook(0, n_items)
        return outlook.expected_pvalue, outlook.expected_pvalue_error

    def smallest(budget: int) -> tuple[float, float, int]:
        if budget not in known:
            guesses = {k: one(budget // k, k, first) for k in tried.n_responses if k <= budget}
            least = min(SIGNIFICANT, *(p + APART * error for p, error in guesses.values()))
            hopeful = [k for k, (p, error) in guesses.items() if p - APART * error <= least]
            tried_well = {k: one(budget // k, k, whole) for k in hopeful} or guesses
            known[budget] = min((*found, k) for k, found in tried_well.items())
        return known[budget]

    return smallest


def _smallest_budget(p_at: Any, budgets: Sequence[int], near: float) -> int | None:
    """Return the smallest budget with p below .05: down from a guess as long as p is below, else up until it is."""
    at = len(budgets) - 1 if math.isnan(near) else min(int(np.searchsorted(budgets, near)), len(budgets) - 1)
    if p_at(budgets[at]) < SIGNIFICANT:
        while at > 0 and p_at(budgets[at - 1]) < SIGNIFICANT:
            at -= 1
        return budgets[at]
    for budget in budgets[at + 1 :]:
        if p_at(budget) < SIGNIFICANT:
            return budget
    return None


def _precision(simulation: SimulationSize) -> float:
    return max(0.002, min(0.05, PRECISION / math.sqrt(simulation.n_simulations)))


def _same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _p_of(cell: Found) -> documents.Measured | None:
    return None if math.isnan(cell.p) else documents.Measured(cell.p, cell.p_error)


def _cheapest(cell: Found) -> str:
    if math.isnan(cell.cheapest_budget):
        return "–"
    return f"{cell.cheapest_items:,.0f} × {cell.cheapest_responses:.0f} = {cell.cheapest_budget:,.0f}"
