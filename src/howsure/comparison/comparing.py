"""Is A really better than B on these data? `compare` answers for one metric, `compare_each` for several or by slice."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from howsure import _check, _matrices, _random, inference
from howsure.comparison import notes
from howsure.comparison.agreeing_interval import interval_of, largest_difference
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.detectable import detectable
from howsure.comparison.gathering import Gathered, ProcedureRun, Shared, gather
from howsure.comparison.moments import effects, item_scores
from howsure.comparison.procedure import Procedure
from howsure.comparison.rater_answers import paired
from howsure.comparison.results import Comparison, Comparisons, EffectSizes
from howsure.comparison.together import JOINT, MANY, adjusted, having, wide_level, without_draws
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import lean
from howsure.documents import Aside
from howsure.errors import ArgumentError, HowsureWarning
from howsure.inference.corrections import JOINT_CORRECTIONS
from howsure.inference.estimate import ConfidenceInterval, tails_of
from howsure.inference.evidence import Evidence
from howsure.intervals import Interval
from howsure.metrics import Metric, parameters_of, spelled
from howsure.metrics.equal_runs import EqualRuns, are_equal, fair
from howsure.nulls import STUDENT_T, Null
from howsure.provenance import Provenance
from howsure.raters import choice as rater_choice
from howsure.resampling import Stack, can_stack, summaries_of

TOGETHER = 64
"""So many slices are gathered at a time, whose resamples take twenty megabytes."""


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
    notes.check_magnitudes(contest)
    chosen, why = metrics_for(contest, metrics)
    contest = replace(contest, notes=(*contest.notes, *why, *notes.far_outside(contest)))
    run = replace(run, joint=correction in JOINT and (len(chosen) > 1 or (by is not None and correction != "holm")))
    if by is None:
        found = adjusted(_compare([contest], chosen, run)[0], correction, run.seed)
    else:
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
    """Compare on each slice; of very many slices no resamples are kept."""
    values, order, starts = contest.parts(by)
    contest = contest.take(order)
    n = len(values) * len(metrics)
    many = len(values) > MANY and correction != "westfall-young"
    level = wide_level(run.procedure.confidence_level, correction, n)
    found: list[list[Comparison]] = [[] for _ in values]
    wide: list[list[ConfidenceInterval]] = [[] for _ in values]
    for numbers, parts in _equally_large(contest, starts):
        for i, answers in zip(numbers, _compare(parts, metrics, run), strict=True):
            for answer in answers:
                named = replace(answer, slice=f"{by} = {values[i]}")
                own, far = without_draws(named, level) if many else (named, named.confidence_interval)
                found[i].append(own)
                wide[i].append(far)
    entries = [*chain(*found)]
    if not many:
        return adjusted(entries, correction, run.seed)
    pvalues = inference.adjust([entry.pvalue for entry in entries], method=correction)
    return [having(entry, float(p), far, n) for entry, p, far in zip(entries, pvalues, chain(*wide), strict=True)]


def _equally_large(contest: Contest, starts: IntArray) -> Iterator[tuple[list[int], list[Contest]]]:
    """Yield slices (their numbers and contests), those of equally many items together."""
    sizes = np.diff(starts)
    for n in np.unique(sizes):
        alike = np.flatnonzero(sizes == n)
        for numbers in np.split(alike, np.arange(TOGETHER, alike.size, TOGETHER)):
            yield numbers.tolist(), [contest.take(np.arange(starts[i], starts[i] + n)) for i in numbers]


def gather_rows(
    data: Stack,
    *,
    metrics: Sequence[Metric],
    procedure: Procedure,
    shared: Shared,
    rng: _random.Rng,
    null: Null | None = None,
) -> list[Gathered]:
    """Return what comparisons of simulated data sets rest on, without words.

    `null` takes the place of the procedure's, for one that is not in the catalogue.
    """
    run = ProcedureRun.of(procedure, {}, rng=rng, workers=1, progress=None)
    run = replace(run, shared=shared, warns=False, null=null or run.null)
    return _gather(_prepare(data, metrics, run))


def pvalue_of(contest: Contest, *, metric: Metric, procedure: Procedure, rng: _random.Rng, workers: int = 1) -> float:
    """Return the p-value that `compare` gives, and compute nothing else."""
    return swaps_of(contest, metric=metric, procedure=procedure, rng=rng, workers=workers).pvalue


class Swaps(NamedTuple):
    """A p-value and what it was counted from: the advantage, its null draws, and whether these are all there are."""

    pvalue: float
    advantage: float
    null_draws: FloatArray
    exact: bool


def swaps_of(contest: Contest, *, metric: Metric, procedure: Procedure, rng: _random.Rng, workers: int = 1) -> Swaps:
    """Return the p-value that `compare` gives with its null draws, and compute nothing else."""
    notes.check_magnitudes(contest)
    shared = Shared(leaves_out=False, has_intervals=False)
    run = replace(ProcedureRun.of(procedure, {}, rng=rng, workers=workers, progress=None), shared=shared, warns=False)
    prepared = _prepare(Stack(contest), [metric], run)
    [found] = _gather(prepared)
    evidence = found.evidence
    pvalue = float(prepared.null.pvalues(evidence, procedure.alternative).values[0])
    return Swaps(pvalue, float(evidence.estimates[0]), evidence.null_draws[0], evidence.exact)


def _compare(contests: Sequence[Contest], metrics: Sequence[Metric], run: ProcedureRun) -> list[list[Comparison]]:
    """Compare contests of equally many items by metrics that share their resamples: a list for each contest.

    Where there are raters, both answers about them are given.
    """
    if len(contests) > 1 and not (run.procedure.cluster is None and can_stack(contests)):
        return [_compare([contest], metrics, run)[0] for contest in contests]
    if run.scheme.responses == "all" and not all(map(are_equal, contests)):
        cut = [fair(bind(metric, contests[0]), contests[0]) is None for metric in metrics]
        if any(cut):
            return _compare_cut(contests, metrics, cut, run)
    data = Stack.of(contests)
    run = replace(run, shared=Shared())
    answers, choice = _compare_once(contests, data, metrics, run)
    alike = run.scheme.items == "bootstrap" and run.scheme.responses == "all"
    if choice.n_raters and alike and (choice.scheme.raters == "fixed" or choice.null.two_answers):
        other = "fixed" if choice.scheme.raters == "random" else "random"
        how = replace(run.procedure, raters=other, null=None, interval=None)
        scheme = replace(run.scheme, raters=other)
        again = replace(run, procedure=how, scheme=scheme, null=None, progress=None, shared=Shared())
        beside, _ = _compare_once(contests, data, metrics, again)
        # Both answers have a line each, so that notes about the choice only repeat them.
        answers = [
            [paired(_aside(own, choice.notes), two, choice.n_raters) for own, two in zip(*of_contest, strict=True)]
            for of_contest in zip(answers, beside, strict=True)
        ]
    if run.warns:
        _warn([*chain(*answers)])
    return answers


def _compare_cut(
    contests: Sequence[Contest], metrics: Sequence[Metric], cut: list[bool], run: ProcedureRun
) -> list[list[Comparison]]:
    """Compare by metrics without item scores (`cut`) on as many runs of A as of B, and by the others on all of them."""
    found: list[list[Comparison | None]] = [[None] * len(metrics) for _ in contests]
    for data, is_cut in ((contests, False), ([notes.with_equal_runs(contest) for contest in contests], True)):
        places = [place for place, mark in enumerate(cut) if mark is is_cut]
        answers = _compare(data, [metrics[place] for place in places], run) if places else []
        for row, of_contest in zip(found, answers, strict=False):
            for place, answer in zip(places, of_contest, strict=True):
                row[place] = answer
    return [[answer for answer in row if answer is not None] for row in found]


def _aside(answer: Comparison, about: Sequence[str]) -> Comparison:
    return replace(answer, notes=tuple(Aside(note) if note in about else note for note in answer.notes))


def _warn(answers: Sequence[Comparison]) -> None:
    """Warn of what is undefined."""
    for answer in answers:
        if math.isnan(answer.advantage) or math.isnan(answer.confidence_interval.low):
            warnings.warn(f"{answer.metric}: {' '.join(answer.notes)}", HowsureWarning, stacklevel=5)


class _Prepared(NamedTuple):
    """What is known before anything is drawn: `run` has the scheme and null that the data decide."""

    run: ProcedureRun
    choice: rater_choice.RaterChoice
    metrics: list[Metric]
    methods: list[list[Interval]]
    clusters: IntArray | None
    data: Stack
    seen: Stack
    caveats: list[str]

    @property
    def null(self) -> Null:
        """The null that was asked for or chosen."""
        return self.run.chosen_null


def _prepare(data: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> _Prepared:
    """Decide for these raters or for raters like these, as asked or by the data; refuse what makes no sense."""
    first = data.first
    bound = [bind(metric, first) for metric in metrics]
    if run.scheme.responses == "all":  # models with unequally many runs are scored as if they had equally many
        bound = [fair(metric, data.whole) or metric for metric in bound]
    choice = rater_choice.choose(first, run.scheme, raters=run.procedure.raters, null=run.null)
    run = replace(run, scheme=choice.scheme, null=choice.null)
    clusters, about_clusters = rater_choice.clusters_of(first, run.procedure.cluster, run.scheme, choice.null)
    if run.procedure.null is None and clusters is not None and all(metric.additive for metric in bound):
        run, more = _with_few_clusters(run, int(clusters.max()) + 1)
        about_clusters += more
    data = replace(data, whole=lean(data.whole, bound))
    bound = [replace(metric, scale=data.whole.scale) if isinstance(metric, EqualRuns) else metric for metric in bound]
    seen = data.keeping(run.scheme)
    if choice.null.item_scores:
        _check_item_scores(bound, choice.null)
    caveats = [*choice.notes, *about_clusters, *_caveats(first, run)]
    methods = [_methods(metric, seen, run) for metric in bound] if run.shared.has_intervals else []
    return _Prepared(run, choice, bound, methods, clusters, data, seen, caveats)


def _with_few_clusters(run: ProcedureRun, n_clusters: int) -> tuple[ProcedureRun, list[str]]:
    """Return the run with Student's t, whose interval it then is too, where no exchange of clusters can be rare."""
    tail = tails_of(run.procedure.confidence_level, run.procedure.alternative)[0]
    if run.scheme.raters == "random" or run.chosen_null.can_reject(n_clusters, tail):
        return run, []
    why = f"{n_clusters} clusters are too few for the sign-flip test: p and interval are Student's, which assumes "
    return replace(run, null=STUDENT_T), [f"{why}that clusters differ normally."]


