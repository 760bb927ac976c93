#!/bin/sh
# Set up and run the whole test suite on two processes; arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
# Tests run side by side: one thread each for linear algebra, and byte code kept for the many commands that they start.
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
unset PYTHONDONTWRITEBYTECODE
.venv/bin/python -m pytest -n 2 --dist worksteal "$@"
