import numpy as np
import pytest

from tests.cli.test_plan import plan, run

CELL = {
    "n_items", "n_raters", "raters_per_item", "n_responses", "epsilon", "metric", "advantage", "expected_pvalue",
    "expected_pvalue_error", "ci_width", "power", "power_error", "cost", "engine", "standard_error", "shares",
}  # fmt: skip


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(3)
    rows = ["item,source,rater,value"]
    likes = 0.2 * rng.normal(size=(2, 6))
    for item in range(40):
        for model, name in enumerate(["old", "new"]):
            scores = 4 + 0.5 * model + likes[model] + rng.normal(size=6)
            rows += [f"q{item},{name},rater-{rater},{round(score)}" for rater, score in enumerate(scores)]
        rows += [f"q{item},{name},,{round(4 + rng.normal())}" for name in ("model-1", "model-2")]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows))
    return str(path)


def test_raters_items_and_costs_without_gold(table):
    words = ["--a", "new", "--b", "old", "--rater", "rater", "--difference", "0.6", "--n-raters", "5,20"]
    found = plan(
        table, *words, "--n-items", "50,100", "--cost-rater-hour", "30", "--ratings-per-hour", "60", "--cost-item", "2"
    )
    assert len(found["cells"]) == 4
    assert all(set(cell) >= CELL for cell in found["cells"])
    assert found["cells"][0]["cost"] == 50 * 2 + 50 * 5 * 2 * 0.5
    assert found["recommended"] is None
    text = run(table, *words, "--target-power", "0.8")
    assert "human responses; your pilot already has 480)" in text
    assert "The required number of items" in text
    assert "rating" in text
    again = run(table, *words, "--target-power", "0.8", "--workers", "1")
    assert again == text


def test_gold_with_raters(table):
    words = [table, "--gold", "new", "--a", "model-1", "--b", "model-2", "--metric", "mae", "--difference", "0.2"]
    found = plan(*words, "--n-raters", "6,12", "--n-items", "100")
    assert [cell["n_responses"] for cell in found["cells"]] == [{"gold": r, "a": 1, "b": 1} for r in (6, 12)]
    assert found["tests"] == ["random-effects"]
    told = run(*words, "--n-responses", "6", "--n-items", "30")
    assert "Plan for other raters like them with --raters random." in told
    assert plan(*words, "--n-items", "30")["tests"] == ["random-effects"]  # as compare would test these six raters
    assert plan(*words, "--n-items", "30", "--raters", "fixed")["tests"] == ["sign-flip"]
    assert plan(*words, "--n-items", "30", "--test", "wilcoxon")["tests"] == ["wilcoxon"]


def test_preferences_and_a_win_rate(table):
    found = plan(
        table,
        "--a",
        "new",
        "--b",
        "old",
        "--metric",
        "win-rate",
        "--win-rate",
        "0.6",
        "--n-raters",
        "20",
        "--n-items",
        "99",
    )
    assert found["cells"][0]["advantage"] == pytest.approx(0.2)
    assert found["cells"][0]["cost"] == 99 * 20  # one preference for each item and rater


def test_nested_raters_and_a_chart(table, tmp_path):
    pytest.importorskip("altair")
    chart = tmp_path / "plan.json"
    text = run(
        table, "--a", "new", "--b", "old", "--difference", "0.4", "--nested", "--raters-per-item", "1,3", "--n-items",
        "50,100", "--detectable", "--chart", str(chart),
    )  # fmt: skip
    assert "sign-flip" in text
    assert "detects" in text
    assert "raters" in chart.read_text(encoding="utf-8")


def test_too_few_raters_are_told_with_the_table(table):
    text = run(table, "--a", "new", "--b", "old", "--difference", "0.1", "--n-raters", "2")
    missed = "No design with up to 100,000 items reaches 80% power for a difference of 0.1 in rating."
    assert f"{missed} The nearest is 100,000 items with 2 raters" in text
    assert "at least" in text
    assert "misses" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--a", "new"], "--a or --b is missing"),
        (["--a", "new", "--b", "old", "--epsilon", "0.1"], "with raters give --difference"),
        (["--a", "new", "--b", "old", "--cost-rater-hour", "30"], "--ratings-per-hour go together"),
        (["--a", "new", "--b", "old", "--max-cost", "30"], "--max-cost needs to know what things cost"),
        (["--a", "new", "--b", "old", "--test", "wilcoxon"], "random-effects"),
        (["--a", "new", "--b", "old", "--store", "x.db"], "--store and --dask are for plans from a response model"),
        (["--a", "new", "--b", "old", "--metric", "rating", "--metric", "superiority"], "one metric"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(command, table, words, message):
    code, out, err = command("plan", table, "--n-raters", 3, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_documents_are_planned_together_with_raters(command, tmp_path):
    rows = ["item,document,source,rater,value"]
    rows += [
        f"q{i},d{i // 2},{s},r{r},{(i * 3 + r * 5 + (s == 'A')) % 5}" for i in range(24) for s in "AB" for r in range(3)
    ]
    (tmp_path / "rated.csv").write_text("\n".join(rows))
    words = ["--a", "A", "--b", "B", "--cluster", "document", "--difference", "1", "--n-raters", 4, "--n-items", 40]
    code, out, _ = command("plan", tmp_path / "rated.csv", *words, "--verbose")
    assert code == 0
    assert out.startswith("40 items in 20 clusters with 4 raters: expected difference 1 in rating")
    assert "Variance of clusters" in out
