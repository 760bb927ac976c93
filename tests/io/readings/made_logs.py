"""Logs and folders: what evaluation tools, annotation platforms and scripts leave behind, and how people keep it."""

import json
import random

from tests.io.readings.corpus import (
    FILE,
    Answer,
    Case,
    Vote,
    answers,
    compared,
    lines,
    of_votes,
    plain,
    ranked,
    text_of,
    tidy,
)
from tests.io.readings.made_ugly import book

CASES: list[Case] = []
HERON, WREN, IBIS = "heron-7b", "wren-small", "ibis-2"
MARKS = answers(30, {HERON: 0.6, WREN: 0.0}, "0/1")
RATED = answers(24, {HERON: 0.5, WREN: 0.0})
SHARES = answers(24, {HERON: 0.5, WREN: 0.0}, "0-1")
BOTH = compared(HERON, WREN)
SIX = ("mina", "jonas", "priya", "tomas", "aiko", "berit")


def log(name, story, file, text, first, truth, **how):
    """Add a case of one file."""
    CASES.append(Case(name, "logs", story, {file: text}, how.pop("row", "log"), first, truth=truth, **how))


def folder(name, story, files, first, truth, **how):
    """Add a case of a folder, which is called runs."""
    made = {f"runs/{path}": text for path, text in files.items()}
    CASES.append(Case(name, "folders", story, made, how.pop("row", "log"), first, truth=truth, path="runs", **how))


def of(rows, model):
    """Return the answers of one model."""
    return [row for row in rows if row.model == model]


def scored(model, rows=MARKS, verbs=("score",), *more):
    """Return the first proposals for one model, and the truth."""
    return tuple((verb, FILE, *more) for verb in verbs), plain(of(rows, model))


# ---- makers of logs


def inspect(model, rows, *, task="riddles", scorers=None, run="1", status="success", **about):
    """Return an Inspect log as JSON; `scorers` maps further scorers to functions of the value."""
    scorers = scorers or {"match": lambda value: "C" if value else "I"}
    samples = [{"id": row.item, "epoch": int(row.run or 1), "input": f"Riddle {row.item}", "target": "yes",
                "scores": {name: {"value": make(row.value), "answer": "yes"} for name, make in scorers.items()}}
               for row in rows]  # fmt: skip
    ids = list(dict.fromkeys(row.item for row in rows))
    head = {"eval_id": f"e-{model}-{task}-{run}", "run_id": f"r-{run}", "task": task, "model": model,
            "dataset": {"samples": len(ids), "sample_ids": ids}, "config": {"epochs": 1}, **about}  # fmt: skip
    return json.dumps({"version": 2, "status": status, "eval": head, "samples": samples})


def harness(rows, **metrics):
    """Return a samples file of lm-evaluation-harness; a metric is a function of the value."""
    metrics = metrics or {"acc": float}
    return lines({"doc_id": i, "doc": {"question": f"Riddle {row.item}"}, "target": "1", "arguments": {},
                  "resps": [["1"]], "filtered_resps": ["1"], "filter": "none", "metrics": list(metrics),
                  "doc_hash": f"h{row.item}", **{name: make(row.value) for name, make in metrics.items()}}
                 for i, row in enumerate(rows))  # fmt: skip


def totals(model, task="riddles", **better):
    """Return the file of totals of lm-evaluation-harness."""
    return json.dumps({"results": {task: {"acc,none": 0.6}}, "model_name": model, "config": {"model": "hf",
        "model_args": f"pretrained={model}"},
                       "higher_is_better": {task: better or {"acc": True}}, "n-shot": {task: 0}})  # fmt: skip


def numbered(rows):
    """Return answers whose items are numbers from 0."""
    ids = {item: str(i) for i, item in enumerate(dict.fromkeys(row.item for row in rows))}
    return [row._replace(item=ids[row.item]) for row in rows]


def foo(rows, by="provider", **named):
    """Return a promptfoo file; the models are providers, or prompts of one provider."""
    made = [{"provider": {"id": f"x:{r.model}", "label": r.model} if by == "provider" else {"id": "x:one"},
             "prompt": {"label": r.model if by == "prompt" else "Answer {{q}}", "raw": "…"}, "vars": {"q": r.item},
             "success": bool(r.value >= 0.5), "score": float(r.value), "failureReason": 0,
             "namedScores": {name: make(r.value) for name, make in named.items()},
             "response": {"output": "so"}, "latencyMs": 900 + i, "testIdx": i} for i, r in enumerate(rows)]  # fmt: skip
    return json.dumps({"evalId": "e1", "results": {"version": 3, "prompts": [], "results": made}})


def deep(model, rows, **metrics):
    """Return a DeepEval test run."""
    cases = [{"name": f"case_{r.item}", "input": r.item, "order": i,
              "metricsData": [{"name": n, "score": make(r.value), "evaluationModel": "gpt-judge"}
                  for n, make in metrics.items()]}
             for i, r in enumerate(rows)]  # fmt: skip
    return json.dumps({"testRunData": {"testCases": cases, "hyperparameters": {"model": model}}})


def record(model, rows):
    """Return a record of OpenAI evals."""
    head = [
        {"spec": {"completion_fns": [model], "eval_name": "riddles", "run_id": f"r-{model}"}},
        {"final_report": {"accuracy": 0.5}},
    ]
    return lines([*head,
        *({"run_id": "r", "event_id": i, "sample_id": f"riddles.{r.item}", "type": "match",
            "data": {"correct": bool(r.value)}}
                           for i, r in enumerate(rows))])  # fmt: skip


