"""Measure the test for random raters where other raters judged A's outputs than B's; write docs/measured/raters_sides.csv.

    python benchmarks/raters_sides.py [--data-sets 2000]
    python benchmarks/raters_sides.py tables        print the tables of docs/evidence/raters.md from the file
    python benchmarks/raters_sides.py few [--data-sets 20000]    the worst setting with 3 to 6 raters, in many data sets

A rating is item (SD 1) + item × model + rater (severity) + rater × model (taste) + noise (SD 0.7). Severity varies less
in some settings and more in others. Both models are equally good. "normal" ratings are left as they are, "ordinal" ones
are cut into five levels, "binary" ones at zero.

Who judges: k raters for each output. "same": those of A's output judge B's. "different": they are drawn anew for B.
"half": the same for every second item. Loads: all raters are drawn with the same chance ("equal"), in proportion to
lognormal(0, 1) ("unequal") or to 1, 1/2, 1/3 … ("zipf").

The test is `howsure.raters.advantage_error.rater_error` with its p-value from Student's t: the test of `compare` for
raters like these, before it is made no surer than the test for these raters. "paired" treats the table as if every
rater had judged both outputs of an item, as version 0.2.0 did. Power is at a true difference of three standard
deviations of the advantage over the data sets.
"""

import argparse

import numpy as np

from howsure import Contest, Responses
from howsure.data.scales import Scale
from howsure.inference import binomial_region, clopper_pearson
from howsure.metrics import resolve
from howsure.raters.advantage_error import rater_error
from howsure.raters.components import two_way
from howsure.resampling import cell_table, summaries_of
from measured import MEASURED, ROOT, markdown, put_between, read_rows, write_rows

OUT, FEW = MEASURED / "raters_sides.csv", MEASURED / "raters_sides_few.csv"
ALPHA = 0.05
SIZES = [(60, 3, 1), (60, 5, 2), (300, 6, 1), (300, 10, 1), (150, 20, 1), (150, 8, 3)]
SHARED = ("same", "half", "different")
LOADS = ("equal", "unequal", "zipf")
SCALES = ("normal", "ordinal", "binary")
SETTINGS = {"plain": (0.5, 0.5, 0.4), "no raters": (0.5, 0.0, 0.0), "strong raters": (0.0, 1.0, 1.0)}
"""Standard deviations of item × model, severity and taste."""


def shares_of_work(rng, loads, n_raters):
    """Return the chance with which each rater is drawn."""
    if loads == "equal":
        weight = np.ones(n_raters)
    elif loads == "unequal":
        weight = rng.lognormal(size=n_raters)
    else:
        weight = 1 / np.arange(1.0, n_raters + 1)
    return weight / weight.sum()


def drawn(rng, n_items, chance, k):
    """Return k different raters for each item (Gumbel's trick: the largest k of log chance + noise)."""
    keys = np.log(chance) + rng.gumbel(size=(n_items, chance.size))
    return np.argsort(-keys, axis=1)[:, :k]


def study(rng, n_items, n_raters, k, *, shared, loads, scale, setting):
    """Return a contest of two equally good models."""
    of_model, severity, taste = SETTINGS[setting]
    chance = shares_of_work(rng, loads, n_raters)
    of_a, of_b = drawn(rng, n_items, chance, k), drawn(rng, n_items, chance, k)
    if shared != "different":
        again = np.arange(n_items) % (1 if shared == "same" else 2) == 0
        of_b[again] = of_a[again]
    item, strictness = rng.normal(size=n_items), severity * rng.normal(size=n_raters)
    sides = []
    for raters in (of_a, of_b):
        output = item + of_model * rng.normal(size=n_items)
        values = output[:, np.newaxis] + (strictness + taste * rng.normal(size=n_raters))[raters]
        values += 0.7 * rng.normal(size=values.shape)
        if scale == "ordinal":
            values = np.clip(np.round(values), -2, 2) + 3
        elif scale == "binary":
            values = (values > 0).astype(float)
        sides.append(Responses.from_grid(values, raters))
    kind = (
        Scale("continuous") if scale == "normal" else Scale.of(sorted(set(np.concatenate([s.values for s in sides]))))
    )
    return Contest(None, *sides, kind, np.arange(n_items).astype(str), ("", "A", "B"))


