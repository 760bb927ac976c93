"""Many cells on one machine or a cluster: a grid, a task, a store that remembers, and `run`.

Knows no statistics. A cell's result depends on the task, its version, the cell's parameters and the study's seed, and
on nothing else: not on the order, the number of workers, the kind of executor or how often the study was interrupted.
"""

from howsure.sweeps.driver import run
from howsure.sweeps.grid import Grid
from howsure.sweeps.results import CellRow, Counts, Sweep
from howsure.sweeps.store import EXPORTS, Store
from howsure.sweeps.study import Study
from howsure.sweeps.tasks import Parts, Task, task

__all__ = ["EXPORTS", "CellRow", "Counts", "Grid", "Parts", "Store", "Study", "Sweep", "Task", "run", "task"]
