"""A published figure, recomputed: points by panel and series, ready to be plotted or written as rows."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from howsure._frames import in_any_form
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.papers.citations import CITATIONS
from howsure.papers.expected_outcomes import Outcome, SimulationSize
from howsure.papers.published import Measured, Setting
from howsure.records import Record

if TYPE_CHECKING:
    import polars as pl

Mark = Literal["line", "bar", "step"]


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a figure.

    Attributes
    ----------
    panel, series : str
    x, y : float
    low, high : float
        Where the number itself may lie: two standard errors, or 5 to 95% of data sets; NaN where it is exact.
    is_bound : bool
        Whether y is an upper bound of a p-value: no simulation was as extreme.
    """

    panel: str
    series: str
    x: float
    y: float
    low: float = math.nan
    high: float = math.nan
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class PaperFigure(Record):
    """A published figure, recomputed.

    Attributes
    ----------
    paper : str
    figure : int
    title : str
    x, y, series : str
        What the axes and the series are.
    mark : {"line", "bar", "step"}
    log_x, log_y : bool
    points : tuple of Point
    n_simulations, seed : int
    notes : tuple of str
        How the figure was read, and where it cannot be what is printed.
    """

    paper: str
    figure: int
    title: str
    x: str
    y: str
    series: str
    mark: Mark
    log_x: bool
    log_y: bool
    points: tuple[Point, ...]
    n_simulations: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def panels(self) -> tuple[str, ...]:
        """The panels, in order."""
        return tuple(dict.fromkeys(point.panel for point in self.points))

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one point per row."""
        import polars as pl

        return pl.DataFrame([{name: getattr(point, name) for name in Point.__slots__} for point in self.points])

    def document(self) -> Document:
        """Return the title, and one table for each panel: x or, where there are more of them, series in the rows."""
        blocks: list[Block] = [Sentence(f"Figure {self.figure} of {self.paper.upper()}: {self.title}.", "verdict")]
        first, *others = [self._panel(panel) for panel in self.panels]
        blocks.append(first)
        if others:
            shown = f"1 of {len(self.panels)} panels is shown; a chart (`chart`) shows all of them."
            blocks += [*details(others), Sentence(shown, "aside")]
        blocks.append(Sentence(f"{self.n_simulations:,} simulations of each type, seed {self.seed}."))
        blocks.append(Sentence(f"Paper: {CITATIONS[self.paper]}"))
        return Document(f"{self.paper.upper()}, figure {self.figure}, reproduced", tuple(blocks), self.notes)

    def _panel(self, panel: str) -> Table:
        points = [point for point in self.points if point.panel == panel]
        names = list(dict.fromkeys(point.series for point in points))
        places = sorted({point.x for point in points})
        known = {(point.series, point.x): point for point in points}
        columns = (Column(self.x, "number"), *(Column(name, "number") for name in names))
        if self.mark == "step":  # every series has places of its own
            columns = (Column(self.series), Column(self.x, "number"), Column(self.y, "number"))
            return Table(columns, tuple((p.series, p.x, p.y) for p in points), panel)
        if len(names) > len(places):
            columns = (Column(self.series), *(Column(f"{self.x} = {x:g}", "number") for x in places))
            turned = [(name, *(_shown(known.get((name, x))) for x in places)) for name in names]
            return Table(columns, tuple(turned), f"{panel}: {self.y}")
        lines = [(x, *(_shown(known.get((name, x))) for name in names)) for x in places]
        return Table(columns, tuple(lines), f"{panel}: {self.y}")


def _shown(point: Point | None) -> float | str | None:
    if point is None:
        return None
    return f"< {point.y:.2g}" if point.is_bound else point.y


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """What a figure shows, and how it is recomputed.

    Attributes
    ----------
    settings : callable
        Returns the grid points to measure.
    points : callable
        Makes points of what was measured.
    measure : callable, optional
        Measures one grid point; by default like the paper's tables.
    """

    title: str
    x: str
    y: str
    series: str
    settings: Callable[[], list[dict[str, Any]]]
    points: Callable[[Sequence[Measured]], list[Point]]
    measure: Callable[[Setting, SimulationSize], dict[str, float]] | None = None
    mark: Mark = "line"
    log_x: bool = False
    log_y: bool = False
    notes: tuple[str, ...] = ()

    def figure(self, paper: str, number: int, measured: Sequence[Measured], size: int, seed: int) -> PaperFigure:
        """Return the figure from what was measured."""
        same = {name: getattr(self, name) for name in ("title", "x", "y", "series", "mark", "log_x", "log_y", "notes")}
        points = tuple(self.points(measured))
        return PaperFigure(paper=paper, figure=number, points=points, n_simulations=size, seed=seed, **same)


def spread_of(outcome: Outcome, whose: str) -> dict[str, float]:
    """Return the p of an outcome with its own error, named after whose it is."""
    return {
        f"{whose} p": float(outcome.p),
        f"{whose} p_error": float(outcome.p_error),
        f"{whose} p_is_bound": float(outcome.p_is_bound),
    }


def point_of(panel: str, series: str, x: float, values: Mapping[str, float], name: str) -> Point:
    """Return the point of a measured p, power or width ("mae p"), with two errors on either side."""
    y, error = values[name], values[f"{name}_error"]
    is_bound = bool(values.get(f"{name}_is_bound", False))
    high = y + 2 * error if name.endswith("width") else min(1.0, y + 2 * error)
    return Point(panel, series, x, y, max(0.0, y - 2 * error), high, is_bound)
