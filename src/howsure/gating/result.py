"""What a gate answers: a verdict with its exit code, shown as text, JSON, JUnit and a comment on a pull request."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

from howsure.documents import Block, Code, Column, Document, Measured, Sentence, Table, details, markdown
from howsure.documents.numbers import counted, error_of, number, subtracted
from howsure.documents.text import plain
from howsure.gating.more_data import MoreData
from howsure.gating.rule import CLAIMS, EXIT_CODES, GateRule, Verdict
from howsure.inference import ConfidenceInterval, Estimate
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import brief, cells, ci, ci_column
from howsure.wording.sentences import labelled_items

MARKER = "<!-- howsure-gate -->"
"""By this line an action finds its own comment on a pull request again."""

WIDTH = 41
"""The columns of the interval that is drawn with letters."""

AGAIN = (
    "Do not add items to these and test again: each further look is another chance to pass by luck. Plan the looks "
    "before the first one (`looks`), or run a new gate on new items."
)
MORE_LABELS = (
    "Do not add labels to these and test again: each further look is another chance to pass by luck. Run a new gate on "
    "new items."
)


@dataclass(frozen=True, slots=True)
class ItemChanges:
    """On how many items the candidate is worse, better, and equal.

    Attributes
    ----------
    harmful, beneficial, unchanged : int
    """

    harmful: int
    beneficial: int
    unchanged: int

    @property
    def sentence(self) -> str:
        """The flips in words."""
        return (
            f"The candidate is worse on {counted(self.harmful, 'item')}, better on {self.beneficial:,}, and equal on "
            f"{self.unchanged:,}."
        )


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item on which the candidate lost most: both scores, and the difference."""

    item: str
    candidate: float
    baseline: float
    advantage: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """The verdict on all items, or on one slice.

    Attributes
    ----------
    slice : str
        Empty for all items.
    verdict : str
    candidate_score, baseline_score, advantage, standard_error : float
        The advantage is positive where the candidate is better.
    confidence_interval : ConfidenceInterval
        At level 1 − 2α: its ends decide.
    pvalue_pass, pvalue_fail : float
        One-sided, for and against the claim; of slices adjusted for their number (Holm).
    n_items : int
    flips : ItemChanges or None
        None where the metric has no item scores.
    """

    slice: str
    verdict: Verdict
    candidate_score: float
    baseline_score: float
    advantage: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    pvalue_pass: float
    pvalue_fail: float
    n_items: int
    flips: ItemChanges | None = None

    @property
    def as_estimate(self) -> Estimate:
        """The advantage with its interval; the p-values are those of the gate's claim."""
        return Estimate(self.advantage, self.confidence_interval, self.standard_error)


@dataclass(frozen=True, slots=True)
class MissingAnswers:
    """What failed and missing samples could change.

    Attributes
    ----------
    candidate, baseline : int
        How many samples of each have no score.
    rate : float
        The larger share of samples without a score.
    best, worst : str
        The verdict if all of them were best, or worst, for the candidate; empty where they cannot be bounded.
    """

    candidate: int
    baseline: int
    rate: float
    best: Verdict | str = ""
    worst: Verdict | str = ""


@dataclass(frozen=True, slots=True)
class Looks:
    """Where a gate with several looks stands.

    Attributes
    ----------
    kind : {"inverse-normal", "obrien-fleming", "betting", "asymptotic"}
    look, planned : int
        The number of this look, and how many were planned; 0 where the end is open.
    n_items, max_items : int
        Items seen so far, and planned in all; 0 where the end is open.
    passing, failing, critical : float
        The evidence for and against the claim, and the value from which it decides. Normal quantiles; of bets, the
        capital.
    """

    kind: str
    look: int
    planned: int
    n_items: int
    max_items: int
    passing: float
    failing: float
    critical: float


