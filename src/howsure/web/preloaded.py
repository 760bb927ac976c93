"""Imported once, in the process that workers and helper processes are copied from.

What starts threads (Polars) is left to the copies: a process with threads cannot be copied safely.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes are the parallelism; before NumPy is imported

from contextlib import suppress

import scipy.special  # noqa: F401

import howsure.reports.frame
import howsure.reports.pictures
import howsure.web.questions
import howsure.web.shown
import howsure.web.workers  # noqa: F401

with suppress(ImportError):  # charts are an extra
    import altair  # noqa: F401
