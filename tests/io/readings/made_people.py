"""Tables with raters, kinds of sources, judges and forms, as annotation platforms and survey tools export them."""

import random
from dataclasses import replace

from tests.io.readings.corpus import (
    BETTER,
    FILE,
    Answer,
    Case,
    answers,
    compared,
    plain,
    ranked,
    roles,
    text_of,
    tidy,
    wide,
)

CASES: list[Case] = []
HARM = ("none", "mild", "bad", "worst")
PEOPLE = ("mina", "jonas", "priya", "tomas", "aiko")


def case(name, story, file, text, row, first, columns, **how):
    """Add a case of one table."""
    CASES.append(Case(name, "people", story, {file: text}, row, first, roles(columns), **how))


def workers(n, seed=3):
    draw = random.Random(seed)
    return tuple("W" + "".join(draw.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(11)) for _ in range(n))


rows = answers(20, {"heron-7b": 0.5, "wren-small": 0.0, "ibis-2": 0.2}, raters=PEOPLE[:3])
case(
    "three annotators",
    "Each answer of three models was rated by the same three people: raters are part of the uncertainty.",
    "annotations.csv",
    tidy(rows, {"item_id": lambda r, i: r.item, "model": lambda r, i: r.model, "annotator": lambda r, i: r.rater,
                "score": lambda r, i: r.value}),
    "response", ranked(), "item_id=item; model=model; annotator=rater; score=value", truth=plain(rows),
)  # fmt: skip

crowd = workers(12)
rows = answers(24, {"lark-xl": 0.4, "lark-s": 0.0}, raters=crowd, each=3)
case(
    "worker ids",
    "A crowd platform: twelve workers, three for each answer; ids in place of names.",
    "crowd.csv",
    tidy(rows, {"hit_id": lambda r, i: f"3{i // 6:05d}{r.item}", "worker_id": lambda r, i: r.rater,
                "system": lambda r, i: r.model, "rating": lambda r, i: r.value, "work_time_sec": lambda r,
                    i: 20 + i % 37}),
    "response", compared("lark-xl", "lark-s"),
    "hit_id=item; worker_id=rater; system=model; rating=value; work_time_sec=cost",
    truth=plain([r._replace(item=f"{i // 6:05d}{r.item}") for i, r in enumerate(rows)]),
)  # fmt: skip

draw = random.Random(31)
people = tuple(f"r{k:03d}" for k in range(1, 16))
judged = []
for i in range(18):
    hard = draw.gauss(1.2, 0.8)
    for who, noise in (*((name, 0.6) for name in people), ("guard-a", 0.4), ("guard-b", 0.9)):
        level = min(3, max(0, round(hard + draw.gauss(0, noise))))
        judged.append(("human" if who in people else "model", Answer(f"c-{i:04d}", who, level)))
harm = "item,kind,source,harm\n" + "".join(f"{r.item},{kind},{r.model},{r.value}\n" for kind, r in judged)
against_people = plain(
    [r._replace(model="human", rater=r.model) if kind == "human" else r for kind, r in judged], "--gold", "human"
)
by_kind = (("compare", FILE, "--gold", "kind=human", "--a", "source=guard-a", "--b", "source=guard-b"),
           ("describe", FILE, "--where", "kind=human"))  # fmt: skip
case(
    "people and models by kind",
    "Fifteen people (r001 …) and two safety models judged the same conversations; a column kind says who is who. The "
    "models are compared by how close they are to people; people are never ranked.",
    "safety_judgements.csv", harm, "response", by_kind, "item=item; kind=kind; source=model; harm=value",
    better="lower", may_ask=("people or models", "better"), truth=against_people,
)  # fmt: skip

by_name = (
    ("compare", FILE, "--gold", "r*", "--a", "guard-a", "--b", "guard-b"),
    ("describe", FILE, "--rater", "source"),
)
case(
    "people and models by name",
    "The same without the column kind: r001 to r015 answered everything, guard-a and guard-b, too. Ask who is judged.",
    "safety_flat.csv",
    "item,source,harm\n" + "".join(f"{r.item},{r.model},{r.value}\n" for _, r in judged),
    "response", by_name, "item=item; source=model; harm=value", better="lower",
    asks={"people or models": ("--gold 'r*'", "--rater source")}, may_ask=("better",), ugly=True,
    truth=against_people,
)  # fmt: skip

