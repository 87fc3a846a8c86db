"""Profiles and timelines: what a campaign file may ask for."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import parse_campaign


def benchmark(profile: str, workload: str = "p1b1") -> Any:
    [found] = parse_campaign(
        "campaign: c\nbenchmarks:\n"
        f"  - {{workload: {workload}, instances: 1, profile: {profile}, timeout: 1 h}}\n",
        "file",
    ).benchmarks
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", (0.0, 5.0)),
        ("{delay: 2 min}", (120.0, 5.0)),
        ("{delay: 0 s}", (0.0, 5.0)),
        ("{delay: 0, duration: 2}", (0.0, 2.0)),
        ("{delay: 1 min, duration: 30 s}", (60.0, 30.0)),
    ],
)
def test_a_profile_has_a_delay_and_a_duration(text: str, expected: tuple[float, float]) -> None:
    profile = benchmark(text).profile
    assert (profile.delay, profile.duration) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("true", "framework"), ("nsys", "nsys"), ("{delay: 3 s, profiler: nsys}", "nsys")]
)
def test_a_profile_is_the_framework_s_or_that_of_nsys(text: str, expected: str) -> None:
    assert benchmark(text).profile.profiler == expected


@pytest.mark.parametrize("text", ["false", "null"])
def test_a_profile_may_be_switched_off(text: str) -> None:
    assert benchmark(text).profile is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "torch",
            "profile: must be true, false, nsys, or such as {delay: 2 min, duration: 5 s}, not 'torch'",
        ),
        ("3", "profile: must be true, false, nsys, or such as"),
        ("{duration: 0 s}", "duration"),
        ("{duration: 1 h}", "duration"),
        ("{delya: 3 s}", "delya"),
        ("{delay: -1 s}", "delay"),
        ("{delay: 1.0e+30}", "delay"),
        ("{delay: false}", "delay"),
        ("{profiler: perf}", "profiler"),
        ("{delay: 1 h}", "profile.delay is not shorter than timeout"),
    ],
)
def test_other_profiles_are_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(CampaignError, match=message):
        benchmark(text)


def test_the_process_of_a_command_is_not_profiled() -> None:
    with pytest.raises(CampaignError, match="is a command, whose process a profile does not reach"):
        benchmark("true", "workloads/mlperf_hpc/deepcam.yaml")
