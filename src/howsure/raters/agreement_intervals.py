"""Intervals of agreement over items and raters: what other items, judged by other raters, would have shown.

The variance of raters (a jackknife) is added to that of items (a bootstrap). Percentiles of resamples of both counted
what a rater says about one item twice or more, and were up to twice as wide (benchmarks/raters_agreement.py). Two
raters cannot generalise to others, so their intervals are over items alone.

Many resamples are weighed in one call, because threads wait for each other after every short one. Still each block of
64 resamples has its own stream, and no coefficient depends on the resamples beside it, so that results do not depend on
the number of threads.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from howsure import _random
from howsure.data.scales import FloatArray, IntArray
from howsure.inference import ConfidenceInterval
from howsure.inference.combined_error import CombinedError
from howsure.raters.agreement_coefficients import WeightedCoefficients
from howsure.resampling.units import draw_counts

GROUPS = 20
"""Up to this many raters each is left out in turn; more are left out in this many groups."""

LEAST = 8 * _random.BLOCK
"""The last parts of draws are of this many, and no shorter: threads wait for each other after every short call."""

Coefficients = Callable[[FloatArray], WeightedCoefficients]
"""Takes raters (1 or 0: left out)."""


def measure_errors(
    coefficients: Coefficients,
    *,
    units: IntArray,
    n_raters: int,
    n_resamples: int,
    seed: np.random.SeedSequence,
    workers: int,
    at_once: int = _random.BLOCK,
    progress: Callable[[int], object] | None = None,
) -> dict[str, CombinedError]:
    """Return the error of each coefficient: the part of raters (where it can be estimated), and the part of items.

    The variance of items is that of draws of items. The variance of raters comes from the coefficient without each
    rater in turn (a jackknife), less the part that is due to the items at hand: how far the coefficients without one
    rater move apart when items are drawn. Otherwise a rater's answers to single items would count twice, as they do
    when items and raters are drawn together.

    `units` numbers what is drawn, for each item: the item itself, or its cluster. `at_once` is for how many draws the
    coefficients are computed at a time. `progress` is told of `n_resamples` draws of items, and of as many again while
    raters are left out.
    """
    left_out = _left_out(n_raters, _random.generator(seed, "raters"))
    each = -(-n_resamples // len(left_out)) if left_out else 0
    n_units = int(units.max()) + 1
    of_all = coefficients(np.ones(n_raters))

    def drawn(of: WeightedCoefficients, start: int, stop: int) -> list[dict[str, FloatArray]]:
        return [_of_draws(of, items) for items in _item_weights(units, seed, start, stop, at_once)]

    def without(raters: FloatArray) -> list[dict[str, FloatArray]]:
        of = coefficients(raters)
        return [of(np.ones((units.size, 1))), *drawn(of, 0, each)]

    # Draws of all raters come last, in ever smaller parts, so that threads end together.
    size = max(1, at_once // _random.BLOCK) * _random.BLOCK
    spans = [*_random.blocks(n_resamples, size, workers=workers, unit=LEAST)]

    def part(number: int, start: int, stop: int) -> list[dict[str, FloatArray]]:
        if number < len(left_out):
            found = without(left_out[number])
            done = stop * n_resamples // len(left_out) - start * n_resamples // len(left_out)
        else:
            _, first, last = spans[number - len(left_out)]
            found, done = drawn(of_all, first, last), last - first
        if progress is not None:
            progress(done)
        return found

    parts = _random.map_blocks(part, len(left_out) + len(spans), workers=workers, size=1)
    if progress is not None and not left_out:
        progress(n_resamples)
    others = [_joined(found) for found in parts[: len(left_out)]]
    whole = _joined(list(itertools.chain(*parts[len(left_out) :])))
    corrected = n_units / max(1, n_units - 1)
    found = {}
    for name, draws in whole.items():
        of_items = float(_variances(draws) * corrected)
        error = CombinedError((of_items,), (max(1.0, n_units - 1.0),), n_resamples=n_resamples)
        known = np.array([other[name] for other in others if not np.isnan(other[name][0])])
        n = len(known)
        if n > 1:
            as_it_is, moved = known[:, 0], known[:, 1:].T
            moved = moved[~np.isnan(moved).any(axis=1)]
            by_items = _variances(moved - moved.mean(axis=1, keepdims=True)).sum() * corrected if moved.size else 0.0
            of_raters = (n - 1) / n * (np.square(as_it_is - as_it_is.mean()).sum() - by_items)
            variances = (max(0.0, float(of_raters)), *error.variances)
            error = CombinedError(variances, (n - 1.0, *error.dfs), n_resamples=n_resamples)
        found[name] = error
    return found


ONE_WAY = ("icc_1", "icc_1k")
"""The intraclass correlations of single responses and of means, if every item has other raters."""


def one_way_interval(
    name: str, correlation: float, *, n_items: int, per_item: float, confidence_level: float
) -> ConfidenceInterval:
    """Return the F limits of a one-way intraclass correlation (Shrout and Fleiss 1979), given that of single responses.

    They are exact for normal values of equally many responses per item; other numbers count with their harmonic mean.

    Examples
    --------
    Six subjects, four judges (their table 2):

    >>> print(one_way_interval("icc_1", 0.1657, n_items=6, per_item=4, confidence_level=0.95))
    95% CI −0.13 to 0.72 (F)
    """
    from scipy.special import fdtri

    if n_items < 2 or per_item <= 1 or not correlation < 1:
        why = ("The interval is undefined: responses to an item, or items, do not differ.",)
        return ConfidenceInterval(math.nan, math.nan, "F", confidence_level, why)
    share, between, within = (1 + confidence_level) / 2, n_items - 1, n_items * (per_item - 1)
    ratio = (1 + (per_item - 1) * correlation) / (1 - correlation)
    ends = ratio / float(fdtri(between, within, share)), ratio * float(fdtri(within, between, share))
    low, high = ((one - 1) / (one + per_item - 1) if name == "icc_1" else 1 - 1 / one for one in ends)
    return ConfidenceInterval(low, high, "F", confidence_level)


def fisher_interval(name: str, value: float, error: CombinedError, *, confidence_level: float) -> ConfidenceInterval:
    """Return the interval of a coefficient whose largest value is 1, from its error on Fisher's scale, artanh.

    Observed agreement lies between 0 and 1, and is stretched to −1 and 1 first.
    """
    low, high = (0.0, 1.0) if name == "agreement" else (-1.0, 1.0)
    share = (value - low) / (high - low) * 2 - 1
    if math.isnan(value) or not error.variance > 0 or not share < 1:
        return error.interval(math.nan, confidence_level=confidence_level)
    reach = error.half_width((1 - confidence_level) / 2) * 2 / (high - low)
    if share <= -1:  # correlations of means of raters have no lower bound
        ends = share - reach, min(1.0, share + reach)
    else:
        middle, reach = math.atanh(share), reach / (1 - share**2)
        ends = math.tanh(middle - reach), math.tanh(middle + reach)
    lower, upper = (low + (end + 1) / 2 * (high - low) for end in ends)
    return ConfidenceInterval(lower, upper, "t", confidence_level)


def _left_out(n_raters: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return weights (1 or 0) that leave out each rater in turn, or each group of raters; none for two raters."""
    if n_raters < 3:
        return []
    group = np.arange(n_raters) if n_raters <= GROUPS else rng.permutation(n_raters) % GROUPS
    return [(group != number).astype(np.float64) for number in range(min(n_raters, GROUPS))]


