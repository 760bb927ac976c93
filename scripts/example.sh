#!/bin/sh
# Set up, write the bundled example and ask which of its two models is better.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
.venv/bin/howsure example "$folder/ratings.csv"
.venv/bin/howsure compare "$folder/ratings.csv" --gold human --a model-2 --b model-1 --metric mae "$@"
