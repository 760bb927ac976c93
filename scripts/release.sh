#!/bin/sh
# Build wheel and sdist, install the wheel into a new environment, and run the sdist's tests against it.
# Arguments go to pytest; without any, the quick tests of the public interfaces run.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$python" -m venv "$folder/build"
"$folder/build/bin/pip" install --quiet build
rm -rf dist
"$folder/build/bin/python" -m build --outdir dist . >/dev/null
"$python" -m venv "$folder/env"
PIP_CONSTRAINT="$PWD/constraints.txt" "$folder/env/bin/pip" install --quiet "$(ls "$PWD"/dist/*.whl)[test]"
tar -xzf dist/*.tar.gz -C "$folder"
cd "$folder"/howsure-*
rm -r src  # so that the installed wheel is tested
[ $# -gt 0 ] || set -- tests/test_public.py tests/test_functions.py tests/cli tests/comparison tests/io
"$folder/env/bin/python" -m pytest -q "$@"
ls -l "$OLDPWD/dist"
