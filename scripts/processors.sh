#!/bin/sh
# Run the numerical tests as on other processors: without any instruction that NumPy selects at run time, and with
# OpenBLAS's loops for Nehalem (2008, SSE4.2) and Haswell (2013, AVX2). Verdicts and errors must not depend on them.
set -eu
cd "$(dirname "$0")/.."
folders="auditing comparison data describing gating inference intervals judging leaderboards metrics
models nulls paired papers planning raters resampling scoring"
tests=$(for folder in $folders; do echo "tests/$folder"; done)
selected=$(.venv/bin/python -c "from numpy._core._multiarray_umath import __cpu_dispatch__ as names; print(*names)")
OPENBLAS_CORETYPE=Nehalem NPY_DISABLE_CPU_FEATURES="$selected" sh scripts/test.sh $tests "$@"
OPENBLAS_CORETYPE=Haswell sh scripts/test.sh $tests "$@"
