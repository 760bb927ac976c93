"""The interval that inverts the sign-flip test: the advantages at which the exact p-value does not reject."""

import math
from collections.abc import Callable

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.estimate import tails_of
from howsure.inference.evidence import Evidence
from howsure.inference.sign_flips import sign_flips
from howsure.intervals.direct import student_arms
from howsure.intervals.interval import Ends, Interval, Notes

PRECISE, ROUGH = 1e-6, 0.01
"""An end is known to the first share of the standard error; where tails are not known, to the second, further out."""

FAR = 40.0
"""A normal quantile beyond which a tail is 0 or 1."""


class SignFlipInterval(Interval):
    """All advantages θ that the sign-flip test does not reject: p-value, interval and margin tests have one source.

    If A is better than B by θ, the advantage of each cluster less θ for each of its items is as likely positive as
    negative. Exchanging the clusters of a set H then gives at least the observed advantage exactly if the mean of the
    items in H is at most θ. So the ends are quantiles of such means ("typical values", Hartigan 1969), which the exact
    tails of the test give without drawing sets. It covers where one cluster holds half of the items, which a bootstrap
    of clusters does not (docs/evidence/levels.md). Where there are too few clusters for the level, the interval is
    Student's with the cluster-robust error.
    """

    name = "sign-flip"
    says = (
        "holds every advantage that the sign-flip test does not reject: its ends are quantiles of the means over "
        "random sets of items or clusters (Hartigan 1969)"
    )
    needs = "item scores, resampled items and all responses"
    item_scores = True
    items_alone = True
    from_resamples = False
    takes = ("jackknife", "standard_error")

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the smallest and the largest advantage that is not rejected."""
        tail = tails_of(level, alternative)[0]
        sums, sizes = units_of(evidence)
        low, high = np.full((2, len(evidence)), np.nan)
        notes: Notes = [()] * len(evidence)
        for i, error in enumerate(evidence.errors.tolist()):
            if not error > 0 or math.isnan(evidence.estimates[i]):
                notes[i] = ("The sign-flip interval is undefined: the standard error is 0 or undefined.",)
            elif 0.5**sizes.size > tail:
                low[i], high[i], notes[i] = _student(evidence.row(i), sizes.size, level, alternative)
            else:
                low[i] = lowest_kept(sums[i], sizes, tail, error)
                high[i] = -lowest_kept(-sums[i], sizes, tail, error)
                if np.isnan([low[i], high[i]]).any():
                    low[i], high[i], _ = _student(evidence.row(i), sizes.size, level, alternative)
                    notes[i] = ("The tails of the sign-flip test are not known: the interval is Student's.",)
        return Ends(low, high, notes)

    def tails(self, evidence: Evidence, advantage: float) -> tuple[float, float] | None:
        """Return the tails of the sign-flip test of an advantage."""
        sums, sizes = units_of(evidence)
        found = sign_flips(sums[0] - sizes * advantage)
        return None if found is None else (found.less, found.greater)


def units_of(evidence: Evidence) -> tuple[FloatArray, FloatArray]:
    """Return the sums of clusters, a row for each data set, and the number of items of each; of items by themselves."""
    sums = evidence.unit_sums if evidence.unit_sums.shape[1] else evidence.units
    return sums, evidence.unit_sizes if evidence.unit_sizes.size else np.ones(sums.shape[1])


def _student(evidence: Evidence, n: int, level: float, alternative: str) -> tuple[float, float, tuple[str, ...]]:
    """Return Student's interval of one row, and the note that n clusters have no other."""
    df = np.where(np.isnan(evidence.df), n - 1.0, evidence.df)
    lengths, _ = student_arms(evidence, df, tails_of(level, alternative)[0])
    estimate, arm = float(evidence.estimates[0]), float(lengths[0])
    units = "clusters" if evidence.unit_sizes.size else "items"
    why = f"{n} {units} have no sign-flip interval at {100 * level:.4g}%: it is Student's."
    return estimate - arm, estimate + arm, (why,)


def exact_upper_tail(sums: FloatArray) -> float:
    """Return P(Σ ±c ≥ Σ c); NaN where it is not known."""
    flips = sign_flips(sums)
    return math.nan if flips is None else flips.greater


def lowest_kept(
    sums: FloatArray,
    sizes: FloatArray,
    tail: float,
    error: float,
    upper_tail: Callable[[FloatArray], float] = exact_upper_tail,
) -> float:
    """Return the smallest advantage θ whose upper tail exceeds `tail`; NaN where tails are not known.

    The tail at θ is the share of sets of clusters, the empty one included, whose items have a mean of at most θ. It
    grows with θ: from 2⁻ⁿ below the mean of every cluster to 1 above them. The search looks for the tail's normal
    quantile, which is nearly a straight line.

    Examples
    --------
    Of six items the smallest mean of a set is the smallest item, and one set in 64 is empty:

    >>> found = lowest_kept(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), np.ones(6), 0.025, 0.76)
    >>> round(found, 5)
    1.0
    """
    from scipy.special import ndtri

    asked = float(ndtri(tail))

    def above(advantage: float) -> float:
        """Return how far the tail lies above what is asked for, in normal quantiles; NaN where it is not known."""
        return float(np.clip(ndtri(upper_tail(sums - sizes * advantage)), -FAR, FAR)) - asked

    means = sums / sizes
    low, high = float(means.min()) - error, float(means.max()) + error
    below, over = -FAR - asked, FAR - asked
    guess = float(sums.sum() / sizes.sum()) + asked * error  # as if the test were normal
    while high - low > PRECISE * error:
        # The tails are not known where the sums lie almost on a grid, as close to a fraction; then elsewhere between.
        parts = [low + (high - low) * share for share in (0.5, 0.25, 0.75)]
        tried = [at for at in ((0.0, guess) if low < 0 < high else (guess,)) if low < at < high] + parts
        known = ((at, found) for at in tried if not math.isnan(found := above(at)))
        guess, found = next(known, (math.nan, math.nan))
        if math.isnan(found):
            break
        # Illinois: a straight line between the ends; an end that stays counts half, so that it must move, too.
        if found <= 0:
            low, below, over = guess, found, over / 2
        else:
            high, over, below = guess, found, below / 2
        guess = low - below * (high - low) / (over - below)
    return high if high - low <= PRECISE * error else low if high - low <= ROUGH * error else math.nan
