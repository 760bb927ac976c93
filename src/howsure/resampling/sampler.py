"""From seeds to batches of resampled summaries of gold, A and B."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import IN_A_WORD, Needs, WordArray, summarise
from howsure.errors import ArgumentError
from howsure.resampling.numbered import Numbered
from howsure.resampling.schemes import Exchange, Scheme

CELLS = 2**16
"""A batch of summaries stays below this many numbers for each source, so that it is scored in the processor's cache."""

AHEAD = 4
"""This many batches are drawn before the first is scored: a source's table comes into the cache once for all of them,
and threads wait less often for Python."""

STREAMS = 5
ITEMS, GOLD, A, B, SWAPS = range(STREAMS)
"""Each draw has a seed for each of these streams."""

Seeds = npt.NDArray[np.uint64]
Batch = tuple[slice, FloatArray | None, FloatArray, FloatArray]


class Sampler:
    """Turns seeds (streams × draws) into summaries for one scheme, null and kind of summary.

    With `with_means`, drawn responses bring their means. `swappable` turns both models' summaries into what is swapped
    in their place. The contest may hold the items of several data sets of equal sizes, one after the other (`stacked`):
    each draw is then of one of them.
    """

    def __init__(
        self,
        contest: Contest,
        needs: Needs,
        scheme: Scheme,
        null: Exchange | None,
        *,
        with_means: bool = False,
        swappable: Callable[[Any, FloatArray, FloatArray], tuple[FloatArray, FloatArray]] | None = None,
        n_data_sets: int = 1,
    ) -> None:
        self.needs = needs
        self.swappable = swappable
        self.scheme = scheme
        self.null = null
        self.n_items = contest.n_items // n_data_sets
        self.n_data_sets = n_data_sets
        self.n_dealt = contest.a.sizes
        a, b = contest.a, contest.b
        if null in ("pooled-responses", "permuted-responses"):
            if a.weights is not None or b.weights is not None:
                raise ArgumentError(
                    f"the null {null!r} mixes single responses, but a model answers with a share for each label. "
                    "Use `null='sign-flip'`."
                )
            a = b = pool(contest.a, contest.b)
        self.sources = [
            None
            if source is None or own is None
            else _Source(source, contest.scale, needs, self._n_drawn(own), n_data_sets)
            for source, own in ((contest.gold, contest.gold), (a, contest.a), (b, contest.b))
        ]
        self.widths = [0 if source is None else source.width for source in self.sources]
        if null == "permuted-responses":
            pooled = self.sources[1]
            assert pooled is not None
            self.widths[1:] = [pooled.width_of(own.sizes) for own in (contest.a, contest.b)]
        present = [source for source in self.sources if source is not None]
        widest = max(source.width for source in present)
        self.batch = max(1, CELLS // (self.n_items * widest))
        self.n_ahead = AHEAD * self.batch
        self.with_means = with_means
        self._spaces = threading.local()

    def batches(self, seeds: Seeds, starts: IntArray | None = None) -> Iterator[Batch]:
        """Yield a batch of draws at a time, with its summaries of gold, A and B; the next batch overwrites them.

        Of several data sets, `starts` says where the items of each draw's begin.
        """
        from howsure.resampling.sums import draw_items

        n_draws = seeds.shape[1]
        items, words, spaces, means = self._space()
        for start in range(0, n_draws, self.n_ahead):
            of_draws = seeds[:, start : start + self.n_ahead]
            n = of_draws.shape[1]
            if self.scheme.items == "bootstrap":
                draw_items(self.n_items, of_draws[ITEMS], items[:n])
            elif items.size:
                items[:n] = np.arange(self.n_items)
            if starts is not None:
                items[:n] += starts[start : start + n, np.newaxis]
            drawn: list[Any] = [
                None
                if source is None
                else source.draw(items[:n], of_draws[GOLD + i], spaces[i][:n], (words[:n], means[i][:n]))
                for i, source in enumerate(self.sources[: 1 if self.null == "permuted-responses" else 3])
            ]
            if self.null == "permuted-responses":
                drawn += self._dealt(items[:n], of_draws[A], spaces[1][:n], spaces[2][:n])
            for low in range(0, n, self.batch):
                part = slice(low, min(low + self.batch, n))
                gold, a, b = (
                    side if source is None or side is source.kept else side[part]
                    for source, side in zip(self.sources, drawn, strict=True)
                )
                batch = slice(start + part.start, start + part.stop)
                yield batch, gold, *self._under_null(of_draws[:, part], gold, a, b)

    def means(self, batch: slice) -> list[Any]:
        """Return the means of gold's, A's and B's responses of batches that were just drawn together (`with_means`)."""
        *_, means = self._space()
        low = batch.start % self.n_ahead
        return [None if room is None else room[low : low + batch.stop - batch.start] for room in means]

    def _space(self) -> tuple[IntArray, WordArray, list[Any], list[Any]]:
        """Return this thread's room for a batch: fresh memory for each batch would cost more than the drawing."""
        if not hasattr(self._spaces, "room"):
            shape, nothing = (self.n_ahead, self.n_items), (self.n_ahead, 0)
            numbers_items = self.scheme.items == "bootstrap" or self.n_data_sets > 1
            items = np.empty(shape if numbers_items else nothing, dtype=np.int64)
            words = np.empty(shape if self.needs == "counts" else nothing, dtype=np.uint64)
            spaces = [
                None if source is None else source.space(self.n_ahead, width)
                for source, width in zip(self.sources, self.widths, strict=True)
            ]
            means = [
                None if source is None else np.empty(shape if self.with_means else nothing) for source in self.sources
            ]
            self._spaces.room = items, words, spaces, means
        room: tuple[IntArray, WordArray, list[Any], list[Any]] = self._spaces.room
        return room

    def _dealt(self, items: IntArray, seeds: Seeds, first: FloatArray, rest: FloatArray) -> list[FloatArray]:
        """Return the summaries of responses shuffled and dealt to A and to B."""
        from howsure.resampling import _response_kernels as kernels

        pooled = self.sources[1]
        assert pooled is not None
        values, offsets = pooled.responses.values, pooled.responses.offsets
        if self.needs == "means":
            kernels.deal_means(values, offsets, self.n_dealt, items, seeds, first, rest)
        else:
            what = {"counts": kernels.COUNTS, "sorted": kernels.SORTED, "values": kernels.VALUES}[self.needs]
            kernels.deal_responses(values, pooled.codes, offsets, self.n_dealt, items, seeds, what, first, rest)
        return [first, rest]

    def _under_null(self, seeds: Seeds, gold: Any, a: Any, b: Any) -> tuple[FloatArray, FloatArray]:
        from howsure.resampling import _kernels

        if self.null == "sign-flip":
            if self.swappable is not None:
                a, b = self.swappable(gold, a, b)
            return self._exchanged(a, b, _kernels.draw_swaps(self.n_items, seeds[SWAPS]))
        return a, b

    def _exchanged(self, a: Any, b: Any, swaps: Any) -> tuple[FloatArray, FloatArray]:
        """Exchange A and B as `exchange` does, in this thread's room for a batch."""
        from howsure.resampling import _kernels

        flat = self.needs == "means"
        if not flat:
            a, b = (widen(side, max(a.shape[-1], b.shape[-1])) for side in (a, b))
        shape = swaps.shape if flat else (*swaps.shape, a.shape[-1])
        if not hasattr(self._spaces, "exchanged") or self._spaces.exchanged.shape[1:] != (self.batch, *shape[1:]):
            self._spaces.exchanged = np.empty((2, self.batch, *shape[1:]), dtype=a.dtype)
        first, second = self._spaces.exchanged[:, : len(swaps)]
        width = 1 if flat else shape[-1]
        of_a, of_b = (np.ascontiguousarray(side).view(np.int64).reshape(-1, self.n_items, width) for side in (a, b))
        left, right = (side.view(np.int64).reshape(*swaps.shape, width) for side in (first, second))
        _kernels.exchange(of_a, of_b, swaps, left, right)
        return first, second

    def _n_drawn(self, source: Responses) -> IntArray | None:
        if self.scheme.responses not in ("one", "bootstrap") or source.weights is not None:
            return None  # a distribution is one answer, which is kept whole
        if self.scheme.responses == "one":
            return np.ones(source.n_items, dtype=np.int64)
        if self.scheme.n_responses is not None:
            return np.full(source.n_items, self.scheme.n_responses, dtype=np.int64)
        return source.sizes


class _Source:
    """One source's responses in the form that the kernels read. `items` is empty when each item is kept once.

    `n_drawn` is how many responses of each item are drawn, None when all are kept.
    """

    def __init__(
        self, responses: Responses, scale: Scale, needs: Needs, n_drawn: IntArray | None, n_data_sets: int = 1
    ) -> None:
        self.needs, self.n_data_sets = needs, n_data_sets
        if needs == "sorted":
            values = responses.values[np.lexsort((responses.values, responses.items))]
            responses = Responses(values, responses.offsets)
        self.responses = responses
        self.codes = scale.codes(responses.values) if needs == "counts" else np.empty(0, dtype=np.int64)
        self.n_levels = len(scale.levels)
        self.kept = summarise(responses, needs, scale)
        self.n_drawn, self.draws_one = n_drawn, n_drawn is not None and bool((n_drawn == 1).all())
        self.width = self.width_of(responses.sizes if n_drawn is None else n_drawn)
        self.numbered = None if n_drawn is None else Numbered.of(responses, n_drawn, self.n_levels, n_data_sets)
        if self.numbered is not None:
            self.table = self._table(self.numbered)

    def width_of(self, sizes: IntArray) -> int:
        """Return the length of a row of the summary for items with these numbers of responses."""
        if self.needs == "means":
            return 1
        return self.n_levels if self.needs == "counts" else int(sizes.max())

    def space(self, n_draws: int, width: int) -> Any:
        """Return room for the summaries of `n_draws` draws, which have this width."""
        shape = (n_draws, self.responses.n_items // self.n_data_sets)
        return np.empty(shape if self.needs == "means" else (*shape, width))

    def draw(self, items: IntArray, seeds: Seeds, out: Any, beside: tuple[WordArray, FloatArray]) -> Any:
        """Return the summary of the drawn items: of all responses, or of responses drawn with replacement.

        It is written to `out`. `beside` is room for words of counts, and for the means of drawn values, which are
        written unless it is empty.
        """
        from howsure.resampling import _kernels, _response_kernels

        if self.n_drawn is None:
            if not items.size:
                return self.kept
            _kernels.gather(self.kept.reshape(len(self.kept), -1), items, out.reshape(*items.shape, -1))
            return out
        if self.needs == "means" and self.draws_one:
            _response_kernels.draw_singles(self.responses.values, self.responses.offsets, items, seeds, out)
            return out
        if self.numbered is not None:
            self._look_up(self.numbered, items, seeds, out, beside)
            return out
        kernel: Any = {
            "means": _response_kernels.draw_means,
            "counts": _response_kernels.draw_counts,
            "sorted": _response_kernels.draw_sorted,
            "values": _response_kernels.draw_values,
        }[self.needs]
        values = self.codes if self.needs == "counts" else self.responses.values
        more = beside[1:] if self.needs == "values" else ()
        kernel(values, self.responses.offsets, self.n_drawn, items, seeds, out, *more)
        return out

    def _table(self, numbered: Numbered) -> Any:
        if self.needs == "counts":
            return numbered.counts(self.codes, self.n_levels)
        return numbered.in_order() if self.needs == "sorted" else numbered.positions

    def _look_up(
        self, numbered: Numbered, items: IntArray, seeds: Seeds, out: Any, beside: tuple[WordArray, FloatArray]
    ) -> None:
        from howsure.resampling import _numbered_kernels as kernels

        words, means = beside
        numbers = kernels.Numbers(numbered.n_resamples, numbered.first, numbered.distinct, numbered.rows)
        if self.needs == "counts":
            for i, table in enumerate(self.table):
                kernels.look_up(table, numbers, items, seeds, words)
                kernels.unpack(words, out[..., IN_A_WORD * i : IN_A_WORD * (i + 1)])
        else:
            assert self.n_drawn is not None
            values, offsets = self.responses.values, self.responses.offsets
            common = (values, offsets, self.n_drawn, self.table, numbers, items, seeds, out)
            if self.needs == "means":
                kernels.look_up_means(*common)
            else:
                kernels.look_up_values(*common, means)


def exchange(a: FloatArray, b: FloatArray, swaps: Any, needs: Needs) -> tuple[FloatArray, FloatArray]:
    """Exchange A and B where a coin (draws × items) says so; rows of responses are first made equally long."""
    if needs != "means":
        swaps = swaps[..., np.newaxis]
        width = max(a.shape[-1], b.shape[-1])
        a, b = (widen(side, width) for side in (a, b))
    return np.where(swaps, b, a), np.where(swaps, a, b)


def widen(rows: FloatArray, width: int) -> FloatArray:
    """Fill rows up with NaN to this length."""
    pad = [(0, 0)] * (rows.ndim - 1) + [(0, width - rows.shape[-1])]
    return np.pad(rows, pad, constant_values=np.nan) if width > rows.shape[-1] else rows


def pool(a: Responses, b: Responses) -> Responses:
    """Return the responses of both sources together: for each item A's, then B's."""
    items = np.concatenate([a.items, b.items])
    order = np.argsort(items, kind="stable")
    raters = None if a.raters is None or b.raters is None else np.concatenate([a.raters, b.raters])[order]
    return Responses(np.concatenate([a.values, b.values])[order], a.offsets + b.offsets, raters)
