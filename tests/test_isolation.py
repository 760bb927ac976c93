"""No code of strangers runs: not from a data folder, not from an upload, through no door.

Each test works in a folder with modules that leave a mark when they are imported.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import httpx2
import openpyxl
import polars as pl
import pytest
from backports import zstd

from howsure._isolation import import_installed_code_only
from tests.io.readers.made import eval_file, inspect_log
from tests.web.browser import Server

HOWSURE = Path(sys.executable).with_name("howsure")
BAITS = ("polars", "numpy", "scipy", "selectors", "socket", "json", "resource", "sitecustomize",
         "usercustomize", "multiprocessing", "distributed", "python_calamine", "backports", "yaml",
         "importlib", "runpy", "lazy_loader", "ast", "enum", "typing", "re", "copyreg")  # fmt: skip
BEFORE_US = ("importlib", "warnings", "contextlib", "collections", "keyword", "operator", "reprlib", "functools",
             "types", "howsure")  # fmt: skip
"""What `python -m` imports from the current folder before any line of ours runs: docs/contributing/security.md."""
FRAME = pl.DataFrame({"item": ["q1", "q2", "q3"] * 2, "source": ["x"] * 3 + ["y"] * 3, "value": [1, 0, 1, 0, 0, 1]})
FILES = ("a.parquet", "a.arrow", "a.xlsx", "a.csv.zst", "a.csv.gz", "a.csv", "x.eval y.eval")


def bait(folder, mark):
    """Put modules and packages of well-known names into a folder; each appends its name to `mark` when it runs."""
    for name in BAITS:
        code = f"open({str(mark)!r}, 'a').write({name!r} + ' ')\n"
        (folder / f"{name}.py").write_text(code)
        if name not in ("sitecustomize", "json"):  # a package is found before a module of its name
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(code)


@pytest.fixture
def trap(tmp_path):
    """A folder of data with bait beside every kind of file; the test fails if any of it ran."""
    folder, mark = tmp_path / "data", tmp_path / "mark"
    folder.mkdir()
    FRAME.write_parquet(folder / "a.parquet")
    FRAME.write_ipc(folder / "a.arrow")
    FRAME.write_csv(folder / "a.csv")
    content = (folder / "a.csv").read_bytes()
    (folder / "a.csv.gz").write_bytes(gzip.compress(content))
    (folder / "a.csv.zst").write_bytes(zstd.compress(content))
    workbook = openpyxl.Workbook()
    for row in (FRAME.columns, *FRAME.iter_rows()):
        workbook.active.append(row)
    workbook.save(folder / "a.xlsx")
    bait(folder, mark)
    for name in ("x", "y"):  # archives, which hold bait, too
        archive = eval_file(folder / f"{name}.eval", inspect_log(model=name, n=3), method=zipfile.ZIP_DEFLATED)
        with zipfile.ZipFile(archive, "a") as packed:
            packed.write(folder / "polars.py", "polars.py")
            packed.write(folder / "json.py", "samples/json.py")
    yield folder
    assert not mark.exists(), f"imported from the folder of data: {mark.read_text()}"


def run(folder, *command, **environment):
    """Run a command in a folder, without a home of Dask or caches of its own."""
    asked = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), **environment}
    answer = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=asked, timeout=120)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_the_bait_works(tmp_path):
    """Without protection the modules run: the tests below can fail."""
    bait(tmp_path, tmp_path / "mark")
    subprocess.run([sys.executable, "-c", "import polars, selectors"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "mark").read_text().split() == ["polars", "selectors"]


@pytest.mark.parametrize("file", FILES)
def test_the_command_line(trap, file):
    assert "can be compared" in run(trap, HOWSURE, "doctor", *file.split())


def test_the_module_as_a_command(trap):
    """Everything but what Python itself imports while it looks for the module."""
    for name in set(BAITS).intersection(BEFORE_US):
        (trap / f"{name}.py").unlink()
        shutil.rmtree(trap / name)
    assert "can be compared" in run(trap, sys.executable, "-m", "howsure", "doctor", "a.parquet")
    assert "can be compared" in run(trap, sys.executable, "-mhowsure", "doctor", "a.parquet")


def test_what_python_imports_before_the_module_is_written_down(tmp_path):
    """Each of these names runs, so the list in the docs is not too long; the test above says that it is complete."""
    page = Path("docs/contributing/security.md").read_text(encoding="utf-8")
    for name in BEFORE_US:
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.py").write_text(f"open({str(folder / 'mark')!r}, 'w')")
        # -S: packages may have Python import such a module earlier.
        subprocess.run([sys.executable, "-S", "-m", "howsure"], cwd=folder, check=False, capture_output=True)
        assert (folder / "mark").exists(), name
        assert f"`{name}`" in page


def test_python(trap, tmp_path):
    """A program that lies elsewhere and works in the folder of data."""
    program = tmp_path / "program.py"
    program.write_text(f"import howsure\nfor file in {FILES}: print(howsure.compare(file.split(), a='x', b='y'))\n")
    assert run(trap, sys.executable, program).count("p = ") == len(FILES)


SERVING = """
from starlette.testclient import TestClient
from howsure.web import Settings, create_app

