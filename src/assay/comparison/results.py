"""The answers: frozen results whose `str` is the verdict in English."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import _check, inference
from assay.comparison.limits import limits_of
from assay.errors import ArgumentError
from assay.inference import SMALLEST, CombinedError, ConfidenceInterval, PValue, SignFlips
from assay.scales import FloatArray

if TYPE_CHECKING:
    import polars


def nothing() -> FloatArray:
    """Return the empty array that stands for draws which were not kept."""
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """How large the difference is, free of the metric's units; NaN where the metric has no item scores.

    Attributes
    ----------
    cohen_d : float
        Mean item contrast over its standard deviation (d_z, paired).
    hedges_g : float
        The same without its small-sample bias.
    win_rate : float
        Share of items where A is better, ties counted half.
    cliffs_delta : float
        Probability that a random item of A beats a random item of B minus the reverse; ignores the pairing.
    """

    cohen_d: float = math.nan
    hedges_g: float = math.nan
    win_rate: float = math.nan
    cliffs_delta: float = math.nan


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer for one metric. `print` it for the verdict in English.

    Attributes
    ----------
    metric, better : str
    names : tuple of str
        What gold, A and B are called.
    a_score, b_score, contrast : float
        The contrast is positive when A is better.
    confidence_interval : ConfidenceInterval
        Of the contrast.
    pvalue, pvalue_se : float
        Of the null that A and B are alike, and its Monte-Carlo standard error.
    expected_pvalue, expected_pvalue_se : float
        What p a study like this gives on average; describes the study, is not a test of these data.
    effect_sizes : EffectSizes
    n_items : int
    n_responses : dict
        Responses per item of gold, a and b.
    null, scheme, alternative : str
    n_resamples : int
    exact : bool
        Whether the p-value speaks of all arrangements instead of a sample of them; it then depends on no seed.
    seed : int
        Passed as `rng`, it gives this result again.
    notes : tuple of str
        What the reader must know.
    signature : str
    slice : str
        Which slice of the items this is; empty for all of them.
    pvalue_adjusted : float
        For the number of metrics and slices compared; NaN for a single comparison.
    n_together : int
        How many intervals, this one among them, hold together at their level.
    draws, null_draws : array
        The resampled contrasts behind interval and p-value.
    """

    metric: str
    title: str
    better: str
    names: tuple[str, str, str]
    a_score: float
    b_score: float
    contrast: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    pvalue_se: float
    expected_pvalue: float
    expected_pvalue_se: float
    effect_sizes: EffectSizes
    n_items: int
    n_responses: Mapping[str, int | float]
    null: str
    scheme: str
    alternative: str
    n_resamples: int
    exact: bool
    seed: int
    notes: tuple[str, ...]
    signature: str
    slice: str = ""
    pvalue_adjusted: float = math.nan
    n_together: int = 1
    draws: FloatArray = field(default_factory=nothing, repr=False, compare=False)
    null_draws: FloatArray = field(default_factory=nothing, repr=False, compare=False)
    standard_errors: FloatArray = field(default_factory=nothing, repr=False, compare=False)
    standard_error: float = field(default=math.nan, repr=False, compare=False)
    jackknife: FloatArray = field(default_factory=nothing, repr=False, compare=False)
    span: float = field(default=math.inf, repr=False, compare=False)
    error: CombinedError | None = field(default=None, repr=False, compare=False)
    flips: SignFlips | None = field(default=None, repr=False, compare=False)

    def at(
        self, *, confidence_level: float | None = None, alternative: str | None = None, interval: str | None = None
    ) -> "Comparison":
        """Return the answer at another level, alternative or kind of interval, from the same draws."""
        if not self.null_draws.size:
            raise ArgumentError("this comparison was read back without its draws; run `compare` with its seed again.")
        level = self.confidence_interval.confidence_level if confidence_level is None else confidence_level
        side = self.alternative if alternative is None else alternative
        tail = tested(
            self.null, self.contrast, self.null_draws, error=self.error, flips=self.flips, alternative=side,
            exact=self.exact,
        )  # fmt: skip
        limits = limits_of(
            interval or self.confidence_interval.method,
            self.draws,
            estimate=self.contrast,
            error=self.error,
            jackknife=self.jackknife,
            standard_errors=self.standard_errors,
            standard_error=self.standard_error,
            span=self.span,
            confidence_level=_check.fraction("confidence_level", level),
            alternative=side,
        )
        old = {*self.confidence_interval.notes}
        notes = (*(note for note in self.notes if note not in old), *limits.notes)
        signature = self.signature.replace(
            f"interval={self.confidence_interval.method} | alternative={self.alternative}",
            f"interval={limits.method} | alternative={side}",
        )
        return replace(
            self, confidence_interval=limits, pvalue=tail.pvalue, pvalue_se=tail.standard_error, alternative=side,
            pvalue_adjusted=math.nan, n_together=1, notes=notes, signature=signature,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the draws; `Comparison.from_dict` reads it back."""
        hidden = {"draws", "null_draws", "standard_errors", "standard_error", "jackknife", "span", "error", "flips"}
        return {name: value for name, value in asdict(self).items() if name not in hidden}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Comparison":
        """Make a comparison from `to_dict` or from its JSON (where null is NaN); it has no draws."""
        known, limits = _undefined(content), _undefined(content["confidence_interval"])
        limits |= {"low": float(limits["low"]), "high": float(limits["high"]), "notes": tuple(limits["notes"])}
        known |= {
            "confidence_interval": ConfidenceInterval(**limits),
            "effect_sizes": EffectSizes(**_undefined(content["effect_sizes"])),
            "names": tuple(content["names"]),
            "notes": tuple(content["notes"]),
        }
        return cls(**known)

    def to_frame(self) -> "polars.DataFrame":
        """Return one row with the numbers."""
        return _frame([self])

    @property
    def verdict(self) -> str:
        """The first sentence: who is better, by how much, how sure."""
        _, a, b = self.names
        ends = self.confidence_interval
        level = f"{100 * ends.confidence_level:g} %"
        between = "undefined" if math.isnan(ends.low) else f"{ends.low:.4g} to {ends.high:.4g}"
        joint = f", all {self.n_together} together" if self.n_together > 1 else ""
        sizes = (
            f"{self.title} {self.a_score:.4g} against {self.b_score:.4g}, "
            f"contrast {self.contrast:.4g} ({level} interval {between}{joint}), p {_related(self.shown_pvalue)}"
        )
        if not math.isnan(self.pvalue_adjusted):
            sizes += f", adjusted {self.pvalue_adjusted:.2g}"
        where = f" on {self.slice}" if self.slice else ""
        return f"{_who(self, a, b)}{where}: {sizes}."

    @property
    def shown_pvalue(self) -> str:
        """The p-value as it may be written: "< 0.0002" where the draws cannot tell it from zero."""
        if math.isnan(self.pvalue):
            return "undefined"
        if self.null == "random-effects":
            return f"{self.pvalue:.2g}"
        sides = 2 if self.alternative == "two-sided" else 1
        least = SMALLEST if self.exact else sides / (self.n_resamples + 1)
        return f"{'< ' if self.pvalue <= least else ''}{self.pvalue:.2g}"

    @property
    def sizes(self) -> str:
        """How many items, with how many responses."""
        n = self.n_responses
        gold = f"{n['gold']:.4g} gold, " if "gold" in n else ""
        varies = " on average" if any(isinstance(count, float) for count in n.values()) else ""
        return f"{self.n_items:,} items with {gold}{n['a']:.4g} A and {n['b']:.4g} B responses each{varies}."

    def __str__(self) -> str:
        return "\n".join([self.verdict, self.sizes, *(f"Note: {note}" for note in self.notes), self.signature])


@dataclass(frozen=True, slots=True)
class Comparisons(Sequence[Comparison]):
    """Several comparisons, their p-values adjusted for how many they are.

    Attributes
    ----------
    comparisons : tuple of Comparison
    correction : str
    """

    comparisons: tuple[Comparison, ...]
    correction: str

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, index: Any) -> Any:
        return self.comparisons[index]

    def to_dict(self) -> dict[str, Any]:
        """Return the correction and every comparison."""
        return {"correction": self.correction, "comparisons": [entry.to_dict() for entry in self.comparisons]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Comparisons":
        """Make comparisons from `to_dict` or from what `assay compare --json` printed; they have no draws."""
        entries = tuple(Comparison.from_dict(entry) for entry in content["comparisons"])
        return cls(entries, str(content["correction"]))

    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each comparison."""
        return _frame(self.comparisons)

    def __str__(self) -> str:
        lines = [entry.verdict for entry in self.comparisons]
        if len(lines) > 1:
            lines.append(f"p-values adjusted for {len(lines)} comparisons ({self.correction}).")
        return "\n".join([*lines, *(entry.signature for entry in self.comparisons[:1])])


def tested(
    null: str | None,
    contrast: float,
    null_draws: FloatArray,
    *,
    error: CombinedError | None,
    flips: SignFlips | None,
    alternative: str,
    exact: bool,
) -> PValue:
    """Return the p-value that a null gives: from all swaps, from its draws, or from the error of items and raters."""
    if null == "random-effects" and error is not None:
        return error.test(contrast, alternative=alternative)
    if flips is not None:
        return flips.pvalue(alternative)
    return inference.tail_pvalue(contrast, null_draws, alternative=alternative, exact=exact)


def _who(result: Comparison, a: str, b: str) -> str:
    if math.isnan(result.pvalue):
        return f"No verdict on {a} and {b}"
    p = result.pvalue if math.isnan(result.pvalue_adjusted) else result.pvalue_adjusted
    if p <= 1 - result.confidence_interval.confidence_level + 1e-12:  # 1 − 0.9 is a little below 0.1
        return f"{a} is better than {b}" if result.contrast > 0 else f"{b} is better than {a}"
    if result.alternative == "two-sided":
        return f"No clear difference between {a} and {b}"
    return f"No clear sign that {a} is {'better' if result.alternative == 'greater' else 'worse'} than {b}"


def _related(pvalue: str) -> str:
    return pvalue if pvalue[0] in "<u" else f"= {pvalue}"


def _undefined(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if value is None else value for name, value in content.items()}


def _frame(results: Sequence[Comparison]) -> "polars.DataFrame":
    import polars

    rows = []
    for result in results:
        content = result.to_dict()
        limits, sizes, n = content.pop("confidence_interval"), content.pop("effect_sizes"), content.pop("n_responses")
        content["gold"], content["a"], content["b"] = content.pop("names")
        content["notes"] = " ".join(content["notes"])
        content["seed"] = str(content["seed"])
        rows.append(
            content
            | {"interval_low": limits["low"], "interval_high": limits["high"], "interval": limits["method"]}
            | {"confidence_level": limits["confidence_level"]}
            | sizes
            | {f"n_responses_{role}": count for role, count in n.items()}
        )
    return polars.DataFrame(rows)
