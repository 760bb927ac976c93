"""The functions of `howsure`: one for each command, with the command's options as keyword parameters.

Each is made from its question when it is first used. The types are in functions.pyi, which scripts/stubs.py writes.
"""

from pkgutil import resolve_name

from howsure.questions.as_function import function_of

QUESTIONS = {
    "doctor": "howsure.questions.doctor:Doctor",
    "compare": "howsure.questions.compare:Compare",
    "leaderboard": "howsure.questions.leaderboard:Leaderboard",
    "gate": "howsure.questions.gate:Gate",
    "judge": "howsure.questions.judge:Judge",
    "score": "howsure.questions.score:Score",
    "reliability": "howsure.questions.reliability:Reliability",
    "describe": "howsure.questions.describe:Describe",
    "sample": "howsure.questions.sample:SampleItems",
    "fit": "howsure.questions.fit:Fit",
    "simulate": "howsure.questions.simulate:Simulate",
    "plan": "howsure.questions.plan:Plan",
    "audit": "howsure.questions.audit:Audit",
    "replicate": "howsure.questions.replicate:Replicate",
    "scores": "howsure.questions.scores:ScoresAnalyse",
    "power": "howsure.questions.scores:Power",
}
"""The question that each function asks."""


def __getattr__(name):
    if name not in QUESTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = function_of(resolve_name(QUESTIONS[name]))
    return globals()[name]
