"""Which test fits these scores: three lists, with a reason for each test (MANUAL C.4, table 2)."""

from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.paired.description import Description
from assay.paired.scores import PairedScores
from assay.paired.significance import TESTS

LARGE = 100
"""From this many differences on, a two-sided t test is nearly right on the skewed data of docs/scores-levels.md."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A test and why it stands in its list."""

    test: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The tests in three lists; the first recommended one is what `analyse` runs unless told otherwise.

    Attributes
    ----------
    statistic : {"mean", "median"}
        What the differences suggest to compare.
    recommended, non_preferred, inappropriate : tuple of Choice
    reason : str
        What the lists are based on.
    notes : tuple of str
    """

    statistic: str
    recommended: tuple[Choice, ...]
    non_preferred: tuple[Choice, ...]
    inappropriate: tuple[Choice, ...]
    reason: str
    notes: tuple[str, ...] = ()

    @property
    def test(self) -> str:
        """The test to use."""
        return self.recommended[0].test

    @property
    def lists(self) -> dict[str, tuple[Choice, ...]]:
        """The three lists by name, best first."""
        return {
            "recommended": self.recommended,
            "non-preferred": self.non_preferred,
            "inappropriate": self.inappropriate,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the lists as lists of test and reason."""
        lists = {
            name.replace("-", "_"): [{"test": choice.test, "reason": choice.reason} for choice in choices]
            for name, choices in self.lists.items()
        }
        return {"statistic": self.statistic, "reason": self.reason, **lists, "notes": list(self.notes)}

    def __str__(self) -> str:
        named = [
            f"{name.capitalize()}: {', '.join(choice.test for choice in choices) or 'none'}."
            for name, choices in self.lists.items()
        ]
        first = self.recommended[0]
        return "\n".join(
            [f"{self.reason} Use the {TESTS[first.test].label}: {first.reason}", " ".join(named), *self.notes]
        )


_NORMAL = {
    "recommended": {"t": "the most powerful test of the mean when differences are normal."},
    "non_preferred": {
        "wilcoxon": "valid, and on normal differences almost as powerful as t.",
        "permutation": "valid and about as powerful as t, but needs resampling.",
        "bootstrap": "valid for large samples, needs resampling, and no better than t here.",
        "sign": "valid, but it ignores the sizes of the differences and loses power.",
        "permutation-median": "valid, but the median is less precise than the mean here.",
        "bootstrap-median": "valid, but the median is less precise than the mean here.",
    },
    "inappropriate": {},
}
_SYMMETRIC = {
    "recommended": {"wilcoxon": "it needs symmetry but not normality, and is powerful when tails are heavy."},
    "non_preferred": {
        "permutation": "valid for symmetric differences, but outliers cost it power and it needs resampling.",
        "bootstrap": "valid for large samples, but outliers cost it power and it needs resampling.",
        "sign": "valid, but it ignores the sizes of the differences and loses power.",
        "permutation-median": "valid for symmetric differences, but usually less powerful than Wilcoxon's test.",
        "bootstrap-median": "valid, but usually less powerful than Wilcoxon's test.",
    },
    "inappropriate": {"t": "it assumes normal differences in small samples."},
}
_SKEWED = {
    "recommended": {"sign": "it tests the median and assumes nothing about the shape."},
    "non_preferred": {
        "bootstrap-median": "it tests the median and assumes nothing about the shape, but needs resampling.",
        "permutation-median": "it tests the median, but also rejects a skewed distribution with median zero.",
    },
    "inappropriate": {
        "t": "it tests the mean, which a long tail pulls away from the typical difference.",
        "wilcoxon": "it assumes symmetric differences.",
        "bootstrap": "it tests the mean, which a long tail pulls away from the typical difference.",
        "permutation": "it assumes symmetric differences, and tests the mean.",
    },
}
_CLUSTERED = {
    "recommended": {"permutation": "it flips whole clusters, and holds its level also when there are few of them."},
    "non_preferred": {
        "bootstrap": "it resamples whole clusters, and needs more than a few.",
        "t": "its standard error allows for clusters, but with fewer than about 50 it rejects a little too often.",
    },
    "inappropriate": {
        "sign": "it takes lines as independent, which lines of one cluster are not.",
        "wilcoxon": "it takes lines as independent, which lines of one cluster are not.",
        "bootstrap-median": "it takes lines as independent, which lines of one cluster are not.",
        "permutation-median": "it takes lines as independent, which lines of one cluster are not.",
    },
}
_BINARY = {
    "recommended": {"sign": "right-or-wrong scores differ by −1, 0 or 1, and on these it is McNemar's exact test."},
    "non_preferred": {
        "t": "fine for many flips; it answers in units of accuracy.",
        "permutation": "the same p-value as the sign test up to resampling, with an interval for the accuracy.",
        "wilcoxon": "all flips tie, so it is the sign test with more words.",
        "bootstrap": "valid for many flips, and needs resampling.",
    },
    "inappropriate": {
        "bootstrap-median": "the median of −1, 0 and 1 is nearly always 0.",
        "permutation-median": "the median of −1, 0 and 1 is nearly always 0.",
    },
}