def measure(size, *, shared, loads, scale, setting, n_data_sets, metric="rating"):
    """Return the levels and the power of one setting."""
    n_items, n_raters, k = size
    places = (SHARED.index(shared), LOADS.index(loads), SCALES.index(scale), list(SETTINGS).index(setting))
    rng = np.random.default_rng([*size, *places])
    chosen, none, rows = resolve(metric), np.zeros(1), []
    for _ in range(n_data_sets):
        contest = study(rng, n_items, n_raters, k, shared=shared, loads=loads, scale=scale, setting=setting)
        result = rater_error(contest, chosen, both=none, raters=none, clusters=None)
        table = cell_table(contest, chosen)
        plain = float(chosen.advantage(*summaries_of(contest, chosen.needs)))
        as_paired = two_way(table.values, items=table.items, raters=table.raters, weights=table.weights)
        advantage = as_paired.mean if result.advantage is None else result.advantage
        rows.append(
            (advantage, result.error.half_width(ALPHA / 2), as_paired.mean, as_paired.error.half_width(ALPHA / 2))
        )
    advantage, reach, plain, paired_reach = np.transpose(rows)
    rejected = np.abs(advantage) > reach
    ends = clopper_pearson(int(rejected.sum()), n_data_sets)
    return {
        "shared": shared, "n_items": n_items, "n_raters": n_raters, "per_output": k,
        "metric": metric, "loads": loads, "scale": scale, "setting": setting, "n_data_sets": n_data_sets,
        "level": rejected.mean(), "low": round(ends.low, 4), "high": round(ends.high, 4),
        "as_paired": (np.abs(plain) > paired_reach).mean(),
        "power": (np.abs(advantage + 3 * advantage.std()) > reach).mean(),
    }  # fmt: skip


def cells():
    """Yield the settings: all sizes, loads and scales as they are, raters alike or very different, a curved metric."""
    for shared in SHARED:
        for size in SIZES:
            for loads in LOADS:
                for scale in SCALES:
                    yield {"size": size, "shared": shared, "loads": loads, "scale": scale, "setting": "plain"}
            for setting in list(SETTINGS)[1:]:
                for scale in ("normal", "binary"):
                    yield {"size": size, "shared": shared, "loads": "equal", "scale": scale, "setting": setting}
            for loads in LOADS:
                plain = {"loads": loads, "scale": "ordinal", "setting": "plain"}
                yield {"size": size, "shared": shared, "metric": "superiority", **plain}


def tables():
    """Print, for each way of sharing and each size, the range of levels, the settings outside the region, the power."""
    rows = read_rows(OUT)
    n = int(rows[0]["n_data_sets"])
    region = binomial_region(n, ALPHA)
    print(f"The region of 5% for {n} data sets: {100 * region.low / n:.2f} to {100 * region.high / n:.2f}%.\n")
    body = []
    for shared in SHARED:
        for n_items, n_raters, k in SIZES:
            here = [
                row for row in rows
                if (row["shared"], row["n_items"], row["n_raters"], row["per_output"])
                == (shared, str(n_items), str(n_raters), str(k))
            ]  # fmt: skip
            levels, old, power = ([100 * float(row[key]) for row in here] for key in ("level", "as_paired", "power"))
            worst = here[int(np.argmax(levels))]
            body.append([
                shared, f"{n_items} × {n_raters}", str(k), str(len(here)), f"{min(levels):.1f} to {max(levels):.1f}",
                ", ".join(worst[name] for name in ("metric", "loads", "scale", "setting")), f"{max(old):.1f}",
                f"{min(power):.0f} to {max(power):.0f}",
            ])  # fmt: skip
    head = ["raters of A and B", "items × raters", "per output", "settings", "level, %", "worst setting",
            "as if paired, at most", "power, %"]  # fmt: skip
    print(markdown(head, body))


def few(n_data_sets):
    """Measure the worst setting with few raters in so many data sets that chance explains little; put it into the page."""
    worst = {"shared": "different", "loads": "equal", "scale": "normal", "setting": "strong raters"}
    rows = [measure((60, n_raters, 1), n_data_sets=n_data_sets, **worst) for n_raters in (3, 4, 5, 6)]
    write_rows(rows, FEW)
    body = [
        [f"{row['n_items']} × {row['n_raters']}", f"{row['n_data_sets']:,}",
         f"{100 * row['level']:.2f} [{100 * row['low']:.2f}, {100 * row['high']:.2f}]"]
        for row in rows
    ]  # fmt: skip
    page = markdown(["items × raters", "data sets", "level, %"], body)
    put_between(ROOT / "docs" / "evidence" / "raters.md", "<!-- few strong raters -->", page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=("levels", "tables", "few"), default="levels")
    parser.add_argument("--data-sets", type=int, default=2000)
    parser.add_argument("--every", type=int, default=1, help="measure only every n-th setting, to try")
    parser.add_argument("--metric", help="measure only this metric, and keep the rows of the other one")
    parser.add_argument("--out", default=OUT)
    options = parser.parse_args()
    if options.study == "tables":
        tables()
        return
    if options.study == "few":
        few(20_000 if options.data_sets == 2000 else options.data_sets)
        return
    chosen = [cell for cell in cells() if options.metric in (None, cell.get("metric", "rating"))]
    rows = [] if options.metric is None else [row for row in read_rows(OUT) if row["metric"] != options.metric]
    for cell in chosen[:: options.every]:
        rows.append(measure(**cell, n_data_sets=options.data_sets))
        print(rows[-1], flush=True)
        write_rows(rows, options.out)


if __name__ == "__main__":
    main()
