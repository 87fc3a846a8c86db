"""PBS Professional 2022.1: qsub, qalter, qmove, qstat, qselect, qdel, qhold, qrls, qsig; PALS's mpiexec."""

from __future__ import annotations

import contextlib
import getopt
import json
import re
import sys
import time
from typing import Any

from tests.schedulers.fake_schedulers import pbs
from tests.schedulers.fake_schedulers.pbs import UNKNOWN_JOB, BadRequest, Pbs, Request, clock
from tests.schedulers.fake_schedulers.store import Job, Store

VERSION = "2022.1.3.20220922124237"
FINISHED = 15139
NO_HISTORY = 15140
STATES = {"held": "H", "queued": "Q", "running": "R", "suspended": "S", "lost": "R", "done": "F"}
HEADER = [
    "Job id            Name             User              Time Use S Queue",
    "----------------  ---------------- ----------------  -------- - -----",
]


class PbsPro(Pbs):
    """Chunks are placed on nodes of their own, as with place=scatter."""

    name = "pbspro"
    letters = "a:A:c:C:e:fhIj:J:k:l:m:M:N:o:p:q:r:R:S:u:v:VW:XzP:"
    usage = (
        "usage: qsub [-a date_time] [-A account_string] [-c interval] [-e path] [-h] [-j oe|eo] [-k keep]\n"
        "\t[-l resource_list] [-N jobname] [-o path] [-P project] [-q queue] [-r y|n] [-S path]\n"
        "\t[-v variable_list] [-V] [-W otherattributes=value...] [-z] [script]"
    )
    unknown_queue = (15018, "Unknown queue")
    refused_account = (15136, "Job rejected by the site: account is missing or not valid")
    limits_exceeded = (15036, "Job violates queue and/or server resource limits")
    bad_value = "Illegal attribute or resource value Resource_List.{}"
    unknown_resource = (15035, "Unknown resource")
    unknown_job = "Unknown Job Id"
    finished = (FINISHED, "Job has finished")
    resources = frozenset(
        [
            "select",
            "place",
            "walltime",
            "cput",
            "mem",
            "ncpus",
            "nodes",
            "filesystems",
            "ngpus",
            "mpiprocs",
            "nodect",
            "min_walltime",
            "max_walltime",
            "soft_walltime",
            "daos",
            "daos_user_ops",
        ]
    )

    letters_of_states = "BEFHMQRSTUWX"

    def letter(self, job: Job) -> str:
        return STATES[job.state]

    def remembers(self, job: Job) -> bool:
        """Return whether the server keeps a finished job."""
        return bool(self.store.settings()["history_enabled"])

    def demand(self, request: Request, job: Job) -> None:
        select = request.resources.get("select", "")
        if not select:
            match = re.fullmatch(r"(\d+)(?::ppn=(\d+))?.*", request.resources.get("nodes", "1"))
            if not match:
                raise BadRequest(self.bad_value.format("nodes"), pbs.BAD_VALUE)
            job.nodes, job.ranks = int(match[1]), int(match[2] or 1)
            return
        total = 0
        for chunk in select.split("+"):
            count, *parts = chunk.split(":")
            if not count.isdigit():
                parts, count = [count, *parts], "1"
            wanted = dict(part.partition("=")[::2] for part in parts)
            strange = wanted.keys() - {
                "ncpus",
                "ngpus",
                "mpiprocs",
                "ompthreads",
                "mem",
                "system",
                "host",
                "vnode",
            }
            if strange:
                raise BadRequest(f"{self.unknown_resource[1]} {min(strange)}", self.unknown_resource[0])
            numbers = {name: wanted.get(name, "1") for name in ("ncpus", "ngpus", "mpiprocs")}
            if int(count) < 1 or not all(value.isdigit() for value in numbers.values()):
                raise BadRequest(self.bad_value.format("select"), pbs.BAD_VALUE)
            total += int(count)
            job.cpus, job.ranks = int(numbers["ncpus"]), int(numbers["mpiprocs"])
            job.gpus = int(wanted.get("ngpus", "0"))
        job.nodes = total

    def environment(self, job: Job) -> dict[str, str]:
        extra = {"NCPUS": str(job.cpus), "OMP_NUM_THREADS": str(job.cpus)}
        if job.account:
            extra["PBS_ACCOUNT"] = job.account
        return super().environment(job) | extra

    def on_lost_node(self, job: Job, host: str) -> str:
        return "requeue" if job.rerunnable else "end"

    def exit_status(self, job: Job) -> int:
        return {"limit": -29, "node": -20}.get(job.reason) or super().exit_status(job)

    def comment(self, job: Job, settings: dict[str, Any]) -> str:
        """Return the scheduler's or the server's remark."""
        if job.comment:
            return job.comment
        if job.state == "queued":
            if job.nodes > len(settings["nodes"]) or job.cpus > settings["cpus"]:
                return "Can Never Run: Insufficient amount of resource: ncpus"
            return (
                "Not Running: Insufficient amount of resource: ncpus" if not settings["queue_delay"] else ""
            )
        where = "+".join(f"({host}:ncpus={job.cpus})" for host in job.hosts)
        when = time.strftime("%a %b %d at %H:%M", time.localtime(job.started))
        if job.state == "done":
            return f"Job run at {when} on {where} and {'finished' if not self.exit_status(job) else 'failed'}"
        return f"Job run at {when} on {where}" if job.hosts else ""

    def attributes(self, job: Job) -> dict[str, Any]:
        """Return all attributes as qstat -f tells them, numbers as numbers."""
        settings = self.store.settings()
        end = job.ended or time.time()
        used = clock(end - job.started) if job.started else "00:00:00"
        listed = dict(job.resources["list"])
        if job.walltime:
            listed["walltime"] = clock(job.walltime)
        listed |= {
            "nodect": job.nodes,
            "ncpus": job.nodes * job.cpus,
            "place": listed.get("place", "scatter"),
        }
        if job.gpus:
            listed["ngpus"] = job.nodes * job.gpus
        vector = "+".join(f"({host}:ncpus={job.cpus})" for host in job.hosts)
        status = {"Exit_status": self.exit_status(job)} if job.state == "done" and job.started else {}
        running = {
            "exec_host": "+".join(f"{host}/0*{job.cpus}" for host in job.hosts),
            "exec_vnode": vector,
            "session_id": job.pid,
            "stime": time.ctime(job.started),
            "resources_used": {
                "cpupercent": 0,
                "cput": "00:00:00",
                "mem": "0kb",
                "ncpus": job.cpus,
                "walltime": used,
            },
        }
        return {
            "Job_Name": job.name,
            "Job_Owner": f"{job.user}@{settings['server']}",
            **({"resources_used": running.pop("resources_used")} if job.started else {}),
            "job_state": STATES[job.state],
            "queue": job.queue,
            "server": settings["server"],
            **({"Account_Name": job.account} if job.account else {}),
            "ctime": time.ctime(job.submitted),
            "Error_Path": f"{settings['server']}:{job.stderr or job.stdout}",
            **(running if job.started else {}),
            "Hold_Types": "u" if job.state == "held" else "n",
            "Join_Path": "n" if job.stderr else "oe",
            "mtime": time.ctime(end if job.started else job.submitted),
            "Output_Path": f"{settings['server']}:{job.stdout}",
            "Rerunable": str(job.rerunnable),
            "Resource_List": listed,
            "run_count": job.runs,
            "Variable_List": {
                "PBS_O_WORKDIR": job.cwd,
                "PBS_O_QUEUE": job.queue,
                "PBS_O_HOST": settings["server"],
            },
            "comment": self.comment(job, settings),
            **status,
            "project": "_pbs_project_default",
        }


