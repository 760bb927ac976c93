"""What this process and the interpreters that it starts may import: what is installed, and nothing from a data folder.

A folder of downloaded data may hold a `polars.py`. Python imports from the current folder first if it is started with
`-c` or `-m`. Every interpreter that we start is therefore started with `-I`, which no environment and no option of the
parent undoes.
"""

import os
import site
import sys

TYPE_CHECKING = False  # `python -m howsure` still has the current folder on its path: nothing is imported but what
if TYPE_CHECKING:  # Python itself has imported already, and that holds for `typing`, too
    import subprocess
    from typing import Any


def import_installed_code_only() -> None:
    """Take the current folder off the import path of this process.

    Every command begins with this. Whoever writes a folder into PYTHONPATH by its whole path wants its code; an empty
    entry or a dot there would be the current folder, whichever that is.
    """
    sys.path[:] = _without_the_current_folder()
    named = [entry for entry in os.environ.pop("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    os.environ["PYTHONSAFEPATH"] = "1"  # for programs that others start from here: `python -P` (Python 3.11)
    if named:
        os.environ["PYTHONPATH"] = os.pathsep.join(named)


def is_module_command() -> bool:
    """Return whether Python is about to run `python -m howsure`: it imports the package before its `__main__`."""
    # Until then, sys.argv is "-m" and what comes after the name of the module.
    return sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] in ("howsure", "-mhowsure")


def start_isolated(code: str, *arguments: str, **options: "Any") -> "subprocess.Popen[Any]":
    """Start a Python that runs `code` and imports installed code only (`python -I`), in the root folder.

    `-I` leaves out the current folder, every PYTHON… variable and the user's own packages. What this process may
    import comes after what is installed, in case howsure or a package that it needs lies there.
    """
    import subprocess

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [entry for entry in (*_without_the_current_folder(), package) if os.path.isabs(entry)]
    path = f"import sys\nsys.path += [folder for folder in {folders!r} if folder not in sys.path]\n"
    return subprocess.Popen(
        [sys.executable, "-I", "-c", path + code, *arguments], cwd=os.path.abspath(os.sep), **options
    )


def isolate_multiprocessing() -> None:
    """Let every interpreter that `multiprocessing` starts from now on, and Dask by it, be isolated (`-I`).

    Its workers take their import path from this process, which must have left the current folder. Its command lines
    repeat the options of this interpreter, which cannot be changed, so the function that lists them is replaced. Only
    the command line asks for this: its process is its own, while that of a program belongs to somebody else.
    """
    from multiprocessing import util

    plain = util._args_from_interpreter_flags  # type: ignore[attr-defined]
    if "-I" not in plain():
        util._args_from_interpreter_flags = lambda: ["-I", *plain()]  # type: ignore[attr-defined]


def _without_the_current_folder() -> list[str]:
    """Return the import path without the current folder, unless that is installed or named by PYTHONPATH."""
    here = os.path.realpath(os.curdir)
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    folders = (os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(), *named)
    trusted = {os.path.realpath(folder) for folder in folders}
    return [entry for entry in sys.path if entry and (os.path.realpath(entry) != here or here in trusted)]
