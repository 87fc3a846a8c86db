"""A campaign runs in a folder of any name, and beside files of any name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.campaigns.test_batch import FAMILIES, BatchSandbox
from tests.campaigns.test_slurm import SlurmSandbox
from tests.forked_commands import NEW
from tests.harness import CampaignSandbox, wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow


def done(place: CampaignSandbox) -> None:
    """Launch the campaign of a place, and see that each instance ended well."""
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml", seconds=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert {row[0] for row in place.rows("SELECT state FROM instances")} == {"done"}


@pytest.mark.parametrize("name", ["two words", "it's {odd} $HOME; #1"])
def test_the_path_of_the_launch_folder_may_have_any_characters(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    place = CampaignSandbox(tmp_path / name, program=NEW)
    place.campaign(4)
    done(place)


@pytest.mark.parametrize("processes", ["fresh", "warm"])
def test_files_named_as_modules_of_python_are_not_imported(tmp_path: Path, processes: str) -> None:
    place = CampaignSandbox(tmp_path, program=NEW)
    for name in ("random", "types", "json", "multiprocessing"):
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('this {name}.py is not for import')\n")
    place.campaign(4, processes=processes)
    done(place)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.usefixtures("named_nodes")
def test_batch_systems_take_it_too(family: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    machine: Machine = request.getfixturevalue(f"{family}_machine")
    (tmp_path / "it's two words").mkdir()
    place = BatchSandbox(tmp_path / "it's two words", machine, node_teardown=["true"])
    # LSF kills a block at once, and the driver would wait for the end of its teardown for a minute.
    place.site(**json.loads((place.folder / "site.yaml").read_text()) | {"hook_timeout": 5})
    place.campaign(4)
    done(place)


def test_slurm_takes_it_too_also_for_the_driver(slurm: SlurmCluster, tmp_path: Path) -> None:
    (tmp_path / "it's 100% two").mkdir()
    place = SlurmSandbox(tmp_path / "it's 100% two", prologue=["true"], node_teardown=["true"])
    place.campaign(4)
    done(place)
    started = place.run("launch", "toy.yaml", "--name", "again", "--site", "site.yaml", "--as-job", "--json")
    assert started.returncode == 0, started.stderr
    ended = "SELECT count(*) FROM instances WHERE state = 'done'"
    wait_for(lambda: place.rows(ended) == [(8,)], "the campaign of the driver's job", 120)
