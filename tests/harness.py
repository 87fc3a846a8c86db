"""Launching real campaigns of toy workloads in a folder of their own, and looking at what they left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.connection.connect import make_engine, parse_url
from db.errors import SchemaError
from db.reader import Reader
from orchestrator.host.processes import CAMPAIGN_MARK, SLOT_MARK, descendants, terminate, with_mark
from tests.forked_commands import ROOT, start_command

_started: list[subprocess.Popen[str]] = []


@contextmanager
def ending_what_starts() -> Iterator[None]:
    """Kill commands that were started inside and still run at the end, as those of a failed test."""
    first = len(_started)
    try:
        yield
    finally:
        for process in _started[first:]:
            if process.poll() is None:
                family = descendants(process.pid)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                terminate(family, 5)
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        del _started[first:]


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 300.0) -> Any:
    """Return the condition's first true value; fail after a deadline.

    A condition that takes long, such as a look into a ledger, is asked less often: it shares two cores with
    what it waits for.
    """
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while (asked := time.monotonic()) < deadline:
        value = condition()
        if value:
            return value
        pause.wait(min(0.3, max(0.05, 3 * (time.monotonic() - asked))))
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


def command_line(process: psutil.Process) -> str:
    """Return the words of a process's command; empty for a process that has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # a zombie, too
        return ""


def worker_of(training: psutil.Process, journals: Path) -> psutil.Process | None:
    """Return the living worker of a training: its supervisor writes to a journal that is named after it.

    Parameters
    ----------
    journals
        Folder of the campaign's journals.
    """
    if (mark := training.environ().get(SLOT_MARK)) is None:
        return None
    _, shape, node, slot = mark.rsplit(":", 3)
    written = journals.rglob(f"{shape}-*-{node}-{slot}-*.journal")
    with suppress(psutil.NoSuchProcess, FileNotFoundError):  # those of an earlier session were packed
        last = max(written, key=lambda file: file.stat().st_mtime_ns, default=None)
        worker = last and psutil.Process(int(last.stem.rpartition("-")[2]))
        return worker if worker and "spawn_main" in command_line(worker) else None
    return None


