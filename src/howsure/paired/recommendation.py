"""Which test fits these scores: three lists, with a reason for each test (the rule of NLPStatTest)."""

from dataclasses import dataclass

from howsure.documents import Column, Document, Sentence, Table, details
from howsure.documents.numbers import minus
from howsure.errors import DataError
from howsure.paired.catalogue import TESTS
from howsure.paired.description import SKEWED, Description
from howsure.paired.score_lists import PairedScores
from howsure.records import Record

LARGE = 100
"""From this many differences on, a two-sided t test is nearly right on the skewed data of docs/scores-levels.md."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A test and why it stands in its list."""

    test: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation(Record):
    """The tests in three lists; the first recommended one is what `analyse` runs unless told otherwise.

    Attributes
    ----------
    statistic : {"mean", "median"}
        What the differences suggest to compare, and `statistic_reason` says why.
    recommended, non_preferred, inappropriate : tuple of Choice
    reason : str
        What the lists are based on.
    notes : tuple of str
    """

    statistic: str
    statistic_reason: str
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
    def fitting(self) -> tuple[str, ...]:
        """The names of the tests that are not inappropriate, best first."""
        return tuple(choice.test for choice in (*self.recommended, *self.non_preferred))

    @property
    def lists(self) -> dict[str, tuple[Choice, ...]]:
        """The three lists by name, best first."""
        return {
            "recommended": self.recommended,
            "non-preferred": self.non_preferred,
            "inappropriate": self.inappropriate,
        }

    @property
    def sentence(self) -> str:
        """The test to use, and why."""
        return f"Recommended test: {TESTS[self.test].label}. {self.reason}"

    def document(self) -> Document:
        """Return the three lists of tests."""
        rows = [(name, choice.test, choice.reason) for name, choices in self.lists.items() for choice in choices]
        table = Table((Column("list"), Column("test"), Column("reason")), tuple(rows), marked=frozenset({0}))
        statistic = Sentence(f"Statistic to compare: the {self.statistic}. {self.statistic_reason}")
        return Document("Which test", (Sentence(self.sentence), *details([statistic, table])), self.notes)


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
    "inappropriate": {"t": "it assumes normal differences, and there are too few of them for an approximation."},
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
    "recommended": {"permutation": "it flips whole clusters; its error rate is nominal even with few clusters."},
    "non_preferred": {
        "bootstrap": "it resamples whole clusters, and needs at least a few dozen.",
        "t": "its standard error allows for clusters, but with fewer than about 50 it rejects slightly too often.",
    },
    "inappropriate": {
        "sign": "it treats segments as independent, but segments of one cluster are dependent.",
        "wilcoxon": "it treats segments as independent, but segments of one cluster are dependent.",
        "bootstrap-median": "it treats segments as independent, but segments of one cluster are dependent.",
        "permutation-median": "it treats segments as independent, but segments of one cluster are dependent.",
    },
}
_BINARY = {
    "recommended": {"sign": "right-or-wrong scores differ by −1, 0 or 1, and on these it is McNemar's exact test."},
    "non_preferred": {
        "t": "valid for many flips; it estimates the difference in accuracy.",
        "permutation": "the same p-value as the sign test up to resampling, with an interval for the accuracy.",
        "wilcoxon": "all flips have the same size, so it is nearly the sign test.",
        "bootstrap": "valid for many flips, and needs resampling.",
    },
    "inappropriate": {
        "bootstrap-median": "the median of −1, 0 and 1 is nearly always 0.",
        "permutation-median": "the median of −1, 0 and 1 is nearly always 0.",
    },
}


def recommend(scores: PairedScores, description: Description) -> Recommendation:
    """Sort the seven tests into recommended, non-preferred and inappropriate ones.

    The rule is that of NLPStatTest: mean if |skewness| < 0.5, else median; among tests of the mean, t if normality is
    not rejected, else Wilcoxon. From 100 differences on, t counts as non-preferred and not as inappropriate where
    normality is rejected. Scores in clusters and right-or-wrong scores have rules of their own. A test that was chosen
    by looking at the data has an error rate slightly different from the nominal one. If your claim will be about
    averages, decide on t, bootstrap or permutation before you look.

    Examples
    --------
    >>> import numpy as np
    >>> from howsure.paired import describe
    >>> scores = PairedScores.from_arrays(np.random.default_rng(1).exponential(size=200), np.zeros(200))
    >>> recommend(scores, describe(scores)).test
    'sign'
    """
    if scores.constant is not None:
        raise DataError(f"{scores.sameness}: nothing varies, so there is nothing to test. Check the file.")
    notes: list[str] = []
    if scores.n_clusters is not None and scores.n_clusters < 6:
        notes.append("Fewer than 6 clusters: the two-sided p-value of the permutation test cannot be 0.05 or less.")
    reason = why = ""
    if scores.clusters is not None:
        table, statistic, reason = _CLUSTERED, "mean", f"The scores come in {scores.n_clusters:,} clusters."
        why = "The tests that allow for clusters compare means."
    elif scores.binary:
        table, statistic, reason = _BINARY, "mean", "All scores are 0 or 1."
        why = "The mean of right-or-wrong scores is the accuracy."
    elif scores.n < 3:
        table, statistic, reason = _NORMAL, "mean", f"{scores.n} segments are too few to test normality."
        why = "The mean is the default."
    else:
        skewness = minus(f"{description.skewness:.2f}")
        size = f"|skewness| is {abs(description.skewness):.2f}"
        shape = f"The differences are {description.shape} (skewness {skewness})"
        reason = f"{shape} and {description.normality}."
        if description.symmetric:
            table, statistic = (_NORMAL if description.normal else _symmetric(scores.n)), "mean"
            why = f"{size}, below {SKEWED:g}: the mean describes roughly symmetric differences well."
        else:
            table, statistic = _SKEWED, "median"
            why = f"{size}, not below {SKEWED:g}: a long tail pulls the mean away from the typical difference."
            notes.append(_mean_note(scores.n))
    lists = {
        name: tuple(Choice(test, text[0].upper() + text[1:]) for test, text in choices.items())
        for name, choices in table.items()
    }
    return Recommendation(statistic=statistic, statistic_reason=why, reason=reason, notes=tuple(notes), **lists)


UNFIT = "does not suit these scores"
"""The words by which a caution is known."""


def caution(scores: PairedScores, description: Description, test: str) -> tuple[str, ...]:
    """Return a note if the test is in the list of inappropriate ones."""
    advice = recommend(scores, description)
    return tuple(
        f"The {TESTS[test].label} {UNFIT}. {choice.reason} Better: {', '.join(advice.fitting)}."
        for choice in advice.inappropriate
        if choice.test == test
    )


def _symmetric(n: int) -> dict[str, dict[str, str]]:
    """Return the lists for symmetric differences that are not normal; t is fine for many of them."""
    if n < LARGE:
        return _SYMMETRIC
    t = {"t": f"with {n:,} differences its error rate is nominal, but outliers cost it power."}
    return {**_SYMMETRIC, "non_preferred": {**t, **_SYMMETRIC["non_preferred"]}, "inappropriate": {}}


def _mean_note(n: int) -> str:
    claim = "This test compares medians. If your claim is about average scores, use "
    if n >= LARGE:
        return claim + "the bootstrap test or a two-sided t test."
    return claim + f"the bootstrap test; {n:,} skewed differences are few for any test of the mean."
