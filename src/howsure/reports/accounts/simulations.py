"""Accounts of results that come from simulation: audits, fitted response models, replications."""

import math
from typing import TYPE_CHECKING, Any

from howsure.documents import Code
from howsure.documents.numbers import about, counted, in_words
from howsure.documents.numbers import pvalue as p_of
from howsure.reports.accounts.base import Account

if TYPE_CHECKING:
    from howsure.questions.base import Question

MISFIT = 0.05


def of_audit(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of an audit."""
    share = 1.96**2 * result.alpha * (1 - result.alpha) / 0.01**2
    return Account(
        done=(
            f"For each design {result.n_simulations:,} data sets were simulated from the model, with and without a "
            f"difference, and every p-value and interval was computed on each, from {result.n_resamples:,} resamples. "
            "Rates are shares of data sets, with exact binomial 95% intervals (Clopper and Pearson 1934).",
        ),
        limits=(
            f"The audit holds for data like these ({result.model}), at the designs shown, not for all data.",
            "A test that is valid here may fail if items, raters or scales differ.",
        ),
        next=(
            "Pass the settings that the verdict names to `compare`, by the same names.",
            f"To know an error rate of {100 * result.alpha:g}% within 1 point either way, simulate about "
            f"{about(share)} data sets; there were {result.n_simulations:,}.",
        ),
    )


def of_audits(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of several audits: that of the first, which the others share."""
    return of_audit(result.audits[0], asked, data)


def of_fit(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a fitted response model."""
    worst = min(result.goodness, key=lambda feature: feature.pvalue, default=None)
    misfits = worst is not None and worst.pvalue < MISFIT
    said = {
        "ml": "Parameters maximise the likelihood of the responses themselves, items integrated out",
        "map": "Parameters maximise the likelihood of the label counts times a weak prior (Dirichlet-multinomial)",
        "resampling": "No parameter is estimated: real items are resampled with replacement",
    }.get(result.method, f"The method is {result.method}")
    done = [f"{said}."]
    if result.candidates:
        criterion = result.provenance.parameters.get("criterion", "bic") if result.provenance else "bic"
        done.append(f"Families are chosen by {criterion.upper()}.")
    limits = []
    if result.goodness:
        done.append(
            "Goodness of fit is the largest distance between the cumulative distributions of real and simulated items "
            "(Kolmogorov–Smirnov). Its p-value is for the model fitted to a random half of the items, because a "
            "model is closer to the data it was fitted to than the truth is (the half-sample method, Stephens 1978)."
        )
        limits.append("A model that reproduces these two features may still miss other features of the data.")
    if misfits and worst is not None:
        limits.append(
            f"The model does not fit {worst.name} (p {in_words(p_of(worst.pvalue))}): plans from it are rough."
        )
    return Account(
        done=(" ".join(done),),
        limits=tuple(limits),
        next=(
            "Resample the real items instead (`response_model='empirical'`), or fit each type of item separately."
            if misfits
            else "Plan with this model: `howsure plan MODEL --epsilon 0.1 --target-power 0.8`.",
        ),
    )


def of_simulation(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a simulated table."""
    return Account(
        done=(
            "For each item its parameters are drawn first, then the responses of gold, A and B given them. A and B "
            f"differ from gold by ε (perturbation: {result.perturbation}).",
        ),
        limits=("Simulated responses are only as realistic as their model.",),
        next=("Compare A and B on the table to see whether the simulated difference is found.",),
    )


def of_sweep(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a parameter sweep."""
    counts = result.counts
    steps = []
    if counts.missing:
        steps.append(
            f"Run the sweep again with the same store to compute the {counted(counts.missing, 'missing grid point')}."
        )
    if counts.failed:
        steps.append(f"Inspect the {counted(counts.failed, 'failed grid point')}, fix the cause, and run with `retry`.")
    return Account(
        done=(
            f"Each grid point was computed by {result.task} (version {result.version}). Its random numbers "
            f"depend only on the sweep's seed ({result.seed}) and the parameters of the grid point, not on the order "
            "or the number of workers.",
        ),
        limits=("Nothing was computed between the grid points.",),
        next=tuple(steps)
        or ("All grid points are done. To extend the sweep, add values to the grid: finished grid points are kept.",),
        again=(
            Code(
                "from howsure.sweeps import Task, run\n\n"
                f"sweep = run(Task.load({result.task!r}), grid, rng={result.seed})",
                "python",
            ),
        ),
    )


def of_replication(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a replication."""
    errors = [row.standard_error for row in result.rows if math.isfinite(row.standard_error)]
    largest = max(errors, default=math.nan)
    return Account(
        done=(
            f"Each published number was recomputed from {result.n_simulations:,} simulations. Two "
            "simulations differ by chance, so a difference within two standard errors counts as agreement.",
        ),
        limits=("A reproduced number does not show that the method behind it is right.",),
        next=(
            f"The largest standard error of a difference is {largest:.2g}. More simulations (`n_simulations`) reduce "
            "only the part of the reproduction.",
        ),
    )


def of_figure(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of a published figure."""
    return Account(
        done=(
            f"Figure {result.figure} of {result.paper.upper()} was recomputed from up to "
            f"{result.n_simulations:,} simulations of each type per point.",
        ),
        limits=("The paper does not print the points as numbers, so they are not compared one by one.",),
        next=("More simulations (`n_simulations`) make the curves smoother.",),
    )


def of_search(result: Any, asked: "Question | None", data: Any) -> Account:
    """Return the account of the search behind published tables."""
    return Account(
        done=(
            "The planner searched for the cheapest design with an expected p of .05. From there all budgets and all K "
            "of the paper were searched.",
        ),
        limits=("Where several K give nearly the same p, chance decides which one is found.",),
        next=("More simulations (`n_simulations`) make the search more reliable.",),
    )
