"""Measure the web page in Chromium on this machine.

    python benchmarks/web_numbers.py

Visible controls before "More options", weight of each page without its charts, layout shift while it loads, what
axe-core finds at two widths, light and dark; the time from a dropped file of 6 MB to its first answer, and from a
changed menu to the new answer on 1,000 items. Writes docs/measured/web_numbers.csv, web_times.csv and the table of docs/web.md.
"""

import csv
import json
import os
import re
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from howsure.web.samples import sample

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.browser import CONTRAST, REST, Server, launched  # noqa: E402

CSV = ROOT / "docs" / "measured" / "web_numbers.csv"
TIMES = ROOT / "docs" / "measured" / "web_times.csv"
PAGE = ROOT / "docs" / "web.md"
REPEATS = 5
"""How often a time is taken; the median is published."""

CONTROLS = """() => [...document.querySelectorAll("main :is(input, select, textarea, button, summary.button)")].filter(
    one => one.checkVisibility() && one.type !== "hidden" && !one.closest(".tabs, .step, .list, figure, table") &&
    !one.matches("button.copy") && (one.type !== "radio" || one.checked)).length"""
"""Controls that are seen without opening anything; a switch counts once, and rows of tables and lists do not count."""

SHIFT = """() => new Promise(done => { let sum = 0; new PerformanceObserver(list => { for (const one of list.getEntries())
    if (!one.hadRecentInput) sum += one.value; }).observe({type: "layout-shift", buffered: true});
    requestAnimationFrame(() => setTimeout(() => done(sum), 300)); })"""
"""The sum of layout shifts since the page began to load, as Lighthouse adds them up."""


def large_table(n_items=20_000, n_raters=40):
    """Return about 6 MB of ratings: two models, five raters of each answer."""
    rng = np.random.default_rng(0)
    rows = ["item,source,rater,value"]
    for item in range(n_items):
        level = rng.normal(3, 0.7)
        raters = rng.choice(n_raters, 5, replace=False)
        for source, gain in (("model-1", 0.0), ("model-2", 0.05)):
            for rater in raters:
                value = min(5, max(1, round(level + gain + rng.normal(0, 0.8))))
                rows.append(f"item-{item:05},{source},rater-{rater:02},{value}")
    return "\n".join(rows).encode()


def thousand():
    """Return ratings of two models on 1,000 items by people."""
    from howsure import examples, io

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "thousand.csv"
        io.write(examples.ratings(1000), place)
        return place.read_bytes()


def drop(page, url, name, content, folder):
    """Upload a file; return its identity and the seconds from the drop to its first answer."""
    place = Path(folder) / name
    place.write_bytes(content)
    page.goto(url)
    start = time.perf_counter()
    page.set_input_files("#file", str(place))
    page.locator("#first .verdict .big").wait_for()
    return page.url.rsplit("/", 1)[1], time.perf_counter() - start


