from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from workloads.context import Context, SlotView
from workloads.description import DataError
from workloads.runtime.collectives import Ranks, RanksDiffer, digest
from workloads.runtime.communication import RankLost
from workloads.runtime.communication.horovod_transport import HorovodTransport


class Variable:
    def __init__(self, name, values):
        self.name = name
        self._values = values

    def numpy(self):
        return self._values


def alone():
    return Ranks(Context(seed=1, slot=SlotView(cores=(0,))))


def test_one_rank_needs_no_horovod(monkeypatch):
    monkeypatch.setitem(sys.modules, "horovod", None)
    ranks = alone()
    values = np.array([1.0, 2.0])
    assert ranks.all_reduce_mean([values])[0] is values
    assert ranks.all_reduce_sum(values) is values
    ranks.broadcast([Variable("w", values)])
    assert ranks.all_gather_object(lambda: 3) == [3]
    assert ranks.broadcast_object(lambda: {"a": 1}) == {"a": 1}
    assert ranks.describe() == {}
    ranks.assert_in_sync([Variable("w", values)], "now")
    assert ranks.sync_checks == 1


def test_several_ranks_without_horovod_are_told_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "horovod.tensorflow", None)
    with pytest.raises(RuntimeError, match=r"2 ranks needs Horovod.*`uv pip install '\.\[horovod\]'`"):
        Ranks(Context(seed=1, slot=SlotView(cores=(0,), rank=0, size=2)))


def test_a_rank_whose_environment_says_otherwise_is_refused(monkeypatch):
    found = SimpleNamespace(init=lambda: None, rank=lambda: 0, size=lambda: 1)
    monkeypatch.setitem(sys.modules, "horovod", SimpleNamespace(tensorflow=found))
    monkeypatch.setitem(sys.modules, "horovod.tensorflow", found)
    with pytest.raises(RuntimeError, match="rank 1 of 2, but Horovod was started as rank 0 of 1"):
        Ranks(Context(seed=1, slot=SlotView(cores=(0,), rank=1, size=2)))


def test_ranks_that_differ_are_named(monkeypatch):
    ranks = alone()
    ranks.size = 4
    monkeypatch.setattr(ranks, "all_gather_object", lambda make: [make(), "other", make(), "third"])
    with pytest.raises(RanksDiffer) as caught:
        ranks.assert_in_sync([Variable("w", np.zeros(3))], "after epoch 7")
    assert str(caught.value) == "after epoch 7: rank 1, 3 of 4 and rank 0 have different weights"
    assert ranks.sync_checks == 0


def test_the_digest_sees_every_bit_name_and_shape():
    zeros = np.zeros((2, 3), np.float32)
    other = zeros.copy()
    other[1, 2] = -0.0
    same = digest([Variable("w", zeros.copy())])
    assert digest([Variable("w", zeros)]) == same
    different = [Variable("v", zeros), Variable("w", zeros.T), Variable("w", other)]
    assert len({same, *(digest([variable]) for variable in different)}) == 4
    assert digest([Variable("scalar", np.float32(1))]) != digest([Variable("scalar", np.float32(2))])


def test_what_horovod_raises_becomes_one_clear_error():
    ranks = alone()
    ranks.rank, ranks.size = 1, 3
    ranks._transport = HorovodTransport.__new__(HorovodTransport)
    message = r"^another rank of this instance ended .* rank 1 of 3 cannot go on"
    with pytest.raises(RankLost, match=message), ranks.translate_errors():
        raise ValueError("Horovod has been shut down. This was caused by …")
    with pytest.raises(ValueError, match="our own"), ranks.translate_errors():
        raise ValueError("our own mistake")
    with pytest.raises(DataError, match="Horovod"), ranks.translate_errors():
        raise DataError("data/Horovod/x.jpg: is no image")
