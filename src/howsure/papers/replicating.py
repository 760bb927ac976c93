"""Recompute the tables, figures and searches of one paper: its cells, what is measured in each, and the answer."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import numpy as np

from howsure import _check, _matrices
from howsure._random import Rng, entropy_of, n_workers, replayable, seed_of
from howsure.errors import ArgumentError, DataError
from howsure.papers import (
    forest,
    leader,
    raters,
    ratings,
    searches,
)
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.figures import PaperFigure, Plot
from howsure.papers.published import Replication
from howsure.papers.searches import Search
from howsure.sweeps import Counts, Grid, Store, Sweep, run, task

PAPERS: dict[str, ModuleType] = {"raters": raters, "leader": leader, "forest": forest, "ratings": ratings}
"""Each module has `settings`, `measure`, `rows`, `notes`, `tables`, `FIGURES` and `WITHOUT_NUMBERS`."""
SIMULATIONS = {"raters": 1000, "leader": 1000, "forest": 4000, "ratings": 1000}
"""Data sets of each kind unless asked otherwise: what gives a stable answer in some minutes on two cores."""


@_matrices.on_one_thread
def replicate(
    paper: str,
    *,
    table: int | None = None,
    figure: int | None = None,
    search: bool = False,
    n_simulations: int | None = None,
    rng: Rng = 0,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: Callable[[Counts], object] | None = None,
) -> Replication | PaperFigure | Search:
    """Recompute the tables of a paper and put published and reproduced numbers side by side.

    Parameters
    ----------
    paper : {"raters", "leader", "forest", "ratings"}
    table : int, optional
        Only this table.
    figure : int, optional
        What this figure shows, in place of the tables.
    search : bool
        The search behind the tables in place of their numbers: the smallest N × K with p below .05.
    n_simulations : int, optional
        Simulated data sets, alternative and null, for each design; 1,000 (FOREST: 4,000) when left out.
    rng : int, SeedSequence, Generator or None
        The default, 0, makes everybody's replication the same.
    store : Store or path, optional
        Where finished cells are kept, and found again by a later run.
    executor : concurrent.futures.Executor, optional
        Where cells are computed; on threads, one per core, when left out. The numbers do not depend on it.
    progress : callable, optional
        Told how many cells are done, failed and missing.

    Examples
    --------
    >>> result = replicate("forest", table=3, n_simulations=4)
    >>> len(result.rows), result.quantities
    (40, ('ci_width',))
    """
    cells = plan(paper, table=table, figure=figure, search=search, n_simulations=n_simulations)
    seed = entropy_of(replayable(rng))
    with ThreadPoolExecutor(n_workers(None)) if executor is None else nullcontext(executor) as pool:
        found = run(measure, cells, store=store, executor=pool, rng=seed, progress=progress)
    return conclude(found, table=table, figure=figure)


def plan(
    paper: str,
    *,
    table: int | None = None,
    figure: int | None = None,
    search: bool = False,
    n_simulations: int | None = None,
) -> Grid:
    """Return the cells of a replication."""
    module = PAPERS[_check.one_of("paper", paper, PAPERS)]
    if figure is not None and (table is not None or search):
        raise ArgumentError("give `figure`, or `table` and `search`; not both.")
    if search and paper not in searches.TRIED:
        raise ArgumentError(
            f"there is no `search` behind the tables of {paper!r}; choose {' or '.join(searches.TRIED)}."
        )
    known = searches.TRIED[paper].tables if search else tables(paper)
    if table is not None and table not in known:
        what = "`table` of a search of" if search else "`table` of"
        raise ArgumentError(f"{what} {paper!r} must be one of {', '.join(map(str, known))}; got {table!r}.")
    asked = SIMULATIONS[paper] if n_simulations is None else n_simulations
    size = _check.integer("n_simulations", asked, at_least=2)
    settings = module.settings(table) if figure is None else plot_of(paper, figure).settings()
    if search:
        settings = searches.settings(paper, table)
    return Grid({"paper": paper, **setting, "n_simulations": size} for setting in settings)


@task(version=2)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Recompute one part of a paper's tables.

    Parameters of a cell: `paper`, what identifies the part (RATERS: `epsilon`, `of` (means or bins), `items` and
    `responses`, or `table` 3 and `responses`; FOREST, RATINGS: `table`, `dataset` and `metric`; LEADER: `table`, and
    `responses` for true p or `data_set` for estimated p), and optionally `n_simulations`.
    Names that end in `_error` are standard errors of the difference from the published number.
    """
    setting = _setting(cell)
    paper = _check.one_of("paper", cell.get("paper"), PAPERS)
    size = _check.integer("n_simulations", cell.get("n_simulations", SIMULATIONS[paper]), at_least=2)
    simulation = SimulationSize(size, seed_of(rng))
    if setting.get("search"):
        return searches.measure(paper, setting, simulation)
    if "figure" in setting:
        measured = plot_of(paper, setting["figure"]).measure
        assert measured is not None, "a figure with cells of its own measures them"
        return measured(setting, simulation)
    found: dict[str, float] = PAPERS[paper].measure(setting, simulation)
    return found


def conclude(
    sweep: Sweep, *, table: int | None = None, figure: int | None = None
) -> Replication | PaperFigure | Search:
    """Put what the cells of one paper measured beside the published numbers, of tables or of a figure."""
    if sweep.failures or sweep.counts.missing:
        raise DataError(str(sweep))
    [(paper, size)] = {(row.parameters["paper"], row.parameters["n_simulations"]) for row in sweep.rows}
    module = PAPERS[paper]
    measured = [(_setting(row.parameters), row.values) for row in sweep.rows]
    if figure is not None:
        return plot_of(paper, figure).figure(paper, figure, measured, size, sweep.seed)
    if measured[0][0].get("search"):
        return searches.conclude(paper, measured, size, sweep.seed)
    rows = tuple(row for row in module.rows(measured) if table in (None, row.cell["table"]))
    notes = module.notes({row.cell["table"] for row in rows})
    return Replication(paper, module.CONVENTION, rows, size, sweep.seed, notes)


def _setting(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells a cell from the others of its paper."""
    return {name: value for name, value in parameters.items() if name not in {"paper", "n_simulations"}}


def plot_of(paper: str, figure: int) -> Plot:
    """Return what a figure shows."""
    module = PAPERS[paper]
    if not module.FIGURES:
        raise ArgumentError(f"{paper!r} has no figures; give `table`.")
    known = ", ".join(map(str, module.FIGURES))
    if figure in module.WITHOUT_NUMBERS:
        what = module.WITHOUT_NUMBERS[figure]
        raise ArgumentError(f"`figure` {figure} of {paper!r} is {what}, without numbers; choose one of {known}.")
    if figure not in module.FIGURES:
        raise ArgumentError(f"`figure` of {paper!r} must be one of {known}; got {figure!r}.")
    plot: Plot = module.FIGURES[figure]
    return plot


def tables(paper: str) -> tuple[int, ...]:
    """Return the numbers of the tables that can be recomputed."""
    return tuple(sorted(PAPERS[paper].tables()))
