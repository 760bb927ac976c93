"""A leaderboard as a document: who may be the best, the ranks, and the pairs behind them."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import about, joined, listed, measured, pvalue
from howsure.inference.solving import units_needed
from howsure.nulls import NULLS
from howsure.wording import sentences
from howsure.wording.estimates import cells, ci_column, p

if TYPE_CHECKING:
    from howsure.leaderboards.result import Leaderboard, Leaderboards, Pair, RankedModel

TOP = 20
"""So many models are shown by default."""
NAMED = 5
"""A sentence names so many models."""
ALL_PAIRS = 21
"""Up to so many pairs are listed; of more, those of adjacent ranks."""
VOTES = "bradley-terry"
"""The metric of leaderboards of votes."""
LETTERS, TOGETHER = "abcdefghijklmnopqrstuvwxyz", 6
"""Groups have letters if these are enough, and no model is in more than so many groups."""
MOST_NEEDED = 10_000_000
"""More items than this nobody collects."""
TASKS = 12
"""Up to this many tasks have a column each."""


def verdict(board: "Leaderboard") -> str:
    """Return who may be the best, and how many pairs differ significantly; with a baseline, who differs from it."""
    where = f"{board.slice}: " if board.slice else ""
    said = _against_baseline(board) if board.baseline else _best(board)
    if not board.leaders:
        said = f"{said} No model has a score on every task."
    return f"{where}{said}"


def how_tested(board: "Leaderboard") -> str:
    """Return at which level pairs are significant: "at 5% after correction for multiple comparisons"."""
    alpha = f"{100 * (1 - board.confidence_level):.4g}%"
    if board.correction == "benjamini-hochberg":
        return f"at a false discovery rate of {alpha}"
    if len(board.pairs) == 1:
        return f"at {alpha}"
    adjusted = "without" if board.correction == "none" else "after"
    return f"at {alpha} {adjusted} correction for multiple comparisons"


def is_joint(board: "Leaderboard") -> bool:
    """Whether all ranks hold together with the confidence level: not without a correction, nor with a bounded rate."""
    return board.correction not in ("none", "benjamini-hochberg")


def _best(board: "Leaderboard") -> str:
    """Return who may be the best, and how many pairs differ significantly."""
    m, n, told = len(board.models), len(board.pairs), board.n_significant
    best = board.confidence_set
    if m == 2:
        return _of_two(board)
    if not told:
        none = f"None of the {n:,} pairs differs significantly {how_tested(board)}."
        return f"{none} Any of the {m:,} models may be the best."
    pairs = f"{told:,} of {n:,} pairs differ{'s' * (told == 1)} significantly {how_tested(board)}."
    if len(best) > 1:
        basis = f"{100 * board.confidence_level:g}% confidence set" if is_joint(board) else "no model beats them"
        return f"{len(best):,} of {m:,} models may be the best ({basis}): {joined(best, NAMED)}. {pairs}"
    alone = best[0]
    beaten = sum(alone in (pair.a, pair.b) for pair in board.significant)
    if beaten == m - 1:
        lacks = ", although it lacks a task" if board.model(alone).rank is None else ""
        return f"{alone} is significantly better than every other model{lacks}. {pairs}"
    return f"Only {alone} may be the best: every other model is significantly worse than some model. {pairs}"


def _of_two(board: "Leaderboard") -> str:
    """Return what `compare` says: of two models there is room for both scores, the difference and p."""
    [pair] = board.pairs
    scores = board.model(pair.a).score, board.model(pair.b).score
    if any(map(math.isnan, scores)):
        return f"{sentences.claim((pair.a, pair.b), significant=pair.as_estimate.is_significant)}."
    p_text = p(pvalue(pair.pvalue))
    return sentences.comparison(
        pair.as_estimate, (pair.a, pair.b), scores, p_text, title=board.title, better=board.better
    )


def _both(board: "Leaderboard") -> list[str]:
    """Return both answers in two aligned lines, and which of them to report."""
    m, n = len(board.models), len(board.pairs)
    answers = {}
    for scope in board.scopes:
        best = f"{len(scope.confidence_set):,} of {m:,} models may be the best"
        if len(scope.confidence_set) == 1:
            best = f"only {scope.confidence_set[0]} may be the best"
        answers[scope.name] = f"{best}; {scope.n_significant:,} of {n:,} pairs differ."
    return [*sentences.aligned(answers), board.advice]


def _against_baseline(board: "Leaderboard") -> str:
    baseline, others = board.baseline, len(board.models) - 1
    better = [pair.a for pair in board.significant if pair.a != baseline]
    worse = [pair.b for pair in board.significant if pair.b != baseline]
    if others == 1:
        return _of_two(board)
    if not better and not worse:
        return f"None of the {others:,} models differs significantly from {baseline} {how_tested(board)}."
    if len(worse) == others:
        return f"{baseline} is significantly better than every other model {how_tested(board)}."
    parts = [
        f"{len(names):,} of {others:,} models {'is' if len(names) == 1 else 'are'} significantly {word} than "
        f"{baseline}: {joined(names, NAMED)}."
        for names, word in ((better, "better"), (worse, "worse"))
        if names
    ]
    return f"{' '.join(parts)} Tested {how_tested(board)}."


def document(board: "Leaderboard") -> Document:
    """Return the document of a leaderboard: the answer and one table; pairs, groups and tasks are details."""
    from howsure.leaderboards.frontier import frontier_blocks

    first = board.models[: board.top or TOP]
    rest = board.models[len(first) :] if board.top is None else ()
    shown = (*first, *rest)
    main, pairs = _ranks(board, first), _pairs(board, shown)
    if board.baseline:
        main, pairs = _against(board, first), [_ranks(board, shown)]
    blocks: list[Block] = [Sentence(verdict(board), "verdict")]
    if board.scopes:
        blocks += [Sentence(line) for line in _both(board)]
    blocks.append(main)
    if len(first) < len(board.models):
        blocks.append(Sentence(f"These are the first {len(first)} of {len(board.models):,} models (`top`).", "aside"))
    blocks += [Sentence(line, "aside") for line in (*_meaning(board), separating(board)) if line]
    blocks += frontier_blocks(board)
    more: list[Block] = []
    if rest:
        more.append(_against(board, rest) if board.baseline else _ranks(board, rest))
    blocks += details(
        [*more, *pairs, *_ranges(board, shown), _alone(board, shown), *_groups(board), *_tasks(board, shown)]
    )
    return Document("Which of these models are really better?", tuple(blocks), board.notes, board.signature)


def _ranks(board: "Leaderboard", rows: Sequence["RankedModel"]) -> Table:
    """Return scores and ranks."""
    letters, raw = _letters(board), dict(zip([row.name for row in board.models], board.uncontrolled, strict=False))
    columns = (
        Column("rank", "count"),
        Column("model"),
        Column("score", "number"),
        ci_column(board.confidence_level),
        Column("rank range"),
        *([Column("uncontrolled", "number")] if raw else []),
        *([Column("group")] if letters else []),
    )
    shown = tuple(
        (
            row.rank,
            row.name,
            *cells(row.score, row.confidence_interval),
            _range(row.rank_low, row.rank_high),
            *([measured(raw[row.name], row.confidence_interval)] if raw else []),
            *([letters[row.name]] if letters else []),
        )
        for row in rows
    )
    return Table(columns, shown, _title(board, rows))


def _letters(board: "Leaderboard") -> dict[str, str]:
    """Return the letters of each model's groups, as in a compact letter display; empty where there are too many."""
    if not any(len(group) > 1 for group in board.groups) or len(board.groups) > len(LETTERS):
        return {}
    found = {
        model.name: "".join(letter for letter, group in zip(LETTERS, board.groups, strict=False) if model.name in group)
        for model in board.models
    }
    return found if max(map(len, found.values())) <= TOGETHER else {}


