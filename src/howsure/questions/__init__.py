"""Analyses: one frozen record for each, whose fields are the options of every interface.

A question says everything that decides its answer: data, metric, procedure, level, seed. `answer` computes the result,
and the result is a document. Command-line options, sweep tasks, JSON bodies and web forms are made from the fields; how
to compute (threads, a store, a cluster) is no part of a question (`howsure.questions.base.Run`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
