"""The driver as a scheduler job of its own, which hands over to the next one before its walltime ends.

``python -m orchestrator.lifecycle.driver_process.job FILE`` runs in the job: it launches or resumes the
campaign that the file names. Shortly before the walltime it submits the job again and ends the driver; what
runs goes on.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from db.errors import LedgerError, UnknownCampaignError
from db.ledger import Ledger
from db.reader import Reader
from orchestrator.errors import CampaignError
from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import kill_child
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.lifecycle.driver_process.place import (
    JOB_VARIABLE,
    note_driver_job,
    note_launch_end,
    note_launch_job,
    variable_of_job,
)
from orchestrator.protocol.block_environment import BLOCK_PREFIX, ENDS_VARIABLE
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_classes
from orchestrator.schedulers.model import JobRequest, SchedulerError
from sites import Site, parse
from sites.schedulers import Batch

_HANDOVER_SECONDS = 120.0  # before the end of the walltime; a quarter of a short one
_LEASE_SECONDS = 180.0  # longest wait for the lease of the driver before
_ENDING_SECONDS = 60.0
_NAME_CHARACTERS = 15  # Torque's limit


def submit_driver_job(
    site: Site,
    site_yaml: str,
    name: str,
    ledger: str | None,
    first: Sequence[str],
    resume: Sequence[str],
) -> tuple[str, Path]:
    """Submit a job that runs the driver of a campaign; return its id and the file that it prints to.

    Parameters
    ----------
    first, resume
        Words of the commands of the first job and of further ones.

    Raises
    ------
    CampaignError, SchedulerError
        If the site has no batch system, ends attempts with their driver, or refuses the job.
    """
    if not isinstance(site.scheduler, Batch):
        has = (
            "writes no batch system in `scheduler` outside of pools" if site.pools else "has no batch system"
        )
        raise CampaignError(f"site {site.site} {has}; --as-job needs one, --detach does not")
    if site.local_pools:
        raise CampaignError(
            f"pool {site.local_pools[0]} of site {site.site} is the driver's machine, which a driver's job "
            "gives back in the end; --as-job needs pools of a batch system, --detach does not"
        )
    if not site.outlives_driver:
        raise CampaignError(
            f"site {site.site}: on_driver_loss is stop, and each driver job would end what runs; write finish"
        )
    folder = Path(site.paths.runs).expanduser().absolute() / f"{name}.driver"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "job.json"
    facts = {
        "name": name,
        "site_yaml": site_yaml,
        "first": list(first),
        "resume": list(resume),
        "ledger": ledger,
    }
    file.write_text(json.dumps(facts), encoding="utf-8")
    return _submit(site, file, name), folder / "job.out"


def _submit(site: Site, file: Path, name: str) -> str:
    batch = driver_settings(site)
    command = f"exec {shlex.join(module_command('orchestrator.lifecycle.driver_process.job', str(file)))}"
    request = JobRequest(
        name=f"drv-{name}"[:_NAME_CHARACTERS],
        nodes=1,
        walltime_seconds=batch.walltime,
        output=file.with_name("job.out"),
        command=command,
        on_every_node=False,
    )
    client = SchedulerClient(site.model_copy(update={"scheduler": batch}))
    return client.submit(request, file.with_name("job.sh")).job


def driver_settings(site: Site) -> Batch:
    """Return the scheduler settings of a site's driver job."""
    if not isinstance(site.scheduler, Batch):
        raise TypeError(f"site {site.site} has no batch system")
    return site.scheduler.for_driver(site.driver_job)


def is_registered(name: str, ledger: str | None) -> bool:
    """Return whether a campaign is in the ledger."""
    if not Ledger.exists(ledger):
        return False
    try:
        with Reader(ledger) as reader:
            reader.campaign(name)
    except UnknownCampaignError:
        return False
    return True


