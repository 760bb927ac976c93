"""The noise of an advantage with raters, and what follows for the random-effects test: power, width, fewest items.

The advantage of a design is normal around its expectation with the variance that its components add up to. The test
does not know that variance; it estimates the part of raters with (raters − 1) degrees of freedom and that of items with
(items − 1) from mean squares, which are independent scaled χ² on a complete table of normal values. Given these, the
probability to reject is a normal tail, so only three χ² are left to integrate over.

A metric that counts items is different. Items that change sides with the raters are most of what `compare` takes for
the variance of raters. There are many of them, so that part hardly varies; and they are already part of how items
differ, so the advantage itself varies less than the test assumes. This part falls as 1/items and 1/√raters. As a mean
square of raters it gave plans of wins with three raters a power of 0.25 where 0.08 was found.

The error is that of the test at the planned advantage: the pilot's raters are carried over on Fisher's scale, up to
where the factor of the test turns. Carried further, pilots near the end made plans of wins far too wide.
"""

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from scipy.special import gammaincinv, ndtri, stdtrit

from howsure.data.scales import FloatArray
from howsure.inference.solving import edge
from howsure.planning.designs import Design
from howsure.planning.engines.decisions import Test
from howsure.raters.advantage_components import AdvantageComponents, judgements
from howsure.raters.advantage_error import PEAK, saturation, share_of

SHIFTS, POINTS = 4, 256
"""Points of the integral; the differences between shifted copies of them give its error."""

MANY = 10**8
"""Items that stand for "any number"."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What one item, rater, judgement and repeat adds to the variance of an advantage; arrays where these are draws.

    Attributes
    ----------
    items, raters, residual, repeats_a, repeats_b
    largest : float
        The largest possible advantage of this A and B, near which raters hardly move it.
    share : float
        The pilot's advantage as a share of that.
    sides : float
        The pilot's raters per item where the metric counts items (`judgements`), else 0. The residual is then that of
        items that change sides.
    curved : bool
        Whether the metric is not a mean of responses: the test then counts a part of the residual with the items.
    scale, spread_scale
        The factors of the raters' part, in what `compare` estimates and in how the advantage varies; see `at`.
    """

    items: FloatArray | float
    raters: FloatArray | float
    residual: FloatArray | float
    repeats_a: float = 0.0
    repeats_b: float = 0.0
    largest: float = math.inf
    share: float = 0.0
    sides: float = 0.0
    curved: bool = False
    scale: FloatArray | float = 1.0
    spread_scale: FloatArray | float = 1.0

    @classmethod
    def of(cls, found: AdvantageComponents) -> "Noise":
        """Take the components of a pilot; what is below zero or unknown counts as zero.

        Where repeats seem to add more than the whole variance of items, they count as all of it.
        """
        parts = {name: max(0.0, part) for name, part in found.components.items() if not math.isnan(part)}
        of_repeats = sum(parts[f"repeats_{role}"] / k for role, k in found.n_repeats.items())
        if -of_repeats < found.components["items"] < 0:
            fitting = 1 + found.components["items"] / of_repeats
            parts |= {f"repeats_{role}": fitting * parts[f"repeats_{role}"] for role in found.n_repeats}
        known = {name: parts.get(name, 0.0) for name in ("items", "raters", "residual", "repeats_a", "repeats_b")}
        share = float(share_of(found.advantage, found.largest))
        return cls(**known, largest=found.largest, share=share, sides=found.sides, curved=found.curved)

    def at(self, advantage: FloatArray | float) -> "Noise":
        """Return the noise with which `compare` tests an advantage.

        On Fisher's scale raters move all advantages equally; on the scale of advantages they move one that is the
        share s of the largest by 1 − s² of what they move an advantage of zero. This converts the pilot's raters to
        the new advantage (up to where the factor has its peak: beyond, raters move so little that the pilot says
        nothing about other advantages). `saturation` is the factor that `compare` applies there. An advantage that is
        drawn around its expectation with the error of Fisher's scale is found as often as on that scale.
        """
        share = share_of(advantage, self.largest)
        carried = (1 - np.minimum(share, PEAK) ** 2) / (1 - min(self.share, PEAK) ** 2)
        factor = saturation(share)
        fisher = factor * np.maximum(share, PEAK) / PEAK  # the square of the factor on Fisher's scale
        return replace(self, scale=np.square(factor * carried), spread_scale=fisher * np.square(carried))

    def variances(self, design: Design) -> dict[str, FloatArray | float]:
        """Return what each component adds to the variance of the advantage."""
        n, per = design.n_units, max(1, design.raters_per_item)
        found = {"items": self.items / n}
        if design.n_raters:
            raters = n * per if design.nested else design.n_raters / (1 + unequal(n, design.n_raters, per))
            scale = 1.0 if design.nested else self.scale  # nested raters are not a random factor of the test
            residual = self.residual / (n * judgements(per, self.sides))
            found |= {"raters": scale * self.raters / raters, "residual": residual}
        repeats = self.repeats_a / design.a + self.repeats_b / design.b
        return found | ({"repeats": repeats / n} if repeats else {})

    def moved(self, residual: Any, items: Any, n_raters: Any) -> Any:
        """Return the part of the residual that the test counts with the items, as `curved_error` does."""
        return np.where(np.asarray(n_raters) > 2, np.minimum(residual, items / 2), 0.0) if self.curved else 0.0

    def total(self, design: Design) -> FloatArray | float:
        """Return the variance that the test assumes."""
        return sum(self.variances(design).values())

    def spread(self, design: Design) -> FloatArray | float:
        """Return the variance of the advantage."""
        return replace(self, scale=self.spread_scale).total(design)


