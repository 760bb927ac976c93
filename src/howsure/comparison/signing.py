"""What the signature of a comparison covers: every setting as it was resolved, every parameter of its metrics."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from howsure import _json, _random
from howsure.comparison.procedure_run import ProcedureRun
from howsure.contests import Contest
from howsure.metrics import Metric
from howsure.provenance import Provenance

NAMING = ("name", "title", "better")
"""Fields that name a function of the user, and are not parameters of it."""


def parameters_of(metric: Metric) -> dict[str, Any]:
    """Return the parameters of a metric that are not at their default, such as the threshold that a scale gave it."""
    found = {}
    for field in fields(metric):
        value = getattr(metric, field.name)
        if field.repr and field.name not in NAMING and isinstance(value, str | int | float) and value != field.default:
            found[field.name] = value
    return found


def shared_fields(metric: Metric, contest: Contest, run: ProcedureRun) -> dict[str, Any]:
    """Return the fields that all comparisons by a metric share, whatever their items."""
    return {
        "metric": metric.name,
        "parameters": parameters_of(metric),
        "title": metric.titled(_runs(contest, run)),
        "better": metric.better,
        "span": metric.span,
        "names": contest.names,
        "scale": str(contest.scale),
        "null": run.null,
        "scheme": str(run.scheme),
        "alternative": run.procedure.alternative,
        "n_resamples": run.procedure.n_draws,
    }


def _runs(contest: Contest, run: ProcedureRun) -> set[int]:
    """Return with how many responses A and B are scored on an item."""
    if run.scheme.responses in ("first", "one"):
        return {1}
    return {int(size) for side in (contest.a, contest.b) for size in (side.sizes.min(), side.sizes.max())}


def spelled(metric: Metric) -> str:
    """Return a metric's name with its parameters, for a signature: f1(threshold=2.0)."""
    parameters = parameters_of(metric)
    inside = ",".join(f"{name}={_json.dumps(value)}" for name, value in parameters.items())
    return f"{metric.name}({inside})" if inside else metric.name


def provenance_of(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, methods: Sequence[str]) -> Provenance:
    """Return what decides the answer: every parameter of the metrics and every setting, as they were resolved."""
    how = run.procedure
    parameters: dict[str, Any] = {
        "metric": ",".join(map(spelled, metrics)),
        "null": run.null,
        "items": run.scheme.items,
        "responses": run.scheme.responses,
        "n_responses": run.scheme.n_responses,
        "raters": run.scheme.raters,
        "cluster": how.cluster,
        "interval": ",".join(dict.fromkeys(methods)),
        "confidence_level": how.confidence_level,
        "alternative": how.alternative,
        "n_resamples": how.n_draws,
        "margin": how.margin,
    }
    return Provenance("compare", parameters, _random.entropy_of(run.seed), run.once("digest", lambda: contest.digest))
