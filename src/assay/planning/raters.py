"""From a pilot with raters to a plan: N items × R raters × K repeats of the models, by its variance components."""

from assay import _check, _random
from assay.comparison import variance_components
from assay.inference import ALTERNATIVES
from assay.metrics import Metric, resolve
from assay.planning.engines.components import Rule
from assay.planning.rater_designs import USUAL_RATERS, RaterCosts
from assay.planning.rater_search import Numbers, designs_of, looks_for_raters, numbers, recommend, shapes_of
from assay.planning.rater_study import DRAWS, Study
from assay.planning.rater_words import sentences_of
from assay.planning.results import Plan
from assay.provenance import Provenance
from assay.responses import Contest

MOST_ITEMS = 100_000


def plan_raters(
    contest: Contest,
    *,
    metric: str | Metric = "rating",
    contrast: float | None = None,
    n_items: Numbers = None,
    n_raters: Numbers = None,
    raters_per_item: Numbers = None,
    nested: bool = False,
    n_repeats: Numbers = None,
    budget: float | None = None,
    costs: RaterCosts | None = None,
    target_power: float | None = None,
    max_items: int = MOST_ITEMS,
    detectable: bool = False,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    n_resamples: int = 1999,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> Plan:
    """Plan a study with raters from a pilot: how many items, raters and repeats of the models.

    The pilot's contrast is taken apart into items, raters, residual and repeats (`variance_components`), and put
    together again for each design. Power is that of the test which `compare` runs: random effects of items and raters,
    or swapped items where every rater judges one item only.

    Parameters
    ----------
    contest : Contest
        The pilot, with gold or without. With gold its raters have ids; without, either raters of A and B have ids, or
        every rating is taken to come from another rater.
    metric : str or Metric
        With item scores.
    contrast : float, optional
        The difference to be found, in units of the metric; that of the pilot if left out.
    n_items, n_raters : int or sequence of int, optional
        What is left out is looked for, given a target power; or as many items are taken as the budget allows.
    raters_per_item : int or sequence of int, optional
        How many of the raters judge each item: as in the pilot, or all of them, if left out.
    nested : bool
        Every rater judges one item only; `raters_per_item` is then the design's number of raters.
    n_repeats : int or sequence of int, optional
        Responses per item of each model (of ratings of each model, where raters are unknown); as in the pilot.
    budget : float, optional
        What a study may cost.
    costs : RaterCosts, optional
        The default counts ratings.
    target_power : float, optional
        0.8 if neither this, nor `n_items`, nor `budget` is given.
    max_items : int
        Where to stop looking for a number of items.
    detectable : bool
        Also say the smallest contrast that each design finds with the target power (0.8 if there is none).
    alpha, alternative, confidence_level
        Of the test and of the interval.
    n_resamples : int
        Draws behind the components of a curved metric.
    rng : int, SeedSequence, Generator or None
    workers : int, optional

    Returns
    -------
    Plan
        Its cells have `n_raters`, `standard_error` and `shares` besides what other plans have; `pilot` holds the
        components, and the interval of the number of items (or raters) that the pilot leaves open.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Contest, Responses, Scale
    >>> rng = np.random.default_rng(0)
    >>> shape, who = (40, 6), np.tile(np.arange(6), (40, 1))
    >>> a, b = (Responses.from_grid(0.3 * rng.normal(size=6) + rng.normal(size=shape), who) for _ in "ab")
    >>> pilot = Contest(None, a, b, Scale("continuous"), np.arange(40).astype(str), ("", "A", "B"))
    >>> costs = RaterCosts.per_hour(30, ratings_per_hour=60, item=1)
    >>> found = plan_raters(pilot, contrast=0.4, n_raters=[10, 20, 40], target_power=0.8, costs=costs, rng=0)
    >>> [(cell.n_items, cell.n_raters, cell.cost) for cell in found.cells]
    [(23, 20, 483.0), (12, 40, 492.0)]
    """
    rule = Rule(_check.fraction("alpha", alpha), _check.one_of("alternative", alternative, ALTERNATIVES))
    level = _check.fraction("confidence_level", confidence_level)
    if target_power is None and n_items is None and budget is None:
        target_power = 0.8
    if target_power is not None:
        _check.fraction("target_power", target_power)
    seed = _random.replayable(rng)
    contest = contest.complete()
    found = variance_components(
        contest, metric=metric, n_resamples=n_resamples, confidence_level=level, rng=seed, workers=workers
    )
    study = Study.of(
        contest, found, metric=resolve(metric).on(contest.scale), contrast=contrast, rule=rule, level=level,
        costs=costs or RaterCosts(),
    )  # fmt: skip
    shapes = list(shapes_of(study, n_raters, raters_per_item, n_repeats, nested=nested))
    searched = "raters" if looks_for_raters(study, n_items, n_raters, target_power, nested=nested) else "items"
    designs, out_of_reach = designs_of(
        study, shapes, numbers("n_items", n_items, at_least=2), budget=budget, target=target_power,
        max_items=max_items, searched=searched,
    )  # fmt: skip
    cells = [study.cell(design, detect=(target_power or 0.8) if detectable else None) for design in designs]
    recommended = recommend(cells, budget=budget, target=target_power)
    chosen = recommended or cells[0]
    stream = _random.generator(seed, "pilot")
    low, high = study.interval(chosen.design, stream, target_power, max_items=max_items, of=searched)
    notes = [*contest.notes, *found.notes, *study.caveats(cells, given=contrast is not None)]
    if n_raters is None and recommended is not None and recommended.n_raters == USUAL_RATERS[-1]:
        notes.append(
            f"{USUAL_RATERS[-1]} raters are the most that were tried; say what finding one costs (--cost-rater), or "
            "which numbers you can have (--raters)."
        )
    facts = study.facts(given=contrast is not None) | {
        f"n_{searched}_low": low, f"n_{searched}_high": high, "n_resamples": DRAWS,
    }  # fmt: skip
    sentences = sentences_of(
        cells, recommended, study.pilot, test=study.test(chosen), budget=budget, target=target_power,
        interval=(low, high), searched=searched, out_of_reach=out_of_reach,
    )  # fmt: skip
    parameters = {
        "metric": found.metric, "contrast": "pilot" if contrast is None else contrast, "test": study.test(chosen),
        "alternative": alternative, "alpha": alpha, "engine": "components",
    }  # fmt: skip
    return Plan(
        cells=tuple(cells),
        recommended=recommended,
        sentences=tuple(sentences),
        model="the pilot's variance components",
        test=study.test(chosen),
        alternative=alternative,
        alpha=rule.alpha,
        confidence_level=level,
        target_power=target_power,
        notes=tuple(dict.fromkeys(notes)),
        seed=_random.entropy_of(seed),
        signature=Provenance("plan", parameters, _random.entropy_of(seed), contest.digest).signature,
        pilot=facts,
    )
