"""The question how many items, responses and raters it takes."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _check
from howsure._fields import like, option
from howsure.errors import ArgumentError, DataError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.simulators import SimulatorFields
from howsure.questions.table_fields import (
    MetricFields,
    ModelFields,
    TableFields,
    contest_of,
    distinct,
    judged_contest_of,
    metrics_of,
    with_parameters,
)
from howsure.questions.typed import response_numbers, whole_numbers

if TYPE_CHECKING:
    from howsure import planning
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.judging import LabelBudget
    from howsure.metrics import Metric
    from howsure.models import ResponseModel
    from howsure.planning import Cell, Costs, Effect, PlanRequest

DESIGNS = "Designs"
COSTS = "Costs"
DIFFERENCE = "Difference to detect"
PILOT = "Pilot data"
RATERS = "Raters (with a pilot that has rater ids, or without gold)"
METHOD = "Method"

ONLY_SIMULATED = ("perturbation", "n_simulations", "resample_simulated", "engine", "epsilon_a", "rho", "clip")
"""Fields that have no effect where nothing is simulated."""

AS_GOLD = (
    "This plan assumes that A answers as gold does on every item, and B too, apart from ε. Models that differ from "
    "gold in other ways took 0.6 to 2 times as many items where measured. A pilot with both models (`gold`, `a`, `b`) "
    "shows how many."
)
"""Five files, docs/evidence/plans.md: README's needs 376 items by its pilot, 201 by the model that is fitted to it."""

WITH_JUDGE = (
    "judge", "cost_judge", "cost_response", "cost_item", "cost_rater", "target_width", "target_power", "difference",
    "n_raters", "max_items", "confidence_level", "raters", "metric", "better", "threshold", "positive", "gold", "a",
    "b", "preference", "tie", "seed",
)  # fmt: skip
"""Fields that a budget of labels and judge calls takes, beside the data."""


