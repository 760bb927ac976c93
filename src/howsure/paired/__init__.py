"""Two lists of scores: describe, choose a test, test, measure the effect, plan the next study."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
