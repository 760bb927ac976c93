"""Is A really better than B? Comparisons and study designs that keep every response."""

from howsure import _isolation

if _isolation.is_module_command():  # the current folder comes first on the path until it is taken off
    _isolation.import_installed_code_only()

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
