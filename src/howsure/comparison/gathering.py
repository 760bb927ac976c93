"""From data sets to evidence: resamples, null draws, standard errors and exact tails, one row for each data set.

Single comparisons, slices, audits and simulated power all come through `gather`. Data sets of equal sizes are gathered
together (`resampling/stacked.py`), because resamples from a small one end sooner than the Python around them. Raters
and clusters are drawn for one data set at a time.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from howsure import _check, _fields, _random
from howsure.comparison.moments import Moments, item_advantages, moments, roundings_of, snapped_to_observed
from howsure.comparison.procedure import Procedure
from howsure.data.contests import Contest
from howsure.data.responses import cluster_codes, frozen
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError
from howsure.inference.evidence import Evidence
from howsure.inference.sign_flips import SignFlips, sign_flips_of_rows
from howsure.intervals import INTERVALS, STUDENT, Interval
from howsure.intervals.default import default_interval
from howsure.metrics import Metric
from howsure.nulls import Null, named
from howsure.nulls.sign_flip import is_skewed
from howsure.raters.advantage_error import RaterError, rater_error
from howsure.resampling import Draws, Scheme, Stack, cluster_sums, draw, every_exchange, mean_scores

Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Shared:
    """A memory for comparisons of the same data with the same seed, levels and number of resamples.

    Nulls of one data set share its resamples, which takes half the time in an audit by LEADER's preset.

    Attributes
    ----------
    leaves_out : bool
        Whether items are left out in turn, which the BCa and t intervals of metrics without item scores need.
    has_intervals : bool
        Whether intervals are asked for; where they are not, exchanged items need no other resamples.

    Examples
    --------
    >>> memory = Shared()
    >>> memory.once("draws", lambda: 1), memory.once("draws", lambda: 2)
    (1, 1)
    """

    leaves_out: bool = True
    has_intervals: bool = True
    _known: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, compute: Callable[[], Known]) -> Known:
        """Return what is known under a key, computed if it is not known yet."""
        if key not in self._known:
            self._known[key] = compute()
        found: Known = self._known[key]
        return found


@dataclass(frozen=True, slots=True)
class ProcedureRun:
    """A procedure that runs: with the scheme and null that the data decide, seed, threads and progress."""

    procedure: Procedure
    scheme: Scheme
    null: Null | None
    seed: np.random.SeedSequence
    workers: int
    progress: Callable[[int], object] | None
    shared: Shared = field(default_factory=Shared)
    warns: bool = True
    """Whether somebody looks at this comparison: comparisons of simulated data are many."""
    joint: bool = False
    """Whether several comparisons are adjusted by their joint resamples, so that they are needed in any case."""

    @classmethod
    def of(
        cls, procedure: Procedure | None, settings: dict[str, Any], *, rng: Any, workers: Any, progress: Any
    ) -> "ProcedureRun":
        """Take a procedure, or make it of its settings."""
        if procedure is not None and settings:
            raise ArgumentError(f"give `procedure` or its settings, not both; got `{next(iter(settings))}` too.")
        chosen = procedure or _procedure(settings)
        scheme = Scheme(chosen.items, chosen.responses, chosen.raters or "fixed", chosen.n_responses)
        null = None if chosen.null is None else named(chosen.null)
        return cls(chosen, scheme, null, _random.replayable(rng), _random.n_workers(workers), progress)

    @property
    def chosen_null(self) -> Null:
        """The null, once the data have decided."""
        assert self.null is not None
        return self.null

    @property
    def keeps_responses(self) -> bool:
        """Whether a resample keeps the responses of the data, and their raters."""
        return self.scheme.keeps_responses and self.scheme.raters == "fixed"

    @property
    def items_alone(self) -> bool:
        """Whether nothing but items is resampled, as the jackknife and the item scores assume."""
        return self.scheme.items == "bootstrap" and self.keeps_responses

    @property
    def draws_asked(self) -> bool:
        """Whether somebody asked for draws, and with them for the expected p-value."""
        return self.procedure.n_resamples is not None

    @property
    def direct(self) -> bool:
        """Whether the p-value of a mean of item scores follows without resamples, and none were asked for."""
        return not self.draws_asked and self.chosen_null.direct and self.keeps_responses

    def interval_for(self, metric: Metric, contest: Contest) -> Interval:
        """Return the kind of interval: as asked, or the possible one with the best measured coverage."""
        how = self.procedure
        asked = None if how.interval is None else INTERVALS[how.interval]
        if self.scheme.raters == "random" and self.scheme.items == "bootstrap":
            if asked is not None and asked.random_raters:
                return asked
            default: Interval = STUDENT
        else:
            if asked is not None and asked.possible(item_scores=metric.additive, items_alone=self.items_alone):
                return asked
            default = default_interval(
                metric,
                item_advantages(metric, contest),
                items_alone=self.items_alone,
                n_clusters=None if how.cluster is None else cluster_codes(contest.groups, how.cluster)[0].size,
                formula=self.direct and not self.joint,
                confidence_level=how.confidence_level,
                alternative=how.alternative,
            )
        if asked is not None:
            raise ArgumentError(
                f"a {asked.name} interval needs {asked.needs}; {metric.name!r} with {self.scheme} cannot have it. "
                f"Use `interval={default.name!r}`."
            )
        return default

    @property
    def kept(self) -> str:
        """Which responses are kept: all of them, unless the first or equally many were asked for."""
        return self.scheme.responses if self.scheme.responses in ("first", "equal") else "all"


def _procedure(settings: dict[str, Any]) -> Procedure:
    known = [field.name for field in _fields.fields_of(Procedure)]
    for name in settings:
        if name not in known:
            raise ArgumentError(f"`{name}` is not a setting of a comparison.{_check.nearest(name, known)}")
    return Procedure(**settings)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What comparisons by one metric rest on; a row for each data set.

    Attributes
    ----------
    evidence : Evidence
    scores : array, (rows, 2)
        Of A and B.
    weighted : list of str
        How raters were weighted, where that moved the advantage.
    """

    evidence: Evidence
    scores: FloatArray
    weighted: list[str]


