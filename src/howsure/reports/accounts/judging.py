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


def of_report(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a report on a judge."""
    score = (
        "the share of the item's other raters who gave the same label"
        if result.measure == "labels"
        else "minus the root mean squared distance to the item's other raters, averaged over responses"
    )
    done = [
        f"Beside each response of a person, person and judge are both scored by {score}. The headline is the mean "
        "difference of the two, with items and raters as random factors.",
        f"The judge may agree less than raters do by {100 * result.allowance:g}% of their own agreement. It must also "
        "agree better than a judge that always gives the same answer.",
        "Alternative annotator test (Calderon, Reichart and Dror 2025): the judge wins against a rater if it scores at "
        f"least as well often enough (one-sided t test with ε = {result.allowance:g}; Benjamini and Yekutieli at 5%).",
    ]
    limits = [
        "Agreement is not truth: raters may share a mistake, and a judge may share it with them.",
        "Agreement on single items says little about a bias towards one model; see the table by model.",
    ]
    steps = ["`howsure compare --judge` uses the judge where it helps and corrects its bias by people's labels."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_sample(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a sample of items to label."""
    done = [
        "Every item has a random number, made of the seed and its id. The items with the smallest numbers are "
        "selected, so that a larger sample contains a smaller one."
    ]
    if any(result.strata):
        done.append(
            "Strata get items in proportion to their sizes by Webster's method, whose shares never shrink as the "
            "sample grows. The chance of an item is the share of its stratum that was selected."
        )
    limits = ["The chances hold if all selected items are labelled, whatever they are like."]
    steps = ["Label the items, add the labels to the table, and run `howsure compare --judge` with this file."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_budget(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a budget of labels and judge calls."""
    done = [
        "The variances of raters, items and single labels, and what the judge leaves of that of items, come from the "
        "pilot. They give the half-width of any number of labelled and judged items and of raters.",
        "Of all designs that reach the target, those with the fewest judged items for each number of labelled items, "
        "the cheapest is shown for each number of raters, with a judge and without.",
    ]
    limits = ["The pilot's variances are estimates: with few labels or raters, the plan is rough."]
    steps = ["`howsure sample` selects the items to label.", "`howsure compare --judge` analyses the study."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_scores(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of scores by people's judgement."""
    done = [
        "The score of a model is the mean over labelled items of z = h − λ (f − mean of f over all items), where h is "
        "the item's score by people's labels, f that by the judge's, and λ = Cov(h, f) / Var(f) from the other "
        "labelled items (Cochran 1977; Angelopoulos, Duchi and Zrnic 2023)."
    ]
    if any(one.n_raters for one in result.models):
        done.append("Raters are a random factor, as in comparisons: the interval is for raters and items like these.")
    limits = ["The labelled items must be a random sample of all items."]
    steps = ["`howsure compare --judge` tests whether two models differ."]
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))