def recommend(scores: PairedScores, description: Description) -> Recommendation:
    """Sort the seven tests into recommended, non-preferred and inappropriate ones.

    The rule is MANUAL's: mean if |skewness| < 0.5, else median; among tests of the mean, t if normality is not
    rejected. Scores in clusters and right-or-wrong scores have rules of their own. A test that was chosen by looking
    at the data has not quite the level it promises; when the question is about averages, decide on t, bootstrap or
    permutation beforehand.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.paired import describe
    >>> scores = PairedScores.from_arrays(np.random.default_rng(1).exponential(size=200), np.zeros(200))
    >>> recommend(scores, describe(scores)).test
    'sign'
    """
    if scores.constant is not None:
        raise DataError(f"{scores.sameness}: nothing varies, so there is nothing to test. Check the file.")
    notes: list[str] = []
    if scores.n_clusters is not None and scores.n_clusters < 6:
        notes.append("Flipping the signs of fewer than 6 clusters cannot give a two-sided p-value of 0.05 or less.")
    if scores.clusters is not None:
        table, statistic, reason = _CLUSTERED, "mean", f"Scores come in {scores.n_clusters:,} clusters."
    elif scores.binary:
        table, statistic, reason = _BINARY, "mean", "All scores are 0 or 1."
    elif scores.n < 3:
        table, statistic, reason = _NORMAL, "mean", f"{scores.n} lines are too few to judge their shape."
    else:
        shape = f"Differences are {description.shape} (skewness {description.skewness:.3g})"
        verdict = "no sign against normality" if description.normal else "not normal"
        reason = f"{shape}, {verdict} ({description.normality_test} p = {description.normality_pvalue:.3g})."
        if not description.symmetric:
            table, statistic = _SKEWED, "median"
            notes.append(_mean_note(scores.n))
        else:
            table, statistic = (_NORMAL if description.normal else _SYMMETRIC), "mean"
            if not description.normal and scores.n >= LARGE:
                notes.append(f"With {scores.n:,} differences the t test of the mean is fine too.")
    lists = {
        name: tuple(Choice(test, text[0].upper() + text[1:]) for test, text in choices.items())
        for name, choices in table.items()
    }
    return Recommendation(statistic, **lists, reason=reason, notes=tuple(notes))


def _mean_note(n: int) -> str:
    question = "The median is not the mean: if your claim is about average scores, "
    if n >= LARGE:
        return question + f"use bootstrap, or a two-sided t test; {n:,} differences allow it despite the skew."
    return question + f"{n:,} skewed differences are few for any test of it; the bootstrap holds its level best."
