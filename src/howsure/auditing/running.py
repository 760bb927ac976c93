"""`audit`: from a response model to how far every p-value and interval can be trusted on such data."""

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

from howsure import _json, _matrices, _random
from howsure.auditing import estimators
from howsure.auditing.grid_point import measure, read_model
from howsure.auditing.request import AuditRequest, grid_of
from howsure.auditing.result import Audit, rows_of
from howsure.data.response_tables import ResponseTable
from howsure.errors import DataError
from howsure.models import ResponseModel
from howsure.provenance import Provenance
from howsure.raters.design import design_of
from howsure.sweeps import Grid, Store, Sweep, run


@_matrices.on_one_thread
def audit(
    model: str | ResponseModel,
    request: AuditRequest | None = None,
    *,
    rng: _random.Rng = None,
    workers: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Callable[[Any], object] | None = None,
    **settings: Any,
) -> Audit:
    """Measure how far each p-value and interval can be trusted on data like these.

    Parameters
    ----------
    model : str or ResponseModel
        What data are like: a preset, a model file, a model (`howsure.models.fit` makes one from pilot data) or a class
        of your own. Where its tables have raters who judge several items, the test that `compare` then uses,
        random-effects, is audited too.
    request : AuditRequest, optional
        What is asked, as one record.
    rng : int, SeedSequence, Generator or None
    workers : int, optional
        Threads; one per core by default. The result does not depend on it.
    store : path, optional
        Keep finished grid points in this file, and go on from it next time.
    progress : callable, optional
        Told the counts of finished grid points.
    **settings
        Fields of `AuditRequest`, in place of `request` or to change it.

    Returns
    -------
    Audit

    Examples
    --------
    >>> found = audit("normal", designs=[(20, 2)], n_simulations=5, n_resamples=39, n_fresh=100, rng=0)
    >>> sorted({row.truth for row in found.tests})
    ['B worse', 'different errors', 'same']
    """
    grid, notes = grid_of(model, request, **settings)
    return conclude(compute(grid, rng=rng, workers=workers, store=store, progress=progress), notes)


def compute(
    grid: Grid,
    *,
    rng: _random.Rng = None,
    workers: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Callable[[Any], object] | None = None,
) -> Sweep:
    """Compute the grid points here, each on so many threads; by default one per core."""
    seed = None if rng is None else _random.entropy_of(_random.replayable(rng))
    return run(measure.on(_random.n_workers(workers)), grid, store=store, rng=seed, progress=progress)


USUAL = {
    "perturbation": None,
    "split": True,
    "tests": estimators.ANALYTICAL,
    "intervals": estimators.DEFAULT_INTERVALS,
    "alpha": 0.05,
    "confidence_level": 0.95,
    "n_fresh": 2000,
}
"""Parameters of a grid point that a signature leaves out where they are so."""


def about_raters(table: ResponseTable) -> list[str]:
    """Say that a model fitted to this table has no raters, where `compare` would take its raters into account."""
    crossed = [name for name, source in table.sources.items() if design_of(source).n_raters > 1]
    if not any(design_of(table.sources[name]).kind in ("crossed", "partially crossed") for name in crossed):
        return []
    return [
        "Raters judged several items each, so a comparison also answers for raters like these. The audited model has "
        "no raters: this verdict holds for these raters only (raters fixed)."
    ]


def conclude(sweep: Sweep, notes: Iterable[str] = ()) -> Audit:
    """Put the result together from the grid points of a sweep; a failed one is an error that says what went wrong."""
    if sweep.failures:
        raise DataError(f"{len(sweep.failures)} of {len(sweep.rows)} grid points failed: {sweep.failures[0].error}")
    first = sweep.rows[0].parameters
    tests, intervals, smallest = rows_of(sweep.rows)
    provenance = Provenance("audit", _parameters(sweep), sweep.seed, _json.digest(first["model"])[:12])
    return Audit(
        model=str(read_model(first["model"])),
        tests=tests,
        intervals=intervals,
        smallest=smallest,
        **{name: first[name] for name in ("alpha", "confidence_level", "n_simulations", "n_resamples")},
        seed=sweep.seed,
        notes=tuple(notes),
        signature=provenance.signature,
    )


def _parameters(sweep: Sweep) -> dict[str, Any]:
    """Return everything that decided the numbers, for the signature; what is at its default is left out."""
    first, usual = sweep.rows[0].parameters, _json.plain(USUAL)

    def values(name: str) -> str:
        return ",".join(dict.fromkeys(f"{row.parameters[name]:g}" for row in sweep.rows))

    pairs = [f"{'/'.join(scheme)}: {', '.join(nulls)}" for scheme, nulls in first["pairs"]]
    rest = {
        name: value
        for name, value in first.items()
        if name not in {"n_items", "n_responses", "epsilon", "model", "metrics", "pairs"} and usual.get(name) != value
    }
    return {
        "metric": ",".join(entry if isinstance(entry, str) else _json.dumps(entry) for entry in first["metrics"]),
        "n_items": values("n_items"),
        "n_responses": values("n_responses"),
        "epsilon": values("epsilon"),
        "pairs": "; ".join(pairs),
        **{name: value if isinstance(value, int | float | str) else _json.dumps(value) for name, value in rest.items()},
    }
