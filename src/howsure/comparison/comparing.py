"""Is A really better than B on these data? `compare` answers for one metric, `compare_each` for several or by slice."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from howsure import _check, _matrices, _random, inference
from howsure.comparison.advantage_evidence import AdvantageEvidence, evidence_of
from howsure.comparison.advantage_rows import AdvantageRows, rows_of
from howsure.comparison.comparisons import Comparison, Comparisons
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.detectable import detectable
from howsure.comparison.magnitudes import check_magnitudes, far_outside
from howsure.comparison.many_slices import compare_many
from howsure.comparison.observed import (
    few,
    item_advantages_of,
    item_scores,
    off_centre,
    skewed,
    small,
    sparse,
    unequal,
    uneven,
    without_spread,
)
from howsure.comparison.procedure import Procedure
from howsure.comparison.procedure_run import (
    ProcedureRun,
    caveats_of,
    check_item_scores,
    drawn_together,
    effects_of,
)
from howsure.comparison.rater_answers import paired
from howsure.comparison.shared import Shared
from howsure.comparison.signing import provenance_of, shared_fields
from howsure.comparison.together import MANY, adjusted, having, wide_level, without_draws
from howsure.contests import Contest
from howsure.documents import Aside
from howsure.errors import HowsureWarning
from howsure.inference.corrections import JOINT_CORRECTIONS
from howsure.metrics import Metric
from howsure.raters import choice as rater_choice
from howsure.resampling import Stack, kept_responses, summaries_of
from howsure.scales import IntArray
from howsure.summaries import lean

TOGETHER = 32
"""So many slices are drawn from at a time, whose draws take ten megabytes."""


@_matrices.on_one_thread
def compare(
    contest: Contest | Any,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    metric: str | Metric | None = None,
    procedure: Procedure | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
    **settings: Any,
) -> Comparison:
    """Ask whether A is better than B.

    Parameters
    ----------
    contest : Contest, or what one can be made of
        Gold, A and B on the same items; or a table, a dataframe (pandas, Polars, Arrow) or a path, with the names of
        the sources.
    a, b, gold : str, optional
        The sources, where `contest` is no contest yet.
    metric : str or Metric, optional
        How far a model is from gold; see `howsure.metrics`. The scale decides by default: "accuracy" for labels, "mae"
        for numbers and ordered labels, "rating" without gold.
    procedure : Procedure, optional
        How to compare, as one record.
    rng : int, SeedSequence, Generator or None
        None draws fresh entropy, which the result records as `seed`.
    workers : int, optional
        Threads; one per core by default. The result does not depend on it.
    progress : callable, optional
        Told the number of draws done, as they are done: twice `n_resamples` in all, for draws that are not needed, too.
    **settings
        Fields of `Procedure`, in place of `procedure`: `null`, `items`, `responses`, `n_responses`, `raters`,
        `cluster`, `alternative`, `n_resamples`, `confidence_level`, `interval`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> contest = Contest.from_arrays([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], [3, 3, 1, 2, 7, 10])
    >>> result = compare(contest, metric="mae", rng=0)
    >>> result.advantage, result.pvalue
    (2.0, 0.03125)
    """
    found = compare_each(
        contest,
        a=a,
        b=b,
        gold=gold,
        metrics=None if metric is None else [metric],
        procedure=procedure,
        rng=rng,
        workers=workers,
        progress=progress,
        **settings,
    )
    [answer] = found
    return answer


@_matrices.on_one_thread
def compare_each(
    contest: Contest | Any,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    metrics: Sequence[str | Metric] | None = None,
    by: str | None = None,
    correction: str = "holm",
    procedure: Procedure | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
    **settings: Any,
) -> Comparisons:
    """Ask whether A is better than B by several metrics, or on each slice of the items.

    All metrics see the same draws. `correction` is "holm" (the chance of any false verdict), "westfall-young" (the same
    from the joint draws, which finds more where metrics move together), "benjamini-hochberg" (the share of false ones)
    or "none". With the first two, intervals hold together, too. The other parameters are those of `compare`.

    Examples
    --------
    >>> contest = Contest.from_arrays([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], [3, 3, 1, 2, 7, 10])
    >>> for entry in compare_each(contest, metrics=["mae", "spearman"], rng=0):
    ...     print(entry.metric, round(entry.advantage, 3), entry.pvalue_adjusted)
    mae 2.0 0.0625
    spearman 0.478 0.25
    """
    _check.one_of("correction", correction, JOINT_CORRECTIONS)
    run = ProcedureRun.of(procedure, settings, rng=rng, workers=workers, progress=progress)
    if not isinstance(contest, Contest) or (a, b, gold) != (None, None, None):
        from howsure.io.reading import as_contest

        contest = as_contest(contest, a=a, b=b, gold=gold)
    contest = contest.complete()
    check_magnitudes(contest)
    chosen, why = metrics_for(contest, metrics)
    contest = replace(contest, notes=(*contest.notes, *why, *far_outside(contest)))
    found = adjusted(_compare(contest, chosen, run), correction, run.seed) if by is None else []
    if by is not None:
        found = _compare_slices(contest, by, chosen, run, correction)
    shared = found[0].provenance
    whole = replace(
        shared,
        data=shared.data if by is None else contest.digest,
        parameters={
            **shared.parameters,
            "metric": ",".join(dict.fromkeys(entry.provenance.parameters["metric"] for entry in found)),
            "interval": ",".join(dict.fromkeys(entry.provenance.parameters["interval"] for entry in found)),
            "by": by,
            "correction": correction if len(found) > 1 else None,
        },
    )
    return Comparisons(tuple(found), correction, whole)


def _compare_slices(
    contest: Contest, by: str, metrics: Sequence[Metric], run: ProcedureRun, correction: str
) -> list[Comparison]:
    """Compare on each slice; very many slices are compared at once where that is possible, and no draws are kept."""
    values, order, starts = contest.parts(by)
    slices = [f"{by} = {value}" for value in values]
    contest = contest.take(order)

    found = np.empty((len(slices), len(metrics)), dtype=object)
    if len(slices) <= MANY or correction == "westfall-young":
        for i, answers in _one_by_one(contest, starts, np.arange(len(slices)), metrics, run, slices=slices):
            found[i] = answers
        return adjusted(found.ravel().tolist(), correction, run.seed)
    level = wide_level(run.procedure.confidence_level, correction, found.size)
    parts = compare_many(contest, starts, metrics, run, slices=slices, wide_level=level)
    pvalues = np.full(found.shape, math.nan)
    for part in parts:
        pvalues[part.those, part.place] = part.pvalues
    others = np.setdiff1d(np.arange(len(slices)), np.concatenate([[], *(part.those for part in parts)]))
    wide = {}
    for i, answers in _one_by_one(contest, starts, others, metrics, run, slices=slices):
        for j, answer in enumerate(answers):
            pvalues[i, j] = answer.pvalue
            found[i, j], wide[i, j] = without_draws(answer, level)
    pvalues = inference.adjust(pvalues.ravel(), method=correction).reshape(found.shape)
    for place, ends in wide.items():
        found[place] = having(found[place], float(pvalues[place]), ends, found.size)
    for part in parts:
        answers = [*part.answers(pvalues[part.those, part.place], found.size)]
        _warn(answers)
        found[part.those, part.place] = answers
    every: list[Comparison] = found.ravel().tolist()
    return every


def _one_by_one(
    contest: Contest,
    starts: IntArray,
    those: IntArray,
    metrics: Sequence[Metric],
    run: ProcedureRun,
    *,
    slices: Sequence[str],
) -> Iterator[tuple[int, list[Comparison]]]:
    """Yield the comparisons of each of those slices; slices of equally many items are drawn from together."""
    sizes = np.diff(starts)[those]
    for n in np.unique(sizes):
        alike = those[sizes == n]
        for numbers in np.split(alike, np.arange(TOGETHER, alike.size, TOGETHER)):
            parts = [contest.take(np.arange(starts[i], starts[i] + n)) for i in numbers]
            for i, part, own in zip(numbers.tolist(), parts, drawn_together(parts, metrics, run), strict=True):
                yield i, [replace(answer, slice=slices[i]) for answer in _compare(part, metrics, own)]


def compare_shared(
    contest: Contest, *, metrics: Sequence[Metric], procedure: Procedure, rng: _random.Rng, shared: Shared
) -> Sequence[Comparison | AdvantageEvidence]:
    """Compare by metrics as `compare_each` does without correction, with what `shared` holds of the same contest.

    Where raters do not matter, the numbers come without words: notes and effect sizes take longer than they do.
    """
    run = replace(ProcedureRun.of(procedure, {}, rng=rng, workers=1, progress=None), shared=shared)
    begun = _begin(contest, metrics, run)
    return _compare(contest, metrics, run) if begun.choice.n_raters else _evidence(begun)


def pvalue_of(contest: Contest, *, metric: Metric, procedure: Procedure, rng: _random.Rng, workers: int = 1) -> float:
    """Return the p-value that `compare` gives, and compute nothing else."""
    check_magnitudes(contest)
    shared = Shared(leaves_out=False, has_intervals=False)
    run = replace(ProcedureRun.of(procedure, {}, rng=rng, workers=workers, progress=None), shared=shared)
    [found] = _evidence(_begin(contest, [metric], run))
    return found.pvalue


def compare_stacked(
    stack: Stack, *, metrics: Sequence[Metric], procedure: Procedure, shared: Shared
) -> list[AdvantageRows]:
    """Compare the contests of a stack, as `compare_shared` compares each of them, with what `shared` holds of them."""
    run = replace(ProcedureRun.of(procedure, {}, rng=0, workers=1, progress=None), shared=shared)
    begun = _begin(stack.first, metrics, run)
    return rows_of(stack, begun.metrics, begun.run)


def _compare(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun) -> list[Comparison]:
    """Compare by metrics that share their draws; where there are raters, give both answers about them."""
    answers, choice = _compare_once(contest, metrics, run)
    alike = run.scheme.items == "bootstrap" and run.scheme.responses == "all"
    if choice.n_raters and alike and (choice.scheme.raters == "fixed" or choice.null == "random-effects"):
        other = "fixed" if choice.scheme.raters == "random" else "random"
        how = replace(run.procedure, raters=other, null=None, interval=None)
        scheme = replace(run.scheme, raters=other)
        beside, _ = _compare_once(
            contest, metrics, replace(run, procedure=how, scheme=scheme, null=None, progress=None)
        )
        # Both answers have a line each, so that notes about the choice only repeat them.
        notes = [tuple(Aside(note) if note in choice.notes else note for note in one.notes) for one in answers]
        answers = [
            paired(replace(one, notes=said), two, choice.n_raters)
            for one, two, said in zip(answers, beside, notes, strict=True)
        ]
    if run.warns:
        _warn(answers)
    return answers


def _warn(answers: Sequence[Comparison]) -> None:
    """Warn of what is undefined."""
    for answer in answers:
        if math.isnan(answer.advantage) or math.isnan(answer.confidence_interval.low):
            warnings.warn(f"{answer.metric}: {' '.join(answer.notes)}", HowsureWarning, stacklevel=4)


class _Begun(NamedTuple):
    """What is known before anything is drawn: `run` has the scheme and null that the data decide."""

    run: ProcedureRun
    choice: rater_choice.RaterChoice
    metrics: list[Metric]
    methods: list[str]
    clusters: IntArray | None
    data: Contest
    seen: Contest
    caveats: list[str]


def _begin(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun) -> _Begun:
    """Decide for these raters or for raters like these, as asked or by the data; refuse what makes no sense."""
    bound = [bind(metric, contest) for metric in metrics]
    choice = rater_choice.choose(contest, run.scheme, raters=run.procedure.raters, null=run.null)
    run = replace(run, scheme=choice.scheme, null=choice.null)
    clusters, about_clusters = rater_choice.clusters_of(contest, run.procedure.cluster, run.scheme, choice.null)
    data = lean(contest, bound)
    seen = kept_responses(data, run.scheme)
    methods = [run.interval_for(metric, seen) for metric in bound]
    if run.null == "studentised":
        check_item_scores(bound)
    caveats = [*choice.notes, *about_clusters, *caveats_of(contest, run)]
    return _Begun(run, choice, bound, methods, clusters, data, seen, caveats)


def _evidence(begun: _Begun) -> list[AdvantageEvidence]:
    return evidence_of(begun.data, begun.seen, begun.metrics, begun.run, begun.clusters)


def _compare_once(
    contest: Contest, metrics: Sequence[Metric], run: ProcedureRun
) -> tuple[list[Comparison], rater_choice.RaterChoice]:
    """Compare for these raters or for raters like these, whichever was asked for or the data decide."""
    begun = _begin(contest, metrics, run)
    run, choice, bound, methods, _, _, seen, caveats = begun
    how, found = run.procedure, _evidence(begun)
    answers = []
    for i, metric in enumerate(bound):
        one = found[i]
        gold, a, b = summaries_of(seen, metric.needs)
        advantage, kept, error = one.advantage, one.draws, one.item_error
        tail, expected = one.tail(how.alternative), one.expected()
        limits = one.limits(methods[i], how.confidence_level, how.alternative)
        about = [*one.weighted, *small(contest, tail), *unequal(seen, metric), *uneven(metric, contest)]
        about += metric.notes(gold, a, b)
        if run.null == "studentised":
            about += sparse(metric, gold, a, b)
        if run.null == "sign-flip":
            about += skewed(
                metric,
                item_advantages_of(metric, gold, a, b),
                draws=kept,
                standard_errors=one.standard_errors,
                standard_error=error,
                alternative=how.alternative,
            )
        about += few(metric, gold, a, b, interval=methods[i], resamples_items=run.resamples_items)
        sizes = effects_of(metric, seen, run)
        about += [*off_centre(run.scheme, advantage, kept), *without_spread(sizes, contest)]
        notes = dict.fromkeys([*caveats, *tail.notes, *limits.notes, *about, *contest.notes])
        left, whole = one.jackknife, error if one.error is None else one.error.standard_error
        if math.isnan(whole) and left.size > 1:
            whole = math.sqrt((left.size - 1) / left.size * float(np.square(left - left.mean()).sum()))
        if not run.scheme.keeps_responses:
            known = kept[~np.isnan(kept)]
            whole = float(known.std()) if known.size else math.nan
        answers.append(
            Comparison(
                **shared_fields(metric, contest, run),
                a_score=one.a_score,
                b_score=one.b_score,
                advantage=advantage,
                standard_error=whole,
                confidence_interval=limits,
                pvalue=tail.pvalue,
                pvalue_se=tail.standard_error,
                expected_pvalue=expected.pvalue,
                expected_pvalue_se=expected.standard_error,
                detectable=detectable(
                    whole,
                    one.error,
                    df=one.df,
                    n_units=left.size or contest.n_items,
                    null=choice.null,
                    confidence_level=how.confidence_level,
                    alternative=how.alternative,
                ),
                effect_sizes=sizes,
                n_items=contest.n_items,
                n_responses=seen.n_responses,
                exact=tail.exact,
                notes=tuple(notes),
                provenance=provenance_of(contest, [metric], run, [limits.method]),
                draws=kept,
                null_draws=one.null_draws,
                standard_errors=one.standard_errors,
                item_error=error,
                df=one.df,
                jackknife=left,
                error=one.error,
                flips=one.flips,
                item_scores=item_scores(metric, gold, a, b, contest.items),
            )
        )
    if how.margin is not None:
        answers = [
            replace(answer, margin=answer.margin_tests(how.margin, method, how.confidence_level))
            for answer, method in zip(answers, methods, strict=True)
        ]
    return answers, choice
