"""Background jobs in the Standard Workload Format, version 2.2: lines of 18 fields, and ``;`` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path

from tests.orchestrator.simulation.batch_queue import BackgroundJob

FIELDS = (
    "job", "submit", "wait", "run", "processors", "cpu", "memory", "requested_processors",
    "requested_seconds", "requested_memory", "status", "user", "group", "executable", "queue", "partition",
    "preceding", "think",
)  # fmt: skip
_COMPLETED, _FAILED = 1, 0
_HEADER = re.compile(r";\s*(MaxNodes|MaxProcs):\s*(\d+)")


class WorkloadFormatError(ValueError):
    """A file is not in the format: where, and why."""


def lines(jobs: Iterable[BackgroundJob], nodes: int, title: str) -> Iterator[str]:
    """Yield the lines of a file; a node counts as a processor, and what a model does not know is -1."""
    yield "; Version: 2.2"
    yield f"; Computer: {title}"
    yield f"; MaxNodes: {nodes}"
    yield f"; MaxProcs: {nodes}"
    for number, job in enumerate(jobs, 1):
        run = min(job.run_seconds, job.walltime_seconds)
        known = {
            "job": number,
            "submit": round(job.submit_seconds),
            "run": round(run),
            "processors": job.nodes,
            "requested_processors": job.nodes,
            "requested_seconds": round(job.walltime_seconds),
            "status": _COMPLETED if run < job.walltime_seconds else _FAILED,
            "user": job.user.removeprefix("user"),
        }
        yield " ".join(str(known.get(field, -1)) for field in FIELDS)


def read(file: Path, nodes: int | None = None) -> tuple[int, list[BackgroundJob]]:
    """Return the number of nodes and the jobs of a file in the order of their submission.

    Jobs that never ran are left out. A job without a requested time asked for the time that it ran.

    Parameters
    ----------
    nodes
        Nodes of the machine where the header does not say it.

    Raises
    ------
    WorkloadFormatError
        If a line has other fields, or the size of the machine is not known.
    """
    header: dict[str, int] = {}
    rows: list[tuple[int, dict[str, float]]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if line.lstrip().startswith(";"):
            header |= {name: int(value) for name, value in _HEADER.findall(line)}
        elif line.strip():
            rows.append((number, _row(line, f"{file}:{number}")))
    nodes = nodes or header.get("MaxNodes") or header.get("MaxProcs")
    if not nodes:
        raise WorkloadFormatError(f"{file}: no header says MaxNodes or MaxProcs: pass the number of nodes")
    processors_per_node = max(1, header.get("MaxProcs", nodes) // nodes)
    jobs = []
    for number, row in rows:
        processors = row["processors"] if row["processors"] > 0 else row["requested_processors"]
        if row["run"] <= 0 or processors <= 0:
            continue
        size = -int(-processors // processors_per_node)
        if size > nodes:
            raise WorkloadFormatError(
                f"{file}:{number}: a job on {size} nodes, and the machine has {nodes}: correct MaxNodes"
            )
        walltime = row["requested_seconds"] if row["requested_seconds"] > 0 else row["run"]
        jobs.append(BackgroundJob(row["submit"], size, row["run"], walltime, f"user{row['user']:.0f}"))
    return nodes, sorted(jobs, key=attrgetter("submit_seconds"))


def _row(line: str, place: str) -> dict[str, float]:
    words = line.split()
    if len(words) != len(FIELDS):
        raise WorkloadFormatError(f"{place}: {len(words)} fields, and the format has {len(FIELDS)}")
    try:
        return dict(zip(FIELDS, map(float, words), strict=True))
    except ValueError:
        raise WorkloadFormatError(f"{place}: a field is no number") from None
