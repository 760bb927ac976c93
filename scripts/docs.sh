#!/bin/sh
# Build the docs site into docs/_build/html. A broken link or any other warning is an error.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test,docs
.venv/bin/python -m sphinx -W --keep-going -q -j 2 -b html docs docs/_build/html
echo "Docs: docs/_build/html/index.html"
