"""Tables with a row per response, per item or per model, as notebooks and evaluation scripts save them."""

import random

from tests.io.readings.corpus import (
    BETTER,
    FILE,
    TOTALS,
    Answer,
    Case,
    answers,
    compared,
    plain,
    ranked,
    roles,
    tidy,
    wide,
)

CASES: list[Case] = []


def case(name, story, file, text, row, first, columns, **how):
    """Add a case of one table."""
    CASES.append(Case(name, "tables", story, {file: text}, row, first, roles(columns), **how))


def noted(i):
    return random.Random(i).choice(["fine", "a bit long", "", "see row above", "good, but dry", "off topic"])


# ---- a row per response

rows = answers(24, {"heron-7b": 0.5, "wren-small": 0.0, "ibis-2": 0.3})
case(
    "ratings",
    "A notebook saved the rating of each answer of three models; the analyst ranks the three.",
    "ratings.csv",
    tidy(rows, {"question_id": lambda r, i: r.item, "model": lambda r, i: r.model, "rating": lambda r, i: r.value}),
    "response", ranked(), "question_id=item; model=model; rating=value", truth=plain(rows),
)  # fmt: skip

rows = answers(40, {"osprey": 0.4, "plover": 0.0}, "0/1")
case(
    "right or wrong",
    "A script graded two models on a quiz; the analyst compares the share of right answers, item by item.",
    "graded.csv",
    tidy(rows, {"id": lambda r, i: r.item, "model": lambda r, i: r.model, "answer": lambda r, i: "ABCD"[i % 4],
                "correct": lambda r, i: bool(r.value)}),
    "response", compared("osprey", "plover"), "id=item; model=model; answer=text; correct=value", truth=plain(rows),
)  # fmt: skip

rows = answers(20, {"kestrel-lg": 0.6, "kestrel-sm": 0.0}, "0-1", runs=3)
case(
    "quality by seed",
    "Three seeds of two models, graded from 0 to 1; seeds are runs of a model, not further items.",
    "seeds.tsv",
    tidy(rows, {"example_id": lambda r, i: r.item, "model_name": lambda r, i: r.model,
                "seed": lambda r, i: 40 + int(r.run), "quality_score": lambda r, i: r.value}, separator="\t"),
    "response", compared("kestrel-lg", "kestrel-sm", "--value", "quality_score"),
    "example_id=item; model_name=model; seed=run; quality_score=value", truth=plain(rows),
)  # fmt: skip

rows = answers(20, {"finch": 0.4, "robin": 0.1, "stork": 0.0}, "1-5")
case(
    "comments between",
    "An annotation sheet with free comments and the texts; only the stars are numbers that count.",
    "annotation_export.csv",
    tidy(rows, {"ticket": lambda r, i: r.item, "bot": lambda r, i: r.model, "customer_message": "My parcel is late",
                "bot_reply": lambda r, i: f"Sorry to hear that ({i})", "stars": lambda r, i: r.value,
                "comment": lambda r, i: noted(i), "created_at": lambda r, i: f"2026-03-{1 + i % 28:02d} 10:1{i % 10}"}),
    "response", ranked(),
    "ticket=item; bot=model; customer_message=text; bot_reply=text; stars=value; comment=text; created_at=not used",
    truth=plain(rows),
)  # fmt: skip

rows = answers(25, {"north-mt": 0.3, "south-mt": 0.0}, "0-100")
case(
    "direct assessment",
    "Translations scored 0 to 100 (direct assessment): more is better by the name of the method.",
    "da_scores.tsv",
    tidy(rows, {"segment_id": lambda r, i: r.item, "system": lambda r, i: r.model, "DA": lambda r, i: r.value},
         separator="\t"),
    "response", compared("north-mt", "south-mt", "--value", "DA"), "segment_id=item; system=model; DA=value",
    may_ask=("better",), truth=plain(rows),
)  # fmt: skip

