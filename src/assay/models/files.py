"""Response models as JSON files, with the version of the format in the first line."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from assay import _files, _json
from assay.errors import ArgumentError, DataError, MissingFileError
from assay.models.base import ResponseModel
from assay.models.categorical import CategoricalModel
from assay.models.empirical import EmpiricalModel
from assay.models.families import family_from_dict
from assay.models.likert import LikertModel
from assay.models.normal import NormalModel
from assay.models.presets import preset
from assay.models.smoothed import SmoothedModel
from assay.responses import Responses
from assay.scales import Scale

VERSION = 1


def save(model: ResponseModel, path: str | Path, *, fit: Any = None) -> None:
    """Write a response model, and what is known of its fit, to a JSON file."""
    entry = {"assay_model": VERSION, "model": model.to_dict(), "fit": fit}
    _files.write_text(path, _json.dumps(entry, indent=1) + "\n")


def load(path: str | Path) -> ResponseModel:
    """Read a response model from a JSON file.

    Examples
    --------
    >>> import tempfile
    >>> from assay.models import preset, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(preset("normal"), f"{folder}/model.json")
    ...     print(load(f"{folder}/model.json"))
    normal items: means uniform(0, 1), standard deviations uniform(0, 0.3)
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file.")
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path}: not a JSON file ({error}).") from None
    if not isinstance(entry, dict) or not isinstance(entry.get("assay_model"), int):
        raise DataError(f'{path}: not a model file; it must have "assay_model": {VERSION}. `assay fit` writes one.')
    if entry["assay_model"] > VERSION:
        raise DataError(
            f"{path}: written by a newer assay (model format {entry['assay_model']}, this one reads up to {VERSION}). "
            "Upgrade assay."
        )
    try:
        return from_dict(entry["model"])
    except (KeyError, TypeError, AttributeError, ArgumentError) as error:
        raise DataError(f"{path}: not a valid model: {error}") from None


def from_dict(entry: dict[str, Any]) -> ResponseModel:
    """Make the response model that `ResponseModel.to_dict` described."""
    kind = entry.get("kind")
    if kind == "categorical":
        return CategoricalModel(tuple(entry["alpha"]), tuple(entry["labels"]))
    if kind == "empirical":
        return _empirical(entry)
    if kind == "smoothed":
        return SmoothedModel(from_dict(entry["fitted"]), tuple(tuple(row) for row in entry["seen"]), entry["steps"])
    if kind not in ("normal", "likert"):
        raise ArgumentError(f"unknown kind of model {kind!r}; known: normal, likert, categorical, empirical, smoothed.")
    families = {name: family_from_dict(entry[name]) for name in ("mean", "sd")}
    if kind == "likert":
        return LikertModel(**families, levels=tuple(entry["levels"]))
    return NormalModel(**families, low=entry["low"], high=entry["high"], clip=entry["clip"])


def resolve(model: str | Path | ResponseModel) -> ResponseModel:
    """Return the model itself, the preset of this name, or the model in this file."""
    if isinstance(model, ResponseModel):
        return model
    if isinstance(model, Path) or str(model).endswith(".json"):
        return load(model)
    return preset(model)


def _empirical(entry: dict[str, Any]) -> EmpiricalModel:
    sources = {
        name: Responses(np.array(source["values"]), np.concatenate([[0], np.cumsum(source["sizes"])]))
        for name, source in entry["sources"].items()
    }
    scale = entry["scale"]
    return EmpiricalModel(
        sources["gold"], Scale(scale["kind"], tuple(scale["levels"]), tuple(scale["labels"]), "model file"),
        sources.get("a"), sources.get("b"),
    )  # fmt: skip
