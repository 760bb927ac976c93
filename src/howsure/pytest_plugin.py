"""The pytest plug-in: the fixture `howsure_gate` decides in a test whether a candidate may replace a baseline.

It is registered by an entry point, so nothing has to be imported. pytest loads it in every run, so it imports nothing
that takes time.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from howsure.gating import GateResult


@pytest.fixture
def howsure_gate(record_property: Callable[[str, object], None]) -> "Callable[..., GateResult]":
    """Return a function that runs a gate: the test fails, is skipped or goes on, as the verdict says.

    It takes what `howsure.gate` takes. A fail fails the test, with the sentence and the interval. An inconclusive gate
    skips the test, or fails it with ``fail_on_inconclusive=True``. A gate that could not be run is an error.

    Examples
    --------
    ::

        def test_candidate_is_not_worse(howsure_gate):
            howsure_gate("results/main.jsonl", "results/candidate.jsonl", margin=0.02)

        def test_ratings_are_not_worse(howsure_gate):
            howsure_gate("ratings/main.csv", "ratings/candidate.csv", margin=0.1, range=(1, 5))
    """

    def decide(*data: Any, fail_on_inconclusive: bool = False, **options: Any) -> "GateResult":
        __tracebackhide__ = True
        import howsure

        result: GateResult = howsure.gate(*data, **options)
        record_property("howsure_verdict", result.verdict)
        said = "\n".join([result.sentence, result.bar, *result.advice])
        if result.exit_code == 1 or (result.exit_code and fail_on_inconclusive):
            pytest.fail(said, pytrace=False)
        if result.exit_code:
            pytest.skip(said)
        return result

    return decide
