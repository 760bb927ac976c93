"""Fit numbers and ordered levels: families of item means and of item standard deviations, chosen together."""

import math
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields, replace

import numpy as np

from howsure import _check
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import counts
from howsure.errors import DataError
from howsure.models.families import Uniform
from howsure.models.fitting.fits import Candidate, Fit, Parameter, criteria
from howsure.models.fitting.goodness import checked_items, compare_with_data, moments, of_real, pool
from howsure.models.fitting.likelihood import (
    FLAT,
    LikelihoodGrid,
    Solution,
    kinds_of,
    likert_grid,
    normal_grid,
    solve,
    with_errors,
)
from howsure.models.parametric import LikertModel, NormalModel

MEANS = ("truncated-normal", "normal", "beta", "folded-normal", "triangular", "uniform", "mixture")
SPREADS = ("truncated-normal", "beta", "folded-normal", "triangular", "uniform", "mixture")
CENSORED = 0.01
"""From this share of responses at the ends of a continuous scale on, the ends are taken for censored values."""
MOST_KINDS = 2_000
"""Of more different items than this, so many are drawn and fitted: time and memory grow with the kinds."""
EQUAL = 2 * FLAT
"""Values of BIC or AIC, which are -2 log-likelihoods and a penalty, that differ by less are equal."""
CHECKED = 3
"""How many of the best candidates are also checked on held-out items."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Responses on the unit scale, and a model that still lacks its families."""

    responses: Responses
    template: LikertModel | NormalModel
    known: LikelihoodGrid | None = None

    def grid(self) -> LikelihoodGrid:
        """Return the likelihood of the items over a grid of their parameters."""
        if self.known is not None:
            return self.known
        if isinstance(self.template, LikertModel):
            return likert_grid(counts(self.responses, self._unit()))
        return normal_grid(self.responses.values, self.responses.sizes, censored=self.template.clip)

    def n_kinds(self) -> int:
        """Return how many different items the likelihood sees: numbers all differ, counts of levels often agree."""
        if isinstance(self.template, NormalModel):
            return self.responses.n_items
        return len(kinds_of(counts(self.responses, self._unit()))[0])

    def rough(self) -> tuple[FloatArray, FloatArray]:
        """Return the items' sample means and standard deviations, from where the search starts.

        A part of the items may have one response each: the spread of all of them then takes the place of deviations.
        """
        means, sds = of_real(self.responses, moments)
        known = sds[~np.isnan(sds)]
        return means, known if known.size else means.std(keepdims=True)

    def _unit(self) -> Scale:
        assert isinstance(self.template, LikertModel)
        n_levels = len(self.template.levels)
        return Scale("ordinal", tuple(((np.arange(n_levels) + 0.5) / n_levels).tolist()))

    def take(self, items: IntArray) -> "Problem":
        """Return the problem with these items only; numbers take their part of a grid that is known."""
        items = np.sort(items)
        responses = self.responses.take(items)
        # How finely a grid averages depends on the most responses of an item.
        alike = isinstance(self.template, NormalModel) and responses.sizes.max() == self.responses.sizes.max()
        return Problem(responses, self.template, self.known.take(items) if self.known and alike else None)


def ordered_levels(responses: Responses, scale: Scale) -> Problem:
    """Return the problem of ratings on levels: each level is one of equal bins."""
    anything = Uniform(0.0, 1.0)
    middle = (scale.codes(responses.values) + 0.5) / len(scale.levels)
    return Problem(Responses(middle, responses.offsets), LikertModel(anything, anything, scale.levels))


def continuous(responses: Responses, low: float | None, high: float | None) -> Problem:
    """Return the problem of continuous responses between two ends."""
    values = responses.values
    bottom = float(values.min()) if low is None else _check.real("low", low)
    top = float(values.max()) if high is None else _check.real("high", high)
    if not bottom < top or values.min() < bottom or values.max() > top:
        raise DataError(f"responses must vary and lie between low and high; got {bottom:g} and {top:g}.")
    at_ends = float(np.mean((values == bottom) | (values == top)))
    anything = Uniform(0.0, 1.0)
    template = NormalModel(anything, anything, bottom, top, clip=at_ends >= CENSORED)
    return Problem(Responses((values - bottom) / (top - bottom), responses.offsets), template)


