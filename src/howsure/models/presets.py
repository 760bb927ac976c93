"""Response models with a name: the datasets of the published papers."""

from howsure import _check
from howsure.errors import ArgumentError, MissingFileError
from howsure.models.base import ResponseModel
from howsure.models.families import FoldedNormal, Triangular, TruncatedMixture, TruncatedNormal, Uniform
from howsure.models.parametric import CategoricalModel, LikertModel, NormalModel

YES_NO = (0.0, 1.0)

PRESETS: dict[str, ResponseModel] = {
    "normal": NormalModel(Uniform(0.0, 1.0), Uniform(0.0, 0.3)),
    "likert-toxicity": LikertModel(FoldedNormal(0.28, 0.8), Triangular(-0.05, 0.21, 0.45)),
    "likert-multidomain": LikertModel(TruncatedNormal(-0.5, 1.0), TruncatedNormal(-0.3923, 0.8502), YES_NO),
    "likert-amazon": LikertModel(TruncatedNormal(0.552121, 0.032093), TruncatedNormal(0.318177, 0.018281)),
    "likert-hs-brexit": LikertModel(TruncatedNormal(-0.278260, 0.181938), TruncatedNormal(-0.340141, 0.408186), YES_NO),
    "likert-convabuse": LikertModel(TruncatedNormal(1.124694, 0.512993), TruncatedNormal(-0.324344, 0.417337), YES_NO),
    "likert-armis": LikertModel(
        TruncatedMixture(0.652561, -0.430701, 0.418148, 1.194010, 0.525248),
        TruncatedMixture(0.76639, -0.264113, 0.530150, 0.362404, 0.632262),
        YES_NO,
    ),
    "likert-mhs": LikertModel(TruncatedNormal(-0.211147, 0.106442), TruncatedNormal(-0.243672, 0.148406)),
    "categorical-toxicity": CategoricalModel((1.37, 1.33)),
    "categorical-dices": CategoricalModel((5.22, 0.86, 2.75)),
    "categorical-d3code": CategoricalModel((6.08, 2.88)),
    "categorical-jobsq1": CategoricalModel((1039.76, 38.24, 35.57, 310.29, 46.02)),
    "categorical-jobsq3": CategoricalModel(
        (133.79, 834.51, 105.27, 3669.04, 206.80, 293.44, 585.58, 1278.56, 1874.82, 1838.49, 1576.10, 989.23)
    ),
}


def preset(name: str) -> ResponseModel:
    """Return the response model of this name; an unknown name is an error that suggests the nearest.

    Examples
    --------
    >>> print(preset("categorical-dices"))
    categorical items, 3 labels: Dirichlet(5.22, 0.86, 2.75)
    """
    if not isinstance(name, str):
        raise ArgumentError(f"`name` must be the name of a response model; got {type(name).__name__}.")
    if name not in PRESETS and ("." in name or "/" in name):  # no preset is called so: it is a path
        raise MissingFileError(f"there is no file {name}.")
    if name not in PRESETS:
        raise ArgumentError(
            f"no response model is called {name!r}.{_check.nearest(name, PRESETS)} "
            f"Known: {', '.join(PRESETS)}; or the path of a model file (.json) that `howsure fit` wrote."
        )
    return PRESETS[name]
