"""How far apart attempts of one wave start: ``python -m tests.bench.barrier --slots 200``.

All run on this machine, sleep, and wait for one announced start as in a campaign.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from orchestrator.catalog.registry import describe
from orchestrator.protocol.order import LEAD_SECONDS
from orchestrator.rundir.layout import RunDirectory
from tests.bench.warm import waits
from tests.harness import wait_for
from tests.orchestrator.node.forked import fork, forking

SLOTS = 200


def starts(folder: Path, slots: int) -> list[int]:
    """Return when attempts of one wave began their timed run, UTC microseconds in order."""
    parameters = describe("tests.toys.behave").resolve({"seconds": 1.0})
    with ExitStack() as stack, ThreadPoolExecutor(slots) as pool:
        client = stack.enter_context(forking())
        folders = [folder / str(one) for one in range(slots)]
        attempts = [
            fork(
                client,
                one,
                workload="tests.toys.behave",
                parameters=parameters,
                wave=1,
                timeout_seconds=600.0,
                directory=str(folder),
                working_directory=str(folder),
            )
            for one in folders
        ]
        reports = [pool.submit(attempt.report) for attempt in attempts]
        wait_for(lambda: all(map(waits, folders)), "all at the barrier", 600)
        announced = RunDirectory(folder).barrier_file(1, 1)
        announced.parent.mkdir()
        part = announced.with_suffix(".part")
        part.write_text(str(int((time.time() + LEAD_SECONDS) * 1e6)))
        part.rename(announced)
        ended = [report.result() for report in reports]
    return sorted(one.run_start_us for one in ended if one.run_start_us is not None)


def main(arguments: list[str] | None = None) -> None:
    """Print the skew."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.barrier")
    parser.add_argument("--slots", type=int, default=SLOTS)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="barrier-") as folder:
        found = starts(Path(folder), given.slots)
    if len(found) != given.slots:
        raise RuntimeError(f"only {len(found)} of {given.slots} attempts started")
    middle, tenth = found[len(found) // 2], found[len(found) * 9 // 10]
    print(
        f"barrier       {given.slots} attempts that sleep, {len(os.sched_getaffinity(0))} cores: "
        f"started within "
        f"{(found[-1] - found[0]) / 1e6:.3f} s, half within {(middle - found[0]) / 1e6:.3f} s, "
        f"nine tenths within {(tenth - found[0]) / 1e6:.3f} s"
    )


if __name__ == "__main__":
    main()
