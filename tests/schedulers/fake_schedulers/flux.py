"""Flux: flux batch, jobs, cancel, run, hostlist and job timeleft, answering as flux-core 0.88 does."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
import time
from pathlib import Path

from tests.schedulers.fake_schedulers.job_runner import Family, Steps, start_runner, user_name
from tests.schedulers.fake_schedulers.launching import Rank, launch, spread
from tests.schedulers.fake_schedulers.store import Job, Store

LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 60.0}
NO_LIMIT = "4294967295"
LONG = {"-N": "--nodes", "-n": "--nslots", "-x": "--exclusive", "-q": "--queue", "-t": "--time-limit"}
ALONE = {"--exclusive", "--wrap"}
BATCH = {
    "--nodes", "--nslots", "--job-name", "--queue", "--time-limit", "--output", "--setattr", "--requires",
    "--urgency", "--exclusive", "--wrap", "-o",
}  # fmt: skip
RUN = {"--nodes", "--ntasks", "--exclusive", "--requires", "-o", "--cores-per-task", "--gpus-per-task"}
NEVER = 14  # SIGALRM, by which a broker ends its initial program when time is over


class Refused(Exception):
    """What a command says before it fails."""


class Flux(Family):
    """Each batch job is an instance of Flux on whole nodes, whose first node runs the script."""

    name = "flux"

    def environment(self, job: Job) -> dict[str, str]:
        """Return the submission's environment; commands in the script refer to the job's own instance."""
        given = self.store.environment(job.number)
        return given | {
            "FLUX_URI": f"local:///tmp/flux-{job.number}/local-0",
            "FLUX_ENCLOSING_ID": f58(job.number),
            "CUDA_VISIBLE_DEVICES": "-1",
        }

    def limit_steps(self, job: Job) -> Steps:
        """Return the signals that end a job at its limit."""
        return [(NEVER, self.store.settings()["kill_delay"]), (9, 0)]


def f58(number: int) -> str:
    """Return a job's id as the terminal shows it."""
    digits = ""
    while number:
        number, rest = divmod(number, 58)
        digits = LETTERS[rest] + digits
    return f"ƒ{digits}"


def number_of(word: str) -> int:
    """Return the number of a job's id; -1 for a word that is none."""
    text = word.replace("ƒ", "f")
    if text.isdecimal():
        return int(text)
    if not text.startswith("f") or set(text[1:]) - set(LETTERS):
        return -1
    number = 0
    for letter in text[1:]:
        number = number * 58 + LETTERS.index(letter)
    return number


def parse(arguments: list[str], known: set[str], command: str) -> tuple[dict[str, str], list[str]]:
    """Return options and the rest."""
    options: dict[str, str] = {}
    words = list(arguments)
    while words and words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        name = LONG.get(name, name)
        if name not in known:
            raise Refused(f"flux-{command}: error: unrecognized arguments: {name}")
        if name not in ALONE and not equals:
            if not words:
                raise Refused(f"flux-{command}: error: argument {name}: expected one argument")
            value = words.pop(0)
        options[name if name != "-o" else f"-o {value.partition('=')[0]}"] = value
    return options, words


def directives(text: str) -> list[str]:
    """Return the words of a script's directives."""
    lines = re.findall(r"^#\s*flux:\s*(.*)$", text, re.MULTILINE)
    return [word for line in lines for word in shlex.split(line, comments=True)]