def record_driver_job(name: str, ledger: str | None, job: str, output: Path) -> None:
    """Record a submitted driver job of a registered campaign; raises `LedgerError`."""
    with Ledger(ledger) as book:
        note_driver_job(book, book.campaign(name).campaign_id, job, output)


def record_launch_job(name: str, ledger: str | None, job: str, output: Path) -> None:
    """Record a submitted job that will launch a campaign, in a ledger that is made if it is not there.

    Raises
    ------
    LedgerError
        If it cannot be written.
    """
    with Ledger.open(ledger) as book:
        note_launch_job(book, name, job, output)


def main() -> int:
    """Run the driver in its job; return its exit code, or 0 if the next job goes on."""
    file = Path(sys.argv[1])
    facts = json.loads(file.read_text(encoding="utf-8"))
    name, ledger = facts["name"], facts["ledger"]
    words = facts["first"]
    if words[0] == "resume":
        _wait_for_lease(name, ledger)
    seconds = handover_seconds(os.environ, time.time())
    own = variable_of_job(os.environ, file.with_name("job.out"))
    for variable in os.environ.keys() - without_job(os.environ).keys():
        del os.environ[variable]
    process = subprocess.Popen(
        module_command("orchestrator", *words), stdin=subprocess.DEVNULL, env=os.environ | own
    )
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        code = _exit_code(process.wait(seconds))
    except subprocess.TimeoutExpired:
        return _hand_over(process, file, facts)
    with suppress(LedgerError):  # only to be shown
        _record_end(name, ledger, json.loads(own[JOB_VARIABLE])["job"])
    return code


def _record_end(name: str, ledger: str | None, job: str) -> None:
    """Record that this job ended, if its campaign is not in the ledger: nothing else would say so."""
    if not is_registered(name, ledger):
        with Ledger.open(ledger) as book:
            note_launch_end(book, name, job)


def _hand_over(process: subprocess.Popen[bytes], file: Path, facts: Mapping[str, Any]) -> int:
    site = parse(facts["site_yaml"], Site, "the site of the driver job")
    registered = is_registered(facts["name"], facts["ledger"])
    if registered:
        facts = {**facts, "first": facts["resume"]}
    try:
        file.write_text(json.dumps(facts), encoding="utf-8")
        job = _submit(site, file, facts["name"])
        print(f"the walltime ends soon; job {job} goes on", flush=True)
    except SchedulerError as error:
        print(f"no further driver job: {error}; `orchestrator resume {facts['name']}` goes on", flush=True)
        return _exit_code(process.wait())
    with suppress(LedgerError):  # only to be shown
        record = record_driver_job if registered else record_launch_job
        record(facts["name"], facts["ledger"], job, file.with_name("job.out"))
    process.terminate()
    try:
        process.wait(_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        kill_child(process)
    return 0


def handover_seconds(variables: Mapping[str, str], now: float) -> float | None:
    """Return the seconds until the driver must end; None without an end of the job."""
    try:
        left = float(variables[ENDS_VARIABLE]) - now
    except (KeyError, ValueError):
        return None
    return max(0.0, left - min(_HANDOVER_SECONDS, left / 4))


def without_job(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables without those of the job that this process runs in.

    Blocks that the driver submits would take them for theirs.
    """
    families = family_classes().values()
    kept = {name for family in families for name in family.kept_variables}
    prefixes = (BLOCK_PREFIX, *(prefix for family in families for prefix in family.job_variables))
    return {name: value for name, value in variables.items() if name in kept or not name.startswith(prefixes)}


def _wait_for_lease(name: str, ledger: str | None) -> None:
    """Wait until the lease of the driver before has run out; one that still holds it makes resume fail."""
    deadline = time.monotonic() + _LEASE_SECONDS
    with Reader(ledger) as reader:
        while live_driver(reader.campaign(name)) is not None and time.monotonic() < deadline:
            time.sleep(1)


def _exit_code(code: int) -> int:
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
