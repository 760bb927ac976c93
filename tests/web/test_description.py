"""The API answers as its description says, whatever is sent: no server error, no undocumented answer."""

import re

import pytest
from hypothesis import HealthCheck, given, settings

from howsure.web import Settings, api, pages
from howsure.web.jobs import connected

SENT = {"method", "url", "params", "headers", "json", "data", "files", "content"}


def fuzz(server, operation, seen):
    """Send bodies that the description allows; every answer must be one that it names."""

    @settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def ask(case):
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8765")
        parts = dict(sent.get("files") or {})
        if parts:  # the client itself cannot send a number as a file
            sent["files"] = {n: part if isinstance(part, str | bytes) else str(part) for n, part in parts.items()}
        answer = server.request(**{name: value for name, value in sent.items() if name in SENT})
        assert answer.status_code < 500, (operation.label, answer.text)
        assert str(answer.status_code) in operation.definition.raw["responses"], (operation.label, answer.text)
        seen.add(operation.label)

    ask()


def test_answers_are_described(app):
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: the API was not fuzzed")
    description = schemathesis.openapi.from_dict(app.get("/api/v1/openapi.json").json())
    seen, jobs = set(), app.app.state.jobs
    operations = [found.ok() for found in description.get_all_operations()]
    for operation in operations:
        fuzz(app, operation, seen)
        with connected(jobs.path) as connection:  # what was begun need not be computed
            connection.execute("UPDATE jobs SET state = 'cancelled' WHERE state IN ('waiting', 'running')")
    assert seen == {operation.label for operation in operations}
    assert {route.path for route in api.router(Settings()).routes} == {operation.path for operation in operations}


STRANGE = ("0" * 32, "..", "%00", "é", "-1", "1" * 400)
"""What stands in an address where a page expects the name of something."""


@pytest.mark.parametrize("strange", STRANGE)
def test_no_page_breaks_whatever_its_address_says(client, strange):
    asked = 0
    for route in pages.router().routes:
        path = re.sub(r"{\w+}", strange, route.path)
        for method in route.methods:
            answer = client.request(method, path, params={"table": strange, "preset": strange, "ask": "1"})
            assert answer.status_code < 500, (method, path, answer.text[:200])
            asked += 1
    assert asked > 30
