"""The question which items people should label."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import like, option
from howsure.errors import ArgumentError, DataError
from howsure.questions.base import HERE, Question, Run, Written, seed_option
from howsure.questions.table_fields import ModelFields, judged_contest_of

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
    from howsure.data.responses import Labels
    from howsure.data.scales import FloatArray
    from howsure.judging import LabelSample


@dataclass(frozen=True, kw_only=True)
class SampleItems(ModelFields, Question):
    """Select the items that people should label.

    Selects them at random, or at random within strata. A larger sample with the same seed contains the smaller one.
    The file that it writes tells compare with which chance each item was selected.
    """

    name: ClassVar[str] = "sample"
    function: ClassVar[str] = "sample"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure sample judged.csv --n 100 --out to-label.csv",
        "howsure sample judged.csv --n 100 --by-judge-score --judge gpt-judge --a model-2 --b model-1",
    )
    written: ClassVar[Written] = Written("out", "Write the items to this file: .csv.", (".csv",))

    n: int = option(100, "Number of items to label.", at_least=1, at_most=100_000_000, common=True)
    stratify: str | None = option(
        None, "Column of items: each of its values gets its share of the sample.", metavar="COLUMN", common=True
    )
    by_judge_score: bool = option(
        False, "Up to five strata by the judge's score; with `a` and `b` by its difference between them.", common=True
    )
    judge: str | None = option(
        None, "With `by_judge_score`: a source, or the rater id of the judge.", metavar="NAME", common=True
    )
    gold: str | None = like(
        ModelFields, "gold", help="People's labels so far: a source or a column; tells which items have some."
    )
    seed: int = seed_option("sample")

    def data(self) -> "ResponseTable":
        """Read the items."""
        return self.table((), [self.stratify] if self.stratify else []).in_order()

    def answer(self, run: Run = HERE) -> "LabelSample":
        """Read the items and select some."""
        from howsure.judging.labels_to_draw import sample_of, score_strata

        if self.stratify is not None and self.by_judge_score:
            raise ArgumentError("give `stratify` or `by_judge_score`, not both.")
        if (self.judge is not None) != self.by_judge_score:
            raise ArgumentError("`judge` and `by_judge_score` go together.")
        table = self.data()
        items, strata, by, notes = table.items, None, "", list(table.notes)
        if self.stratify is not None:
            from howsure.data.responses import group_codes

            group_codes(table.groups, "stratify", self.stratify)
            strata, by = table.groups[self.stratify], self.stratify
        elif self.judge is not None:
            items, scores, labels = self._scores(table, self.judge)
            if items.size < table.n_items:
                notes.append(f"{table.n_items - items.size:,} items without a score by {self.judge} left out.")
            strata = labels if labels is not None else score_strata(scores)
            models = f" ({self.a}, {self.b})" if self.a is not None else ""
            by = f"score of {self.judge}{models}"
        return sample_of(
            items,
            self.n,
            strata=strata,
            by=by,
            seed=self.seed,
            gold=self.gold,
            labelled=self._labelled(table),
            notes=tuple(notes),
            data=table.digest,
        )

    def write(self, result: Any, path: str) -> None:
        """Write the items with their strata and chances."""
        from howsure import _files
        from howsure.documents import csv_tables

        _files.write_text(path, csv_tables.from_frame(result.to_frame()))

    def _scores(self, table: "ResponseTable", judge: str) -> "tuple[Labels, FloatArray, Labels | None]":
        """Return the items that the judge scored and its scores; its labels where these have no order."""
        import numpy as np

        if self.a is not None or self.preference is not None:
            from howsure.comparison.default_metric import bind, metrics_for
            from howsure.resampling import summaries_of

            own = judged_contest_of(self, judge, (), None, ()).judge.complete()
            metric: Any = bind(metrics_for(own, None)[0][0], own)
            return own.items, np.asarray(metric.item_advantages(*summaries_of(own, metric.needs))), None
        if judge in table.sources:
            sources = [table.sources[judge]]
        else:
            from howsure.judging.judged_contests import by_model

            named = [name for name, source in table.sources.items() if source.raters is not None]
            sources = list(by_model(table, named, judge)[1].values())
        counts = np.sum([source.sizes for source in sources], axis=0)
        if not counts.any():
            raise DataError(f"{judge} scored none of these items.")
        there = np.flatnonzero(counts)
        if table.scale.kind == "nominal":
            first = [sources[0].values[sources[0].offsets[row]] for row in there if sources[0].sizes[row]]
            return table.items[there], np.empty(0), np.array(table.scale.decode(np.array(first)))
        sums = np.sum([np.bincount(source.items, source.values, table.n_items) for source in sources], axis=0)
        return table.items[there], sums[there] / counts[there], None

    def _labelled(self, table: "ResponseTable") -> "Labels | None":
        """Return the items that people labelled: those with labels of `gold`, or rated by others than the judge."""
        if self.gold is not None:
            return table.items[table.source(self.gold).sizes > 0]
        if self.judge not in table.raters:
            return None
        import numpy as np

        judge, rated = table.raters.index(self.judge), np.zeros(table.n_items, dtype=bool)
        for source in table.sources.values():
            if source.raters is not None:
                rated[source.items[source.raters != judge]] = True
        return table.items[rated]
