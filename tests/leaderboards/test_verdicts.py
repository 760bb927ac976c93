"""What a leaderboard says is true word for word, and fits on one screen."""

import re
from dataclasses import replace

import numpy as np
import pytest

from howsure.documents import Table, text
from howsure.documents.text import cell_width
from howsure.leaderboards import compare_all, compare_all_by, plan_leaderboard
from howsure.questions import Leaderboard

from .tables import ratings, table_of


def tied(n=30):
    scores = ratings(n, 3, 1, step=0.0)
    return np.concatenate([scores, scores[:, [2]]], axis=1)


BOARDS = {
    "one is the best": ratings(60, 4, 1, step=3.0),
    "some may be the best": ratings(60, 6, 1, step=0.4),
    "nothing differs": np.random.default_rng(1).normal(size=(20, 6)),
    "ties": tied(),
    "few items": ratings(3, 4, 1, step=5.0),
    "all alike": np.ones((10, 3)),
}


def expected(board):
    """Write the verdict from the pairs alone."""
    m, pairs = len(board.models), board.pairs
    told = [pair for pair in pairs if pair.pvalue_adjusted <= 0.05]
    beaten = {pair.b for pair in told}
    best = [model.name for model in board.models if model.name not in beaten]
    level = "significantly at 5% after correction for multiple comparisons."
    if not told:
        return f"None of the {len(pairs)} pairs differs {level} Any of the {m} models may be the best."
    n = f"{len(told)} of {len(pairs)} pairs differ{'s' if len(told) == 1 else ''} {level}"
    if len(best) > 1:
        names = f"{', '.join(best[:-1])} and {best[-1]}"
        if len(best) > 5:
            names = f"{', '.join(best[:5])} and {len(best) - 5} more"
        return f"{len(best)} of {m} models may be the best (95% confidence set): {names}. {n}"
    assert sum(best[0] in (pair.a, pair.b) for pair in told) == m - 1
    return f"{best[0]} is significantly better than every other model. {n}"


@pytest.mark.parametrize("name", BOARDS)
def test_the_verdict_says_what_the_pairs_say(name):
    board = compare_all(table_of(BOARDS[name]), rng=0, n_resamples=499)
    assert board.verdict == expected(board)


def test_only_one_may_be_the_best_without_beating_every_other():
    """The best beats the second, and the second the third, but the best does not beat the third."""
    board = compare_all(table_of(ratings(60, 3, 1, step=3.0)), rng=0, n_resamples=99)
    pairs = [replace(pair, pvalue_adjusted=1.0) if (pair.a, pair.b) == ("m2", "m0") else pair for pair in board.pairs]
    assert replace(board, pairs=tuple(pairs)).verdict.startswith(
        "Only m2 may be the best: every other model is significantly worse than some model. 2 of 3 pairs differ "
    )


@pytest.mark.parametrize(("step", "n"), [(2.0, 60), (0.0, 12)])
def test_two_models_get_the_sentence_of_compare(step, n):
    board = compare_all(table_of(ratings(n, 2, 1, step=step)), rng=0, n_resamples=499)
    [pair] = board.pairs
    ends = pair.confidence_interval
    wanted = r"m\d is better than m\d: mean rating [\d.]+ vs [\d.−]+, higher by ([\d.]+) "
    if pair.pvalue > 0.05:
        wanted = r"No clear difference between m\d and m\d: mean rating [\d.−]+ vs [\d.−]+ \(difference ([\d.]+), "
    found = re.match(wanted, board.verdict)
    assert found
    assert float(found[1]) == pytest.approx(pair.advantage, abs=(ends.high - ends.low) / 20)
    assert "95% CI" in board.verdict


@pytest.mark.parametrize(
    ("step", "baseline", "said"),
    [
        (3.0, "m3", "m3 is significantly better than every other model at 5% after correction"),
        (3.0, "m0", "3 of 3 models are significantly better than m0: m3, m2 and m1."),
        (
            3.0,
            "m2",
            "1 of 3 models is significantly better than m2: m3. 2 of 3 models are significantly worse than m2: ",
        ),
        (0.0, "m1", "None of the 3 models differs significantly from m1 at 5% after correction"),
    ],
)
def test_a_baseline_wins_loses_or_is_not_separated(step, baseline, said):
    scores = np.random.default_rng(3).normal(size=(40, 4)) + step * np.arange(4)
    board = compare_all(table_of(scores), rng=0, n_resamples=499, baseline=baseline)
    assert board.verdict.startswith(said)
    [table] = [block for block in board.document().blocks if hasattr(block, "rows") and not block.detail]
    for row in table.rows:
        if "baseline" not in row[0]:
            assert row[2].value == pytest.approx(board.model(row[0]).score - board.model(baseline).score)


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        ("none", "at 5% without correction for multiple comparisons."),
        ("benjamini-hochberg", "at a false discovery rate of 5%."),
        ("holm", "at 5% after correction for multiple comparisons."),
    ],
)
def test_the_verdict_names_the_correction(correction, said):
    board = compare_all(table_of(ratings(60, 4, 1, step=0.3)), rng=0, n_resamples=499, correction=correction)
    assert board.verdict.endswith(said)
    assert ("confidence set" in board.verdict) <= (correction == "holm")


