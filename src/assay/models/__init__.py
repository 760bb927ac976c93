"""Response models: simulate gold, A and B from named, typed-in, fitted or real items.

families (how items differ) · answers (how a source answers them) · perturbation (how B is worse) · normal · likert ·
categorical · empirical · panel · smoothed · deconvolved · presets · files · simulated · simulation · fitting
"""

from assay.models.base import ResponseModel
from assay.models.categorical import CategoricalModel
from assay.models.deconvolved import DeconvolvedModel
from assay.models.empirical import EmpiricalModel
from assay.models.families import FAMILIES, Family, make_family
from assay.models.fitting import Fit, fit
from assay.models.likert import LikertModel
from assay.models.model_files import from_dict, load, resolve, save
from assay.models.normal import NormalModel
from assay.models.panel import PanelModel
from assay.models.perturbation import PERTURBATIONS
from assay.models.presets import PRESETS, preset
from assay.models.simulated import Simulation, simulate
from assay.models.simulation import simulate_contrasts
from assay.models.smoothed import SmoothedModel

__all__ = [
    "FAMILIES",
    "PERTURBATIONS",
    "PRESETS",
    "CategoricalModel",
    "DeconvolvedModel",
    "EmpiricalModel",
    "Family",
    "Fit",
    "LikertModel",
    "NormalModel",
    "PanelModel",
    "ResponseModel",
    "Simulation",
    "SmoothedModel",
    "fit",
    "from_dict",
    "load",
    "make_family",
    "preset",
    "resolve",
    "save",
    "simulate",
    "simulate_contrasts",
]