def _methods(metric: Metric, seen: Stack, run: ProcedureRun) -> list[Interval]:
    """Return the interval of each data set: the default depends on its item advantages."""
    if run.procedure.interval is not None:
        return [run.interval_for(metric, seen.first)] * len(seen)
    return [run.interval_for(metric, contest) for contest in seen.contests]


def _check_item_scores(metrics: Sequence[Metric], null: Null) -> None:
    for metric in metrics:
        if not metric.additive:
            raise ArgumentError(
                f"`null={null.name!r}` needs a metric with item scores; {metric.name!r} has none. Use "
                "`null='sign-flip'`."
            )


def _caveats(contest: Contest, run: ProcedureRun) -> list[str]:
    """Refuse combinations that make no sense; return notes on those that need caution."""
    null, found = run.chosen_null, []
    for verdict, reason in null.judge(run.scheme, (contest.a.n_responses, contest.b.n_responses)):
        if verdict == "refuse":
            raise ArgumentError(f"`null={null.name!r}` with {run.scheme}: {reason}")
        if verdict == "warn" and run.warns:
            warnings.warn(reason, HowsureWarning, stacklevel=6)
        found.append(reason)
    return found


def _gather(prepared: _Prepared) -> list[Gathered]:
    return gather(
        prepared.data,
        prepared.seen,
        prepared.metrics,
        prepared.run,
        methods=prepared.methods,
        clusters=prepared.clusters,
    )


