"""The timed window of a command, and facts of its data, by lines of its output."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from db.states import AttemptState
from orchestrator.rundir.layout import RunDirectory
from tests.harness import wait_for
from tests.orchestrator.node.supervised import Supervised
from tests.workloads.external.files import description, error, result, write
from tests.workloads.orders import Report, external, send
from workloads.context import Context, SlotView
from workloads.external.command import Window
from workloads.external.window import WindowMarks

STEPS = """
import time
print("forward"); time.sleep(0.05)
print("go"); time.sleep(0.05); print("mean 1", flush=True)
print("second"); print("go")
for step in range(4):
    time.sleep(0.05); print("step", step)
print("end")
print("mean 0.05")
"""
WINDOW = {"after": "^second$", "start": "^go$", "stop": "^end$", "units": ["steps"]}


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # as the supervisor does


def content(program: str = STEPS, window: dict[str, Any] = WINDOW, **changes: Any) -> dict[str, Any]:
    return description(
        program,
        **{"fom_time": "batch", "seconds": "window", "parameters": {"steps": 4}, "window": window} | changes,
    )


def go(folder: Path, program: str = STEPS, **changes: Any) -> Report:
    return send(write(folder, content(program, **changes)))


def test_lines_that_arrive_start_and_stop_the_window(tmp_path: Path) -> None:
    report = go(tmp_path)
    assert report.marks == ["ready", "run_start", "timed_window_start", "timed_window_stop", "run_stop"]
    at = {line["mark"]: line["at_us"] for line in report.lines if "mark" in line}
    seconds = (at["timed_window_stop"] - at["timed_window_start"]) / 1e6
    assert seconds > 0.1  # of 0.2: the first line may arrive late on a busy machine
    assert result(report)["fom_seconds"] * 4 == pytest.approx(seconds, abs=0.01)
    stated = {"pattern": "^mean (?P<value>.*)$"}
    assert result(go(tmp_path, seconds=stated))["fom_seconds"] == 0.05


def test_the_time_is_no_longer_than_the_marked_window() -> None:
    """A busy core may take the thread away between the line's arrival and the mark."""
    marks: dict[str, int] = {}
    context = Context(seed=1, slot=SlotView(), send=lambda line: marks.update({line["mark"]: line["at_us"]}))
    waited = threading.Event()
    context._wait_before = lambda _: waited.wait(0.05)  # type: ignore[assignment,method-assign]
    window = WindowMarks(Window("^go$", "^end$"), context)
    window.see("go")
    window.see("end")
    assert window.seconds is not None
    assert window.seconds <= (marks["timed_window_stop"] - marks["timed_window_start"] + 1) / 1e6


def test_the_supervisor_dates_the_window_itself(tmp_path: Path) -> None:
    file = write(tmp_path, content())
    report = Supervised(tmp_path, workload=file, **external(file, {})).report()
    assert (report.state, report.failure_message) == (AttemptState.SUCCEEDED, None)
    arrived = report.timed_window_start_arrived_us, report.timed_window_stop_arrived_us
    assert arrived[0] is not None
    assert arrived[1] is not None
    assert arrived[1] - arrived[0] >= 190_000


def test_a_command_whose_window_is_timed_waits_for_the_start_itself(tmp_path: Path) -> None:
    file = write(tmp_path, content())
    running = Supervised(tmp_path, workload=file, wave=0, **external(file, {}))
    journal, barrier = tmp_path / "a.journal", RunDirectory(tmp_path).barrier_file(1, 0)
    wait_for(
        lambda: journal.exists() and '"at_barrier":true' in journal.read_text().replace(" ", ""), "the gate"
    )
    assert running.output()[0] == ""
    barrier.parent.mkdir(parents=True)
    barrier.write_text("1\n")
    report = running.report()
    assert report.state is AttemptState.SUCCEEDED
    assert report.at_barrier_us is not None
    assert report.run_start_us is not None
    assert report.at_barrier_us <= report.run_start_us


@pytest.mark.parametrize(
    ("program", "window", "said"),
    [
        ("print('go')", {"after": "x"}, "window.after: no line of the output matches 'x' in its turn"),
        ("print('end')", {}, "window.start: no line of the output matches 'go' in its turn"),
        ("print('end'); print('go')", {}, "window.stop: no line of the output matches 'end' in its turn"),
        (
            "import time; print('go'); time.sleep(.1); print('go')",
            {},
            "window.start matches a second line: 'go'",
        ),
        (
            "import time; print('go'); time.sleep(.1); print('end'); print('end 2')",
            {},
            "window.stop matches a second line: 'end 2'",
        ),
        (
            "import sys; sys.stdout.write('go\\nend\\n')",
            {},
            "arrived at once: the command buffers its output",
        ),
    ],
)
def test_lines_that_make_no_window_are_told(
    tmp_path: Path, program: str, window: dict[str, Any], said: str
) -> None:
    lines = {"start": "go", "stop": "end", "units": [4]} | window
    assert said in error(go(tmp_path, program, window=lines))


def test_facts_of_the_data_are_those_that_the_command_states(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.mkdir()
    (place / "a.csv").write_text("1,2\n")
    facts = {
        "train_rows": {"pattern": "train (?P<value>[0-9]+) rows"},
        "path": {"pattern": "^read (?P<value>.*)$"},
        "never": {"pattern": "never (?P<value>.)"},
    }

    def stated(path: str) -> dict[str, Any]:
        made = description("import sys; print('train 3000 rows'); print('read', sys.argv[1])", data="p1b1")
        made["command"]["arguments"].append(path)
        made["command"]["data"] = facts
        found: dict[str, Any] = result(send(write(tmp_path, made), data=str(place)))
        assert "data.never: no line" in found["seen"]["external"]["absent_metrics"][0]
        data: dict[str, Any] = found["data"]
        return data

    inside, outside = f"{place}/a.csv", f"{tmp_path}/other.csv"
    assert stated("{data}/a.csv") == {"train_rows": 3000, "path": inside, "synthetic": False}
    assert stated(outside) == {"train_rows": 3000, "path": outside}
    (place / "SYNTHETIC.json").write_text("")
    assert stated("{data}/a.csv") == {"train_rows": 3000, "path": inside, "synthetic": True}
