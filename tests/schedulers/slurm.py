"""A real Slurm of several nodes on this machine: munge, slurmctld, and one slurmd for each node."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from string import Template
from types import TracebackType
from typing import Any

import psutil

from tests.harness import wait_for

COMMANDS = {
    "munged": "munge",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "srun": "slurm-client",
    "scontrol": "slurm-client",
}
TEMPLATE = Path(__file__).parent / "slurm.conf.template"
DAEMON_PATH = "/usr/sbin:/sbin"


class SlurmError(RuntimeError):
    """The cluster did not start, or a command of it failed."""


@dataclass(frozen=True)
class SlurmJob:
    """What `scontrol show job` says of one job."""

    id: str
    state: str
    reason: str
    exit_code: int
    signal: int
    nodes: str
    restarts: int


def search_path() -> str:
    """Return PATH with the folders of daemons."""
    return os.environ.get("PATH", os.defpath) + os.pathsep + DAEMON_PATH


def obstacles() -> list[str]:
    """Return why Slurm cannot run here; empty when it can."""
    path = search_path()
    packages = sorted({package for name, package in COMMANDS.items() if not shutil.which(name, path=path)})
    found = [f"apt-get install {' '.join(packages)}"] if packages else []
    if os.geteuid() != 0:
        found.append("slurmd runs jobs as root here, and this is not root")
    return found


def free_ports(number: int) -> list[int]:
    """Return ports that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def own_address(host: str) -> str:
    """Return the address that the host's name stands for, if one can listen there; else nothing.

    Slurm's daemons listen on that address alone, or on all. On most machines it is on the loopback interface,
    in containers often the container's own.
    """
    with contextlib.suppress(OSError), socket.socket() as probe:
        address = socket.gethostbyname(host)
        probe.bind((address, 0))
        return address
    return ""


