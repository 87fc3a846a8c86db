"""Commands of several ranks: how they find each other, what they share, and whose numbers count."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog import registry
from tests.workloads.external.files import SCORE, description, error, go, result, write
from tests.workloads.orders import Report, external, send
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.description import WorkloadError
from workloads.external import ranks as meetings
from workloads.external.scratch import remove_shared

FIELDS = ("rank", "ranks", "local_rank", "local_ranks", "main_address", "main_port", "output")
NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
NOTES = f"""
import json, os, sys, time
fields = dict(zip({FIELDS!r}, sys.argv[1:]))
variables = {{name: os.environ.get(name) for name in {NAMES!r}}}
own = {{"fields": fields, "variables": variables, "more": sys.argv[8:]}}
with open(fields["output"] + "/new" + fields["rank"], "w") as file:
    json.dump(own, file)
os.rename(file.name, fields["output"] + "/rank" + fields["rank"])
paths = [fields["output"] + "/rank" + str(rank) for rank in range(int(fields["ranks"]))]
while not all(map(os.path.exists, paths)):
    time.sleep(0.01)
print("score", 0.5 + int(fields["rank"]))
print("seen", json.dumps([json.load(open(path)) for path in paths]))
"""


def together(folder: Path, program: str, size: int = 2, **changes: Any) -> list[Report]:
    """Run a program with several ranks; return what each left behind."""
    content = description(program, **changes) | {"ranks": True}
    content["command"]["arguments"] += [f"{{{name}}}" for name in FIELDS]
    file = write(folder, content)
    return run_ranks(file, {}, size, scratch=str(folder / "scratch"), external=external(file, {})["external"])


def seen(report: Report) -> list[dict[str, Any]]:
    """Return what the ranks wrote, as one of them read it."""
    line = next(line for line in report.stdout.splitlines() if line.startswith("seen "))
    found: list[dict[str, Any]] = json.loads(line.removeprefix("seen "))
    return found


def test_ranks_know_their_places_and_share_a_directory(tmp_path: Path) -> None:
    reports = together(tmp_path, NOTES, accuracy=SCORE, rank_arguments=["--distributed", "{ranks}"])
    assert [result(report)["accuracy"] for report in reports] == [0.5, None]
    notes = seen(reports[0])
    assert notes == seen(reports[1])
    port = notes[0]["fields"]["main_port"]
    for rank, note in enumerate(notes):
        values = [str(rank), "2", str(rank), "2", "127.0.0.1", port]
        assert list(note["fields"].values())[:6] == values
        assert list(note["variables"].values()) == values
        assert note["more"] == ["--distributed", "2"]
        assert Path(note["fields"]["output"]).parent == tmp_path / "scratch"
    assert len({note["fields"]["output"] for note in notes}) == 1
    assert 10_240 <= int(port) < 65_536


def test_a_rank_with_gpus_has_them_as_its_first() -> None:
    place = meetings.Meeting(3, 4, 1, 2, "10.0.0.1", 20_000, None)
    assert place.variables(gpus=True)["LOCAL_RANK"] == "0"
    assert place.variables(gpus=False)["LOCAL_RANK"] == "1"


def test_one_rank_has_its_variables_and_no_further_arguments(tmp_path: Path) -> None:
    content = description(NOTES, accuracy=SCORE, rank_arguments=["--distributed"]) | {"ranks": True}
    content["command"]["arguments"] += [f"{{{name}}}" for name in FIELDS]
    report = send(write(tmp_path, content))
    assert result(report)["accuracy"] == 0.5
    (note,) = seen(report)
    assert list(note["fields"].values())[:5] == ["0", "1", "0", "1", "127.0.0.1"]
    assert list(note["variables"].values())[:5] == ["0", "1", "0", "1", "127.0.0.1"]
    assert note["more"] == []
    assert not Path(note["fields"]["output"]).exists()


def test_what_ranks_shared_is_removed_and_nothing_else(tmp_path: Path) -> None:
    remove_shared(tmp_path / "none")
    for folder in ("a/output-1/x", "a/output-2", "b/output-1", "b/kept"):
        (tmp_path / folder).mkdir(parents=True)
    for name in "ab":
        remove_shared(tmp_path / name)
    assert [str(found.relative_to(tmp_path)) for found in tmp_path.rglob("*")] == ["b", "b/kept"]


def test_the_arguments_and_exit_codes_of_ranks_are_recorded(tmp_path: Path) -> None:
    program = "import sys; print('score 0.5'); sys.exit(3 * int(sys.argv[1]))"
    reports = together(
        tmp_path, program, accuracy=SCORE, rank_arguments=["--distributed"], failure={"exit_codes_ok": [0, 3]}
    )
    seen = [result(report)["seen"] for report in reports]
    assert [one.get("exit_code") for one in seen] == [None, 3]
    documents = [document for report in reports for document in result(report)["documents"]]
    commands = [one["command"]["arguments"] for one in documents if "command" in one]
    assert commands
    assert all(one[-1] == "--distributed" for one in commands)


def test_an_earlier_attempts_directory_is_gone(tmp_path: Path) -> None:
    earlier = tmp_path / "scratch" / "output-0"
    earlier.mkdir(parents=True)
    together(tmp_path, NOTES, accuracy=SCORE)
    assert not earlier.exists()
    assert len(list((tmp_path / "scratch").iterdir())) == 1


@pytest.mark.parametrize("seconds", ["run", SCORE])
def test_a_rank_but_the_first_states_no_number_and_must_end_well(seconds: Any, tmp_path: Path) -> None:
    program = (
        "import sys; rank = int(sys.argv[1]); print('score', 0.001) if rank == 0 else sys.exit(rank * 4)"
    )
    first, second = together(tmp_path, program, accuracy=SCORE, seconds=seconds)
    assert result(first)["accuracy"] == 0.001
    assert error(second) == "the command ended with exit code 4"
    assert second.code == 4


def test_a_failure_in_the_output_of_any_rank_counts(tmp_path: Path) -> None:
    program = "import sys; print('score 0.5'); print('rank', sys.argv[1])"
    failure = {"patterns": ["rank 1"]}
    first, second = together(tmp_path, program, accuracy=SCORE, failure=failure)
    assert first.code == 0
    assert error(second) == "the command's output says 'rank 1', which counts as failure"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rank_arguments": ["-d"]}, "rank_arguments: an instance has one rank; write ranks: true as well"),
        ({"environment": {"A": "{rank}"}}, "environment.A: '{rank}' has the unknown field {rank}"),
        ({"ranks": True, "environment": {"A": "{rnak}"}}, "did you mean {rank}?"),
        (
            {"ranks": True, "parameters": {"rank": 1}},
            "{rank} is the number of the rank, from 0; choose another",
        ),
        ({"environment": {"A": "{rank}"}}, "fields of ranks need ranks: true beside command"),
        ({"ranks": "yes"}, "ranks"),
        ({"ranks": 1}, "ranks"),
    ],
)
def test_what_a_file_may_say_of_ranks(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    content = description(**changes)
    content |= {name: value for name, value in changes.items() if name == "ranks"}
    content["command"].pop("ranks", None)
    with pytest.raises(WorkloadError) as raised:
        registry.describe(write(tmp_path, content))
    assert message in str(raised.value)


def test_a_parameter_may_be_called_so_where_there_is_one_rank(tmp_path: Path) -> None:
    report = go(tmp_path, "print('score 0.5')", parameters={"rank": 3}, accuracy=SCORE)
    assert result(report)["accuracy"] == 0.5


def test_a_directory_that_a_node_cannot_see_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meetings, "_VISIBLE_SECONDS", 0.0)
    with pytest.raises(meetings.CommandError, match="is not seen on this node: no file system is shared"):
        meetings._wait_for(Path("/nonexistent/output"))


def test_ports_that_are_taken_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = [port, port]
        monkeypatch.setattr(meetings.random.SystemRandom, "sample", lambda *_: ports)
        with pytest.raises(meetings.CommandError, match=r"none of 100 ports from 10240 to [0-9]+ is free"):
            meetings._free_port()
        ports.append(0)
        assert meetings._free_port() == 0
