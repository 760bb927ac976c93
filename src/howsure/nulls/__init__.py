"""Every null: what a resample looks like if A and B are equal, and the p-value that follows.

`NULLS` is the catalogue that `compare`, leaderboards, audits, plans, reports, the web page and schemas read. To add a
null, write a class in the file of its idea and name it here; `howsure.testing.check_null` holds its contract.
"""

from collections.abc import Mapping
from types import MappingProxyType

from howsure import _check
from howsure.nulls.item_tests import PairedT, SignOfItems, WilcoxonSigned
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses
from howsure.nulls.null import Null, Resampler, Rule
from howsure.nulls.random_effects import RandomEffects
from howsure.nulls.shifted_bootstrap import BootstrapSign, ShiftedBootstrap
from howsure.nulls.sign_flip import SignFlip
from howsure.nulls.studentised import StudentisedBootstrap

SIGN_FLIP, RANDOM_EFFECTS, PAIRED_T = SignFlip(), RandomEffects(), PairedT()
"""The defaults: with raters held fixed, with raters like these, and with too few clusters to exchange."""

NULLS: Mapping[str, Null] = MappingProxyType(
    {
        null.name: null
        for null in (
            SIGN_FLIP,
            StudentisedBootstrap(),
            PooledResponses(),
            PermutedResponses(),
            ShiftedBootstrap(),
            BootstrapSign(),
            PAIRED_T,
            WilcoxonSigned(),
            SignOfItems(),
            RANDOM_EFFECTS,
        )
    }
)
"""Each null by its name."""


def named(name: str) -> Null:
    """Return the null of a name."""
    return NULLS[_check.one_of("null", name, NULLS)]


__all__ = ["NULLS", "PAIRED_T", "RANDOM_EFFECTS", "SIGN_FLIP", "Null", "Resampler", "Rule", "named"]
