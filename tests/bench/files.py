"""How many files a campaign of 14,000 instances leaves, and what packing them takes.

Made as real workers would leave it: a worker an instance, six to a node, two reports in each
journal, and 2 % failures whose logs are kept (``logs: failures``), or the logs of all.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from db.states import AttemptState
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import lines
from orchestrator.rundir.packed_writer import pack_files
from tests.messages import report

INSTANCES = 14_000
WORKERS_PER_NODE = 6
ONE_FAILURE_IN = 50
RUNNING_BYTES, FINAL_BYTES, STDERR_BYTES, PARSL_BYTES = 700, 2_500, 2_000, 4_600


def main() -> None:
    """Print files, the fullest folder, and seconds, for both policies; and the seconds of a driver's look."""
    for policy in ("failures", "all"):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            fill(folder, everything=policy == "all")
            fullest = max(len(folders) + len(files) for _, folders, files in os.walk(folder / "journals"))
            fullest_logs = max(len(folders) + len(files) for _, folders, files in os.walk(folder / "logs"))
            tail = journal.Tail(folder / "journals" / "1")
            first, again = looking(tail), looking(tail)
            begin = time.perf_counter()
            done = pack_files(folder, [1])
            seconds = time.perf_counter() - begin
            if done.problems or sum(1 for _ in lines(folder / "journals")) != 2 * INSTANCES:
                raise RuntimeError(f"packing failed: {done.problems}")
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            print(
                f"files      logs: {policy}: {INSTANCES:,} instances leave {done.before:,} files (at most "
                f"{fullest} journals and {fullest_logs} logs in a folder), packed in {seconds:.1f} s into "
                f"{done.after} of {size / 2**20:.0f} MiB; a look at all journals takes {first:.2f} s, "
                f"at none that grew {again:.3f} s"
            )


def fill(folder: Path, *, everything: bool) -> None:
    """Make the files of a campaign that has just ended."""
    block = folder / "parsl" / "1" / "000" / "c6" / "block-0"
    write(block.parent / "interchange.log", 1_000 * PARSL_BYTES)
    for name in ("server.key", "server.key_secret", "client.key", "client.key_secret"):
        write(block.parent / "certificates" / name, 300)
    for number in range(INSTANCES):
        node, rank = f"node{number // WORKERS_PER_NODE:05d}", number % WORKERS_PER_NODE
        file = RunDirectory(folder).journal(1, node, f"c6-0-{node}-{rank}-{number}")
        file.parent.mkdir(parents=True, exist_ok=True)
        failed = number % ONE_FAILURE_IN == 0
        begun = report(
            f"{number:016x}", "running", label=f"p1b1/{number}", failure_message="x" * RUNNING_BYTES
        )
        ended = replace(
            begun, state=AttemptState("failed" if failed else "succeeded"), failure_message="x" * FINAL_BYTES
        )
        file.write_bytes(journal.encode(begun.to_json()) + journal.encode(ended.to_json()))
        write(block / f"{number // WORKERS_PER_NODE:012x}" / f"worker_{rank}.log", PARSL_BYTES)
        if rank == 0:
            write(block / f"{number // WORKERS_PER_NODE:012x}" / "manager.log", PARSL_BYTES)
        if failed or everything:
            for name in ("out", "err"):
                write(RunDirectory(folder).instance_logs(1, number) / f"p1b1-{number}.1.{name}", STDERR_BYTES)


def write(file: Path, size: int) -> None:
    """Make a file of lines like those of a log."""
    file.parent.mkdir(parents=True, exist_ok=True)
    line = f"2026-11-21 08:42:01.123 worker {file.stem}: task 17 received, result on its way\n".encode()
    file.write_bytes((line * (size // len(line) + 1))[:size])


def looking(tail: journal.Tail) -> float:
    """Return the seconds of a look at all journals."""
    begin = time.perf_counter()
    for _ in tail.read():
        pass
    return time.perf_counter() - begin