case(
    "people only",
    "Fifteen people labelled conversations; there is no model. Their agreement can be described.",
    "people_only.csv",
    "item,annotator_id,harm\n" + "".join(f"{r.item},{r.model},{r.value}\n" for kind, r in judged if kind == "human"),
    "response", (("describe", FILE, "--value", "harm"),), "item=item; annotator_id=rater; harm=value", better="unknown",
    truth=plain([r._replace(model="human", rater=r.model) for kind, r in judged if kind == "human"]),
)  # fmt: skip

rows = answers(25, {"lark-xl": 0.3, "lark-s": 0.0}, raters=PEOPLE[:4], each=2)
gpt = [r._replace(rater="gpt-judge", value=min(5, max(1, r.value + (i % 4 == 0) - (i % 5 == 0))))
       for i, r in enumerate(answers(25, {"lark-xl": 0.7, "lark-s": 0.0}))]  # fmt: skip
both = sorted(rows + gpt, key=lambda r: r.item)
case(
    "a judge among raters",
    "Four people rated two answers each, gpt-judge rated all of them. The judge is one of the names in the column "
    "rater; it must not be pooled as a fifth person.",
    "rated_and_judged.csv",
    tidy(both, {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "rater": lambda r, i: r.rater,
                "rating": lambda r, i: r.value}),
    "response", compared("lark-xl", "lark-s", "--judge", "gpt-judge"),
    "item=item; model=model; rater=rater; rating=value", judges=("gpt-judge",), may_ask=("judge",),
    truth=plain(both, "--judge", "gpt-judge"),
)  # fmt: skip

few = [r for r in rows if int(r.item[1:]) % 3 == 0] + gpt
case(
    "a judge with few labels",
    "People labelled a third of the items, claude-eval all of them: the typical case for a judge beside people.",
    "judge_plus_labels.csv",
    tidy(sorted(few, key=lambda r: r.item),
         {"sample_id": lambda r, i: r.item, "system": lambda r, i: r.model,
          "evaluator": lambda r, i: r.rater.replace("gpt-judge", "claude-eval"), "score": lambda r, i: r.value}),
    "response", compared("lark-xl", "lark-s", "--judge", "claude-eval"),
    "sample_id=item; system=model; evaluator=rater; score=value", judges=("claude-eval",), may_ask=("judge",),
    truth=plain([r._replace(rater=r.rater.replace("gpt-judge", "claude-eval"))
                 for r in sorted(few, key=lambda r: r.item)], "--judge", "claude-eval"),
)  # fmt: skip

scores = answers(22, {"plover-2": 0.0}, raters=("1", "2", "3"))
case(
    "human_score_1 to 3 beside a model's",
    "human_score_1 to human_score_3 are three raters of each answer, judge_score is a model's. None of the four is a "
    "model to be ranked; the question is whether the judge is as good as a person.",
    "scored.csv",
    wide([*(r._replace(model=f"human_score_{r.rater}") for r in scores),
          *(r._replace(model="judge_score", value=min(5, r.value + (i % 3 == 0)))
            for i, r in enumerate(scores) if r.rater == "1")],
         lambda r: r.model, {"id": lambda item, i: item, "answer": lambda item, i: f"The capital is {i}"}),
    "item by raters", (("judge", FILE, "--gold", "human_score_*", "--judge", "judge_score"),),
    "id=item; answer=text; human_score_1=rater; human_score_2=rater; human_score_3=rater; judge_score=judge",
    judges=("judge_score",), may_ask=("judge",),
    truth=plain([*(r._replace(model="human", rater=f"human_score_{r.rater}") for r in scores),
                 *(Answer(r.item, "judge_score", min(5, r.value + (i % 3 == 0)))
                   for i, r in enumerate(scores) if r.rater == "1")], "--gold", "human", "--judge", "judge_score"),
)  # fmt: skip

