"""The question which p-value and which interval can be trusted on data like these."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _check
from howsure._fields import like, option
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, cells_told, seed_option
from howsure.questions.compare import Compare
from howsure.questions.simulators import SimulatorFields
from howsure.questions.table_fields import MetricFields, TableFields, distinct, with_parameters

if TYPE_CHECKING:
    from howsure.auditing import Audit as AuditResult
    from howsure.auditing import AuditRequest, LeaderAudit
    from howsure.metrics import Metric
    from howsure.models import ResponseModel
    from howsure.sweeps import Grid, Sweep

DESIGNS = "Simulated data"
AUDITED = "Tests and intervals to audit"
PILOT = "Pilot data"
NONE = "none"
LEADER_EPSILONS = (0.0, 0.05, 0.1, 0.3, 0.7)

ASKED_AS = {"metric": "metrics", "scheme": "schemes", "null": "nulls", "test": "tests", "interval": "intervals"}
ASKED_AS |= {"epsilon": "epsilons"}
"""What a request calls the options that are lists."""

MOST_ITEMS, MOST_RESPONSES = 500, 20
"""Shapes up to which an audit simulates the table's own by default: a thousand data sets of 500 × 5 take a minute."""

FREE = {"paper", "n_simulations", "n_resamples", "n_fresh", "alpha", "confidence_level", "seed"}
"""Fields that a paper's preset leaves open."""


