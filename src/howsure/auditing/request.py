"""What an audit is asked: `AuditRequest` holds every setting, checked; `grid_of` makes grid points of a study of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from howsure import _check, _json, models
from howsure.auditing import estimators
from howsure.auditing.grid_point import check_model, own
from howsure.errors import ArgumentError, DataError
from howsure.metrics import Metric, entry_of, resolve
from howsure.models import PERTURBATIONS, ResponseModel
from howsure.nulls import NULLS, RANDOM_EFFECTS
from howsure.raters.design import design_of, rated
from howsure.resampling import Scheme
from howsure.sweeps import Grid

SCHEMES = (Scheme("bootstrap", "all"), Scheme("bootstrap", "bootstrap"))
MOST = 1_000_000
"""Data sets, draws and simulations are counted in memory."""

NOT_AUDITED = "Not audited"
"""How notes on combinations without a meaning begin."""


@dataclass(frozen=True, kw_only=True)
class AuditRequest:
    """Everything that decides an audit, apart from the model of the data.

    Attributes
    ----------
    metrics : sequence of str or Metric, or None
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
    perturbation : str or None
        In which way B is worse; the model's own by default.
    different_errors : bool
        Also audit the second true null, where A and B are equally good but err on different items.
    cluster : str or None
        The column of the model's tables that groups items; they are then resampled together.
    alpha, confidence_level : float
        The significance level of the tests, and the confidence level of the intervals.
    n_simulations, n_resamples, n_fresh : int
        Simulated data sets of each type; resamples of each; fresh data sets for the true p and the expected advantage.
    only : mapping of scheme to metric names
        Schemes, written items/responses, that are confined to some metrics.
    beside : mapping of scheme to nulls
        Nulls that are audited with one scheme alone; different errors are then audited with these schemes alone.

    Examples
    --------
    >>> AuditRequest(epsilons=[0.3, 0.1], n_simulations=50).epsilons
    (0.0, 0.1, 0.3)
    """

    metrics: Sequence[str | Metric] | None = None
    schemes: Sequence[Scheme | tuple[str, str]] = SCHEMES
    nulls: Sequence[str] = estimators.DEFAULTS
    tests: Sequence[str] = estimators.ANALYTICAL
    intervals: Sequence[str] = estimators.DEFAULT_INTERVALS
    designs: Sequence[tuple[int, int]] = ((100, 5),)
    epsilons: Sequence[float] = (0.1,)
    epsilon_a: float = 0.0
    perturbation: str | None = None
    different_errors: bool = True
    cluster: str | None = None
    alpha: float = 0.05
    confidence_level: float = 0.95
    n_simulations: int = 1000
    n_resamples: int = 399
    n_fresh: int = 2000
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    beside: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked = {
            "schemes": tuple(_as_scheme(scheme) for scheme in _some("schemes", self.schemes)),
            "nulls": tuple(_check.one_of("nulls", null, NULLS) for null in self.nulls),
            "tests": tuple(_check.one_of("tests", name, estimators.TESTS) for name in self.tests),
            "intervals": tuple(_check.one_of("intervals", name, estimators.INTERVALS) for name in self.intervals),
            "designs": tuple(dict.fromkeys(_as_design(design) for design in _some("designs", self.designs))),
            "epsilons": tuple(_strengths_of(self.epsilons, self.epsilon_a)),
            "alpha": _check.fraction("alpha", self.alpha),
            "confidence_level": _check.fraction("confidence_level", self.confidence_level),
        }
        for name, least in (("n_simulations", 2), ("n_resamples", 19), ("n_fresh", 2)):
            checked[name] = _check.integer(name, getattr(self, name), at_least=least, at_most=MOST)
        if self.perturbation is not None:
            _check.one_of("perturbation", self.perturbation, [name for name in PERTURBATIONS if name != "split"])
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, request: "AuditRequest | None", settings: Mapping[str, Any]) -> "AuditRequest":
        """Make a request from its fields by name, or change those of another; an unknown name is an error."""
        known = [part.name for part in fields(cls)]
        for name in settings:
            if name not in known:
                raise ArgumentError(f"`{name}` is not a setting of an audit.{_check.nearest(name, known)}")
        return cls(**settings) if request is None else replace(request, **settings)


def grid_of(
    model: str | ResponseModel, request: AuditRequest | None = None, **settings: Any
) -> tuple[Grid, tuple[str, ...]]:
    """Return the grid points that a request for a model comes to, one for each design and ε, and notes."""
    asked, described = AuditRequest.of(request, settings), models.resolve(model)
    metrics = _metric_entries(asked.metrics, described)
    pairs, notes = _pairs_of(asked)
    if asked.cluster is not None:
        _check_cluster(described, asked.cluster)
        pairs, about_clusters = _of_clusters(pairs)
        notes += about_clusters
    if _has_raters(described):
        pairs.append((("bootstrap", "all", "random"), [RANDOM_EFFECTS.name]))
    for strength in asked.epsilons:
        strengths = (asked.epsilon_a, strength) if strength else 0.0
        check_model(described, strengths, asked.perturbation if strength else None)
    split, about_split = _can_split(described, asked.epsilons[-1]) if asked.different_errors else (False, ())
    if not any(nulls for _, nulls in pairs) and not asked.tests:
        raise ArgumentError("no p-value is left to audit; give `nulls` that go with the schemes, or `tests`.")
    same = ("perturbation", "alpha", "confidence_level", "n_simulations", "n_resamples", "n_fresh")
    shared = {name: getattr(asked, name) for name in same} | {
        "model": _model_entry(described),
        "split": sorted(asked.beside) if split and asked.beside else split,
        "metrics": metrics,
        "pairs": pairs,
        "tests": list(asked.tests),
        "intervals": list(asked.intervals),
    }
    confined = {scheme: list(names) for scheme, names in asked.only.items()}
    given = {"epsilon_a": asked.epsilon_a, "cluster": asked.cluster, "only": confined}
    shared |= {name: value for name, value in given.items() if value}
    points = [
        {"n_items": n, "n_responses": k, "epsilon": epsilon, **shared}
        for n, k in asked.designs
        for epsilon in asked.epsilons
    ]
    return Grid(points), (*notes, *about_split, *_about_resamples(asked.n_resamples, asked.alpha))


def _metric_entries(metrics: Sequence[str | Metric] | None, model: ResponseModel) -> list[str | dict[str, Any]]:
    """Return the metrics as a cell knows them, which is computed wherever the sweep runs."""
    if metrics is None:
        return ["accuracy", "tv"] if model.scale.kind == "nominal" else ["mae"]
    names: dict[str, str | dict[str, Any]] = {}
    for metric in _some("metrics", metrics):
        found = resolve(metric)
        if found.on(model.scale).gold_free:
            raise ArgumentError(f"metric {found.name!r} looks at ratings without gold; response models simulate gold.")
        known = entry_of(found) or own(found)
        if names.setdefault(found.name, known) != known:
            raise ArgumentError(f"two of the `metrics` are called {found.name!r}; give each a name of its own.")
    return list(names.values())


def _model_entry(model: ResponseModel) -> Any:
    """Return what a cell knows the model by: its parameters, or a name for one of the user's own."""
    entry = _json.plain(model.to_dict())
    try:
        again = models.from_dict(entry)
    except (ArgumentError, DataError):
        return own(model)
    return entry if type(again) is type(model) else own(model)


