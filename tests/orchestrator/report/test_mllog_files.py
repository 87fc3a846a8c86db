"""Result files of MLPerf HPC, judged by the log checker of MLCommons."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from db.ledger import Ledger
from orchestrator.cli import app
from orchestrator.report.mllog_files import System, _keys
from orchestrator.rulebooks.mlperf_hpc.reference import reference
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.harness import ROOT, CampaignSandbox
from tests.requirements import needs_reader
from tests.workloads.external.test_mllog import line
from workloads.external import shipped

TOY = ROOT / "tests/toys/external/mllog.py"
WORKLOAD: dict[str, Any] = {
    "name": "cosmoflow", "title": "t", "source": "s", "fom_time": "run",
    "quality": {"metric": "mean_absolute_error", "maximum": 0.124},
    "parameters": {"epochs": 4, "opt_name": "sgd", "sgd_opt_momentum": 0.9},
    "command": {
        "arguments": ["{python}", str(TOY), "{seed}", "{epochs}"],
        "accuracy": {"mllog": "eval_error"},
        "seconds": "mllog",
        "curves": {"error": {"mllog": "eval_error", "epoch": "epoch_num"}},
    },
}  # fmt: skip
SYSTEM = dict.fromkeys(_keys().system, "x") | {
    "submitter": "Our Lab",
    "status": "onprem",
    "system_name": "Cluster 1",
}
START, STOP = T0 // 1000 + 10, T0 // 1000 + 900
PARAMETERS = {"opt_name": "sgd", "sgd_opt_momentum": 0.9, "cache_clear": True}


def checked(*files: Path) -> list[dict[str, Any]]:
    """Return what the log checker finds in each file."""
    python = needs_reader("mlperf_logging", "a Python with mlperf-logging 4.1.68")
    checker = Path(__file__).with_name("mllog_checker.py")
    done = subprocess.run([python, checker, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(one) for one in done.stdout.splitlines() if one.startswith("{")]


def system(folder: Path, **changes: Any) -> str:
    file = folder / "cluster1.json"
    file.write_text(
        json.dumps({key: value for key, value in (SYSTEM | changes).items() if value is not None})
    )
    return str(file)


def export(folder: Path, url: str, *words: str, **changes: Any) -> Result:
    words = ("--format", "mllog", "--system", system(folder, **changes), *words)
    return CliRunner().invoke(
        app, ["ledger", "export", *words, "--output", str(folder / "out"), "--ledger", url]
    )


def printed(
    name: str,
    *,
    division: str = "closed",
    values: Sequence[float] = (0.3, 0.1),
    without: Sequence[str] = (),
    **more: Any,
) -> list[str]:
    """Return lines of a training with all keys that a log of the suite's benchmark must have."""
    keys = [one.split("|")[0] for one in _keys().needed(name, division, more)]
    quality, order = (
        _keys().quality[name],
        ["init_start", "init_stop", "run_start", "epoch_start", "eval_start"],
    )
    first = [
        one for one in keys if one not in (*order, quality, "epoch_stop", "eval_stop", "run_stop", *without)
    ]
    lines = [line(key, more.get(key, 1), START) for key in first]
    lines += [line(key, None, START, epoch_num=1) for key in order if key not in without]
    lines += [line(quality, value, START + 5, epoch_num=epoch) for epoch, value in enumerate(values, 1)]
    ends = [
        ("epoch_stop", {"epoch_num": 1}),
        ("eval_stop", {"epoch_num": 1}),
        ("run_stop", {"status": "success"}),
    ]
    return [*lines, *(line(key, None, STOP, **metadata) for key, metadata in ends if key not in without)]


Book = Callable[..., None]


@pytest.fixture
def fill(sqlite_url: str, tmp_path: Path) -> Book:
    """Return a function that registers a campaign whose instances printed lines, each with its accuracy."""

    def register(
        *logs: tuple[list[str], float],
        workload: str = "cosmoflow",
        name: str = "hpc",
        facts: Any = None,
        **changes: Any,
    ) -> None:
        file = tmp_path / f"{workload}.yaml"
        file.write_text(shipped.text(workload))
        slot = json.dumps({"nodes": 1, "cores": 1, "memory_bytes": None})
        settings = {"rulebook": "mlperf_hpc", "run_class": "closed"} | changes
        benchmark = rows.benchmark(
            workload, len(logs), workload=str(file), slot=slot, parameters=json.dumps(PARAMETERS)
        )
        with Ledger(sqlite_url) as ledger:
            planned = rows.planned(len(logs), workload)
            number = ledger.register(replace(rows.campaign(name), **settings), [benchmark], planned)
            rows.begin(ledger, number)
            for k, (lines, accuracy) in enumerate(logs):
                token = f"{name}-{k}"
                ledger.submit(number, 1, [attempt(k, token=token)])
                kept = {"lines": [one[9:] for one in lines], "left_out": 0, "unreadable": 0} | (facts or {})
                seen = {"external": {"mllog": kept}}
                times = {"process_start_us": T0, "process_stop_us": T0 + 1_000_000, "devices": "GPU-a,GPU-b"}
                ledger.record(number, [report(token, "succeeded", accuracy=accuracy, observed=seen, **times)])

    return register


