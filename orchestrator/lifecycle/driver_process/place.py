"""Where the driver of a campaign runs and what it prints to: events, for those who look from elsewhere."""

from __future__ import annotations

import json
import math
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db.events import Event, EventKind, now_us
from db.queries.documents import documents_with

if TYPE_CHECKING:
    from db.ledger import Ledger
    from db.reader import Reader

JOB_VARIABLE = "ORCHESTRATOR_DRIVER_JOB"
"""Tells a driver which job it runs in: JSON of the job's id and the file that it prints to."""

_LAUNCHES = "driver_job_launches"  # field of a document: the campaign's name
_LAUNCH_JOBS_SECONDS = 60.0
_LAUNCH_US = 48 * 3_600_000_000  # after which a job that was to launch a campaign is not waited for


@dataclass(frozen=True, slots=True)
class DriverPlace:
    """Where a driver runs or ran, or the job in which one will.

    Parameters
    ----------
    host, pid
        None of a job that has not begun.
    job
        The scheduler's id of the driver's own job; None without one.
    log
        What the driver decides; None of a job that has not begun.
    output
        File that it prints to; None where it has a terminal.
    since_us
        When it began, or the job was submitted: UTC microseconds.
    """

    host: str | None
    pid: int | None
    job: str | None
    log: str | None
    output: str | None
    since_us: int

    def __str__(self) -> str:
        job = f"job {self.job}" if self.job else ""
        process = f"process {self.pid} on {self.host}" if self.pid else ""
        where = f"{job} ({process})" if job and process else job or process
        prints = f", prints to {self.output}" if self.output else ""
        return f"{where}{prints}" + (f", log {self.log}" if self.log else "")

    def waits(self) -> str:
        """Return the words for a job that has not begun, as far as the ledger knows."""
        at = datetime.fromtimestamp(self.since_us / 1e6, UTC)
        return f"job {self.job} was submitted at {at:%Y-%m-%d %H:%M:%S} UTC; it prints to {self.output}"


def variable_of_job(variables: Mapping[str, str], output: Path) -> dict[str, str]:
    """Return the variable by which a driver learns of the job that this process runs in."""
    from orchestrator.schedulers.families import family_classes  # here, so that `status` stays quick

    names = filter(None, (family.job_id_variable for family in family_classes().values()))
    job = next((variables[name] for name in names if variables.get(name)), "")
    return {JOB_VARIABLE: json.dumps({"job": job, "output": str(output)})}


def note_driver(book: Ledger, campaign_id: int, session: int, log: Path, output: Path | None) -> None:
    """Record where this process drives a session.

    Parameters
    ----------
    output
        File of a driver that was started without a terminal.
    """
    own = json.loads(os.environ.pop(JOB_VARIABLE, "{}"))
    data: dict[str, Any] = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "job": own.get("job") or None,
        "log": str(log),
        "output": own.get("output") or (output and str(output)),
    }
    place = DriverPlace(**data, since_us=0)
    message = f"the driver of session {session} is {place}"
    book.note(campaign_id, EventKind.DRIVER_STARTED, message, subject=f"session {session}", data=data)


def note_driver_job(book: Ledger, campaign_id: int, job: str, output: Path) -> None:
    """Record that a job was submitted in which a driver will go on."""
    data = {"host": None, "pid": None, "job": job, "log": None, "output": str(output)}
    message = f"job {job} was submitted to run the driver; it prints to {output}"
    book.note(campaign_id, EventKind.DRIVER_JOB_SUBMITTED, message, subject=f"job {job}", data=data)


def note_launch_job(book: Ledger, name: str, job: str, output: Path) -> None:
    """Record that a job was submitted that will launch a campaign, which no event can say before then."""
    facts = {_LAUNCHES: name, "job": job, "output": str(output), "since_us": now_us()}
    book.store_documents(None, [facts])


def note_launch_end(book: Ledger, name: str, job: str) -> None:
    """Record that a job ended that was to launch a campaign and did not register it."""
    book.store_documents(None, [{_LAUNCHES: name, "job": job, "ended_us": now_us()}])


def launch_jobs(reader: Reader) -> dict[str, DriverPlace]:
    """Return the last job of each campaign that a job is to launch and that is not in the ledger yet.

    A job is left out once it recorded that it ended, and two days after it was submitted.
    """
    known = {row.name for row in reader.campaigns()}
    found = documents_with(reader, _LAUNCHES)
    ended = {(one[_LAUNCHES], one["job"]) for one in found if "ended_us" in one}
    submitted = sorted((one for one in found if "since_us" in one), key=lambda one: int(one["since_us"]))
    last = {one[_LAUNCHES]: one for one in submitted if now_us() - int(one["since_us"]) < _LAUNCH_US}
    return {
        name: DriverPlace(None, None, one["job"], None, one["output"], one["since_us"])
        for name, one in last.items()
        if name not in known and (name, one["job"]) not in ended
    }


def launch_jobs_each_minute() -> Callable[[Reader], dict[str, DriverPlace]]:
    """Return `launch_jobs` for those who look often: it reads every document, so once in a minute."""
    found: dict[str, DriverPlace] = {}
    due = -math.inf

    def jobs(reader: Reader) -> dict[str, DriverPlace]:
        nonlocal found, due
        if time.monotonic() >= due:
            found = launch_jobs(reader)
            due = time.monotonic() + _LAUNCH_JOBS_SECONDS
        return found

    return jobs


def driver_places(reader: Reader, campaign_id: int) -> tuple[DriverPlace | None, DriverPlace | None]:
    """Return where the last session's driver runs or ran, and the job that waits to go on, if any.

    A job that was submitted since and is not seen as a session's waits, as far as the ledger knows.
    """
    kinds = (EventKind.DRIVER_STARTED, EventKind.DRIVER_JOB_SUBMITTED)
    found = list(reader.events(campaign_id, kinds=kinds))
    started = [one for one in found if one.kind == EventKind.DRIVER_STARTED]
    jobs = {place.job for place in map(_place, started)}
    later = [
        one
        for one in found
        if one.kind == EventKind.DRIVER_JOB_SUBMITTED
        and (not started or one.event_id > started[-1].event_id)
        and _place(one).job not in jobs
    ]
    return (_place(started[-1]) if started else None), (_place(later[-1]) if later else None)


def _place(event: Event) -> DriverPlace:
    data = event.data or {}
    known = {name: data.get(name) for name in ("host", "pid", "job", "log", "output")}
    return DriverPlace(**known, since_us=event.at_us)
