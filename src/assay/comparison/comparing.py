"""Is A really better than B on these data? `compare` answers for one metric, `compare_each` for several or by slice."""

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from assay import _check, _fields, _json, _random, inference
from assay.comparison import raters as raters_of
from assay.comparison.comparisons import Comparison, Comparisons, EffectSizes, detectable, tested
from assay.comparison.limits import NEEDED, can_have, default_interval, limits_of
from assay.comparison.magnitudes import check_magnitudes, far_outside
from assay.comparison.observed import (
    Moments,
    effects,
    few,
    flips_of,
    item_contrasts,
    item_scores,
    moments,
    rounding_of,
    settled,
    skewed,
    small,
    sparse,
    unequal,
    uneven,
)
from assay.comparison.procedure import Procedure
from assay.comparison.rater_answers import paired
from assay.comparison.rater_errors import RaterError, rater_error
from assay.comparison.shared import Known, Shared
from assay.comparison.together import adjusted
from assay.contests import Contest
from assay.errors import ArgumentError, AssayWarning
from assay.inference.corrections import JOINT_CORRECTIONS
from assay.metrics import Metric, resolve
from assay.provenance import Provenance
from assay.resampling import (
    Draws,
    Scheme,
    draw,
    enumerate_cluster_swaps,
    enumerate_swaps,
    judge,
    kept_responses,
    mean_scores,
    summaries_of,
)
from assay.responses import frozen
from assay.scales import IntArray


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
        How far a model is from gold; see `assay.metrics`. Chosen by the scale if left out: "accuracy" for labels, "mae"
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
    >>> result.contrast, result.pvalue
    (2.0, 0.03125)
    """
    found = compare_each(
        contest, a=a, b=b, gold=gold, metrics=None if metric is None else [metric], procedure=procedure, rng=rng,
        workers=workers, progress=progress, **settings,
    )  # fmt: skip
    [answer] = found
    return answer


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
    ...     print(entry.metric, round(entry.contrast, 3), entry.pvalue_adjusted)
    mae 2.0 0.0625
    spearman 0.478 0.125
    """
    _check.one_of("correction", correction, JOINT_CORRECTIONS)
    run = _Run.of(procedure, settings, rng=rng, workers=workers, progress=progress)
    if not isinstance(contest, Contest) or (a, b, gold) != (None, None, None):
        from assay.io.reading import as_contest

        contest = as_contest(contest, a=a, b=b, gold=gold)
    contest = contest.complete()
    check_magnitudes(contest)
    chosen, why = metrics_for(contest, metrics)
    contest = replace(contest, notes=(*contest.notes, *why, *far_outside(contest)))
    found: list[Comparison] = []
    for value, part in [("", contest)] if by is None else contest.slices(by):
        answers = _compare(part, chosen, run)
        found += [replace(answer, slice=f"{by} = {value}" if by else "") for answer in answers]
    found = list(adjusted(found, correction, run.seed))
    shared = found[0].provenance
    whole = replace(shared, data=contest.digest, parameters={
        **shared.parameters,
        "metric": ",".join(dict.fromkeys(entry.provenance.parameters["metric"] for entry in found)),
        "interval": ",".join(dict.fromkeys(entry.provenance.parameters["interval"] for entry in found)),
        "by": by,
        "correction": correction if len(found) > 1 else None,
    })  # fmt: skip
    return Comparisons(tuple(found), correction, whole)


def compare_shared(
    contest: Contest, *, metrics: Sequence[Metric], procedure: Procedure, rng: _random.Rng, shared: Shared
) -> list[Comparison]:
    """Compare by metrics as `compare_each` does without correction, with what `shared` knows of the same contest."""
    run = _Run.of(procedure, {}, rng=rng, workers=1, progress=None)
    return _compare(contest.complete(), metrics, replace(run, shared=shared))


def metrics_for(contest: Contest, metrics: Sequence[str | Metric] | None) -> tuple[list[Metric], list[str]]:
    """Return the metrics by their names, or the one that fits the data, with a note that says why."""
    if metrics is not None:
        if not metrics:
            raise ArgumentError("`metrics` must name at least one metric; got none.")
        return _directed([resolve(metric) for metric in metrics], contest)
    if contest.gold is None and contest.scale.reason == "preferences":
        name, reason = "win-rate", "the responses are preferences"
    elif contest.gold is None:
        name, reason = "rating", "there is no gold"
    elif contest.scale.kind == "nominal":
        name, reason = "accuracy", "the scale is nominal"
    else:
        name, reason = "mae", f"the scale is {contest.scale.kind}"
    chosen, told = _directed([resolve(name)], contest)
    return chosen, [f"The metric is {name}, because {reason}; `metric` chooses another.", *told]


