"""A contest that people judged in part and a judge in full: the same A and B on the same items, seen twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.documents.numbers import counted, joined, plainly
from howsure.errors import DataError
from howsure.raters.design import leave_out_raters


@dataclass(frozen=True, slots=True)
class JudgedContest:
    """Gold, A and B as people see them, and as the judge does.

    Attributes
    ----------
    humans, judge : Contest
        On the same items in the same order; an item may lack people's labels, or the judge's.
    name : str
        What the judge is called.
    """

    humans: Contest
    judge: Contest
    name: str

    @classmethod
    def by_rater(cls, contest: Contest, judge: str) -> "JudgedContest":
        """Split a contest in which the judge is one of the raters: of gold, or else of A and B."""
        contest = contest.in_order()
        roles = ["gold"] if contest.gold is not None else ["a", "b"]
        if judge not in contest.raters:
            known = f"raters: {joined(contest.raters, 8)}" if contest.raters else "there are no rater ids"
            known += "" if contest.gold is not None else "; a source can be the judge beside `gold`"
            raise DataError(f"`judge` must name a source or a rater; {judge!r} is neither ({known}).")
        named = dict(zip(("gold", "a", "b"), contest.names, strict=True))
        for role in roles:
            if contest.sources[role].raters is None:
                raise DataError(f"the responses of {named[role]} have no rater ids: which are those of {judge}?")
        code = contest.raters.index(judge)
        own = {role: _only(contest.sources[role], code) for role in roles}
        others = {role: leave_out_raters(contest.sources[role], code) for role in roles}
        return cls(contest.having(others), contest.having(own), judge)

    def overlapping(self) -> "Overlapping":
        """Return the items that the judge scored, and which of them people labelled; a note says what is left out."""
        labelled, judged = _answered(self.humans), _answered(self.judge)
        name = self.name
        if not judged.any():
            raise DataError(f"{name} scored no item that both models answered.")
        if not labelled.any():
            raise DataError(
                "no item has a label by people, so the judge cannot be checked: label some items (howsure sample "
                "deals them out)."
            )
        if not (labelled & judged).any():
            raise DataError(
                f"none of the {int(labelled.sum()):,} labelled items was scored by {name}. Check the item ids of both."
            )
        notes = list(self.humans.notes)
        if n := int((labelled & ~judged).sum()):
            first = self.humans.items[labelled & ~judged][0]
            notes.append(f"{counted(n, 'labelled item')} without a score by {name} left out (first: item {first}).")
        if n := int((~labelled & ~judged).sum()):
            first = self.humans.items[~labelled & ~judged][0]
            notes.append(
                f"{counted(n, 'item')} without a score by {name}, or without one of the models, left out (first: item "
                f"{first})."
            )
        rows = np.flatnonzero(judged)
        both = labelled[rows]
        return Overlapping(
            humans=replace(self.humans.take(rows[both]), notes=()).in_order(),
            judge=replace(self.judge.take(rows), notes=()),
            where=np.flatnonzero(both),
            name=name,
            notes=tuple(notes),
        )


@dataclass(frozen=True, slots=True)
class Overlapping:
    """The contest of the labelled items, that of all items as the judge sees them, and where the first are in it."""

    humans: Contest
    judge: Contest
    where: IntArray
    name: str
    notes: tuple[str, ...]

    def on_one_scale(self, *, graded: bool) -> "Overlapping":
        """Return the data with the judge's scores on people's scale.

        Numbers on another scale (0 to 100 beside 1 to 5) are mapped linearly, with a note; labels that no person uses
        are an error, and so are such numbers where a metric takes them as labels (`graded` is False).
        """
        own, other = self._values(self.judge), self._values(self.humans)
        scale = self.humans.scale
        if scale.kind == "nominal":
            if not np.intersect1d(own, other).size:
                says, said = (joined(scale.decode(np.unique(values)), 4) for values in (own, other))
                raise DataError(f"{self.name} answers {says}; people answer {said}. Write the labels alike.")
            return self
        if self.humans.gold is not None:  # a model's answers show more of the scale
            other = np.concatenate([other, self.humans.a.values, self.humans.b.values])
        (low, high), (least, most) = ((float(values.min()), float(values.max())) for values in (own, other))
        span = most - least
        apart = high <= least or low >= most
        beyond = least - low > span or high - most > span
        if not (apart or beyond) or high == low or not span:
            return self
        own_ends, ends = (f"from {plainly(a)} to {plainly(b)}" for a, b in ((low, high), (least, most)))
        ranges = f"{self.name} scores {own_ends}, people {ends}"
        if not graded:
            raise DataError(f"{ranges}. Write the judge's scores on people's scale.")

        def moved(source: Responses) -> Responses:
            return replace(source, values=least + (source.values - low) * (span / (high - low)))

        roles = ["gold"] if self.judge.gold is not None else ["a", "b"]
        judge = self.judge.having({role: moved(self.judge.sources[role]) for role in roles})
        return replace(self, judge=judge, notes=(*self.notes, f"{ranges}: the judge's scores were mapped linearly."))

    def _values(self, contest: Contest) -> FloatArray:
        """Return what was said: labels, or ratings of both models."""
        if contest.gold is not None:
            return contest.gold.values
        return np.concatenate([contest.a.values, contest.b.values])


def _only(source: Responses, rater: int) -> Responses:
    """Return the responses of one rater, without an id: several are repeated calls."""
    return replace(source.keep(np.equal(source.raters, rater)), raters=None)  # type: ignore[arg-type]


def _answered(contest: Contest) -> BoolArray:
    return np.asarray(np.logical_and.reduce([source.sizes > 0 for source in contest.sources.values()]))


def by_model(
    table: ResponseTable, models: Sequence[str], judge: str
) -> tuple[dict[str, Responses], dict[str, Responses]]:
    """Return people's and the judge's responses to each model's answers, where the judge is one of the raters."""
    if judge not in table.raters:
        known = f"raters: {joined(table.raters, 8)}" if table.raters else "there are no rater ids"
        raise DataError(f"`judge` must name a source or a rater; {judge!r} is neither ({known}).")
    code = table.raters.index(judge)
    for name in models:
        if table.sources[name].raters is None:
            raise DataError(f"the responses of {name} have no rater ids: which are those of {judge}?")
    people = {name: leave_out_raters(table.sources[name], code) for name in models}
    return people, {name: _only(table.sources[name], code) for name in models}


def judged_models(
    table: ResponseTable, judge: str, *, gold: str | None = None, models: Sequence[str] = ()
) -> list[JudgedContest]:
    """Return each model by itself as people and as the judge see it: it is A and B of its contest."""
    table = table.in_order()
    names = list(models) or [name for name in table.sources if name not in (gold, judge)]
    if not names:
        raise DataError("there is no model to score: the data hold gold and judge only.")
    shared = {"scale": table.scale, "items": table.items, "raters": table.raters, "better": table.better}
    found = []
    pairs: list[tuple[Responses | None, Responses, Responses]]
    for name in names:
        source = table.source(name)
        if gold is None:
            people, own = (views[name] for views in by_model(table, [name], judge))
            pairs = [(None, people, people), (None, own, own)]
        elif judge in table.sources:
            pairs = [(table.source(gold), source, source), (table.sources[judge], source, source)]
        else:
            people, own = (views[gold] for views in by_model(table, [gold], judge))
            pairs = [(people, source, source), (own, source, source)]
        humans, of_judge = (Contest(*sides, names=(gold or "", name, name), **shared) for sides in pairs)  # type: ignore[arg-type]
        found.append(JudgedContest(humans, of_judge, judge))
    return found
