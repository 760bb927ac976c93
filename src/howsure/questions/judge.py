"""The question whether a judge is good enough."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import like, option
from howsure.errors import ArgumentError, HowsureError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.table_fields import ModelFields, judged_contest_of

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
    from howsure.judging import JudgeReport
    from howsure.judging.judge_report import JudgedTable


@dataclass(frozen=True, kw_only=True)
class Judge(ModelFields, Question):
    """Check whether a judge may replace one of the raters.

    Compares the agreement of judge and raters with that of raters among each other, beside judges that know nothing,
    and looks for bias.
    """

    name: ClassVar[str] = "judge"
    function: ClassVar[str] = "judge"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure judge judged.csv --judge gpt-judge",
        "howsure judge judged.csv --judge gpt-judge --by topic --report judge.html",
    )

    judge: str | None = option(None, "The judge: a source, or the rater id of the judge.", metavar="NAME", common=True)
    gold: str | None = like(
        ModelFields,
        "gold",
        help="People's labels: a source or a column. Omit it if people rated the models' own outputs.",
    )
    allowance: float = option(
        0.1,
        "How much less than raters with each other the judge may agree with them, as a share; also ε of the "
        "alternative annotator test.",
        at_least=0,
        at_most=1,
        common=True,
    )
    by: str | None = option(None, "Show agreement for each value of this column.", metavar="COLUMN", common=True)
    bias: tuple[str, ...] = option(
        (),
        "Column that the judge might react to: length, position, model family, batch; several with commas.",
        metavar="COLUMN",
        common=True,
    )
    confidence_level: float = option(0.95, "Confidence level of the intervals.", fraction=True)
    seed: int = seed_option()

    def data(self) -> "ResponseTable":
        """Read people, judge and models."""
        return self._read()[0]

    def answer(self, run: Run = HERE) -> "JudgeReport":
        """Read the data and report."""
        from howsure.judging.judge_report import report_judge

        if self.judge is None:
            raise ArgumentError("name the judge with `judge`: a source, or its rater id.")
        table, judged, name = self._read()
        return self.call(
            report_judge,
            judged,
            name=name,
            advantages=self._advantages(table),
            notes=table.notes,
            data=table.digest,
        )

    def _read(self) -> "tuple[ResponseTable, JudgedTable, str]":
        """Return the table, people's and the judge's responses in it by model, and what the judge is called."""
        from howsure.judging.judge_report import JudgedTable
        from howsure.judging.judged_contests import by_model

        judge = name = self.judge or ""
        groups = [*self.bias, *([self.by] if self.by else [])]
        people = self.gold or self.preference
        if people is None:
            wanted = [name for name in (self.a, self.b) if name is not None]
            table = self.table(wanted, groups).in_order()
            humans, own = by_model(table, list(table.sources), judge)
        else:
            try:
                table = self.table([people, judge], groups).in_order()
                first, second = table.sources
                people, name = (second, first) if first == judge else (first, second)
                humans, own = {"": table.sources[people]}, {"": table.sources[name]}
            except HowsureError as error:
                table = self.table([people], groups).in_order()
                if judge not in table.raters:
                    raise error from None
                humans, own = (
                    {"": next(iter(found.values()))} for found in by_model(table, list(table.sources), judge)
                )
        found = JudgedTable(humans, own, table.scale, table.items, table.groups, table.raters)
        return table, found, name

    def _advantages(self, table: "ResponseTable") -> tuple[float, float]:
        """Return how far differences between A and B agree, and what a label with the judge is worth."""
        from howsure.judging.judged_comparison import compare_with_judge

        if self.gold is None and self.preference is None and len(table.sources) != 2:
            return math.nan, math.nan
        if self.gold is not None and (self.a is None or self.b is None):
            return math.nan, math.nan
        try:
            found = compare_with_judge(judged_contest_of(self, self.judge or "", (), None, ()))
        except HowsureError:  # the report is about agreement; nothing to compare is no error here
            return math.nan, math.nan
        return found.correlation, found.worth / found.n_labelled
