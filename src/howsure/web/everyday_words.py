"""What the page calls things: options in everyday words, metrics in words, messages without option names.

The name of an option is its tooltip, so that what is learnt here works on the command line.
"""

import re
from collections.abc import Sequence

from howsure.documents.numbers import in_words, interval, minus, number
from howsure.wording.options import spelled

LABELS = {
    "a": "Model A", "accuracy_points": "Difference in percentage points", "aggregate": "Combine tasks by",
    "all_pairs": "Compare all pairs of systems", "alpha": "Level of the test", "alternative": "Look for",
    "b": "Model B", "baseline": "Compare only with", "better": "Better is", "budget": "Answers I can pay for",
    "by": "Separately for each", "cluster": "Items belong together by", "columns": "Columns",
    "confidence_level": "Confidence", "correction": "Many comparisons", "cost": "Column of costs",
    "cost_item": "Cost of an item", "cost_rater": "Cost of a rater", "cost_rater_hour": "Cost of a rater's hour",
    "cost_response": "Cost of an answer", "cost_run": "Cost of a model's answer", "count": "Column of counts",
    "decimal": "Decimal sign", "delta": "Difference to test against", "design": "Segments", "detectable":
    "Also show the smallest difference found", "difference": "Difference that matters", "effect":
    "Difference to find", "effect_alpha": "Level of the intervals", "effect_size": "Effect sizes", "encoding":
    "Letters are coded as", "epsilon": "How much worse B is (0 to 1)", "filter": "Filter of the log", "gold":
    "Human answers (gold)", "interval": "Kind of interval", "item": "Column of items", "items": "Items are",
    "labels": "Labels that differ only in spelling", "margin": "Differences smaller than this do not matter",
    "max_cost": "Money for the study", "metric": "Measure", "missing": "Missing answers", "model": "Models",
    "n_items": "Items", "n_raters": "Raters", "n_resamples": "Resamples", "n_responses": "Answers per item",
    "n_simulations": "Simulated studies", "next": "More answers", "normality_alpha": "Level of the normality test",
    "null": "Test", "only": "Sources", "order": "Labels, lowest first", "paper": "Paper", "perturbation":
    "How B is made worse", "plan": "Adjacent ranks to separate", "pool": "Settings to ignore", "positive":
    "Positive label",
    "power_alpha": "Level of the test", "power_method": "New studies are", "preference": "Source of preferences",
    "rater": "Column of raters", "rater_ids": "Names of raters", "raters": "Raters are", "raters_per_item":
    "Raters per item", "repeat": "Column of runs", "responses": "Answers used", "scale": "Scale", "scheme":
    "What is resampled", "scorer": "Scorer of the log", "sd": "Standard deviation of the differences", "seed": "Seed",
    "sheet": "Sheet of the workbook", "shuffle": "Shuffle segments with seed", "sizes": "Sizes of studies", "source":
    "Column of sources", "steps": "Number of sizes", "table": "Table", "target_p": "Mean p-value to reach",
    "target_power": "Power to reach", "target_width": "Width of the interval to reach", "test": "Test", "threshold":
    "An item is positive from", "tie": "Label of a tie", "tolerance": "Change that counts as none", "top":
    "How many to show", "unit_size": "Segments per evaluation unit", "unit_statistic": "Score of a unit", "value":
    "Column of answers", "where": "Only rows where", "win_rate": "Share of items that A wins", "winner":
    "Column of votes",
}  # fmt: skip
"""Options in everyday words; others are called by their names."""

MEASURES = {
    "mae": "mean distance from {gold}", "rmse": "root mean squared distance from {gold}",
    "spearman": "the rank order of {gold}", "wins": "share of items where it is closer to {gold}",
    "accuracy": "share of items it gets right", "tv": "distance between shares of answers",
    "rating higher": "mean rating, higher is better", "rating lower": "mean rating, lower is better",
    "win-rate": "share of items won", "mse": "mean squared distance from {gold}",
    "emd": "distance between distributions of answers", "kl": "divergence between shares of answers",
}  # fmt: skip
"""Metrics (with the direction of better, where it is open) as a menu calls them."""

CHOICES = {
    "": "automatic", "two-sided": "any difference", "greater": "A is better", "less": "A is worse",
    "random": "a sample: the answer is for raters like these", "fixed": "the only ones that count",
    "nominal": "labels without order", "ordinal": "ordered steps", "interval": "numbers", "continuous": "numbers",
    "leave-out": "are left out", "bounds": "are left out; also show how far they could matter",
    "paired": "the same for both systems", "independent": "each system its own",
}  # fmt: skip


def label_of(name: str) -> str:
    """Return what a form calls an option.

    Examples
    --------
    >>> label_of("n_items"), label_of("task_effect")
    ('Items', 'Task effect')
    """
    return LABELS.get(name) or name.replace("_", " ").capitalize()