def row(family: PbsPro, job: Job) -> str:
    """Return a line of the short table; what is too long ends in a star."""

    def cut(text: str, width: int) -> str:
        return text if len(text) <= width else text[: width - 1] + "*"

    used = "00:00:00" if job.started else "0"
    return (
        f"{cut(family.id(job), 17):<17} {cut(job.name, 16):<16} {cut(job.user, 16):<16}"
        f"  {used:>8} {STATES[job.state]:>1} {cut(job.queue, 16):<5}"
    )


def full(family: PbsPro, job: Job) -> str:
    """Return a job as qstat -f shows it to people."""
    lines = [f"Job Id: {family.id(job)}"]
    for name, value in family.attributes(job).items():
        if name == "Variable_List":
            value = ",".join(f"{key}={content}" for key, content in value.items())
        if isinstance(value, dict):
            lines += [pbs.attribute_line(f"{name}.{key}", content) for key, content in value.items()]
        else:
            lines.append(pbs.attribute_line(name, value))
    return "\n".join(lines) + "\n"


def alternative(family: PbsPro, jobs: list[Job], hosts: bool) -> str:
    """Return the table of qstat -a and -n."""
    lines = [
        "",
        f"{family.store.settings()['server']}: ",
        f"{'':60}{'Req’d':<7}{'Req’d':<8}Elap".replace("’", "'"),
        "Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time",
        "--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----",
    ]
    for job in jobs:
        asked = clock(job.walltime)[:5] if job.walltime else "  -- "
        elapsed = clock((job.ended or time.time()) - job.started)[:5] if job.started else "  -- "
        session = str(job.pid) if job.pid else "--"
        lines.append(
            f"{family.id(job):<15.15} {job.user:<8.8} {job.queue:<8.8} {job.name:<10.10} {session:>6}"
            f" {job.nodes:>3} {job.nodes * job.cpus:>3}    --  {asked} {STATES[job.state]} {elapsed}"
        )
        if hosts:
            lines.append(f"   {'+'.join(f'{host}/0*{job.cpus}' for host in job.hosts) or '--'}")
    return "\n".join(lines)


