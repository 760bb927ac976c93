"""`audit`: from a response model to how far every p-value and interval can be trusted on such data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

from howsure import _check, _json, _matrices, _random, models
from howsure.auditing import estimators as choices
from howsure.auditing.asked import (
    about_resamples,
    as_design,
    as_scheme,
    can_split,
    check_cluster,
    has_raters,
    metric_entries,
    model_entry,
    of_clusters,
    pairs_of,
    some,
    strengths_of,
)
from howsure.auditing.audits import Audit, rows_of
from howsure.auditing.cell import check_model, measure, read_model
from howsure.errors import ArgumentError, DataError
from howsure.metrics import Metric
from howsure.models import PERTURBATIONS, ResponseModel
from howsure.nulls import NULLS, RANDOM_EFFECTS
from howsure.provenance import Provenance
from howsure.raters.design import design_of
from howsure.resampling import Scheme
from howsure.response_tables import ResponseTable
from howsure.sweeps import Grid, Store, Sweep, run

SCHEMES = (Scheme("bootstrap", "all"), Scheme("bootstrap", "bootstrap"))
DESIGNS = ((100, 5),)
EPSILONS = (0.1,)
N_SIMULATIONS, N_RESAMPLES, N_FRESH = 1000, 399, 2000
MOST = 1_000_000
"""Data sets, draws and simulations are counted in memory."""


@_matrices.on_one_thread
def audit(
    model: str | ResponseModel,
    *,
    metrics: Sequence[str | Metric] | None = None,
    schemes: Sequence[Scheme | tuple[str, str]] = SCHEMES,
    nulls: Sequence[str] = choices.DEFAULTS,
    tests: Sequence[str] = choices.ANALYTICAL,
    intervals: Sequence[str] = choices.DEFAULT_INTERVALS,
    designs: Sequence[tuple[int, int]] = DESIGNS,
    epsilons: Sequence[float] = EPSILONS,
    epsilon_a: float = 0.0,
    perturbation: str | None = None,
    different_errors: bool = True,
    cluster: str | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_simulations: int = N_SIMULATIONS,
    n_resamples: int = N_RESAMPLES,
    n_fresh: int = N_FRESH,
    rng: _random.Rng = None,
    workers: int | None = None,
    store: Store | str | PathLike[str] | None = None,
    progress: Callable[[Any], object] | None = None,
) -> Audit:
    """Measure how far each p-value and interval can be trusted on data like these.

    Parameters
    ----------
    model : str or ResponseModel
        What data are like: a preset, a model file, a model (`howsure.models.fit` makes one from pilot data) or a class
        of your own. Where its tables have raters who judge several items, the test that `compare` then uses,
        random-effects, is audited too.
    metrics : sequence of str or Metric, optional
        By default mean absolute error for numbers and ratings, accuracy and total variation for labels.
    schemes : sequence of Scheme or (items, responses)
        What a resample draws anew.
    nulls : sequence of str
        Combinations with a scheme that have no meaning are not audited, and a note says which. Pooled responses that
        are all kept (LEADER's "(bootstrap_items, all)") appear under their true name, bootstrap-sign.
    tests : sequence of {"paired-t", "wilcoxon"}
        Tests of the item advantages, for metrics that have them.
    intervals : sequence of {"percentile", "basic", "bca", "studentised", "symmetric", "score", "t"}
        Each where it has a meaning: "score" where item advantages are signs (accuracy, wins), "studentised",
        "symmetric" and "t" (Student's, of the item advantages) for metrics with item scores.
    designs : sequence of (items, responses per item)
    epsilons : sequence of float
        How far B is from gold. 0 is always audited: there A and B answer alike, and every rejection is an error.
    epsilon_a : float
        How far A is from gold. Where B is as far, neither is better, and this is audited as a true null of its own.
    perturbation : str, optional
        In which way B is worse; the model's own by default.
    different_errors : bool
        Also audit the second true null, where A and B are equally good but err on different items.
    cluster : str, optional
        The column of the model's tables that groups items; they are then resampled together.
    alpha, confidence_level : float
        The significance level of the tests, and the confidence level of the intervals.
    n_simulations, n_resamples, n_fresh : int
        Simulated data sets of each type; resamples of each; fresh data sets for the true p and the expected advantage.
    rng : int, SeedSequence, Generator or None
    workers : int, optional
        Threads; one per core by default. The result does not depend on it.
    store : path, optional
        Keep finished grid points in this file, and go on from it next time.
    progress : callable, optional
        Told the counts of finished grid points.

    Returns
    -------
    Audit

    Examples
    --------
    >>> found = audit("normal", designs=[(20, 2)], n_simulations=5, n_resamples=39, n_fresh=100, rng=0)
    >>> sorted({row.truth for row in found.tests})
    ['B worse', 'different errors', 'same']
    """
    grid, notes = plan(
        model, metrics=metrics, schemes=schemes, nulls=nulls, tests=tests, intervals=intervals,
        designs=designs, epsilons=epsilons, epsilon_a=epsilon_a, perturbation=perturbation,
        different_errors=different_errors, cluster=cluster, alpha=alpha, confidence_level=confidence_level,
        n_simulations=n_simulations, n_resamples=n_resamples, n_fresh=n_fresh,
    )  # fmt: skip
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


def plan(
    model: str | ResponseModel,
    *,
    metrics: Sequence[str | Metric] | None = None,
    schemes: Sequence[Scheme | tuple[str, str]] = SCHEMES,
    nulls: Sequence[str] = choices.DEFAULTS,
    tests: Sequence[str] = choices.ANALYTICAL,
    intervals: Sequence[str] = choices.DEFAULT_INTERVALS,
    designs: Sequence[tuple[int, int]] = DESIGNS,
    epsilons: Sequence[float] = EPSILONS,
    epsilon_a: float = 0.0,
    perturbation: str | None = None,
    different_errors: bool = True,
    cluster: str | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_simulations: int = N_SIMULATIONS,
    n_resamples: int = N_RESAMPLES,
    n_fresh: int = N_FRESH,
    only: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[str, Sequence[str]] | None = None,
) -> tuple[Grid, tuple[str, ...]]:
    """Check the parameters of `audit` and return the grid points to compute, one for each design and ε, and notes.

    For schemes written items/responses, `only` names the metrics to which they are confined, and `beside` nulls that
    are audited with them alone; different errors are then audited with these schemes alone.
    """
    described = models.resolve(model)
    names = metric_entries(metrics, described)
    pairs, notes = pairs_of(
        [as_scheme(scheme) for scheme in some("schemes", schemes)],
        [_check.one_of("nulls", null, NULLS) for null in nulls],
        beside or {},
    )
    if cluster is not None:
        check_cluster(described, cluster)
        pairs, about_clusters = of_clusters(pairs)
        notes += about_clusters
    if has_raters(described):
        pairs.append((("bootstrap", "all", "random"), [RANDOM_EFFECTS.name]))
    strengths = strengths_of(epsilons, epsilon_a)
    if perturbation is not None:
        _check.one_of("perturbation", perturbation, [name for name in PERTURBATIONS if name != "split"])
    for strength in strengths:
        check_model(described, (epsilon_a, strength) if strength else 0.0, perturbation if strength else None)
    split, about_split = can_split(described, strengths[-1]) if different_errors else (False, ())
    shared = {
        "model": model_entry(described),
        "perturbation": perturbation,
        "split": sorted(beside) if split and beside else split,
        "metrics": names,
        "pairs": pairs,
        "tests": [_check.one_of("tests", name, choices.ANALYTICAL) for name in tests],
        "intervals": [_check.one_of("intervals", name, choices.INTERVALS) for name in intervals],
        "alpha": _check.fraction("alpha", alpha),
        "confidence_level": _check.fraction("confidence_level", confidence_level),
        "n_simulations": _check.integer("n_simulations", n_simulations, at_least=2, at_most=MOST),
        "n_resamples": _check.integer("n_resamples", n_resamples, at_least=19, at_most=MOST),
        "n_fresh": _check.integer("n_fresh", n_fresh, at_least=2, at_most=MOST),
    }
    confined = {scheme: list(names) for scheme, names in (only or {}).items()}
    given = {"epsilon_a": epsilon_a, "cluster": cluster, "only": confined}
    shared |= {name: value for name, value in given.items() if value}
    if not any(nulls for _, nulls in pairs) and not shared["tests"]:
        raise ArgumentError("no p-value is left to audit; give `nulls` that go with the schemes, or `tests`.")
    cells = [
        {"n_items": n, "n_responses": k, "epsilon": epsilon, **shared}
        for n, k in dict.fromkeys(as_design(design) for design in some("designs", designs))
        for epsilon in strengths
    ]
    return Grid(cells), (*notes, *about_split, *about_resamples(n_resamples, alpha))


USUAL = {
    "perturbation": None,
    "split": True,
    "tests": choices.ANALYTICAL,
    "intervals": choices.DEFAULT_INTERVALS,
    "alpha": 0.05,
    "confidence_level": 0.95,
    "n_fresh": N_FRESH,
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
