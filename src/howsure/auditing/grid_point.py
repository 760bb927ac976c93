"""One grid point of an audit: a response model, a design and an ε; many data sets, every estimator on each.

ε = 0 is a true null: A and B answer from gold's own distribution ("same"). ε > 0 is two kinds of data: "B worse", where
power is measured, and the second true null, "different errors", where every item is wrong for A or for B by a fair
coin, so that they are equally good and err on different items. Where A is off, too, the same ε for B is a third
("equal errors").

What a grid point returns is flat and named "table|…|quantity", because a sweep stores numbers by name.
"""

import importlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from howsure import _json, _random, models
from howsure.auditing.estimators import (
    BOOTSTRAP_SIGN,
    EXPECTED,
    Estimates,
    Estimator,
    Estimators,
    kept,
    scheme_of,
    simulated,
    write,
)
from howsure.data.scales import FloatArray
from howsure.errors import ArgumentError
from howsure.inference import PValue, expected_pvalue
from howsure.metrics import Metric, metric_from
from howsure.models import ResponseModel, simulate_advantages
from howsure.models.base import Epsilon
from howsure.nulls.mixed_responses import PooledResponses
from howsure.sweeps import Parts, task

SAME, EQUAL, SPLIT, WORSE = "same", "equal errors", "different errors", "B worse"
TRUTHS = {
    SAME: "A and B answer from the same distribution",
    EQUAL: "A and B are equally far from gold, each in its own way",
    SPLIT: "A and B are equally good but err on different items",
    WORSE: "B is worse than A",
}
TESTS, INTERVALS, SMALLEST = "tests", "intervals", "smallest"
LEADER_NULLS = (PooledResponses.name, BOOTSTRAP_SIGN)
ITEMS, DRAWS = 2**14, 2**20
"""Data sets are analysed together that have at most so many items, and draws by all metrics and nulls (eight
megabytes)."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a design gives on average by one metric: the p-value and the advantage that estimators aim at."""

    pvalue: PValue
    advantage: float
    advantage_se: float


@dataclass(frozen=True, slots=True)
class DataDesign:
    """How data sets are simulated: items, responses per item, how far A and B are from gold, and in which way."""

    n_items: int
    n_responses: int
    epsilon: Epsilon
    perturbation: str | None = None


def true_values(
    model: ResponseModel,
    metrics: Sequence[Metric],
    design: DataDesign,
    *,
    n_simulations: int = 2000,
    rng: _random.Rng = None,
    workers: int = 1,
) -> list[Truth]:
    """Return the true p and the expected advantage of each metric, from fresh data sets of the design.

    The true p is LEADER's: P(advantage of null data ≥ advantage of data), where each response of null data is A's or
    B's by a fair coin.

    Examples
    --------
    >>> normal, mae = models.preset("normal"), metric_from("mae")
    >>> truth = true_values(normal, [mae], DataDesign(100, 5, 0.3), rng=0)[0]
    >>> truth.pvalue.pvalue < 0.05 < truth.advantage
    True
    """
    seed = _random.seed_of(rng)
    draws, null = (
        simulate_advantages(
            model, metrics, **asdict(design), null=null, n_simulations=n_simulations, rng=seed, workers=workers
        )
        for null in (False, True)
    )
    return [
        Truth(expected_pvalue(under_null, drawn), float(np.nanmean(drawn)), _standard_error(drawn))
        for under_null, drawn in zip(null, draws, strict=True)
    ]


AT = "own-class:"
"""Begins the name of a thing whose class can be imported and takes no parameters."""

OWN: dict[str, Any] = {}
"""Metrics and models of the user's own, by the name that a cell knows them by: they exist in this process only."""


def own(thing: Any) -> str:
    """Return the name that stands in cells for a metric or model that has none.

    It says where its class is, if that gives the thing again in any process; else the thing is remembered in this one.
    """
    place = f"{AT}{type(thing).__module__}:{type(thing).__qualname__}"
    try:
        if found_own(place) == thing:
            return place
    except (AttributeError, ImportError, TypeError):
        pass
    name = f"own:{type(thing).__qualname__}:{_json.digest(repr(thing))[:12]}"
    OWN[name] = thing
    return name


