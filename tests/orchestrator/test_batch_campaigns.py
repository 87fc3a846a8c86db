"""Campaigns on LSF, PBS Pro and Torque, stood in for: pinned slots on several nodes, and whatever befalls a block."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.harness import ROOT, Place, kill, wait_for
from tests.schedulers.fixtures import missing
from tests.schedulers.machines import Machine, own_names

pytestmark = pytest.mark.slow
FAMILIES = ("lsf", "pbspro", "torque")
LAUNCHERS = {"lsf": "jsrun", "pbspro": "mpiexec", "torque": "aprun"}
STATUS = {"lsf": "bjobs", "pbspro": "qstat", "torque": "qstat"}


class BatchPlace(Place):
    """A folder with a site that is a machine of these tests."""

    def __init__(self, folder: Path, machine: Machine, **scheduler: Any) -> None:
        super().__init__(folder)
        self.machine = machine
        usable = sorted(os.sched_getaffinity(0))[:2]
        batch = {
            "type": machine.family,
            "walltime": "10 min",
            "nodes_per_block": 2,
            "poll": 1,
            "launcher": {"type": LAUNCHERS[machine.family]},
        }
        self.site(
            scheduler=batch | scheduler,
            node={"cores": ",".join(map(str, usable)), "memory": "1 GiB"},
            nodes=100,
            address="127.0.0.1",
            interface="lo",
            environment={"PYTHONPATH": str(ROOT)},
            heartbeat={"period": 1, "threshold": 6},
        )

    def accepted_once(self, instances: int) -> None:
        """Check that every instance has exactly one accepted attempt."""
        assert self.rows("SELECT count(*), count(DISTINCT instance) FROM accepted") == [
            (instances, instances)
        ]
        assert self.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(instances,)]

    def blocks(self) -> list[tuple[Any, ...]]:
        """Return state, job and message of every block."""
        return self.rows("SELECT state, job_id, message FROM blocks ORDER BY session, block")

    def active(self) -> list[str]:
        """Return the ids of jobs that hold or want nodes."""
        return [str(job.number) for job in self.machine.jobs() if job.active and not job.gone]


@pytest.fixture(scope="session")
def _named_nodes() -> None:
    missing([] if own_names() else ["virtual nodes need host names of their own, which root may give"])


@pytest.fixture(params=FAMILIES)
def machine(request: pytest.FixtureRequest, _named_nodes: None) -> Machine:
    """Each machine with a stand-in."""
    made: Machine = request.getfixturevalue(f"{request.param}_machine")
    return made


def test_slots_on_two_nodes_are_pinned(machine: Machine, tmp_path: Path) -> None:
    place = BatchPlace(tmp_path, machine)
    place.campaign(12, parameters={"seconds": 0.5})
    ended = place.launch()
    out, err = ended.communicate(timeout=120)
    assert ended.returncode == 0, out + err
    place.accepted_once(12)
    rows = place.rows("SELECT DISTINCT node, slot, cores FROM attempts ORDER BY node, slot")
    assert [(node, slot) for node, slot, _ in rows] == [
        ("node1", 0),
        ("node1", 1),
        ("node2", 0),
        ("node2", 1),
    ]
    assert len({cores for _, _, cores in rows}) == 2
    assert [state for state, _, _ in place.blocks()] == ["released"]
    wait_for(lambda: not place.active(), "the block to be gone")