def _directed(metrics: list[Metric], contest: Contest) -> tuple[list[Metric], list[str]]:
    """Turn ratings round where the data say that lower values are better, such as penalties."""
    turned = [metric for metric in metrics if getattr(metric, "direction", None) == "higher"]
    if contest.gold is not None or contest.better != "lower" or not turned:
        return metrics, []
    directed = [replace(metric, direction="lower") if metric in turned else metric for metric in metrics]  # type: ignore[call-arg]
    return directed, ["Lower values are better, as the data say."]


@dataclass(frozen=True, slots=True)
class _Run:
    """A procedure on its way: with the scheme and null that the data decide, seed, threads and progress."""

    procedure: Procedure
    scheme: Scheme
    null: str | None
    seed: np.random.SeedSequence
    workers: int
    progress: Callable[[int], object] | None
    shared: Shared | None = None

    def once(self, key: Hashable, compute: Callable[[], Known]) -> Known:
        """Compute what other comparisons of the same contest may need, too."""
        return compute() if self.shared is None else self.shared.once(key, compute)

    @classmethod
    def of(
        cls, procedure: Procedure | None, settings: dict[str, Any], *, rng: Any, workers: Any, progress: Any
    ) -> "_Run":
        if procedure is not None and settings:
            raise ArgumentError(f"give `procedure` or its settings, not both; got `{next(iter(settings))}` too.")
        chosen = procedure or _procedure(settings)
        scheme = Scheme(chosen.items, chosen.responses, chosen.raters or "fixed", chosen.n_responses)  # type: ignore[arg-type]
        return cls(chosen, scheme, chosen.null, _random.replayable(rng), _random.n_workers(workers), progress)

    @property
    def keeps_responses(self) -> bool:
        return self.scheme.keeps_responses and self.scheme.raters == "fixed"

    @property
    def needs_no_draws(self) -> bool:
        """Whether the p-value of a mean of item scores follows without draws, and none were asked for."""
        return self.procedure.n_resamples is None and self.null == "swapped-items" and self.keeps_responses

    @property
    def resamples_items(self) -> bool:
        """Whether items are all that is resampled, which is what the jackknife and the item scores speak of."""
        return self.scheme.items == "bootstrap" and self.keeps_responses

    def interval_for(self, metric: Metric, contest: Contest) -> str:
        """Return the kind of interval: as asked, or the one with the best measured coverage that can be had."""
        asked, alone = self.procedure.interval, self.resamples_items
        if self.scheme.raters == "bootstrap" and self.scheme.items == "bootstrap":
            possible, default = asked in ("t", "percentile", "basic"), "t"
        else:
            possible = can_have(asked or "percentile", metric, resamples_items=alone)
            default = default_interval(
                metric, item_contrasts(metric, contest), resamples_items=alone,
                clustered=self.procedure.cluster is not None,
            )  # fmt: skip
        if asked is not None and not possible:
            raise ArgumentError(
                f"a {asked} interval needs {NEEDED[asked]}; {metric.name!r} with {self.scheme} cannot have it. "
                f"Take `interval={default!r}`."
            )
        return asked or default


def _procedure(settings: dict[str, Any]) -> Procedure:
    known = [field.name for field in _fields.fields_of(Procedure)]
    for name in settings:
        if name not in known:
            raise ArgumentError(f"`{name}` is no setting of a comparison.{_check.nearest(name, known)}")
    return Procedure(**settings)


