"""What a stood-in batch system knows: settings and jobs, in a folder that many commands use at once."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

VARIABLE = "FAKE_SCHEDULER"  # names the folder
MARK = "FAKE_SCHEDULER_JOB"  # every process of a job carries it: FOLDER:NUMBER
NODE_MARK = "FAKE_SCHEDULER_NODE"  # the virtual node that a process of a job runs on

DEFAULTS: dict[str, Any] = {
    "server": "server",  # name of the batch server, the second part of PBS job ids
    "nodes": ["node1", "node2", "node3"],
    "cpus": 4,  # of each node
    "gpus": 2,
    "launch_node": "",  # where LSF runs the script; no compute node
    "queues": {"batch": {}},  # name -> {"seconds": longest walltime, "nodes": most nodes}; first is default
    "accounts": [],  # those accepted; empty: all
    "account_required": False,
    "reject": "",  # a site filter refuses every submission with this text
    "queue_delay": 0.0,  # seconds that a job waits at least
    "dispatch": True,  # False: nothing starts
    "down": [],  # lost nodes
    "node_seconds": 0.5,  # until the server notices that a node is lost (real: minutes)
    "walltime_scale": 1.0,  # a job's limit is its walltime times this
    "kill_delay": 1.0,  # seconds between the signals that end a job (real: 10)
    "grace": 1.0,  # LSF: seconds between SIGUSR2 at the limit and the end (real: 600)
    "history": 3600.0,  # seconds that finished jobs stay known
    "history_enabled": True,
    "parse_script": False,  # LSF: LSB_BSUB_PARSE_SCRIPT
    "sequential_signal": False,  # LSF: LSB_USE_SEQUENTIAL_SIGNAL
    "failures": {},  # command -> {"times", "code", "out", "err", "seconds"}
    "home": "",  # home folder of the jobs' user
    "path": "/usr/local/bin:/usr/bin:/bin",  # what a login shell gives
    "owner": 0,  # process that all ends with
}


@dataclass
class Job:
    """One job; `state` is held, queued, running, suspended, lost or done."""

    number: int
    name: str = ""
    queue: str = ""
    account: str = ""
    cwd: str = ""
    command: list[str] = field(default_factory=list)  # what runs instead of the spooled script
    arguments: list[str] = field(default_factory=list)  # of the submission
    shell: str = "/bin/bash"
    user: str = ""
    nodes: int = 1  # wanted
    ranks: int = 1  # slots on each node
    cpus: int = 1  # on each node
    gpus: int = 0
    resources: dict[str, Any] = field(default_factory=dict)  # as asked for
    walltime: float = 0.0  # seconds, 0: none
    stdout: str = ""
    stderr: str = ""
    direct: bool = False  # output goes to its files at once, not at the end
    append: bool = False
    warning: tuple[int, float] | None = None  # signal, seconds before the end
    rerunnable: bool = False
    state: str = "queued"
    hosts: list[str] = field(default_factory=list)
    submitted: float = 0.0
    started: float = 0.0
    ended: float = 0.0
    runs: int = 0
    runner: int = 0  # process that looks after it
    pid: int = 0  # of the script
    code: int = 0  # as waitpid tells: negative for a signal
    reason: str = ""  # why it ended: killed, limit, node; empty: by itself
    comment: str = ""
    gone: bool = False  # nobody knows it any more

    @property
    def active(self) -> bool:
        """Whether it has not ended."""
        return self.state != "done"


NAMES = {each.name for each in fields(Job)}


class Store:
    """The folder of one stood-in batch system. Every change happens under one file lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "jobs").mkdir(parents=True, exist_ok=True)

    @classmethod
    def find(cls) -> Store:
        """Return the store that the environment names."""
        return cls(Path(os.environ[VARIABLE]))

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other commands and runners out."""
        with (self.folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @staticmethod
    def _write(file: Path, content: Any) -> None:
        temporary = file.with_name(f"{file.name}.{os.getpid()}")
        temporary.write_text(json.dumps(content))
        temporary.replace(file)

    # Settings

    def settings(self) -> dict[str, Any]:
        """Return all settings."""
        with contextlib.suppress(FileNotFoundError):
            return DEFAULTS | json.loads((self.folder / "settings.json").read_text())
        return dict(DEFAULTS)

    def configure(self, **changes: Any) -> None:
        """Change settings."""
        unknown = changes.keys() - DEFAULTS.keys()
        if unknown:
            raise KeyError(f"no such setting: {', '.join(sorted(unknown))}")
        with self.lock():
            self._write(self.folder / "settings.json", self.settings() | changes)

    def failure(self, command: str) -> dict[str, Any] | None:
        """Return what an injected failure makes a command do now, and count it."""
        if command not in self.settings()["failures"]:
            return None
        with self.lock():
            settings = self.settings()
            failure = settings["failures"].get(command)
            if failure is None:
                return None
            failure["times"] -= 1
            if failure["times"] == 0:
                del settings["failures"][command]
            self._write(self.folder / "settings.json", settings)
        return dict(failure)

    def note_call(self, command: str, arguments: list[str]) -> None:
        """Remember that a command was called."""
        line = json.dumps({"command": command, "arguments": arguments, "time": time.time()})
        with self.lock(), (self.folder / "calls").open("a") as file:
            file.write(line + "\n")

    def calls(self, command: str = "") -> list[list[str]]:
        """Return the arguments of every call of a command, or name and arguments of all calls."""
        with contextlib.suppress(FileNotFoundError):
            lines = [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]
            if command:
                return [line["arguments"] for line in lines if line["command"] == command]
            return [[line["command"], *line["arguments"]] for line in lines]
        return []

    # Jobs

    def place(self, number: int) -> Path:
        """Return a job's folder."""
        return self.folder / "jobs" / str(number)

    def add(self, job: Job, script: str, environment: dict[str, str]) -> Job:
        """Give a new job its number and write it down."""
        with self.lock():
            counter = self.folder / "counter"
            job.number = int(counter.read_text()) + 1 if counter.exists() else 1001
            counter.write_text(str(job.number))
            folder = self.place(job.number)
            folder.mkdir()
            (folder / "script").write_text(script)
            self._write(folder / "environment.json", environment)
            job.submitted = time.time()
            self._write(folder / "job.json", asdict(job))
        return job

    def environment(self, number: int) -> dict[str, str]:
        """Return the environment that was submitted with a job."""
        content: dict[str, str] = json.loads((self.place(number) / "environment.json").read_text())
        return content

    def job(self, number: int) -> Job | None:
        """Return a job; none when there was none."""
        try:
            content = json.loads((self.place(number) / "job.json").read_text())
        except FileNotFoundError:
            return None
        return Job(**{key: value for key, value in content.items() if key in NAMES})

    def update(self, number: int, **changes: Any) -> Job:
        """Change a job."""
        with self.lock():
            return self.update_locked(number, **changes)

    def update_locked(self, number: int, **changes: Any) -> Job:
        """Change a job, the lock being held."""
        job = self.job(number)
        if job is None:
            raise KeyError(number)
        for key, value in changes.items():
            setattr(job, key, value)
        self._write(self.place(number) / "job.json", asdict(job))
        return job

    def jobs(self) -> list[Job]:
        """Return all jobs ever, oldest first."""
        numbers = sorted(int(folder.name) for folder in (self.folder / "jobs").iterdir())
        return [job for job in map(self.job, numbers) if job is not None]

    def known(self, number: int) -> Job | None:
        """Return a job that the batch system remembers."""
        job = self.job(number)
        if job is None or job.gone:
            return None
        if job.state == "done" and time.time() - job.ended > self.settings()["history"]:
            return None
        return job

    def ask(self, number: int, request: str) -> None:
        """Ask a job's runner for something: kill, hold, release, suspend, resume, signal:NAME."""
        with self.lock(), (self.place(number) / "requests").open("a") as file:
            file.write(request + "\n")

    def requests(self, number: int) -> list[str]:
        """Take what a runner was asked for."""
        file = self.place(number) / "requests"
        if not file.exists():
            return []
        with self.lock():
            lines = file.read_text().splitlines()
            file.unlink()
        return lines

    def take_nodes(self, job: Job) -> list[str]:
        """Give a job its nodes if enough are up and free and no older job waits for them; lock held."""
        settings = self.settings()
        used: set[str] = set()
        for other in self.jobs():
            if other.state in {"running", "suspended", "lost"}:
                used.update(other.hosts)
            elif other.state == "queued" and other.number < job.number:
                return []
        free = [name for name in settings["nodes"] if name not in used and name not in settings["down"]]
        return free[: job.nodes] if len(free) >= job.nodes else []
