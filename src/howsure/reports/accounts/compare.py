"""What a comparison did, what it leaves open on these data, and how many items or raters would settle it."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.comparison import Comparison, Comparisons
from howsure.documents import Code
from howsure.documents.numbers import about, error_of, number
from howsure.inference.solving import POWER, units_needed
from howsure.intervals import INTERVALS
from howsure.metrics import formula_of
from howsure.nulls import NULLS
from howsure.reports.accounts.base import CORRECTIONS, Account
from howsure.wording.estimates import ci
from howsure.wording.sentences import few_raters

if TYPE_CHECKING:
    from howsure.questions.base import Question

NAMED = 5
MOST = 10_000_000


def account(result: Comparison | Comparisons, asked: "Question | None", data: Any) -> Account:
    """Return the account of one comparison or of several."""
    entries = [result] if isinstance(result, Comparison) else list(result)
    correction = result.correction if isinstance(result, Comparisons) else "none"
    return Account(
        done=(" ".join([*_scores(entries), *_test(entries[0]), *_together(entries, correction)]),),
        limits=tuple(_limits(entries, data)),
        next=tuple(_next(entries)),
        commands=tuple(_commands(asked, entries)),
        again=tuple(_again(entries)),
    )


def _scores(entries: list[Comparison]) -> list[str]:
    said = []
    for metric in dict.fromkeys(entry.metric for entry in entries):
        entry = next(one for one in entries if one.metric == metric)
        if told := formula_of(metric):
            said.append(f"{entry.title[0].upper()}{entry.title[1:]}: {told}.")
    higher = entries[0].better == "higher"
    first, second = ("A", "B") if higher else ("B", "A")
    said.append(
        f"The advantage is the score of {first} minus the score of {second}, so a positive advantage means that A "
        f"({entries[0].names[1]}) is better than B ({entries[0].names[2]})."
    )
    return said


def _test(entry: Comparison) -> list[str]:
    null = NULLS[entry.null]
    said = [f"{null.account[0].upper()}{null.account[1:]}."]
    if null.counts_resamples:
        draws = (
            "It is computed from all arrangements, not from a sample of them"
            if entry.exact
            else (f"It uses {entry.n_resamples:,} resamples, with 1 added to count and number (Phipson and Smyth 2010)")
        )
        said.append(f"{draws}.")
    method = INTERVALS[entry.confidence_interval.method]
    said.append(f"The {ci(entry.confidence_interval.confidence_level)} {method.says}.")
    if entry.margin is not None:
        said.append("Claims about the margin are two one-sided tests (Schuirmann 1987).")
    return said


def _together(entries: list[Comparison], correction: str) -> list[str]:
    if len(entries) < 2 or not CORRECTIONS.get(correction):
        return []
    return [f"The p-values of the {len(entries)} comparisons are adjusted by {CORRECTIONS[correction]}."]


def _limits(entries: list[Comparison], data: Any) -> list[str]:
    first = entries[0]
    gold, a, b = first.names
    said = [f"The verdict holds for items like these {first.n_items:,}, not for other kinds of items."]
    if first.n_items < 30:
        said.append(f"{first.n_items} items are few: the interval itself is uncertain.")
    if any(not entry.as_estimate.is_significant for entry in entries):
        said.append(f"No clear difference does not mean that {a} and {b} are equal: a small difference may be missed.")
    if gold:
        said.append(f"The comparison does not show whether {gold} is right: it measures how near the models are to it.")
        if not math.isnan(first.n_responses.get("gold", math.nan)) and first.n_responses["gold"] < 2:
            said.append(f"{gold} has one response per item, so its own noise cannot be estimated.")
    if first.rater_answers is None and not NULLS[first.null].random_raters:
        said.append("Raters are held fixed: the verdict does not generalise to other raters.")
    if any(entry.rater_answers is not None and entry.rater_answers.n_raters < 6 for entry in entries):
        n = next(entry.rater_answers.n_raters for entry in entries if entry.rater_answers is not None)
        said.append(f"{few_raters(n)}: a p-value near .05 is only a hint.")
    if len(entries) > 1:
        said.append("A comparison by several metrics or slices has several verdicts; report all of them.")
    return said


def _next(entries: list[Comparison]) -> list[str]:
    said = [line for entry in entries[:NAMED] for line in _settle(entry, n_tests=len(entries), named=len(entries) > 1)]
    rest = len(entries) - NAMED
    return [*said, *([f"This report has no forecast for {rest} further comparisons."] if rest > 0 else [])]


def _settle(entry: Comparison, *, n_tests: int, named: bool) -> list[str]:
    """Return what would settle one comparison, from the standard error of its advantage."""
    what = ", ".join(part for part in (entry.slice, entry.metric) if part)
    where = f"{what}: " if named else ""
    error, advantage = entry.standard_error, abs(entry.advantage)
    seen = number(advantage, error_of(entry.confidence_interval, entry.advantage))
    if not error > 0 or math.isnan(advantage):
        return [
            f"{where}The standard error of the advantage is unknown, so the required number of items is unknown, too."
        ]
    if entry.as_estimate.is_significant:
        return [
            f"{where}The difference is significant. For an interval half as wide, collect about "
            f"{about(4 * entry.n_items)} {_units(entry)} instead of {entry.n_items:,}."
        ]
    sides = 2 if entry.alternative == "two-sided" else 1
    alpha = (1 - entry.confidence_interval.confidence_level) / n_tests
    said = []
    if entry.rater_answers is not None and entry.rater_error is not None:
        said += _with_raters(entry, alpha=alpha, sides=sides)
    elif advantage > 0:
        needed = units_needed(entry.n_items, error, advantage, alpha=alpha, sides=sides)
        if needed > MOST:
            said.append(f"The observed difference ({seen}) is too small to be found with {MOST:,} items.")
        else:
            said.append(
                f"For 80% power at a true difference as large as the observed one ({seen}), collect "
                f"about {about(needed)} items; there are {entry.n_items:,}."
            )
            said.append(
                "The observed difference is uncertain: if the true one is half of it, 4 times as many are required."
            )
    if entry.margin is not None and advantage < entry.margin.margin:
        room = entry.margin.margin - advantage
        needed = units_needed(entry.n_items, error, room, alpha=alpha, sides=1)
        said.append(
            f"To show that they differ by less than {number(entry.margin.margin)}, if the true difference is the "
            f"observed one, collect about {about(needed)} items."
        )
    return [f"{where}{line}" for line in said] or [
        f"{where}No difference was observed; decide which difference would matter."
    ]


def _with_raters(entry: Comparison, *, alpha: float, sides: int) -> list[str]:
    """Return how many raters it takes, and whether more items could do instead."""
    assert entry.rater_answers is not None
    raters, advantage = entry.rater_answers.n_raters, abs(entry.advantage)
    seen = number(advantage, error_of(entry.confidence_interval, entry.advantage))
    if advantage == 0:
        return []
    of_items = 0.0 if entry.evidence is None else float(np.nan_to_num(entry.evidence.errors[0])) ** 2
    of_raters = max(entry.standard_error**2 - of_items, 0.0)
    room = advantage**2 / units_needed(1, 1, 1, alpha=alpha, sides=sides)
    said = [f"Raters contribute {100 * of_raters / entry.standard_error**2:.0f}% of the variance of the advantage."]
    if of_raters >= room:
        said.append(
            f"More items alone cannot give 80% power for a true difference of {seen}; use more than {raters} raters."
        )
    if of_items < room and of_raters > 0:
        needed = raters * of_raters / (room - of_items)
        said.append(
            f"With the same items about {about(max(needed, raters + 1))} raters are required; there are {raters}."
        )
    else:
        times = entry.standard_error**2 / room
        said.append(
            f"About {about(times * entry.n_items)} items and {about(times * raters)} raters are required; there "
            f"are {entry.n_items:,} and {raters}."
        )
    return said


def _units(entry: Comparison) -> str:
    return "items, and 4 times as many raters," if entry.rater_error is not None else "items"


def _commands(asked: "Question | None", entries: list[Comparison]) -> list[str]:
    """Return the plan that goes on from these data as a pilot."""
    from howsure.questions.compare import Compare
    from howsure.questions.plan import Plan

    if not isinstance(asked, Compare) or not asked.files or all(entry.as_estimate.is_significant for entry in entries):
        return []
    shared = ("files", "item", "source", "value", "rater", "scale", "order", "where", "gold", "preference", "tie",
              "threshold", "positive", "better")  # fmt: skip
    given = {name: getattr(asked, name) for name in shared}
    _, a, b = entries[0].names
    plan = Plan(**given, a=asked.a or a, b=asked.b or b, metric=(entries[0].metric,), target_power=POWER)
    return [plan.command]


def _again(entries: list[Comparison]) -> list[Code]:
    """Return the Python that compares once more, where no question says it."""
    first = entries[0]
    settings = first.provenance.parameters
    names = ("null", "items", "responses", "n_responses", "raters", "cluster", "interval", "confidence_level",
             "alternative", "n_resamples", "margin")  # fmt: skip
    given = {name: settings[name] for name in names if settings.get(name) is not None}
    if first.exact:  # an exact p-value takes no draws, and is not asked for by their number
        given.pop("n_resamples", None)
    if first.slice or len(entries) > 1:
        return []
    said = ", ".join(f"{name}={value!r}" for name, value in {"metric": first.metric, **given}.items())
    return [Code(f"import howsure\n\nresult = howsure.compare(contest, {said}, seed={first.seed})", "python")]