def _compare(contest: Contest, metrics: Sequence[Metric], run: _Run) -> list[Comparison]:
    """Compare by metrics that share their draws; where there are raters, give both answers about them."""
    answers, choice = _compare_once(contest, metrics, run)
    alike = run.scheme.items == "bootstrap" and run.scheme.responses == "all"
    if choice.n_raters and alike and (choice.scheme.raters == "fixed" or choice.null == "random-effects"):
        other = "fixed" if choice.scheme.raters == "bootstrap" else "bootstrap"
        how = replace(run.procedure, raters=other, null=None, interval=None, margin=None)
        scheme = replace(run.scheme, raters=other)  # type: ignore[arg-type]
        beside, _ = _compare_once(
            contest, metrics, replace(run, procedure=how, scheme=scheme, null=None, progress=None)
        )
        answers = [paired(one, two, choice.n_raters) for one, two in zip(answers, beside, strict=True)]
    for answer in answers:
        if math.isnan(answer.contrast) or math.isnan(answer.confidence_interval.low):
            warnings.warn(f"{answer.metric}: {' '.join(answer.notes)}", AssayWarning, stacklevel=3)
    return answers


def _compare_once(
    contest: Contest, metrics: Sequence[Metric], run: _Run
) -> tuple[list[Comparison], raters_of.RaterChoice]:
    """Compare for these raters or for raters like these, whichever was asked for or the data decide."""
    bound = [bind(metric, contest) for metric in metrics]
    choice = raters_of.choose(contest, run.scheme, raters=run.procedure.raters, null=run.null)
    run, how = replace(run, scheme=choice.scheme, null=choice.null), run.procedure
    clusters, about_clusters = raters_of.clusters_of(contest, how.cluster, run.scheme, choice.null)
    seen = kept_responses(contest, run.scheme)
    methods = [run.interval_for(metric, seen) for metric in bound]
    if run.null == "studentised":
        _check_item_scores(bound)
    caveats = [*choice.notes, *about_clusters, *_caveats(contest, run)]
    draws, null_draws = _draw_both(contest, bound, run, clusters)
    weighed = _rater_errors(contest, bound, run, draws, clusters)
    errors = [found.error for found in weighed]
    answers = []
    for i, metric in enumerate(bound):
        gold, a, b = summaries_of(seen, metric.needs)
        a_score, b_score, contrast = _scored(metric, seen, run)
        rounding = rounding_of(metric, seen)
        kept, kept_null = (settled(drawn.contrasts[i], contrast, rounding) for drawn in (draws, null_draws))
        contrast, kept, loads = weighed[i].applied(contrast, kept, rounding)
        error, df, left = _moments(metric, seen, run, rounding=rounding, clusters=clusters)
        left = settled(left if run.resamples_items else left[:0], contrast, rounding)
        if run.null == "studentised":
            kept_null = frozen(
                inference.studentised_draws(
                    kept, contrast, standard_errors=draws.standard_errors[i], standard_error=error
                )
            )
        flips = flips_of(metric, gold, a, b, rounding=rounding, clusters=clusters) if run.needs_no_draws else None
        tail = tested(
            run.null,
            contrast,
            kept_null,
            error=errors[i],
            flips=flips,
            alternative=how.alternative,
            exact=null_draws.exact,
        )
        # Pooled responses that are all kept make A and B the same pool: every null contrast of LEADER's is 0.
        nulls = np.zeros_like(kept) if run.null == "sign-change" else kept_null
        expected = inference.expected_pvalue(nulls, kept)
        limits = limits_of(
            methods[i], kept, estimate=contrast, error=errors[i], jackknife=left,
            standard_errors=draws.standard_errors[i], standard_error=error, df=df, span=metric.span,
            confidence_level=how.confidence_level, alternative=how.alternative,
        )  # fmt: skip
        about = [*loads, *small(contest, tail), *unequal(seen, metric), *uneven(metric, contest)]
        about += metric.notes(gold, a, b)
        if run.null == "studentised":
            about += sparse(metric, gold, a, b)
        if run.null == "swapped-items":
            about += skewed(
                metric, gold, a, b, draws=kept, standard_errors=draws.standard_errors[i], standard_error=error,
                alternative=how.alternative,
            )  # fmt: skip
        about += few(metric, gold, a, b, interval=methods[i], resamples_items=run.resamples_items)
        notes = dict.fromkeys([*contest.notes, *caveats, *tail.notes, *limits.notes, *about])
        whole = errors[i].standard_error if errors[i] is not None else error  # type: ignore[union-attr]
        if math.isnan(whole) and left.size > 1:
            whole = math.sqrt((left.size - 1) / left.size * float(np.square(left - left.mean()).sum()))
        answers.append(
            Comparison(
                metric=metric.name,
                parameters=parameters_of(metric),
                title=metric.title,
                better=metric.better,
                names=contest.names,
                a_score=a_score,
                b_score=b_score,
                contrast=contrast,
                standard_error=whole,
                confidence_interval=limits,
                pvalue=tail.pvalue,
                pvalue_se=tail.standard_error,
                expected_pvalue=expected.pvalue,
                expected_pvalue_se=expected.standard_error,
                detectable=detectable(whole, errors[i], how.confidence_level, how.alternative),
                effect_sizes=EffectSizes() if run.scheme.thins else effects(metric, gold, a, b),
                n_items=contest.n_items,
                n_responses=seen.n_responses,
                scale=str(contest.scale),
                null=choice.null,
                scheme=str(run.scheme),
                alternative=how.alternative,
                n_resamples=how.n_draws,
                exact=tail.exact,
                notes=tuple(notes),
                provenance=_provenance(contest, [metric], run, [limits.method]),
                draws=kept,
                null_draws=kept_null,
                standard_errors=frozen(draws.standard_errors[i]),
                item_error=error,
                df=df,
                jackknife=left,
                span=metric.span,
                error=errors[i],
                flips=flips,
                item_scores=item_scores(metric, gold, a, b, contest.items),
            )
        )
    if how.margin is not None:
        answers = [
            replace(answer, margin=answer.margin_tests(how.margin, method, how.confidence_level))
            for answer, method in zip(answers, methods, strict=True)
        ]
    return answers, choice