def qstat(store: Store, arguments: list[str]) -> int:
    """Show jobs."""
    family = PbsPro(store)
    try:
        options, words = getopt.gnu_getopt(arguments, "fxHF:awnsTtu:1GMQBq:S", ["version"])
    except getopt.GetoptError as error:
        print(
            f"qstat: invalid option -- '{error.opt}'\nusage: qstat [-f] [-x] [-F format] [job_id...]",
            file=sys.stderr,
        )
        return 2
    flags = dict(options)
    history = "-x" in flags or "-H" in flags
    settings = store.settings()
    if history and not settings["history_enabled"]:
        print("qstat: Job history is not enabled on the server", file=sys.stderr)
        return NO_HISTORY & 255
    failed, jobs = 0, []
    for word in words:
        job = pbs.named(family, word)
        if job is None or (not job.active and not family.remembers(job)):
            print(f"qstat: {family.unknown_job} {word}", file=sys.stderr)
            failed = UNKNOWN_JOB
        elif not job.active and not history:
            hint = "use -x or -H to obtain historical job information"
            print(f"qstat: {family.id(job)} Job has finished, {hint}", file=sys.stderr)
            failed = FINISHED
        else:
            jobs.append(job)
    if not words:
        known = [job for each in store.jobs() if (job := store.known(each.number)) is not None]
        jobs = [job for job in known if history or job.active]
    if flags.get("-F") == "json":
        content: dict[str, Any] = {
            "timestamp": int(time.time()),
            "pbs_version": VERSION,
            "pbs_server": settings["server"],
        }
        if jobs:
            content["Jobs"] = {family.id(job): family.attributes(job) for job in jobs}
        print(json.dumps(content, indent=4))
    elif jobs and "-f" in flags:
        print("\n".join(full(family, job) for job in jobs))
    elif jobs and flags.keys() & {"-a", "-n", "-s", "-u", "-w", "-1"}:
        print(alternative(family, jobs, "-n" in flags))
    elif jobs:
        print("\n".join([*HEADER, *(row(family, job) for job in jobs)]))
    return failed & 255


def qdel(store: Store, arguments: list[str]) -> int:
    """End jobs; with -x, forget finished ones too."""
    family = PbsPro(store)
    try:
        options, words = getopt.gnu_getopt(arguments, "xW:")
    except getopt.GetoptError as error:
        print(
            f"qdel: invalid option -- '{error.opt}'\nusage: qdel [-W force] [-x] job_id...", file=sys.stderr
        )
        return 2
    if not words:
        print("usage: qdel [-W force] [-x] job_id...", file=sys.stderr)
        return 2
    if ("-x", "") in options:
        for word in list(words):
            job = pbs.named(family, word)
            if job is not None and not job.active:
                store.update(job.number, gone=True)
                words.remove(word)
    return pbs.request_jobs(family, "qdel", words, "kill")


def qsig(store: Store, arguments: list[str]) -> int:
    """Signal jobs."""
    options, words = getopt.gnu_getopt(arguments, "s:")
    name = dict(options).get("-s", "TERM")
    request = {"suspend": "suspend", "resume": "resume"}.get(name)
    with contextlib.suppress(KeyError):
        return pbs.request_jobs(PbsPro(store), "qsig", words, request or f"signal:{pbs.signals(name)}")
    print(f"qsig: Unknown/illegal signal name {words[0]}", file=sys.stderr)
    return 15013 & 255


COMMANDS = {
    "qsub": lambda store, arguments: pbs.qsub(PbsPro(store), arguments),
    "qstat": qstat,
    "qselect": lambda store, arguments: pbs.qselect(
        PbsPro(store), "a:A:c:h:HJl:N:p:P:q:r:s:t:Tu:x", arguments
    ),
    "qdel": qdel,
    "qalter": lambda store, arguments: pbs.qalter(PbsPro(store), arguments),
    "qmove": lambda store, arguments: pbs.qmove(PbsPro(store), arguments),
    "qsig": qsig,
    "qhold": lambda store, arguments: pbs.request_jobs(PbsPro(store), "qhold", arguments, "hold"),
    "qrls": lambda store, arguments: pbs.request_jobs(PbsPro(store), "qrls", arguments, "release"),
}
