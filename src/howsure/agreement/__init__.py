"""How far raters agree, and what a table of ratings can tell: `measure_agreement` and `describe`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
