"""Every report has every part, in every format, whatever things are called."""

import importlib
import json
import math
import re
import shutil
import subprocess
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

import howsure as howsure_package
from howsure import Responses, examples, io, report
from howsure.cli.app import main
from howsure.comparison import compare
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import Scale
from howsure.describing import describe
from howsure.documents import Table, latex, markdown
from howsure.documents.numbers import about
from howsure.errors import ArgumentError, DataError
from howsure.inference.solving import units_needed
from howsure.metrics.builtin import BUILTIN, ON_PREFERENCES
from howsure.questions.compare import Compare
from howsure.raters.agreement_coefficients import cells_from, krippendorff_alpha
from howsure.reports import DRAWN
from howsure.reports.accounts import ACCOUNTS, account_of
from howsure.reports.accounts.base import CORRECTIONS
from howsure.reports.accounts.compare import account
from howsure.reports.accounts.plan import ENGINES
from howsure.reports.chart_files import unchecked
from howsure.reports.frame import FIGURES, framed
from tests.reports.results import HOSTILE, MADE, charted, contest, made

PARTS = ("Numbers", "What was done", "What this does not show")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("reports")
    io.write(examples.ratings(30), root / "ratings.csv")
    return root


@pytest.fixture(scope="module")
def question(folder):
    return Compare(files=(str(folder / "ratings.csv"),), gold="human", a="model-2", b="model-1", metric=("mae",))


@pytest.mark.parametrize("kind", MADE)
def test_every_kind_of_result_has_a_report_in_every_format(kind, written, texts):
    result = made(kind)
    page, text, paper = texts(kind)
    for part in PARTS:
        assert f"<h2>{part}</h2>" in page
        assert f"## {part}" in text
        assert rf"\subsection*{{{part}}}" in paper
    assert "What to do next" in page
    assert page.count("<figure>") == page.count("<img src=") >= (kind in DRAWN)
    assert all(re.findall(r'<img [^>]*alt="([^"]+)"', page)) or kind not in DRAWN
    content = json.loads((written(kind) / "report.json").read_text(encoding="utf-8"))
    assert content["report"]["title"] == result.document().title
    if kind != "Sweep":  # whose store is what is read again
        assert type(result).from_dict(content).document().title == result.document().title


NAMED = ("Comparison", "Comparisons", "Leaderboard", "PairedAnalysis", "SystemsComparison", "TableDescription", "Fit",
         "Diagnosis", "Sweep", "ModelScores", "Reliability")  # fmt: skip
"""Results that are called by names from the data."""


@pytest.mark.parametrize("kind", NAMED)
def test_hostile_names_are_text_in_every_format(kind, written, texts):
    page, text, paper = texts(kind)
    assert "<script" not in page
    assert "<svg" not in page
    assert r"\input{/" not in paper
    outside = re.sub(r"^(`{3,})\w*\n.*?\n\1$", "", text, flags=re.M | re.S)
    assert "<svg" not in re.sub(r"(`+).*?\1(?!`)", "", outside.replace("\\`", ""))
    assert HOSTILE.replace("\\", "\\\\") in (written(kind) / "report.json").read_text(encoding="utf-8")


def test_latex_reports_compile(written, tmp_path):
    """Reports of all kinds are put into one document, so that the compiler starts once; two of them with pictures."""
    compiler = shutil.which("pdflatex") or shutil.which("tectonic")
    if compiler is None:
        pytest.skip("neither pdflatex nor tectonic is installed: LaTeX reports were not compiled")
    options = ["-interaction=batchmode", "-halt-on-error"] if compiler.endswith("pdflatex") else []
    whole = [(written(kind) / "report.tex").read_text(encoding="utf-8") for kind in ("Comparison", "PairedAnalysis")]
    for kind, text in zip(("Comparison", "PairedAnalysis"), whole, strict=True):
        for name in re.findall(r"\\includegraphics\[[^\]]+\]\{([^}]+)\}", text):
            shutil.copy(written(kind) / name, tmp_path)
    parts = [*whole, *(latex.render(framed(made(kind), pictures=False)) for kind in MADE)]
    bodies = [re.search(r"\\begin\{document\}(.*)\\end\{document\}", text, re.S).group(1) for text in parts]
    head = whole[0].partition(r"\begin{document}")[0]
    everything = "\n\\clearpage\n".join(bodies)
    (tmp_path / "all.tex").write_text(f"{head}\\begin{{document}}{everything}\\end{{document}}\n", encoding="utf-8")
    done = subprocess.run([compiler, *options, "all.tex"], cwd=tmp_path, capture_output=True, check=False, timeout=300)
    said = (tmp_path / "all.log").read_text(encoding="latin-1")[-1500:] if done.returncode else ""
    assert done.returncode == 0, said


