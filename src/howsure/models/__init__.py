"""Response models: simulate gold, A and B from named, typed-in, fitted or real items.

families (how items differ) · answers (how a source answers them) · base (what a model is, and how B is worse) ·
parametric · empirical · deconvolved · presets · model_files · simulation · fitting
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
