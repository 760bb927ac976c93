"""The results of the steps of the workflow, which are made of other results."""

from dataclasses import dataclass, replace
from typing import ClassVar

from howsure.documents import Aside, Block, Document, Heading, Sentence, details
from howsure.inference.confidence import ConfidenceInterval
from howsure.paired.curves import PowerCurve
from howsure.paired.description import Description
from howsure.paired.effects import EffectSize, effect_blocks, effect_sentence
from howsure.paired.equivalence import Equivalence
from howsure.paired.flips import Flips
from howsure.paired.recommendation import Recommendation
from howsure.paired.significance import SignificanceTest
from howsure.paired.units import UnitSizes
from howsure.provenance import Provenance
from howsure.records import Record, Signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Signed):
    """What the scores look like and which tests fit.

    Attributes
    ----------
    description : Description
    unit_sizes : UnitSizes
    recommendation : Recommendation or None
        None where nothing varies.
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    description: Description
    unit_sizes: UnitSizes
    recommendation: Recommendation | None
    provenance: Provenance

    def document(self) -> Document:
        """Return summaries, unit sizes and the three lists of tests."""
        about, notes = self.description.document(), self.description.notes
        blocks: list[Block] = [*about.blocks, *details([Sentence(self.unit_sizes.sentence)])]
        if self.recommendation is not None:
            blocks = [Sentence(self.recommendation.sentence, "verdict"), *blocks]
            blocks += details([Heading("Which test"), *self.recommendation.document().blocks[1:]])
            notes += self.recommendation.notes
        return Document(about.title, tuple(blocks), notes, self.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects(Signed):
    """Several effect sizes of the same scores.

    Attributes
    ----------
    names : tuple of str
    n : int
    effects : tuple of EffectSize
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    names: tuple[str, str]
    n: int
    effects: tuple[EffectSize, ...]
    provenance: Provenance

    def document(self) -> Document:
        """Return a table of the effect sizes."""
        a, b = self.names
        notes = dict.fromkeys(note for size in self.effects for note in size.notes)
        verdict = Sentence(effect_sentence(self.effects[0], self.names), "verdict")
        signs = Sentence(f"Positive values mean that {a} scores higher than {b}.")
        blocks = (verdict, *effect_blocks(self.effects), signs)
        return Document(f"How large is the difference {a} − {b}?", blocks, tuple(notes), self.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Record):
    """A test, and what belongs to it.

    Attributes
    ----------
    significance : SignificanceTest
    equivalence : Equivalence or None
        If a margin was given.
    flips : Flips or None
        If all scores are 0 or 1.
    notes : tuple of str
        Why the test was chosen, if it was not asked for.
    """

    derived: ClassVar[tuple[str, ...]] = (
        "sentence",
        "test",
        "n",
        "estimand",
        "estimate",
        "confidence_interval",
        "statistic",
        "pvalue",
        "reject",
        "signature",
    )

    significance: SignificanceTest
    equivalence: Equivalence | None
    flips: Flips | None
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The finding in sentences that can be pasted into a paper."""
        parts = [part.sentence for part in (self.significance, self.equivalence) if part is not None]
        return " ".join(parts)

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.significance.test

    @property
    def n(self) -> int:
        """The number of differences."""
        return self.significance.n

    @property
    def estimand(self) -> str:
        """What is estimated."""
        return self.significance.estimand

    @property
    def estimate(self) -> float:
        """The difference; positive if the first system is higher."""
        return self.significance.estimate

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """The interval of the difference."""
        return self.significance.confidence_interval

    @property
    def statistic(self) -> float:
        """The statistic of the test."""
        return self.significance.statistic

    @property
    def pvalue(self) -> float:
        """The p-value."""
        return self.significance.pvalue

    @property
    def reject(self) -> bool:
        """Whether the test found a difference."""
        return self.significance.reject

    @property
    def signature(self) -> str:
        """The one line that says where the result comes from."""
        within, provenance = self.equivalence, self.significance.provenance
        if within is None:
            return provenance.signature
        return provenance.changed(margin=within.margin, kind=within.kind, margin_test=within.test).signature

    def document(self) -> Document:
        """Return the finding and its numbers."""
        about = self.significance.document()
        verdict, numbers = about.blocks
        within = () if self.equivalence is None else self.equivalence.document().blocks
        answers = () if self.flips is None else details(self.flips.document().blocks)
        notes = [*self.notes, *about.notes, *(() if self.equivalence is None else self.equivalence.notes)]
        blocks = (verdict, *within, numbers, *answers)
        return Document(about.title, blocks, tuple(dict.fromkeys(notes)), self.signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAnalysis(Finding):
    """Everything there is to say about two score lists; each part is a result of its own.

    Attributes
    ----------
    names : tuple of str
    unit_size, unit_statistic
        How segments became units.
    description : Description
    unit_sizes : UnitSizes
    recommendation : Recommendation
    significance : SignificanceTest
        Of the test that was asked for, or else of the first recommended one.
    equivalence : Equivalence or None
        If a margin was given.
    flips : Flips or None
        If all scores are 0 or 1.
    effects : tuple of EffectSize
        Those that go with the test come first.
    curve : PowerCurve
    notes : tuple of str
        What holds for the whole analysis.
    provenance : Provenance
    """

    names: tuple[str, str]
    unit_size: int
    unit_statistic: str
    description: Description
    unit_sizes: UnitSizes
    recommendation: Recommendation
    effects: tuple[EffectSize, ...]
    curve: PowerCurve
    provenance: Provenance

    @property
    def signature(self) -> str:
        """The one line that says where the analysis comes from."""
        return self.provenance.signature

    def document(self) -> Document:
        """Return everything, from description to power: the finding, the scores and the choice of the test first."""
        verdict, numbers = self.significance.document().blocks
        blocks: list[Block] = [verdict, *(() if self.equivalence is None else self.equivalence.document().blocks)]
        blocks.append(Sentence(self.recommendation.sentence))
        answers = () if self.flips is None else self.flips.document().blocks
        scores, *about = self.description.document().blocks
        power = [
            replace(block, role="") if isinstance(block, Sentence) else block for block in self.curve.document().blocks
        ]
        blocks += [*details([Heading("The scores")]), scores, *about, *details([Sentence(self.unit_sizes.sentence)])]
        blocks += details([Heading("Which test"), *self.recommendation.document().blocks[1:]])
        blocks += details([Heading("The test"), numbers, *answers])
        blocks += details([Heading("Effect size"), *effect_blocks(self.effects)])
        blocks += details([Heading("Power"), *power])
        first = [self.description.notes, () if self.equivalence is None else self.equivalence.notes]
        notes = [*self.notes, *(note for part in first for note in part)]
        notes += [Aside(note) for size in self.effects for note in size.notes]
        notes += [Aside(note) for note in self.curve.notes]
        return Document(" vs ".join(self.names), tuple(blocks), tuple(dict.fromkeys(notes)), self.signature)
