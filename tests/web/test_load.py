"""A few visitors for a few seconds: no request fails. The minute with fifty of them is benchmarks/web_load.py."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("httpx2", reason="httpx2 is not installed: the load was not tried")


def test_no_request_fails_under_a_little_load(server, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import web_load

    with ThreadPoolExecutor(1) as apart:  # the browser of other tests has a loop in this thread
        seen = apart.submit(lambda: asyncio.run(web_load.load(server.url, 8, 2.0, 0.1))).result()
    sys.modules.pop("web_load")
    assert seen.failed == []
    assert seen.answers  # how many is a matter of the machine
    assert set(seen.answers) <= {200, 201, 202}
