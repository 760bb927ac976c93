"""Make docs/evidence/levels.md of what levels.py and cluster_coverage.py measured: python benchmarks/levels_page.py."""

import numpy as np
from scipy.special import bdtr

from howsure.inference import binomial_region
from howsure.intervals import INTERVALS
from howsure.papers.citations import CITATIONS
from levels import ALPHA, COVERED, FEW_VALUES, LABELS, NULLS, NUMBERS, ROOT, UNEQUAL
from measured import MEASURED, read_rows

PAGE = """# Measured error rates and coverage

Made by `python benchmarks/levels_page.py` from `docs/measured/levels.csv`, `ranks.csv`, `unequal.csv` and `coverage.csv`, which
`python benchmarks/levels.py levels`, `ranks`, `unequal` and `coverage` measure. Item means are U(0, 1), item standard deviations
U(0, 0.3); metrics for labels (tv, accuracy) use the same responses cut into five categories. Accuracy under the nulls that are not the
default was measured with the first of tied labels winning; the metric shares tied labels.
[Hard settings](intervals.md#hard-settings) has skewed and heavy-tailed advantages. The [glossary](../reference/glossary.md) defines the terms.

`pooled-responses` and `permuted-responses` mix both models' responses to an item, as the studies of four papers do:

{papers}

## Type I error at α = 5%

Share of {n_levels:,} data sets with a true null in which p ≤ .05 (50 items, 199 resamples), for K responses of each source. There
are two kinds of true null. *Same*: A and B respond from the same distribution. *Different errors*: they are equally good but
err on different items (each item's means shifted by independent U(−0.3, 0.3)). In {n_levels:,} data sets an error rate of exactly 5%
gives {low:.1f} to {high:.1f}% at 99 of 100 grid points. **Bold** is above that region.

{levels}

* `sign-flip`, the default: grid points above the region: {verdict}
* It is *below* the region for wins, for accuracy, and for tv with few responses. Their item advantages take few values, so the
  p-value takes few values, too. An exact test cannot use the part of the 5% between two of them.
* `pooled-responses` and `permuted-responses` test a narrower hypothesis. They reject for equally good models that err on
  different items, more often the more responses there are. With one response per item, pooling understates the variance by half.
* `shifted-bootstrap` is a little liberal at 50 items, and very conservative for spearman between good models.

## What an exact test can attain

Given the sizes of the item advantages, the distribution of their sum under random signs is known, and so is the rejection rate
of an exact test at 5%. The table shows the measured type I error of `sign-flip` (50 items), in brackets the attainable one,
averaged over the same data sets. Of {n_exact} grid points {n_attained} lie inside the 99% binomial region around the attainable rate.
An example is wins on continuous data, where all 50 items have a winner: a two-sided sign test has a type I error of
{step_below:.1f} or {step_above:.1f}% and nothing in between, unless it decides by a coin.

{attained}

The steps shrink as items are added. With 1,000 items (same data sets otherwise), grid points outside the region around 5%:
{verdict_many}

That region is for one grid point. With an error rate of exactly 5%, all {n_many} together lie in {many_low:.1f} to {many_high:.1f}% in
95 of 100 studies (a simultaneous region, Bonferroni's). Outside the simultaneous region: {verdict_together}

{many}

## Ranks of few items

The same for the sign-flip test of ranks ({n_ranks:,} data sets at each grid point; an error rate of exactly 5% gives {ranks_low:.1f} to
{ranks_high:.1f}% at 99 of 100 grid points, and **bold** is above that). With 20 responses A and B order the items almost as gold does,
and the test is least exact there. {verdict_ranks}

{ranks}

## Unequal numbers of responses

A and B respond from the same distribution as gold (50 items, 5 gold responses), but not equally often. The mean, vote or
distribution of fewer runs is further from gold, so that *with all runs* every such metric calls the model with fewer of them
worse. `compare` therefore scores both models as if they had *equally many*: accuracy by single runs, other metrics with item
scores by the mean over subsets of runs, the others by a random subset. Share of {n_unequal:,} data sets with p ≤ .05, all runs →
equally many; an error rate of exactly 5% gives {unequal_low:.1f} to {unequal_high:.1f}% at 99 of 100 grid points (**bold** is above).

{unequal}

## Coverage of 95% intervals

Share of {n_coverage:,} data sets in which the interval contains the expected advantage of its design (A ideal, B's means shifted by
U(−0.3, 0.3); 999 bootstrap resamples of items, all responses kept). A coverage of exactly 95% gives {cov_low:.1f} to {cov_high:.1f}% at 99
of 100 grid points. **Bold** is below that region; – is an interval that the metric does not have, or not in most data sets.

{coverage}

Mean widths and undefined counts are in `docs/measured/coverage.csv`.

{choice}
"""

