"""Is A really better than B on these data? `compare` answers for one metric, `compare_each` for several or by slice."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay import _check, _random, inference
from assay.comparison import raters as raters_of
from assay.comparison.limits import NEEDED, can_have, default_interval, limits_of
from assay.comparison.observed import effects, few, moments, rounding_of, settled, small, unequal, uneven
from assay.comparison.results import Comparison, Comparisons, tested
from assay.errors import ArgumentError, AssayWarning
from assay.inference import CombinedError
from assay.inference.corrections import CORRECTIONS
from assay.metrics import Metric, resolve
from assay.provenance import Provenance
from assay.resampling import (
    NULLS,
    Draws,
    Scheme,
    draw,
    enumerate_cluster_swaps,
    enumerate_swaps,
    first_responses,
    judge,
    summaries_of,
)
from assay.responses import Contest, frozen
from assay.scales import IntArray


def compare(
    contest: Contest,
    *,
    metric: str | Metric = "mae",
    null: str | None = None,
    items: str = "bootstrap",
    responses: str = "all",
    raters: str | None = None,
    n_responses: int | None = None,
    cluster: str | None = None,
    alternative: str = "two-sided",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    interval: str | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Comparison:
    """Ask whether A is better than B.

    Parameters
    ----------
    contest : Contest
        Gold, A and B on the same items.
    metric : str or Metric
        How far a model is from gold; see `assay.metrics`.
    null : {"swapped-items", "random-effects", "recentred", "pooled-responses", "dealt-responses"}, optional
        What the contrast looks like if A and B were alike. By default "random-effects" where raters are drawn, else
        "swapped-items", which holds its level also when A and B are equally good but err on different items.
    items, responses, n_responses
        What a draw resamples, see `assay.resampling.Scheme`. Swapped items are always kept once each, so that the
        test is exact; the scheme then speaks of the interval.
    raters : {"bootstrap", "fixed"}, optional
        Whether the result speaks of raters like these or of these alone. By default raters are drawn where there are
        rater ids and raters who judged several items; a note says so.
    cluster : str, optional
        An item column, such as "document": items that share its value are drawn and swapped together.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether A is better.
    n_resamples : int
        Draws for the p-value and for the interval each. With few items all arrangements are counted instead.
    confidence_level : float
    interval : {"symmetric", "score", "bca", "studentised", "percentile", "basic", "t"}, optional
        By default symmetric where the metric has item scores, score for accuracy, BCa for wins, else percentile: the
        choices with the best measured coverage (docs/audit-defaults.md).
    rng : int, SeedSequence, Generator or None
        None draws fresh entropy, which the result records as `seed`.
    workers : int, optional
        Threads; one per core by default. The result does not depend on it.
    progress : callable, optional
        Told the number of draws done, as they are done: twice `n_resamples` in all, for draws that are not needed, too.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> contest = Contest.from_arrays([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], [3, 3, 1, 2, 7, 10])
    >>> result = compare(contest, metric="mae", rng=0)
    >>> result.contrast, result.pvalue
    (2.0, 0.03125)
    """
    plan = _Procedure(
        null, _scheme(items, responses, raters, n_responses), raters, cluster, alternative, n_resamples,
        confidence_level, interval, _random.replayable(rng), _random.n_workers(workers), progress,
    )  # fmt: skip
    return _compare(contest.complete(), [resolve(metric)], plan)[0]


def compare_each(
    contest: Contest,
    *,
    metrics: Sequence[str | Metric] = ("mae",),
    by: str | None = None,
    correction: str = "holm",
    null: str | None = None,
    items: str = "bootstrap",
    responses: str = "all",
    raters: str | None = None,
    n_responses: int | None = None,
    cluster: str | None = None,
    alternative: str = "two-sided",
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    interval: str | None = None,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Comparisons:
    """Ask whether A is better than B by several metrics, or on each slice of the items.

    All metrics see the same draws. `correction` is "holm" (the chance of any false verdict), "benjamini-hochberg" (the
    share of false ones) or "none". The other parameters are those of `compare`.

    Examples
    --------
    >>> contest = Contest.from_arrays([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 7], [3, 3, 1, 2, 7, 10])
    >>> for entry in compare_each(contest, metrics=["mae", "spearman"], rng=0):
    ...     print(entry.metric, round(entry.contrast, 3), entry.pvalue_adjusted)
    mae 2.0 0.0625
    spearman 0.478 0.09375
    """
    plan = _Procedure(
        null, _scheme(items, responses, raters, n_responses), raters, cluster, alternative, n_resamples,
        confidence_level, interval, _random.replayable(rng), _random.n_workers(workers), progress,
    )  # fmt: skip
    _check.one_of("correction", correction, CORRECTIONS)
    chosen = [resolve(metric) for metric in metrics]
    if not chosen:
        raise ArgumentError("`metrics` must name at least one metric; got none.")
    found: list[Comparison] = []
    contest = contest.complete()
    for value, part in [("", contest)] if by is None else contest.slices(by):
        answers = _compare(part, chosen, plan)
        found += [replace(answer, slice=f"{by} = {value}" if by else "") for answer in answers]
    adjusted = inference.adjust([entry.pvalue for entry in found], method=correction)
    if len(found) > 1:
        found = [replace(entry, pvalue_adjusted=float(p)) for entry, p in zip(found, adjusted, strict=True)]
    return Comparisons(tuple(found), correction)


@dataclass(frozen=True, slots=True)
class _Procedure:
    """How to compare: everything that is neither data nor metric."""

    null: str | None
    scheme: Scheme
    raters: str | None
    cluster: str | None
    alternative: str
    n_resamples: int
    confidence_level: float
    interval: str | None
    seed: np.random.SeedSequence
    workers: int
    progress: Callable[[int], object] | None

    def __post_init__(self) -> None:
        if self.null is not None:
            _check.one_of("null", self.null, NULLS)
        _check.one_of("alternative", self.alternative, inference.ALTERNATIVES)
        _check.integer("n_resamples", self.n_resamples, at_least=1)
        _check.fraction("confidence_level", self.confidence_level)
        if self.interval is not None:
            _check.one_of("interval", self.interval, inference.METHODS)

    @property
    def keeps_responses(self) -> bool:
        return self.scheme.responses in ("all", "first") and self.scheme.raters == "fixed"

    @property
    def resamples_items(self) -> bool:
        """Whether items are all that is resampled, which is what the jackknife and the item scores speak of."""
        return self.scheme.items == "bootstrap" and self.keeps_responses

    def interval_for(self, metric: Metric) -> str:
        """Return the kind of interval: as asked, or the one with the best measured coverage that can be had."""
        if self.scheme.raters == "bootstrap" and self.scheme.items == "bootstrap":
            possible, default = self.interval in ("t", "percentile", "basic"), "t"
        else:
            possible = can_have(self.interval or "percentile", metric, resamples_items=self.resamples_items)
            default = default_interval(metric, resamples_items=self.resamples_items, clustered=self.cluster is not None)
        if self.interval is not None and not possible:
            raise ArgumentError(
                f"a {self.interval} interval needs {NEEDED[self.interval]}; {metric.name!r} with {self.scheme} cannot "
                f"have it. Take interval={default!r}."
            )
        return self.interval or default


def _scheme(items: Any, responses: Any, raters: Any, n_responses: int | None) -> Scheme:
    return Scheme(items, responses, raters or "fixed", n_responses)


def _compare(contest: Contest, metrics: Sequence[Metric], plan: _Procedure) -> list[Comparison]:
    """Compare by metrics that share their draws."""
    bound = [_bind(metric, contest) for metric in metrics]
    choice = raters_of.choose(contest, plan.scheme, raters=plan.raters, null=plan.null)
    plan = replace(plan, scheme=choice.scheme, null=choice.null)
    clusters, about_clusters = raters_of.clusters_of(contest, plan.cluster, plan.scheme, choice.null)
    methods = [plan.interval_for(metric) for metric in bound]
    caveats = [*choice.notes, *about_clusters, *_caveats(contest, plan)]
    draws, null_draws = _draw_both(contest, bound, plan, clusters)
    errors = _rater_errors(contest, bound, plan, draws, clusters)
    seen = first_responses(contest) if plan.scheme.responses == "first" else contest
    answers = []
    for i, metric in enumerate(bound):
        gold, a, b = summaries_of(seen, metric.needs)
        a_score, b_score = (float(score) for score in metric.scores(gold, a, b))
        contrast = float(metric.contrast(gold, a, b))
        rounding = rounding_of(metric, seen)
        kept, kept_null = (settled(drawn.contrasts[i], contrast, rounding) for drawn in (draws, null_draws))
        error, left = moments(metric, gold, a, b, contest=seen, rounding=rounding, clusters=clusters)
        left = settled(left if plan.resamples_items else left[:0], contrast, rounding)
        tail = tested(
            plan.null, contrast, kept_null, error=errors[i], alternative=plan.alternative, exact=null_draws.exact
        )
        expected = inference.expected_pvalue(kept_null, kept)
        limits = limits_of(
            methods[i], kept, estimate=contrast, error=errors[i], jackknife=left,
            standard_errors=draws.standard_errors[i], standard_error=error,
            confidence_level=plan.confidence_level, alternative=plan.alternative,
        )  # fmt: skip
        about = [*small(contest, tail), *unequal(seen, metric), *uneven(metric, contest)]
        about += few(metric, gold, a, b, interval=methods[i])
        notes = dict.fromkeys([*contest.notes, *caveats, *tail.notes, *limits.notes, *about])
        if math.isnan(contrast) or math.isnan(limits.low):
            warnings.warn(f"{metric.name}: {' '.join(notes)}", AssayWarning, stacklevel=3)
        answers.append(
            Comparison(
                metric=metric.name,
                title=metric.title,
                better=metric.better,
                names=contest.names,
                a_score=a_score,
                b_score=b_score,
                contrast=contrast,
                confidence_interval=limits,
                pvalue=tail.pvalue,
                pvalue_se=tail.standard_error,
                expected_pvalue=expected.pvalue,
                expected_pvalue_se=expected.standard_error,
                effect_sizes=effects(metric, gold, a, b),
                n_items=contest.n_items,
                n_responses=seen.n_responses,
                null=choice.null,
                scheme=str(plan.scheme),
                alternative=plan.alternative,
                n_resamples=plan.n_resamples,
                exact=null_draws.exact,
                seed=_random.entropy_of(plan.seed),
                notes=tuple(notes),
                signature=_signature(contest, metric, plan, limits.method),
                draws=kept,
                null_draws=kept_null,
                standard_errors=frozen(draws.standard_errors[i]),
                standard_error=error,
                jackknife=left,
                error=errors[i],
            )
        )
    return answers


def _draw_both(
    contest: Contest, metrics: Sequence[Metric], plan: _Procedure, clusters: IntArray | None
) -> tuple[Draws, Draws]:
    """Return the draws for the interval and those for the p-value."""

    def drawn(null: Any, scheme: Scheme) -> Draws:
        return draw(
            contest, metrics, scheme=scheme, null=null, n_resamples=plan.n_resamples, seed=plan.seed,
            clusters=clusters, workers=plan.workers, progress=plan.progress,
        )  # fmt: skip

    def spared() -> None:
        """Count draws as done that are not needed, so that a bar comes to its end."""
        if plan.progress is not None:
            plan.progress(plan.n_resamples)

    draws = drawn(None, plan.scheme)
    if plan.null in ("recentred", "random-effects"):
        if not _draws_raters_alone(metrics, plan):
            spared()
        return draws, draws.recentred()
    if plan.null == "swapped-items":
        n_units = contest.n_items if clusters is None else int(clusters.max()) + 1
        if plan.keeps_responses and 2**n_units <= plan.n_resamples:
            spared()
            if clusters is not None:
                return draws, enumerate_cluster_swaps(contest, metrics, clusters)
            return draws, enumerate_swaps(contest, metrics, scheme=plan.scheme)
        return draws, drawn("swapped-items", replace(plan.scheme, items="all"))
    return draws, drawn(plan.null, plan.scheme)


def _draws_raters_alone(metrics: Sequence[Metric], plan: _Procedure) -> bool:
    """Whether the error of items and raters takes draws of raters alone: for metrics that are no mean of a table."""
    both = plan.scheme.raters == "bootstrap" and plan.scheme.items == "bootstrap"
    return both and not all(metric.linear for metric in metrics)


def _rater_errors(
    contest: Contest, metrics: Sequence[Metric], plan: _Procedure, draws: Draws, clusters: IntArray | None
) -> list[CombinedError | None]:
    """Return each contrast's error from items and raters; None where raters are fixed, or items are kept."""
    if plan.scheme.raters == "fixed" or plan.scheme.items == "all":
        return [None] * len(metrics)
    alone = np.full_like(draws.contrasts, np.nan)
    curved = [i for i, metric in enumerate(metrics) if not metric.linear]
    if curved:
        alone[curved] = draw(
            contest, [metrics[i] for i in curved], scheme=replace(plan.scheme, items="all"), null=None,
            n_resamples=plan.n_resamples, seed=plan.seed, workers=plan.workers, progress=plan.progress,
        ).contrasts  # fmt: skip
    return [
        raters_of.rater_error(contest, metric, both=draws.contrasts[i], raters=alone[i], clusters=clusters)
        for i, metric in enumerate(metrics)
    ]


