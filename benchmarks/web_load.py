"""A bounded load on loopback: many clients ask a server while two jobs run; writes docs/measured/web_load.csv.

    python benchmarks/web_load.py [--clients 50] [--seconds 60]

Every client is a visitor with a session of its own who loads pages one after another, with a pause as a person makes
it, and now and then uploads a small table and asks for a comparison of it. Counted are requests that fail (no answer,
or a status of 500 and more) and how long static pages take while two jobs run in the server's workers.
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill

import httpx2

from measured import MEASURED, ROOT, put_between, write_rows

ROWS = "\n".join(
    ["item,source,value", *(f"i{i},{s},{(i * 7 + len(s)) % 5}" for i in range(30) for s in ("h", "m1", "m-2"))]
)
STATIC = ("/", "/glossary", "/static/style.css", "/api/v1/health")
PAGES = (*STATIC, "/tables", "/compare", "/plan", "/history")
SLOW = {"paper": "raters", "n_simulations": 2000}


@dataclass
class Seen:
    """What the clients saw."""

    static: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    asked: list[float] = field(default_factory=list)
    answers: Counter = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


async def visit(url, seen, until, number, pause):
    """Be one visitor."""
    # Certificates are not looked at on loopback, and loading them would take the client's time, not the server's.
    async with httpx2.AsyncClient(base_url=url, timeout=60, headers={"accept": "text/html"}, verify=False) as client:
        turn = number
        await asyncio.sleep(pause * number / 10)  # people do not arrive at once
        while time.monotonic() < until:
            turn += 1
            try:
                if turn % 25 == 0:
                    await _ask(client, seen)
                else:
                    start, path = time.monotonic(), PAGES[turn % len(PAGES)]
                    answer = await client.get(path)
                    (seen.static if path in STATIC else seen.pages).append(time.monotonic() - start)
                    _note(seen, answer)
            except httpx2.HTTPError as error:
                seen.failed.append(type(error).__name__)
            await asyncio.sleep(pause * (0.5 + (turn * 37 % 100) / 100))


async def _ask(client, seen):
    start = time.monotonic()
    sent = await client.post("/api/v1/tables", files={"file": ("r.csv", ROWS.encode())})
    _note(seen, sent)
    if sent.status_code == 201:
        body = {"table": sent.json()["table"], "gold": "h", "a": "m1", "b": "m-2", "n_resamples": 199}
        _note(seen, await client.post("/api/v1/compare", json=body))
    seen.asked.append(time.monotonic() - start)


def _note(seen, answer):
    seen.answers[answer.status_code] += 1
    if answer.status_code >= 500:
        seen.failed.append(str(answer.status_code))


async def load(url, clients, seconds, pause):
    """Let so many visitors come for so long."""
    seen = Seen()
    until = time.monotonic() + seconds
    await asyncio.gather(*(visit(url, seen, until, number, pause) for number in range(clients)))
    return seen


class Running:
    """A server as a process of its own, with two long jobs in its workers."""

    def __init__(self, folder, workers=2, jobs=2):
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "howsure", "serve", "--port", str(self.port), "--folder", str(folder),
                   "--workers", str(workers)]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait()
        for seed in range(jobs):
            body = json.dumps({**SLOW, "seed": seed}).encode()
            request = urllib.request.Request(
                f"{self.url}/api/v1/replicate", body, {"content-type": "application/json"}
            )  # fmt: skip
            urllib.request.urlopen(request, timeout=60).read()

    def _wait(self):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{self.url}/api/v1/health", timeout=5)
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("the server did not start")

    def stop(self):
        """End it."""
        self.process.kill()
        self.process.wait()


def share(values, part):
    """Return a quantile in milliseconds."""
    return round(1000 * sorted(values)[min(len(values) - 1, int(part * len(values)))], 1) if values else ""


def main():
    """Load a server, and write what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=1.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Running(Path(folder))
        try:
            seen = asyncio.run(load(server.url, asked.clients, asked.seconds, asked.pause))
        finally:
            server.stop()
    row = {
        "clients": asked.clients,
        "seconds": asked.seconds,
        "pause_seconds": asked.pause,
        "jobs": 2,
        "requests": sum(seen.answers.values()),
        "failed": len(seen.failed),
        "static_ms_median": share(seen.static, 0.5),
        "static_ms_p95": share(seen.static, 0.95),
        "form_ms_median": share(seen.pages, 0.5),
        "form_ms_p95": share(seen.pages, 0.95),
        "compare_ms_median": share(seen.asked, 0.5),
        "load_average": round(os.getloadavg()[0], 1),
    }
    print(row, dict(seen.answers), Counter(seen.failed))
    write_rows([row], MEASURED / "web_load.csv")
    said = (
        f"{row['clients']} visitors on loopback for {row['seconds']:g} seconds, while two jobs run: {row['requests']:,} "
        f"requests, {row['failed']} failed. A static page takes {row['static_ms_median']} ms (median; 95% of them at most "
        f"{row['static_ms_p95']} ms), a form {row['form_ms_median']} ms ({row['form_ms_p95']} ms), on a machine with "
        f"{os.cpu_count()} cores and a load average of {row['load_average']} (`benchmarks/web_load.py`)."
    )
    put_between(ROOT / "docs" / "how-to" / "web.md", "<!-- load -->", fill(said, 120))


if __name__ == "__main__":
    main()
