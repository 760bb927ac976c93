"""Accounts of results in which a judge has a part."""

from typing import TYPE_CHECKING, Any

from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question


def of_comparison(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a comparison with people and a judge."""
    done = [
        "People's advantage is estimated as the mean over labelled items of z = h − λ (f − mean of f over all items), "
        "where h is people's advantage of an item, f the judge's, and λ = Cov(h, f) / Var(f) from the other labelled "
        "items. This is the regression estimator of two-phase sampling (Cochran 1977) and PPI++ (Angelopoulos, Duchi "
        "and Zrnic 2023).",
        f"λ is {result.slope:.3g} here, and the advantages of judge and people correlate by {result.correlation:.2f}.",
    ]
    if result.parts.n_raters > 1:
        done.append(
            "Raters are a random factor: the error has a part of raters, with one degree of freedom less than there "
            "are raters, and a part of items. The half-width is the root of the sum of (t · standard error)² of both."
        )
    done.append(
        "The floor is the half-width with a judge that knows people's mean advantage of every item. The number of "
        "labels without a judge is that which gives the same variance with the same raters."
    )
    limits = [
        "The labelled items must be a random sample of all items, or drawn with the chances given.",
        "A judge that was tuned on the labelled items looks better than it is: tune it on other items.",
    ]
    steps = ["`howsure judge` reports how far the judge agrees with people, and where it fails."]
    if result.n_labelled < result.n_all:
        steps.append("`howsure sample` draws the next items to label; those labelled so far stay in the sample.")
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))
