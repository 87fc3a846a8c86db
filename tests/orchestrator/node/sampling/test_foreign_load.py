"""Load by other processes is what the slot's cores did beyond the attempt's own processes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator.node.sampling.foreign_load import ForeignLoad, ForeignLoadMeter
from orchestrator.protocol.foreign_load import foreign_percent

READY: dict[str, int] = {"ready": 1}
BEGUN = READY | {"run_start": 2}
ENDED = BEGUN | {"run_stop": 3}


class Cores:
    """Made-up CPU seconds of a slot's cores and of the attempt's own processes."""

    def __init__(self) -> None:
        self.busy, self.own, self.seconds = 100.0, 10.0, 0.0

    def run(self, busy: float, own: float, seconds: float = 50.0) -> None:
        self.busy += busy
        self.own += own
        self.seconds += seconds

    def meter(self) -> ForeignLoadMeter:
        return ForeignLoadMeter((0, 1), lambda _: self.busy, lambda: self.own, lambda: self.seconds)


def test_only_the_timed_run_counts() -> None:
    cores = Cores()
    meter = cores.meter()
    meter.update([READY])
    cores.run(50, 0)  # others, before the run
    meter.update([BEGUN])
    cores.run(30, 20)
    meter.update([BEGUN])
    meter.update([ENDED])
    cores.run(50, 0)
    meter.update([ENDED])
    assert meter.result() == ForeignLoad(10.0, 100.0)  # 50 s of two cores


def test_all_ranks_must_have_begun_and_ended() -> None:
    cores = Cores()
    meter = cores.meter()
    meter.update([BEGUN, READY])
    cores.run(5, 0)
    meter.update([BEGUN, BEGUN])
    cores.run(7, 0)
    meter.update([ENDED, BEGUN])
    cores.run(1, 0)
    meter.update([ENDED, ENDED])
    assert meter.result().seconds == 8.0


def test_a_quiet_run_is_none_by_rounding() -> None:
    cores = Cores()
    meter = cores.meter()
    meter.update([BEGUN])
    cores.run(19.9, 20)  # ticks round
    meter.update([ENDED])
    assert meter.result().seconds == 0.0


def test_a_slow_look_at_many_processes_makes_no_share_above_all_of_the_time() -> None:
    cores = Cores()
    seconds = iter([0.5, 0.0])  # the second look is fast

    def own() -> float:
        cores.run(0, 0, next(seconds))
        return cores.own

    meter = ForeignLoadMeter((0,), lambda _: cores.busy, own, lambda: cores.seconds)
    meter.update([BEGUN])
    cores.run(10.0, 0, 9.5)  # all of the 10 s since the first reading of the core
    meter.update([ENDED])
    assert meter.result() == ForeignLoad(10.0, 10.0)


@pytest.mark.parametrize("marks", [[], [READY], [BEGUN]])
def test_a_run_that_did_not_end_has_no_load(marks: list[dict[str, int]]) -> None:
    meter = Cores().meter()
    meter.update(marks)
    assert meter.result() == ForeignLoad(unknown="the attempt ended before its timed run")


def test_hidden_cores_are_unknown_with_the_reason() -> None:
    def hidden(_: Sequence[int]) -> float:
        raise OSError("/proc/stat counts no CPU time")

    meter = ForeignLoadMeter((0,), hidden, lambda: 0.0)
    meter.update([BEGUN])
    meter.update([ENDED])
    assert meter.result() == ForeignLoad(unknown="/proc/stat counts no CPU time")


def test_nodes_add_up_and_one_unknown_leaves_all_unknown() -> None:
    assert ForeignLoad(1.5, 10.0) + ForeignLoad(2.0, 20.0) == ForeignLoad(3.5, 30.0)
    assert ForeignLoad(1.5) + ForeignLoad(unknown="x") == ForeignLoad(unknown="x")


@pytest.mark.parametrize(
    ("foreign", "core_seconds", "percent"),
    [(2.0, 1.0, 0), (2.1, 10.0, 21), (5.0, 100.0, 5), (5.01, 100.0, 6), (9.9, 200.0, 5), (9.9, 0.0, 0)],
)
def test_the_share_is_of_the_cores_time_above_a_floor(
    foreign: float, core_seconds: float, percent: int
) -> None:
    assert foreign_percent(foreign, core_seconds) == percent
