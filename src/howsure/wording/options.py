"""Options in a message, as each interface calls them.

The core writes `name=value` for an option with the value that it should have, and `name` for an option by itself, as
Python has them. The command line and the page say the same message in their own words.
"""

import re
from collections.abc import Callable, Mapping

NAMED = re.compile(r"`([a-z_]+)(?:=(?:'([^'`]*)'|([^`']*)))?`")


def spelled(message: str, spell: Callable[[str, str | None], str | None]) -> str:
    """Return a message with its options as `spell` writes them, from a name and the value it should have, or None.

    What `spell` returns None for is no option, and loses only its marks.

    Examples
    --------
    >>> spelled("Take `interval='score'` or `n`.", lambda name, value: f"<{name}>")
    'Take <interval> or <n>.'
    """

    def option(found: re.Match[str]) -> str:
        name, quoted, bare = found.groups()
        text = spell(name, bare if quoted is None else quoted)
        return found[0].strip("`") if text is None else text

    return NAMED.sub(option, message)


def as_options(message: str, flags: Mapping[str, str] | None = None) -> str:
    """Return a message in the words of the command line.

    With `flags`, the name of each option on the command line, only these become options.

    Examples
    --------
    >>> as_options("Take `interval='score'`, or more than `n_items` items.")
    'Take --interval score, or more than --n-items items.'
    """

    def spell(name: str, value: str | None) -> str | None:
        if flags is not None and name not in flags:
            return None
        flag = f"--{name.replace('_', '-')}" if flags is None else flags[name]
        return flag if value in (None, "True") else f"{flag} {value}"

    return spelled(message, spell)
