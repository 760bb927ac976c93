"""What the name of a column says: its role in a tidy table, people, runs of a model, gold, or something about an item.

This is the one place where words have a meaning. Names are compared without case, spaces and punctuation.
"""

import re
from collections.abc import Iterable, Sequence

ROLES = {
    "item": (
        "item itemid",
        "exampleid sampleid docid instanceid questionid promptid segmentid taskid hitid",
        "id uid uuid key example question prompt segment doc document sample instance task qid idx index ticket",
        "*id",
    ),
    "source": (
        "source",
        "model system modelname systemname modelid systemid generator provider",
        "llm engine bot agent assistant chatbot",
    ),
    "value": (
        "value",
        "score rating label annotation judgment judgement grade vote "
        "correct iscorrect passed ispassed resolved isresolved solved success reward",
        "response answer pred prediction output verdict choice class category points stars mark",
    ),
    "rater": (
        "rater raterid",
        "annotator annotatorid worker workerid judge judgeid coder participant participantid",
        "who user userid username reviewer evaluator assessor expert labeler labeller person by",
    ),
    "repeat": ("repeat rep", "epoch run trial replicate repetition iteration attempt seed rollout"),
}
"""Names of columns by role, the surest first; "*id" is any id but those of sources, raters, runs and the like."""

OUTCOMES = {
    "correct", "iscorrect", "correctness", "right", "isright", "pass", "passed", "ispassed", "resolved", "isresolved",
    "solved", "issolved", "success", "reward", "acc", "accuracy", "exactmatch", "match",
}  # fmt: skip
"""Names of columns that say whether an answer was right: True and False, yes and no, 1 and 0 are right and wrong."""

RIGHT_SCORERS = OUTCOMES | {"accnorm", "quasiexactmatch", "prefixexactmatch", "choice", "includes", "base", "plus"}
"""Names of scorers and metrics of logs that say so, where they give 1 and 0."""

OTHER_IDS = {"run", "session", "batch", "group", "cluster", "job", "trace", "span", "request", "assignment"}
"""An id of these is not the id of an item."""

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

GOLD = {
    "human", "humans", "people", "gold", "goldlabel", "goldstandard", "goldanswer", "reference", "referenceanswer",
    "truth", "groundtruth", "truelabel", "trueclass", "target", "expected", "expectedoutput", "expectedanswer", "label",
    "correctanswer", "correctlabel", "answerkey", "ytrue", "expert", "experts", "annotator", "annotators", "rater",
    "raters",
}  # fmt: skip
"""Names of sources that are gold and not a model: the whole name, never a word within the name of a model."""

SURELY_GOLD = {
    "gold", "goldlabel", "goldstandard", "goldanswer", "truth", "groundtruth", "truelabel", "trueclass", "ytrue",
    "correctanswer", "correctlabel", "answerkey",
}  # fmt: skip
"""Names that nobody gives to a model, nor to people who take part in a contest."""

ABOUT = {
    "age", "gender", "sex", "date", "datetime", "time", "timestamp", "start", "end", "duration", "latency", "second",
    "minute", "hour", "day", "month", "year", "cost", "price", "token", "length", "len", "count", "number", "num", "n",
    "size", "index", "idx", "id", "ids", "row", "line", "rank", "weight", "latitude", "longitude", "zip", "phone",
    "version", "status", "progress", "finished", "split", "fold", "batch", "group", "cluster", "topic", "domain",
    "category", "language", "lang", "country", "locale", "genre", "level", "difficulty", "type", "kind", "text",
    "question", "prompt", "input", "output", "answer", "response", "context", "comment", "note", "name", "title",
    "url", "email", "author", "temperature", "hash", "finish", "error",
}  # fmt: skip
"""Columns that are called so, alone or after one other word, describe items or responses: "Start Date", "n tokens"."""

METRICS = {
    "accuracy", "acc", "accnorm", "precision", "recall", "f1", "auc", "mae", "mse", "rmse", "loss", "perplexity",
    "bleu", "rouge", "rouge1", "rouge2", "rougel", "meteor", "chrf", "ter", "comet", "bertscore", "exactmatch", "em",
    "faithfulness", "answerrelevancy", "answerrelevance", "contextprecision", "contextrecall", "contextrelevancy",
    "answercorrectness", "answersimilarity", "semanticsimilarity", "harmfulness", "toxicity", "fluency", "adequacy",
    "coherence", "relevance", "helpfulness", "confidence", "probability", "logprob", "std", "stderr", "mean", "median",
    "min", "max",
}  # fmt: skip
"""Columns that are called so measure something; they are not models."""

SOURCE_WORDS = {"model", "system", "generator", "provider", "llm", "engine", "bot", "agent", "source", "assistant"}


def plain(name: str) -> str:
    """Return a name as names are compared."""
    return name.lower().translate(str.maketrans("", "", " _-."))


def words(name: str) -> list[str]:
    """Split "gpt4_Runs12" into gpt, 4, run, 12."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    found = re.findall(r"[^\W\d_]+|\d+", spaced)
    return [word.removesuffix("s") if len(word) > 3 else word for word in map(str.lower, found)]


def with_role(columns: Sequence[str], role: str) -> list[str]:
    """Return the columns that look most like `role`.

    Examples
    --------
    >>> with_role(["Ticket ID", "Bot", "Reviewer", "Rating"], "item")
    ['Ticket ID']
    """
    for names in ROLES[role]:
        alike = [column for column in columns if plain(column) in names.split()]
        alike = alike or ([column for column in columns if _is_id(column)] if names == "*id" else [])
        if alike:
            return alike
    return []


def _is_id(column: str) -> bool:
    said = words(column)
    return len(said) > 1 and said[-1] == "id" and not set(said) & (PEOPLE | SOURCE_WORDS | RUNS | OTHER_IDS)


def are_people(source: str) -> bool:
    """Whether a source's name says that people answered, so that its several responses are no runs of a model.

    Every word must say so: "expert raters" are people, "qwen-coder" is a model.
    """
    said = {word for word in words(source) if not word.isdigit()}
    return bool(said & (PEOPLE | {"truth"})) and said <= PEOPLE | {"truth", "ground", "label", "standard"}


def is_gold(source: str) -> bool:
    """Whether a source's name is a word for gold; "USER-base" and "gold-7b" are names of models.

    Examples
    --------
    >>> [is_gold(name) for name in ("Ground truth", "rater_*", "deepvk__USER-base")]
    [True, True, False]
    """
    return re.sub(r"[\d*]+$", "", plain(source)) in GOLD


def gold_in(sources: Iterable[str]) -> str | None:
    """Return the one source whose name is a word for gold; None where there is none, or several."""
    found = [name for name in sources if is_gold(name)]
    return found[0] if len(found) == 1 else None


def describes(column: str) -> bool:
    """Whether a column's name says that it describes items or responses, or measures something.

    Longer names are names of models, whatever words they end in.

    Examples
    --------
    >>> [describes(name) for name in ("Start Date", "bleu", "minishlab__M2V_base_output")]
    [True, True, False]
    """
    said = words(column)
    return plain(column) in METRICS or (0 < len(said) <= 2 and (said[-1] in ABOUT or said[0] in ("n", "num")))
