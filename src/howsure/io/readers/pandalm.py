"""PandaLM test sets: `cmp_key` names two models, and each annotator says which is better (1, 2, or 0: a tie)."""

from howsure.io.readers.base import Glance, Header, Reader, Rows, answered, array_of, id_of

SHARE = {1: 1.0, 2: 0.0, 0: 0.5}
MARK = "annotator"


def recognises(glance: Glance) -> bool:
    """Take an array of comparisons with annotators."""
    return glance.is_array and {"idx", "cmp_key", f"{MARK}1"} <= set(glance.first)


def rows(glance: Glance, header: Header) -> Rows:
    """Yield two rows for each vote: each model's share of it."""
    header.default = "preference"
    for entry in array_of(glance):
        one, _, two = str(entry["cmp_key"]).partition("_")
        for column, vote in entry.items():
            if not column.startswith(MARK):
                continue
            share = SHARE.get(vote) if isinstance(vote, int) else None
            for source, value in ((one, share), (two, None if share is None else 1 - share)):
                about = {"absent": "unscored", "source": source, "rater": column}
                yield answered(id_of(entry["idx"]), value, "preference", **about)


READER = Reader("pandalm", "a PandaLM test set", recognises, rows, "a model's share of one vote", kinds=("json",))
