"""The process that looks after one job: waits for nodes, runs the script, limits it, ends it, reports."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.schedulers.fake_schedulers.hosts import take_name
from tests.schedulers.fake_schedulers.store import MARK, NODE_MARK, VARIABLE, Job, Store

TICK = 0.03  # seconds between two looks
ROOT = Path(__file__).parents[3]
START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    "from tests.schedulers.fake_schedulers import job_runner; job_runner.main()"
)
Steps = list[tuple[int, float]]  # signals, each with the seconds until the next


class Family:
    """What differs between batch systems; each overrides it."""

    name = ""

    def __init__(self, store: Store) -> None:
        self.store = store

    def environment(self, job: Job) -> dict[str, str]:
        """Return the environment of the script."""
        raise NotImplementedError

    def folder(self, job: Job) -> str:
        """Return where the script runs."""
        return job.cwd

    def kill_steps(self, job: Job) -> Steps:
        """Return the signals that end a job on request."""
        delay = self.store.settings()["kill_delay"]
        return [(signal.SIGTERM, delay), (signal.SIGKILL, 0)]

    def limit_steps(self, job: Job) -> Steps:
        """Return the signals that end a job at its limit."""
        return self.kill_steps(job)

    def at_limit(self, job: Job, seconds: float) -> str:
        """Return what is written to the job's error output at its limit."""
        return ""

    def script_host(self, job: Job) -> str:
        """Return the virtual node of the script."""
        return job.hosts[0]

    def on_lost_node(self, job: Job, host: str) -> str:
        """Return what follows when a node is lost: go on, wait, stay, requeue or end."""
        return "end"

    def report(self, job: Job) -> str:
        """Return what is added to the output file at the end."""
        return ""

    def lost_code(self) -> int:
        """Return the exit code of a job that ends with its node."""
        return 1


