"""Launchers of PBS machines: mpiexec and mpirun as in PALS and MPICH, aprun of ALPS, pbsdsh."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.schedulers.fake_schedulers.launching import Rank, launch, spread
from tests.schedulers.fake_schedulers.store import Store

MPIEXEC = set(
    "n np ppn hosts host hostfile machinefile f cpu-bind bind-to mem-bind map-by depth d"  # noqa: SIM905
    " env genv envlist wdir line-buffer gpu-bind rlimits pmi cpus-per-proc".split()
)
MPIEXEC_ALONE = {
    "l",
    "line-label",
    "label",
    "envall",
    "genvall",
    "envnone",
    "exclusive",
    "no-abort-on-failure",
    "v",
}
APRUN = set("a cc cp d D L m n N F p q r R S sl sn t j e".split())  # noqa: SIM905
APRUN_ALONE = {"b", "B", "C", "ss", "T", "q"}


class BadUsage(Exception):
    """A command line that a launcher refuses."""


def allocated() -> list[str]:
    """Return the hosts of this job, each once."""
    file = os.environ.get("PBS_NODEFILE")
    return list(dict.fromkeys(Path(file).read_text().split())) if file else ["localhost"]


def split(
    arguments: list[str], valued: set[str], alone: set[str], name: str, pairs: frozenset[str] = frozenset()
) -> tuple[dict[str, str], list[str]]:
    """Return options and the command."""
    options: dict[str, str] = {}
    words = list(arguments)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        option, equals, value = word.lstrip("-").partition("=")
        if option in alone:
            options[option] = ""
        elif option in valued:
            if not equals:
                if not words:
                    raise BadUsage(f"{name}: option requires an argument -- '{option}'")
                value = words.pop(0)
            if option in pairs and "=" not in value and words:
                value += f"={words.pop(0)}"
            if option in {"env", "genv", "e"}:
                key, _, content = value.partition("=")
                os.environ[key] = content
            options[option] = value
        else:
            raise BadUsage(f"{name}: unrecognized option '{word}'")
    if not words:
        raise BadUsage(f"{name}: no executable was given")
    return options, words


def count(options: dict[str, str], *names: str) -> int:
    """Return an option that counts something; 0 when it is absent."""
    for name in names:
        if name in options:
            if not options[name].isdigit() or int(options[name]) < 1:
                raise BadUsage(f"invalid value for {name}: {options[name]}")
            return int(options[name])
    return 0


def mpiexec_hosts(options: dict[str, str]) -> list[str]:
    """Return the hosts that the options name, or else those of the job."""
    mine = allocated()
    hosts = mine
    for name in ("hostfile", "machinefile", "f"):
        if name in options:
            lines = Path(options[name]).read_text().splitlines()
            hosts = list(dict.fromkeys(line.split(":")[0].split()[0] for line in lines if line.strip()))
    for name in ("hosts", "host"):
        if name in options:
            hosts = options[name].split(",")
    strange = [host for host in hosts if host not in mine]
    if strange and "PBS_NODEFILE" in os.environ:
        raise BadUsage(f"mpiexec: host {strange[0]} is not part of this job")
    return hosts


def aprun_ranks(options: dict[str, str]) -> list[Rank]:
    """Place the processing elements."""
    size = count(options, "n") or 1
    hosts = options["L"].split(",") if "L" in options else allocated()
    each = count(options, "N") or -(-size // len(hosts))
    if size > each * len(hosts):
        raise BadUsage("aprun: claim exceeds reservation's node-count")
    return spread(hosts, size, each)


def mpiexec(store: Store, arguments: list[str]) -> int:
    """Run ranks on the hosts of a PBS job, block after block of --ppn."""
    try:
        options, command = split(arguments, MPIEXEC, MPIEXEC_ALONE, "mpiexec", frozenset({"env", "genv"}))
        hosts = mpiexec_hosts(options)
        each = count(options, "ppn")
        size = count(options, "n", "np") or (each or 1) * len(hosts)
        ranks = spread(hosts, size, each or -(-size // len(hosts)))
    except (BadUsage, OSError) as error:
        print(error, file=sys.stderr)
        return 1

    def identity(rank: Rank) -> dict[str, str]:
        return {
            "PALS_RANKID": str(rank.number),
            "PALS_LOCAL_RANKID": str(rank.local),
            "PALS_LOCAL_SIZE": str(rank.local_size),
            "PALS_NODEID": str(rank.node),
            "PALS_APID": f"{os.environ.get('PBS_JOBID', '0')}-{os.getpid()}",
            "PALS_DEPTH": options.get("depth", options.get("d", "1")),
            "PMI_RANK": str(rank.number),
            "PMI_SIZE": str(rank.size),
            "PMI_LOCAL_RANK": str(rank.local),
            "PMI_LOCAL_SIZE": str(rank.local_size),
        }

    def report(rank: Rank, code: int) -> str:
        if code < 0:
            return f"{rank.host}: rank {rank.number} died from signal {-code}"
        return f"{rank.host}: rank {rank.number} exited with code {code}"

    return launch(command, ranks, identity, report=report, abort_on_exit="no-abort-on-failure" not in options)


def aprun(store: Store, arguments: list[str]) -> int:
    """Run processing elements: -n in all, -N on each node."""
    try:
        options, command = split(arguments, APRUN, APRUN_ALONE, "aprun")
        ranks = aprun_ranks(options)
    except BadUsage as error:
        print(error, file=sys.stderr)
        return 1
    application = os.getpid()

    def identity(rank: Rank) -> dict[str, str]:
        return {
            "ALPS_APP_PE": str(rank.number),
            "ALPS_APP_ID": str(application),
            "ALPS_APP_DEPTH": options.get("d", "1"),
            "PMI_FORK_RANK": str(rank.number),
            "PMI_RANK": str(rank.number),
            "PMI_SIZE": str(rank.size),
        }

    def report(rank: Rank, code: int) -> str:
        if code < 0:
            name = (signal.strsignal(-code) or str(-code)).split(":")[0]
            return f"[NID {rank.node:05}] Apid {application}: PE RANK {rank.number} exit signal {name}"
        return f"Application {application} exit codes: {code}"

    return launch(command, ranks, identity, report=report, abort_on_exit=False)


def pbsdsh(store: Store, arguments: list[str]) -> int:
    """Run a command once for every slot of the job, or with -u once on every node."""
    words = list(arguments)
    once = False
    while words and words[0] in {"-u", "-v", "-s", "-o"}:
        once = words.pop(0) == "-u" or once
    file = os.environ.get("PBS_NODEFILE")
    if not words or not file:
        print("pbsdsh: not inside of a job, or no command", file=sys.stderr)
        return 1
    slots = Path(file).read_text().split()
    hosts = allocated()
    each = 1 if once else len(slots) // len(hosts)
    ranks = spread(hosts, each * len(hosts), each)

    def identity(rank: Rank) -> dict[str, str]:
        return {
            "PBS_TASKNUM": str(rank.number + 2),
            "PBS_NODENUM": str(rank.node),
            "PBS_VNODENUM": str(rank.number),
        }

    return launch(
        words,
        ranks,
        identity,
        report=lambda rank, code: f"pbsdsh: task {rank.number} exit status {code}",
        abort_on_exit=False,
    )


COMMANDS = {"mpiexec": mpiexec, "mpirun": mpiexec, "aprun": aprun, "pbsdsh": pbsdsh}