def _has_raters(model: ResponseModel) -> bool:
    """Say whether the model's tables have raters who judge several items."""
    contest = model.table(4, 2, rng=0).contest(gold="gold", a="A", b="B")
    roles = rated(contest)
    return bool(roles) and design_of(*(contest.sources[role] for role in roles)).kind != "nested"


def _check_cluster(model: ResponseModel, cluster: str) -> None:
    """Refuse a column that the model's tables do not have, before any cell is computed."""
    groups = model.table(4, 1, rng=0).contest(gold="gold", a="A", b="B").groups
    if cluster not in groups:
        has = f"they have {', '.join(groups)}" if groups else "they have no such columns"
        raise ArgumentError(f"`cluster` must be a column of the tables that the model simulates; {has}.")


def _pairs_of(request: AuditRequest) -> tuple[list[tuple[tuple[str, ...], list[str]]], tuple[str, ...]]:
    """Return which nulls each scheme is audited with, and notes on what was not."""
    schemes: Sequence[Scheme] = request.schemes  # type: ignore[assignment]  # checked
    kept: dict[tuple[str, ...], list[str]] = {estimators.words(scheme): [] for scheme in schemes}
    notes = []
    for scheme in schemes:
        nulls = dict.fromkeys([*request.nulls, *request.beside.get(estimators.write(scheme), ())])
        for _, null, reason in estimators.pairs([scheme], list(nulls)):
            if reason:
                notes.append(f"{NOT_AUDITED}: {null} with {estimators.write(scheme)} ({reason.rstrip('.')}).")
            else:
                kept[estimators.words(scheme)].append(null)
    return list(kept.items()), tuple(notes)


