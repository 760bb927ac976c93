#!/bin/bash
# fuzz.sh [N] [first seed]: throw N mutated files (10,000 if left out) at each kind of input, logs and exports included.
set -eu
cd "$(dirname "$0")/.."
HOWSURE_FUZZ=${1:-10000} HOWSURE_FUZZ_SEED=${2:-0} python -m pytest tests/fuzz tests/io/readers/test_hostile_logs.py -q -n "${WORKERS:-0}"
