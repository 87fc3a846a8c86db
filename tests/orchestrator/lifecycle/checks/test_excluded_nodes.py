"""Exclude lists: what is read, what the ledger keeps, and that no instance starts on such a node."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.states import RunOutcome
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import launch
from orchestrator.lifecycle.checks import excluded_nodes as lists
from orchestrator.lifecycle.checks.excluded_nodes import ExcludeList, check_exclude_list, exclude_list
from orchestrator.node.worker.admission import reject_reason
from orchestrator.planning.plan import Plan
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.model import JobRequest, SchedulerError, Submitted
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from sites import Site
from tests.messages import order
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

CALM = FaultModel(stragglers=0.0, pool_seconds=0.0)


def test_a_file_has_a_node_a_line_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "slow nodes ü.txt"
    file.write_text("\ufeff# screen-ours, 2026-11-22\n#\nn1 # 12 % slower\n\n  n2.cluster.org\r\nn1\n")
    found = exclude_list(str(file))
    assert found == ExcludeList(("n1", "n2.cluster.org"), str(file), "screen-ours, 2026-11-22")
    assert str(found) == (
        f"2 nodes (n1, n2.cluster.org) excluded by --exclude: {file}; screen-ours, 2026-11-22"
    )
    file.write_text("# none is slow\n")
    assert exclude_list(str(file)).nodes == ()
    assert exclude_list("n7, n8,n7") == ExcludeList(("n7", "n8"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", r"bad.txt: empty; write one node a line"),
        (b" \n\t\n", r"bad.txt: empty; write one node a line"),
        (b"n1\nn 2\n", r"bad.txt: line 2: 'n 2' is no name of a node; names of nodes have letters"),
        ("n1\nknöten\n".encode(), r"line 2: 'kn\\xf6ten' is no name"),
        (b"n1\x1b[31m\n", r"line 1: 'n1\\x1b\[31m' is no name of a node"),
        (b"n[1-3]\n", r"'n\[1-3\]' is no name of a node; write each node of a range by its name"),
        (b"\xff\xfe\x00", r"bad.txt: no UTF-8 text"),
        (b"n" * 300, r"line 1: 'n{60}' is no name of a node"),
        (b"# x\n" * (1 << 21), r"bad.txt: 8,388,608 bytes; a list of nodes has at most 4,194,304"),
        (b"\n".join(b"n%d" % one for one in range(10_001)), r"bad.txt: 10,001 nodes; at most 10,000"),
    ],
)
def test_a_bad_list_is_refused_in_one_line(content: bytes, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    with pytest.raises(CampaignError, match=expected) as caught:
        exclude_list(str(file))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("slow.txt", "--exclude slow.txt: no such file"),
        ("none/slow", "--exclude none/slow: no such file"),
        ("", "--exclude: '' is no name of a node"),
        ("n1,,n2", "--exclude: '' is no name of a node"),
        ("n1;rm", "--exclude: 'n1;rm' is no name of a node"),
        ("n" * 5000, "is no name of a node"),
    ],
)
def test_words_that_are_no_nodes_are_refused(
    given: str, expected: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CampaignError, match=expected):
        exclude_list(given)


def test_a_site_without_another_node_is_refused_and_a_small_machine_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(CampaignError, match="site made runs on this machine alone"):
        check_exclude_list(ExcludeList(("n1",)), made_plan({"instances": 1}))
    check_exclude_list(ExcludeList(()), made_plan({"instances": 1}))
    plan = made_plan({"instances": 8}, batch={"max_blocks": 2, "nodes_per_block": 2}, nodes=5)
    check_exclude_list(ExcludeList(("n1",)), plan)
    assert caplog.text == ""
    check_exclude_list(ExcludeList(("n1", "n2")), plan)
    assert "2 nodes are excluded of the 5 of site made" in caplog.text
    assert "--set site.scheduler.max_blocks=1 fits" in caplog.text


def test_a_worker_starts_nothing_on_a_listed_node_by_either_form_of_its_name(tmp_path: Path) -> None:
    RunDirectory(tmp_path).excluded_nodes(1).write_text("n1\nn2.cluster\n")
    ordered = order(directory=str(tmp_path), excludes_nodes=True)
    refused = [
        node
        for node in ("n1", "n1.cluster", "n2", "n2.cluster", "n10", "n2.other", "n3")
        if reject_reason(ordered, None, 0.0, nodes=[node]) is not None
    ]
    assert refused == ["n1", "n1.cluster", "n2", "n2.cluster"]
    assert reject_reason(ordered, None, 0.0, nodes=["n3", "n1"]) == (
        "excluded",
        "not started: node n1 is on the campaign's exclude list",
    )
    assert reject_reason(ordered, None, 0.0, nodes=["n1", "n1.cluster", "n3", "n2"]) == (
        "excluded",
        "not started: nodes n1, n2 are on the campaign's exclude list",
    )
    gone = order(directory=str(tmp_path / "gone"), excludes_nodes=True)
    assert reject_reason(gone, None, 0.0, nodes=["n1"]) is None


def world(folder: Path, nodes_per_block: int, max_blocks: int) -> SimulatedCampaign:
    batch = {"max_blocks": max_blocks, "nodes_per_block": nodes_per_block}
    plan = made_plan({"name": "some", "instances": 24, "expected_runtime": "1 min"}, batch=batch)
    return SimulatedCampaign(folder, plan, CALM, draw=lambda order: SimulatedRun(1.0, 60.0))


@pytest.mark.parametrize(("nodes_per_block", "max_blocks"), [(3, 1), (1, 3)])
def test_nodes_that_the_batch_system_hands_out_all_the_same_get_no_instance_and_are_named(
    nodes_per_block: int, max_blocks: int, tmp_path: Path
) -> None:
    made = world(tmp_path, nodes_per_block, max_blocks)
    lists.note_exclude_list(made.book, made.row, ExcludeList(("n2",), "/slow.txt", "slow"))
    assert made.run() is RunOutcome.COMPLETE
    made.check()
    ran = {node for (node,) in made.rows("SELECT node FROM attempts WHERE state = 'succeeded'")}
    assert ran.isdisjoint({"n2"})
    assert len(ran) == (2 if nodes_per_block == 3 else 3)
    # What was handed to the node cost no retry, and no instance waits for it.
    assert {*made.rows("SELECT state, failure_reason FROM attempts WHERE node = 'n2'")} == {
        ("cancelled", "excluded")
    }
    [(subject, message)] = made.rows("SELECT subject, message FROM events WHERE kind = 'node_excluded'")
    assert subject == "n2"
    assert message == (
        "node n2 is on the campaign's exclude list, and a block has it (1 time); it gets no work, and is "
        "paid for until its block ends"
    )
    [listed] = made.book.events(made.row.campaign_id, kinds=[EventKind.EXCLUDE_LIST])
    assert listed.data is not None
    assert {**listed.data, "by": ""} == {"nodes": ["n2"], "source": "/slow.txt", "reason": "slow", "by": ""}
    made.close()


def test_a_launch_that_is_killed_once_it_is_registered_keeps_its_list(
    sqlite_url: str, tmp_path: Path
) -> None:
    plan = made_plan({"name": "some", "instances": 2}, batch={"nodes_per_block": 2})
    with Ledger.open(sqlite_url) as book:
        noted = lists.exclude_list_events(ExcludeList(("n2",), "/slow.txt"))
        row = launch._register(book, plan, "", "", tmp_path, tmp_path, noted)
        kinds = [event.kind for event in book.events(row.campaign_id)]
        assert EventKind.EXCLUDE_LIST in kinds
        assert lists.excluded_nodes(book, row.campaign_id) == ("n2",)


def test_the_latest_list_counts(tmp_path: Path) -> None:
    made = world(tmp_path, 3, 1)
    for nodes in (("n1", "n2"), ("n3",)):
        lists.note_exclude_list(made.book, made.row, ExcludeList(nodes))
    planned = lists.with_exclude_list(made.book, made.row, made.plan, 4)
    assert {one.excluded for one in planned.stages} == {("n3",)}
    assert RunDirectory(tmp_path).excluded_nodes(4).read_text() == "n3\n"
    lists.note_exclude_list(made.book, made.row, ExcludeList(()))
    assert lists.with_exclude_list(made.book, made.row, made.plan, 5) == made.plan
    made.close()


class Scheduler:
    """Refuses requests without some nodes."""

    def __init__(self, refused: tuple[str, ...]) -> None:
        self.refused = refused
        self.asked: list[tuple[str, ...]] = []

    def submit(self, request: JobRequest, script: Path) -> Submitted:
        self.asked.append(request.exclude_nodes)
        if set(request.exclude_nodes) & set(self.refused):
            raise SchedulerError("sbatch: error: Invalid node name specified")
        return Submitted("7")


def block_jobs(
    folder: Path, refused: tuple[str, ...], listed: tuple[str, ...], **site: Any
) -> tuple[BlockJobs, Scheduler]:
    plan = lists.without_nodes(made_plan({"instances": 8}, batch={"max_blocks": 2}, **site), listed)
    batch: Any = plan.site.scheduler
    jobs, scheduler = BlockJobs(plan.site, batch, "c", folder, plan.stages[0]), Scheduler(refused)
    jobs._client = scheduler  # type: ignore[assignment]
    return jobs, scheduler


def test_the_request_leaves_out_listed_nodes_beside_those_that_failed(tmp_path: Path) -> None:
    jobs, scheduler = block_jobs(tmp_path, ("n9",), ("n1", "n2"))
    for node in ("n1", "n8"):
        jobs.exclude_node(node)
    assert jobs.submit("true", "b") == "7"
    jobs.exclude_node("n9")
    assert jobs.submit("true", "b") == "7"
    # Only what the driver added itself is taken back when the batch system refuses it.
    assert scheduler.asked == [("n1", "n2", "n8"), ("n1", "n2", "n8", "n9"), ("n1", "n2")]


def test_listed_nodes_count_among_those_that_a_small_machine_can_spare(tmp_path: Path) -> None:
    jobs, scheduler = block_jobs(tmp_path, (), ("n1", "n2"), nodes=5)
    for node in ("n3", "n4"):  # two blocks of a node need the others
        jobs.exclude_node(node)
    jobs.submit("true", "b")
    assert scheduler.asked == [("n1", "n2", "n3")]


def test_a_refused_list_is_named(tmp_path: Path) -> None:
    jobs, _ = block_jobs(tmp_path, ("n2",), ("n1", "n2", "n3", "n4"))
    with pytest.raises(
        SchedulerError, match=r"Invalid node name.*; the exclude list leaves out 4 nodes: n1, n2, n3, …"
    ):
        jobs.submit("true", "b")
    jobs, _ = block_jobs(tmp_path, ("n2",), ("n2",))
    jobs.exclude_node("n5")
    with pytest.raises(SchedulerError, match=r"the exclude list leaves out 1 node: n2$"):
        jobs.submit("true", "b")


def mixed(*others: str) -> Plan:
    """Return a plan on a pool of Slurm, beside pools of other types of schedulers."""
    plan = made_plan({"instances": 8}, batch={"max_blocks": 2}, nodes=3)
    facts = {"scheduler": {"walltime": "1 h"}, "node": {"cores": "0-1", "memory": "1 GiB"}, "interface": "lo"}
    pools: dict[str, Any] = {"cluster": {}, "own": {"scheduler": {"type": "local"}}}
    pools |= {kind: facts | {"scheduler": {"type": kind, "walltime": "1 h"}} for kind in others}
    site = Site.model_validate(plan.site.model_dump(exclude_unset=True) | {"pools": pools})
    stages = tuple(replace(one, site=site.pooled()["cluster"]) for one in plan.stages)
    return replace(plan, site=site, stages=stages)


def test_each_of_several_batch_systems_may_not_know_the_nodes_of_another(tmp_path: Path) -> None:
    for plan, asked in ((mixed("lsf"), [("n1", "far1"), ()]), (mixed(), [("n1", "far1")])):
        stage = lists.without_nodes(plan, ("n1", "far1")).stages[0]
        batch: Any = stage.site.scheduler
        jobs, scheduler = BlockJobs(stage.site, batch, "c", tmp_path, stage), Scheduler(("far1",))
        jobs._client = scheduler  # type: ignore[assignment]
        if len(asked) > 1:
            assert jobs.submit("true", "b") == "7"
        else:
            with pytest.raises(SchedulerError, match="the exclude list leaves out 2 nodes: n1, far1"):
                jobs.submit("true", "b")
        assert scheduler.asked == asked


def test_the_drivers_machine_is_no_node_to_exclude(caplog: pytest.LogCaptureFixture) -> None:
    host = socket.gethostname()
    with pytest.raises(CampaignError, match=f"{host} is the driver's own machine, pool own, which no other"):
        check_exclude_list(ExcludeList(("n1", host)), mixed())
    with pytest.raises(CampaignError, match=r"login7.org is the driver's own machine"):
        check_exclude_list(ExcludeList(("login7.org",)), mixed(), "login7")
    check_exclude_list(ExcludeList((host, "n2")), mixed(), "login7")
    assert "--set site.pools.cluster.scheduler.max_blocks=1 fits" in caplog.text
