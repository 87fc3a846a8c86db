"""Lines before and after an attempt: what they may do, what they cost, and that nothing of them lives on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from db.states import AttemptState
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.node.attempt.instance_hooks import run_instance_hook
from orchestrator.node.ranks.monitor import RankLimits, RankObserver, SignalWakeups
from orchestrator.protocol.order import InstanceHooks
from orchestrator.protocol.report import AttemptReport
from tests.harness import wait_for
from tests.orchestrator.node.supervised import Supervised


def hooks(
    setup: str = "", teardown: str = "", seconds: float = 30.0, charged: str = "infrastructure"
) -> InstanceHooks:
    lines = (tuple(filter(None, [text])) for text in (setup, teardown))
    return InstanceHooks(*lines, seconds, charged)  # type: ignore[arg-type]


def outcome(report: AttemptReport) -> tuple[str, str | None, str | None]:
    return report.state.value, report.failure_category, report.failure_reason


def test_lines_run_in_the_slot_and_their_outcome_is_recorded(tmp_path: Path) -> None:
    setup = "echo $ORCHESTRATOR_INSTANCE; taskset -cp $$; echo careful >&2; sleep 3600 & export X=1"
    teardown = f"test -e {tmp_path}/started-7; echo torn; printf 'b\\x1bad\\nmore\\n' >&2; exit 4"
    report = Supervised(tmp_path, hooks=hooks(setup, teardown)).report()
    assert report.state is AttemptState.SUCCEEDED
    assert report.failure_message == "instance_setup: careful; instance_teardown ended with exit code 4: b ad"
    assert report.result is not None
    assert report.result.observed.facts["hooks"] == {
        "instance_setup": {"exit_code": 0},
        "instance_teardown": {"exit_code": 4},
    }
    written = to_ledger(report, 0, None)
    assert {name for name, _, _ in written.metrics} >= {"instance_setup_seconds", "instance_teardown_seconds"}
    assert "hooks" in (written.values["observed"])
    [core] = report.cores or ()
    stdout, stderr = (tmp_path / "a.out").read_text(), (tmp_path / "a.err").read_text()
    assert stdout.startswith("toy/0\n")
    assert f"list: {core}\n" in stdout
    assert stdout.endswith("torn\n")
    assert "trouble ahead" in stderr


def test_attempts_whose_hooks_write_other_lines_observe_the_same(tmp_path: Path) -> None:
    """Or else each of 14,000 instances has a row of its own for what it observed."""
    reports = [
        Supervised(tmp_path / name, hooks=hooks(f"echo {name} >&2")).report() for name in ("one", "two")
    ]
    assert [one.failure_message for one in reports] == ["instance_setup: one", "instance_setup: two"]
    first, second = (one.result.observed.facts["hooks"] for one in reports if one.result)
    assert first == second


@pytest.mark.parametrize("charged", ["infrastructure", "benchmark"])
def test_an_attempt_whose_setup_fails_does_not_start(charged: str, tmp_path: Path) -> None:
    setup = "echo no disk >&2; false; echo never"
    report = Supervised(tmp_path, hooks=hooks(setup, f"touch {tmp_path}/torn", charged=charged)).report()
    assert outcome(report) == ("failed", charged, "instance_setup failed")
    assert report.failure_message == "instance_setup ended with exit code 1: no disk"
    assert report.run_start_us is None
    assert (tmp_path / "torn").exists()
    assert not (tmp_path / "started-7").exists()


def test_a_setup_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    setup = "trap '' TERM; sleep 3600"
    report = Supervised(tmp_path, hooks=hooks(setup, seconds=0.3), grace_seconds=0.3).report()
    assert outcome(report) == ("failed", "infrastructure", "instance_setup failed")
    assert "did not end within hook_timeout of the site" in str(report.failure_message)


def test_a_setup_ends_with_its_attempt(tmp_path: Path) -> None:
    running = Supervised(tmp_path, hooks=hooks(f"touch {tmp_path}/begun; sleep 3600", "echo torn"))
    wait_for((tmp_path / "begun").exists, "the setup")
    running.process.send_signal(signal.SIGTERM)
    assert outcome(running.report()) == ("failed", "infrastructure", "terminated")
    assert (tmp_path / "a.out").read_text().endswith("torn\n")


def test_a_teardown_that_hangs_changes_no_result(tmp_path: Path) -> None:
    report = Supervised(tmp_path, hooks=hooks("", "sleep 3600", seconds=0.3), grace_seconds=0.3).report()
    assert report.state is AttemptState.SUCCEEDED
    assert report.result is not None
    assert report.result.observed.facts["hooks"]["instance_teardown"]["ended_by"] == "timeout"


def test_a_failed_attempt_names_a_failed_teardown_too(tmp_path: Path) -> None:
    failing = Supervised(tmp_path, hooks=hooks("", "false"), parameters={"behaviour": "exit"})
    assert failing.report().failure_message == (
        "the process ended with exit code 3; instance_teardown ended with exit code 1"
    )


def test_a_teardown_ends_before_its_block(tmp_path: Path) -> None:
    logs = tmp_path / "a.out", tmp_path / "a.err"
    limits = RankLimits(grace_seconds=0.2, timeout_seconds=30.0, block_seconds=0.1)
    core = min(os.sched_getaffinity(0))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGCHLD)}
    try:
        wakeups = SignalWakeups(signal.SIGTERM)
        result = run_instance_hook(
            "instance_teardown", ["sleep 3600"], os.environ, {core}, logs, limits, RankObserver(), wakeups
        )
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert (result.ended_by, result.failed) == ("walltime", True)
    assert result.message == "instance_teardown was ended with its attempt (walltime)"
