"""Make docs/public-leaderboards.md and its pictures from public results: python scripts/public_boards.py FOLDER.

FOLDER holds mteb_english_v2.csv: a row for each of the 41 tasks of MTEB(eng, v2) and a column for each model, from
https://github.com/embeddings-benchmark/results (CC0). The data are not part of the project; the pictures are.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER, PAGE = ROOT / "docs" / "public", ROOT / "docs" / "public-leaderboards.md"
SHOWN = {
    "ranks": ("Rank ranges of the first 40 models", 40),
    "critical-difference": ("The first 12 models on the axis of scores", 12),
    "pairs": ("Pairs of the first 40 models", 40),
}


def board_of(path: Path) -> Any:
    """Rank the models of a wide table by their mean over tasks."""
    import polars as pl

    import howsure

    wide = pl.read_csv(path)
    task = wide.columns[0]
    long = wide.unpivot(index=task, variable_name="model", value_name="main score")
    return howsure.leaderboard(long, item=task, source="model", value="main score", seed=0)


def page(board: Any) -> str:
    """Return the page: what the leaderboard says, and its pictures."""
    notes = [note for note in board.notes if "is first only with" in note or "stays first" in note]
    n_tasks = board.models[0].n_items
    first = board.models[0]
    lines = [
        "# Public leaderboards, redrawn",
        "",
        "Made by `python scripts/public_boards.py FOLDER` from public results. The numbers are those of their authors;",
        "only the uncertainty is ours.",
        "",
        f"## MTEB (English, v2): {len(board.models)} models on {n_tasks} tasks",
        "",
        "Data: [embeddings-benchmark/results](https://github.com/embeddings-benchmark/results) (CC0). Scores are",
        "means of the main score over tasks, and the tasks are taken as a sample of tasks like these.",
        "",
        f"**{board.verdict}**",
        "",
        *(f"{note}\n" for note in notes),
        f"The model in first place, {first.name}, is first in {100 * first.first_place_share:.0f}% of the resamples,",
        f"and its true rank lies between {first.rank_low} and {first.rank_high} (95% confidence, all models together).",
        "",
    ]
    for name, (title, _) in SHOWN.items():
        lines += [f"### {title}", "", f"![{title}](public/mteb-{name}.svg)", ""]
    return "\n".join(lines).rstrip() + "\n"


def main(folder: Path) -> None:
    """Write the page and its pictures."""
    from howsure.reports import write_chart

    FOLDER.mkdir(exist_ok=True)
    board = board_of(folder / "mteb_english_v2.csv")
    for name, (_, top) in SHOWN.items():
        write_chart(replace(board, picture=name, top=top), str(FOLDER / f"mteb-{name}.svg"))
    PAGE.write_text(page(board), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
