"""Loops over rows for which NumPy has no function; compiled on first use. Each has a plain twin in the tests.

Where the model has several times as many rows as gold, gold's rows are taken again and again.
"""

import numpy as np

from howsure._compiled import njit
from howsure.data.scales import FloatArray
from howsure.metrics.base import ROUNDING


@njit(cache=True, nogil=True)
def areas(positive: FloatArray, scored: FloatArray) -> FloatArray:
    """Area under the ROC curve of each row, given with what weight each item is positive; NaN if all are, or none is.

    An item with weight w is positive with probability w, else negative: never both, so it makes no pair with itself.
    """
    n_rows, n = scored.shape
    out = np.empty(n_rows)
    for r in range(n_rows):
        order = np.argsort(scored[r])
        tie = ROUNDING * max(abs(scored[r, order[0]]), abs(scored[r, order[n - 1]]))
        below, above, positives, alone = 0.0, 0.0, 0.0, 0.0
        start = 0
        while start < n:
            stop = start
            here, against = 0.0, 0.0
            while stop < n and (stop == start or scored[r, order[stop]] - scored[r, order[stop - 1]] <= tie):
                weight = positive[r, order[stop]]
                here += weight
                against += 1 - weight
                alone += weight * (1 - weight)
                stop += 1
            above += here * (below + against / 2)
            below += against
            positives += here
            start = stop
        pairs = positives * below - alone
        out[r] = (above - alone / 2) / pairs if pairs > n * n * ROUNDING else np.nan
    return out


@njit(cache=True, nogil=True)
def row_sums(rows: FloatArray) -> FloatArray:
    """Sum of each row, from its first value to its last."""
    out = np.zeros(rows.shape[0])
    for r in range(out.size):
        total = 0.0
        for c in range(rows.shape[1]):
            total += rows[r, c]
        out[r] = total
    return out