def _of_clusters(
    pairs: Sequence[tuple[tuple[str, ...], list[str]]],
) -> tuple[list[tuple[tuple[str, ...], list[str]]], tuple[str, ...]]:
    """Return what can be computed where whole clusters are resampled, and a note on what cannot."""
    kept, gone = [], []
    for words, nulls in pairs:
        whole = [null for null in nulls if words == ("bootstrap", "all") and NULLS[null].clusters]
        gone += [f"{null} with {'/'.join(words)}" for null in nulls if null not in whole]
        if whole or words == ("bootstrap", "all"):
            kept.append((words, whole))
    return kept, ((f"Not audited, because whole clusters are resampled: {', '.join(gone)}.",) if gone else ())


def _as_scheme(scheme: Scheme | tuple[str, str]) -> Scheme:
    """Return a scheme, or the one that two words name."""
    try:
        found = scheme if isinstance(scheme, Scheme) else estimators.scheme_of(*scheme)
    except (TypeError, ValueError):
        raise ArgumentError(
            "`schemes` must be pairs of items (all or bootstrap) and responses (all, first, one or bootstrap); "
            f"got {scheme!r}."
        ) from None
    if found.raters != "fixed":
        raise ArgumentError(f"`schemes` must be pairs of items and responses; got {found}.")
    if found.items == "all" and estimators.keeps_responses(found):
        raise ArgumentError(f"`schemes` must resample something; got {found}.")
    return found


def _as_design(design: tuple[int, int]) -> tuple[int, int]:
    """Return the numbers of items and responses, checked."""
    try:
        n_items, n_responses = design
        return _check.integer("n_items", n_items, at_least=2), _check.integer("n_responses", n_responses, at_least=1)
    except (TypeError, ValueError):  # an ArgumentError is a ValueError
        raise ArgumentError(
            f"`designs` must be pairs of items (2 or more) and responses per item (1 or more); got {design!r}."
        ) from None


def _strengths_of(epsilons: Sequence[float], epsilon_a: float) -> list[float]:
    """Return the ε of B in order; 0 and that of A are always among them, because type-I error is measured there."""
    _check.real("epsilon_a", epsilon_a, at_least=0, at_most=1)
    found = sorted({0.0, epsilon_a, *(_check.real("epsilons", each, at_least=0, at_most=1) for each in epsilons)})
    between = [each for each in found if 0 < each < epsilon_a]
    if between:
        raise ArgumentError(
            f"`epsilon` must be at least `epsilon_a`, {epsilon_a:g}, because B is the one that may be worse; got "
            f"{between[0]:g}."
        )
    return found


def _can_split(model: ResponseModel, epsilon: float) -> tuple[bool, tuple[str, ...]]:
    """Return whether A and B can err on different items, and a note where they cannot."""
    if epsilon == 0:
        return False, (
            "Without an ε above 0 there is neither power nor the second true null, different errors; add one.",
        )
    try:
        check_model(model, epsilon, "split")
    except ArgumentError as error:
        return False, (f"The second true null, different errors, was not audited: {error}",)
    return True, ()


def _about_resamples(n_resamples: int, alpha: float) -> tuple[str, ...]:
    """Return a note where resamples cannot reach the level: a two-sided p is a multiple of 2 / (resamples + 1)."""
    attainable = 2 / (n_resamples + 1) * math.floor(alpha / 2 * (n_resamples + 1) * (1 + 1e-9))
    if attainable > 0.99 * alpha:
        return ()
    between = f"{100 * attainable:.3g} and {100 * alpha:g}%"
    return (
        f"With {n_resamples:,} resamples no p-value lies between {between}: resampling tests reject less often than "
        f"nominal and lose power. Use `n_resamples` {math.ceil(20 / alpha) - 1}.",
    )


def _some(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the values; none at all are refused."""
    if isinstance(values, str) or not len(values):
        raise ArgumentError(f"`{name}` must be a list with at least one entry; got {values!r}.")
    return values