case(
    "annotator1 to 4",
    "Four annotators are columns; there is no model. Agreement is what can be described.",
    "annotators.csv",
    wide([r._replace(model=f"annotator{1 + PEOPLE.index(r.rater)}") for r in answers(20, {"x": 0.0},
        raters=PEOPLE[:4])],
         lambda r: r.model, {"text_id": lambda item, i: item}),
    "item by raters", (("describe", FILE),),
    "text_id=item; annotator1=rater; annotator2=rater; annotator3=rater; annotator4=rater", better="unknown",
    truth=plain([r._replace(model="human") for r in answers(20, {"x": 0.0}, raters=PEOPLE[:4])]),
)  # fmt: skip

case(
    "first names as columns",
    "Mina, Jonas and Priya are people: a column each, labels in the cells, nothing in the names says rater. The "
    "analyst "
    "asks before ranking three people.",
    "labels_team.csv",
    wide([r._replace(model=r.rater.title()) for r in answers(20, {"x": 0.0}, raters=PEOPLE[:3])],
         lambda r: r.model, {"Example": lambda item, i: item}),
    "item by raters", (("describe", FILE, "--rater", "Mina,Jonas,Priya"),),
    "Example=item; Mina=rater; Jonas=rater; Priya=rater", better="unknown",
    asks={"people or models": ("--rater Mina,Jonas,Priya", "--model Mina,Jonas,Priya")}, ugly=True,
    truth=plain([r._replace(model="human") for r in answers(20, {"x": 0.0}, raters=PEOPLE[:3])]),
)  # fmt: skip

experts = answers(
    15, {"abst-1": 0.2, "abst-2": 0.0, "extr-1": 0.1}, raters=("e1", "e2", "e3", "t1", "t2", "t3", "t4", "t5")
)
case(
    "experts and turkers",
    "Summaries rated by three experts and five crowd workers; a column says which group a rater belongs to.",
    "summary_eval.csv",
    tidy(experts, {"doc_id": lambda r, i: r.item, "model_id": lambda r, i: r.model, "rater_id": lambda r, i: r.rater,
                   "rater_type": lambda r, i: "expert" if r.rater[0] == "e" else "turker",
                   "relevance": lambda r, i: r.value}),
    "response", ranked("--value", "relevance"),
    "doc_id=item; model_id=model; rater_id=rater; rater_type=rater group; relevance=value",
    may_ask=("facet", "criterion"), truth=plain(experts),
)  # fmt: skip

four = [(r, [r.value, min(5, r.value + 1), max(1, r.value - (i % 4 == 0)), min(5, r.value + i % 2)])
        for i, r in enumerate(r for r in experts if r.rater == "e1")]  # fmt: skip
case(
    "four criteria by three experts",
    "A row per summary, columns expert_1_coherence to expert_2_fluency: two experts by two criteria of one system "
    "each row.",
    "experts_wide.csv",
    text_of(["doc", "system", "expert_1_coherence", "expert_1_fluency", "expert_2_coherence", "expert_2_fluency"],
            [[r.item, r.model, *v] for r, v in four]),
    "response",
    (("leaderboard", FILE, "--value", "expert_*_coherence"), ("leaderboard", FILE, "--value", "expert_*_fluency")),
    "doc=item; system=model; expert_1_coherence=value; expert_1_fluency=value; expert_2_coherence=value; "
    "expert_2_fluency=value",
    asks={"criterion": ("--value expert_*_coherence", "--value expert_*_fluency")}, ugly=True,
    truth=plain([r._replace(value=v[k], rater=f"expert_{k // 2 + 1}") for r, v in four for k in (0, 2)]),
)  # fmt: skip

by_gender = answers(16, {"lark-xl": 0.2, "lark-s": 0.0}, raters=tuple(f"p{k}" for k in range(1, 9)))
case(
    "people with gender and country",
    "Eight people of two countries rated all answers. Gender, age and country describe raters, not items.",
    "prolific_ratings.csv",
    tidy(by_gender, {"participant_id": lambda r, i: r.rater, "gender": lambda r, i: "fm"[int(r.rater[1]) % 2],
                     "age": lambda r, i: 20 + 3 * int(r.rater[1]), "country": lambda r, i: ("KE",
                         "PE")[int(r.rater[1]) > 4],
                     "stimulus": lambda r, i: r.item, "model": lambda r, i: r.model, "rating": lambda r, i: r.value}),
    "response", compared("lark-xl", "lark-s", "--item", "stimulus"),
    "participant_id=rater; gender=rater group; age=rater group; country=rater group; stimulus=item; model=model; "
    "rating=value",
    truth=plain(by_gender),
)  # fmt: skip

