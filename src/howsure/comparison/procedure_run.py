"""A procedure that runs on one contest: its draws, its errors, and what it refuses."""

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from howsure import _check, _fields, _random
from howsure.comparison.comparisons import EffectSizes
from howsure.comparison.default_interval import NEEDED, can_have, default_interval
from howsure.comparison.observed import Moments, effects, item_advantages, moments, rounding_of
from howsure.comparison.procedure import Procedure
from howsure.comparison.shared import Known, Shared
from howsure.contests import Contest
from howsure.errors import ArgumentError, HowsureWarning
from howsure.metrics import Metric
from howsure.raters.advantage_error import RaterError, rater_error
from howsure.resampling import (
    Draws,
    Scheme,
    draw,
    draw_alike,
    enumerate_cluster_swaps,
    enumerate_swaps,
    judge,
    mean_scores,
    summaries_of,
)
from howsure.resampling.seeds import PART
from howsure.scales import IntArray


@dataclass(frozen=True, slots=True)
class ProcedureRun:
    """A procedure that runs: with the scheme and null that the data decide, seed, threads and progress."""

    procedure: Procedure
    scheme: Scheme
    null: str | None
    seed: np.random.SeedSequence
    workers: int
    progress: Callable[[int], object] | None
    shared: Shared | None = None

    @property
    def warns(self) -> bool:
        """Whether somebody looks at this comparison: those that share what they know are many, of simulated data."""
        return self.shared is None

    def once(self, key: Hashable, compute: Callable[[], Known]) -> Known:
        """Compute what other comparisons of the same contest may need as well, only once."""
        return compute() if self.shared is None else self.shared.once(key, compute)

    @classmethod
    def of(
        cls, procedure: Procedure | None, settings: dict[str, Any], *, rng: Any, workers: Any, progress: Any
    ) -> "ProcedureRun":
        """Take a procedure, or make it of its settings."""
        if procedure is not None and settings:
            raise ArgumentError(f"give `procedure` or its settings, not both; got `{next(iter(settings))}` too.")
        chosen = procedure or _procedure(settings)
        scheme = Scheme(chosen.items, chosen.responses, chosen.raters or "fixed", chosen.n_responses)
        return cls(chosen, scheme, chosen.null, _random.replayable(rng), _random.n_workers(workers), progress)

    @property
    def keeps_responses(self) -> bool:
        """Whether a draw keeps the responses of the data, and their raters."""
        return self.scheme.keeps_responses and self.scheme.raters == "fixed"

    @property
    def needs_no_draws(self) -> bool:
        """Whether the p-value of a mean of item scores follows without draws, and none were asked for."""
        return self.procedure.n_resamples is None and self.null == "sign-flip" and self.keeps_responses

    @property
    def resamples_items(self) -> bool:
        """Whether only items are resampled, as the jackknife and the item scores assume."""
        return self.scheme.items == "bootstrap" and self.keeps_responses

    def interval_for(self, metric: Metric, contest: Contest) -> str:
        """Return the kind of interval: as asked, or the possible one with the best measured coverage."""
        asked, alone = self.procedure.interval, self.resamples_items
        if self.scheme.raters == "random" and self.scheme.items == "bootstrap":
            possible, default = asked in ("t", "percentile", "basic"), "t"
        elif asked is not None and can_have(asked, metric, resamples_items=alone):
            return asked
        else:
            possible = asked is None
            default = default_interval(
                metric,
                item_advantages(metric, contest),
                resamples_items=alone,
                clustered=self.procedure.cluster is not None,
            )
        if asked is not None and not possible:
            raise ArgumentError(
                f"a {asked} interval needs {NEEDED[asked]}; {metric.name!r} with {self.scheme} cannot have it. "
                f"Use `interval={default!r}`."
            )
        return asked or default


def _procedure(settings: dict[str, Any]) -> Procedure:
    known = [field.name for field in _fields.fields_of(Procedure)]
    for name in settings:
        if name not in known:
            raise ArgumentError(f"`{name}` is not a setting of a comparison.{_check.nearest(name, known)}")
    return Procedure(**settings)


