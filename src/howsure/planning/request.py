"""What is asked: `PlanRequest` holds every setting of a plan, and `Scenario` puts it together with a response model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from howsure import _check, _random
from howsure.errors import ArgumentError
from howsure.metrics import Metric, resolve
from howsure.models import ResponseModel
from howsure.models import resolve as resolve_model
from howsure.models.base import check_sizes
from howsure.planning.designs import Costs, Responses
from howsure.planning.engines.decisions import ON_ADVANTAGES, Test

ENGINES = ("auto", "exact", "monte-carlo")
PILOT_MODELS = ("auto", "smoothed", "fitted", "empirical")
RATERS = ("random", "fixed")
LAYOUTS = ("list", "matrix")
"""How the designs of a plan are shown: one after another, or items against responses."""

MOST_ITEMS = 100_000
"""The most items of a design that is searched for."""

LARGEST_STUDY = 10_000_000
"""The most items or raters of any design: one data set of these still fits into memory."""

COUNTED = (
    ("n_items", 1, LARGEST_STUDY),
    ("n_raters", 2, LARGEST_STUDY),
    ("raters_per_item", 1, LARGEST_STUDY),
    ("follow_up", 1, LARGEST_STUDY),
)
"""Fields that are lists of counts, with the least and the most that each may be."""

REFERENCE_RESPONSES = 5
"""Responses of gold, A and B behind a difference that is named for a response model: as many as `simulate` draws by
default. A pilot, or gold alone, has its own numbers."""

DEFAULT_TEST = "sign-flip"
"""The default test of `compare`."""

NO_DIFFERENCE = "No study can detect a difference of 0. Specify the difference to detect with `difference`."
GIVEN_TWICE = "Specify the difference to detect once: `difference`, `accuracy_points`, `win_rate` or `epsilon`."


@dataclass(frozen=True)
class Effect:
    """A difference between A and B, as an advantage of some metric (not necessarily the plan's).

    An advantage above 0 means that A is better. Below 0 it can only be planned for from a pilot. `words` say it as it
    was given.

    Examples
    --------
    >>> Effect.win_rate(0.55).advantage
    0.1
    >>> Effect.accuracy_points(2).advantage
    0.02
    """

    metric: Metric
    advantage: float
    words: str = ""

    def __post_init__(self) -> None:
        if _check.real("difference", self.advantage) == 0:
            raise ArgumentError(NO_DIFFERENCE)

    @classmethod
    def win_rate(cls, share: float) -> "Effect":
        """Return the effect that A is better on this share of the items, ties counted half."""
        share = _check.real("win_rate", share, at_least=0.5, at_most=1)
        return cls(resolve("wins"), round(2 * share - 1, 12), f"a win rate of {share:g}")

    @classmethod
    def accuracy_points(cls, points: float) -> "Effect":
        """Return the effect that A's accuracy is this many percentage points higher."""
        share = round(_check.real("accuracy_points", points, at_most=100) / 100, 12)
        return cls(resolve("accuracy"), share, f"a difference of {points:g} percentage points in accuracy")

    @property
    def in_words(self) -> str:
        """The difference as it was given."""
        return self.words or f"a difference of {self.advantage:g} in {self.metric.name}"


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """Everything that decides a plan, apart from the data or model that it is made from.

    Fields that hold several values also take one, or None for none; all are checked and become tuples.

    Attributes
    ----------
    metrics : tuple of str or Metric
        The first decides. Empty for the default: accuracy for labels, rating without gold, else mae.
    epsilon : tuple of float
        How far B is from gold; or
    effect : Effect or None
        the difference as an advantage, in accuracy points or as a win rate. With a model, ε follows from it; with a
        pilot, A and B are exchanged on a share of its items. Leave both out only with a pilot: the plan is then for the
        lower 80% limit of its own difference.
    epsilon_a : float
        How far A is from gold.
    perturbation : str or None
        How B is moved away from gold; by default as the model does it.
    n_items : tuple of int
    n_responses : tuple
        Responses per item, each one number or three for gold, A and B. One number is gold's: A and B then have the
        numbers of `reference_responses`, the same in every design. It is the number of each model's responses with
        raters, and where there is no gold.
    reference_responses : int or tuple of int, or None
        Responses per item of gold, A and B with which the difference is measured. The default is the pilot's own
        numbers, those of gold where there is gold alone, and 5 for a response model.
    n_raters, raters_per_item : tuple of int
        Plan raters, from a pilot with rater ids: how many, and how many of them judge each item. Several are tried
        where none are given.
    nested : bool
        Every rater judges one item only; `raters_per_item` is then the number of raters.
    raters : {"random", "fixed"} or None
        Whether raters are a random factor of the study's test. By default as `compare` would have it: random if five
        or more raters judged several items each. Pilots without gold are always planned with their raters.
    budget : tuple of float
        What a study may cost.
    costs : Costs
        The default counts the responses of people, so that `budget` is N × K.
    target_power, target_p, target_width : float or None
        Take the cheapest design that has this power, this expected p, or this interval width, within the budget if
        there is one. The default is power 0.8 if neither designs nor a budget are given.
    spend : bool
        Spend the whole budget, and take the fewest responses per item that reach the target.
    follow_up : tuple of int
        From a pilot: what this many more responses are best spent on.
    detectable : bool
        Also say the smallest advantage that each design finds with the target power (0.8 if there is none).
    max_items : int
        The most items that a search may end with.
    cluster : str or None
        An item column of the pilot, such as "document": items that share its value are not independent.
    response_model : {"auto", "smoothed", "fitted", "empirical"}
        How gold's responses of a pilot are modelled where `epsilon` is given.
    layout : {"list", "matrix"}
        How the plan shows its designs: one after another, or items against responses.
    test : tuple of str, or None
        Tests whose power is computed (`TESTS`); None leaves power out.
    alpha : float
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float
    engine : {"auto", "exact", "monte-carlo"}
    n_simulations : int or None
        Simulated studies of each design, with the Monte-Carlo engine; by default as many as the precision needs.
    precision : float
        Of expected p-values between .01 and .2, and of what simulated items add to the error of the power.
    resample_simulated : bool
        Bootstrap the items of every simulated data set, to replicate RATINGS.
    rng : int, SeedSequence, Generator or None

    Examples
    --------
    >>> PlanRequest(metrics="mae", n_items=[50, 100, 50], budget=None).n_items
    (50, 100)
    """

    metrics: tuple[str | Metric, ...] = ()
    epsilon: tuple[float, ...] = ()
    effect: Effect | None = None
    epsilon_a: float = 0.0
    perturbation: str | None = None
    n_items: tuple[int, ...] = ()
    n_responses: tuple[Responses, ...] = ()
    reference_responses: Responses | None = None
    n_raters: tuple[int, ...] = ()
    raters_per_item: tuple[int, ...] = ()
    nested: bool = False
    raters: str | None = None
    budget: tuple[float, ...] = ()
    costs: Costs = field(default_factory=Costs)
    target_power: float | None = None
    target_p: float | None = None
    target_width: float | None = None
    spend: bool = False
    follow_up: tuple[int, ...] = ()
    detectable: bool = False
    max_items: int = MOST_ITEMS
    cluster: str | None = None
    response_model: str = "auto"
    layout: str = "list"
    test: tuple[str, ...] | None = (DEFAULT_TEST,)
    alpha: float = 0.05
    alternative: str = "two-sided"
    confidence_level: float = 0.95
    engine: str = "auto"
    n_simulations: int | None = None
    precision: float = 0.005
    resample_simulated: bool = False
    rng: _random.Rng = None

    def __post_init__(self) -> None:
        for name, low, most in COUNTED:
            self._list(name, partial(_check.integer, name, at_least=low, at_most=most))
        self._list("epsilon", partial(_check.real, "epsilon", at_least=0, at_most=1))
        self._list("budget", partial(_check.real, "budget", at_least=0))
        self._set("budget", tuple(sorted(self.budget)))
        # Responses are checked where it is known what they are of: three sources, gold alone, or both models.
        self._list("n_responses")
        several = not isinstance(self.metrics, str | Metric)
        self._set("metrics", tuple(self.metrics or ()) if several else (self.metrics,))
        if self.test is not None:
            if not self.test:
                raise ArgumentError("`test` must name at least one test, or be None; got none.")
            self._list("test")
        elif self.target_power is not None:
            raise ArgumentError("a target power needs a test; leave `test=none` out.")
        self._set("costs", self.costs or Costs())
        self._set("epsilon_a", _check.real("epsilon_a", self.epsilon_a, at_least=0, at_most=1))
        self._set("max_items", _check.integer("max_items", self.max_items, at_least=1, at_most=LARGEST_STUDY))
        for name in ("alpha", "confidence_level", "precision"):
            self._set(name, _check.fraction(name, getattr(self, name)))
        if self.raters is not None:
            _check.one_of("raters", self.raters, RATERS)
        for name, words in (("engine", ENGINES), ("response_model", PILOT_MODELS), ("layout", LAYOUTS)):
            _check.one_of(name, getattr(self, name), words)
        if self.n_simulations is not None:
            _check.integer("n_simulations", self.n_simulations, at_least=2)
        if self.resample_simulated and self.engine == "exact":
            raise ArgumentError("`resample_simulated` needs `engine='monte-carlo'`; got 'exact'.")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _list(self, name: str, checked: Callable[[Any], Any] | None = None) -> None:
        """Turn one value, several or None into a tuple of (checked) values, each once."""
        asked = getattr(self, name)
        asked = () if asked is None else asked
        values = [asked] if isinstance(asked, str) or not isinstance(asked, Iterable) else list(asked)
        # An empty list is a slip, as of a loop that found nothing; the empty tuple is the default.
        if not values and not isinstance(asked, tuple):
            raise ArgumentError(f"`{name}` must name at least one number; got none.")
        self._set(name, tuple(dict.fromkeys(map(checked, values) if checked else values)))

    @classmethod
    def of(cls, settings: dict[str, Any]) -> "PlanRequest":
        """Make a request from its fields by name; an unknown name is an error."""
        known = [part.name for part in fields(cls)]
        for name in settings:
            if name not in known:
                raise ArgumentError(f"`{name}` is not a setting of a plan.{_check.nearest(name, known)}")
        return cls(**settings)

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """The tests; the default of `compare` where power is left out, which says what can be rejected at all."""
        return tuple(Test(name, self.alpha, self.alternative) for name in self.test or (DEFAULT_TEST,))

    @property
    def with_power(self) -> bool:
        """Whether the power of the tests is computed."""
        return self.test is not None

    @property
    def plans_raters(self) -> bool:
        """Whether the number of raters was asked to be part of the designs."""
        return self.raters == "random" or self.nested or bool(self.n_raters or self.raters_per_item)

    @property
    def difference(self) -> str:
        """The name of the difference behind a plan from a pilot: from the pilot's own, if none is given."""
        return "pilot" if self.effect is None else f"{self.effect.metric.name} {self.effect.advantage:g}"

    def with_metrics(self, kind: str, *, gold: bool = True) -> "PlanRequest":
        """Return the request with the default metric for this kind of scale, if it names none."""
        return self if self.metrics else replace(self, metrics=(default_metric(kind, gold=gold),))


def default_metric(kind: str, *, gold: bool = True) -> str:
    """Return the metric that a plan uses where none is named."""
    return "accuracy" if kind == "nominal" else "mae" if gold else "rating"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A request together with the response model that answers, and with one difference between A and B.

    Attributes
    ----------
    request : PlanRequest
    model : ResponseModel
    metrics : tuple of Metric
        On the model's scale; the first decides.
    epsilon : float or None
        How far B is from gold; None where the model has real answers of A and B.
    perturbation : str or None
    seed : SeedSequence
    workers : int

    Examples
    --------
    >>> Scenario.of("normal", PlanRequest(metrics="mae", rng=0)).at(0.3).strengths
    (0.0, 0.3)
    """

    request: PlanRequest
    model: ResponseModel
    metrics: tuple[Metric, ...]
    epsilon: float | None = None
    perturbation: str | None
    seed: np.random.SeedSequence
    workers: int

    @classmethod
    def of(cls, model: Any, request: PlanRequest, *, workers: int | None = None) -> "Scenario":
        """Resolve the names of a request for a model (or its name), and draw a seed if none is given."""
        described: ResponseModel = resolve_model(model)
        metrics = tuple(
            resolve(metric).on(described.scale) for metric in request.with_metrics(described.scale.kind).metrics
        )
        return cls(
            request=request,
            model=described,
            metrics=metrics,
            perturbation=request.perturbation or _rating_direction(described, metrics),
            seed=_random.replayable(request.rng),
            workers=_random.n_workers(workers),
        )

    def at(self, epsilon: float | None) -> "Scenario":
        """Return the same for another difference."""
        return replace(self, epsilon=epsilon)

    @property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return [metric.name for metric in self.metrics]

    @property
    def reference(self) -> tuple[int, int, int]:
        """Responses of gold, A and B with which a named difference is measured, whatever designs are planned."""
        return check_sizes(self.request.reference_responses or REFERENCE_RESPONSES)

    @property
    def strengths(self) -> tuple[float, float]:
        """How far A and B are from gold."""
        return self.request.epsilon_a, self.epsilon or 0.0

    @property
    def simulates(self) -> bool:
        """Whether data sets are simulated and scored by NumPy: threads then share them."""
        request = self.request
        exact = request.engine != "monte-carlo" and all(metric.additive for metric in self.metrics)
        if exact and not (request.with_power and any(test.name not in ON_ADVANTAGES for test in request.tests)):
            return False
        return all(getattr(metric, "vectorized", True) for metric in self.metrics)


def _rating_direction(model: ResponseModel, metrics: tuple[Metric, ...]) -> str | None:
    """Return how B is worse where no gold says what is right: its ratings are lower, or higher if those are better."""
    if not any(metric.gold_free for metric in metrics):
        return None
    if not all(metric.gold_free for metric in metrics):
        raise ArgumentError("plan metrics with gold and without it separately: B is worse in different ways.")
    if model.scale.kind == "nominal":
        raise ArgumentError(
            f"metric {metrics[0].name!r} needs ratings, and on a nominal scale nothing is higher or lower."
        )
    return "lower" if metrics[0].better == "higher" else "raise"
