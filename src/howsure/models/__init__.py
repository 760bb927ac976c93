"""Response models: simulate gold, A and B from named, typed-in, fitted or real items.

families (how items differ) · answers (how a source answers them) · perturbation (how B is worse) · normal · likert ·
categorical · empirical · panel · smoothed · deconvolved · presets · files · simulated · simulation · fitting
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
