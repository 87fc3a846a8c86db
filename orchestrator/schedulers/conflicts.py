"""A site's own directives, held against what the rest of its file says. Pure: nothing is run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from orchestrator.schedulers.directives import Option, gpus, nodes, options, seconds
from orchestrator.schedulers.families import family_of, launcher_of
from orchestrator.schedulers.model import JobRequest, SchedulerError, expanded_account
from sites import Site, core_numbers
from sites.quantities import shown
from sites.schedulers import BatchScheduler, Local, Lsf, PbsPro, Slurm, Torque

_KEYS: dict[type, dict[str, str]] = {
    Slurm: {
        "--nodes": "nodes_per_block",
        "--time": "walltime",
        "--partition": "partition",
        "--account": "account",
        "--qos": "qos",
        "--constraint": "constraint",
        "--exclusive": "exclusive",
        "--oversubscribe": "exclusive",
    },
    Lsf: {"-nnodes": "nodes_per_block", "-W": "walltime", "-q": "queue", "-P": "account"},
    PbsPro: {
        "-l select": "nodes_per_block",
        "-l nodes": "nodes_per_block",
        "-l walltime": "walltime",
        "-l place": "place",
        "-q": "queue",
        "-A": "account",
    },
    Torque: {"-l nodes": "nodes_per_block", "-l walltime": "walltime", "-q": "queue", "-A": "account"},
}
_STARTS = "one worker starts on each node"
_NAME = "blocks are found by their name"
_OUTPUT = "a block's output has its place in the campaign's directory"
_AGAIN = "a block that came back would find nobody"
_OURS: dict[type, dict[str, str]] = {
    Slurm: {
        "--job-name": _NAME,
        "--ntasks-per-node": _STARTS,
        "--ntasks": _STARTS,
        "--output": _OUTPUT,
        "--requeue": _AGAIN,
    },
    Lsf: {"-J": _NAME, "-o": _OUTPUT},
    PbsPro: {"-N": _NAME, "-o": _OUTPUT, "-r": _AGAIN},
    Torque: {"-N": _NAME, "-o": _OUTPUT, "-r": _AGAIN},
}
_HARMLESS = {("--ntasks-per-node", "1"), ("-r", "n")}  # as we ask for it ourselves
_CHUNKS = "its nodes are asked for by scheduler.nodes_per_block; write what else they need into scheduler."
_STATEMENTS = {  # options that cannot stand beside another one that is made, and why
    ("-l select", "-l select"): f"{_CHUNKS}select",
    ("-l nodes", "-l select"): f"{_CHUNKS}select",
    ("-l nodes", "-l nodes"): f"{_CHUNKS}properties",
    (
        "-n",
        "-nnodes",
    ): "nodes are asked for by -nnodes; write skip: [-nnodes] where LSF is to be asked for cores",
}
_ONCE: dict[type, set[str]] = {  # options of which one alone counts, beside those that a key stands for
    Slurm: {
        *("--mem", "--mem-per-cpu", "--mem-per-gpu", "--gres", "--cpus-per-task", "--exclude"),
        *("--gpus", "--gpus-per-node", "--gpus-per-task", "--reservation"),
    },
    Lsf: {"-n", "-gpu"},
    PbsPro: set(),
    Torque: set(),
}
_WHOLE = {"": True, "user": False, "mcs": False}  # whether what Slurm's --exclusive says keeps others out


@dataclass(frozen=True, slots=True)
class Clash:
    """What says again, or otherwise, what the site file says elsewhere.

    Parameters
    ----------
    what
        The directive, or launcher's option, as it is written.
    contradicts
        Whether it says something else; what is only said twice does no harm.
    said
        What it meets, and what to do.
    """

    what: str
    contradicts: bool
    said: str


def clashes(site: Site) -> list[Clash]:
    """Return what contradicts or repeats a site's keys among its directives and its launcher's options."""
    batch = site.scheduler
    if isinstance(batch, Local):
        return []
    made: dict[str, set[str]] = {}
    for option in (one for line in _made(batch) for one in options(batch, line)):
        made.setdefault(option.name, set()).add(option.value)
    once = {*_KEYS[type(batch)], *_ONCE[type(batch)]}
    found: list[Clash | None] = []
    seen: dict[str, Option] = {}
    for directive in batch.directives:
        if directive.startswith(tuple(batch.skip)):
            continue
        for option in options(batch, directive):
            before = seen.setdefault(option.name, option)
            if before is not option and option.name in once:
                said = f"{option.name} was given before, as {before.directive}; delete one of them"
                found.append(Clash(directive, _meaning(batch, before) != _meaning(batch, option), said))
            found.append(_of_a_directive(site, batch, option, made))
    launcher = launcher_of(batch)
    if isinstance(batch, Slurm) and launcher.type == "srun":
        found += [_of_srun(site, batch, one) for one in options(batch, shlex.join(launcher.options))]
    return [one for one in [*found, *_of_chunks(site, batch)] if one is not None]


def _made(batch: BatchScheduler) -> list[str]:
    """Return the directives that are made from the site's keys, without those that it skips."""
    request = JobRequest("block", batch.nodes_per_block, batch.walltime, Path("out"), "true")
    try:
        lines = family_of(batch).directives(request)
    except SchedulerError:  # its account is a variable that is not set here, which another check tells
        lines = family_of(batch.model_copy(update={"account": "unset"})).directives(request)
    return [line for line in lines if not line.startswith(tuple(batch.skip))]


