"""The network between a driver and its blocks is cut for longer than heartbeats may be silent, and heals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
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
INSTANCES = 3  # on four slots
THRESHOLD = 4


@pytest.fixture
def networks() -> Iterator[list[SeverableNetwork]]:
    """Two networks of the driver's, each with a namespace for workers at its other end."""
    with severable_network(0) as one, severable_network(1) as other:
        yield [one, other]


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


def trainings(place: SlurmSandbox) -> list[psutil.Process]:
    return place.processes("workloads.run")


def test_a_cut_network_costs_no_result_and_runs_nothing_twice_at_once(
    slurm: SlurmCluster, tmp_path: Path, networks: list[SeverableNetwork], matrix: Matrix
) -> None:
    matrix.begin("network cut", TRAIN)
    entering = (
        f"net={networks[1].namespace}; "
        f"if [ $SLURMD_NODENAME = node1 ]; then net={networks[0].namespace}; fi; "
        'exec nsenter --net=$net "$@"'
    )
    launcher = {"type": "srun", "options": ["sh", "-c", entering, "sh"]}
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=2, launcher=launcher)
    site = json.loads((tmp_path / "site.yaml").read_text())
    heartbeat = {"period": 1, "threshold": THRESHOLD, "stall_timeout": 30}
    place.site(**{**site, "address": networks[1].address, "heartbeat": heartbeat})
    retries = {"benchmark": 0, "infrastructure": 9}
    place.campaign(INSTANCES, parameters={"seconds": 6.0}, grace_period=6, retries=retries)
    driver = place.launch()
    wait_for(lambda: len(trainings(place)) == INSTANCES, "all trainings")
    on_first = [one for one in trainings(place) if one.environ()["SLURMD_NODENAME"] == "node1"]
    # The other block has a free slot, and would start at once what the driver takes for lost.
    cut, cut_off = networks[0], on_first
    if len(on_first) == 1:
        cut, cut_off = networks[1], [one for one in trainings(place) if one not in on_first]
    cut.cut()
    for one in cut_off:
        one.suspend()  # so that it cannot finish before both sides have noticed the cut
    wait_for(lambda: not any(one.is_running() for one in cut_off), "the end of what was cut off")
    cut.heal()
    out, err = driver.communicate(timeout=600)
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
