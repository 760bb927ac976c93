"""The question what files are and what can be done with them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from assay._fields import option
from assay.questions.base import HERE, Question, Run

if TYPE_CHECKING:
    from assay.io.diagnosis import Diagnosis


@dataclass(frozen=True, kw_only=True)
class Doctor(Question):
    """Say what files are, what they support, what they lack, and the commands to run next."""

    name: ClassVar[str] = "doctor"
    example: ClassVar[str] = "assay doctor ratings.csv"

    files: tuple[str, ...] = option((), "Tables, logs or exports.", positional=True)
    scorer: str | None = option(None, "Which scorer, metric or question of a log to take.")
    filter: str | None = option(None, "Which filter of an lm-evaluation-harness log to take.")
    encoding: str | None = option(None, "Encoding of text files that are not UTF-8, such as cp1252.")

    def answer(self, run: Run = HERE) -> "Diagnosis":
        """Look at the files."""
        from assay.io.diagnosis import doctor

        return doctor(self.files, scorer=self.scorer, filter=self.filter, encoding=self.encoding)
