"""A site's own directives, held against what the rest of its file says. Pure: nothing is run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from orchestrator.directives import Option, gpus, nodes, options, seconds
from orchestrator.schedulers import family_of, launcher_of
from orchestrator.schedulers.jobs import JobRequest, SchedulerError
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
_MANY = {"-R", "-W", "-v"}  # that other batch systems than Slurm take several times


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
    made = {option.name for line in _made(batch) for option in options(batch, line)}
    found: list[Clash | None] = []
    seen: dict[str, Option] = {}
    for directive in batch.directives:
        if directive.startswith(tuple(batch.skip)):
            continue
        for option in options(batch, directive):
            before = seen.setdefault(option.name, option)
            if before is not option and (isinstance(batch, Slurm) or option.name not in _MANY):
                said = f"{option.name} was given before, as {before.directive}; delete one of them"
                found.append(Clash(directive, before.value != option.value, said))
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


def _of_a_directive(site: Site, batch: BatchScheduler, option: Option, made: set[str]) -> Clash | None:
    kind, what = type(batch), option.directive
    if option.name in _OURS[kind]:
        return Clash(what, True, f"{_OURS[kind][option.name]}; delete it")
    statement = next(
        (_STATEMENTS[option.name, one] for one in made if (option.name, one) in _STATEMENTS), None
    )
    if statement:
        return Clash(what, True, statement)
    key = _KEYS[kind].get(option.name)
    if key is None:
        return _of_gpus(site, batch, option, what)
    says, asks = _both(batch, key, option)
    if says is None or asks is None:
        return None
    if says != asks:
        return Clash(what, True, f"scheduler.{key} says {says}, it says {asks}; delete it, or mend the key")
    if option.name in made:
        return Clash(what, False, f"scheduler.{key} says the same; delete it")
    return None


def _both(batch: BatchScheduler, key: str, option: Option) -> tuple[str | None, str | None]:
    """Return what a key says and what an option says instead; None where one of them says nothing."""
    if key == "nodes_per_block":
        return str(batch.nodes_per_block), nodes(batch, option.value)
    if key == "walltime":
        length = seconds(batch, option.value)
        return shown(batch.walltime), None if length is None else shown(length)
    if key == "exclusive" and isinstance(batch, Slurm):
        whole = option.name == "--exclusive" and not option.value  # otherwise nodes are shared after all
        return str(batch.exclusive).lower(), str(whole).lower()
    says = getattr(batch, key)
    return (str(says) if says else None), option.value


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
