"""A ledger whose file is removed while its driver runs."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults.fault_scenario import FaultScenario
from tests.faults.test_other_faults import check

pytestmark = pytest.mark.slow


def test_a_ledger_removed_under_a_driver_is_saved_and_moved_back(tmp_path: Path) -> None:
    with FaultScenario(tmp_path) as scene:
        scene.campaign(4)
        scene.hold("train")
        scene.drive()
        scene.wait_at("train")
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
        scene.wait_said("although this driver has it open: its rows are saved as")
        [saved] = tmp_path.glob("ledger.saved-*.sqlite")
        read = scene.run("status", "toy", "--ledger", str(saved))
        assert read.returncode == 0, read.stderr
        scene.release()
        assert scene.ended() == 0, scene.said()
        assert f"ledger   sqlite:///{saved}" in scene.said()
        lost = scene.run("fom", "toy")
        assert f"they saved their rows as {saved.name}" in lost.stderr
        saved.rename(tmp_path / "ledger.sqlite")
        check(scene, 4)
        found = scene.run("fom", "toy")
        assert f"warning: toy: the ledger {tmp_path}/ledger.sqlite is gone" in found.stdout


def test_an_interrupted_campaign_goes_on_with_a_rebuilt_ledger(tmp_path: Path) -> None:
    with FaultScenario(tmp_path) as scene:
        scene.campaign(6)
        scene.hold("train")
        scene.drive()
        scene.wait_at("train")
        scene.hold("start")
        scene.release("train")  # two end, and the next two have no row that was saved
        scene.wait_at("start")
        assert len(scene.journalled()) == 2
        scene.signal(signal.SIGKILL)
        scene.ended()
        for file in tmp_path.glob("ledger.sqlite*"):
            file.unlink()
        rebuilt = scene.run("ledger", "rebuild", str(scene.directory))
        assert rebuilt.returncode == 0, rebuilt.stderr
        assert f"toy: its ledger was rebuilt from {scene.directory}" in rebuilt.stdout
        assert scene.done() == 2
        scene.release()
        scene.resume()
        assert scene.ended() == 0, scene.said()
        check(scene, 6)
        found = scene.run("fom", "toy")
        assert "warning: toy: its ledger was rebuilt" in found.stdout
        packaged = scene.run("evidence", "package", "toy", "--output", "toy.zip")
        assert packaged.returncode == 0, packaged.stderr
        verified = scene.run("evidence", "verify", "toy.zip")
        assert verified.returncode == 0, verified.stdout
