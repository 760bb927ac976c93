"""Names that are too long for the place where they stand."""

from collections.abc import Iterable


def short(text: str, most: int = 30) -> str:
    """Return a name of at most `most` letters; the middle is left out, because names often differ at their end.

    Examples
    --------
    >>> short("news_bbc.124285:en-de#7", 16)
    'news_bb…en-de#7'
    """
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def shortened(names: Iterable[str], most: int = 30) -> dict[str, str]:
    """Return a short form of each name, such that no two names share one.

    The middle is left out, or the end or the beginning where that tells more of the names apart.

    Examples
    --------
    >>> shortened(["model-aaaa-x-1", "model-bbbb-x-1"], 9)
    {'model-aaaa-x-1': 'model-aa…', 'model-bbbb-x-1': 'model-bb…'}
    >>> shortened(["a-model-aaaa-of-xxxx-1", "a-model-bbbb-of-xxxx-1"], 9)
    {'a-model-aaaa-of-xxxx-1': 'a-mo…xx-1', 'a-model-bbbb-of-xxxx-1': 'a-mo…xx-1 (2)'}
    """
    known = list(dict.fromkeys(names))
    form = max((short, _head, _tail), key=lambda form: len({form(name, most) for name in known}))
    found: dict[str, str] = {}
    for name in known:
        made, number = form(name, most), 2
        while made in found.values():
            made, number = f"{form(name, most)} ({number})", number + 1
        found[name] = made
    return found


def _head(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _tail(text: str, most: int) -> str:
    return text if len(text) <= most else f"…{text[1 - most :]}"
