"""Worker processes that do not hear Ctrl-C while they start; a module of its own, because workers are told its name."""

from multiprocessing.context import SpawnContext, SpawnProcess


class DeafProcess(SpawnProcess):
    """A worker that leaves Ctrl-C to the driver from its first moment on."""

    def start(self) -> None:
        """Start, with interrupts held back."""
        from howsure.cli._study import deaf_to_interrupts

        with deaf_to_interrupts():
            super().start()


class DeafContext(SpawnContext):
    """Makes such workers."""

    Process = DeafProcess
