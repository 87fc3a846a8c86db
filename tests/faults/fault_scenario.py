"""A real campaign that stands still where a test wants it, so that a fault surely hits that phase."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import psutil

from db.connection.connect import URL_VARIABLE
from db.errors import LedgerError
from db.states import AttemptState
from orchestrator.host.processes import descendants, terminate
from orchestrator.rundir.packed_reader import lines
from tests.forked_commands import ROOT, start_command
from tests.harness import CampaignSandbox, command_line, wait_for, worker_of

SLOTS = 2
_LONG = 300.0
_INTERPRETER = """#!/bin/sh
: > "{marks}/at-start-$$"
while [ -e "{marks}/hold-start" ]; do sleep 0.05; done
rm "{marks}/at-start-$$"
exec "{python}" "$@"
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """How much of the log there was, and which attempts and blocks the ledger had a message of."""

    length: int
    messages: frozenset[tuple[str, str]]


class FaultScenario(CampaignSandbox):
    """A campaign of two slots whose trainings wait in `start`, `load` or `train` while told to.

    Parameters
    ----------
    folder
        A new one.
    ledger
        URL; an SQLite file in the folder by default. A password goes through the environment.
    name
        Of the campaign.
    runs
        Where the campaign's own folder is made.
    environment
        Further variables of the driver.
    heartbeat
        Seconds after which a silent worker pool is given up.
    site
        Further keys of the site file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ledger: str | None = None,
        name: str = "toy",
        runs: Path | None = None,
        environment: dict[str, str] | None = None,
        heartbeat: int = 20,
        **site: Any,
    ) -> None:
        super().__init__(folder, slots=SLOTS, ledger=ledger)
        self.name = name
        self.directory = (runs or folder / "runs") / name
        self.log = folder / "driver.log"
        self.driver: subprocess.Popen[str] | None = None
        own = {"PYTHONPATH": str(ROOT), "COLUMNS": "200", "PYTHONFAULTHANDLER": "1"}
        self._variables = own | (environment or {})
        interpreter = folder / "python"
        interpreter.write_text(_INTERPRETER.format(marks=self.marks, python=sys.executable))
        interpreter.chmod(0o755)
        usable = sorted(os.sched_getaffinity(0))[:SLOTS]
        content = {
            "node": {"cores": ",".join(map(str, usable))},
            "heartbeat": {"period": 1, "threshold": heartbeat, "stall_timeout": 30},
            "interpreter": str(interpreter),
            "paths": {"runs": str(runs or folder / "runs")},
            **site,
        }
        self.site(**content)

    def campaign(self, instances: int = 6, **extra: Any) -> None:
        """Write the campaign file; faults of the machine are forgiven often."""
        benchmark = {
            "workload": "tests.toys.paced",
            "instances": instances,
            "timeout": 3600,
            "parameters": {"folder": str(self.marks), **extra.pop("parameters", {})},
        }
        retries = {"benchmark": 0, "infrastructure": 20}
        content = {
            "campaign": "toy",
            "grace_period": 2,
            "retries": retries,
            **extra,
            "benchmarks": [benchmark],
        }
        (self.folder / "toy.yaml").write_text(json.dumps(content))  # JSON is YAML

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing running, whatever failed."""
        if self.driver is None:
            return
        family = descendants(self.driver.pid)
        self.driver.kill()
        self.driver.wait()
        with suppress(LedgerError):  # a database that was not brought back
            family += self.processes() if self.rows("SELECT uid FROM campaigns") else []
        terminate(family, 5)

    # -- the driver --------------------------------------------------------------------------

    def start(
        self, *arguments: str, program: Sequence[str] | None = None, log: IO[str] | None = None
    ) -> subprocess.Popen[str]:
        """Start the command line in this folder; see `start_command`."""
        variables = os.environ | {URL_VARIABLE: self.ledger} | self._variables
        return start_command(arguments, self.folder, variables, log=log, program=program)

    def drive(self, *arguments: str) -> None:
        """Start a driver that writes to the log; without arguments, launch the campaign."""
        with self.log.open("a") as log:
            self.driver = self.start(
                *(arguments or ("launch", "toy.yaml", "--site", "site.yaml", "--name", self.name)), log=log
            )

    def resume(self, *options: str) -> None:
        """Go on with the campaign."""
        self.drive("resume", self.name, *options)

    def signal(self, number: signal.Signals) -> None:
        """Send the driver, alone, a signal."""
        assert self.driver is not None
        self.driver.send_signal(number)

    def ended(self) -> int:
        """Wait for the driver's end and return its exit code; in vain, tell where it stands."""
        assert self.driver is not None
        try:
            return self.driver.wait(_LONG)
        except subprocess.TimeoutExpired:
            self._abort()
            raise AssertionError(f"the driver does not end:\n{self.said()}") from None

    def _abort(self) -> None:
        """End a driver that stands still: Python writes where every thread stands."""
        assert self.driver is not None
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGABRT)
        try:
            self.driver.wait(30)
        except subprocess.TimeoutExpired:
            self.driver.kill()

    def said(self, since: int = 0) -> str:
        """Return what drivers said, from a length of the log on."""
        return self.log.read_text()[since:] if self.log.exists() else ""

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait for a condition; in vain, tell what the drivers said, and where the last one stands."""
        try:
            return wait_for(condition, what, _LONG)
        except AssertionError as vain:
            if self.driver is not None and self.driver.poll() is None:
                self._abort()
            raise AssertionError(f"{vain}\n{self.said()}") from None

    def wait_said(self, words: str, since: int = 0) -> None:
        """Wait until a driver says something."""

        def spoken() -> bool:
            ended = self.driver is not None and self.driver.poll() is not None
            if words in self.said(since):
                return True
            assert not ended, f"the driver ended without {words!r}:\n{self.said()}"
            return False

        self.wait(spoken, f"{words!r} in {self.log}")

    # -- the trainings -----------------------------------------------------------------------

    def hold(self, *phases: str) -> None:
        """Let trainings wait when they come to a phase: start, load or train."""
        for phase in phases:
            (self.marks / f"hold-{phase}").touch()

    def release(self, *phases: str) -> None:
        """Let trainings go on; without phases, from everywhere."""
        for phase in phases or ("start", "load", "train"):
            (self.marks / f"hold-{phase}").unlink(missing_ok=True)

    def at(self, phase: str, without: Sequence[psutil.Process] = ()) -> list[psutil.Process]:
        """Return the trainings that wait in a phase and whose pool lives, without these and these pools."""
        found = []
        for file in self.marks.glob(f"at-{phase}-*"):
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(int(file.name.rpartition("-")[2]))
                pool = self.pool_of(process)
                strange = {process, pool}.intersection(without)
                if not strange and pool is not None and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def wait_at(self, phase: str, without: Sequence[psutil.Process] = ()) -> list[psutil.Process]:
        """Wait until every slot's training waits in a phase, none of them one of these or of these pools."""

        def arrived() -> list[psutil.Process] | None:
            assert self.driver is None or self.driver.poll() is None, f"no driver:\n{self.said()}"
            there = self.at(phase, without)
            return there if len(there) == SLOTS else None

        found: list[psutil.Process] = self.wait(arrived, f"{SLOTS} trainings in {phase}")
        return found

    def worker_of(self, training: psutil.Process) -> psutil.Process | None:
        """Return the worker of a training, if it lives."""
        return worker_of(training, self.directory / "journals")

    def pool_of(self, training: psutil.Process) -> psutil.Process | None:
        """Return the manager of the worker pool of a training, if it and the worker live."""
        worker = self.worker_of(training)
        for process in () if worker is None else worker.parents():
            words = command_line(process)
            if "process_worker_pool.py" in words and "multiprocessing" not in words:
                return process
        return None

    # -- what is known of it -----------------------------------------------------------------

    def journalled(self, worker: str = "") -> set[str]:
        """Return the tokens of attempts that reported success to a journal, or to that of one worker."""
        tokens = set()
        for file, _, report in lines(self.directory / "journals"):
            if report and report.state is AttemptState.SUCCEEDED and file.name.endswith(f"{worker}.journal"):
                tokens.add(report.token)
        return tokens

    def accepted(self) -> set[str]:
        """Return the tokens of attempts that the ledger accepted."""
        return {
            str(token)
            for (token,) in self.rows(
                "SELECT a.token FROM attempts a JOIN instances i ON i.campaign_id = a.campaign_id "
                "AND i.instance_id = a.instance_id AND i.accepted_attempt = a.attempt_number"
            )
        }

    def lease(self) -> int:
        """Return when the lease ends, microseconds."""
        return int(self.rows("SELECT lease_expires_us FROM campaigns")[0][0])

    def now(self) -> Moment:
        """Return what has been said until now."""
        return Moment(len(self.said()), frozenset(self._messages()))

    def told(self, since: Moment) -> str:
        """Return what drivers, and the ledger of attempts and blocks, have said since, one thing a line."""
        new = {key: message for key, message in self._messages().items() if key not in since.messages}
        return "\n".join([self.said(since.length), *new.values()])

    def _messages(self) -> dict[tuple[str, str], str]:
        rows = self.rows(
            "SELECT 'attempt', token, failure_message FROM attempts WHERE failure_message IS "
            "NOT NULL UNION ALL "
            "SELECT 'block', session_number || '.' || block_id, message FROM blocks WHERE message IS NOT NULL"
        )
        return {(kind, str(key)): str(message) for kind, key, message in rows}
