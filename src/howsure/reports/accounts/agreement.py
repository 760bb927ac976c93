"""Accounts of what raters agree on, and of what files hold."""

from typing import TYPE_CHECKING, Any

from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question

AIM = 0.05


def of_agreement(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a measured agreement."""
    alpha = next((entry for entry in result.coefficients if entry.name == "krippendorff_alpha"), None)
    ends = None if alpha is None else alpha.confidence_interval
    next_steps = []
    if ends is not None and ends.high > ends.low:
        times = ((ends.high - ends.low) / 2 / AIM) ** 2
        if times > 1:
            next_steps.append(
                f"To know Krippendorff's alpha within {AIM:g} either way, collect about {times:.2g} times as many "
                "items and raters."
            )
        else:
            next_steps.append(f"Krippendorff's alpha is known within {AIM:g} either way; that is enough for most uses.")
    if result.raters:
        next_steps.append("Read the items of the raters who stand apart before you leave anyone out.")
    return Account(
        done=(
            "Krippendorff's alpha is 1 − D / E, where D is the disagreement seen within items and E the one expected "
            "from all responses together (Krippendorff 2004). Intervals add the variance of items (drawn with "
            "replacement) to that of raters (left out in turn), on Fisher's scale.",
        ),
        limits=(
            "Agreement is not correctness: raters may agree on a wrong answer.",
            "Chance-corrected coefficients are low where almost all answers are alike, even if raters agree often.",
        ),
        next=tuple(next_steps),
    )


def of_table(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a described table: of its agreement, its raters, and the parts of an advantage."""
    rated = [part.agreement for part in result.sources if part.agreement is not None]
    found = [of_agreement(one, asked, data) for one in rated[:1]]
    done, limits, steps = (
        [said for one in found for said in getattr(one, name)] for name in ("done", "limits", "next")
    )
    if any(rater.stands_out for one in rated for rater in one.raters):
        done.append(
            "A rater is compared with the mean and the spread of the others (Student's t), at α = 5% for all "
            "raters of a source together."
        )
    parts = result.components
    if parts is not None:
        done.append(
            "The advantage is taken apart by analysis of variance into items, raters and the rest; intervals of the "
            "components are those of Ting et al. (1990, Journal of Statistical Computation and Simulation 35, 135–143)."
        )
        limits.append(f"The components are those of {parts.metric}; another metric has others.")
        steps.append("Ask `howsure plan` what a study of another size may expect, and what it costs.")
    if result.strata:
        limits.append(
            "An advantage by agreement of gold is for these raters, and the strata are not adjusted for being several."
        )
    return Account(done=tuple(done), limits=tuple(limits), next=tuple(steps))


def of_diagnosis(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a look at files."""
    return Account(
        done=("The files were opened, their formats and columns recognised, and their contents counted.",),
        limits=("The responses were not analysed.",),
        next=("Run one of the suggested commands.",),
    )
