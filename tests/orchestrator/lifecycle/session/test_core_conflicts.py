"""Two campaigns on the same cores of one machine: it is told, and kept for the verdict."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from db.events import EventKind
from db.ledger import Ledger
from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK
from orchestrator.lifecycle.session.core_conflicts import DIRECTORY_MARK, CoreConflicts
from tests.db import rows
from tests.harness import CampaignSandbox, wait_for


@pytest.mark.slow
def test_a_neighbour_is_told_once_by_its_name_and_kept(tmp_path: Path) -> None:
    places = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        places.append(CampaignSandbox(tmp_path / name))
    one, two = places
    one.campaign(6, parameters={"seconds": 10.0})
    first = one.launch()
    wait_for(lambda: one.processes("workloads.run"), "a training of the first", 300)
    two.campaign(2)
    second = two.run("launch", "toy.yaml", "--site", "site.yaml")
    assert second.returncode == 0, second.stderr
    told = f"another campaign, toy in {tmp_path}/one/runs/toy, runs on the same cores of this machine"
    assert second.stdout.count(told) == 1
    kept = two.rows("SELECT message FROM events WHERE kind = 'cores_shared'")
    assert sum(detail.startswith(told) for (detail,) in kept) == 1  # there may be further ones
    out, err = first.communicate(timeout=600)
    assert first.returncode == 0, out + err


@pytest.mark.parametrize(
    ("case", "marks", "name"),
    [
        (0, {CAMPAIGN_MARK: "uid-friday", DIRECTORY_MARK: "/elsewhere/runs/other"}, "friday of this ledger"),
        (
            1,
            {CAMPAIGN_MARK: "f" * 32, DIRECTORY_MARK: "/elsewhere/runs/other"},
            "other in /elsewhere/runs/other",
        ),
        (2, {CAMPAIGN_MARK: "f" * 32}, "ffffffff by its mark"),
    ],
)
def test_a_neighbour_has_the_best_name_that_is_known(
    case: int, marks: dict[str, str], name: str, sqlite_url: str, info_log: pytest.LogCaptureFixture
) -> None:
    core = 10**6 + os.getpid() * 4 + case  # one that no other campaign or test of this machine names
    neighbour = subprocess.Popen(["sleep", "600"], env=os.environ | marks | {CORES_MARK: str(core)})
    try:
        with Ledger(sqlite_url) as ledger:
            rows.register(ledger, "friday")
            rows.register(ledger, "toy")
            row = ledger.campaign("toy")
            conflicts = CoreConflicts(ledger, row, [core])
            for _ in range(2):
                conflicts.check()
            end(neighbour)
            for _ in range(2):
                conflicts.check()
            came, left = ledger.events(row.campaign_id, kinds=[EventKind.CORES_SHARED, EventKind.CORES_FREE])
    finally:
        end(neighbour)
    message = f"another campaign, {name}, runs on the same cores of this machine; both will be slower"
    assert info_log.messages[0] == came.message == message
    assert "has left the cores" in str(left.message)
    assert came.data is not None
    assert left.data is not None
    assert came.data["campaign"] == left.data["campaign"] == marks[CAMPAIGN_MARK]
    assert came.data["since_us"] < came.at_us <= left.data["until_us"] <= left.at_us


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
