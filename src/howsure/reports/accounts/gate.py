"""The account of a gate: which test decides, and what it does not show."""

from typing import TYPE_CHECKING, Any

from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question

WAYS = {
    "score": (
        "Every item is right or wrong, so the interval inverts Tango's (1998) score test of paired proportions, with "
        "half an item of continuity correction."
    ),
    "t": (
        "The interval is Student's. Where the scale has ends, its standard error is at least the one that data allow "
        "at the edge of the margin, rare largest losses included (empirical likelihood, Owen 2001); else it grows with "
        "the skewness of the item differences (Hall 1988)."
    ),
    "sign-flip": "Items of a cluster depend on each other: the interval inverts the exact sign-flip test of clusters.",
}
"""The sentence of each interval."""


def of_gate(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a verdict."""
    method = result.overall.confidence_interval.method
    level = f"{100 * result.overall.confidence_interval.confidence_level:g}%"
    alpha = f"{100 * (1 - result.confidence_level):g}%"
    done = [
        f"The gate passes if the {level} interval of the difference lies inside the region of its claim, fails if it "
        f"lies outside, and is inconclusive otherwise. A candidate at the edge of the margin is meant to pass in "
        f"{alpha} of gates; the docs show where it was measured, and where it is more.",
        WAYS.get(method, f"The interval is of the kind {method}, as in howsure compare."),
    ]
    if result.judge is not None:
        done.append(
            "People's labels decide. The judge's scores of all items correct them (regression estimator of two-phase "
            "sampling; Cochran 1977), and raters who disagree are part of the error, as in howsure compare --judge."
        )
    if result.slices:
        done.append("p-values of slices are adjusted by Holm (1979); those of a loss beside that of all items.")
    limits = [
        "The verdict is about items like these. Items that were chosen because models fail on them say nothing else.",
        "Inconclusive is not equal: the data allow both a loss beyond the margin and none.",
    ]
    steps = ["`howsure gate --check` shows which losses this gate can see."]
    if result.judge is not None:
        limits.append("People must have labelled a random sample of the items, or items drawn by `howsure sample`.")
        steps = ["`howsure judge` shows whether the judge is good enough, and which model it favours."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_check(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of what a gate can see."""
    how = {
        "runs": "Two runs of the same model are compared on items that are drawn again from these.",
        "pairs": "Items are drawn again from these, and the two models are exchanged at random on each of them.",
    }
    done = [
        f"An unchanged model is simulated {result.n_simulations:,} times. {how[result.source]}",
        "The loss that fails, and the sizes of designs, follow from the normal distribution: margin + 2.49 standard "
        "errors at the default level.",
    ]
    limits = ["New items, or another model, may differ more or less than these do."]
    steps = ["Choose the margin by what matters to users, not by what the gate can see."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))