def unequal(n: Any, r: Any, per: Any) -> Any:
    """Return the squared coefficient of variation of raters' loads if each item draws `per` of `r` raters."""
    return (r - per) / (n * per)


def rater_df(n: Any, r: Any, per: Any) -> Any:
    """Return the effective degrees of freedom of raters: fewer where their loads differ by chance.

    A rater's part in the variance grows with the square of the load, whose coefficient of variation is twice as large.
    """
    return np.maximum(1.0, r / (1 + 4 * unequal(n, r, per)) - 1)


@dataclass(frozen=True, slots=True)
class RaterExpectation:
    """Power and interval width of a design; `error` is that of the integration."""

    power: float
    error: float
    width: float


def expectation(
    noise: Noise, design: Design, advantage: float, test: Test, *, confidence_level: float = 0.95
) -> RaterExpectation:
    """Return what a design may expect of the test that `compare` runs.

    Examples
    --------
    >>> found = expectation(Noise(0.5, 0.1, 2.0), Design(100, 0, 5, 5, 5, 5), 0.5, Test())
    >>> round(found.power, 2), round(found.width, 2)
    (0.63, 0.86)
    """
    noise = noise.at(advantage)
    error = math.sqrt(float(noise.spread(design)))
    of_raters, of_items = _estimates(noise, design)
    reach = _reach(of_raters, of_items, design, test.tail)
    powers = test.normal_power(advantage, reach, error).mean(axis=1)
    width = 2 * float(_reach(of_raters, of_items, design, (1 - confidence_level) / 2).mean())
    return RaterExpectation(float(powers.mean()), float(powers.std(ddof=1) / math.sqrt(SHIFTS)), width)


def fewest(
    noise: Noise, design: Design, advantage: FloatArray, test: Test, *, target: float, most: int, of: str
) -> FloatArray:
    """Return, for each draw of noise and advantage, the fewest items (or raters) that reach the target; or infinity.

    Where items come in clusters, that is the number of clusters. The variance of items is assumed to be known here,
    which hardly matters from twenty items on.
    """

    def reaches(size: FloatArray) -> FloatArray:
        return np.asarray(_powers(noise, design, advantage, test, size, of) >= target)

    low, high = np.full(advantage.shape, math.log(2)), np.full(advantage.shape, math.log(most))
    smallest = np.exp(edge(lambda logs: reaches(np.exp(logs)), low, high, halvings=24))
    return np.where(reaches(np.exp(high)), smallest, np.inf)


