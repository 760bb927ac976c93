"""Recompute the published tables at full size and write docs/evidence/replications-PAPER.md.

    python benchmarks/replicate.py [--papers raters leader forest ratings] [--keep folder] [--pages]

Finished cells are kept in the folder, so that a run can be interrupted, and each paper's result as JSON, so that the pages
can be written again without a new run (--papers with no name).
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import kl_width
import searches
from howsure import _json
from howsure.intervals import interval
from howsure.metrics import resolve
from howsure.models import CategoricalModel, preset, simulate_advantages
from howsure.papers import PAPERS, PublishedNumber, replicate
from howsure.papers.published import PUBLISHED_SIMULATIONS, figures
from howsure.papers.raters import MORE
from measured import END, ROOT

FOLDER = ROOT / "docs" / "evidence"
MARK_OF_TABLES = "## Tables\n"
"""What stands above it on a paper's page is written by hand; the tables below it are written by this program."""


def rows_of(result, quantity, **cell):
    return [
        row
        for row in result["rows"]
        if row["quantity"] == quantity
        and None not in (row["published"], row["reproduced"])
        and all(row[key] == value for key, value in cell.items())
    ]


def apart(rows):
    return np.array([row["reproduced"] - row["published"] for row in rows])


def table(head, body):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in body)])


def summary(result):
    """Return one line for each table and quantity: numbers, differences, and the share within two standard errors.

    Where numbers cannot be reproduced from public data, a column counts them: the share is one of the others.
    """
    body = []
    for number in sorted({row["table"] for row in result["rows"]}):
        for quantity in dict.fromkeys(row["quantity"] for row in result["rows"] if row["table"] == number):
            rows = [row for row in result["rows"] if (row["table"], row["quantity"]) == (number, quantity)]
            known = [PublishedNumber.from_dict(row) for row in rows]
            agree = [row.agrees for row in known if row.agrees is not None]
            apart = np.array([row.difference for row in known])
            apart = apart[~np.isnan(apart)]
            body.append([number, quantity.replace("_", " "), len(rows), len(rows) - len(agree),
                         f"{np.sqrt(np.mean(apart**2)):.4f}", f"{apart.mean():+.4f}",
                         f"{100 * np.mean(agree):.0f}%"])  # fmt: skip
    head = ["table", "quantity", "numbers", "missing", "root mean squared difference", "mean difference",
            "within two errors"]  # fmt: skip
    if not any(line[3] for line in body):
        head, *body = ([*line[:3], *line[4:]] for line in (head, *body))
        return table(head, body)
    return f"{table(head, body)}\n\n“Missing” numbers cannot be reproduced from public data; the share is one of the others."


def raters(result):
    body = []
    for number in sorted({row["table"] for row in result["rows"]} - {3}):
        rows = rows_of(result, "p", table=number)
        differences = apart(rows)
        body.append([
            number, rows[0]["metric"], rows[0]["epsilon"] if number > 2 else "all", len(rows), f"{np.sqrt(np.mean(differences**2)):.4f}",
            f"{differences.mean():+.4f}", f"{np.abs(differences).max():.3f}",
        ])  # fmt: skip
    body[2:2] = scores(result)
    rows = rows_of(result, "p", table=4)
    size = MORE * result["n_simulations"]
    own = [row["standard_error"] / np.sqrt(1 + size / PUBLISHED_SIMULATIONS) for row in rows]
    error = np.sqrt(np.sum(np.square(own))) / len(rows)
    same, other = correlations(result)
    text = (
        f"Of the p-values those of table 4 differ most. From {size:,} data sets of each kind per design its mean difference is "
        f"{apart(rows).mean():+.4f} ± {error:.4f} by our own Monte-Carlo error: it is the error of the printed numbers, or a "
        "convention that we do not know. The former is more likely: printed cells were not drawn independently of each "
        f"other. Over the 36 designs the differences of Wins and of MAE at the same ε correlate by {same} (ours share data "
        "sets too, but carry a twentieth of the variance); "
        f"tables of different ε by {other} on average. So the paper's data sets seem to have served several cells each, "
        "and a table has fewer independent errors than cells. Other conventions for p move the tables of Wins by (mean "
        "difference with them; the first is ours):"
    )
    numbers = [4, 5, 6, 7]
    tried = table(
        ["convention", *(f"table {number}" for number in numbers)],
        [
            [name, *(f"{found[str(number)]:+.4f}" for number in numbers)]
            for name, found in result["conventions"].items()
        ],
    )
    head = ["table", "metric", "ε", "cells", "root mean squared difference", "mean difference", "largest"]
    return f"{table(head, body)}\n\n{misses(result)}\n\n{text}\n\n{tried}"