@dataclass(frozen=True, kw_only=True)
class Audit(TableFields, SimulatorFields, MetricFields, Question):
    """Estimate error rates and coverage of tests and intervals.

    Simulates data like yours, measures each test and interval on them, and recommends which to use.
    """

    name: ClassVar[str] = "audit"
    function: ClassVar[str] = "audit"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure audit likert-toxicity --metric mae --n-items 50 --n-simulations 100",
        "howsure audit ratings.csv --gold human --metric mae --n-simulations 100",
    )

    files: tuple[str, ...] = option(
        (),
        "Table of pilot responses, to which a model is fitted, model file (.json), or preset (howsure presets lists "
        "them).",
        suggested="howsure.models.presets:PRESETS",
        metavar="FILE",
        positional=True,
        also="Any",
    )
    metric: tuple[str, ...] = like(Compare, "metric")

    n_items: tuple[int, ...] = option(
        (),
        "Numbers of items: 50,100,200. Default: as in the table, 500 at most; 100 without a table.",
        at_least=2,
        at_most=_check.MOST_AUDITED,
        group=DESIGNS,
        common=True,
    )
    n_responses: tuple[int, ...] = option(
        (),
        "Responses per item: 1,5,10. Default: as in the table, 20 at most; 5 without a table.",
        at_least=1,
        at_most=_check.MOST_RESPONSES,
        group=DESIGNS,
        common=True,
    )
    epsilon: tuple[float, ...] = option(
        (),
        "Simulated degradation of B as a fraction of the scale; several with commas. 0 is always included. Default: "
        "0.1.",
        at_least=0,
        at_most=1,
        group=DESIGNS,
        common=True,
    )
    n_simulations: int | None = option(
        None,
        "Number of simulations of each type. Default: 1000.",
        at_least=2,
        at_most=1_000_000,
        group=DESIGNS,
        common=True,
    )
    n_resamples: int | None = option(
        None, "Number of resamples of each data set. Default: 399.", at_least=19, at_most=1_000_000, group=DESIGNS
    )
    n_fresh: int = option(
        2000,
        "Number of extra simulations for the true p and difference at each grid point.",
        at_least=2,
        at_most=1_000_000,
        group=DESIGNS,
    )

    scheme: tuple[str, ...] = option(
        ("bootstrap/all", "bootstrap/bootstrap"),
        "What is resampled, as items/responses; bootstrap/bootstrap:3 resamples three responses per item.",
        metavar="NAME",
        group=AUDITED,
    )
    null: tuple[str, ...] = option(
        ("sign-flip", "shifted-bootstrap", "permuted-responses", "pooled-responses"),
        "Null distributions; combinations with a scheme that are not defined are omitted.",
        choices="howsure.nulls:NULLS",
        group=AUDITED,
    )
    test: tuple[str, ...] = option(
        ("paired-t", "wilcoxon"),
        "Classical tests of the item differences, or none. paired-t-every-50 looks after every 50 items.",
        choices="howsure.auditing.estimators:ASKED_TESTS",
        group=AUDITED,
    )
    interval: tuple[str, ...] = option(
        ("percentile", "basic", "bca", "studentised", "symmetric", "score", "t"),
        "Types of confidence interval, or none.",
        choices="howsure.auditing.estimators:ASKED_INTERVALS",
        group=AUDITED,
    )
    alpha: float = option(0.05, "Significance level α of the tests.", fraction=True, group=AUDITED)
    confidence_level: float = option(0.95, "Confidence level of the intervals.", fraction=True, group=AUDITED)
    layout: str = option(
        "tests",
        "Which test and interval to use (tests), or metrics and sampling methods ranked by the error of their p-values "
        "(leader), as in the LEADER paper.",
        choices=("tests", "leader"),
        group=AUDITED,
        common=True,
    )
    paper: str | None = option(
        None,
        "Audit all strategies, metrics and ε of the LEADER paper on both of its data sets.",
        choices=("leader",),
        group=AUDITED,
    )

    gold: str | None = option(None, "Reference labels in the pilot table.", metavar="NAME", group=PILOT, common=True)
    cluster: str | None = option(
        None,
        "Column that groups items of the pilot, such as documents. Groups are resampled as a whole.",
        metavar="COLUMN",
        group=PILOT,
    )
    response_model: str = option(
        "auto",
        "Model fitted to gold's responses. empirical resamples real items, as does auto with `cluster` or if raters "
        "judged several items each.",
        choices="howsure.models.fitting.fit:MODELS",
        group=PILOT,
    )
    seed: int = seed_option("audit")

    @property
    def result(self) -> str:
        """An audit of tests and intervals, or one in LEADER's layout."""
        return "Audit" if self.paper is None and self.layout == "tests" else "LeaderAudit"

    def answer(self, run: Run = HERE) -> "AuditResult | LeaderAudit":
        """Read the model or the pilot, and audit."""
        from howsure.auditing import LeaderAudit, compute, conclude, grid_of, measure
        from howsure.sweeps import Grid

        parts, notes = self._parts()
        plans = [grid_of(model, request) for model, request in parts]
        # One sweep for all models: they share workers, store and progress bar.
        whole = sum((grid for grid, _ in plans), start=Grid([]))
        if run.study is not None:
            sweep = run.study(measure, whole, self.seed)
        else:
            with cells_told(run.progress, "auditing", len(whole)) as tell:
                sweep = compute(whole, rng=self.seed, workers=run.workers, progress=tell)
        found = [conclude(_part(sweep, grid), [*notes, *said]) for grid, said in plans]
        return found[0] if self.result == "Audit" else LeaderAudit(tuple(found))

    def _parts(self) -> tuple[list[tuple["ResponseModel", "AuditRequest"]], list[str]]:
        """Return what is audited (for each result a model and what is asked of it), and notes on the data."""
        from howsure.auditing import AuditRequest

        sizes = {"n_simulations": self.n_simulations, "n_resamples": self.n_resamples, "n_fresh": self.n_fresh}
        shared: dict[str, Any] = {"alpha": self.alpha, "confidence_level": self.confidence_level}
        shared |= {name: number for name, number in sizes.items() if number is not None}
        if self.paper is not None:
            for name in self.given:
                if name not in FREE:
                    raise ArgumentError(f"`paper='leader'` fixes `{name}`; leave one of them out.")
            return [(model, AuditRequest(**options | shared)) for model, options in leader()], []
        model, notes, shape = self._model()
        usual = (min(shape[0], MOST_ITEMS), min(shape[1], MOST_RESPONSES)) if shape else (100, 5)
        n_items, n_responses = self.n_items or usual[:1], self.n_responses or usual[1:]
        if max(n_items) * max(n_responses) > _check.MOST_AUDITED:
            raise ArgumentError(
                f"`n_items` times `n_responses` must be at most {_check.MOST_AUDITED:,}; got {max(n_items):,} × "
                f"{max(n_responses):,}."
            )
        if shape:
            notes = [_about_shape(shape, n_items, n_responses), *notes]
        tests, intervals = _some("test", self.test), _some("interval", self.interval)
        if not intervals and "confidence_level" in self.given:
            raise ArgumentError("`confidence_level` has no effect here: there is no interval.")
        options: dict[str, Any] = {
            "metrics": self._metrics(),
            "schemes": [_scheme(words) for words in self.scheme],
            "nulls": self.null,
            "tests": tests,
            "intervals": intervals,
            "designs": [(n, k) for n in n_items for k in n_responses],
            "epsilons": self.epsilon or (0.1,),
            "epsilon_a": self.epsilon_a,
            "perturbation": self.perturbation,
            "cluster": self.cluster,
        }
        if self.layout == "leader":
            from howsure.auditing.leader_layout import on_own_data

            given = {ASKED_AS.get(name, name) for name in self.given}
            defaults = on_own_data(model.scale.kind)
            options |= {name: value for name, value in defaults.items() if name not in given}
        return [(model, AuditRequest(**options | shared))], notes

    def _metrics(self) -> "list[Metric] | None":
        from howsure.metrics import resolve

        if not self.metric:
            if any(value is not None for value in (self.threshold, self.positive, self.better)):
                raise ArgumentError("`threshold`, `positive` and `better` are parameters of a metric; give `metric`.")
            return None
        return with_parameters([resolve(name) for name in distinct(self.metric)], self)

    def _model(self) -> tuple["ResponseModel", list[str], tuple[int, ...]]:
        """Return the model, notes on the data, and the items and responses per item of the table, if there is one."""
        from pathlib import Path

        from howsure.models import PRESETS, Fit, ResponseModel

        described = [name for name in ("gold", "cluster", "response_model", *self.reading) if name in self.given]
        only: Any = self.files[0] if len(self.files) == 1 else None
        if isinstance(only, str):
            is_model = only in PRESETS or (only.endswith(".json") and not described)
            is_table = not is_model and (bool(described) or Path(only).exists())
        else:
            is_table = only is not None and not isinstance(only, ResponseModel | Fit)
        if len(self.files) > 1 or is_table:
            return self._fitted()
        if described:
            what = "no table" if only is None else f"{only}, which is a response model"
            raise ArgumentError(f"`{described[0]}` describes a pilot table; got {what}.")
        return self.simulator(only), [], ()

    def _fitted(self) -> tuple["ResponseModel", list[str], tuple[int, ...]]:
        """Return the model of a pilot table, what it leaves out, and the items and responses per item of the table."""
        import warnings

        import numpy as np

        from howsure.auditing import about_raters
        from howsure.errors import HowsureWarning
        from howsure.models import PanelModel, fit

        if self.typed:
            raise ArgumentError(f"give a pilot table or `{self.typed[0]}`, not both; got {self.data_names}.")
        table = self.one_source(self.gold, [self.cluster] if self.cluster else [])
        if self.cluster and self.response_model not in ("auto", "empirical"):
            raise ArgumentError(
                f"`cluster` resamples real items; `response_model={self.response_model!r}` has no groups."
            )
        [source] = table.sources.values()
        shape = int(np.count_nonzero(source.sizes)), max(1, round(float(source.sizes[source.sizes > 0].mean())))
        panel = self.response_model in ("auto", "empirical") and (self.cluster or about_raters(table))
        # LEADER's sampling methods draw responses whoever gave them.
        if panel and (self.layout == "tests" or self.response_model == "empirical"):
            model = PanelModel.of(table, next(iter(table.sources)), self.cluster)
            raters = " with their raters" if model.gold.raters is not None else ""
            groups = ", group by group" if model.documents is not None else ""
            return self.adjusted(model), [f"Real items are resampled{raters}{groups}; nothing is fitted."], shape
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)  # `howsure fit` shows how well the model fits
            found = fit(table, response_model=self.response_model)
        return self.adjusted(found.model), about_raters(table), shape


