"""Repeat the searches behind FOREST 2 and RATINGS 1 to 3; writes docs/measured/searches.csv and a part of docs/evidence/replications-searches.md.

    python benchmarks/searches.py run forest 2 --store forest.db [--n-simulations 1000]
    python benchmarks/searches.py page

A run goes on from its store, so that it can be done in pieces. Each table replaces its own rows of the CSV.
"""

import argparse
import math
from dataclasses import fields

from howsure.papers import replicate
from howsure.papers.published import SIGNIFICANT
from howsure.papers.searches import NOTES, Found, Search
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

CSV = MEASURED / "searches.csv"
MARK = "<!-- benchmarks/searches.py -->"
NAMES = [field.name for field in fields(Found)]
TABLES = (("forest", 2), ("ratings", 1), ("ratings", 2), ("ratings", 3))


def run(paper, table, store, n_simulations):
    found = replicate(paper, table=table, search=True, n_simulations=n_simulations, store=store)
    key = {"paper": paper, "n_simulations": n_simulations}
    fresh = [key | {name: getattr(cell, name) for name in NAMES} for cell in found.cells]
    before = read_rows(CSV) if CSV.exists() else []
    kept = [row for row in before if (row["paper"], int(row["table"])) != (paper, table)]
    order = {key: number for number, key in enumerate(TABLES)}
    write_rows(sorted([*kept, *fresh], key=lambda row: order[row["paper"], int(row["table"])]), CSV)


def found_of(paper, table, rows):
    """Return the search of one table, as the command shows it."""
    types = {field.name: field.type for field in fields(Found)}
    cells = [
        Found(**{name: types[name](row[name]) for name in NAMES})
        for row in rows
        if (row["paper"], int(row["table"])) == (paper, table)
    ]
    return Search(paper, tuple(cells), 0, 0) if cells else None


def number(value):
    return "–" if math.isnan(value) else f"{value:,.0f}"


def cheapest(cell):
    if math.isnan(cell.cheapest_budget):
        return "–"
    return f"{cell.cheapest_items:,.0f} × {cell.cheapest_responses:.0f} = {cell.cheapest_budget:,.0f}"


def line(cell):
    found = number(cell.budget) if cell.same_budget else f"**{number(cell.budget)}**"
    printed_p = "–" if math.isnan(cell.printed_p) else f"{cell.printed_p:.3f}"
    p = "–" if math.isnan(cell.p) else f"{cell.p:.4f} ± {cell.p_error:.4f}"
    return [
        cell.dataset, cell.metric, f"{cell.epsilon:g}", number(cell.printed_budget), found,
        number(cell.printed_responses), number(cell.n_responses), printed_p, p, cheapest(cell),
    ]  # fmt: skip


def elsewhere(cells):
    """Say what p is where the search ends at another budget, and where one of the two finds no design."""
    said = []
    larger = [cell.printed_p for cell in cells if cell.budget > cell.printed_budget]
    if larger:
        said.append(f"It ends at a larger budget in {cells_of(larger)}, whose printed p is {span(larger)}.")
    smaller = [cell for cell in cells if cell.budget < cell.printed_budget]
    if smaller:
        near = sum(cell.p + 2 * cell.p_error >= SIGNIFICANT for cell in smaller)
        said.append(
            f"It ends at a smaller budget in {cells_of(smaller)}, where our p is {span([cell.p for cell in smaller])}; in {near} "
            "of them it may be .05 within two standard errors."
        )
    without = [cell for cell in cells if math.isnan(cell.budget) and not math.isnan(cell.printed_budget)]
    if without:
        said.append(f"It finds none in {cells_of(without)} where the paper prints one.")
    beyond = [cell for cell in cells if math.isnan(cell.printed_budget) and not math.isnan(cell.budget)]
    if beyond:
        said.append(f"It finds a design in {cells_of(beyond)} where the paper has a dash.")
    return said


def cells_of(some):
    return f"{len(some)} cell{'s' * (len(some) > 1)}"


def span(values):
    low, high = min(values), max(values)
    return f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"


def section():
    """Return the part of the page: for each table how often the search ends where the paper does, and every cell."""
    rows = read_rows(CSV)
    parts, missing = [], []
    for paper, table in TABLES:
        search = found_of(paper, table, rows)
        if search is None:
            missing.append(f"{paper.upper()} {table}")
            continue
        size = next(int(row["n_simulations"]) for row in rows if (row["paper"], int(row["table"])) == (paper, table))
        verdict, _, *more = search.document().blocks
        said = " ".join([*(sentence.text for sentence in (verdict, *more)), *elsewhere(search.cells)])
        head = ["dataset", "metric", "ε", "N × K printed", "found", "K printed", "found", "p printed", "found",
                "cheapest design"]  # fmt: skip
        parts += [
            f"### {paper.upper()} table {table}",
            f"{said} {size:,} data sets of each kind.",
            markdown(head, [line(cell) for cell in search.cells]),
        ]
    if missing:
        parts.append(f"Not run to the end yet: {', '.join(missing)}.")
    intro = (
        "`howsure replicate forest --search` looks for the smallest budget N × K at which some K gives p below .05. **Bold**: the "
        "search ends at another budget than the paper. A dash is a cell without any significant design."
    )
    return "\n\n".join(["## Every cell", intro, *NOTES, *parts])


def write_page():
    """Put the part of the page where it belongs."""
    put_between(ROOT / "docs" / "evidence" / "replications-searches.md", MARK, section())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)
    of_run = what.add_parser("run")
    of_run.add_argument("paper", choices=("forest", "ratings"))
    of_run.add_argument("table", type=int)
    of_run.add_argument("--store")
    of_run.add_argument("--n-simulations", type=int, default=1000)
    what.add_parser("page")
    options = parser.parse_args()
    if options.what == "run":
        run(options.paper, options.table, options.store, options.n_simulations)
    else:
        write_page()


if __name__ == "__main__":
    main()
