"""How many items or responses it takes until the first adjacent ranks of a leaderboard differ significantly."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _check, _matrices, _random
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import summarise
from howsure.documents import Column, Document, Sentence, Table
from howsure.errors import ArgumentError, DataError
from howsure.inference.solving import fewest
from howsure.io.reading import as_table
from howsure.leaderboards.comparing import tasks_of
from howsure.leaderboards.pairs import PairSettings, Spread, reach_of
from howsure.leaderboards.request import LeaderboardRequest
from howsure.leaderboards.units import MEAN, BoardUnits, LeaderboardData
from howsure.metrics import ItemMetric, Metric, spelled
from howsure.provenance import Provenance
from howsure.raters.design import design_of
from howsure.records import Record

N_RESAMPLES = 1999
NOT_PLANNED = ("baseline", "by", "weights", "cluster", "raters")
"""What cannot be combined with a plan."""
DRAWS, MOST_ITEMS, MOST_RESPONSES = 4999, 10**7, 10**4
"""Simulated studies of each size; and beyond how many items, or responses, the answer is that no number will do."""
STEP_DRAWS, STEPS, SURE = 999, 4, 1.28
"""Simulated studies that measure the limits of the stepdown, its steps, and beyond how many standard errors above the
limit a pair differs significantly in nearly all studies (90%)."""
TOLERANCE = 1e-9
"""How far an item's score may be from the mean of its responses' scores, by rounding."""
LOAD = 2.0
"""Raters who judged so many items each, on average over responses, make items alone too little to plan."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a study of one size would show.

    Attributes
    ----------
    n_items : int
    n_responses : float
        Of each model on each item.
    power : float
        The probability that all the first adjacent ranks differ significantly.
    first_place_share : float
        The probability that the model in first place stays there.
    """

    n_items: int
    n_responses: float
    power: float
    first_place_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardPlan(Record):
    """How many items or responses a leaderboard requires.

    Attributes
    ----------
    models : tuple of str
        The models of the adjacent ranks, from the best on.
    target_power : float
    n_items : int or None
        The fewest items with that power, with as many responses as there are; None where ten million are too few.
    n_responses : int or None
        The fewest responses per item and model with that power, on the items that there are; None where no number is
        enough, or where more responses cannot be planned.
    now : int
        How many items there are.
    responses_now : float
        How many responses a model has per item.
    outlooks : tuple of Outlook
    limit : float
        The power on these items with infinitely many responses; NaN where that is unknown.
    notes : tuple of str
    seed : int
    signature : str
        Where the plan comes from, in one line.
    """

    models: tuple[str, ...]
    target_power: float
    n_items: int | None
    n_responses: int | None
    now: int
    responses_now: float
    outlooks: tuple[Outlook, ...]
    limit: float
    notes: tuple[str, ...]
    seed: int
    signature: str

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        k = len(self.models)
        what = "a difference between the first 2 models" if k == 2 else f"all adjacent ranks of the first {k} models"
        chance = f"{100 * self.target_power:g}% power"
        if self.n_items is None:
            return f"{MOST_ITEMS:,} items do not give {chance} for {what}: two of the scores are equal, or nearly."
        said = (
            f"{self.n_items:,} items give {chance} for {what}, if the measured scores are the true ones (these data "
            f"have {self.now:,} items)."
        )
        return f"{said} {self._of_responses()}".strip()

    def _of_responses(self) -> str:
        if self.n_responses is not None:
            one = self.n_responses == 1
            enough = "1 response gives" if one else f"{self.n_responses:,} responses give"
            return (
                f"On the present items, {enough} the same power (per item and model; these data have "
                f"{self.responses_now:.3g})."
            )
        if math.isnan(self.limit):
            return ""
        return (
            f"More responses alone are not enough: with infinitely many, the power is {100 * self.limit:.3g}% on the "
            "present items."
        )

    def document(self) -> Document:
        """Return the plan as a document."""
        columns = (
            Column("items", "count"),
            Column("responses per item", "number"),
            Column("power", "percent"),
            Column("leader stays first", "percent"),
        )
        rows = tuple((one.n_items, one.n_responses, one.power, one.first_place_share) for one in self.outlooks)
        return Document(
            "How many items or responses does this leaderboard require?",
            (Sentence(self.verdict, "verdict"), Table(columns, rows)),
            self.notes,
            self.signature,
        )


@_matrices.on_one_thread
def plan_leaderboard(
    table: ResponseTable | Any,
    request: LeaderboardRequest | None = None,
    *,
    adjacent_ranks: int = 1,
    target_power: float = 0.8,
    rng: _random.Rng = None,
    workers: int | None = None,
    **settings: Any,
) -> LeaderboardPlan:
    """Estimate how many items or responses it takes until the first adjacent ranks differ significantly.

    The true scores are taken to be the measured ones, and items or responses like these are added. Responses can be
    planned where an item's score is the mean of the scores of its single responses (ratings, pass or fail).

    Parameters
    ----------
    table : ResponseTable, dataframe (pandas, Polars, Arrow) or path
    request : LeaderboardRequest, optional
        What is asked of the leaderboard: `gold`, `models`, `metric`, `confidence_level` and `n_resamples` (default:
        1,999). Raters are held fixed, and all pairs are tested.
    adjacent_ranks : int
        1: the first and the second model differ significantly; 2: also the second and the third.
    target_power : float
        The probability that all of them do, after correction for all pairs of the leaderboard.
    rng, workers
        As in `compare_all`.
    **settings
        Fields of `LeaderboardRequest`, in place of `request`.

    Examples
    --------
    >>> from howsure.examples import ratings
    >>> plan_leaderboard(ratings(), gold="human", rng=0).n_items < 200
    True
    """
    request = LeaderboardRequest.of(request, settings)
    for name in NOT_PLANNED:
        if getattr(request, name) is not None:
            raise ArgumentError(f"`{name}` cannot be combined with a plan.")
    request = replace(request, n_resamples=request.n_resamples or N_RESAMPLES)
    table = as_table(table)
    _check.fraction("target_power", target_power)
    adjacent_ranks = _check.integer("adjacent_ranks", adjacent_ranks, at_least=1)
    data = request.data(table)
    pairs = PairSettings.of(request, data.models, rng=rng, workers=workers)
    tasks, _ = tasks_of(data, request, workers=pairs.workers)
    [units] = tasks.units(aggregate=MEAN, random=False)
    m, now = len(units.names), units.n_units
    if adjacent_ranks >= m:
        raise ArgumentError(f"`adjacent_ranks` must be below the number of models ({m}); got {adjacent_ranks}.")
    if now < 2:
        raise DataError(f"a plan needs at least two items that every model answered; got {now}.")
    reach = reach_of(units, Spread.of(units, pairs), pairs).pairs
    order = np.argsort(-units.scores, kind="stable")
    noise = response_noise(data, tasks.rows[0])
    stream = _random.generator(pairs.seed, "outlook")
    study = _Study.of(units.take(order), noise.take(order), adjacent_ranks, reach, stream)

    def by_items(n_items: int) -> Outlook:
        return study.outlook(n_items, noise.now)

    def by_responses(n_responses: int) -> Outlook:
        return study.outlook(now, n_responses)

    def fewest_of(outlook: Callable[[int], Outlook], *, least: int, most: int) -> int | None:
        return fewest(lambda n: outlook(n).power >= target_power, least=least, most=most, precision=0.005)

    apart = not (study.scores[:adjacent_ranks] - study.scores[1 : adjacent_ranks + 1] <= 1e-12).any()
    n_items = fewest_of(by_items, least=2, most=MOST_ITEMS) if apart else None
    limit = study.outlook(now, math.inf).power if noise.known else math.nan
    enough = apart and noise.known and limit >= target_power
    n_responses = fewest_of(by_responses, least=1, most=MOST_RESPONSES) if enough else None
    sizes = sorted({now, 2 * now, 4 * now, *([] if n_items is None else [n_items])})
    outlooks = [by_items(size) for size in sizes]
    if noise.known:
        several = {math.ceil(2 * noise.now), math.ceil(4 * noise.now), *([] if n_responses is None else [n_responses])}
        outlooks += [by_responses(size) for size in sorted(several)]
    seed = _random.entropy_of(pairs.seed)
    parameters = {
        "metric": spelled(data.metric),
        "adjacent_ranks": adjacent_ranks,
        "target_power": target_power,
        "confidence_level": request.confidence_level,
        "n_resamples": request.n_resamples,
    }
    return LeaderboardPlan(
        models=study.names[: adjacent_ranks + 1],
        target_power=target_power,
        n_items=n_items,
        n_responses=n_responses,
        now=now,
        responses_now=noise.now,
        outlooks=tuple(outlooks),
        limit=limit,
        notes=(
            "The plan assumes that the measured scores are the true ones. If two models are close only by chance, "
            "fewer items are enough; if they differ only by chance, more are required.",
            *noise.notes,
            *_about_raters(data),
        ),
        seed=seed,
        signature=Provenance("leaderboard", parameters, seed, data.digest).signature,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ResponseNoise:
    """The variance of each model's score that its single responses add.

    Attributes
    ----------
    variances : array, (models,)
        0 where it is unknown.
    now : float
        How many responses a model has per item.
    known : bool
    notes : tuple of str
        Why it is not known.
    """

    variances: FloatArray
    now: float
    known: bool
    notes: tuple[str, ...] = ()

    def take(self, models: IntArray) -> "ResponseNoise":
        """Return that of these models, in this order."""
        return replace(self, variances=self.variances[models])


def response_noise(data: LeaderboardData, rows: IntArray) -> ResponseNoise:
    """Measure it where an item's score is the mean of the scores of its single responses; else return why not."""
    table, metric, names, gold = data.table, data.metric, data.models, data.gold
    sources = [table.source(name).take(rows) for name in names]
    now = float(np.mean([source.sizes.mean() for source in sources]))
    unknown = ResponseNoise(np.zeros(len(names)), now, False)
    if not isinstance(metric, ItemMetric) or any(source.weights is not None for source in sources):
        return replace(unknown, notes=(_not_linear(metric),))
    of_gold = None if gold is None else summarise(table.source(gold).take(rows), metric.needs, table.scale)
    variances = np.zeros(len(names))
    for j, (name, source) in enumerate(zip(names, sources, strict=True)):
        if not (source.sizes > 1).any():
            said = f"{name} has one response per item, so we cannot estimate what more responses would change."
            return replace(unknown, notes=(said,))
        single = _single_scores(metric, of_gold, source, table)
        whole = np.asarray(metric.item_scores(of_gold, summarise(source, metric.needs, table.scale)))  # type: ignore[arg-type]
        means = np.add.reduceat(single, source.offsets[:-1]) / source.sizes
        if not np.allclose(means, whole, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
            return replace(unknown, notes=(_not_linear(metric),))
        squares = np.square(single - np.repeat(means, source.sizes))
        within = squares.sum() / (source.sizes - 1).sum()
        variances[j] = float(np.sum(within / source.sizes)) / source.n_items**2
    return ResponseNoise(variances, now, True)


def _not_linear(metric: Metric) -> str:
    return (
        f"Only the number of items is planned. With {metric.name}, an item's score is not the mean of the scores of "
        "its single responses, so more responses would also change the scores."
    )


def _single_scores(metric: ItemMetric, gold: FloatArray | None, source: Responses, table: ResponseTable) -> FloatArray:
    """Return the score that each response has by itself."""
    items = source.items
    alone = Responses(source.values, np.arange(source.values.size + 1))
    repeated = None if gold is None else gold[items]
    return np.asarray(metric.item_scores(repeated, summarise(alone, metric.needs, table.scale)), dtype=np.float64)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class _Study:
    """Studies of any size: how items and responses move the scores of the models, from the best on.

    Attributes
    ----------
    names : tuple of str
    scores : array, (models,)
    moves : array, (draws, models), two of them
        How far each study moves each score by its items and by its responses, as many as there are.
    errors : array, (models, models), two of them
        The variance of each advantage from items and from responses.
    sizes : tuple of float
        How many items and responses there are.
    adjacent_ranks : int
    reach : float
        By how many standard errors two models must differ to be significant, after correction for all pairs.
    """

    names: tuple[str, ...]
    scores: FloatArray
    moves: tuple[FloatArray, FloatArray]
    errors: tuple[FloatArray, FloatArray]
    sizes: tuple[float, float]
    adjacent_ranks: int
    reach: float

    @classmethod
    def of(
        cls, units: BoardUnits, noise: ResponseNoise, adjacent_ranks: int, reach: float, stream: np.random.Generator
    ) -> "_Study":
        """Take the responses' part off the covariance of the scores; what is left is the items'."""
        covariance = np.einsum("uj,uk->jk", units.errors, units.errors) - np.diag(noise.variances)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        m = units.scores.size
        moves = (
            np.einsum("dc,jc->dj", stream.standard_normal((DRAWS, m)), root),
            stream.standard_normal((DRAWS, m)) * np.sqrt(noise.variances),
        )
        errors = (_of_advantages(root @ root.T), _of_advantages(np.diag(noise.variances)))
        return cls(
            units.names,
            units.scores,
            moves,
            errors,
            (units.n_units, noise.now),
            adjacent_ranks,
            reach,
        )

    def outlook(self, n_items: float, n_responses: float) -> Outlook:
        """Return what studies of this size show."""
        items, responses = self.sizes[0] / n_items, self.sizes[1] / n_responses
        moved = math.sqrt(items) * (self.moves[0] + math.sqrt(responses) * self.moves[1])
        errors = np.sqrt(items * (self.errors[0] + responses * self.errors[1]))
        boards = self.scores + moved
        first, second = np.arange(self.adjacent_ranks), np.arange(1, self.adjacent_ranks + 1)
        apart = boards[:, first] - boards[:, second] > self._limit(moved, errors) * errors[first, second]
        stays = boards[:, 0] >= boards.max(axis=1)
        return Outlook(int(n_items), float(n_responses), float(apart.all(axis=1).mean()), float(stays.mean()))

    def _limit(self, moved: FloatArray, errors: FloatArray) -> float:
        """Return how many standard errors adjacent ranks must differ by: the stepdown settles clear pairs before.

        Pairs that are significant in nearly all studies no longer count; what is left has a smaller largest |t|. It is
        measured on the simulated studies, and scaled as the limit of the data stands to theirs.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            clear = np.abs(self.scores[:, np.newaxis] - self.scores) / errors
        open_pairs = np.triu(errors > 0, 1)
        some = np.ascontiguousarray(moved[:STEP_DRAWS].T)
        whole = limit = _largest(some, errors, open_pairs)
        own = np.arange(self.adjacent_ranks), np.arange(1, self.adjacent_ranks + 1)
        for _ in range(STEPS):
            left = open_pairs & ~(clear > self.reach * limit / whole + SURE)
            left[own] = open_pairs[own]
            smaller = _largest(some, errors, left)
            if smaller >= limit:
                break
            limit = smaller
        return self.reach * limit / whole if whole > 0 else self.reach


def _of_advantages(covariance: FloatArray) -> FloatArray:
    """Return the variance of each advantage from the covariance of the scores; what rounding leaves is 0."""
    own = np.diag(covariance)
    found = own[:, np.newaxis] + own - 2 * covariance
    return np.where(found > 1e-12 * (own[:, np.newaxis] + own), found, 0.0)


def _largest(moved: FloatArray, errors: FloatArray, pairs: npt.NDArray[np.bool_]) -> float:
    """Return the 95% quantile of the largest |t| over these pairs; each column of `moved` is a simulated study."""
    largest = np.zeros(moved.shape[1])
    for j, k in np.argwhere(pairs):
        np.maximum(largest, np.abs(moved[j] - moved[k]) / errors[j, k], out=largest)
    return float(np.quantile(largest, 0.95))


def _about_raters(data: LeaderboardData) -> list[str]:
    """Return what a plan of items leaves out where the same raters judged many of them."""
    rated = [source for source in data.table.sources.values() if source.raters is not None]
    if not rated or design_of(*rated).load < LOAD:
        return []
    return [
        "Raters are fixed: the plan holds for these raters only. To generalise to other raters, more items alone may "
        "never be enough."
    ]
