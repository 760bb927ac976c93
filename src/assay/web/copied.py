"""Imported once, in the process that workers and aides are copied from.

What starts threads (Polars) is left to the copies: a process with threads cannot be copied safely.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes are the parallelism; before NumPy is imported

from contextlib import suppress

import scipy.special  # noqa: F401

import assay.reports.frame
import assay.reports.pictures
import assay.web.questions
import assay.web.shown
import assay.web.workers  # noqa: F401

with suppress(ImportError):  # charts are an extra
    import altair  # noqa: F401