def processor_time(pid):
    """Return the processor seconds of a process and of all that it started."""
    parents, used = {}, {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = place.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            parents[int(place.parent.name)] = int(fields[1])
            used[int(place.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    ours = {pid}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(used.get(one, 0.0) for one in ours)


def changes(page, url, table):
    """Return the seconds from a changed menu to the new answer, one for each measure."""
    page.goto(f"{url}/compare?table={table}")
    page.wait_for_selector(".done")
    names = {
        "rmse": "Root mean squared error",
        "spearman": "Spearman correlation",
        "wins": "Wins",
    }
    taken = []
    for value, said in names.items():
        start = time.perf_counter()
        page.select_option("#say-measure", value)
        page.locator("#answer:not(.htmx-request) .verdict", has_text=said).wait_for()
        taken.append(time.perf_counter() - start)
    return taken


def weigh(page, address):
    """Return the kilobytes of a page with styles and scripts; charts are JSON and pictures, which do not count."""
    sizes = []
    page.on("response", lambda answer: sizes.append(answer))  # noqa: PLW0108 (playwright marks its handlers)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    total = 0
    for answer in sizes:
        kind = answer.headers.get("content-type", "")
        if answer.status != 200 or "image" in kind or "event-stream" in kind:
            continue
        body = answer.body()
        if "html" in kind:
            body = re.sub(rb'<script type="application/json">.*?</script>', b"", body, flags=re.S)
        total += len(body)
    return total / 1000


def faults(page):
    """Return how many rules of axe-core a page breaks at two widths, light and dark."""
    from axe_playwright_python.base import AXE_SCRIPT

    found = 0
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            page.evaluate(AXE_SCRIPT)
            found += sum(len(page.evaluate(f"() => ({rules})()")) for rules in (REST, CONTRAST))
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    return found


def measured(browser, url, folder, pid):
    """Return one row for each page, and the two times."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.set_default_timeout(120_000)
    tables = {kind: drop(page, url, *sample(kind), folder)[0] for kind in ("ratings", "raters", "scores")}
    large = large_table()
    drop(page, url, "first.csv", large, folder)  # starts the process that reads
    before = processor_time(pid)
    drops = [drop(page, url, f"large-{n}.csv", large, folder)[1] for n in range(REPEATS)]
    processor = (processor_time(pid) - before) / REPEATS
    moved = []
    for n in range(REPEATS):  # a new upload each time, because the server keeps the answers about the old one
        table, _ = drop(page, url, f"thousand-{n}.csv", thousand(), folder)
        moved += changes(page, url, table)
    pages = {
        "home": "/", "data": f"/tables/{tables['raters']}", "compare": f"/compare?table={tables['raters']}",
        "rank": f"/leaderboard?table={tables['ratings']}", "plan": f"/plan?table={tables['raters']}",
        "scores": f"/scores?table={tables['scores']}", "power": "/power", "history": "/history",
        "describe": f"/describe?table={tables['raters']}", "score": f"/score?table={tables['ratings']}",
        "reliability": f"/reliability?table={tables['ratings']}", "fit": f"/fit?table={tables['ratings']}",
        "simulate": "/simulate", "audit": "/audit", "replicate": "/replicate",
    }  # fmt: skip
    rows = []
    for name, path in pages.items():
        page.goto(url + path)  # the answer is kept, so that what is measured is the page
        page.wait_for_load_state("networkidle")
        fresh = context.new_page()
        fresh.set_default_timeout(120_000)
        weight = weigh(fresh, url + path)
        shift = fresh.evaluate(SHIFT)
        controls = fresh.evaluate(CONTROLS)
        rows.append({"page": name, "controls": controls, "kilobytes": round(weight, 1), "layout_shift": round(shift, 4),
                     "axe": faults(fresh)})  # fmt: skip
        fresh.close()
    times = {
        "megabytes": round(len(large) / 1e6, 1), "first_answer": round(float(np.median(drops)), 2),
        "first_answer_slowest": round(max(drops), 2), "first_answer_processor": round(processor, 2), "new_answer": round(float(np.median(moved)), 2),
        "new_answer_slowest": round(max(moved), 2), "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip
    context.close()
    return rows, times


def table(rows, times):
    """Return the table of the docs, and the sentence below it."""
    head = "| page | visible controls | weight, kB | layout shift | axe |\n|---|---|---|---|---|\n"
    lines = [
        f"| {row['page']} | {row['controls']} | {row['kilobytes']:.0f} | {row['layout_shift']:.3f} | {row['axe']} |"
        for row in rows
    ]
    said = (
        f"Weights are without charts. Axe counts broken rules at 1280 and 390 px, light and dark. From the drop of a table "
        f"of {times['megabytes']} MB to its first answer it takes {times['first_answer']} s (median of {REPEATS}; slowest "
        f"{times['first_answer_slowest']} s; {times['first_answer_processor']} s of processor time of the server), from a changed menu to the new answer on 1,000 items {times['new_answer']} s "
        f"(slowest {times['new_answer_slowest']} s), on a machine with {os.cpu_count()} cores and a load average of "
        f"{times['load']}."
    )
    return head + "\n".join(lines) + "\n\n" + _wrapped(said)


def _wrapped(text):
    import textwrap

    return "\n".join(textwrap.wrap(text, 120))


def main():
    """Measure and write."""
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as folder:
        server = Server(Path(kept) / "server", "--workers", "1")
        try:
            with launched() as browser:
                rows, times = measured(browser, server.url, folder, server.process.pid)
        finally:
            server.kill()
    for place, found in ((CSV, rows), (TIMES, [times])):
        with place.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, list(found[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    text = PAGE.read_text(encoding="utf-8")
    start, end = "<!-- numbers -->\n", "<!-- end numbers -->"
    before, _, rest = text.partition(start)
    PAGE.write_text(
        before + start + "\n" + table(rows, times) + "\n\n" + end + rest.partition(end)[2], encoding="utf-8"
    )
    print(json.dumps(times))


if __name__ == "__main__":
    main()