def found_own(name: str) -> Any:
    """Return what `own` named."""
    if name.startswith(AT):
        module, _, kind = name.removeprefix(AT).partition(":")
        found = getattr(importlib.import_module(module), kind)
        if not (isinstance(found, type) and issubclass(found, Metric | ResponseModel)):  # a study of somebody else's
            raise ArgumentError(f"{module}:{kind} is neither a metric nor a response model.")
        return found()
    if name not in OWN:
        raise ArgumentError(f"{name.split(':')[1]} is your own: only the process that audits it knows it.")
    return OWN[name]


@dataclass(frozen=True, slots=True)
class GridPoint:
    """What is computed at one grid point, read from the numbers and names that a study keeps.

    Attributes
    ----------
    model : ResponseModel
    n_items, n_responses : int
    epsilon, epsilon_a : float
        How far B and A are from gold.
    perturbation : str or None
    split : bool or tuple of str
        Whether different errors are audited, or with which schemes.
    estimators : Estimators
    alpha : float
    n_simulations, n_fresh : int
    """

    model: ResponseModel
    n_items: int
    n_responses: int
    epsilon: float
    epsilon_a: float
    perturbation: str | None
    split: bool | tuple[str, ...]
    estimators: Estimators
    alpha: float
    n_simulations: int
    n_fresh: int

    @classmethod
    def of(cls, cell: Mapping[str, Any]) -> "GridPoint":
        """Read a cell of the grid that `howsure.auditing.grid_of` makes."""
        model, split = read_model(cell["model"]), cell.get("split", True)
        return cls(
            model,
            cell["n_items"],
            cell["n_responses"],
            cell["epsilon"],
            cell.get("epsilon_a", 0.0),
            cell.get("perturbation"),
            split if isinstance(split, bool) else tuple(split),
            _estimators_of(cell, model),
            cell["alpha"],
            cell["n_simulations"],
            cell.get("n_fresh", 2000),
        )

    def kinds(self, seed: np.random.SeedSequence) -> list["Kind"]:
        """Return the kinds of data sets at this ε: what is true of A and B, and how they are simulated."""
        if self.epsilon == 0:
            return [self._kind(SAME, None, seed)]
        found = [self._kind(WORSE if self.epsilon > self.epsilon_a else EQUAL, self.perturbation, seed)]
        return [*found, self._kind(SPLIT, "split", seed)] if self.split else found

    def _kind(self, truth: str, perturbation: str | None, seed: np.random.SeedSequence) -> "Kind":
        strengths = (self.epsilon_a if truth in (EQUAL, WORSE) else 0.0, self.epsilon)
        design, estimators = DataDesign(self.n_items, self.n_responses, strengths, perturbation), self.estimators
        if truth == SPLIT and not isinstance(self.split, bool):
            chosen = tuple(pair for pair in estimators.pairs if write(pair[0]) in self.split)
            estimators = replace(estimators, pairs=chosen)
        return Kind(self, truth, _random.child(seed, truth), design, estimators)

    @property
    def parts(self) -> list[range]:
        """The numbers of the data sets of a kind that are analysed together, whatever the number of threads."""
        n, audited = self.n_simulations, self.estimators
        n_draws = audited.n_resamples * len(audited.metrics) * sum(1 + len(nulls) for _, nulls in audited.pairs)
        n_parts = -(-n // max(1, min(ITEMS // self.n_items, DRAWS // max(1, n_draws))))
        return [range(number * n // n_parts, (number + 1) * n // n_parts) for number in range(n_parts)]


@dataclass(frozen=True, slots=True)
class Kind:
    """The data sets of a grid point where one thing is true of A and B."""

    point: GridPoint
    truth: str
    stream: np.random.SeedSequence
    design: DataDesign
    estimators: Estimators

    def estimates(self, numbers: Sequence[int]) -> Estimates:
        """Return every estimate on the data sets of these numbers."""
        return self.estimators.on(simulated(self.point.model, self.stream, numbers, **asdict(self.design)))

    def known(self) -> dict[int, list[Truth]]:
        """Return what estimators aim at, by the number of responses per item.

        Where a draw has fewer of them, the true p is that of as many (LEADER's convention for K = 1).
        """
        k = self.design.n_responses
        sizes = {k, *(kept(scheme, k) for scheme, _ in self.estimators.pairs)}
        return {
            size: true_values(
                self.point.model,
                self.estimators.metrics,
                replace(self.design, n_responses=size),
                n_simulations=self.point.n_fresh,
                rng=_random.child(self.stream, "true", size),
            )
            for size in sizes
        }


@task(version=4, threaded=True)
def measure(cell: Mapping[str, Any], rng: np.random.Generator, threads: int = 1) -> Parts:
    """Audit estimators on simulated data sets of one design: the cells are made by `howsure.auditing.grid_of`."""
    point = GridPoint.of(cell)
    kinds = point.kinds(_random.seed_of(rng))
    parts = point.parts

    def summary(found: Sequence[Any]) -> dict[str, float]:
        values: dict[str, float] = {}
        for kind, start in zip(kinds, range(0, len(found), 1 + len(parts)), strict=True):
            known, *estimates = found[start : start + 1 + len(parts)]
            values |= dict(_summary(kind, Estimates.joined(estimates), known))
        return values

    calls: list[Callable[[], Any]] = []
    for kind in kinds:
        calls.append(kind.known)
        calls += [partial(kind.estimates, numbers) for numbers in parts]
    return Parts(calls, summary)


def read_model(entry: str | Mapping[str, Any]) -> ResponseModel:
    """Return the model of a cell: a preset's name, a model file (with its digest), or the parameters themselves."""
    if isinstance(entry, str):
        return found_own(entry) if entry.startswith(("own:", AT)) else models.resolve(entry)
    return models.load(entry["path"]) if "path" in entry else models.from_dict(dict(entry))


def _estimators_of(cell: Mapping[str, Any], model: ResponseModel) -> Estimators:
    """Return what a cell computes on every data set."""
    return Estimators(
        tuple(_metric(name).on(model.scale) for name in cell["metrics"]),
        tuple((scheme_of(*words), tuple(nulls)) for words, nulls in cell["pairs"]),
        cell.get("only", {}),
        tuple(cell.get("tests", ())),
        tuple(cell.get("intervals", ())),
        cell["n_resamples"],
        cell.get("confidence_level", 0.95),
        cell.get("cluster"),
    )


def _metric(entry: str | Mapping[str, Any]) -> Metric:
    return found_own(entry) if isinstance(entry, str) and entry.startswith(("own:", AT)) else metric_from(entry)


def _summary(kind: Kind, found: Estimates, known: Mapping[int, list[Truth]]) -> Iterator[tuple[str, float]]:
    truth, k = kind.truth, kind.design.n_responses
    places = {metric.name: i for i, metric in enumerate(kind.estimators.metrics)}
    sizes = {write(scheme): kept(scheme, k) for scheme, _ in kind.estimators.pairs}
    of_tests = {key: sizes.get(key.scheme, k) for key in found.tests}
    targets = [known[size][places[key.metric]].pvalue for key, size in of_tests.items()]
    errors: dict[Estimator, FloatArray] = {}
    rows = _test_rows(list(found.tests.values()), targets, kind.point.alpha)
    for (key, size), target, row in zip(of_tests.items(), targets, rows, strict=True):
        errors[key] = np.abs(found.tests[key][:, 0] - target.pvalue)
        start = "|".join((TESTS, truth, *key))
        yield from ((f"{start}|{name}", number) for name, number in ({"n_kept": size} | row).items())
    for which, ends in found.limits.items():
        goal = known[sizes[which.scheme]][places[which.metric]]
        # Exchanging A and B changes nothing where a null is true, so the expected advantage is exactly 0.
        goal = goal if truth == WORSE else Truth(goal.pvalue, 0.0, 0.0)
        start = "|".join((INTERVALS, truth, *which))
        yield from ((f"{start}|{name}", number) for name, number in _interval_row(ends, goal).items())
    for by, place in (("scheme", 1), ("metric", 0)):
        leader = [key for key in errors if key.null in LEADER_NULLS and key.pvalue == EXPECTED]
        for group in dict.fromkeys(key[place] for key in leader):
            members = np.stack([errors[key] for key in leader if key[place] == group])
            for name, number in _smallest_row(members).items():
                yield "|".join((SMALLEST, truth, by, group, name)), number


def _test_rows(answers: Sequence[FloatArray], targets: Sequence[PValue], alpha: float) -> Iterator[dict[str, float]]:
    """Yield what the (estimate, p) of every data set come to, for each estimator.

    Estimators that are defined on all data sets are summed up at once, the others one by one.
    """
    whole = [i for i, own in enumerate(answers) if not np.isnan(own).any()]
    together = _all_defined(np.array([answers[i] for i in whole]), [targets[i] for i in whole], alpha)
    for i, (own, target) in enumerate(zip(answers, targets, strict=True)):
        if i in whole:
            yield next(together)
            continue
        defined = own[~np.isnan(own).any(axis=1)]
        [row] = _all_defined(defined[np.newaxis], [target], alpha)
        yield row | {"undefined": len(own) - len(defined)}


def _all_defined(answers: FloatArray, targets: Sequence[PValue], alpha: float) -> Iterator[dict[str, float]]:
    """Yield the same for each of the (estimators, data sets, 2), none of which is undefined."""
    if not len(answers):
        return
    estimates, pvalues = np.ascontiguousarray(np.moveaxis(answers, 2, 0))
    errors = np.abs(estimates - np.array([[target.pvalue] for target in targets]))
    n = estimates.shape[1]
    nothing = np.full(len(answers), math.nan)
    columns = {
        "mean": estimates.mean(axis=1) if n else nothing,
        "spread": estimates.std(axis=1, ddof=1) if n > 1 else nothing,
        "absolute_error": errors.mean(axis=1) if n else nothing,
        "absolute_error_se": errors.std(axis=1, ddof=1) / math.sqrt(n) if n > 1 else nothing,
        "smallest_error": errors.min(axis=1) if n else nothing,
    }
    # The tolerance is for p-values that are equal to the level on paper.
    levels = {"rejected": alpha} | {f"below_{tenth}": alpha * tenth / 10 for tenth in range(1, 10)}
    counts = {name: np.count_nonzero(pvalues <= level * (1 + 1e-9), axis=1) for name, level in levels.items()}
    numbers = [dict(zip(columns, row, strict=True)) for row in np.array([*columns.values()]).T.tolist()]
    rejected = [dict(zip(counts, row, strict=True)) for row in np.array([*counts.values()]).T.tolist()]
    for target, averages, below in zip(targets, numbers, rejected, strict=True):
        yield {
            "true_pvalue": target.pvalue,
            "true_pvalue_se": target.standard_error,
            "true_pvalue_is_bound": target.is_bound,
            **averages,
            "n_data_sets": n,
            "undefined": 0,
            **below,
        }


def _interval_row(ends: FloatArray, goal: Truth) -> dict[str, float]:
    low, high = ends[~np.isnan(ends).any(axis=1)].T
    # An advantage on the edge of an interval differs from it by rounding only (wins and accuracy have steps).
    slack = 1e-12 * max(1.0, abs(goal.advantage))
    return {
        "advantage": goal.advantage,
        "advantage_se": goal.advantage_se,
        "n_data_sets": low.size,
        "undefined": ends.shape[0] - low.size,
        "covered": int(np.count_nonzero((low - slack <= goal.advantage) & (goal.advantage <= high + slack))),
        "width": float((high - low).mean()) if low.size else math.nan,
        "width_se": _standard_error(high - low),
    }


def _smallest_row(errors: FloatArray) -> dict[str, float]:
    """Return the smallest error among estimators, as LEADER's tables 1–4 have it, and the mean error beside it."""
    smallest = np.nanmin(np.where(np.isnan(errors), np.inf, errors), axis=0)
    return {
        "n": errors.shape[0],
        "smallest": float(smallest.mean()),
        "smallest_se": _standard_error(smallest),
        "mean": float(np.nanmean(errors)),
        "largest": float(np.nanmax(np.nanmean(errors, axis=1))),
    }


def _standard_error(numbers: FloatArray) -> float:
    kept = numbers[~np.isnan(numbers)]
    return float(kept.std(ddof=1) / math.sqrt(kept.size)) if kept.size > 1 else math.nan


def check_model(model: ResponseModel, epsilon: Epsilon, perturbation: str | None) -> None:
    """Draw one small data set, so that what a model cannot do is said before the audit and not in each cell."""
    model.draw(1, 2, n_responses=1, epsilon=epsilon, perturbation=perturbation, rng=0)
