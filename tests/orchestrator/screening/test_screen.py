"""Simulated nodes are screened, slow, failing and silent ones among them, up to the exclude list."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import update
from typer.testing import CliRunner, Result

from db.ledger import Ledger
from db.tables import campaigns
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli import app
from orchestrator.driver.stop_requests import StopLevel, StopRequests
from orchestrator.lifecycle import launch as launching
from orchestrator.lifecycle.checks.excluded_nodes import exclude_list
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions
from orchestrator.lifecycle.session.run_session import RunResult
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import Metric, Observed, TrainingResult
from orchestrator.screening import screen as screening
from orchestrator.screening.options import ScreenOptions
from orchestrator.screening.screen import plan, prepare
from orchestrator.simulation import machine as machines
from orchestrator.simulation.attempt import SimulatedAttempt
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.virtual_clock import VirtualClock
from sites import load, parse_mapping
from sites.resolved import dump
from tests.orchestrator.simulation import campaign as simulated
from tests.orchestrator.simulation.journals import JournalMachine

SITE = """
site: ours
nodes: 12
scheduler: {type: slurm, walltime: 2 h, nodes_per_block: 4, max_blocks: 3}
interface: lo
node: {cores: 0-3, memory: 16 GiB}
slot: {cores: 2, memory: 4 GiB}
"""
MESSAGES = ("links_4M", "links_64")
METRICS = {"gemm": "flop_per_second", "triad": "bytes_per_second", "read_bandwidth": "bytes_per_second"}
Speed = Callable[[str, str, int], float]
"""Share of the usual rate that a benchmark gets on a node's slot; 0 where it fails."""


def usual(benchmark: str, node: str, slot: int) -> float:
    return 1.0


