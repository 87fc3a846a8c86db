"""External commands: reading their numbers, telling their failures, and ending with them."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import wait_for
from tests.workloads.external.files import SCORE, description, error, go, result, write
from tests.workloads.orders import ROOT, external, send
from workloads.external.output import Lines, Search
from workloads.external.readings import printed_number
from workloads.external.scratch import PREFIX, scratch_directory


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


@pytest.mark.parametrize(
    ("program", "accuracy"),
    [
        ("print('score 0.1'); print('score 0.2')", 0.2),
        ("print('score 0.1 score 0.3')", 0.3),
        ("import sys; print('score 0.4', file=sys.stderr)", 0.4),
        ("print('score 0.1\\rscore 0.5\\r', end='')", 0.5),
        ("print('x' * 10 + '\\b' * 10 + 'score 0.6', end='')", 0.6),
        ("print('\\x1b[1mscore \\x1b[32m0.7\\x1b[0m')", 0.7),
        ("print('a' * 200_000 + ' score 0.9 ' + 'b' * 200_000)", 0.9),
        ("print('score inf')", math.inf),
    ],
)
def test_the_last_match_on_either_stream_counts(tmp_path: Path, program: str, accuracy: float) -> None:
    assert result(go(tmp_path, program, accuracy=SCORE))["accuracy"] == accuracy


def test_not_a_number_is_passed_on_as_it_is(tmp_path: Path) -> None:
    assert math.isnan(result(go(tmp_path, "print('score nan')", accuracy=SCORE))["accuracy"])


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('nothing')", "accuracy: no line of the output matches 'score (?P<value>[-+0-9.a-z]+)'"),
        ("print('score oops here')", "accuracy: 'oops' is not a number; the last match of 'score"),
        ("raise SystemExit(3)", "the command ended with exit code 3"),
        (
            "import os; os.write(2, b'warning\\n\\x1b[31mno GPU\\x1b[0m\\n\\n'); os._exit(3)",
            "ended with exit code 3; its last words were 'no GPU'",
        ),
        ("raise SystemExit(139)", "the command ended with exit code 139, as a shell tells of SIGSEGV"),
        ("print('score 1'); print('CUDA out of memory')", "the command's output says 'CUDA out of memory'"),
        ("import sys; sys.exit('out of memory: 5')", "exit code 1; its output says 'out of memory: 5'"),
    ],
)
def test_failures_are_one_line(tmp_path: Path, program: str, said: str) -> None:
    failure = {"patterns": ["out of memory"]}
    assert said in error(go(tmp_path, program, accuracy=SCORE, failure=failure))


def test_other_exit_codes_may_be_good(tmp_path: Path) -> None:
    program = "print('score 1'); raise SystemExit(2)"
    report = go(tmp_path, program, failure={"exit_codes_ok": [0, 2]})
    assert result(report)["seen"]["external"]["exit_code"] == 2


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT])
def test_a_signal_is_told_and_the_runner_ends_as_the_command_did(
    tmp_path: Path, number: signal.Signals
) -> None:
    program = f"import os, resource; resource.setrlimit(4, (0, 0)); os.kill(os.getpid(), {int(number)})"
    report = go(tmp_path, program)
    assert error(report) == f"the command died of {number.name}"
    assert report.code == -number


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    content = description()
    content["command"]["arguments"] = ["no-such-program"]
    assert (
        error(send(write(tmp_path, content)))
        == "no-such-program cannot be started: No such file or directory"
    )


def test_a_working_directory_that_is_not_there(tmp_path: Path) -> None:
    report = go(tmp_path, "", directory="nowhere")
    assert report.marks == []
    assert report.last["error"]["message"].endswith(f"working directory {tmp_path}/nowhere does not exist")


JSON = {"json": "r.json", "key": "a.b"}


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ('{"a": {"b": 2}}', 2.0),
        ('{"a.b": 3}', 3.0),
        ('{"a": {"b": Infinity}}', math.inf),
        ('{"a": {"b": "0.5"}}', "accuracy: a.b in r.json is '0.5', not a number"),
        ('{"a": {"b": true}}', "accuracy: a.b in r.json is True, not a number"),
        ('{"a": {"b": [1]}}', "accuracy: a.b in r.json is a list, not a number"),
        ('{"a": {"c": 1}}', "accuracy: r.json has no a.b; there is c"),
        ('{"a": [1]}', "accuracy: r.json has no a.b; a list of 1 has no b"),
        ('{"a": 1}', "accuracy: r.json has no a.b"),
        ('{"a": {"b": 1' + "0" * 400 + "}}", "accuracy: a.b in r.json is too large a number"),
        ("{", "r.json is no readable JSON file: Expecting property name"),
        ("[" * 100_000, "r.json is no readable JSON file"),
        (" " * (17 << 20), "r.json is larger than 16 MiB"),
    ],
)
def test_json_is_read_or_the_reason_told(tmp_path: Path, content: str, outcome: float | str) -> None:
    (tmp_path / "content").write_text(content)
    program = f"import shutil; shutil.copyfile({str(tmp_path / 'content')!r}, 'r.json')"
    report = go(tmp_path, program, accuracy=JSON, directory="{output}")
    if isinstance(outcome, str):
        assert outcome in error(report)
    else:
        assert result(report)["accuracy"] == outcome


def test_an_old_json_file_is_never_taken_for_a_new_one(tmp_path: Path) -> None:
    source = {"json": "{seed}.json", "key": "a"}
    program = "open('1.json', 'w').write('{\"a\": 1}')"
    assert "the command wrote no file" in error(go(tmp_path, "pass", accuracy=source))
    assert result(go(tmp_path, program, accuracy=source))["accuracy"] == 1
    assert "1.json is older than this run" in error(go(tmp_path, "pass", accuracy=source))
    assert result(go(tmp_path, program, accuracy=source))["accuracy"] == 1


def test_seconds_are_the_scripts_where_they_are_declared(tmp_path: Path) -> None:
    seconds = {"pattern": "took (?P<value>.*) s"}
    assert result(go(tmp_path, "print('took 0.25 s')", seconds=seconds))["fom_seconds"] == 0.25
    batch = go(tmp_path, "print('took 1e-3 s')", seconds=seconds, fom_time="batch")
    assert result(batch)["fom_seconds"] == 0.001
    assert error(go(tmp_path, "pass", seconds=seconds)).startswith("seconds: no line of the output matches")
    too_long = error(go(tmp_path, "print('took 900 s')", seconds=seconds))
    assert too_long.startswith("seconds: it says 900 s, but ran for 0.")


def test_much_output_costs_little_memory(tmp_path: Path) -> None:
    program = (
        "import os, re\n"
        "peak = lambda: re.search('VmHWM:.*?([0-9]+)', open(f'/proc/{os.getppid()}/status').read())[1]\n"
        "before = int(peak())\n"
        "for _ in range(800): os.write(1, b'y' * 65_536)\n"
        "os.write(1, b'\\n')\n"
        "for _ in range(40): os.write(1, b'score 0.5\\n' * 6_000)\n"
        "print('grew by', int(peak()) - before, 'KiB')\n"
    )
    grew = {"grew": {"pattern": "grew by (?P<value>[0-9]+)"}}
    report = go(tmp_path, program, accuracy=SCORE, metrics=grew)
    assert result(report)["accuracy"] == 0.5
    assert len(report.stdout) > 800 * 65_536 + 40 * 60_000
    assert result(report)["metrics"][0]["value"] < 8 << 10


def test_output_that_is_no_text_is_searched_all_the_same() -> None:
    search = Search({"accuracy": SCORE["pattern"]}, ["lost$"])
    for line in (b"\xff\xfe score 0.8 \x00", b"device \xff lost", b"another lost"):
        search.take(line)
    assert search.found["accuracy"].text == "0.8"
    assert search.failure == "device \ufffd lost"
    search.close()
    search.take(b"score 0.9")
    assert search.found["accuracy"].text == "0.8"


def test_a_line_without_end_is_cut_with_overlap() -> None:
    search = Search({"accuracy": SCORE["pattern"]}, [])
    lines = Lines(search.take)
    stream = b"-" * 65_530 + b"score 0.25 " + b"-" * 70_000
    for start in range(0, len(stream), 5_000):
        lines.feed(stream[start : start + 5_000])
        assert len(lines._rest) <= 70_000
    assert search.found["accuracy"].text == "0.25"
    assert len(search.found["accuracy"].line) <= 200
    assert "score 0.25" in search.found["accuracy"].line


def test_what_it_leaves_in_the_background_does_not_hold_the_run(tmp_path: Path) -> None:
    program = (
        "import subprocess; print('score 0.5', flush=True)\n"
        "print('pid', subprocess.Popen(['sleep', '3600'], stdout=1, stderr=2).pid, flush=True)"
    )
    read, write_end = os.pipe()
    file = write(tmp_path, description(program, accuracy=SCORE))
    out = tmp_path / "out"
    order = {
        "workload": file, **external(file, {}), "seed": 1, "data": None, "cores": [0], "devices": [],
        "cache": None, "memory_bytes": None, "device_memory_bytes": None,
        "rank": 0, "size": 1, "report_fd": write_end,
    }  # fmt: skip
    with out.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "workloads.run"], input=json.dumps(order).encode(), stdout=stream,
            pass_fds=[write_end], cwd=ROOT, check=False, timeout=600,
        )  # fmt: skip
    os.close(write_end)
    with os.fdopen(read) as reports:
        last = json.loads(reports.readlines()[-1])
    os.kill(int(out.read_text().split()[-1]), signal.SIGKILL)
    assert done.returncode == 0
    assert last["result"]["accuracy"] == 0.5


def test_sigterm_reaches_the_command_and_the_scratch_directory_goes(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    program = f"import signal, sys; open({str(ready)!r}, 'w').close(); signal.pause()"
    content = description(program)
    content["command"]["arguments"].append("{output}")
    file = write(tmp_path, content)
    read, write_end = os.pipe()
    order = {
        "workload": file, **external(file, {}), "seed": 1, "data": None, "cores": [0],
        "cache": None, "devices": [], "memory_bytes": None, "device_memory_bytes": None,
        "rank": 0, "size": 1, "report_fd": write_end,
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "workloads.run"], stdin=subprocess.PIPE, pass_fds=[write_end], cwd=ROOT
    )
    os.close(write_end)
    assert process.stdin
    process.stdin.write(json.dumps(order).encode())
    process.stdin.close()
    wait_for(ready.exists, "the command")
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == -signal.SIGTERM
    with os.fdopen(read) as reports:
        assert "the command died of SIGTERM" in reports.readlines()[-1]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_scratch_of_the_dead_is_removed_and_that_of_the_living_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name, inside in (("dead", "lock"), ("beginning", "making")):
        (tmp_path / f"{PREFIX}{name}").mkdir()
        (tmp_path / f"{PREFIX}{name}" / inside).touch()
    with scratch_directory() as one, scratch_directory() as other:
        assert one.is_dir()
        assert other.is_dir()
        assert one != other
        assert not (tmp_path / f"{PREFIX}dead").exists()
    assert {path.name for path in tmp_path.glob(f"{PREFIX}*")} == {f"{PREFIX}beginning"}


def test_numbers_in_usual_notation_are_read() -> None:
    assert [printed_number(one) for one in ("3", "-4.5e-3", " 1. ", "+.5")] == [3, -0.0045, 1, 0.5]


@pytest.mark.parametrize("text", ["1_000", "٣", "1,5", ""])
def test_no_other_text_is_a_number(text: str) -> None:
    with pytest.raises(ValueError):
        printed_number(text)


def test_a_metric_that_is_not_finite_is_absent_and_says_so(tmp_path: Path) -> None:
    metrics = {"loss": SCORE | {"unit": "1"}}
    found = result(go(tmp_path, "print('score nan')", metrics=metrics))
    assert [one["name"] for one in found["metrics"] if one["name"] == "loss"] == []
    assert found["seen"]["external"]["absent_metrics"] == ["metrics.loss: it is nan"]
