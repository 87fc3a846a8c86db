"""The run directory of a new campaign: made with its registration, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import orchestrator
from db.errors import CampaignExistsError, LedgerError
from db.ledger import Ledger
from orchestrator import LaunchOptions
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks import run_directory as module
from orchestrator.lifecycle.checks.run_directory import new_run_directory, remove_claim

ROOT = Path(__file__).parents[4]
CAMPAIGN = """
campaign: toy
benchmarks:
  - {workload: tests.toys.behave, instances: 1, timeout: 60, parameters: {folder: MARKS, seconds: 0.0}}
"""
KILLED = """
import os, signal, sys
from pathlib import Path
from db.ledger import Ledger
from orchestrator.lifecycle.checks.run_directory import new_run_directory
with new_run_directory(Path(sys.argv[1]), sys.argv[2]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_launch(directory: Path, ledger: str) -> None:
    """Leave what a launch leaves that is killed while it registers."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, directory, ledger],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "marks").mkdir()
    (tmp_path / "toy.yaml").write_text(CAMPAIGN.replace("MARKS", str(tmp_path / "marks")))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for the training's own interpreter
    return tmp_path


def test_the_rest_of_a_killed_launch_is_used_again(tmp_path: Path) -> None:
    directory, ledger = tmp_path / "runs" / "toy", f"sqlite:///{tmp_path}/l.sqlite"
    for _ in range(3):  # one after the other
        killed_launch(directory, ledger)
    with new_run_directory(directory, ledger):
        pass
    assert [one.name for one in directory.iterdir()] == ["driver.log"]


def test_the_rest_of_a_launch_into_another_ledger_is_not_used(tmp_path: Path) -> None:
    directory = tmp_path / "toy"
    killed_launch(directory, f"sqlite:///{tmp_path}/one.sqlite")
    with pytest.raises(CampaignError, match=r"made by a launch into ledger .*one.sqlite; use another --name"):
        new_run_directory(directory, f"sqlite:///{tmp_path}/two.sqlite").__enter__()


def test_a_launch_that_goes_on_keeps_its_directory(tmp_path: Path) -> None:
    directory = tmp_path / "toy"
    with new_run_directory(directory, None), pytest.raises(CampaignError, match="is being made by a launch"):
        new_run_directory(directory, None).__enter__()
    with pytest.raises(CampaignError, match="exists already, from a campaign in another ledger"):
        new_run_directory(directory, None).__enter__()


def test_of_two_launches_after_a_dead_one_only_the_first_gets_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "toy"
    killed_launch(directory, "one.sqlite")
    seen = module._claims(directory)
    with new_run_directory(directory, "one.sqlite"):
        monkeypatch.setattr(module, "_claims", lambda _: seen)  # what the second saw before the first came
        with pytest.raises(CampaignError, match="is being made by another launch"):
            new_run_directory(directory, "one.sqlite").__enter__()


def test_a_directory_that_became_a_campaigns_is_not_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "toy"
    directory.mkdir()
    answers = iter([[]])
    real = module._claims
    with new_run_directory(directory, "one.sqlite"):
        pass
    monkeypatch.setattr(module, "_claims", lambda folder: next(answers, None) or real(folder))
    with pytest.raises(CampaignError, match="exists already, from a campaign in another ledger"):
        new_run_directory(directory, "two.sqlite").__enter__()
    assert [one.name for one in directory.iterdir()] == ["driver.log"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(LedgerError), new_run_directory(tmp_path / "runs" / "toy", None):
        raise LedgerError("no")
    assert not list(tmp_path.iterdir())


def test_the_campaign_of_a_launch_that_was_killed_after_it_registered_keeps_its_directory(
    tmp_path: Path,
) -> None:
    directory, ledger = tmp_path / "toy", f"sqlite:///{tmp_path}/l.sqlite"
    killed_launch(directory, ledger)
    with pytest.raises(CampaignExistsError), new_run_directory(directory, ledger):
        raise CampaignExistsError("toy")
    assert directory.is_dir()
    remove_claim(directory)
    assert [one.name for one in directory.iterdir()] == ["driver.log"]


@pytest.mark.slow
def test_a_launch_goes_through_where_an_earlier_one_was_killed(place: Path) -> None:
    ledger = f"sqlite:///{place}/ledger.sqlite"
    killed_launch(place / "runs" / "toy", ledger)
    assert orchestrator.launch("toy.yaml", LaunchOptions(ledger=ledger)).outcome == "complete"


def test_a_name_that_is_too_long_leaves_nothing(place: Path) -> None:
    before = sorted(place.rglob("*"))
    with pytest.raises(CampaignError, match=r"name has 300 bytes, and a directory's name at most 255; give"):
        orchestrator.launch("toy.yaml", LaunchOptions(name="n" * 300))
    assert sorted(place.rglob("*")) == before


def test_a_path_that_is_too_long_leaves_nothing(place: Path) -> None:
    (place / "site.yaml").write_text(f"site: deep\npaths: {{runs: {'/'.join(['d' * 200] * 15)}}}\n")
    before = sorted(place.rglob("*"))
    with pytest.raises(CampaignError, match=r"has a path of more than 2048 bytes; write a shorter folder"):
        orchestrator.launch("toy.yaml", LaunchOptions(site="site.yaml"))
    assert sorted(place.rglob("*")) == before


def test_a_folder_above_whose_name_is_too_long_leaves_nothing(tmp_path: Path) -> None:
    directory = tmp_path / "runs" / ("d" * 300) / "toy"
    module.check_run_directory(directory)
    with pytest.raises(CampaignError, match="cannot be made: File name too long; write another folder into"):
        new_run_directory(directory, None).__enter__()
    assert not list(tmp_path.iterdir())


def test_a_campaign_that_cannot_be_registered_leaves_no_directory(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise LedgerError("the disk is full")

    monkeypatch.setattr(Ledger, "register", refuse)
    with pytest.raises(LedgerError, match="the disk is full"):
        orchestrator.launch("toy.yaml", LaunchOptions(ledger=f"sqlite:///{place}/l.sqlite"))
    assert not (place / "runs").exists()
