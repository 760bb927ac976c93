"""Qualtrics exports (CSV): three header rows, then one row for each person; every question is an item."""

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, csv_records

PERSON, MARK = "ResponseId", '{""ImportId""'
ABOUT = {"StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished", "RecordedDate",
         PERSON, "RecipientLastName", "RecipientFirstName", "RecipientEmail", "ExternalReference", "LocationLatitude",
         "LocationLongitude", "DistributionChannel", "UserLanguage"}  # fmt: skip
"""Columns about the person and the session; names, addresses and places are never read."""


def recognises(glance: Glance) -> bool:
    """Take a header with the id of the response, and a row of import ids below it."""
    return PERSON in glance.columns and MARK in glance.text


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each person and question; previews and responses that were not finished are left out."""
    records = csv_records(glance, strict=True)
    _, columns = next(records)
    next(records), next(records)
    for _, cells in records:
        entry = dict(zip(columns, cells, strict=False))
        dropped = entry.get("Finished") in ("0", "False") or entry.get("Status") in ("1", "Survey Preview")
        for column in columns:
            if column not in ABOUT:
                value = entry.get(column, "").strip()
                lacks = "not finished" if dropped else "" if value else "empty"
                about = {"source": "human", "rater": entry[PERSON], "lacks": lacks}
                yield Row(column, None if lacks else value, **about)  # type: ignore[arg-type]


READER = Reader(
    "qualtrics", "a Qualtrics export", recognises, rows, "an answer of one person", kinds=("text",), personal=True
)
