"""A resume may go on by another site; what its accepted instances rely on does not change."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

import orchestrator
from db.documents import read_documents
from db.ledger import Ledger
from db.reader import Reader
from db.records import BlockRecord
from orchestrator import ResumeOptions
from orchestrator.catalog.registered_site import registered_places
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import changed_campaign
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.rulebooks.model import RuleResult
from sites import Site, parse
from tests.db.rows import T0
from tests.orchestrator.lifecycle.test_resume_as_registered import Registered


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registered:
    monkeypatch.chdir(tmp_path)
    return Registered(tmp_path)


def texts(toy: Registered) -> tuple[Site, str]:
    with Reader(toy.url) as reader:
        row = reader.campaign("toy")
    return parse(row.site_yaml, Site, "ledger"), row.campaign_yaml


def changes(toy: Registered, kind: str) -> list[Any]:
    with Reader(toy.url) as reader:
        return list(reader.events(reader.campaign("toy").campaign_id, kinds=[kind]))


def accept_one(toy: Registered) -> None:
    toy.force("UPDATE instances SET state = 'done' WHERE instance_id = 0")


def slots_rule(toy: Registered) -> RuleResult:
    toy.force("UPDATE campaigns SET rulebook = 'none'")  # its rules are of every workload
    [verdict] = orchestrator.fom("toy", toy.url).benchmarks
    [rule] = [one for one in verdict.rules if one.name == "slots"]
    return rule


def everything(toy: Registered) -> list[Any]:
    with Reader(toy.url) as reader:
        number = reader.campaign("toy").campaign_id
        return [reader.campaign("toy"), *reader.sessions_of(number), *reader.events(number)]


def test_values_of_the_site_change_and_both_texts_are_kept(toy: Registered) -> None:
    before = texts(toy)[0]
    toy.resumed(overrides=["site.environment.A=b", "site.heartbeat.period=7 s"])
    after, _ = texts(toy)
    assert (after.environment, after.heartbeat.period) == ({"A": "b"}, 7)
    [event] = changes(toy, "site_changed")
    assert event.subject == "session 1"
    assert event.data["changed"] == ["environment.A", "heartbeat.period"]
    assert event.data["given"] == "--set site.environment.A=b --set site.heartbeat.period=7 s"
    with Reader(toy.url) as reader:
        kept = read_documents(reader, [event.data["before"], event.data["after"]])
    old, new = (kept[event.data[key]]["site_yaml"] for key in ("before", "after"))
    assert parse(old, Site, "before") == before
    assert parse(new, Site, "after") == after
    toy.resumed()  # goes on by the new text
    assert len(changes(toy, "site_changed")) == 1


def test_another_site_file_changes_the_slots_of_what_has_no_accepted_instance(
    toy: Registered, tmp_path: Path
) -> None:
    (tmp_path / "ours.yaml").write_text("site: ours\nslot: {cores: 2}\n")
    assert toy.resumed(site="ours.yaml").shape.cores == 2
    with Reader(toy.url) as reader:
        [row] = reader.benchmarks(reader.campaign("toy").campaign_id)
        assert reader.campaign("toy").site_name == "ours"
    assert json.loads(row.slot)["cores"] == 2
    assert toy.resumed().shape.cores == 2
    assert toy.events() == []  # the code did not change


def test_the_same_site_is_no_change(toy: Registered) -> None:
    toy.resumed(site="local", overrides=["site.slot.cores=1"])
    assert changes(toy, "site_changed") == []


def test_slots_of_accepted_instances_stay_unless_that_is_allowed(toy: Registered) -> None:
    accept_one(toy)
    before = everything(toy)
    with pytest.raises(CampaignError) as error:
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url, overrides=("site.slot.cores=2",)))
    assert str(error.value) == (
        "benchmark behave has accepted instances, and its slot would change: cores 1 to 2; keep the slot as "
        "it is, or go on with --mixed, which makes the figure of merit not reportable"
    )
    assert everything(toy) == before
    assert toy.resumed(overrides=["site.slot.cores=2"], mixed=True).shape.cores == 2
    [event] = changes(toy, "site_changed")
    assert event.data["mixed"] == {"behave": "cores 1 to 2"}
    rule = slots_rule(toy)
    assert rule.passed is False
    assert rule.reason == "accepted instances ran on slots of different shapes: cores 1 to 2"


def test_the_verdict_states_which_sessions_ran_by_which_text(toy: Registered) -> None:
    accept_one(toy)
    toy.resumed(overrides=["site.environment.A=b"])
    rule = slots_rule(toy)
    assert rule.passed
    assert "sessions from 1 ran by another text of the site file: environment.A differ" in rule.reason


def test_settings_that_change_no_result_may_change(toy: Registered) -> None:
    toy.resumed(
        overrides=["campaign.retries.benchmark=7", "behave.expected_runtime=9 s", "campaign.logs=all"]
    )
    spec = parse_campaign(texts(toy)[1], "ledger")
    assert (spec.retries.benchmark, spec.benchmarks[0].expected_runtime, spec.logs) == (7, 9, "all")
    [event] = changes(toy, "campaign_changed")
    assert event.data["changed"] == ["benchmarks.0.expected_runtime", "logs", "retries.benchmark"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "behave.seconds=3"], "benchmarks.0.parameters.seconds cannot change"),
        (["--set", "campaign.seed=3"], "seed cannot change"),
        (
            ["--set", "behave.instances=9"],
            "instance add toy --instances behave=+5`, then give this command again",
        ),
        (["--set", "behave.timeout=9"], "benchmarks.0.timeout cannot change"),
        (["--set", "site.slt.cores=3"], "--set site.slt.cores=3: unknown key slt; did you mean slot?"),
        (["--set", "site.slot.cores=9999"], "benchmark behave: "),
        (["--set", "site.interpreter=/nowhere/python"], "interpreter /nowhere/python not found"),
        (["--site", "none.yaml"], "site file none.yaml does not exist"),
        (["--site", "loca"], "no site 'loca'; did you mean local?"),
        (["--set", "site.interface=none9"], "none9"),
    ],
)
def test_bad_changes_are_one_line_and_nothing_is_written(
    toy: Registered, options: list[str], message: str
) -> None:
    before = everything(toy)
    shown = CliRunner().invoke(app, ["resume", "toy", "--ledger", toy.url, *options])
    assert shown.exit_code != 0
    assert isinstance(shown.exception, ValueError)
    assert message in str(shown.exception)
    assert "\n" not in str(shown.exception)
    assert everything(toy) == before


POOLS = """site: local
address: 127.0.0.1
scheduler: {type: slurm, walltime: 1 h}
node: {cores: 0-1, memory: 4 GiB}
pools: {wide: {}, narrow: {scheduler: {partition: narrow}}}
"""


def give_commands(folder: Path, monkeypatch: pytest.MonkeyPatch, **texts: str) -> None:
    """Put stand-ins of Slurm's commands before all others."""
    for name in ("sbatch", "squeue", "scancel", "scontrol", "srun"):
        (folder / name).write_text(f"#!/bin/sh\n{texts.get(name, '')}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_another_pool_is_another_slot_to_what_has_accepted_instances(
    toy: Registered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_commands(tmp_path, monkeypatch)
    (tmp_path / "ours.yaml").write_text(POOLS)
    assert toy.resumed(site="ours.yaml").pool == "wide"
    with Reader(toy.url) as reader:
        [row] = reader.benchmarks(reader.campaign("toy").campaign_id)
        assert json.loads(row.slot)["pool"] == "wide"
    assert toy.resumed().pool == "wide"  # goes on as registered
    accept_one(toy)
    before = everything(toy)
    with pytest.raises(CampaignError, match="its slot would change: pool wide to narrow"):
        toy.resumed(overrides=["site.pool=narrow"])
    assert everything(toy) == before
    assert toy.resumed(overrides=["site.pool=narrow"], mixed=True).pool == "narrow"
    rule = slots_rule(toy)
    assert rule.passed is False
    assert "pool wide to narrow" in rule.reason
    assert toy.resumed(overrides=["site.pools.narrow.scheduler.walltime=2h"]).pool == "narrow"
    assert changes(toy, "site_changed")[-1].data["changed"] == ["pools.narrow.scheduler.walltime"]


def test_a_pool_that_had_blocks_keeps_its_type_of_scheduler(
    toy: Registered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_commands(tmp_path, monkeypatch)
    (tmp_path / "ours.yaml").write_text(POOLS)
    toy.resumed(site="ours.yaml")
    (tmp_path / "other.yaml").write_text(POOLS.replace("wide: {}", "wide: {scheduler: {type: local}}"))
    assert toy.resumed(site="other.yaml").pool == "wide"  # it had no block
    toy.resumed(site="ours.yaml")
    with Ledger(toy.url) as book:
        number = book.campaign("toy").campaign_id
        session = book.sessions_of(number)[-1].session_number
        block = BlockRecord("wide.c1", "0", "7", "released", T0, T0, T0 + 9, 1, None, pool="wide")
        book.record_blocks(number, session, [block])
    before = everything(toy)
    with pytest.raises(CampaignError, match="pool wide had blocks of slurm, and its"):
        toy.resumed(site="other.yaml")
    assert everything(toy) == before


def test_the_pool_of_an_allocation_is_of_one_session(
    toy: Registered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_commands(tmp_path, monkeypatch, squeue="echo 'RUNNING|1:00:00'", scontrol="echo n1")
    (tmp_path / "ours.yaml").write_text(POOLS)
    assert toy.resumed(site="ours.yaml").pool == "wide"
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    assert toy.resumed(here=True, pool="narrow").pool == "narrow"
    assert changes(toy, "site_changed")[-1].message == "sessions from 2 ran on other pools: behave on narrow"
    monkeypatch.delenv("SLURM_JOB_ID")
    assert toy.resumed().pool == "wide"
    assert changes(toy, "site_changed")[-1].message == "sessions from 3 ran on other pools: behave on wide"
    assert texts(toy)[0].pool is None
    toy.resumed(site="ours.yaml", overrides=["site.pool=narrow"])
    toy.resumed(overrides=["site.pool=null"])
    accept_one(toy)
    with Reader(toy.url) as reader:
        [row] = reader.benchmarks(reader.campaign("toy").campaign_id)
    assert json.loads(row.slot)["pool"] == "wide"


def test_another_pool_is_checked_before_the_session(
    toy: Registered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_commands(tmp_path, monkeypatch, squeue="echo 'RUNNING|1:00:00'", scontrol="echo n1")
    text = POOLS.replace("narrow: {", "narrow: {interpreter: /nowhere/python, ")
    (tmp_path / "ours.yaml").write_text(text)
    toy.resumed(site="ours.yaml")
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    before = everything(toy)
    with pytest.raises(CampaignError, match="interpreter /nowhere/python not found"):
        orchestrator.resume("toy", ResumeOptions(ledger=toy.url, here=True, pool="narrow"))
    assert everything(toy) == before


def test_accepted_instances_keep_their_pool_where_it_is_there(
    toy: Registered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_commands(tmp_path, monkeypatch, squeue="echo 'RUNNING|1:00:00'", scontrol="echo n1")
    (tmp_path / "ours.yaml").write_text(POOLS)
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    assert toy.resumed(site="ours.yaml", here=True, pool="narrow").pool == "narrow"
    accept_one(toy)
    assert toy.resumed(here=False).pool == "narrow"
    before = everything(toy)
    with pytest.raises(CampaignError, match="its slot would change: pool narrow to wide"):
        toy.resumed(here=True, pool="wide")
    assert everything(toy) == before
    assert toy.resumed(here=True, pool="wide", mixed=True).pool == "wide"
    rule = slots_rule(toy)
    assert rule.passed is False
    assert "pool narrow to wide" in rule.reason


SPREAD = """
campaign: toy
rulebook: none
benchmarks:
  - {workload: tests.toys.behave, instances: 4, timeout: 60, spread: true}
"""


def places(toy: Registered) -> list[str]:
    """Return the pools of the benchmark as the ledger has them."""
    with Reader(toy.url) as reader:
        [row] = reader.benchmarks(reader.campaign("toy").campaign_id)
    return list(registered_places(row.slot))


def test_the_pools_of_a_benchmark_that_is_spread_may_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    toy = Registered(tmp_path, SPREAD)
    give_commands(tmp_path, monkeypatch, squeue="echo 'RUNNING|1:00:00'", scontrol="echo n1")
    (tmp_path / "ours.yaml").write_text(POOLS)
    toy.resumed(site="ours.yaml")
    assert places(toy) == ["wide", "narrow"]
    accept_one(toy)
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    assert toy.resumed(here=True, pool="narrow").pool == "narrow"
    assert places(toy) == ["wide", "narrow"]  # the allocation is of one session
    (tmp_path / "more.yaml").write_text(POOLS.replace("wide: {},", "wide: {}, third: {},"))
    toy.resumed(site="more.yaml", here=False)
    assert places(toy) == ["wide", "third", "narrow"]
    (tmp_path / "fewer.yaml").write_text(POOLS.replace("wide: {}, ", ""))
    toy.resumed(site="fewer.yaml", here=False)
    assert places(toy) == ["narrow"]
    toy.resumed(site="ours.yaml", here=False)
    assert set(places(toy)) == {"wide", "narrow"}
    before = everything(toy)
    (tmp_path / "bigger.yaml").write_text(POOLS.replace("narrow: {", "narrow: {slot: {cores: 2}, "))
    with pytest.raises(CampaignError, match="its slot would change: cores 1 to 2; keep the slot"):
        toy.resumed(site="bigger.yaml", here=False)
    assert everything(toy) == before


def test_no_system_is_projected_from_a_benchmark_that_is_spread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    toy = Registered(tmp_path, SPREAD)
    give_commands(tmp_path, monkeypatch)
    (tmp_path / "ours.yaml").write_text(POOLS)
    toy.resumed(site="ours.yaml")
    words = ["analyze", "project", "toy", "--nodes", "9", "--ledger", toy.url, "--site"]
    refused = CliRunner().invoke(app, [*words, "local"])
    assert "benchmark behave ran on nodes of several pools" in str(refused.exception)
    assert "site local has pools wide, narrow" in str(
        CliRunner().invoke(app, [*words, "ours.yaml"]).exception
    )


@pytest.mark.parametrize(
    ("setting", "advice"),
    [
        (
            "campaign.decide.at_most=60",
            "toy[seconds=1] has 40 instances, and this asks for 60: add them by `orchestrator instance add x "
            "--instances toy=+20`, then give this command again",
        ),
        (
            "campaign.decide.at_most=20",
            "toy[seconds=1] has 40 instances, and this asks for 20; instances are not taken away: keep them "
            "by --set toy.repeat=40 beside it",
        ),
    ],
)
def test_other_looks_that_need_other_instances_say_how_to_have_them(setting: str, advice: str) -> None:
    written = {
        "campaign": "x",
        "rulebook": "none",
        "decide": {"compare": "seconds", "difference": "5 %", "at_most": 40},
        "benchmarks": [
            {
                "workload": "tests.toys.behave",
                "name": "toy",
                "timeout": 60,
                "share": True,
                "matrix": {"seconds": [1, 2]},
            }
        ],
    }
    text = json.dumps(written)
    row: Any = SimpleNamespace(name="x", campaign_yaml=text)
    registered = parse_campaign(text, "x")
    with pytest.raises(CampaignError) as raised:
        changed_campaign(row, registered, [setting])
    assert str(raised.value) == advice
    kept = ["campaign.decide.at_most=20", "toy.repeat=40"]
    assert changed_campaign(row, registered, kept)[0].benchmarks[0].instances == 40
