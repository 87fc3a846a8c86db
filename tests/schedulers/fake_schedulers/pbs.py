"""What PBS Professional and Torque share: qsub, its directives, the end of jobs, requests to them."""

from __future__ import annotations

import getopt
import os
import re
import shlex
import signal
import sys
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.schedulers.fake_schedulers.job_runner import Family, start_runner, user_name
from tests.schedulers.fake_schedulers.store import Job

UNKNOWN_JOB = 15001
INVALID_STATE = 15018
BAD_VALUE = 15014
LINE = 78  # columns of qstat -f
TIME = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+)(?:\.\d+)?")


class BadRequest(Exception):
    """A refusal: the text, and the error number, of which the exit code is the last byte."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(text)
        self.number = number


def seconds(text: str) -> float:
    """Return a duration [[hours:]minutes:]seconds."""
    match = TIME.fullmatch(text)
    if not match:
        raise ValueError(text)
    hours, minutes, rest = (int(part or 0) for part in match.groups())
    return float(hours * 3600 + minutes * 60 + rest)


def clock(duration: float) -> str:
    """Return a duration as hours:minutes:seconds."""
    whole = int(duration)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def attribute_line(name: str, value: object) -> str:
    """Return an attribute as qstat -f shows it: folded at commas, and where that does not help, anywhere."""
    said = f"    {name} = "
    column = len(name) + 7
    pieces = str(value).split(",")
    for index, piece in enumerate(pieces):
        if column + len(piece) < LINE:
            said += piece
            column += len(piece)
        else:
            if index:
                said += "\n\t"
                column = 9
            for letter in piece:
                said += letter
                column += 1
                if column > LINE:
                    said += "\n\t"
                    column = 8
        if index + 1 < len(pieces):
            said += ","
    return said


@dataclass
class Request:
    """What the options of one submission ask for."""

    options: dict[str, str] = field(default_factory=dict)
    resources: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)  # of -W
    variables: list[str] = field(default_factory=list)

    def lay_over(self, other: Request) -> None:
        """Add what a weaker source asks for, where this one says nothing."""
        self.options = other.options | self.options
        self.resources = other.resources | self.resources
        self.attributes = other.attributes | self.attributes
        self.variables = other.variables + self.variables


class Pbs(Family):
    """One kind of PBS: its texts, its numbers, and how a job asks for nodes."""

    letters = ""  # options of qsub, as getopt takes them
    usage = ""
    unknown_queue = (0, "")
    refused_account = (0, "")
    limits_exceeded = (0, "")
    bad_value = ""  # format with the resource
    unknown_resource = (0, "")
    resources: frozenset[str] = frozenset()
    letters_of_states = ""  # those that qselect knows

    @abstractmethod
    def letter(self, job: Job) -> str:
        """Return the letter of a job's state."""

    @abstractmethod
    def demand(self, request: Request, job: Job) -> None:
        """Fill in how many nodes, and what of each, a job wants."""

    def id(self, job: Job) -> str:
        """Return a job's id."""
        return f"{job.number}.{self.store.settings()['server']}"

    def folder(self, job: Job) -> str:
        return str(self.store.settings()["home"])

    def at_limit(self, job: Job, seconds: float) -> str:
        return f"=>> PBS: job killed: walltime {int(seconds)} exceeded limit {int(job.walltime)}\n"

    def environment(self, job: Job) -> dict[str, str]:
        """Return a login shell's environment, what -v or -V took along, and what PBS adds."""
        settings = self.store.settings()
        given = self.store.environment(job.number)
        file = self.store.place(job.number) / "nodefile"
        file.write_text("".join(f"{host}\n" for host in job.hosts for _ in range(job.ranks)))
        origin = {
            f"PBS_O_{name}": given[name]
            for name in ("HOME", "LANG", "LOGNAME", "PATH", "MAIL", "SHELL", "TZ")
            if name in given
        }
        request = job.resources
        taken = given if request.get("-V") else {}
        for word in request.get("-v", []):
            name, equals, value = word.partition("=")
            if equals or name in given:
                taken = taken | {name: value if equals else given[name]}
        login = {"HOME": settings["home"], "LOGNAME": job.user, "USER": job.user, "SHELL": "/bin/bash"}
        return {"PATH": settings["path"], "LANG": "C.UTF-8"} | taken | login | origin | {
            "PBS_O_HOST": settings["server"],
            "PBS_O_WORKDIR": job.cwd,
            "PBS_O_QUEUE": job.queue,
            "PBS_O_SYSTEM": "Linux",
            "PBS_JOBID": self.id(job),
            "PBS_JOBNAME": job.name,
            "PBS_QUEUE": job.queue,
            "PBS_NODEFILE": str(file),
            "PBS_ENVIRONMENT": "PBS_BATCH",
            "ENVIRONMENT": "BATCH",
            "PBS_JOBCOOKIE": f"{job.number:032X}",
            "PBS_NODENUM": "0",
            "PBS_TASKNUM": "1",
            "PBS_MOMPORT": "15003",
            "PBS_JOBDIR": settings["home"],
        }  # fmt: skip

    def exit_status(self, job: Job) -> int:
        """Return the exit status as PBS counts: 256 and the signal's number for a signal."""
        return 256 - job.code if job.code < 0 else job.code


