"""Rules about what trainings measured of their own work and of their nodes."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.rulebooks import common_rules, work_rules
from orchestrator.rulebooks.measured_work import MeasuredWork, NodeDifferences, StepCount
from orchestrator.rulebooks.measurements import Measurements
from tests.orchestrator.rulebooks.measured import measured


def found(**work: Any) -> Measurements:
    return measured("p1b1", [(0, 10, 0.9)] * 4, work=MeasuredWork(**work))


def count(steps: int | None, expected: int | None = 2700, epochs: int | None = 100, **more: Any) -> StepCount:
    return StepCount(instances=4, epochs_run=epochs, optimizer_steps=steps, expected=expected, **more)


EPOCHS = {"expects_steps": True, "in_epochs": True}


@pytest.mark.parametrize(
    ("work", "passed", "reason"),
    [
        ({}, None, "states no optimizer steps"),
        (EPOCHS | {"steps": None}, None, "not recorded"),
        (EPOCHS | {"steps": ()}, None, "no accepted instance"),
        (EPOCHS | {"steps": (count(2700),)}, True, "took the 2,700 optimizer steps expected"),
        (EPOCHS | {"steps": (count(2700), count(27, 27, 1))}, True, "took the 27 to 2,700 optimizer steps"),
        (EPOCHS | {"steps": (count(2699),)}, False, "such as 2,699 in 100 epochs; expected are 2,700"),
        (EPOCHS | {"steps": (count(2701),)}, False, "4 accepted instances took other optimizer steps"),
        (EPOCHS | {"steps": (count(2700), count(1))}, False, "such as 1 in 100 epochs"),
        (EPOCHS | {"steps": (count(2700, None),)}, False, "expected are unknown"),
        (EPOCHS | {"steps": (count(2700, epochs=None),)}, False, "did not report epochs_run"),
        (EPOCHS | {"steps": (count(None),)}, False, "did not report optimizer_steps"),
        (EPOCHS | {"steps": (count(2690, may_skip=10),)}, True, "2,690"),
        (EPOCHS | {"steps": (count(2689, may_skip=10),)}, False, "2,689"),
        (EPOCHS | {"steps": (count(2701, may_skip=10),)}, False, "2,701"),
        (EPOCHS | {"steps": (count(2700),), "steps_unrecorded": 2}, None, "2 accepted instances are older"),
        ({"expects_steps": True, "steps": (count(101, 101, None),)}, True, "101"),
    ],
)
def test_steps_are_those_expected(work: dict[str, Any], passed: bool | None, reason: str) -> None:
    rule = work_rules.steps(found(**work))
    assert rule.passed is passed
    assert reason in rule.reason


def test_a_resumed_instance_counts_only_part_of_its_steps() -> None:
    work = MeasuredWork(**EPOCHS, steps=(count(27),))
    rule = work_rules.steps(measured("p1b1", [(0, 10, 0.9)], work=work, times__resumed=True))
    assert (rule.passed, "since a checkpoint" in rule.reason) == (None, True)


@pytest.mark.parametrize(
    ("asked", "passed", "reason"),
    [
        (None, None, "not recorded"),
        ({("float32", "float32"): 4}, True, "measured as asked: float32"),
        (
            {("float32", "mixed_bfloat16"): 1, ("float32", "float32"): 3},
            False,
            "1 accepted instance computed",
        ),
    ],
)
def test_precision_is_measured_as_asked(asked: Any, passed: bool | None, reason: str) -> None:
    rule = work_rules.measured_precision(found(precisions_asked=asked))
    assert rule.passed is passed
    assert reason in rule.reason


def nodes(**facts: Any) -> dict[str, Any]:
    return {"nodes": NodeDifferences(described=8, **facts)}


@pytest.mark.parametrize(
    ("work", "decisive", "passed", "reason"),
    [
        ({}, True, None, "not recorded"),
        (nodes(), True, True, "8 nodes described; all alike"),
        (nodes(undescribed=2), True, None, "8 nodes described, 2 not"),
        (nodes(differing={"cpu.model": ("n3",)}), True, False, "other than most: cpu.model: n3"),
        (nodes(differing={"gpu.nvidia_driver": ("n3",)}), True, False, "gpu.nvidia_driver: n3"),
        (nodes(differing={"packages.sha256": ("n3",)}), True, False, "packages.sha256: n3"),
        (nodes(differing={"gpu.models": ("n3",)}), True, True, "alike but for gpu.models: n3"),
        (nodes(differing={"cpu.governor": ("n3",)}), True, True, "alike but for cpu.governor: n3"),
        (nodes(differing={"cpu.model": ("n3",)}), False, None, "cpu.model: n3"),
        (
            nodes(differing={"cpu.model": tuple(f"n{k}" for k in range(1, 8))}),
            True,
            False,
            "n1, n2, n3, n4, n5 and 2 more",
        ),
    ],
)
def test_nodes_are_alike(work: dict[str, Any], decisive: bool, passed: bool | None, reason: str) -> None:
    rule = work_rules.nodes(found(**work), decisive=decisive)
    assert rule.passed is passed
    assert reason in rule.reason


@pytest.mark.parametrize("decisive", [True, False])
def test_installed_files_that_differ_are_declared(decisive: bool) -> None:
    differing = {"installed.keras/RECORD": ("n3 (session 2)",), "cpu.governor": ("n4",)}
    rule = work_rules.nodes(found(**nodes(differing=differing)), decisive=decisive)
    assert rule.passed is (True if decisive else None)
    assert rule.declared == ("keras/RECORD differs between nodes or sessions: n3 (session 2)",)


def test_two_kinds_of_gpus_in_one_machine_are_declared() -> None:
    rule = work_rules.nodes(found(**nodes(differing={"gpu.models": ("n3", "n4")})), decisive=True)
    assert rule.passed is True
    assert rule.declared == ("gpu.models differs between nodes or sessions: n3, n4",)
    driver = {"gpu.models": ("n3",), "gpu.nvidia_driver": ("n3",)}
    assert work_rules.nodes(found(**nodes(differing=driver)), decisive=True).passed is False


@pytest.mark.parametrize(
    ("work", "passed", "reason"),
    [
        ({}, True, "every slot as assigned"),
        ({"foreign_cpu_percent": 5}, True, "every slot as assigned"),
        ({"foreign_cpu_percent": 6}, False, "up to 6 % of the time of an instance's cores, allowed are 5 %"),
        ({"profiled": 2}, False, "the kernels of 2 accepted instances were recorded, which takes time"),
        (
            {"foreign_cpu_unknown": {"/proc/stat: No such file": 4}},
            True,
            "load by other processes is unknown for 4 instances: /proc/stat: No such file",
        ),
    ],
)
def test_slots_are_free_of_other_load(work: dict[str, Any], passed: bool, reason: str) -> None:
    rule = common_rules.slots(found(**work))
    assert rule.passed is passed
    assert reason in rule.reason
