"""The web page: the same questions as forms and JSON bodies, the same documents as pages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
