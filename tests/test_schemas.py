"""The schemas in docs/ are those of the questions and results, and real answers fit them."""

import json
import runpy
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from howsure import _json, paired
from howsure.paired import PairedScores
from tests.reports.results import MADE, made, scores

ROOT = Path(__file__).parents[1]
PARTS = {
    "Recommendation": lambda: paired.recommend(scores(), paired.describe(scores())),
    "SignificanceTest": lambda: paired.significance_test(scores()),
    "Equivalence": lambda: paired.equivalence_test(scores(), margin=0.1),
    "EffectSize": lambda: paired.effect_sizes(scores())[0],
    "Flips": lambda: paired.count_flips(PairedScores.from_arrays([1.0, 0.0, 1.0], [1.0, 1.0, 0.0])),
    "Glossary": paired.glossary,
}


@cache
def schema_of(name):
    """Return the checker of the results that this schema is about."""
    schema = json.loads((ROOT / "docs" / "schemas" / f"result-{name}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def program():
    return runpy.run_path(str(ROOT / "scripts" / "schemas.py"))


def test_the_schemas_are_up_to_date(program):
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "schemas").glob("*.json")}
    assert written == program["schemas"](), "run python scripts/schemas.py"


@pytest.mark.parametrize("kind", [*MADE, *PARTS])
def test_every_kind_of_result_fits_its_schema_and_comes_back(kind, program):
    result = made(kind) if kind in MADE else PARTS[kind]()
    written = _json.dumps(result.to_dict())
    schema_of(program["dashed"](kind)).validate(json.loads(written))
    assert _json.dumps(type(result).from_dict(json.loads(written)).to_dict()) == written


def test_a_result_without_one_of_its_fields_does_not_fit():
    content = json.loads(_json.dumps(made("Comparison").to_dict()))
    checker = schema_of("comparison")
    for name in checker.schema["required"]:
        with pytest.raises(jsonschema.ValidationError):
            checker.validate({key: value for key, value in content.items() if key != name})