def _moments(metric: Metric, seen: Contest, run: _Run, *, rounding: float, clusters: IntArray | None) -> Moments:
    """Return the standard error of a contrast and the contrasts with items left out, where they are wanted."""
    if run.shared is not None and not run.shared.leaves_out and not metric.additive:
        return Moments(math.nan, math.nan, np.empty(0))
    kept = run.scheme.responses if run.scheme.responses in ("first", "equal") else "all"
    sides = summaries_of(seen, metric.needs)
    return run.once(
        ("moments", metric.name, kept),
        lambda: moments(metric, *sides, contest=seen, rounding=rounding, clusters=clusters),
    )


def _scored(metric: Metric, contest: Contest, run: _Run) -> tuple[float, float, float]:
    """Return the scores of A and of B and their contrast: of the responses that a draw has, where it has others."""
    if not run.scheme.thins:
        sides = summaries_of(contest, metric.needs)
        scores = metric.scores(*sides)
        return float(scores[0]), float(scores[1]), float(metric.contrast(*sides))
    scheme, n_draws = replace(run.scheme, items="all"), max(run.procedure.n_draws, 999)
    of_a, of_b = run.once(
        ("scores", metric.name, scheme),
        lambda: mean_scores(contest, metric, scheme=scheme, n_draws=n_draws, seed=run.seed),
    )
    return of_a, of_b, of_b - of_a if metric.better == "lower" else of_a - of_b


def _draw_both(
    contest: Contest, metrics: Sequence[Metric], run: _Run, clusters: IntArray | None
) -> tuple[Draws, Draws]:
    """Return the draws for the interval and those for the p-value."""
    names = tuple(metric.name for metric in metrics)

    def drawn(null: Any, scheme: Scheme) -> Draws:
        return run.once(("draws", null, scheme, names), lambda: draw(
            contest, metrics, scheme=scheme, null=null, n_resamples=run.procedure.n_draws, seed=run.seed,
            clusters=clusters, workers=run.workers, progress=run.progress,
        ))  # fmt: skip

    def spared() -> None:
        """Count draws as done that are not needed, so that a bar comes to its end."""
        if run.progress is not None:
            run.progress(run.procedure.n_draws)

    draws = drawn(None, run.scheme)
    if run.null in ("studentised", "sign-change"):
        spared()
        return draws, draws
    if run.null in ("recentred", "random-effects"):
        if not _draws_raters_alone(metrics, run):
            spared()
        return draws, draws.recentred()
    if run.null == "swapped-items":
        n_units = contest.n_items if clusters is None else int(clusters.max()) + 1
        if run.keeps_responses and 2**n_units <= run.procedure.n_draws:
            spared()
            if clusters is not None:
                return draws, enumerate_cluster_swaps(contest, metrics, clusters)
            return draws, enumerate_swaps(contest, metrics, scheme=run.scheme)
        return draws, drawn("swapped-items", replace(run.scheme, items="all"))
    return draws, drawn(run.null, run.scheme)


