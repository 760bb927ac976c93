"""Make docs/audit-defaults.md of what audit_defaults.py measured: python benchmarks/audit_defaults_page.py."""

from collections import Counter
from textwrap import fill

from audit_defaults import ALPHA, DATA, EPSILON, LEVEL, N_DRAWS, N_SKEWED, ROOT, SKEWED_REGION
from howsure.comparison.notes import SMALL
from howsure.inference import binomial_region
from howsure.metrics.builtin import BUILTIN
from measured import MEASURED, markdown, read_rows

PAGE = """# The defaults, audited

Made by `python benchmarks/audit_defaults_page.py` from `docs/measured/audit_tests.csv` and
`docs/measured/audit_intervals.csv`, which `python benchmarks/audit_defaults.py run` measures. Data: normal items, Likert
with five categories (LEADER's toxicity model), binary (RATINGS' MultiDomain model), three categories (FOREST's DICES model);
B is degraded by ε = {epsilon}. Metrics of the same data share their data sets. Designs are items × responses. {sizes}
{ran}

## Type I error of `compare` (sign-flip) at α = 5%

In percent, in brackets the paired t test on the same data. *same*: A and B respond from the same distribution;
*different*: they are equally good but err on different items. **Bold** is above what an error rate of exactly 5% gives at 99
of 100 grid points: {regions}.

{levels}

{level_words}

Metrics whose item advantages take few values (wins, accuracy, single labels) are below 5%: their p-value takes few
values, too, and an exact test cannot use the part of α between two of them.

## Power where B is worse (ε = {epsilon}), in percent

{power}

## Coverage of the default 95% interval

In percent: the interval that `compare` chooses for each data set, which is symmetric, but score or bca where all item advantages
are −c, 0 or c, and Student's t with the jackknife's error for spearman. **Bold** is below what a coverage of exactly 95% gives at 99 of 100 grid points: {inside}. u: share of
data sets without an interval (A and B do not differ on any item), where it is above 1%. Intervals from {draws:,} resamples.

{coverage}

{coverage_words}

## Other intervals on the same data

Mean coverage over the designs, the lowest, and mean width, in brackets how many grid points lie below the region. The
symmetric interval reaches the coverage that the studentised one misses by one to two points, at the same width:

{others}

## Few items and skewed advantages

Coverage and, in brackets, mean width where B is worse, 2,000 data sets at each grid point (`docs/measured/audit_skewed.csv`).
**Bold** is below {skewed_low:.1f}, what a coverage of exactly 95% gives at 99 of 100 grid points. The mean of squares or logarithms
depends on a few items; if a sample of 10 or 20 items lacks them, no interval can account for them. `compare` says so with fewer
than {few_items} items for {skewed_metrics}.

{skewed}
"""


def main():
    """Make docs/audit-defaults.md of what was measured."""
    tests, limits = (read(name) for name in ("tests", "intervals"))
    if "default" not in {row["interval"] for row in limits}:
        raise SystemExit("These rows are older than the defaults of today: python benchmarks/audit_defaults.py run")
    designs = sorted({(row["n_items"], row["n_responses"]) for row in tests})
    kinds = list(dict.fromkeys((row["data"], row["metric"]) for row in tests))
    of_test = {
        (row["data"], row["metric"], row["truth"], row["n_items"], row["n_responses"], row["test"]): row
        for row in tests
    }
    of_limits = {
        (row["data"], row["metric"], row["truth"], row["n_items"], row["n_responses"], row["interval"]): row
        for row in limits
    }
    above, below, levels, power, coverage = [], [], [], [], []
    for data, metric in kinds:
        for truth, word in (("same", "same"), ("different errors", "different")):
            cells = []
            for n, k in designs:
                row, other = (of_test.get((data, metric, truth, n, k, test)) for test in ("sign-flip", "paired-t"))
                shown = percent(row["rejected"], row["n_data_sets"])
                if row["rejected"] > binomial_region(row["n_data_sets"], ALPHA, confidence_level=0.99).high:
                    above.append(f"{data}, {metric}, {n}×{k}, {word}: {shown}%")
                    shown = f"**{shown}**"
                cells.append(shown + (f" ({percent(other['rejected'], other['n_data_sets'])})" if other else ""))
            levels.append([data, metric, word, *cells])
        found = [of_test[data, metric, "B worse", n, k, "sign-flip"] for n, k in designs]
        power.append([data, metric, *(f"{100 * row['rejected'] / row['n_data_sets']:.0f}" for row in found)])
        for truth in ("same", "B worse"):
            cells = []
            for n, k in designs:
                row = of_limits[data, metric, truth, n, k, "default"]
                shown = percent(row["covered"], row["n_data_sets"])
                if missed(row):
                    below.append(f"{data}, {metric}, {n}×{k}, {truth}: {shown}%")
                    shown = f"**{shown}**"
                without = row["undefined"] / (row["n_data_sets"] + row["undefined"])
                cells.append(shown + (f" (u {100 * without:.0f})" if without > 0.01 else ""))
            coverage.append([data, metric, truth, *cells])
    names = [f"{n}×{k}" for n, k in designs]
    numbers = {n: {row["n_data_sets"] for row in tests if row["n_items"] == n} for n in sorted({n for n, _ in designs})}
    text = PAGE.format(
        epsilon=EPSILON, ran=ran(designs), draws=N_DRAWS["scores"],
        sizes=" ".join(
            f"{n} items: {' or '.join(f'{each:,}' for each in sorted(counts, reverse=True))} data sets of each kind at each grid point"
            f"{' (fewer for ranks)' if len(counts) > 1 else ''}." for n, counts in numbers.items()
        ),
        regions=regions(numbers, ALPHA), inside=regions(numbers, LEVEL),
        levels=markdown(["data", "metric", "null is true because", *names], levels),
        power=markdown(["data", "metric", *names], power),
        coverage=markdown(["data", "metric", "data are", *names], coverage),
        level_words=verdict(above, len(levels) * len(designs), "above"),
        coverage_words=verdict(below, len(coverage) * len(designs), "below"),
        others=others(limits),
        skewed=shown_skewed(), skewed_low=100 * SKEWED_REGION.low / N_SKEWED,
        few_items=SMALL, skewed_metrics=", ".join(name for name, metric in BUILTIN.items() if metric.uneven and metric.additive),
    )  # fmt: skip
    lines = [line if line.startswith("|") else fill(line, 124) for line in text.splitlines()]
    (ROOT / "docs" / "audit-defaults.md").write_text("\n".join(lines) + "\n")