def powers(noise: Noise, design: Design, advantage: FloatArray, test: Test) -> FloatArray:
    """Return the power of a design for each draw of noise and advantage; as rough as `fewest`."""
    return _powers(noise, design, advantage, test, np.full(advantage.shape, float(design.n_units)), "items")


def _powers(  # noqa: PLR0917 (private)
    noise: Noise, design: Design, advantage: FloatArray, test: Test, size: FloatArray, of: str
) -> FloatArray:
    n = size if of == "items" else np.full(size.shape, float(design.n_units))
    r = size if of == "raters" else np.full(size.shape, float(max(1, design.n_raters)))
    crossed = design.raters_per_item == design.n_raters
    per = r if of == "raters" and crossed else np.minimum(max(1, design.raters_per_item), r if not design.nested else n)
    items = (noise.items + noise.repeats_a / design.a + noise.repeats_b / design.b) / n
    moved: Any = np.zeros_like(n)
    residual: Any = np.zeros_like(n)
    scale: Any = np.ones_like(n)
    spread_scale: Any = np.ones_like(n)
    if design.nested or not design.n_raters:
        raters, df = np.zeros_like(n), np.ones(1)
        if design.n_raters:
            items = items + noise.raters / (n * per) + noise.residual / (n * judgements(per, noise.sides))
    else:
        there = noise.at(advantage)
        scale, spread_scale, df = there.scale, there.spread_scale, rater_df(n, r, per)
        residual = noise.residual / (n * judgements(per, noise.sides))
        moved = noise.moved(residual, items, r)
        raters = noise.raters / r * (1 + unequal(n, r, per)) + residual
        items = items + moved
        if design.raters_per_item == 1:  # nothing tells items from the residual then
            raters, items, moved = raters + items, np.zeros_like(n), np.zeros_like(n)
    # The quantiles cost more than all the rest: they are looked up once where all draws have the same.
    df, of_items = (part[:1, np.newaxis] if np.ptp(part) == 0 else part[:, np.newaxis] for part in (df, n - 1))
    spread = gammaincinv(df / 2, (np.arange(16) + 0.5) / 16) * 2 / df
    moved, scale, residual = (np.broadcast_to(part, n.shape)[:, np.newaxis] for part in (moved, scale, residual))
    seen = raters[:, np.newaxis] * spread
    estimated = np.maximum(0.0, seen - moved) if noise.curved else seen
    if (scale != 1).any():
        estimated = estimated + (scale - 1) * np.maximum(0.0, seen - residual)
    reach = np.sqrt(
        stdtrit(df, test.tail) ** 2 * estimated
        + stdtrit(np.maximum(of_items, 1), test.tail) ** 2 * items[:, np.newaxis]
    )
    varies = raters + (spread_scale - 1) * (raters - residual[:, 0]) + items - moved[:, 0]
    error = np.sqrt(np.maximum(varies, 1e-300))[:, np.newaxis]
    return np.asarray(test.normal_power(advantage[:, np.newaxis], reach, error).mean(axis=1))


def draws(found: AdvantageComponents, n: int, rng: np.random.Generator) -> tuple[Noise, FloatArray]:
    """Return draws of the components and of the advantage's size that the pilot leaves open.

    Each mean square, divided by what it estimates, is χ² over its degrees of freedom. So a mean square divided by such
    a draw is a draw of the truth (a generalised pivotal quantity, Weerahandi 1993), and the advantage is drawn around
    its estimate with the variance that follows. Repeats are assumed to be known.
    """
    noise = Noise.of(found)
    dfs = found.dfs
    per_item = max(1.0, found.raters_per_item)
    per_rater = found.n_items * per_item / max(1, found.n_raters)
    repeats = sum(getattr(noise, f"repeats_{role}") / k for role, k in found.n_repeats.items())
    squares = {
        "residual": noise.residual,
        "raters": noise.residual + per_rater * noise.raters,
        "items": noise.residual + per_item * (noise.items + repeats),
    }
    drawn = {
        name: square * dfs.get(name, 1.0) / rng.chisquare(dfs.get(name, 1.0), n) for name, square in squares.items()
    }
    items = np.maximum(0.0, (drawn["items"] - drawn["residual"]) / per_item - repeats)
    raters = np.maximum(0.0, (drawn["raters"] - drawn["residual"]) / per_rater)
    variance = (items + repeats) / found.n_items
    if found.n_raters:
        variance = variance + raters / found.n_raters + drawn["residual"] / (found.n_items * per_item)
    advantages = abs(found.advantage) + rng.normal(size=n) * np.sqrt(variance)
    return replace(noise, items=items, raters=raters, residual=drawn["residual"]), advantages


