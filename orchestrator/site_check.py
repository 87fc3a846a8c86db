"""Checking a site before a campaign is launched: from here, and with one small block on its nodes."""

from __future__ import annotations

import difflib
import json
import os
import secrets
import selectors
import shlex
import shutil
import socket
import string
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import workloads
from orchestrator.errors import CampaignError
from orchestrator.host.gpus import GpuError, discover
from orchestrator.host.interpreter import interpreter_facts
from orchestrator.planning.site_facts import driver_address, node_facts
from orchestrator.planning.slot_maps import slot_maps
from orchestrator.planning.slots import NodeFacts, Slot
from orchestrator.schedulers.client import BatchSystem
from orchestrator.schedulers.conflicts import clashes
from orchestrator.schedulers.families import family_of, launcher_of
from orchestrator.schedulers.model import Job, JobRequest, JobState, SchedulerError
from sites import Site
from sites.schedulers import Local

_CLOCK_SECONDS = 1.0
_PROBE_WALLTIME_SECONDS = 600.0
_FILES_SECONDS = 10.0
_END_SECONDS = 60.0
_PICTURE_CHARACTERS = 96


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what, whether it is as it should be, and what was seen.

    `needed` is whether no block could be probed as long as it is not.
    """

    what: str
    good: bool
    seen: str
    needed: bool = False


def check(site: Site) -> list[Finding]:
    """Look at everything that can be seen from the machine a campaign would be launched on."""
    findings = []
    try:
        node, maps = slot_maps(site)
        seen = "; ".join(
            f"{one.workload or 'default'}: {len(one.slots)} of {one.shape.label}" for one in maps
        )
        findings.append(Finding("slots of a node", True, seen))
        cores = f"{len(node.cores)} cores, {node.gpus} GPUs, {node.memory_bytes / 2**30:.0f} GiB"
        findings.append(Finding("node", True, f"{cores}, as the site file says"))
    except CampaignError as error:
        findings.append(Finding("slots of a node", False, str(error)))
    findings += [_own_slot(name) for name in site.slots if name not in workloads.names()]
    try:
        address = driver_address(site)
        with socket.create_server((address, 0)):
            findings.append(Finding("address of the driver", True, address))
    except CampaignError as error:
        findings.append(Finding("address of the driver", False, str(error), needed=True))
    except OSError as error:
        said = f"{address} is no address of this machine: {error.strerror}"
        findings.append(Finding("address of the driver", False, said, needed=True))
    findings.append(_interpreter_finding(site))
    runs = Path(site.paths.runs).expanduser().absolute()
    above = next(path for path in (runs, *runs.parents) if path.exists())
    usable = above.is_dir() and os.access(above, os.W_OK | os.X_OK)
    said = f"{runs}" if usable else f"{above}: not writable"
    findings.append(Finding("path of the runs", usable, said, needed=True))
    return findings + (_gpu_findings(site) if site.local else _batch_findings(site))


def _own_slot(name: str) -> Finding:
    """Return what is said of a slot for a workload that does not come with the project."""
    near = difflib.get_close_matches(name, workloads.names(), n=1)
    said = f"no workload {name}; did you mean {near[0]}?" if near else "for a workload of your own"
    return Finding(f"slots.{name}", not near, said)


def _interpreter_finding(site: Site) -> Finding:
    interpreter = site.interpreter or sys.executable
    there = shutil.which(interpreter)
    if there is None:
        return Finding("interpreter", False, f"{interpreter} cannot be run here")
    if not site.local:
        return Finding("interpreter", True, there)  # what it has on the nodes, the probe tells
    facts = interpreter_facts(there)
    return Finding("interpreter", "versions" in facts, f"{there}: {told_versions(facts)}")


def told_versions(facts: dict[str, Any]) -> str:
    """Return the versions of an interpreter's packages in words, or why it will not do."""
    if "versions" not in facts:
        return str(facts["interpreter_error"])
    return ", ".join(f"{name} {version}" for name, version in facts["versions"].items())


def _gpu_findings(site: Site) -> list[Finding]:
    if site.node.gpus is None:
        return []
    try:
        return [Finding("GPUs", True, ", ".join(discover(site.node.gpus.vendor, site.node.gpus.count)))]
    except GpuError as error:
        return [Finding("GPUs", False, str(error))]


def _batch_findings(site: Site) -> list[Finding]:
    if isinstance(site.scheduler, Local):
        return []
    findings = []
    family = family_of(site.scheduler)
    for call in (family.submit(Path("script"), ""), family.cancel("1")):
        there = shutil.which(call.words[0])
        said = there or f"no {call.words[0]} here; is this a login node of the machine?"
        findings.append(Finding(f"command {call.words[0]}", there is not None, said, needed=True))
    try:
        BatchSystem(site).script(probe_request(site, Path("probe"), 1))
        findings.append(
            Finding("submit script", True, f"{site.scheduler.type}, {launcher_of(site.scheduler).type}")
        )
    except (SchedulerError, CampaignError) as error:
        findings.append(Finding("submit script", False, str(error), needed=True))
    return findings + [Finding(one.what, not one.contradicts, one.said) for one in clashes(site)]


