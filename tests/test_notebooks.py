"""Every notebook runs from top to bottom on a ledger."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.reader import Reader
from db.schema import upgrade
from tests.golden.kept import campaigns, dumps, expected, restored
from tests.harness import ROOT, CampaignSandbox
from tests.orchestrator.cli.analyze.test_explained import run_campaign
from tests.orchestrator.cli.analyze.test_study import BATCH, LOADING, STRONG, campaign, ran
from tests.orchestrator.cli.study_ledger import record

pytestmark = pytest.mark.slow


NOTEBOOKS = {file.stem: file for file in sorted((ROOT / "notebooks").glob("*.ipynb"))}
OF_SWEEPS = "scaling_study"
OF_THE_FOM = "fom_from_the_ledger"
OF_MANY_NODES = (
    "comparing_two_sites",
    OF_THE_FOM,
    "projecting_to_the_full_system",
    "stragglers_and_bad_nodes",
)


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


@pytest.mark.parametrize("kept", ["coral2-base", "coral2-optimized", "demo"])
def test_the_notebook_of_the_fom_states_what_the_rulebook_states(
    kept: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notebook compares each step; here it runs on every kept campaign, of which some are reportable."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("ORCHESTRATOR_LEDGER", str(restored(dumps()[kept], tmp_path)))
    cells = json.loads(NOTEBOOKS[OF_THE_FOM].read_text())["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    every = Reader.campaigns
    for name in campaigns(dumps()[kept]):
        with monkeypatch.context() as context:
            context.setattr(
                Reader, "campaigns", lambda self, name=name: [one for one in every(self) if one.name == name]
            )
            names: dict[str, Any] = {}
            exec(compile(program, OF_THE_FOM, "exec"), names)
        sys.modules["matplotlib.pyplot"].close("all")
        answer = json.loads(expected("fom", kept, name).read_bytes())
        assert names["figures"].keys() == {one["benchmark"] for one in answer["benchmarks"]}
        assert names["whole"] == pytest.approx(answer["overall"])


def test_the_notebook_of_a_study_runs_without_any_sweep(tmp_path: Path) -> None:
    """The demo has none, and its ledger is where the notebook looks first."""
    place = CampaignSandbox(tmp_path)
    place.campaign(1)
    assert place.run("launch", "toy.yaml", "--site", "site.yaml").returncode == 0
    execute(NOTEBOOKS[OF_SWEEPS], tmp_path, place.ledger)


def test_the_notebook_of_a_study_runs_on_sweeps(tmp_path: Path) -> None:
    url = str(tmp_path / "ledger.sqlite")
    record(url, tmp_path, campaign("study", STRONG, LOADING, BATCH), ran)
    execute(NOTEBOOKS[OF_SWEEPS], tmp_path, url)