CHOICE = """Mean distance from 95% over the designs, in points, and in brackets how many of {n_designs} grid points lie below the region:

{distances}

The defaults follow from this and from [hard settings](intervals.md#hard-settings):
**symmetric** for metrics with item scores; **score** where all item advantages are −c, 0 or c (accuracy without tied labels), but
**bca** for wins where more than half of the items have a winner; **t** with the jackknife's standard error for other metrics
that a single item moves little (spearman, RMSE, cosine), DeLong's for AUC, and **percentile** for the rest.

### Clustered items

Coverage with `cluster="document"` of 180 items in 4 to 30 documents: of equal sizes, of sizes that fall as 1/rank, with one
document that holds half of the items, or of random sizes from 1 to 40 ({n_clustered:,} data sets at each grid point,
`benchmarks/cluster_coverage.py`, which defines the effects). By default the interval inverts the sign-flip test that gives p, and
below six documents it is Student's with the cluster-robust error (CR2) of its p-value. *Default / symmetric bootstrap-t / Student's t.* **Bold** is below {clustered_low:.1f}.
Margins: how often A was said to exceed a margin that it equals (normal effects), which should be 5%. p-value and interval
disagreed about 0 in {disagree:,} of {n_all:,} data sets.

A bootstrap of documents covers least where one document is large: a resample without it says nothing about it. *Growing* effects,
which are larger in larger documents, are covered too seldom by every interval of 12 documents, and least by the default: sizes are
then part of what varies. Look at document means against sizes; an equally weighted mean over documents may be the better question.

{clustered}"""


def table(rows, across):
    """Return a markdown table of (labels, {column: cell}) rows."""
    head = list(rows[0][0]) + across
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join([*labels.values(), *(cells[c] for c in across)]) + " |" for labels, cells in rows]
    return "\n".join(lines)


def level_table(rows, metrics, region, beside=None):
    """Return the table of type-I errors in percent, bold above the region, with another column's beside in brackets."""
    keys = dict.fromkeys((row["null"], row["true_because"], row["n_responses"]) for row in rows)
    found = {(row["null"], row["true_because"], row["n_responses"], row["metric"]): row for row in rows}
    lines = []
    for null, truth, k in sorted(keys, key=lambda key: (list(NULLS).index(key[0]), key[1] != "same", int(key[2]))):
        cells = {}
        for metric in metrics:
            row = found[null, truth, k, metric]
            shown = f"{100 * float(row['level']):.1f}"
            cells[metric] = f"**{shown}**" if int(row["rejected"]) > region.high else shown
            cells[metric] += f" ({100 * float(row[beside]):.1f})" if beside else ""
        lines.append(({"null": null, "true null": truth, "K": k}, cells))
    return table(lines, list(metrics))


