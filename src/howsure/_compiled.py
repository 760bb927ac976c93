"""Numba's compiler, with its cache where only the user can read and write.

Numba keeps compiled loops as pickles, and whoever can write a pickle can run code when it is read. So the cache has a
folder of its own below the user's cache folder (`$XDG_CACHE_HOME/howsure/numba`, mode 0700), never one beside data; the
environment variable `NUMBA_CACHE_DIR` names another.
"""

import os
import stat
from pathlib import Path
from typing import Any

import numba
from numba import njit

__all__ = ["njit"]


def private_folder() -> str | None:
    """Make the folder of the cache and return it; None where it cannot be made the user's own."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "howsure" / "numba"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return None
        folder.chmod(0o700)
    except (OSError, ValueError, RuntimeError, AttributeError):  # no home, a full disk, or a system without owners
        return None
    return str(folder)


settings: Any = numba.config
# Numba also takes settings, the folder of these pickles among them, from a file in the current folder, which may hold
# data of strangers. It reads the file when it is imported and whenever it compiles, so it must not know its name.
settings._config_fname = ""
settings.reload_config()
if not settings.CACHE_DIR and (cache := private_folder()) is not None:
    settings.CACHE_DIR = cache
