#!/bin/sh
# Set up with charts and the web page, write the bundled example and ask which of its two models is better.
# Leaves ratings.csv and report.html in this folder; options of `howsure compare` may follow.
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh all
.venv/bin/howsure example ratings.csv --force
.venv/bin/howsure compare ratings.csv --gold human --a model-2 --b model-1 --metric mae --report report.html --force "$@"
cat <<'NEXT'

Type next:
  .venv/bin/howsure doctor YOUR-FILE.csv     what your file supports, and the commands to run
  .venv/bin/howsure serve                    the web page
  .venv/bin/howsure --help                   all commands
NEXT