def ranks_table(rows, region):
    """Return the table of type-I errors of swapped ranks, bold above the region."""
    lines = {}
    for row in rows:
        shown = f"{100 * int(row['rejected']) / int(row['n_data_sets']):.1f}"
        cells = lines.setdefault((row["true_because"], row["n_items"], row["metric"]), {})
        cells[row["n_responses"]] = f"**{shown}**" if int(row["rejected"]) > region.high else shown
    labelled = [
        ({"true null": truth, "items": n, "metric": metric}, {f"K = {k}": shown for k, shown in cells.items()})
        for (truth, n, metric), cells in lines.items()
    ]
    return table(labelled, list(labelled[0][1]))


def outside(rows, region, where):
    """Say which cells of the default null lie above, or anywhere outside, the region."""
    found = [
        f"{row['metric']}, {row['true_because']}, K = {row['n_responses']} ({100 * float(row['level']):.1f})"
        for row in rows
        if row["null"] == "sign-flip"
        and (int(row["rejected"]) > region.high or (where == "outside" and int(row["rejected"]) < region.low))
    ]
    return "none." if not found else "; ".join(found) + "."


def main():
    """Make docs/evidence/levels.md of what was measured."""
    read = {}
    for study in ("levels", "coverage", "unequal", "ranks"):
        read[study] = read_rows(MEASURED / f"{study}.csv")
    n_levels = int(read["levels"][0]["n_data_sets"])
    region = binomial_region(n_levels, ALPHA, confidence_level=0.99)
    metrics = list(NUMBERS + LABELS)
    few = [row for row in read["levels"] if row["n_items"] == "50"]
    many = [row for row in read["levels"] if row["n_items"] == "1000"]
    together = binomial_region(n_levels, ALPHA, confidence_level=1 - 0.05 / len(many))
    exact = [row for row in few if row["attainable"]]
    steps = 2 * bdtr(np.arange(25), 50, 0.5)
    defined = max(int(row["n_data_sets"]) for row in read["coverage"])
    inside = binomial_region(defined, 0.95, confidence_level=0.99)
    measured_methods = {row["interval"] for row in read["coverage"]}
    methods = [name for name in INTERVALS if name in measured_methods]
    cover = {(row["metric"], row["n_items"], row["n_responses"], row["interval"]): row for row in read["coverage"]}
    cover_rows = []
    distances = {metric: {method: [] for method in methods} for metric in COVERED + LABELS}
    for metric, n, k in dict.fromkeys((row["metric"], row["n_items"], row["n_responses"]) for row in read["coverage"]):
        cells = {}
        for method in methods:
            row = cover.get((metric, n, k, method))
            if row is None or int(row["n_data_sets"]) < int(row["undefined"]):
                cells[method] = "–"
                continue
            shown = f"{100 * float(row['coverage']):.1f}"
            cells[method] = f"**{shown}**" if float(row["coverage"]) < inside.low / defined else shown
            distances[metric][method].append(float(row["coverage"]))
        cover_rows.append(({"metric": metric, "items": n, "K": k}, cells))
    floor = inside.low / defined
    distance_rows = [
        (
            {"metric": metric},
            {
                method: f"{100 * np.mean(np.abs(np.array(seen) - 0.95)):.1f} ({sum(c < floor for c in seen)})"
                if seen
                else "–"
                for method, seen in by_method.items()
            },
        )
        for metric, by_method in distances.items()
    ]
    counts = {(row["k_a"], row["k_b"], row["metric"], row["runs"]): int(row["rejected"]) for row in read["unequal"]}
    n_unequal = int(read["unequal"][0]["n_data_sets"])
    of_unequal = binomial_region(n_unequal, ALPHA, confidence_level=0.99)
    unequal_rows = []
    for k_a, k_b in dict.fromkeys((row["k_a"], row["k_b"]) for row in read["unequal"]):
        shown = {
            metric: " → ".join(
                f"{'**' * (count > of_unequal.high)}{100 * count / n_unequal:.1f}{'**' * (count > of_unequal.high)}"
                for count in (counts[k_a, k_b, metric, runs] for runs in ("all", "equal"))
            )
            for metric in UNEQUAL
        }
        unequal_rows.append(({"runs of A": k_a, "of B": k_b}, shown))
    n_ranks = int(read["ranks"][0]["n_data_sets"])
    of_ranks = binomial_region(n_ranks, ALPHA, confidence_level=0.99)
    above = [row for row in read["ranks"] if int(row["rejected"]) > of_ranks.high]
    text = PAGE.format(
        papers="\n".join(f"* {CITATIONS[name]}" for name in ("raters", "leader", "ratings", "forest")),
        n_ranks=n_ranks,
        ranks_low=100 * of_ranks.low / n_ranks,
        ranks_high=100 * of_ranks.high / n_ranks,
        verdict_ranks=f"Of {len(read['ranks'])} grid points {len(above)} {'is' if len(above) == 1 else 'are'} above.",
        ranks=ranks_table(read["ranks"], of_ranks),
        unequal=table(unequal_rows, list(UNEQUAL)),
        n_unequal=n_unequal,
        unequal_low=100 * of_unequal.low / n_unequal,
        unequal_high=100 * of_unequal.high / n_unequal,
        n_levels=n_levels,
        low=100 * region.low / n_levels,
        high=100 * region.high / n_levels,
        levels=level_table(few, metrics, region),
        verdict=outside(few, region, "above"),
        n_exact=len(exact),
        step_below=100 * max(steps[steps <= ALPHA]),
        step_above=100 * min(steps[steps > ALPHA]),
        attained=level_table(exact, FEW_VALUES, region, beside="attainable"),
        n_attained=sum(
            int(row["rejected"]) in binomial_region(n_levels, float(row["attainable"]), confidence_level=0.99)
            for row in exact
        ),
        many=level_table(many, metrics, region),
        verdict_many=outside(many, region, "outside"),
        n_many=len(many),
        many_low=100 * together.low / n_levels,
        many_high=100 * together.high / n_levels,
        verdict_together=outside(many, together, "outside"),
        n_coverage=defined,
        cov_low=100 * inside.low / defined,
        cov_high=100 * inside.high / defined,
        coverage=table(sorted(cover_rows, key=lambda row: list(distances).index(row[0]["metric"])), methods),
        choice=CHOICE.format(
            distances=table(distance_rows, methods), n_designs=len(distances["mae"]["basic"]), **clustered_words()
        ),
    )
    (ROOT / "docs" / "evidence" / "levels.md").write_text(text)


