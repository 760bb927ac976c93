"""Planning a study of two score lists: how many segments, what power, which difference could be seen."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from howsure import _check
from howsure.documents import Column, Document, Sentence, Table, details
from howsure.documents.numbers import shown
from howsure.errors import ArgumentError
from howsure.inference.pvalues import ALTERNATIVES
from howsure.inference.solving import outward, root
from howsure.paired.score_options import LARGEST, SMALLEST
from howsure.records import Record

DESIGNS = ("paired", "independent")
MOST_SEGMENTS = 10**12
LARGE = 1_000_000
"""From this many degrees of freedom on, t is normal to six digits."""
FAR = 1000.0
"""Beyond this noncentrality only the standard deviation varies, and t is a scaled inverse chi."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan(Record):
    """Number of segments, difference and power of a t test that belong together; one of the three was asked for.

    Attributes
    ----------
    solved_for : {"n_items", "effect", "power"}
    n_items : int
        Segments (per system if the design is independent). When solved for, the smallest whole number that reaches the
        power; `n_exact` is where the power is reached exactly.
    n_exact : float
    n_normal : float
        The textbook formula (z_α + z_power)² · sd² / effect², which takes the standard deviation as known and comes out
        a little low; NaN unless `n_items` was asked for.
    effect : float
        The mean difference.
    sd : float
        The standard deviation of the differences (of one system's scores if the design is independent).
    power : float
        With `n_items` segments, from the noncentral t distribution.
    alpha : float
    alternative : str
    design : {"paired", "independent"}
    """

    derived: ClassVar[tuple[str, ...]] = ("sentence",)

    solved_for: str
    n_items: int
    n_exact: float
    n_normal: float
    effect: float
    sd: float
    power: float
    alpha: float
    alternative: str
    design: str

    def power_with(self, n: int) -> float:
        """Return the power of the same study with another number of segments."""
        two_sided = self.alternative == "two-sided"
        return t_power(n, abs(self.effect) / self.sd, alpha=self.alpha, two_sided=two_sided, design=self.design)

    @property
    def sentence(self) -> str:
        """What was asked for, in words."""
        sides = "two-sided" if self.alternative == "two-sided" else "one-sided"
        setting = f"{sides} {self.design} t test, α = {self.alpha:g}, SD {self.sd:g}"
        effect = f"{abs(self.effect):.4g}" if self.solved_for == "effect" else f"{abs(self.effect):g}"
        power = f"{100 * self.power:.3g}%" if self.solved_for == "effect" else shown(self.power, "percent")
        return f"{self.n_items:,} {self.unit} give {power} power for a mean difference of {effect} ({setting})."

    @property
    def unit(self) -> str:
        """What the number of segments counts."""
        return "segments" if self.design == "paired" else "segments per system"

    @property
    def asides(self) -> tuple[str, ...]:
        """The textbook formula, for comparison."""
        if math.isnan(self.n_normal):
            return ()
        formula = math.ceil(self.n_normal - 1e-9)
        return (
            f"Normal approximation: {formula:,}. It treats the standard deviation as known and is slightly too low.",
        )

    def document(self) -> Document:
        """Return what was asked for, and the power with fewer and more segments."""
        sizes = sorted({max(2, round(self.n_items * part / 4)) for part in (1, 2, 3, 6, 8)} | {self.n_items})
        rows = tuple((n, self.power_with(n)) for n in sizes)
        marked = frozenset({sizes.index(self.n_items)})
        table = Table((Column(self.unit, "count"), Column("power", "share")), rows, marked=marked)
        asides = details(map(Sentence, self.asides))
        return Document("Plan of a study", (Sentence(self.sentence, "verdict"), *asides, table))