@dataclass(frozen=True, kw_only=True)
class Plan(TableFields, SimulatorFields, MetricFields, Question):
    """Estimate the items, responses and raters a study requires.

    Plans from a pilot table, a fitted model or a preset. Shows power, expected p-value and interval width of each
    design, or finds the cheapest design that reaches a target.
    """

    name: ClassVar[str] = "plan"
    function: ClassVar[str] = "plan"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure plan ratings.csv --gold human --a model-2 --b model-1 --target-power 0.8",
        "howsure plan likert-toxicity --metric mae --difference 0.01 --n-items 500,1000 --n-responses 5",
    )

    files: tuple[str, ...] = option(
        (),
        "Table of pilot responses, model file (.json), preset (howsure presets lists them), or type of a model given "
        "by its parameters (categorical).",
        suggested="howsure.models.presets:PRESETS",
        metavar="FILE",
        positional=True,
        also="Any",
    )
    metric: tuple[str, ...] = option(
        (),
        "Metric (howsure metrics lists them), or several with commas: the first decides. Default: depends on the "
        "scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        common=True,
        also="Metric",
    )

    n_items: tuple[int, ...] = option(
        (),
        "Numbers of items: 50,100,200 or 100:1000:100.",
        at_least=1,
        at_most=_check.MOST_ITEMS,
        group=DESIGNS,
        common=True,
    )
    n_responses: tuple[str, ...] = option(
        (),
        "Gold responses per item: 1,5,10 or 1:10:1; 5/1/1 for gold/A/B. Without gold or with raters: responses of each "
        "model.",
        metavar="NUMBER",
        group=DESIGNS,
        common=True,
        also="int | tuple[int, int, int]",
    )
    budget: tuple[float, ...] = option((), "Total number of human responses, N × K: 5000 or 1000,2500.", group=DESIGNS)
    max_cost: tuple[float, ...] = option(
        (), "Total cost of the study. Prices are set with `cost_item`, `cost_response` and so on.", group=DESIGNS
    )
    target_power: float | None = option(
        None, "Find the cheapest design with this power: 0.8.", fraction=True, group=DESIGNS, common=True
    )
    target_p: float | None = option(
        None, "Find the cheapest design with this expected p.", fraction=True, group=DESIGNS
    )
    target_width: float | None = option(None, "Find the cheapest design with this interval width.", group=DESIGNS)
    spend: bool = option(
        False, "Use the whole budget and find the fewest responses per item that reach the target.", group=DESIGNS
    )
    max_items: int = option(
        100_000, "Largest number of items to consider.", at_least=1, at_most=_check.MOST_ITEMS, group=DESIGNS
    )
    detectable: bool = option(False, "Also show the smallest difference that each design detects.", group=DESIGNS)
    next: tuple[int, ...] = option(
        (),
        "With a pilot: show the gain from this many more responses: 100,500.",
        at_least=1,
        at_most=_check.MOST_ITEMS,
        group=DESIGNS,
    )

    cost_item: float | None = option(None, "Cost of finding or writing one item.", at_least=0, group=COSTS)
    cost_response: float | None = option(None, "Cost of a gold response or a rating.", at_least=0, group=COSTS)
    cost_run: float | None = option(None, "Cost of a model response.", at_least=0, group=COSTS)
    cost_judge: float | None = option(None, "With `judge`: cost of one call of the judge.", at_least=0, group=COSTS)
    cost_rater: float | None = option(None, "Cost of recruiting and training a rater.", at_least=0, group=COSTS)
    cost_rater_hour: float | None = option(None, "Cost of a rater per hour.", at_least=0, group=COSTS)
    ratings_per_hour: float | None = option(None, "Number of ratings per rater and hour.", group=COSTS)

    epsilon: tuple[float, ...] = option(
        (),
        "Simulated degradation of B as a fraction of the scale (0 = as good as gold). Comma-separated for several.",
        at_least=0,
        at_most=1,
        group=DIFFERENCE,
    )
    difference: float | None = option(
        None, "Difference between A and B in units of the first metric.", group=DIFFERENCE, common=True
    )
    reference_responses: str | None = option(
        None,
        "Responses per item with which the difference is measured: 5, or 5/3/3 for gold/A/B. Designs keep those of A "
        "and B. Default: as in the pilot; 5 for a response model.",
        metavar="NUMBER",
        group=DIFFERENCE,
        also="int | tuple[int, int, int]",
    )
    accuracy_points: float | None = option(None, "A's accuracy minus B's, in percentage points.", group=DIFFERENCE)
    win_rate: float | None = option(None, "Share of items where A is better; ties count half.", group=DIFFERENCE)

    gold: str | None = like(ModelFields, "gold", help="Reference labels in the pilot table.", group=PILOT)
    a: str | None = like(ModelFields, "a", help="Model A in the pilot table.", group=PILOT)
    b: str | None = like(ModelFields, "b", help="Model B in the pilot table.", group=PILOT)
    preference: str | None = like(ModelFields, "preference", group=PILOT)
    tie: str | None = like(ModelFields, "tie", group=PILOT)
    judge: str | None = option(
        None,
        "Judge in the pilot table, a source or a rater id: find the labels and judge calls that cost least.",
        metavar="NAME",
        group=PILOT,
    )
    cluster: str | None = option(None, "Column that groups items, such as documents.", metavar="COLUMN", group=PILOT)
    response_model: str = option(
        "auto",
        "With `epsilon`, or without A and B: how new gold responses are simulated from those of the pilot.",
        choices="howsure.planning.request:PILOT_MODELS",
        group=PILOT,
    )

    n_raters: tuple[int, ...] = option(
        (), "Numbers of raters: 3,5,10 or 5:30:5.", at_least=2, at_most=_check.MOST_ITEMS, group=RATERS
    )
    raters_per_item: tuple[int, ...] = option(
        (),
        "Number of raters who judge each item. Default: as in the pilot, or all.",
        at_least=1,
        at_most=_check.MOST_ITEMS,
        group=RATERS,
    )
    nested: bool = option(False, "Each rater judges only one item.", group=RATERS)
    raters: str | None = option(
        None,
        "Plan for other raters like these (random) or for these alone (fixed). Default: random if five or more raters "
        "judged several items each, as in compare.",
        choices="howsure.planning.request:RATERS",
        group=RATERS,
    )

    test: tuple[str, ...] = option(
        ("sign-flip",),
        "Test to run on the new data, or several with commas; none omits power.",
        suggested="howsure.planning.engines.decisions:TESTS",
        metavar="NAME",
        group=METHOD,
    )
    alpha: float = option(0.05, "Significance level α of the test.", fraction=True, group=METHOD)
    alternative: str = option(
        "two-sided",
        "Alternative hypothesis: A and B differ, A is better (greater) or A is worse (less).",
        choices="howsure.inference:ALTERNATIVES",
        group=METHOD,
    )
    confidence_level: float = option(0.95, "Confidence level of the interval.", fraction=True, group=METHOD)
    engine: str = option(
        "auto", "How the designs of a response model are computed.", choices="howsure.planning:ENGINES", group=METHOD
    )
    n_simulations: int | None = option(
        None,
        "With `engine='monte-carlo'`: number of simulations.",
        at_least=2,
        at_most=10_000_000,
        group=METHOD,
    )
    precision: float = option(
        0.005, "Largest simulation error of expected p-values between .01 and .2.", fraction=True, group=METHOD
    )
    resample_simulated: bool = option(
        False,
        "Bootstrap items in simulated data. Only to reproduce the RATINGS paper.",
        group=METHOD,
    )
    layout: str = option(
        "list", "Show designs as a list or as a matrix.", choices="howsure.planning:LAYOUTS", group=METHOD
    )
    seed: int = seed_option("plan")

    @property
    def plans_raters(self) -> bool:
        """Whether raters are part of the design."""
        asked = (self.n_raters, self.raters_per_item, self.nested, self.raters == "random", self.preference)
        costs = (self.cost_rater, self.cost_rater_hour, self.ratings_per_hour)
        contest = self.own_contest
        without_gold = self.gold is None and self.a is not None and self.b is not None
        without_gold |= contest is not None and contest.gold is None
        return any(asked) or any(cost is not None for cost in costs) or without_gold

    def data(self) -> "Contest | None":
        """Read the pilot, where there is one with A and B."""
        if self.judge is not None:
            return None
        asked = self._with_models()
        return asked._pilot()[0] if asked.files and asked._has_models else None

    @property
    def result(self) -> str:
        """The name of the answer's type."""
        return "Plan" if self.judge is None else "LabelBudget"

    def answer(self, run: Run = HERE) -> "planning.Plan | LabelBudget":
        """Read the model or the pilot, and plan."""
        if self.judge is not None:
            return self._budget(self.judge)
        self._refuse("it goes with `judge`", "cost_judge")
        asked = self._with_models()
        found = asked._answer(run)
        if self.gold is None and asked.gold is not None:
            named = f"Gold is {asked.gold}, by its name. Change it with `gold`, or name `a` and `b` to plan without."
            found = replace(found, notes=(named, *found.notes))
        return found

    def _budget(self, judge: str) -> "LabelBudget":
        """Return the labels and judge calls that reach the target at least cost."""
        from howsure.comparison.procedure import Procedure
        from howsure.judging.judged_comparison import compare_with_judge
        from howsure.judging.label_budget import LabelPrices, plan_labels

        given = {name for name in self.given if name not in WITH_JUDGE} - {field.name for field in fields(TableFields)}
        if given:
            raise ArgumentError(f"`{min(given)}` does not go with `judge`: leave it out.")
        if self.cost_judge is None:
            raise ArgumentError("say what a call of the judge costs: `cost_judge`, beside `cost_response` for a label.")
        if self.target_power not in (None, 0.8):
            raise ArgumentError(f"with `judge`, `target_power` is 0.8; got {self.target_power:g}.")
        if self.difference is None and self.target_width is None:
            raise ArgumentError(
                "say what the study must reach: `target_width`, or `difference` to find with 80% power."
            )
        judged = judged_contest_of(self, judge, self.metric, self.better, ())  # type: ignore[arg-type]
        metrics, _ = metrics_of(self.metric, self, judged.humans)
        procedure = Procedure(raters=self.raters, confidence_level=self.confidence_level)
        pilot = compare_with_judge(judged, metric=metrics[0], procedure=procedure)
        response = 1.0 if self.cost_response is None else self.cost_response
        prices = LabelPrices(response, self.cost_judge, self.cost_item or 0.0, self.cost_rater or 0.0)
        return plan_labels(
            pilot,
            prices=prices,
            width=self.target_width,
            difference=self.difference if self.target_width is None else None,
            n_raters=self.n_raters,
            max_items=self.max_items,
            confidence_level=self.confidence_level,
        )

    def _with_models(self) -> "Plan":
        """Name A, B and gold where nobody did, as `compare` does, if the file is a table and no response model.

        Beside two models, a source with a name such as "human" is gold: a plan says so, and nothing is decided by it.
        """
        named = (self.a, self.b, self.gold, self.preference, self.own_contest)
        if not self.files or any(name is not None for name in named) or not self._is_data():
            return self
        from howsure.io.column_names import gold_in

        sources = list(self.table().sources)
        gold = gold_in(sources)
        if len(sources) == 3 and gold is not None:
            a, b = (name for name in sources if name != gold)
            return replace(self, a=a, b=b, gold=gold)
        gold, a, b = self.contest(None, None).names
        return replace(self, a=a, b=b, gold=gold or None)

    def _is_data(self) -> bool:
        """Whether the first file holds responses: it is there, and does not say that it is a response model."""
        first = self.files[0]
        if not isinstance(first, str):
            from howsure.data.response_tables import ResponseTable
            from howsure.io.files import File
            from howsure.io.sheets import Sheet

            return isinstance(first, ResponseTable | File | Sheet)
        path = Path(first)
        if path.is_dir() or first == "-" or "=" in first:
            return True
        if not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                return b'"howsure_model"' not in file.read(200)
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}.") from None

    def _answer(self, run: Run) -> "planning.Plan":
        from howsure.planning import plan

        subject: Contest | ResponseModel | ResponseTable
        where: dict[str, Any] = {}
        why: list[str] = []
        pilot = self._has_models or any(name is not None for name in (self.gold, self.a, self.b, self.preference))
        with run.progress("planning", 1) as advance:
            if self._gold_alone:
                self._refuse("these need A and B", "next", "cluster", "tie")
                assert self.gold is not None
                subject = self.table([self.gold])
                metrics = self._metrics(subject.scale.kind)
                [name] = subject.sources  # "kind=human" is called human
                where = {"gold": name, "adjust": self.adjusted}
            elif self.plans_raters:
                subject, metrics, why = self._pilot()
                self._refuse("with raters nothing is simulated", *ONLY_SIMULATED, run=run)
                if self.test != ("sign-flip",):
                    raise ArgumentError("`test` is always random-effects with raters, as in compare; leave it out.")
                if len(metrics) > 1:
                    names = ", ".join(metric.name for metric in metrics)
                    raise ArgumentError(f"a plan with raters is for one metric; got {names}.")
            elif pilot:
                subject, metrics, why = self._pilot()
                if not self.epsilon and self.response_model == "auto":
                    self._refuse("the pilot's own A and B are resampled", "perturbation", "epsilon_a", "rho", run=run)
            else:
                self._refuse("these are for a pilot", "next", "cluster", "tie")
                subject = self.simulator(self._name())
                kind = subject.scale.kind
                metrics = self._metrics(kind)
                if not self.metric:
                    from howsure.documents import Aside

                    why = [Aside(f"Metric: {metrics[0].name} (default for {kind} responses). Change it with `metric`.")]
            compute = None if run.study is None else _elsewhere(run, self.seed)
            found = plan(subject, self._request(metrics), workers=run.workers, compute=compute, **where)
            advance(1)
        if found.difference and (self._gold_alone or not (pilot or self.plans_raters)):
            from howsure.documents import Caution

            why = [Caution(AS_GOLD), *why]
        return replace(found, notes=(*found.notes, *why))

    @property
    def _gold_alone(self) -> bool:
        """Whether the pilot is a table of gold's responses, without A and B."""
        return bool(self.files) and self.gold is not None and self.a is None and self.b is None and not self._has_models

    @property
    def _has_models(self) -> bool:
        """Whether A and B of a pilot are known: they are named, or a contest was passed."""
        return (self.a is not None and self.b is not None) or self.own_contest is not None

    def _request(self, metrics: list["Metric"]) -> "PlanRequest":
        """Return what is asked: fields of the same name as they are, and the others as planning takes them."""
        from howsure.planning import PlanRequest

        if self.budget and self.max_cost:
            raise ArgumentError("give `budget` (responses) or `max_cost` (cost), not both.")
        if "none" in self.test and len(self.test) > 1:
            raise ArgumentError("`test` is none, or names tests; not both.")
        same = {field.name for field in fields(PlanRequest)} & {field.name for field in fields(self)}
        return PlanRequest(
            **{name: getattr(self, name) for name in same}
            | {
                "metrics": tuple(metrics),
                "effect": self._effect(metrics[0]),
                "n_responses": self._responses(),
                "reference_responses": self._reference(),
                "raters": "random" if self.plans_raters else self.raters,
                "budget": self.budget or self.max_cost,
                "costs": self._costs(),
                "follow_up": self.next,
                "test": None if "none" in self.test else self.test,
                "rng": self.seed,
            }
        )

    def _responses(self) -> tuple[int | tuple[int, int, int], ...]:
        if not self.n_responses:
            return ()
        text = ",".join(self.n_responses)
        return tuple(whole_numbers("`n_responses`", text) if self.plans_raters else response_numbers(text))

    def _reference(self) -> int | tuple[int, int, int] | None:
        if self.reference_responses is None:
            return None
        sizes = response_numbers(str(self.reference_responses), "`reference_responses`")
        if len(sizes) != 1:
            raise ArgumentError(f"`reference_responses` is one number, or 5/3/3; got {self.reference_responses!r}.")
        return sizes[0]

    def _name(self) -> "str | ResponseModel | None":
        if len(self.files) > 1:
            raise ArgumentError(
                f"give one model, or the tables of a pilot with `a` and `b`; got {len(self.files)} files."
            )
        return self.files[0] if self.files else None

    def _pilot(self) -> tuple["Contest", list["Metric"], list[str]]:
        if not self.files or not self._has_models:
            what = "the table of responses" if not self.files else "`a` or `b`"
            raise ArgumentError(f"a plan from a pilot needs a table, `a` and `b`; {what} is missing.")
        groups = [self.cluster] if self.cluster else []
        contest = contest_of(self, self.metric, self.better, groups)  # type: ignore[arg-type]
        metrics, why = metrics_of(self.metric, self, contest)
        return contest, metrics, why

    def _metrics(self, kind: str) -> list["Metric"]:
        from howsure.metrics import resolve
        from howsure.planning.request import default_metric

        names = distinct(self.metric) or [default_metric(kind)]
        return with_parameters([resolve(name) for name in names], self)

    def _effect(self, metric: Any) -> "Effect | None":
        from howsure.metrics import resolve
        from howsure.planning import Effect

        given = [name for name in ("difference", "accuracy_points", "win_rate") if getattr(self, name) is not None]
        given += ["epsilon"] if self.epsilon else []
        if len(given) > 1:
            raise ArgumentError(f"give the difference once; got {' and '.join(f'`{name}`' for name in given)}.")
        if self.epsilon and self.plans_raters and not self._gold_alone:
            raise ArgumentError("`epsilon` moves a model of gold's responses; with raters give `difference`.")
        if self.difference is not None:
            return Effect(resolve(metric), self.difference)
        if self.accuracy_points is not None:
            return Effect.accuracy_points(self.accuracy_points)
        return None if self.win_rate is None else Effect.win_rate(self.win_rate)

    def _costs(self) -> "Costs":
        from howsure.planning import Costs

        if (self.cost_rater_hour is None) != (self.ratings_per_hour is None):
            raise ArgumentError("`cost_rater_hour` and `ratings_per_hour` go together: they say what a rating costs.")
        if self.cost_rater_hour is not None and self.cost_response is not None:
            raise ArgumentError("give the cost of a rating once: `cost_response`, or `cost_rater_hour`.")
        given = (self.cost_item, self.cost_response, self.cost_run, self.cost_rater, self.cost_rater_hour)
        if all(cost is None for cost in given):
            if self.max_cost:
                raise ArgumentError(
                    "`max_cost` needs to know what things cost: `cost_item`, `cost_response`, `cost_run` or the like."
                )
            return Costs()
        if self.budget:
            raise ArgumentError("`budget` counts responses; with costs, give `max_cost`.")
        others = {"item": self.cost_item or 0.0, "run": self.cost_run or 0.0, "rater": self.cost_rater or 0.0}
        if self.cost_rater_hour is not None and self.ratings_per_hour is not None:
            return Costs.per_hour(self.cost_rater_hour, responses_per_hour=self.ratings_per_hour, **others)
        return Costs(response=self.cost_response or 0.0, **others)

    def _refuse(self, why: str, *names: str, run: Run | None = None) -> None:
        """Refuse fields that would have no effect."""
        given = self.given
        for name in names:
            if name in given:
                raise ArgumentError(f"`{name}` has no effect here: {why}.")
        if run is not None and run.study_asked:
            raise ArgumentError("`store` and `dask` are for plans from a response model: this one takes seconds.")


def _elsewhere(run: Run, seed: int) -> Any:
    """Return what computes groups of designs as the cells of a study."""

    def compute(groups: Any) -> "list[list[Cell]]":
        from howsure.planning.groups import cells_from, grid_of, measure

        assert run.study is not None
        sweep = run.study(measure, grid_of(groups), seed)
        return [
            cells_from(scenario, shape, row.values)
            for (scenario, shape, _), row in zip(groups, sweep.rows, strict=True)
        ]

    return compute
