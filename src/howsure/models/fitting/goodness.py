"""Simulated beside real: two features of each item, as the data have them and as the fitted model gives them.

For numbers the features are an item's mean and standard deviation, for labels its share of the commonest label and its
disagreement (the probability that two of its raters differ).

A model that was fitted to the data is nearer to them than the truth is, so data simulated from it do not tell how far
away is too far: a p-value without refitting never rejects. The p-value here compares the data with the model as it is
fitted to a random half of the items. For efficient estimates the distance of all the data from that model has, in large
samples, the distribution that it has from the truth (the half-sample method, Stephens 1978), so one more fit is
enough. Its level is measured in docs/how-to/models.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.models.base import ResponseModel
from howsure.models.fitting.fits import Feature, Pooled

REPLICATES = 199
"""Data sets simulated from the fitted model; the real one is the 200th."""

MOST_CHECKED = 5_000
"""Items that are compared at most: so many show any misfit that matters."""
AT_ONCE = 5_000_000
"""Responses that are simulated at a time."""
DRAWN = 100_000
"""Responses that a smooth histogram needs; larger data are simulated once."""

Features = Callable[[FloatArray], tuple[FloatArray, FloatArray]]


def moments(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation along the last axis; one response has no deviation (NaN)."""
    means = values.mean(axis=-1)
    if values.shape[-1] < 2:
        return means, np.full_like(means, np.nan)
    return means, np.asarray(values.std(axis=-1, ddof=1))


def agreement(n_labels: int, commonest: int) -> Features:
    """Return the features of labels, given as numbers 0, 1, …."""

    def features(codes: FloatArray) -> tuple[FloatArray, FloatArray]:
        k = codes.shape[-1]
        ones = np.ones(k)
        shares = np.stack([(codes == label) @ ones / k for label in range(n_labels)])
        if k < 2:
            return shares[commonest], np.full_like(shares[commonest], np.nan)
        return shares[commonest], (1 - np.square(shares).sum(axis=0)) * k / (k - 1)

    return features


def checked_items(n_items: int, generator: np.random.Generator) -> IntArray:
    """Return the items that are compared with simulated ones: all, or a random part of very many."""
    if n_items <= MOST_CHECKED:
        return np.arange(n_items)
    return np.sort(generator.choice(n_items, MOST_CHECKED, replace=False))


def of_real(responses: Responses, features: Features) -> tuple[FloatArray, FloatArray]:
    """Return the features of each item of ragged data; the items come in the order of their numbers of responses."""
    parts = []
    for size in np.unique(responses.sizes):
        items = responses.take(np.flatnonzero(responses.sizes == size))
        parts.append(features(items.values.reshape(-1, size)))
    first, second = (np.concatenate(side) for side in zip(*parts, strict=True))
    return first, second


def compare_with_data(
    model: ResponseModel,
    responses: Responses,
    features: Features,
    names: tuple[str, str],
    generator: np.random.Generator,
    *,
    of_half: ResponseModel | None = None,
) -> tuple[Feature, Feature]:
    """Simulate the data set again and again, with the items' own numbers of responses, and compare both features.

    Distances are those from `model`; the p-values are about `of_half`, the model as fitted to a random half of the
    items (`model` itself, if it was not fitted to these data).
    """
    real = of_real(responses, features)
    shown = _copies(model, responses, features, generator)
    tested = shown if of_half is None else _copies(of_half, responses, features, generator)
    first, second = (_compare(*parts) for parts in zip(names, real, shown, tested, strict=True))
    return first, second


def pool(
    model: ResponseModel, responses: Responses, generator: np.random.Generator, labels: tuple[str, ...] = ()
) -> Pooled:
    """Return all responses beside those of data sets from the model, with the items' own numbers of responses."""
    n_copies = -(-DRAWN // responses.values.size)
    sizes = zip(*np.unique(responses.sizes, return_counts=True), strict=True)
    simulated = [
        model.items((n_copies, int(n_items)), generator).summary("values", int(size), generator).ravel()
        for size, n_items in sizes
    ]
    return Pooled(np.sort(responses.values), np.sort(np.concatenate(simulated)), labels)


def _copies(
    model: ResponseModel, responses: Responses, features: Features, generator: np.random.Generator
) -> list[FloatArray]:
    parts = []
    for size, n_items in zip(*np.unique(responses.sizes, return_counts=True), strict=True):
        most = max(1, AT_ONCE // int(n_items * size))
        blocks = [min(most, REPLICATES - done) for done in range(0, REPLICATES, most)]
        copies = [
            features(model.items((block, int(n_items)), generator).summary("values", int(size), generator))
            for block in blocks
        ]
        parts.append(tuple(np.concatenate(side) for side in zip(*copies, strict=True)))
    return [np.concatenate(side, axis=1) for side in zip(*parts, strict=True)]


def _compare(name: str, real: FloatArray, shown: FloatArray, tested: FloatArray) -> Feature:
    real = np.sort(real[~np.isnan(real)])
    pooled, others = (np.sort(copies[:, ~np.isnan(copies[0])], axis=1) for copies in (shown, tested))
    flat, reference = np.sort(pooled.ravel()), np.sort(others.ravel())
    far = _distance(real, reference)
    at_least = sum(_distance(copy, reference) >= far - 1e-12 for copy in others)
    pvalue = (1 + at_least) / (1 + REPLICATES)
    return Feature.of(name, real, flat, distance=_distance(real, flat), pvalue=pvalue)


def _distance(sample: FloatArray, reference: FloatArray) -> float:
    """Return the largest distance between the cumulative distributions of two sorted samples."""
    # Means of the same responses in another order differ in their last bits; they are the same step.
    tie = 1e-9 * max(1.0, float(np.abs(reference[[0, -1]]).max()))
    at: Any = np.concatenate([sample, sample - 2 * tie])
    of_sample = np.searchsorted(sample, at + tie, side="right") / sample.size
    of_reference = np.searchsorted(reference, at + tie, side="right") / reference.size
    return float(np.abs(of_sample - of_reference).max())
