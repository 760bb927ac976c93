"""Pictures of the web page for docs/web/: every page on a desktop, some on a phone and in the dark.

    python scripts/web_pictures.py [--folder docs/web] [--all]

Starts a server on this machine, uploads the examples, and takes the pictures with Debian's Chromium. With `--all` every
page is taken at four widths, light and dark, for looking at them; without, the small set that the docs show.
"""

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

from howsure.web.samples import sample

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SAMPLES = {"ratings": ("compare", "leaderboard"), "raters": ("compare", "plan"), "scores": ("scores",)}
PLAIN = {"home": "/", "power": "/power", "glossary": "/glossary", "api": "/api", "history": "/history"}
EXAMPLES = ("describe", "fit", "simulate", "audit", "replicate", "score", "reliability")
DOCS = {
    "compare-raters": ("desktop", "phone", "dark"), "plan": ("desktop", "dark"),
    **dict.fromkeys(
        ("home", "table-raters", "table-scores", "compare", "leaderboard", "scores", "power", "history", "audit", "fit",
         "describe", "simulate", "replicate", "glossary"),
        ("desktop",),
    ),
}  # fmt: skip
"""The pictures of the docs."""

LOOKS = {"desktop": (1200, "light"), "phone": (390, "light"), "dark": (1200, "dark")}
EVERY = {f"{width}-{colours}": (width, colours) for width in (390, 768, 1280, 1440) for colours in ("light", "dark")}
TALLEST = 1000


def server(folder):
    """Start a server; return its process and address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "howsure", "serve", "--port", str(port), "--folder", folder, "--workers", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url, until = f"http://127.0.0.1:{port}", time.monotonic() + 120
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{url}/api/v1/health", timeout=5)
            return process, url
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server did not start")


def addresses(page, url, folder):
    """Upload every sample and ask every question; return the address of every page with an answer on it."""
    found = {}
    for kind, questions in SAMPLES.items():
        name, content = sample(kind)
        place = Path(folder) / name
        place.write_bytes(content)
        page.goto(url)
        page.set_input_files("#file", str(place))
        page.wait_for_url(re.compile("/tables/[0-9a-f]{32}$"))
        page.locator("#first .big").wait_for()
        found[f"table-{kind}"] = page.url
        for question in questions:
            page.goto(found[f"table-{kind}"].replace("/tables/", f"/{question}?table="))
            page.wait_for_selector(".done")
            named = f"{question}-raters" if question == "compare" and kind == "raters" else question
            found[named] = page.url
    for name in EXAMPLES:
        page.goto(f"{url}/{name}")
        page.get_by_role("button", name="Try it on an example").click()
        page.wait_for_selector(".done", timeout=240_000)
        found[name] = page.url
    return found | {name: url + path for name, path in PLAIN.items()}


def small(place):
    """Take colours away until the picture is small."""
    from PIL import Image

    picture = Image.open(place).convert("RGB")
    for colours in (128, 64, 32):
        picture.quantize(colours).save(place, optimize=True)
        if place.stat().st_size < 100_000:
            return


def main():
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="docs/web")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    folder = Path(asked.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as files, sync_playwright() as play:
        process, url = server(kept)
        try:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": 1200, "height": 800})
            page = context.new_page()
            page.set_default_timeout(120_000)
            found = addresses(page, url, files)
            every = EVERY if asked.all else LOOKS
            wanted = {name: tuple(EVERY) for name in found} if asked.all else DOCS
            for name, looks in wanted.items():
                for look in looks:
                    width, colours = every[look]
                    page.set_viewport_size({"width": width, "height": 800})
                    page.emulate_media(color_scheme=colours)
                    page.goto(found[name])
                    page.wait_for_load_state("networkidle")
                    high = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
                    place = folder / (f"{name}.png" if look == "desktop" else f"{name}-{look}.png")
                    page.screenshot(path=place, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": high})
                    if not asked.all:
                        small(place)
            browser.close()
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
