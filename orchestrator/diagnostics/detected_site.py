"""Write a site file from what a machine says, with a comment wherever something is left to fill in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from orchestrator.analysis.roofline.peaks import gpu_peak
from orchestrator.diagnostics.machine_survey import Hardware, Machine
from orchestrator.errors import CampaignError
from orchestrator.host.gpu_inventory import Gpu
from orchestrator.schedulers.families import family_class
from orchestrator.schedulers.survey.model import Queue, Survey, SurveyedNode
from orchestrator.wording import count_of
from sites.files import NAME
from sites.nodes import core_list
from sites.schedulers import Batch

FILL_IN = "FILL IN"
_GIBIBYTE = 2**30
_LONGEST_LISTING = 20
_BLOCK_SECONDS = 4 * 3600.0
_PLAIN = re.compile(r"(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z_][\w./-]*", re.IGNORECASE)
_AMD, _INTEL = (
    re.compile(r"mi\d|gfx|amd|instinct", re.IGNORECASE),
    re.compile(r"pvc|ponte|intel|max", re.IGNORECASE),
)


def site_name(wanted: str) -> str:
    """Return a name that a site may have."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", wanted).strip("-._")
    return name if re.fullmatch(NAME, name) else "detected"


def site_text(name: str, machine: Machine, date: str, queue: str | None = None) -> str:
    """Return the text of a site file.

    Parameters
    ----------
    date
        Of the survey, for the file's ``source``.
    queue
        Partition or queue to write the file for; by default the batch system's.

    Raises
    ------
    CampaignError
        If there is no such queue.
    """
    here = machine.hardware
    lines = [
        f"# Written by `orchestrator site detect` on {_line(here.host)}. {FILL_IN}: what is not known.",
        f"site: {name}",
        f"source: {_scalar(f'orchestrator site detect on {here.host}, {date}')}",
        *(f"# {_line(complaint)}" for complaint in machine.complaints),
    ]
    if machine.allocation:
        lines.append(f"# Inside allocation {_line(machine.allocation)}: launch --here uses its nodes.")
    if machine.survey is None:
        if queue is not None:
            raise CampaignError(f"--queue {queue}: no batch system answers here, so there are no queues")
        return "\n".join([*lines, *_local(here)]) + "\n"
    chosen = _queue(machine.survey, queue)
    kind = _kind(machine.survey, chosen)
    lines += _scheduler(machine, machine.survey, chosen, kind)
    lines += _nodes(here, machine.survey, kind)
    return "\n".join([*lines, *_network(here)]) + "\n"


def _local(here: Hardware) -> Iterator[str]:
    yield "# No batch system answers here: instances run on this machine."
    yield from ("", "scheduler: {type: local}", "", "node:")
    yield f"  cores: {_cores(here.cores)}{_threads(here)}"
    yield from _cpu_peak(here)
    yield from _domains(here)
    yield f"  memory: {_memory(here.memory_bytes)}"
    yield from _gpus(list(here.gpus), "")
    yield from ("", _slot(len(here.cores), len(here.gpus), None))


def _scheduler(machine: Machine, survey: Survey, chosen: Queue | None, kind: SurveyedNode) -> Iterator[str]:
    family = family_class(survey.scheduler)
    queue_key, account = family.queue_key, family.account_variable
    yield from ("", "scheduler:", f"  type: {survey.scheduler}")
    if os.path.expandvars(account) != account:
        yield f"  account: {account}"
    else:
        yield f"  # account: {account}   # {FILL_IN}: the project that pays, if the machine has accounting"
    if chosen is not None:
        yield f"  {queue_key}: {_scalar(chosen.name)}"
    yield from _listing(f"  # {queue_key}s:", [_shown(one) for one in survey.queues])
    limit = chosen.walltime_seconds if chosen else None
    most = f"; the queue allows {_duration(limit)}" if limit else "; no limit is stated"
    yield f"  walltime: {_duration(min(limit or _BLOCK_SECONDS, _BLOCK_SECONDS))}   # of a block{most}"
    nodes = chosen.max_nodes if chosen else None
    yield f"  nodes_per_block: 1   # {FILL_IN}: nodes of a job{f', at most {nodes}' if nodes else ''}"
    yield f"  max_blocks: 1   # {FILL_IN}: jobs at a time"
    if line := family(Batch(type=survey.scheduler, walltime=_BLOCK_SECONDS)).whole_nodes_line(kind):
        yield f"  {line}"
    launcher = family.default_launcher
    if launcher in ("jsrun", "mpiexec") and launcher not in machine.launchers:
        yield f"  # {launcher} is not here; ssh works where the nodes of a job let its owner in"
        launcher = "ssh"
    options = [f"--cpus-per-task={kind.cores}", *([f"--gpus-per-node={kind.gpus}"] if kind.gpus else [])]
    words = f", options: [{', '.join(options)}]" if launcher == "srun" else ""
    yield f"  launcher: {{type: {launcher}{words}}}"
    yield f"  # prologue: [module load ...]   # {FILL_IN}, if the trainings need modules"