def gather(
    data: Stack,
    seen: Stack,
    metrics: Sequence[Metric],
    run: ProcedureRun,
    *,
    methods: Sequence[Sequence[Interval]],
    clusters: IntArray | None = None,
) -> list[Gathered]:
    """Draw, and return what the comparisons by each metric rest on; `seen` has the responses that the scheme keeps."""
    source = DataResampler(data, metrics, run, clusters)
    null, shared = run.chosen_null, run.shared
    unit_sizes = np.empty(0) if clusters is None else np.bincount(clusters).astype(np.float64)
    roundings = [roundings_of(metric, seen.whole, np.arange(len(seen) + 1) * seen.n_items) for metric in metrics]
    items = [seen.item_advantages(metric) if metric.additive else np.empty((len(seen), 0)) for metric in metrics]
    flips = [_flips(own, slack, run, clusters) for own, slack in zip(items, roundings, strict=True)]
    # The mean of item scores often needs no draws at all: its p-value is exact, its interval has a formula.
    asked = run.draws_asked or run.joint
    draws = source.nothing()
    if null.from_resamples or (shared.has_intervals and (asked or _interval_draws(run, methods, items))):
        draws = source.resampled()
    settled = run.direct and all(metric.additive for metric in metrics)
    settled = settled and not any(known is not None and None in known for known in flips)
    null_draws = source.nothing() if settled and not asked else null.null_draws(source, draws)
    by_raters = _rater_errors(source, draws)
    scores = _scores(seen, metrics, run)
    source.finish()
    found = []
    for i, metric in enumerate(metrics):
        of_a, of_b, advantages = scores[i].T
        slack = roundings[i]
        advantages = np.where(np.abs(advantages) <= slack, 0.0, advantages)
        about = advantages[:, np.newaxis], slack[:, np.newaxis]
        kept, kept_null = (snapped_to_observed(drawn.advantages[i], *about) for drawn in (draws, null_draws))
        weighted: list[str] = []
        error = by_raters[i]
        if error.advantage is not None and error.is_weighted(float(advantages[0]), float(slack[0])):
            weighted = [error.note((float(of_a[0]), float(of_b[0])))]
            kept = frozen(kept + (error.advantage - advantages[0]))
            advantages = np.array([error.advantage])
            of_a, of_b = (np.array([score]) for score in error.scores or (of_a[0], of_b[0]))
        known = _left_out(metric, seen, run, slack, clusters)
        left = snapped_to_observed(
            known.jackknife if run.items_alone else known.jackknife[:, :0], advantages[:, np.newaxis], about[1]
        )
        evidence = Evidence(
            advantages,
            draws=kept,
            standard_errors=frozen(draws.standard_errors[i]),
            errors=known.errors,
            df=known.df,
            jackknife=left,
            span=metric.span,
            null_draws=kept_null,
            exact=null_draws.exact,
            flips=flips[i],
            rater_error=error.error,
            unit_sums=_unit_sums(items[i], clusters),
            unit_sizes=unit_sizes,
            items=items[i],
            n_units=left.shape[1] or seen.n_items,
        )
        evidence = replace(evidence, null_draws=null.moved(evidence))
        found.append(Gathered(evidence, np.stack([of_a, of_b], axis=1), weighted))
    return found


