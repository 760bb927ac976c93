"""What this process and the interpreters that it starts may import: what is installed, and nothing from a data folder.

A folder of downloaded data may hold a `polars.py`. Python imports from the current folder first if it is started with
`-c` or `-m`, and so do the workers of multiprocessing and Dask, whose command lines are not ours to write: they inherit
an environment that forbids it.
"""

import os
import site
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `python -m howsure` still has the current folder on its path when this module is imported
    import subprocess


def import_installed_code_only() -> None:
    """Take the current folder off the import path of this process, and off that of all interpreters it starts.

    Every command begins with this. Whoever writes a folder into PYTHONPATH by its whole path wants its code; an empty
    entry or a dot there would be the current folder, whichever that is.
    """
    here = os.path.realpath(os.curdir)
    named = [entry for entry in os.environ.pop("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    folders = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(), *named)
    trusted = {os.path.realpath(folder) for folder in folders}
    sys.path[:] = [entry for entry in sys.path if entry and (os.path.realpath(entry) != here or here in trusted)]
    os.environ["PYTHONSAFEPATH"] = "1"  # `python -P` by environment (Python 3.11)
    if named:
        os.environ["PYTHONPATH"] = os.pathsep.join(named)


def start_isolated(code: str, *arguments: str, uses: ModuleType, **options: Any) -> "subprocess.Popen[str]":
    """Start a Python that runs `code` and imports installed code only (`python -I`), in the root folder.

    It ignores PYTHONPATH and the user's own packages, too. The folder of the package that it `uses` is added at the end
    of its path, in case that is the place from which this process has it.
    """
    import subprocess

    folder = os.path.dirname(os.path.dirname(os.path.abspath(uses.__file__ or "")))
    command = [sys.executable, "-I", "-c", f"import sys\nsys.path.append({folder!r})\n{code}", *arguments]
    root = os.path.abspath(os.sep)
    return subprocess.Popen(command, text=True, errors="replace", cwd=root, **options)
