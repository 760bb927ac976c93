import json

import numpy as np
import pytest

from howsure.cli import main
from tests.reference.scores import DEPRESSION


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run `howsure …` in an empty folder; return (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr("sys.argv", ["howsure", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return end.value.code or 0, said.out, said.err

    return call


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    b = rng.beta(5, 5, 120)
    a = b + rng.normal(0.05, 0.1, 120)
    np.savetxt(tmp_path / "scores.txt", np.c_[a, b], fmt="%.4f")
    np.savetxt(
        tmp_path / "three.csv", np.c_[a, b, rng.beta(5, 5, 120)], fmt="%.4f", delimiter=",", header="x,y,z", comments=""
    )
    np.savetxt(tmp_path / "depression.txt", np.c_[DEPRESSION["a"], DEPRESSION["b"]])
    np.savetxt(tmp_path / "answers.txt", rng.integers(0, 2, (60, 2)), fmt="%d")
    lines = [f"{x:.4f}\t{y:.4f}\td{i // 6}" for i, (x, y) in enumerate(zip(a, b, strict=True))]
    (tmp_path / "documents.tsv").write_text("\n".join(["new\tbase\tdoc", *lines]))
    (tmp_path / "one.txt").write_text("0.1\n0.2\n")
    (tmp_path / "text.txt").write_text("0.1 0.2\n0.3 good\n")
    (tmp_path / "nan.txt").write_text("0.1 0.2\nnan 0.4\n")
    (tmp_path / "constant.txt").write_text("0.3 0.1\n0.5 0.3\n0.9 0.7\n")
    (tmp_path / "same.txt").write_text("0.3 0.3\n0.5 0.5\n0.9 0.9\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(b"\x00\x01\x02")
    (tmp_path / "bad.toml").write_text("alpha = ")
    (tmp_path / "unknown.toml").write_text("unit-sizes = 3\n")
    (tmp_path / "config.toml").write_text('test = "wilcoxon"\nalpha = 0.1\nunit-size = 2\ntolerance = 0.5\n')
    return tmp_path


def test_test_as_json(run, files):
    code, out, err = run("scores", "test", "depression.txt", "--test", "wilcoxon", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["pvalue"], found["statistic"], found["n"]) == (0.0390625, 40, 9)
    assert (found["confidence_interval"]["low"], found["confidence_interval"]["high"]) == pytest.approx((0.01, 0.786))


@pytest.mark.parametrize(
    "test", ["t", "sign", "wilcoxon", "bootstrap", "bootstrap-median", "permutation", "permutation-median"]
)
def test_every_test_has_its_name(run, files, test):
    found = json.loads(run("scores", "test", "scores.txt", "--test", test, "--n-resamples", 199, "--json")[1])
    assert found["test"] == test
    assert 0 < found["pvalue"] <= 1


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["describe", "scores.txt"], ["A − B", "Shapiro–Wilk", "Recommended test: "]),
        (["describe", "constant.txt"], ["Every difference is 0.2"]),
        (["test", "scores.txt"], ["95% CI", "Recommended test: paired t test."]),
        (["test", "answers.txt", "--verbose"], ["both systems got", "Exact McNemar test: "]),
        (
            ["test", "scores.txt", "--test", "t", "--margin", "0.2"],
            ["A and B are equivalent: they differ by less than 0.2 ("],
        ),
        (["test", "scores.txt", "--margin", "0.2", "--noninferiority"], ["A is not worse than B by 0.2 or more"]),
        (["test", "three.csv", "--all-pairs"], ["adjusted p", "pairs"]),
        (["test", "three.csv", "--columns", "z,2"], ["between y and z"]),
        (["test", "documents.tsv", "--cluster", "doc"], ["n = 120 in 20 clusters"]),
        (["effect", "scores.txt"], ["Cohen's d", "Hedges' g", "Wilcoxon r", "Hodges–Lehmann"]),
        (["power", "scores.txt", "--effect", "0.02", "--sizes", "50,100", "--n-simulations", "64"], ["power", "100"]),
        (["analyse", "scores.txt", "--n-simulations", "64"], ["A scores higher than B: ", "Recommended test: "]),
        (
            ["analyse", "scores.txt", "--verbose", "--n-simulations", "64"],
            ["non-preferred", "unit sizes", "Hedges' g", "observed power"],
        ),
        (["analyse", "documents.tsv", "--cluster", "3", "--n-simulations", "64"], ["20 clusters"]),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_text(run, files, words, shown):
    code, out, err = run("scores", *words)
    assert (code, err) == (0, "")
    for piece in shown:
        assert piece in out


@pytest.mark.parametrize(
    "names", [("A", "B"), ("qwen2.5-72b-instruct", "llama-3.1-70b-instruct")], ids=["short", "long"]
)
@pytest.mark.parametrize("command", ["describe", "test", "effect", "power", "analyse", "test --all-pairs"])
def test_the_default_output_fits_80_columns_and_one_screen(run, files, command, names):
    rows = (files / "scores.txt").read_text()
    (files / "named.txt").write_text("\t".join(names) + "\n" + rows.replace(" ", "\t"))
    code, out, err = run("scores", *command.split(), "named.txt")
    assert (code, err) == (0, "")
    tables = [line for line in out.splitlines() if line[:1] in "┏┃┡│└"]
    assert max(map(len, tables)) <= 80
    assert sum(line.startswith("┏") for line in tables) == 1
    assert sum(line.startswith("Note: ") for line in out.splitlines()) <= 3


@pytest.mark.parametrize("command", ["describe", "test", "effect", "power", "analyse"])
def test_json_everywhere(run, files, command):
    extra = ["--n-simulations", 64] if command in ("power", "analyse") else []
    code, out, err = run("scores", command, "scores.txt", "--json", *extra)
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["analyse", "one.txt"], 1, "one.txt has one column of scores"),
        (["analyse", "three.csv"], 1, "three.csv has 3 columns of scores"),
        (["analyse", "text.txt"], 1, "text.txt, line 2, column 2 is not a number: 'good'"),
        (["analyse", "nan.txt"], 1, "nan.txt, line 2, column 1 is nan"),
        (["analyse", "constant.txt"], 1, "every one of the 3 differences A − B is 0.2"),
        (["analyse", "same.txt"], 1, "the scores of A and B are identical"),
        (["test", "constant.txt", "--test", "t"], 1, "every one of the 3 differences A − B is 0.2"),
        (["analyse", "empty.txt"], 1, "empty.txt is empty"),
        (["analyse", "binary.txt"], 1, "binary.txt is a binary file"),
        (["analyse", "absent.txt"], 1, "there is no file absent.txt"),
        (["analyse", "."], 1, ". is a directory"),
        (["analyse", "scores.txt", "--unit-size", "100"], 1, "120 segments are too few for two units of 100 segments"),
        (
            ["analyse", "scores.txt", "--n-resamples", "0"],
            2,
            "--n-resamples must be a whole number of at least 1; got 0",
        ),
        (["analyse", "scores.txt", "--n-simulations", "0"], 2, "--n-simulations must be a whole number of at least 1"),
        (["test", "scores.txt", "--test", "z"], 2, "--test must be one of permutation, t, sign"),
        (["test", "scores.txt", "--alpha", "5"], 2, "Did you mean 0.05?"),
        (["test", "scores.txt", "--alternative", "more"], 2, "--alternative must be one of"),
        (["test", "scores.txt", "--noninferiority"], 2, "--noninferiority needs --margin"),
        (["test", "documents.tsv", "--cluster", "doc", "--test", "sign"], 2, "use one of permutation, t, bootstrap"),
        (["effect", "scores.txt", "--effect-size", "d"], 2, "--effect-size must be one of"),
        (["power", "scores.txt", "--sizes", "many"], 2, "--sizes must be whole numbers"),
        (["test", "scores.txt", "--config", "absent.toml"], 1, "there is no file absent.toml"),
        (["test", "scores.txt", "--config", "bad.toml"], 1, "bad.toml is not a readable TOML file"),
        (["test", "scores.txt", "--config", "unknown.toml"], 2, "Did you mean 'unit-size'?"),
        (["analyse", "scores.txt", "--n-simulations", "9", "--report", "r.pdf"], 2, "ends in .html, .md, .tex, .json"),
        (["analyse", "scores.txt", "--n-simulations", "9", "--report", "no/r.md"], 1, "cannot be written"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_gets_one_line_and_the_right_code(run, files, words, code, message):
    found, out, err = run("scores", *words)
    assert (found, out) == (code, "")
    assert message in err
    assert err.startswith("howsure: ")
    assert err.count("\n") == 1


def test_config_gives_defaults_and_the_command_line_wins(run, files):
    found = json.loads(run("scores", "test", "scores.txt", "--config", "config.toml", "--json")[1])
    assert (found["test"], found["significance"]["alpha"], found["n"]) == ("wilcoxon", 0.1, 60)
    found = json.loads(run("scores", "test", "scores.txt", "--config", "config.toml", "--alpha", "0.01", "--json")[1])
    assert (found["test"], found["significance"]["alpha"]) == ("wilcoxon", 0.01)


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_report(run, files, suffix):
    code, _, err = run("scores", "analyse", "scores.txt", "--n-simulations", 9, "--report", f"report.{suffix}")
    assert (code, err) == (0, "")
    text = (files / f"report.{suffix}").read_text(encoding="utf-8")
    assert "A scores higher than B" in text


def test_power_from_a_plan(run):
    code, out, _ = run("power", "--effect", 0.2, "--sd", 1, "--target-power", 0.8)
    assert code == 0
    assert "199 segments give 80.2% power for a mean difference of 0.2" in out
    found = json.loads(run("power", "--n-items", 199, "--sd", 1, "--target-power", 0.8, "--json")[1])
    assert found["solved_for"] == "effect"
    assert found["effect"] == pytest.approx(0.2, abs=5e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--effect", "0", "--sd", "1", "--target-power", "0.8"], "--effect must not be 0"),
        (["--effect", "1", "--sd", "1"], "give two of"),
        (["--effect", "1", "--sd", "-1", "--target-power", "0.8"], "--sd must be at least 0"),
        (["--effect", "1", "--target-power", "0.8"], "--sd"),
    ],
)
def test_bad_plan(run, words, message):
    code, out, err = run("power", *words)
    assert (code, out) == (2, "")
    assert message in err


HOSTILE = {
    "columns that are no numbers": ["scores", "test", "scores.txt", "--columns", "²,1"],
    "no effects": ["scores", "effect", "scores.txt", "--effect-size", ""],
    "only commas": ["scores", "effect", "scores.txt", "--effect-size", ",,"],
    "a study of all lines there are": ["scores", "power", "scores.txt", "--sizes", "99999999999999"],
    "a range without an end": ["scores", "power", "scores.txt", "--sizes", "1:99999999999999"],
    "too many steps": ["scores", "power", "scores.txt", "--steps", "1000000000"],
    "too many simulations": ["scores", "power", "scores.txt", "--n-simulations", "1000000000000"],
    "too many resamples": ["scores", "test", "scores.txt", "--test", "bootstrap", "--n-resamples", "1000000000"],
    "a difference too small": ["power", "--effect", "1e-10", "--sd", "1", "--target-power", "0.8"],
    "a level too small": ["power", "--alpha", "5e-324", "--effect", "1", "--sd", "1", "--target-power", "0.8"],
    "a level of NaN": ["scores", "test", "scores.txt", "--alpha", "nan"],
    "an infinite shift": ["scores", "test", "scores.txt", "--delta", "inf"],
    "a huge shift": ["scores", "test", "scores.txt", "--delta", "1e300"],
    "underscores": ["scores", "test", "scores.txt", "--n-resamples", "1_000"],
    "a device": ["scores", "test", "/dev/zero"],
    "a long whole number": ["scores", "power", "scores.txt", "--sizes", "9" * 5000],
    "an option given twice": ["scores", "test", "scores.txt", "--alpha", "0.1", "--alpha", "0.2"],
}
IDLE = {
    "correction without pairs": ["test", "scores.txt", "--correction", "holm"],
    "an unknown correction": ["test", "three.csv", "--all-pairs", "--correction", "x"],
    "a margin for all pairs": ["test", "three.csv", "--all-pairs", "--margin", "0.1"],
    "shuffled single lines": ["test", "scores.txt", "--shuffle", "3"],
    "shuffled single lines of all pairs": ["test", "three.csv", "--all-pairs", "--shuffle", "3"],
    "medians of single lines": ["effect", "scores.txt", "--unit-statistic", "median"],
    "steps and sizes": ["power", "scores.txt", "--steps", "3", "--sizes", "10,20"],
    "threads for nothing": ["describe", "scores.txt", "--workers", "2"],
}


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_options_get_one_line(run, files, words):
    code, out, err = run(*words)
    assert (code in (1, 2), out) == (True, "")
    assert err.startswith("howsure: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", IDLE.values(), ids=IDLE.keys())
def test_options_without_effect_are_refused(run, files, words):
    code, out, err = run("scores", *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


def test_all_pairs_heed_every_option(run, files):
    def pvalues(*words):
        found = json.loads(run("scores", "test", "three.csv", "--all-pairs", "--json", *words)[1])
        return [pair["pvalue"] for pair in found["pairs"]], [pair["n"] for pair in found["pairs"]]

    plain, sizes = pvalues()
    assert sizes == [120] * 3
    for words in (["--alternative", "greater"], ["--delta", "0.1"], ["--unit-size", "3"], ["--test", "sign"]):
        assert pvalues(*words)[0] != plain, words
    assert pvalues("--unit-size", "3")[1] == [40] * 3
    assert pvalues("--unit-size", "3", "--shuffle", "1")[0] != pvalues("--unit-size", "3")[0]
    two = json.loads(run("scores", "test", "three.csv", "--columns", "x,y", "--test", "t", "--alternative", "greater",
                         "--json")[1])  # fmt: skip
    assert pvalues("--alternative", "greater")[0][0] == two["pvalue"]


def test_a_configuration_file_of_nlpstattest(run, files):
    (files / "config.yml").write_text(
        "fileName: scores.txt\neval_unit_size: 3\nsig_test_name: bootstrap_med\nsig_test_alpha: 0.01\n"
        "sig_boot_perm_B: 150\neff_size_ind: hl\npower_num_of_sim: 2\npower_B: 64\n"
    )
    code, out, err = run("scores", "analyse", "--config", "config.yml", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["test"], found["n"], found["significance"]["alpha"]) == ("bootstrap-median", 40, 0.01)
    assert found["significance"]["n_resamples"] == 0  # fewer than 100 units: exact
    assert [effect["effect"] for effect in found["effects"]] == ["hodges-lehmann"]
    assert (found["curve"]["sizes"], found["curve"]["n_simulations"]) == ([20, 40], 64)
    # The command line wins, also over the file that is named there.
    found = json.loads(run("scores", "test", "depression.txt", "--config", "config.yml", "--unit-size", "1", "--test",
                           "wilcoxon", "--json")[1])  # fmt: skip
    assert (found["test"], found["n"]) == ("wilcoxon", 9)


def test_a_saved_session_of_nlpstattest(run, shared):
    session = shared / "nlpstattest" / "config_cookies.yaml"
    if not session.is_file():
        pytest.skip("NLPStatTest's saved session is not here")
    code, out, err = run("scores", "test", "--config", session, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["pvalue"] == pytest.approx(0.100227, abs=5e-7)


def test_units_are_written_and_read_back(run, files):
    code, out, err = run("scores", "describe", "scores.txt", "--unit-size", 5, "--units", "units.txt")
    assert (code, err) == (0, "")
    assert out.endswith("Written to units.txt.\n")
    direct = json.loads(run("scores", "test", "scores.txt", "--unit-size", 5, "--test", "t", "--json")[1])
    again = json.loads(run("scores", "test", "units.txt", "--test", "t", "--json")[1])
    assert (again["pvalue"], again["n"]) == (direct["pvalue"], 24)
    assert run("scores", "describe", "scores.txt", "--units", "units.txt")[0] == 2
    assert run("scores", "describe", "scores.txt", "--units", "units.txt", "--force")[0] == 0
    assert run("scores", "describe", "scores.txt", "--units", "scores.txt", "--force")[0] == 2


@pytest.mark.parametrize("command", ["describe", "power", "analyse"])
def test_each_step_draws_its_chart(run, files, command):
    extra = [] if command == "describe" else ["--n-simulations", 20]
    code, _, err = run("scores", command, "scores.txt", "--chart", "chart.svg", *extra)
    assert (code, err) == (0, "")
    assert (files / "chart.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_words_are_explained(run):
    code, out, err = run("scores", "glossary")
    assert (code, err) == (0, "")
    for word in ("p-value", "confidence interval", "effect size", "power"):
        assert word in out


def test_examples_are_written_and_kept(run, tmp_path):
    code, out, _ = run("example", "scores.txt", "--kind", "h1-less-beta")
    assert code == 0
    assert "the first system much lower" in out
    assert json.loads(run("scores", "test", "scores.txt", "--json")[1])["sentence"].startswith(
        "B scores higher than A: "
    )
    assert run("example", "scores.txt", "--kind", "h0-normal")[0] == 2
    assert run("example", "scores.txt", "--kind", "h0-normal", "--force")[0] == 0
    assert "Did you mean 'h0-beta'" in run("example", "more.txt", "--kind", "h0-bet")[2]
    assert "ends in .csv" in run("example", "more.txt")[2]


def test_one_file_of_settings_serves_power_and_scores(run, files):
    (files / "study.toml").write_text('sd = 1.0\neffect = 0.2\ntarget-power = 0.8\nalpha = 0.1\ntest = "wilcoxon"\n')
    typed = json.loads(
        run("power", "--sd", "1", "--effect", "0.2", "--target-power", "0.8", "--alpha", "0.1", "--json")[1]
    )
    assert json.loads(run("power", "--config", "study.toml", "--json")[1]) == typed
    wider = json.loads(run("power", "--config", "study.toml", "--sd", "2", "--json")[1])
    assert wider["sd"] == 2
    assert wider["alpha"] == 0.1
    found = json.loads(run("scores", "test", "scores.txt", "--config", "study.toml", "--json")[1])
    assert json.dumps(found).count('"wilcoxon"')
    code, _, err = run("power", "--config", "absent.toml")
    assert (code, "there is no file absent.toml" in err) == (1, True)
