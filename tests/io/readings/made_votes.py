"""Votes between two models: arenas, side-by-side exports, preferences of people and of judges."""

import json
import random

from tests.io.readings.corpus import (
    BETTER,
    FILE,
    TOTALS,
    Answer,
    Case,
    Vote,
    compared,
    lines,
    of_votes,
    plain,
    roles,
    text_of,
    votes,
)

CASES: list[Case] = []
TWO = {"heron-7b": 0.9, "wren-small": 0.0}
FOUR = {"heron-7b": 0.9, "wren-small": 0.0, "ibis-2": 0.4, "auk-mini": -0.3}
COLUMNS = ("--winner", "winner", "--first", "model_a", "--second", "model_b")
BOARD = (("leaderboard", FILE, *COLUMNS, "--item", "question_id", "--rater", "judge"),)


def case(name, story, file, text, first, columns, truth, **how):
    """Add a case of one file of votes."""
    row = how.pop("row", "vote")
    CASES.append(Case(name, "votes", story, {file: text}, row, first, roles(columns), truth=truth, **how))


def word_of(vote, first, second, tie):
    """Return how an export writes the winner by position."""
    return tie if vote.winner == "tie" else first if vote.winner == vote.first else second


ARENA = "question_id=item; model_a=first; model_b=second; winner=winner; judge=rater"

cast = votes(40, TWO, raters=[f"u{k}" for k in range(9)])
case(
    "arena of two",
    "A chat arena's votes as JSON, winner by position; two models, nine voters.",
    "battles.json",
    json.dumps([{"question_id": v.item, "model_a": v.first, "model_b": v.second,
                 "winner": word_of(v, "model_a", "model_b", "tie"), "judge": v.rater} for v in cast]),
    compared("heron-7b", "wren-small"), ARENA, of_votes(cast),
)  # fmt: skip

case(
    "arena of two as a table",
    "The same votes in a CSV.",
    "battles.csv",
    text_of(["question_id", "model_a", "model_b", "winner", "judge"],
            [[v.item, v.first, v.second, word_of(v, "model_a", "model_b", "tie"), v.rater] for v in cast]),
    (*compared("heron-7b", "wren-small"), *BOARD), ARENA, of_votes(cast),
)  # fmt: skip

case(
    "winner by name",
    "The same votes, and the winner is the model's name or the word tie.",
    "named.json",
    json.dumps([{"question_id": v.item, "model_a": v.first, "model_b": v.second, "winner": v.winner, "judge": v.rater}
                for v in cast]),
    (*compared("heron-7b", "wren-small"), *BOARD), ARENA, of_votes(cast), ugly=True,
)  # fmt: skip

case(
    "winner by name in a table",
    "The winner's name in a CSV, draws are called draw.",
    "named.csv",
    text_of(["id", "model_a", "model_b", "winner"],
            [[v.item, v.first, v.second, "draw" if v.winner == "tie" else v.winner] for v in cast]),
    (*compared("heron-7b", "wren-small"), ("leaderboard", FILE, *COLUMNS)),
    "id=item; model_a=first; model_b=second; winner=winner",
    of_votes([v._replace(rater="") for v in cast]),
)  # fmt: skip

cast = votes(60, FOUR, raters=[f"u{k}" for k in range(14)])
case(
    "arena of four",
    "Votes between four models, two at a time: only a model of strengths ranks them, since no item has all four.",
    "arena_four.json",
    json.dumps([{"conversation_id": v.item, "model_a": v.first, "model_b": v.second,
                 "winner": word_of(v, "model_a", "model_b", "tie (bothbad)"), "user": v.rater} for v in cast]),
    (("leaderboard", FILE, *COLUMNS, "--item", "conversation_id", "--rater", "user"),), "conversation_id=item; "
    "model_a=first; model_b=second; winner=winner; user=rater", of_votes(cast),
)  # fmt: skip

case(
    "letters",
    "A side-by-side tool wrote A, B or Tie, and the models as model_left and model_right.",
    "sxs_letters.csv",
    text_of(["task", "model_left", "model_right", "choice", "annotator"],
            [[v.item, v.first, v.second, word_of(v, "A", "B", "Tie"), v.rater] for v in cast]),
    (("leaderboard", FILE, "--winner", "choice", "--first", "model_left", "--second", "model_right", "--item", "task",
      "--rater", "annotator"),),
    "task=item; model_left=first; model_right=second; choice=winner; annotator=rater", of_votes(cast),
)  # fmt: skip

