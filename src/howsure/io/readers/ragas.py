"""Ragas results (CSV): one question per row, a column for each metric; an empty cell means that the judge failed."""

from itertools import zip_longest

from howsure.io.readers.base import Glance, Header, Reader, Row, Rows, csv_records, id_of

QUESTIONS = ("user_input", "question")
TEXTS = {*QUESTIONS, "retrieved_contexts", "contexts", "response", "answer", "reference", "ground_truth",
         "reference_contexts", "ground_truths"}  # fmt: skip
METRICS = {"faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness",
           "llm_context_precision_with_reference", "answer_similarity", "semantic_similarity", "factual_correctness",
           "context_entity_recall", "noise_sensitivity_relevant"}  # fmt: skip


def recognises(glance: Glance) -> bool:
    """Take a header with a question and a metric of Ragas."""
    columns = set(glance.columns)
    return bool(columns & set(QUESTIONS)) and bool(columns & METRICS) and "model" not in columns


def rows(glance: Glance, header: Header) -> Rows:
    """Yield a row for each question and metric."""
    header.model = glance.path.stem
    records = csv_records(glance, strict=True)
    _, columns = next(records)
    asked = next(column for column in columns if column in QUESTIONS)
    for _, cells in records:
        entry = dict(zip_longest(columns, cells, fillvalue=""))
        for column in columns:
            if column in TEXTS:
                continue
            value = _number(entry[column])
            if value is not None or not entry[column].strip():
                yield Row(id_of(entry[asked]), value, column, lacks="" if value is not None else "unscored")


def _number(cell: str) -> float | None:
    try:
        number = float(cell)
    except ValueError:
        return None
    return None if number != number else number  # noqa: PLR0124 (NaN)


READER = Reader("ragas", "Ragas results", recognises, rows, "a metric of one question", kinds=("text",))
