"""Who gave the several responses of a source: raters, who are people (or judges) with a name, or repeats of one model.

The rule, for the columns of a wide table: columns whose names say run, sample, seed, … are repeats; columns whose names
say rater, annotator, human, … are raters; else columns that are told apart by names are raters, and columns that are
numbered or lettered are repeats. In a tidy table the rater column names raters, and a source without raters repeats.
"""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from howsure.errors import ArgumentError
from howsure.io.sheets import listed

PEOPLE = {
    "rater", "annotator", "annotation", "worker", "judge", "coder", "participant", "human", "person", "expert", "crowd",
    "crowdworker", "reviewer", "evaluator", "assessor", "labeler", "labeller", "subject", "user", "ann", "annot",
    "gold",
}  # fmt: skip
RUNS = {
    "run", "rep", "repeat", "repetition", "replicate", "epoch", "trial", "iteration", "iter", "attempt", "seed",
    "sample", "try", "generation", "gen", "rollout", "completion",
}  # fmt: skip
"""Words in the names of columns, in the singular."""


@dataclass(frozen=True, slots=True)
class Responders:
    """What the columns of a source are, and why."""

    are_raters: bool
    reason: str


def responders(
    chosen: Mapping[str, Sequence[str]], *, rater: str | Sequence[str] | None, repeat: str | Sequence[str] | None
) -> dict[str, Responders]:
    """Return what the columns of each source that has several are: as asked, else by their names.

    `rater` and `repeat` name sources or columns, with globs; an empty `rater` means that there are no raters.
    """
    asked = {"rater": _listed(rater), "repeat": _listed(repeat)}
    several = {name: columns for name, columns in chosen.items() if len(columns) > 1}
    found = {}
    for name, columns in several.items():
        sides = {role for role, specs in asked.items() for spec in specs if _names(spec, name, columns)}
        if len(sides) > 1:
            raise ArgumentError(f"the columns of {name} cannot be both raters and repeats (`rater`, `repeat`).")
        if sides or rater == "":
            found[name] = Responders("rater" in sides, "as asked")
        else:
            found[name] = _by_name(name, columns)
    for role, specs in asked.items():
        for spec in specs:
            if not any(_names(spec, name, columns) for name, columns in several.items()):
                raise ArgumentError(
                    f"`{role}` must name a source that has several columns, or its columns; got {spec!r}. "
                    f"Such sources: {listed(list(several)) if several else 'none'}."
                )
    return found


def note(chosen: Mapping[str, Sequence[str]], found: Mapping[str, Responders]) -> str | None:
    """Return the sentence that says what the columns are; None where no source has several."""
    parts = [
        f"{name} has {len(chosen[name])} {'raters' if kind.are_raters else 'repeats'} ({kind.reason})"
        for name, kind in found.items()
    ]
    if not parts:
        return None
    settled = all(kind.reason == "as asked" for kind in found.values())
    change = "" if settled else " Change this with `rater` or `repeat`."
    return f"{'; '.join(parts)}.{change}"


def are_people(source: str) -> bool:
    """Whether a source's name says that people answered, so that its several responses are no runs of a model."""
    return bool((PEOPLE | {"truth"}) & set(_words(source)))


def _listed(specs: str | Sequence[str] | None) -> list[str]:
    return [spec for spec in ([specs] if isinstance(specs, str) else specs or ()) if spec]


def _names(spec: str, name: str, columns: Sequence[str]) -> bool:
    return spec == name or all(column == spec or fnmatch.fnmatchcase(column, spec) for column in columns)


def _by_name(source: str, columns: Sequence[str]) -> Responders:
    parts = [_words(column) for column in columns]
    shared = set.intersection(*(set(words) for words in parts))
    for kinds, are_raters in ((RUNS, False), (PEOPLE, True)):
        said = sorted(shared & kinds) or (sorted(kinds.intersection(_words(source))) if are_raters else [])
        if said:
            return Responders(are_raters, f"the names say {said[0]}")
    start = _n_alike(parts)
    stop = _n_alike([words[start:][::-1] for words in parts])
    apart = ["".join(words[start : len(words) - stop]) for words in parts]
    named = all(sum(letter.isalpha() for letter in text) > 1 for text in apart)
    return Responders(named, "the columns differ by names" if named else "the columns are numbered")


def _words(name: str) -> list[str]:
    """Split "gpt4_Runs12" into gpt, 4, run, 12."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W\d_]+|\d+", spaced)
    return [word.removesuffix("s") if len(word) > 3 else word for word in map(str.lower, words)]


def _n_alike(parts: Sequence[Sequence[str]]) -> int:
    """Return how many words all begin with."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*parts, strict=False)))
