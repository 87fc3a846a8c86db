"""Commands of PSI/J: ``EXECUTOR submit SCRIPT``, ``status ID...``, ``find NAME`` and ``cancel ID``.

Runs in an environment of its own that has psij-python, and imports nothing else of this project: psij-python
pins a psutil that is older than this project's.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

PREFIX = "#PSIJ"
_SECONDS = 100.0


def submit(psij: Any, executor: Any, script: Path) -> None:
    """Submit a script with what its directives say, note its name, and print the job's id."""
    lines = script.read_text(encoding="utf-8").splitlines()
    words = [word for line in lines if line.startswith(PREFIX) for word in shlex.split(line[len(PREFIX) :])]
    options = _options(words)
    job = psij.Job(
        psij.JobSpec(
            executable="/bin/bash",
            arguments=[str(script.absolute())],
            directory=Path.cwd(),
            name=options.name,
            stdout_path=options.output,
            stderr_path=options.output,
            launcher="single",
            resources=psij.ResourceSpecV1(
                node_count=options.nodes, processes_per_node=1, exclusive_node_use=True
            ),
            attributes=psij.JobAttributes(
                duration=timedelta(seconds=options.duration),
                queue_name=options.queue,
                account=options.account,
                custom_attributes=dict(one.split("=", 1) for one in options.attribute) or None,
            ),
        )
    )
    executor.submit(job)
    with _names(executor).open("a", encoding="utf-8") as file:
        file.write(json.dumps([options.name, job.native_id]) + "\n")
    print(json.dumps({"submitted": job.native_id}))


def status(executor: Any, ids: Sequence[str]) -> None:
    """Print state and message of jobs; those that the scheduler does not list have none.

    PSI/J's own polling thread is not used: it takes a scheduler that does not answer for failed jobs.
    """
    ended = _run(executor.get_status_command(list(ids)))
    known = executor.parse_status_output(ended.returncode, ended.stdout + ended.stderr)
    jobs = {job: [one.state.name, one.message or ""] for job, one in known.items() if job in ids}
    print(json.dumps({"jobs": jobs | {job: None for job in ids if job not in jobs}}))


def find(executor: Any, name: str) -> None:
    """Print the ids of jobs of a name that the scheduler still lists; PSI/J cannot ask for names."""
    ended = _run(executor.get_list_command())
    if ended.returncode:
        sys.exit(f"the scheduler does not list jobs: {ended.stderr.strip()}")
    listed = set(executor.parse_list_output(ended.stdout))
    file = _names(executor)
    noted = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    found = [job for named, job in map(json.loads, noted) if named == name and job in listed]
    print(json.dumps({"found": found}))


def cancel(executor: Any, job: str) -> None:
    """End a job."""
    ended = _run(executor.get_cancel_command(job))
    if ended.returncode:
        sys.exit((ended.stderr or ended.stdout).strip() or f"exit code {ended.returncode}")


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=PREFIX, allow_abbrev=False)
    parser.add_argument("--name", required=True)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--duration", type=int, required=True, help="seconds")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--account")
    parser.add_argument("--queue")
    parser.add_argument("--attribute", action="append", default=[], help="KEY=VALUE, a custom attribute")
    return parser.parse_args(words)


def _names(executor: Any) -> Path:
    return Path(executor.work_directory) / "names.jsonl"


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)


def _executor(psij: Any, name: str) -> Any:
    try:
        executor = psij.JobExecutor.get_instance(name)
    except ValueError as error:
        sys.exit(f"PSI/J has no executor {name!r}: {error}")
    if not hasattr(executor, "get_status_command"):
        sys.exit(f"PSI/J's executor {name} runs no commands of a batch system")
    return executor


def main(arguments: Sequence[str]) -> None:
    """Run one command."""
    name, command, *rest = arguments
    try:
        psij: Any = importlib.import_module("psij")
    except ImportError:
        sys.exit(
            f"{sys.executable} has no psij-python; name one that has as scheduler.python of the site file"
        )
    executor = _executor(psij, name)
    if command == "submit":
        submit(psij, executor, Path(rest[0]))
    elif command == "status":
        status(executor, rest)
    elif command == "find":
        find(executor, rest[0])
    else:
        cancel(executor, rest[0])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Exception, subprocess.TimeoutExpired) as error:  # noqa: BLE001  of whatever executor
        sys.exit(f"{type(error).__name__}: {' '.join(str(error).split())}")
    sys.stdout.flush()
    os._exit(0)  # PSI/J's threads wait for jobs
