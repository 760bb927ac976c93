"""Simulated beside real: two features of each item, as the data have them and as the fitted model gives them.

For numbers the features are an item's mean and standard deviation, for labels its share of the commonest label and its
disagreement (the probability that two of its raters differ).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.models.base import ResponseModel
from assay.models.fitting.results import Feature
from assay.responses import Responses
from assay.scales import FloatArray

REPLICATES = 199
"""Data sets simulated from the fitted model; the real one is the 200th."""

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
        shares = np.stack([(codes == label).mean(axis=-1) for label in range(n_labels)])
        if k < 2:
            return shares[commonest], np.full_like(shares[commonest], np.nan)
        return shares[commonest], (1 - np.square(shares).sum(axis=0)) * k / (k - 1)

    return features


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
) -> tuple[Feature, Feature]:
    """Simulate the data set again and again, with the items' own numbers of responses, and compare both features."""
    parts = []
    for size, n_items in zip(*np.unique(responses.sizes, return_counts=True), strict=True):
        answers = model.items((REPLICATES, int(n_items)), generator)
        parts.append(features(answers.summary("values", int(size), generator)))
    copies = [np.concatenate(side, axis=1) for side in zip(*parts, strict=True)]
    first, second = (
        _compare(name, real, copy) for name, real, copy in zip(names, of_real(responses, features), copies, strict=True)
    )
    return first, second


def _compare(name: str, real: FloatArray, copies: FloatArray) -> Feature:
    known = ~np.isnan(copies[0])
    real, copies = np.sort(real[~np.isnan(real)]), np.sort(copies[:, known], axis=1)
    pooled = np.sort(copies.ravel())
    distance = _distance(real, pooled)
    others = np.array([_distance(copy, pooled) for copy in copies])
    pvalue = (1 + int((others >= distance - 1e-12).sum())) / (1 + REPLICATES)
    return Feature(name, real, pooled, distance, pvalue)


def _distance(sample: FloatArray, reference: FloatArray) -> float:
    """Return the largest distance between the cumulative distributions of two sorted samples."""
    # Means of the same responses in another order differ in their last bits; they are the same step.
    tie = 1e-9 * max(1.0, float(np.abs(reference[[0, -1]]).max()))
    at: Any = np.concatenate([sample, sample - 2 * tie])
    of_sample = np.searchsorted(sample, at + tie, side="right") / sample.size
    of_reference = np.searchsorted(reference, at + tie, side="right") / reference.size
    return float(np.abs(of_sample - of_reference).max())