def _bind(metric: Metric, contest: Contest) -> Metric:
    if contest.gold is None and not metric.gold_free:
        raise ArgumentError(f"metric {metric.name!r} needs gold: name its source (gold=…, --gold), or take 'rating'.")
    return metric.on(contest.scale)


def _caveats(contest: Contest, plan: _Procedure) -> list[str]:
    """Refuse what has no meaning; return notes on what holds with a reservation."""
    single = contest.a.n_responses == contest.b.n_responses == 1
    notes = []
    assert plan.null is not None
    for verdict, reason in judge(plan.scheme, plan.null, single=single):
        if verdict == "refuse":
            raise ArgumentError(f"null={plan.null!r} with {plan.scheme}: {reason}")
        if verdict == "warn":
            warnings.warn(reason, AssayWarning, stacklevel=4)
        notes.append(reason)
    return notes


def _signature(contest: Contest, metric: Metric, plan: _Procedure, method: str) -> str:
    parameters = {
        "metric": metric.name, "null": plan.null, "scheme": str(plan.scheme),
        **({"cluster": plan.cluster} if plan.cluster else {}), "interval": method, "alternative": plan.alternative,
        "draws": plan.n_resamples,
    }  # fmt: skip
    return Provenance("compare", parameters, _random.entropy_of(plan.seed), contest.digest).signature
