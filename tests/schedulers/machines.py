"""Machines with a stood-in batch system: commands to call, settings to change, faults to inject."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil

from tests.harness import ROOT, wait_for
from tests.schedulers.fake_schedulers.flux import f58, number_of
from tests.schedulers.fake_schedulers.job_runner import carriers, wipe
from tests.schedulers.fake_schedulers.store import MARK, VARIABLE, Job, Store

COMMANDS = {
    "lsf": ("bsub", "bmod", "bjobs", "bhist", "bkill", "bstop", "bresume", "jsrun"),
    "pbspro": (
        *("qsub", "qalter", "qmove", "qstat", "qselect", "qdel", "qsig", "qhold", "qrls"),
        *("mpiexec", "mpirun"),
    ),
    "flux": ("flux",),
    "torque": (
        *("qsub", "qalter", "qmove", "qstat", "qselect", "qdel", "qhold", "qrls"),
        *("mpiexec", "mpirun", "aprun", "pbsdsh"),
    ),
}
START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from tests.schedulers.fake_schedulers import __main__; __main__.main()"
)


class Machine:
    """A machine of virtual nodes with the commands of one batch system.

    The commands lie in `bin`; `environment` holds a PATH that finds them, to be laid over os.environ. Jobs
    really run, in the background on this host, each in a session of its own. All that is known lies in
    `folder`. All nodes share the host; HOSTNAME in a job's environment tells them apart, and
    where this process may (`own_names`), so does the host's name.
    """

    def __init__(self, family: str, folder: Path, **settings: Any) -> None:
        self.family = family
        self.folder = folder / family
        self.bin = self.folder / "bin"
        self.home = self.folder / "home"
        self.bin.mkdir(parents=True)
        self.home.mkdir()
        self.store = Store(self.folder)
        login = os.pathsep.join([str(self.bin), "/usr/local/bin", "/usr/bin", "/bin"])
        self.store.configure(home=str(self.home), path=login, owner=os.getpid())
        self.store.configure(**settings)
        for command in COMMANDS[family]:
            words = [sys.executable, "-S", "-s", "-E", "-c", START, str(ROOT), family, command]
            file = self.bin / command
            variable = f"{VARIABLE}=${{{VARIABLE}:-{shlex.quote(str(self.folder))}}}"
            file.write_text(f'#!/bin/sh\n{variable} exec {shlex.join(words)} "$@"\n')
            file.chmod(file.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    @property
    def environment(self) -> dict[str, str]:
        """What a caller of the commands needs."""
        return {
            "PATH": f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            VARIABLE: str(self.folder),
        }

    # Commands

    def attempt(
        self, *arguments: str, text: str = "", cwd: Path | None = None, seconds: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, whatever its exit code; `text` is its standard input."""
        return subprocess.run(
            [str(self.bin / arguments[0]), *arguments[1:]],
            env=os.environ | self.environment,
            input=text,
            cwd=cwd or self.home,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def run(self, *arguments: str, **extra: Any) -> str:
        """Run a command that must succeed, and return what it prints."""
        done = self.attempt(*arguments, **extra)
        assert done.returncode == 0, f"{arguments} exited with {done.returncode}: {done.stderr}"
        return done.stdout

    def submit(self, script: str, *options: str, cwd: Path | None = None) -> str:
        """Submit the lines of a bash script on standard input, and return the job's id."""
        command = {"lsf": ["bsub"], "flux": ["flux", "batch"]}.get(self.family, ["qsub"])
        said = self.run(*command, *options, text=f"#!/bin/bash\n{script}\n", cwd=cwd).strip()
        if self.family == "flux":
            return said.replace("ƒ", "f")
        return said.split("<")[1].split(">")[0] if self.family == "lsf" else said

    def calls(self, command: str = "") -> list[list[str]]:
        """Return the arguments of each call of a command so far, or all calls with their names."""
        return self.store.calls(command)

    # Jobs

    @staticmethod
    def number(identifier: str) -> int:
        """Return the number in a job's id."""
        return number_of(identifier) if identifier.startswith("f") else int(identifier.partition(".")[0])

    def id(self, job: Job) -> str:
        """Return a job's id as the submit command told it."""
        server = self.store.settings()["server"]
        if self.family == "flux":
            return f58(job.number).replace("ƒ", "f")
        return str(job.number) if self.family == "lsf" else f"{job.number}.{server}"

    def job(self, identifier: str) -> Job:
        """Return all that is known of a job, also when its commands know it no more."""
        job = self.store.job(self.number(identifier))
        assert job is not None, f"no job {identifier}"
        return job

    def jobs(self) -> list[Job]:
        """Return all jobs ever."""
        return self.store.jobs()

    def wait_job(self, identifier: str, *states: str, seconds: float = 300) -> Job:
        """Wait until a job is held, queued, running, suspended, lost or done."""
        wait_for(
            lambda: (
                self.job(identifier).state in states and (self.job(identifier).pid or states != ("running",))
            ),
            f"{identifier} to be {states}",
            seconds,
        )
        return self.job(identifier)

    def printed(self, identifier: str, name: str = "out") -> str:
        """Return what a job has printed so far (`out` or `err`), before its files are there."""
        file = self.store.place(self.number(identifier)) / name
        return file.read_text(errors="replace") if file.exists() else ""

    def processes(self, identifier: str) -> list[psutil.Process]:
        """Return the living processes of a job, those that left its session too."""
        found = []
        for pid in carriers(f"{MARK}={self.folder}:{self.number(identifier)}"):
            with contextlib.suppress(psutil.NoSuchProcess):
                found.append(psutil.Process(pid))
        return found

    # Settings and faults

    def configure(self, **changes: Any) -> None:
        """Change settings; `store.DEFAULTS` names and explains them."""
        self.store.configure(**changes)

    def fail(
        self,
        command: str,
        times: int = 1,
        *,
        code: int | None = None,
        out: str = "",
        err: str = "",
        seconds: float = 0,
    ) -> None:
        """Let the next calls of a command fail, for ever with times=-1.

        By default the server does not answer. `out`, `err` and `code` replace what it says; `seconds` alone
        makes it slow.
        """
        failure = {"times": times, "code": code, "out": out, "err": err, "seconds": seconds}
        self.configure(failures=self.store.settings()["failures"] | {command: failure})

    def recover(self) -> None:
        """Let no command fail any more."""
        self.configure(failures={})

    def hold(self, identifier: str) -> None:
        """Hold a waiting job as an administrator does."""
        self.store.ask(self.number(identifier), "hold")

    def release(self, identifier: str) -> None:
        """Let a held job go on waiting."""
        self.store.ask(self.number(identifier), "release")

    def vanish(self, identifier: str) -> None:
        """Let a job disappear: its processes end and no command knows it."""
        self.store.update(self.number(identifier), gone=True)
        wait_for(lambda: not self.processes(identifier), f"{identifier} to vanish")

    def lose_node(self, name: str) -> None:
        """Crash a node: everything on it ends at once."""
        self.configure(down=sorted({*self.store.settings()["down"], name}))
        wait_for(
            lambda: (
                not any(
                    carriers(f"{MARK}={self.folder}:{job.number}", f"FAKE_SCHEDULER_NODE={name}")
                    for job in self.jobs()
                    if job.active
                )
            ),
            f"all on {name} to end",
        )

    def revive_node(self, name: str) -> None:
        """Boot a node again."""
        self.configure(down=[each for each in self.store.settings()["down"] if each != name])

    def stop(self) -> None:
        """End all jobs and their runners, and remove the folder."""
        jobs = self.jobs()
        for job in jobs:
            self.store.update(job.number, gone=True)
        for job in jobs:
            wipe(f"{MARK}={self.folder}:{job.number}")
        runners = [job.runner for job in jobs if job.runner]
        wait_for(lambda: not any(runs(pid, self.folder) for pid in runners), "runners to end")
        shutil.rmtree(self.folder, ignore_errors=True)


def runs(pid: int, folder: Path) -> bool:
    """Return whether a process is a living runner of jobs in a folder."""
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and any(
            Path(file.path).is_relative_to(folder) for file in process.open_files()
        )
    except psutil.Error:
        return False


def own_names() -> bool:
    """Return whether virtual nodes can have host names of their own here; root may."""
    code = (
        "import sys; from tests.schedulers.fake_schedulers.hosts import take_name; "
        "sys.exit(not take_name('node'))"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