def scores(result):
    """Return the lines of RATERS table 3: for each metric the scores of A and B and their difference."""
    body = []
    for metric in ("Wins", "MAE", "MEMD"):
        rows = [row for row in result["rows"] if row["table"] == 3 and row["metric"] == metric]
        differences = apart(rows)
        body.append([3, f"{metric} (scores)", "all", len(rows), f"{np.sqrt(np.mean(differences**2)):.4f}",
                     f"{differences.mean():+.4f}", f"{np.abs(differences).max():.3f}"])  # fmt: skip
    return body


def misses(result):
    """Return what the lines of RATERS table 3 mean."""
    rows = [row for row in rows_of(result, "score_a", table=3) if row["metric"] == "MEMD"]
    off = [f"{100 * abs(row['reproduced'] / row['published'] - 1):.0f}%" for row in rows]
    agree = [PublishedNumber.from_dict(row).agrees for row in result["rows"] if row["table"] == 3]
    return (
        f"Table 3 is not reproduced: {sum(agree)} of its {len(agree)} numbers are within two standard errors. It does not "
        "say for how many responses its scores are, and no single K fits them. At the nearest K of the grid MEMD of A is "
        f"off by {', '.join(off)} (by ε)."
    )


def conventions(n_simulations=2000):
    """Return the mean difference of the tables of Wins by other readings of p = P(null ≥ alternative)."""
    model, wins = preset("normal"), [resolve("wins").on(preset("normal").scale)]
    rows = [row for row in figures("raters_tables.json") if row["metric"] == "Wins"]
    found = {}
    for row in rows:
        options = {"n_items": row["items"], "n_responses": row["responses"], "epsilon": row["epsilon"]}
        draws, null = (
            simulate_advantages(model, wins, null=kind, n_simulations=n_simulations, rng=2, **options)[0].round(9)
            for kind in (False, True)
        )
        for name, (size, tie, signed) in CONVENTIONS.items():
            batches = zip(draws.reshape(-1, size), null.reshape(-1, size), strict=True)
            p = np.mean([pairs(*batch, tie, signed) for batch in batches])
            found.setdefault(name, {}).setdefault(str(row["table"]), []).append(p - row["p"])
    return {name: {key: float(np.mean(apart)) for key, apart in of.items()} for name, of in found.items()}


CONVENTIONS = {
    "1,000 data sets, ties count, sign changed if the null's median is larger": (1000, 1.0, True),
    "the same, sign never changed": (1000, 1.0, False),
    "the same, ties count half": (1000, 0.5, True),
    "the same, ties do not count": (1000, 0.0, True),
    "the same, 200 data sets": (200, 1.0, True),
}


def pairs(draws, null, tie, signed):
    """Return P(null > alternative) + tie · P(null = alternative) over all pairs."""
    if signed and np.median(null) > np.median(draws):
        draws, null = -draws, -null
    order = np.sort(draws)
    below, to = np.searchsorted(order, null, side="left"), np.searchsorted(order, null, side="right")
    return (below.mean() + tie * (to - below).mean()) / draws.size


def correlations(result):
    """Return the correlations of differences between Wins and MAE at the same ε, and the mean over different ε."""
    tables = {}
    for row in (row for row in result["rows"] if row["table"] >= 4):
        if row["metric"] != "MEMD":
            key = row["metric"], row["epsilon"]
            tables.setdefault(key, {})[row["items"], row["responses"]] = row["reproduced"] - row["published"]
    designs = sorted(next(iter(tables.values())))
    by = {key: [cells[design] for design in designs] for key, cells in tables.items()}
    same = [np.corrcoef(by["Wins", e], by["MAE", e])[0, 1] for e in sorted({epsilon for _, epsilon in by})]
    other = [np.corrcoef(by[a], by[b])[0, 1] for a in by for b in by if a[1] < b[1]]
    return ", ".join(f"{value:.2f}" for value in same), f"{np.mean(other):.2f}"