class Cluster:
    """Nodes whose speed a function gives; launches and resumes of screenings run there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, speed: Speed = usual) -> None:
        self.ledger = f"sqlite:///{folder}/ledger.sqlite"
        self.folder = folder
        self.stops: set[int] = set()
        self.silent: set[str] = set()
        self.sessions = 0
        self.given: list[LaunchOptions | ResumeOptions] = []
        monkeypatch.chdir(folder)
        (folder / "ours.yaml").write_text(SITE)
        monkeypatch.setattr(screening.launch, "launch", self._launch)
        monkeypatch.setattr(screening, "resume", self._resume)
        monkeypatch.setattr(machines, "SimulatedAttempt", attempts_of(speed))

    def screen(self, *words: str) -> Result:
        """Run the command."""
        return CliRunner().invoke(app, ["node", "screen", *words, "--ledger", self.ledger])

    def found(self, *words: str) -> dict[str, Any]:
        """Return what the command prints as JSON."""
        ended = self.screen(*words, "--json")
        assert ended.stdout, ended.output
        found: dict[str, Any] = json.loads(ended.stdout)
        return found

    def _launch(self, file: Path, options: LaunchOptions, **_: Any) -> RunResult:
        self.given.append(options)
        overrides = options.overrides
        site = str(options.site)
        planned = launching.plan(file, PlanOptions(site=site, name=options.name, overrides=overrides))
        directory = self.folder / "runs" / planned.name
        directory.mkdir(parents=True)
        texts = load_campaign(file, overrides)[1], load(site, launching.site_settings(overrides))[1]
        with Ledger.open(self.ledger) as book:
            launching._register(book, planned, *texts, self.folder, directory)
        return self._run(planned)

    def _resume(self, name: str, options: ResumeOptions, **_: Any) -> RunResult:
        self.given.append(options)
        with Ledger(self.ledger) as book:
            row = book.campaign(name)
        spec, site = parse_campaign(row.campaign_yaml, "x"), registered_site(row)
        return self._run(make_plan(spec, site, node_facts(site), self.folder, name))

    def _run(self, planned: Plan) -> RunResult:
        self.sessions += 1
        switch = StopRequests()
        machine = JournalMachine(
            VirtualClock(), FaultModel(pool_seconds=1.0), lambda order: SimulatedRun(2.0, 5.0), 10
        )
        if self.sessions in self.stops:
            machine.clock.after(12.0, partial(switch.request, StopLevel.DRAIN))
        joins = machine.fault_model.pool
        late = lambda node: 1e6 if node in self.silent else joins(node)  # noqa: E731
        object.__setattr__(machine, "fault_model", LateNodes(machine.fault_model, late))
        with Ledger(self.ledger) as book:
            row = book.campaign(planned.name)
            outcome = simulated.run(book, row, planned, machine, switch=switch)
        return RunResult(planned.name, outcome, planned.size, 0, 0, self.folder, self.ledger)


class LateNodes:
    """A fault model some of whose nodes do not join in time."""

    def __init__(self, model: FaultModel, pool: Callable[[str], float]) -> None:
        self._model = model
        self.pool = pool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def attempts_of(speed: Speed) -> type[SimulatedAttempt]:
    """Return attempts that measure what a function says, with noise, and fail where it says 0."""

    class Attempt(SimulatedAttempt):
        def __init__(self, order: AttemptOrder, run: SimulatedRun, location: Any, *rest: Any) -> None:
            benchmark = order.label.partition("/")[0]
            self._speed = speed
            self._share = speed(benchmark, location.node, location.slot or 0)
            self._benchmark = benchmark
            super().__init__(
                order, run if self._share else SimulatedRun(2.0, 1.0, exit_code=1), location, *rest
            )

        def _result(self) -> TrainingResult:
            made = super()._result()
            if self._benchmark in MESSAGES:
                return self._links(made)
            noise = Random(self.order.label).gauss(1.0, 0.01)
            rate = Metric(METRICS[self._benchmark], 1e9 * self._share * noise)
            return TrainingResult(fom_seconds=made.fom_seconds, accuracy=1.0, metrics=(rate,))

        def _links(self, made: TrainingResult) -> TrainingResult:
            random = Random(self.order.label)
            names = [f"{self._location.node}-{number}" for number in range(self.order.nodes)]
            rates = {
                name: 1e9 * self._speed(self._benchmark, name, 0) * random.gauss(1.0, 0.01) for name in names
            }
            observed = Observed(facts={"links": {"bytes_per_second": rates}})
            return TrainingResult(fom_seconds=made.fom_seconds, accuracy=1.0, observed=observed)

    return Attempt


def bad_cable(benchmark: str, node: str, slot: int) -> float:
    return 0.8 if (benchmark, node) == ("links_4M", "n2-3") else 1.0


def test_a_node_with_a_slow_link_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, bad_cable)
    words = ["--site", "ours.yaml", "--set", "site.scheduler.nodes_per_block=6", "--nodes", "12"]
    ended = cluster.screen("wires", *words, "--workload", "links", "--output", "slow.txt")
    assert ended.exit_code == 5, ended.output
    found = cluster.found("wires", "--report")
    assert found["named"] == ["n2-3"]
    [bad] = [one for one in found["nodes"] if one["node"] == "n2-3"]
    assert (bad["verdict"], bad["slow_in"]) == ("slow", ["links_4M"])
    assert (len(found["nodes"]), found["asked_nodes"], found["silent"]) == (12, 12, [])
    assert [one["unit"] for one in found["benchmarks"]] == ["B/s", "B/s"]
    with Ledger(cluster.ledger) as book:
        slots = [json.loads(one.slot) for one in book.benchmarks(1)]
        parameters = [json.loads(one.parameters)["message_bytes"] for one in book.benchmarks(1)]
    assert [(one["nodes"], one["ranks"], one["cores"], one["slots"]) for one in slots] == [(6, 6, 4, 1)] * 2
    assert parameters == [4 << 20, 64]
    assert exclude_list("slow.txt").nodes == ("n2-3",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--workload", "links", "--workload", "gemm"], "it takes all nodes of a block, and other workloads"),
        (["--workload", "links", "--nodes", "7"], "blocks would have 1 node, and of fewer than 3 none can"),
        (["--workload", "links", "--nodes", "10"], "blocks would have 2 nodes, and of fewer than 3 none"),
    ],
)
def test_links_need_blocks_of_several_nodes_to_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    ended = Cluster(tmp_path, monkeypatch).screen("wires", "--site", "ours.yaml", *words)
    assert message in str(ended.exception)


def hurt(benchmark: str, node: str, slot: int) -> float:
    """Return speeds of nodes of which n3 has slow memory, n5 a slow slot, and n8 fails."""
    if node == "n8":
        return 0.0
    if node == "n5" and slot == 1 and benchmark == "gemm":
        return 0.6
    return 0.9 if node == "n3" and benchmark == "triad" else 1.0


def test_slow_and_failing_nodes_are_found_and_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, hurt)
    words = ["--site", "ours.yaml", "--waves", "3", "--output", "slow.txt", "--exclude", "n99"]
    ended = cluster.screen("night", *words)
    assert ended.exit_code == 5, ended.output
    found = cluster.found("night", "--report")
    assert found["named"] == ["n8", "n5", "n3"]
    verdicts = {one["node"]: (one["verdict"], one["slow_in"]) for one in found["nodes"]}
    assert len(verdicts) == found["asked_nodes"] == 12
    assert verdicts["n8"] == ("failing", [])
    assert verdicts["n3"][1][0] == "triad"
    assert verdicts["n5"][1] == ["gemm slot 1"]
    n3 = next(one for one in found["nodes"] if one["node"] == "n3")
    assert n3["relative"]["triad"] == pytest.approx(0.9, abs=0.02)
    assert n3["worst_benchmark"] == "triad"
    assert max(one["high"] for one in n3["slow"]) < 1 / 1.05
    # Of 12 waves, which an undecided node would have had.
    assert {one["waves"] for one in found["benchmarks"]} <= {4, 5, 6, 7, 8}
    assert n3["values"] == 2 * sum(one["waves"] for one in found["benchmarks"])
    assert (found["undecided"], found["waves"]) == ([], {"at_least": 3, "at_most": 12})
    assert found["rates_of_a_slot"]["most"] >= 3
    assert (found["silent"], found["unfinished"], found["no_verdict"]) == ([], "", None)
    assert found["held_node_minutes"] > found["planned_node_minutes"] * 0.1 > 0
    assert "n8: " in ended.output
    assert "verdict      3 of 12 nodes are failing or slow, 9 fine, 0 undecided" in ended.output
    assert "at most 1% of screenings call a node less than 5 % slower slow," in ended.output
    assert cluster.given[0].exclude == "n99"
    listed = exclude_list("slow.txt")
    assert listed.nodes == ("n8", "n5", "n3")
    assert listed.reason.startswith("screening night of site ours, 20")
    assert "3 of 12 nodes failing or slow, 0 undecided" in listed.reason
    text = (tmp_path / "slow.txt").read_text()
    assert "# slow: a node less than 5 % slower is named in at most 1% of screenings\n" in text
    assert "n3 # slow: triad at most 0.9" in text
    assert cluster.sessions == 1
    again = cluster.screen("night")  # nothing is left to do
    assert (again.exit_code, cluster.sessions) == (5, 1)


def test_equal_nodes_are_fine_after_the_fewest_waves_each_once_on_each_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    ended = cluster.screen("even", "--site", "ours.yaml", "--nodes", "6", "--output", "none.txt")
    assert ended.exit_code == 0, ended.output
    with Ledger(cluster.ledger) as book:
        question = "SELECT benchmark, node, slot_index, count(*) FROM accepted GROUP BY 1, 2, 3"
        rows = book.query(question)[1]
    assert len(rows) == 3 * 6 * 2
    assert {row[3] for row in rows} == {5}  # of six nodes, fewer waves prove nothing
    found = cluster.found("even", "--report")
    assert found["rates_of_a_slot"] == {"fewest": 5, "most": 5}
    assert (found["asked_nodes"], found["named"], found["undecided"]) == (6, [], [])
    assert "no node is failing or slow, 6 fine, 0 undecided" in ended.output
    assert exclude_list("none.txt").nodes == ()


def test_a_fixed_design_runs_all_of_its_waves_and_says_if_they_are_too_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch, hurt)
    words = ["--site", "ours.yaml", "--nodes", "6", "--waves", "2", "--at-most", "2"]
    ended = cluster.screen("fixed", *words)
    assert ended.exit_code == 0, ended.output
    assert "no verdict   2 waves are too few to be certain of any of 6 nodes; give more with" in ended.output
    found = cluster.found("fixed", "--report")
    assert found["rates_of_a_slot"] == {"fewest": 2, "most": 2}
    with Ledger(cluster.ledger) as book:
        former = parse_mapping(book.campaign("fixed").campaign_yaml, "x")
    del former["screen"]  # as versions without looks registered it
    with Ledger(cluster.ledger) as book, book._transaction() as connection:
        connection.execute(update(campaigns).values(campaign_yaml=dump(former)))
    assert cluster.found("fixed", "--report") == found


def test_a_node_that_is_about_as_slow_as_asked_is_undecided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    border = lambda benchmark, node, slot: 1 / 1.05 if node == "n3" and benchmark == "gemm" else 1.0  # noqa: E731
    cluster = Cluster(tmp_path, monkeypatch, border)
    ended = cluster.screen("border", "--site", "ours.yaml", "--nodes", "8", "--at-most", "6")
    assert ended.exit_code == 0, ended.output
    assert "verdict      no node is failing or slow, 7 fine, 1 undecided" in ended.output
    assert "undecided    n3: gemm slot " in ended.output
    assert "to decide    1 " in ended.output
    found = cluster.found("border", "--report")
    assert (found["undecided"], found["named"]) == (["n3"], [])
    assert {one["name"]: one["waves"] for one in found["benchmarks"]}["gemm"] == 6
    assert {one["waves"] for one in found["benchmarks"] if one["name"] != "gemm"} <= {4, 5}


def test_a_stopped_screening_goes_on_by_its_name_and_writes_nothing_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    cluster.stops = {1}
    first = cluster.screen(
        "night", "--site", "ours.yaml", "--nodes", "4", "--waves", "2", "--output", "slow.txt"
    )
    assert first.exit_code == 4, first.output
    assert "instances have not run; `orchestrator node screen night` goes on" in first.output
    assert "not written  slow.txt: the screening is unfinished" in first.output
    assert not (tmp_path / "slow.txt").exists()
    shown = cluster.screen("night", "--report")
    assert (shown.exit_code, cluster.sessions) == (4, 1)
    other = cluster.screen("night", "--nodes", "4", "--waves", "2")
    assert other.exit_code == 2
    shown = " ".join(other.output.replace("│", " ").split())
    assert "goes on as it was launched; leave out --nodes, --waves" in shown
    second = cluster.screen("night", "--output", "slow.txt")
    assert (second.exit_code, cluster.sessions) == (0, 2), second.output
    assert (tmp_path / "slow.txt").is_file()


def test_nodes_that_do_not_answer_are_said_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    cluster.silent = {"n2", "n3"}
    ended = cluster.screen("night", "--site", "ours.yaml", "--nodes", "8", "--waves", "1")
    assert "2 of 4 nodes of block 0 (job simulated-0) answered nothing" in ended.output
    assert "nodes: 6 of 8 asked for" in ended.output


def test_few_nodes_are_shown_and_not_judged_and_a_workload_that_fails_everywhere_blames_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch, lambda name, node, slot: 0.0 if name == "gemm" else 0.5)
    ended = cluster.screen("few", "--site", "ours.yaml", "--nodes", "4", "--waves", "1")
    assert ended.exit_code == 3, ended.output
    assert "4 nodes have rates; at least 5 are compared; failing nodes alone are named" in ended.output
    assert "not judged   gemm failed on 4 nodes, so no node is to blame" in ended.output
    found = cluster.found("few", "--report")
    assert (found["named"], len(found["nodes"])) == ([], 4)


@pytest.mark.parametrize(
    ("nodes", "blocks"),
    [(None, (3, 4)), (1, (1, 1)), (8, (2, 4)), (12, (3, 4)), (6, (2, 3)), (7, (7, 1)), (3, (1, 3))],
)
def test_blocks_sum_to_the_nodes_asked_for(
    nodes: int | None, blocks: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Cluster(tmp_path, monkeypatch)
    [stage] = plan(prepare(ScreenOptions(site="ours.yaml", nodes=nodes))).stages
    assert (stage.blocks, stage.nodes_per_block) == blocks
    assert [one.instances for one in stage.benchmarks] == [12 * stage.width] * 3
    assert {one.parameters["seconds"] for one in stage.benchmarks} == {6.667}


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["--nodes", "13"], 1, "--nodes 13: site ours has 12"),
        (["--nodes", "0"], 2, "Invalid value for '--nodes'"),
        (["--seconds", "nan"], 2, "give 0.001 to 86,400 s, not nan"),
        (["--at-most", "2"], 1, "--at-most 2 is less than --waves 3"),
        (["--difference", "0"], 2, "Invalid value for '--difference'"),
        (["--pool", "gpu"], 1, "site ours has no pool gpu; it has none"),
        (["--workload", "gem"], 1, "did you mean gemm"),
        (["a b"], 1, "'a b'"),
        (["--report"], 2, "name the screening"),
        (["--force"], 2, "--force is for --output FILE"),
        (["--output", "none/slow.txt"], 2, "none/slow.txt cannot be written in none"),
        (["--output", "ours.yaml"], 2, "ours.yaml exists; --force replaces it"),
        (["--output", "x", "--dry-run"], 2, "--dry-run measures nothing"),
        (["sunday", "--report"], 1, "sunday"),
    ],
)
def test_bad_requests_are_refused(
    words: list[str], code: int, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    with Ledger.open(cluster.ledger):
        pass
    ended = cluster.screen(*words, *([] if "--report" in words else ["--site", "ours.yaml"]))
    shown = " ".join([*ended.output.replace("│", " ").split(), str(ended.exception)])
    assert (ended.exit_code, expected in shown) == (code, True), shown
    assert cluster.sessions == 0


@pytest.mark.parametrize(
    "text",
    # '': a simulated campaign
    [
        """'{campaign: night, rulebook: none, benchmarks: [{workload: gemm, instances: 1, timeout: 60}]}'""",
        "''",
    ],
)
def test_a_campaign_that_is_no_screening_is_neither_resumed_nor_judged(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    assert cluster.screen("night", "--site", "ours.yaml", "--nodes", "1").exit_code in (0, 5)
    with Ledger(cluster.ledger) as book, book._transaction() as connection:
        connection.exec_driver_sql(f"UPDATE campaigns SET campaign_yaml = {text}")
    ended = cluster.screen("night")
    assert "campaign night is no screening; `orchestrator node rank night` ranks its nodes" in str(
        ended.exception
    )


def test_a_dry_run_shows_waves_and_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch)
    ended = cluster.screen("--site", "ours.yaml", "--dry-run")
    assert ended.exit_code == 0, ended.output
    # 12 nodes, 9 runs of 16.7 s, and up to 36
    assert "node-minutes 30 if all is certain after 3 waves, 120 at the most," in ended.output
    assert cluster.sessions == 0
