"""Secrets in a site file and missing programs are named before a campaign is launched."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import make_plan
from orchestrator.planning.plan_checks import check_environment, check_programs
from orchestrator.planning.slots import NodeFacts
from sites import Site

SPEC = CampaignFile.model_validate(
    {"campaign": "toy", "benchmarks": [{"workload": "tests.toys.behave", "instances": 1, "timeout": 60}]}
)
NODE = NodeFacts((0,), 1 << 30)


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        (["{python}", "-u", "{folder}/there.py"], ""),
        (["{python}", "-u", "{folder}/gone.py", "{folder}/output.json"], "gone.py"),
        (["{folder}/gone.sh"], "gone.sh"),
        (["{folder}/run-{seed}.sh"], ""),
        (["bash", "-c", "{folder}/gone.sh"], ""),
    ],
)
@pytest.mark.parametrize("container", [False, True])
def test_a_program_that_is_missing_is_named(
    arguments: list[str], missing: str, container: bool, tmp_path: Path
) -> None:
    (tmp_path / "there.py").touch()
    content = {
        "name": "mine", "title": "mine", "source": "me", "fom_time": "run",
        "command": {"arguments": arguments, "seconds": "run"},
    }  # fmt: skip
    (tmp_path / "mine.yaml").write_text(json.dumps(content))
    row = {"workload": str(tmp_path / "mine.yaml"), "instances": 1, "timeout": 60}
    given = {"container": {"runtime": "podman", "image": "mine:1"}} if container else {}
    spec = CampaignFile.model_validate({"campaign": "toy", "benchmarks": [row]})
    plan = make_plan(spec, Site.model_validate({"site": "test", **given}), NODE, Path("/data"))
    if missing and not container:
        with pytest.raises(CampaignError, match=f"benchmark mine: .* there is no file {tmp_path}/{missing}"):
            check_programs(plan)
    else:
        check_programs(plan)


@pytest.mark.parametrize(
    ("name", "value", "warned"),
    [
        ("HF_TOKEN", "hf_abc", True),
        ("http_proxy", "http://me:word@proxy:3128", True),
        ("HF_TOKEN", "$HF_TOKEN", False),
        ("TF_CPP_MIN_LOG_LEVEL", "1", False),
    ],
)
def test_a_secret_in_a_site_file_is_named(
    name: str, value: str, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(site="test", environment={name: value})
    with caplog.at_level(logging.WARNING):
        check_environment(make_plan(SPEC, site, NODE, Path("/data")))
    assert [value in text for text in caplog.messages] == ([False] if warned else [])
    assert all(f"environment.{name} may hold a secret" in text for text in caplog.messages)
    assert all(f"inherit: [{name}]" in text for text in caplog.messages)


def test_variables_of_pools_are_looked_at_too(caplog: pytest.LogCaptureFixture) -> None:
    site = Site.model_validate(
        {
            "site": "test",
            "address": "127.0.0.1",
            "scheduler": {"type": "slurm", "walltime": "1 h"},
            "node": {"cores": "0-1", "memory": "1 GiB"},
            "pools": {"a": {}, "b": {"environment": {"HF_TOKEN": "hf_abc", "TF_ENABLE_ONEDNN_OPTS": "0"}}},
        }
    )
    with caplog.at_level(logging.WARNING):
        check_environment(make_plan(SPEC, site, NODE, Path("/data")))
    assert "environment.HF_TOKEN may hold a secret" in caplog.text
    forbidden = site.model_dump(exclude_unset=True)
    forbidden["pools"]["b"]["environment"] = {"NVIDIA_TF32_OVERRIDE": "1"}
    with pytest.raises(CampaignError, match=r"site test: environment of pool b: .*NVIDIA_TF32_OVERRIDE"):
        check_environment(make_plan(SPEC, Site.model_validate(forbidden), NODE, Path("/data")))
