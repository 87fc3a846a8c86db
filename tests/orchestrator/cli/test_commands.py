"""The command line as a user meets it: real processes, one-line errors, JSON that parses."""

from __future__ import annotations

import csv
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from sqlalchemy import text

from db.columns import SCHEMA
from db.events import EventKind
from db.ledger import Ledger
from db.states import InstanceState
from orchestrator.catalog.registry import describe
from orchestrator.cli import app
from orchestrator.lifecycle.data.hashes import data_set_facts
from orchestrator.lifecycle.data.hashes import describe as describe_data
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.harness import ROOT
from tests.orchestrator.cli.command_line import CommandLine, environment, strict, tree

HEAVY = {"tensorflow", "keras", "pandas", "sqlalchemy", "parsl", "pydantic", "alembic", "psycopg", "numpy"}
NEVER_FOR_A_LOOK = {
    "pandas",
    "alembic",
    "matplotlib",
    "jinja2",
    "tensorflow",
    "keras",
    "parsl",
    "scipy",
    "PIL",
    "optuna",
}
SECRET = "hunter2"
SMALL = 0.000123456789012345  # seconds per sample are of this size

GOOD = """
campaign: toy
benchmarks:
  - {workload: tests.toys.behave, name: toy, instances: 3, timeout: 60}
"""