case(
    "pairwise annotators",
    "Two people checked whether each answer is right; a third column holds the adjudicated label, which is gold for "
    "neither: there is one model only.",
    "adjudicated.csv",
    text_of(["qid", "model", "annotator_a", "annotator_b", "adjudicated"],
            [[f"q{i}", "osprey-7b", i % 3 > 0, i % 4 > 0, i % 3 > 0] for i in range(24)]),
    "response", (("score", FILE, "--value", "adjudicated"),),
    "qid=item; model=model; annotator_a=rater; annotator_b=rater; adjudicated=value", may_ask=("criterion", "gold"),
    ugly=True, truth=plain([Answer(f"q{i}", "osprey-7b", int(i % 3 > 0)) for i in range(24)]),
)  # fmt: skip

# ---- forms

answered = [[f"2026/02/{1 + k:02d} 9:3{k % 10}:12 AM GMT+1", *(random.Random(f"{k} {j}").choice([3, 4, 5, 2])
    for j in range(4)),
             ("nice", "", "too long")[k % 3]] for k in range(14)]  # fmt: skip
case(
    "a form of four questions",
    "A form's answers: a row per person, a column per question (usefulness, ease, trust, speed). Questions are "
    "criteria "
    "of one product, not models.",
    "Feedback form (Responses) - Form Responses 1.csv",
    text_of(["Timestamp", "How useful was the assistant?", "How easy was it to use?", "Do you trust its answers?",
             "How fast was it?", "Anything else?"], answered),
    "response",
    (("score", FILE, "--value", "How useful was the assistant?"), ("score", FILE, "--value", "How easy was it to use?"),
     ("score", FILE, "--value", "Do you trust its answers?")),
    "Timestamp=not used; How useful was the assistant?=value; How easy was it to use?=value; "
    "Do you trust its answers?=value; How fast was it?=value; Anything else?=text",
    asks={"criterion": ("--value 'How useful was the assistant?'", "--value 'How easy was it to use?'",
                        "--value 'Do you trust its answers?'")},
    ugly=True, truth=plain([Answer(f"p{k}", "assistant", row[1]) for k, row in enumerate(answered)]),
)  # fmt: skip

words = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]
likert = answers(20, {"heron-7b": 0.4, "wren-small": 0.0}, raters=PEOPLE[:3])
case(
    "agreement in words",
    "“The answer helps me”: strongly disagree to strongly agree. The words have an order, more agreement is better.",
    "likert.csv",
    tidy(likert, {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "rater": lambda r, i: r.rater,
                  "rating": lambda r, i: words[r.value - 1]}),
    "response",
    compared("heron-7b", "wren-small", "--order", ",".join(words)), "item=item; model=model; rater=rater; rating=value",
    may_ask=("scale",), ugly=True, truth=plain(likert),
)  # fmt: skip

thumbs = answers(30, {"heron-7b": 0.4, "wren-small": 0.0}, "0/1")
case(
    "thumbs",
    "A chat window's feedback: 👍, 👎 or nothing. A share of thumbs up.",
    "feedback.csv",
    tidy(thumbs, {"conversation_id": lambda r, i: r.item, "model": lambda r, i: r.model,
                  "feedback": lambda r, i: "👍" if r.value else "👎"}),
    "response", compared("heron-7b", "wren-small", "--value", "feedback", "--order", "👎,👍"),
    "conversation_id=item; model=model; feedback=value", may_ask=("scale", "better"), ugly=True, truth=plain(thumbs),
)  # fmt: skip

nested = answers(18, {"heron-7b": 0.3, "wren-small": 0.0}, raters=tuple(f"b{k}" for k in range(1, 13)), each=2)
case(
    "batches of raters",
    "Raters were hired in batches, batch is a group of raters; task_order is where in the session a row stood.",
    "batches.csv",
    tidy(nested, {"batch": lambda r, i: "AB"[int(r.rater[1:]) > 6], "annotator_id": lambda r, i: r.rater,
                  "task_order": lambda r, i: i % 9, "prompt_id": lambda r, i: r.item, "model": lambda r, i: r.model,
                  "helpfulness_rating": lambda r, i: r.value}),
    "response", compared("heron-7b", "wren-small", "--value", "helpfulness_rating"),
    "batch=rater group; annotator_id=rater; task_order=not used; prompt_id=item; model=model; helpfulness_rating=value",
    truth=plain(nested),
)  # fmt: skip

