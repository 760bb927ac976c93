"""Response models as JSON files, with the version of the format in the first line.

Each kind of model is read field by field, and what does not belong to its kind is refused.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import _check, _files, _json, _offers
from howsure.data.responses import Responses
from howsure.data.scales import KINDS, Scale
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.models.base import ResponseModel
from howsure.models.deconvolved import SmoothedModel
from howsure.models.empirical import EmpiricalModel, PanelModel
from howsure.models.families import FAMILIES, Family
from howsure.models.parametric import CategoricalModel, LikertModel, NormalModel
from howsure.models.presets import PRESETS, preset

if TYPE_CHECKING:
    from howsure.models.fitting.fits import Fit

LARGEST = 1e100
"""No number of a model may be larger: its square must still be a number."""
MOST_LEVELS = 10_000


@dataclass(frozen=True)
class Entry:
    """One object of a model file; `place` says where it stands."""

    content: Mapping[str, Any]
    place: str

    @classmethod
    def of(cls, content: Any, place: str, *names: str) -> "Entry":
        """Check that there is an object, with these fields and no others."""
        if not isinstance(content, Mapping):
            raise ArgumentError(f"`{place}` must be an object; got {_short(content)}.")
        for name in names:
            if name not in content and not name.endswith("?"):
                raise ArgumentError(f"`{place}` must have {name!r}.")
        for name in content:
            if f"{name}?" not in names:
                _check.one_of(f"field of {place}", name, [known.rstrip("?") for known in names])
        return cls(content, place)

    def number(self, name: str, *, at_least: float = -LARGEST, at_most: float = LARGEST) -> float:
        """Return a finite number between two bounds."""
        return _number(self.content[name], f"{self.place}.{name}", at_least, at_most)

    def numbers(
        self, name: str, *, at_least: float = -LARGEST, at_most: float = LARGEST, whole: bool = False
    ) -> tuple[float, ...]:
        """Return a list of finite numbers."""
        place = f"{self.place}.{name}"
        found = tuple(_number(value, place, at_least, at_most) for value in self.list(name))
        if whole and any(value != math.floor(value) for value in found):
            raise ArgumentError(f"`{place}` must be whole numbers; got {_short(self.content[name])}.")
        return found

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts."""
        found = self.list(name)
        if not all(isinstance(word, str) for word in found):
            raise ArgumentError(f"`{self.place}.{name}` must be a list of texts; got {_short(found)}.")
        return tuple(found)

    def list(self, name: str) -> list[Any]:
        """Return a list."""
        found = self.content[name]
        if not isinstance(found, list | tuple | np.ndarray):
            raise ArgumentError(f"`{self.place}.{name}` must be a list; got {_short(found)}.")
        return list(found)


def model_from(content: Any, place: str = "model") -> ResponseModel:
    """Make the response model that `ResponseModel.to_dict` described, or say which field is wrong."""
    if not isinstance(content, Mapping):
        raise ArgumentError(f"`{place}` must be an object; got {_short(content)}.")
    kind = _check.one_of(f"{place}.kind", content.get("kind"), MODELS)
    return MODELS[kind](content, place)


def family_from(content: Any, place: str = "family") -> Family:
    """Make the family that `Family.to_dict` described."""
    if not isinstance(content, Mapping):
        raise ArgumentError(f"`{place}` must be an object; got {_short(content)}.")
    family = FAMILIES[_check.one_of(f"{place}.kind", content.get("kind"), FAMILIES)]
    names = [field.name + ("" if field.default is MISSING else "?") for field in fields(family)]
    entry = Entry.of(content, place, "kind", *names)
    given = [field.name for field in fields(family) if field.name in content]
    return family(**{name: entry.number(name, at_least=-1e9, at_most=1e9) for name in given})


def _categorical(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "alpha", "labels", "rho?")
    alpha = _few(entry, entry.numbers("alpha", at_least=1e-9, at_most=1e12))
    rho = entry.numbers("rho", at_least=1e-9, at_most=1e12) if "rho" in content else None
    return CategoricalModel(alpha, entry.words("labels"), rho)


def _normal(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "mean", "sd", "low", "high", "clip")
    clip = entry.content["clip"]
    if not isinstance(clip, bool):
        raise ArgumentError(f"`{place}.clip` must be true or false; got {_short(clip)}.")
    return NormalModel(**_families(entry), low=entry.number("low"), high=entry.number("high"), clip=clip)


def _likert(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "mean", "sd", "levels")
    return LikertModel(**_families(entry), levels=_few(entry, entry.numbers("levels")))


