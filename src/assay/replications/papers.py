"""Recompute the tables of one paper."""

from collections.abc import Callable
from types import ModuleType

from assay import _check
from assay._random import Rng, entropy_of, replayable
from assay.errors import ArgumentError
from assay.replications import forest, leader, raters, ratings
from assay.replications.outcomes import Simulation
from assay.replications.results import Replication, figures

PAPERS: dict[str, ModuleType] = {"raters": raters, "leader": leader, "forest": forest, "ratings": ratings}
SIMULATIONS = {"raters": 1000, "leader": 1000, "forest": 4000, "ratings": 1000}
"""Data sets of each kind unless asked otherwise: what gives a stable answer in a minute or two on two cores."""


def replicate(
    paper: str,
    *,
    table: int | None = None,
    n_simulations: int | None = None,
    rng: Rng = 0,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
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
    workers : int, optional
        Threads; one per core when left out.
    progress : callable, optional
        Told how many data sets each finished block adds; `work` says how many there are in all.

    Examples
    --------
    >>> result = replicate("forest", table=3, n_simulations=50)
    >>> len(result.rows), result.quantities
    (32, ('ci_width',))
    """
    module = PAPERS[_check.one_of("paper", paper, PAPERS)]
    known = tables(paper)
    if table is not None and table not in known:
        raise ArgumentError(f"`table` of {paper!r} must be one of {', '.join(map(str, known))}; got {table!r}.")
    size = _check.integer("n_simulations", n_simulations or SIMULATIONS[paper], at_least=2)
    seed = replayable(rng)
    rows = module.rows(Simulation(size, seed, workers, progress), table)
    return Replication(paper, module.CONVENTION, tuple(rows), size, entropy_of(seed))


def tables(paper: str) -> tuple[int, ...]:
    """Return the numbers of the tables that can be recomputed."""
    if paper == "forest":
        return (2, 3)
    return tuple(sorted({row["table"] for row in figures(f"{paper}_tables.json")}))


def work(paper: str, *, table: int | None = None, n_simulations: int | None = None) -> int:
    """Return how many data sets `replicate` will report through `progress`."""
    total: int = PAPERS[_check.one_of("paper", paper, PAPERS)].work(n_simulations or SIMULATIONS[paper], table)
    return total
