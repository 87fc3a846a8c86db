"""Torque 6.1: qsub, qalter, qmove, qstat, qselect, qdel, qhold, qrls."""

from __future__ import annotations

import getopt
import re
import sys
import time

from tests.schedulers.fake_schedulers import pbs
from tests.schedulers.fake_schedulers.pbs import UNKNOWN_JOB, BadRequest, Pbs, Request, clock
from tests.schedulers.fake_schedulers.store import Job, Store

STATES = {"held": "H", "queued": "Q", "running": "R", "suspended": "S", "lost": "R", "done": "C"}
HEADER = [
    "Job ID                    Name             User            Time Use S Queue",
    "------------------------- ---------------- --------------- -------- - -----",
]


class Torque(Pbs):
    """A node is given whole; a job on a lost node stays in state R until the node is back."""

    name = "torque"
    letters = "a:A:b:c:C:d:D:e:EfFhi:Ij:k:K:l:L:m:M:nN:o:p:P:q:r:S:t:T:u:v:Vw:W:Xxz"
    usage = (
        "usage: qsub [-a date_time] [-A account_string] [-c interval] [-e path] [-h] [-j oe] [-k {oe}]\n"
        "\t[-l resource_list] [-N jobname] [-o path] [-q queue] [-r y|n] [-S path] [-v variable_list] [-V]\n"
        "\t[-W attribute=value] [-z] [script]"
    )
    unknown_queue = (15020, "submit error (Unknown queue MSG=cannot locate queue)")
    refused_account = (15049, "submit error (Invalid Account)")
    limits_exceeded = (
        15036,
        "submit error (Job exceeds queue resource limits MSG=cannot satisfy queue max walltime)",
    )
    bad_value = "submit error (Illegal attribute or resource value for Resource_List.{})"
    unknown_resource = (15035, "submit error (Unknown resource type)")
    unknown_job = "Unknown Job Id Error"
    finished = (15018, "Request invalid for state of job MSG=invalid state for job - COMPLETE")
    resources = frozenset(
        [
            "nodes",
            "walltime",
            "cput",
            "mem",
            "pmem",
            "vmem",
            "pvmem",
            "ncpus",
            "procs",
            "size",
            "feature",
            "gres",
            "file",
        ]
    )

    letters_of_states = "CEHQRTW"

    def letter(self, job: Job) -> str:
        return STATES[job.state]

    def remembers(self, job: Job) -> bool:
        """Return whether the server keeps a finished job; it does for keep_completed seconds."""
        return True

    def demand(self, request: Request, job: Job) -> None:
        spec = request.resources.get("nodes", "1")
        job.nodes = 0
        for part in spec.split("+"):
            match = re.fullmatch(r"([\w.-]+)((?::[\w=.-]+)*)", part)
            if not match:
                raise BadRequest(self.bad_value.format("nodes"), pbs.BAD_VALUE)
            job.nodes += int(match[1]) if match[1].isdigit() else 1
            ppn = re.search(r":ppn=(\d+)", match[2])
            gpus = re.search(r":gpus=(\d+)", match[2])
            job.ranks = job.cpus = int(ppn[1]) if ppn else 1
            job.gpus = int(gpus[1]) if gpus else 0

    def environment(self, job: Job) -> dict[str, str]:
        return super().environment(job) | {
            "PBS_NUM_NODES": str(job.nodes),
            "PBS_NUM_PPN": str(job.ranks),
            "PBS_NP": str(job.nodes * job.ranks),
            "PBS_NNODES": str(job.nodes),
            "PBS_VNODENUM": "0",
            "PBS_VERSION": "TORQUE-6.1.3",
            "PBS_WALLTIME": str(int(job.walltime)),
            "PBS_GPUFILE": f"{self.store.place(job.number)}/gpufile",
        }

    def on_lost_node(self, job: Job, host: str) -> str:
        return "stay" if host == self.script_host(job) else "go on"

    def exit_status(self, job: Job) -> int:
        return {"limit": -11, "node": -4}.get(job.reason) or super().exit_status(job)


def row(family: Torque, job: Job) -> str:
    """Return a line of the short table."""
    name = job.name if len(job.name) <= 15 else "..." + job.name[-12:]
    used = clock((job.ended or time.time()) - job.started) if job.started else "0"
    letter, queue = STATES[job.state], job.queue[:15]
    return f"{family.id(job)[:25]:<25} {name:<16} {job.user[:15]:<15} {used:>8} {letter} {queue:<15}"