def _compare_once(
    contests: Sequence[Contest], data: Stack, metrics: Sequence[Metric], run: ProcedureRun
) -> tuple[list[list[Comparison]], rater_choice.RaterChoice]:
    """Compare for these raters or for raters like these, whichever was asked for or the data decide."""
    prepared = _prepare(data, metrics, run)
    found = _gather(prepared)
    answers = []
    for i, contest in enumerate(contests):
        answers.append([_answer(contest, prepared, found, row=i, place=place) for place in range(len(found))])
    return answers, prepared.choice


def _answer(contest: Contest, prepared: _Prepared, gathered: Sequence[Gathered], *, row: int, place: int) -> Comparison:
    """Put what is known of one data set by one metric into numbers and words."""
    run, metric, method, null = prepared.run, prepared.metrics[place], prepared.methods[place][row], prepared.null
    seen, found = prepared.seen.contests[row], gathered[place]
    how, evidence = run.procedure, found.evidence.row(row)
    gold, a, b = summaries_of(seen, metric.needs)
    advantage = float(evidence.estimates[0])
    tail = null.pvalues(evidence, how.alternative)[0]
    unasked = inference.PValue(math.nan, math.nan, 0)
    expected = null.expected_of(evidence, how.alternative) if run.draws_asked else unasked
    largest = largest_difference(metric, contest.scale)
    limits = interval_of(method, evidence, null, how.confidence_level, how.alternative, largest=largest)
    sizes = EffectSizes() if run.scheme.thins else effects(metric, gold, a, b)
    about = [
        *found.weighted,
        *notes.small(contest, tail),
        *notes.unequal(contest, metric),
        *notes.uneven(metric, contest),
        *metric.notes(gold, a, b),
        *null.cautions(evidence, metric.name, how.alternative),
        *notes.few(metric, evidence, method, items_alone=run.items_alone),
        *notes.off_centre(run.scheme, advantage, evidence.draws[0]),
        *notes.without_spread(sizes, contest),
    ]
    error = _error(evidence, run)
    answer = Comparison(
        **_shared_fields(metric, contest, run),
        a_score=float(found.scores[row, 0]),
        b_score=float(found.scores[row, 1]),
        advantage=advantage,
        standard_error=error,
        confidence_interval=limits,
        pvalue=tail.pvalue,
        pvalue_se=tail.standard_error,
        skewness_pvalue=null.pvalue_under_skewness(evidence, how.alternative),
        expected_pvalue=expected.pvalue,
        expected_pvalue_se=expected.standard_error,
        detectable=detectable(error, evidence, null, how.confidence_level, how.alternative),
        effect_sizes=sizes,
        n_items=contest.n_items,
        n_responses=seen.n_responses,
        exact=tail.exact,
        notes=tuple(dict.fromkeys([*prepared.caveats, *tail.notes, *limits.notes, *about, *contest.notes])),
        provenance=_provenance(contest, metric, run, method),
        evidence=evidence,
        item_scores=item_scores(metric, gold, a, b, contest.items),
    )
    if how.margin is None:
        return answer
    return replace(answer, margin=answer.margin_tests(how.margin, method.name, how.confidence_level))