def _against(board: "Leaderboard", rows: Sequence["RankedModel"]) -> Table:
    """Return by how much each model is better or worse than the baseline."""
    columns = (
        Column("model"),
        Column("score", "number"),
        Column("better by", "number"),
        ci_column(board.confidence_level),
        Column("adjusted p", "pvalue"),
    )
    pairs = {pair.b if pair.a == board.baseline else pair.a: pair for pair in board.pairs}
    shown: list[tuple[object, ...]] = []
    for row in rows:
        score = measured(row.score, row.confidence_interval)
        if row.name == board.baseline:
            shown.append((f"{row.name} (baseline)", score, None, "–", None))
            continue
        pair = pairs[row.name]
        beside = pair if pair.a == row.name else pair.turned
        by = cells(beside.advantage, beside.confidence_interval)
        shown.append((row.name, score, *by, pair.pvalue_adjusted))
    return Table(columns, tuple(shown), _title(board, rows))


def _title(board: "Leaderboard", rows: Sequence["RankedModel"]) -> str:
    begins = board.models.index(rows[0])
    which = f", models {begins + 1:,} to {begins + len(rows):,}" if begins else ""
    return f"{board.title}, {board.better} is better{which}"


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _meaning(board: "Leaderboard") -> list[str]:
    """Return how to read the table."""
    level = f"{100 * board.confidence_level:g}%"
    if board.baseline:
        signs = f"A negative number means worse than {board.baseline}. The {level} CIs hold together for all models."
        return [signs]
    ranks = f"Rank range: with {level} confidence, the true ranks of all models lie in these ranges."
    if not is_joint(board):
        ranks = "Rank range: it holds only if no pair is significant by chance."
    lacks = any(model.rank is None for model in board.models)
    shared = ["Group: models that share a letter do not differ significantly."] if _letters(board) else []
    return [f"{ranks} Ranks count only models with a score on every task." if lacks else ranks, *shared]