def full(family: Torque, job: Job) -> str:
    """Return a job as qstat -f shows it."""
    server = family.store.settings()["server"]
    facts: dict[str, object] = {"Job_Name": job.name, "Job_Owner": f"{job.user}@{server}"}
    if job.started:
        facts["resources_used.cput"] = "00:00:00"
        facts["resources_used.walltime"] = clock((job.ended or time.time()) - job.started)
    facts |= {"job_state": STATES[job.state], "queue": job.queue, "server": server}
    if job.account:
        facts["Account_Name"] = job.account
    facts |= {
        "ctime": time.ctime(job.submitted),
        "Error_Path": f"{server}:{job.stderr or job.stdout}",
        "Hold_Types": "u" if job.state == "held" else "n",
        "Join_Path": "n" if job.stderr else "oe",
        "Output_Path": f"{server}:{job.stdout}",
        "Rerunable": str(job.rerunnable),
        **{f"Resource_List.{name}": value for name, value in job.resources["list"].items()},
    }
    if job.hosts:
        facts["exec_host"] = "+".join(f"{host}/0-{job.ranks - 1}" for host in job.hosts)
        facts["session_id"] = job.pid
        facts["start_time"] = time.ctime(job.started)
    if job.state == "done":
        facts["exit_status"] = family.exit_status(job)
        facts["comp_time"] = time.ctime(job.ended)
    return "\n".join(
        [f"Job Id: {family.id(job)}", *(pbs.attribute_line(name, value) for name, value in facts.items()), ""]
    )


def qstat(store: Store, arguments: list[str]) -> int:
    """Show jobs; finished ones as long as they are kept."""
    family = Torque(store)
    try:
        options, words = getopt.gnu_getopt(arguments, "f1aeinrstu:xqQBcGMRC")
    except getopt.GetoptError as error:
        print(
            f"qstat: invalid option -- '{error.opt}'\nusage: qstat [-f] [-a] [-n] [job_id...]",
            file=sys.stderr,
        )
        return 2
    failed, jobs = 0, []
    for word in words:
        job = pbs.named(family, word)
        if job is None:
            print(f"qstat: {family.unknown_job} {word}", file=sys.stderr)
            failed = UNKNOWN_JOB
        else:
            jobs.append(job)
    if not words:
        jobs = [job for each in store.jobs() if (job := store.known(each.number)) is not None]
    if jobs and ("-f", "") in options:
        print("\n".join(full(family, job) for job in jobs))
    elif jobs:
        print("\n".join([*HEADER, *(row(family, job) for job in jobs)]))
    return failed & 255


def qdel(store: Store, arguments: list[str]) -> int:
    """End jobs; -p removes one whose node does not answer."""
    family = Torque(store)
    try:
        options, words = getopt.gnu_getopt(arguments, "ab:cm:pt:W:")
    except getopt.GetoptError as error:
        print(
            f"qdel: invalid option -- '{error.opt}'\nusage: qdel [-p] [-W delay] job_id...", file=sys.stderr
        )
        return 2
    if not words:
        print("usage: qdel [-p] [-W delay] job_id...", file=sys.stderr)
        return 2
    if ("-p", "") in options:
        for word in words:
            job = pbs.named(family, word)
            if job is not None:
                store.update(job.number, gone=True)
        return 0
    failed = 0
    for word in words:
        if pbs.named(family, word) is None:
            print(f"qdel: nonexistent job id: {word}", file=sys.stderr)
            failed = UNKNOWN_JOB & 255
        else:
            failed = pbs.request_jobs(family, "qdel", [word], "kill") or failed
    return failed


COMMANDS = {
    "qsub": lambda store, arguments: pbs.qsub(Torque(store), arguments),
    "qstat": qstat,
    "qselect": lambda store, arguments: pbs.qselect(
        Torque(store), "a:A:ec:h:l:N:p:q:r:s:u:", arguments, ended=True
    ),
    "qdel": qdel,
    "qalter": lambda store, arguments: pbs.qalter(Torque(store), arguments),
    "qmove": lambda store, arguments: pbs.qmove(Torque(store), arguments),
    "qhold": lambda store, arguments: pbs.request_jobs(Torque(store), "qhold", arguments, "hold"),
    "qrls": lambda store, arguments: pbs.request_jobs(Torque(store), "qrls", arguments, "release"),
}