def read(name):
    """Return the rows of a table, numbers as numbers."""
    rows = read_rows(MEASURED / f"audit_{name}.csv")
    whole = ("n_items", "n_responses", "n_data_sets", "rejected", "undefined", "covered")
    for row in rows:
        row["data"] = row["data"].removesuffix(", ranks")
        row.update({key: int(row[key]) for key in whole if key in row})
    return sorted(rows, key=lambda row: [title.removesuffix(", ranks") for title in DATA].index(row["data"]))


def missed(row):
    return (
        row["covered"] < binomial_region(row["n_data_sets"], LEVEL, confidence_level=0.99).low
        if row["n_data_sets"]
        else False
    )


def others(limits):
    lines = []
    for key in dict.fromkeys((row["data"], row["metric"], row["interval"]) for row in limits):
        rows = [row for row in limits if (row["data"], row["metric"], row["interval"]) == key and row["n_data_sets"]]
        shares = [row["covered"] / row["n_data_sets"] for row in rows]
        low = rows[shares.index(min(shares))]
        lines.append([
            *key, f"{100 * sum(shares) / len(shares):.1f} ({sum(map(missed, rows))} of {len(rows)})",
            f"{100 * min(shares):.1f} ({low['n_items']}×{low['n_responses']}, {low['truth']})",
            f"{sum(float(row['width']) for row in rows) / len(rows):.4f}",
        ])  # fmt: skip
    return markdown(["data", "metric", "interval", "coverage (grid points below)", "lowest", "width"], lines)


def shown_skewed():
    rows = read_rows(MEASURED / "audit_skewed.csv")
    methods = list(dict.fromkeys(row["interval"] for row in rows))
    cells = {}
    for row in rows:
        key = (row["data"], row["metric"], f"{float(row['epsilon']):g}", f"{row['n_items']}×{row['n_responses']}")
        shown = percent(int(row["covered"]), int(row["n_data_sets"]))
        shown = f"**{shown}**" if int(row["covered"]) < SKEWED_REGION.low else shown
        shown += f" ({float(row['width']):.3g})"
        cells.setdefault(key, {})[row["interval"]] = shown
    lines = [[*key, *(of.get(method, "") for method in methods)] for key, of in cells.items()]
    return markdown(["model", "metric", "ε", "design", *methods], lines)


def percent(count, n):
    return f"{100 * count / n:.1f}" if n else "–"


def regions(numbers, share):
    """Say between which percentages 99 of 100 cells lie."""
    said = []
    for n in dict.fromkeys(max(counts) for counts in numbers.values()):
        region = binomial_region(n, share, confidence_level=0.99)
        said.append(f"{100 * region.low / n:.1f} to {100 * region.high / n:.1f} with {n:,} data sets")
    return ", ".join(said)


def ran(designs):
    """Say which designs of the full study are missing."""
    missing = [f"{n}×{k}" for n in (50, 200, 1000) for k in (1, 3, 5, 20) if (n, k) not in designs]
    return f"**Not run yet**: {', '.join(missing)}." if missing else ""


def verdict(cells, total, side):
    """Say how many cells lie outside; one in 200 lies beyond one end by chance alone."""
    if not cells:
        return f"None of {total} grid points is {side} the region ({total / 200:.1f} would be by chance)."
    if len(cells) > 12:
        counts = Counter(", ".join(cell.split(", ")[:-2]) for cell in cells)
        cells = [f"{name} {count}" for name, count in counts.items()]
        return f"{sum(counts.values())} of {total} grid points are {side} the region ({total / 200:.1f} would be by chance): {'; '.join(cells)}."
    return f"{len(cells)} of {total} grid points are {side} the region ({total / 200:.1f} would be by chance): {'; '.join(cells)}."


if __name__ == "__main__":
    main()
