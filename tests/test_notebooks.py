"""Every notebook runs from top to bottom on a ledger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import ROOT, CampaignSandbox

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(4)
    assert place.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 0
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbmake", "-q", "-p", "no:cacheprovider", str(notebook)],
        cwd=tmp_path,
        env=os.environ | {"ORCHESTRATOR_LEDGER": place.ledger, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
