"""The loop behind the exact distribution of Wilcoxon's sum of ranks."""

from howsure._compiled import njit
from howsure.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def sums_of_coins(ranks: IntArray, out: FloatArray) -> None:
    """Write the probability of each sum of ranks, from 0 on, where each is added by a fair coin."""
    out[:] = 0.0
    out[0] = 1.0
    largest = 0
    for rank in ranks:
        for total in range(largest + rank, rank - 1, -1):
            out[total] = (out[total] + out[total - rank]) / 2
        for total in range(min(rank, largest + 1)):
            out[total] /= 2
        largest += rank
