"""Time draws of many ratings; write docs/measured/raters_speed.csv and agreement_speed.csv.

    python benchmarks/raters_speed.py [bootstrap] [agreement] [--workers 2]

The two-way bootstrap on a million ratings of 2,000 raters:

100,000 items, ten ratings each by raters drawn from 2,000; gold-free mean rating of two models (a million ratings of each
model) and mean absolute error against a gold of a million ratings. Two draws before them are not counted. Peak memory is
that of the whole process.

Intervals of agreement: `measure_agreement` from start to end, and the same draws with coefficients that pass over all
responses in each (`agreement_plain.py`), without anything else. The two must give the same intervals.
"""

import argparse
import resource
import time

import numpy as np

import agreement_plain
from howsure import Contest, Responses, ResponseTable
from howsure._random import replayable, seed_of
from howsure.data.scales import Scale
from howsure.metrics import resolve
from howsure.raters import measure_agreement
from howsure.raters.agreement_coefficients import cells_from
from howsure.raters.agreement_intervals import fisher_interval, measure_errors
from howsure.resampling import Scheme, Stack, draw
from measured import MEASURED, write_rows

N_ITEMS, PER_ITEM, N_RATERS, N_DRAWS = 100_000, 10, 2_000, 2_000
N_AGREEMENT = 499
"""The default of `measure_agreement`."""


def contests():
    """Yield (metric, contest): ratings of two models, and two models against the ratings of gold."""
    rng = np.random.default_rng(0)
    offsets = np.arange(N_ITEMS + 1) * PER_ITEM
    raters = rng.integers(N_RATERS, size=N_ITEMS * PER_ITEM)
    severity = rng.normal(size=N_RATERS)[raters]
    rated = [Responses(severity + rng.normal(size=raters.size), offsets, raters) for _ in range(2)]
    names = np.arange(N_ITEMS).astype(str)
    yield "rating", Contest(None, *rated, Scale("continuous"), names, ("", "A", "B"))
    models = [Responses(rng.normal(size=N_ITEMS), np.arange(N_ITEMS + 1)) for _ in range(2)]
    yield "mae", Contest(rated[0], *models, Scale("continuous"), names)


def rated():
    """Yield tables of ratings: many items of four raters each out of many, and few items of 123 raters each."""
    rng = np.random.default_rng(0)
    for kind, n_items, per_item, n_raters in (("ordinal", 50_000, 4, N_RATERS), ("nominal", 350, 123, 123)):
        raters = (rng.integers(n_raters, size=(n_items, 1)) + np.arange(per_item)) % n_raters
        latent = rng.normal(size=(n_items, 1)) + 0.3 * rng.normal(size=n_raters)[raters] + rng.normal(size=raters.shape)
        grid = np.clip(np.round(latent), -2, 2) if kind == "ordinal" else np.clip(np.round(latent), -1, 1)
        scale, names = Scale.of(grid.ravel(), kind=kind), tuple(map(str, range(n_raters)))
        yield ResponseTable(
            np.arange(n_items).astype(str), {"human": Responses.from_grid(grid, raters)}, scale, {}, names
        )


def measure_bootstrap(workers):
    """Yield the seconds and the memory of the two-way bootstrap."""
    for name, contest in contests():
        how = {"scheme": Scheme(raters="random"), "seed": seed_of(0), "workers": workers}
        metric = resolve(name).on(contest.scale)
        draw(Stack(contest), [metric], n_resamples=2, **how)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.perf_counter()
        draw(Stack(contest), [metric], n_resamples=N_DRAWS, **how)
        seconds = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        yield {
            "metric": name,
            "n_items": N_ITEMS,
            "n_ratings": sum(s.values.size for s in contest.sources.values()),
            "n_raters": N_RATERS,
            "n_draws": N_DRAWS,
            "workers": workers,
            "seconds": round(seconds, 1),
            "peak_mb_after_2_draws": before // 1024,
            "peak_mb_after_all_draws": after // 1024,
        }


def measure_intervals(workers):
    """Yield the seconds of intervals of agreement, by sums of items and by passing over all responses in each draw."""
    for table in rated():
        kind, source = table.scale.kind, table.sources["human"]
        measure_agreement(table, n_resamples=1, rng=0)
        started = time.perf_counter()
        found = measure_agreement(table, n_resamples=N_AGREEMENT, rng=0, workers=workers)
        seconds = time.perf_counter() - started
        cells = cells_from(source.values, source.items, source.raters)

        def passing(raters, cells=cells, kind=kind):
            def weighed(items):
                drawn = [agreement_plain.coefficients(cells, one, raters, kind=kind, level=kind) for one in items.T]
                return {name: np.array([entry[name] for entry in drawn]) for name in drawn[0]}

            return weighed

        started = time.perf_counter()
        errors = measure_errors(
            passing, units=np.arange(cells.n_items), n_raters=cells.n_raters, n_resamples=N_AGREEMENT, seed=replayable(0),
            workers=workers,
        )  # fmt: skip
        plain = time.perf_counter() - started
        for entry in found.coefficients:
            given = entry.confidence_interval
            ends = fisher_interval(entry.name, entry.value, errors[entry.name], confidence_level=0.95)
            np.testing.assert_allclose((given.low, given.high), (ends.low, ends.high), rtol=0, atol=1e-9)
        yield {
            "scale": kind,
            "n_items": cells.n_items,
            "n_ratings": cells.values.size,
            "n_raters": cells.n_raters,
            "n_draws": N_AGREEMENT,
            "workers": workers,
            "seconds_passing_over_responses": round(plain, 2),
            "seconds": round(seconds, 2),
            "times_faster": round(plain / seconds, 1),
        }


PARTS = {
    "bootstrap": (measure_bootstrap, MEASURED / "raters_speed.csv"),
    "agreement": (measure_intervals, MEASURED / "agreement_speed.csv"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for part in options.parts:
        measure, path = PARTS[part]
        rows = []
        for row in measure(options.workers):
            print(row, flush=True)
            rows.append(row)
        write_rows(rows, path)


if __name__ == "__main__":
    main()
