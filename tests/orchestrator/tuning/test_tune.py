"""Tuning on simulated nodes whose contention is known, and requests that are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from db.events import EventKind
from db.ledger import Ledger
from db.queries.packed_runs import PackedRun, packed_runs
from db.reader import Reader
from db.states import RunOutcome
from orchestrator.catalog.registered_site import registered_site
from orchestrator.cli import app
from orchestrator.driver.stop_requests import StopLevel, StopRequests
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import launch as launching
from orchestrator.lifecycle.add import add
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions
from orchestrator.lifecycle.session.run_session import RunResult
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.virtual_clock import VirtualClock
from orchestrator.tuning import tune as tuning
from orchestrator.tuning.options import TuneOptions
from orchestrator.tuning.request import prepare
from orchestrator.tuning.tune import look, plan_first_pass, tune
from sites import load
from tests.orchestrator.lifecycle.test_changed_files import give_commands
from tests.orchestrator.simulation import campaign as simulated
from tests.orchestrator.simulation.journals import JournalMachine
from tests.workloads.external.files import description
from workloads.description import WorkloadError

CORES = 32
SITE = """
site: ours
scheduler: {type: slurm, walltime: 12 h, nodes_per_block: 4, max_blocks: 3}
interface: lo
node: {cores: 0-31, memory: 256 GiB}
slot: {cores: 4, memory: 8 GiB}
"""
GPU_SITE = """
site: ours
scheduler: {type: slurm, walltime: 12 h}
interface: lo
pools:
  cpu: {node: {cores: 0-7, memory: 32 GiB}}
  gpu:
    scheduler: {nodes_per_block: 8}
    node:
      cores: 0-31
      memory: 256 GiB
      gpus: {count: 4, memory: 40 GiB, sharing: mps, instances_per_gpu: 4}
    slot: {cores: 8, gpus: 1}