class CampaignSandbox:
    """A folder with a site, a campaign file, a ledger, and marks of every process that started.

    Parameters
    ----------
    program
        Options of the new interpreters that run command lines; None: they may be forked.
    """

    def __init__(
        self,
        folder: Path,
        *,
        slots: int = 2,
        heartbeat: tuple[int, int] = (2, 20),
        ledger: str | None = None,
        program: Sequence[str] | None = None,
    ) -> None:
        self.folder = folder
        self.program = program
        self.marks = folder / "marks"
        self.marks.mkdir()
        self.ledger = ledger or f"sqlite:///{folder}/ledger.sqlite"
        usable = sorted(os.sched_getaffinity(0))[:slots]
        (folder / "site.yaml").write_text(
            "site: test\n"
            f"node: {{cores: '{','.join(map(str, usable))}'}}\n"
            f"heartbeat: {{period: {heartbeat[0]}, threshold: {heartbeat[1]}}}\n"
        )

    def campaign(self, instances: int = 40, **extra: Any) -> None:
        """Write the campaign file; `extra` are keys of the campaign, some of its benchmark."""
        parameters = {"folder": str(self.marks), "seconds": 0.3, **extra.pop("parameters", {})}
        benchmark = {
            "workload": "tests.toys.behave",
            "instances": instances,
            "parameters": parameters,
            "timeout": extra.pop("timeout", 60),
        }
        slot = extra.pop("slot", None)
        if slot:
            benchmark["slot"] = slot
        if "expected_runtime" in extra:
            benchmark["expected_runtime"] = extra.pop("expected_runtime")
        content = {"campaign": "toy", "grace_period": 2, **extra, "benchmarks": [benchmark]}
        (self.folder / "toy.yaml").write_text(json.dumps(content))  # JSON is YAML

    def start(self, *arguments: str, program: Sequence[str] | None = None) -> subprocess.Popen[str]:
        """Start the command line in this folder; see `start_command`."""
        process = start_command(
            [*arguments, "--ledger", self.ledger],
            self.folder,
            os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"},
            program=program or self.program,
        )
        _started.append(process)
        return process

    def run(self, *arguments: str, seconds: float = 600) -> subprocess.CompletedProcess[str]:
        """Run the command line to its end."""
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{arguments} took longer than {seconds} s:\n{out}\n{err}") from None
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def site(self, **content: Any) -> None:
        """Write another site file."""
        (self.folder / "site.yaml").write_text(json.dumps({"site": "test", **content}))

    def launch(self) -> subprocess.Popen[str]:
        """Start launching the campaign."""
        return self.start("launch", "toy.yaml", "--site", "site.yaml")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Ask the ledger; no rows while there is no ledger yet."""
        url = parse_url(self.ledger)
        file = Path(str(url.database))
        if url.get_backend_name() == "sqlite" and (not file.exists() or file.stat().st_size == 0):
            return []
        try:
            with Reader(self.ledger) as reader:
                return reader.query(sql)[1]
        except SchemaError:  # its tables are being made just now
            return []

    def done(self) -> int:
        """Return how many instances are accepted."""
        engine = make_engine(parse_url(self.ledger), read_only=True)
        try:
            with engine.connect() as connection:
                return int(
                    connection.exec_driver_sql(
                        "SELECT count(*) FROM instances WHERE state = 'done'"
                    ).scalar_one()
                )
        except Exception:  # noqa: BLE001  not there yet
            return 0
        finally:
            engine.dispose()

    def uid(self) -> str:
        """Return the campaign's mark."""
        return str(wait_for(lambda: self.rows("SELECT uid FROM campaigns"), "the campaign")[0][0])

    def processes(self, kind: str = "") -> list[psutil.Process]:
        """Return living processes of the campaign whose command line contains `kind`."""
        found = []
        for process in with_mark(CAMPAIGN_MARK, self.uid()):
            try:
                if kind in command_line(process) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.NoSuchProcess:
                continue
        return found

    def starts(self) -> dict[int, int]:
        """Return how often a training started, per seed."""
        return {
            int(file.name.removeprefix("started-")): len(file.read_text().splitlines())
            for file in self.marks.glob("started-*")
        }

    def check_whole(self, instances: int) -> None:
        """Every instance is accepted once, nothing runs on, and the figures are those of the accepted."""
        assert self.rows("SELECT state, count(*) FROM instances GROUP BY state") == [("done", instances)]
        succeeded = self.rows(
            "SELECT instance_id, count(*) FROM attempts WHERE state = 'succeeded' GROUP BY instance_id"
        )
        assert sorted(succeeded) == [(k, 1) for k in range(instances)]
        assert self.rows("SELECT count(*) FROM attempts WHERE state IN ('submitted', 'running')") == [(0,)]
        assert self.processes() == []
        facts = json.loads(self.run("fom", "toy", "--json").stdout)["benchmarks"][0]
        times = self.rows("SELECT max(fom_seconds), min(accuracy) FROM attempts WHERE state = 'succeeded'")[0]
        (ended,) = self.rows(
            "SELECT max(coalesce(run_stop_us, process_stop_us) - run_start_us) FROM attempts "
            "WHERE state <> 'succeeded'"
        )[0]
        # An attempt that was ended bounds the longest time from below, also by a report that came late.
        least = max(times[0], (ended or 0) / 1e6)
        if self.rows("SELECT count(*) FROM events WHERE kind = 'late_report'") == [(0,)]:
            assert facts["seconds"] == pytest.approx(least, abs=1e-9)
        else:
            assert facts["seconds"] >= least - 1e-9
        assert facts["accuracy"] == times[1]
        assert 1 <= facts["instances"] <= 2  # two slots, so never more than two at once


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL a driver, alone."""
    process.kill()
    process.communicate()