def long_names(table):
    sources = {f"organisation__a-very-long-model-name-{name}-instruct": one for name, one in table.sources.items()}
    return replace(table, sources=sources)


@pytest.mark.parametrize("baseline", [False, True])
@pytest.mark.parametrize("names", [lambda table: table, long_names])
def test_the_default_output_fits_one_screen(baseline, names):
    table = names(table_of(ratings(40, 30, 1, step=0.05)))
    first = next(iter(table.sources)) if baseline else None
    document = compare_all(table, rng=0, n_resamples=99, baseline=first).document()
    short, whole = (text.render(document, verbose=verbose).splitlines() for verbose in (False, True))
    tables = [line for line in (*short, *whole) if line[:1] in "┏┃┡│└" and line]
    assert max(map(cell_width, tables)) <= 80
    assert len(short) <= (40 if names is not long_names else 60)
    assert "These are the first 20 of 30 models (`top`)." in short
    assert sum(re.match(r"│ +\d+ │", line) is not None for line in short) == (0 if baseline else 20)


@pytest.mark.parametrize("seed", range(5))
def test_models_share_a_letter_unless_they_differ_significantly(seed):
    board = compare_all(table_of(ratings(60, 7, 1, step=0.5, seed=seed)), rng=0, n_resamples=499)
    [table] = [block for block in board.document().blocks if isinstance(block, Table) and not block.detail]
    assert table.columns[-1].title == "group"
    letters = {row[1]: set(row[-1]) for row in table.rows}
    for pair in board.pairs:
        assert bool(letters[pair.a] & letters[pair.b]) == (pair.pvalue_adjusted > 0.05)


def test_the_first_open_pair_gets_a_number_of_items():
    board = compare_all(table_of(ratings(60, 3, 1, step=0.1)), rng=0, n_resamples=499)
    first, second = board.models[:2]
    [said] = [line for line in str(board).splitlines() if line.startswith("About ")]
    assert re.fullmatch(
        rf"About [\d,]+ items would separate {first.name} and {second.name} \(80% power, if the measured scores are "
        r"the true ones; these data have 60\)\.",
        said,
    )
    clear = compare_all(table_of(ratings(60, 3, 1, step=3.0)), rng=0, n_resamples=499)
    assert "would separate" not in str(clear)


def test_scores_are_called_what_the_column_of_values_says(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [f"t{i},m{j},{(i * (j + 2)) % 7 / 7}" for i in range(12) for j in range(3)]
    path.write_text("\n".join(["task,model,main_score", *rows]))
    how = {"files": (str(path),), "item": "task", "source": "model", "value": "main_score", "n_resamples": 99}
    assert Leaderboard(**how).answer().title == "main score"
    ranks = Leaderboard(**how, by="task", aggregate="mean-rank", task_effect="random").answer()
    assert ranks.title == "mean rank by main score"


def test_slices_and_plans_fit_too():
    table = table_of(ratings(60, 4, 1, step=0.5), groups={"task": np.repeat(["x", "y", "z"], 20)})
    slices = compare_all_by(table, "task", rng=0, n_resamples=99)
    for found in (slices, plan_leaderboard(table, adjacent_ranks=3, rng=0, n_resamples=99)):
        lines = str(found).splitlines()
        assert max(cell_width(line) for line in lines if line[:1] in "┏┃┡│└" and line) <= 80
        assert len(lines) <= 40
    assert slices.document().verdict.startswith("task = x: ")


def test_no_word_of_the_workshop_is_left():
    """Words that only the authors used do not appear in any text of a leaderboard."""
    table = table_of(ratings(40, 6, 1, step=0.3), groups={"task": np.repeat(["x", "y"], 20)})
    found = [
        compare_all(table, rng=0, n_resamples=99),
        compare_all(table, rng=0, n_resamples=99, baseline="m0", correction="benjamini-hochberg"),
        compare_all(table, rng=0, n_resamples=99, by="task"),
        compare_all_by(table, "task", rng=0, n_resamples=99),
        plan_leaderboard(table, rng=0, n_resamples=99),
    ]
    for one in found:
        said = text.render(one.document(), verbose=True)
        assert not re.search(
            r"told apart|neighbour|\bboards?\b|\bleads\b|\bdraws\b|rank_low|may be best\b|% interval", said
        )


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_the_line_under_the_table_and_the_plan_name_about_the_same_number_of_items(seed):
    """One is a formula, the other simulates the stepdown; a reader who sees both must not wonder."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(0, 0.25, (300, 1))
    right = (rng.random((300, 4)) < np.array([0.62, 0.59, 0.52, 0.35]) + easy).astype(float)
    table = table_of(right)
    said = re.search(r"About ([\d,]+) items would separate", str(compare_all(table, rng=0)))
    planned = plan_leaderboard(table, rng=0).n_items
    assert planned / 1.3 < int(said[1].replace(",", "")) < planned * 1.3
