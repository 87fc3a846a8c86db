"""Secrets that a site file holds are named before a campaign is launched."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import make_plan
from orchestrator.planning.plan_checks import check_environment
from orchestrator.planning.slots import NodeFacts
from sites import Site

SPEC = CampaignFile.model_validate(
    {"campaign": "toy", "benchmarks": [{"workload": "tests.toys.behave", "instances": 1, "timeout": 60}]}
)
NODE = NodeFacts((0,), 1 << 30)


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