def _about_shape(shape: tuple[int, ...], n_items: tuple[int, ...], n_responses: tuple[int, ...]) -> str:
    """Say which shape simulated data sets have, beside that of the table: error rates depend on it."""
    own = f"{shape[0]:,} items × {shape[1]:,} response{'s' * (shape[1] != 1)}"
    if (n_items, n_responses) == ((shape[0],), (shape[1],)):
        return f"Simulated data sets have the shape of the table: {own}."
    ours = f"{', '.join(f'{n:,}' for n in n_items)} items × {', '.join(f'{k:,}' for k in n_responses)} responses"
    return f"Simulated data sets have {ours}; the table has {own}. Change this with `n_items` and `n_responses`."


def leader() -> list[tuple["ResponseModel", dict[str, Any]]]:
    """Return LEADER's data models, each with the options of its audit."""
    from howsure import models
    from howsure.papers import leader as study
    from howsure.papers.legacy import EarthMoverHistogramOfResponsesLegacy, published_metric

    # With one response per item, metrics of sets of responses are metrics of means or nothing: 45 estimators remain.
    of_one = [study.METRICS[name] for name in study.ONE_RESPONSE]
    single = [scheme for scheme in study.STRATEGIES.values() if scheme.responses in ("one", "first")]
    # Several of the metrics look at single responses, which are drawn once for all that can.
    drawn = EarthMoverHistogramOfResponsesLegacy()
    metrics = [drawn if name == drawn.name else published_metric(name) for name in study.METRICS.values()]
    # The paper's own estimators, and beside them, on the draws of one of them, the tests that it left as future work.
    options = {
        "metrics": metrics,
        "designs": [(study.N_ITEMS, study.N_RESPONSES)],
        "epsilons": LEADER_EPSILONS,
        "n_simulations": 50,
        "n_resamples": 1000,
        "schemes": list(study.STRATEGIES.values()),
        "nulls": ["pooled-responses"],
        "intervals": ["studentised"],
        "only": {f"{scheme.items}/{scheme.responses}": of_one for scheme in single},
        "beside": {"bootstrap/all": ["sign-flip", "shifted-bootstrap"]},
    }
    return [(models.preset(name), options) for name in study.DATA.values()]


def _scheme(text: str) -> tuple[str, str]:
    """Read "bootstrap/all"."""
    items, slash, responses = text.partition("/")
    if not slash:
        raise ArgumentError(f"`scheme` must be written like bootstrap/all; got {text!r}.")
    return items, responses


def _some(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words, or none of them where that is the word."""
    if NONE in values and len(values) > 1:
        raise ArgumentError(f"`{name}` is none, or a list; not both.")
    return () if values == (NONE,) else values


def _part(sweep: "Sweep", grid: "Grid") -> "Sweep":
    """Return the cells of one result."""
    from howsure.sweeps import Task

    task = Task(sweep.task, sweep.version)
    wanted = {task.identity(cell) for cell in grid}
    return replace(sweep, rows=tuple(row for row in sweep.rows if row.identity in wanted))
