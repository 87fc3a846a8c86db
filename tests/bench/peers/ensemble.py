"""An ensemble as each peer gets it: numbered instances that one shell line starts, and where they are."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.node.ranks.environment import runner_request
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.protocol.order import RankResources
from tests.harness import ROOT
from tests.messages import order
from workloads.candle.data import p3b1 as p3b1_data

DEMO = parse_campaign((ROOT / "workloads" / "campaigns" / "demo.yaml").read_text(), "demo.yaml")
BENCHMARKS = {one.workload: one for one in DEMO.benchmarks}
TRAININGS = ("p3b1", "lstm")
LENGTHS = {"p3b1": {"epochs": 2}, "lstm": {"steps": 20}}  # of 1 to 5 s, where the demo's take 7
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "2",
}
INSTANCE_SCRIPT = """#!/bin/sh
# Trains instance $1 as its order says; marks and result go to reports/$1.json.
exec {python} -m workloads.run < orders/$1.json > reports/$1.json 2> reports/$1.err
"""


@dataclass(frozen=True, slots=True)
class Ensemble:
    """An ensemble in a folder.

    Parameters
    ----------
    instances
        Number of instances.
    slots
        Instances at a time, each on one core.
    folder
        Working directory.
    python
        Python of the peer's own environment.
    data
        Where the data sets are; None for instances that only report.
    workloads
        What the instances train, in equal parts.
    warm, together
        Whether the orchestrator forks its processes from warm ones, and starts the runs of a wave together.
    """

    instances: int
    slots: int
    folder: Path
    python: str = sys.executable
    data: Path | None = None
    workloads: tuple[str, ...] = TRAININGS
    warm: bool = False
    together: bool = False

    def instance(self, number: int | str) -> list[str]:
        """Return the command of an instance."""
        return ["/bin/sh", "instance.sh", str(number)]


@dataclass(frozen=True, slots=True)
class Peer:
    """A way to run an ensemble.

    Parameters
    ----------
    name
        In tables.
    files
        Returns the files that it needs, by name.
    command
        Returns the command that runs the ensemble to its end.
    environment
        Folder of its environment below ``build/peers``; empty for the project's own.
    program
        Program that must be installed, and how to install it.
    isolates
        Whether each instance has a process of its own.
    ours
        Whether it is the orchestrator.
    most
        Most instances in one run, where more would take long; None for any number.
    """

    name: str
    files: Callable[[Ensemble], Mapping[str, str]]
    command: Callable[[Ensemble], Sequence[str]]
    environment: str = ""
    program: tuple[str, str] | None = None
    isolates: bool = True
    ours: bool = False
    most: int | None = None


def make_data(folder: Path) -> Path:
    """Make the demo's data sets in a folder, once, and return it."""
    if not (folder / "p3b1").exists():
        p3b1_data.make(folder / "p3b1", DEMO.seed, **BENCHMARKS["p3b1"].data.generate)
    return folder


def workload_of(ensemble: Ensemble, number: int) -> str:
    """Return the workload of an instance: the first part trains the first one."""
    return ensemble.workloads[number * len(ensemble.workloads) // ensemble.instances]


def parameters_of(workload: str) -> dict[str, Any]:
    """Return the parameters of a workload's trainings: the demo's, with fewer steps."""
    return {**BENCHMARKS[workload].parameters, **LENGTHS[workload]}


def training_order(ensemble: Ensemble, number: int) -> dict[str, Any]:
    """Return the order of ``python -m workloads.run``, as a user would write it."""
    name = workload_of(ensemble, number)
    generated = BENCHMARKS[name].data.generate
    attempt = order(
        workload=name,
        parameters=parameters_of(name),
        seed=DEMO.seed + number,
        data=str(ensemble.data / name) if generated and ensemble.data else None,
        scratch=str(ensemble.folder / "scratch" / str(number)),
        cache=str(ensemble.folder / "cache"),
    )
    return runner_request(attempt, 0, 1, RankResources((0,)), []) | {"report_fd": 1}


def write_files(peer: Peer, ensemble: Ensemble) -> None:
    """Write what a peer needs, and the orders, into the ensemble's folder."""
    for name in ("orders", "reports"):
        (ensemble.folder / name).mkdir(parents=True)
    script = INSTANCE_SCRIPT.format(python=sys.executable)
    if ensemble.data is None:
        script = "#!/bin/sh\necho $1 > reports/$1.json\n"
    (ensemble.folder / "instance.sh").write_text(script)
    for number in range(ensemble.instances if ensemble.data is not None and not peer.ours else 0):
        text = json.dumps(training_order(ensemble, number))
        (ensemble.folder / "orders" / f"{number}.json").write_text(text)
    for name, text in peer.files(ensemble).items():
        (ensemble.folder / name).write_text(text)


def reported_runs(ensemble: Ensemble) -> list[tuple[int, int]]:
    """Return start and end of the run of each instance that reported a result, UTC microseconds."""
    found = []
    for file in (ensemble.folder / "reports").glob("*.json"):
        lines = [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")]
        marks = {line["mark"]: line["at_us"] for line in lines if "mark" in line}
        if any("result" in line for line in lines) and {"run_start", "run_stop"} <= set(marks):
            found.append((marks["run_start"], marks["run_stop"]))
    return found
