"""The account of a result, and who gives it."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from howsure.documents import Code

if TYPE_CHECKING:
    from howsure.questions.base import Question


@dataclass(frozen=True, slots=True)
class Account:
    """What a report says beyond the document of its result.

    Attributes
    ----------
    done : tuple of str
        What was done, with formula and reference: one paragraph each.
    limits : tuple of str
        What the result does not show, on these data.
    next : tuple of str
        What would settle what is open.
    commands : tuple of str
        Commands that go with it.
    again : tuple of Code
        How to get the result again where no question says it.
    """

    done: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    again: tuple[Code, ...] = ()


OF_SCORES = "howsure.reports.accounts.scores"
ACCOUNTS = {
    "Comparison": "howsure.reports.accounts.compare:account",
    "Comparisons": "howsure.reports.accounts.compare:account",
    "Leaderboard": "howsure.reports.accounts.leaderboard:account",
    "Leaderboards": "howsure.reports.accounts.leaderboard:account",
    "LeaderboardPlan": "howsure.reports.accounts.leaderboard:of_plan",
    "GateCheck": "howsure.reports.accounts.gate:of_check",
    "GateResult": "howsure.reports.accounts.gate:of_gate",
    "ModelScores": "howsure.reports.accounts.runs:of_scores",
    "JudgeReport": "howsure.reports.accounts.judging:of_report",
    "JudgedScores": "howsure.reports.accounts.judging:of_scores",
    "LabelBudget": "howsure.reports.accounts.judging:of_budget",
    "LabelSample": "howsure.reports.accounts.judging:of_sample",
    "JudgedComparison": "howsure.reports.accounts.judging:of_comparison",
    "Plan": "howsure.reports.accounts.plan:account",
    "Reliability": "howsure.reports.accounts.runs:of_reliability",
    "Audit": "howsure.reports.accounts.simulations:of_audit",
    "LeaderAudit": "howsure.reports.accounts.simulations:of_audits",
    "Fit": "howsure.reports.accounts.simulations:of_fit",
    "Replication": "howsure.reports.accounts.simulations:of_replication",
    "PaperFigure": "howsure.reports.accounts.simulations:of_figure",
    "Search": "howsure.reports.accounts.simulations:of_search",
    "Agreement": "howsure.reports.accounts.agreement:of_agreement",
    "TableDescription": "howsure.reports.accounts.agreement:of_table",
    "Sweep": "howsure.reports.accounts.simulations:of_sweep",
    "Simulation": "howsure.reports.accounts.simulations:of_simulation",
    "Diagnosis": "howsure.reports.accounts.agreement:of_diagnosis",
    "PairedAnalysis": f"{OF_SCORES}:of_finding",
    "Finding": f"{OF_SCORES}:of_finding",
    "SystemsComparison": f"{OF_SCORES}:of_systems",
    "Overview": f"{OF_SCORES}:of_overview",
    "Description": f"{OF_SCORES}:of_description",
    "UnitSizes": f"{OF_SCORES}:of_unit_sizes",
    "Effects": f"{OF_SCORES}:of_effects",
    "PowerCurve": f"{OF_SCORES}:of_curve",
    "PowerPlan": f"{OF_SCORES}:of_power_plan",
}
"""Who gives the account of which result: an address, so that one is given without importing the others."""


def account_of(result: Any, asked: "Question | None" = None, data: Any = None) -> Account:
    """Return the account of a result; an empty one for results that explain nothing further."""
    address = ACCOUNTS.get(type(result).__name__)
    if address is None:
        return Account()
    module, _, name = address.partition(":")
    found: Account = getattr(import_module(module), name)(result, asked, data)
    return found


CORRECTIONS = {
    "holm": "Holm (1979)",
    "benjamini-hochberg": "Benjamini and Hochberg (1995), which bounds the share of false findings",
    "westfall-young": "Westfall and Young (1993), which uses how the comparisons move together",
    "none": "",
}
"""The sentence of each correction for several comparisons, with its reference."""
