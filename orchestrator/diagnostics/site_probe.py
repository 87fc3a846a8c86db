"""Check a site's nodes with one small block."""

from __future__ import annotations

import json
import logging
import os
import secrets
import selectors
import shlex
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrator.errors import CampaignError
from orchestrator.host.own_modules import module_command
from orchestrator.planning.containers import container_order
from orchestrator.planning.site_facts import driver_address, node_facts
from orchestrator.protocol.codec import to_json
from orchestrator.protocol.order import ContainerOrder
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import Job, JobRequest, JobState, SchedulerError
from orchestrator.wording import count_of, gibibytes
from sites import Site
from sites.schedulers import Local

_log = logging.getLogger(__name__)
_CLOCK_SECONDS = 1.0

_PROBE_WALLTIME_SECONDS = 600.0

_FILES_SECONDS = 10.0

_END_SECONDS = 60.0

NO_KERAS = "no Keras, which hello and scripts do without; for the others: pip install '.[cpu]', or [gpu]"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check of a site.

    Parameters
    ----------
    blocking
        Whether no block can be probed while it is not ok.
    """

    subject: str
    ok: bool
    detail: str
    blocking: bool = False

    def of_pool(self, pool: str) -> Finding:
        """Return it with the name of the pool that it is about."""
        return replace(self, subject=f"pool {pool}: {self.subject}") if pool else self


def reported_versions(facts: dict[str, Any]) -> str:
    """Return the versions of an interpreter's packages in words, or why it will not do."""
    if "versions" not in facts:
        return str(facts["interpreter_error"])
    versions = facts["versions"]
    note = "" if "keras" in versions else f"; {NO_KERAS}"
    return ", ".join(f"{name} {version}" for name, version in versions.items()) + note


def probe_request(site: Site, folder: Path, nodes: int) -> JobRequest:
    """Return the request of the block that probes nodes."""
    if isinstance(site.scheduler, Local):
        raise CampaignError(f"site {site.site} has no batch system; there is nothing to probe")
    return JobRequest(
        name="eto-probe",
        nodes=nodes,
        walltime_seconds=min(site.scheduler.walltime, _PROBE_WALLTIME_SECONDS),
        output=folder / "probe.out",
        command=shlex.join(module_command("orchestrator.node.worker.probe", str(folder / "order.json"))),
    )


def probe(site: Site, *, nodes: int = 1, own: Mapping[str, ContainerOrder] | None = None) -> list[Finding]:
    """Run one small block and return what its nodes found, held against the site file.

    Parameters
    ----------
    own
        Containers of benchmarks to look for besides, by the benchmarks' names.

    Raises
    ------
    CampaignError
        If the site has no batch system.
    """
    system = SchedulerClient(site) if not site.local else None
    if system is None:
        raise CampaignError(f"site {site.site} has no batch system; there is nothing to probe")
    runs = Path(site.paths.runs).expanduser().absolute()
    runs.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="probe-", dir=runs))
    token = secrets.token_hex(16)
    with socket.create_server((driver_address(site), 0)) as server:
        order = {
            "address": server.getsockname()[0],
            "port": server.getsockname()[1],
            "token": token,
            "working_directory": str(Path.cwd()),
            "interpreter": site.interpreter or sys.executable,
            "container": to_json(container) if (container := container_order(site.container)) else None,
            "own_containers": {names: to_json(one) for names, one in (own or {}).items()},
            "environment": {name: os.path.expandvars(value) for name, value in site.environment.items()},
            "gpus": site.node.gpus and site.node.gpus.model_dump(include={"vendor", "count"}),
        }
        (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
        (folder / "order.json").chmod(0o600)
        try:
            job = system.submit(probe_request(site, folder, nodes), folder / "probe.sh").job
        except SchedulerError as error:
            shutil.rmtree(folder, ignore_errors=True)
            return [Finding("block", False, str(error))]
        _log.info("submitted a block of %d node(s) as job %s", nodes, job)
        block = _Block(system, job)
        try:
            heard = _listen(server, token, block, nodes)
            # A shared file system may show later what is written; and only the block's end is the end
            # of what the batch system itself writes into the folder.
            block.wait(_FILES_SECONDS, lambda: len(_written(folder)) >= nodes and block.ended)
        finally:
            if not block.job.state.ended:
                system.cancel([job])
        block.wait(_END_SECONDS, lambda: block.ended)
    findings = _judge(site, heard, _written(folder), nodes)
    if any(not one.ok for one in findings):
        text = f"job {job} is {block.job.state}; its output and what the nodes wrote are in {folder}"
        findings.append(Finding("block", block.job.state is not JobState.FAILED, text))
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return findings


class _Block:
    """The probing block, and where it stood when it was last asked for."""

    def __init__(self, system: SchedulerClient, job: str) -> None:
        self._system = system
        self._next_question = 0.0
        self.job = Job(job, JobState.QUEUED)

    @property
    def ended(self) -> bool:
        """True once it has ended; asked for every other second."""
        if not self.job.state.ended and time.monotonic() >= self._next_question:
            self._next_question = time.monotonic() + 2.0
            try:
                (now,) = self._system.status([self.job.id])
            except SchedulerError as error:  # it may answer the next time
                _log.warning("%s", error)
                return False
            if now != self.job:
                _log.info("job %s is %s%s", now.id, now.state, f": {now.reason}" if now.reason else "")
            self.job = now
        return self.job.state.ended

    def wait(self, seconds: float, done: Callable[[], bool]) -> None:
        """Wait for something, but not for ever."""
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:
            time.sleep(0.2)


def _written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("node-*.json"))]


