import json

from typer.testing import CliRunner

from assay.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["replicate", *arguments], catch_exceptions=False)


def test_rows_stand_side_by_side_with_the_convention():
    result = run("forest", "--table", "3", "--samples", "30")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "ci_width"
    assert lines[1].split() == [
        "table",
        "dataset",
        "metric",
        "epsilon",
        "NK",
        "K",
        "published",
        "reproduced",
        "difference",
        "±",
    ]
    assert len([line for line in lines if line.startswith("3 ")]) == 32
    assert "FOREST: fresh items" in result.stdout


def test_json_rows_have_identity_and_both_numbers():
    result = run("forest", "--table", "2", "--samples", "20", "--json")
    document = json.loads(result.stdout)
    assert document["paper"] == "forest"
    assert document["n_simulations"] == 20
    row = document["rows"][0]
    assert {"table", "dataset", "metric", "epsilon", "NK", "K", "quantity"} < row.keys()
    assert {"published", "reproduced", "standard_error"} < row.keys()
