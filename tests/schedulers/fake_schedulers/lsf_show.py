"""LSF 10.1: bjobs and bhist."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import time

from tests.schedulers.fake_schedulers.lsf import FAIL, BadRequest, Lsf, exit_code, status
from tests.schedulers.fake_schedulers.store import Job, Store

WIDTHS = {
    "jobid": 7, "stat": 5, "user": 7, "queue": 10, "job_name": 10, "proj_name": 11, "from_host": 11,
    "exec_host": 11, "nexec_host": 10, "slots": 5, "submit_time": 15, "start_time": 15, "estart_time": 15,
    "finish_time": 15, "exit_code": 10, "exit_reason": 50, "pend_reason": 50, "run_time": 15,
    "runtimelimit": 12, "sub_cwd": 10, "output_file": 10, "error_file": 10, "command": 15,
}  # fmt: skip


def stamp(moment: float) -> str:
    """Return a time as bjobs shows it."""
    return time.strftime("%b %e %H:%M", time.localtime(moment)) if moment else "-"


def facts(store: Store, job: Job) -> dict[str, str]:
    """Return all fields of a job."""
    slots = Lsf(store).slots(job) if job.hosts else []
    reason = {
        "limit": "TERM_RUNLIMIT: job killed after reaching LSF run time limit",
        "killed": "TERM_OWNER: job killed by owner",
        "node": "TERM_ZOMBIE: job exited while LSF is not available",
    }.get(job.reason, "-")
    exited = status(job) == "EXIT"
    end = job.ended or time.time()
    return {
        "jobid": str(job.number),
        "stat": status(job),
        "user": job.user,
        "queue": job.queue,
        "job_name": job.name,
        "proj_name": job.account or "default",
        "from_host": socket.gethostname(),
        "exec_host": ":".join(f"{number}*{name}" for name, number in slots) or "-",
        "nexec_host": str(len(slots)),
        "slots": str(sum(number for _, number in slots)),
        "submit_time": stamp(job.submitted),
        "start_time": stamp(job.started),
        "estart_time": stamp(job.submitted + 3600) if status(job) == "PEND" else "-",
        "finish_time": stamp(job.ended),
        "exit_code": str(exit_code(job)) if exited and exit_code(job) else "-",
        "exit_reason": reason if exited else "-",
        "pend_reason": "New job is waiting for scheduling" if status(job) == "PEND" else "-",
        "run_time": f"{int(end - job.started) if job.started else 0} second(s)",
        "runtimelimit": f"{job.walltime / 60:.1f}" if job.walltime else "-",
        "sub_cwd": job.cwd,
        "output_file": job.stdout or "-",
        "error_file": job.stderr or "-",
        "command": " ".join(job.command) or "-",
    }


def cut(text: str, width: int) -> str:
    """Shorten a text as bjobs does: a star stands for what is left out in front."""
    return text if len(text) <= width else "*" + text[-(width - 1) :]


def table(store: Store, jobs: list[Job], wide: bool, header: bool) -> str:
    """Return the table that people read."""
    lines = (
        ["JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME"] if header else []
    )
    for job in jobs:
        fact = facts(store, job)
        hosts = fact["exec_host"].split(":")
        if fact["exec_host"] == "-":
            hosts = ["-"] if wide else [""]
        if wide:
            lines.append(
                f"{fact['jobid']:<7} {fact['user']:<7} {fact['stat']:<5} {fact['queue']:<10}"
                f" {fact['from_host']:<11} {':'.join(hosts):<11} {fact['job_name']:<10} {fact['submit_time']}"
            )
            continue
        lines.append(
            f"{fact['jobid']:<7} {fact['user']:<7.7} {fact['stat']:<5} {fact['queue']:<10.10}"
            f" {fact['from_host']:<11.11} {hosts[0]:<11.11} {cut(job.name, 10):<10} {fact['submit_time']}"
        )
        lines += [f"{'':45}{host}" for host in hosts[1:]]
    return "\n".join(lines)


def chosen(store: Store, jobs: list[Job], spec: str, *, header: bool, as_json: bool) -> str:
    """Return the fields that -o asks for."""
    match = re.fullmatch(r"(.*?)(?:\s*delimiter=(['\"]?)(.+?)\2)?\s*", spec, re.DOTALL)
    assert match is not None
    columns = [re.fullmatch(r"(\w+)(?::(-?\d+)?)?", word) for word in match[1].lower().split()]
    names = [column[1] for column in columns if column]
    unknown = [name for name in names if name not in WIDTHS]
    if unknown or len(names) != len(columns):
        raise BadRequest(f"{(unknown or [spec])[0]}: Unknown field name")
    rows = [[facts(store, job)[name] for name in names] for job in jobs]
    titles = [name.upper() for name in names]
    if as_json:
        records = [
            {title: "" if value == "-" else value for title, value in zip(titles, row, strict=True)}
            for row in rows
        ]
        return json.dumps({"COMMAND": "bjobs", "JOBS": len(rows), "RECORDS": records}, indent=2)
    lines = [titles, *rows] if header else rows
    if match[3]:
        return "\n".join(match[3].join(line) for line in lines)
    widths = [
        int((column and column[2]) or WIDTHS[name]) for column, name in zip(columns, names, strict=True)
    ]
    return "\n".join(
        " ".join(
            f"{cut(value, abs(width)):>{abs(width)}}" if width < 0 else f"{cut(value, width):<{width}}"
            for value, width in zip(line, widths, strict=True)
        )
        for line in lines
    )


def bjobs(store: Store, arguments: list[str]) -> int:
    """Show jobs."""
    words, spec, numbers, flags = list(arguments), "", [], set()
    selected: dict[str, str] = {}
    while words:
        word = words.pop(0)
        if word == "-o" and words:
            spec = words.pop(0)
        elif word in {"-u", "-q", "-J", "-P", "-m", "-G", "-app"} and words:
            selected[word] = words.pop(0)
        elif word.startswith("-"):
            flags.add(word)
        elif word.isdigit():
            numbers.append(int(word))
        else:
            print(f"{word}: Illegal job ID.", file=sys.stderr)
            return FAIL
    strange = flags - {
        "-noheader",
        "-w",
        "-W",
        "-a",
        "-d",
        "-p",
        "-r",
        "-s",
        "-l",
        "-json",
        "-X",
        "-x",
        "-UF",
    }
    if strange:
        print(f"bjobs: illegal option -- {min(strange).lstrip('-')}", file=sys.stderr)
        return FAIL
    missing = [each for each in numbers if store.known(each) is None]
    if numbers:
        jobs = [job for each in numbers if (job := store.known(each)) is not None]
    else:
        jobs = [job for each in store.jobs() if (job := store.known(each.number)) is not None]
        jobs = [job for job in jobs if wanted(job, flags, selected)]
    if jobs:
        header = "-noheader" not in flags
        try:
            print(
                chosen(store, jobs, spec, header=header, as_json="-json" in flags)
                if spec
                else table(store, jobs, bool(flags & {"-w", "-W"}), header)
                if "-l" not in flags
                else "\n".join(long_form(store, job) for job in jobs)
            )
        except BadRequest as error:
            print(f"{error}.", file=sys.stderr)
            return FAIL
    elif "-J" in selected:
        print(f"Job <{selected['-J']}> is not found", file=sys.stderr)
        return FAIL
    elif not numbers:
        print("No job found" if flags & {"-a", "-d"} else "No unfinished job found", file=sys.stderr)
        return FAIL
    for each in missing:
        print(f"Job <{each}> is not found", file=sys.stderr)
    return FAIL if missing else 0


def wanted(job: Job, flags: set[str], selected: dict[str, str]) -> bool:
    """Return whether a listing without ids shows a job."""
    kinds = {
        "-p": {"PEND", "PSUSP"},
        "-r": {"RUN"},
        "-s": {"PSUSP", "USUSP", "SSUSP"},
        "-d": {"DONE", "EXIT"},
    }
    asked = [kinds[flag] for flag in flags if flag in kinds]
    if asked and status(job) not in set.union(*asked):
        return False
    if not asked and "-a" not in flags and not job.active:
        return False
    return selected.get("-q", job.queue) == job.queue and selected.get("-J", job.name) == job.name


def long_form(store: Store, job: Job) -> str:
    """Return what bjobs -l says."""
    fact = facts(store, job)
    lines = [
        f"\nJob <{job.number}>, Job Name <{job.name}>, User <{job.user}>, Project <{fact['proj_name']}>,"
        f" Status <{fact['stat']}>, Queue <{job.queue}>",
        f"{time.ctime(job.submitted)}: Submitted from host <{fact['from_host']}>, CWD <{job.cwd}>;",
    ]
    if job.started:
        lines.append(
            f"{time.ctime(job.started)}: Started {fact['slots']} Task(s) on Host(s) <{fact['exec_host']}>;"
        )
    if fact["stat"] == "DONE":
        lines.append(f"{time.ctime(job.ended)}: Done successfully. The CPU time used is 0.0 seconds.")
    elif fact["stat"] == "EXIT":
        ended = f"Exited with exit code {exit_code(job)}. The CPU time used is 0.0 seconds."
        lines.append(f"{time.ctime(job.ended)}: {ended}")
        if fact["exit_reason"] != "-":
            lines.append(f"{time.ctime(job.ended)}: Completed <exit>; {fact['exit_reason']}.")
    return "\n".join(lines)


def bhist(store: Store, arguments: list[str]) -> int:
    """Show the history of jobs, finished ones with -a, which the event logs still have."""
    words, selected, flags = list(arguments), {"-n": "1"}, set()
    while words:
        word = words.pop(0)
        if word in {"-n", "-q", "-S", "-u", "-J"} and words:
            selected[word] = words.pop(0)
        elif word in {"-a", "-l"}:
            flags.add(word)
        else:
            print(f"bhist: illegal option -- {word.lstrip('-')}", file=sys.stderr)
            return FAIL
    first = time.strptime(selected.get("-S", "1970/01/02,"), "%Y/%m/%d,")
    jobs = [
        job
        for job in store.jobs()
        if (job.active or "-a" in flags)
        and selected.get("-q", job.queue) == job.queue
        and job.submitted >= time.mktime(first)
    ]
    if not jobs:
        print("No matching job found", file=sys.stderr)
        return FAIL
    print(f"{'-' * 78}\n".join(history(store, job) for job in jobs))
    return 0


def history(store: Store, job: Job) -> str:
    """Return what bhist -l says of a job, with years where the environment asks for them."""
    at = (
        "%a %b %e %H:%M:%S %Y"
        if os.environ.get("LSB_DISPLAY_YEAR", "").lower() == "y"
        else "%a %b %e %H:%M:%S"
    )
    fact, slots = facts(store, job), Lsf(store).slots(job)
    hosts = " ".join(f"<{name}>" for name, number in slots for _ in range(number))
    number = sum(number for _, number in slots)
    lines = [
        f"Job <{job.number}>, Job Name <{job.name}>, User <{job.user}>, Project <{fact['proj_name']}>, "
        f"Command <{' '.join(job.command) or job.name}>".replace("\n", ";")
    ]
    events = [
        (
            job.submitted,
            f"Submitted from host <{fact['from_host']}>, to Queue <{job.queue}>, CWD <{job.cwd}>;",
        )
    ]
    if job.started:
        allocated = (
            f"Allocated {number} Slot(s) on Host(s) {hosts}, Effective RES_REQ <select[type == any] >;"
        )
        events.append((job.started, f"Dispatched {number} Task(s) on Host(s) {hosts}, {allocated}"))
        events.append((job.started, "Starting (Pid 4711);"))
    if job.state == "done":
        events.append((job.ended, "Done successfully. The CPU time used is 0.0 seconds;"))
    indent = len(time.strftime(f"{at}: ", time.localtime(job.submitted)))
    lines += [f"{time.strftime(at, time.localtime(moment))}: {text}" for moment, text in events]
    return "\n" + "".join(f"{wrapped(line, indent)}\n" for line in lines)


def wrapped(line: str, indent: int) -> str:
    """Break a line anywhere, as LSF does, and indent the rest."""
    parts, rest = [line[:79]], line[79:]
    while rest:
        parts.append(" " * indent + rest[: 79 - indent])
        rest = rest[79 - indent :]
    return "\n".join(parts)


COMMANDS = {"bjobs": bjobs, "bhist": bhist}