@pytest.mark.slow
def test_from_a_campaign_to_files_that_the_checker_accepts(tmp_path: Path) -> None:
    sandbox = CampaignSandbox(tmp_path)
    (tmp_path / "toy.yaml").write_text(json.dumps(WORKLOAD))
    benchmarks = [{"workload": "toy.yaml", "instances": 2, "timeout": 60}]
    content = {"campaign": "hpc", "rulebook": "mlperf_hpc", "benchmarks": benchmarks}
    (tmp_path / "hpc.yaml").write_text(json.dumps(content))
    launched = sandbox.run("launch", "hpc.yaml", "--site", "site.yaml")
    assert launched.returncode == 0, launched.stderr
    done = export(tmp_path, sandbox.ledger, "hpc", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"folder": str(tmp_path / "out"), "runs": {"hpc": 2}}
    assert "hpc: 2 models of cosmoflow, the rules ask for 10" in done.stderr
    shown = sandbox.run("instance", "show", "hpc", "toy/0").stdout
    assert "'lines': 36" in shown  # and not the lines
    files = sorted((tmp_path / "out/Our_Lab/results/cluster1/weak/cosmoflow").iterdir())
    assert [file.name for file in files] == ["result_0.txt", "result_1.txt"]
    events = [json.loads(one.removeprefix(":::MLLOG ")) for one in files[0].read_text().splitlines()]
    found = {one["key"]: one for one in events}
    assert found["submission_org"]["value"] == "Our Lab"  # not what the program left to be filled in
    assert [one["key"] for one in events].count("eval_error") == 4
    of_ledger = {one["key"] for one in events if one["metadata"]["file"] == "ledger"}
    assert of_ledger - {key for key in of_ledger if key.startswith("submission_")} == {
        "opt_name", "number_of_nodes", "accelerators_per_node",
    }  # fmt: skip
    described = json.loads((tmp_path / "out/Our_Lab/systems/cluster1.json").read_text())
    assert described == SYSTEM | {"division": "closed"}
    assert checked(*files) == [{"valid": True, "found": []}] * 2


@pytest.mark.parametrize("division", ["closed", "open"])
@pytest.mark.parametrize("workload", sorted(reference().benchmarks))
def test_the_keys_are_those_that_the_checker_asks_for(
    workload: str, division: str, tmp_path: Path, fill: Book, sqlite_url: str
) -> None:
    chosen = {"opt_name": "LAMB", "scheduler_type": "multistep"} if workload == "deepcam" else {}
    lines = printed(workload, division=division, **chosen)
    known = reference().benchmarks[workload].target
    good = 0.9 if known.at_least is not None else 0.01
    fill((lines, good), workload=workload, run_class=division)
    assert export(tmp_path, sqlite_url).exit_code == 0
    [file] = (tmp_path / "out").rglob("result_0.txt")
    texts = file.read_text().splitlines(keepends=True)
    keys = [one.split("|")[0] for one in _keys().needed(workload, division, chosen)]
    files = [file]
    for key in keys:
        files.append(tmp_path / f"without {key}")
        files[-1].write_text("".join(one for one in texts if f'"key": "{key}"' not in one))
    whole, *lacking = [" ".join(one["found"]) for one in checked(*files)]
    assert "Required" not in whole  # the values of the made lines are another matter
    unasked = [key for key, found in zip(keys, lacking, strict=True) if f"'{key}'" not in found]
    assert unasked == (["seed"] if division == "closed" and workload != "deepcam" else [])  # of packages


def test_models_that_missed_the_target_are_no_results(tmp_path: Path, fill: Book, sqlite_url: str) -> None:
    fill((printed("cosmoflow"), 0.1), (printed("cosmoflow"), 0.125), (printed("cosmoflow"), 0.124))
    done = export(tmp_path, sqlite_url)
    assert done.exit_code == 0, done.output
    assert f"{tmp_path / 'out'}: 1 campaign, 2 runs that reached the target" in done.stdout
    assert len([*(tmp_path / "out").rglob("result_*.txt")]) == 2