def guess(noise: Noise, design: Design, advantage: float, test: Test, target: float) -> int:
    """Return about how many items it takes if there are many raters, by the normal formula."""
    z = float(ndtri(1 - test.tail) + ndtri(target))
    each = (
        design.n_units * float(noise.total(design))
        if design.nested or not design.n_raters
        else (float(noise.items) + float(noise.residual) / float(judgements(design.raters_per_item, noise.sides)))
    )
    return int(min(MANY, max(2.0, (design.per_cluster or 1.0) * each * (z / advantage) ** 2))) if advantage else 64


def _estimates(noise: Noise, design: Design) -> tuple[FloatArray, FloatArray]:
    """Return draws of the variances of raters and of items that the test would estimate."""
    n, per, r = design.n_units, max(1, design.raters_per_item), design.n_raters
    parts = {name: float(part) for name, part in noise.variances(design).items()}
    items = parts["items"] + parts.get("repeats", 0.0)
    if design.nested or not r:
        whole = sum(parts.values())
        return np.zeros((SHIFTS, POINTS)), whole * _mean_square(n - 1, 0)
    df = float(rater_df(n, r, per))
    if per == 1:  # nothing tells items from the residual then
        return sum(parts.values()) * _mean_square(df, 2), np.zeros((SHIFTS, POINTS))
    # Where items are judged by different raters, these are part of what differs between items.
    noisy = float(noise.residual) / (n * float(judgements(per, noise.sides)))
    noisy += float(noise.raters) / (n * per) if per < r else 0.0
    between = (items + noisy) * _mean_square(n - 1, 0)
    within = noisy * _mean_square(n * per - n if per < r else (n - 1) * (r - 1), 1)
    of_items = np.maximum(0.0, between - within)
    residual = float(noise.residual) / (n * float(judgements(per, noise.sides)))
    moved = float(noise.moved(residual, items, r))
    scale = float(noise.scale)
    seen = (parts["raters"] / scale + residual) * _mean_square(df, 2)
    return np.maximum(0.0, seen - moved) + (scale - 1) * np.maximum(0.0, seen - residual), of_items + moved


def _reach(of_raters: FloatArray, of_items: FloatArray, design: Design, tail: float) -> FloatArray:
    t_items = float(stdtrit(max(1, design.n_units - 1), tail))
    t_raters = 0.0
    if design.n_raters and not design.nested:
        t_raters = float(stdtrit(rater_df(design.n_units, design.n_raters, design.raters_per_item), tail))
    return np.asarray(np.sqrt(t_raters**2 * of_raters + t_items**2 * of_items))


@lru_cache(maxsize=64)
def _mean_square(df: float, axis: int) -> FloatArray:
    """Return χ² over its degrees of freedom at the points of one axis; designs in turn ask for the same ones."""
    df = max(1.0, df)
    found = np.asarray(gammaincinv(df / 2, _points()[..., axis]) * 2 / df)
    found.setflags(write=False)
    return found


@cache
def _points() -> FloatArray:
    """Return points that fill the unit cube evenly (a Kronecker sequence), several times with another start."""
    golden = 1.2207440846057596  # the plastic number's counterpart for three dimensions: x⁴ = x + 1
    steps = (1 / golden ** np.arange(1, 4)) % 1
    starts = np.random.default_rng(0).random((SHIFTS, 1, 3))
    points = (starts + np.arange(POINTS)[:, np.newaxis] * steps) % 1
    return np.clip(points, 1e-9, 1 - 1e-9)