class SlurmCluster:
    """Slurm with `nodes` virtual nodes in a private folder; every daemon is ours and ends with it.

    All nodes share one host, its cores and its host name: inside a job, `hostname` is the same on every node,
    and SLURMD_NODENAME is what tells them apart. Each claims `cpus` processors, `memory` MiB, and `gpus` fake
    graphics processors, whose device files are copies of /dev/null under other names.

    Partitions: `main` (default, no limit) and `short` (at most one minute).
    """

    def __init__(
        self,
        *,
        nodes: int = 3,
        cpus: int = 2,
        gpus: int = 2,
        memory: int = 2000,
        node_timeout: int = 8,
        kill_wait: int = 2,
    ) -> None:
        self.names = [f"node{number}" for number in range(1, nodes + 1)]
        self.cpus = cpus
        self.gpus = gpus
        self.memory = memory
        self.node_timeout = node_timeout
        self.kill_wait = kill_wait
        self.cluster = f"test{secrets.token_hex(4)}"
        self.address = ""  # the only one that daemons listen on; empty: they listen on all
        self._folder: Path | None = None
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def folder(self) -> Path:
        """The private folder, with the logs."""
        if self._folder is None:
            raise SlurmError("the cluster is not started")
        return self._folder

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs: SLURM_CONF and a PATH; lay it over os.environ."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": search_path()}

    def __enter__(self) -> SlurmCluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> SlurmCluster:
        """Start everything; return when a step ran on all nodes, or else leave nothing behind."""
        reasons = obstacles()
        if reasons:
            raise SlurmError("; ".join(reasons))
        try:
            return self._start_once()
        except SlurmError:  # another process may have taken a port that was free
            return self._start_once()

    def _start_once(self) -> SlurmCluster:
        # A socket's path must be short, so not in pytest's folders.
        self._folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        try:
            self._configure()
            self._start_munge()
            self._start_accounting()
            self._daemon("slurmctld", ["slurmctld", "-D", "-c", "-f", str(self.folder / "slurm.conf")])
            for name in self.names:
                self._start_node(name)
            self.wait_ready()
            self._try_step()
        except BaseException as error:
            message = f"Slurm did not start: {error}\n{self.log_tail()}"
            self.stop()
            if isinstance(error, (SlurmError, AssertionError, OSError, subprocess.SubprocessError)):
                raise SlurmError(message) from error
            raise
        return self

    def stop(self) -> None:
        """End all jobs and daemons that were started here, and remove the folder."""
        if self._folder is None:
            return
        for name in ("slurmctld", *self.names):
            self._end_daemon(name)
        for name in self.names:
            self._end_jobs(name)
        self._end_daemon("munged")
        folder, self._folder = self._folder, None
        shutil.rmtree(folder, ignore_errors=True)

    # Commands

    def run(self, *arguments: str, seconds: float = 300, **extra: Any) -> str:
        """Run a client command and return what it prints."""
        done = self.attempt(*arguments, seconds=seconds, **extra)
        if done.returncode:
            raise SlurmError(f"{' '.join(arguments)} exited with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def attempt(
        self, *arguments: str, seconds: float = 300, cwd: Path | None = None, text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a client command, whatever its exit code; `text` is its standard input."""
        return subprocess.run(
            arguments,
            env=os.environ | self.environment,
            cwd=cwd or self.folder,
            input=text if text is not None else "",
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    def submit(self, script: str, *options: str, cwd: Path | None = None) -> str:
        """Submit the lines of a bash script and return the job's id."""
        text = script if script.startswith("#!") else f"#!/bin/bash\n{script}\n"
        return self.run("sbatch", "--parsable", *options, cwd=cwd, text=text).strip().split(";")[0]

    def jobs(self, *states: str) -> list[SlurmJob]:
        """Return all jobs that the controller remembers, or those in one of the states."""
        found = []
        for line in self.run("scontrol", "-o", "show", "job").splitlines():
            if not line.startswith("JobId="):
                continue
            facts = dict(word.split("=", 1) for word in line.split() if "=" in word)
            code, _, number = facts["ExitCode"].partition(":")
            found.append(
                SlurmJob(
                    id=facts["JobId"],
                    state=facts["JobState"],
                    reason=facts["Reason"],
                    exit_code=int(code),
                    signal=int(number),
                    nodes=facts.get("NodeList", ""),
                    restarts=int(facts["Restarts"]),
                )
            )
        return [job for job in found if not states or job.state in states]

    def job(self, identifier: str) -> SlurmJob:
        """Return one job."""
        return next(job for job in self.jobs() if job.id == identifier)

    def wait_job(self, identifier: str, *states: str, seconds: float = 300) -> SlurmJob:
        """Wait until a job is in one of the states."""
        last: list[SlurmJob] = []

        def reached() -> SlurmJob | None:
            last[:] = [self.job(identifier)]
            return last[0] if last[0].state in states else None

        try:
            return wait_for(reached, f"job {identifier} to be {' or '.join(states)}", seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {last}") from None

    def cancel_all(self) -> None:
        """Cancel every job and wait until none runs; finished ones stay visible."""
        self.attempt("scancel", "--partition=main,short", "--quiet")
        for job in self.jobs("PENDING", "RUNNING", "SUSPENDED"):
            self.attempt("scancel", job.id)
        wait_for(lambda: not self.run("squeue", "-h").strip(), "no job in the queue")

    def expire(self, identifier: str) -> None:
        """Let a running job's time limit be over: Slurm ends it with TIMEOUT as ever, but need not wait."""
        end = (
            "scontrol",
            "update",
            f"JobId={identifier}",
            "EndTime=now",
        )  # refused in the second of the start
        wait_for(lambda: self.attempt(*end).returncode == 0, f"job {identifier} to take an end")

    # Nodes

    def node_state(self, name: str) -> str:
        """Return a node's state as sinfo names it: idle, mixed, allocated, down, drained, draining, …"""
        state = self._sinfo_state(name)
        if state in {"mixed", "allocated"} and not self.run("squeue", "-h", "-w", name).strip():
            # The controller misses changes within one second until the node changes again.
            self.run("scontrol", "update", f"NodeName={name}", f"Comment={secrets.token_hex(4)}")
            state = self._sinfo_state(name)
        return state

    def _sinfo_state(self, name: str) -> str:
        return self.run("sinfo", "-h", "-N", "-p", "main", "-n", name, "-o", "%T").strip().rstrip("*~#!%$@^-")

    def wait_node(self, name: str, *states: str, seconds: float = 300) -> str:
        """Wait until a node is in one of the states."""
        return str(
            wait_for(
                lambda: (state := self.node_state(name)) in states and state,
                f"{name} to be {' or '.join(states)}",
                seconds,
            )
        )

    def wait_ready(self, seconds: float = 120) -> None:
        """Wait until every node has registered and can take jobs."""

        def registered() -> bool:
            self._check_daemons()
            shown = self.attempt("scontrol", "-o", "show", "nodes").stdout.splitlines()
            up = [line for line in shown if "SlurmdStartTime=2" in line]
            return len(up) == len(self.names) and all(
                self.node_state(name) in {"idle", "mixed", "allocated"} for name in self.names
            )

        wait_for(registered, "all nodes to register", seconds)

    def kill_node(self, name: str) -> None:
        """Crash a node: SIGKILL to its slurmd, its step daemons and all that its jobs started there."""
        self._end_daemon(name)
        self._end_jobs(name)

    def revive_node(self, name: str) -> None:
        """Boot a node that was killed, and wait until it can take jobs."""
        if name not in self._daemons:
            self._start_node(name)
        self.wait_node(name, "idle", "mixed", "allocated")

    def fail_prolog_once(self) -> None:
        """Have the next job's prolog fail on one node, which Slurm then drains."""
        (self.folder / "fail-prolog").touch()

    def drain(self, name: str, reason: str = "test") -> None:
        """Take a node out of service; what runs there may end."""
        self.run("scontrol", "update", f"NodeName={name}", "State=DRAIN", f"Reason={reason}")

    def undrain(self, name: str) -> None:
        """Put a node back into service."""
        self.run("scontrol", "update", f"NodeName={name}", "State=RESUME")

    def reset(self) -> None:
        """Make the cluster as after its start: no jobs, none of their processes, all nodes idle."""
        for name in self.names:
            if name not in self._daemons:
                self._start_node(name)
            if self.node_state(name).startswith("drain"):
                self.undrain(name)
        self.cancel_all()
        for name in self.names:
            self.wait_node(name, "idle")
            self._end_jobs(name)

    def processes(self, name: str) -> list[psutil.Process]:
        """Return the living processes of jobs on a node, step daemons included."""
        marks = {f"SLURMD_NODENAME={name}", f"SLURM_CONF={self.folder}/slurm.conf"}
        found: dict[int, psutil.Process] = {}
        daemon = self._daemons.get(name)
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                content = Path(f"/proc/{process.pid}/environ").read_bytes().decode(errors="replace")
                if marks <= set(content.split("\0")) and (daemon is None or process.pid != daemon.pid):
                    family = [process, *process.children(recursive=True)]
                    found |= {member.pid: member for member in family}
        return list(found.values())

    # Inside

    def log_tail(self, lines: int = 15) -> str:
        """Return the last lines of what every daemon said."""
        parts = []
        for file in sorted(self.folder.glob("*.out")):
            text = file.read_text(errors="replace").splitlines()[-lines:]
            if text:
                parts.append("\n".join([f"--- {file.name}", *text]))
        return "\n".join(parts)

    def _configure(self) -> None:
        folder = self.folder
        folder.chmod(0o755)
        for name in ("state", "spool", "dev"):
            (folder / name).mkdir()
        controller, *ports = free_ports(1 + len(self.names))
        host = socket.gethostname().split(".")[0]
        self.address = own_address(host)
        gres = f" Gres=gpu:{self.gpus}" if self.gpus else ""
        nodes = [
            f"NodeName={name} NodeHostname={host} NodeAddr={self.address or '127.0.0.1'} Port={port} "
            f"CPUs={self.cpus} Sockets=1 CoresPerSocket={self.cpus} ThreadsPerCore=1 "
            f"RealMemory={self.memory}{gres} State=UNKNOWN"
            for name, port in zip(self.names, ports, strict=True)
        ]
        (folder / "slurm.conf").write_text(
            Template(TEMPLATE.read_text()).substitute(
                cluster=self.cluster,
                host=host,
                address=self.address or "127.0.0.1",
                parameters="CommunicationParameters=NoInAddrAny,NoCtldInAddrAny" if self.address else "",
                port=controller,
                folder=folder,
                node_timeout=self.node_timeout,
                kill_wait=self.kill_wait,
                memory_each=self.memory // self.cpus,
                nodes="\n".join(nodes),
            )
        )
        prolog = folder / "prolog.sh"
        prolog.write_text(f"#!/bin/bash\n! mv {folder}/fail-prolog {folder}/failed-prolog 2>/dev/null\n")
        prolog.chmod(0o755)
        # Said out loud, or slurmd looks for a mounted cgroup and refuses to start without.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        lines = ["AutoDetect=off"]
        for number in range(self.gpus):
            # Slurm takes only character devices as GPUs; where links lead is not its concern.
            (folder / "dev" / f"gpu{number}").symlink_to("/dev/null")
        if self.gpus:
            lines.append(f"Name=gpu File={folder}/dev/gpu[0-{self.gpus - 1}]")
        (folder / "gres.conf").write_text("\n".join(lines) + "\n")

    def _try_step(self) -> None:
        """Run a step on all nodes; idle ones may still not answer."""
        said = self.run("srun", "-N", str(len(self.names)), "--immediate=20", "printenv", "SLURMD_NODENAME")
        if sorted(said.split()) != sorted(self.names):
            raise SlurmError(f"a step ran on {said.split()}, not on {self.names}")

    def _start_accounting(self) -> None:
        """Start nothing: this Slurm keeps no accounts."""

    def _start_munge(self) -> None:
        folder = self.folder
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        self._daemon(
            "munged",
            [
                "munged",
                "--foreground",
                "--force",
                f"--key-file={key}",
                f"--socket={folder}/munge.socket",
                f"--pid-file={folder}/munged.pid",
                f"--log-file={folder}/munged.log",
                f"--seed-file={folder}/munge.seed",
                "--num-threads=2",
            ],
        )

    def _start_node(self, name: str) -> None:
        self._daemon(name, ["slurmd", "-D", "-N", name, "-f", str(self.folder / "slurm.conf")], node=name)

    def _daemon(self, name: str, command: list[str], node: str = "") -> None:
        """Start a daemon in the foreground, as a child that does not outlive this process."""
        environment = os.environ | self.environment | ({"SLURMD_NODENAME": node} if node else {})
        with (self.folder / f"{name}.out").open("w") as out:
            self._daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=environment,
                cwd=self.folder,
                start_new_session=True,
            )

    def _check_daemons(self) -> None:
        for name, daemon in self._daemons.items():
            if daemon.poll() is not None:
                raise SlurmError(f"{name} exited with {daemon.returncode}")

    def _end_daemon(self, name: str) -> None:
        daemon = self._daemons.pop(name, None)
        if daemon is not None:
            daemon.kill()
            daemon.wait()

    def _end_jobs(self, name: str) -> None:
        """SIGKILL every process of jobs on a node."""

        def ended() -> bool:
            alive = self.processes(name)
            for process in alive:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGKILL)
            return not alive

        wait_for(ended, f"the processes of jobs on {name} to end", 300)
