"""What the programs of this folder share: tables that were measured, as files and in Markdown."""

import argparse
import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURED = ROOT / "docs" / "measured"
END = "<!-- end -->"


def write_rows(rows, path):
    """Write rows (dicts with the same keys) as CSV."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def read_rows(path):
    """Read rows as `write_rows` wrote them; every value is text."""
    with Path(path).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def put_between(page, mark, text):
    """Put a text into a page, in place of what stands between the mark and the next end."""
    before, _, rest = page.read_text(encoding="utf-8").partition(mark)
    _, _, after = rest.partition(END)
    page.write_text(before + mark + "\n\n" + text + "\n\n" + END + after, encoding="utf-8")


def markdown(head, rows):
    """Return a table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def false_differences(file, mark, names):
    """Put how often equal models were called different into the page of leaderboards, after the columns `names`.

    A share above the region of 5% is bold.
    """
    from howsure.inference import binomial_region

    body = []
    for row in read_rows(MEASURED / file):
        n, wrong = int(row["data_sets"]), int(row["wrong"])
        share = f"{100 * wrong / n:.1f}"
        bold = wrong > binomial_region(n, 0.05).high
        body.append([*(row[name] for name in names), str(n), f"**{share}**" if bold else share, row["found"]])
    head = [*names, "data sets", "a false difference", "true differences found"]
    put_between(ROOT / "docs" / "evidence" / "leaderboards.md", mark, markdown(head, body))


def run_cells(about, file, cells, measure, page, *, data_sets):
    """Measure cell by cell, keep the rows after each, and write the page; with --page write the page only.

    `measure(*cell, data_sets, number)` returns the rows of a cell.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-sets", type=int, default=data_sets)
    parser.add_argument("--page", action="store_true")
    given = parser.parse_args()
    rows = []
    for number, cell in enumerate([] if given.page else cells):
        rows += measure(*cell, given.data_sets, number)
        print(rows[-1], flush=True)
        write_rows(rows, MEASURED / file)
    page()