def plan_power(
    *,
    sd: float,
    effect: float | None = None,
    n_items: int | None = None,
    target_power: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    design: str = "paired",
) -> PowerPlan:
    """Solve for the one of `n_items`, `effect` and `target_power` that is not given: t test, normal differences.

    Parameters
    ----------
    sd : float
        Standard deviation of the differences between the systems (of each system's scores for two separate sets of
        segments, `design="independent"`).
    effect : float, optional
        The true mean difference; its sign does not matter for a two-sided test, and a one-sided test is taken in the
        direction of `effect`.
    n_items : int, optional
    target_power : float, optional
    alpha : float
    alternative : {"two-sided", "greater", "less"}
    design : {"paired", "independent"}

    Examples
    --------
    >>> plan_power(effect=0.2, sd=1, target_power=0.8).n_items
    199
    >>> round(plan_power(n_items=199, sd=1, target_power=0.8).effect, 3)
    0.2
    """
    asked = {"n_items": n_items, "effect": effect, "target_power": target_power}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) != 2:
        raise ArgumentError(
            "give two of `n_items`, `effect` and `target_power`; the third is computed; "
            f"got {', '.join(given) or 'none'}."
        )
    if _check.real("sd", sd, at_least=0) == 0:
        raise ArgumentError("`sd` must be above 0; got 0.")
    _check.real("sd", sd, at_least=SMALLEST, at_most=LARGEST)
    _check.fraction("alpha", alpha)
    _check.one_of("alternative", alternative, ALTERNATIVES)
    _check.one_of("design", design, DESIGNS)
    if effect is not None and _check.real("effect", effect, at_least=-LARGEST, at_most=LARGEST) == 0:
        raise ArgumentError("`effect` must not be 0: no study can find a difference of 0; got 0.")
    if n_items is not None:
        _check.integer("n_items", n_items, at_least=2, at_most=MOST_SEGMENTS)
    if target_power is not None and _check.fraction("target_power", target_power) <= alpha:
        raise ArgumentError(
            f"`target_power` must be above `alpha` ({alpha:g}), which costs no data; got {target_power:g}."
        )
    two_sided = alternative == "two-sided"

    def reached(segments: float, standardised: float) -> float:
        return t_power(segments, standardised, alpha=alpha, two_sided=two_sided, design=design)

    solved = next(name for name in asked if name not in given).removeprefix("target_")
    exact, formula = float(n_items or 0), math.nan
    if n_items is None:
        assert effect is not None
        assert target_power is not None
        standardised = abs(effect) / sd
        formula = _normal_n(standardised, target_power, alpha, two_sided) * (1 if design == "paired" else 2)
        if not formula <= MOST_SEGMENTS:
            raise ArgumentError(
                f"a difference of {effect:g} beside a standard deviation of {sd:g} would take more than "
                f"{MOST_SEGMENTS:.0e} segments; give a larger `effect`."
            )
        exact = _solve(lambda segments: reached(segments, standardised) - target_power, 2.0, max(4.0, 2 * formula + 10))
        n_items = max(2, math.ceil(exact - 1e-9))
    elif effect is None:
        assert target_power is not None
        effect = sd * _solve(lambda standardised: reached(n_items, standardised) - target_power, 0.0, 1.0)
    achieved = reached(n_items, abs(effect) / sd)
    # When effect was solved for, the power is what was asked for and not its rounding error.
    final = float(target_power) if solved == "effect" and target_power is not None else achieved
    return PowerPlan(
        solved_for=solved,
        n_items=n_items,
        n_exact=exact,
        n_normal=formula,
        effect=float(effect),
        sd=float(sd),
        power=final,
        alpha=float(alpha),
        alternative=alternative,
        design=design,
    )


def t_power(n: float, effect: float, *, alpha: float = 0.05, two_sided: bool = True, design: str = "paired") -> float:
    """Return the power of a t test: `n` segments (per system), `effect` in standard deviations; `n` need not be whole.

    Examples
    --------
    >>> round(t_power(20, 1.0, design="independent"), 6)
    0.868953
    """
    from scipy.special import chdtr, ndtr, ndtri
    from scipy.stats import nct, t

    if design == "paired":
        degrees, shift = n - 1, effect * math.sqrt(n)
    else:
        degrees, shift = 2 * n - 2, effect * math.sqrt(n / 2)
    if degrees >= LARGE:
        critical = -float(ndtri(alpha / 2 if two_sided else alpha))
        return float(ndtr(shift - critical) + (ndtr(-shift - critical) if two_sided else 0.0))
    critical = float(t.isf(alpha / 2 if two_sided else alpha, degrees))
    if shift > FAR:
        return float(chdtr(degrees, degrees * min(shift / critical, 1e100) ** 2))
    power = float(nct.sf(critical, degrees, shift))
    if two_sided:
        wrong_side = float(nct.cdf(-critical, degrees, shift))
        power += wrong_side if math.isfinite(wrong_side) else 0.0
    return power


def _normal_n(effect: float, power: float, alpha: float, two_sided: bool) -> float:
    from scipy.special import ndtri

    z = -ndtri(alpha / 2) if two_sided else -ndtri(alpha)
    root = float(z + ndtri(power)) / effect
    return root * root


def _solve(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where an increasing function is zero, or `low` if it is not below zero there."""
    if excess(low) >= 0:
        return low
    return root(excess, low, outward(lambda end: excess(end) >= 0, high))