def _units(board: "Leaderboard") -> str:
    return "votes" if board.metric == VOTES else "items"


def open_pair(board: "Leaderboard") -> "Pair | None":
    """Return the first pair that does not differ significantly, of adjacent ranks or with the baseline."""
    names = [model.name for model in board.models if model.rank is not None]
    wanted = {frozenset(pair) for pair in pairwise(names)}
    if board.baseline:
        wanted = {frozenset((name, board.baseline)) for name in names if board.baseline in names}
    asked = (pair for pair in board.pairs if frozenset((pair.a, pair.b)) in wanted)
    return next((pair for pair in asked if pair.as_estimate.final_pvalue > pair.confidence_interval.alpha), None)


def separating(board: "Leaderboard") -> str:
    """Return how many items the first open pair needs; "" without one.

    Nor is it known for raters like these: their part of the error does not shrink with the number of items.
    """
    pair = open_pair(board)
    return "" if pair is None or NULLS[board.null].random_raters else _separate(board, pair)


def _separate(board: "Leaderboard", pair: "Pair") -> str:
    names, unit = f"{pair.a} and {pair.b}", _units(board)
    now = board.model(pair.a).n_items
    if not pair.advantage or math.isnan(pair.advantage):
        return f"No number of {unit} separates {names}: their scores are equal."
    size = _size(pair)
    # Pairs step down: when this one can be decided, those with clearer differences are decided already.
    left = sum(not _size(other) > size for other in board.pairs)
    needed = units_needed(now, pair.standard_error, pair.advantage, alpha=(1 - board.confidence_level) / left)
    if math.isnan(needed):
        return ""
    if needed > MOST_NEEDED:
        return f"{names} are so close that more than {MOST_NEEDED:,} {unit} would be required to separate them."
    return (
        f"About {about(needed)} {unit} would separate {names} (80% power, if the measured scores are the true ones; "
        f"these data have {now:,})."
    )


def _size(pair: "Pair") -> float:
    """Return a difference in standard errors."""
    return abs(pair.advantage) / pair.standard_error if pair.standard_error > 0 else math.nan


def _pairs(board: "Leaderboard", rows: Sequence["RankedModel"]) -> list[Block]:
    """Return the pairs of these models: all where they are few, else adjacent ranks."""
    names = [row.name for row in rows]
    shown = [pair for pair in board.pairs if {pair.a, pair.b} <= set(names)]
    title = "All pairs"
    if len(shown) > ALL_PAIRS:
        adjacent = set(pairwise(names))
        shown, title = [pair for pair in shown if (pair.a, pair.b) in adjacent], "Adjacent ranks"
    columns = (
        Column("pair"),
        Column("better by", "number"),
        ci_column(board.confidence_level),
        Column("p", "pvalue"),
        Column("adjusted p", "pvalue"),
    )
    rows_of = tuple(
        (f"{pair.a} vs {pair.b}", *cells(pair.advantage, pair.confidence_interval), pair.pvalue, pair.pvalue_adjusted)
        for pair in shown
    )
    return [Table(columns, rows_of, f"{title} (significant if adjusted p ≤ {1 - board.confidence_level:.4g})")]


