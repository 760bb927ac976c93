#!/bin/sh
# Record every answer of this tree in a folder, or compare this tree's answers with those of such a folder.
#   sh scripts/answers.sh record FOLDER
#   sh scripts/answers.sh compare FOLDER [PART OF A NAME]
#   sh scripts/answers.sh show FOLDER NAME
set -eu
cd "$(dirname "$0")/.."
sh scripts/setup.sh test
OPENBLAS_NUM_THREADS=1
HOWSURE_SHARED="${HOWSURE_SHARED:-$(cd .. && pwd)/shared}"
export OPENBLAS_NUM_THREADS HOWSURE_SHARED
.venv/bin/python scripts/answers.py "$@"
