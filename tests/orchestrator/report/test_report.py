"""Reports of campaigns that a simulated machine ran."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from db.connection.connect import parse_url
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import NewCampaign
from db.schema import upgrade
from db.states import InstanceState
from orchestrator.analysis.comparison.recorded_differences import recorded_facts
from orchestrator.report.blocks import Checklist, Opened, Task, cell
from orchestrator.report.preview import SIZE
from orchestrator.report.sections import Section, Table, Text
from orchestrator.report.writing import Report, report, write_figures
from orchestrator.simulation.fault_model import FaultModel
from tests.browser import WIDTHS, axe, chromium, faults, opened
from tests.db import rows
from tests.db.rows import report as report_of
from tests.golden.kept import answer, dumps, restored
from tests.orchestrator.cli.command_line import CommandLine
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

_PAPER = 680  # pixels between the margins of A4
_SMALLEST = 8  # pixels of the height of a line of letters in figures
ODD = "<b onload=alert(1)>&amp; `x` | 時間 \\"


def simulated(folder: Path, **options: Any) -> str:
    """Run two benchmarks on four nodes of four slots, some attempts failing, and return the ledger's URL."""
    plan = made_plan(
        {"name": "first", "instances": 40}, {"name": "second", "instances": 24},
        slots=4, batch={"nodes_per_block": 4}, retries={"benchmark": 9, "infrastructure": 9}, **options,
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    toy = SimulatedCampaign(folder, plan, FaultModel(seed=3, failures=0.1, queue_seconds=60.0))
    assert toy.run() == "complete"
    toy.close()
    return str(folder / "ledger.sqlite")


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Ledgers with campaign `toy`, by rulebook."""
    made = tmp_path_factory.mktemp("simulated")
    return {name: simulated(made / name, rulebook=name) for name in ("coral2", "none")}


@pytest.fixture(scope="module")
def reports(ledgers: dict[str, str]) -> dict[str, Report]:
    found = {}
    for name, url in ledgers.items():
        with Reader(url) as reader:
            found[name] = report(reader, reader.campaign("toy"))
    return found


def blocks(made: Report, title: str) -> Table:
    [found] = [
        one for section in made.sections for one in section.blocks
        if isinstance(one, Table) and one.title == title
    ]  # fmt: skip
    return found


def test_the_verdict_comes_first_and_is_the_one_of_fom(
    reports: dict[str, Report], ledgers: dict[str, str], run: CommandLine, tmp_path: Path
) -> None:
    made = reports["coral2"]
    assert made.verdict == ("no overall figure of merit, not reportable by rulebook coral2", "bad")
    assert made.sections[0].anchor == "verdict"
    stated = json.loads(run("fom", "toy", "--ledger", ledgers["coral2"], "--json", cwd=tmp_path).stdout)
    figures = blocks(made, "Figures of each benchmark")
    named = [dict(zip(figures.columns, row, strict=True)) for row in figures.rows]
    assert [row["max s"] for row in named] == [one["seconds"] for one in stated["benchmarks"]]
    rules = blocks(made, f"first: {len(stated['benchmarks'][0]['rules'])} rules, 1 broken")
    assert rules.rows[0][:2] == ["FAIL", "suite"]  # broken ones first


def test_a_campaign_without_a_suite_has_the_same_page_without_a_figure(reports: dict[str, Report]) -> None:
    made = reports["none"]
    assert made.verdict[1] == "plain"
    anchors = [section.anchor for section in made.sections]
    assert anchors == [section.anchor for section in reports["coral2"].sections]
    assert "FOM" not in blocks(made, "Figures of each benchmark").columns


def test_parts_of_the_slot_time_add_up_to_all(reports: dict[str, Report]) -> None:
    parts = blocks(reports["none"], "Parts of the slot-time")
    assert sum(float(row[2]) for row in parts.rows) == pytest.approx(100, abs=0.05)


def test_failures_and_counts_are_those_of_the_ledger(
    reports: dict[str, Report], ledgers: dict[str, str]
) -> None:
    assert blocks(reports["none"], "Instances by state").rows == [["first", 40], ["second", 24]]
    with Reader(ledgers["none"]) as reader:
        counted = reader.failure_counts(1, 50)
    assert counted
    assert blocks(reports["none"], "Attempts that did not succeed").rows == counted


def test_the_page_needs_nothing_else(reports: dict[str, Report]) -> None:
    page = reports["coral2"].html()
    beyond = re.findall(r"https?://(?!www\.w3\.org/)[^\s\"]*", page)
    assert beyond == []
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", page)
    policies = re.findall("default-src 'none'", page)
    assert len(policies) == 1
    assert ' style="' not in page  # which a strict policy refuses; there is no hash for attributes
    assert page.count("<style") == 1
    identities = re.findall(r'\bid="([^"]+)"', page)
    assert len(identities) == len(set(identities))


def test_texts_from_the_ledger_stay_texts() -> None:
    table = Table(ODD, [ODD], [[ODD]])
    made = Report(ODD, (ODD, "bad"), ODD, {ODD: ODD}, [Section("a", ODD, [table])])
    page = made.html()
    assert "<b onload" not in page
    shown = page.count("&lt;b onload=alert(1)&gt;&amp;amp; `x` | 時間 \\")
    assert shown == 17  # description, title and text for links among them
    assert made.html("a&b.png").count('content="a&amp;b.png"') == 1
    assert r"| \<b onload=alert(1)\>&amp; \`x\` \| 時間 \\ |" in made.markdown()


def test_figures_are_svg_files_of_their_own_and_the_same_each_time(
    reports: dict[str, Report], tmp_path: Path
) -> None:
    made = reports["coral2"]
    files = write_figures(made, tmp_path / "figures")
    assert {file.stem for file in files} == {
        "timeline", "concurrency", "relative", "times", "accuracies", "slot-time", "nodes",
    }  # fmt: skip
    first = {file: file.read_bytes() for file in files}
    for text in first.values():
        root = ET.fromstring(text)
        assert [child.tag.rpartition("}")[2] for child in root][:2] == ["style", "title"]
    assert {file: file.read_bytes() for file in write_figures(made, tmp_path / "figures")} == first
    assert sorted(tmp_path.rglob("*")) == sorted([tmp_path / "figures", *files])  # nothing half written


def test_a_campaign_that_never_ran_has_a_page_too(tmp_path: Path) -> None:
    url = str(tmp_path / "ledger.sqlite")
    upgrade(parse_url(url))
    with Ledger(url) as ledger:
        number = rows.register(ledger)
        assert number
    with Reader(url) as reader:
        made = report(reader, reader.campaign("toy"))
    assert made.facts["state"] == "never run"
    assert made.drawings == []
    assert "never run" in made.html()
    assert "never run" in made.markdown()


def test_energy_and_power_stand_apart_from_other_metrics(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, instances=2)
        metrics = (("energy_joules", 400.0, "J"), ("power_mean_watts", 40.0, "W"), ("loss", 0.5, ""))
        first = report_of("toy-t0.1", "succeeded", fom_seconds=10.0, metrics=metrics)
        ledger.record(number, [first])
    with Reader(sqlite_url) as reader:
        made = report(reader, reader.campaign("toy"))
    assert made.facts["energy"] == "400 J in 1 of 1 accepted run"
    energy = blocks(made, "Energy and power of accepted attempts")
    assert energy.rows == [
        ["toy", "energy_joules", 1, 400.0, 400.0],
        ["toy", "power_mean_watts", 1, 40.0, 40.0],
    ]
    assert blocks(made, "Other metrics that instances reported").rows == [["toy", "loss", 1, 0.5, 0.5]]


@pytest.mark.parametrize("start", ["warm", "fresh"])
def test_cpu_time_of_forked_attempts_is_explained(sqlite_url: str, start: str) -> None:
    seen = {"processes": start}
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, instances=1)
        values = {"fom_seconds": 10.0, "cpu_seconds": 2.0, "observed": seen, "environment": seen}
        ledger.record(number, [report_of("toy-t0.1", "succeeded", InstanceState.DONE, **values)])
        made = report(ledger, ledger.campaign("toy"))
        assert recorded_facts(ledger, ledger.campaign("toy"))["environment.processes"] == start
    text = "CPU time of forked attempts is without imports, which a fork server did once."
    stated = [one for section in made.sections for one in section.blocks if one == Text(text)]
    assert len(stated) == (start == "warm")


def test_passwords_in_files_are_not_repeated(tmp_path: Path) -> None:
    url = str(tmp_path / "ledger.sqlite")
    upgrade(parse_url(url))
    with Ledger(url) as ledger:
        campaign = rows.campaign(
            site_yaml="site: x\nenvironment: {API_TOKEN: hush-hush-hush}\n",
            campaign_yaml="# postgresql://me:secretword@db/x\n",
        )
        assert isinstance(campaign, NewCampaign)
        ledger.register(campaign, [rows.benchmark()], rows.planned(3))
    with Reader(url) as reader:
        page = report(reader, reader.campaign("toy")).html()
    assert "API_TOKEN=***" in page
    assert "hush" not in page
    assert "secretword" not in page


@pytest.mark.parametrize(("campaign", "share"), [("coral2-base", "425.1 % of Titan"), ("demo", None)])
def test_the_head_states_the_verdict_and_the_figures_of_fom(
    campaign: str, share: str | None, tmp_path: Path
) -> None:
    ledger = restored(dumps()[campaign], tmp_path)
    stated = json.loads(answer("fom", campaign, ledger))
    with Reader(str(ledger)) as reader:
        made = report(reader, reader.campaign(campaign))
    if share is None:  # without an overall figure: the smallest and the largest of the benchmarks
        foms = sorted((one["fom"], one["benchmark"]) for one in stated["benchmarks"] if one["fom"])
        share = " to ".join(f"{100 * fom:.4g} % ({name})" for fom, name in (foms[0], foms[-1])) + " of Titan"
        assert made.verdict[0].startswith("no overall figure of merit, not reportable")
    else:
        assert share == f"{100 * stated['overall']:.4g} % of Titan"
        verdict = f"overall figure of merit {stated['overall']:.4g}, reportable by rulebook coral2"
        assert made.verdict == (verdict, "good")
    assert made.facts["share of the reference"] == share
    most = max(one["at_once"] for one in stated["evidence"].values())
    assert made.facts["instances at once"].startswith(f"{most} (")
    assert made.facts["date"].startswith("2026-09-21 14:14 to ")
    page = made.html()
    for name, text in made.facts.items():
        assert f"<dt>{name}</dt><dd>{text}</dd>" in page


def test_a_session_without_an_attempt_is_not_in_the_date(tmp_path: Path) -> None:
    with Ledger(str(restored(dumps()["demo"], tmp_path))) as book:
        row = book.campaigns()[0]
        before = report(book, row).facts["date"]
        book.end_session(row.campaign_id, rows.begin(book, row.campaign_id), "me", "complete")
        assert report(book, book.campaign(row.name)).facts["date"] == before


def test_times_beside_their_references_are_those_of_fom(tmp_path: Path) -> None:
    ledger = restored(dumps()["demo"], tmp_path)
    stated = json.loads(answer("fom", "demo", ledger))
    with Reader(str(ledger)) as reader:
        made = report(reader, reader.campaign("demo"))
    figures = blocks(made, "Figures of each benchmark")
    units = {row[0]: row[figures.columns.index("times in")] for row in figures.rows}
    assert [units[name] for name in ("p1b1", "lstm", "vgg")] == ["s", "s/sample", "s/batch"]
    [drawn] = [one for one in made.drawings if one.name == "relative"]
    longest = ", ".join(
        f"{one['benchmark']} {one['seconds'] / one['reference_seconds']:.4g}" for one in stated["benchmarks"]
    )
    assert f"Longest: {longest}." in drawn.caption
    [times] = [one for one in made.drawings if one.name == "times"]
    assert "Reference: p1b1 1886 s, p3b1 52.11 s, lstm 0.001411 s/sample" in times.caption
    runs = sum(sum(one["attempts"].get("succeeded", 0) for one in [each]) for each in stated["benchmarks"])
    assert dots(drawn.svg) == dots(times.svg) == runs


def dots(svg: str) -> int:
    """Return how many marks a figure has, those of ticks aside."""
    root = ET.fromstring(svg)
    lines = [one for one in root.iter("{http://www.w3.org/2000/svg}g") if "-line2d_" in one.get("id", "")]
    ticks = [
        line
        for tick in root.iter("{http://www.w3.org/2000/svg}g")
        if re.search("-[xy]tick_", tick.get("id", ""))
        for line in tick.iter("{http://www.w3.org/2000/svg}g")
    ]
    return sum(len(list(line.iter("{http://www.w3.org/2000/svg}use"))) for line in lines if line not in ticks)


# -- the command -----------------------------------------------------------------------------


@pytest.fixture(scope="session")
def run() -> CommandLine:
    return CommandLine()


def test_the_command_writes_a_page_and_says_where(
    ledgers: dict[str, str], run: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    drawn = ("--figures", str(tmp_path / "drawn"))
    done = run("report", "toy", "--ledger", ledgers["none"], "--output", str(file), *drawn, cwd=tmp_path)
    assert done.stdout.startswith(f"{file}: no figure of merit by rulebook none")
    assert file.read_text().startswith("<!doctype html>")
    assert '<meta property="og:image" content="page.preview.png">' in file.read_text()
    picture = (tmp_path / "page.preview.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == SIZE
    words = ("--ledger", ledgers["none"], "--output", str(file), "--json")
    stated = json.loads(run("report", "toy", *words, cwd=tmp_path).stdout)
    assert stated["preview"] == str(tmp_path / "page.preview.png")
    figures = tmp_path / "figures"
    words = ("--format", "md", "-o", "-", "--figures", str(figures))
    printed = run("report", "toy", "--ledger", ledgers["none"], *words, cwd=tmp_path)
    assert printed.stdout.startswith("# Campaign toy\n")
    assert not list(tmp_path.glob("*.md"))
    assert f"({figures}/timeline.svg)" in printed.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["toy", "-o", "/nowhere/page.html"], "the folder /nowhere does not exist; name the page's file"),
        (["toy", "-o", "/"], "/ is a folder; name the page's file"),
        (["tyo"], "did you mean toy?"),
        (["toy", "--format", "pdf"], "'pdf' is not one of 'html', 'md'"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    words: list[str], message: str, ledgers: dict[str, str], run: CommandLine, tmp_path: Path
) -> None:
    done = run("report", *words, "--ledger", ledgers["none"], cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


# -- in a browser ----------------------------------------------------------------------------


_WHOLE_VERDICT = """
[...document.querySelectorAll('#verdict .scroll')].every((one) => one.scrollWidth <= one.clientWidth)
"""
"""True if no table of the verdict hides a column."""


def smallest_letters(page: Any) -> float:
    """Return the pixels of the lowest line of letters in figures; some are turned."""
    return float(
        page.evaluate(
            "Math.min(...[...document.querySelectorAll('.frame text')].map((text) => {"
            " const box = text.getBoundingClientRect(); return Math.max(box.width, box.height); }))"
        )
    )


def widest_caption(page: Any) -> float:
    """Return where the caption of a table ends that ends farthest to the right, in pixels."""
    ends = "[...document.querySelectorAll('caption span')].map((one) => one.getBoundingClientRect().right)"
    return float(page.evaluate(f"Math.max(...{ends})"))


@pytest.mark.slow
def test_everybody_can_read_it_on_any_screen(reports: dict[str, Report], tmp_path: Path) -> None:
    script = axe()
    with chromium() as browser:
        for name, made in reports.items():
            file = tmp_path / f"{name}.html"
            file.write_text(made.html())
            with opened(browser, file.as_uri(), width=_PAPER) as page:
                page.emulate_media(media="print")
                page.evaluate("dispatchEvent(new Event('beforeprint'))")
                assert page.evaluate("document.documentElement.scrollWidth") <= _PAPER
                assert (
                    page.evaluate("document.querySelectorAll('details:not([open]):not(.reason)').length") == 0
                )
            for width in WIDTHS:
                with opened(browser, file.as_uri(), width=width, dark=name == "none") as page:
                    assert smallest_letters(page) >= _SMALLEST
                    assert widest_caption(page) <= width
                    assert width < WIDTHS[0] or page.evaluate(_WHOLE_VERDICT)
                    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
                    assert faults(page, script) == []
        with opened(browser, (tmp_path / "none.html").as_uri()) as page:
            whole = page.get_attribute("#figure-timeline", "viewBox")
            page.get_by_role("button", name="Zoom in").focus()
            page.keyboard.press("Enter")
            near = page.get_attribute("#figure-timeline", "viewBox")
            assert float(near.split()[2]) == pytest.approx(float(whole.split()[2]) / 2)
            page.get_by_role("button", name="Show all").click()
            assert page.get_attribute("#figure-timeline", "viewBox").split() == [
                f"{float(part):g}" for part in whole.split()
            ]


def test_what_would_make_it_reportable_is_grouped_and_a_grid_opens_each_reason(
    reports: dict[str, Report],
) -> None:
    made = reports["coral2"]
    [unmet] = [one for one in made.sections[0].blocks if isinstance(one, Checklist)]
    assert unmet.title == "What would make it reportable"
    assert [(one.name, one.benchmarks) for one in unmet.tasks] == [
        ("suite", ("first", "second")), ("campaign", ()),
    ]  # fmt: skip
    [task, _] = re.findall(r"<li><strong>.*?</ul>", made.html(), flags=re.DOTALL)
    assert "first, second</span>" in task
    assert "<li>workload &#39;" in task or "is not a benchmark of CORAL-2" in task
    grid = blocks(made, "Rules of each benchmark; a result opens its reason")
    assert grid.columns == ["rule", "first", "second"]
    assert [str(value) for value in grid.rows[0]] == ["suite", "✗ FAIL", "✗ FAIL"]
    assert "is not a benchmark of CORAL-2" in grid.rows[0][1].text
    assert made.meaning.startswith("FOM 1 = Titan: 14,000 instances at once")


def test_the_figure_that_is_reported_stands_beside_the_benchmark(reports: dict[str, Report]) -> None:
    figures = blocks(reports["coral2"], "Figures of each benchmark")
    assert figures.columns[:3] == ["benchmark", "reportable", "FOM"]


def test_many_reasons_are_opened_on_the_page_and_whole_in_plain_text() -> None:
    reasons = tuple(f"benchmark {number} is late" for number in range(9))
    list_of = Checklist("To do", [Task("many", ("a",), "All.", reasons), Task("few", (), "", reasons[:2])])
    made = Report("t", ("v", "bad"), "", {}, [Section("a", "A", [list_of])])
    page = made.html()
    assert page.count("<summary>9 reasons</summary>") == 1
    assert page.count("<li>benchmark 8 is late</li>") == 1
    text = made.markdown()
    assert f"- [ ] **many** (a): All. Found: {'; '.join(reasons)}" in text
    assert "- [ ] **few**: benchmark 0 is late; benchmark 1 is late" in text
    assert cell(Opened("✓ pass", "pass", "all of them")) == "✓ pass"


def test_a_running_campaign_states_its_latest_forecast_and_an_ended_one_does_not(sqlite_url: str) -> None:
    facts = {"runs": 100, "makespan_seconds": {"median": 60.0}, "node_hours": {"median": 2.0}}
    with Ledger(sqlite_url) as book:
        number = rows.register(book)
        session = rows.begin(book, number)
        book.note(number, EventKind.FORECAST_REGISTERED, "", data=facts)
        book.note(number, EventKind.FORECAST_UPDATED, "", data=facts | {"node_hours": {"median": 3.0}})
        found = report(book, book.campaign("toy")).facts
        assert found["forecast"] == "about 1 min 00 s and 2 node-hours"
        assert found["forecast now"].startswith("about 1 min 00 s and 3 node-hours, made 20")
        book.end_session(number, session, "me", "complete")
        assert "forecast now" not in report(book, book.campaign("toy")).facts
