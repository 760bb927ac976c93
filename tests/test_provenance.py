"""The signature: one line that names everything it takes to compute a result again."""

from importlib import metadata

from howsure.provenance import Provenance, version


def test_the_signature_names_call_parameters_seed_data_and_version():
    made = Provenance("compare", {"metric": "mae", "level": 0.95, "draws": 9999}, 7, "abc")
    assert made.signature == f"howsure {version()} | compare | metric=mae | level=0.95 | draws=9999 | seed=7 | data=abc"


def test_the_version_is_the_installed_one():
    assert version() == metadata.version("howsure")