def fit_numbers(
    name: str,
    responses: Responses,
    problem: Problem,
    *,
    mean: str | None,
    sd: str | None,
    criterion: str,
    generator: np.random.Generator,
) -> Fit:
    """Return the best pair of families; `mean` and `sd` fix one or both."""
    n_items, mean_size = responses.n_items, float(responses.sizes.mean())
    notes: tuple[str, ...] = ()
    if problem.n_kinds() > MOST_KINDS:
        drawn = np.sort(generator.choice(n_items, MOST_KINDS, replace=False))
        problem, responses = problem.take(drawn), responses.take(drawn)
        notes = (
            f"The model is fitted to {MOST_KINDS:,} items drawn at random from {n_items:,}; standard errors and "
            f"criteria are those of {MOST_KINDS:,} items.",
        )
    problem = replace(problem, known=problem.grid())
    best, tried = select(problem, mean, sd, criterion)
    candidates = held_out(problem, tried, generator)
    model = replace(problem.template, mean=best.mean, sd=best.sd)
    parameters = tuple(
        Parameter(f"{part} {field.name}", float(getattr(family, field.name)), error)
        for part, family, errors in zip(("mean", "sd"), (best.mean, best.sd), best.standard_errors, strict=True)
        for field, error in zip(fields(family), errors, strict=True)
        if field.default is MISSING  # what has a default is not searched
    )
    names = ("item means", "item standard deviations")
    checked = checked_items(responses.n_items, generator)
    half = problem.take(generator.permutation(checked)[: max(2, checked.size // 2)])
    grid_of_half = half.grid()
    again = with_errors(grid_of_half, solve(grid_of_half, (best.mean.kind, best.sd.kind), half.rough(), best))
    of_half = replace(problem.template, mean=again.mean, sd=again.sd)
    goodness = compare_with_data(model, responses.take(checked), moments, names, generator, of_half=of_half)
    value = best.log_likelihood
    aic, bic = criteria(value, best.n_parameters, responses.n_items)
    return Fit(
        model=model,
        source=name,
        n_items=n_items,
        n_responses=mean_size,
        method="ml",
        parameters=parameters,
        log_likelihood=value,
        aic=aic,
        bic=bic,
        candidates=candidates,
        goodness=goodness,
        responses=pool(model, responses.take(checked), generator),
        notes=(*notes, *_undetermined(model, parameters)),
    )


def select(
    problem: Problem, mean: str | None, sd: str | None, criterion: str
) -> tuple[Solution, tuple[tuple[Candidate, Solution], ...]]:
    """Try every family of means beside one of spreads, then every family of spreads beside the best of means."""
    grid, rough = problem.grid(), problem.rough()
    tried: dict[tuple[str, str], tuple[Candidate, Solution]] = {}

    def attempt(kinds: tuple[str, str]) -> None:
        if kinds not in tried:
            found = solve(grid, kinds, rough)
            value, p = found.log_likelihood, found.n_parameters
            candidate = Candidate(*kinds, value, p, *criteria(value, p, problem.responses.n_items))
            tried[kinds] = candidate, found

    for kind in (mean,) if mean else MEANS:
        attempt((kind, sd or SPREADS[0]))
    best = _best_first(tried.values(), criterion)[0][0]
    for kind in (sd,) if sd else SPREADS:
        attempt((best.mean, kind))
    ordered = _best_first(tried.values(), criterion)
    return with_errors(grid, ordered[0][1]), ordered


def _best_first(tried: Iterable[tuple[Candidate, Solution]], criterion: str) -> tuple[tuple[Candidate, Solution], ...]:
    """Return what was tried, best first.

    Of equally good families the one with fewer parameters comes first, then the one that `MEANS` and `SPREADS` name
    first: which of them is better by its last digits depends on the processor.
    """
    left = sorted(
        tried,
        key=lambda pair: (pair[0].n_parameters, MEANS.index(pair[0].mean), SPREADS.index(pair[0].sd)),
    )
    ordered: list[tuple[Candidate, Solution]] = []
    while left:
        least = min(getattr(candidate, criterion) for candidate, _ in left)
        equal = [pair for pair in left if getattr(pair[0], criterion) <= least + EQUAL]
        ordered += equal
        left = [pair for pair in left if getattr(pair[0], criterion) > least + EQUAL]
    return tuple(ordered)


def held_out(
    problem: Problem, tried: tuple[tuple[Candidate, Solution], ...], generator: np.random.Generator
) -> tuple[Candidate, ...]:
    """Fit the best candidates to four fifths of the items and score them on the rest."""
    candidates = tuple(candidate for candidate, _ in tried)
    n_items = problem.responses.n_items
    cut = n_items // 5
    if cut < 5:
        return candidates
    order = generator.permutation(n_items)
    test, train = problem.take(order[:cut]), problem.take(order[cut:])
    grids, rough = (train.grid(), test.grid()), train.rough()
    checked = []
    for candidate, of_all in tried[:CHECKED]:
        found = solve(grids[0], (candidate.mean, candidate.sd), rough, of_all)
        score = grids[1].log_likelihood(found.mean, found.sd) / test.responses.values.size
        checked.append(replace(candidate, held_out=score))
    return (*checked, *candidates[CHECKED:])


def _undetermined(model: LikertModel | NormalModel, parameters: tuple[Parameter, ...]) -> tuple[str, ...]:
    if isinstance(model, LikertModel) and len(model.levels) == 2:
        return (
            "With two levels only each item's share is seen, so many pairs of mean and standard deviation fit equally "
            "well: trust what the model simulates, not its single parameters.",
        )
    unknown = [parameter.name for parameter in parameters if math.isnan(parameter.standard_error)]
    if not unknown:
        return ()
    why = "not determined by the responses, or the likelihood is not smooth there"
    return (f"No standard error for {', '.join(unknown)}: {why}.",)