def _smoothed(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "fitted", "seen", "steps")
    fitted = entry.content["fitted"]
    if isinstance(fitted, Mapping) and fitted.get("kind") not in ("likert", "categorical"):
        raise ArgumentError(f"`{place}.fitted` must be a likert or categorical model.")
    rows = [Entry({"row": row}, f"{place}.seen").numbers("row", at_least=0) for row in entry.list("seen")]
    return SmoothedModel(model_from(fitted, f"{place}.fitted"), tuple(rows), entry.content["steps"])


def _empirical(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "scale", "sources")
    scale = _scale(entry.content["scale"], f"{place}.scale")
    named = Entry.of(entry.content["sources"], f"{place}.sources", "gold", "a?", "b?")
    sources = {name: _source(named.content[name], f"{named.place}.{name}", scale) for name in named.content}
    if len({source.n_items for source in sources.values()}) > 1:
        raise ArgumentError(f"`{named.place}` must have the same number of items each.")
    return EmpiricalModel(sources["gold"], scale, sources.get("a"), sources.get("b"))


def _panel(content: Any, place: str) -> ResponseModel:
    entry = Entry.of(content, place, "kind", "scale", "gold", "documents?", "grouped_by?")
    scale = _scale(entry.content["scale"], f"{place}.scale")
    gold = _source(entry.content["gold"], f"{place}.gold", scale)
    if "documents" not in content:
        return PanelModel(gold, scale)
    documents = np.array(entry.numbers("documents", at_least=0, at_most=1e9, whole=True), dtype=np.int64)
    if documents.size != gold.n_items or np.unique(documents).size != documents.max(initial=-1) + 1:
        raise ArgumentError(f"`{place}.documents` must number the documents of the {gold.n_items} items from 0 on.")
    name = entry.content.get("grouped_by")
    if not isinstance(name, str) or not name:
        raise ArgumentError(f"`{place}.grouped_by` must be the name of a column; got {_short(name)}.")
    return PanelModel(gold, scale, documents=documents, grouped_by=name)


MODELS: dict[str, Callable[[Any, str], ResponseModel]] = {
    "normal": _normal,
    "likert": _likert,
    "categorical": _categorical,
    "empirical": _empirical,
    "smoothed": _smoothed,
    "panel": _panel,
}


def _families(entry: Entry) -> dict[str, Family]:
    return {name: family_from(entry.content[name], f"{entry.place}.{name}") for name in ("mean", "sd")}


def _scale(content: Any, place: str) -> Scale:
    entry = Entry.of(content, place, "kind", "levels", "labels")
    kind: Any = _check.one_of(f"{place}.kind", entry.content["kind"], KINDS)
    levels, labels = _few(entry, entry.numbers("levels")), entry.words("labels")
    if len(labels) != len(levels) or bool(levels) != (kind != "continuous") or list(levels) != sorted(set(levels)):
        raise ArgumentError(
            f"`{place}` must have ascending levels with a label each, or none of them if it is continuous."
        )
    return Scale(kind, levels, labels, "model file")


def _source(content: Any, place: str, scale: Scale) -> Responses:
    entry = Entry.of(content, place, "values", "sizes", "raters?")
    values = np.array(entry.numbers("values"))
    sizes = np.array(entry.numbers("sizes", at_least=1, at_most=1e9, whole=True), dtype=np.int64)
    if not values.size or sizes.sum() != values.size:
        raise ArgumentError(f"`{place}.sizes` must add up to the {values.size} values; they add up to {sizes.sum()}.")
    if scale.levels and not np.isin(values, scale.levels).all():
        raise ArgumentError(f"`{place}.values` must be levels of the scale.")
    raters = None
    if "raters" in entry.content:
        raters = np.array(entry.numbers("raters", at_least=0, at_most=1e9, whole=True), dtype=np.int64)
        if raters.size != values.size:
            raise ArgumentError(f"`{place}.raters` must name one rater for each of the {values.size} values.")
    return Responses(values, np.concatenate([[0], np.cumsum(sizes)]), raters)


def _few(entry: Entry, numbers: tuple[float, ...]) -> tuple[float, ...]:
    if len(numbers) > MOST_LEVELS:
        raise ArgumentError(f"`{entry.place}` may have at most {MOST_LEVELS:,} levels; got {len(numbers):,}.")
    return numbers


def _number(value: Any, place: str, at_least: float, at_most: float) -> float:
    if isinstance(value, bool | str) or value is None:
        raise ArgumentError(f"`{place}` must be a number; got {_short(value)}.")
    try:
        return _check.real(place, value, at_least=at_least, at_most=at_most)
    except OverflowError:
        raise ArgumentError(f"`{place}` must be at most {at_most:g}; got a number of many digits.") from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


VERSION = 1
MOST_BYTES = 500_000_000


def save(model: ResponseModel, path: str | Path, *, fit: Any = None, force: bool = False) -> None:
    """Write a response model, and what its fit says, to a JSON file; one that exists only if `force` is set."""
    _files.check_outputs({"path": path}, force=force)
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