def test_what_the_program_printed_stays_as_it_is(tmp_path: Path, fill: Book, sqlite_url: str) -> None:
    lines = [
        *printed("cosmoflow", without=["seed", "number_of_nodes", "accelerators_per_node"]),
        line("ü", "\ud800"),
    ]
    fill((lines, 0.1), facts={"left_out": 3, "unreadable": 2})
    done = export(tmp_path, sqlite_url)
    assert done.exit_code == 0, done.output
    assert "hpc: the ledger lacks 5 lines that programs printed" in done.stderr
    [file] = (tmp_path / "out").rglob("result_0.txt")
    written = file.read_text().splitlines()
    assert written[-len(lines) :] == lines
    ours = {one["key"]: one["value"] for one in (json.loads(text[9:]) for text in written[: -len(lines)])}
    assert ours == {
        "submission_benchmark": "cosmoflow", "submission_org": "Our Lab", "submission_division": "closed",
        "submission_status": "onprem", "submission_platform": "Cluster 1",
        "seed": 2017, "number_of_nodes": 1, "accelerators_per_node": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"without": ["train_samples", "opt_base_learning_rate"]},
         "hpc/cosmoflow/0 lacks MLLOG lines of train_samples, opt_base_learning_rate: its program must"),
        ({"without": ["cache_clear"]}, "lacks MLLOG lines of cache_clear"),  # no parameter proves that
        ({"without": ["epoch_start"]}, "lacks MLLOG lines of epoch_start or block_start"),
        ({"values": []}, "lacks MLLOG lines of eval_error"),
    ],
)  # fmt: skip
def test_a_model_without_a_line_is_refused(
    changes: dict[str, Any], said: str, tmp_path: Path, fill: Book, sqlite_url: str
) -> None:
    fill((printed("cosmoflow"), 0.1), (printed("cosmoflow", **changes), 0.1))
    refused(export(tmp_path, sqlite_url), said.replace("/0", "/1"), tmp_path)


def test_a_program_without_such_lines_is_refused(tmp_path: Path, fill: Book, sqlite_url: str) -> None:
    fill(([], 0.1))
    refused(export(tmp_path, sqlite_url), "lacks MLLOG lines of cache_clear, init_start", tmp_path)


@pytest.mark.parametrize("shift_ms", [-2000, 2000])
def test_lines_of_another_time_are_refused(
    shift_ms: int, tmp_path: Path, fill: Book, sqlite_url: str
) -> None:
    lines = [one.replace(str(START), str(START + shift_ms)) for one in printed("cosmoflow")]
    fill((lines, 0.1))
    refused(export(tmp_path, sqlite_url), "run_start and run_stop are not dated within its attempt", tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cooling": None, "hw_notes": 5}, "cluster1.json lacks, as texts, cooling, hw_notes"),
        (
            dict.fromkeys(("cooling", "hw_notes", "framework", "sw_notes")),
            "cooling, hw_notes, framework and 1 more; `orchestrator schema mllog-system` prints all keys",
        ),
        ({"status": "Available"}, "status must be one of cloud, onprem, preview, research, not 'Available'"),
        ({"submitter": " "}, "submitter must not be empty"),
        ({"division": "open"}, "one division: campaign hpc says closed, the system's file says open"),
    ],
)
def test_a_system_that_lacks_facts_is_refused(
    changes: dict[str, Any], said: str, tmp_path: Path, fill: Book, sqlite_url: str
) -> None:
    fill((printed("cosmoflow"), 0.1))
    refused(export(tmp_path, sqlite_url, **changes), said, tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "\x00"])
def test_a_system_that_is_no_object_is_refused(
    text: str, tmp_path: Path, fill: Book, sqlite_url: str
) -> None:
    fill((printed("cosmoflow"), 0.1))
    file = tmp_path / "other.json"
    file.write_text(text)
    refused(export(tmp_path, sqlite_url, "--system", str(file)), "other.json", tmp_path)


def test_campaigns_that_make_no_submission_are_refused(tmp_path: Path, fill: Book, sqlite_url: str) -> None:
    refused(export(tmp_path, sqlite_url), "there is no campaign", tmp_path)
    fill((printed("cosmoflow"), 0.2))
    refused(export(tmp_path, sqlite_url), "hpc has no result: no model of it reached its target", tmp_path)
    fill((printed("cosmoflow"), 0.1), name="first")
    fill((printed("cosmoflow"), 0.1), name="second")
    said = "first/cosmoflow and second/cosmoflow are both cosmoflow"
    refused(export(tmp_path, sqlite_url, "first", "second"), said, tmp_path)
    fill((printed("cosmoflow"), 0.1), name="none", rulebook="none", run_class="")
    refused(
        export(tmp_path, sqlite_url, "none"),
        "none has the rulebook none; result files are of mlperf_hpc",
        tmp_path,
    )
    alone = CliRunner().invoke(
        app, ["ledger", "export", "--format", "mllog", "--output", str(tmp_path / "out")]
    )
    assert alone.exit_code == 2
    assert "mllog needs --system" in " ".join(alone.stderr.split())
    empty = json.loads(CliRunner().invoke(app, ["schema", "mllog-system"]).stdout)
    (tmp_path / "filled.json").write_text(
        json.dumps(empty | {"status": "onprem", "submitter": "me", "system_name": "ours"})
    )
    assert System.read(tmp_path / "filled.json").facts["system_name"] == "ours"


def refused(done: Result, said: str, folder: Path) -> None:
    assert done.exit_code != 0
    text = done.stderr or str(done.exception)
    assert said in " ".join(text.split())
    assert not [*(folder / "out").rglob("*")]