def parse(words: list[str], letters: str) -> tuple[Request, list[str]]:
    """Split options from what follows."""
    pairs, rest = getopt.gnu_getopt(words, letters)
    request = Request()
    for name, value in pairs:
        if name == "-l":
            for part in re.split(r",(?=[a-zA-Z_]+(?:=|$))", value):
                key, _, content = part.partition("=")
                request.resources[key] = content
        elif name == "-W":
            for part in value.split(","):
                key, _, content = part.partition("=")
                request.attributes[key] = content
        elif name == "-v":
            request.variables += value.split(",")
        else:
            request.options[name] = value
    return request, rest


def directives(text: str, prefix: str) -> list[list[str]]:
    """Return the words of each directive; they end with the first command."""
    found = []
    for line in text.splitlines():
        stripped = line.strip()
        if line.startswith(prefix):
            found.append(shlex.split(line.removeprefix(prefix), comments=True))
        elif stripped and not stripped.startswith("#") and not stripped.startswith(":"):
            break
    return found


def output_path(value: str, default: Path, cwd: str) -> str:
    """Return where an output goes; a host before a colon is left out."""
    if not value:
        return str(default)
    path = Path(cwd) / value.rpartition(":")[2]
    return str(path / default.name if path.is_dir() else path)


def read_script(words: list[str]) -> tuple[str, str]:
    """Return text and name of the script."""
    if not words or words == ["-"]:
        return sys.stdin.read(), "STDIN"
    file = Path(words[0])
    if not file.exists():
        raise BadRequest("script file:: No such file or directory", 1)
    if not file.is_file():
        raise BadRequest("script not a file", 1)
    return file.read_text(), file.name


def check(family: Pbs, request: Request, job: Job, settings: dict[str, Any]) -> None:
    """Refuse a request that the server refuses."""
    for name, value in request.resources.items():
        if name not in family.resources:
            raise BadRequest(f"{family.unknown_resource[1]} Resource_List.{name}", family.unknown_resource[0])
        if name in {"walltime", "cput"}:
            try:
                seconds(value)
            except ValueError:
                raise BadRequest(family.bad_value.format(name), BAD_VALUE) from None
    check_place(family, job, settings)


def check_place(family: Pbs, job: Job, settings: dict[str, Any]) -> None:
    """Refuse a queue or an account that the server refuses."""
    limits = settings["queues"].get(job.queue)
    if limits is None:
        raise BadRequest(family.unknown_queue[1], family.unknown_queue[0])
    accounts = settings["accounts"]
    if (accounts and job.account not in accounts) or (settings["account_required"] and not job.account):
        raise BadRequest(family.refused_account[1], family.refused_account[0])
    if settings["reject"]:
        raise BadRequest(settings["reject"], family.refused_account[0])
    if job.walltime > limits.get("seconds", float("inf")) or job.nodes > limits.get("nodes", float("inf")):
        raise BadRequest(family.limits_exceeded[1], family.limits_exceeded[0])


def build(family: Pbs, arguments: list[str]) -> tuple[Job, str, Request]:
    """Return the job that a submission asks for, its script, and the request."""
    store = family.store
    settings = store.settings()
    try:
        request, rest = parse(arguments, family.letters)
    except getopt.GetoptError as error:
        raise BadRequest(f"invalid option -- '{error.opt}'\n{family.usage}", 2) from None
    text, name = read_script(rest)
    for words in directives(text, request.options.get("-C", "#PBS")):
        try:
            weaker, surplus = parse(words, family.letters)
        except getopt.GetoptError as error:
            said = f"directive error: {' '.join(words)} "
            raise BadRequest(f"invalid option -- '{error.opt}'\nqsub: {said}", 1) from None
        if surplus:
            raise BadRequest(f"directive error: {' '.join(words)} ", 1)
        request.lay_over(weaker)
    options = request.options
    job = Job(
        number=0,
        name=options.get("-N", name),
        queue=options.get("-q", "").partition("@")[0] or next(iter(settings["queues"])),
        account=options.get("-A", ""),
        cwd=os.getcwd(),
        arguments=arguments,
        shell=options.get("-S", "/bin/bash").partition("@")[0],
        user=user_name(),
        resources={"list": request.resources, "-v": request.variables, "-V": "-V" in options},
        state="held" if "-h" in options else "queued",
        rerunnable=options.get("-r", "y") == "y",
    )
    check(family, request, job, settings)
    if "walltime" in request.resources:
        job.walltime = seconds(request.resources["walltime"])
    else:
        job.walltime = float(settings["queues"][job.queue].get("seconds", 0))
    family.demand(request, job)
    check(family, request, job, settings)
    return job, text, request