def _alone(board: "Leaderboard", rows: Sequence["RankedModel"]) -> Table:
    """Return what is said of each model by itself."""
    columns: tuple[Column, ...] = (
        Column("model"),
        Column("rank range of this model alone"),
        Column("share of resamples in first place", "percent"),
        Column(_units(board), "count"),
    )
    cells = tuple(
        (row.name, _range(row.rank_low_marginal, row.rank_high_marginal), row.first_place_share, row.n_items)
        for row in rows
    )
    return Table(columns, cells, "Each model by itself")


def _ranges(board: "Leaderboard", rows: Sequence["RankedModel"]) -> list[Block]:
    """Return the rank ranges of both answers."""
    if not board.scopes:
        return []
    places = [board.models.index(row) for row in rows]
    columns = (Column("model"), *(Column(scope.name) for scope in board.scopes))
    cells = tuple(
        (board.models[j].name, *(_range(scope.rank_low[j], scope.rank_high[j]) for scope in board.scopes))
        for j in places
    )
    return [Table(columns, cells, "Rank ranges of both answers")]


def _groups(board: "Leaderboard") -> list[Block]:
    names = LETTERS if _letters(board) else [str(number) for number in range(1, len(board.groups) + 1)]
    groups = [(name, group) for name, group in zip(names, board.groups, strict=False) if len(group) > 1]
    if not groups:
        return []
    rows = tuple((name, len(group), listed(group)) for name, group in groups[:10])
    more = f"; the first 10 of {len(groups):,}" if len(groups) > 10 else ""
    columns = (Column("group"), Column("models", "count"), Column("which"))
    return [Table(columns, rows, f"Groups without significant differences (they may overlap{more})")]


def _tasks(board: "Leaderboard", shown: Sequence["RankedModel"]) -> list[Block]:
    names = list(dict.fromkeys(cell.task for cell in board.tasks))
    if not names:
        return []
    if len(names) > TASKS:
        return [Sentence(f"The scores on {len(names)} tasks are in the JSON and in to_dict().", "aside")]
    scores = {(cell.task, cell.model): "missing" if math.isnan(cell.score) else cell.score for cell in board.tasks}
    columns = (Column("model"), *(Column(name, "number") for name in names))
    rows = tuple((row.name, *(scores[name, row.name] for name in names)) for row in shown)
    return [Table(columns, rows, f"Scores by {board.by}")]


def of_slices(found: "Leaderboards") -> Document:
    """Return the document of several leaderboards: one row for each slice, and the verdict of each."""
    first, *others = found.leaderboards
    shared = [note for note in first.notes if all(note in board.notes for board in others)]
    columns = (
        Column(found.by),
        Column("first place"),
        Column("score", "number"),
        Column("may be the best"),
        Column("significant pairs"),
    )
    rows = tuple(
        (
            board.slice.partition(" = ")[2],
            ", ".join(row.name for row in board.leaders[:3]) or "–",
            next((measured(row.score, row.confidence_interval) for row in board.leaders), None),
            f"{len(board.confidence_set):,} of {len(board.models):,}",
            f"{board.n_significant:,} of {len(board.pairs):,}",
        )
        for board in found.leaderboards
    )
    n, one = len(found.leaderboards), found.leaderboards[0]
    said = (
        f"Each of the {n} leaderboards has a confidence level of {100 * one.confidence_level:.4g}%, so all of them "
        f"hold together at {100 * found.confidence_level:g}%."
    )
    verdicts = tuple(Sentence(board.verdict, "verdict") for board in found.leaderboards[:8])
    notes = [f"{board.slice}: {note}" for board in found.leaderboards for note in board.notes if note not in shared]
    return Document(
        f"Which of these models are really better, by {found.by}?",
        (*verdicts, Table(columns, rows), *([Sentence(said)] if n > 1 else [])),
        (*shared, *notes),
        found.signature,
    )