def _nodes(here: Hardware, survey: Survey, kind: SurveyedNode) -> Iterator[str]:
    is_here = here.host in {host.split(".")[0] for host in kind.hosts}
    yield from ("", f"nodes: {sum(one.count for one in survey.kinds)}")
    if len(survey.kinds) > 1:
        yield from _listing("# of several kinds:", [_described(one) for one in survey.kinds])
    yield from ("", f"node:   # {_described(kind)}{', as this machine is one of them' if is_here else ''}")
    if is_here and len(here.cores) == kind.cores:
        yield f"  cores: {_cores(here.cores)}{_threads(here)}"
        yield from _cpu_peak(here)
        yield from _domains(here)
    else:
        unit = family_class(survey.scheduler).core_unit
        advice = f"all {kind.cores} {unit}; leave out those kept for the system"
        yield f"  cores: {_cores(range(kind.cores))}   # {FILL_IN}: {advice}"
        yield f"  # numa_domains: ['0-15', '16-31']   # {FILL_IN}: `lscpu` on a node lists them"
    memory = kind.memory_bytes if kind.memory_bytes is not None or not is_here else here.memory_bytes
    if memory is None:
        yield f"  memory: {_memory(here.memory_bytes)}   # {FILL_IN}: this is that of {here.host}"
    else:
        yield f"  memory: {_memory(memory)}   # a little less leaves room for the system"
    known = list(here.gpus) if is_here and len(here.gpus) == kind.gpus else []
    yield from _gpus(
        known or [Gpu(_vendor(kind.gpu_kind), kind.gpu_kind)] * kind.gpus, "" if known else FILL_IN
    )
    yield from ("", _slot(kind.cores, kind.gpus, memory))


def _gpus(gpus: list[Gpu], guess: str) -> Iterator[str]:
    if not gpus:
        return
    first = gpus[0]
    yield from ("  gpus:", f"    count: {len(gpus)}")
    yield f"    vendor: {first.vendor}{f'   # {guess}: guessed from the model' if guess else ''}"
    if first.kind:
        yield f"    kind: {_scalar(first.kind)}"
        yield f"    # {_line(str(gpu_peak(first.kind)))}"
    if first.is_mig:
        yield "    sharing: mig"
    if first.memory_bytes:
        yield f"    memory: {first.memory_bytes // 2**20} MiB"
    else:
        yield f"    # memory: 40 GB   # {FILL_IN}: of one; needed if instances share it"
    if all(gpu.near_cores for gpu in gpus):
        yield f"    gpu_cores: [{', '.join(repr(gpu.near_cores) for gpu in gpus)}]"
    else:
        yield f"    # gpu_cores: []   # {FILL_IN}: the cores nearest to each (`nvidia-smi topo -m`)"


def _network(here: Hardware) -> Iterator[str]:
    yield ""
    shown = [f"{one.name} {one.address} {one.megabits_per_second or '?'} Mbit/s" for one in here.interfaces]
    if not here.interfaces:
        yield f"address: 127.0.0.1   # {FILL_IN}: address of this host that nodes reach, or `interface`"
        return
    yield f"interface: {_scalar(here.interfaces[0].name)}   # {FILL_IN}: the one that nodes have too"
    yield from _listing("# of this host:", shown)


