"""What becomes of measurements in a report, and which logs are kept."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from db.states import AttemptState
from orchestrator.node.agents.remote import RemoteRank, first_to_fail
from orchestrator.node.attempt.report import AttemptFacts, AttemptLogs, final_report, running_report
from orchestrator.node.sampling.foreign_load import ForeignLoad
from orchestrator.protocol.order import AttemptOrder, RankResources
from orchestrator.protocol.report import Observed, TrainingError, TrainingResult
from tests.messages import order, slot_order


def ordered(folder: Path, logs: str = "failures", **changes: Any) -> AttemptOrder:
    """Return an order whose logs are in a folder, with something in them."""
    made = order(logs=logs, stdout_path=str(folder / "o"), stderr_path=str(folder / "e"), **changes)
    Path(made.stdout_path).write_text("out")
    Path(made.stderr_path).write_text("x" * 5000 + "\0end")
    return made


def rank(number: int = 0, exit_code: int | None = 0, **changes: Any) -> Any:
    facts: dict[str, Any] = {
        "marks": {"ready": 10 + number, "run_start": 20 + number},
        "result": TrainingResult(fom_seconds=1.0 + number),
        "error": None,
        "cpu_seconds": 2.0,
        "peak_bytes": 100,
        "arrivals": {"ready": 11 + number, "run_start": 21 + number, "run_stop": 31 + number},
        "mark_cpu_seconds": {"run_start": 0.5, "run_stop": 1.25},
    }
    return SimpleNamespace(number=number, exit_code=exit_code, **facts | changes)


@pytest.mark.parametrize(
    ("policy", "succeeded", "kept"),
    [("all", True, 2), ("all", False, 2), ("none", False, 0), ("failures", True, 0), ("failures", False, 2)],
)
def test_the_campaigns_policy_decides_which_logs_stay(
    tmp_path: Path, policy: str, succeeded: bool, kept: int
) -> None:
    logs = AttemptLogs(ordered(tmp_path, policy))
    paths = logs.kept(succeeded=succeeded)
    logs.remove_others(paths)
    assert len(list(tmp_path.iterdir())) == kept == sum(path is not None for path in paths)


def test_the_tail_is_the_end_of_standard_error_without_null_bytes(tmp_path: Path) -> None:
    logs = AttemptLogs(ordered(tmp_path))
    assert logs.tail() == "x" * (4096 - 4) + "end"
    logs.remove_others(())
    assert logs.tail() is None


def test_a_success_has_its_measurements_and_no_tail(tmp_path: Path) -> None:
    slot = slot_order(ordered(tmp_path, ranks_per_node=2), places=(RankResources((0,)), RankResources((1,))))
    ranks = [rank(0), rank(1)]
    facts = AttemptFacts(
        [["g0"], ["g1"]], process_start_us=5, ranks=ranks, peak_bytes=70, barrier_seconds=1.5
    )
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert (report.state, report.failure_category, report.stderr_tail) == (AttemptState.SUCCEEDED, None, None)
    assert (report.cores, report.devices) == ((0, 1), ("g0", "g1"))
    assert (report.process_start_us, report.ready_us, report.run_start_us) == (5, 11, 20)
    assert (report.process_stop_us, report.at_us, report.barrier_seconds) == (99, 99, 1.5)
    assert (report.cpu_seconds, report.peak_memory_bytes, report.exit_code) == (4.0, 100, 0)
    assert (report.run_start_arrived_us, report.run_stop_arrived_us) == (21, 32)
    assert (report.run_start_cpu_seconds, report.run_stop_cpu_seconds) == (1.0, 2.5)
    assert (report.timed_window_stop_arrived_us, report.timed_window_stop_cpu_seconds) == (None, None)
    assert report.result is not None
    assert report.result.fom_seconds == 2.0


@pytest.mark.parametrize(
    ("load", "kept"),
    [
        (ForeignLoad(12.3, 100.0), {"foreign_cpu_percent": 13}),
        (ForeignLoad(unknown="no /proc/stat"), {"foreign_cpu_unknown": "no /proc/stat"}),
        (None, {}),
    ],
)
def test_load_by_other_processes_is_as_the_supervisor_measured_it(
    load: ForeignLoad | None, kept: dict[str, Any], tmp_path: Path
) -> None:
    slot = slot_order(ordered(tmp_path))
    claimed = Observed(facts={"foreign_cpu_percent": 0, "foreign_cpu_unknown": "none"})
    ranks = [rank(result=TrainingResult(fom_seconds=1.0, observed=claimed))]
    facts = AttemptFacts([["g0"]], ranks=ranks, foreign_load=load)
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert report.result is not None
    assert report.result.observed.facts == kept
    assert [(one.name, one.value) for one in report.result.metrics] == (
        [("foreign_cpu_seconds", 12.3)] if "foreign_cpu_percent" in kept else []
    )


def test_cpu_time_that_one_rank_lacks_is_that_of_none(tmp_path: Path) -> None:
    slot = slot_order(ordered(tmp_path, ranks_per_node=2), places=(RankResources((0,)), RankResources((1,))))
    ranks = [rank(0), rank(1, mark_cpu_seconds={"run_start": 0.5})]
    report = running_report(slot, AttemptFacts([[], []], ranks=ranks), 99)
    assert (report.run_start_cpu_seconds, report.run_stop_cpu_seconds) == (1.0, None)


@pytest.mark.parametrize(
    ("seconds", "stated", "arrived"),
    [("run", 12e-6, (21, 32)), ("mllog", 1.0, (21, 31)), ("window", 1.0, (21, 31))],
)
def test_a_command_lasts_from_its_first_rank_to_its_last_unless_it_states_its_time(
    seconds: str, stated: float, arrived: tuple[int, int], tmp_path: Path
) -> None:
    external = {"command": {"seconds": seconds}}
    slot = slot_order(
        ordered(tmp_path, ranks_per_node=2, external=external),
        places=(RankResources((0,)), RankResources((1,))),
    )
    ranks = [rank(number, marks={"run_start": 20 + number, "run_stop": 31 + number}) for number in (0, 1)]
    report = final_report(slot, AttemptFacts([[], []], ranks=ranks), AttemptLogs(slot.order), 99)
    assert report.result is not None
    assert report.result.fom_seconds == pytest.approx(stated)
    assert (report.run_start_arrived_us, report.run_stop_arrived_us) == arrived
    assert (report.run_start_cpu_seconds, report.run_stop_cpu_seconds) == (1.0, 2.5)


@pytest.mark.parametrize(("seconds", "cpu"), [("run", 1.0), ("mllog", None)])
def test_cpu_times_of_other_nodes_count_where_they_are_of_the_marks_that_count(
    seconds: str, cpu: float | None, tmp_path: Path
) -> None:
    made = ordered(tmp_path, nodes=2, ranks_per_node=1, external={"command": {"seconds": seconds}})
    facts: dict[str, Any] = {
        "marks": {"run_start": 20, "run_stop": 31}, "arrivals": {"run_start": 21, "run_stop": 31},
        "mark_cpu_seconds": {"run_start": 0.5, "run_stop": 1.25}, "exit_code": 0,
    }  # fmt: skip
    ranks = [RemoteRank(number, f"n{number}", **facts) for number in (0, 1)]
    report = running_report(slot_order(made), AttemptFacts([[], []], ranks=ranks), 99)
    assert report.run_start_cpu_seconds == cpu


@pytest.mark.parametrize("code", [0, 1])
def test_the_rank_of_another_node_that_left_first_is_the_one_that_failed(code: int) -> None:
    left = RemoteRank(1, "n1", exit_code=code, ended_us=5)
    good = RemoteRank(2, "n2", exit_code=0, ended_us=4, result=TrainingResult(fom_seconds=1.0))
    assert first_to_fail([RemoteRank(0, "n0", exit_code=-15, ended_us=9), left, good]) is left


def test_a_failure_names_the_rank_that_caused_it(tmp_path: Path) -> None:
    slot = slot_order(ordered(tmp_path, ranks_per_node=2), places=(RankResources((0,)), RankResources((1,))))
    lost = rank(0, 1, error=TrainingError("rank lost", "rank 1 is gone"), result=None)
    cause = rank(1, 1, error=TrainingError("data", "no file"), result=None)
    facts = AttemptFacts([[], []], ranks=[lost, cause], failed_rank=lost)
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert (report.failure_category, report.failure_reason) == ("benchmark", "data error")
    assert report.failure_message == "rank 1: no file"
    assert (report.stderr_path, report.stdout_path) == (str(tmp_path / "e"), str(tmp_path / "o"))
    assert (report.stderr_tail or "").endswith("end")


@pytest.mark.parametrize(
    ("ended", "words"),
    [([], ""), ([0, 1], ""), ([0], "; of its 2 ranks these gave no result: 1")],
)
def test_a_timeout_names_the_ranks_that_others_may_have_waited_for(
    ended: list[int], words: str, tmp_path: Path
) -> None:
    slot = slot_order(ordered(tmp_path, ranks_per_node=2), places=(RankResources((0,)), RankResources((1,))))
    ranks = [rank(number) if number in ended else rank(number, -9, result=None) for number in (0, 1)]
    facts = AttemptFacts([[], []], ranks=ranks, terminated_by="timeout")
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert (
        report.failure_message == f"it ran longer than its timeout of {slot.order.timeout_seconds:g} s{words}"
    )


def test_processes_that_could_not_be_ended_are_named(tmp_path: Path) -> None:
    facts = AttemptFacts([[]], ranks=[rank(exit_code=None)], terminated_by="timeout", unended=[41, 42])
    made = ordered(tmp_path)
    report = final_report(slot_order(made), facts, AttemptLogs(made), 50)
    assert report.state is AttemptState.TIMED_OUT
    assert report.failure_message is not None
    assert report.failure_message.endswith(
        "; SIGKILL did not end 2 processes (41, 42), which may wait for a file server or a device"
    )


def test_an_attempt_that_could_not_start_has_no_process(tmp_path: Path) -> None:
    slot = slot_order(ordered(tmp_path))
    facts = AttemptFacts([[]], start_error="OSError: no such interpreter")
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert (report.failure_category, report.failure_reason) == ("infrastructure", "cannot start")
    assert (report.exit_code, report.signal, report.cpu_seconds, report.result) == (None, None, None, None)


@pytest.mark.parametrize(
    ("barrier_seconds", "started", "state"),
    [(0.0, 50.0, "timed_out"), (1.0, 50.0, "cancelled"), (0.0, 0.0, "cancelled")],
    ids=["whole block", "barrier", "rest of an allocation"],
)
def test_only_an_attempt_that_waited_for_nothing_had_a_full_block(
    tmp_path: Path, barrier_seconds: float, started: float, state: str
) -> None:
    slot = slot_order(ordered(tmp_path), window=(started, 100.0), first=True)
    facts = AttemptFacts(
        [[]], ranks=[rank(0, -15)], terminated_by="walltime", barrier_seconds=barrier_seconds
    )
    report = final_report(slot, facts, AttemptLogs(slot.order), 99)
    assert (report.state.value, report.signal) == (state, "SIGTERM")


def test_a_running_report_has_no_end() -> None:
    report = running_report(slot_order(), AttemptFacts([[]], process_start_us=5), 7, at_barrier=True)
    assert (report.state, report.at_barrier, report.at_us) == (AttemptState.RUNNING, True, 7)
    assert (report.process_start_us, report.process_stop_us) == (5, None)
