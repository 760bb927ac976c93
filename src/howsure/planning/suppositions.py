"""What it takes if the true difference is the pilot's lower limit, its own, or half of that."""

import math
from collections.abc import Callable

from howsure.inference.solving import fewest
from howsure.planning.choices import Limits, Target
from howsure.planning.designs import Design
from howsure.planning.engines.base import Engine, OwnAdvantage
from howsure.planning.engines.decisions import ON_ADVANTAGES, Test
from howsure.planning.result import Supposition


def suppositions(
    with_difference: Callable[[float], Engine], shown: OwnAdvantage, design: Design, limits: Limits, test: Test
) -> tuple[Supposition, ...]:
    """Return the items that each difference needs with the responses of a design, and the design's own power.

    Tests whose power is counted in whole simulated studies have none: a small difference took them 20 minutes.
    """
    own = abs(shown.advantage)
    if not own > 0 or test.name not in ON_ADVANTAGES:
        return ()
    target = limits.target if limits.target is not None and limits.target.kind == "power" else Target("power", 0.8)
    differences = {"the pilot's own": own, "half of it": own / 2}
    if shown.least > 0:
        differences = {"the pilot's lower 80% limit": shown.least, **differences}
    found = []
    for what, difference in differences.items():
        engine = with_difference(difference)

        def power(n: int, engine: Engine = engine) -> float:
            return target.measure(engine, design.with_items(n), test)

        guess = engine.guess(design.with_items(2), test, target.value)
        needed = fewest(
            lambda n, power=power: target.reached(power(n)),  # type: ignore[misc]
            guess=guess,
            most=limits.max_items,
            step=1.15,
            precision=0.01,
        )
        found.append(
            Supposition(
                difference=difference,
                what=what,
                n_items=math.inf if needed is None else needed,
                power=power(design.n_items),
            )
        )
    return tuple(found)