def _listen(server: socket.socket, token: str, block: _Block, nodes: int) -> list[dict[str, Any]]:
    """Answer nodes until all were heard or the block has ended, and return what they found."""
    heard: list[dict[str, Any]] = []
    with selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        while len(heard) < nodes and not block.ended:
            if selector.select(1.0):
                connection, _ = server.accept()
                with connection:
                    found = _talk(connection, token)
                if found is not None:
                    heard.append(found)
                    _log.info("node %s answered", found["node"])
    return heard


def _talk(connection: socket.socket, token: str) -> dict[str, Any] | None:
    """Answer one node's questions about the clock and return what it found; None if it is no node of ours."""
    connection.settimeout(60.0)
    stream = connection.makefile("rwb")
    try:
        for line in stream:
            message = json.loads(line)
            if "clock" in message:
                stream.write(json.dumps({"clock": time.time()}).encode() + b"\n")
                stream.flush()
                continue
            stream.write(b"{}\n")
            stream.flush()
            good = secrets.compare_digest(str(message.get("token")), token)
            return dict(message["found"]) if good else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _judge(
    site: Site, heard: list[dict[str, Any]], written: list[dict[str, Any]], nodes: int
) -> list[Finding]:
    """Hold what nodes found against the site file."""
    findings = [
        Finding(
            "network to the driver",
            len(heard) == nodes,
            f"{len(heard)} of {count_of(nodes, 'node')} were heard",
        ),
        Finding(
            "shared path", len(written) == nodes, f"{len(written)} of {count_of(nodes, 'node')} wrote to it"
        ),
    ]
    findings += [
        Finding(f"{one['node']}: network", False, one["unheard"]) for one in written if "unheard" in one
    ]
    node = node_facts(site)
    for one in [*heard, *(one for one in written if "unheard" in one)]:
        name = one["node"]
        missing = sorted(set(node.cores) - set(one["cores"]))
        findings += [
            Finding(f"{name}: cores", not missing, f"lacks {missing}" if missing else f"{len(one['cores'])}"),
            Finding(
                f"{name}: memory",
                one["memory_bytes"] >= node.memory_bytes,
                f"{one['memory_bytes'] / 2**30:.0f} GiB, the site file says {node.memory_bytes / 2**30:.0f}",
            ),
            Finding(f"{name}: working directory", one["working_directory"], str(Path.cwd())),
            Finding(
                f"{name}: interpreter",
                "versions" in one,
                reported_versions(one),
            ),
        ]
        if seen := one.get("container_error") or one.get("container"):
            findings.append(Finding(f"{name}: container", "container" in one, seen))
        for names, facts in one.get("own_containers", {}).items():
            subject = f"{name}: container of {names}"
            seen = facts.get("container_error") or f"{facts['container']}: {reported_versions(facts)}"
            findings.append(Finding(subject, "versions" in facts, seen))
        if (size := node.disk_bytes) is not None:
            seen = f"{gibibytes(one['disk_bytes'])} at $TMPDIR, the site file says {gibibytes(size)}"
            findings.append(Finding(f"{name}: disk", one["disk_bytes"] >= size, seen))
        if site.node.gpus is not None:
            seen = one.get("gpu_error") or ", ".join(one["gpus"])
            findings.append(Finding(f"{name}: GPUs", "gpus" in one, seen))
            if why := one.get("gpus_unprovable"):
                findings.append(Finding(f"{name}: proof of GPUs", False, f"{why}; rule `devices` will fail"))
        if (offset := one.get("clock_offset_seconds")) is not None:
            findings.append(
                Finding(
                    f"{name}: clock",
                    abs(offset) < _CLOCK_SECONDS,
                    f"{offset * 1e3:+.1f} ms from the driver's",
                )
            )
    return findings
