"""Timelines of ranks that communicate: added up by hand, and as Horovod of two ranks wrote one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from workloads.runtime import horovod_timeline
from workloads.runtime.horovod_timeline import Recording, read, summarize


def begin(name: str, at: float, row: int = 1) -> dict[str, Any]:
    return {"ph": "B", "name": name, "ts": at, "pid": row}


def end(at: float, row: int = 1, **facts: str) -> dict[str, Any]:
    return {"ph": "E", "ts": at, "pid": row} | ({"args": facts} if facts else {})


def ready(rank: int, at: float, row: int = 1) -> dict[str, Any]:
    return {"ph": "X", "name": str(rank), "ts": at, "pid": row, "dur": 0}


TWO_TENSORS = [
    {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "a"}},
    begin("NEGOTIATE_ALLREDUCE", 1_000_000), ready(0, 1_000_000),
    begin("NEGOTIATE_ALLREDUCE", 1_100_000, 2), ready(0, 1_100_000, 2),
    ready(1, 1_500_000), end(1_500_000),
    ready(1, 1_600_000, 2), end(1_600_000, 2),
    begin("ALLREDUCE", 1_700_000), begin("ALLREDUCE", 1_700_000, 2),
    begin("GLOO_ALLREDUCE", 1_800_000), end(1_900_000),
    end(2_000_000, dtype="float32", shape="[20, 30]"), end(2_100_000, 2, dtype="float16", shape="[]"),
    begin("BROADCAST", 3_000_000),
]  # fmt: skip


def test_time_is_that_in_which_any_tensor_is_in_an_activity() -> None:
    found = summarize(TWO_TENSORS)
    negotiate, reduce = found.activities["NEGOTIATE_ALLREDUCE"], found.activities["ALLREDUCE"]
    assert (negotiate.calls, negotiate.seconds, negotiate.bytes) == (2, pytest.approx(0.6), 0)
    assert (reduce.calls, reduce.seconds, reduce.bytes) == (2, pytest.approx(0.4), 20 * 30 * 4 + 2)
    assert found.activities["GLOO_ALLREDUCE"].seconds == pytest.approx(0.1)
    assert "BROADCAST" not in found.activities  # it did not end
    assert found.last_ranks == {1: 2}
    metrics = {one.name: one.value for one in found.metrics()}
    assert metrics["timeline_seconds"] == pytest.approx(2.0)
    assert metrics["timeline_allreduce_share"] == pytest.approx(1.0 / 2.0)
    assert (metrics["timeline_latest_rank"], metrics["timeline_latest_rank_share"]) == (1, 1.0)


def test_the_steps_of_all_reduce_are_means_over_tensors() -> None:
    steps = (
        ("WAIT_FOR_DATA", 2), ("WAIT_FOR_OTHER_TENSOR_DATA", 3), ("QUEUE", 5), ("MEMCPY_IN_FUSION_BUFFER", 7),
        ("NCCL_ALLREDUCE", 11), ("MEMCPY_OUT_FUSION_BUFFER", 13),
    )  # fmt: skip
    events = [begin("NEGOTIATE_ALLREDUCE", 0), end(100), begin("ALLREDUCE", 100)]
    at = 100.0
    for name, length in steps:
        events += [begin(name, at), end(at + length)]
        at += length
    events += [end(at), begin("BROADCAST", at), begin("WAIT_FOR_DATA", at), end(at + 900), end(at + 900)]
    second = [begin("NEGOTIATE_ALLREDUCE", at, 2), end(at + 300, 2)]
    metrics = {one.name: one.value for one in summarize([*events, *second]).metrics()}
    assert metrics["timeline_mean_negotiation_seconds"] == pytest.approx(200e-6)
    found = {
        name: metrics[f"timeline_mean_{name}_seconds"]
        for name in ("wait_for_data", "wait_for_other_data", "queue", "memcpy_in", "reduce", "memcpy_out")
    }
    assert list(found.values()) == pytest.approx([length / 1e6 for _, length in steps])


def test_an_empty_timeline_adds_up_to_nothing() -> None:
    assert [one.value for one in summarize([]).metrics()] == [0.0]


@pytest.mark.parametrize("torn", [False, True])
def test_events_are_read_in_pieces_and_up_to_a_torn_end(
    torn: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(horovod_timeline, "_CHUNK", 7)
    text = "[\n" + ",".join(map(json.dumps, TWO_TENSORS)) + ("" if torn else "]")
    file = tmp_path / "timeline.json.gz"
    file.write_bytes(gzip.compress((text[:-9] if torn else text).encode()))
    assert list(read(file)) == TWO_TENSORS[: -1 if torn else None]


class FakeHorovod:
    """Writes what Horovod's thread would, when it is stopped."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self.stopped = 0

    def start_timeline(self, path: str, mark_cycles: bool) -> None:
        self.path = Path(path)
        self.path.write_text("[\n" + ",".join(map(json.dumps, TWO_TENSORS)))

    def stop_timeline(self) -> None:
        self.stopped += 1
        assert self.path is not None
        with self.path.open("a") as stream:
            stream.write("]")


def test_a_recording_is_compressed_and_measured(tmp_path: Path) -> None:
    horovod, file = FakeHorovod(), tmp_path / "timelines" / "nt3-0.1.json.gz"
    metrics = Recording(horovod, file).keep()
    assert {one.name for one in metrics} >= {"timeline_allreduce_bytes", "timeline_negotiate_allreduce_calls"}
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert json.loads(gzip.decompress(file.read_bytes())) == TWO_TENSORS
    assert horovod.stopped == 1


def test_a_recording_ends_when_it_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(horovod_timeline, "LIMIT_BYTES", 10)
    monkeypatch.setattr(horovod_timeline, "_LOOK_SECONDS", 0.001)
    horovod = FakeHorovod()
    recording = Recording(horovod, tmp_path / "large.json.gz")
    assert recording._stopped.wait(10)
    assert recording.keep()
    assert horovod.stopped == 1


def test_one_rank_records_nothing(tmp_path: Path) -> None:
    assert Recording(None, tmp_path / "none.json.gz").keep() == ()
    assert Recording(FakeHorovod(), None).keep() == ()


def test_a_folder_that_cannot_be_made_stops_no_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert Recording(FakeHorovod(), tmp_path / "file" / "x.json.gz").keep() == ()
    assert "no timeline is recorded" in capsys.readouterr().err
