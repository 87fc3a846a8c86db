"""Plans as people read them: slots as a picture of the node, stages with their blocks, submit scripts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sites
from orchestrator.cli import app
from orchestrator.cli.terminal import plan_view
from orchestrator.cli.terminal.slot_picture import draw_slots
from orchestrator.cli.terminal.slow_notice import reading_notice
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.site_facts import slot_maps
from sites import Site
from tests.harness import ROOT, wait_for

CAMPAIGN: dict[str, Any] = {
    "campaign": "friday",
    "benchmarks": [
        {"workload": "lstm", "instances": 200, "timeout": "1 h", "expected_runtime": "30 min"},
        {"workload": "resnet50", "instances": 2, "timeout": "6 h", "expected_runtime": "3 h"},
    ],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SBATCH_ACCOUNT", "abc123")
    monkeypatch.setenv("PROJECT", "ABC123")
    (tmp_path / "friday.yaml").write_text(json.dumps(CAMPAIGN))


def plan(*options: str) -> Any:
    return CliRunner().invoke(app, ["plan", "friday.yaml", *options])


def test_a_command_cannot_prove_the_gpus_that_its_slot_has(tmp_path: Path) -> None:
    text = (ROOT / "tests/toys/external/modern.yaml").read_text()
    (tmp_path / "own.yaml").write_text(text.replace("name: modern", "name: alexnet"))
    (tmp_path / "modern.py").touch()
    for gpus in (1, 0):
        benchmark = {"workload": "own.yaml", "instances": 1, "timeout": "1 h", "slot": {"gpus": gpus}}
        (tmp_path / "friday.yaml").write_text(json.dumps(CAMPAIGN | {"benchmarks": [benchmark]}))
        shown = " ".join(plan("--site", "perlmutter").stdout.split())
        sentence = "no instance can prove its GPUs: an external command names none that it opened"
        assert (sentence in shown) is bool(gpus), shown


def test_a_picture_shows_whose_each_core_and_gpu_is() -> None:
    site = Site.model_validate(
        {
            "site": "test",
            "scheduler": {"type": "slurm", "walltime": 60},
            "node": {
                "cores": "0-1,3-8",
                "numa_domains": ["0-3", "4-7", "8-11"],
                "memory": "8 GiB",
                "gpus": {
                    "count": 2,
                    "memory": "8 GiB",
                    "sharing": "mps",
                    "instances_per_gpu": 2,
                    "gpu_cores": ["0-3", "4-7"],
                },
            },
            "slot": {"cores": 2, "gpus": "1/2"},
            "interface": "ib0",
        }
    )
    node, (default,) = slot_maps(site)
    cores = [line for line in draw_slots(node, default.slots) if line.startswith("numa")]
    assert [len(line.split()[2]) for line in cores] == [3, 4, 1]  # core 2, and 9 to 11, are the system's
    drawn = "".join(line.split()[2] for line in cores)
    slots = range(len(default.slots))
    assert [drawn.count(str(slot)) for slot in slots] == [2] * len(default.slots)
    gpus = [line.split()[2] for line in draw_slots(node, default.slots) if line.startswith("gpu")]
    assert sorted("".join(gpus)) == [str(slot) for slot in slots]
    assert max(map(len, gpus)) == 2


def test_a_node_without_gpus_has_only_cores() -> None:
    site = Site.model_validate(
        {"site": "test", "node": {"cores": "0", "numa_domains": ["0"], "memory": "1 GiB"}}
    )
    node, (default,) = slot_maps(site)
    assert draw_slots(node, default.slots) == ["numa 0  0"]


RANGES = ("nodes_per_block=4..64", "walltime=30 min..12 h", "max_blocks=6")


def test_ranges_of_blocks_are_shown() -> None:
    words = [word for setting in RANGES for word in ("--set", f"site.scheduler.{setting}")]
    first, second = plan("--site", "perlmutter", *words).stdout.split("stage 2:")
    blocks = "blocks: up to 6 of 4 to 50 nodes, walltime 30 min 00 s to 12 h 00 min"
    assert blocks in " ".join(first.split())
    assert "of 16 to 32 nodes, walltime 30 min" in " ".join(second.split())  # each instance spans 16
    stated = json.loads(plan("--site", "perlmutter", *words, "--json").stdout)["stages"][0]["block_range"]
    assert (stated["least_nodes"], stated["most_walltime_seconds"], stated["max_blocks"]) == (4, 43200.0, 6)
    assert json.loads(plan("--site", "perlmutter", "--json").stdout)["stages"][0]["block_range"] is None


def test_a_plan_for_perlmutter() -> None:
    ended = plan("--site", "perlmutter")
    assert ended.exit_code == 0, ended.output
    first, second = ended.stdout.split("stage 2:")
    assert "202 instances" in first
    assert "slots of 32 cores, 1 GPU, 60.0 GiB, 4 a node, 128 at once; 200 instances in 2 waves" in first
    assert "blocks: 2 of 16 nodes, walltime 6 h 00 min" in first
    assert "  numa 0  " + "3" * 32 in first  # each GPU with the cores that are near it
    assert "  gpu 3   3" in first
    wanted = sites.load("perlmutter")[0].slots["resnet50"]
    assert f"slots of {wanted.ranks} ranks of {wanted.cores} cores, 1 GPU" in second
    assert f"over {wanted.nodes} nodes" in second
    assert "in all about" in second


@pytest.mark.parametrize(
    ("hours", "shown"), [(1234.56, "1,234.6"), (10.0, "10.0"), (1.26, "1.3"), (0.0042, "0.0042"), (0.0, "0")]
)
def test_few_node_hours_have_two_digits(hours: float, shown: str) -> None:
    assert plan_view._node_hours(hours) == f"{shown} node-hours"


def test_a_plan_for_pools(tmp_path: Path) -> None:
    content = {**CAMPAIGN, "rulebook": "none"}
    content["benchmarks"] = [
        {"workload": "tests.toys.behave", "name": name, "instances": 4, "timeout": 60, "pools": [name]}
        for name in ("gpu", "cpu")
    ]
    (tmp_path / "friday.yaml").write_text(json.dumps(content))
    ended = plan("--site", "perlmutter-pools")
    assert ended.exit_code == 0, ended.output
    assert "stages of different pools run side by side" in ended.stdout
    assert "stage 1 on pool gpu: slots of 32 cores, 1 GPU" in ended.stdout
    assert "stage 2 on pool cpu: slots of 32 cores, 60.0 GiB, 8 a node, 8 at once" in ended.stdout
    assert "shares of pool cpu are of 3,072 nodes, as the site file states" in ended.stdout
    made = json.loads(plan("--site", "perlmutter-pools", "--json").stdout)
    assert [one["pool"] for one in made["stages"]] == ["gpu", "cpu"]
    first, second = plan("--site", "perlmutter-pools", "--script").stdout.split("# stage 2: cpu.c32-")
    assert "#SBATCH --constraint=gpu\n" in first
    assert "#SBATCH --constraint=cpu\n" in second
    one_pool = plan("--site", "perlmutter-pools", "--set", "site.pool=cpu")
    assert one_pool.exit_code == 1
    assert "benchmark gpu: the site has no pool gpu to use" in str(one_pool.exception)


def test_money_and_co2_stand_beside_node_hours() -> None:
    assert "money" not in plan("--site", "perlmutter").stdout
    assert "cost" not in json.loads(plan("--site", "perlmutter", "--json").stdout)
    priced = ("--set", "site.cost={node_hour: 2, currency: EUR, co2_per_kwh: 300}")
    shown = plan("--site", "perlmutter", *priced).stdout
    assert "no energy of" in " ".join(shown.split())
    found = json.loads(plan("--site", "perlmutter", *priced, "--json").stdout)
    hours = sum(one["node_hours"] for one in found["stages"])
    assert found["cost"]["money"] == pytest.approx(2 * hours)
    assert (found["cost"]["co2_grams"], found["cost"]["at_most"]) == (None, False)
    powered = (*priced, "--set", "site.cost.node_watts=1000", "--set", "lstm.expected_runtime=null")
    found = json.loads(plan("--site", "perlmutter", *powered, "--json").stdout)["cost"]
    assert found["at_most"]
    assert found["co2_grams"] == pytest.approx(300 * found["node_hours"])
    shown = " ".join(plan("--site", "perlmutter", *powered).stdout.split())
    assert "money: at most" in shown
    assert "at 1000 W a node by the site file, not measured" in shown


def test_a_plan_says_how_long_retries_may_take_and_refuses_what_no_block_holds(tmp_path: Path) -> None:
    longer = {**CAMPAIGN, "rulebook": "none", "retries": {"walltime": "x2"}}
    longer["benchmarks"] = [{"workload": "tests.toys.behave", "instances": 4, "timeout": "2 h"}]
    (tmp_path / "friday.yaml").write_text(json.dumps(longer))
    shown = " ".join(plan("--site", "perlmutter").stdout.split())
    assert "tried again with 2 times as long a timeout, up to 4 h 00 min" in shown
    refused = plan("--site", "perlmutter", "--set", "campaign.retries.walltime=x3")
    assert refused.exit_code == 1
    said = "a retry may take 6 h 00 min by retries.walltime, and a block has 6 h 00 min"
    assert said in " ".join(refused.output.split()) or said in str(refused.exception)


def test_a_plan_says_which_slots_retries_may_have_and_refuses_what_no_node_has(tmp_path: Path) -> None:
    larger = {**CAMPAIGN, "rulebook": "none", "retries": {"memory": "x1.5", "benchmark": 2}}
    slot = {"cores": 8, "gpus": 1, "memory": "100 GiB"}
    benchmark = {"workload": "tests.toys.behave", "instances": 4, "timeout": "1 h"}
    larger["benchmarks"] = [
        {**benchmark, "slot": slot},
        {**benchmark, "name": "full", "slot": {"cores": 65}},
    ]
    (tmp_path / "friday.yaml").write_text(json.dumps(larger))
    text = " ".join(plan("--site", "perlmutter").stdout.split())
    assert (
        "behave: an instance that ran out of memory is tried again with 150 GiB a rank, 1 slot on a" in text
    )
    assert "behave: an instance that ran out of memory 2 times is tried again with 225 GiB a rank" in text
    assert "full: no node has a slot with more memory; a retry has the same" in text
    facts = json.loads(plan("--site", "perlmutter", "--json").stdout)
    assert [one["out_of_memory"] for one in facts["retry_stages"]] == [1, 2]
    assert len(facts["stages"]) == 2
    refused = plan("--site", "perlmutter", "--set", "campaign.benchmarks.behave.slot.memory=240 GiB")
    assert refused.exit_code == 1


def test_a_plan_says_how_much_disk_retries_have(tmp_path: Path) -> None:
    slot = {"cores": 8, "gpus": 1}
    benchmark = {"workload": "tests.toys.behave", "instances": 4, "timeout": "1 h"}
    content = {**CAMPAIGN, "rulebook": "none", "retries": {"disk": "x2"}}
    content["benchmarks"] = [
        {**benchmark, "slot": slot},
        {**benchmark, "name": "full", "slot": {"cores": 65}},
    ]
    (tmp_path / "friday.yaml").write_text(json.dumps(content))
    text = " ".join(plan("--site", "perlmutter").stdout.split())
    said = "behave: an instance that ran out of disk is tried again with 50 % of a node's disk"
    assert f"{said}, 2 slots on a node" in text
    assert "full: no node has a slot with more disk; a retry has the same" in text
    sized = " ".join(plan("--site", "perlmutter", "--set", "site.node.disk=1.6 TB").stdout.split())
    assert f"{said} (745 GiB), 2 slots on a node" in sized
    [found] = json.loads(plan("--site", "perlmutter", "--json").stdout)["retry_stages"]
    assert (found["out_of_memory"], found["out_of_disk"]) == (0, 1)
    assert (found["slot"]["disk_share"], found["slots_per_node"]) == (0.5, 2)
    refused = plan("--site", "perlmutter", "--set", "campaign.benchmarks.behave.slot.cores=65")
    assert refused.exit_code == 1


def test_the_scripts_of_a_plan_are_those_of_its_stages() -> None:
    ended = plan("--site", "perlmutter", "--script")
    assert ended.exit_code == 0, ended.output
    first, second = ended.stdout.split("# stage 2: ")
    for script in (first, second):
        assert "#!/bin/bash\n#SBATCH --job-name=eto-" in script
        assert "#SBATCH --account=abc123\n" in script
        assert "process_worker_pool.py ..." in script
    assert "srun --nodes=16" in first
    assert "ORCHESTRATOR_BLOCK_NODES" in second  # instances of several nodes are placed from one of them
    assert "qsub" not in ended.stdout
    assert "#PBS -A ABC123\n" in plan("--site", "polaris", "--script").stdout


def test_a_script_that_is_only_shown_needs_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SBATCH_ACCOUNT")
    ended = plan("--site", "perlmutter", "--script")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.count("#SBATCH --account=$SBATCH_ACCOUNT\n") == 2


def test_this_machine_submits_nothing(tmp_path: Path) -> None:
    (tmp_path / "friday.yaml").write_text(json.dumps(CAMPAIGN | {"benchmarks": CAMPAIGN["benchmarks"][:1]}))
    assert "has no batch system: nothing is submitted" in plan("--site", "local", "--script").stdout


def test_of_many_benchmarks_some_are_listed(tmp_path: Path) -> None:
    many = [{"workload": "lstm", "name": f"b{k}", "instances": 1, "timeout": 60} for k in range(1234)]
    (tmp_path / "friday.yaml").write_text(json.dumps({"campaign": "friday", "benchmarks": many}))
    shown = plan().stdout.splitlines()
    assert "and 1,034 more benchmarks; --json lists all" in shown
    assert sum(line.startswith("b") and " lstm " in line for line in shown) == 200
    stages = json.loads(plan("--json").stdout)["stages"]
    assert sum(len(stage["benchmarks"]) for stage in stages) == 1234


def test_reading_that_takes_long_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.cli.terminal.slow_notice.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr", printed := io.StringIO())  # capfd loses what is written as it is read
    line = "reading and checking friday.yaml (0.0 MiB) …\n"
    with reading_notice("friday.yaml"):
        wait_for(lambda: line in printed.getvalue(), "the announcement")
    assert printed.getvalue().startswith(line)


def test_a_file_of_sixty_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    with (tmp_path / "friday.yaml").open("wb") as file:
        file.truncate(60 << 20)
    with pytest.raises(CampaignError, match=r"^campaign file friday.yaml is larger than 8 MiB"):
        load_campaign("friday.yaml")


SITE = """
site: some
nodes: 100
interface: lo
scheduler: {type: slurm, walltime: 2 h, max_blocks: 3, nodes_per_block: 4}
node: {cores: '0-7', memory: 32 GiB}
slot: {cores: 2}
"""


def planned_instances(tmp_path: Path, *counts: object) -> list[int]:
    """Return the planned instances of benchmarks on a site of 48 slots."""
    (tmp_path / "some.yaml").write_text(SITE)
    benchmarks = [
        {"workload": "lstm", "name": f"b{k}", "instances": count, "timeout": "1 h"}
        for k, count in enumerate(counts)
    ]
    (tmp_path / "friday.yaml").write_text(json.dumps({"campaign": "friday", "benchmarks": benchmarks}))
    found = json.loads(plan("--site", "some.yaml", "--json").stdout)
    return [one["instances"] for stage in found["stages"] for one in stage["benchmarks"]]


def test_fill_is_as_many_as_run_at_once(tmp_path: Path) -> None:
    assert planned_instances(tmp_path, "fill", "fill x2", "fill x 3", 7) == [48, 96, 144, 7]
    assert "last wave" not in planned_text(tmp_path, "fill x2")


def planned_text(tmp_path: Path, *counts: object) -> str:
    planned_instances(tmp_path, *counts)
    return str(plan("--site", "some.yaml").stdout)


@pytest.mark.parametrize(
    ("instances", "hint"),
    [
        (
            50,
            "the last wave fills 2 of 48 slots: `instances: fill` takes as many as there are",
        ),
        (119, "the last wave fills 23 of 48 slots"),
        (120, ""),
        (96, ""),
        (2, ""),  # one wave, as when something is tried out
    ],
)
def test_fill_is_recommended_where_the_last_wave_is_mostly_idle(
    instances: int, hint: str, tmp_path: Path
) -> None:
    shown = planned_text(tmp_path, instances)
    assert hint in shown
    assert ("last wave" in shown) == bool(hint)


def test_each_benchmark_of_a_synchronized_start_has_its_own_last_wave(tmp_path: Path) -> None:
    (tmp_path / "some.yaml").write_text(SITE)
    benchmarks = [
        {"workload": "lstm", "name": f"b{k}", "instances": count, "timeout": "1 h"}
        for k, count in enumerate([50, 46])
    ]
    content = {"campaign": "friday", "rulebook": "none", "start": "synchronized", "benchmarks": benchmarks}
    (tmp_path / "friday.yaml").write_text(json.dumps(content))
    assert "the last wave fills 2 of 48 slots" in plan("--site", "some.yaml").stdout
    (tmp_path / "friday.yaml").write_text(json.dumps(content | {"start": "independent"}))
    assert "last wave" not in plan("--site", "some.yaml").stdout


def test_the_work_of_a_plan_grows_with_the_pools_and_not_with_their_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    asked: list[str] = []
    of_pool = Site._of_pool

    def counted(site: Site, name: str, own: dict[str, Any]) -> Site:
        made.append(name)
        return of_pool(site, name, own)

    def answer(interpreter: str, *_: object) -> set[str]:
        asked.append(interpreter)
        return set()

    monkeypatch.setattr(Site, "_of_pool", counted)
    monkeypatch.setattr("orchestrator.lifecycle.checks.packages.absent_packages", answer)
    pools = {f"p{number}": {"nodes": 4, "scheduler": {"partition": f"q{number}"}} for number in range(30)}
    machine = {"node": {"cores": "0-7", "memory": "32 GiB"}, "address": "127.0.0.1"}
    scheduler = {"type": "slurm", "walltime": "1 h"}
    Path("many.yaml").write_text(
        json.dumps({"site": "many", "scheduler": scheduler, "pools": pools, **machine})
    )
    benchmark = {"workload": "lstm", "instances": 200, "timeout": "1 h", "spread": True}
    Path("friday.yaml").write_text(
        json.dumps({"campaign": "friday", "rulebook": "none", "benchmarks": [benchmark]})
    )
    ended = plan("--site", "many.yaml")
    assert ended.exit_code == 0, ended.output
    assert len(made) < 15 * len(pools)
    assert len(asked) == 1
