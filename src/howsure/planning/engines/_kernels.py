"""Loops for which NumPy has no function; compiled on first use. Each has a plain twin in the tests."""

import math

import numpy as np

from howsure._compiled import njit
from howsure.data.scales import BoolArray, FloatArray
from howsure.resampling._kernels import SeedArray
from howsure.resampling._split_kernels import draw_binomial


@njit(cache=True, nogil=True)
def signed_sum_tails(
    largest: FloatArray, variance: FloatArray, kurtosis: FloatArray, bound: FloatArray, tie: FloatArray
) -> FloatArray:
    """Return P(sum ≥ bound) in each row: all signs of the largest terms, Edgeworth's expansion for the sum of the rest.

    The rest has this variance and this fourth cumulant over squared variance; without variance there is no rest.
    """
    n_rows, n_terms = largest.shape
    sums = np.empty(1 << n_terms)
    out = np.empty(n_rows)
    for row in range(n_rows):
        sums[0] = 0.0
        filled = 1
        for term in range(n_terms):
            size = largest[row, term]
            for i in range(filled):
                sums[filled + i] = sums[i] - size
                sums[i] += size
            filled *= 2
        scale = math.sqrt(variance[row])
        total = 0.0
        for i in range(filled):
            left = bound[row] - sums[i]
            if scale > 0.0:
                x = left / scale
                if x < -9.0:
                    total += 1.0
                elif x < 9.0:
                    density = math.exp(-x * x / 2.0) * 0.3989422804014327
                    upper = 0.5 * math.erfc(x * 0.7071067811865476) + density * kurtosis[row] / 24.0 * (x**3 - 3.0 * x)
                    total += min(max(upper, 0.0), 1.0)
            elif left <= tie[row]:
                total += 1.0
        out[row] = total / filled
    return out


@njit(cache=True, nogil=True)
def draw_counts(shares: FloatArray, k: int, n_sets: int, seeds: SeedArray, log_factorials: FloatArray) -> FloatArray:
    """Draw the counts of the levels among k responses to each item of each block, several sets of them.

    The shares are (blocks, items, levels), and each block has a seed; the counts are (sets, blocks, items, levels).
    """
    n_blocks, n_items, n_levels = shares.shape
    out = np.zeros((n_sets, n_blocks, n_items, n_levels))
    state = np.empty(2, dtype=np.uint64)
    for block in range(n_blocks):
        state[0], state[1] = seeds[block], np.uint64(0)
        for s in range(n_sets):
            for i in range(n_items):
                left, rest = k, 1.0
                for level in range(n_levels - 1):
                    if left == 0 or rest <= 0.0:
                        break
                    share = min(1.0, shares[block, i, level] / rest)
                    if share <= 0.5:
                        count = draw_binomial(left, share, log_factorials, state)
                    else:
                        count = left - draw_binomial(left, 1.0 - share, log_factorials, state)
                    out[s, block, i, level] = count
                    left -= count
                    rest -= shares[block, i, level]
                out[s, block, i, n_levels - 1] += left
    return out


@njit(cache=True, nogil=True)
def expected_votes(
    shares: FloatArray, k: int, n_sets: int, seed: np.uint64, log_factorials: FloatArray, hopeless: float
) -> FloatArray:
    """Return the chance that each label has the most of k responses to each item; tied labels share it.

    How the two likeliest labels share their responses is summed up, what the others get is drawn, several sets of it.
    Labels that come first with a chance of less than `hopeless` are drawn together. Sets of the same item and number
    start from the same random words, so that two sources that answer alike have alike errors.
    """
    n_items, n_levels = shares.shape
    out = np.zeros((n_items, n_levels))
    state = np.empty(2, dtype=np.uint64)
    counts = np.zeros(n_levels, dtype=np.int64)
    others = np.empty(n_levels, dtype=np.bool_)
    chances, nothing = np.empty(3), int(np.int64(0))  # a literal 0 would have what is called compiled twice
    for i in range(n_items):
        first, second = _leaders(shares[i], k, hopeless, others)
        if second < 0:
            out[i, first] = 1.0
            continue
        odds, together = shares[i, first] / shares[i, second], 1.0 - shares[i, first] - shares[i, second]
        for level in range(n_levels):
            together -= shares[i, level] if others[level] else 0.0
        n_drawn = n_sets if n_levels > 2 else 1
        for s in range(n_drawn):
            state[0], state[1] = seed, np.uint64((i * n_sets + s) << 12)
            left, rest, most, tied = k, 1.0, nothing, nothing
            for level in range(n_levels + 1):
                if level < n_levels and not others[level]:
                    continue
                share, count = shares[i, level] if level < n_levels else together, 0
                if left > 0 and share > 0.0:
                    part = min(1.0, share / rest)
                    count = draw_binomial(left, min(part, 1.0 - part), log_factorials, state)
                    count = count if part <= 0.5 else left - count
                left -= count
                rest -= share
                if level < n_levels:
                    counts[level] = count
                    if count >= most:
                        most, tied = count, tied + 1 if count == most else 1
            _first_of_two(left, odds, most, tied, log_factorials, chances)
            out[i, first] += chances[0] / n_drawn
            out[i, second] += chances[1] / n_drawn
            for level in range(n_levels):
                if others[level] and counts[level] == most:
                    out[i, level] += chances[2] / n_drawn
    return out


@njit(cache=True, nogil=True)
def _leaders(shares: FloatArray, k: int, hopeless: float, others: BoolArray) -> tuple[int, int]:
    """Return the likeliest label and the next, −1 if that has no hope, and set which others have."""
    first, second = (0, 1) if shares[0] >= shares[1] else (1, 0)
    for level in range(2, shares.size):
        if shares[level] > shares[first]:
            first, second = level, first
        elif shares[level] > shares[second]:
            second = level
    top = math.sqrt(shares[first])
    for level in range(shares.size):
        # Chernoff's bound of the chance that this label gets as many responses as the likeliest.
        bound = math.exp(-k * (top - math.sqrt(shares[level])) ** 2)
        others[level] = shares[level] > 0.0 and bound > hopeless
    hope = others[second]
    others[first] = others[second] = False
    return first, second if hope else -1


@njit(cache=True, nogil=True)
def _first_of_two(n: int, odds: float, most: int, tied: int, log_factorials: FloatArray, chances: FloatArray) -> None:
    """Set the chances to come first, ties shared: of each of two labels with n responses, and of each of the others.

    A response is the first label's with these odds; the largest count of another label is `most`, of `tied` labels.
    """
    chances[:] = 0.0
    mode = min(n, int((n + 1) * odds / (1.0 + odds)))
    ways = log_factorials[n] - log_factorials[mode] - log_factorials[n - mode]
    at_mode = math.exp(ways + mode * math.log(odds) - n * math.log1p(odds))
    for upwards in (True, False):
        count, chance = mode, at_mode
        if not upwards:
            chance *= mode / ((n - mode + 1) * odds)
            count -= 1
        while 0 <= count <= n and chance > 1e-17:
            rival = n - count
            top = max(count, rival, most)
            each = chance / ((count == top) + (rival == top) + (tied if most == top else 0))
            chances[0] += each if count == top else 0.0
            chances[1] += each if rival == top else 0.0
            chances[2] += each if most == top else 0.0
            if upwards:
                chance *= rival * odds / (count + 1)
                count += 1
            else:
                chance *= count / ((rival + 1) * odds)
                count -= 1