def humanly(message: str) -> str:
    """Return a message that calls options what the page calls them.

    Examples
    --------
    >>> humanly("`n_items` must be at least 1; got 0.")
    '“Items” must be at least 1; got 0.'
    >>> humanly("treat all values as labels with `scale='nominal'` or --scale nominal.")
    'Treat all values as labels with “Scale”: labels without order or “Scale”: labels without order.'
    """
    said = spelled(message, lambda name, value: f"“{label_of(name)}”" if value is None else _set(name, value))
    # Notes that show a command.
    return sentence(re.sub(r"--([a-z][a-z-]+)(?:[ =]([a-z][\w-]*)\b(?=[.,;:) ]|$))?", _flagged, said))


def _flagged(found: "re.Match[str]") -> str:
    name = found[1].replace("-", "_")
    value = found[2]
    if value in CHOICES:
        return _set(name, value)
    return f"“{label_of(name)}”" + (f" {value}" if value else "")


def _set(name: str, value: str) -> str:
    return f"“{label_of(name)}”: {CHOICES.get(value, value)}"


def measures(kind: str, gold: str, better: str = "") -> list[tuple[str, str]]:
    """Return the menu of metrics for a scale, the default first: its value and its words."""
    if not gold:
        names = ["rating lower", "rating higher"] if better == "lower" else ["rating higher", "rating lower"]
        names += ["win-rate"]
    elif kind == "nominal":
        names = ["accuracy", "tv", "kl"]
    else:
        names = ["mae", "rmse", "spearman", "wins", *(["accuracy"] if kind == "ordinal" else [])]
    return [(name, MEASURES[name].format(gold=short(gold) or "people")) for name in names]


def short(name: str) -> str:
    """Return a source as a sentence names it: a condition by its value.

    Examples
    --------
    >>> short("kind=human"), short("gpt-4")
    ('human', 'gpt-4')
    """
    return name.partition("=")[2] or name


def p_said(shown: str) -> str:
    """Return "p = .041" or "p < .001" of a p-value as text.

    Examples
    --------
    >>> p_said("0.041"), p_said("1.4e-07"), p_said("< 0.0002")
    ('p = .041', 'p < .001', 'p < .0002')
    """
    try:
        if float(shown.removeprefix("< ")) < 0.0001:
            return "p < .001"
    except ValueError:
        return f"p {shown}"
    return f"p {in_words(shown)}"


def in_hundred(power: float) -> str:
    """Return how many of 100 studies.

    Examples
    --------
    >>> in_hundred(0.234), in_hundred(0.999), in_hundred(0.001)
    ('23', 'over 99', 'under 1')
    """
    return "over 99" if power > 0.995 else "under 1" if power < 0.005 else f"{100 * power:.0f}"


def between(low: float, high: float, error: float) -> str:
    """Return "−0.11 and 3.02" of an interval."""
    return interval(low, high, error).replace(" to ", " and ")


def plural(n: float, word: str) -> str:
    """Return "1 item" or "1,200 items".

    Examples
    --------
    >>> plural(1, "item"), plural(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,.0f} {word}{'' if n == 1 else 's'}"


def signed(value: float, error: float) -> str:
    """Return a number with its sign."""
    said = number(abs(value), error)
    return f"+{said}" if value > 0 else minus(f"-{said}") if value < 0 else said


def ago(seconds: float) -> str:
    """Return how long ago, in words.

    Examples
    --------
    >>> ago(20), ago(300), ago(7300), ago(200_000)
    ('just now', '5 minutes ago', '2 hours ago', '2 days ago')
    """
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(seconds // size, word)} ago"
    return "just now"


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning, unless that is a name such as ratings.csv or gpt-4.

    Examples
    --------
    >>> sentence("mean rating"), sentence("ratings.csv, line 4 is empty.")
    ('Mean rating', 'ratings.csv, line 4 is empty.')
    """
    word = text.split(" ", 1)[0].rstrip(",:;")
    return text[:1].upper() + text[1:] if word.isalpha() else text


def few_words(text: str, most: int = 12) -> str:
    """Return the beginning of a sentence that has at most so many words: up to a colon, a comma or a bracket.

    Examples
    --------
    >>> few_words("The raters agree moderately: alpha is 0.52, which is a lot less than people hope for in studies.")
    'The raters agree moderately.'
    """
    first = re.split(r"(?<=[.?!]) ", text, maxsplit=1)[0]
    for mark in (": ", " (", "; ", ", "):
        if len(first.split()) <= most:
            break
        first = first.split(mark)[0]
    words: Sequence[str] = first.split()
    cut = " ".join(words[:most]) + ("…" if len(words) > most else "")
    return cut if cut.endswith((".", "?", "!", "…")) else cut + "."