@dataclass(frozen=True, slots=True)
class JudgeAlone:
    """How much of the data people labelled, and what the judge would say without them.

    Attributes
    ----------
    name : str
        What the judge is called.
    n_labelled, n_items, n_raters : int
        Labelled items, all items, and the people who labelled (0 or 1 where they are unknown).
    verdict : str
        Of the judge alone.
    advantage : float
        Of the candidate, by the judge alone.
    confidence_interval : ConfidenceInterval
        Of that advantage; it ignores that the judge may be biased.
    advice : str
        Whether more raters or more labelled items would help more.
    """

    name: str
    n_labelled: int
    n_items: int
    n_raters: int
    verdict: Verdict
    advantage: float
    confidence_interval: ConfidenceInterval
    advice: str

    def sentence(self, candidate: str, baseline: str) -> str:
        """Say how many items were labelled by whom, and what the judge alone would say."""
        labelled = labelled_items(self.n_labelled, self.n_items, self.n_raters)
        if self.n_labelled == self.n_items:
            return f"{labelled}, so {self.name} adds nothing."
        if math.isnan(self.advantage):
            return f"{labelled}; what {self.name} alone would say is undefined."
        error = error_of(self.confidence_interval, self.advantage)
        better = candidate if self.advantage > 0 else baseline
        by = f"{better} better by {number(abs(self.advantage), error)}" if self.advantage else "no difference"
        return f"{labelled}; {self.name} alone would say {self.verdict} ({by})."


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult(Signed):
    """The answer of a gate.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive", "futile"}
    exit_code : int
        0 pass, 1 fail, 2 inconclusive or futile.
    reason : str
        Why the verdict is not that of all items alone: a slice, missing samples, a look to come; else empty.
    claim : {"non-inferior", "superior", "equivalent"}
    margin, confidence_level : float
    candidate, baseline : str
        What the models are called.
    metric, title, better : str
    overall : Measurement
    slices : tuple of Measurement
    worst_items : tuple of ItemChange
    missing : MissingAnswers or None
    more : MoreData or None
        What would decide an inconclusive gate.
    looks : Looks or None
    judge : JudgeAlone or None
        Where people labelled some items and a judge scored all.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("exit_code", "sentence", "signature")

    verdict: Verdict
    reason: str
    claim: str
    margin: float
    confidence_level: float
    candidate: str
    baseline: str
    metric: str
    title: str
    better: str
    overall: Measurement
    slices: tuple[Measurement, ...] = ()
    worst_items: tuple[ItemChange, ...] = ()
    missing: MissingAnswers | None = None
    more: MoreData | None = None
    looks: Looks | None = None
    judge: JudgeAlone | None = None
    notes: tuple[str, ...] = ()
    provenance: Provenance

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 2 inconclusive or futile."""
        return EXIT_CODES[self.verdict]

    @property
    def rule(self) -> GateRule:
        """What was claimed."""
        return GateRule(CLAIMS[self.claim], self.margin, self.confidence_level)

    @property
    def sentence(self) -> str:
        """The verdict in one or two sentences, and one about a judge."""
        return f"{self.verdict.capitalize()}: {self.claimed} {self.numbers}"

    @property
    def claimed(self) -> str:
        """What may be said, and why it is not more."""
        names = (self.candidate, self.baseline, number(self.margin))
        if self.verdict == self.overall.verdict or not self.reason:
            return f"{self.rule.shown(self.verdict, *names)}."
        return self.reason

    @property
    def numbers(self) -> str:
        """Both scores, and how they differ; then who labelled, where a judge did the rest."""
        if self.judge is None:
            return self._difference
        return f"{self._difference} {self.judge.sentence(self.candidate, self.baseline)}"

    @property
    def _difference(self) -> str:
        found, ends = self.overall, self.overall.as_estimate.unsigned().confidence_interval
        candidate, baseline, by, shown = subtracted(found.candidate_score, found.baseline_score, found.advantage, ends)
        title = f"{self.title[0].upper()}{self.title[1:]}"
        way = "higher" if (found.advantage >= 0) == (self.better == "higher") else "lower"
        by = f"{f'{way} by {by}' if found.advantage else 'no difference'} ({ci(ends.confidence_level)} {shown})"
        if self.looks is None or (self.looks.look == 1 and self.provenance.parameters.get("cluster") is None):
            return f"{title} {candidate} vs {baseline}, {by}."
        # The scores are those of the items in these files, so that they do not subtract to the difference of all units.
        unit = "item" if self.provenance.parameters.get("cluster") is None else "cluster"
        scores = f"{title} {candidate} vs {baseline} in these files"
        return f"{scores}; over all {counted(self.looks.n_items, unit)}, {by}."

    @property
    def bar(self) -> str:
        """The interval drawn with letters: M at the edges of the margin, 0 at no difference, * at the estimate."""
        return interval_bar(self.overall, self.rule)

    def document(self) -> Document:
        """Return verdict, interval, what would decide it, slices, and the items that lost most."""
        blocks: list[Block] = [Sentence(self.sentence, "verdict"), Code(f"{self.bar}\n{LEGEND}")]
        blocks += [Sentence(said) for said in self.advice]
        if self.overall.flips is not None:
            blocks.append(Sentence(self.overall.flips.sentence))
        blocks += [_slices(self.slices)] if self.slices else []
        if self.worst_items:
            blocks += [_items(self.worst_items)] if self.verdict != "pass" else details([_items(self.worst_items)])
        blocks += details([_table(self)])
        title = f"May {self.candidate} replace {self.baseline}?"
        return Document(title, tuple(blocks), self.notes, self.signature)

    @property
    def advice(self) -> list[str]:
        """What else the reader must know: the next look, or what would decide the gate."""
        said = []
        if self.looks is not None:
            said.append(look_sentence(self.looks, self.verdict))
        if self.more is not None and self.verdict == "inconclusive":
            said.append(self.more.sentence)
        if self.looks is None and self.verdict == self.overall.verdict == "inconclusive":
            said += [AGAIN] if self.judge is None else [self.judge.advice, MORE_LABELS]
        return [line for line in said if line]

    def junit(self) -> str:
        """Return the verdicts as a JUnit file: a test for all items, and one for each slice."""
        rows = [self.overall, *self.slices]
        shown = {"fail": "failure", "inconclusive": "skipped", "futile": "skipped"}
        verdicts = [self.verdict, *(row.verdict for row in self.slices)]
        failed, skipped = verdicts.count("fail"), sum(verdict in ("inconclusive", "futile") for verdict in verdicts)
        lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        counts = f'tests="{len(rows)}" failures="{failed}" errors="0" skipped="{skipped}"'
        lines.append(f'<testsuite name="howsure gate" {counts}>')
        for row, verdict in zip(rows, verdicts, strict=True):
            name = plain(row.slice or f"{self.candidate} against {self.baseline}")
            lines.append(f"  <testcase classname={quoteattr('howsure.gate')} name={quoteattr(name)}>")
            said = plain(self.sentence) if not row.slice else plain(slice_sentence(row))
            if verdict in shown:
                kind = ' type="gate"' if verdict == "fail" else ""
                lines.append(f"    <{shown[verdict]} message={quoteattr(said)}{kind}/>")
            lines.append(f"    <system-out>{escape(said)}</system-out>")
            lines.append("  </testcase>")
        lines.append("</testsuite>")
        return "\n".join(lines) + "\n"

    def comment(self) -> str:
        """Return a comment for a pull request, in Markdown, with the details folded."""
        marks = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "futile": "❔"}
        head = [MARKER, f"### {marks[self.verdict]} howsure gate: {self.verdict}", ""]
        body = [
            markdown.escape(f"{self.claimed[0].upper()}{self.claimed[1:]} {self.numbers}"),
            "",
            "```",
            self.bar,
            "```",
            "",
        ]
        body += [line for said in self.advice for line in (markdown.escape(said), "")]
        folded = ["<details><summary>Details</summary>", "", markdown.render(self.document()), "</details>"]
        return "\n".join([*head, *body, *folded]) + "\n"


