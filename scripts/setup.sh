#!/bin/sh
# Make .venv with the given extras (a comma-separated list) from constraints.txt; do nothing if it is there already.
# Needs Python 3.11 or later and pip, nothing else.
set -eu
cd "$(dirname "$0")/.."
extras=${1:-}
python=${PYTHON:-python3}
stamp=".venv/installed-$extras"
if [ ! -e "$stamp" ] || [ pyproject.toml -nt "$stamp" ] || [ constraints.txt -nt "$stamp" ]; then
    [ -x .venv/bin/python ] || "$python" -m venv --without-pip .venv
    target="."
    [ -z "$extras" ] || target=".[$extras]"
    # The constraints also hold for what builds the package.
    PIP_CONSTRAINT="$PWD/constraints.txt" "$python" -m pip --python .venv/bin/python --disable-pip-version-check \
        install --quiet -e "$target"
    touch "$stamp"
fi
