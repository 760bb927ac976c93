"""Tables that are ugly as files: separators, encodings, headers, units, missing words, sheets, totals, no data."""

import io
import json
import random

import openpyxl

from tests.io.readings.corpus import FILE, Case, answers, compared, plain, roles, text_of, tidy, wide

CASES: list[Case] = []
NOTHING = "no data|not (a table|data)|no (table|columns|list of records)|prose|neither"


def case(name, story, file, text, first, columns="", truth=None, row="response", **how):
    """Add a case of one ugly table."""
    columns = roles(columns) if columns else {}
    CASES.append(Case(name, "ugly", story, {file: text}, row, first, columns, truth=truth, ugly=True, **how))


def book(sheets):
    """Return a workbook: name of a sheet → rows of cells."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


RATED = answers(24, {"heron-7b": 0.5, "wren-small": 0.0})
BASE = {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "rating": lambda r, i: r.value}
COLUMNS = "item=item; model=model; rating=value"
PAIR = compared("heron-7b", "wren-small")
TEXT = tidy(RATED, BASE)
TRUTH = plain(RATED)
HALVES = [r._replace(value=r.value - 0.5 * (i % 2)) for i, r in enumerate(RATED)]
COMMAS = {**BASE, "rating": lambda r, i: str(r.value).replace(".", ",")}
WIDE = wide(RATED, lambda r: r.model, {"item": lambda item, i: item})
ROWS = [line.split(",") for line in TEXT.splitlines()]

# ---- separators, decimal signs, encodings

case("semicolons and decimal commas", "A German spreadsheet: semicolons between cells, 3,5 for three and a half.",
     "bewertungen.csv", tidy(HALVES, COMMAS, separator=";"), PAIR, COLUMNS, plain(HALVES))  # fmt: skip
case("quoted decimal commas", "Commas between cells and quoted numbers such as \"3,5\".",
     "quoted.csv", tidy(HALVES, COMMAS), PAIR, COLUMNS, plain(HALVES))  # fmt: skip
case("tabs in a .csv", "A file called .csv whose cells are separated by tabs.",
     "export.csv", tidy(RATED, BASE, separator="\t"), PAIR, COLUMNS, TRUTH)  # fmt: skip
case("blanks", "A log printed in columns: cells separated by several blanks.",
     "scores.txt", "".join("".join(f"{cell:14}" for cell in row).rstrip() + "\n" for row in ROWS), PAIR, COLUMNS,
     TRUTH)  # fmt: skip
case("blanks in a .tsv", "The same called .tsv, as a script with print() wrote it.",
     "scores.tsv", "".join(" ".join(row) + "\n" for row in ROWS), PAIR, COLUMNS, TRUTH)  # fmt: skip
case("pipes", "A Markdown table pasted into a file.",
     "table.md", "\n".join("| " + " | ".join(row) + " |" for row in [ROWS[0], ["---"] * 3, *ROWS[1:]]) + "\n",
     PAIR, COLUMNS, TRUTH)  # fmt: skip
case("UTF-16 with a mark", "Excel's “Unicode text”: UTF-16 with a byte order mark, tabs.",
     "unicode.txt", tidy(RATED, BASE, separator="\t").encode("utf-16"), PAIR, COLUMNS, TRUTH)  # fmt: skip
case("UTF-16 without a mark", "UTF-16 from another program that writes no mark: the reason names --encoding utf-16-le.",
     "nomark.csv", TEXT.encode("utf-16-le"), (("compare", FILE, "--encoding", "utf-16-le", *PAIR[0][2:]),), COLUMNS,
     TRUTH)  # fmt: skip
case("BOM and CRLF", "UTF-8 with a byte order mark and the line ends of Windows.",
     "windows.csv", b"\xef\xbb\xbf" + tidy(RATED, BASE, end="\r\n").encode(), PAIR, COLUMNS, TRUTH)  # fmt: skip
case("latin-1", "Names of reviewers with umlauts in an old Windows encoding; the remedy is one option.",
     "gutachter.csv",
     tidy(RATED, {**BASE, "reviewer": lambda r, i: ("Jürgen", "Zoë")[i % 2], "comment": "schön"}).encode("cp1252"),
     (("compare", FILE, "--encoding", "cp1252", *PAIR[0][2:]),),
     "item=item; model=model; rating=value; reviewer=rater; comment=text",
     plain([r._replace(rater=("Jürgen", "Zoë")[i % 2]) for i, r in enumerate(RATED)]))  # fmt: skip
case("the line sep=;", "Excel's hint sep=; stands in the first line.",
     "excel_hint.csv", "sep=;\n" + tidy(RATED, BASE, separator=";"), PAIR, COLUMNS, TRUTH)  # fmt: skip
thousands = answers(24, {"heron-7b": 0.5, "wren-small": 0.0}, "real")
case("thousands", "Characters of each answer written as 1,234.5: a length, whose direction is not known.",
     "lengths.csv", tidy(thousands, {**BASE, "rating": lambda r, i: f"{1000 + 30 * abs(r.value):,.1f}"}),
     (*compared("heron-7b", "wren-small", "--better", "higher"), *compared("heron-7b", "wren-small", "--better",
         "lower")),
     COLUMNS, plain([r._replace(value=round(1000 + 30 * abs(r.value), 1)) for r in thousands]), better="unknown",
     asks={"better": ("--better higher", "--better lower")})  # fmt: skip

# ---- headers, rows

case("header in line 3", "A title and a date stand above the header.",
     "report.csv", "Evaluation of assistants\nMarch 2026, internal\n" + TEXT, PAIR, COLUMNS, TRUTH)  # fmt: skip
double = answers(20, {"heron-7b": 0.4, "wren-small": 0.0})
case("two header rows", "Merged cells became two header rows: the models above, the criteria below.",
     "merged_header.csv",
     ",heron-7b,,wren-small,\nitem,fluency,overall,fluency,overall\n" + "".join(
         f"{a.item},{min(5, a.value + i % 2)},{a.value},{min(5, b.value + i % 2)},{b.value}\n"
         for i, (a, b) in enumerate(zip(double[::2], double[1::2], strict=True))),
     (("compare", FILE, "--header-row", "1,2", "--value", "overall", "--a", "heron-7b", "--b", "wren-small"),), "",
     plain(double), row="item by models", asks={"criterion": ("--value overall", "--value fluency")})  # fmt: skip
case("no header", "Three columns without names; the names are in the documentation of the export.",
     "noheader.csv", TEXT.split("\n", 1)[1],
     (("compare", FILE, "--header-row", "0", "--item", "1", "--model", "2", "--value", "3"),), "",
     TRUTH, may_ask=("item",))  # fmt: skip
case("totals in the last row", "The last row holds the averages of the columns and is no item.",
     "with_totals.csv",
     WIDE + f"Average,{sum(r.value for r in RATED[::2]) / 24:.2f},{sum(r.value for r in RATED[1::2]) / 24:.2f}\n",
     (("compare", FILE, "--where", "item!=Average", *PAIR[0][2:]),), "item=item; heron-7b=model; wren-small=model",
     TRUTH, row="item by models", may_ask=("missing",))  # fmt: skip
case("empty rows and a footnote", "Empty rows between the questions and a footnote below the table.",
     "footnote.csv", "".join(line + ("\n,,\n" if i % 8 == 0 and i else "\n")
         for i, line in enumerate(TEXT.splitlines()))
     + "* rated by two students,,\n", PAIR, COLUMNS, TRUTH, may_ask=("missing",))  # fmt: skip
holes = [r._replace(value="") if i in (5, 16, 33) else r for i, r in enumerate(RATED)]
case("words for missing", "N/A, - and none stand where nobody rated: missing, and said so.",
     "missing_words.csv",
     tidy([r._replace(value={5: "N/A", 16: "-", 33: "none"}.get(i, r.value)) for i, r in enumerate(RATED)], BASE),
     PAIR, COLUMNS, plain([r for r in holes if r.value != ""]))  # fmt: skip
case("items without a name", "Three rows lack the item: they are counted and left out if that is said.",
     "no_item.csv", tidy([r._replace(item="") if i in (5, 16, 33) else r for i, r in enumerate(RATED)], BASE), PAIR,
     COLUMNS,
     plain([r for i, r in enumerate(RATED) if i not in (5, 16, 33)]), may_ask=("missing",))  # fmt: skip
case("ragged lines", "Two lines have a comma too many in a comment that was not quoted.",
     "ragged.csv", tidy(RATED, {**BASE, "comment": "ok"}).replace(",ok\n",
         ",good, but long\n", 2),
     PAIR, COLUMNS + "; comment=text", TRUTH, may_ask=("missing",))  # fmt: skip
case("exported twice", "The same rows stand twice, after an export was appended to itself: a careful analyst does not "
     "count them twice and says so.",
     "twice.csv", TEXT + TEXT.split("\n", 1)[1], PAIR, COLUMNS, TRUTH, may_ask=("missing",))  # fmt: skip
case("duplicate columns", "Two columns are called rating; the second is a copy of the first.",
     "duplicate.csv", "item,model,rating,rating\n" + "".join(f"{r.item},{r.model},{r.value},{r.value}\n"
         for r in RATED),
     PAIR, "item=item; model=model; rating=value", TRUTH, may_ask=("criterion",))  # fmt: skip
case("an index without a name", "A dataframe saved with its index: the first column has no name.",
     "dataframe.csv", tidy(RATED, {"": lambda r, i: i, **BASE}), PAIR, "=not used; " + COLUMNS, TRUTH)  # fmt: skip
case("models in two spellings", "heron-7b and Heron-7B are one model; the program must not rank three.",
     "spellings.csv", tidy(RATED, {**BASE, "model": lambda r, i: "Heron-7B " if i in (4, 10) else r.model}), PAIR,
     COLUMNS, TRUTH,
     may_ask=("people or models",))  # fmt: skip

# ---- cells

case("fractions", "Ratings written as 4/5: four of five.",
     "fractions.csv", tidy(RATED, {**BASE, "rating": lambda r, i: f"{r.value}/5"}), PAIR, COLUMNS,
     plain([r._replace(value=r.value) for r in RATED]), may_ask=("scale",))  # fmt: skip
shares = answers(24, {"heron-7b": 0.5, "wren-small": 0.0}, "0-100")
case("percent", "Accuracy per task as 85 %: numbers.",
     "percent.csv", tidy(shares,
         {"task": lambda r, i: r.item, "model": lambda r, i: r.model, "accuracy": lambda r, i: f"{r.value} %"}),
     compared("heron-7b", "wren-small", "--value", "accuracy"), "task=item; model=model; accuracy=value",
     plain([r._replace(value=r.value / 100) for r in shares]), may_ask=("better",))  # fmt: skip
seconds = answers(24, {"heron-7b": -0.5, "wren-small": 0.0}, "seconds")
case("units in cells", "Times written as 2.3 s: numbers with a unit; less is better by the name time_to_answer.",
     "units.csv", tidy(seconds,
         {"item": lambda r, i: r.item, "model": lambda r, i: r.model, "time_to_answer": lambda r,
             i: f"{r.value:.1f} s"}),
     compared("heron-7b", "wren-small", "--value", "time_to_answer", "--better", "lower"),
     "item=item; model=model; time_to_answer=value", plain([r._replace(value=f"{r.value:.1f}") for r in seconds],
         "--better", "lower"),
     better="lower", may_ask=("better", "scale"))  # fmt: skip
case("numbers with their words", "A form wrote 4 - good, 5 - very good: the number counts.",
     "worded.csv", tidy(RATED,
         {**BASE, "rating": lambda r,
             i: f"{r.value} - {('very bad', 'bad', 'fair', 'good', 'very good')[r.value - 1]}"}),
     PAIR, COLUMNS, TRUTH, may_ask=("scale",))  # fmt: skip
marks = answers(24, {"heron-7b": 0.5, "wren-small": 0.0}, "0/1")
case("TRUE and FALSE beside 1 and 0", "Two people filled one sheet, one with TRUE and FALSE, one with 1 and 0.",
     "booleans.csv", tidy(marks, {"item": lambda r, i: r.item, "model": lambda r, i: r.model,
                                  "correct": lambda r, i: r.value if i > 20 else str(bool(r.value)).upper()}),
     PAIR, "item=item; model=model; correct=value", plain(marks))  # fmt: skip
case("pass and fail", "Marks in words, in a column per model: ✓ and ✗.",
     "ticks.csv", wide([r._replace(value="✓" if r.value else "✗") for r in marks], lambda r: r.model,
         {"test case": lambda item, i: item}),
     PAIR, "test case=item; heron-7b=model; wren-small=model", plain(marks), row="item by models", may_ask=("scale",
         ))  # fmt: skip
case("a column of dates", "When each answer was given stands first; the item is the ticket.",
     "dated.csv", tidy(RATED, {"Date": lambda r, i: f"{1 + i % 28}.03.2026", "Ticket": lambda r, i: r.item,
                               "Assistant": lambda r, i: r.model, "Stars (1-5)": lambda r, i: "★" * r.value}),
     compared("heron-7b", "wren-small", "--value", "Stars (1-5)"),
     "Date=not used; Ticket=item; Assistant=model; Stars (1-5)=value", TRUTH, may_ask=("scale",))  # fmt: skip

# ---- shapes

case("transposed", "A row per model and a column per question: items are columns.",
     "transposed.csv",
     text_of(["", *(r.item for r in RATED[::2])], [[m, *(r.value for r in RATED if r.model == m)]
         for m in ("heron-7b", "wren-small")]),
     (("compare", FILE, "--transpose", *PAIR[0][2:]),), "=model; " + "; ".join(f"{r.item}=item" for r in RATED[::2]),
     TRUTH, row="item by models", may_ask=("item",))  # fmt: skip
case("transposed with names", "The same with the heading model: two rows are two models, not two items.",
     "transposed_named.csv",
     text_of(["model", *(r.item for r in RATED[::2])], [[m, *(r.value for r in RATED if r.model == m)]
         for m in ("heron-7b", "wren-small")]),
     (("compare", FILE, "--transpose", *PAIR[0][2:]),), "model=model; " + "; ".join(f"{r.item}=item"
         for r in RATED[::2]),
     TRUTH, row="item by models", may_ask=("item",))  # fmt: skip
case("two tables in one file", "Two tables, one for each model, one below the other with a line of its own between "
    "them.",
    "stacked.csv",
    "".join(f"{m}\nitem,rating\n" + "".join(f"{r.item},{r.value}\n" for r in RATED if r.model == m) + "\n"
         for m in ("heron-7b", "wren-small")),
    PAIR, "item=item; rating=value", TRUTH, may_ask=("setting",))  # fmt: skip
case("item to metrics", "JSON: item → metric → value of one model. Which metric is the score must be asked.",
     "per_item.json", json.dumps({r.item: {"rouge": r.value / 5, "bertscore": 0.9 - r.value / 50} for r in RATED[::2]}),
     (("score", FILE, "--value", "rouge"), ("score", FILE, "--value", "bertscore")), "",
     plain([r._replace(model="per_item", value=r.value / 5) for r in RATED[::2]]), row="response",
     asks={"criterion": ("--value rouge", "--value bertscore")})  # fmt: skip
case("model to items", "JSON: model → item → score.",
     "by_model.json",
     json.dumps({m: {r.item: r.value for r in RATED if r.model == m} for m in ("heron-7b", "wren-small")}),
     PAIR, "", TRUTH)  # fmt: skip
case("item to models", "JSON: item → model → score.",
     "by_item.json", json.dumps({r.item: {o.model: o.value for o in RATED if o.item == r.item} for r in RATED[::2]}),
     PAIR, "", TRUTH)  # fmt: skip
case("one object per model", "JSON: a list with one object per model, each with a list of scores in the same order.",
     "lists.json",
     json.dumps([{"model": m, "scores": [r.value for r in RATED if r.model == m]} for m in ("heron-7b",
             "wren-small")]),
     PAIR, "model=model; scores=value", TRUTH)  # fmt: skip
case("nested lines", "JSON Lines with fields inside fields: input.id, model.name, evaluation.score.",
     "nested.jsonl",
     "".join(json.dumps({"input": {"id": r.item, "text": "…"}, "model": {"name": r.model, "temperature": 0},
                         "evaluation": {"score": r.value, "reason": "ok"}}) + "\n" for r in RATED),
     compared("heron-7b", "wren-small", "--item", "input.id", "--model", "model.name", "--value", "evaluation.score"),
     "input.id=item; input.text=text; model.name=model; model.temperature=not used; evaluation.score=value; "
     "evaluation.reason=text",
     TRUTH)  # fmt: skip
case("results under a key", "JSON with the rows under results beside a header with the date.",
     "wrapped.json",
     json.dumps({"created": "2026-04-02", "results": [{"item": r.item, "model": r.model, "rating": r.value}
             for r in RATED]}),
     PAIR, COLUMNS, TRUTH)  # fmt: skip

# ---- workbooks

by_rater = answers(18, {"heron-7b": 0.4, "wren-small": 0.0}, raters=("mina", "jonas"))
sheets = {
    who: [["item", "model", "rating"], *([r.item, r.model, r.value] for r in by_rater if r.rater == who)]
    for who in ("mina", "jonas")
}
case("a sheet per rater", "A workbook with a sheet per person: both are read, and the sheet's name is the rater.",
     "ratings.xlsx", book(sheets), (("compare", FILE, "--sheet", "*", *PAIR[0][2:]),), COLUMNS, plain(by_rater),
     may_ask=("sheet",))  # fmt: skip
case("a sheet per model", "A workbook with a sheet per model: the sheet's name is the model.",
     "models.xlsx",
     book({m: [["item", "rating"], *([r.item, r.value] for r in RATED if r.model == m)] for m in ("heron-7b",
             "wren-small")}),
     (("compare", FILE, "--sheet", "*", *PAIR[0][2:]),), "item=item; rating=value", TRUTH, may_ask=("sheet",
         ))  # fmt: skip
case("notes on the first sheet", "The first sheet is a cover page; the table is on the second, called data.",
     "cover.xlsx", book({"README": [["Evaluation 2026"], ["Contact: the team"]], "data": ROWS}),
     (("compare", FILE, "--sheet", "data", *PAIR[0][2:]),), COLUMNS, TRUTH, may_ask=("sheet",))  # fmt: skip
case("merged item cells", "In the workbook the item stands in the first of two rows only, as merged cells do.",
     "merged.xlsx",
     book({"Sheet1": [ROWS[0], *([r.item if i % 2 == 0 else None, r.model, r.value]
             for i, r in enumerate(RATED))]}),
     PAIR, COLUMNS, TRUTH, may_ask=("missing",))  # fmt: skip
case("a title above the header", "A workbook whose table begins in row 4 and column B.",
     "offset.xlsx",
     book({"Results": [["Quarterly check"], [], [], *([None, *row]
             for row in [ROWS[0], *([r.item, r.model, r.value] for r in RATED)])]}),
     (("compare", FILE, "--header-row", "4", *PAIR[0][2:]),), COLUMNS, TRUTH, may_ask=("missing",))  # fmt: skip

# ---- nothing to read

case("an empty file", "Nothing in it.", "empty.csv", "", (), row="refused",
    refused="empty|no data|no rows")  # fmt: skip
case("a header only", "An export without rows.", "header.csv", "item,model,rating\n", (), row="refused",
    refused="no row|no data|empty|no value")  # fmt: skip
case("a web page called .csv", "A download that ended at a login page.", "download.csv",
     "<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body><p>Please sign in, or create an "
     "account.</p></body></html>\n",
     (), row="refused", refused="HTML|web page")  # fmt: skip
case("prose", "A text file with notes, not data.", "notes.txt",
     "Meeting of Monday\n\nWe decided to rate 40 answers.\nMina writes the guidelines, Jonas recruits people.\n", (),
     row="refused",
     refused=NOTHING)  # fmt: skip
case("a picture called .csv", "Bytes of a picture.", "chart.csv",
    b"\x89PNG\r\n\x1a\n" + bytes(random.Random(1).randrange(256) for _ in range(400)),
    (), row="refused", refused="PNG|picture|image|binary")  # fmt: skip
case("settings", "A JSON file of settings, no results.", "config.json",
    json.dumps({"temperature": 0.2, "models": ["heron-7b"], "n": 40}),
    (), row="refused", refused=NOTHING)  # fmt: skip
case("a key and values", "A table of texts only: prompts without any rating.", "prompts.csv",
     text_of(["id", "prompt"], [[i, f"Write a poem about number {i}"] for i in range(12)]), (), row="refused",
     refused="no (value|rating|score|number)|nothing (to|that)|no .*answers")  # fmt: skip
