"""The network between a driver and its blocks is cut for longer than heartbeats may be silent, and heals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from db.events import EventKind
from orchestrator.rundir.packed_reader import lines
from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.faults.kill_matrix_cells import TRAIN
from tests.faults.matrix import Matrix
from tests.faults.severed_network import SeverableNetwork, severable_network
from tests.harness import wait_for
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
INSTANCES = 4
THRESHOLD = 4


@pytest.fixture
def network() -> Iterator[SeverableNetwork]:
    with severable_network() as made:
        yield made


def runs(directory: Path) -> dict[str, list[tuple[int, int]]]:
    """Return when processes of each instance ran, from the journals, in order."""
    begun: dict[str, tuple[str, int]] = {}
    found: dict[str, list[tuple[int, int]]] = {}
    for _, _, report in lines(directory / "journals"):
        assert report is not None
        if report.process_start_us is not None:
            begun[report.token] = (report.label, report.process_start_us)
        if report.state.final and report.process_stop_us is not None:
            label, start = begun.pop(report.token)
            found.setdefault(label, []).append((start, report.process_stop_us))
    assert begun == {}  # every attempt that began told its end, whichever side of the cut it was on
    return {label: sorted(times) for label, times in found.items()}


def test_a_cut_network_costs_no_result_and_runs_nothing_twice_at_once(
    slurm: SlurmCluster, tmp_path: Path, network: SeverableNetwork, matrix: Matrix
) -> None:
    matrix.begin("network cut", TRAIN)
    place = SlurmSandbox(tmp_path, nodes_per_block=1, launcher={"type": "srun", "options": network.entering})
    site = json.loads((tmp_path / "site.yaml").read_text())
    heartbeat = {"period": 1, "threshold": THRESHOLD, "stall_timeout": 30}
    place.site(**{**site, "address": network.address, "heartbeat": heartbeat})
    # Long enough that what runs at the cut still runs when both sides have noticed it.
    place.campaign(INSTANCES, parameters={"seconds": 8.0}, retries={"benchmark": 0, "infrastructure": 9})
    driver = place.launch()
    first = wait_for(lambda: (there := place.processes("workloads.run")) and len(there) == 2 and there, "two")
    network.cut()
    wait_for(lambda: not any(one.is_running() for one in first), "the end of what was cut off")
    network.heal()
    out, err = driver.communicate(timeout=200)
    assert driver.returncode == 0, out + err
    place.accepted_once(INSTANCES)
    assert place.rows("SELECT count(*) FROM attempts WHERE state = 'lost'") >= [(2,)]
    happened = runs(tmp_path / "runs" / "toy")
    assert len(happened) == INSTANCES
    for label, times in happened.items():
        for (_, stop), (start, _) in pairwise(times):
            assert stop <= start, f"{label} ran twice at once: {times}"
    assert sum(len(times) > 1 for times in happened.values()) == 2
    kinds = {kind for (kind,) in place.rows("SELECT DISTINCT kind FROM events")}
    assert EventKind.ENGINE_FAILED not in kinds
    assert place.run("ledger", "verify", "toy").returncode == 0
    wait_for(lambda: not active(slurm), "the blocks to be gone")
    matrix.passed("network cut", TRAIN)
