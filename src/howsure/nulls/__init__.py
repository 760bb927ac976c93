"""Every test once: what its draws are if A and B are equal, its p-value on rows, its rules and its words.

`NULLS` is the catalogue that `compare`, leaderboards, audits, plans, reports, the web page and schemas read, and
`SCORE_TESTS` are those of them that test item differences by themselves, by their names in `howsure scores`. To add a
test, write a class in the file of its idea and name it here; `howsure.testing.check_null` holds its contract.

null (the contract) · item_test (the contract of a test of item differences) · sign_flip · student · ranks · medians ·
bootstrap · mixed_responses · random_effects
"""

from collections.abc import Mapping
from types import MappingProxyType

from howsure import _check
from howsure.nulls.bootstrap import BootstrapSign, ShiftedBootstrap, StudentisedBootstrap
from howsure.nulls.item_test import (
    Grade,
    Hypothesis,
    ItemTest,
    Resamples,
    Shape,
    Suitability,
    Tails,
    TestedRows,
    Units,
    combined,
)
from howsure.nulls.medians import BootstrapMedian, PermutationMedian
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses
from howsure.nulls.null import Null, Resampler, Rule
from howsure.nulls.random_effects import RandomEffects
from howsure.nulls.ranks import SignTest, Wilcoxon
from howsure.nulls.sign_flip import SignFlip
from howsure.nulls.student import StudentT

WELCH = "welch-t"
"""The name of Welch's t, which leaves the pairing out: a baseline, and no null of `compare`."""

SIGN_FLIP, RANDOM_EFFECTS, STUDENT_T = SignFlip(), RandomEffects(), StudentT()
"""The defaults: with raters held fixed, with raters like these, and with too few clusters to exchange."""

NULLS: Mapping[str, Null] = MappingProxyType(
    {
        null.name: null
        for null in (
            SIGN_FLIP,
            STUDENT_T,
            SignTest(),
            Wilcoxon(),
            StudentisedBootstrap(),
            BootstrapMedian(),
            PermutationMedian(),
            PooledResponses(),
            PermutedResponses(),
            ShiftedBootstrap(),
            BootstrapSign(),
            RANDOM_EFFECTS,
        )
    }
)
"""Each null by its name."""

SCORE_TESTS: Mapping[str, ItemTest] = MappingProxyType(
    {test.score_name: test for test in NULLS.values() if isinstance(test, ItemTest)}
)
"""Each test of item differences by its name in `howsure scores`."""


def named(name: str) -> Null:
    """Return the null of a name."""
    return NULLS[_check.one_of("null", name, NULLS)]


__all__ = [
    "NULLS",
    "RANDOM_EFFECTS",
    "SCORE_TESTS",
    "SIGN_FLIP",
    "STUDENT_T",
    "WELCH",
    "Grade",
    "Hypothesis",
    "ItemTest",
    "Null",
    "Resampler",
    "Resamples",
    "Rule",
    "Shape",
    "Suitability",
    "Tails",
    "TestedRows",
    "Units",
    "combined",
    "named",
]
