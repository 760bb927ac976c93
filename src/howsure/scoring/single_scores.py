"""How good is this model? The score of each model with an interval, and pass@k and pass^k where runs pass or fail."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from howsure.documents.numbers import counted, error_of, interval, number
from howsure.errors import ArgumentError, DataError
from howsure.inference.confidence import ConfidenceInterval
from howsure.leaderboards.score_intervals import is_share, mean_interval, score_bounds
from howsure.leaderboards.units import scored_alone
from howsure.metrics import Metric, resolve, spelled
from howsure.provenance import Provenance
from howsure.records import Signed

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
        Of the score on items (or clusters) like these.
    n_items, n_responses : int
    n_unscored : int
        Responses that the data name but that have no score: failed samples, unparsed answers.
    passes : tuple of Passes
        For every k up to the fewest runs of an item, where each run passes or fails; else empty.
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

    @property
    def sentence(self) -> str:
        """The score in one sentence."""
        ends = self.confidence_interval
        error = error_of(ends, self.score)
        runs = self.n_responses / self.n_items
        each = "" if runs == 1 else f" with {runs:.3g} responses each"
        level = f"{100 * ends.confidence_level:g}% CI"
        limits = "undefined" if math.isnan(ends.low) else interval(ends.low, ends.high, error)
        scored = f"{self.name}: {self.title} {number(self.score, error)} ({level} {limits})"
        return f"{scored} on {counted(self.n_items, 'item')}{each}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScores(Signed):
    """The scores of one or several models, each by itself; `howsure compare` says whether two of them differ.

    Attributes
    ----------
    models : tuple of ModelScore
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    models: tuple[ModelScore, ...]
    notes: tuple[str, ...]
    provenance: Provenance

    def document(self) -> Document:
        """Return the scores: a sentence for few models, a table, and the curves of pass@k and pass^k."""
        blocks: list[Block] = [Sentence(one.sentence, "verdict") for one in self.models[:SENTENCES]]
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

FEW_RATERS = 5
"""With so many raters or more, `compare` and `leaderboard` generalise to raters like these."""


def _table(models: Sequence[ModelScore]) -> Table:
    metrics = len({one.metric for one in models}) > 1
    scored = [Column("metric"), Column("score", "number")] if metrics else [Column(models[0].title, "number")]
    columns = [Column("model"), *scored]
    columns += [Column(_level(models[0]), "interval"), Column("items", "count")]
    columns += [Column("responses", "count"), Column("unscored", "count")]
    rows = []
    for one in models:
        error = error_of(one.confidence_interval, one.score)
        row: list[object] = [one.name, *([one.metric] if metrics else [])]
        row += [Measured(one.score, error), Measured(one.confidence_interval, error)]
        rows.append((*row, one.n_items, one.n_responses, one.n_unscored))
    return Table(tuple(columns), tuple(rows))


def _n_raters(source: Responses) -> int:
    """Return how many raters judged several items each, as far as is known."""
    if source.raters is None:
        return 0
    known, n_items = np.unique(source.raters, return_counts=True)
    return known.size if n_items.max(initial=0) > 1 else 0


def _level(one: ModelScore) -> str:
    return f"{100 * one.confidence_interval.confidence_level:g}% CI"


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
    for name in names:
        source = table.source(name)
        reference = None if gold is None else table.source(gold)
        contest = Contest(reference, source, source, table.scale, table.items, better=table.better)
        chosen, why = metrics_for(contest, list(metrics) or None)
        notes += [note for note in why if note not in notes]
        asked = _Asked(table, gold, cluster, level)
        for metric in chosen:
            one, about = _score(asked, name, bind(metric, contest))
            found.append(one)
            notes += about
    n_raters = 0 if gold else max(_n_raters(table.source(name)) for name in names)
    if n_raters >= FEW_RATERS:
        where = " howsure leaderboard has those." if len(names) > 1 else ""
        notes.append(f"The intervals are for these {n_raters:,} raters. For raters like these they are wider.{where}")
    notes += [f"{one.name}: {note}" for one in found for note in one.confidence_interval.notes]
    parameters = {
        "metric": ",".join(dict.fromkeys(spelled(bind(metric, contest)) for metric in chosen)),
        "gold": gold,
        "cluster": cluster,
        "confidence_level": level,
    }
    digest = digest_of(table.scale, {name: table.sources[name] for name in ([gold] if gold else []) + names})
    return ModelScores(
        models=tuple(found), notes=tuple(dict.fromkeys(notes)), provenance=Provenance("score", parameters, None, digest)
    )


def _unscored(one: ModelScore, if_wrong: float) -> list[str]:
    """Say which responses are left out, and what an accuracy would be if they counted as wrong."""
    if not one.n_unscored:
        return []
    n = f"{one.n_unscored:,} of {counted(one.n_responses + one.n_unscored, 'response')}"
    left = "has no score and is left out" if one.n_unscored == 1 else "have no score and are left out"
    counted_as = f" Counted as wrong, the accuracy is {if_wrong:.3g}." if one.title == "accuracy" else ""
    return [f"{one.name}: {n} {left}.{counted_as}"]


class _Asked(NamedTuple):
    """The data and what is asked of them, the same for all models."""

    table: ResponseTable
    gold: str | None
    cluster: str | None
    level: float


def _score(asked: _Asked, name: str, metric: Metric) -> tuple[ModelScore, list[str]]:
    """Return the score on the items that the model, and gold, answered, and notes on what was left out."""
    table, gold, cluster, level = asked
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
    ends = mean_interval(items, score, clusters, level, bounds, share=is_share(metric, bounds))
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
