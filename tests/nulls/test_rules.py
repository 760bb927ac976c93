"""Schemes, and the table of which null goes with which scheme."""

import itertools

import pytest

from howsure import ArgumentError, Scheme
from howsure.nulls import NULLS as KNOWN
from howsure.nulls.null import SCHEMES

NULLS = ("sign-flip", "studentised", "pooled-responses", "permuted-responses", "shifted-bootstrap")
RESPONSES = ("all", "equal", "first", "one", "bootstrap")


def expected(items, responses, null, single):
    """The table once more, as METHODS §4 and §5 say it."""
    keeps = responses in ("all", "equal", "first")
    verdicts = []
    if items == "all" and keeps:
        verdicts.append("refuse")  # nothing is resampled
    if null == "pooled-responses" and keeps:
        verdicts.append("refuse")  # A* and B* are the same pool
    if null == "studentised":  # draws need standard errors
        verdicts += ["refuse"] * (not keeps)
    if null == "permuted-responses" and not keeps:
        verdicts.append("refuse")  # dealing is without replacement
    if null == "pooled-responses":
        verdicts += ["warn"] * (1 + single)  # narrower hypothesis; K = 1 understates the variance
    if null == "permuted-responses":
        verdicts.append("warn")
    if null == "sign-flip" and not keeps:
        verdicts.append("warn")
    if items == "all":
        verdicts.append("note")
    return sorted(verdicts)


@pytest.mark.parametrize("null", NULLS)
def test_every_combination_is_judged_as_the_specification_says(null):
    for items, responses, single in itertools.product(("all", "bootstrap"), RESPONSES, (False, True)):
        found = KNOWN[null].judge(Scheme(items, responses), (1, 1) if single else (1, 5))
        assert sorted(verdict for verdict, _ in found) == expected(items, responses, null, single)
        assert all("{" not in reason and "\n" not in reason for _, reason in found)


def test_no_rule_is_idle_and_refusals_name_a_way_out():
    used = {
        reason
        for items, responses, null, single in itertools.product(("all", "bootstrap"), RESPONSES, NULLS, (False, True))
        for _, reason in KNOWN[null].judge(Scheme(items, responses), (1, 1) if single else (1, 5))
    }
    used |= {reason for _, reason in KNOWN[NULLS[2]].judge(Scheme("all", "bootstrap", n_responses=2), (1, 5))}
    for rule in [*SCHEMES, *itertools.chain(*(KNOWN[null].rules for null in NULLS))]:
        if rule.raters != "random":
            assert rule.reason in used
        if rule.verdict == "refuse":
            assert "use " in rule.reason.lower()


def test_schemes_show_what_they_resample():
    assert str(Scheme()) == "items bootstrap, responses all"
    assert str(Scheme("all", "bootstrap", n_responses=3)) == "items all, responses bootstrap(3)"
    assert str(Scheme(raters="random")) == "items bootstrap, responses all, raters random"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": "some"}, "`items` must be one of all, bootstrap; got 'some'."),
        (
            {"responses": "al"},
            "`responses` must be one of all, equal, first, one, bootstrap; got 'al'. Did you mean 'all'?",
        ),
        ({"raters": "all"}, "`raters` must be one of fixed, random; got 'all'."),
        ({"responses": "bootstrap", "n_responses": 0}, "`n_responses` must be a whole number of at least 1; got 0."),
        ({"n_responses": 3}, "`n_responses` goes with `responses='bootstrap'`; got 'all'."),
    ],
)
def test_schemes_refuse(options, message):
    with pytest.raises(ArgumentError) as caught:
        Scheme(**options)
    assert str(caught.value) == message