def probe_request(site: Site, folder: Path, nodes: int) -> JobRequest:
    """Return the request of the block that probes nodes."""
    if isinstance(site.scheduler, Local):
        raise CampaignError(f"site {site.site} has no batch system; there is nothing to probe")
    return JobRequest(
        name="eto-probe",
        nodes=nodes,
        walltime_seconds=min(site.scheduler.walltime, _PROBE_WALLTIME_SECONDS),
        output=folder / "probe.out",
        command=shlex.join([sys.executable, "-m", "orchestrator.node.probe", str(folder / "order.json")]),
    )


def probe(site: Site, say: Callable[[str], None], *, nodes: int = 1) -> list[Finding]:
    """Run one small block and return what its nodes found, held against the site file.

    Parameters
    ----------
    say
        Told where the block stands.
    nodes
        How many nodes the block has.

    Raises
    ------
    CampaignError
        If the site has no batch system.
    """
    system = BatchSystem(site) if not site.local else None
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
            "gpus": site.node.gpus and site.node.gpus.model_dump(include={"vendor", "count"}),
        }
        (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")
        (folder / "order.json").chmod(0o600)
        try:
            job = system.submit(probe_request(site, folder, nodes), folder / "probe.sh")
        except SchedulerError as error:
            shutil.rmtree(folder, ignore_errors=True)
            return [Finding("block", False, str(error))]
        say(f"submitted a block of {nodes} node(s) as job {job}")
        block = _Block(system, job, say)
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
    if any(not one.good for one in findings):
        said = f"job {job} is {block.job.state}; its output and what the nodes wrote are in {folder}"
        findings.append(Finding("block", block.job.state is not JobState.FAILED, said))
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return findings


class _Block:
    """The probing block, and where it stood when it was last asked for."""

    def __init__(self, system: BatchSystem, job: str, say: Callable[[str], None]) -> None:
        self._system = system
        self._next_question = 0.0
        self.say = say
        self.job = Job(job, JobState.QUEUED)

    @property
    def ended(self) -> bool:
        """Whether it has ended; asked for every other second."""
        if not self.job.state.ended and time.monotonic() >= self._next_question:
            self._next_question = time.monotonic() + 2.0
            try:
                (now,) = self._system.jobs([self.job.id])
            except SchedulerError as error:  # it may answer the next time
                self.say(str(error))
                return False
            if now != self.job:
                self.say(f"job {now.id} is {now.state}" + (f": {now.reason}" if now.reason else ""))
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
                    block.say(f"heard of node {found['node']}")
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
        Finding("network to the driver", len(heard) == nodes, f"{len(heard)} of {nodes} nodes were heard"),
        Finding("shared path", len(written) == nodes, f"{len(written)} of {nodes} nodes wrote to it"),
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
                told_versions(one),
            ),
        ]
        if site.node.gpus is not None:
            seen = one.get("gpu_error") or ", ".join(one["gpus"])
            findings.append(Finding(f"{name}: GPUs", "gpus" in one, seen))
        if (offset := one.get("clock_offset_seconds")) is not None:
            findings.append(
                Finding(
                    f"{name}: clock",
                    abs(offset) < _CLOCK_SECONDS,
                    f"{offset * 1e3:+.1f} ms from the driver's",
                )
            )
    return findings


def picture(node: NodeFacts, slots: tuple[Slot, ...]) -> list[str]:
    """Return a node as lines of text: each core with the slot that holds it, GPUs with theirs.

    Slots have one letter each, or numbers where there are too many of them.
    """
    names, free = [*string.digits, *string.ascii_letters], "."
    if len(slots) > len(names):
        width = len(f" {len(slots) - 1}")
        names, free = [f"{number:>{width}}" for number in range(len(slots))], f"{'.':>{width}}"
    owner = {core: k for k, slot in enumerate(slots) for place in slot for core in place.cores}
    rows = []
    for number, domain in enumerate(node.domains or (node.cores,)):
        mine = [core for core in domain if core in node.cores]
        rows.append((f"numa {number}", [names[owner[core]] if core in owner else free for core in mine]))
    for gpu in range(node.gpus):
        users = [k for k, slot in enumerate(slots) if any(gpu in place.gpus for place in slot)]
        rows.append((f"gpu {gpu}", [names[k] for k in users] or [free]))
    margin = max(len(label) for label, _ in rows) + 2
    each = _PICTURE_CHARACTERS // len(free)
    lines = []
    for label, cells in rows:
        parts = ["".join(cells[k : k + each]) for k in range(0, len(cells), each)] or [""]
        lines += [f"{label:<{margin}}{parts[0]}", *(" " * margin + part for part in parts[1:])]
    return lines
