"""LSF 10.1: how jobs run, and bsub, bmod, bkill, bstop, bresume."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.schedulers.fake_schedulers.job_runner import Family, Steps, start_runner, user_name
from tests.schedulers.fake_schedulers.store import Job, Store

WITH_VALUE = [
    "-a",
    "-alloc_flags",
    "-app",
    "-b",
    "-C",
    "-cn_cu",
    "-cn_mem",
    "-core_isolation",
    "-csm",
    "-cwd",
    "-D",
    "-E",
    "-e",
    "-env",
    "-eo",
    "-Ep",
    "-F",
    "-G",
    "-g",
    "-gpu",
    "-i",
    "-is",
    "-J",
    "-Jd",
    "-jsm",
    "-k",
    "-L",
    "-Lp",
    "-M",
    "-m",
    "-n",
    "-network",
    "-nnodes",
    "-o",
    "-oo",
    "-outdir",
    "-P",
    "-Q",
    "-q",
    "-R",
    "-S",
    "-s",
    "-sla",
    "-smt",
    "-sp",
    "-stage",
    "-step_cgroup",
    "-T",
    "-t",
    "-U",
    "-u",
    "-v",
    "-W",
    "-w",
    "-wa",
    "-We",
    "-wt",
]
ALONE = ["-ar", "-B", "-H", "-K", "-N", "-noheader", "-ptl", "-r", "-rn", "-ul", "-x"]
STATES = {"held": "PSUSP", "queued": "PEND", "running": "RUN", "suspended": "USUSP", "lost": "UNKWN"}
FAIL = 255


class BadRequest(Exception):
    """A submission that bsub refuses, with its text."""


class Lsf(Family):
    """A script runs on a launch node if the machine has one, and jsrun brings the work to compute nodes."""

    name = "lsf"

    def script_host(self, job: Job) -> str:
        return self.store.settings()["launch_node"] or job.hosts[0]

    def slots(self, job: Job) -> list[tuple[str, int]]:
        """Return hosts with the slots on each; the launch node comes first, with one."""
        launch_node = self.store.settings()["launch_node"]
        return [(launch_node, 1)] * bool(launch_node) + [(host, job.ranks) for host in job.hosts]

    def environment(self, job: Job) -> dict[str, str]:
        environment = self.store.environment(job.number)
        slots = self.slots(job)
        names = [name for name, number in slots for _ in range(number)]
        file = self.store.place(job.number) / "hostfile"
        file.write_text("".join(f"{name}\n" for name in names))
        return environment | {
            "LSB_JOBID": str(job.number),
            "LSB_BATCH_JID": str(job.number),
            "LSB_JOBINDEX": "0",
            "LSB_JOBNAME": job.name,
            "LSB_QUEUE": job.queue,
            "LSB_PROJECT_NAME": job.account or "default",
            "LSB_HOSTS": " ".join(names),
            "LSB_MCPU_HOSTS": " ".join(f"{name} {number}" for name, number in slots),
            "LSB_DJOB_HOSTFILE": str(file),
            "LSB_DJOB_RANKFILE": str(file),
            "LSB_DJOB_NUMPROC": str(len(names)),
            "LSB_MAX_NUM_PROCESSORS": str(len(names)),
            "LSB_SUB_HOST": socket.gethostname(),
            "LSB_JOBFILENAME": str(self.store.place(job.number) / "script"),
            "LSB_OUTPUTFILE": job.stdout,
            "LSB_ERRORFILE": job.stderr,
            "LSB_INTERACTIVE": "N",
            "LS_SUBCWD": job.cwd,
        }

    def kill_steps(self, job: Job) -> Steps:
        settings = self.store.settings()
        delay = settings["kill_delay"]
        if len(job.hosts) > 1 and not settings["sequential_signal"]:
            return [(signal.SIGKILL, 0)]  # the default for parallel jobs
        return [(signal.SIGINT, delay), (signal.SIGTERM, delay), (signal.SIGKILL, 0)]

    def limit_steps(self, job: Job) -> Steps:
        return [(signal.SIGUSR2, self.store.settings()["grace"]), *self.kill_steps(job)]

    def on_lost_node(self, job: Job, host: str) -> str:
        if host != self.script_host(job):
            return "go on"
        return "requeue" if job.rerunnable else "wait"

    def lost_code(self) -> int:
        return 143

    def report(self, job: Job) -> str:
        ending = {
            "limit": "TERM_RUNLIMIT: job killed after reaching LSF run time limit.\n",
            "killed": "TERM_OWNER: job killed by owner.\n",
        }.get(job.reason, "")
        done = "Done" if exit_code(job) == 0 else "Exited"
        result = (
            "Successfully completed."
            if done == "Done"
            else f"{ending}Exited with exit code {exit_code(job)}."
        )
        rule, cluster = "-" * 60, self.store.settings()["server"]
        hosts = f"\n{' ' * 28}".join(f"<{number}*{name}>" for name, number in self.slots(job))
        return (
            f"\n{rule}\nSender: LSF System <lsfadmin@{self.script_host(job)}>\n"
            f"Subject: Job {job.number}: <{job.name}> in cluster <{cluster}> {done}\n\n"
            f"Job <{job.name}> was submitted from host <{socket.gethostname()}> by user <{job.user}>.\n"
            f"Job was executed on host(s) {hosts}, in queue <{job.queue}>, as user <{job.user}>.\n"
            f"Started at {time.ctime(job.started)}\nTerminated at {time.ctime(job.ended)}\n\n"
            f"{result}\n\nResource usage summary:\n\n    CPU time :               0.00 sec.\n\n"
            f"The output (if any) is above this job summary.\n"
        )


def exit_code(job: Job) -> int:
    """Return the code as LSF shows it: 128 and the signal's number for a job that a signal ended."""
    return 128 - job.code if job.code < 0 else job.code


