"""A real server and a real browser, for tests that do what a person does."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def need_browser():
    """Skip loudly where there is no browser; fail where one was promised (.ci/run)."""
    if CHROMIUM is not None:
        pytest.importorskip("playwright", reason="playwright is not installed: the browser tests did not run")
        return
    if os.environ.get("ASSAY_REQUIRE_BROWSER"):
        pytest.fail("ASSAY_REQUIRE_BROWSER is set, but there is no Chromium")
    pytest.skip("Chromium is not installed: the browser tests did not run")


@contextmanager
def launched():
    """Yield a browser."""
    need_browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """`assay serve` as a process of its own."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "assay", "serve", "--port", str(self.port), "--folder", str(self.folder),
             *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{self.url}/api/v1/health", timeout=2)
                return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("the server did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


def accessible(page, **options):
    """Fail where axe-core finds something."""
    from axe_playwright_python.base import AXE_SCRIPT

    # The policy of the page forbids foreign scripts, so axe is run from the outside, by the browser's own evaluation.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    said = "found => found.violations.map(each => [each.help, each.nodes.map(node => node.html)])"
    run = f"options => axe.run(options).then({said})"
    wrong = page.evaluate(run, {"resultTypes": ["violations"], **options})
    assert wrong == [], wrong


def for_everybody(page):
    """Fail where axe-core finds something, colours cannot be told apart in the dark, or a phone scrolls sideways."""
    accessible(page)
    page.emulate_media(color_scheme="dark")
    accessible(page, runOnly=["color-contrast"])
    page.emulate_media(color_scheme="light")
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url
    page.set_viewport_size(size)


def shared_file(name):
    """Return a file of the shared data; skip loudly where there is none."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{path} is not here: the walk-through of the manual did not run")
    return path
