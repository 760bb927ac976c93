"""Other packages offer readers, metrics and models by entry points; each has a contract that can be run as a test."""

import json
import sys
from dataclasses import replace

import pytest

from howsure import _offers, models
from howsure.io import read_logs
from howsure.io.readers.base import Reader, Row
from howsure.io.readers.known import READERS
from howsure.metrics import FunctionMetric, resolve
from howsure.testing import check_model, check_reader
from tests.io.readers.made import FILES
from tests.io.readers.test_formats import FORMAT


@pytest.mark.parametrize("name", FILES)
def test_every_reader_keeps_the_contract(name, tmp_path):
    (reader,) = [reader for reader in READERS if reader.name == FORMAT.get(name, name)]
    check_reader(reader, FILES[name](tmp_path), n_mutations=40)


def lines_of(glance, header):
    header.model = "own"
    for number, line in enumerate(glance.text.splitlines()[1:]):
        yield Row(str(number), float(line))


OWN = Reader("own", "an own log", lambda glance: glance.text.startswith("OWN"), lines_of, "a line")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"recognises": lambda glance: False}, "own: it does not recognise"),
        ({"rows": lambda glance, header: iter(())}, "own: it finds no row"),
        ({"rows": lambda glance, header: iter([Row("", 1)])}, "own: a row has the item ''"),
        ({"rows": lambda glance, header: iter([Row("x", None)])}, "own: item x needs a value or a reason"),
    ],
)
def test_a_reader_that_breaks_the_contract_is_told(changes, said, tmp_path):
    path = tmp_path / "log.own"
    path.write_text("OWN\n1\n2\n")
    with pytest.raises(AssertionError, match=said):
        check_reader(replace(OWN, **changes), path)


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A package with entry points, as an installation leaves it."""
    (tmp_path / "own_pack.py").write_text(
        "from tests.io.readers.test_extensions import OWN as reader\n"
        "from howsure.metrics import FunctionMetric\n"
        "from howsure import models\n"
        "metric = FunctionMetric(lambda gold, model: abs(gold - model).max(), better='lower', name='worst')\n"
        "model = models.preset('likert-toxicity')\n"
    )
    info = tmp_path / "own_pack-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-pack\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[howsure.readers]\nown = own_pack:reader\n[howsure.metrics]\nworst = own_pack:metric\n"
        "[howsure.models]\nown = own_pack:model\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    _offers.offered.cache_clear()
    yield tmp_path
    sys.modules.pop("own_pack", None)
    _offers.offered.cache_clear()


def test_a_model_that_is_offered_is_known_to_the_commands(plugin, howsure):
    check_model(models.resolve("own"))
    said = howsure("plan", "own", "--n-items", "20", "--n-responses", "2", "--epsilon", "0.3", "--json")
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)["cells"]


def test_what_is_offered_is_found_by_its_name(plugin):
    (plugin / "log.own").write_text("OWN\n1\n2\n")
    assert read_logs(plugin / "log.own").sources["own"].values.tolist() == [1, 2]
    assert isinstance(resolve("worst"), FunctionMetric)
    assert models.resolve("own") is sys.modules["own_pack"].model