def look_sentence(looks: Looks, verdict: Verdict) -> str:
    """Say which look this is, and what may follow."""
    if not looks.planned:
        kind = "exact at every look" if looks.kind == "betting" else "asymptotic: it holds from about 100 items on"
        at = f"{counted(looks.n_items, 'item')} seen; the gate is {kind}."
        if verdict == "futile":
            return f"{at} Stop: a pass by {counted(looks.max_items, 'item')} has a chance below 5%."
        return at if verdict != "inconclusive" else f"{at} Add items in random order and run the same command again."
    at = f"Look {looks.look} of {looks.planned}, {counted(looks.n_items, 'item')} in all."
    if verdict != "inconclusive":
        return f"{at} The gate is decided: no further look."
    if looks.look == looks.planned:
        return f"{at} It was the last one: run a new gate on new items."
    if looks.max_items:
        return f"{at} Add new items in random order, up to {looks.max_items:,}, and run the same command again."
    return f"{at} Add any number of new items and run the same command again: the rule for two looks keeps the error."


def slice_sentence(row: Measurement) -> str:
    """Return the verdict on a slice in one line."""
    return f"{row.slice}: {row.verdict}, advantage {brief(row.advantage, row.confidence_interval)}"


LEGEND = "M: margin, 0: no difference, *: estimate, ( ): its interval"


