"""Is there no difference that matters? Equivalence and non-inferiority within a margin.

A large p-value is no evidence of equality. Two one-sided tests (TOST, Schuirmann 1987) ask the right question: can the
data rule out that A is worse than B by the margin, and that it is better by the margin?
"""

from dataclasses import dataclass
from typing import Any

from assay import _check, _json, _random
from assay.errors import ArgumentError
from assay.paired.scores import PairedScores
from assay.paired.significance import TESTS, SignificanceTest, significance_test
from assay.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether the difference lies within a margin.

    Attributes
    ----------
    kind : {"equivalence", "non-inferiority"}
    test : str
        The test that was asked twice (equivalence) or once (non-inferiority).
    n : int
    margin : float
        The smallest difference that matters.
    estimate : float
    confidence_interval : tuple of float
        At level 1 − 2·alpha for equivalence, which is inside (−margin, margin) exactly when equivalence is
        established by a test with matching interval; one-sided at level 1 − alpha for non-inferiority.
    confidence_level : float
    pvalue : float
        The larger of the two one-sided p-values (equivalence), or the one that matters.
    pvalue_lower, pvalue_upper : float
        Against "difference ≤ −margin" and "difference ≥ margin"; the second is NaN for non-inferiority.
    established : bool
    alpha : float
    names : tuple of str
    notes : tuple of str
    signature : str
    """

    kind: str
    test: str
    n: int
    margin: float
    estimate: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    pvalue: float
    pvalue_lower: float
    pvalue_upper: float
    established: bool
    alpha: float
    names: tuple[str, str]
    notes: tuple[str, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return _json.plain(self)  # type: ignore[no-any-return]

    def __str__(self) -> str:
        a, b = self.names
        low, high = self.confidence_interval
        shown = "is" if self.established else "was not shown to be"
        claim = (
            f"The difference {a} − {b} {shown} within ±{self.margin:g}"
            if self.kind == "equivalence"
            else f"{a} {shown} no worse than {b} by {self.margin:g} or more"
        )
        numbers = (
            f"{TESTS[self.test].estimand} {self.estimate:.4g}, {100 * self.confidence_level:g} % interval {low:.4g} to "
            f"{high:.4g}, p = {self.pvalue:.3g}, {TESTS[self.test].label}, n = {self.n:,}"
        )
        return "\n".join([f"{claim} ({numbers}).", *self.notes, self.signature])


def equivalence_test(
    scores: PairedScores,
    *,
    margin: float,
    kind: str = "equivalence",
    test: str = "t",
    alpha: float = 0.05,
    n_resamples: int = 9999,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> Equivalence:
    """Test whether the difference between two systems is smaller than a margin.

    Parameters
    ----------
    scores : PairedScores
    margin : float
        The smallest difference that matters, above 0, in the units of the scores. Choose it before looking.
    kind : {"equivalence", "non-inferiority"}
        Equivalence: the difference is within ±margin. Non-inferiority: `a` is not worse than `b` by the margin.
    test : str
        Any of the seven tests.
    alpha, n_resamples, rng, workers
        As in `significance_test`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.51, 0.48, 0.52, 0.50, 0.49], [0.50, 0.49, 0.51, 0.50, 0.50])
    >>> equivalence_test(scores, margin=0.05, rng=1).established
    True
    """
    _check.one_of("kind", kind, ("equivalence", "non-inferiority"))
    if _check.real("margin", margin, at_least=0) == 0:
        raise ArgumentError("`margin` must be above 0: it is the smallest difference that matters; got 0.")
    _check.fraction("alpha", alpha)
    seed = _random.replayable(rng)

    def ask(alternative: str, delta: float, level: float = alpha) -> SignificanceTest:
        return significance_test(
            scores, test=test, alternative=alternative, delta=delta, alpha=level, n_resamples=n_resamples, rng=seed,
            workers=workers,
        )  # fmt: skip

    lower = ask("greater", -margin)
    parameters = {"kind": kind, "margin": float(margin), "test": test, "alpha": float(alpha)}
    signature = Provenance("equivalence_test", parameters, _random.entropy_of(seed), scores.digest).signature
    if kind == "non-inferiority":
        pvalue, upper, interval, level = lower.pvalue, float("nan"), lower.confidence_interval, 1 - alpha
    else:
        if alpha >= 0.5:
            raise ArgumentError(f"`alpha` must be below 0.5 for an equivalence test; got {alpha!r}.")
        upper = ask("less", margin).pvalue
        pvalue, level = max(lower.pvalue, upper), 1 - 2 * alpha
        interval = ask("two-sided", 0.0, 2 * alpha).confidence_interval
    return Equivalence(
        kind, test, scores.n, float(margin), lower.estimate, interval, level, pvalue, lower.pvalue, upper,
        pvalue <= alpha, float(alpha), scores.names, scores.notes, signature,
    )  # fmt: skip
