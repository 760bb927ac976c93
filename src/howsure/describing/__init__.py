"""What is in a table of ratings, and what can and cannot be concluded from it: `describe`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