def seconds(value: str) -> float:
    """Return a length in Flux's standard form; a bare number is minutes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|[smhd]?)", value)
    if match is None:
        raise Refused(f"flux-batch: ERROR: invalid Flux standard duration: {value}")
    return float(match[1]) * UNITS[match[2]]


def hosts_of(constraint: str, settings: dict[str, list[str]]) -> list[str]:
    """Return the nodes that a constraint leaves."""
    nodes = settings["nodes"]
    match = re.fullmatch(r"(not )?hosts:([\w,.-]+)", constraint)
    named = match[2].split(",") if match else []
    if strange := [name for name in named if name not in nodes]:
        raise Refused(
            "flux-batch: ERROR: host constraint contains invalid hosts: "
            f"hosts '{','.join(strange)}' not found"
        )
    return [name for name in nodes if (name in named) != bool(match and match[1])] if match else nodes


def batch(store: Store, arguments: list[str]) -> int:
    """Submit a job."""
    settings = store.settings()
    _, rest = parse(arguments, BATCH, "batch")
    text = Path(rest[0]).read_text() if rest else sys.stdin.read()
    if not text.startswith("#!"):
        raise Refused("flux-batch: ERROR: Batch script does not appear to start with '#!'.")
    options = parse(directives(text), BATCH, "batch")[0] | parse(arguments, BATCH, "batch")[0]
    nodes = int(options.get("--nodes", "1"))
    left = hosts_of(options.get("--requires", ""), settings)
    queue = options.get("--queue", next(iter(settings["queues"])))
    if queue not in settings["queues"]:
        raise Refused(f"flux-batch: ERROR: '{queue}' is not a valid queue")
    bank = options.get("--setattr", "").removeprefix("bank=")
    if settings["accounts"] and bank not in settings["accounts"]:
        raise Refused("flux-batch: ERROR: [Errno 22] cannot find user/bank or user/default bank entry")
    job = Job(
        number=0,
        name=options.get("--job-name", Path(rest[0]).name if rest else "batch"),
        queue=queue,
        account=bank,
        cwd=os.getcwd(),
        arguments=arguments,
        user=user_name(),
        nodes=nodes,
        ranks=1,
        cpus=settings["cpus"],
        gpus=settings["gpus"],
        resources={"hosts": left, "urgency": options.get("--urgency", "16")},
        walltime=seconds(options["--time-limit"]) if "--time-limit" in options else 0.0,
        direct=True,
        state="held" if options.get("--urgency") == "0" else "queued",
    )
    job = store.add(job, text, dict(os.environ))
    if nodes > len(left):
        why = f"unsatisfiable request: need {nodes} exclusive node(s), only {len(left)} eligible"
        now = time.time()
        store.update(job.number, state="done", reason="alloc", comment=why, code=1, ended=now)
    else:
        output = options.get("--output", f"flux-{f58(job.number)}.out")
        store.update(job.number, stdout=str(Path(job.cwd) / output))
        start_runner(store, Flux(store), job.number)
    print(f58(job.number))
    return 0


def facts(job: Job) -> dict[str, str]:
    """Return the fields of a job."""
    state = {"done": "INACTIVE", "held": "SCHED", "queued": "SCHED"}.get(job.state, "RUN")
    result = kind = note = code = ""
    if state == "INACTIVE":
        number = 128 - job.code if job.code < 0 else job.code
        code = str(number if job.started or job.reason == "alloc" else -128)
        result = "COMPLETED" if job.code == 0 else "FAILED"
        if job.reason == "killed":
            result, kind = "CANCELED", "cancel"
        elif job.reason == "limit":
            result, kind, note = "TIMEOUT", "timeout", "resource allocation expired"
        elif job.reason == "node":
            result, kind, note = "FAILED", "node-failure", "lost contact with job shell on broker (null)"
        elif job.reason == "alloc":
            kind, note = "alloc", job.comment
    return {
        "id": f58(job.number),
        "name": job.name,
        "state": state,
        "result": result,
        "urgency": "0" if job.state == "held" else "16",
        "returncode": code,
        "exception.type": kind,
        "exception.note": note,
        "dependencies": "",
        "annotations.sched.reason_pending": "" if job.state != "queued" else job.comment,
        "annotations.sched.t_estimate": "" if job.state != "queued" else str(job.submitted + 3600),
    }


def jobs(store: Store, arguments: list[str]) -> int:
    """Show jobs; those that are named also when they have ended."""
    options, words = parse(
        [word.replace("--no-header", "--no-header=") for word in arguments],
        {"--no-header", "--format", "--name"},
        "jobs",
    )
    listed = []
    for word in words:
        job = store.known(number_of(word))
        if job is None:
            print(f"JobID {word} unknown", file=sys.stderr)
        else:
            listed.append(job)
    if not words:
        listed = [job for job in store.jobs() if job.active and not job.gone]
        listed = [job for job in listed if job.name == options.get("--name", job.name)]
    line = re.sub(r"\{([\w.]+)\}", r"{0[\1]}", options["--format"])
    for job in listed:
        print(line.format(facts(job)))
    return 1 if words and not listed else 0


def cancel(store: Store, arguments: list[str]) -> int:
    """End jobs."""
    failed = 0
    for word in arguments:
        job = store.known(number_of(word))
        if job is None or not job.active:
            why = "unknown job id" if job is None else "job is inactive"
            print(f"flux-cancel: ERROR: {word.replace('f', 'ƒ', 1)}: {why}", file=sys.stderr)
            failed = 1
        else:
            store.ask(job.number, "kill")
    return failed


def update(store: Store, arguments: list[str]) -> int:
    """Move a job that waits to another queue."""
    word, change = arguments
    job, queue = store.known(number_of(word)), change.removeprefix("queue=")
    if job is None or not job.active:
        raise Refused(f"flux-update: ERROR: {'unknown job' if job is None else 'job is inactive'}")
    if job.state not in {"queued", "held"}:
        raise Refused("flux-update: ERROR: update of queue requires a pending job")
    if queue not in store.settings()["queues"]:
        raise Refused(f"flux-update: ERROR: '{queue}' is not a valid queue")
    store.update(job.number, queue=queue)
    return 0


def instance(store: Store) -> Job | None:
    """Return the batch job whose instance this process runs in."""
    return store.known(number_of(os.environ.get("FLUX_ENCLOSING_ID", "")))


def up(store: Store) -> list[str]:
    """Return the nodes of this instance that are up."""
    job, settings = instance(store), store.settings()
    return [name for name in (job.hosts if job else settings["nodes"]) if name not in settings["down"]]


def run(store: Store, arguments: list[str]) -> int:
    """Run tasks on nodes of this instance, one on each."""
    options, command = parse(arguments, RUN, "run")
    hosts = up(store)
    if constraint := options.get("--requires", "").removeprefix("hosts:"):
        named = constraint.split(",")
        if strange := [name for name in named if name not in hosts]:
            raise Refused(
                "flux-run: ERROR: host constraint contains invalid hosts: "
                f"hosts '{','.join(strange)}' not found"
            )
        hosts = named
    nodes = int(options["--nodes"])
    if nodes > len(hosts):
        raise Refused(
            f"flux-job: exception type=alloc severity=0 note=unsatisfiable request: need {nodes} exclusive "
            f"node(s), only {len(hosts)} eligible"
        )

    def identity(rank: Rank) -> dict[str, str]:
        return {
            "FLUX_TASK_RANK": str(rank.number),
            "FLUX_TASK_LOCAL_ID": str(rank.local),
            "FLUX_JOB_SIZE": str(rank.size),
            "FLUX_JOB_NNODES": str(nodes),
            "FLUX_JOB_ID": f58(os.getpid()),
            "PMI_RANK": str(rank.number),
            "PMI_SIZE": str(rank.size),
        }

    def report(rank: Rank, code: int) -> str:
        how = f"exit code {code}" if code > 0 else f"exit code {128 - code}"
        return f"flux-job: task(s) exited with {how}"

    ranks = spread(hosts[:nodes], int(options["--ntasks"]), 1)
    return launch(command, ranks, identity, report=report, abort_on_exit="-o exit-on-error" in options)


def hostlist(store: Store, arguments: list[str]) -> int:
    """Print the nodes of this instance."""
    options, sources = parse(
        [word.replace("--expand", "--expand=") for word in arguments], {"--expand", "--delimiter"}, "hostlist"
    )
    if sources not in (["avail"], ["instance"]):
        raise Refused(f"flux-hostlist: ERROR: Invalid jobid or hostlist {' '.join(sources)}")
    print(options.get("--delimiter", " ").replace("\\n", "\n").join(up(store)))
    return 0


def timeleft(store: Store, arguments: list[str]) -> int:
    """Print the seconds left of this instance."""
    job = instance(store)
    if arguments != ["timeleft"]:
        raise Refused(f"flux-job: unknown subcommand {' '.join(arguments)}")
    if job is None or not job.walltime:
        print(NO_LIMIT)
    else:
        print(max(0, int(job.started + job.walltime * store.settings()["walltime_scale"] - time.time())))
    return 0


def flux(store: Store, arguments: list[str]) -> int:
    """Run a subcommand."""
    commands = {
        "batch": batch, "jobs": jobs, "cancel": cancel, "run": run, "hostlist": hostlist, "job": timeleft,
        "update": update,
    }  # fmt: skip
    if not arguments or arguments[0] not in commands:
        print(f"flux: `{' '.join(arguments)}' is not a flux command.  See 'flux --help'", file=sys.stderr)
        return 1
    with contextlib.suppress(BrokenPipeError):
        try:
            return commands[arguments[0]](store, arguments[1:])
        except Refused as error:
            print(error, file=sys.stderr)
            return 1
    return 1


COMMANDS = {"flux": flux}
