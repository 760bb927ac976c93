"""Tasks for the tests, in a module that worker processes can import, and the comparison of their results."""

import math
import os
import struct
import time
from collections.abc import Iterable

from threadpoolctl import ThreadpoolController

from howsure.sweeps import CellRow, Grid, Parts, task


@task(version=1)
def draw(cell, rng):
    """Three numbers that depend on the stream; how long it takes is set from outside, and changes nothing."""
    time.sleep(float(os.environ.get("CELL_SECONDS", "0")) * rng.uniform(0.5, 1.5))
    return {"normal": rng.normal(), "uniform": rng.random(), "count": rng.integers(10**15)}


@task(version=1, threaded=True)
def counted(cell, rng, threads=1):
    """Say on how many threads it was asked to compute."""
    return Parts([lambda: threads], lambda found: {"threads": found[0]})


@task(version=1)
def multiplying(cell, rng):
    """Say on how many threads matrices are multiplied."""
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return {"threads": max(library.get_num_threads() for library in libraries)}


@task(version=1)
def fragile(cell, rng):
    """Do what the cell says."""
    match cell["kind"]:
        case "raise":
            raise ZeroDivisionError("a number was divided by zero")
        case "exit":
            raise SystemExit(4)
        case "text":
            return {"x": "three"}
        case "none":
            return {"x": None}
        case "list":
            return [1, 2]
        case "parameter":
            return {"kind": 1}
        case "column":
            return {"state": 1}
        case "nan":
            return {"x": math.nan, "y": math.inf, "z": -math.inf, "zero": -0.0, "tiny": 5e-324, "third": 1 / 3}
        case "die":
            os._exit(1)
    return {"x": rng.random()}


plain_function = len

GRID = Grid.product({"i": range(600)})


def bits(rows: Iterable[CellRow]) -> list[tuple]:
    """Return all that must not depend on how a study was run, floats as their bytes."""
    return [
        (
            row.identity,
            row.state,
            [(name, type(value), struct.pack("<d", value)) for name, value in row.values.items()],
            row.stage,
            row.error,
        )
        for row in rows
    ]
