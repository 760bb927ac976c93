"""The schemas in docs/ are those of the questions and results, and real answers fit them."""

import json
import runpy
from pathlib import Path

import jsonschema
import numpy as np

from assay import Contest, _json, compare_each
from assay.records import schema_of

ROOT = Path(__file__).parents[1]


def test_the_schemas_are_up_to_date():
    made = runpy.run_path(str(ROOT / "scripts" / "schemas.py"))["schemas"]()
    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "schemas").glob("*.json")}
    assert written == made, "run python scripts/schemas.py"


def test_a_comparison_fits_its_schema_and_comes_back():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=20)
    contest = Contest.from_arrays(gold, gold + rng.normal(size=20), gold + rng.normal(size=20))
    found = compare_each(contest, metrics=["mae", "wins"], rng=0, n_resamples=99, margin=0.1)
    content = json.loads(_json.dumps(found.to_dict()))
    jsonschema.validate(content, schema_of(type(found)))
    assert _json.dumps(type(found).from_dict(content).to_dict()) == _json.dumps(found.to_dict())