case(
    "numbers",
    "Winner 1 or 2, 0 for a tie: a position, not a score.",
    "sxs_numbers.csv",
    text_of(["item", "model_1", "model_2", "winner"], [[v.item, v.first, v.second, word_of(v, 1, 2, 0)] for v in cast]),
    (("leaderboard", FILE, "--winner", "winner", "--first", "model_1", "--second", "model_2", "--tie", "0"),),
    "item=item; model_1=first; model_2=second; winner=winner", of_votes([v._replace(rater="") for v in cast]),
    may_ask=("tie words",), ugly=True,
)  # fmt: skip

tie_words = {"tie": ["both good", "both bad", "no preference", "skip"]}
draw = random.Random(8)
worded = [[v.item, v.first, v.second, v.winner if v.winner != "tie" else draw.choice(tie_words["tie"])] for v in cast]
case(
    "four words for a tie",
    "Ties are called both good, both bad, no preference, and some were skipped: whether a skip is a tie must be asked.",
    "tie_words.csv",
    text_of(["id", "system_a", "system_b", "preferred"], worded),
    (("leaderboard", FILE, "--winner", "preferred", "--first", "system_a", "--second", "system_b", "--tie",
      "both good,both bad,no preference"),),
    "id=item; system_a=first; system_b=second; preferred=winner",
    of_votes([Vote(*(w if w[3] in FOUR else [*w[:3], "tie"])) for w in worded if w[3] != "skip"]),
    asks={"tie words": ("--tie 'both good,both bad,no preference'", "--tie 'both good,both bad,no preference,skip'")},
    ugly=True,
)  # fmt: skip

pairs = [Vote(f"p{i:02d}", "heron-7b", "wren-small", draw.choice(["heron-7b", "heron-7b", "wren-small", "tie"]))
         for i in range(36)]  # fmt: skip
case(
    "preference by name",
    "One column says which of two models a reader preferred; the models are named nowhere else.",
    "preferences.csv",
    text_of(["prompt_id", "preferred_model"], [[v.item, v.winner] for v in pairs]),
    (("compare", FILE, "--winner", "preferred_model", "--a", "heron-7b", "--b", "wren-small", "--tie", "tie"),),
    "prompt_id=item; preferred_model=winner", of_votes(pairs),
)  # fmt: skip

degrees = ["A much better", "A better", "about the same", "B better", "B much better"]
graded = [(v, degrees[2 if v.winner == "tie" else draw.choice([0, 1]) if v.winner == v.first else draw.choice([3, 4])])
          for v in pairs]  # fmt: skip
case(
    "degrees of preference",
    "A is heron-7b and B is wren-small by the columns answer_heron-7b and answer_wren-small; five degrees from A much "
    "better to B much better.",
    "degrees.csv",
    text_of(["id", "answer_heron-7b", "answer_wren-small", "rating"],
            [[v.item, f"In short, {i}", f"Well, {i}", word] for i, (v, word) in enumerate(graded)]),
    (("compare", FILE, "--winner", "rating", "--order", ",".join(reversed(degrees))),),
    "id=item; answer_heron-7b=text; answer_wren-small=text; rating=winner",
    plain([Answer(v.item, m, sign * (2 - degrees.index(w))) for v, w in graded
           for m, sign in (("heron-7b", 1), ("wren-small", -1))]),
    asks={"tie words": ("--tie 'about the same'",)}, may_ask=("scale",), ugly=True,
)  # fmt: skip

numbers = [(v, 2 - degrees.index(w)) for v, w in graded]
case(
    "preference from -2 to 2",
    "The same as numbers, with the models in columns: 2 means that model_a is much better.",
    "sxs_scale.csv",
    text_of(["id", "model_a", "model_b", "preference"], [[v.item, v.first, v.second, n] for v, n in numbers]),
    (("compare", FILE, "--winner", "preference", "--first", "model_a", "--second", "model_b"),
     ("compare", FILE, "--winner", "preference", "--first", "model_b", "--second", "model_a")),
    "id=item; model_a=first; model_b=second; preference=winner",
    plain([Answer(v.item, m, sign * n) for v, n in numbers for m, sign in (("heron-7b", 1), ("wren-small", -1))]),
    asks=BETTER, ugly=True,
)  # fmt: skip

