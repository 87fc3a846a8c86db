"""Runs as event files of TensorBoard, and as a file store of MLflow.

Both are written without TensorFlow and MLflow. Points of a curve have no time of their own in the ledger: all
have that of the run's end.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from orchestrator.report.recorded_runs import RecordedRun, safe
from orchestrator.wording import printable, shortened
from workloads.data.tfrecords import write_records

Writer = Callable[[Path, str, Iterable[RecordedRun]], int]
_LONGEST_PARAMETER = 6000
"""Characters of a value that MLflow takes."""
_FINISHED = 3
"""MLflow's ``RunStatus`` of a run that ended well."""


def write_event_files(folder: Path, campaign: str, runs: Iterable[RecordedRun]) -> int:
    """Write an event file per run, ``CAMPAIGN/BENCHMARK/NUMBER/events.out.tfevents.…``; returns their number.

    The format is that of ``event.proto`` and ``summary.proto`` of TensorBoard, in TFRecord frames.
    """
    written = 0
    for run in runs:
        place = folder / safe(campaign, folder=True) / safe(run.benchmark, folder=True) / str(run.number)
        place.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{run.stop_us // 1_000_000:010d}.{run.attempt}.orchestrator"
        with (place / name).open("wb") as file:
            write_records(file, _events(run))
        written += 1
    return written


def write_mlflow(folder: Path, campaign: str, runs: Iterable[RecordedRun]) -> int:
    """Write a campaign as an experiment of an MLflow file store; returns the number of its runs."""
    experiment = str(int(hashlib.sha256(campaign.encode()).hexdigest()[:15], 16) + 1)
    place, store = folder / experiment, folder.resolve().as_uri()
    place.mkdir(parents=True)
    _properties(
        place / "meta.yaml",
        {
            "artifact_location": f"{store}/{experiment}",
            "experiment_id": experiment,
            "lifecycle_stage": "active",
            "name": campaign,
        },
    )
    written = 0
    for run in runs:
        _write_run(place, store, experiment, run)
        written += 1
    return written


WRITERS: dict[str, Writer] = {"tensorboard": write_event_files, "mlflow": write_mlflow}
"""Functions that write the runs of a campaign below a folder, by the name of the format."""


def _events(run: RecordedRun) -> Iterator[bytes]:
    seconds = run.stop_us / 1e6
    yield _wall_time(seconds) + _bytes(3, b"brain.Event:2")
    for name, points in run.values.items():
        for place, value in points:
            scalar = _bytes(1, name.encode()) + b"\x15" + struct.pack("<f", _float32(value))
            yield _wall_time(seconds) + b"\x10" + _varint(place) + _bytes(5, _bytes(1, scalar))


def _wall_time(seconds: float) -> bytes:
    return b"\x09" + struct.pack("<d", seconds)


def _bytes(field: int, content: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    number, parts = number & 0xFFFF_FFFF_FFFF_FFFF, bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def _float32(value: float) -> float:
    """Return the value, infinite where a float of 4 bytes has no room for it."""
    try:
        struct.pack("<f", value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return value


def _write_run(place: Path, store: str, experiment: str, run: RecordedRun) -> None:
    number = hashlib.sha256(run.token.encode()).hexdigest()[:32]
    name = f"{run.benchmark}/{run.number}"
    folder = place / number
    for part in ("metrics", "params", "tags", "artifacts"):
        (folder / part).mkdir(parents=True)
    _properties(
        folder / "meta.yaml",
        {
            "artifact_uri": f"{store}/{experiment}/{number}/artifacts",
            "end_time": run.stop_us // 1000,
            "entry_point_name": "",
            "experiment_id": experiment,
            "lifecycle_stage": "active",
            "run_id": number,
            "run_name": name,
            "run_uuid": number,
            "source_name": "",
            "source_type": 4,
            "source_version": "",
            "start_time": run.start_us // 1000,
            "status": _FINISHED,
            "tags": [],
            "user_id": "",
        },
    )
    for metric, points in run.values.items():
        file = folder / "metrics" / metric
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{run.stop_us // 1000} {value!r} {step}\n" for step, value in points))
    for parameter, value in run.parameters.items():
        text = value if isinstance(value, str) else json.dumps(value)
        _text(folder / "params" / safe(parameter), shortened(text, _LONGEST_PARAMETER))
    tags = {"mlflow.runName": name, "benchmark": run.benchmark, "attempt": str(run.attempt), "node": run.node}
    for tag, text in tags.items():
        _text(folder / "tags" / tag, text)


def _properties(file: Path, values: dict[str, object]) -> None:
    """Write a file of YAML; JSON is YAML."""
    file.write_text("".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()))


def _text(file: Path, text: str) -> None:
    file.write_text(printable(text), encoding="utf-8")