def _error(evidence: Evidence, run: ProcedureRun) -> float:
    """Return the standard error of the advantage: of raters too, by the jackknife, or of the resamples."""
    if not run.scheme.keeps_responses:
        known = evidence.draws[~np.isnan(evidence.draws)]
        return float(known.std()) if known.size else math.nan
    if evidence.rater_error is not None:
        return evidence.rater_error.standard_error
    error, left = float(evidence.errors[0]), evidence.jackknife[0]
    if math.isnan(error) and left.size > 1:
        return math.sqrt((left.size - 1) / left.size * float(np.square(left - left.mean()).sum()))
    return error


def _shared_fields(metric: Metric, contest: Contest, run: ProcedureRun) -> dict[str, Any]:
    """Return the fields that all comparisons by a metric share, whatever their items."""
    return {
        "metric": metric.name,
        "parameters": parameters_of(metric),
        "title": metric.titled(_runs(contest, run)),
        "better": metric.better,
        "span": largest_difference(metric, contest.scale),
        "names": contest.names,
        "scale": str(contest.scale),
        "null": run.chosen_null.name,
        "scheme": str(run.scheme),
        "alternative": run.procedure.alternative,
        "n_resamples": run.procedure.n_draws,
    }


def _runs(contest: Contest, run: ProcedureRun) -> set[int]:
    """Return with how many responses A and B are scored on an item."""
    if run.scheme.responses in ("first", "one"):
        return {1}
    return {int(size) for side in (contest.a, contest.b) for size in (side.sizes.min(), side.sizes.max())}


def _provenance(contest: Contest, metric: Metric, run: ProcedureRun, method: Interval) -> Provenance:
    """Return what decides the answer: every parameter of the metric and every setting, as they were resolved."""
    how = run.procedure
    parameters: dict[str, Any] = {
        "metric": spelled(metric),
        "null": run.chosen_null.name,
        "items": run.scheme.items,
        "responses": run.scheme.responses,
        "n_responses": run.scheme.n_responses,
        "raters": run.scheme.raters,
        "cluster": how.cluster,
        "interval": method.name,
        "confidence_level": how.confidence_level,
        "alternative": how.alternative,
        "n_resamples": how.n_draws,
        "margin": how.margin,
    }
    return Provenance("compare", parameters, _random.entropy_of(run.seed), contest.digest)
