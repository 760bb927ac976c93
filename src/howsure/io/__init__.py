"""Tables of responses in and out: tidy and wide files or dataframes, joined and written back."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
