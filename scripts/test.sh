#!/bin/sh
# Set up and run the whole test suite on two processes; arguments go to pytest.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
.venv/bin/python -m pytest -n 2 --dist worksteal "$@"
