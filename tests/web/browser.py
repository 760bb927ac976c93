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

MOST = 1000 * int(os.environ.get("HOWSURE_BROWSER_SECONDS", "180"))
"""Milliseconds for which a test waits for something on a page: the machine may be busy."""


def need_browser():
    """Skip loudly where there is no browser; fail where one was promised (.ci/run)."""
    if CHROMIUM is not None:
        pytest.importorskip("playwright", reason="playwright is not installed: the browser tests did not run")
        return
    if os.environ.get("HOWSURE_REQUIRE_BROWSER"):
        pytest.fail("HOWSURE_REQUIRE_BROWSER is set, but there is no Chromium")
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
    """`howsure serve` as a process of its own."""

    def __init__(self, folder, *options, command=(sys.executable, "-m", "howsure"), cwd=None):
        self.folder, self.options, self.command, self.cwd = folder, options, command, cwd
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.command, "serve", "--port", str(self.port), "--folder", str(self.folder), *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.cwd,
        )
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


CONTRAST = """async () => {
    const looks = new Map();
    for (const one of document.querySelectorAll("body, body *")) {
        const says = [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!(says || one.matches("input, select, textarea")) || !one.checkVisibility()) continue;
        const {color, fontSize, fontWeight, textShadow} = getComputedStyle(one);
        const look = [color, fontSize, fontWeight, textShadow];
        for (let at = one; at !== null; at = at.parentElement) {
            const {backgroundColor, backgroundImage, opacity, position} = getComputedStyle(at);
            look.push(at.tagName, at.className, backgroundColor, backgroundImage, opacity, position);
        }
        looks.set(String(look), [...looks.get(String(look)) ?? [], one]);
    }
    const options = {runOnly: ["color-contrast"], resultTypes: ["violations", "incomplete"], elementRef: true};
    const found = await axe.run([...looks.values()].map(alike => alike[0]), options);
    const unsure = found.incomplete.flatMap(rule => rule.nodes.map(node => node.element));
    const others = [...looks.values()].flatMap(alike => unsure.includes(alike[0]) ? alike.slice(1) : []);
    const more = others.length ? (await axe.run(others, options)).violations : [];
    return [...found.violations, ...more];
}"""
"""What axe-core says of contrast: of one text of each look, and of all where it cannot tell of the first.

Contrast is most of what axe-core costs, and a hundred cells of one class, one colour and one background are all alike.
"""

REST = """async () => {
    const options = {rules: {"color-contrast": {enabled: false}}, resultTypes: ["violations"]};
    return (await axe.run(options)).violations;
}"""
"""What axe-core says of everything else, of the whole page."""


def accessible(page):
    """Fail where axe-core finds something."""
    from axe_playwright_python.base import AXE_SCRIPT

    # The policy of the page forbids foreign scripts, so axe is run from the outside, by the browser's own evaluation.
    page.evaluate(AXE_SCRIPT)
    _nothing_wrong(page, REST)
    _nothing_wrong(page, CONTRAST)


def _nothing_wrong(page, rules):
    said = "found => found.map(each => [each.help, each.nodes.map(node => node.html)])"
    wrong = page.evaluate(f"() => ({rules})().then({said})")
    assert wrong == [], wrong


def for_everybody(page):
    """Fail where axe-core finds something, colours cannot be told apart in the dark, or a phone scrolls sideways."""
    accessible(page)
    page.emulate_media(color_scheme="dark")
    _nothing_wrong(page, CONTRAST)
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
