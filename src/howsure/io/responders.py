"""Whether the several columns of a source in a wide table are raters or repeats: as asked, or by their names."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from howsure.errors import ArgumentError
from howsure.io.column_names import PEOPLE, RUNS, words
from howsure.io.sheets import listed


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


def _listed(specs: str | Sequence[str] | None) -> list[str]:
    return [spec for spec in ([specs] if isinstance(specs, str) else specs or ()) if spec]


def _names(spec: str, name: str, columns: Sequence[str]) -> bool:
    return spec == name or all(column == spec or fnmatch.fnmatchcase(column, spec) for column in columns)


def _by_name(source: str, columns: Sequence[str]) -> Responders:
    parts = [words(column) for column in columns]
    shared = set.intersection(*(set(said) for said in parts))
    for kinds, are_raters in ((RUNS, False), (PEOPLE, True)):
        known = sorted(shared & kinds) or (sorted(kinds.intersection(words(source))) if are_raters else [])
        if known:
            return Responders(are_raters, f"the names say {known[0]}")
    start = _n_alike(parts)
    stop = _n_alike([said[start:][::-1] for said in parts])
    apart = ["".join(said[start : len(said) - stop]) for said in parts]
    named = all(sum(letter.isalpha() for letter in text) > 1 for text in apart)
    return Responders(named, "the columns differ by names" if named else "the columns are numbered")


def _n_alike(parts: Sequence[Sequence[str]]) -> int:
    """Return how many words all begin with."""
    return sum(1 for _ in takewhile(lambda alike: len(set(alike)) == 1, zip(*parts, strict=False)))
