"""Tails of a sum of numbers with random signs: Σ ±a, each sign + or − by a fair coin.

Two ways:

* *lists* (`listed_sums`): where few terms are left, or few may be negative far out in the tail, the sets of negative
  terms are listed for each half of the terms, and each set of one half is matched with the sets of the other;
* *integral*: P(S ≥ x) = 1/2πi ∫ M(z) e^{−zx} dz / z along Re z = τ, M(z) = Π cosh(a·z), τ the saddlepoint (Daniels
  1987). With z = τ + iu the sum over equidistant u repeats the tail at distance 2π / step, multiplied by e^{−τ·2π/step}
  to the left and bounded by Hoeffding's inequality to the right; the step is chosen for a relative error below 1e-7.
  Terms on a grid of step h have 1/z replaced by h / sinh(h·z), and the integral ends after one period.
"""

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray, IntArray
from howsure.inference import listed_sums
from howsure.inference.listed_sums import Tails, listed_tails

ComplexArray = npt.NDArray[np.complex128]

COARSE = 2**16
"""A grid on which the largest term has more steps than this is not used."""

MOST_NODES = 2**18
"""The integral is abandoned where it needs more nodes than this."""

NEAR, FAR = 40, 4000
"""In units of the tilt: every node is checked up to the first, every third one up to the second, before the integral
may end. If terms lie almost on a grid, the integrand returns beyond the end, but at most 1 / FAR of it."""

NEGLIGIBLE, NEGLIGIBLE_FAR = 1e-7, 1e-5
"""Nodes whose characteristic function is smaller than this are left out, near and far."""

WITNESSES = 512
"""This many terms decide which nodes are negligible."""

CELLS = 2**18
"""This many factors are computed at a time: they stay in the processor's cache."""

CONVERGED = 2e-4
"""The integral ends where all terms of its last half add up to less than this share of it."""

WORST = 1e-3
"""An integral with a larger relative error than this is not used."""

NOTHING = 1e-100
"""A tail below this is returned as 0: it would need more nodes than an integral may have."""

LARGE = 4.0
"""A term larger than this many standard deviations of the sum of the others is computed with each sign in turn."""


def signed_sum_tails(sizes: FloatArray, times: FloatArray, x: float, *, tolerance: float, slack: float) -> Tails | None:
    """Return the upper tails at x of Σ ±a, each of the ascending `sizes` a occurring `times` times.

    Sums within `tolerance` of x equal it; terms within `slack` of a grid lie on it. None where neither way works; 0
    where the integral would be below `NOTHING`.

    Examples
    --------
    >>> signed_sum_tails(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1.0, tolerance=1e-9, slack=1e-9)
    Tails(at_least=0.5, above=0.25, relative_error=0.0)
    """
    if x < 0:
        other = signed_sum_tails(sizes, times, -x, tolerance=tolerance, slack=slack)
        return None if other is None else Tails(1.0 - other.above, 1.0 - other.at_least, other.relative_error)
    reach = float(sizes @ times)
    if x > reach + tolerance:
        return Tails(0.0, 0.0)
    countable = float(np.log2(times + 1).sum()) <= 2 * math.log2(listed_sums.LISTED)
    grid = 0.0 if countable else grid_step(sizes, slack)
    if not grid:
        listed = listed_tails(sizes, times, reach - x, tolerance)
        if listed is not None:
            return listed
        grid = grid_step(sizes, slack)
    spread = math.sqrt(max(float(np.square(sizes[:-1]) @ times[:-1]), 0.0))
    if times[-1] == 1 and sizes[-1] > LARGE * spread:
        rest = [
            signed_sum_tails(sizes[:-1], times[:-1], x + sign * sizes[-1], tolerance=tolerance, slack=slack)
            for sign in (1, -1)
        ]
        first, second = rest
        if first is None or second is None:
            return None
        return Tails(
            (first.at_least + second.at_least) / 2,
            (first.above + second.above) / 2,
            max(first.relative_error, second.relative_error),
        )
    found = _integral(sizes, times, x, grid)
    return listed_tails(sizes, times, reach - x, tolerance) if found is None and grid else found


