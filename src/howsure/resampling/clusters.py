"""Items that come in clusters (sentences of a document): their sums, and the error of a mean over all items."""

import math
from typing import Any

import numpy as np

from howsure.data.scales import FloatArray, IntArray


def cluster_sums(advantages: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the item advantages and the number of items of each cluster."""
    return np.bincount(clusters, advantages).astype(np.float64), np.bincount(clusters).astype(np.float64)


def ratio_error(sums: FloatArray, sizes: FloatArray) -> Any:
    """Return the standard error of a mean over items when whole clusters are sampled; the last axis is clusters.

    A cluster pulls the mean towards its own items, by its share of them, so that its residual is too small. Dividing
    its square by one minus the share mends that (CR2, Bell and McCaffrey 2002); of equal clusters it is the usual
    n / (n − 1).

    Examples
    --------
    >>> round(ratio_error(np.array([1.0, 2.0, 6.0]), np.ones(3)), 6), round((7 / 3) ** 0.5, 6)
    (1.527525, 1.527525)
    """
    if sums.shape[-1] < 2:
        return np.full(sums.shape[:-1], np.nan) if sums.ndim > 1 else math.nan
    total = sizes.sum(axis=-1, keepdims=True)
    shares = sizes / total
    rest = sums / total - shares * sums.sum(axis=-1, keepdims=True) / total
    error = np.sqrt(np.sum(np.square(rest) / (1 - shares), axis=-1))
    return error if error.ndim else float(error)


def cluster_df(sizes: FloatArray) -> Any:
    """Return the degrees of freedom of `ratio_error`: one less than clusters if these are equally large, else fewer.

    They are those of the χ² distribution with the same mean and variance, if items are independent (Bell and McCaffrey
    2002; Pustejovsky and Tipton 2018): with one cluster of half of the items, hardly more than three.

    Examples
    --------
    >>> round(cluster_df(np.full(12, 5.0)), 2), round(cluster_df(np.array([11.0, *np.ones(11)])), 2)
    (11.0, 3.37)
    """
    if sizes.shape[-1] < 2:
        return np.full(sizes.shape[:-1], np.nan) if sizes.ndim > 1 else math.nan
    shares = sizes / sizes.sum(axis=-1, keepdims=True)
    products = np.square(shares) / (1 - shares)
    df = 1 / (np.square(shares).sum(axis=-1) + products.sum(axis=-1) ** 2 - np.square(products).sum(axis=-1))
    return df if df.ndim else float(df)