order = []
for i in range(24):
    for swapped in (False, True):
        first, second = ("wren-small", "heron-7b") if swapped else ("heron-7b", "wren-small")
        strong = draw.random()
        order.append(
            Vote(f"q{i:02d}", first, second, "heron-7b" if strong < 0.5 else first if strong < 0.85 else "wren-small")
        )
case(
    "both orders",
    "A judge compared each pair in both orders: two votes on one comparison, and an effect of the order, not 48 votes.",
    "both_orders.csv",
    text_of(["question_id", "model_a", "model_b", "winner", "judge"],
            [[v.item, v.first, v.second, word_of(v, "model_a", "model_b", "tie"), "gpt-judge"] for v in order]),
    (*compared("heron-7b", "wren-small"), *BOARD), ARENA, of_votes(order, once=True), judges=("gpt-judge",),
    may_ask=("judge",),
)  # fmt: skip

case(
    "both orders in columns",
    "The verdicts of both orders stand beside each other as [[A]], [[B]], [[C]]; [[C]] is a tie, and in swapped the "
    "first is model_2.",
    "verdicts.jsonl",
    lines({"question_id": order[i].item, "model_1": "heron-7b", "model_2": "wren-small",
           "verdict": "[[A]]" if order[i].winner == "heron-7b" else "[[B]]",
           "verdict_swapped": "[[A]]" if order[i + 1].winner == "wren-small" else "[[B]]"} for i in range(0, 48, 2)),
    compared("heron-7b", "wren-small"),
    "question_id=item; model_1=first; model_2=second; verdict=winner; verdict_swapped=winner", of_votes(order,
        once=True),
    asks={"tie words": ("--tie '[[C]]'",)}, ugly=True,
)  # fmt: skip

case(
    "chosen and rejected",
    "Preference data for training: the model of the chosen answer and that of the rejected one.",
    "preference_pairs.jsonl",
    lines({"prompt": f"Explain tides {v.item}", "chosen": "The moon …", "rejected": "Because …",
           "chosen_model": v.winner, "rejected_model": ({v.first, v.second} - {v.winner}).pop()}
          for v in cast if v.winner != "tie"),
    (("leaderboard", FILE, "--winner", "chosen_model", "--first", "chosen_model", "--second", "rejected_model",
        "--item", "prompt",
      "--unordered"),),
    "prompt=item; chosen=text; rejected=text; chosen_model=winner; rejected_model=second",
    of_votes([v._replace(item=f"Explain tides {v.item}", rater="") for v in cast if v.winner != "tie"], ordered=False),
    ugly=True,
)  # fmt: skip

tally = {}
for v in cast:
    if v.winner != "tie":
        loser = v.second if v.winner == v.first else v.first
        tally[v.winner, loser] = tally.get((v.winner, loser), 0) + 1
expanded = [Vote(f"v{n}", w, o, w) for n, (w, o) in enumerate((w, o) for (w, o), k in tally.items() for _ in range(k))]
case(
    "counted votes",
    "Votes added up: winner, loser, and how often. A row stands for several votes.",
    "tally.csv",
    text_of(["winner", "loser", "n"], [[w, o, k] for (w, o), k in tally.items()]),
    (("leaderboard", FILE, "--winner", "winner", "--first", "winner", "--second", "loser", "--count", "n",
        "--unordered"),),
    "winner=winner; loser=second; n=count", of_votes(expanded, ordered=False), ugly=True,
)  # fmt: skip

three = [
    (v, [v.winner if draw.random() < 0.8 else draw.choice([v.first, v.second, "tie"]) for _ in range(3)])
    for v in cast[:40]
]
case(
    "three annotators beside each other",
    "Three people voted on each pair: annotator1 to annotator3 say 1, 2 or 0 for a tie.",
    "triple.csv",
    text_of(["idx", "model_1", "model_2", "annotator1", "annotator2", "annotator3"],
            [[v.item, v.first, v.second, *({v.first: 1, v.second: 2}.get(w, 0) for w in ws)] for v, ws in three]),
    (("leaderboard", FILE, "--winner", "annotator*", "--first", "model_1", "--second", "model_2", "--tie", "0"),),
    "idx=item; model_1=first; model_2=second; annotator1=rater; annotator2=rater; annotator3=rater",
    of_votes([Vote(v.item, v.first, v.second, w, f"annotator{k + 1}") for v, ws in three for k, w in enumerate(ws)]),
    may_ask=("tie words",), ugly=True,
)  # fmt: skip