@njit(cache=True, nogil=True)
def divergence(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Σ share · (its log − the model's) of each pair of rows; a row has the shares and then their logarithms."""
    n_labels = gold.shape[1] // 2
    out = np.empty(model.shape[0])
    for r in range(out.size):
        g, total = r % gold.shape[0], 0.0
        for c in range(n_labels):
            total += gold[g, c] * (gold[g, n_labels + c] - model[r, n_labels + c])
        out[r] = total
    return out


@njit(cache=True, nogil=True)
def shared_votes(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Chance that the largest counts of two rows are the same label's, ties broken at random on both sides."""
    n_rows, width = model.shape
    out = np.empty(n_rows)
    for r in range(n_rows):
        g, most, most_model = r % gold.shape[0], 0.0, 0.0
        for c in range(width):
            most = max(most, gold[g, c])
            most_model = max(most_model, model[r, c])
        most *= 1 - ROUNDING
        most_model *= 1 - ROUNDING
        tied, tied_model, both = 0, 0, 0
        for c in range(width):
            of_gold, of_model = gold[g, c] >= most, model[r, c] >= most_model
            tied += of_gold
            tied_model += of_model
            both += of_gold and of_model
        out[r] = both / (tied * tied_model)
    return out


@njit(cache=True, nogil=True)
def _wasserstein(left: FloatArray, g: int, right: FloatArray, r: int) -> float:
    """Wasserstein distance of two rows, sorted, which may end in NaN (absent) and need not have equal lengths."""
    n, m = left.shape[1], right.shape[1]
    distance = 0.0
    while n > 0 and np.isnan(left[g, n - 1]):
        n -= 1
    while m > 0 and np.isnan(right[r, m - 1]):
        m -= 1
    if n == 0 or m == 0:
        return np.nan
    if n == m:
        for i in range(n):
            distance += abs(left[g, i] - right[r, i])
        return float(distance / n)
    # Walk both quantile functions at once, in steps of 1 / (n m) so that shares are whole numbers.
    i, j, at = 0, 0, 0
    while i < n and j < m:
        step = min((i + 1) * m, (j + 1) * n)
        distance += (step - at) * abs(left[g, i] - right[r, j])
        at = step
        if step == (i + 1) * m:
            i += 1
        if step == (j + 1) * n:
            j += 1
    return float(distance / (n * m))


@njit(cache=True, nogil=True)
def _total_variation(left: FloatArray, g: int, right: FloatArray, r: int) -> float:
    """½ Σ |share − share| of two rows of counts."""
    n = 0.0
    m = 0.0
    apart = 0.0
    for c in range(left.shape[1]):
        n += left[g, c]
        m += right[r, c]
        apart += abs(left[g, c] - right[r, c])
    if n != m:
        apart = 0.0
        for c in range(left.shape[1]):
            apart += n * abs(left[g, c] / n - right[r, c] / m)
    return float(apart / (2.0 * n))


@njit(cache=True, nogil=True)
def wasserstein(left: FloatArray, right: FloatArray) -> FloatArray:
    """Wasserstein distance of each pair of sorted rows."""
    out = np.empty(right.shape[0])
    for r in range(out.size):
        out[r] = _wasserstein(left, r % left.shape[0], right, r)
    return out


@njit(cache=True, nogil=True)
def total_variation(left: FloatArray, right: FloatArray) -> FloatArray:
    """½ Σ |share − share| of each pair of rows of counts."""
    out = np.empty(right.shape[0])
    for r in range(out.size):
        out[r] = _total_variation(left, r % left.shape[0], right, r)
    return out


@njit(cache=True, nogil=True)
def paired_wins(gold: FloatArray, a: FloatArray, b: FloatArray, tie: float) -> tuple[FloatArray, FloatArray]:
    """Share of positions that A wins, and that B wins, in each row of responses.

    Positions that a source lacks are left out; a row without a common position is NaN.
    """
    n_rows = gold.shape[0]
    k = min(gold.shape[1], a.shape[1], b.shape[1])
    won, lost = np.empty(n_rows), np.empty(n_rows)
    for r in range(n_rows):
        pairs = 0
        of_a = 0
        of_b = 0
        for j in range(k):
            difference = abs(b[r, j] - gold[r, j]) - abs(a[r, j] - gold[r, j])
            pairs += not np.isnan(difference)
            of_a += difference > tie
            of_b += difference < -tie
        won[r] = of_a / pairs if pairs else np.nan
        lost[r] = of_b / pairs if pairs else np.nan
    return won, lost


@njit(cache=True, nogil=True)
def cosines(gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Cosines of gold's rows with A's and with B's, of the positions that both have; NaN where one has length zero."""
    n_rows = gold.shape[0]
    out, room = np.full((2, n_rows), np.nan), np.empty((5, LANES))
    for r in range(n_rows):
        product, of_gold, of_model, product_b, of_model_b = _products(gold[r], a[r], b[r], room)
        of_gold_b = of_gold
        if np.isnan(product + product_b):
            product, of_gold, of_model = _products_of_both(gold[r], a[r])
            product_b, of_gold_b, of_model_b = _products_of_both(gold[r], b[r])
        lengths, lengths_b = np.sqrt(of_gold * of_model), np.sqrt(of_gold_b * of_model_b)
        if lengths > 0:
            out[0, r] = product / lengths
        if lengths_b > 0:
            out[1, r] = product_b / lengths_b
    return out


LANES = 32
"""So many sums of a row run side by side, so that no addition waits for the one before it; on every processor alike."""


@njit(cache=True, nogil=True)
def _products(gold: FloatArray, a: FloatArray, b: FloatArray, room: FloatArray) -> tuple[float, ...]:
    """Products of gold and A, squares of gold and of A, products of gold and B, squares of B; `room` is (5, lanes)."""
    room[:] = 0.0
    with_a, of_gold, of_a, with_b, of_b = room[0], room[1], room[2], room[3], room[4]
    for first in range(0, gold.size, LANES):
        x, y, z = gold[first : first + LANES], a[first : first + LANES], b[first : first + LANES]
        for k in range(x.size):
            with_a[k] += x[k] * y[k]
            of_gold[k] += x[k] * x[k]
            of_a[k] += y[k] * y[k]
            with_b[k] += x[k] * z[k]
            of_b[k] += z[k] * z[k]
    product, square, square_a, product_b, square_b = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(LANES):
        product += with_a[k]
        square += of_gold[k]
        square_a += of_a[k]
        product_b += with_b[k]
        square_b += of_b[k]
    return product, square, square_a, product_b, square_b


@njit(cache=True, nogil=True)
def _products_of_both(gold: FloatArray, model: FloatArray) -> tuple[float, float, float]:
    """Products, and squares of either, of the positions that both have."""
    product, of_gold, of_model = 0.0, 0.0, 0.0
    for c in range(gold.size):
        x, y = gold[c], model[c]
        if not np.isnan(x * y):
            product += x * y
            of_gold += x * x
            of_model += y * y
    return product, of_gold, of_model
