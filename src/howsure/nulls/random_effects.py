"""Items and raters are both samples: the advantage over their joint standard error, against Student's t."""

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.nulls.null import Null, Resampler, Rule
from howsure.resampling.draws import Draws


class RandomEffects(Null):
    """The test for raters like these (`howsure.raters`); its p-value needs no resamples."""

    name = "random-effects"
    says = "no resampling: the advantage over its standard error from items and raters, against Student's t"
    account = (
        "items and raters are both treated as samples. The standard error adds up what each of them contributes "
        "(Cornfield and Tukey 1956), and the p-value compares the advantage over it with Student's t, for each part "
        "with its own degrees of freedom"
    )
    random_raters = True
    audited = ("tail",)
    two_answers = True
    counts_resamples = False
    rules = (
        Rule(
            verdict="refuse",
            reason="random-effects treats raters as a random factor; use `raters='random'`, or the null sign-flip.",
            raters="fixed",
        ),
        Rule(
            verdict="refuse",
            reason="random-effects treats items and raters as random factors; use `items='bootstrap'`, or the null "
            "shifted-bootstrap.",
            items="all",
            raters="random",
        ),
    )

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples, shifted; `moved` gives them the distribution of the test."""
        return draws.shifted()

    def moved(self, evidence: Evidence) -> FloatArray:
        """Return the null draws in their order, as quantiles of the distribution that gives the p-value.

        A bootstrap of few raters is narrower than Student's t, so that its picture would contradict p.
        """
        error, draws = evidence.rater_error, evidence.null_draws
        if error is None or not error.variance > 0 or not draws.size:
            return draws
        from scipy.special import stdtrit

        known = np.flatnonzero(~np.isnan(draws[0]))
        shares = (np.arange(known.size) + 0.5) / known.size
        squares = [part * np.square(stdtrit(df, shares)) for part, df in zip(error.variances, error.dfs, strict=True)]
        found = np.full_like(draws, np.nan)
        order = known[np.argsort(draws[0, known], kind="stable")]
        found[0, order] = np.sign(shares - 0.5) * np.sqrt(np.sum(squares, axis=0))
        return found

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return Student's p-value of the error from items and raters."""
        if evidence.rater_error is None:
            return super().pvalues(evidence, alternative)
        found = evidence.rater_error.test(float(evidence.estimates[0]), alternative=alternative)
        return PValues.of([found])

    def floor(self, alternative: str, n_resamples: int, *, exact: bool) -> float:
        """Return 0: nothing is counted, so that no p-value is only a bound."""
        return 0.0