def _of_a_directive(
    site: Site, batch: BatchScheduler, option: Option, made: dict[str, set[str]]
) -> Clash | None:
    kind, what = type(batch), option.directive
    ours = _OURS[kind].get(option.name)
    # A block's name and the place of its output are each block's own: nobody can write the same.
    if option.value in made.get(option.name, ()) and ours not in (_NAME, _OUTPUT):
        key = _KEYS[kind].get(option.name)
        said = f"scheduler.{key} says the same" if key else "it is written anyway"
        return Clash(what, False, f"{said}; delete it")
    if ours:
        return None if _harmless(batch, option, ours, made) else Clash(what, True, f"{ours}; delete it")
    statement = next(
        (_STATEMENTS[option.name, one] for one in made if (option.name, one) in _STATEMENTS), None
    )
    if statement:
        return Clash(what, True, statement)
    key = _KEYS[kind].get(option.name)
    if key is None:
        return _of_gpus(site, batch, option, what)
    says, asks = _says(batch, key), _asks(batch, key, option)
    if says is None or asks is None:
        return None
    if says != asks:
        return Clash(what, True, f"scheduler.{key} says {says}, it says {asks}; delete it, or mend the key")
    if option.name in made:
        return Clash(what, False, f"scheduler.{key} says the same; delete it")
    return None


def _harmless(batch: BatchScheduler, option: Option, ours: str, made: dict[str, set[str]]) -> bool:
    """Return whether an option of what is ours to say does no harm."""
    if option.name == "--ntasks":  # one for each of as many nodes
        return option.value == str(batch.nodes_per_block)
    if ours == _OUTPUT:  # who skips ours wants another place
        return option.name not in made
    return (option.name, option.value) in _HARMLESS


def _says(batch: BatchScheduler, key: str) -> str | None:
    """Return what a key says; None where it says nothing."""
    if key == "walltime":
        return shown(batch.walltime)
    if key == "account":
        try:
            return expanded_account(batch)
        except SchedulerError:  # another check tells that its variable is not set here
            return None
    says = getattr(batch, key)
    return str(says).lower() if isinstance(says, bool) else str(says) if says else None


def _asks(batch: BatchScheduler, key: str, option: Option) -> str | None:
    """Return what an option says of a key's matter, in the key's words; None where it cannot be read."""
    if key == "nodes_per_block":
        return nodes(batch, option.value)
    if key == "walltime":
        length = seconds(batch, option.value)
        return None if length is None else shown(length)
    if key == "exclusive":
        whole = _WHOLE.get(option.value) if option.name == "--exclusive" else False
        return None if whole is None else str(whole).lower()
    return option.value


def _meaning(batch: BatchScheduler, option: Option) -> str:
    """Return what an option says, the same for all ways of writing it."""
    key = _KEYS[type(batch)].get(option.name)
    asks = _asks(batch, key, option) if key else None
    return option.value if asks is None else asks


def _of_gpus(site: Site, batch: BatchScheduler, option: Option, what: str) -> Clash | None:
    asks = gpus(batch, option)
    return None if asks is None else _gpu_clash(site, asks, what)


def _gpu_clash(site: Site, asks: str, what: str) -> Clash | None:
    declared = site.node.gpus
    if declared is not None and declared.sharing == "mig":  # batch systems count the parts in their own ways
        return None
    if asks == (str(declared.count) if declared else "0"):
        return None
    says = f"node.gpus.count says {declared.count}" if declared else "node.gpus says of none"
    return Clash(what, True, f"{says}, it asks for {asks} of each node; mend what is not true")


def _of_srun(site: Site, batch: Slurm, option: Option) -> Clash | None:
    what = f"launcher option {option.name}={option.value}"
    if option.name == "--cpus-per-task" and option.value.isdecimal():
        cores = len(core_numbers(site.node.cores))
        if int(option.value) < cores:
            said = f"node.cores names {cores} cores, a worker would get {option.value}; mend what is not true"
            return Clash(what, True, said)
    return _of_gpus(site, batch, option, what)


def _of_chunks(site: Site, batch: BatchScheduler) -> list[Clash | None]:
    """Hold the GPUs that PBS is asked for in keys of their own against the node's."""
    parts = (
        batch.select if isinstance(batch, PbsPro) else batch.properties if isinstance(batch, Torque) else []
    )
    asked = (part.partition("=") for part in parts)
    return [
        _gpu_clash(site, number, f"{name}={number}")
        for name, _, number in asked
        if name in ("ngpus", "gpus") and number.isdecimal()
    ]
