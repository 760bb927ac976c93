"""Which test fits these scores: three lists, with a reason for each test (the rule of NLPStatTest)."""

from dataclasses import dataclass

from howsure.documents import Column, Document, Sentence, Table, details
from howsure.documents.numbers import minus
from howsure.errors import DataError
from howsure.nulls import SCORE_TESTS, Grade, ItemTest, Shape
from howsure.nulls.student import MANY
from howsure.paired.description import SKEWED, Description
from howsure.paired.score_lists import PairedScores
from howsure.records import Record

TESTS = SCORE_TESTS
"""The seven tests by name."""


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
        return f"Recommended test: {SCORE_TESTS[self.test].label}. {self.reason}"

    def document(self) -> Document:
        """Return the three lists of tests."""
        rows = [(name, choice.test, choice.reason) for name, choices in self.lists.items() for choice in choices]
        table = Table((Column("list"), Column("test"), Column("reason")), tuple(rows), marked=frozenset({0}))
        statistic = Sentence(f"Statistic to compare: the {self.statistic}. {self.statistic_reason}")
        return Document("Which test", (Sentence(self.sentence), *details([statistic, table])), self.notes)


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
    if scores.clusters is not None:
        shape, reason = Shape.CLUSTERED, f"The scores come in {scores.n_clusters:,} clusters."
        why = "The tests that allow for clusters compare means."
    elif scores.binary:
        shape, reason = Shape.RIGHT_OR_WRONG, "All scores are 0 or 1."
        why = "The mean of right-or-wrong scores is the accuracy."
    elif scores.n < 3:
        shape, reason = Shape.NORMAL, f"{scores.n} {scores.counted} are too few to test normality."
        why = "The mean is the default."
    else:
        skewness = minus(f"{description.skewness:.2f}")
        size = f"|skewness| is {abs(description.skewness):.2f}"
        reason = f"The differences are {description.shape} (skewness {skewness}) and {description.normality}."
        if description.symmetric:
            shape = Shape.NORMAL if description.normal else Shape.SYMMETRIC
            why = f"{size}, below {SKEWED:g}: the mean describes roughly symmetric differences well."
        else:
            shape = Shape.SKEWED
            why = f"{size}, not below {SKEWED:g}: a long tail pulls the mean away from the typical difference."
            notes.append(_mean_note(scores.n))
    return Recommendation(
        statistic="median" if shape is Shape.SKEWED else "mean",
        statistic_reason=why,
        recommended=_graded(Grade.RECOMMENDED, shape, scores.n),
        non_preferred=_graded(Grade.NON_PREFERRED, shape, scores.n),
        inappropriate=_graded(Grade.INAPPROPRIATE, shape, scores.n),
        reason=reason,
        notes=tuple(notes),
    )


def _graded(grade: Grade, shape: Shape, n: int) -> tuple[Choice, ...]:
    """Return the tests of this grade, best first."""
    judged = [(test.suits(shape, n), name) for name, test in SCORE_TESTS.items()]
    found = sorted(((suits.place, name, suits.reason) for suits, name in judged if suits.grade is grade))
    return tuple(Choice(name, reason[0].upper() + reason[1:]) for _, name, reason in found)


UNFIT = "does not suit these scores"
"""The words by which a caution is known."""


def caution(scores: PairedScores, description: Description, test: ItemTest) -> tuple[str, ...]:
    """Return a note if the test is in the list of inappropriate ones."""
    advice = recommend(scores, description)
    return tuple(
        f"The {test.label} {UNFIT}. {choice.reason} Better: {', '.join(advice.fitting)}."
        for choice in advice.inappropriate
        if choice.test == test.score_name
    )


def _mean_note(n: int) -> str:
    claim = "This test compares medians. If your claim is about average scores, use "
    if n >= MANY:
        return claim + "the bootstrap test or a two-sided t test."
    return claim + f"the bootstrap test; {n:,} skewed differences are few for any test of the mean."
