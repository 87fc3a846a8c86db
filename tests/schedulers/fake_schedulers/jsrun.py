"""jsrun of the IBM Job Step Manager: resource sets on the compute nodes of an LSF job."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from tests.schedulers.fake_schedulers.launching import Rank, launch
from tests.schedulers.fake_schedulers.lsf import BadRequest
from tests.schedulers.fake_schedulers.store import Job, Store

JSRUN = {
    "-n": "nrs", "-a": "tasks_per_rs", "-c": "cpu_per_rs", "-g": "gpu_per_rs", "-r": "rs_per_host",
    "-p": "np", "-b": "bind", "-d": "launch_distribution", "-l": "latency_priority", "-m": "memory_per_rs",
    "-E": "env", "-h": "chdir", "-k": "stdio_stderr", "-o": "stdio_stdout", "-X": "exit_on_error",
    "-M": "smpiargs", "-i": "immediate", "-F": "env_eval", "-K": "rs_per_socket", "-t": "stdio_input",
    "-e": "stdio_mode",
}  # fmt: skip
JSRUN_ALONE = {"immediate"}


def jsrun_options(arguments: list[str]) -> tuple[dict[str, str], list[str], list[str]]:
    """Return options, variables to set, and the command."""
    options: dict[str, str] = {}
    variables, words = [], list(arguments)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
        else:
            name, equals, value = JSRUN.get(word[:2], ""), word[2:], word[2:].removeprefix("=")
        if name not in JSRUN.values():
            raise BadRequest(f"jsrun: unrecognized option '{word}'")
        if name not in JSRUN_ALONE and not equals:
            if not words:
                raise BadRequest(f"jsrun: option '{word}' requires an argument")
            value = words.pop(0)
        if name == "env":
            variables.append(value)
        options[name] = value
    if not words:
        raise BadRequest("Error: No command was given.")
    return options, variables, words


def amount(value: str, everything: str, available: int) -> int:
    """Return a number of CPUs or GPUs; jsrun has a word for all of a host's."""
    return available if value == everything else int(value)


def place(store: Store, job: Job, options: dict[str, str]) -> list[Rank]:
    """Fill the nodes with resource sets."""
    settings = store.settings()
    tasks = int(options.get("tasks_per_rs", "1"))
    cpus = amount(options.get("cpu_per_rs", "1"), "ALL_CPUS", settings["cpus"])
    gpus = amount(options.get("gpu_per_rs", "0"), "ALL_GPUS", settings["gpus"])
    room = min(settings["cpus"] // cpus, settings["gpus"] // gpus if gpus else settings["cpus"])
    each = int(options.get("rs_per_host", str(room)))
    sets = int(options.get("nrs", "0")) or (
        int(options["np"]) // tasks if "np" in options else each * len(job.hosts)
    )
    if each > room or sets > each * len(job.hosts) or tasks < 1 or sets < 1:
        raise BadRequest("Error: It is not possible to start a job. Not enough resources are available.")
    ranks: list[Rank] = []
    for index in range(sets):
        node, local = index // each, index % each
        for task in range(tasks):
            ranks.append(
                Rank(
                    number=len(ranks),
                    size=sets * tasks,
                    host=job.hosts[node],
                    node=node,
                    local=local * tasks + task,
                    local_size=0,
                    gpus=tuple(range(local * gpus, (local + 1) * gpus)) if gpus else None,
                )
            )
    return [replace(rank, local_size=sum(other.node == rank.node for other in ranks)) for rank in ranks]


def jsrun(store: Store, arguments: list[str]) -> int:
    """Run resource sets on the job's compute nodes."""
    job = store.job(int(os.environ.get("LSB_JOBID", "0")))
    if job is None or not job.hosts:
        print("Error: jsrun can only be used inside of a job.", file=sys.stderr)
        return 1
    try:
        options, variables, command = jsrun_options(arguments)
        ranks = place(store, job, options)
    except (BadRequest, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    for variable in variables:
        name, _, value = variable.partition("=")
        os.environ[name] = value if "=" in variable else os.environ.get(name, "")
    if ranks[0].gpus is None:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)

    def identity(rank: Rank) -> dict[str, str]:
        number, size, local, near = map(str, (rank.number, rank.size, rank.local, rank.local_size))
        return {
            "JSM_NAMESPACE_RANK": number,
            "JSM_NAMESPACE_SIZE": size,
            "JSM_NAMESPACE_LOCAL_RANK": local,
            "JSM_NAMESPACE_LOCAL_SIZE": near,
            "PMIX_RANK": number,
            "OMPI_COMM_WORLD_RANK": number,
            "OMPI_COMM_WORLD_SIZE": size,
            "OMPI_COMM_WORLD_LOCAL_RANK": local,
            "OMPI_COMM_WORLD_LOCAL_SIZE": near,
        }

    def report(rank: Rank, code: int) -> str:
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"ERROR:  One or more process (first noticed rank {rank.number}) terminated with {how}"

    return launch(
        command, ranks, identity, report=report, abort_on_exit=options.get("exit_on_error", "1") != "0"
    )


COMMANDS = {"jsrun": jsrun}