def helm(rows):
    """Return per-instance statistics of HELM."""
    return json.dumps([{"instance_id": r.item, "train_trial_index": 0, "stats": [
        {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": r.value, "mean": r.value},
        {"name": {"name": "inference_runtime", "split": "test"}, "count": 1, "sum": 0.4, "mean": 0.4}]}
            for r in rows])  # fmt: skip


# ---- logs of evaluation tools

first, truth = scored(HERON)
log("inspect, one model", "One Inspect log: a score with its interval; there is nothing to compare.", "riddles.json",
    inspect(HERON, of(MARKS, HERON)), first, truth)  # fmt: skip
log("inspect, two scorers", "Two scorers that mean different things: which one decides is asked.", "two_scorers.json",
    inspect(HERON, of(MARKS, HERON), scorers={"format_ok": lambda v: "C", "exact": lambda v: "C" if v else "I"}),
    (("score", FILE, "--scorer", "exact"), ("score", FILE, "--scorer", "format_ok")), truth,
    asks={"scorer": ("--scorer exact", "--scorer format_ok")})  # fmt: skip
epochs = answers(20, {HERON: 0.3}, "0/1", runs=3)
log("inspect, three epochs", "Three epochs of one model: a score over items, and how far runs differ.", "epochs.json",
    inspect(HERON, epochs), (("score", FILE), ("reliability", FILE)), plain(epochs))  # fmt: skip
log("inspect, cancelled", "A log that was cancelled after 12 of 30 samples: said, before any number.", "cancelled.json",
    inspect(HERON, of(MARKS, HERON)[:12], status="cancelled"), first, plain(of(MARKS, HERON)[:12]), may_ask=("missing",
        ), ugly=True)  # fmt: skip
log("harness, one model", "Samples of one task without the file of totals, so without the model's name.",
    "samples_riddles_2026-02-03T10-00-00.000001.jsonl", harness(of(MARKS, HERON)), first,
    plain([r._replace(model="case") for r in numbered(of(MARKS, HERON))]))  # fmt: skip
log("harness, accuracy and likelihood", "acc and acc_norm of one task: the usual one is asked for.",
    "samples_riddles_2026-02-03T10-00-00.000001.jsonl", harness(of(MARKS, HERON), acc=float,
        acc_norm=lambda v: 1.0 - v),
    (("score", FILE, "--scorer", "acc"), ("score", FILE, "--scorer", "acc_norm")),
    plain([r._replace(model="case") for r in numbered(of(MARKS, HERON))]),
    asks={"scorer": ("--scorer acc", "--scorer acc_norm")})  # fmt: skip
log("promptfoo, two providers", "Two models on the same tests.", "output.json", foo(MARKS), BOTH,
    plain(MARKS))  # fmt: skip
log("promptfoo, two prompts", "One model with two prompts: the prompts are compared.", "prompts.json",
    foo([r._replace(model={HERON: "short prompt", WREN: "long prompt"}[r.model]) for r in MARKS], "prompt"),
    compared("short prompt", "long prompt"),
    plain([r._replace(model={HERON: "short prompt", WREN: "long prompt"}[r.model]) for r in MARKS]))  # fmt: skip
log("promptfoo, named scores", "A total score beside named ones (tone, length): the total is the default.",
    "named.json",
    foo(SHARES, tone=lambda v: 0.5, length=lambda v: 1 - v), BOTH, plain(SHARES), may_ask=("scorer",))  # fmt: skip
log("deepeval", "A DeepEval run with two metrics by a judge: one model, and the metric is asked for.", "test_run.json",
    deep(HERON, of(SHARES, HERON), Relevancy=lambda v: v, Toxicity=lambda v: round(1 - v, 3)),
    (("score", FILE, "--scorer", "Relevancy"), ("score", FILE, "--scorer", "Toxicity", "--better", "lower")),
    plain([r._replace(item=f"case_{r.item}", rater="gpt-judge") for r in of(SHARES, HERON)]), judges=("gpt-judge",),
    asks={"scorer": ("--scorer Relevancy", "--scorer Toxicity")})  # fmt: skip
log("openai evals", "A record of one run.", "record.jsonl", record(HERON, of(MARKS, HERON)), first,
    plain([r._replace(item=f"riddles.{r.item}") for r in of(MARKS, HERON)]))  # fmt: skip
ragas = text_of(["user_input", "response", "faithfulness", "answer_relevancy", "context_recall"],
                [[f"What is {r.item}?", "It is …", r.value, round(1 - r.value / 4, 3), "" if i == 4 else 0.5]
                    for i, r in enumerate(of(SHARES, HERON))])  # fmt: skip
log("ragas", "Four metrics of one pipeline: no single one is the score.", "heron-7b.csv", ragas,
    (("score", FILE, "--scorer", "faithfulness"), ("score", FILE, "--scorer", "answer_relevancy"),
     ("score", FILE, "--scorer", "context_recall")),
    plain([r._replace(item=f"What is {r.item}?") for r in of(SHARES, HERON)]),
    asks={"scorer": ("--scorer faithfulness", "--scorer answer_relevancy", "--scorer context_recall")})  # fmt: skip
log("helm", "One HELM run without its specification: the model is the folder.", "per_instance_stats.json",
    helm(of(MARKS, HERON)), first,
    plain([r._replace(model="case") for r in of(MARKS, HERON)]))  # fmt: skip
log("mt-bench", "A judge's scores of 1 to 10 of single answers, two turns: compare the two models by question and "
    "turn.", "gpt-judge_single.jsonl",
    lines({"question_id": 81 + i // 2 % 12, "model": r.model, "judge": ["gpt-judge", "single-v1"],
        "score": 2 * r.value, "turn": 1 + i % 2}
          for i, r in enumerate(sorted(RATED, key=lambda r: r.model))),
    BOTH, plain([r._replace(item=f"{81 + i // 2 % 12} turn {1 + i % 2}", value=2 * r.value, rater="gpt-judge")
                 for i, r in enumerate(sorted(RATED, key=lambda r: r.model))]), judges=("gpt-judge",))  # fmt: skip
draw = random.Random(4)
games = [
    (i, draw.choice(["model_1", "model_2", "tie"]), draw.choice(["model_1", "model_1", "model_2"])) for i in range(20)
]
log("mt-bench pairs", "Both orders of each pair of answers: one comparison per question with two games.",
    "gpt-judge_pair.jsonl",
    lines({"question_id": 81 + i, "model_1": HERON, "model_2": WREN, "g1_winner": g, "g2_winner": h, "turn": 1,
        "judge": ["gpt-judge", "pair-v2"]}
          for i, g, h in games),
    BOTH,
    of_votes([Vote(f"{81 + i} turn 1", HERON, WREN, {"model_1": HERON, "model_2": WREN}.get(w, "tie"), "gpt-judge")
                    for i, *both in games for w in both], once=True), judges=("gpt-judge",))  # fmt: skip
log("opencompass", "Details of one data set.", "riddles.json",
    json.dumps({"accuracy": 50.0, "details": {str(i): {"pred": "A", "correct": bool(r.value)}
        for i, r in enumerate(of(MARKS, HERON))}}),
    first, plain([r._replace(model="case") for r in numbered(of(MARKS, HERON))]))  # fmt: skip
log("tau-bench", "Four trials of each task of one agent: rewards 0 or 1.", "heron-7b.json",
    json.dumps([{"task_id": int(r.item[1:]), "reward": float(r.value), "trial": int(r.run) - 1, "info": {}}
        for r in answers(15, {HERON: 0.2}, "0/1", runs=4)]),
    (("score", FILE), ("reliability", FILE)),
    plain([r._replace(item=str(int(r.item[1:]))) for r in answers(15, {HERON: 0.2}, "0/1", runs=4)]))  # fmt: skip
log("langsmith", "A comparison of two experiments downloaded as CSV: inputs, outputs and feedback of each, side by "
    "side.", "langsmith_compare.csv",
    text_of(["example_id", "inputs.question", "reference.answer", "heron-7b.output", "heron-7b.feedback.correctness",
        "heron-7b.latency",
             "wren-small.output", "wren-small.feedback.correctness", "wren-small.latency"],
            [[a.item, "?", "yes", "yes", a.value, 1.1 + i % 3, "no", b.value, 0.7 + i % 2] for i, (a,
                b) in enumerate(zip(MARKS[::2], MARKS[1::2], strict=True))]),
    (("compare", FILE, "--a", "heron-7b.feedback.correctness", "--b", "wren-small.feedback.correctness"),),
    plain([r._replace(model=f"{r.model}.feedback.correctness") for r in MARKS]), row="item by models",
    ugly=True)  # fmt: skip
log("langfuse",
    "Scores of traces: name, value, and source (ANNOTATION is a person, EVAL a judge), models in metadata.",
    "langfuse_scores.csv",
    text_of(["id", "traceId", "datasetItemId", "traceName", "name", "value", "source", "authorUserId", "timestamp"],
            [[f"s{i}-{source}", f"t{i}", r.item, r.model, "helpfulness", min(5, max(1, r.value + shift)), source, who,
                "2026-04-01T10:00:00Z"]
             for i, r in enumerate(RATED) for source, who, shift in (("ANNOTATION", "u1", 0), ("EVAL", "", i % 2))]),
    (("compare", FILE, "--item", "datasetItemId", "--model", "traceName", "--kind", "source", "--judge", "EVAL"),),
    plain([r._replace(rater=who, value=min(5, max(1, r.value + shift))) for i, r in enumerate(RATED)
        for who, shift in (("u1", 0), ("EVAL", i % 2))],
          "--judge", "EVAL"), judges=("EVAL",), row="response", may_ask=("judge", "people or models"),
    ugly=True)  # fmt: skip
log("phoenix", "Spans with evaluations of a judge: label and score of each answer.", "phoenix_spans.csv",
    text_of(["context.span_id", "attributes.llm.model_name", "attributes.input.value", "eval.Correctness.label",
        "eval.Correctness.score", "latency_ms"],
            [[f"{i:08x}", r.model, f"Riddle {r.item}", "correct" if r.value else "incorrect", r.value, 800 + i]
                for i, r in enumerate(MARKS)]),
    (("compare", FILE, "--item", "attributes.input.value", "--model", "attributes.llm.model_name", "--value",
        "eval.Correctness.score"),),
    plain([r._replace(item=f"Riddle {r.item}") for r in MARKS]), row="response", ugly=True)  # fmt: skip
log("braintrust", "An experiment of two models as JSON Lines: input, scores, metadata.model.", "experiment.jsonl",
    lines({"id": f"x{i}", "input": {"question": f"Riddle {r.item}"}, "output": "yes", "expected": "yes",
        "scores": {"Factuality": r.value},
           "metadata": {"model": r.model, "temperature": 0}, "metrics": {"duration": 1.2, "tokens": 120 + i}}
               for i, r in enumerate(MARKS)),
    (("compare", FILE, "--item", "input", "--model", "metadata.model", "--value", "scores.Factuality"),),
    plain([r._replace(item=f"Riddle {r.item}") for r in MARKS]), row="response", ugly=True)  # fmt: skip
log("giskard", "A test set of a question-answering agent: correctness True or False of one agent.", "raget_results.csv",
    text_of(["id", "question", "reference_answer", "agent_answer", "correctness", "correctness_reason"],
            [[r.item, "Why?", "So", "So", bool(r.value), ""] for r in of(MARKS, HERON)]),
    (("score", FILE, "--value", "correctness"),), plain([r._replace(model="raget_results") for r in of(MARKS, HERON)]),
    row="response")  # fmt: skip
log("trulens", "Records of two app versions: three feedback functions between 0 and 1, latency, cost.", "records.csv",
    text_of(["app_id", "app_version", "record_id", "input", "output", "Answer Relevance", "Groundedness", "latency",
        "total_cost"],
            [["tutor", r.model, f"rec{i}", f"Riddle {r.item}", "so", r.value, round(1 - r.value / 3, 3), 2, 0.002]
                for i, r in enumerate(SHARES)]),
    (("compare", FILE, "--item", "input", "--model", "app_version", "--value", "Answer Relevance"),
     ("compare", FILE, "--item", "input", "--model", "app_version", "--value", "Groundedness")),
    plain([r._replace(item=f"Riddle {r.item}") for r in SHARES]), row="response",
    asks={"criterion": ("--value 'Answer Relevance'", "--value Groundedness")}, ugly=True)  # fmt: skip
log("autoevals", "A script's lines: name of the scorer, score, input, model.", "autoevals.jsonl",
    lines({"name": name, "score": value, "input": f"Riddle {r.item}", "model": r.model, "metadata": {"rationale": "…"}}
          for r in SHARES for name, value in (("ClosedQA", r.value), ("Levenshtein", round(1 - r.value, 3)))),
    (("compare", FILE, "--item", "input", "--where", "name=ClosedQA", "--a", HERON, "--b", WREN),
     ("compare", FILE, "--item", "input", "--where", "name=Levenshtein", "--a", HERON, "--b", WREN)),
    plain([r._replace(item=f"Riddle {r.item}") for r in SHARES]), row="response",
    asks={"criterion": ("--where name=ClosedQA", "--where name=Levenshtein")}, ugly=True)  # fmt: skip
log("a tracked table", "A tracker's table: columns and data, with two score columns of one model.", "table.json",
    json.dumps({"columns": ["inputs", "toxicity/score", "answer_correctness/score"],
                "data": [[f"Riddle {r.item}", round(1 - r.value, 3), r.value] for r in of(SHARES, HERON)]}),
    (("score", FILE, "--scorer", "answer_correctness"), ("score", FILE, "--scorer", "toxicity", "--better", "lower")),
    plain([r._replace(item=f"Riddle {r.item}", model="table") for r in of(SHARES, HERON)]),
    asks={"scorer": ("--scorer answer_correctness", "--scorer toxicity")})  # fmt: skip
log("totals of the harness", "Only the totals were kept: nothing per item.", "results_2026-02-03T10-00-00.json",
    totals(HERON), (), None,
    row="model", refused="aggregate|per-item|totals")  # fmt: skip
log("a log cut off", "The file ends in the middle of a sample, after a full disk.", "cut.json", inspect(HERON,
    of(MARKS, HERON))[:-300], (), None,
    row="refused", refused="damaged|cut|ends|not .*JSON|Unterminated|expected", ugly=True)  # fmt: skip

# ---- logs of annotation

people = ("ann@x.org", "bob@x.org", "cem@x.org")
three = answers(15, {HERON: 0.4, WREN: 0.0}, raters=people)


def studio(with_model):
    """Return a Label Studio export: ratings of answers whose model stands in the data of the task."""
    tasks = []
    for n, (item, model) in enumerate(dict.fromkeys((r.item, r.model) for r in three)):
        notes = [{"id": 100 * n + k, "completed_by": {"id": k + 1, "email": r.rater}, "was_cancelled": False,
                  "result": [{"from_name": "quality", "to_name": "text", "type": "rating",
                      "value": {"rating": r.value}}]}
                 for k, r in enumerate(o for o in three if (o.item, o.model) == (item, model))]  # fmt: skip
        tasks.append(
            {
                "id": n + 1,
                "data": {"prompt_id": item, "text": "…"} | ({"model": model} if with_model else {}),
                "annotations": notes,
                "predictions": [],
            }
        )
    return json.dumps(tasks)


log("label studio, models in the data", "Ratings of answers; data.model says whose answer a task shows and "
    "data.prompt_id the question.",
    "project-1.json", studio(True),
    (("compare", FILE, "--item", "data.prompt_id", "--model", "data.model", "--a", HERON, "--b", WREN),),
    plain(three), may_ask=("item",), ugly=True)  # fmt: skip
log("label studio, no models", "The same without models: only the agreement of people can be described.",
    "project-2.json", studio(False), (("describe", FILE),),
    plain([r._replace(item=str(1 + list(dict.fromkeys((o.item, o.model) for o in three)).index((r.item, r.model))),
        model="human") for r in three]))  # fmt: skip
log("argilla", "Records with ratings of three users and a suggestion of one model.", "records.json",
    json.dumps([{"id": r.item, "fields": {"text": "…"}, "suggestions": {"quality": {"value": r.value, "agent": HERON}},
                 "responses": {"quality": [{"value": min(5, max(1, r.value + d)), "user_id": f"u{k}"}
                     for k, d in enumerate((0, i % 2, -(i % 3 == 0)))]}}
                for i, r in enumerate(of(RATED, HERON))]),
    (("score", FILE, "--gold", "human"), ("describe", FILE)),
    plain([a for i, r in enumerate(of(RATED, HERON)) for a in
           (r, *(r._replace(model="human", value=min(5, max(1, r.value + d)), rater=f"u{k}")
               for k, d in enumerate((0, i % 2, -(i % 3 == 0)))))],
          "--gold", "human"))  # fmt: skip
log("prodigy", "Accepted and rejected answers of two annotators; the label is the question, there is no model.",
    "notes.jsonl",
    lines({"text": f"Text {i}", "label": "HELPFUL", "_input_hash": 1000 + i, "_task_hash": 2000 + i,
        "_annotator_id": f"db-{who}",
           "answer": "ignore" if (i, who) == (3, "ann") else "accept" if (i + len(who)) % 3 else "reject"}
               for i in range(20) for who in ("ann", "robin")),
    (("describe", FILE),),
    plain([Answer(str(1000 + i), "human", "accept" if (i + len(who)) % 3 else "reject", f"db-{who}")
        for i in range(20) for who in ("ann", "robin")
           if (i, who) != (3, "ann")]))  # fmt: skip
hits = [["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "WorkTimeInSeconds", "Input.model", "Input.prompt",
    "Answer.rating"],
        *([f"h{i // 3}", f"a{i}", f"W{r.rater[:3].upper()}", "Approved", 40 + i, r.model, r.item, r.value]
            for i, r in enumerate(three))]  # fmt: skip
log("mturk with models", "A crowd batch: Input.model says whose answer was rated, Input.prompt which question it "
    "answers.", "Batch_77_batch_results.csv",
    text_of(hits[0], hits[1:]),
    (("compare", FILE, "--item", "Input.prompt", "--model", "Input.model", "--a", HERON, "--b", WREN),),
    plain([r._replace(rater=f"W{r.rater[:3].upper()}") for r in three]), ugly=True)  # fmt: skip
survey = [["StartDate", "EndDate", "Status", "Progress", "Finished", "ResponseId", "Q1_1", "Q1_2", "Q2_1", "Q2_2",
    "prolific_id"],
          ["Start Date", "End Date", "Response Type", "Progress", "Finished", "Response ID", "Answer of A: helpful?",
              "Answer of A: clear?", "Answer of B: helpful?", "Answer of B: clear?", "ID"],
          [json.dumps({"ImportId": name}) for name in ("startDate", "endDate", "status", "progress", "finished",
              "_recordId", "QID1_1", "QID1_2", "QID2_1", "QID2_2", "prolific_id")],
          *([f"2026-05-0{1 + k % 9}", f"2026-05-0{1 + k % 9}", "0", "100", "1", f"R_{k}x",
              *(random.Random(f"{k}{q}").randint(2, 5) for q in range(4)), f"pr{k}"] for k in range(16))]  # fmt: skip
log("qualtrics", "A survey with three header rows; a row is a person, the columns are two questions on each of two "
    "answers.", "survey.csv",
    text_of(survey[0], survey[1:]), (*compared("Q1_1", "Q2_1"), *compared("Q1_2", "Q2_2")),
    plain([Answer(row[5], q, row[6 + k]) for row in survey[3:] for k, q in ((0, "Q1_1"), (2, "Q2_1"))]),
    asks={"criterion": ("--a Q1_1 --b Q2_1", "--a Q1_2 --b Q2_2")}, may_ask=("people or models",),
    ugly=True)  # fmt: skip
talks = answers(
    30,
    {"north-mt": -0.9, "south-mt": 0.0},
    "penalty",
    groups={"talk1": 8, "talk2": 4, "talk3": 7, "talk4": 6, "talk5": 5},
    raters=("rater1",),
)
errors = [["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]]
for r in talks:
    major, minor = min(3, r.value // 5), min(4, r.value % 5)
    about = [r.model, r.group, r.group, r.item[1:], r.rater, "Hallo", "Hello"]
    errors += [[*about, "Accuracy/Mistranslation", "Major"]] * major + [[*about, "Style/Awkward", "Minor"]] * minor
    errors += [[*about, "No-error", "No-error"]] * (not major and not minor)
mqm = [r._replace(item=f"{r.group}:{r.item[1:]}", value=5 * min(3, r.value // 5) + min(4, r.value % 5)) for r in talks]
log("mqm in five talks", "One row per error: penalties by segment, less is better by the format; five talks are few, "
    "so they lead.",
    "mqm_talks.tsv", text_of(errors[0], errors[1:], separator="\t"), compared("north-mt", "south-mt", "--group", "doc"),
    plain(mqm, "--better", "lower"), better="lower", groups=("doc",))  # fmt: skip
docs = answers(
    36,
    {"north-mt": 0.6, "south-mt": 0.0},
    "0-100",
    groups={f"doc{k:02d}": 3 for k in range(12)},
    raters=("e1", "e2"),
    each=1,
)
log("esa in documents",
    "Scores of segments in twelve documents by two raters: segments of a document belong together.", "esa.tsv",
    text_of(["system", "doc", "seg_id", "rater", "esa_score"], [[r.model, r.group, r.item[1:], r.rater, r.value]
        for r in docs], separator="\t"),
    compared("north-mt", "south-mt", "--group", "doc"),
    plain([r._replace(item=f"{r.group}:{r.item[1:]}") for r in docs]), groups=("doc",))  # fmt: skip
log("platform with nested answers", "A data-labelling company's JSON: metadata.model, and the rating as "
    "response.annotations.overall.response.", "tasks.json",
    json.dumps([{"task_id": f"t{i}", "status": "completed", "metadata": {"model": r.model, "prompt_id": r.item},
        "worker": r.rater[:3],
                 "response": {"annotations": {"overall": {"type": "select", "response": [[str(r.value)]]}}}}
                     for i, r in enumerate(three)]),
    (("compare", FILE, "--item", "metadata.prompt_id", "--model", "metadata.model", "--value",
        "response.annotations.overall.response"),),
    plain([r._replace(rater=r.rater[:3]) for r in three]), row="response", ugly=True)  # fmt: skip

# ---- folders

H, W = of(MARKS, HERON), of(MARKS, WREN)
folder("two inspect logs", "The same task for two models.", {"a.json": inspect(HERON, H), "b.json": inspect(WREN, W)},
    BOTH, plain(MARKS))  # fmt: skip
folder("inspect, three runs each", "Three logs of each of two models under equal settings: repeats.",
       {f"{m}_{k}.json": inspect(m, [r._replace(run="")
           for r in answers(20, {HERON: 0.5, WREN: 0.0}, "0/1", runs=3) if (r.model, r.run) == (m, str(k))],
               run=f"{m}{k}")
        for m in (HERON, WREN) for k in (1, 2, 3)}, BOTH,
       plain(answers(20, {HERON: 0.5, WREN: 0.0}, "0/1", runs=3)))  # fmt: skip
hot = answers(24, {HERON: 0.5, WREN: 0.0}, "0/1")
folder("inspect, settings that differ", "heron-7b at temperature 0 and 1, wren-small at 0: only equal settings are "
    "compared, and nothing is pooled.",
    {"h0.json": inspect(HERON, of(hot, HERON), run="1", model_generate_config={"temperature": 0}),
        "h1.json": inspect(HERON, [r._replace(value=1 - r.value) for r in of(hot, HERON)], run="2",
            model_generate_config={"temperature": 1}),
        "w0.json": inspect(WREN, of(hot, WREN), run="3", model_generate_config={"temperature": 0})},
    compared(f"{HERON} · temperature=0", WREN),
    plain([r._replace(model=r.model if r.model == WREN else f"{HERON} temperature=0") for r in hot]),
    may_ask=("setting",), ugly=True)  # fmt: skip
folder("inspect, two tasks", "Two models on two tasks: one comparison per task.",
       {f"{m}_{task}.json": inspect(m, [r._replace(item=f"{task[0]}{r.item}") for r in of(MARKS, m)], task=task)
           for m in (HERON, WREN) for task in ("riddles", "puzzles")},
       compared(HERON, WREN, "--where", "task=riddles"), plain([r._replace(item=f"r{r.item}") for r in MARKS]),
       may_ask=("facet", "setting"))  # fmt: skip
folder("inspect, two scorers and two models", "Both logs have two scorers: the scorer is asked for once, for the "
    "whole folder.",
    {f"{m}.json": inspect(m, of(MARKS, m), scorers={"format_ok": lambda v: "C",
           "exact": lambda v: "C" if v else "I"}) for m in (HERON, WREN)},
    (*compared(HERON, WREN, "--scorer", "exact"), *compared(HERON, WREN, "--scorer", "format_ok")), plain(MARKS),
    asks={"scorer": ("--scorer exact", "--scorer format_ok")}, ugly=True)  # fmt: skip
folder("harness, two models", "Samples and totals of two models in a folder each.",
       {f"{m}/{name}": text for m in (HERON, WREN) for name, text in
        (("samples_riddles_2026-02-03T10-00-00.000001.jsonl", harness(of(MARKS, m))),
            ("results_2026-02-03T10-00-00.000001.json", totals(m)))},
       BOTH, plain(numbered(MARKS)))  # fmt: skip
ppl = answers(30, {HERON: -0.3, WREN: 0.0}, "seconds")
folder("harness, bits per byte", "A metric whose totals say that lower is better: the format is certain.",
       {f"{m}/{name}": text for m in (HERON, WREN) for name, text in
        (("samples_wiki_2026-02-03T10-00-00.000001.jsonl", harness(of(ppl, m), bits_per_byte=float)),
         ("results_2026-02-03T10-00-00.000001.json", totals(m, "wiki", bits_per_byte=False)))},
       BOTH, plain(numbered(ppl), "--better", "lower"), better="lower")  # fmt: skip
folder("harness, totals only", "Three files of totals: a leaderboard could be drawn, nothing can be tested.",
       {f"{m}/results_2026-02-03T10-00-00.json": totals(m) for m in (HERON, WREN, IBIS)}, (), None, row="model",
       refused="aggregate|per-item|totals")  # fmt: skip
folder("helm, two runs", "Two HELM run folders with specifications.",
       {f"riddles:model={m}/{name}": text for m in (HERON, WREN) for name, text in
        (("per_instance_stats.json", helm(of(MARKS, m))), ("run_spec.json",
            json.dumps({"name": f"riddles:model={m}", "adapter_spec": {"model": m, "max_tokens": 5}})))},
       BOTH, plain(MARKS))  # fmt: skip
folder("openai evals, two records", "Records of two models.", {f"{m}.jsonl": record(m, of(MARKS, m))
    for m in (HERON, WREN)}, BOTH,
       plain([r._replace(item=f"riddles.{r.item}") for r in MARKS]))  # fmt: skip
folder("deepeval, two models", "Test runs of two models with one metric, graded by one judge.",
       {f"{m}.json": deep(m, of(SHARES, m), Correctness=lambda v: v) for m in (HERON, WREN)}, BOTH,
       plain([r._replace(item=f"case_{r.item}", rater="gpt-judge") for r in SHARES]), judges=("gpt-judge",
           ))  # fmt: skip
folder("ragas, two pipelines", "A CSV of metrics for each of two pipelines: the metric is asked for once.",
       {f"{m}.csv": text_of(["user_input", "response", "faithfulness", "answer_relevancy"],
           [[f"What is {r.item}?", "…", r.value, round(1 - r.value, 3)] for r in of(SHARES, m)])
        for m in (HERON, WREN)},
       (*compared(HERON, WREN, "--scorer", "faithfulness"), *compared(HERON, WREN, "--scorer", "answer_relevancy")),
       plain([r._replace(item=f"What is {r.item}?") for r in SHARES]),
       asks={"scorer": ("--scorer faithfulness", "--scorer answer_relevancy")}, ugly=True)  # fmt: skip
folder("swe-bench, two models", "Maps of solved issues by model.",
       {f"{m}.json": json.dumps({f"lib__lib-{r.item[1:]}": bool(r.value) for r in of(MARKS, m)}) for m in (HERON,
           WREN)}, BOTH,
       plain([r._replace(item=f"lib__lib-{r.item[1:]}") for r in MARKS]))  # fmt: skip
folder("human-eval, five samples", "Five samples per task of two models, passed or not.",
       {f"{m}_results.jsonl": lines({"task_id": f"HumanEval/{r.item}", "completion": "…", "result": "passed",
           "passed": bool(r.value)}
                                    for r in answers(20, {HERON: 0.4, WREN: 0.0}, "0/1", runs=5) if r.model == m)
                                        for m in (HERON, WREN)},
       compared(f"{HERON}_results", f"{WREN}_results"),
       plain([r._replace(item=f"HumanEval/{r.item}", model=f"{r.model}_results") for r in answers(20,
           {HERON: 0.4, WREN: 0.0}, "0/1", runs=5)]))  # fmt: skip
folder("opencompass, two models", "A folder per model with the details of a data set.",
       {f"results/{m}/riddles.json": json.dumps({"accuracy": 50.0,
           "details": {str(i): {"pred": "A", "correct": bool(r.value)} for i, r in enumerate(of(MARKS, m))}})
               for m in (HERON, WREN)},
       BOTH, plain(numbered(MARKS)))  # fmt: skip
folder("vision benchmark", "A workbook per model: index, question, answer, prediction, hit.",
       {f"{m}_QuizV.xlsx": book({"Sheet1": [["index", "question", "answer", "prediction", "hit"],
           *([int(r.item[1:]), "?", "A", "A" if r.value else "B", r.value] for r in of(MARKS, m))]}) for m in (HERON,
               WREN)},
       compared(f"{HERON}_QuizV", f"{WREN}_QuizV"),
       plain([r._replace(item=str(int(r.item[1:])), model=f"{r.model}_QuizV") for r in MARKS]), row="response",
       ugly=True)  # fmt: skip
tasks = answers(14, {HERON: 0.3, WREN: 0.0, IBIS: 0.1}, "0-1", item=lambda i: f"Task{i:02d}")
folder("embedding benchmark", "A folder per model with a JSON of one main score per task: tasks are the items.",
       {f"{m}/{r.item}.json": json.dumps({"task_name": r.item, "mteb_version": "1.2",
           "scores": {"test": [{"main_score": r.value, "languages": ["eng"]}]}}) for m in (HERON, WREN, IBIS)
               for r in of(tasks, m)},
       ranked(), plain(tasks), may_ask=("better",), ugly=True)  # fmt: skip
folder("a table per model", "heron-7b.csv and wren-small.csv with item and correct: the file's name is the model.",
       {f"{m}.csv": text_of(["item", "correct"], [[r.item, r.value] for r in of(MARKS, m)]) for m in (HERON, WREN)},
       BOTH, plain(MARKS), row="response")  # fmt: skip
folder("a table per annotator", "mina.csv, jonas.csv and four more: each rated the answers of both models; the "
    "file's name is the rater.",
    {f"{who}.csv": tidy([r for r in answers(18, {HERON: 0.4, WREN: 0.0}, raters=SIX) if r.rater == who],
                           {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "rating": lambda r,
                               i: r.value}) for who in SIX},
    BOTH, plain(answers(18, {HERON: 0.4, WREN: 0.0}, raters=SIX)), row="response", may_ask=("people or models",),
    ugly=True)  # fmt: skip
folder("a table per seed", "seed_1.csv to seed_3.csv, each with both models: the file's name is the run.",
       {f"seed_{k}.csv": tidy([r for r in answers(18, {HERON: 0.4, WREN: 0.0}, "0/1", runs=3) if r.run == str(k)],
                              {"id": lambda r, i: r.item, "model": lambda r, i: r.model, "correct": lambda r,
                                  i: r.value}) for k in (1, 2, 3)},
       BOTH, plain(answers(18, {HERON: 0.4, WREN: 0.0}, "0/1", runs=3)), row="response", ugly=True)  # fmt: skip
folder("a table per run of a model", "heron-7b_run1.csv … wren-small_run2.csv: two runs of two models, not four "
    "models.",
    {f"{m}_run{k}.csv": text_of(["item", "score"], [[r.item, r.value]
           for r in answers(18, {HERON: 0.4, WREN: 0.0}, runs=2) if (r.model, r.run) == (m, str(k))])
        for m in (HERON, WREN) for k in (1, 2)},
    BOTH, plain(answers(18, {HERON: 0.4, WREN: 0.0}, runs=2)), row="response", ugly=True)  # fmt: skip
folder("a gold file and two models", "gold.csv, heron-7b.csv and wren-small.csv with id and label: accuracy against "
    "gold.",
    {f"{name}.csv": text_of(["id", "label"], [[r.item, "spam" if r.value else "ham"] for r in rows])
        for name, rows in (("gold", [r._replace(value=int(r.item[1:]) % 3 > 0) for r in H]), (HERON, H), (WREN, W))},
    (("compare", FILE, "--gold", "gold", "--a", HERON, "--b", WREN),),
    plain([Answer(r.item, "gold", "spam" if int(r.item[1:]) % 3 > 0 else "ham")
           for r in H] + [r._replace(value="spam" if r.value else "ham") for r in MARKS], "--gold", "gold"),
    row="response", may_ask=("gold",))  # fmt: skip
folder("one file is damaged", "Three logs, of which one was cut off: listed with its reason, the other two are "
    "compared.",
    {"a.json": inspect(HERON, H), "b.json": inspect(WREN, W), "c.json": inspect(IBIS, W)[:-200]}, BOTH,
    plain(MARKS), may_ask=("missing",), ugly=True)  # fmt: skip
folder("other questions", "Two models were run on different questions: they share none, so nothing can be compared.",
       {"a.json": inspect(HERON, H), "b.json": inspect(WREN, [r._replace(item=f"z{r.item}") for r in W])}, (), None,
       row="refused",
       refused="same items|share no|in common|no item", ugly=True)  # fmt: skip
folder("half the questions", "wren-small answered only the first 18 of 30 questions: the shared ones are compared, "
    "and that is said.",
    {"a.json": inspect(HERON, H), "b.json": inspect(WREN, W[:18])}, BOTH, plain([*H[:18], *W[:18]]),
    may_ask=("missing",), ugly=True)  # fmt: skip
folder("no data", "A folder of pictures, notes and a script.", {"README.md": "# Notes\n",
    "plot.png": b"\x89PNG\r\n\x1a\n0000", "run.py": "print(1)\n"}, (), None,
       row="refused", refused="no file|nothing|no .*can be read|neither", ugly=True)  # fmt: skip
folder("logs beside summaries", "Item logs of two models beside their totals and a table of totals that somebody "
    "made: the logs count.",
    {"a.json": inspect(HERON, H), "b.json": inspect(WREN, W),
           "summary.csv": "model,accuracy\nheron-7b,0.7\nwren-small,0.5\n", "notes.txt": "done\n"}, BOTH, plain(MARKS),
    ugly=True)  # fmt: skip
folder("human scores in a table, logs of models", "ratings.csv holds people's ratings of both models' answers, the "
    "logs a judge's: people decide, the judge is beside them.",
    {"a.json": inspect(HERON, of(RATED, HERON), scorers={"gpt-judge": float}), "b.json": inspect(WREN,
           of(RATED, WREN), scorers={"gpt-judge": float}),
        "ratings.csv": tidy(answers(24, {HERON: 0.2, WREN: 0.3}, raters=("mina", "jonas")),
                            {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "rater": lambda r, i: r.rater,
                                "rating": lambda r, i: r.value})},
    (("compare", FILE, "--judge", "gpt-judge"),),
    plain([*answers(24, {HERON: 0.2, WREN: 0.3}, raters=("mina", "jonas")), *(r._replace(rater="gpt-judge")
           for r in RATED)], "--judge", "gpt-judge"),
    judges=("gpt-judge",), asks={"judge": ("--judge gpt-judge", "--scorer gpt-judge")}, ugly=True)  # fmt: skip
folder("lines per run with a config", "run_1/metrics.jsonl beside run_1/config.json: the model and the seed stand in "
    "the config.",
    {f"run_{n}/{name}": text for n, (m, k) in enumerate(((m, k) for m in (HERON, WREN) for k in (1, 2)), 1)
           for name, text in
        (("metrics.jsonl", lines({"item": r.item, "correct": r.value}
            for r in answers(18, {HERON: 0.4, WREN: 0.0}, "0/1", runs=2) if (r.model, r.run) == (m, str(k)))),
         ("config.json", json.dumps({"model": m, "seed": k})))},
    BOTH, plain(answers(18, {HERON: 0.4, WREN: 0.0}, "0/1", runs=2)), row="response", ugly=True)  # fmt: skip
folder("error rates by model", "A file of word error rates per model: utterance and wer, less is better.",
       {f"{m}.tsv": text_of(["utt_id", "wer", "ref_words"], [[r.item, r.value, 12] for r in of(SHARES, m)],
           separator="\t") for m in (HERON, WREN)},
       (("compare", FILE, "--value", "wer", "--better", "lower"),), plain(SHARES, "--better", "lower"), better="lower",
       may_ask=("better", "criterion"), row="response")  # fmt: skip
folder("metrics by model", "A file of three metrics per model: which one decides is asked, once.",
       {f"{m}.csv": text_of(["id", "bleu", "chrf", "ter"],
           [[r.item, r.value, round(r.value * 0.9, 3), round(1 - r.value, 3)] for r in of(SHARES, m)]) for m in (HERON,
               WREN)},
       (("compare", FILE, "--value", "chrf"), ("compare", FILE, "--value", "bleu"), ("compare", FILE, "--value", "ter",
           "--better", "lower")),
       plain([r._replace(value=round(r.value * 0.9, 3)) for r in SHARES]), row="response",
       asks={"criterion": ("--value chrf", "--value bleu", "--value ter")}, ugly=True)  # fmt: skip