rows = answers(30, {"north-mt": -0.6, "south-mt": 0.0, "west-mt": 0.4}, "penalty")
case(
    "penalties called points",
    "Error points of translations: zero for a flawless segment, no upper end. Nothing says that less is better, so the "
    "analyst asks.",
    "points.csv",
    tidy(rows, {"seg": lambda r, i: r.item, "system": lambda r, i: r.model, "points": lambda r, i: r.value}),
    "response", (*ranked("--item", "seg", "--better", "lower"), *ranked("--item", "seg", "--better", "higher")),
    "seg=item; system=model; points=value", better="unknown", asks=BETTER, truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = answers(24, {"tern-asr": -0.3, "gull-asr": 0.2, "loon-asr": 0.0}, "0-1", item=lambda i: f"utt_{i:04d}")
case(
    "word error rate",
    "Speech recognition: the word error rate of each utterance. Its name says that less is better.",
    "wer.csv",
    tidy(rows, {"utt_id": lambda r, i: r.item, "system": lambda r, i: r.model, "wer": lambda r, i: r.value}),
    "response", ranked("--value", "wer", "--better", "lower"), "utt_id=item; system=model; wer=value", better="lower",
    may_ask=("better",), truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = answers(24, {"tern-asr": -0.4, "gull-asr": 0.0}, "0-1", item=lambda i: f"utt_{i:04d}")
case(
    "word error rate, wide",
    "The same with a column per recogniser; the file name and the columns say wer.",
    "asr.csv",
    wide(rows, lambda r: f"{r.model}_wer", {"utterance": lambda item, i: item, "seconds": lambda item, i: 3 + i % 7}),
    "item by models", compared("tern-asr_wer", "gull-asr_wer", "--better", "lower"),
    "utterance=item; seconds=not used; tern-asr_wer=model; gull-asr_wer=model", better="lower", may_ask=("better",),
    truth=plain([r._replace(model=f"{r.model}_wer") for r in rows],
                "--better", "lower"),
)  # fmt: skip

rows = answers(30, {"wader-base": 0.4, "wader-long": 0.0}, "real")
case(
    "perplexity",
    "Perplexity of each document under two language models: less is better.",
    "ppl.csv",
    tidy(rows, {"doc_id": lambda r, i: r.item, "model": lambda r, i: r.model, "perplexity": lambda r, i: abs(r.value)}),
    "response", compared("wader-base", "wader-long", "--value", "perplexity", "--better", "lower"),
    "doc_id=item; model=model; perplexity=value", better="lower", may_ask=("better",),
    truth=plain([r._replace(value=abs(r.value)) for r in rows], "--better", "lower"),
)  # fmt: skip

rows = answers(20, {"pipit": 0.4, "dunlin": 0.0}, "seconds")
case(
    "latency beside marks",
    "A service log: whether the answer was right, and how long and how dear it was. Right is the value, the others are "
    "costs.",
    "service.csv",
    tidy(rows, {"request": lambda r, i: r.item, "model": lambda r, i: r.model, "latency_s": lambda r, i: r.value,
                "cost_usd": lambda r, i: round(0.001 * (1 + i % 9), 4), "tokens_out": lambda r, i: 80 + 7 * (i % 31),
                "is_correct": lambda r, i: int(r.value > 2.2)}),
    "response", compared("pipit", "dunlin", "--item", "request", "--value", "is_correct"),
    "request=item; model=model; latency_s=cost; cost_usd=cost; tokens_out=cost; is_correct=value",
    truth=plain([r._replace(value=int(r.value > 2.2)) for r in rows]),
)  # fmt: skip

case(
    "latency only",
    "Only the time of each answer was kept: the analyst compares times, less is better.",
    "timing.csv",
    tidy(rows, {"request": lambda r, i: r.item, "model": lambda r, i: r.model, "latency_s": lambda r, i: r.value}),
    "response", compared("pipit", "dunlin", "--item", "request", "--value", "latency_s", "--better", "lower"),
    "request=item; model=model; latency_s=value", better="lower", may_ask=("better",),
    truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = answers(25, {"skua": 0.3, "auk": 0.0, "smew": -0.2}, "real")
case(
    "nameless score",
    "Numbers between 0 and 50 in a column called score, from somebody's metric: it could be an edit distance. Ask.",
    "results.csv",
    tidy(rows, {"id": lambda r, i: r.item, "model": lambda r, i: r.model, "score": lambda r, i: r.value}),
    "response", (*ranked("--better", "higher"), *ranked("--better", "lower")), "id=item; model=model; score=value",
    better="unknown", asks=BETTER, truth=plain(rows),
)  # fmt: skip

rows = answers(25, {"skua": 0.5, "auk": 0.0}, "penalty")
case(
    "edits",
    "Number of words that a post-editor changed in each segment: fewer are better, which the name only suggests.",
    "postedit.csv",
    tidy(rows, {"segment": lambda r, i: r.item, "engine": lambda r, i: r.model, "edits": lambda r, i: r.value}),
    "response",
    (*compared("skua", "auk", "--value", "edits", "--better", "lower"),
     *compared("skua", "auk", "--value", "edits", "--better", "higher")),
    "segment=item; engine=model; edits=value", better="unknown", asks=BETTER, truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = [r._replace(value=random.Random(f"{i}").choice([1, 2, 3]) if i % 2 else min(6, max(1, r.value)))
        for i, r in enumerate(answers(22, {"avocet": 0.2, "egret": 0.0}))]  # fmt: skip
case(
    "school grades",
    "A German team gave school grades: 1 is best and 6 is worst, and the file does not say so.",
    "noten.csv",
    tidy(rows, {"id": lambda r, i: r.item, "modell": lambda r, i: r.model, "grade": lambda r, i: r.value}),
    "response",
    (*compared("avocet", "egret", "--model", "modell", "--better", "lower"),
     *compared("avocet", "egret", "--model", "modell", "--better", "higher")),
    "id=item; modell=model; grade=value", better="unknown", asks=BETTER, truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = answers(20, {"dove": 0.0, "crow": 0.6}, "0-3")
case(
    "toxicity",
    "Toxicity from 0 (none) to 3 (severe): the reader knows that less is better, a program should ask.",
    "safety.csv",
    tidy(rows, {"prompt_id": lambda r, i: r.item, "model": lambda r, i: r.model, "toxicity": lambda r, i: r.value}),
    "response",
    (*compared("dove", "crow", "--value", "toxicity", "--better", "lower"),
     *compared("dove", "crow", "--value", "toxicity", "--better", "higher")),
    "prompt_id=item; model=model; toxicity=value", better="lower", asks=BETTER, truth=plain(rows, "--better", "lower"),
)  # fmt: skip

rows = answers(18, {"swift-1": 0.3, "swift-2": 0.0, "rook-1": 0.1})
case(
    "rank given by a rater",
    "Each rater put three answers in order, 1 is the best. Less is better where a column is called rank.",
    "ranking_task.csv",
    tidy([r._replace(value=1 + sorted(o.value for o in rows if o.item == r.item).index(r.value)) for r in rows],
         {"prompt_id": lambda r, i: r.item, "model": lambda r, i: r.model, "rank": lambda r, i: r.value}),
    "response",
    (*ranked("--value", "rank", "--better", "lower"), *ranked("--value", "rank", "--better", "higher")),
    "prompt_id=item; model=model; rank=value", better="lower", asks=BETTER,
    truth=plain([r._replace(value=1 + sorted(o.value for o in rows if o.item == r.item).index(r.value)) for r in rows],
                "--better", "lower"),
)  # fmt: skip

# ---- a column per model

rows = answers(30, {"heron-7b": 0.5, "wren-small": 0.0, "ibis-2": 0.3}, "0/1")
case(
    "marks by model",
    "A benchmark script wrote a row per task and a column of 0 and 1 per model.",
    "matrix.csv",
    wide(rows, lambda r: r.model, {"task_id": lambda item, i: item}),
    "item by models", ranked(), "task_id=item; heron-7b=model; wren-small=model; ibis-2=model", truth=plain(rows),
)  # fmt: skip

rows = answers(20, {"orion": 0.4, "lyra": 0.0}, "0-1", runs=3)
case(
    "runs in column names",
    "Three runs of each model are columns orion_r1 to lyra_r3: two models, not six.",
    "runs.csv",
    wide(rows, lambda r: f"{r.model}_r{r.run}", {"id": lambda item, i: item}),
    "item by models", compared("orion_r*", "lyra_r*"),
    "id=item; orion_r1=model; orion_r2=model; orion_r3=model; lyra_r1=model; lyra_r2=model; lyra_r3=model",
    may_ask=("better",),
    truth=plain([r._replace(model=f"{r.model}_r") for r in rows]),
)  # fmt: skip

case(
    "seeds in column names",
    "The same from a trainer that writes model/seed=1: the part that repeats names the seed.",
    "by_seed.csv",
    wide(rows, lambda r: f"{r.model}/seed={r.run}", {"id": lambda item, i: item}),
    "item by models", compared("orion/seed=*", "lyra/seed=*"),
    "id=item; orion/seed=1=model; orion/seed=2=model; orion/seed=3=model; lyra/seed=1=model; lyra/seed=2=model; "
    "lyra/seed=3=model",
    may_ask=("better",), ugly=True, truth=plain([r._replace(model=f"{r.model}/seed=") for r in rows]),
)  # fmt: skip

rows = answers(26, {"chrf_heron": 0.3, "chrf_wren": 0.0}, "real")
case(
    "one metric by model",
    "A column of chrF for each of two models; chrF is better the higher it is.",
    "chrf.csv",
    wide(rows, lambda r: r.model, {"line": lambda item, i: i + 1, "source": lambda item, i: f"Satz {i + 1}"}),
    "item by models", compared("chrf_heron", "chrf_wren", "--item", "line"),
    "line=item; source=text; chrf_heron=model; chrf_wren=model", may_ask=("better",),
    truth=plain([r._replace(item=str(int(r.item[1:]))) for r in rows]),
)  # fmt: skip

rows = answers(24, {"bleu": 0.2, "comet": 0.0, "chrf": 0.1}, "0-1")
case(
    "metrics, not models",
    "Three metrics of one system by segment. There is one model; bleu, comet and chrf are not to be ranked.",
    "segment_scores.csv",
    wide(rows, lambda r: r.model, {"segment": lambda item, i: item}),
    "response",
    (("score", FILE, "--value", "comet"), ("score", FILE, "--value", "bleu"), ("score", FILE, "--value", "chrf")),
    "segment=item; bleu=value; comet=value; chrf=value",
    asks={"criterion": ("--value comet", "--value bleu", "--value chrf")},
    truth=plain([r for r in rows if r.model == "comet"]),
)  # fmt: skip

rows = answers(25, {"label": 0.0}, "0/1")
words = ["refund", "delivery", "other"]


def guess(i, right):
    return words[i % 3] if random.Random(f"{i} {right}").random() < right else words[(i + 1) % 3]


labelled = [Answer(r.item, m, v) for i, r in enumerate(rows)
            for m, v in (("gold", words[i % 3]), ("dipper", guess(i, 0.9)), ("martin", guess(i, 0.7)))]  # fmt: skip
case(
    "labels and gold",
    "Intents that two classifiers gave, beside the gold label: accuracy against gold.",
    "intents.csv",
    wide(labelled, lambda r: r.model, {"id": lambda item, i: item, "utterance": lambda item,
        i: f"where is my parcel {i}"}),
    "item by models", (("compare", FILE, "--gold", "gold", "--a", "dipper", "--b", "martin"),),
    "id=item; utterance=text; gold=gold; dipper=model; martin=model", truth=plain(labelled, "--gold", "gold"),
)  # fmt: skip

case(
    "predictions and y_true",
    "The same from a training script: y_true, pred_dipper, pred_martin.",
    "predictions.csv",
    wide(labelled, lambda r: "y_true" if r.model == "gold" else f"pred_{r.model}", {"idx": lambda item, i: i}),
    "item by models", (("compare", FILE, "--gold", "y_true", "--a", "pred_dipper", "--b", "pred_martin"),),
    "idx=item; y_true=gold; pred_dipper=model; pred_martin=model",
    truth=plain([r._replace(model=r.model if r.model == "gold" else f"pred_{r.model}") for r in labelled],
                "--gold", "gold"),
)  # fmt: skip

case(
    "labels without gold",
    "Labels of two classifiers and nothing that says which are right: nothing can be said about which is better.",
    "labels_only.csv",
    wide([r for r in labelled if r.model != "gold"], lambda r: r.model, {"id": lambda item, i: item}),
    "refused", (), "id=item; dipper=model; martin=model", better="unknown", refused="gold|which are right",
)  # fmt: skip

# ---- criteria

rows = answers(20, {"lark-xl": 0.3, "lark-s": 0.0}, "1-5")
criteria = {
    "item_id": lambda r, i: r.item, "model": lambda r, i: r.model,
    "fluency": lambda r, i: min(5, max(1, r.value + i % 2)), "helpfulness": lambda r, i: max(1, r.value - i % 2),
    "overall": lambda r, i: r.value,
}  # fmt: skip
case(
    "criteria with an overall one",
    "Fluency, helpfulness and an overall rating of each answer. The overall one answers the question; the others are "
    "criteria, not models.",
    "criteria.csv", tidy(rows, criteria), "response", compared("lark-xl", "lark-s", "--value", "overall"),
    "item_id=item; model=model; fluency=value; helpfulness=value; overall=value", may_ask=("criterion",),
    truth=plain(rows),
)  # fmt: skip

four = {"doc": lambda r, i: r.item, "system": lambda r, i: r.model,
        "coherence": lambda r, i: r.value, "consistency": lambda r, i: min(5, r.value + 1),
        "relevance": lambda r, i: max(1, r.value - (i % 3 == 0)), "fluency": lambda r, i: min(5,
            r.value + i % 2)}  # fmt: skip
case(
    "four criteria",
    "Summaries rated on coherence, consistency, relevance and fluency: which criterion decides is not the program's "
    "choice.",
    "summaries.csv", tidy(rows, four), "response",
    (*compared("lark-xl", "lark-s", "--value", "coherence"), *compared("lark-xl", "lark-s", "--value", "relevance"),
     *compared("lark-xl", "lark-s", "--value", "fluency")),
    "doc=item; system=model; coherence=value; consistency=value; relevance=value; fluency=value",
    asks={"criterion": ("--value coherence", "--value relevance", "--value fluency")}, truth=plain(rows),
)  # fmt: skip

long = [(r, c, v) for i, r in enumerate(rows) for c, v in (("fluency", min(5, r.value + i % 2)), ("accuracy", r.value))]
case(
    "criterion in a column",
    "The same criteria one below the other: a column says which one a row rates, so an item has two rows per model.",
    "long_criteria.csv",
    "item,model,criterion,score\n" + "".join(f"{r.item},{r.model},{c},{v}\n" for r, c, v in long),
    "response",
    (*compared("lark-xl", "lark-s", "--where", "criterion=accuracy"),
     *compared("lark-xl", "lark-s", "--where", "criterion=fluency")),
    "item=item; model=model; criterion=facet; score=value",
    asks={"criterion": ("--where criterion=accuracy", "--where criterion=fluency")}, truth=plain(rows),
)  # fmt: skip

case(
    "criterion by model columns",
    "Columns fluency_lark-xl to overall_lark-s: two criteria of two models.",
    "pivoted.csv",
    wide([r._replace(model=f"{c}_{r.model}", value=min(5, r.value + (c == "fluency") * (i % 2)))
          for i, r in enumerate(rows) for c in ("fluency", "overall")], lambda r: r.model,
         {"id": lambda item, i: item}),
    "item by models",
    (*compared("overall_lark-xl", "overall_lark-s"), *compared("fluency_lark-xl", "fluency_lark-s")),
    "id=item; fluency_lark-xl=model; overall_lark-xl=model; fluency_lark-s=model; overall_lark-s=model",
    asks={"criterion": ("overall_*", "fluency_*")}, ugly=True,
    truth=plain([r._replace(model=f"overall_{r.model}") for r in rows]),
)  # fmt: skip

# ---- items in groups, other factors

rows = answers(40, {"north-mt": 0.5, "south-mt": 0.0}, "0-100",
               groups={"talk_a": 11, "talk_b": 6, "talk_c": 9, "talk_d": 8, "talk_e": 6})  # fmt: skip
case(
    "segments of five talks",
    "Forty segments of five talks with quality scores. The talks are what was drawn: the analyst keeps them together.",
    "talks.csv",
    tidy(rows, {"talk": lambda r, i: r.group, "segment_id": lambda r, i: r.item, "system": lambda r, i: r.model,
                "quality": lambda r, i: r.value}),
    "response", compared("north-mt", "south-mt", "--value", "quality", "--group", "talk"),
    "talk=item group; segment_id=item; system=model; quality=value", groups=("talk",), truth=plain(rows),
)  # fmt: skip

rows = answers(36, {"north-mt": 0.4, "south-mt": 0.0}, "1-5", groups={f"news-{k}": 3 for k in range(12)})
numbered = {item: str(1 + k % 3) for k, item in enumerate(dict.fromkeys(r.item for r in rows))}
case(
    "segments numbered in documents",
    "Segment 1, 2, 3 of each of twelve documents: an item is document and segment together.",
    "per_document.csv",
    tidy(rows, {"doc_id": lambda r, i: r.group, "seg_id": lambda r, i: numbered[r.item],
                "system": lambda r, i: r.model, "score": lambda r, i: r.value}),
    "response", compared("north-mt", "south-mt", "--item", "doc_id,seg_id", "--group", "doc_id"),
    "doc_id=item group; seg_id=item; system=model; score=value", groups=("doc_id",), ugly=True, truth=plain(rows),
)  # fmt: skip

rows = answers(30, {"heron-7b": 0.3, "ibis-2": 0.0}, "0/1", groups={"algebra": 8, "law": 7, "history": 15})
case(
    "subjects of a quiz",
    "Questions of three subjects. Subjects were chosen, not drawn: compare over all and offer the subjects as slices.",
    "quiz.csv",
    tidy(rows, {"question": lambda r, i: r.item, "subject": lambda r, i: r.group, "model": lambda r, i: r.model,
                "exact_match": lambda r, i: r.value}),
    "response",
    (*compared("heron-7b", "ibis-2", "--value", "exact_match"),
     *compared("heron-7b", "ibis-2", "--value", "exact_match", "--group", "subject")),
    "question=item; subject=item group; model=model; exact_match=value", groups=("subject",), may_ask=("facet",),
    truth=plain([r._replace(group="") for r in rows]),
)  # fmt: skip

rows = [r._replace(run=f"{t}-{s}") for r in answers(12, {"osprey": 0.4, "plover": 0.0}, "0/1", runs=1)
        for t in ("short", "cot", "few-shot") for s in (1, 2)]  # fmt: skip
draw = random.Random(5)
rows = [r._replace(value=int(draw.random() < (0.45 + 0.25 * r.value + 0.1 * ("cot" in r.run)))) for r in rows]
case(
    "prompts by seeds",
    "Each question under three prompt templates and two seeds. Templates are a factor of their own: averaged by a "
    "stated rule or one chosen, never six independent runs.",
    "templates.csv",
    tidy(rows, {"item": lambda r, i: r.item, "model": lambda r, i: r.model,
                "template": lambda r, i: r.run.rpartition("-")[0], "seed": lambda r, i: r.run.rpartition("-")[2],
                "correct": lambda r, i: r.value}),
    "response", compared("osprey", "plover", "--facet", "template"),
    "item=item; model=model; template=facet; seed=run; correct=value",
    asks={"facet": ("--facet template", "--where template=cot")},
    ugly=True, truth=plain(rows),
)  # fmt: skip

# ---- one number per model

board = "model,accuracy,f1,n_params\n" + "".join(
    f"{m},{a},{round(a - 0.02, 3)},{p}\n"
    for m, a, p in (("heron-7b", 0.712, 7), ("ibis-2", 0.684, 13), ("auk", 0.655, 3))
)
case(
    "leaderboard of totals",
    "A published leaderboard: one accuracy per model. Nothing per item, so nothing can be tested.",
    "board.csv", board, "model", (), "model=model; accuracy=value; f1=value; n_params=not used", refused=TOTALS,
)  # fmt: skip

case(
    "arena totals",
    "Win rates and numbers of wins by model: totals again; win_rate and n_wins are not two models.",
    "arena_totals.csv",
    "model,win_rate,n_wins,n_wins_base,n_draws,avg_length\n"
    + "".join(f"{m},{w},{int(w * 2)},{200 - int(w * 2)},{d},{1200 + d}\n"
              for m, w, d in (("heron-7b", 61.5, 12), ("ibis-2", 55.0, 9), ("auk", 40.5, 14), ("smew", 38.0, 11))),
    "model", (), "model=model; win_rate=value; n_wins=count; n_wins_base=count; n_draws=count; avg_length=not used",
    refused=TOTALS, ugly=True,
)  # fmt: skip

tasks = ["acorn", "brook", "cliff", "dune", "ember", "fjord", "grove", "heath", "inlet", "juniper", "knoll", "larch"]
per_task = [Answer(t, m, round(0.5 + 0.3 * random.Random(t).random() + s + 0.04 * random.Random(t + m).random(), 3))
            for m, s in (("heron-7b", 0.05), ("ibis-2", 0.0), ("auk", -0.02)) for t in tasks]  # fmt: skip
case(
    "models in rows, tasks in columns",
    "A leaderboard with a row per model and a column per task. It can be read with tasks as items (12 of them), models "
    "as rows.",
    "tasks.csv",
    "model," + ",".join(tasks) + ",average\n"
    + "".join(f"{m}," + ",".join(str(r.value) for r in per_task if r.model == m)
              + f",{sum(r.value for r in per_task if r.model == m) / 12:.3f}\n" for m in ("heron-7b", "ibis-2", "auk")),
    "item by models", ranked("--transpose"),
    "model=model; " + "; ".join(f"{t}=item" for t in tasks) + "; average=not used", may_ask=("item", "better"),
    ugly=True, truth=plain(per_task),
)  # fmt: skip

case(
    "one row",
    "A table of a single row: two numbers cannot be tested.",
    "single.csv", "id,heron-7b,ibis-2\nq1,0.71,0.68\n", "refused", (), "id=item; heron-7b=model; ibis-2=model",
    better="unknown", refused="one (row|item)|single|at least two", ugly=True,
)  # fmt: skip

# ---- experiments

configs = [(lr, s) for lr in (0.001, 0.0003) for s in range(5)]
draw = random.Random(9)
mlflow = "run_id,status,params.lr,params.seed,params.dropout,metrics.val_accuracy,metrics.val_loss,tags.user\n"
mlflow += "".join(
    f"{draw.randrange(16**8):08x},FINISHED,{lr},{s},0.1,{0.81 + 0.02 * (lr < 0.001) + draw.gauss(0, 0.006):.4f},"
    f"{0.52 - 0.03 * (lr < 0.001) + draw.gauss(0, 0.01):.4f},mw\n" for lr, s in configs
)  # fmt: skip
draw = random.Random(9)
trained = []
for lr, s in configs:
    draw.randrange(16**8)
    accuracy = f"{0.81 + 0.02 * (lr < 0.001) + draw.gauss(0, 0.006):.4f}"
    draw.gauss(0, 0.01)
    trained.append(Answer(str(s), str(lr), accuracy))
case(
    "training runs",
    "An MLflow table of ten trainings, two learning rates with five seeds each. A row is a training; what is "
    "compared is "
    "lr, over seeds, by validation accuracy.",
    "runs_export.csv", mlflow, "response",
    (*compared("0.001", "0.0003", "--model", "params.lr", "--item", "params.seed", "--value", "metrics.val_accuracy"),
     *compared("0.001", "0.0003", "--model", "params.lr", "--item", "params.seed", "--value", "metrics.val_loss",
               "--better", "lower")),
    "run_id=not used; status=not used; params.lr=model; params.seed=run; params.dropout=not used; "
    "metrics.val_accuracy=value; metrics.val_loss=value; tags.user=not used",
    asks={"criterion": ("--value metrics.val_accuracy", "--value metrics.val_loss")}, ugly=True, truth=plain(trained),
)  # fmt: skip

losses = [Answer(str(s), o, f"{0.9 + 0.04 * (o == 'sgd') + draw.gauss(0, 0.02):.4f}")
          for o in ("adam", "sgd") for s in range(8)]  # fmt: skip
case(
    "sweep of a tracker",
    "A tracker's export: names such as lr3-seed1, state, runtime and losses. Runs of two settings by seed, by test "
    "loss.",
    "wandb_export.csv",
    "Name,State,Runtime,optimizer,seed,test/loss\n"
    + "".join(f"{r.model}-seed{r.item},finished,{3000 + 40 * int(r.item)},{r.model},{r.item},{r.value}\n"
        for r in losses),
    "response", compared("adam", "sgd", "--model", "optimizer", "--item", "seed", "--value", "test/loss", "--better",
        "lower"),
    "Name=not used; State=not used; Runtime=cost; optimizer=model; seed=run; test/loss=value", better="lower",
    may_ask=("better", "item"), ugly=True, truth=plain(losses, "--better", "lower"),
)  # fmt: skip

# ---- chances and counts

rows = answers(24, {"lark-xl": 0.3, "lark-s": 0.0}, "1-5")
case(
    "sampling chance",
    "Items were drawn with unequal chances for labelling; the column inclusion_prob says them and is not a rating.",
    "sampled.csv",
    tidy(rows, {"id": lambda r, i: r.item, "model": lambda r, i: r.model, "rating": lambda r, i: r.value,
                "inclusion_prob": lambda r, i: (0.2, 0.5, 0.8)[int(r.item[1:]) % 3]}),
    "response", compared("lark-xl", "lark-s"), "id=item; model=model; rating=value; inclusion_prob=sampling chance",
    truth=plain(rows),
)  # fmt: skip

counted = [
    (r, 1 + random.Random(f"{i}").randrange(4)) for i, r in enumerate(answers(20, {"lark-xl": 0.4, "lark-s": 0.0}))
]
case(
    "counts of votes",
    "Rows say how many people gave a rating: count says how many answers a row stands for.",
    "counts.csv",
    "item,model,rating,count\n" + "".join(
        f"{r.item},{r.model},{v},{c}\n" for r, c in counted for v in {r.value, max(1, r.value - 1)}),
    "response", compared("lark-xl", "lark-s", "--count", "count"), "item=item; model=model; rating=value; count=count",
    ugly=True,
    truth=plain([r._replace(value=v, run=f"{v}-{k}") for r, c in counted for v in {r.value, max(1, r.value - 1)}
                 for k in range(c)]),
)  # fmt: skip

rows = answers(20, {"kite": 0.3, "buzzard": 0.0}, "0/1", runs=5)
case(
    "pass at k",
    "Code generation: five samples of each task, passed or not, by two models; the runs of a task belong together.",
    "pass.csv",
    tidy(rows, {"task_id": lambda r, i: f"task/{r.item[1:]}", "model": lambda r, i: r.model,
                "sample": lambda r, i: r.run, "passed": lambda r, i: str(bool(r.value)).lower()}),
    "response", compared("kite", "buzzard", "--run", "sample"), "task_id=item; model=model; sample=run; passed=value",
    truth=plain([r._replace(item=f"task/{r.item[1:]}") for r in rows]),
)  # fmt: skip

PASSED = [3, 0, 20, 11, 7, 1, 0, 15, 4, 9, 2, 18]
case(
    "pass@k columns",
    "Totals of each task as columns pass@1, pass@5, pass@10 of one model: three numbers of one model, not three "
    "models.",
    "passk.csv",
    "task_id,n,c,pass@1,pass@5,pass@10\n" + "".join(
        f"t{i},20,{c},{c / 20:.2f},{min(1, c / 5):.2f},{min(1, c / 3):.2f}\n"
        for i, c in enumerate(PASSED)),
    "response", (("score", FILE, "--value", "pass@1"),),
    "task_id=item; n=count; c=count; pass@1=value; pass@5=value; pass@10=value", may_ask=("criterion",), ugly=True,
    truth=plain([Answer(f"t{i}", "model", f"{c / 20:.2f}") for i, c in enumerate(PASSED)]),
)  # fmt: skip


# ---- the same shapes under names that look familiar: meaning must not come from the name of the value alone

rows = answers(30, {"human-ref": -1.4, "north-mt": -0.6, "south-mt": 0.2, "west-mt": 0.5}, "penalty")
case(
    "penalties called score",
    "Error points of four translations, one by a human translator, in a column called score: many zeros, no upper end, "
    "and the human would come last if more were better.",
    "scores.csv",
    tidy(rows, {"seg_id": lambda r, i: r.item, "system": lambda r, i: r.model, "score": lambda r, i: r.value}),
    "response", (*ranked("--better", "lower"), *ranked("--better", "higher")), "seg_id=item; system=model; score=value",
    better="unknown", asks=BETTER, truth=plain(rows, "--better", "lower"),
)  # fmt: skip

case(
    "penalties by model",
    "The same points with a column per system.",
    "points_wide.csv",
    wide([r for r in rows if r.model != "human-ref"], lambda r: r.model, {"seg_id": lambda item, i: item}),
    "item by models", (*ranked("--better", "lower"), *ranked("--better", "higher")),
    "seg_id=item; north-mt=model; south-mt=model; west-mt=model", better="unknown", asks=BETTER,
    truth=plain([r for r in rows if r.model != "human-ref"], "--better", "lower"),
)  # fmt: skip

rows = answers(42, {"north-mt": 0.7, "south-mt": 0.0}, "1-5",
               groups={"talk_a": 12, "talk_b": 7, "talk_c": 9, "talk_d": 8, "talk_e": 6})  # fmt: skip
case(
    "talks, ratings called rating",
    "Ratings of segments of five talks: five talks are few, and the answer for talks like these leads.",
    "talk_ratings.csv",
    tidy(rows, {"talk": lambda r, i: r.group, "segment_id": lambda r, i: r.item, "system": lambda r, i: r.model,
                "rating": lambda r, i: r.value}),
    "response", compared("north-mt", "south-mt", "--group", "talk"),
    "talk=item group; segment_id=item; system=model; rating=value", groups=("talk",), truth=plain(rows),
)  # fmt: skip

rows = answers(40, {"heron-7b": 0.5, "ibis-2": 0.0}, "0/1", groups={f"conv{k:02d}": 4 for k in range(10)})
case(
    "turns of conversations",
    "Turns judged right or wrong, four in each of ten conversations; turns of one conversation belong together.",
    "turns.csv",
    tidy(rows, {"conversation": lambda r, i: r.group, "turn_id": lambda r, i: r.item, "model": lambda r, i: r.model,
                "correct": lambda r, i: r.value}),
    "response", compared("heron-7b", "ibis-2", "--item", "turn_id", "--group", "conversation"),
    "conversation=item group; turn_id=item; model=model; correct=value", groups=("conversation",), truth=plain(rows),
)  # fmt: skip

rows = answers(24, {"heron": 0.5, "wren": 0.0})
prompts = [r._replace(model=f"{r.model}_{t}", value=min(5,
    max(1, r.value + random.Random(f"{r.item}{t}{r.model}").choice([-1, 0, 1]))))
           for r in rows for t in ("short", "cot", "examples")]  # fmt: skip
case(
    "models by prompts in columns",
    "heron_short to wren_examples: two models under three prompts, not six models.",
    "by_prompt.csv", wide(prompts, lambda r: r.model, {"id": lambda item, i: item}), "item by models",
    compared("heron_*", "wren_*", "--facet", "prompt"),
    "id=item; heron_short=model; heron_cot=model; heron_examples=model; wren_short=model; wren_cot=model; "
    "wren_examples=model",
    asks={"facet": ("--facet prompt", "--model heron_cot,wren_cot")}, ugly=True,
    truth=plain([r._replace(model=f"{m}_",
        value=round(sum(p.value for p in prompts if p.item == r.item and p.model.startswith(m)) / 3, 4))
                 for r in rows for m in [r.model]]),
)  # fmt: skip

rows = answers(26, {"heron": 0.4, "wren": 0.0}, "0-1")
case(
    "score and seconds by model",
    "A column of scores and one of seconds for each of two models: the seconds are costs, not two further models.",
    "score_and_time.csv",
    wide(rows, lambda r: f"{r.model}_score", {"id": lambda item, i: item},
         {"heron_seconds": lambda item, i: 0.4 + i % 5 / 10, "wren_seconds": lambda item, i: 0.2 + i % 4 / 10}),
    "item by models", compared("heron_score", "wren_score"),
    "id=item; heron_score=model; wren_score=model; heron_seconds=cost; wren_seconds=cost", may_ask=("better",),
    truth=plain([r._replace(model=f"{r.model}_score") for r in rows]),
)  # fmt: skip

draw = random.Random(77)
chances = [
    [f"q{i:02d}", p := round(draw.uniform(0.05, 0.9), 3), round((1 - p) * 0.6, 3), round((1 - p) * 0.4, 3)]
    for i in range(30)
]
case(
    "probabilities of labels",
    "A classifier's probabilities of yes, no and unsure add up to 1 in every row: three answers of one model, which no "
    "test compares.",
    "probabilities.csv",
    "id,yes,no,unsure\n" + "".join(",".join(map(str, row)) + "\n" for row in chances),
    "refused", (), "id=item; yes=not used; no=not used; unsure=not used", better="unknown",
    refused="add up|probabilit|one model|gold", ugly=True,
)  # fmt: skip

prices = [Answer(f"h{i:02d}", m, round(v, 1)) for i in range(30) for truth in [draw.uniform(80, 400)]
          for m, v in (("actual", truth), ("predicted_heron", truth + draw.gauss(0, 14)),
              ("predicted_wren", truth + draw.gauss(6, 25)))]  # fmt: skip
case(
    "predictions of a number",
    "Actual prices and two models' predictions: the models are compared by how close they come to actual, which is no "
    "third model.",
    "prices.csv", wide(prices, lambda r: r.model, {"house_id": lambda item, i: item}), "item by models",
    (("compare", FILE, "--gold", "actual", "--a", "predicted_heron", "--b", "predicted_wren"),),
    "house_id=item; actual=gold; predicted_heron=model; predicted_wren=model", may_ask=("gold",),
    truth=plain(prices, "--gold", "actual"),
)  # fmt: skip

case(
    "a learning curve",
    "Losses of one training by step: rows are steps of one run, train and validation are no models.",
    "training_log.csv",
    "step,train_loss,val_loss\n"
    + "".join(f"{100 * i},{2.5 - 0.05 * i + draw.gauss(0, 0.02):.4f},{2.6 - 0.045 * i + draw.gauss(0, 0.02):.4f}\n"
              for i in range(24)),
    "refused", (), "step=not used; train_loss=not used; val_loss=not used", better="unknown",
    refused="one (run|training|model)|no (item|model)s? to", ugly=True,
)  # fmt: skip

case(
    "totals with ids",
    "A table of runs: id, model, score, one number per run and each model once. Nothing per item.",
    "runs.csv", "id,model,score\n" + "".join(f"r{i},{m},{s}\n" for i, (m, s) in enumerate(zip(
        ("heron-7b", "ibis-2", "auk", "smew", "skua"), (71.2, 68.4, 65.0, 64.1, 59.9), strict=True))),
    "model", (), "id=not used; model=model; score=value", refused=TOTALS,
)  # fmt: skip

rows = answers(12, {"heron-7b": 0.4, "ibis-2": 0.2, "auk": 0.0}, "0-1", item=lambda i: f"task{i:02d}")
totals = {m: round(sum(r.value for r in rows if r.model == m) / 12, 3) for m in ("heron-7b", "ibis-2", "auk")}
case(
    "tasks with a row of means",
    "Scores of three models on twelve tasks; the last row is their mean and counts as no task.",
    "task_scores.csv",
    wide(rows, lambda r: r.model, {"task": lambda item, i: item}) + "mean," + ",".join(map(str,
        totals.values())) + "\n",
    "item by models", ranked("--where", "task!=mean"), "task=item; heron-7b=model; ibis-2=model; auk=model",
    may_ask=("missing", "better"), ugly=True, truth=plain(rows),
)  # fmt: skip

rows = answers(28, {"v1.4": 0.0, "v1.5": 0.4}, "0/1")
case(
    "versions of one product",
    "Regression tests of two versions: version is what is compared.",
    "regression.csv",
    tidy(rows, {"test_id": lambda r, i: r.item, "version": lambda r, i: r.model, "passed": lambda r, i: bool(r.value)}),
    "response", compared("v1.4", "v1.5", "--model", "version"), "test_id=item; version=model; passed=value",
    truth=plain(rows),
)  # fmt: skip

rows = answers(24, {"heron-7b": 0.4, "ibis-2": 0.0}, "0/1")
case(
    "right and confident",
    "Whether an answer was right, and how sure the model said it was: confidence is not the score.",
    "calibration.csv",
    tidy(rows, {"id": lambda r, i: r.item, "model": lambda r, i: r.model, "confidence": lambda r,
        i: round(0.5 + i % 7 / 20, 2),
                "correct": lambda r, i: r.value}),
    "response", compared("heron-7b", "ibis-2"), "id=item; model=model; confidence=not used; correct=value",
    truth=plain(rows),
)  # fmt: skip

rows = answers(20, {"heron-7b": 0.4, "ibis-2": 0.0}, "1-5")
lengths = {"heron-7b": 140, "ibis-2": 90}
case(
    "words and ratings by model",
    "Ratings and lengths of two models' answers in columns heron-7b, ibis-2, heron-7b words, ibis-2 words.",
    "words.csv",
    wide(rows, lambda r: r.model, {"Question no.": lambda item, i: i + 1},
         {f"{m} words": lambda item, i, m=m: lengths[m] + 7 * (i % 9) for m in lengths}),
    "item by models", compared("heron-7b", "ibis-2", "--item", "Question no."),
    "Question no.=item; heron-7b=model; ibis-2=model; heron-7b words=not used; ibis-2 words=not used", ugly=True,
    truth=plain([r._replace(item=str(int(r.item[1:]))) for r in rows]),
)  # fmt: skip
