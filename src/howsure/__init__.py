"""Is A really better than B? Comparisons and study designs that keep every response."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
