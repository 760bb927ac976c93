"""A server with real worker processes, and a client."""

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed: the web page was not tested")

from starlette.testclient import TestClient

from assay import examples, io
from assay.web import Settings, create_app


@pytest.fixture(scope="session")
def ratings_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "ratings.csv"
    io.write(examples.ratings(60), path)
    return path.read_bytes()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for all tests of this process."""
    settings = Settings(folder=str(tmp_path_factory.mktemp("server")), n_workers=1, max_megabytes=5, max_jobs=5)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765") as client:
        yield client


@pytest.fixture
def client(server):
    """A visitor without a past."""
    server.cookies.clear()
    return server


@pytest.fixture
def table(client, ratings_csv):
    """The identity of an uploaded table."""
    answer = client.post("/api/v1/tables", files={"file": ("ratings.csv", ratings_csv)})
    assert answer.status_code == 201, answer.text
    return answer.json()["table"]
