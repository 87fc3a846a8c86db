"""The comparison with peers: what each is started with, and tables of given figures. No peer runs here."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import psutil
import pytest
from rich.console import Console

from orchestrator.planning.campaign_reading import parse_campaign
from sites import Site, parse
from tests.bench.peers import environments, loading, ours, parsl_htex, xargs
from tests.bench.peers.__main__ import main
from tests.bench.peers.ensemble import (
    Ensemble,
    Peer,
    make_data,
    parameters_of,
    reported_runs,
    training_order,
    workload_of,
    write_files,
)
from tests.bench.peers.environments import Missing, check_program, install
from tests.bench.peers.parts import (
    MODULES,
    PARTS,
    Size,
    no_op_figures,
    runs_of,
    slot_figures,
    training_figures,
)
from tests.bench.peers.rounds import alternating, compare, medians
from tests.bench.peers.table import Column, Result, Row, markdown, show, to_json
from tests.harness import ROOT, wait_for

READERS = loading.peers(30)
PEERS = {
    f"{module.__name__.rpartition('.')[2]}-{part}-{peer.name}": (peer, part)
    for module in MODULES
    for part in ("TRAINING", "NO_OPS")
    for peer in getattr(module, part)
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "an ensemble"


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_gets_all_instances_and_slots(name: str, folder: Path) -> None:
    peer, part = PEERS[name]
    data = folder / "data" if part == "TRAINING" else None
    ensemble = Ensemble(7, 3, folder, "/peer/bin/python", data)
    write_files(peer, ensemble)
    written = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
    command = peer.command(ensemble)
    for file, text in written.items():
        if file.endswith(".py"):
            ast.parse(text)
    everything = " ".join([*command, *written.values()])
    assert peer.ours or "7" in everything or "seq 0 6" in everything
    assert peer.ours or "3" in everything
    orders = sorted(file.name for file in (folder / "orders").iterdir())
    assert orders == ([] if peer.ours or data is None else [f"{number}.json" for number in range(7)])
    if command[0].startswith("/peer"):
        assert peer.environment


def test_instances_train_each_workload_in_equal_parts(folder: Path) -> None:
    ensemble = Ensemble(5, 2, folder, data=folder)
    assert [workload_of(ensemble, number) for number in range(5)] == ["p3b1"] * 3 + ["lstm"] * 2
    first, last = training_order(ensemble, 0), training_order(ensemble, 4)
    assert (first["workload"], first["data"], first["report_fd"]) == ("p3b1", str(folder / "p3b1"), 1)
    assert (last["workload"], last["data"]) == ("lstm", None)
    assert last["seed"] == first["seed"] + 4
    assert (first["parameters"]["epochs"], last["parameters"]["steps"]) == (2, 20)
    json.dumps([first, last])


@pytest.mark.parametrize("together", [True, False])
def test_our_files_are_a_campaign_and_a_site(together: bool, folder: Path) -> None:
    ensemble = Ensemble(5, 1, folder, data=folder / "data", together=together)
    written = ours.files(ensemble)
    campaign = parse_campaign(written["campaign.yaml"], "campaign.yaml")
    assert {one.workload: one.instances for one in campaign.benchmarks} == {"p3b1": 3, "lstm": 2}
    assert [one.parameters for one in campaign.benchmarks] == [parameters_of("p3b1"), parameters_of("lstm")]
    assert campaign.start == ("synchronized" if together else "independent")
    site = parse(written["site.yaml"], Site, "site.yaml")
    assert (site.paths.data, len(site.node.cores or ())) == (str(folder / "data"), 1)


def test_warm_processes_are_a_row(folder: Path) -> None:
    campaign = json.loads(ours.WARM.files(Ensemble(2, 1, folder))["campaign.yaml"])
    assert campaign["processes"] == "warm"
    assert ours.WARM in ours.TRAINING


def test_instances_of_xargs_run_on_one_core_each_when_pinned(folder: Path) -> None:
    ensemble = Ensemble(4, 1, folder)
    write_files(xargs.SLOTS[1], ensemble)
    (folder / "instance.sh").write_text(
        "taskset -pc $$ > reports/$1.txt; echo $OMP_NUM_THREADS >> reports/$1.txt"
    )
    subprocess.run(xargs.pinned(ensemble), cwd=folder, check=True)
    first = str(min(os.sched_getaffinity(0)))
    for number in range(4):
        affinity, threads = (folder / "reports" / f"{number}.txt").read_text().splitlines()
        assert affinity.split()[-1] == first
        assert threads == "1"


def test_data_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(
        "workloads.candle.data.p3b1.make", lambda place, seed, **sizes: made.append(place) or place.mkdir()
    )
    assert make_data(tmp_path) == make_data(tmp_path) == tmp_path
    assert made == [tmp_path / "p3b1"]


def report(folder: Path, number: int, *marks: tuple[str, int], result: bool = True) -> None:
    lines: list[Mapping[str, Any]] = [{"mark": name, "at_us": at} for name, at in marks]
    text = "\n".join(
        ["a line of the workload", *map(json.dumps, [*lines, *([{"result": {}}] if result else [])])]
    )
    (folder / "reports" / f"{number}.json").write_text(text)


def test_only_instances_with_a_result_count(folder: Path) -> None:
    ensemble = Ensemble(3, 2, folder)
    (folder / "reports").mkdir(parents=True)
    report(folder, 0, ("ready", 5), ("run_start", 10), ("run_stop", 40))
    report(folder, 1, ("run_start", 10), ("run_stop", 40), result=False)
    report(folder, 2, ("run_start", 10))
    assert reported_runs(ensemble) == [(10, 40)]
    with pytest.raises(Missing, match="1 of 3 instances gave a result"):
        runs_of(xargs.TRAINING[0], ensemble)
    with pytest.raises(Missing, match="0 of 3 instances gave a result"):
        runs_of(ours.FRESH, ensemble)


def test_figures_of_runs() -> None:
    taken = {"wall_seconds": 10.0, "cpu_seconds": 16.0, "peak_bytes": 3 * 2**20}
    runs = [(0, 4_000_000), (1_000_000, 5_000_000)]
    assert training_figures(runs, 2, taken) == {
        "wall_seconds": 10.0, "cpu_seconds": 16.0, "peak_mib": 3.0,
        "training_seconds": 4.0, "training_share": 0.4, "later_share": 0.8,
    }  # fmt: skip
    assert no_op_figures(20, taken) == {"instances": 20.0, "rate": 2.0, "cpu_ms": 800.0, "peak_mib": 3.0}
    assert slot_figures(runs) == {
        "skew_seconds": 1.0, "median_seconds": 4.0, "slowest_seconds": 4.0, "wave_use": 0.8,
    }  # fmt: skip


def test_rounds_alternate_and_medians_need_every_round() -> None:
    assert "".join(alternating("abc", 3)) == "abccbaabc"
    rounds: Sequence[Mapping[str, float | None]] = [{"a": 1.0, "b": 5.0}, {"a": 9.0, "b": None}, {"a": 2.0}]
    assert medians(rounds) == {"a": 2.0, "b": None}
    assert medians([]) == {}


RESULT = Result(
    "training",
    "Two trainings",
    {"s": Column("time, s"), "share": Column("share", "{:.0%}", True), "n": Column("n", "{:,.0f}", None)},
    [
        Row("ours", {"s": 1.25, "share": 0.5, "n": 1e4}, ours=True),
        Row("theirs", {"s": 2.0, "share": 0.75, "n": 10.0}),
        Row("unmeasured", {"s": None}),
        Row("away", problem="parallel is not installed: apt-get install parallel"),
    ],
)


def test_ours_is_bold_where_it_wins_and_plain_where_it_loses() -> None:
    assert markdown(RESULT).splitlines() == [
        "Two trainings",
        "",
        "|  | time, s | share | n |",
        "| --- | --- | --- | --- |",
        "| ours | **1.2** | 50% | 10,000 |",
        "| theirs | 2.0 | 75% | 10 |",
        "| unmeasured | – | – | – |",
        "| away | – | – | – |",
        "",
        "- away: parallel is not installed: apt-get install parallel",
    ]
    json.dumps(to_json(RESULT))
    console = Console(width=120, record=True, file=Path(os.devnull).open("w"))  # noqa: SIM115
    with console.file:
        show(RESULT, console)
    shown = console.export_text()
    assert "Two trainings" in shown
    assert "parallel is not installed" in shown


def test_brackets_in_a_reason_are_shown() -> None:
    result = Result("x", "x [y]", RESULT.columns, [Row("a [b]", problem="[Errno 2] no file")])
    with open(os.devnull, "w") as nowhere:
        console = Console(width=120, record=True, file=nowhere)
        show(result, console)
    shown = console.export_text()
    assert all(text in shown for text in ("x [y]", "a [b]", "[Errno 2] no file"))


def echo(name: str, script: str, **more: Any) -> Peer:
    return Peer(name, lambda _: {}, lambda _: ["/bin/sh", "-c", script], **more)


def test_a_peer_that_fails_or_is_missing_is_a_row_with_its_reason(folder: Path) -> None:
    peers = [
        echo("good", "echo fine"),
        echo("bad", "echo no luck >&2; exit 3"),
        echo("away", "", program=("no-such-program-here", "get it")),
    ]
    *_, rows = compare(
        peers,
        [parsl_htex],
        2,
        {},
        lambda _peer, place: Ensemble(1, 1, place),
        lambda _peer, _one, taken: {"wall_seconds": taken["wall_seconds"]},
    )
    found = {row.name: row for row in rows}
    assert found["good"].figures.keys() == {"wall_seconds"}
    assert found["bad"].problem == "ended with 3: no luck"
    assert found["away"].problem == "no-such-program-here is not installed: get it"


def test_rows_are_complete_after_the_last_round_only(capsys: pytest.CaptureFixture[str]) -> None:
    steps = compare(
        [echo("first", "exit 0"), echo("second", "exit 0")],
        [],
        2,
        {},
        lambda _peer, place: Ensemble(1, 1, place),
        lambda _peer, _one, taken: {"wall_seconds": taken["wall_seconds"]},
    )
    reasons = [[row.problem.removeprefix("measured in ") for row in rows] for rows in steps]
    none, once = "0 of 2 rounds", "1 of 2 rounds"
    assert reasons == [[none, none], [once, none], [once, once], [once, ""], ["", ""]]
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 4
    assert re.search(r"first, round 1 of 2: \d+\.\d s, \d+\.\d s of CPU", shown[0])


def test_a_command_is_measured_with_what_leaves_it_and_all_is_ended() -> None:
    script = (
        "import resource, json, subprocess, sys; from tests.bench.peers.measured import run; import psutil;"
        "found = run(['/bin/sh', '-c', 'setsid sleep 600 & setsid sleep 600 & exit 5'], 60);"
        "print(json.dumps([found['code'], len(psutil.Process().children(recursive=True))]))"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == [5, 0]


def test_all_is_ended_with_the_measuring_process(tmp_path: Path) -> None:
    script = (
        f"setsid sh -c 'echo $$ > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; exec sleep 600'"
    )
    words = ["-m", "tests.bench.peers.measured", "600", str(tmp_path / "found.json"), "/bin/sh", "-c", script]
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT)
    wait_for((tmp_path / "pid").exists, "the command")
    process.terminate()
    assert process.wait(60) == 1
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_command_past_its_limit_has_no_exit_code() -> None:
    script = "from tests.bench.peers.measured import run; print(run(['sleep', '600'], 0.1)['code'])"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == "None\n"


def test_what_cannot_be_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "PLACE", tmp_path)
    module = ModuleType("none")
    module.ENVIRONMENT, module.REQUIREMENTS = "none", ("./no-such-folder",)  # type: ignore[attr-defined]
    with pytest.raises(Missing, match=r"cannot be installed|uv is not installed"):
        install(module)
    with pytest.raises(Missing, match="nothing is not installed: apt-get install nothing"):
        check_program(("nothing", "apt-get install nothing"))


def test_an_environment_that_is_there_sees_the_packages_of_this_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "parsl" / "lib" / "python3" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "project.pth").write_text("import site; site.addsitedir('/another/checkout')\n")
    (tmp_path / "parsl" / "installed.txt").write_text("\n".join(parsl_htex.REQUIREMENTS))
    monkeypatch.setattr(environments, "PLACE", tmp_path)
    install(parsl_htex)
    assert sysconfig.get_paths()["purelib"] in (packages / "project.pth").read_text()


@pytest.mark.parametrize("peer", READERS, ids=[peer.name for peer in READERS])
def test_a_reader_is_a_script_that_checks_its_array(peer: Peer, folder: Path) -> None:
    text = peer.files(Ensemble(1, 1, folder, data=folder))["read.py"]
    ast.parse(text)
    assert f"{folder}/P1B1.dev.train.csv" in text
    assert ("array.shape == (27, " if "cache" in peer.name else "array.shape == (30, ") in text


def test_readers_that_need_more_memory_than_there_is_are_left_out() -> None:
    rows = [Row("large", {"peak_mib": 6_000.0}), Row("small", {"peak_mib": 100.0}), Row("failed")]
    assert loading.too_large(rows, 8, 20 << 30) == {"large": "would need 47 GiB, 20 are free"}


def test_parts_write_their_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes: list[Any] = []
    monkeypatch.setitem(PARTS, "slots", lambda size: sizes.append(size) or [RESULT])  # type: ignore[arg-type]
    kept, page = tmp_path / "figures.json", tmp_path / "figures.md"
    words = ["--quick", "--only", "slots", "--instances", "4", "--json", str(kept), "--markdown", str(page)]
    main(words)
    assert [size.trainings for size in sizes] == [4]
    assert [one["name"] for one in json.loads(kept.read_text())["results"]] == ["training"]
    assert "| ours | **1.2** |" in page.read_text()
    assert "Two trainings" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--only", "nothing"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_was_measured_before_an_error_is_kept(
    error: type[BaseException],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(_size: Size) -> Iterator[Result]:
        yield replace(RESULT, rows=())
        yield RESULT
        raise error("no luck")

    def later(_size: Size) -> Iterator[Result]:
        yield replace(RESULT, name="later", title="A later part")

    monkeypatch.setitem(PARTS, "no-ops", broken)
    monkeypatch.setitem(PARTS, "slots", later)
    kept, page = tmp_path / "figures.json", tmp_path / "figures.md"
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else SystemExit) as ended:
        main(["--only", "no-ops", "--only", "slots", "--json", str(kept), "--markdown", str(page)])
    assert "| ours | **1.2** |" in page.read_text()
    shown = capsys.readouterr()
    assert shown.out.count("Two trainings") == 1
    names = [one["name"] for one in json.loads(kept.read_text())["results"]]
    if error is KeyboardInterrupt:
        assert names == ["training"]
    else:
        assert names == ["training", "later"]
        assert str(ended.value) == "failed: no-ops"
        assert "no luck" in shown.err