def qsub(family: Pbs, arguments: list[str]) -> int:
    """Submit a job."""
    store = family.store
    try:
        job, text, request = build(family, arguments)
    except BadRequest as error:
        print(f"qsub: {error}", file=sys.stderr)
        return error.number & 255
    options = request.options
    job = store.add(job, text, dict(os.environ))
    stem = Path(job.cwd) / job.name
    outputs = [
        output_path(options.get(letter, ""), stem.with_name(f"{job.name}.{letter[1]}{job.number}"), job.cwd)
        for letter in ("-o", "-e")
    ]
    join = options.get("-j", "n")
    stdout, stderr = ("", outputs[1]) if join == "eo" else (outputs[0], "" if join == "oe" else outputs[1])
    store.update(
        job.number,
        stdout=stdout or stderr,
        stderr=stderr if stdout else "",
        direct="d" in options.get("-k", ""),
    )
    start_runner(store, family, job.number)
    if "-z" not in options:
        print(family.id(job))
    return 0


def named(family: Pbs, word: str) -> Job | None:
    """Return the job that an id names."""
    match = re.fullmatch(r"(\d+)(\.\S+)?", word)
    if not match:
        return None
    job = family.store.known(int(match[1]))
    if job is not None and match[2] and not family.id(job).startswith(word):
        return None
    return job


def request_jobs(family: Pbs, command: str, words: list[str], request: str) -> int:
    """Ask the runners of running or waiting jobs for something."""
    failed = 0
    for word in words:
        job = named(family, word)
        if job is None or (not job.active and not family.remembers(job)):
            print(f"{command}: {family.unknown_job} {word}", file=sys.stderr)
            failed = UNKNOWN_JOB
        elif not job.active:
            number, text = family.finished
            print(f"{command}: {text} {family.id(job)}", file=sys.stderr)
            failed = number
        else:
            family.store.ask(job.number, request)
    return failed & 255


def qalter(family: Pbs, arguments: list[str]) -> int:
    """Change the account of jobs that wait."""
    options, words = getopt.getopt(arguments, "A:")
    return _change(family, "qalter", words, account=dict(options)["-A"])


def qmove(family: Pbs, arguments: list[str]) -> int:
    """Move jobs that wait to another queue."""
    queue, *words = arguments
    return _change(family, "qmove", words, queue=queue)


def _change(family: Pbs, command: str, words: list[str], **changed: str) -> int:
    for word in words:
        job = named(family, word)
        if job is None:
            print(f"{command}: {family.unknown_job} {word}", file=sys.stderr)
            return UNKNOWN_JOB & 255
        if job.state not in {"queued", "held"}:
            print(f"{command}: Request invalid for state of job {word}", file=sys.stderr)
            return INVALID_STATE & 255
        try:
            check_place(family, replace(job, **changed), family.store.settings())
        except BadRequest as error:
            print(f"{command}: {error} {word}", file=sys.stderr)
            return error.number & 255
        family.store.update(job.number, **changed)
    return 0


def qselect(family: Pbs, letters: str, arguments: list[str], *, ended: bool = False) -> int:
    """List the ids of jobs, one a line; none that fit is no error.

    `ended` tells whether jobs that have ended are listed where no option speaks of states.
    """
    try:
        pairs, rest = getopt.getopt(arguments, letters)
    except getopt.GetoptError as error:
        print(f"qselect: invalid option -- '{error.opt}'", file=sys.stderr)
        pairs, rest = [], [""]
    options = dict(pairs)
    states = options.get("-s", "")
    if set(states) - set(family.letters_of_states):
        print("qselect: illegal -s value", file=sys.stderr)
        rest = [""]
    if rest:
        print("usage: qselect [-A account_string] [-N name] [-q destination] [-s states] [-u user_name] ...",
              file=sys.stderr)  # fmt: skip
        return 2
    for each in family.store.jobs():
        job = family.store.known(each.number)
        if job is None or not (job.active or (family.remembers(job) and (ended or "-x" in options))):
            continue
        asked = {"-A": job.account, "-N": job.name, "-q": job.queue}
        users = [user.partition("@")[0] for user in options.get("-u", job.user).split(",")]
        if (
            all(options.get(option, value) == value for option, value in asked.items())
            and job.user in users
            and (not states or family.letter(job) in states)
        ):
            print(family.id(job))
    return 0


def signals(name: str) -> int:
    """Return a signal's number, from its name or its number."""
    if name.isdigit():
        return int(name)
    return int(signal.Signals["SIG" + name.upper().removeprefix("SIG")])