def left_out(
    metric: Metric, seen: Contest, run: ProcedureRun, *, rounding: float, clusters: IntArray | None
) -> Moments:
    """Return the standard error of an advantage and the advantages with items left out, where they are needed."""
    if run.shared is not None and not run.shared.leaves_out and not metric.additive:
        return Moments(math.nan, math.nan, np.empty(0))
    return run.once(
        ("moments", metric.name, _kept(run)),
        lambda: moments(metric, *summaries_of(seen, metric.needs), contest=seen, rounding=rounding, clusters=clusters),
    )


def effects_of(metric: Metric, seen: Contest, run: ProcedureRun) -> EffectSizes:
    """Return the effect sizes; none where a draw has fewer or more responses than the data."""
    if run.scheme.thins:
        return EffectSizes()
    return run.once(("effects", metric.name, _kept(run)), lambda: effects(metric, *summaries_of(seen, metric.needs)))


def rounding_in(metric: Metric, seen: Contest, run: ProcedureRun) -> float:
    """Return how far apart two advantages may be that are equal on paper."""
    return run.once(("rounding", metric.name, _kept(run)), lambda: rounding_of(metric, seen))


def _kept(run: ProcedureRun) -> str:
    """Return which responses are kept: all of them, unless the first or equally many were asked for."""
    return run.scheme.responses if run.scheme.responses in ("first", "equal") else "all"


def scored(metrics: Sequence[Metric], contest: Contest, run: ProcedureRun) -> list[tuple[float, float, float]]:
    """Return each metric's scores of A and B and their advantage: averaged over draws that change the responses."""
    if not run.scheme.thins:
        return [run.once(("scores", metric.name, _kept(run)), partial(_scores, metric, contest)) for metric in metrics]
    scheme, n_draws = replace(run.scheme, items="all"), max(run.procedure.n_draws, 999)
    found = run.once(
        ("scores", tuple(metric.name for metric in metrics), scheme),
        lambda: mean_scores(contest, metrics, scheme=scheme, n_draws=n_draws, seed=run.seed),
    )
    return [
        (of_a, of_b, of_b - of_a if metric.better == "lower" else of_a - of_b)
        for metric, (of_a, of_b) in zip(metrics, found, strict=True)
    ]


def _scores(metric: Metric, contest: Contest) -> tuple[float, float, float]:
    return scored_sides(metric, *summaries_of(contest, metric.needs))


def scored_sides(metric: Metric, *sides: Any) -> tuple[float, float, float]:
    """Return the scores of A and B, and their advantage, from the summaries of gold, A and B."""
    of_a, of_b = (float(score) for score in metric.scores(*sides))
    if type(metric).advantage is Metric.advantage:  # the difference of the scores, which need not be computed again
        return of_a, of_b, of_b - of_a if metric.better == "lower" else of_a - of_b
    return of_a, of_b, float(metric.advantage(*sides))


def draw_both(
    contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, clusters: IntArray | None
) -> tuple[Draws, Draws]:
    """Return the draws for the interval and those for the p-value."""
    names = tuple(metric.name for metric in metrics)

    def drawn(null: Any, scheme: Scheme) -> Draws:
        return run.once(("draws", null, scheme, names), lambda: draw(
            contest, metrics, scheme=scheme, null=null, n_resamples=run.procedure.n_draws, seed=run.seed,
            clusters=clusters, workers=run.workers, progress=run.progress,
        ))  # fmt: skip

    def listed() -> Draws:
        if clusters is not None:
            return enumerate_cluster_swaps(contest, metrics, clusters)
        return enumerate_swaps(contest, metrics, scheme=run.scheme)

    n_units = contest.n_items if clusters is None else int(clusters.max()) + 1
    return both_draws(metrics, run, n_units, drawn, listed)