def clustered_words():
    """Return the table of intervals of clustered items, and what it takes to read it."""
    rows = read_rows(MEASURED / "cluster_coverage.csv")
    n = int(rows[0]["n_data_sets"])
    region = binomial_region(n, 0.95, confidence_level=0.99)
    cells, margins = {}, {}
    for row in rows:
        key = row["n_clusters"], row["shape"]
        shown = f"{100 * int(row['covered']) / n:.1f}"
        shown = f"**{shown}**" if int(row["covered"]) < region.low else shown
        cells.setdefault(key, {}).setdefault(row["effects"], []).append(shown)
        margins.setdefault(key, {})[row["effects"]] = f"{100 * int(row['margin_exceeded']) / n:.1f}"
    effects = list(dict.fromkeys(row["effects"] for row in rows))
    lines = [
        (
            {"documents": key[0], "sizes": key[1]},
            {name: " / ".join(of_key.get(name, ["–"])) for name in effects} | {"margins": margins[key]["normal"]},
        )
        for key, of_key in cells.items()
    ]
    once = [row for row in rows if row["interval"] == "default"]
    return {
        "clustered": table(lines, list(lines[0][1])),
        "n_clustered": n,
        "clustered_low": 100 * region.low / n,
        "disagree": sum(int(row["disagree"]) for row in once),
        "n_all": n * len(once),
    }


if __name__ == "__main__":
    main()
