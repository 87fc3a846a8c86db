"""Makespans, ranks of nodes, comparisons and projections of campaigns that a simulated machine ran."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.records import NewCampaign
from db.schema import upgrade
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.virtual_clock import VirtualClock
from sites import Site, parse
from tests.db import rows
from tests.db.rows import fast_folder
from tests.orchestrator.cli.test_commands import CommandLine, asked, errs
from tests.orchestrator.report.test_junit import assert_valid, opened
from tests.orchestrator.simulation import campaign
from tests.orchestrator.simulation.journals import JournalMachine

NODES = 120
SITE = f"""
site: made
interface: lo
nodes: 5000
node: {{cores: 0-1, memory: 8 GiB}}
scheduler: {{type: slurm, walltime: 1 h, nodes_per_block: {NODES}}}
"""
FULL = SITE.replace("made", "full")


def run_campaign(
    book: Ledger, folder: Path, name: str, factor: float, *, bad: str = "", extra: str = ""
) -> None:
    """Run P1B1 once on every slot of a machine; a node may be half as fast as the others."""
    text = (
        f"campaign: {name}\nbenchmarks:\n"
        f"  - {{workload: p1b1, instances: {2 * NODES}, timeout: 30 min, expected_runtime: 5 min{extra}}}\n"
    )
    site = parse(SITE, Site, "test")
    plan = make_plan(parse_campaign(text, "test"), site, node_facts(site), folder)
    model = FaultModel(seed=len(name), pool_seconds=0.0)
    nodes: dict[str, str] = {}

    def draw(order: AttemptOrder) -> SimulatedRun:
        random = model.random(name, order.label)
        return SimulatedRun(5.0, 300.0 * factor * random.lognormvariate(0.0, 0.01))

    machine = JournalMachine(VirtualClock(), model, draw, 10.0)
    start = machine.run

    def run(block: Any, pool: Any, slot: int, order: AttemptOrder, done: Any) -> None:
        nodes[order.label] = pool.node
        if pool.node == bad:
            machine.sample_run = lambda order: SimulatedRun(5.0, 600.0 * factor)
        start(block, pool, slot, order, done)
        machine.sample_run = draw

    machine.run = run  # type: ignore[method-assign]
    (folder / name).mkdir()
    book.register(
        NewCampaign(
            name=name, uid=name, campaign_yaml=text, site_name="made", site_yaml=SITE, rulebook="coral2",
            run_class="base", run_directory=str(folder / name), data_path=str(folder),
        ),
        [one.row() for one in plan.benchmarks],
        plan.instances(),
        facts={"planned_node_hours": plan.node_hours},
    )  # fmt: skip
    campaign.run(book, book.campaign(name), plan, machine)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    folder = fast_folder("answers-")
    url = str(folder / "ledger.sqlite")
    upgrade(parse_url(url))
    with Ledger(url) as book:
        run_campaign(book, folder, "weekly-01", 1.0)
        run_campaign(book, folder, "weekly-02", 1.10, extra=", parameters: {batch_size: 50}")
        run_campaign(book, folder, "bad", 1.0, bad="n7")
        rows.register(book, "new")
    (folder / "full.yaml").write_text(FULL)
    (folder / "other.yaml").write_text(FULL + "slot: {cores: 2}\n")
    (folder / "unknown.yaml").write_text(FULL.replace("nodes: 5000\n", ""))
    yield folder
    shutil.rmtree(folder)


def shown(run: CommandLine, place: Path, *arguments: str, code: int = 0) -> str:
    ended = run(*arguments, cwd=place)
    assert (ended.returncode, ended.stderr) == (code, "")
    return ended.stdout


def test_makespan_adds_up_and_names_the_worst(place: Path, run: CommandLine) -> None:
    found = asked(run, place, "analyze", "makespan", "bad")
    assert sum(found["parts_us"].values()) == found["offered_us"]
    assert found["benchmarks"]["p1b1"] == found["parts_us"]
    assert (
        asked(run, place, "analyze", "makespan", "bad", "p1b1", "--stage", "c1")["parts_us"]
        == found["parts_us"]
    )
    assert found["worst"]["nodes"][0]["name"] == "n7"
    assert found["worst"]["slots"][0]["name"].startswith("n7 slot ")
    assert {one["name"].partition(" on ")[2] for one in found["worst"]["instances"][:2]} == {
        "n7 slot 0", "n7 slot 1"
    }  # fmt: skip
    hours = found["node_hours"]
    assert hours["asked"] == NODES
    assert hours["planned"] == pytest.approx(NODES * 300 / 3600)
    assert 0 < hours["accepted"] < hours["busy"] < hours["held"] < hours["asked"]
    table = shown(run, place, "analyze", "makespan", "bad")
    for words in (
        "imports",
        "straggler_tail",
        "sum",
        "slot use:",
        "slowest instances",
        "asked for",
        "queued s",
    ):
        assert words in table


def test_the_bad_node_is_named_with_a_line_to_paste(place: Path, run: CommandLine) -> None:
    found = asked(run, place, "node", "rank", "bad")
    assert found["slow"] == ["n7"]
    assert found["nodes"][0]["slowdown"] == pytest.approx(1.0, abs=0.05)
    [without] = found["without"]
    # The longest time falls from 600 s to that of the slowest good run; 238 of 240 instances are left.
    longest = 1 + without["longest"]["p1b1"]
    assert longest == pytest.approx(0.515, abs=0.02)
    assert 1 + without["fom"]["p1b1"] == pytest.approx(238 / 240 / longest)
    assert found["exclude"] == 'extra_directives: ["--exclude=n7"]'
    table = shown(run, place, "node", "rank", "bad")
    assert "slower than the others (false-alarm rate 1% per campaign): n7\n" in table
    assert f"FOM without n7: p1b1 {without['fom']['p1b1']:+.1%}" in table
    good = asked(run, place, "node", "rank", "weekly-01")
    assert (good["slow"], good["exclude"]) == ([], None)
    assert "no node is slower than the others" in shown(run, place, "node", "rank", "weekly-01")


def test_a_slower_campaign_fails_a_regression_job(place: Path, run: CommandLine) -> None:
    found = asked(run, place, "analyze", "compare", "weekly-01", "weekly-02")
    [change] = found["changes"]
    assert change["median"]["value"] == pytest.approx(1.10, abs=0.01)
    assert change["median"]["low"] < change["median"]["value"] < change["median"]["high"]
    assert change["longest"]["low"] < change["longest"]["value"] < change["longest"]["high"]
    assert change["probability"] < 1e-6
    assert change["fom"] == pytest.approx(1 / change["longest"]["value"])
    assert found["different"]["weekly-02"]["benchmark p1b1.batch_size"] == ["100", "50"]
    table = shown(
        run, place, "analyze", "compare", "weekly-01", "weekly-02", "--fail-if-slower", "3%", code=5
    )
    assert "weekly-02: p1b1 takes 1.09" in table
    assert "nothing is slower" in shown(
        run, place, "analyze", "compare", "weekly-02", "weekly-01", "--fail-if-slower", "0.03"
    )
    assert "nothing is slower" in shown(
        run, place, "analyze", "compare", "weekly-01", "weekly-02", "--fail-if-slower", "15%"
    )
    # A baseline without runs finds nothing slower.
    for *names, benchmark in (("weekly-01", "new", "p1b1"), ("new", "weekly-01", "toy")):
        failed = run("analyze", "compare", *names, "--fail-if-slower", "3%", "--json", cwd=place)
        assert failed.returncode == 5
        facts = json.loads(failed.stdout)
        text = f"{names[1]}: {benchmark} has no accepted run with a time in {names[1]} or in {names[0]}"
        assert (facts["baseline"], facts["slower"]) == (names[0], [text])


def test_a_metric_is_compared_as_times_are(place: Path, run: CommandLine) -> None:
    url = f"sqlite:///{place / 'ledger.sqlite'}"
    with rows.raw(url) as connection:
        for factor, name in enumerate(("weekly-01", "weekly-02"), 2):
            connection.exec_driver_sql(
                "INSERT OR REPLACE INTO metrics SELECT campaign_id, instance_id, accepted_attempt, "
                f"'energy_joules', {factor}.0 * (instance_id % 7 + 1), 'J' FROM instances "
                "JOIN campaigns USING (campaign_id) "
                f"WHERE accepted_attempt IS NOT NULL AND name = '{name}'"
            )
    words = ["analyze", "compare", "weekly-01", "weekly-02", "--metric", "energy_joules"]
    found = asked(run, place, *words)
    [change] = found["changes"]
    assert (found["metric"], change["median"]["value"], change["fom"]) == ("energy_joules", 1.5, None)
    assert [(one["unit"], one["longest"]) for one in found["times"]] == [("J", 14.0), ("J", 21.0)]
    table = shown(run, place, *words)
    assert table.startswith("energy_joules of accepted runs")
    assert "highest ratio" in table
    history = asked(run, place, "analyze", "compare", "--history", "w*", "--metric", "energy_joules")
    assert [one["median"]["value"] for one in history] == [8.0, 12.0]
    accuracy = asked(run, place, *words[:-1], "accuracy")
    assert accuracy["changes"][0]["median"]["value"] == pytest.approx(1.0, abs=0.01)


def test_values_without_a_ratio_are_a_history_all_the_same(place: Path, run: CommandLine) -> None:
    with rows.raw(f"sqlite:///{place / 'ledger.sqlite'}") as connection:
        for metric, unit, value in (("score", "1", "-0.5"), ("odd", "substr(name, 9)", "2.0")):
            quoted = unit if unit.startswith("substr") else f"'{unit}'"
            connection.exec_driver_sql(
                "INSERT OR REPLACE INTO metrics SELECT campaign_id, instance_id, accepted_attempt, "
                f"'{metric}', {value}, {quoted} FROM instances JOIN campaigns USING (campaign_id) "
                "WHERE accepted_attempt IS NOT NULL AND name LIKE 'weekly-%'"
            )
    words = ["analyze", "compare", "weekly-01", "weekly-02", "--metric"]
    assert "has score -0.5, and ratios are of values above 0" in errs(run, place, *words, "score")
    assert "in 2 in weekly-02, and in 1 in weekly-01: these have no ratio" in errs(run, place, *words, "odd")
    history = asked(run, place, "analyze", "compare", "--history", "weekly-*", "--metric", "score")
    assert [one["median"]["value"] for one in history] == [-0.5, -0.5]


def test_a_comparison_is_also_junit_xml(place: Path, run: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "slower.xml"
    words = ["analyze", "compare", "weekly-01", "weekly-02", "new", "--junit", str(file)]
    shown(run, place, *words, "--fail-if-slower", "3%", code=5)
    assert_valid(file.read_text())
    suites = opened(file.read_text())
    assert list(suites) == ["weekly-02", "new"]
    assert "the median is 1.09" in suites["weekly-02"]["p1b1"].result[0].message
    assert suites["new"]["p1b1"].result[0].message == "no accepted run with a time"
    file.unlink()
    wrong = run(*words, cwd=place)
    assert (wrong.returncode, file.exists()) == (2, False)
    assert "--fail-if-slower" in wrong.stderr


def test_a_history_is_a_table_and_a_plot(place: Path, run: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "h.svg"
    found = asked(run, place, "analyze", "compare", "--history", "weekly-*", "--figures", str(file))
    assert [one["campaign"] for one in found] == ["weekly-01", "weekly-02"]
    assert {one["runs"] for one in found} == {2 * NODES}
    drawing = ET.fromstring(file.read_text())
    assert drawing.tag.endswith("svg")
    assert "weekly-02: median" in "".join(drawing.itertext())
    assert "weekly-02" in shown(run, place, "analyze", "compare", "--history", "weekly-*")


def test_a_projection_says_what_it_rests_on(place: Path, run: CommandLine) -> None:
    found = asked(run, place, "analyze", "project", "weekly-01", "--site", "full.yaml")
    [one] = found["benchmarks"]
    assert (found["nodes"], one["at_once"], one["instances"]) == (5000, 10_000, 10_000)
    assert one["measured_longest"] < one["longest"]["low"] < one["longest"]["high"]
    # FOM = (1886.4036 s ÷ longest) × (10,000 ÷ 14,000)
    assert one["fom"]["value"] == pytest.approx(1886.4036 / one["longest"]["value"] * 10_000 / 14_000)
    assert one["fom"]["low"] == pytest.approx(1886.4036 / one["longest"]["high"] * 10_000 / 14_000)
    assert "peaks over threshold" in one["method"]
    table = shown(run, place, "analyze", "project", "weekly-01", "--site", "full.yaml", "--nodes", "1000")
    assert table.startswith("A prediction, no measurement: 1,000 nodes of site full")
    assert "no term for contention: all campaigns ran at one scale" in table
    far = shown(run, place, "analyze", "project", "weekly-01", "--site", "full.yaml", "--nodes", "50000")
    assert "p1b1: not projected, since the system has 417 times as many" in far


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["analyze", "makespan", "badd"], "did you mean bad?"),
        (["analyze", "makespan", "new"], "campaign new has no attempt yet"),
        (["analyze", "makespan", "bad", "p3b1"], "campaign bad ran no benchmark 'p3b1'; it ran p1b1"),
        (["node", "rank", "new"], "campaign new has no accepted attempt with a time"),
        (
            ["analyze", "compare", "--history", "monthly-*"],
            "no campaign that matches 'monthly-*' is in the ledger",
        ),
        (["analyze", "compare", "--history", "new"], "no campaign that matches 'new' has an accepted run"),
        (
            ["analyze", "compare", "weekly-01", "weekly-02", "--metric", "acuracy"],
            "no accepted run of these campaigns has metric 'acuracy'; did you mean accuracy?",
        ),
        (["analyze", "project", "weekly-01", "--site", "nowhere"], "no site 'nowhere'"),
        (["analyze", "project", "weekly-01", "--site", "unknown.yaml"], "declares no number of nodes"),
        (
            ["analyze", "project", "weekly-01", "--site", "other.yaml"],
            "benchmark p1b1 has another slot on site full",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_question_has_one_line(
    arguments: list[str], words: str, place: Path, run: CommandLine
) -> None:
    assert words in errs(run, place, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze", "compare"],
        ["analyze", "compare", "weekly-01"],
        ["analyze", "compare", "weekly-01", "weekly-01"],
        ["analyze", "compare", "weekly-01", "--history", "w*"],
        ["analyze", "compare", "weekly-01", "weekly-02", "--fail-if-slower", "much"],
        ["analyze", "compare", "weekly-01", "weekly-02", "--figures", "x.svg"],
        ["analyze", "compare", "weekly-01", "weekly-02", "--metric", "accuracy", "--fail-if-slower", "3%"],
        ["analyze", "project", "weekly-01", "--site", "full.yaml", "--nodes", "0"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_two(arguments: list[str], place: Path, run: CommandLine) -> None:
    ended = run(*arguments, cwd=place)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