three = answers(20, {"heron-7b": 0.3, "wren-small": 0.0, "human-writer": 0.2}, "0-100")
case(
    "a human writer comes last",
    "System scores with a human-written reference among them that comes last: either less is better or something is "
    "odd. Ask.",
    "with_reference.csv",
    tidy(three, {"seg_id": lambda r, i: r.item, "system": lambda r, i: r.model.replace("human-writer", "human-ref"),
                 "total": lambda r, i: 100 - r.value if r.model != "human-writer" else max(0, 60 - r.value // 2)}),
    "response", (*ranked("--value", "total", "--better", "lower"), *ranked("--value", "total", "--better", "higher")),
    "seg_id=item; system=model; total=value", better="unknown", asks=BETTER,
    truth=plain([r._replace(model=r.model.replace("human-writer", "human-ref"),
                            value=100 - r.value if r.model != "human-writer" else max(0, 60 - r.value // 2))
                 for r in three], "--better", "lower"),
)  # fmt: skip

answers_2 = answers(16, {"heron-7b": 0.3, "wren-small": 0.0}, runs=2)
called = [(r, [min(5, max(1, r.value + random.Random(f"{i} {k}").choice([-1, 0, 0, 1]))) for k in range(3)])
          for i, r in enumerate(answers_2)]  # fmt: skip
case(
    "judge calls",
    "A judge scored each answer three times: judge calls are no independent answers, and not runs of the model.",
    "judge_calls.csv",
    "id,model,answer_no,judge_call,score\n"
    + "".join(f"{r.item},{r.model},{r.run},{k + 1},{v}\n" for r, scored in called for k, v in enumerate(scored)),
    "response", compared("heron-7b", "wren-small", "--run", "answer_no", "--facet", "judge_call"),
    "id=item; model=model; answer_no=run; judge_call=facet; score=value", asks={"facet": ("--facet judge_call",)},
    ugly=True, truth=plain([r._replace(value=round(sum(scored) / 3, 4)) for r, scored in called]),
)  # fmt: skip

flat = "item,source,score\n" + "".join(f"{r.item},{r.model},{r.value}\n" for _, r in judged)
case(
    "people and models, called score",
    "The same people and models in a table whose value is called score, without kinds: fifteen people would be ranked.",
    "scores_flat.csv", flat, "response", by_name, "item=item; source=model; score=value", better="unknown",
    asks={"people or models": ("--gold 'r*'", "--rater source")}, may_ask=("better",), ugly=True,
    truth=against_people,
)  # fmt: skip

case(
    "people and models by type",
    "The kinds are called annotator_type, crowd and llm, and the value is a label.",
    "annotator_types.csv",
    "example_id,annotator,annotator_type,label\n"
    + "".join(f"{r.item},{r.model},{'crowd' if kind == 'human' else 'llm'},{HARM[r.value]}\n"
              for kind, r in judged),
    "response",
    (("compare", FILE, "--gold", "annotator_type=crowd", "--a", "annotator=guard-a", "--b", "annotator=guard-b"),),
    "example_id=item; annotator=model; annotator_type=kind; label=value", better="unknown",
    may_ask=("people or models", "scale"), ugly=True,
    truth=plain([r._replace(value=HARM[r.value],
        model="human" if kind == "human" else r.model,
                            rater=r.model if kind == "human" else "") for kind, r in judged], "--gold", "human"),
)  # fmt: skip

wide_both = [*(r._replace(model=f"human_{r.rater}") for r in scores),
             *(r._replace(model=m, value=min(5, max(1, r.value + d))) for i, r in enumerate(scores) if r.rater == "1"
               for m, d in (("gpt_score", i % 2), ("claude_score", -(i % 3 == 0))))]  # fmt: skip
case(
    "people, two judges in columns",
    "Each answer has three human scores and those of two models as judges: compare how close each is to people.",
    "two_judges.csv",
    wide(wide_both, lambda r: r.model, {"answer_id": lambda item, i: item}),
    "item by raters", (("compare", FILE, "--gold", "human_*", "--a", "gpt_score", "--b", "claude_score"),),
    "answer_id=item; human_1=rater; human_2=rater; human_3=rater; gpt_score=judge; claude_score=judge",
    judges=("gpt_score", "claude_score"), may_ask=("judge", "people or models"),
    truth=plain([r._replace(model="human", rater=r.model) if r.model.startswith("human") else r._replace(rater="")
                 for r in wide_both], "--gold", "human"),
)  # fmt: skip

case(
    "average beside raters",
    "Raters r1 to r3 of one chatbot's answers and their mean: the mean is no rater, and there is one model.",
    "with_mean.csv",
    text_of(["id", "r1", "r2", "r3", "mean"],
            [[f"q{i}", *(v := [1 + (i * k) % 5 for k in (1, 2, 3)]), round(sum(v) / 3, 2)] for i in range(1, 25)]),
    "item by raters", (("describe", FILE, "--rater", "r*"),), "id=item; r1=rater; r2=rater; r3=rater; mean=not used",
    better="unknown",
    asks={"people or models": ("--rater r*", "--run r*")}, ugly=True,
    truth=plain([Answer(f"q{i}", "human", 1 + (i * k) % 5, f"r{k}") for i in range(1, 25) for k in (1, 2, 3)]),
)  # fmt: skip

case(
    "people and models by kind, called score",
    "Kinds human, model and judge in one table with a value called score: three kinds of sources, three roles.",
    "three_kinds.csv",
    "item,kind,source,score\n"
    + "".join(f"{r.item},{'judge' if r.model == 'guard-b' else kind},{r.model},{r.value}\n" for kind, r in judged),
    "response", (("judge", FILE, "--gold", "kind=human", "--judge", "source=guard-b"),
        ("describe", FILE, "--where", "kind=human")),
    "item=item; kind=kind; source=model; score=value", better="unknown", judges=("guard-b",),
    may_ask=("people or models", "judge"), ugly=True,
    truth=replace(against_people, models=("guard-a",), options=("--gold", "human", "--judge", "guard-b")),
)  # fmt: skip

sevens = answers(18, {"heron-7b": 0.4, "wren-small": 0.0}, raters=tuple(f"p{k}" for k in range(1, 8)))
case(
    "rater in the columns",
    "Seven people's ratings of two models are columns p1_heron-7b to p7_wren-small: people by models, not fourteen "
    "models.",
    "people_by_models.csv",
    wide([r._replace(model=f"{r.rater}_{r.model}") for r in sevens], lambda r: r.model, {"question": lambda item,
        i: item}),
    "item by raters", (("compare", FILE, "--a", "*_heron-7b", "--b", "*_wren-small"),),
    "question=item; " + "; ".join(f"p{k}_{m}=rater" for m in ("heron-7b", "wren-small") for k in range(1, 8)),
    may_ask=("people or models",), ugly=True,
    truth=plain([r._replace(model=f"*_{r.model}") for r in sevens]),
)  # fmt: skip

case(
    "gold and two annotators",
    "Gold labels, two annotators and one model in columns: the annotators are people, the model is scored against "
    "gold.",
    "gold_and_people.csv",
    text_of(["id", "gold", "annotator_1", "annotator_2", "heron-7b"],
            [[f"q{i}", *(("yes", "no")[(i % 3 > 0) ^ (k > 0 and (i * k) % 7 == 0)] for k in (0, 1, 2, 3))]
                for i in range(30)]),
    "item by models", (("score", FILE, "--gold", "gold", "--model", "heron-7b"),),
    "id=item; gold=gold; annotator_1=rater; annotator_2=rater; heron-7b=model", may_ask=("people or models",),
    truth=plain([Answer(f"q{i}", m, ("yes", "no")[(i % 3 > 0) ^ (k > 0 and (i * k) % 7 == 0)]) for i in range(30)
                 for k, m in ((0, "gold"), (3, "heron-7b"))], "--gold", "gold"),
)  # fmt: skip
