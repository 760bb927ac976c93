"""Where the server listens, where it keeps things, and its limits: options of `howsure serve`."""

from dataclasses import dataclass
from pathlib import Path

from howsure._fields import Checked, option
from howsure.errors import ArgumentError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LIMITS = "Limits"


@dataclass(frozen=True, kw_only=True)
class Settings(Checked):
    """How the server runs.

    Examples
    --------
    >>> Settings().is_local
    True
    >>> Settings(host="0.0.0.0")
    Traceback (most recent call last):
    howsure.errors.ArgumentError: other machines can connect to `host` 0.0.0.0: pass a `token` of 16 characters or more.
    """

    host: str = option(
        "127.0.0.1", "Address to listen on. An address other than this machine's own requires a token.", common=True
    )
    port: int = option(8765, "Port to listen on.", at_least=0, at_most=65535, common=True)
    token: str | None = option(None, "Access token that visitors must enter, at least 16 characters.", common=True)
    folder: str | None = option(
        None,
        "Folder for uploads and jobs. Default: a private temporary folder.",
        metavar="FOLDER",
        common=True,
    )
    workers: int = option(
        2,
        "Number of long jobs at the same time. One more worker runs short jobs.",
        at_least=1,
        at_most=64,
        group=LIMITS,
        common=True,
    )
    max_megabytes: float = option(50, "Largest upload, in megabytes.", at_least=0.001, group=LIMITS)
    max_rows: int = option(2_000_000, "Largest number of rows or responses of an upload.", at_least=1, group=LIMITS)
    max_columns: int = option(2_000, "Largest number of columns of an upload.", at_least=1, group=LIMITS)
    max_draws: int = option(1_000_000, "Largest number of resamples or simulations of a job.", at_least=1, group=LIMITS)
    max_designs: int = option(10_000, "Largest number of designs or grid points of a job.", at_least=1, group=LIMITS)
    max_jobs: int = option(20, "Largest number of waiting and running jobs per visitor.", at_least=1, group=LIMITS)
    max_seconds: float = option(3600, "Time limit of a job, in seconds.", at_least=1, group=LIMITS)
    max_memory: float = option(4000, "Memory limit of a job, in megabytes.", at_least=100, group=LIMITS)
    keep_hours: float = option(24, "Hours until uploads and results are deleted.", at_least=0.01, group=LIMITS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.is_local and (self.token is None or len(self.token) < 16):
            raise ArgumentError(
                f"other machines can connect to `host` {self.host}: pass a `token` of 16 characters or more."
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def max_bytes(self) -> int:
        """The largest upload in bytes."""
        return int(self.max_megabytes * 1_000_000)

    @property
    def root(self) -> Path:
        """The folder, which must have been given or made."""
        assert self.folder is not None, "create_app makes the folder"
        return Path(self.folder)
