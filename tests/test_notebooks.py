"""Every notebook runs from top to bottom on a ledger."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from db.connect import parse_url
from db.ledger import Ledger
from db.schema import upgrade
from tests.harness import ROOT, CampaignSandbox
from tests.orchestrator.cli.study_ledger import record
from tests.orchestrator.cli.test_answers import run_campaign
from tests.orchestrator.cli.test_study import BATCH, LOADING, STRONG, campaign, ran

pytestmark = pytest.mark.slow


NOTEBOOKS = {file.stem: file for file in sorted((ROOT / "notebooks").glob("*.ipynb"))}
OF_SWEEPS = "scaling_study"
OF_MANY_NODES = ("comparing_two_sites", "projecting_to_the_full_system", "stragglers_and_bad_nodes")


def execute(notebook: Path, folder: Path, ledger: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbmake", "-q", "-p", "no:cacheprovider", str(notebook)],
        cwd=folder,
        env=os.environ | {"ORCHESTRATOR_LEDGER": ledger, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if name not in (*OF_MANY_NODES, OF_SWEEPS)])
def test_notebook_runs(name: str, tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(4)
    assert place.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 0
    execute(NOTEBOOKS[name], tmp_path, place.ledger)


@pytest.fixture(scope="module")
def many_nodes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a ledger with two campaigns on 120 nodes; a node of the newer one is slow."""
    folder = tmp_path_factory.mktemp("simulated")
    url = str(folder / "ledger.sqlite")
    upgrade(parse_url(url))
    with Ledger(url) as book:
        run_campaign(book, folder, "baseline", 1.0)
        run_campaign(book, folder, "newest", 1.05, bad="n7")
    return url


@pytest.mark.parametrize("name", OF_MANY_NODES)
def test_notebook_runs_on_simulated_campaigns(name: str, tmp_path: Path, many_nodes: str) -> None:
    execute(NOTEBOOKS[name], tmp_path, many_nodes)


def test_the_notebook_of_a_study_runs_on_sweeps(tmp_path: Path) -> None:
    url = str(tmp_path / "ledger.sqlite")
    record(url, tmp_path, campaign("study", STRONG, LOADING, BATCH), ran)
    execute(NOTEBOOKS[OF_SWEEPS], tmp_path, url)