def status(job: Job) -> str:
    """Return the state as LSF names it."""
    if job.state != "done":
        return STATES[job.state]
    return "DONE" if exit_code(job) == 0 and job.reason != "killed" else "EXIT"


# bsub


def directives(text: str) -> list[str]:
    """Return the options in the #BSUB lines of a script."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("#BSUB"):
            words += shlex.split(line.removeprefix("#BSUB"), comments=True)
    return words


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """Split options from the command."""
    options: dict[str, str] = {}
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in WITH_VALUE:
            if not rest:
                raise BadRequest(f"Option {word} requires an argument")
            value = rest.pop(0)
            options[word] = f"{options[word]} {value}" if word == "-R" and word in options else value
        elif word in ALONE:
            options[word] = ""
        elif word[:2] in {"-n", "-W"} and word[2:3].isdigit():
            options[word[:2]] = word[2:]
        else:
            raise BadRequest(f"{word}: Illegal option")
    return options, rest


def number(options: dict[str, str], name: str) -> int:
    """Return an option that counts something."""
    value = options.get(name, "1").split(",")[0]
    if not value.isdigit() or int(value) < 1:
        raise BadRequest(f"Bad argument for option {name}")
    return int(value)


def minutes(options: dict[str, str], name: str) -> float:
    """Return an option [hour:]minute in seconds; 0 when it is absent."""
    if name not in options:
        return 0.0
    match = re.fullmatch(r"(?:(\d+):)?(\d+)(?:/\S+)?", options[name])
    if not match:
        raise BadRequest(f"Bad argument for option {name}")
    return int(match[1] or 0) * 3600.0 + int(match[2]) * 60.0


def demand(options: dict[str, str], settings: dict[str, Any]) -> tuple[int, int]:
    """Return nodes, and slots on each."""
    cpus: int = settings["cpus"]
    if "-nnodes" in options:
        return number(options, "-nnodes"), cpus
    slots = number(options, "-n")
    tile = re.search(r"span\[\s*ptile\s*=\s*(\d+)\s*\]", options.get("-R", ""))
    each = (
        int(tile[1]) if tile else slots if "span[hosts=1]" in options.get("-R", "").replace(" ", "") else cpus
    )
    return -(-slots // each), min(slots, each)


def check(job: Job, settings: dict[str, Any]) -> None:
    """Refuse what the queues and the site refuse."""
    queues, accounts = settings["queues"], settings["accounts"]
    if job.queue not in queues:
        raise BadRequest(f"{job.queue}: No such queue")
    limits = queues[job.queue]
    if job.walltime > limits.get("seconds", float("inf")):
        raise BadRequest("RUNLIMIT: Cannot exceed queue's hard limit(s)")
    if job.nodes > limits.get("nodes", float("inf")):
        raise BadRequest("Too many processors requested")
    if settings["reject"] or (settings["account_required"] and not job.account):
        print(settings["reject"] or "No project was given; use -P", file=sys.stderr)
        raise BadRequest("Request aborted by esub")
    if accounts and job.account not in accounts:
        print(f"Project {job.account} is not valid for {job.user}", file=sys.stderr)
        raise BadRequest("Request aborted by esub")


def script_text(command: list[str], settings: dict[str, Any]) -> str:
    """Return the script of a job; empty when it is only a command."""
    if not command:
        text = sys.stdin.read()
        if not text.strip():
            raise BadRequest("Empty job")
        return text
    if settings["parse_script"] and len(command) == 1 and Path(command[0]).is_file():
        return Path(command[0]).read_text()
    return ""


def warning(options: dict[str, str]) -> tuple[int, float] | None:
    """Return the signal that is sent before the limit, and how long before."""
    if "-wa" not in options:
        return None
    if "SIG" + options["-wa"] not in signal.Signals.__members__:
        raise BadRequest("Bad or invalid action specification")
    return int(signal.Signals["SIG" + options["-wa"]]), minutes(options, "-wt")


def build(store: Store, arguments: list[str]) -> tuple[Job, str, dict[str, str]]:
    """Return the job that a submission asks for, its script, and the options."""
    settings = store.settings()
    options, command = parse(arguments)
    text = script_text(command, settings)
    if text:
        options = parse(directives(text))[0] | options
    nodes, ranks = demand(options, settings)
    job = Job(
        number=0,
        name=options.get("-J") or (" ".join(command) if command else text.strip().splitlines()[0]),
        queue=options.get("-q", next(iter(settings["queues"]))),
        account=options.get("-P", ""),
        cwd=options.get("-cwd", os.getcwd()),
        arguments=arguments,
        command=["/bin/sh", "-c", " ".join(command)] if command and not text else [],
        user=user_name(),
        nodes=nodes,
        ranks=ranks,
        cpus=settings["cpus"],
        gpus=settings["gpus"],
        resources={name: value for name, value in options.items() if name in {"-R", "-alloc_flags"}},
        walltime=minutes(options, "-W"),
        append="-oo" not in options,
        warning=warning(options),
        rerunnable="-r" in options,
        state="held" if "-H" in options else "queued",
    )
    check(job, settings)
    return job, text, options


def bsub(store: Store, arguments: list[str]) -> int:
    """Submit a job."""
    try:
        job, text, options = build(store, arguments)
    except BadRequest as error:
        print(f"{error}. Job not submitted.", file=sys.stderr)
        return FAIL
    outputs = options.get("-o", options.get("-oo", "")), options.get("-e", options.get("-eo", ""))
    job = store.add(job, text, dict(os.environ))
    paths = [
        str(Path(job.cwd) / path.replace("%J", str(job.number)).replace("%I", "0")) if path else ""
        for path in outputs
    ]
    store.update(job.number, stdout=paths[0], stderr=paths[1])
    start_runner(store, Lsf(store), job.number)
    queue = f"queue <{job.queue}>" if "-q" in options else f"default queue <{job.queue}>"
    print(f"Job <{job.number}> is submitted to {queue}.")
    return 0


def bmod(store: Store, arguments: list[str]) -> int:
    """Change queue and project of a job that waits."""
    options, (word,) = parse(arguments)
    job = store.known(int(word))
    changed = {
        name: options[option] for name, option in (("queue", "-q"), ("account", "-P")) if option in options
    }
    if job is None or job.state not in {"queued", "held"}:
        why = "No matching job found" if job is None else "Job has started"
        print(f"Job <{word}>: {why}", file=sys.stderr)
        return FAIL
    try:
        check(replace(job, **changed), store.settings())
    except BadRequest as error:
        print(f"{error}. Job not modified.", file=sys.stderr)
        return FAIL
    store.update(job.number, **changed)
    print(f"Parameters of job <{word}> are being changed")
    return 0


# bkill, bstop, bresume

ASK = {"bkill": ("kill", "terminated"), "bstop": ("suspend", "stopped"), "bresume": ("resume", "resumed")}


def bkill(store: Store, arguments: list[str], name: str = "bkill") -> int:
    """Signal jobs."""
    words, request, said, numbers = list(arguments), *ASK[name], []
    while words:
        word = words.pop(0)
        if word == "-s" and words:
            value = words.pop(0)
            names = {each.name.removeprefix("SIG"): each.value for each in signal.Signals}
            code = int(value) if value.isdigit() else names.get(value.upper().removeprefix("SIG"))
            if code is None:
                print(f"{value}: Illegal signal value", file=sys.stderr)
                return FAIL
            request, said = (
                ("kill", "terminated") if code == signal.SIGKILL else (f"signal:{code}", "signaled")
            )
        elif word in {"-C", "-u", "-q", "-m", "-J"} and words:
            words.pop(0)
        elif word == "0":
            numbers += [job.number for job in store.jobs() if job.active and not job.gone]
        elif word.isdigit():
            numbers.append(int(word))
        elif not word.startswith("-"):
            print(f"{word}: Illegal job ID.", file=sys.stderr)
            return FAIL
    failed = not numbers
    if failed:
        print("Job ID or one of '-m', '-u' '-q' and '-J' must be specified.", file=sys.stderr)
    for each in numbers:
        job = store.known(each)
        if job is None or not job.active:
            why = "No matching job found" if job is None else "Job has already finished"
            print(f"Job <{each}>: {why}", file=sys.stderr)
            failed = True
        else:
            store.ask(each, request)
            print(f"Job <{each}> is being {said}")
    return FAIL if failed else 0


COMMANDS = {
    "bsub": bsub,
    "bmod": bmod,
    "bkill": bkill,
    "bstop": lambda store, arguments: bkill(store, arguments, "bstop"),
    "bresume": lambda store, arguments: bkill(store, arguments, "bresume"),
}