case(
    "left, right and who",
    "A rating platform: left_system, right_system, preferred (left, right, equal), the rater's id and seconds spent.",
    "platform_sxs.csv",
    text_of(["assignment", "rater_id", "left_system", "right_system", "preferred", "seconds"],
            [[v.item, v.rater, v.first, v.second, word_of(v, "left", "right", "equal"), 11 + i % 40]
                for i, v in enumerate(cast)]),
    (("leaderboard", FILE, "--winner", "preferred", "--first", "left_system", "--second", "right_system",
      "--item", "assignment", "--rater", "rater_id"),),
    "assignment=item; rater_id=rater; left_system=first; right_system=second; preferred=winner; seconds=cost",
    of_votes(cast), may_ask=("tie words",),
)  # fmt: skip

shares = [
    (v, round(1.5 + (0.45 if v.winner == v.second else -0.45 if v.winner == v.first else 0) * draw.random(), 3))
    for v in pairs
]
case(
    "a judge's continuous preference",
    "A judge's preference between 1 (the baseline output_1) and 2 (output_2), as a table.",
    "judge_preferences.csv",
    text_of(["instruction", "generator_1", "generator_2", "annotator", "preference"],
            [[f"Write about {v.item}", v.first, v.second, "claude-eval", s] for v, s in shares]),
    compared("wren-small", "heron-7b"),
    "instruction=item; generator_1=first; generator_2=second; annotator=rater; preference=winner",
    plain([Answer(f"Write about {v.item}", m, round(s - 1 if m == "wren-small" else 2 - s, 3), "claude-eval")
           for v, s in shares for m in ("heron-7b", "wren-small")]),
    judges=("claude-eval",), asks=BETTER, ugly=True,
)  # fmt: skip

case(
    "ratings of a ladder",
    "Elo numbers of a ladder: one number per model, so nothing can be tested.",
    "elo.csv",
    text_of(["rank", "model", "elo", "votes"], [[k + 1, m, 1180 - 40 * k, 900 + 13 * k] for k, m in enumerate(FOUR)]),
    (), "rank=not used; model=model; elo=value; votes=count", None, row="model",
    refused=TOTALS,
)  # fmt: skip

sheet = [
    [f"2026-01-{k + 10} 14:2{k % 10}", *(draw.choice(["Left", "Left", "Right", "Can't decide"]) for _ in range(8))]
    for k in range(12)
]
case(
    "a form of side-by-side questions",
    "A form: a row per person, a column per pair, the answer Left, Right or Can't decide. The form does not say which "
    "model stood left.",
    "form_ab.csv",
    text_of(["Timestamp", *(f"Pair {k}: which answer is better?" for k in range(1, 9))], sheet),
    (), "Timestamp=not used; " + "; ".join(f"Pair {k}: which answer is better?=winner" for k in range(1, 9)),
    plain([Answer(f"Pair {k}", m, float((a == "Left") == (m == "left")) if a != "Can't decide" else 0.5, f"p{i}")
           for i, row in enumerate(sheet) for k, a in enumerate(row[1:], 1) for m in ("left", "right")]),
    asks={"tie words": ("--tie \"Can't decide\"",)}, may_ask=("people or models",), better="unknown", ugly=True,
)  # fmt: skip

won = [[v.item, int(v.winner == "heron-7b"), int(v.winner == "wren-small"), int(v.winner == "tie")] for v in pairs]
case(
    "wins as columns",
    "heron_wins, wren_wins and tie are marks of one vote each, of which exactly one is 1: not three models.",
    "win_flags.csv", text_of(["id", "heron_wins", "wren_wins", "tie"], won),
    compared("heron_wins", "wren_wins", "--tie", "tie"), "id=item; heron_wins=winner; wren_wins=winner; tie=winner",
    plain([Answer(w[0], m, w[k] + w[3] / 2) for w in won for k, m in ((1, "heron_wins"), (2, "wren_wins"))]), ugly=True,
)  # fmt: skip