def fresh(*program: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter."""
    return subprocess.run(
        [sys.executable, *program], cwd=cwd, env=environment(), capture_output=True, text=True, check=True
    )


def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from commands(command, (*words, name))
        elif not command.hidden:
            yield (*words, name)


COMMANDS = list(commands(typer.main.get_command(app)))


# -- starting --------------------------------------------------------------------------------


def test_importing_the_command_line_imports_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, orchestrator, orchestrator.cli; print(*sys.modules)"
    loaded = {name.partition(".")[0] for name in fresh("-c", code, cwd=tmp_path).stdout.split()}
    assert "typer" in loaded
    assert loaded & HEAVY == set()


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    shown = fresh("-X", "importtime", "-m", "orchestrator", "--help", cwd=tmp_path)
    assert "Usage" in shown.stdout
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in shown.stderr.splitlines()}
    assert "typer" in loaded
    assert loaded & HEAVY == set()


def test_there_are_the_commands_the_readme_speaks_of() -> None:
    names = {" ".join(words) for words in COMMANDS}
    assert {"plan", "launch", "status", "resume", "stop", "fom", "report", "serve"} <= names
    assert {"instance list", "instance show", "analyze study", "analyze compare"} <= names
    assert {"node rank", "node screen", "node leftovers", "workload list", "workload tune"} <= names
    assert {"site list", "site show", "data fetch", "data generate", "data verify"} <= names
    assert {"ledger init", "ledger query", "ledger upgrade", "ledger remove", "ledger verify"} <= names
    assert {"evidence package", "evidence verify"} <= names


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_commands_help_has_an_example(words: tuple[str, ...], run: CommandLine, tmp_path: Path) -> None:
    shown = run(*words, "--help", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"Example: orchestrator {' '.join(words)}" in " ".join(shown.stdout.split())
    assert list(tmp_path.iterdir()) == []


def test_the_installed_entry_point_is_the_same_program(tmp_path: Path, run: CommandLine) -> None:
    from orchestrator import __version__

    script = Path(sys.executable).with_name("orchestrator")
    for program in ([str(script)], [sys.executable, "-m", "orchestrator"]):
        shown = subprocess.run(
            [*program, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert shown.stdout.strip() == __version__


# -- errors ----------------------------------------------------------------------------------


def errs(run: CommandLine, folder: Path, *arguments: str, **changes: str) -> str:
    """Run a command that must fail; check that it says one line, and leaves nothing behind."""
    before = tree(folder)
    ended = run(*arguments, cwd=folder, **changes)
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode == 1, ended
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("error: ")
    assert ended.stdout == ""
    assert tree(folder) == before
    return lines[0].removeprefix("error: ")


BENCHMARK = "{workload: tests.toys.behave, name: toy, instances: 3, timeout: 60}"
SITE = "site: here\nnode: {cores: '0', memory: 2 GiB}\n"


@pytest.mark.parametrize(
    ("campaign", "site", "said"),
    [
        (GOOD.replace("tests.toys.behave", "lsmt"), SITE, "no workload 'lsmt'; did you mean lstm"),
        (GOOD.replace("timeout", "parameters: {second: 1}, timeout"), SITE, "did you mean seconds?"),
        (GOOD.replace("timeout", "parameters: {seconds: long}, timeout"), SITE, "a number, not 'long'"),
        (GOOD.replace("instances: 3", "instances: -3"), SITE, r"line \d+: benchmarks.0.instances: .*-3"),
        (GOOD.replace("instances: 3", "instances: three"), SITE, "benchmarks.0.instances: .*'three'"),
        (GOOD, SITE + "nodse: 3\n", r"s.yaml: line \d+: unknown key nodse; did you mean nodes?"),
        (GOOD, SITE.replace("2 GiB", "-2 GiB"), r"s.yaml: line \d+: node.memory: .*-2 GiB"),
        (GOOD.replace("timeout", "slot: {cores: 2}, timeout"), SITE, "toy: a slot needs 2 cores, the node"),
        (GOOD.replace("timeout", "slot: {memory: 3 GiB}, timeout"), SITE, "toy: a slot needs 3.0 GiB of"),
        (GOOD.replace("tests.toys.behave", "p1b1"), SITE, "data folder .*/data/p1b1 is missing"),
        (GOOD + "\n\tx", SITE, r"c.yaml: line \d+, column \d+ "),
    ],
    ids=["workload", "parameter", "type", "negative", "count", "site key", "site memory", "cores", "memory",
         "data", "yaml"],
)  # fmt: skip
def test_a_launch_that_cannot_be_makes_nothing(
    campaign: str, site: str, said: str, tmp_path: Path, run: CommandLine
) -> None:
    (tmp_path / "c.yaml").write_text(campaign)
    (tmp_path / "s.yaml").write_text(site)
    assert re.search(said, errs(run, tmp_path, "launch", "c.yaml", "--site", "s.yaml"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", "demoo"], "no campaign file demoo; did you mean demo?"),
        (["plan", "c.yaml", "--site", "locl"], "no site 'locl'; did you mean local?"),
        (["plan", "c.yaml", "--name", "../elsewhere"], "name"),
        (["workload", "show", "lsmt"], "did you mean lstm"),
        (["status"], "no ledger at .*/ledger.sqlite; launch a campaign"),
        (["launch", "c.yaml", "--ledger", "none/l.sqlite"], "folder .*/none does not exist"),
        (["launch", "c.yaml", "--ledger", "mysql://x/y"], "a ledger is sqlite or postgresql, not mysql"),
        (["launch", "c.yaml", "--ledger", "c.yaml.db"], "c.yaml.db is not an SQLite database"),
        (["launch", "c.yaml", "--exclude", "slow.txt"], "--exclude slow.txt: no such file; write one node a"),
        (["launch", "c.yaml", "--exclude", "n1,,n2"], "--exclude: '' is no name of a node"),
        (
            ["launch", "c.yaml", "--detach", "--exclude", "c.yaml"],
            "c.yaml: line 2: .campaign: toy. is no name",
        ),
        (["ledger", "init", "--ledger", "c.yaml.db"], "c.yaml.db is not an SQLite database"),
        (
            ["data", "generate", "p1b1", "--output", "d", "--set", "features=many"],
            "features must be a whole number",
        ),
        (["data", "generate", "p1b1", "--output", "d", "--set", "features=-1"], "features must be at least"),
        (["data", "generate", "p1b1", "--output", "d", "--set", "feature=3"], "did you mean features?"),
        (["data", "generate", "p1b1", "--output", "d", "--set", "features=["], "features"),
        (["data", "generate", "lstm", "--output", "d"], "lstm reads no data"),
        (["data", "verify", "p1b1", "nowhere"], "nowhere"),
        (["ledger", "export", "--output", "new"], "no ledger at .*/ledger.sqlite; launch a campaign"),
        (["ledger", "import", "nowhere"], "nowhere has no manifest.json, so it is no export"),
        (["ledger", "import", "c.yaml"], "c.yaml"),
        (["ledger", "copy", "--from", "none.sqlite", "--ledger", "l.sqlite"], "no ledger at .*/none.sqlite"),
        (["ledger", "verify"], "no ledger at .*/ledger.sqlite; launch a campaign"),
        (["ledger", "backup", "b.sqlite"], "no ledger at .*/ledger.sqlite; launch a campaign"),
        (["node", "leftovers"], "no ledger at .*/ledger.sqlite; launch a campaign"),
        (["node", "leftovers", "--fix"], "no ledger at .*/ledger.sqlite; launch a campaign"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_makes_nothing(
    arguments: list[str], said: str, tmp_path: Path, run: CommandLine
) -> None:
    (tmp_path / "c.yaml").write_text(GOOD)
    (tmp_path / "c.yaml.db").write_text(GOOD)
    assert re.search(said, errs(run, tmp_path, *arguments))


def test_an_unreachable_ledger(tmp_path: Path, run: CommandLine) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (tmp_path / "c.yaml").write_text(GOOD)
    address = f"postgresql://me:{SECRET}@127.0.0.1:{port}/ledger"
    said = errs(run, tmp_path, "launch", "c.yaml", ORCHESTRATOR_LEDGER=address)
    assert said.startswith(f"ledger postgresql://me:***@127.0.0.1:{port}/ledger: ")
    assert "refused" in said
    assert SECRET not in said


def test_a_password_on_the_command_line_is_wrong_usage_and_not_repeated(
    tmp_path: Path, run: CommandLine
) -> None:
    ended = run("status", "--ledger", f"postgresql://me:{SECRET}@127.0.0.1/ledger", cwd=tmp_path)
    assert ended.returncode == 2
    assert "ORCHESTRATOR_LEDGER" in ended.stderr
    assert SECRET not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("version", "said"),
    [("9999", "written by a newer version"), ("0000", "run: orchestrator ledger upgrade")],
)
def test_a_ledger_of_another_version(
    version: str, said: str, sqlite_url: str, tmp_path: Path, run: CommandLine
) -> None:
    with rows.raw(sqlite_url) as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))
    (tmp_path / "c.yaml").write_text(GOOD)
    for arguments in (["launch", "c.yaml"], ["status"]):
        assert said in errs(run, tmp_path, *arguments)


# -- a ledger with a campaign ----------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose ledger holds a campaign: one instance done, one exhausted, one planned."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "c.yaml").write_text(GOOD)
    with Ledger.open(str(folder / "ledger.sqlite")) as ledger:
        spec = replace(rows.campaign(), campaign_yaml=GOOD, run_directory=str(folder / "runs" / "toy"))
        complete = json.dumps(describe("tests.toys.behave").resolve({}))
        number = ledger.register(spec, [rows.benchmark(parameters=complete)], rows.planned(3))
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [attempt(0), attempt(1)])
        ledger.record(
            number,
            [
                report(
                    "t0.1",
                    "succeeded",
                    InstanceState.DONE,
                    run_start_us=T0 + 1,
                    run_stop_us=T0 + 2_000_002,
                    fom_seconds=SMALL,
                    accuracy=0.1 + 0.2,
                    cores="0",
                    slot_index=0,
                    peak_memory_bytes=2**33 + 1,
                    observed={"cpuset": [0]},
                    metrics=(("loss", float("nan"), ""), ("rate", 1 / 3, "1/s")),
                ),
                report(
                    "t1.1",
                    "failed",
                    InstanceState.EXHAUSTED,
                    failure_category="benchmark",
                    failure_reason="exit code 3",
                    failure_message="the process ended with exit code 3",
                    stderr_tail="trouble\nahead",
                ),
            ],
        )
        ledger.end_session(number, session, "me", "exhausted")
    return folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fom", "toyy"], r"no campaign 'toyy'; did you mean toy\?"),
        (["status", "toyy"], r"did you mean toy\?"),
        (["instance", "list", "quite-other"], "it has toy"),
        (["resume", "toyy"], r"did you mean toy\?"),
        (["resume", "toy"], "directory .*/runs/toy is gone"),
        (["stop", "toyy"], r"did you mean toy\?"),
        (
            ["instance", "show", "toy", "toy/9"],
            "no instance 'toy/9'; write benchmark/number, for example toy/0",
        ),
        (["instance", "show", "toy/toy/0"], "a campaign and its instance are two words: toy toy/0$"),
        (["launch", "c.yaml"], "campaign 'toy' is already in the ledger; .*resume toy.*--name"),
        (["ledger", "query", "DELETE FROM attempts"], "readonly"),
        (["ledger", "query", "SELECT * FROM attemps"], r"no such table: attemps; did you mean attempts\?$"),
        (["ledger", "query", "SELECT * FROM xyz"], "no such table: xyz; there are accepted, attempts, .*$"),
        (["ledger", "query", "SELECT nonsense"], "no such column: nonsense"),
        (["ledger", "query", "SELECT reason FROM attempts"], "no such column: reason$"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_question_changes_nothing(
    arguments: list[str], said: str, place: Path, run: CommandLine
) -> None:
    assert re.search(said, errs(run, place, *arguments))


@pytest.mark.parametrize(
    ("arguments", "completed", "printed"),
    [
        (["--version"], None, "0."),
        (["status"], None, "toy"),
        (["status", "toy"], None, "attempts:"),
        (["explain", "toy"], None, "no driver runs it"),
        ([], "orchestrator explain t", "toy"),
        ([], "orchestrator st", "status"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_look_imports_no_more_than_it_needs(
    arguments: list[str], completed: str | None, printed: str, place: Path
) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from orchestrator.cli import main; main()"
    )
    variables = {}
    if completed is not None:
        number = str(completed.count(" "))
        variables = {"_ORCHESTRATOR_COMPLETE": "complete_bash", "COMP_WORDS": completed, "COMP_CWORD": number}
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'orchestrator'; {code}", *arguments],
        cwd=place,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed in ended.stdout
    loaded = {name.partition(".")[0] for name in ended.stderr.split()}
    assert "typer" in loaded
    assert loaded & NEVER_FOR_A_LOOK == set()


def asked(run: CommandLine, place: Path, *arguments: str) -> Any:
    """Return the JSON that a command prints."""
    ended = run(*arguments, "--json", cwd=place)
    progress = r".*\d% of .* read, .*/s\n"  # of what takes longer than two seconds on a busy machine
    assert (ended.returncode, re.sub(progress, "", ended.stderr)) == (0, "")
    return strict(ended.stdout)


def test_status_as_json(place: Path, run: CommandLine) -> None:
    one = asked(run, place, "status", "toy")
    [other] = asked(run, place, "status")
    assert other | {"at": one["at"]} == one
    assert one["instances"] == {"done": 1, "exhausted": 1, "planned": 1}
    assert one["attempts"] == {"failed": 1, "succeeded": 1}
    assert one["reasons"] == {"exit code 3": 1}
    assert (one["driver"], one["outcome"]) == (None, "some instances exhausted")


def test_instances_as_json_keep_every_digit(place: Path, run: CommandLine) -> None:
    done, exhausted, planned = asked(run, place, "instance", "list", "toy")
    assert (done["state"], exhausted["state"], planned["state"]) == ("done", "exhausted", "planned")
    assert (done["accuracy"], done["peak_memory_bytes"], done["slot_index"]) == (0.1 + 0.2, 2**33 + 1, 0)
    assert planned["fom_seconds"] is None
    assert done["fom_seconds"] == SMALL
    assert [
        one["benchmark_index"] for one in asked(run, place, "instance", "list", "toy", "--state", "exhausted")
    ] == [1]


def test_show_as_json(place: Path, run: CommandLine) -> None:
    done = asked(run, place, "instance", "show", "toy", "toy/0")
    [one] = done["attempts"]
    assert (one["fom_seconds"], one["accuracy"], one["cores"]) == (SMALL, 0.1 + 0.2, "0")
    assert one["metrics"] == {"loss": {"value": None, "unit": ""}, "rate": {"value": 1 / 3, "unit": "1/s"}}
    failed = asked(run, place, "instance", "show", "toy", "toy/1")["attempts"][0]
    assert (failed["failure_reason"], failed["stderr_tail"]) == ("exit code 3", "trouble\nahead")


def test_show_tells_what_no_column_took_of_a_report(
    sqlite_url: str, tmp_path: Path, run: CommandLine
) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger)
        ledger.record(number, [report("toy-t0.1", "failed", exit_code=2**70)])
    told = asked(run, tmp_path, "instance", "show", "toy", "toy/0", "--ledger", sqlite_url)
    [refused] = [one for one in told["events"] if one["kind"] == "rejected_values"]
    assert json.loads(refused["detail"]) == {"exit_code": str(2**70)}
    said = run("instance", "show", "toy", "toy/0", "--ledger", sqlite_url, cwd=tmp_path).stdout
    assert f"left out of the report on attempt 1: {refused['detail']}" in said


def test_show_and_fom_state_the_data_of_a_campaign(sqlite_url: str, tmp_path: Path, run: CommandLine) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "a.csv").write_text("1,2\n")
    facts = data_set_facts(folder, tmp_path / "hashes.json")
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger)
        for stated in ({}, facts):  # before, and with, the event that launch writes
            if stated:
                ledger.note(number, EventKind.DATA_READ, describe_data(facts), subject="toy", data=facts)
            fom = asked(run, tmp_path, "fom", "toy", "--ledger", sqlite_url)
            assert fom.get("data", {}) == ({"toy": facts} if stated else {})
            shown = asked(run, tmp_path, "instance", "show", "toy", "toy/0", "--ledger", sqlite_url)
            assert shown.get("data", {}) == stated
    for command in (("fom", "toy"), ("instance", "show", "toy", "toy/0")):
        assert describe_data(facts) in run(*command, "--ledger", sqlite_url, cwd=tmp_path).stdout


def test_fom_as_json(place: Path, run: CommandLine) -> None:
    told = asked(run, place, "fom", "toy")
    [one] = told["benchmarks"]
    assert (one["benchmark"], one["seconds"], one["instances"]) == ("toy", SMALL, 1)
    assert (told["overall"], told["reportable"]) == (None, False)


def test_questions_in_every_format(place: Path, run: CommandLine) -> None:
    sql = "SELECT token, fom_seconds, failure_reason FROM attempts ORDER BY token"
    expected = [
        {"token": "t0.1", "fom_seconds": SMALL, "failure_reason": None},
        {"token": "t1.1", "fom_seconds": None, "failure_reason": "exit code 3"},
    ]
    assert asked(run, place, "ledger", "query", sql) == expected
    assert strict(run("ledger", "query", sql, "--format", "json", cwd=place).stdout) == expected
    header, *lines = csv.reader(run("ledger", "query", sql, "--format", "csv", cwd=place).stdout.splitlines())
    assert header == ["token", "fom_seconds", "failure_reason"]
    assert (lines[0][0], float(lines[0][1])) == ("t0.1", SMALL)
    table = run("ledger", "query", sql, cwd=place).stdout.splitlines()
    assert table[0].split() == ["token", "fom_seconds", "failure_reason"]
    assert len(table) == 3


def test_the_question_in_querys_help_has_an_answer(place: Path, run: CommandLine) -> None:
    shown = " ".join(run("ledger", "query", "--help", cwd=place).stdout.split())
    question = re.search(r'Example: orchestrator ledger query "([^"]+)"', shown)
    assert question
    [answer] = asked(run, place, "ledger", "query", question[1].replace(" │ ", ""))
    assert "toy" in answer.values()
    assert SMALL in answer.values()


def test_columns_of_the_same_name_are_not_merged_into_one(place: Path, run: CommandLine) -> None:
    [row] = asked(
        run,
        place,
        "ledger",
        "query",
        "SELECT a.state, i.state FROM attempts a JOIN instances i USING (campaign_id, instance_id) "
        "WHERE a.token = 't0.1'",
    )
    assert sorted(row.values()) == ["done", "succeeded"]


def test_what_ships_as_json(place: Path, run: CommandLine) -> None:
    assert {"p1b1", "p3b1", "lstm"} <= {one["name"] for one in asked(run, place, "workload", "list")}
    shown = asked(run, place, "workload", "show", "p1b1")
    assert {one["name"]: one["default"] for one in shown["parameters"]}["epochs"] == 100
    assert "local" in {one["site"] for one in asked(run, place, "site", "list")}
    assert asked(run, place, "site", "show", "local")["found"]["cores"] == sorted(os.sched_getaffinity(0))


def test_a_plan_as_json_makes_nothing(place: Path, run: CommandLine) -> None:
    before = tree(place)
    made = asked(run, place, "plan", "c.yaml")
    assert (made["campaign"], made["instances"]) == ("toy", 3)
    assert made["stages"][0]["benchmarks"][0]["seeds"] == [2017, 2019]
    assert tree(place) == before


def test_data_as_json(tmp_path: Path, run: CommandLine) -> None:
    sizes = ["train_rows=4", "test_rows=3", "features=2", "cancer_types=2"]
    options = [word for size in sizes for word in ("--set", size)]
    made = asked(run, tmp_path, "data", "generate", "p1b1", "--output", "d", *options)
    assert all((tmp_path / file).is_file() for file in made)
    facts = asked(run, tmp_path, "data", "verify", "p1b1", "d")
    assert (facts["train_rows"], facts["features"], facts["synthetic"]) == (4, 2, True)


def test_making_a_ledger_and_looking_at_it(tmp_path: Path, run: CommandLine) -> None:
    for verb in ("init", "upgrade", "init"):
        ended = run("ledger", verb, "--ledger", "l.sqlite", cwd=tmp_path)
        assert ended.stdout == f"sqlite:///{tmp_path}/l.sqlite: schema {SCHEMA}\n"
    assert asked(run, tmp_path, "status", "--ledger", "l.sqlite") == []
    assert [file.name for file in tmp_path.iterdir()] == ["l.sqlite"]


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["plan"], ["instance", "list", "toy", "--state", "gone"], ["fom", "toy", "--nonsense"],
     ["data", "generate", "p1b1", "--output", "d", "--set", "features"]],
)  # fmt: skip
def test_wrong_usage_ends_with_two(arguments: list[str], place: Path, run: CommandLine) -> None:
    before = tree(place)
    ended = run(*arguments, cwd=place)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""
    assert tree(place) == before


def test_a_reader_that_had_enough_is_no_error(place: Path, run: CommandLine) -> None:
    """Like ``orchestrator ledger query ... | head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "orchestrator",
                "ledger",
                "query",
                "SELECT * FROM attempts",
                "--format",
                "csv",
            ],
            cwd=place,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    assert ended.returncode != 0
    assert ended.stderr == ""
