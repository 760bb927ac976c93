"""The question what files are and what can be done with them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import like, option
from howsure.questions.base import HERE, Question, Run
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure.io.diagnosis import Diagnosis


@dataclass(frozen=True, kw_only=True)
class Doctor(Question):
    """Check input files: format, supported analyses, next commands.

    Reports which information is missing, and suggests the commands to run next.
    """

    name: ClassVar[str] = "doctor"
    function: ClassVar[str] = "doctor"
    examples: ClassVar[tuple[str, ...]] = ("howsure doctor ratings.csv", "howsure doctor .")

    files: tuple[str, ...] = option((), "Tables, logs, exports, or folders of them.", positional=True, metavar="FILE")
    scorer: str | None = like(TableFields, "scorer", group="")
    filter: str | None = like(TableFields, "filter", group="")
    encoding: str | None = like(TableFields, "encoding", group="")
    sheet: str | None = like(TableFields, "sheet", group="")

    def answer(self, run: Run = HERE) -> "Diagnosis":
        """Look at the files."""
        from howsure.io.diagnosis import doctor

        options = {"scorer": self.scorer, "filter": self.filter, "encoding": self.encoding, "sheet": self.sheet}
        with run.progress("reading", self._n_files()) as advance:
            return doctor(self.files, progress=advance, **options)

    def _n_files(self) -> int:
        from howsure.errors import HowsureError
        from howsure.io.files import named_files

        try:
            return len(named_files(self.files))
        except HowsureError:  # the doctor says what is wrong
            return 1
