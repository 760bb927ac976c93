#!/bin/sh
# Set up and run every linter.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test,lint
.venv/bin/ruff check .
.venv/bin/ruff format --check .
.venv/bin/mypy
.venv/bin/lint-imports