def _cpu_peak(here: Hardware) -> Iterator[str]:
    if here.cpu_peak:
        yield f"  # {_line(here.cpu_peak)}"


def _domains(here: Hardware) -> Iterator[str]:
    domains = [[core for core in domain if core in here.cores] for domain in here.domains]
    if any(domains):
        yield f"  numa_domains: [{', '.join(repr(core_list(one)) for one in domains if one)}]"


def _cores(numbers: Iterable[int]) -> str:
    """Return a list of cores that YAML reads as a text, also that of one core."""
    text = core_list(numbers)
    return repr(text) if text.isdecimal() else text


def _threads(here: Hardware) -> str:
    further = [core for core in here.further_threads if core in here.cores]
    return f"   # {core_list(further)} are further threads of the others" if further else ""


def _slot(cores: int, gpus: int, memory_bytes: int | None) -> str:
    number = min(gpus, cores) or cores
    memory = f", memory: {memory_bytes // number // 2**20} MiB" if memory_bytes and gpus else ""
    words = f"cores: {cores // number}{', gpus: 1' if gpus else ''}{memory}"
    return f"slot: {{{words}}}   # what one instance gets; {number} run on a node"


def _queue(survey: Survey, wanted: str | None) -> Queue | None:
    for one in survey.queues:
        if one.name == wanted or (wanted is None and one.is_default):
            return one
    if wanted is not None:
        there = ", ".join(_line(one.name) for one in survey.queues[:_LONGEST_LISTING]) or "none"
        raise CampaignError(f"--queue {wanted}: this machine has no such queue; there are {there}")
    return survey.queues[0] if len(survey.queues) == 1 else None


def _kind(survey: Survey, queue: Queue | None) -> SurveyedNode:
    """Return the most numerous kind of node that a queue uses."""
    used = [one for one in survey.kinds if queue and queue.name in one.queues]
    return (used or list(survey.kinds))[0]


def _described(kind: SurveyedNode) -> str:
    words = [f"{count_of(kind.count, 'node')} of {count_of(kind.cores, 'core')}"]
    if kind.memory_bytes is not None:
        words.append(_memory(kind.memory_bytes))
    if kind.gpus:
        words.append(f"{count_of(kind.gpus, 'GPU')} {_line(kind.gpu_kind)}".rstrip())
    if kind.queues:
        words.append(f"in {_line(' '.join(kind.queues[:_LONGEST_LISTING]))}")
    return ", ".join(words)


def _shown(queue: Queue) -> str:
    time = _duration(queue.walltime_seconds) if queue.walltime_seconds else "no time limit"
    nodes = f", at most {count_of(queue.max_nodes, 'node')}" if queue.max_nodes else ""
    return f"{_line(queue.name)}{' (the default)' if queue.is_default else ''}: {time}{nodes}"


def _listing(title: str, entries: list[str]) -> Iterator[str]:
    margin = title[: len(title) - len(title.lstrip())]
    if entries:
        yield title
        yield from (f"{margin}#   {entry}" for entry in entries[:_LONGEST_LISTING])
        if (more := len(entries) - _LONGEST_LISTING) > 0:
            yield f"{margin}#   and {more} more"


def _memory(number: int) -> str:
    return f"{number // _GIBIBYTE} GiB" if number >= 8 * _GIBIBYTE else f"{max(number // 2**20, 1)} MiB"


def _vendor(kind: str) -> str:
    return "amd" if _AMD.search(kind) else "intel" if _INTEL.search(kind) else "nvidia"


def _duration(seconds: float) -> str:
    hours, rest = divmod(int(seconds), 3600)
    if not hours and rest < 60:
        return f"{max(rest, 1)} s"
    return f"{hours} h" + (f" {rest // 60} min" if rest >= 60 else "") if hours else f"{rest // 60} min"


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(_line(text), ensure_ascii=False)


def _line(text: str) -> str:
    """Return a text as one line that a comment may hold."""
    return "".join(character if character.isprintable() else " " for character in text).strip()