"""
Seconds = Callable[[int], float]


def contended(instances: int, knee: int) -> float:
    """Return the seconds of one of so many instances: less with more cores, more beyond a memory's knee."""
    alone = 5 / (CORES // instances) ** 0.8
    return alone * (1 + (instances / knee) ** 1.5)


class Cluster:
    """Nodes that take as long as a function of the instances on them says; launches and resumes run there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, seconds: Seconds) -> None:
        self.ledger = f"sqlite:///{folder}/ledger.sqlite"
        self.folder = folder
        self.seconds = seconds
        self.sessions = 0
        self.pools: list[str | None] = []
        self.stops: set[int] = set()
        self.fails: Callable[[AttemptOrder], bool] = lambda order: False
        monkeypatch.chdir(folder)
        (folder / "ours.yaml").write_text(SITE)
        monkeypatch.setattr(tuning.launch, "launch", self._launch)
        monkeypatch.setattr(tuning, "resume", self._resume)
        check = "orchestrator.lifecycle.add.check_whole"  # looks for sbatch
        monkeypatch.setattr(check, lambda planned: planned)

    def _launch(self, file: Path, options: LaunchOptions, **_: Any) -> RunResult:
        self.pools.append(options.pool)
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
        self.pools.append(options.pool)
        with Ledger(self.ledger) as book:
            row = book.campaign(name)
        site = registered_site(row)
        return self._run(
            make_plan(parse_campaign(row.campaign_yaml, "x"), site, node_facts(site), self.folder, name)
        )

    def _run(self, planned: Plan) -> RunResult:
        self.sessions += 1
        switch = StopRequests()
        machine = JournalMachine(VirtualClock(), FaultModel(stragglers=0.0), self._sample, 10.0)
        if self.sessions in self.stops:
            machine.clock.after(30.0, partial(switch.request, StopLevel.DRAIN))
        with Ledger(self.ledger) as book:
            row = book.campaign(planned.name)
            outcome = simulated.run(book, row, planned, machine, switch=switch)
        return RunResult(planned.name, outcome, planned.size, 0, 0, self.folder, self.ledger)

    def _sample(self, order: AttemptOrder) -> SimulatedRun:
        cores = int(re.findall(r"cores=(\d+)", order.label)[0])
        noise = Random(f"{order.label}/{order.attempt}").lognormvariate(0, 0.03)
        return SimulatedRun(5.0, self.seconds(CORES // cores) * noise, exit_code=int(self.fails(order)))


def ready_for(**changes: Any) -> Any:
    given = {"workload": "tests.toys.behave", "site": "ours.yaml", **changes}
    return prepare(TuneOptions(ledger="sqlite:///ledger.sqlite", **given))


@pytest.mark.parametrize("knee", [2, 8, 1000])
def test_the_best_shape_is_found_on_nodes_with_known_contention(
    knee: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=knee))
    found = tune(ready_for())
    best = found.tuned.recommendation.best
    assert best is not None
    assert found.outcome is RunOutcome.COMPLETE
    assert found.unfinished == ""
    truth = max((2**power for power in range(6)), key=lambda n: n / contended(n, knee))
    good = {best.instances} | {
        one.instances for one in found.tuned.shapes if one.benchmark in found.tuned.recommendation.as_good
    }
    assert truth in good
    worse = {one.benchmark: one.nodes for one in found.tuned.shapes} | {best.benchmark: 0}
    for label in found.tuned.recommendation.as_good:
        del worse[label]
    assert min(worse.values()) < best.nodes or best.nodes == 6  # a certainly worse one gets fewer fills
    assert max(one.nodes for one in found.tuned.shapes) <= 18
    assert found.tuned.unit == "instances/h per node"
    assert len(found.tuned.shapes) < 6 or knee == 8  # not the whole ladder
    assert found.planned_node_hours is not None  # of the points that were added
    assert found.tuned.held_node_hours is not None
    with Ledger(cluster.ledger) as book:  # the points that were added are planned by what the first took
        spec = parse_campaign(book.campaign("tune-behave-ours").campaign_yaml, "x")
    assert all(one.expected_runtime for one in spec.benchmarks[1:])
    sessions = cluster.sessions
    again = tune(ready_for())
    assert cluster.sessions == sessions
    assert again.outcome is None
    assert again.tuned == found.tuned


def test_an_interrupted_tuning_goes_on_with_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    cluster.stops = {2}
    first = tune(ready_for())
    assert first.outcome is RunOutcome.DRAINED
    assert "have not run" in first.unfinished
    assert look("tune-behave-ours", ready_for().options).unfinished == first.unfinished
    second = tune(ready_for())
    assert second.outcome is RunOutcome.COMPLETE
    assert second.unfinished == ""
    assert second.tuned.recommendation.best is not None


def test_a_stop_changes_no_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for folder, stops in (("whole", set[int]()), ("stopped", {3, 4})):
        (tmp_path / folder).mkdir()
        cluster = Cluster(tmp_path / folder, monkeypatch, partial(contended, knee=8))
        cluster.stops = stops
        result = tune(ready_for())
        while result.outcome is RunOutcome.DRAINED:
            result = tune(ready_for())
        found.append(result.tuned)
    whole, stopped = ([(one.benchmark, one.planned) for one in each.shapes] for each in found)
    assert whole == stopped
    assert found[0].recommendation.sentences == found[1].recommendation.sentences
    assert found[0].recommendation.open == ()
    assert len(dict(whole)) > len(set(dict(whole).values())) > 1


def test_waves_as_many_as_at_most_are_a_fixed_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cluster(tmp_path, monkeypatch, partial(contended, knee=8))
    found = tune(ready_for(at_most=6))
    assert {one.nodes for one in found.tuned.shapes} == {6}
    assert found.unfinished == ""


def test_waves_with_a_failed_instance_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    cluster.fails = lambda order: "cores=8]/0" in order.label
    found = tune(ready_for())
    assert found.outcome is RunOutcome.EXHAUSTED
    [hurt] = [one for one in found.tuned.shapes if one.instances == 4]
    assert hurt.partial == 1
    assert hurt.nodes == hurt.planned - 1


def test_a_slot_that_always_fails_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=1000))
    cluster.fails = lambda order: "cores=2]" in order.label
    found = tune(ready_for(waves=1))
    [dropped] = [why for label, why in found.tuned.recommendation.dropped.items() if "cores=2]" in label]
    assert dropped.startswith("never filled a node: ")
    assert found.tuned.recommendation.best is not None


def test_points_that_cannot_fit_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=1000))

    def with_peaks(reader: Reader, campaign: int) -> dict[str, list[PackedRun]]:
        return {
            name: [replace(one, peak_bytes=40 << 30) for one in runs]
            for name, runs in packed_runs(reader, campaign).items()
        }

    monkeypatch.setattr("orchestrator.tuning.result.packed_runs", with_peaks)
    found = tune(ready_for(waves=1))
    assert sorted(one.instances for one in found.tuned.shapes) == [1, 2, 4]
    best = found.tuned.recommendation.best
    assert best is not None
    assert best.instances == 4
    assert found.refused == {
        label: f"{number} instances of 40.00 GiB, the peak with 4 per node, need {40 * number}.00 GiB; the "
        "node has 230.40 GiB for them"
        for label, number in (("c4", 8), ("c2", 16), ("c1", 32))
    }
    text = CliRunner().invoke(
        app, ["workload", "tune", "x", "--report", "--name", "tune-behave-ours", "--ledger", cluster.ledger]
    )
    assert "not tried    c4: 8 instances of 40.00 GiB" in text.output


def test_other_parameters_or_another_site_need_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    tune(ready_for(waves=1))
    changed = ready_for(overrides=("behave.seconds=9",))
    with pytest.raises(
        CampaignError, match="launched with other parameters; give this tuning another --name"
    ):
        tune(changed)
    (tmp_path / "theirs.yaml").write_text(SITE.replace("site: ours", "site: theirs"))
    elsewhere = ready_for(site="theirs.yaml", name="tune-behave-ours")
    with pytest.raises(CampaignError, match="is of site ours, not of theirs"):
        tune(elsewhere)
    monkeypatch.setenv("ORCHESTRATOR_SITE", "theirs.yaml")
    by_default = ready_for(site=None, name="tune-behave-ours")
    with pytest.raises(CampaignError, match="is of site ours, not of theirs; name its site with --site"):
        tune(by_default)


def test_a_campaign_of_other_sweeps_is_no_tuning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    tune(ready_for(waves=1, name="mine"))
    (tmp_path / "more.yaml").write_text(
        "benchmarks: [{workload: tests.toys.behave, name: other, instances: 1, timeout: 60}]"
    )
    add("mine", tmp_path / "more.yaml", ledger=cluster.ledger)
    with pytest.raises(CampaignError, match="compares more than slots of one node for one workload"):
        look("mine", ready_for().options)


def test_blocks_are_of_one_node_and_the_plan_names_every_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    made = plan_first_pass(ready_for(overrides=("behave.expected_runtime=36",)))
    assert {(one.blocks, one.nodes_per_block) for one in made.stages} == {(1, 1)}
    assert [(one.name, one.instances) for one in made.benchmarks] == [
        ("behave[cores=32]", 6), ("behave[cores=8]", 24), ("behave[cores=2]", 96), ("behave[cores=1]", 192),
    ]  # fmt: skip
    assert made.node_hours == pytest.approx(4 * 6 * 36 / 3600)
    assert made.campaign.start == "synchronized"
    assert all(one.shape.memory_bytes is None for one in made.benchmarks)


def test_the_pool_with_gpus_is_tuned_in_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(GPU_SITE)
    made = plan_first_pass(ready_for(overrides=("site.pool=gpu",)))
    assert [(one.name, one.pool, len(one.slots)) for one in made.benchmarks] == [
        ("behave[cores=8,gpus=1]", "gpu", 4),
        ("behave[cores=2,gpus=1of4]", "gpu", 16),
    ]
    assert {(one.blocks, one.nodes_per_block) for one in made.stages} == {(1, 1)}


@pytest.mark.parametrize("here", [True, False])
def test_an_allocation_is_of_the_pool_that_is_tuned(
    here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    (tmp_path / "ours.yaml").write_text(f"{SITE}pools: {{big: {{}}, small: {{node: {{cores: 0-7}}}}}}\n")
    give_commands(tmp_path, monkeypatch, squeue="echo 'RUNNING|1:00:00'", scontrol="echo n1")
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    ready = ready_for(waves=1, here=here)
    assert {one.pool for one in plan_first_pass(ready).benchmarks} == {"big"}
    tune(ready)
    assert len(cluster.pools) > 1
    assert set(cluster.pools) == {"big" if here else None}


def test_gpus_that_none_may_share_have_one_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CampaignError, match=r"only one slot shape \(c7-g1\).*lets none share a GPU"):
        ready_for(site="frontier")


def test_errors_of_the_made_campaign_name_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    with pytest.raises(CampaignError, match=r"^class: rulebook none has 'ensemble', not 'base'$"):
        plan_first_pass(ready_for(workload="lstm", like="demo", overrides=("campaign.rulebook=none",)))


def test_ranks_and_cores_are_both_tried_where_a_workload_has_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE.replace("0-31", "0-7"))
    made = plan_first_pass(ready_for(workload="nt3"))
    shapes = [(one.shape.ranks, one.shape.cores) for one in made.benchmarks]
    assert shapes == [(1, 8), (1, 2), (1, 1), (2, 4), (1, 4)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workload": "lstn"}, "lstm"),
        ({"site": "nowhere.yaml"}, "site file nowhere.yaml does not exist"),
        ({"like": "demo"}, "demo.yaml: no benchmark runs tests.toys.behave; it has p1b1, p3b1"),
        ({"like": "demmo"}, "did you mean demo"),
        (
            {"overrides": ("behave.instances=3",)},
            "instances=3: tune chooses slots, instances and their start",
        ),
        ({"overrides": ("behave.slot.cores=3",)}, "leave it out"),
        ({"overrides": ("campaign.start=independent",)}, "leave it out"),
        ({"name": "a b"}, "--name 'a b': must be of letters, digits"),
        ({"overrides": ("site.node.cores=5",)}, "cores is a list in quotes"),
        ({"overrides": ('site.node.cores="5"',)}, r"only one slot shape \(c1\) fills a node of site ours"),
    ],
)
def test_a_wrong_request_is_refused(
    changes: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    with pytest.raises((CampaignError, WorkloadError), match=message):
        ready_for(**changes)


def test_parameters_data_and_durations_come_from_another_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    ready = ready_for(workload="p3b1", like="demo", overrides=("p3b1.epochs=2",))
    [first, *_] = plan_first_pass(ready).benchmarks
    assert first.parameters["shared_width"] == 200
    assert first.parameters["epochs"] == 2
    assert first.timeout_seconds == 180
    assert first.expected_seconds == 15
    assert first.make is not None
    assert ready.data["rulebook"] == "coral2"
    assert ready.name == "tune-p3b1-ours"


def test_what_times_depend_on_comes_from_another_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    (tmp_path / "mine.yaml").write_text(
        "{campaign: mine, rulebook: none, class: ensemble, processes: warm, start: synchronized,\n"
        "start_timeout: 99, grace_period: 3, benchmarks: [\n"
        "{workload: lstm, instances: 1, timeout: 60, processes: fresh}]}\n"
    )
    campaign = plan_first_pass(ready_for(workload="lstm", like="mine.yaml")).campaign
    assert (campaign.processes, campaign.start_timeout, campaign.grace_period) == ("warm", 99, 3)
    assert {one.processes for one in campaign.benchmarks} == {"fresh"}


def test_errors_of_another_campaign_name_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    (tmp_path / "mine.yaml").write_text(
        "campaign: mine\nbenchmarks:\n  - {workload: lstm, instances: 1, timeout: x}\n"
    )
    with pytest.raises(CampaignError, match=r"mine\.yaml: line 3"):
        ready_for(workload="lstm", like="mine.yaml")


def test_a_workload_file_with_a_name_in_unicode_is_tuned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours.yaml").write_text(SITE)
    (tmp_path / "größe.yaml").write_text(json.dumps(description()))
    ready = ready_for(workload="größe.yaml", overrides=("größe.timeout=5 min",))
    assert ready.name == "tune-gr__e-ours"
    assert [one.name for one in plan_first_pass(ready).benchmarks][-1] == "größe[cores=1]"


def test_every_stage_is_an_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster(tmp_path, monkeypatch, partial(contended, knee=12))
    tune(ready_for(waves=1))
    with Ledger(cluster.ledger) as book:
        number = book.campaign("tune-behave-ours").campaign_id
        added = [one.message for one in book.events(number, kinds=[EventKind.CAMPAIGN_EXTENDED])]
    assert added[0] == "added 52 instances of behave-2 (3 points)"