def _draws_raters_alone(metrics: Sequence[Metric], run: _Run) -> bool:
    """Whether the error of items and raters takes draws of raters alone: for metrics that are no mean of a table."""
    both = run.scheme.raters == "bootstrap" and run.scheme.items == "bootstrap"
    return both and not all(metric.additive for metric in metrics)


def _rater_errors(
    contest: Contest, metrics: Sequence[Metric], run: _Run, draws: Draws, clusters: IntArray | None
) -> list[RaterError]:
    """Return each contrast's error from items and raters; none where raters are fixed, or items are kept."""
    if run.scheme.raters == "fixed" or run.scheme.items == "all":
        return [RaterError(None)] * len(metrics)
    alone = np.full_like(draws.contrasts, np.nan)
    curved = [i for i, metric in enumerate(metrics) if not metric.additive]
    if curved:
        alone[curved] = draw(
            contest, [metrics[i] for i in curved], scheme=replace(run.scheme, items="all"), null=None,
            n_resamples=run.procedure.n_draws, seed=run.seed, workers=run.workers, progress=run.progress,
        ).contrasts  # fmt: skip
    return [
        rater_error(contest, metric, both=draws.contrasts[i], raters=alone[i], clusters=clusters)
        for i, metric in enumerate(metrics)
    ]


def bind(metric: Metric, contest: Contest) -> Metric:
    """Return the metric fitted to the contest's scale; one that needs gold where there is none is refused."""
    if contest.gold is None and not metric.gold_free:
        raise ArgumentError(f"metric {metric.name!r} needs gold: name its source (gold=…, --gold), or take 'rating'.")
    return metric.on(contest.scale)


def _check_item_scores(metrics: Sequence[Metric]) -> None:
    """Refuse metrics whose draws have no standard errors."""
    for metric in metrics:
        if not metric.additive:
            raise ArgumentError(
                f"null='studentised' needs a metric with item scores; {metric.name!r} has none. Take 'swapped-items'."
            )


def _caveats(contest: Contest, run: _Run) -> list[str]:
    """Refuse what has no meaning; return notes on what holds with a reservation."""
    single = contest.a.n_responses == contest.b.n_responses == 1
    notes = []
    assert run.null is not None
    for verdict, reason in judge(run.scheme, run.null, single=single):
        if verdict == "refuse":
            raise ArgumentError(f"null={run.null!r} with {run.scheme}: {reason}")
        if verdict == "warn":
            warnings.warn(reason, AssayWarning, stacklevel=4)
        notes.append(reason)
    return notes


NAMING = ("name", "title", "better")
"""Fields by which a function of the user is called, and which are no parameters of it."""


def parameters_of(metric: Metric) -> dict[str, Any]:
    """Return the parameters of a metric that are not at their default, such as the threshold that a scale gave it."""
    found = {}
    for field in fields(metric):
        value = getattr(metric, field.name)
        if field.name not in NAMING and isinstance(value, str | int | float) and value != field.default:
            found[field.name] = value
    return found


def _provenance(contest: Contest, metrics: Sequence[Metric], run: _Run, methods: Sequence[str]) -> Provenance:
    """Return what decides the answer: every parameter of the metrics and every setting, as they were resolved."""
    how = run.procedure
    parameters: dict[str, Any] = {
        "metric": ",".join(map(spelled, metrics)),
        "null": run.null,
        "items": run.scheme.items,
        "responses": run.scheme.responses,
        "n_responses": run.scheme.n_responses,
        "raters": run.scheme.raters,
        "cluster": how.cluster,
        "interval": ",".join(dict.fromkeys(methods)),
        "confidence_level": how.confidence_level,
        "alternative": how.alternative,
        "n_resamples": how.n_draws,
        "margin": how.margin,
    }
    return Provenance("compare", parameters, _random.entropy_of(run.seed), contest.digest)


def spelled(metric: Metric) -> str:
    """Return a metric's name with its parameters, for a signature: f1(threshold=2.0)."""
    parameters = parameters_of(metric)
    inside = ",".join(f"{name}={_json.dumps(value)}" for name, value in parameters.items())
    return f"{metric.name}({inside})" if inside else metric.name
