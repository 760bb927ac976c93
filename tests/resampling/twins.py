"""The kernels once more, in plain Python: the same random words, the same draws."""

import numpy as np

MASK = 2**64 - 1


def word(seed, i):
    """SplitMix64 (Steele, Lea & Flood 2014) at counter i."""
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def below(n, bits):
    return ((bits & 0xFFFFFFFF) * n) >> 32


def indices(seed, at, n, k):
    """Return k indices below n, two from each word; the words start at `at`."""
    return [below(n, word(seed, at + j // 2) >> (32 * (j % 2))) for j in range(k)]


def items(n_items, seed):
    return indices(int(seed), 0, n_items, n_items)


def swaps(n_items, seed):
    return [bool(word(int(seed), i // 64) >> (i % 64) & 1) for i in range(n_items)]


def responses(rows, n_out, drawn, seed):
    """Return the responses drawn for each drawn item; each item starts on a fresh word."""
    out, at = [], 0
    for item in drawn:
        k = int(n_out[item])
        out.append([rows[item][j] for j in indices(int(seed), at, len(rows[item]), k)])
        at += (k + 1) // 2
    return out


def dealt(rows, n_first, drawn, seed):
    """Return each drawn item's responses shuffled (Fisher and Yates) and cut after `n_first`."""
    out, at = [], 0
    for item in drawn:
        row = list(rows[item])
        for j in range(len(row) - 1):
            other = j + below(len(row) - j, word(int(seed), at))
            at += 1
            row[j], row[other] = row[other], row[j]
        out.append((row[: n_first[item]], row[n_first[item] :]))
    return out


def summary(rows, needs, levels, width):
    """Return the summary of lists of responses, filled up with NaN to `width` where it has responses."""
    if needs == "means":
        return np.array([[sum(row) / len(row)] for row in rows])
    if needs == "counts":
        return np.array([[row.count(level) for level in levels] for row in rows], dtype=float)
    rows = [sorted(row) if needs == "sorted" else row for row in rows]
    return np.array([[*row, *[np.nan] * (width - len(row))] for row in rows])