def _item_weights(
    units: IntArray, seed: np.random.SeedSequence, start: int, stop: int, at_once: int
) -> Iterator[FloatArray]:
    """Yield how often each item counts in the draws from `start` (of a block) on, some draws at a time: items × draws.

    Each block of draws has a stream of its own, whoever draws it.
    """
    step = max(1, at_once // _random.BLOCK) * _random.BLOCK
    for first in range(start, stop, step):
        n_draws = min(step, stop - first)
        numbers = range(first // _random.BLOCK, -(-(first + n_draws) // _random.BLOCK))
        streams = [_random.generator(seed, "agreement", number) for number in numbers]
        count = functools.partial(_counted, streams)
        for begin in range(0, min(_random.BLOCK, n_draws), at_once):  # all of several blocks, or parts of one
            n_each = min(at_once, _random.BLOCK)
            stops = np.minimum(n_each * np.arange(1, len(numbers) + 1), n_draws - begin)
            yield count(stops, units)


def _counted(streams: list[np.random.Generator], stops: IntArray, units: IntArray) -> FloatArray:
    """Draw units from each stream, in the columns up to its stop, and count those of each item."""
    n_units = int(units.max()) + 1
    found, start = np.empty((units.size, stops[-1])), 0
    for rng, stop in zip(streams, stops.tolist(), strict=True):
        found[:, start:stop] = draw_counts(rng, (stop - start,), n_units).T[units]
        start = stop
    return found


def _of_draws(of: WeightedCoefficients, items: FloatArray) -> dict[str, FloatArray]:
    """Return the coefficients of each draw.

    A draw alone is weighed twice, because NumPy adds up a single column in another order, which changes the last
    digits.
    """
    if items.shape[1] > 1:
        return of(items)
    return {name: values[:1] for name, values in of(np.repeat(items, 2, axis=1)).items()}


def _joined(parts: list[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    """Return the coefficients of all draws by name."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _variances(draws: FloatArray) -> FloatArray:
    """Return the variance over draws (the first axis) of what is defined; NaN where nothing is."""
    known = ~np.isnan(draws)
    counts = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(known, draws, 0.0).sum(axis=0) / counts
        return np.asarray(np.where(known, np.square(draws - means), 0.0).sum(axis=0) / counts)
