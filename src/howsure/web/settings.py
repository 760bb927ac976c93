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
    howsure.errors.ArgumentError: other machines can reach `host` 0.0.0.0: give a `token` of 16 characters or more.
    """

    host: str = option("127.0.0.1", "Address to listen on; any but this machine's own requires a token.")
    port: int = option(8765, "Port to listen on.", at_least=0, at_most=65535)
    token: str | None = option(None, "Secret that visitors must give, at least 16 characters.")
    folder: str | None = option(None, "Where uploads and jobs are kept; a private temporary folder if left out.")
    workers: int = option(
        2,
        "Long jobs computed at the same time; one worker more answers short questions.",
        at_least=1,
        at_most=64,
        group=LIMITS,
    )
    max_megabytes: float = option(50, "Largest upload.", at_least=0.001, group=LIMITS)
    max_rows: int = option(2_000_000, "Most rows or responses of an upload.", at_least=1, group=LIMITS)
    max_columns: int = option(2_000, "Most columns of an upload.", at_least=1, group=LIMITS)
    max_draws: int = option(1_000_000, "Most draws or simulations of a question.", at_least=1, group=LIMITS)
    max_designs: int = option(10_000, "Most designs or cells of a question.", at_least=1, group=LIMITS)
    max_jobs: int = option(20, "Most jobs of one visitor that wait or run.", at_least=1, group=LIMITS)
    max_seconds: float = option(3600, "Longest time of a job.", at_least=1, group=LIMITS)
    max_memory: float = option(4000, "Most memory of a job, in megabytes.", at_least=100, group=LIMITS)
    keep_hours: float = option(24, "After how many hours uploads and answers are deleted.", at_least=0.01, group=LIMITS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.is_local and (self.token is None or len(self.token) < 16):
            raise ArgumentError(
                f"other machines can reach `host` {self.host}: give a `token` of 16 characters or more."
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
