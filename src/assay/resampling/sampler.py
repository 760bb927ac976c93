"""From seeds to batches of resampled summaries of gold, A and B."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.resampling.nulls import NullName
from assay.resampling.numbered import Numbered
from assay.resampling.schemes import Scheme
from assay.responses import Contest, Responses
from assay.scales import FloatArray, IntArray, Scale
from assay.summaries import Needs, summarise

CELLS = 2**16
"""A batch of summaries stays below this many numbers for each source, so that it lives in the processor's cache."""

STREAMS = 5
ITEMS, GOLD, A, B, SWAPS = range(STREAMS)
"""Each draw has a seed for each of these streams."""

Seeds = npt.NDArray[np.uint64]
Batch = tuple[slice, FloatArray | None, FloatArray, FloatArray]


class Sampler:
    """Turns seeds (streams × draws) into summaries for one scheme, null and kind of summary."""

    def __init__(self, contest: Contest, needs: Needs, scheme: Scheme, null: NullName | None) -> None:
        self.needs = needs
        self.scheme = scheme
        self.null = null
        self.n_items = contest.n_items
        self.n_dealt = contest.a.sizes
        a, b = contest.a, contest.b
        if null in ("pooled-responses", "dealt-responses"):
            a = b = pool(contest.a, contest.b)
        self.sources = [
            None if source is None or own is None else _Source(source, contest.scale, needs, self._n_drawn(own))
            for source, own in ((contest.gold, contest.gold), (a, contest.a), (b, contest.b))
        ]
        pooled = self.sources[1]
        assert pooled is not None
        self.dealt_width = (pooled.width_of(contest.a.sizes), pooled.width_of(contest.b.sizes))
        widest = max(source.width for source in self.sources if source is not None)
        self.batch = max(1, CELLS // (self.n_items * widest))
        self._spaces = threading.local()

    def batches(self, seeds: Seeds) -> Iterator[Batch]:
        """Yield a batch of draws at a time, with its summaries of gold, A and B; the next batch overwrites them."""
        from assay.resampling import _kernels

        n_draws = seeds.shape[1]
        items, spaces = self._space()
        for start in range(0, n_draws, self.batch):
            batch = slice(start, min(start + self.batch, n_draws))
            of_batch = seeds[:, batch]
            drawn = items[: batch.stop - start]
            if items.size:
                _kernels.draw_items(self.n_items, of_batch[ITEMS], drawn)
            gold, a, b = (
                None if source is None or space is None else self._draw(source, drawn, of_batch[GOLD + i], space)
                for i, (source, space) in enumerate(zip(self.sources, spaces, strict=True))
            )
            yield batch, gold, *self._under_null(drawn, of_batch, a, b)

    def _space(self) -> tuple[IntArray, list[FloatArray | None]]:
        """Return this thread's room for a batch: fresh memory for each batch would cost more than the drawing."""
        if not hasattr(self._spaces, "room"):
            items = np.empty((self.batch, self.n_items if self.scheme.items == "bootstrap" else 0), dtype=np.int64)
            self._spaces.room = items, [None if source is None else source.space(self.batch) for source in self.sources]
        room: tuple[IntArray, list[FloatArray | None]] = self._spaces.room
        return room

    def _draw(self, source: "_Source", items: IntArray, seeds: Seeds, space: FloatArray) -> FloatArray:
        out = space[: len(seeds)]
        return source.keep(items, out) if source.n_drawn is None else source.draw(items, seeds, out)

    def _under_null(self, items: IntArray, seeds: Seeds, a: Any, b: Any) -> tuple[FloatArray, FloatArray]:
        from assay.resampling import _kernels

        if self.null == "dealt-responses":
            pooled = self.sources[1]
            assert pooled is not None
            return pooled.deal(items, seeds[A], self.n_dealt, self.dealt_width)
        if self.null == "swapped-items":
            return exchange(a, b, _kernels.draw_swaps(self.n_items, seeds[SWAPS]), self.needs)
        return a, b

    def _n_drawn(self, source: Responses) -> IntArray | None:
        if self.scheme.responses not in ("one", "bootstrap"):
            return None
        if self.scheme.responses == "one":
            return np.ones(source.n_items, dtype=np.int64)
        if self.scheme.n_responses is not None:
            return np.full(source.n_items, self.scheme.n_responses, dtype=np.int64)
        return source.sizes


class _Source:
    """One source's responses in the form that the kernels read. `items` is empty when each item is kept once.

    `n_drawn` is how many responses of each item are drawn, None when all are kept.
    """

    def __init__(self, responses: Responses, scale: Scale, needs: Needs, n_drawn: IntArray | None) -> None:
        self.needs = needs
        if needs == "sorted":
            values = responses.values[np.lexsort((responses.values, responses.items))]
            responses = Responses(values, responses.offsets)
        self.responses = responses
        self.codes = scale.codes(responses.values) if needs == "counts" else np.empty(0, dtype=np.int64)
        self.n_levels = len(scale.levels)
        self.kept = summarise(responses, needs, scale)
        self.n_drawn = n_drawn
        self.width = self.width_of(responses.sizes if n_drawn is None else n_drawn)
        self.numbered = None if n_drawn is None else Numbered.of(responses, n_drawn, self.n_levels)
        if self.numbered is not None:
            self.table = self._table(self.numbered)

    def width_of(self, sizes: IntArray) -> int:
        """Return the length of a row of the summary for items with these numbers of responses."""
        if self.needs == "means":
            return 1
        return self.n_levels if self.needs == "counts" else int(sizes.max())

    def space(self, n_draws: int) -> FloatArray:
        """Return room for the summaries of so many draws."""
        n_items = self.responses.n_items
        return np.empty((n_draws, n_items) if self.needs == "means" else (n_draws, n_items, self.width))

    def keep(self, items: IntArray, out: FloatArray) -> FloatArray:
        """Return the summary of all responses, of the drawn items."""
        from assay.resampling import _kernels

        if not items.size:
            return self.kept
        n_items = len(self.kept)
        _kernels.gather(self.kept.reshape(n_items, -1), items, out.reshape(len(items), n_items, -1))
        return out

    def draw(self, items: IntArray, seeds: Seeds, out: FloatArray) -> FloatArray:
        """Return the summary of responses drawn with replacement."""
        from assay.resampling import _kernels

        if self.numbered is not None:
            self._look_up(self.numbered, items, seeds, out)
            return out
        kernel: Any = {
            "means": _kernels.draw_means, "counts": _kernels.draw_counts, "sorted": _kernels.draw_sorted,
            "values": _kernels.draw_values,
        }[self.needs]  # fmt: skip
        values = self.codes if self.needs == "counts" else self.responses.values
        kernel(values, self.responses.offsets, self.n_drawn, items, seeds, out)
        return out

    def _table(self, numbered: Numbered) -> Any:
        if self.needs == "means":
            return numbered.means()
        if self.needs == "counts":
            return numbered.counts(self.codes, self.n_levels)
        return numbered.in_order() if self.needs == "sorted" else numbered.positions

    def _look_up(self, numbered: Numbered, items: IntArray, seeds: Seeds, out: FloatArray) -> None:
        from assay.resampling import _numbered_kernels as kernels

        numbers = kernels.Numbers(numbered.n_resamples, numbered.first, numbered.distinct, numbered.rows)
        if self.needs in ("means", "counts"):
            kernel = kernels.look_up_means if self.needs == "means" else kernels.look_up_counts
            kernel(self.table, numbers, items, seeds, out)
        else:
            assert self.n_drawn is not None
            values, offsets = self.responses.values, self.responses.offsets
            kernels.look_up_values(values, offsets, self.n_drawn, self.table, numbers, items, seeds, out)

    def deal(
        self, items: IntArray, seeds: Seeds, n_first: IntArray, width: tuple[int, int]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the summaries of responses shuffled and dealt to A and to B."""
        from assay.resampling import _kernels

        what = {
            "means": _kernels.MEANS, "counts": _kernels.COUNTS, "sorted": _kernels.SORTED, "values": _kernels.VALUES,
        }[self.needs]  # fmt: skip
        first, rest = _kernels.deal_responses(
            self.responses.values, self.codes, self.responses.offsets, n_first, items, seeds, what, width
        )
        return (first[..., 0], rest[..., 0]) if self.needs == "means" else (first, rest)


def exchange(a: FloatArray, b: FloatArray, swaps: Any, needs: Needs) -> tuple[FloatArray, FloatArray]:
    """Exchange A and B where a coin (draws × items) says so; rows of responses are first made equally long."""
    if needs != "means":
        swaps = swaps[..., np.newaxis]
        width = max(a.shape[-1], b.shape[-1])
        a, b = (_widen(side, width) for side in (a, b))
    return np.where(swaps, b, a), np.where(swaps, a, b)


def _widen(rows: FloatArray, width: int) -> FloatArray:
    pad = [(0, 0)] * (rows.ndim - 1) + [(0, width - rows.shape[-1])]
    return np.pad(rows, pad, constant_values=np.nan) if width > rows.shape[-1] else rows


def pool(a: Responses, b: Responses) -> Responses:
    """Return the responses of both sources together: for each item A's, then B's."""
    items = np.concatenate([a.items, b.items])
    order = np.argsort(items, kind="stable")
    raters = None if a.raters is None or b.raters is None else np.concatenate([a.raters, b.raters])[order]
    return Responses(np.concatenate([a.values, b.values])[order], a.offsets + b.offsets, raters)