@dataclass
class DataResampler:
    """Where nulls get their draws from (`nulls.Resampler`): data sets and metrics, under the scheme of a run."""

    data: Stack
    metrics: Sequence[Metric]
    run: ProcedureRun
    clusters: IntArray | None
    n_done: int = 0

    @property
    def n_units(self) -> int:
        """The number of items, or of clusters."""
        return self.data.n_items if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def n_resamples(self) -> int:
        """How many resamples were asked for."""
        return self.run.procedure.n_draws

    @property
    def keeps_responses(self) -> bool:
        """Whether a resample keeps the responses of the data."""
        return self.run.keeps_responses

    def resampled(self) -> Draws:
        """Return the advantages of resampled data: (metrics, data sets, resamples)."""
        return self._drawn(None, self.run.scheme)

    def exchanged(self, how: str, *, items: str | None = None) -> Draws:
        """Return the advantages after random exchanges of A and B."""
        return self._drawn(how, self.run.scheme if items is None else replace(self.run.scheme, items=items))

    def every_exchange(self) -> Draws:
        """Return the advantages of all exchanges of A and B."""
        return every_exchange(self.data, self.metrics, self.run.scheme, self.clusters)

    def nothing(self) -> Draws:
        """Return no draws."""
        empty = np.empty((len(self.metrics), len(self.data), 0))
        return Draws(empty, empty)

    def finish(self) -> None:
        """Count resamples that were not needed as done, so that a progress bar reaches its end."""
        left = 2 * self.n_resamples * len(self.data) - self.n_done
        if self.run.progress is not None and left > 0:
            self.run.progress(left)

    def of_raters(self, metrics: Sequence[Metric]) -> FloatArray:
        """Return advantages where raters alone are resampled: (metrics, resamples)."""
        return self._draw(None, replace(self.run.scheme, items="all"), metrics, None).advantages[:, 0]

    def _drawn(self, exchange: Any, scheme: Scheme) -> Draws:
        names = tuple(metric.name for metric in self.metrics)
        return self.run.shared.once(
            ("draws", exchange, scheme, names), lambda: self._draw(exchange, scheme, self.metrics, self.clusters)
        )

    def _draw(self, exchange: Any, scheme: Scheme, metrics: Sequence[Any], clusters: IntArray | None) -> Draws:
        return draw(
            self.data,
            metrics,
            scheme=scheme,
            exchange=exchange,
            n_resamples=self.n_resamples,
            seed=self.run.seed,
            clusters=clusters,
            workers=self.run.workers,
            progress=lambda n: self._count(n * len(self.data)),
        )

    def _count(self, n: int) -> None:
        self.n_done += n
        if self.run.progress is not None:
            self.run.progress(n)


