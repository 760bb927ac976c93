"""Recompute the tables of one paper: its cells, what is measured in each, and the numbers side by side."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np

from assay import _check
from assay._random import Rng, entropy_of, n_workers, replayable, seed_of
from assay.auditing.cell import quiet
from assay.errors import ArgumentError, DataError
from assay.replications import forest, leader, raters, ratings
from assay.replications.outcomes import Simulation
from assay.replications.published import Replication
from assay.sweeps import Counts, Grid, Store, Sweep, run, task

PAPERS: dict[str, ModuleType] = {"raters": raters, "leader": leader, "forest": forest, "ratings": ratings}
SIMULATIONS = {"raters": 1000, "leader": 1000, "forest": 4000, "ratings": 1000}
"""Data sets of each kind unless asked otherwise: what gives a stable answer in some minutes on two cores."""


def replicate(
    paper: str,
    *,
    table: int | None = None,
    n_simulations: int | None = None,
    rng: Rng = 0,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    progress: Callable[[Counts], object] | None = None,
) -> Replication:
    """Recompute the tables of a paper and put published and reproduced numbers side by side.

    Parameters
    ----------
    paper : {"raters", "leader", "forest", "ratings"}
    table : int, optional
        Only this table.
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
    >>> result = replicate("forest", table=3, n_simulations=50)
    >>> len(result.rows), result.quantities
    (40, ('ci_width',))
    """
    cells = plan(paper, table=table, n_simulations=n_simulations)
    seed = entropy_of(replayable(rng))
    if executor is not None:
        return conclude(run(measure, cells, store=store, executor=executor, rng=seed, progress=progress), table)
    with quiet(), ThreadPoolExecutor(n_workers(None)) as threads:
        return conclude(run(measure, cells, store=store, executor=threads, rng=seed, progress=progress), table)


def plan(paper: str, *, table: int | None = None, n_simulations: int | None = None) -> Grid:
    """Return the cells of a replication."""
    module = PAPERS[_check.one_of("paper", paper, PAPERS)]
    known = tables(paper)
    if table is not None and table not in known:
        raise ArgumentError(f"`table` of {paper!r} must be one of {', '.join(map(str, known))}; got {table!r}.")
    asked = SIMULATIONS[paper] if n_simulations is None else n_simulations
    size = _check.integer("n_simulations", asked, at_least=2)
    return Grid({"paper": paper, **setting, "n_simulations": size} for setting in module.settings(table))


@task(version=2)
def measure(cell: Mapping[str, Any], rng: np.random.Generator) -> dict[str, float]:
    """Recompute one part of a paper's tables.

    Parameters of a cell: `paper`, what identifies the part (RATERS: `epsilon`, `of` (means or bins), `items` and
    `responses`, or `table` 3 and `responses`; FOREST, RATINGS: `table`, `dataset` and `metric`; LEADER: `table`, and
    `responses` for true p or `data_set` for estimated p), and optionally `n_simulations`.
    Names that end in `_error` are standard errors of the difference from the published number.
    """
    setting = {name: value for name, value in cell.items() if name not in {"paper", "n_simulations"}}
    paper = _check.one_of("paper", cell.get("paper"), PAPERS)
    size = _check.integer("n_simulations", cell.get("n_simulations", SIMULATIONS[paper]), at_least=2)
    with quiet():
        found: dict[str, float] = PAPERS[paper].measure(setting, Simulation(size, seed_of(rng)))
    return found


def conclude(sweep: Sweep, table: int | None = None) -> Replication:
    """Put what the cells of one paper measured beside the published numbers, of all tables or of one."""
    if sweep.failures or sweep.counts.missing:
        raise DataError(str(sweep))
    papers = {(row.parameters["paper"], row.parameters["n_simulations"]) for row in sweep.rows}
    [(paper, size)] = papers
    module = PAPERS[paper]
    measured = [
        ({name: value for name, value in row.parameters.items() if name not in {"paper", "n_simulations"}}, row.values)
        for row in sweep.rows
    ]
    rows = tuple(row for row in module.rows(measured) if table in (None, row.cell["table"]))
    notes = module.notes({row.cell["table"] for row in rows})
    return Replication(paper, module.CONVENTION, rows, size, sweep.seed, notes)


def tables(paper: str) -> tuple[int, ...]:
    """Return the numbers of the tables that can be recomputed."""
    return tuple(sorted(PAPERS[paper].tables()))