if __name__ == "__main__":
    with TestClient(create_app(Settings(port=8777)), base_url="http://127.0.0.1:8777") as client:
        with open("a.parquet", "rb") as file:
            table = client.post("/api/v1/tables", files={"file": ("a.parquet", file)}).json()["table"]
        print(client.post("/api/v1/compare", json={"table": table, "a": "x", "b": "y"}).status_code)
        print(client.get("/").status_code)
"""


@pytest.mark.parametrize("options", [(), ("-E",), ("-s",)])
def test_a_program_that_makes_the_web_server(trap, tmp_path, options):
    """It lies elsewhere and works in the folder of data; nobody has protected its environment."""
    pytest.importorskip("fastapi")
    program = tmp_path / "program.py"
    program.write_text(SERVING)
    assert run(trap, sys.executable, *options, program).split() == ["200", "200"]


@pytest.mark.parametrize("python", [(), (sys.executable, "-E")])
@pytest.mark.parametrize("workers", [("--workers", "2"), ("--dask", "local")])
def test_workers_of_a_study(trap, workers, python):
    command = (
        "audit",
        "normal",
        "--n-items",
        "10",
        "--n-responses",
        "2",
        "--n-simulations",
        "4",
        "--n-resamples",
        "99",
    )
    run(trap, *python, HOWSURE, *command, *workers, "--store", "../study.db")


def test_the_tool_server(trap):
    pytest.importorskip("mcp")
    from mcp import Client, StdioServerParameters, stdio_client

    server = StdioServerParameters(command=str(HOWSURE), args=["mcp", "."], env={"PATH": os.environ["PATH"]}, cwd=trap)
    answers = []

    async def session():
        with anyio.fail_after(120):
            async with Client(stdio_client(server)) as client:
                answers.extend([await client.call_tool("doctor", {"files": file.split()}) for file in FILES])

    with ThreadPoolExecutor(1) as alone:  # browser tests of the same process keep an event loop in the main thread
        alone.submit(anyio.run, session).result()
    assert all("can be compared" in answer.content[0].text for answer in answers)


@pytest.mark.parametrize("python", [(), (sys.executable, "-E")])
def test_the_web_server(trap, tmp_path, python):
    """Bait in the folder where `serve` is typed, beside uploads, and in a .zip, by the API and by the page's form."""
    pytest.importorskip("fastapi")
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(trap.rglob("*")):
            if path.is_file() and not path.name.endswith((".csv", ".gz", ".zst", ".xlsx", ".arrow", ".eval")):
                packed.write(path, path.relative_to(trap))
    server = Server(tmp_path / "server", command=(*python, str(HOWSURE)), cwd=trap)
    try:
        with httpx2.Client(base_url=server.url, timeout=120, headers={"origin": server.url}) as client:
            for files in (["a.parquet"], ["a.parquet", "polars.py"], ["a.xlsx", "polars/__init__.py"], ["a.csv.zst"]):
                sent = [("file", (name, (trap / name).read_bytes())) for name in files]
                client.post("/api/v1/tables", files=sent)
            answer = client.post("/api/v1/tables", files={"file": ("a.zip", archive.read_bytes())})
            assert answer.status_code == 201, answer.text
            asked = {"table": answer.json()["table"], "a": "x", "b": "y"}
            answer = client.post("/api/v1/compare", json=asked)
            assert answer.status_code == 200, answer.text
            token = re.search(r'name="csrf" value="(\w+)"', client.get("/").text)[1]
            for name in ("a.parquet", "a.zip"):
                content = (archive if name == "a.zip" else trap / name).read_bytes()
                page = client.post(
                    "/tables", data={"csrf": token}, files={"file": (name, content)}, follow_redirects=True
                )
                assert page.status_code == 200, page.text
    finally:
        server.kill()
    kept = [path.name for path in (tmp_path / "server").rglob("*") if path.suffix == ".py"]
    assert kept == [], "an upload keeps only files that a reader can read"


def test_the_import_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["", ".", str(tmp_path), "/elsewhere"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "/elsewhere"]))
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    import_installed_code_only()
    assert sys.path == ["/elsewhere"]
    assert os.environ["PYTHONPATH"] == "/elsewhere"


def test_the_current_folder_stays_where_somebody_names_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    import_installed_code_only()
    assert sys.path == [str(tmp_path)]
    assert os.environ["PYTHONPATH"] == str(tmp_path)