def interval_bar(found: Measurement, rule: GateRule, width: int = WIDTH) -> str:
    """Draw an interval with letters.

    Examples
    --------
    >>> ends = ConfidenceInterval(-0.01, 0.03, "score", 0.9)
    >>> row = Measurement("", "pass", 0.8, 0.79, 0.01, 0.012, ends, 0.001, 0.9, 500)
    >>> print(interval_bar(row, GateRule(CLAIMS["non-inferior"], 0.02)))
    -0.04 |..........M....(====0====*=========).....| 0.04
    """
    edges = [edge for edge in rule.region if math.isfinite(edge)]
    ends = found.confidence_interval
    marks = [0.0, *edges, *(end for end in (ends.low, ends.high, found.advantage) if math.isfinite(end))]
    reach = 1.0001 * (max(map(abs, marks)) or 1.0)
    power = 10.0 ** math.floor(math.log10(reach))
    reach = float(f"{math.ceil(reach / power) * power:.1g}")  # the next number with one digit

    def place(value: float) -> int:
        return round((min(max(value, -reach), reach) + reach) / (2 * reach) * (width - 1))

    cells = ["."] * width
    defined = not math.isnan(ends.low)
    for i in range(place(ends.low), place(ends.high) + 1) if defined else ():
        cells[i] = "="
    cells[place(0.0)] = "0"
    if defined:
        cells[place(ends.low)], cells[place(ends.high)] = "(", ")"
    for edge in edges:
        cells[place(edge)] = "M"
    if math.isfinite(found.advantage) and cells[place(found.advantage)] not in "M0()":
        cells[place(found.advantage)] = "*"
    return f"{-reach:g} |{''.join(cells)}| {reach:g}"


def _table(result: GateResult) -> Table:
    found = result.overall
    error = error_of(found.confidence_interval, found.advantage)
    columns = (
        Column("metric"),
        Column(result.candidate, "number"),
        Column(result.baseline, "number"),
        Column("advantage", "number"),
        ci_column(found.confidence_interval.confidence_level),
        Column("p of the claim", "pvalue"),
        Column("items", "count"),
        Column("interval"),
    )
    values = (found.candidate_score, found.baseline_score, found.advantage, found.confidence_interval)
    row = (result.metric, *(Measured(value, error) for value in values), found.pvalue_pass, found.n_items)
    return Table(columns, ((*row, found.confidence_interval.method),))


def _slices(rows: Sequence[Measurement]) -> Table:
    columns = (
        Column("slice"),
        Column("verdict"),
        Column("items", "count"),
        Column("advantage", "number"),
        ci_column(rows[0].confidence_interval.confidence_level),
        Column("adjusted p of a loss", "pvalue"),
    )
    shown = []
    for row in rows:
        values = cells(row.advantage, row.confidence_interval)
        shown.append((row.slice, row.verdict, row.n_items, *values, row.pvalue_fail))
    return Table(columns, tuple(shown), "Slices: a loss in any of them fails the gate (p-values adjusted by Holm)")


def _items(items: Sequence[ItemChange]) -> Table:
    columns = (
        Column("item"),
        Column("candidate", "number"),
        Column("baseline", "number"),
        Column("advantage", "number"),
    )
    rows = tuple((one.item, one.candidate, one.baseline, one.advantage) for one in items)
    return Table(columns, rows, "Items on which the candidate lost most")