KL_CONSTANTS = ("1e-12", "1e-13", "1e-14", "1e-15")


def kl(n_simulations=8000):
    """Return reproduced / printed widths of table 3 and effects of table 2 by the constant inside the logarithm of KL."""
    found = {}
    for number, quantity in ((3, "ci_width"), (2, "effect")):
        for row in figures(f"forest_table{number}.json"):
            if row["metric"] != "kl":
                continue
            model = CategoricalModel(tuple(row["alpha"]))
            options = {"n_responses": row["K"], "epsilon": row["epsilon"], "needs": "counts"}
            counts = model.draw(n_simulations, row["NK"] // row["K"], rng=3, **options)
            gold, a, b = (part / row["K"] for part in counts)
            ratios = []
            for constant in map(float, KL_CONSTANTS):
                of_a, of_b = (gold * np.log((gold + constant) / (model + constant)) for model in (a, b))
                draws = (of_b - of_a).sum(axis=-1).mean(axis=-1)
                value = draws.mean() if quantity == "effect" else interval("basic", draws, estimate=draws.mean()).width
                ratios.append(float(value / row[quantity]))
            found.setdefault(quantity, []).append([f"{row['dataset']}, {row['NK']} = N × {row['K']}", ratios])
    return found


def forest(result):
    parts = []
    for quantity, title in (
        ("p", "Table 2: p"),
        ("effect", "Table 2: effect"),
        ("ci_width", "Table 3: width of the interval"),
    ):
        rows = rows_of(result, quantity)
        body = [
            [row["dataset"], row["metric"], row["NK"], row["K"], row["published"], f"{row['reproduced']:.4f}",
             f"{row['reproduced'] - row['published']:+.4f}", f"{row['standard_error']:.4f}",
             f"{100 * (row['reproduced'] / row['published'] - 1):+.0f}%"]
            for row in rows
        ]  # fmt: skip
        head = ["dataset", "metric", "NK", "K", "published", "reproduced", "difference", "±", "relative"]
        parts.append(f"### {title}\n\n{table(head, body)}")
    near = sum(abs(difference) <= 0.02 for difference in apart(rows_of(result, "p")))
    labels = {"JobsQ1": 5, "JobsQ3": 12, "Unbalanced (M=5)": 5, "Unbalanced (M=12)": 12}
    shortfall = {
        row["dataset"]: 100 * (1 - row["reproduced"] / row["published"])
        for row in rows_of(result, "ci_width", metric="kl")
    }
    short = sorted(shortfall[dataset] for dataset in labels)
    three = shortfall["DICES"]
    parts.insert(
        0,
        (
            f"{near} of {len(rows_of(result, 'p'))} p-values of table 2 are within .02. Wins take total variation as their "
            "base error, as the paper says. Our intervals of KL with five and more labels are narrower than the printed ones by "
            f"{short[0]:.0f} to {short[-1]:.0f}%, and that of DICES (three labels) by {three:.0f}%; those with two labels, and the "
            "unbalanced one with three, are not. A label that gold gives and a model never gives costs "
            "its share times ln 10¹² = 27.6, by the constant inside the logarithm, and with many labels the width hangs on such "
            "labels alone. A smaller constant gives the printed widths, and hardly moves the effects of table 2, whose designs have "
            "enough responses for every label (reproduced / printed, by constant):\n\n"
            + table(
                ["table 3, width", *KL_CONSTANTS],
                [[name, *(f"{v:.2f}" for v in row)] for name, row in result["kl"]["ci_width"]],
            )
            + "\n\n"
            + table(
                ["table 2, effect", *KL_CONSTANTS],
                [[name, *(f"{v:.2f}" for v in row)] for name, row in result["kl"]["effect"]],
            )
            + "\n\nSo table 3 was probably made with 10⁻¹⁴ or 10⁻¹⁵. The metric keeps 10⁻¹²: it is within the tolerance, and with such a "
            "constant the value of KL is arbitrary whenever a label is missing."
            + (f"\n\n{kl_width.MARK}\n\n{kl_width.section()}\n\n{END}" if kl_width.CSV.exists() else "")
        ),
    )
    return "\n\n".join(parts)


def ratings(result):
    effects = {tuple(row[key] for key in ("table", "dataset", "metric")): row for row in rows_of(result, "effect")}
    body = []
    for row in rows_of(result, "p"):
        effect = effects[row["table"], row["dataset"], row["metric"]]
        body.append([
            row["table"], row["dataset"], row["metric"], row["epsilon"], row["NK"], row["K"], row["published"],
            f"{row['reproduced']:.4f}", f"**{row['p_without_item_bootstrap']:.4f}**",
            f"{row['p_at_half_the_items']:.4f}", effect["published"],
            f"{effect['reproduced']:.4f}",
        ])  # fmt: skip
    rows = rows_of(result, "p")
    near = sum(abs(difference) <= 0.015 for difference in apart(rows))
    keys = ("published", "p_without_item_bootstrap", "p_at_half_the_items")
    means = [np.mean([row[key] for row in rows]) for key in keys]
    text = (
        f"{near} of {len(rows)} p-values are within .015 once items are bootstrapped inside every simulated data set "
        "(`resample_simulated`). That doubles the variance between items. Without it, at the same designs, p is "
        f"{means[1]:.4f} on average instead of the printed {means[0]:.4f}, and with half the items {means[2]:.4f}: about "
        "half of each published budget is enough for the stated design."
    )
    effect = result["mhs"]
    text += (
        f" The effect of MHS by MAE in table 1, printed .001, is {effect['mean']:.6f} ± {effect['error']:.6f} "
        f"({effect['n_simulations']:,} data sets), at the edge of what rounds to .001; from 1,000 data sets either could be printed."
    )
    head = ["table", "dataset", "metric", "ε", "NK", "K", "p published", "p reproduced", "p without item bootstrap", "at half the items",
            "effect published", "effect reproduced"]  # fmt: skip
    return f"{text}\n\n{table(head, body)}"


def mhs(n_simulations=8000):
    """Return the effect of MHS by MAE in table 1 from more data sets."""
    model = preset("likert-mhs")
    options = {"n_items": 200, "n_responses": 100, "epsilon": 0.05, "n_simulations": n_simulations}
    draws = simulate_advantages(model, [resolve("mae").on(model.scale)], rng=4, **options)[0]
    error = draws.std() / np.sqrt(draws.size)
    return {"n_simulations": n_simulations, "mean": float(draws.mean()), "error": float(error)}


def pvalue(p, is_bound):
    """Return a p-value with four decimals, or two digits where it is smaller; a bound as one."""
    digits = f"{p:.4f}" if p >= 0.001 else f"{p:.2g}"
    return f"< {digits}" if is_bound else digits


def leader(result):
    rows = rows_of(result, "true_p")
    z = np.array(
        [
            difference / row["standard_error"]
            for difference, row in zip(apart(rows), rows, strict=True)
            if row["standard_error"] > 0
        ]
    )
    shown = [row for row in rows if row.get("p_with_correct_emd") and row["sampling"] == "all_items,sample(5)"]
    body = [
        [row["table"], row["data"], row["epsilon"], row["metric"], row["published"], pvalue(row["reproduced"], row["is_bound"]),
         f"**{pvalue(row['p_with_correct_emd'], row['p_with_correct_emd_is_bound'])}**"]
        for row in shown
    ]  # fmt: skip
    far = [
        row
        for row, difference in zip(rows, apart(rows), strict=True)
        if abs(difference) > 4 * row["standard_error"] + 0.002
    ]
    named = "; ".join(
        f"table {row['table']}, {row['metric']}, {row['sampling']}: {row['published']} against {row['reproduced']:.3f}"
        for row in far
    )
    text = (
        f"True p: {len(rows)} cells, root mean squared difference {np.sqrt(np.mean(apart(rows) ** 2)):.4f}, "
        f"{100 * np.mean(np.abs(z) <= 2):.0f}% within two standard errors. Beyond four: {named or 'none'}."
    )
    emd = table(["table", "data", "ε", "metric", "published", "reproduced (legacy)", "p with a correct EMD"], body)
    quantiles = []
    strategies = list(dict.fromkeys(row["sampling"] for row in rows))
    for strategy in strategies:
        cells = [row for row in rows_of(result, "estimated_p", sampling=strategy) if row["epsilon"] < 0.7]
        ranks = np.array([row["quantile_of_published"] for row in cells])
        inside = np.mean([(rank >= 0.05) & (rank <= 0.95) for rank in ranks])
        spread = np.median([row["high"] - row["low"] for row in cells])
        quantiles.append([strategy, len(cells), f"{np.median(ranks):.2f}", f"{100 * inside:.0f}%", f"{spread:.2f}"])
    estimated = table(
        [
            "strategy",
            "cells (ε < .7)",
            "median quantile of the published p",
            "within 5–95% of data sets",
            "median width of 5–95%",
        ],
        quantiles,
    )
    return "\n\n".join([
        text,
        "### The EMD rows\n\nThe published EMD compares sorted histogram counts. With the true distance mean EMD is among "
        "the most sensitive metrics, against the paper's conclusion; the aggregated EMD gains too, the vectorised one, "
        "which forgets items, hardly (strategy all_items, sample(5)):",
        emd,
        "### Estimated p\n\nAn estimated p belongs to one data set. On twenty data sets the published value falls at this "
        "quantile of our estimates (toxicity: gold is simulated too, the paper's sample of real comments is not public "
        "here). The width says how far p moves from one data set to the next:",
        estimated,
    ])  # fmt: skip


PAGES = {"raters": raters, "forest": forest, "ratings": ratings, "leader": leader}


MORE_OF = {"raters": {"conventions": conventions}, "forest": {"kl": kl}, "ratings": {"mhs": mhs}}
"""What is measured besides the tables, for the text around them."""


SIZES = {"leader": 400}
"""Data sets of each kind where the default would take too long on a shared machine."""


def compute(paper, keep):
    """Recompute the tables of a paper, and what the text around them says, and keep it as JSON."""
    found = replicate(paper, n_simulations=SIZES.get(paper), store=keep / f"{paper}.db").to_dict()
    found |= {name: measure() for name, measure in MORE_OF.get(paper, {}).items()}
    (keep / f"{paper}.json").write_text(_json.dumps(found), encoding="utf-8")


def write_pages(keep):
    """Write the tables of every paper below the summary of its page, and the searches on theirs."""
    for paper, write in PAGES.items():
        if not (keep / f"{paper}.json").exists():
            continue  # this paper was not computed: its page stays as it is
        result = json.loads((keep / f"{paper}.json").read_text(encoding="utf-8"))
        parts = [
            f"{result['convention'][0].upper()}{result['convention'][1:]}",
            f"{result['n_simulations']:,} data sets of each kind per design.",
            *([] if paper == "raters" else [summary(result)]),
            write(result),
        ]
        if result["notes"]:
            parts.append(
                "\n".join(["What the command says beside the numbers:\n", *(f"* {note}" for note in result["notes"])])
            )
        path = FOLDER / f"replications-{paper}.md"
        above = path.read_text(encoding="utf-8").split(MARK_OF_TABLES)[0]
        tables = "\n\n".join(part.strip() for part in parts).replace("\n### ", "\n## ")
        path.write_text(f"{above}{MARK_OF_TABLES}\n{tables}\n", encoding="utf-8")
    searches.write_page()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--papers", nargs="*", default=list(PAPERS))
    parser.add_argument("--keep", type=Path, default=Path("/tmp/howsure-replications"))
    parser.add_argument("--pages", action="store_true", help="write the pages from what was kept")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    for paper in options.papers:
        print(f"{paper} …", file=sys.stderr, flush=True)
        compute(paper, options.keep)
    if options.pages:
        write_pages(options.keep)


if __name__ == "__main__":
    main()
