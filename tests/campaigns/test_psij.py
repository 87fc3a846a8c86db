"""A campaign whose blocks PSI/J submits, to a real Slurm; needs a Python that has psij-python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.harness import kill, wait_for
from tests.requirements import needs_variable
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow


def test_blocks_are_submitted_found_and_cancelled_through_psij(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = needs_variable("PSIJ_PYTHON", "Python of an environment of its own that has psij-python")
    monkeypatch.setenv("HOME", str(tmp_path))
    place = SlurmSandbox(
        tmp_path,
        type="psij",
        executor="slurm",
        python=python,
        launcher={"type": "srun"},
        extra_directives=[],
        attributes={"slurm.gres": "gpu:2"},
    )
    place.campaign(12, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "the first results")
    (job,) = active(slurm)
    kill(driver)
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert f"cancelled 1 blocks that an earlier driver left behind: {job}" in resumed.stdout
    place.accepted_once(12)
    assert len({node for (node,) in place.rows("SELECT node FROM accepted")}) == 2
    wait_for(lambda: not active(slurm), "the blocks to be gone")
