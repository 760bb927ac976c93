"""Response models as JSON files, with the version of the format in the first line."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure import _files, _json, _offers
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.models.base import ResponseModel
from howsure.models.presets import PRESETS, preset
from howsure.models.schema import model_from

if TYPE_CHECKING:
    from howsure.models.fitting.fits import Fit

VERSION = 1
MOST_BYTES = 500_000_000


def save(model: ResponseModel, path: str | Path, *, fit: Any = None) -> None:
    """Write a response model, and what is known of its fit, to a JSON file."""
    entry = {"howsure_model": VERSION, "model": model.to_dict(), "fit": fit}
    _files.write_text(path, _json.dumps(entry, indent=1) + "\n")


def load(path: str | Path) -> ResponseModel:
    """Read a response model from a JSON file.

    Examples
    --------
    >>> import tempfile
    >>> from howsure.models import preset, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(preset("normal"), f"{folder}/model.json")
    ...     print(load(f"{folder}/model.json"))
    normal items: means uniform(0, 1), standard deviations uniform(0, 0.3)
    """
    path = Path(path)
    if not path.is_file():
        raise MissingFileError(f"{path}: no such file.")
    if path.stat().st_size > MOST_BYTES:
        raise DataError(f"{path}: larger than any model file ({MOST_BYTES:,} bytes).")
    try:
        entry = _json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{path}: not a JSON file ({error}).") from None
    version = entry.get("howsure_model") if isinstance(entry, dict) else None
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DataError(f'{path}: not a model file; it must have "howsure_model": {VERSION}. `howsure fit` writes one.')
    if version > VERSION:
        raise DataError(
            f"{path}: written by a newer howsure (model format {version}, this one reads up to {VERSION}). "
            f"Upgrade howsure."
        )
    try:
        return model_from(entry.get("model"))
    except (ArgumentError, DataError) as error:
        raise DataError(f"{path}: not a valid model: {error}") from None


def from_dict(entry: dict[str, Any]) -> ResponseModel:
    """Make the response model that `ResponseModel.to_dict` described."""
    return model_from(entry)


def resolve(model: "str | Path | ResponseModel | Fit") -> ResponseModel:
    """Return the model itself or the one that was fitted, the preset of this name, or the model in this file."""
    if isinstance(model, ResponseModel):
        return model
    from howsure.models.fitting.fits import Fit  # which needs `save`

    if isinstance(model, Fit):
        return model.model
    if not isinstance(model, str | Path):
        raise ArgumentError(
            f"a response model is a name, a model file, a ResponseModel or a Fit; got {type(model).__name__}. Fit one "
            "to your data: howsure.fit(data, gold=…)."
        )
    if isinstance(model, Path) or str(model).endswith(".json"):
        return load(model)
    offered = {} if model in PRESETS else _offers.offered(_offers.MODELS)
    return offered[model] if model in offered else preset(model)
