"""Gates for continuous integration: pass, fail or inconclusive, with a planned number of looks or an open end."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