@pytest.mark.parametrize("kind", ["Comparison", "PairedAnalysis", "Leaderboard"])
def test_markdown_and_latex_show_the_pictures_in_files_beside_them(kind, written, texts):
    page, text, paper = texts(kind)
    linked = re.findall(r"^!\[(.+)\]\(<([^>]+)>\)$", text, re.M)
    included = re.findall(r"\\includegraphics\[[^\]]+\]\{([^}]+)\}", paper)
    assert len(linked) == len(included) == page.count("<img src=") > 0
    for said, name in linked:
        assert said.strip()
        svg = (written(kind) / name).read_text(encoding="utf-8")
        assert svg.startswith("<svg")
        assert "http" not in svg.replace("http://www.w3.org/", "")
    for name in included:
        assert (written(kind) / name).read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("ending", [".md", ".tex"])
def test_pictures_are_called_by_plain_names_whatever_sources_are_called(tmp_path, ending):
    """Models are often called as on a hub: owner/name. Names that are the same in plain letters get a number."""
    rng = np.random.default_rng(0)
    grids = (rng.integers(1, 6, (12, 3)).astype(float) for _ in range(2))
    ids = np.tile(np.arange(3), (12, 1))
    names = ("owner/../a)>%#{x}", "owner/../a)>%#{y?}")
    sources = {name: Responses.from_grid(grid, ids) for name, grid in zip(names, grids, strict=True)}
    scale = Scale.of([1.0, 2.0, 3.0, 4.0, 5.0], kind="ordinal")
    table = ResponseTable(np.arange(12).astype(str), sources, scale, raters=("r1", "r2", "r3"))
    place = tmp_path / "one" / f"report{ending}"
    place.parent.mkdir()
    report(describe(table, n_resamples=29, rng=0), place)
    written = sorted(path.name for path in place.parent.iterdir())
    assert [*tmp_path.iterdir()] == [place.parent]
    assert all(re.fullmatch(r"report(-[A-Za-z0-9_-]+)?\.(md|svg|tex|pdf)", name) for name in written)
    shown = place.read_text(encoding="utf-8")
    assert len(written) > 4
    for name in written:
        assert name == place.name or name in shown


def test_pictures_beside_a_report_replace_nothing_that_was_not_asked_for(tmp_path, howsure, folder):
    (tmp_path / "a b%-estimation.svg").write_text("mine", encoding="utf-8")
    (tmp_path / "a-b--estimation.svg").write_text("mine", encoding="utf-8")
    words = [
        "compare",
        folder / "ratings.csv",
        "--gold",
        "human",
        "--a",
        "model-2",
        "--b",
        "model-1",
        "--metric",
        "mae",
    ]
    said = howsure(*words, "--report", tmp_path / "a b%.md")
    assert said.returncode == 2
    assert "a-b--estimation.svg exists already" in said.stderr
    assert not (tmp_path / "a b%.md").exists()
    said = howsure(*words, "--report", tmp_path / "a b%.md", "--force")
    assert "a-b--estimation.svg" in said.stdout
    assert (tmp_path / "a-b--estimation.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "a b%-estimation.svg").read_text(encoding="utf-8") == "mine"
    assert "](<a-b--estimation.svg>)" in (tmp_path / "a b%.md").read_text(encoding="utf-8")


def test_the_agreement_in_a_report_is_that_of_describe(question):
    part = io.read(question.files[0]).sources["human"]
    cells = cells_from(part.values, part.items, np.arange(part.values.size) % 5)  # five responses, taken for raters
    expected = krippendorff_alpha(cells, level="ordinal")
    text = markdown.render(framed(question.answer(), question, pictures=False))
    assert f"Agreement of human**: Krippendorff's alpha {expected:.2f} " in text


def test_the_report_names_data_and_how_to_repeat_it(question, tmp_path):
    result = question.answer()
    report(result, tmp_path / "report.md", question=question)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "* **Items**: 30" in text
    assert "* **Responses of human**: 150: 5 per item" in text
    assert re.search(r"\*\*Agreement of human\*\*: Krippendorff's alpha 0\.\d\d ", text)
    assert "SHA-256" in text
    assert question.command in text
    assert howsure_package.__getattr__("questions").Compare is Compare  # whoever imports howsure alone has them
    names = {}
    exec(re.search(r"```python\n(.*?)```", text, re.S).group(1), names)
    [answer] = result
    assert names["result"].to_dict() == answer.to_dict()


def test_python_without_a_question_repeats_the_comparison():
    given = contest()
    result = compare(given, metric="mae", rng=3, margin=0.1)
    names = {"contest": given}
    exec(account_of(result).again[0].text, names)
    assert names["result"].to_dict() == result.to_dict()


def test_the_forecast_of_items_holds():
    """A study of the forecast size finds the advantage 8 times in 10, within the error of 4,000 simulated studies."""
    rng = np.random.default_rng(0)
    seen = rng.normal(0.3, 1.0, 40)
    error = seen.std(ddof=1) / math.sqrt(40)
    needed = math.ceil(units_needed(40, error, seen.mean(), alpha=0.05))
    studies = rng.normal(seen.mean(), seen.std(ddof=1), (4000, needed))
    found = stats.ttest_1samp(studies, 0, axis=1).pvalue <= 0.05
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 4000, [0.79, 0.8])  # Student's t costs a little over the normal
    assert low <= found.sum() <= high


