"""Mutated files of every kind: read, or refused in one line; no foreign exception, no leaked warning, bounded.

`scripts/fuzz.sh 10000` throws as many at each kind, and prints the seed of what breaks.
"""

import os
import time
import warnings

import numpy as np
import pytest

from howsure.errors import HowsureWarning
from tests.fuzz.inputs import KINDS, expected
from tests.fuzz.limits import bounded
from tests.fuzz.mutations import write_over

N = int(os.environ.get("HOWSURE_FUZZ", "100"))
"""Mutations of each kind."""
BUDGET = float(os.environ.get("HOWSURE_FUZZ_SECONDS", "7"))
"""Processor seconds for each kind, so that a slow machine stays within the suite's time; at least 40 are tried."""
FIRST = int(os.environ.get("HOWSURE_FUZZ_SEED", "0"))


@pytest.mark.parametrize("name", KINDS)
def test_mutated_files_are_read_or_refused(name, tmp_path):
    kind, begun = KINDS[name], time.process_time()
    path = tmp_path / f"mutated{kind.ending}"
    path.write_bytes(kind.good(np.random.default_rng(0), tmp_path))
    kind.use(path)  # the good file is read, and everything is imported and compiled
    broken = []
    for seed in range(FIRST, FIRST + N):
        rng = np.random.default_rng([len(name), seed])
        good = kind.good(rng, tmp_path)
        content = kind.changes[int(rng.integers(len(kind.changes)))](good, rng)
        write_over(path, content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", HowsureWarning)
            try:
                with bounded():
                    kind.use(path)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                if not expected(error):
                    broken.append(f"seed {seed}: {type(error).__name__}: {str(error)[:200]!r}")
        if N <= 100 and seed - FIRST >= 40 and time.process_time() - begun > BUDGET:
            break
    assert not broken, "\n".join([f"{len(broken)} of {seed - FIRST + 1} files", *broken[:20]])
