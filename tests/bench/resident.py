"""Memory of the driver's process on the real engine and a real ledger, while attempts end.

``python -m tests.bench.resident`` runs attempts that end at once, on workers of Parsl that write their
journals; ``--tasks 100000`` takes another number. With ``--trainings`` each has processes of its own.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from db.connection.connect import parse_url
from db.schema import upgrade
from orchestrator.driver.progress import Snapshot
from orchestrator.node.worker.run_attempt import run_packed
from tests.bench.instant import journal_at_once
from tests.bench.pace import Ends, ParslHost, ours
from tests.harness import ROOT

TASKS = 20_000
POINTS = 4


class Sizes(Ends):
    """Notes the driver's own resident memory, in bytes, as parts of its attempts have ended."""

    def __init__(self, tasks: int) -> None:
        super().__init__()
        self._tasks = tasks
        self.bytes: list[tuple[int, int]] = []

    def update(self, snapshot: Snapshot) -> None:
        """Note the memory at each part."""
        super().update(snapshot)
        if snapshot.done * POINTS >= self._tasks * (len(self.bytes) + 1):
            self.bytes.append((snapshot.done, anonymous_bytes()))

    @property
    def growth(self) -> float:
        """Bytes for each attempt of the second half, when caches are full; negative if it shrank."""
        (first, before), (last, after) = self.bytes[POINTS // 2 - 1], self.bytes[-1]
        return (after - before) / max(last - first, 1)


def anonymous_bytes() -> int:
    """Return the resident memory of this process without files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) << 10


def main(arguments: list[str] | None = None) -> None:
    """Print the memory at each part, and the growth for each attempt."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.resident")
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--trainings", action="store_true")
    given = parser.parse_args(arguments)
    os.environ["PYTHONPATH"] = str(ROOT)  # workers of Parsl import this module
    sizes = Sizes(given.tasks)
    with tempfile.TemporaryDirectory(prefix="resident-") as place:
        folder = Path(place)
        url = str(folder / "ledger.sqlite")
        upgrade(parse_url(url))
        task = run_packed if given.trainings else journal_at_once
        ours(url, given.tasks, folder, sizes, ParslHost(folder, task))
    work = "trainings" if given.trainings else "attempts without work"
    shown = ", ".join(f"{size / 2**20:.0f} MiB after {done:,}" for done, size in sizes.bytes)
    print(
        f"resident   driver on the real engine, {work}: {shown}; "
        f"{sizes.growth:.0f} bytes for each attempt of the second half"
    )


if __name__ == "__main__":
    main()