def test_what_is_open_gets_a_number_and_what_is_settled_does_not():
    undecided = compare(contest(shift=0.1), metric="mae", rng=0)
    [first, *_] = account(undecided, None, None).next
    reach = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    expected = 30 * (reach * undecided.standard_error / undecided.advantage) ** 2
    assert f"collect about {about(expected)} items; there are 30." in first
    assert any("small difference may be missed" in line for line in account(undecided, None, None).limits)
    settled = compare(contest(n_items=60, shift=2), metric="mae", rng=0)
    assert "collect about 240 items instead of 60" in account(settled, None, None).next[0]
    assert not any("may be missed" in line for line in account(settled, None, None).limits)


def test_raters_that_decide_are_asked_for():
    rng = np.random.default_rng(1)
    import polars

    from howsure import read

    rows = [
        {"item": i, "source": source, "rater": f"r{rater}", "value": value}
        for rater, bias in enumerate(rng.normal(0.2, 0.5, 5))
        for i in range(60)
        for source, value in (("a", bias + rng.normal()), ("b", rng.normal()))
    ]
    table = read(polars.DataFrame(rows))
    result = compare(table.contest(a="a", b="b"), metric="rating", rng=0)
    assert result.rater_answers is not None
    said = " ".join(account(result, None, None).next)
    assert re.search(r"Raters contribute \d+% of the variance", said)
    assert re.search(r"about [\d,]+ (raters|items and [\d,]+ raters)", said)


def test_every_word_for_a_method_exists():

    from howsure.inference.corrections import JOINT_CORRECTIONS
    from howsure.planning import ENGINES as KNOWN

    assert all(metric.formula for named in (BUILTIN, ON_PREFERENCES) for metric in named.values())
    assert set(CORRECTIONS) >= set(JOINT_CORRECTIONS)
    assert {*KNOWN} - {"auto"} <= set(ENGINES)


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in DRAWN])
def test_every_chart_has_words_and_a_table_behind_it(kind):
    document = made(kind).document()
    assert any(isinstance(block, Table) and block.rows for block in document.blocks)
    assert charted(kind)["description"]


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in FIGURES])
def test_pictures_of_a_report_fit_the_schema_of_charts(kind):
    """Reports do not check them. The whole charts of all kinds are checked by whoever calls `charted`."""
    module, _, name = FIGURES[kind].partition(":")
    with unchecked():
        parts = getattr(importlib.import_module(module), name)(made(kind))
    for *_, chart in parts:
        assert chart.to_dict(validate=True)


def test_every_chart_has_an_account():
    assert set(DRAWN) <= set(ACCOUNTS)


@pytest.mark.parametrize(
    ("place", "said"),
    [("nowhere/report.html", "there is no folder"), ("report.doc", "must be a file that ends in"), (".", "ends in")],
)
def test_a_place_that_cannot_be_written_is_one_line_before_any_work(place, said, tmp_path, monkeypatch):
    monkeypatch.setattr("howsure.reports.frame.framed", lambda *_, **__: pytest.fail("work was done"))
    with pytest.raises((ArgumentError, DataError), match=said):
        report(made("PowerPlan"), tmp_path / place)


def test_the_command_refuses_a_file_that_exists_before_it_computes(folder, monkeypatch, capfd):
    (folder / "old.html").write_text("old")
    line = ["howsure", "compare", str(folder / "ratings.csv"), "--gold", "human", "--a", "model-2", "--b", "model-1"]
    monkeypatch.setattr("howsure.comparison.comparing.compare_each", lambda *_, **__: pytest.fail("work was done"))
    monkeypatch.setattr("sys.argv", [*line, "--report", str(folder / "old.html")])
    with pytest.raises(SystemExit) as left:
        main()
    said = capfd.readouterr().err
    assert left.value.code == 2
    assert "--force" in said
    assert said.count("\n") == 1
    assert (folder / "old.html").read_text() == "old"


def test_a_folder_that_is_read_only_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # the tests may run as root, for whom nothing is read-only
    with pytest.raises(DataError, match="permission denied"):
        report(made("PowerPlan"), tmp_path / "report.html")


def test_pictures_are_left_out_without_the_extra(monkeypatch):
    monkeypatch.setattr("howsure.reports.frame.can_draw", lambda: False)
    document = framed(made("Comparison"))
    assert not [block for block in document.blocks if type(block).__name__ == "Figure"]


def test_a_report_and_its_pictures_replace_files_only_by_force(tmp_path, question):
    result = question.answer()
    for ending in (".html", ".md", ".tex", ".json", ".csv"):
        path = tmp_path / ending[1:] / f"report{ending}"
        path.parent.mkdir()
        report(result, path)
        for place in list(path.parent.iterdir()):  # the report, then each of its pictures alone
            for other in path.parent.iterdir():
                other.unlink()
            place.write_text("mine")
            with pytest.raises(ArgumentError, match=r"exists already; name another file, or add `force=True`"):
                report(result, path)
            assert place.read_text() == "mine"
            report(result, path, force=True)
            assert place.read_bytes() != b"mine"
