"""Users cancel, retry, pause and add instances of a campaign that no driver runs; what is done stays done."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import orchestrator
from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.states import Action
from db.verification import check
from db.writing.requests import Request, ranges_of
from orchestrator import ResumeOptions
from orchestrator.analysis.verdict.registered_workloads import registered_descriptions
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.add import add
from orchestrator.lifecycle.requests.instances import change_instances, pause
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.review.registered_text import text_differences
from orchestrator.rundir.layout import RunDirectory
from tests.db import rows
from tests.orchestrator.lifecycle.test_resume_as_registered import CAMPAIGN, Registered


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registered:
    monkeypatch.chdir(tmp_path)
    return Registered(tmp_path)


def states(toy: Registered) -> dict[str, str]:
    with Reader(toy.url) as reader:
        frame = reader.instances("toy")
    return {f"{row.benchmark}/{row.benchmark_index}": str(row.state) for row in frame.itertuples()}


def exhaust(toy: Registered, number: int) -> None:
    toy.force(f"UPDATE instances SET state = 'exhausted' WHERE instance_id = {number}")


def invoked(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_cancelled_instances_do_not_run_and_retried_ones_do(toy: Registered) -> None:
    exhaust(toy, 3)
    shown = invoked("instance", "cancel", "toy", "behave/2..3", "--ledger", toy.url)
    assert (shown.exit_code, shown.stdout) == (0, "toy: 2 instances cancelled (behave/2..3)\n")
    assert list(states(toy).values()) == ["planned", "planned", "cancelled", "cancelled"]
    with Reader(toy.url) as reader:
        assert [one.instance_id for one in reader.pending(1)] == [0, 1]
    shown = invoked(
        "instance", "retry", "toy", "--where", "state=cancelled", "behave/3", "--ledger", toy.url, "--json"
    )
    assert json.loads(shown.stdout)[0]["applied"] is True
    assert list(states(toy).values()) == ["planned", "planned", "cancelled", "planned"]
    with Reader(toy.url) as reader:
        assert check(reader) == []


def test_a_retry_without_a_selection_is_of_all_that_are_out_of_retries(toy: Registered) -> None:
    exhaust(toy, 1)
    exhaust(toy, 2)
    assert change_instances("toy", Action.RETRY, ledger=toy.url).instances == 2
    assert set(states(toy).values()) == {"planned"}
    with pytest.raises(CampaignError, match="no instance of toy matches state=exhausted"):
        change_instances("toy", Action.RETRY, ledger=toy.url)


def test_what_is_done_or_kept_running_is_left_alone(toy: Registered) -> None:
    toy.force("UPDATE instances SET state = 'done' WHERE instance_id = 0")
    toy.force("UPDATE instances SET state = 'in_flight' WHERE instance_id = 1")
    shown = invoked("instance", "cancel", "toy", "behave/0..2", "--keep-running", "--ledger", toy.url)
    assert "1 in flight is not tried again" in shown.stdout
    assert list(states(toy).values()) == ["done", "in_flight", "cancelled", "planned"]
    assert (
        "0 instances planned again"
        in change_instances("toy", Action.RETRY, ["behave/0..1"], ledger=toy.url).message
    )
    assert list(states(toy).values()) == ["done", "in_flight", "cancelled", "planned"]


def test_attempts_that_outlived_their_driver_are_ended_through_their_files(
    toy: Registered, tmp_path: Path
) -> None:
    with Ledger(toy.url) as book:
        row = book.campaign("toy")
        session = book.begin_session(1, "me", 60, kind="launch", host="h", pid=1, version="1", slots=2)
        book.submit(1, session, [rows.attempt(0), rows.attempt(1)])
        book.end_session(1, session, "me", "aborted")
    directory = RunDirectory(Path(row.run_directory))
    assert list(directory.cancel_files.glob("*")) == []
    shown = invoked("instance", "cancel", "toy", "behave/1..2", "--ledger", toy.url)
    assert shown.stdout == (
        "toy: 1 instance cancelled (behave/1..2); 1 in flight is ended and not tried again; no driver runs "
        "it: what still runs ends within seconds, and `orchestrator resume toy` takes the reports\n"
    )
    assert [file.name for file in directory.cancel_files.iterdir()] == ["t1.1"]
    shutil.rmtree(directory.path)
    shown = invoked("instance", "cancel", "toy", "behave/0", "--ledger", toy.url)
    assert "attempts that outlived it go on: " in shown.stdout
    assert "No such file or directory" in shown.stdout


def test_one_that_was_in_flight_is_cancelled_when_the_next_session_begins(toy: Registered) -> None:
    toy.force("UPDATE instances SET state = 'in_flight' WHERE instance_id = 1")
    change_instances("toy", Action.CANCEL, ["behave"], ledger=toy.url)
    toy.force("UPDATE instances SET state = 'planned' WHERE instance_id = 1")  # as a recovery does
    with pytest.raises(CampaignError, match="no instance of toy matches"):
        change_instances("toy", Action.RETRY, [], ["state=done"], ledger=toy.url)
    with Ledger(toy.url) as book:
        session = book.begin_session(1, "me", 60, kind="resume", host="h", pid=1, version="1", slots=1)
        book.begin_requests(1, session)
        assert set(states(toy).values()) == {"cancelled"}


def test_a_request_that_a_dead_driver_left_is_applied_by_the_next_session(toy: Registered) -> None:
    with Ledger(toy.url) as book:
        book.begin_session(1, "other host", 60, kind="launch", host="h", pid=1, version="1", slots=1)
        asked = change_instances("toy", Action.CANCEL, ["behave/0"], ledger=toy.url)
        assert not asked.applied
        assert asked.message == "toy: asked its driver to cancel behave/0"
        assert book.renew(1, "other host", 60) == "requests"
        assert set(states(toy).values()) == {"planned"}
        session = book.begin_session(
            1, "me", 60, dead="other host", kind="resume", host="h", pid=1, version="1", slots=1
        )
        standing = book.begin_requests(1, session)
        assert states(toy)["behave/0"] == "cancelled"
        assert book.applied_requests(1, standing.last) == []
        book.begin_requests(1, session)  # once is enough
        assert len(book.applied_requests(1)) == 1


def test_a_pause_holds_for_later_sessions_until_it_is_taken_back(toy: Registered) -> None:
    [asked] = pause("toy", ["behave", "behave"], ledger=toy.url)
    assert asked.message == "toy: benchmark behave paused"
    with Ledger(toy.url) as book:
        session = book.begin_session(1, "me", 60, kind="resume", host="h", pid=1, version="1", slots=1)
        assert book.begin_requests(1, session).paused == {"behave"}
        book.end_session(1, session, "me", "drained")
    assert invoked("instance", "unpause", "toy", "behave", "--ledger", toy.url).exit_code == 0
    with Ledger(toy.url) as book:
        session = book.begin_session(1, "me", 60, kind="resume", host="h", pid=1, version="1", slots=1)
        assert book.begin_requests(1, session).paused == frozenset()


def test_a_paused_campaign_ends_its_session_without_an_engine(toy: Registered) -> None:
    pause("toy", ["behave"], ledger=toy.url)
    result = orchestrator.resume(
        "toy", ResumeOptions(ledger=toy.url), make_engine=lambda *_: pytest.fail("an engine")
    )
    assert (result.outcome, result.done) == ("drained", 0)


def test_a_campaign_whose_rest_is_cancelled_is_complete(toy: Registered) -> None:
    change_instances("toy", Action.CANCEL, ["behave"], ledger=toy.url)
    result = orchestrator.resume(
        "toy", ResumeOptions(ledger=toy.url), make_engine=lambda *_: pytest.fail("an engine")
    )
    assert (result.outcome, result.done, result.total) == ("complete", 0, 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["instance", "cancel", "toy"], "name what to cancel"),
        (["instance", "cancel", "toy", "behav"], "did you mean behave?"),
        (["instance", "cancel", "toy", "behave/9"], "has the instances 0 to 3"),
        (["instance", "retry", "toy", "--where", "state"], "is no condition"),
        (["instance", "pause", "toy", "behave/1"], "only whole benchmarks are paused"),
        (["instance", "pause", "toy", "behav"], "did you mean behave?"),
        (["instance", "cancel", "to", "behave"], "no campaign"),
        (["instance", "add", "toy"], "name a file with benchmarks, or --instances"),
        (["instance", "add", "toy", "--instances", "behave=20"], "write BENCHMARK=+NUMBER"),
        (["instance", "add", "toy", "--instances", "behave=+0"], "write BENCHMARK=+NUMBER"),
        (["instance", "add", "toy", "--instances", "behav=+2"], "did you mean behave?"),
        (["instance", "add", "toy", "none.yaml"], "does not exist"),
        (["instance", "add", "toy", "toy.yaml"], "must hold a list of benchmarks, and no other key"),
    ],
)
def test_bad_requests_are_one_line_and_change_nothing(
    toy: Registered, words: list[str], message: str
) -> None:
    with Reader(toy.url) as reader:
        before = [*reader.events(1)], states(toy), reader.campaigns()
    shown = invoked(*words, "--ledger", toy.url)
    assert shown.exit_code != 0
    assert message in str(shown.exception)
    assert "\n" not in str(shown.exception)
    with Reader(toy.url) as reader:
        assert ([*reader.events(1)], states(toy), reader.campaigns()) == before


def test_instances_are_listed_by_the_same_grammar(toy: Registered) -> None:
    shown = invoked(
        "instance", "list", "toy", "behave/1..2", "--where", "seed>2018", "--json", "--ledger", toy.url
    )
    assert [one["benchmark_index"] for one in json.loads(shown.stdout)] == [2]


def test_ranges() -> None:
    assert ranges_of([5, 1, 2, 3, 9]) == [[1, 3], [5, 5], [9, 9]]
    assert ranges_of([]) == []


# -- add -------------------------------------------------------------------------------------


def test_more_instances_get_new_numbers_and_seeds(toy: Registered) -> None:
    with Reader(toy.url) as reader:
        before = reader.instances("toy")
    shown = invoked("instance", "add", "toy", "--instances", "behave=+3", "--ledger", toy.url)
    assert shown.exit_code == 0
    assert "toy: 3 more instances of behave" in shown.stdout
    with Reader(toy.url) as reader:
        after = reader.instances("toy")
        assert check(reader) == []
        [row] = reader.benchmarks(1)
        [event] = reader.events(1, kinds=["campaign_extended"])
    assert after[:4].equals(before)
    assert list(after.benchmark_index) == list(range(7))
    assert list(after.seed) == [2017 + number for number in range(7)]
    assert row.instances == 7
    assert event.data["instances"] == {"behave": 3}
    assert toy.resumed().instances == 7


def test_a_file_adds_benchmarks(toy: Registered, tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text(
        "benchmarks:\n- {workload: tests.toys.behave, name: more, instances: 2, timeout: 9}\n"
    )
    added = add("toy", "more.yaml", instances=["behave=+1"], ledger=toy.url)
    assert (dict(added.instances), added.benchmarks) == ({"behave": 1, "more": 2}, ("more",))
    with Reader(toy.url) as reader:
        row = reader.campaign("toy")
        assert check(reader) == []
        labels = reader.instance_labels(1)
    assert labels[4:] == [(4, "behave", 4), (5, "more", 0), (6, "more", 1)]
    spec = parse_campaign(row.campaign_yaml, "ledger")
    assert [(one.name, one.instances) for one in spec.benchmarks] == [("behave", 5), ("more", 2)]
    assert "more.yaml" in row.campaign_yaml
    with pytest.raises(CampaignError, match="has a benchmark more already"):
        add("toy", "more.yaml", ledger=toy.url)


SWEEP = """
benchmarks:
- {workload: tests.toys.behave, name: swept, timeout: 9, repeat: 2, matrix: {seconds: [1, 2], megabytes: [0]}}
"""


def test_a_file_adds_a_sweep_and_its_points_get_more_instances(toy: Registered, tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text(SWEEP)
    shown = invoked("instance", "add", "toy", "more.yaml", "--instances", "behave=+1", "--ledger", toy.url)
    assert shown.exit_code == 0, shown.exception
    assert "toy: 1 more instances of behave\ntoy: 4 more instances of swept (2 points)\n" in shown.stdout
    points = ["swept[seconds=1,megabytes=0]", "swept[seconds=2,megabytes=0]"]
    with Reader(toy.url) as reader:
        assert check(reader) == []
        assert [(one.benchmark, one.axis, one.value, one.sweep) for one in reader.axes(1)] == [
            (point, axis, value, "swept")
            for point, seconds in zip(points, "12", strict=True)
            for axis, value in (("seconds", seconds), ("megabytes", "0"))
        ]
        before = reader.instance_labels(1)
        row = reader.campaign("toy")
        rows_before = reader.benchmarks(1)
        described = registered_descriptions(reader, 1)
        assert text_differences(row, rows_before, described, same_code=True)[0] == []
    assert [one[1:] for one in before[5:]] == [(point, index) for point in points for index in (0, 1)]
    shown = invoked("instance", "add", "toy", "--instances", "swept=+3", "--ledger", toy.url)
    assert "toy: 6 more instances of swept (2 points)" in shown.stdout
    with Reader(toy.url) as reader:
        assert check(reader) == []
        assert reader.instance_labels(1)[: len(before)] == before
        assert {one.benchmark: one.instances for one in reader.benchmarks(1)} == {
            "behave": 5,
            **dict.fromkeys(points, 5),
        }
        spec = parse_campaign(reader.campaign("toy").campaign_yaml, "ledger")
        assert [one.instances for one in spec.benchmarks] == [5, 5, 5]
    assert toy.resumed().instances == 5
    (tmp_path / "more.yaml").write_text(SWEEP.replace("[1, 2]", "[3]"))  # no label clashes, the name does
    with pytest.raises(CampaignError, match="has a benchmark swept already"):
        add("toy", "more.yaml", ledger=toy.url)
    (tmp_path / "more.yaml").write_text(SWEEP.replace("swept", points[0]).partition(", matrix")[0] + "}")
    with pytest.raises(CampaignError):
        add("toy", "more.yaml", ledger=toy.url)


def test_one_point_of_a_sweep_gets_more_instances(toy: Registered, tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text(SWEEP)
    invoked("instance", "add", "toy", "more.yaml", "--ledger", toy.url)
    points = ["swept[seconds=1,megabytes=0]", "swept[seconds=2,megabytes=0]"]
    with Reader(toy.url) as reader:
        before = reader.instance_labels(1)
    shown = invoked("instance", "add", "toy", "--instances", f"{points[1]}=+3", "--ledger", toy.url)
    assert "toy: 3 more instances of swept (1 point)" in shown.stdout
    with Reader(toy.url) as reader:
        assert check(reader) == []
        assert reader.instance_labels(1)[: len(before)] == before
        new = reader.instance_labels(1)[len(before) :]
        assert [one[1:] for one in new] == [(points[1], index) for index in (2, 3, 4)]
        row, rows, described = (
            reader.campaign("toy"),
            reader.benchmarks(1),
            registered_descriptions(reader, 1),
        )
        assert {one.benchmark: one.instances for one in rows} == {"behave": 4, points[0]: 2, points[1]: 5}
        assert text_differences(row, rows, described, same_code=True)[0] == []
    invoked(
        "instance",
        "add",
        "toy",
        "--instances",
        "swept=+1",
        "--instances",
        f"{points[0]}=+1",
        "--ledger",
        toy.url,
    )
    with Reader(toy.url) as reader:
        assert {one.benchmark: one.instances for one in reader.benchmarks(1)} == {
            "behave": 4, points[0]: 4, points[1]: 6,
        }  # fmt: skip
        spec = parse_campaign(reader.campaign("toy").campaign_yaml, "ledger")
        assert [one.instances for one in spec.benchmarks] == [4, 4, 6]
        assert len({seed for (seed,) in reader.query("SELECT seed FROM instances")[1]}) == 14
    assert toy.resumed().instances == 4
    with pytest.raises(
        CampaignError, match=r"no benchmark 'swept\[seconds=3,megabytes=0\]' is registered; did you"
    ):
        add("toy", instances=["swept[seconds=3,megabytes=0]=+2"], ledger=toy.url)


@pytest.mark.parametrize(
    ("benchmark", "message"),
    [
        (
            "matrix: {seconds: [1, 2]}, instances_at: {'s[seconds=3]': 2}",
            "has no point s.seconds=3.; did you mean",
        ),
        (
            "matrix: {seconds: [1, 2]}, instances_at: {'s[seconds=1]': 0}",
            "greater than or equal to 1|at least 1",
        ),
        ("instances: 2, instances_at: {s: 2}", "instances_at is for the points of a matrix"),
    ],
)
def test_numbers_of_points_that_cannot_be(benchmark: str, message: str) -> None:
    common = "workload: tests.toys.behave, name: s, timeout: 9"
    text = f"campaign: c\nrulebook: none\nbenchmarks: [{{{common}, {benchmark}}}]"
    with pytest.raises(CampaignError, match=message):
        parse_campaign(text, "test")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("benchmarks: []", "must hold a list of benchmarks"),
        ("benchmarks: 3", "must hold a list of benchmarks"),
        (
            "benchmarks:\n- {workload: tests.toys.behave, instances: 2, timeout: 9}",
            "has a benchmark behave already",
        ),
        ("benchmarks:\n- {workload: nowhere, instances: 2, timeout: 9}", "nowhere"),
        (
            "benchmarks:\n- {workload: tests.toys.behave, name: x, instances: 0, timeout: 9}",
            "must be at least 1",
        ),
        (
            "benchmarks: [{workload: lstm, name: x, instances: 2, timeout: 9, slot: {ranks: 9}}]",
            "benchmark x: ",
        ),
        (
            "benchmarks: [{workload: tests.toys.behave, timeout: 9, matrix: {seconds: [1]}}]",
            "has a benchmark behave already",
        ),
        (
            "benchmarks: [{workload: lstm, name: x, repeat: 2, timeout: 9, matrix: {nothing: [1, 2]}}]",
            "nothing",
        ),
        (CAMPAIGN, "no other key than benchmarks"),
        ("", "is empty"),
        ("x: [", "line 1"),
    ],
)
def test_files_that_add_nothing_right(toy: Registered, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "more.yaml").write_text(text)
    with Reader(toy.url) as reader:
        before = reader.campaigns(), reader.instance_labels(1)
    with pytest.raises(CampaignError) as error:
        add("toy", "more.yaml", ledger=toy.url)
    assert message in str(error.value)
    with Reader(toy.url) as reader:
        assert (reader.campaigns(), reader.instance_labels(1)) == before


def test_nothing_is_added_while_a_driver_runs(toy: Registered) -> None:
    with Ledger(toy.url) as book:
        book.begin_session(1, "other host", 60, kind="launch", host="h", pid=1, version="1", slots=1)
        with pytest.raises(LedgerError, match="the campaign is being run by other host"):
            add("toy", instances=["behave=+1"], ledger=toy.url)
        assert len(book.instance_labels(1)) == 4


def test_a_request_is_kept_with_who_asked(toy: Registered) -> None:
    with Ledger(toy.url) as book:
        book.request(1, Request(Action.CANCEL, "behave/0", [[0, 0]]), "me@here")
        kinds = ["instances_requested", "instances_changed"]
        asked, changed = book.events(1, kinds=kinds)
    assert asked.message == "asked to cancel behave/0, by me@here"
    assert changed.data is not None
    assert asked.data is not None
    assert changed.data["request"] == asked.data["request"]
