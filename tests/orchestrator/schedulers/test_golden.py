"""The submit scripts of shipped sites are the reviewed ones, to the letter."""

from __future__ import annotations

import subprocess

import pytest

import sites
from tests.orchestrator.schedulers.regenerate import FOLDER, scripts

RENDERED = dict(scripts())


def test_every_site_has_a_script_for_every_shape_of_the_suite() -> None:
    wanted = {
        f"{name}-{pool}-{shape}.sh".replace("--", "-")
        for name in sites.names()
        for pool, site in sites.load(name)[0].pooled().items()
        for shape in ("throughput", "resnet50")
        if not site.local
    }
    assert set(RENDERED) == wanted
    assert {file.name for file in FOLDER.iterdir()} == wanted


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_a_script_is_the_reviewed_one(name: str) -> None:
    """If the change is meant: python -m tests.orchestrator.schedulers.regenerate, and read the difference."""
    assert RENDERED[name] == (FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_a_script_is_bash(name: str) -> None:
    checked = subprocess.run(["bash", "-n", str(FOLDER / name)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