def carriers(*marks: str) -> list[int]:
    """Return the living processes whose environment has all marks."""
    wanted = {mark.encode() for mark in marks}
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if not wanted <= set(Path(f"/proc/{entry.name}/environ").read_bytes().split(b"\0")):
                    continue
                if Path(f"/proc/{entry.name}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(entry.name))
    return found


def wipe(*marks: str, seconds: float = 10.0) -> None:
    """SIGKILL every process that carries the marks, until there is none."""
    deadline = time.monotonic() + seconds
    while (found := carriers(*marks)) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(TICK)


class JobRunner:
    """Looks after one job, from submission to the end."""

    def __init__(self, store: Store, family: Family, number: int) -> None:
        self.store = store
        self.family = family
        self.number = number
        self.mark = f"{MARK}={store.folder}:{number}"
        self.process: subprocess.Popen[bytes] | None = None
        self.steps: Steps = []
        self.next_step = 0.0
        self.reason = ""
        self.warned = False
        self.lost_since: dict[str, float] = {}

    @property
    def job(self) -> Job:
        """The job as it is written down now."""
        job = self.store.job(self.number)
        if job is None:
            raise SystemExit(0)
        return job

    def set(self, **changes: Any) -> Job:
        """Write down a change of the job."""
        return self.store.update(self.number, **changes)

    def run(self) -> None:
        """Go through the job's life, once or, when it is requeued, again."""
        self.set(runner=os.getpid())
        try:
            while self.wait_for_nodes():
                self.start()
                if not self.watch():
                    break
        finally:
            wipe(self.mark)

    def abandoned(self) -> bool:
        """Return whether the machine was removed or its owner died."""
        if not self.store.folder.exists():
            return True
        owner = self.store.settings()["owner"]
        return bool(owner) and not Path(f"/proc/{owner}").exists()

    def wait_for_nodes(self) -> bool:
        """Wait in the queue; False when the job ends there."""
        while not self.abandoned():
            for request in self.store.requests(self.number):
                if request == "kill":
                    self.finish(code=0, reason="killed", started=0.0)
                    return False
                if request in {"hold", "suspend"}:
                    self.set(state="held")
                elif request in {"release", "resume"}:
                    self.set(state="queued")
            settings = self.store.settings()
            with self.store.lock():
                job = self.job
                if job.gone:
                    return False
                waited = time.time() - job.submitted >= settings["queue_delay"]
                if job.state == "queued" and settings["dispatch"] and waited:
                    hosts = self.store.take_nodes(job)
                    if hosts:
                        self.store.update_locked(
                            self.number,
                            hosts=hosts,
                            state="running",
                            started=time.time(),
                            pid=0,
                            runs=job.runs + 1,
                            comment="",
                        )
                        return True
            time.sleep(TICK)
        return False

    def start(self) -> None:
        """Run the script in a session of its own."""
        job = self.job
        folder = self.store.place(self.number)
        environment = self.family.environment(job)
        environment |= dict([self.mark.split("=", 1)]) | {NODE_MARK: self.family.script_host(job)}
        environment.setdefault("HOSTNAME", self.family.script_host(job))
        self.steps, self.reason, self.warned, self.lost_since = [], "", False, {}
        out, err = self.outputs(job)
        where = self.family.folder(job)
        with (
            out.open("ab") as output,
            err.open("ab") if err != out else contextlib.nullcontext(output) as error,
        ):
            self.process = subprocess.Popen(
                job.command or [job.shell, str(folder / "script")],
                env=environment,
                cwd=where if Path(where).is_dir() else "/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error,
                start_new_session=True,
                preexec_fn=partial(take_name, self.family.script_host(job)),
            )
        self.set(pid=self.process.pid)

    def outputs(self, job: Job) -> tuple[Path, Path]:
        """Return where output goes while the job runs."""
        if job.direct:
            return Path(job.stdout), Path(job.stderr or job.stdout)
        folder = self.store.place(self.number)
        return folder / "out", folder / ("err" if job.stderr else "out")

    def watch(self) -> bool:
        """Look after the running job; return whether it was requeued."""
        process = self.process
        assert process is not None
        while process.poll() is None:
            if self.abandoned():
                return False
            job = self.job
            if job.gone:
                return False
            self.obey(job)
            self.limit(job)
            self.signal_next()
            if (fate := self.lost_nodes(job)) != "go on":
                return self.lose(job, fate)
            time.sleep(TICK)
        wipe(self.mark)
        # A job that was told to end did not end by itself, unless it was faster.
        self.finish(code=process.returncode, reason=self.reason)
        return False

    def signal(self, number: int) -> None:
        """Send a signal to the script's process group."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def obey(self, job: Job) -> None:
        """Do what was asked for."""
        for request in self.store.requests(self.number):
            if request == "kill" and not self.reason:
                self.begin("killed", self.family.kill_steps(job))
            elif request == "suspend":
                self.signal(signal.SIGSTOP)
                self.set(state="suspended")
            elif request == "resume":
                self.signal(signal.SIGCONT)
                self.set(state="running")
            elif request.startswith("signal:"):
                self.signal(int(request.partition(":")[2]))

    def limit(self, job: Job) -> None:
        """End the job when its time is over, and warn it before."""
        if not job.walltime or self.reason:
            return
        scale = self.store.settings()["walltime_scale"]
        used = time.time() - job.started
        if job.warning and not self.warned and used >= (job.walltime - job.warning[1]) * scale:
            self.warned = True
            self.signal(job.warning[0])
        if used >= job.walltime * scale:
            message = self.family.at_limit(job, used / scale)
            if message:
                with self.outputs(job)[1].open("a") as file:
                    file.write(message)
            self.begin("limit", self.family.limit_steps(job))

    def begin(self, reason: str, steps: Steps) -> None:
        """Start to end the job."""
        self.reason = reason
        self.steps = list(steps)
        self.next_step = time.monotonic()

    def signal_next(self) -> None:
        """Send the signal that is due."""
        if self.steps and time.monotonic() >= self.next_step:
            number, pause = self.steps.pop(0)
            self.next_step = time.monotonic() + pause
            if number == signal.SIGKILL:
                wipe(self.mark)
            else:
                self.signal(number)

    def lost_nodes(self, job: Job) -> str:
        """Kill what ran on nodes that are lost, and return what the batch system makes of it."""
        settings = self.store.settings()
        mine = {*job.hosts, self.family.script_host(job)}
        for host in mine & set(settings["down"]):
            if host not in self.lost_since:
                self.lost_since[host] = time.monotonic()
                wipe(self.mark, f"{NODE_MARK}={host}")
            fate = self.family.on_lost_node(job, host)
            if fate == "go on":
                continue
            self.wait_noticed(host, settings["node_seconds"])
            return fate
        return "go on"

    def wait_noticed(self, host: str, seconds: float) -> None:
        """Wait until the server notices the loss."""
        while time.monotonic() - self.lost_since[host] < seconds and not self.abandoned():
            time.sleep(TICK)

    def lose(self, job: Job, fate: str) -> bool:
        """Do what follows when the job lost a node that it cannot do without."""
        wipe(self.mark)
        assert self.process is not None
        self.process.wait()
        if fate in {"wait", "stay"}:
            if fate == "wait":
                self.set(state="lost")
            while set(self.lost_since) & set(self.store.settings()["down"]):
                if self.abandoned() or self.job.gone:
                    return False
                if "kill" in self.store.requests(self.number):
                    self.reason = "killed"
                time.sleep(TICK)
            fate = "end"
        if fate == "requeue":
            self.set(state="queued", hosts=[], pid=0, comment="node lost, requeued")
            return True
        self.finish(code=self.family.lost_code(), reason=self.reason or "node")
        return False

    def finish(self, *, code: int, reason: str, **changes: Any) -> None:
        """Write down the end, and put the output where it belongs."""
        job = self.job
        job.code, job.reason, job.ended = code, reason, time.time()
        if job.started and not job.gone:
            self.deliver(job)
        self.set(state="done", code=code, reason=reason, ended=job.ended, **changes)

    def deliver(self, job: Job) -> None:
        """Copy spooled output to its files."""
        report = self.family.report(job)
        folder = self.store.place(self.number)
        pairs = [] if job.direct else [("out", job.stdout), ("err", job.stderr)]
        for name, target in pairs:
            spooled = folder / name
            if target and spooled.exists():
                with contextlib.suppress(OSError), Path(target).open("ab" if job.append else "wb") as file:
                    file.write(spooled.read_bytes())
        if report and job.stdout:
            with contextlib.suppress(OSError), Path(job.stdout).open("a") as file:
                file.write(report)


def start_runner(store: Store, family: Family, number: int) -> None:
    """Leave a runner behind for a new job.

    It keeps nothing of the caller's environment: a server is no child of those who submit, and whoever
    ends all that carries some mark must not end it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork():
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        log = os.open(store.place(number) / "runner.log", os.O_WRONLY | os.O_CREAT, 0o644)
        os.dup2(log, 2)
        words = [sys.executable, "-S", "-s", "-E", "-c", START, str(ROOT), family.name, str(number)]
        os.execve(sys.executable, words, {VARIABLE: str(store.folder), "LANG": "C.UTF-8"})
    finally:
        os._exit(1)


def main() -> None:
    """Be a runner: FAMILY NUMBER."""
    from tests.schedulers.fake_schedulers.flux import Flux
    from tests.schedulers.fake_schedulers.lsf import Lsf
    from tests.schedulers.fake_schedulers.pbspro import PbsPro
    from tests.schedulers.fake_schedulers.torque import Torque

    store = Store.find()
    made = {kind.name: kind for kind in (Lsf, PbsPro, Torque, Flux)}[sys.argv[1]](store)
    JobRunner(store, made, int(sys.argv[2])).run()


def user_name() -> str:
    """Return the login name of this user."""
    return pwd.getpwuid(os.getuid()).pw_name
