"""How good is this model? The score of each model with an interval, and pass@k and pass^k where runs pass or fail."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from howsure import _check, _matrices
from howsure._frames import in_any_form
from howsure.comparison.default_metric import bind, metrics_for
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses, cluster_codes, digest_of
from howsure.data.summaries import summarise
from howsure.documents import Block, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import counted, error_of, joined
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval, Estimate
from howsure.leaderboards.random_raters import choices_of
from howsure.leaderboards.score_intervals import is_share, mean_interval, score_bounds
from howsure.leaderboards.scores_with_raters import score_with_raters
from howsure.leaderboards.units import LeaderboardData, scored_alone, sheet_of
from howsure.metrics import Metric, resolve, spelled
from howsure.provenance import Provenance
from howsure.raters.design import FEW_RATERS, raters_of
from howsure.records import Signed
from howsure.wording import sentences
from howsure.wording.estimates import ci, with_interval

if TYPE_CHECKING:
    import polars

MOST_RUNS = 20
"""The curves of pass@k and pass^k end at so many runs."""


@dataclass(frozen=True, slots=True)
class Passes:
    """The chance that at least one of k runs passes (pass@k), and that all of them do (pass^k)."""

    k: int
    any_of_k: float
    all_of_k: float


@dataclass(frozen=True, slots=True)
class ModelScore:
    """The score of one model.

    Attributes
    ----------
    name : str
    metric, title, better : str
    score : float
    confidence_interval : ConfidenceInterval
        Of the score on items (or clusters) like these; where there are raters, for raters like these or for these.
    n_items, n_responses : int
    n_unscored : int
        Responses that the data name but that have no score: failed samples, unparsed answers.
    passes : tuple of Passes
        For every k up to the fewest runs of an item, where each run passes or fails; else empty.
    for_these_raters, for_raters_like_these : ConfidenceInterval or None
        Both answers where raters judged several items each, one of which is `confidence_interval`.
    """

    name: str
    metric: str
    title: str
    better: str
    score: float
    confidence_interval: ConfidenceInterval
    n_items: int
    n_responses: int
    n_unscored: int = 0
    passes: tuple[Passes, ...] = ()
    for_these_raters: ConfidenceInterval | None = None
    for_raters_like_these: ConfidenceInterval | None = None

    @property
    def as_estimate(self) -> Estimate:
        """The score with its interval."""
        return Estimate(self.score, self.confidence_interval)

    @property
    def sentence(self) -> str:
        """The score in one sentence."""
        runs = self.n_responses / self.n_items
        each = "" if runs == 1 else f" with {runs:.3g} responses each"
        scored = f"{self.name}: {self.title} {with_interval(self.score, self.confidence_interval)}"
        return f"{scored} on {counted(self.n_items, 'item')}{each}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScores(Signed):
    """The scores of one or several models, each by itself; `howsure compare` says whether two of them differ.

    Attributes
    ----------
    models : tuple of ModelScore
    notes : tuple of str
    provenance : Provenance
    n_raters : int
        The number of raters where they judged several items each; else 0.
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    models: tuple[ModelScore, ...]
    notes: tuple[str, ...]
    provenance: Provenance
    n_raters: int = 0

    def document(self) -> Document:
        """Return the scores: a sentence for few models, a table, and the curves of pass@k and pass^k."""
        blocks: list[Block] = [Sentence(one.sentence, "verdict") for one in self.models[:SENTENCES]]
        if self.n_raters and len(self.models) == 1:
            one, heads = self.models[0], sentences.whose_raters(self.n_raters)
            both = zip(heads, (one.for_these_raters, one.for_raters_like_these), strict=True)
            lines = sentences.aligned({head: with_interval(one.score, ends) for head, ends in both})
            blocks += [Sentence(line) for line in lines]
        if self.n_raters:
            blocks.append(Sentence(_advice(self.n_raters)))
        if len(self.models) > 1:
            blocks.append(_table(self.models[:ROWS]))
        if len(self.models) > ROWS:
            said = (
                f"These are the first {ROWS} of {len(self.models):,} scores. To rank models, use howsure leaderboard."
            )
            blocks += [Sentence(said, "aside"), *details([_table(self.models[ROWS:])])]
        curves = [one for one in self.models if len(one.passes) > 1]
        blocks += [_curves(curves)] if curves else []
        if len(self.models) > 1:
            blocks.append(Sentence("Overlapping intervals do not mean that models are equal: use howsure compare."))
        return Document("How good is each model?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each model."""
        import polars

        numbers = ("n_items", "n_responses", "n_unscored")
        rows = []
        for one in self.models:
            ends = one.confidence_interval
            row = {"model": one.name, "metric": one.metric, "score": one.score}
            row |= {"interval_low": ends.low, "interval_high": ends.high}
            rows.append(row | {name: getattr(one, name) for name in numbers})
        return polars.DataFrame(rows)


SENTENCES, ROWS = 3, 20
"""So many models have a sentence each, and so many are in the short table."""


def _advice(n_raters: int) -> str:
    """Return which of the two intervals to report."""
    if n_raters < FEW_RATERS:
        few = sentences.few_raters(n_raters)
        return f"Report the interval for these raters. The one for raters like these is only a hint: {few}. Add raters."
    return "Report the interval for raters like these unless exactly these raters are the standard."


def _table(models: Sequence[ModelScore]) -> Table:
    metrics = len({one.metric for one in models}) > 1
    scored = [Column("metric"), Column("score", "number")] if metrics else [Column(models[0].title, "number")]
    columns = [Column("model"), *scored]
    both = models[0].for_raters_like_these is not None
    level = ci(models[0].confidence_interval.confidence_level)
    kinds = [f"{level}, {kind}" for kind in ("these raters", "raters like these")]
    columns += [Column(kind, "interval") for kind in (kinds if both else [level])]
    columns += [Column("items", "count"), Column("responses", "count"), Column("unscored", "count")]
    rows = []
    for one in models:
        error = error_of(one.confidence_interval, one.score)
        row: list[object] = [one.name, *([one.metric] if metrics else [])]
        ends = (one.for_these_raters, one.for_raters_like_these) if both else (one.confidence_interval,)
        row += [Measured(one.score, error), *(Measured(each, error) for each in ends)]
        rows.append((*row, one.n_items, one.n_responses, one.n_unscored))
    return Table(tuple(columns), tuple(rows))


def _curves(models: Sequence[ModelScore]) -> Table:
    """Return pass@k and pass^k by k, the models side by side."""
    columns = [Column("runs (k)", "count")]
    for one in models:
        of = f" {one.name}" if len(models) > 1 else ""
        columns += [Column(f"pass@k{of}", "number"), Column(f"pass^k{of}", "number")]
    longest = max(len(one.passes) for one in models)
    rows = []
    for i in range(longest):
        row: list[object] = [i + 1]
        for one in models:
            known = one.passes[i] if i < len(one.passes) else None
            row += [math.nan, math.nan] if known is None else [known.any_of_k, known.all_of_k]
        rows.append(tuple(row))
    return Table(tuple(columns), tuple(rows), "At least one of k runs passes (pass@k); all of them pass (pass^k)")


@_matrices.on_one_thread
def score_models(
    table: ResponseTable,
    *,
    gold: str | None = None,
    models: Sequence[str] = (),
    metrics: Sequence[str | Metric] = (),
    cluster: str | None = None,
    raters: str | None = None,
    confidence_level: float = 0.95,
) -> ModelScores:
    """Return the score of each model with its interval.

    Parameters
    ----------
    table : ResponseTable
    gold : str, optional
        The source of reference labels; without it the models' own scores are averaged.
    models : sequence of str
        Which sources; all but gold by default.
    metrics : sequence of str or Metric
        By default the metric that fits the scale.
    cluster : str, optional
        Column that groups items: the interval is then for groups like these.
    raters : {"random", "fixed"}, optional
        Which of the two answers leads where raters judged several items each: the one for raters like these, or the one
        for these raters. By default, the first with five raters or more, as in `compare`.
    confidence_level : float

    Examples
    --------
    >>> from howsure import examples
    >>> found = score_models(examples.ratings(), gold="human", models=["model-2"], metrics=["mae"])
    >>> print(found.models[0].sentence)
    model-2: mean absolute error 0.438 (95% CI 0.384 to 0.491) on 200 items with 3 responses each.
    """
    level = _check.fraction("confidence_level", confidence_level)
    names = list(models) or [name for name in table.sources if name != gold]
    if not names:
        raise DataError("there is no model to score: the data hold gold only.")
    if gold in names:
        raise ArgumentError(f"{gold!r} is gold and cannot be a model too.")
    if cluster is not None:
        _check.one_of("cluster", cluster, table.groups)
    found: list[ModelScore] = []
    notes: list[str] = [*table.notes]
    n_raters, lead, about_raters = _raters(table, names, gold, raters)
    for name in names:
        source = table.source(name)
        reference = None if gold is None else table.source(gold)
        contest = Contest(reference, source, source, table.scale, table.items, better=table.better)
        chosen, why = metrics_for(contest, list(metrics) or None)
        notes += [note for note in why if note not in notes]
        asked = _Asked(table, gold, cluster, level, lead)
        for metric in chosen:
            one, about = _score(asked, name, bind(metric, contest))
            found.append(one)
            notes += about
    notes += about_raters
    notes += [f"{one.name}: {note}" for one in found for note in one.confidence_interval.notes]
    parameters = {
        "metric": ",".join(dict.fromkeys(spelled(bind(metric, contest)) for metric in chosen)),
        "gold": gold,
        "cluster": cluster,
        "raters": lead or None,
        "confidence_level": level,
    }
    digest = digest_of(table.scale, {name: table.sources[name] for name in ([gold] if gold else []) + names})
    return ModelScores(
        models=tuple(found),
        notes=tuple(dict.fromkeys(notes)),
        provenance=Provenance("score", parameters, None, digest),
        n_raters=n_raters,
    )


def _raters(
    table: ResponseTable, names: Sequence[str], gold: str | None, raters: str | None
) -> tuple[int, str, list[str]]:
    """Return the number of raters, which of their two answers leads ("random" or "fixed"), and notes.

    It is decided as in a leaderboard of these models. The number is 0 where there is one answer only.
    """
    sources = [table.source(name) for name in ([gold] if gold else []) + list(names)]
    if raters is None and all(source.raters is None for source in sources):
        return 0, "", []
    choices = choices_of(table, names, gold, raters)
    if not any(choice.n_raters or choice.scheme.raters == "random" for choice in choices):
        return 0, "", list(dict.fromkeys(note for choice in choices for note in choice.notes))
    lead = "random" if any(choice.scheme.raters == "random" for choice in choices) else "fixed"
    alone = [name for name in names if gold is None and raters_of([table.source(name)]).size < 2]
    few = f"{joined(alone)}: without a second rater, both intervals are for these raters."
    return raters_of(sources).size, lead, [few] if alone else []


def _unscored(one: ModelScore, if_wrong: float) -> list[str]:
    """Say which responses are left out, and what an accuracy would be if they counted as wrong."""
    if not one.n_unscored:
        return []
    n = f"{one.n_unscored:,} of {counted(one.n_responses + one.n_unscored, 'response')}"
    left = "has no score and is left out" if one.n_unscored == 1 else "have no score and are left out"
    counted_as = f" Counted as wrong, the accuracy is {if_wrong:.3g}." if one.title == "accuracy" else ""
    return [f"{one.name}: {n} {left}.{counted_as}"]


class _Asked(NamedTuple):
    """The data and what is asked of them, the same for all models; `lead` is empty where raters are no factor."""

    table: ResponseTable
    gold: str | None
    cluster: str | None
    level: float
    lead: str


def _score(asked: _Asked, name: str, metric: Metric) -> tuple[ModelScore, list[str]]:
    """Return the score on the items that the model, and gold, answered, and notes on what was left out."""
    table, gold, cluster, level, lead = asked
    source = table.sources[name]
    source.check_magnitudes(name, table.items)
    labelled = np.ones(source.n_items, dtype=bool) if gold is None else table.sources[gold].sizes > 0
    there = labelled & (source.sizes > 0)
    if not there.any():
        raise DataError(f"{name} answered no item that has a gold label.")
    if metric.relative:
        raise ArgumentError(f"metric {metric.name!r} exists only between two models; use howsure compare.")
    rows = np.flatnonzero(there)
    # A failed sample may be the only response to its item, which then has no score, but is unscored all the same.
    missing = np.where(labelled, 0 if source.missing is None else source.missing, 0)
    every = source.sizes + missing
    source = source.take(rows)
    of_gold = None if gold is None else summarise(table.sources[gold].take(rows), metric.needs, table.scale)
    items, score = scored_alone(metric, of_gold, summarise(source, metric.needs, table.scale))
    clusters = None if cluster is None else cluster_codes({cluster: table.groups[cluster][rows]}, cluster)[1]
    runs = set(source.sizes.tolist())
    bounds = score_bounds(metric, table.scale)
    ends = these = mean_interval(items, score, clusters, level, bounds, share=is_share(metric, bounds))
    like = None
    if lead:
        sources = {role: table.sources[role] for role in ([gold] if gold else []) + [name]}
        data = LeaderboardData(replace(table, sources=sources, notes=()).take(rows), (name,), metric, gold)
        sheet, _ = sheet_of(data, np.arange(rows.size), clusters=clusters)
        like = score_with_raters(data, sheet, 0, level)
        ends = like if lead == "random" else these
    one = ModelScore(
        name=name,
        metric=metric.name,
        title=metric.titled(runs),
        better=metric.better,
        score=score,
        confidence_interval=ends,
        n_items=rows.size,
        n_responses=source.values.size,
        n_unscored=int(missing.sum()),
        passes=_passes(source, table) if gold is None else (),
        for_these_raters=these if lead else None,
        for_raters_like_these=like,
    )
    if_wrong = float((items * source.sizes / every[rows]).sum() / np.count_nonzero(labelled & (every > 0)))
    return one, _unscored(one, if_wrong)


def _passes(source: Responses, table: ResponseTable) -> tuple[Passes, ...]:
    """Return pass@k and pass^k for every k up to the fewest runs; nothing where runs do not pass or fail."""
    fewest = int(source.sizes.min())
    if fewest < 2 or not table.scale.levels or set(table.scale.levels) - {0.0, 1.0} or not table.scale.is_numeric:
        return ()
    found = []
    for k in range(1, min(fewest, MOST_RUNS) + 1):
        both = [resolve(f"pass{sign}{k}").on(table.scale) for sign in "@^"]
        means = [float(scored_alone(one, None, summarise(source, one.needs, table.scale))[1]) for one in both]
        found.append(Passes(k, *means))
    return tuple(found)
