"""Memory that samplers use again: never while anything refers to it, and no more of it than is allowed."""

import threading

import numpy as np
import pytest

from assay.resampling import sampler
from assay.resampling.sampler import _Memory


def test_what_is_in_use_is_never_handed_out_again():
    memory = _Memory()
    first = memory.empty((100, 10))
    part = first[:3]
    del first
    second = memory.empty((100, 10))
    assert not np.shares_memory(part, second)


def test_what_nothing_refers_to_is_handed_out_again_with_any_type():
    memory = _Memory()
    place = memory.empty((100, 10)).ctypes.data
    again = memory.empty((5, 150), np.uint64)
    assert again.ctypes.data == place
    assert again.shape == (5, 150)
    assert again.dtype == np.uint64


def test_a_small_array_does_not_take_the_memory_of_a_large_one():
    memory = _Memory()
    large = memory.empty((1000,))
    place = large.ctypes.data
    del large
    assert memory.empty((10,)).ctypes.data != place


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sampler, "KEPT", 1000)
    memory = _Memory()
    arrays = [memory.empty((size,)) for size in (20, 50, 100, 1000)]
    assert [array.size for array in arrays] == [20, 50, 100, 1000]
    assert sum(raw.size for raw in memory._kept) <= 1000


def test_a_thread_has_its_own():
    memory, others = _Memory(), []
    memory.empty((100,))
    other = threading.Thread(target=lambda: others.extend(memory._kept))
    other.start()
    other.join()
    assert len(memory._kept) == 1
    assert others == []