def both_draws(
    metrics: Sequence[Metric],
    run: ProcedureRun,
    n_units: int,
    drawn: Callable[[Any, Scheme], Draws],
    listed: Callable[[], Draws],
) -> tuple[Draws, Draws]:
    """Return the draws for the interval and those for the p-value, which a null decides.

    `drawn` draws under a null and a scheme, and `listed` gives all swaps of few units (items or clusters).
    """

    def spared() -> None:
        """Count draws that are not needed as done, so that a progress bar reaches its end."""
        if run.progress is not None:
            run.progress(run.procedure.n_draws)

    if run.null == "sign-flip" and run.shared is not None and not run.shared.has_intervals:
        nothing = np.empty((len(metrics), 0))
        draws = Draws(nothing, nothing)
    else:
        draws = drawn(None, run.scheme)
    if run.null in ("studentised", "bootstrap-sign"):
        spared()
        return draws, draws
    if run.null in ("shifted-bootstrap", "random-effects"):
        if not _draws_raters_alone(metrics, run):
            spared()
        return draws, draws.shifted()
    if run.null == "sign-flip":
        if run.keeps_responses and 2**n_units <= run.procedure.n_draws:
            spared()
            return draws, listed()
        return draws, drawn("sign-flip", replace(run.scheme, items="all"))
    return draws, drawn(run.null, run.scheme)


def drawn_together(contests: Sequence[Contest], metrics: Sequence[Metric], run: ProcedureRun) -> list[ProcedureRun]:
    """Return the run of each of several contests of equally many items: with their draws, where these are made at once.

    The same items are drawn from each, which takes little more time than drawing from one.
    """
    how, n_items = run.procedure, contests[0].n_items
    plain = run.resamples_items and how.cluster is None and run.null in (None, "sign-flip") and how.raters is None
    rated = any(source.raters is not None for source in contests[0].sources.values())
    if not plain or rated or n_items > PART or not all(metric.additive for metric in metrics):
        return [run] * len(contests)
    bound = [metric.on(contests[0].scale) for metric in metrics]
    names = tuple(metric.name for metric in metrics)
    known: list[dict[Hashable, Any]] = [{} for _ in contests]
    swapped: tuple[Any, Scheme] = "sign-flip", replace(run.scheme, items="all")
    for null, scheme in [(None, run.scheme), *([swapped] if 2**n_items > how.n_draws else [])]:
        found = draw_alike(
            contests,
            bound,
            scheme=scheme,
            null=null,
            n_resamples=how.n_draws,
            seed=run.seed,
            workers=run.workers,
            progress=run.progress,
        )
        for each, draws in zip(known, found, strict=True):
            each["draws", null, scheme, names] = draws
    return [replace(run, shared=Shared(_known=each)) for each in known]


def _draws_raters_alone(metrics: Sequence[Metric], run: ProcedureRun) -> bool:
    """Whether the error of items and raters needs draws of raters alone: for metrics that are not means of a table."""
    both = run.scheme.raters == "random" and run.scheme.items == "bootstrap"
    return both and not all(metric.additive for metric in metrics)


def rater_errors(
    contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, draws: Draws, clusters: IntArray | None
) -> list[RaterError]:
    """Return each advantage's error from items and raters; none where raters are fixed, or items are kept."""
    if run.scheme.raters == "fixed" or run.scheme.items == "all":
        return [RaterError(None)] * len(metrics)
    alone = np.full_like(draws.advantages, np.nan)
    curved = [i for i, metric in enumerate(metrics) if not metric.additive]
    if curved:
        alone[curved] = draw(
            contest,
            [metrics[i] for i in curved],
            scheme=replace(run.scheme, items="all"),
            null=None,
            n_resamples=run.procedure.n_draws,
            seed=run.seed,
            workers=run.workers,
            progress=run.progress,
        ).advantages
    return [
        rater_error(contest, metric, both=draws.advantages[i], raters=alone[i], clusters=clusters)
        for i, metric in enumerate(metrics)
    ]


def check_item_scores(metrics: Sequence[Metric]) -> None:
    """Refuse metrics whose draws have no standard errors."""
    for metric in metrics:
        if not metric.additive:
            raise ArgumentError(
                f"`null='studentised'` needs a metric with item scores; {metric.name!r} has none. "
                "Use `null='sign-flip'`."
            )


def caveats_of(contest: Contest, run: ProcedureRun) -> list[str]:
    """Refuse combinations that make no sense; return notes on those that need caution."""
    n_responses = contest.a.n_responses, contest.b.n_responses
    notes = []
    assert run.null is not None
    for verdict, reason in judge(run.scheme, run.null, n_responses=n_responses):
        if verdict == "refuse":
            raise ArgumentError(f"`null={run.null!r}` with {run.scheme}: {reason}")
        if verdict == "warn" and run.warns:
            warnings.warn(reason, HowsureWarning, stacklevel=4)
        notes.append(reason)
    return notes