def grid_step(sizes: FloatArray, slack: float) -> float:
    """Return the largest step of which all ascending sizes are multiples, within `slack`; 0 where there is none.

    Examples
    --------
    >>> grid_step(np.array([0.5, 1.25, 3.0]), 1e-12)
    0.25
    """
    largest = float(sizes[-1])
    step = largest
    while step * COARSE >= largest:
        parts = sizes / step
        apart = np.abs(parts - np.rint(parts)) * step
        worst = int(apart.argmax())
        if apart[worst] <= slack:
            return step
        low, high = sorted((step, float(sizes[worst])))
        while low > 1e-7 * largest:
            low, high = sorted((low, math.fmod(high, low)))
            if high - low < 1e-7 * largest:
                low = 0.0
        # The largest size is a whole number of steps, which removes the rounding of the remainders.
        finer = largest / round(largest / high)
        if finer >= step:
            return 0.0
        step = finer
    return 0.0


def _integral(sizes: FloatArray, times: FloatArray, x: float, grid: float) -> Tails | None:
    tilted = _Tilted(sizes, times, x)
    if tilted.log_mean - tilted.tilt * x < math.log(NOTHING):  # Chernoff's bound of the tail
        return Tails(0.0, 0.0)
    if grid:
        x = grid * round(x / grid)
    bound = x - grid  # half a step of the sums below x, which lie 2 · grid apart
    tilt, log_scale = tilted.tilt, tilted.log_mean - tilted.tilt * bound
    spread = math.sqrt(float(np.square(sizes) @ times))
    far = 20.0 - log_scale + math.log1p(tilt * spread)
    length = max(9 * spread + abs(tilted.mean - x), far / tilt)
    if grid:
        n_period = math.ceil(length / (2 * grid)) | 1
        step, last = math.pi / (grid * n_period), (n_period - 1) // 2
    else:
        step, last = 2 * math.pi / length, MOST_NODES
    total, above, size, done = 0.0, 0.0, 0.0, 0
    near = min(last, max(64, math.ceil(NEAR * tilt / step)))
    todo = min(last, max(near, math.ceil(FAR / 2 * tilt / step)))
    if not grid and tilted.undying > CONVERGED / 10:
        nodes = np.multiply(step, np.arange(near + 1), dtype=np.float64)
        terms = tilted.transform(nodes) * np.exp(-1j * nodes * bound) / (tilt + 1j * nodes)
        roughly = float(terms.real.sum()) - float(terms[0].real) / 2
        if tilted.undying * math.log(2) / step > WORST * roughly:  # what comes after the end is more, wherever that is
            return None
    while True:
        nodes = np.multiply(step, tilted.nodes_that_matter(step, done, todo, near), dtype=np.float64)
        z = tilt + 1j * nodes
        kernel = tilted.transform(nodes) * (grid / np.sinh(grid * z) if grid else 1 / z)
        terms = kernel * np.exp(-1j * nodes * bound)
        beyond = kernel * np.exp(-1j * nodes * (bound + 2 * grid)) * math.exp(-2 * grid * tilt)
        if not done:
            terms[0] /= 2
            beyond[0] /= 2
        total += float(terms.real.sum())
        above += float(beyond.real.sum())
        last_size = float(np.abs(terms).sum())
        size += last_size
        whole = bool(grid) and todo >= last
        if whole or (done and last_size <= CONVERGED * total):
            break
        if todo >= MOST_NODES:
            return None
        done, todo = todo + 1, min(last, 2 * todo)
    if not whole:  # the last nodes may be less than a doubling, and their sum be small for that alone
        last_size *= math.log(2) / math.log(todo / (done - 1))
    # What was left out, what repeats from the left, rounding, and what comes after the end, in units of the integral.
    dropped = NEGLIGIBLE * math.asinh(NEAR) + NEGLIGIBLE_FAR * math.log(max(1.0, todo / near))
    repeated = math.exp(-tilt * length - log_scale) * math.pi
    error = (dropped + repeated) / step + 1e-14 * size + (0.0 if whole else last_size + total / FAR)
    if not error <= WORST * total:
        return None
    scale = math.exp(log_scale) * step / math.pi
    at_least = _share(scale * total)
    return Tails(at_least, _share(scale * above) if grid else at_least, error / total)


