"""The question what is in a table: who judged what, how far they agree, and what can be concluded."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import like, option
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.table_fields import MetricFields, ModelFields, contest_of, metrics_of

if TYPE_CHECKING:
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.describing import TableDescription
    from howsure.metrics import Metric

PARTS = "Sources of error of a difference"
AGREEMENT = "Agreement"
MOST_DRAWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Describe(ModelFields, Question):
    """Summarise a table: responses, raters and their agreement.

    With two models, A and B, it also estimates how much of the standard error of their difference comes from items,
    raters and other sources.
    """

    name: ClassVar[str] = "describe"
    function: ClassVar[str] = "describe"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure describe ratings.csv --only human",
        "howsure describe ratings.csv --gold human --a model-2 --b model-1",
    )

    only: tuple[str, ...] = option(
        (),
        "Source to describe: a name, a condition (kind=human) or a column; several with commas. Default: all.",
        metavar="NAME",
        common=True,
    )
    cluster: str | None = option(
        None,
        "Column that groups items, such as documents. Groups are resampled as a whole.",
        metavar="COLUMN",
        common=True,
    )
    top: int = option(
        10, "Number of raters to show, those that differ most from the others first.", at_least=1, common=True
    )
    measurement_level: str | None = option(
        None,
        "Measurement level of Krippendorff's alpha. Default: depends on the scale.",
        choices="howsure.raters.agreement_coefficients:LEVELS",
        group=AGREEMENT,
    )
    n_resamples: int = option(
        499, "Number of resamples for the intervals.", at_least=1, at_most=MOST_DRAWS, group=AGREEMENT
    )
    confidence_level: float = option(0.95, "Confidence level of the intervals.", fraction=True)
    a: str | None = like(
        ModelFields, "a", help="Model A. With `b`: decompose the standard error of their difference.", group=PARTS
    )
    b: str | None = like(ModelFields, "b", group=PARTS)
    gold: str | None = like(ModelFields, "gold", group=PARTS)
    metric: str | None = option(
        None,
        "Metric with item scores (howsure metrics lists them). Default: depends on the scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        group=PARTS,
        common=True,
        also="Metric",
    )
    better: str | None = like(MetricFields, "better", group=PARTS)
    preference: str | None = like(ModelFields, "preference", group=PARTS)
    tie: str | None = like(ModelFields, "tie", group=PARTS)
    seed: int = seed_option()

    def answer(self, run: Run = HERE) -> "TableDescription":
        """Read the table and describe it."""
        from howsure.describing import describe

        contest, metric, why = self._contest()
        table = self._table(contest)
        pair = None if contest is None else contest.complete().in_order()
        with run.progress("drawing", 2 * self.n_resamples * len(table.sources)) as advance:
            how = {"workers": run.workers, "progress": advance}
            found = self.call(describe, table, contest=pair, metric=metric, **how)
        return replace(found, top=self.top, notes=(*found.notes, *why))

    def data(self) -> "ResponseTable":
        """Read what is described."""
        return self._table(self._contest()[0])

    def _contest(self) -> "tuple[Contest | None, Metric | None, list[str]]":
        """Return the two models whose advantage is taken apart, and the metric; nothing where none are named."""
        if self.a is None or self.b is None:
            for name in ("a", "b", "gold", "metric", "better", "preference", "tie"):
                if getattr(self, name) is not None:
                    raise ArgumentError(f"`{name}` requires two models: pass `a` and `b`, and `gold` if there is any.")
            return None, None, []
        names = [self.metric] if self.metric else []
        contest = contest_of(self, names, self.better, self._groups, complete=False)
        [metric], why = metrics_of(names, MetricFields(better=self.better), contest)
        return contest, metric, why

    @property
    def _groups(self) -> list[str]:
        return [self.cluster] if self.cluster else []

    def _table(self, contest: "Contest | None") -> "ResponseTable":
        """Return what is described: the sources that are asked for, those of the advantage, or all."""
        from howsure.data.response_tables import ResponseTable

        if self.only or contest is None:
            return self.table(self.only, self._groups)
        if contest.scale.reason == "preferences":
            return self.table([self.preference] if self.preference else [self.a or "", self.b or ""], self._groups)
        named = dict(zip(filter(None, contest.names), contest.sources.values(), strict=True))
        same = ("items", "scale", "groups", "raters", "notes", "repeats", "better")
        return ResponseTable(sources=named, **{name: getattr(contest, name) for name in same})
