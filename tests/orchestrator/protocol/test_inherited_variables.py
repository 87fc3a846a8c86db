from __future__ import annotations

import re
from pathlib import Path

import pytest

import sites
from orchestrator.protocol.inherited_variables import ALL, INHERITED, inherited
from orchestrator.rulebooks.switches import switches

README = (Path(sites.__file__).parent / "README.md").read_text()


@pytest.mark.parametrize(
    "name", ["PATH", "LC_ALL", "CUDA_HOME", "SLURM_JOB_ID", "ORCHESTRATOR_SLOT", "PYTHONPATH"]
)
def test_what_a_training_needs_is_inherited(name: str) -> None:
    assert inherited(())(name)


@pytest.mark.parametrize("name", ["EDITOR", "http_proxy", "KERAS_HOME", "TF_XLA_FLAGS", "XPATH", "PATHS"])
def test_all_else_is_inherited_where_the_site_says_so(name: str) -> None:
    assert not inherited(())(name)
    assert inherited((ALL,))(name)
    assert inherited((f"{name[:3]}*",))(name)


def test_no_switch_is_inherited_by_default() -> None:
    assert [one.name for one in switches() if inherited(())(one.name)] == []


def test_the_page_lists_what_is_inherited() -> None:
    [listed] = re.findall(r"^Trainings inherit(.*?)\.\n", README, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([^`]+)`", listed) == list(INHERITED)