def _flatness(x: FloatArray) -> FloatArray:
    """Return 1 / cosh², the derivative of tanh, without losing its digits where tanh is almost 1."""
    shrunk = np.exp(-2 * x)
    return np.asarray(4 * shrunk / np.square(1 + shrunk))


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))


class _Tilted:
    """The sum under weights e^{τ·sum}, which make x its mean: what is far out becomes the middle.

    `tilt` is τ, `mean` the mean under these weights and `log_mean` is log E e^{τ·sum} under fair signs. The transform
    does not die out: far from 0 its mean size is at least `undying`, the probability that no term is negative. (By
    Jensen's formula, log |1 − p + p·e^{iθ}| has the mean log(1 − p) over all angles θ, for p up to ½.)
    """

    def __init__(self, sizes: FloatArray, times: FloatArray, x: float) -> None:
        self.sizes, self.times = sizes, times
        squares = np.square(sizes)
        variance = float(squares @ times)
        tilt, most = x / variance, 18.0 / float(sizes[0])
        # tanh is concave: Newton's steps from the left never pass the root.
        for _ in range(200):
            gain = float((squares * _flatness(sizes * tilt)) @ times)
            missing = x - float((sizes * np.tanh(sizes * tilt)) @ times)
            if missing <= 0.01 * math.sqrt(gain) or tilt >= most:
                break
            tilt += missing / gain
        # Away from 0, where the integrand has its pole, and from infinity.
        self.tilt = max(min(tilt, most), 1.5 / math.sqrt(variance))
        self.slopes = np.tanh(sizes * self.tilt)
        self.mean = float((sizes * self.slopes) @ times)
        each = sizes * self.tilt + np.log1p(np.exp(-2 * sizes * self.tilt)) - math.log(2)
        self.log_mean = float(each @ times)
        self.undying = math.exp(self.tilt * float(sizes @ times) - self.log_mean - math.log(2) * float(times.sum()))
        self._flatness = _flatness(sizes * self.tilt)
        weights = -times * self._flatness * squares
        first = np.argpartition(weights, WITNESSES)[:WITNESSES] if sizes.size > WITNESSES else np.arange(sizes.size)
        self._witnesses = first[np.argsort(weights[first], kind="stable")]
        self._spread_upto = np.concatenate([[0.0], np.cumsum(-weights)])

    def nodes_that_matter(self, step: float, first: int, last: int, near: int) -> IntArray:
        """Return the numbers of the nodes, of `first` to `last`, whose transform is not negligible.

        Where it is large, it is large over more than one node to either side, so checking every third node is enough.
        """
        close = np.arange(first, min(near, last) + 1)
        distant = np.arange(max(first, near + 1), last + 1, 3)
        found = [self._alive(close, step, NEGLIGIBLE)]
        middle = self._alive(distant, step, NEGLIGIBLE_FAR)
        if middle.size:
            around = np.unique((middle[:, np.newaxis] + np.arange(-1, 2)).ravel())
            found.append(around[(around > near) & (around >= first) & (around <= last)])
        return np.concatenate(found)

    def _alive(self, numbers: IntArray, step: float, negligible: float) -> IntArray:
        """Return the numbers of nodes at which no part of the product is negligible yet, a few factors at a time.

        A factor's square is 1 − κ sin² = 1 − κ/2 + κ/2 · cos of twice the angle; single precision is enough here.
        """
        # While an angle is below π/2, its sine is at least 2/π of it: this decides for all small terms at once.
        nodes = step * numbers
        with np.errstate(divide="ignore"):
            gentle = np.searchsorted(self.sizes, math.pi / 2 / nodes, side="right")
        numbers = numbers[np.square(2 / math.pi * nodes) * self._spread_upto[gentle] < -2 * math.log(negligible)]
        squares, start, width = np.ones(numbers.size, dtype=np.float32), 0, 8
        sizes, times = self.sizes[self._witnesses], self.times[self._witnesses].astype(np.float32)
        halves = (self._flatness[self._witnesses] / 2).astype(np.float32)
        while start < sizes.size and numbers.size * (sizes.size - start) > CELLS // 64:
            some = slice(start, start + width)
            for low in range(0, numbers.size, CELLS // width):
                part = slice(low, low + CELLS // width)
                angles = np.multiply.outer(2 * step * sizes[some], numbers[part]).astype(np.float32)
                factors = 1 - halves[some, np.newaxis] * (1 - np.cos(angles))
                if times[some].max() > 1:
                    factors = np.maximum(factors, 0) ** times[some, np.newaxis]
                squares[part] *= factors.prod(axis=0)
            alive = squares > negligible**2
            numbers, squares = numbers[alive], squares[alive]
            start, width = start + width, min(2 * width, 64)
        return numbers

    def transform(self, nodes: FloatArray) -> ComplexArray:
        """Return E e^{iu·sum} of the tilted sum at each node u."""
        highest = math.hypot(self.tilt, float(nodes.max(initial=0.0)))
        n_small = int(np.searchsorted(self.sizes, 0.5 / highest))
        n_small = n_small if n_small > 64 else 0
        found = np.ones(nodes.size, dtype=np.complex128)
        if n_small:
            found *= self._of_small(nodes, n_small)
        single = n_small + np.flatnonzero(self.times[n_small:] == 1)
        several = n_small + np.flatnonzero(self.times[n_small:] > 1)
        for terms in (single, several):
            for low in range(0, terms.size, 512):
                some = terms[low : low + 512]
                for first in range(0, nodes.size, CELLS // 512):
                    part = slice(first, first + CELLS // 512)
                    angles = np.multiply.outer(self.sizes[some], nodes[part])
                    factors = np.cos(angles) + 1j * (self.slopes[some, np.newaxis] * np.sin(angles))
                    if terms is several:
                        with np.errstate(divide="ignore"):
                            factors = np.exp(self.times[some, np.newaxis] * np.log(factors))
                    found[part] *= factors.prod(axis=0)
        return found

    def _of_small(self, nodes: FloatArray, n_small: int) -> ComplexArray:
        """Return the product over the smallest terms by the power series of log cosh, from sums of their powers."""
        squares = np.square(self.sizes[:n_small])
        powers = self.times[:n_small].copy()
        there, here = np.square(self.tilt + 1j * nodes), self.tilt**2
        logs = np.zeros(nodes.size, dtype=np.complex128)
        power_there, power_here = np.ones_like(there), 1.0
        for coefficient in _log_cosh():
            powers *= squares
            power_there, power_here = power_there * there, power_here * here
            logs += coefficient * float(powers.sum()) * (power_there - power_here)
        return np.asarray(np.exp(logs))


@lru_cache(maxsize=1)
def _log_cosh(n_terms: int = 16) -> tuple[float, ...]:
    """Return the coefficients of x², x⁴, … in log cosh x, from its derivative tanh, for which t' = 1 − t²."""
    tanh = [0.0] * (2 * n_terms)
    for k in range(2 * n_terms - 1):
        square = sum(tanh[j] * tanh[k - j] for j in range(k + 1))
        tanh[k + 1] = ((1.0 if k == 0 else 0.0) - square) / (k + 1)
    return tuple(tanh[2 * j + 1] / (2 * j + 2) for j in range(n_terms))
