"""Nodes that users exclude while a campaign runs, and what a killed driver leaves of that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.events import EventKind
from db.states import Action, RunOutcome
from db.writing.requests import Request
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.excluded_nodes import excluded_nodes
from orchestrator.lifecycle.requests.nodes import exclude_nodes
from orchestrator.rundir.layout import RunDirectory
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

CALM = FaultModel(seed=1, stragglers=0.0, queue_seconds=0.0, pool_seconds=0.0)


def world(folder: Path, **batch: object) -> SimulatedCampaign:
    """Return a campaign of 24 instances of a minute on three nodes of two slots."""
    settings = {"max_blocks": 3, "nodes_per_block": 1} | batch
    plan = made_plan({"name": "some", "instances": 24, "expected_runtime": "1 min"}, batch=settings)
    return SimulatedCampaign(folder, plan, CALM, draw=lambda order: SimulatedRun(1.0, 60.0))


def ask(made: SimulatedCampaign, action: Action, *nodes: str) -> None:
    request = Request(action, f"nodes {', '.join(nodes)}", nodes=nodes, reason="fan")
    made.book.request(made.row.campaign_id, request, "tests")


def after(made: SimulatedCampaign, seconds: float, what: Callable[[], object]) -> list[int]:
    """Let a user act after some seconds of the simulation; return where the moment will stand."""
    moments: list[int] = []

    def act() -> None:
        what()
        moments.append(made.machine.clock.now_us())

    made.machine.clock.after(seconds, act)
    return moments


def test_nothing_more_starts_on_a_node_that_is_excluded_while_the_campaign_runs(tmp_path: Path) -> None:
    made = world(tmp_path)
    moments = after(made, 90.0, lambda: ask(made, Action.EXCLUDE, "n2"))
    assert made.run() is RunOutcome.COMPLETE
    made.check()
    ran = "SELECT count(*) FROM attempts WHERE node = 'n2' AND state = 'succeeded' AND process_start_us"
    [excluded_us] = moments
    assert made.rows(f"{ran} < {excluded_us}") != [(0,)]
    assert made.rows(f"{ran} > {excluded_us + 5_000_000}") == [(0,)]
    assert made.rows("SELECT count(*) FROM instances WHERE state = 'done'") == [(24,)]
    assert {*made.rows("SELECT subject FROM events WHERE kind = 'node_excluded'")} == {("n2",)}
    [listed] = made.book.events(made.row.campaign_id, kinds=[EventKind.EXCLUDE_LIST])
    assert listed.message == "1 node (n2) excluded by tests: fan"
    assert listed.data == {"nodes": ["n2"], "source": "", "reason": "fan", "by": "tests"}
    made.close()


@pytest.mark.parametrize(("write", "after_commit"), [(3, True), (4, False), (5, True), (6, False)])
def test_an_excluded_node_stays_so_whenever_the_driver_is_killed(
    tmp_path: Path, write: int, after_commit: bool
) -> None:
    made = world(tmp_path)

    def ask_and_crash() -> None:
        ask(made, Action.EXCLUDE, "n2")
        made.book.crash_at[made.book.writes + write] = after_commit

    after(made, 90.0, ask_and_crash)
    while made.run() is RunOutcome.ABORTED:
        pass
    assert made.outcomes[-1] is RunOutcome.COMPLETE
    assert len(made.outcomes) == 2
    made.check()
    assert excluded_nodes(made.book, made.row.campaign_id) == ("n2",)
    assert len(list(made.book.events(made.row.campaign_id, kinds=[EventKind.EXCLUDE_LIST]))) == 1
    assert RunDirectory(Path(made.row.run_directory)).excluded_nodes(2).read_text() == "n2\n"
    made.close()


def test_what_cannot_be_excluded_is_refused_and_the_rest_holds_for_the_next_session(tmp_path: Path) -> None:
    made = world(tmp_path)
    made.write_texts(made.plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), SITE)
    ledger = str(made.book)

    def run(*words: str) -> list[dict[str, object]]:
        done = CliRunner().invoke(app, ["node", *words, "--ledger", ledger, "--json"])
        assert done.exit_code == 0, done.output
        found: list[dict[str, object]] = json.loads(done.stdout)
        return found

    [asked] = run("exclude", "toy", "n2,n3", "--because", "fan\n of rack 3")
    assert asked["applied"] is True
    assert re.fullmatch(r"toy: 2 nodes \(n2, n3\) excluded by \S+: fan of rack 3", str(asked["message"]))
    (tmp_path / "more.txt").write_text("# slow\nn3\nn4\n")
    [asked] = run("exclude", "toy", str(tmp_path / "more.txt"))
    assert re.fullmatch(r"toy: 1 node \(n4\) excluded by \S+: slow", str(asked["message"]))
    run("include", "toy", "n2")
    assert excluded_nodes(made.book, made.row.campaign_id) == ("n3", "n4")
    for nodes, included, message in (
        ("n3", False, "toy excludes n3 already"),
        ("n2", True, "n2 is not excluded; toy excludes n3, n4"),
        ("n[1-3]", False, "node exclude: 'n[1-3]' is no name of a node; write each node of a range"),
        ("gone.txt", False, "node exclude gone.txt: no such file"),
    ):
        with pytest.raises(CampaignError, match=re.escape(message)):
            exclude_nodes("toy", nodes, ledger=ledger, included=included)
    made.close()


SITE = json.dumps(
    {
        "site": "made",
        "interface": "lo",
        "node": {"cores": "0-1", "memory": "8 GiB"},
        "scheduler": {"type": "slurm", "walltime": "1 h"},
    }
)


def test_the_only_machine_of_a_site_is_not_excluded(tmp_path: Path) -> None:
    made = world(tmp_path)
    local = json.dumps({"site": "made", "node": {"cores": "0-1"}})
    made.write_texts(made.plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), local)
    with pytest.raises(CampaignError, match="site made of toy runs on one machine alone"):
        exclude_nodes("toy", "n1", ledger=str(made.book))
    made.close()
