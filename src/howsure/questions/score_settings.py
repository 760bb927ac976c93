"""Settings of `howsure scores` and `howsure power` in a file: from TOML or from NLPStatTest's YAML, written as TOML.

NLPStatTest has a configuration file, and its web page saves its session. Both name the same things, in different words.
What decides an answer becomes an option of ours; what describes files, limits or results of that program is passed
over. A name that neither of them has is an error.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from howsure import _check, _fields, _json
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.nulls import SCORE_TESTS
from howsure.questions.scores import WITH_SETTINGS

LARGEST = 2**20
ENDINGS = (".yml", ".yaml")

_TESTS = {name.replace("-median", "_med"): name for name in SCORE_TESTS}
_EFFECTS = {"cohend": "cohen-d", "hedgesg": "hedges-g", "wilcoxonr": "wilcoxon-r", "hl": "hodges-lehmann"}
_METHODS = {"bootstrap": "bootstrap", "montecarlo": "normal", "monte carlo": "normal", "mc": "normal"}
_PASSED_OVER = """
    fig_output_dir report_output_dir power_dist_name CI pval rejectH0 sig_test_stat_val skewness_gamma is_normal
    mean_or_median num_eval_units summary_stats_dict summary_str recommended_tests not_preferred_tests
    not_recommended_tests estimator_value_list effect_estimator_dict teststat_heading sig_test_heading
    show_non_preferred show_non_recommended hist_diff_file hist_diff_par_file hist_score1_file hist_score2_file
    power_file power_path
"""
"""Where that program writes, and what a saved session found."""


def read_settings(path: str | Path) -> dict[str, Any]:
    """Return the options that a file sets, lists as lists; one file may serve several commands."""
    ours = Path(path).suffix.lower() not in ENDINGS
    settings = _toml(Path(path)) if ours else read_nlpstattest(path)
    several = {field.name for question in WITH_SETTINGS for field in _fields.fields_of(question) if field.many}
    return {
        name: [value] if name in several and not isinstance(value, list) else value for name, value in settings.items()
    }


def write_settings(settings: Mapping[str, Any]) -> str:
    """Return options as TOML, as `read_settings` reads them.

    Examples
    --------
    >>> print(write_settings({"unit_size": 5, "effect_size": ["cohen-d"], "test": "t"}), end="")
    unit-size = 5
    effect-size = ["cohen-d"]
    test = "t"
    """
    import json

    return "".join(f"{name.replace('_', '-')} = {json.dumps(value)}\n" for name, value in settings.items())


def _toml(path: Path) -> dict[str, Any]:
    try:
        settings = _json.loads_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not a readable TOML file: {error}.") from None
    known = {field.name.replace("_", "-") for question in WITH_SETTINGS for field in _fields.fields_of(question)}
    for key in settings:
        if key not in known:
            near = _check.nearest(key, known)
            raise ArgumentError(f"{path}: {key!r} is not an option of `howsure scores` or `howsure power`.{near}")
    return {key.replace("-", "_"): value for key, value in settings.items()}


def read_nlpstattest(path: str | Path) -> dict[str, Any]:
    r"""Return the options of ours that a YAML file of NLPStatTest sets; `file` is the data file, if it names one.

    Parameters
    ----------
    path : path
        A data file that it names stands in the same folder, unless its path is absolute.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(f"{folder}/config.yml").write_text("eval_unit_size: 5\nsig_test_name: permutation_med\n")
    ...     read_nlpstattest(f"{folder}/config.yml")
    {'unit_size': 5, 'test': 'permutation-median'}
    """
    place = Path(path)
    options: dict[str, Any] = {}
    settings = _yaml(place)
    shuffled = str(settings.get("shuffled", False)).lower() in ("true", "yes", "1")
    if shuffled:
        options["shuffle"] = 0
    for key, value in settings.items():
        if key in _PASSED_OVER.split() or key.startswith(("MIN_", "MAX_")) or key == "shuffled":
            continue
        if key == "random_seed" and not shuffled:
            continue
        if key not in _MEANING:
            known = (*_MEANING, "shuffled")
            raise ArgumentError(f"{place}: {key!r} is not a setting of NLPStatTest.{_check.nearest(key, known)}")
        name, convert = _MEANING[key]
        if value is None or value == "":
            continue
        try:
            options[name] = convert(value)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ArgumentError(f"{place}: {key} cannot be {_check.shown(value)}.") from None
    if "file" in options:
        options["file"] = str(place.parent / options["file"])
    return options


def _whole(value: Any) -> int:
    number = float(value)
    if not number.is_integer():
        raise ValueError
    return int(number)


def _lower(words: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: words[str(value).strip().lower()]


def _effects(value: Any) -> list[str]:
    names = value if isinstance(value, list) else str(value).split(",")
    return [_EFFECTS[str(name).strip().lower()] for name in names]


_MEANING: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "fileName": ("file", str),
    "eval_unit_size": ("unit_size", _whole),
    "eval_unit_met": ("unit_statistic", _lower({"mean": "mean", "median": "median"})),
    "eval_unit_stat": ("unit_statistic", _lower({"mean": "mean", "median": "median"})),
    "shuffle_seed": ("shuffle", _whole),
    "random_seed": ("shuffle", _whole),
    "normal_test_alpha": ("normality_alpha", float),
    "normality_alpha": ("normality_alpha", float),
    "sig_test_name": ("test", _lower(_TESTS)),
    "sig_test_alpha": ("alpha", float),
    "sig_boot_perm_B": ("n_resamples", _whole),
    "sig_boot_iterations": ("n_resamples", _whole),
    "alternative": ("alternative", _lower({side: side for side in ("two-sided", "greater", "less")})),
    "mu": ("delta", float),
    "eff_size_ind": ("effect_size", _effects),
    "effectsize_sig_alpha": ("effect_alpha", float),
    "power_alpha": ("power_alpha", float),
    "power_method": ("power_method", _lower(_METHODS)),
    "power_test": ("power_method", _lower(_METHODS)),
    "power_num_of_sim": ("steps", _whole),
    "power_num_of_subsample": ("steps", _whole),
    "power_num_intervals": ("steps", _whole),
    "power_B": ("n_simulations", _whole),
}
"""Each setting: the option of ours, and how its value is read."""


def _yaml(path: Path) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    if len(content) > LARGEST:
        raise DataError(f"{path} is larger than 1 MB; it is not a file of settings.")
    try:
        node = yaml.compose(content.decode("utf-8-sig"), Loader=yaml.SafeLoader)
        settings = _json.shallow(yaml.safe_load(content.decode("utf-8-sig")))
    except RecursionError:
        raise DataError(f"{path} is not a readable YAML file: {_json.TOO_DEEP}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise DataError(f"{path} is not a readable YAML file: {' '.join(str(error).split())}.") from None
    if settings is None:
        return {}
    if not isinstance(settings, dict):
        raise DataError(f"{path} must hold settings, one `name: value` on each line.")
    names = [key.value for key, _ in node.value]
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise DataError(f"{path} sets {twice!r} twice.")
    return {str(key): value for key, value in settings.items()}