def _flips(
    items: FloatArray, rounding: FloatArray, run: ProcedureRun, clusters: IntArray | None
) -> Sequence[SignFlips | None] | None:
    """Return the exact tails of exchanged items, or clusters, of each data set; None where they are not asked for."""
    if not run.direct or not run.chosen_null.flips or not items.shape[1]:
        return None
    if clusters is None:
        return sign_flips_of_rows(items, rounding=rounding)
    sums, sizes = cluster_sums(items[0], clusters)
    return sign_flips_of_rows(sums[np.newaxis], rounding=rounding * float(sizes.max()))


def _unit_sums(items: FloatArray, clusters: IntArray | None) -> FloatArray:
    """Return the sum of the item advantages of each cluster; no columns where items stand alone."""
    if clusters is None or not items.shape[1]:
        return np.empty((len(items), 0))
    return np.stack([cluster_sums(row, clusters)[0] for row in items])


def _left_out(
    metric: Metric, seen: Stack, run: ProcedureRun, rounding: FloatArray, clusters: IntArray | None
) -> Moments:
    """Return standard errors and the advantages with items left out, where they are needed."""
    if not run.shared.leaves_out and not metric.additive:
        unknown = np.full(len(seen), math.nan)
        return Moments(unknown, unknown, np.empty((len(seen), 0)))
    return run.shared.once(("moments", metric.name, run.kept), lambda: moments(metric, seen, rounding, clusters))


def _scores(seen: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> FloatArray:
    """Return the scores of A and of B and the advantage: (metrics, data sets, 3).

    They are averaged over resamples where these change the number of responses.
    """
    if not run.scheme.thins:
        return np.stack(
            [run.shared.once(("scores", metric.name, run.kept), partial(_scored, seen, metric)) for metric in metrics]
        )
    names = tuple(metric.name for metric in metrics)
    return run.shared.once(("scores", names, run.scheme), lambda: _mean_scores(seen, metrics, run))


def _mean_scores(seen: Stack, metrics: Sequence[Metric], run: ProcedureRun) -> FloatArray:
    n_resamples = max(run.procedure.n_draws, 999)
    scores = mean_scores(seen, metrics, scheme=run.scheme, n_resamples=n_resamples, seed=run.seed)
    signs = np.array([-1.0 if metric.better == "lower" else 1.0 for metric in metrics])[:, np.newaxis]
    advantages = signs * (scores[:, 0] - scores[:, 1])
    return np.stack([scores[:, 0], scores[:, 1], advantages], axis=-1)


def _scored(seen: Stack, metric: Metric) -> FloatArray:
    sides = seen.summaries(metric.needs)
    of_a, of_b = (np.asarray(score, dtype=np.float64) for score in metric.scores(*sides))
    if type(metric).advantage is Metric.advantage:  # the difference of the scores, which need not be computed again
        advantages = of_b - of_a if metric.better == "lower" else of_a - of_b
    else:
        advantages = np.asarray(metric.advantage(*sides))
    return np.stack([of_a, of_b, advantages], axis=1)


def _interval_draws(run: ProcedureRun, methods: Sequence[Sequence[Interval]], items: Sequence[FloatArray]) -> bool:
    """Whether an interval, an error or the test that allows for skewness needs resamples."""
    if run.scheme.raters == "random" or not run.scheme.keeps_responses:
        return True
    skewed = run.chosen_null.flips and any(is_skewed(row) for rows in items if rows.size for row in rows)
    return skewed or any(method.from_resamples for method in chain(*methods))


def _rater_errors(source: DataResampler, draws: Draws) -> list[RaterError]:
    """Return each advantage's error from items and raters; none where raters are fixed, or items are kept."""
    run, metrics = source.run, source.metrics
    if run.scheme.raters == "fixed" or run.scheme.items == "all":
        return [RaterError(None)] * len(metrics)
    alone = np.full_like(draws.advantages[:, 0], np.nan)
    curved = [i for i, metric in enumerate(metrics) if not metric.additive]
    if curved:
        alone[curved] = source.of_raters([metrics[i] for i in curved])
    return [
        rater_error(source.data.whole, metric, both=draws.advantages[i, 0], raters=alone[i], clusters=source.clusters)
        for i, metric in enumerate(metrics)
    ]
