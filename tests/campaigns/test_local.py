"""Real campaigns of workloads that misbehave: each failure is told apart, and none stops the others."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.harness import CampaignSandbox, wait_for
from tests.small_disk import mounted

pytestmark = pytest.mark.slow


def benchmarks(place: CampaignSandbox, rows: dict[str, dict[str, Any]], **campaign: Any) -> None:
    """Write a campaign with one benchmark per behaviour."""
    content = {
        "campaign": "toy",
        "grace_period": 1,
        **campaign,
        "benchmarks": [
            {
                "workload": "tests.toys.behave",
                "name": name,
                "instances": row.pop("instances", 1),
                "timeout": row.pop("timeout", 30),
                **({"slot": row.pop("slot")} if "slot" in row else {}),
                "parameters": {"behaviour": name, "folder": str(place.marks), **row},
            }
            for name, row in rows.items()
        ],
    }
    (place.folder / "toy.yaml").write_text(json.dumps(content))


def launch(place: CampaignSandbox) -> Any:
    return place.run("launch", "toy.yaml", "--site", "site.yaml")


def test_every_way_of_ending_is_told_apart(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    benchmarks(
        place,
        {
            "succeed": {},
            "exit": {},
            "exit_quietly": {},
            "exception": {},
            "data": {},
            "segfault": {},
            "kill_self": {},
            "nan": {},
            "hang": {"timeout": 2},
            "stubborn": {"timeout": 2},
            "daemon": {},
            "unpinned": {},
            "greedy": {"slot": {"cores": 1, "memory": "200 MiB"}},
        },
        retries={"benchmark": 0, "infrastructure": 0},
        abort_after_failures=1000,
    )
    ended = launch(place)
    assert ended.returncode == 3, ended.stderr
    found = {
        benchmark: (state, category, reason)
        for benchmark, state, category, reason in place.rows(
            "SELECT i.benchmark, a.state, a.failure_category, a.failure_reason FROM attempts a "
            "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
        )
    }
    benchmark, infrastructure = "benchmark", "infrastructure"
    assert found == {
        "succeed": ("succeeded", None, None),
        "exit": ("failed", benchmark, "exit code 3"),
        "exit_quietly": ("failed", benchmark, "no result"),
        "exception": ("failed", benchmark, "exception"),
        "data": ("failed", benchmark, "data error"),
        "segfault": ("failed", benchmark, "crashed with SIGSEGV"),
        "kill_self": ("failed", infrastructure, "killed by SIGKILL"),
        "nan": ("failed", benchmark, "NaN result"),
        "hang": ("timed_out", benchmark, "timeout"),
        "stubborn": ("timed_out", benchmark, "timeout"),
        "daemon": ("succeeded", None, None),
        "unpinned": ("failed", infrastructure, "slot mismatch"),
        "greedy": ("failed", benchmark, "out of memory"),
    }
    # What a training left behind is ended with it.
    (mark,) = place.marks.glob("daemon-*")
    assert not psutil.pid_exists(int(mark.read_text()))
    # Logs of failures stay, their tail is in the ledger; logs of successes go.
    with zipfile.ZipFile(tmp_path / "runs" / "toy" / "logs" / "1.zip") as logs:
        kept = {name.partition("/")[2] for name in logs.namelist()}
    assert "exit-0.1.err" in kept
    assert "succeed-0.1.err" not in kept
    shown = json.loads(place.run("instance", "show", "toy", "exception/0", "--json").stdout)["attempts"][0]
    assert "trouble ahead" in shown["stderr_tail"]
    assert shown["failure_message"].startswith("RuntimeError: the sky fell on our heads (")
    greedy = json.loads(place.run("instance", "show", "toy", "greedy/0", "--json").stdout)["attempts"][0]
    assert 200 << 20 < greedy["peak_memory_bytes"] < 800 << 20
    # What was sampled until a training was killed stays.
    sampled = place.rows("SELECT benchmark FROM samples JOIN instances USING (campaign_id, instance_id)")
    assert {("hang",), ("stubborn",)} <= set(sampled)
    # Exhausted instances are tried again when asked, and only then.
    nothing = place.run("resume", "toy")
    assert nothing.returncode == 3
    assert len(place.rows("SELECT 1 FROM attempts")) == 13


def test_a_retry_succeeds_and_each_slot_is_pinned(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    benchmarks(place, {"fail_first": {"instances": 4}}, retries={"benchmark": 1}, logs="none")
    assert launch(place).returncode == 0
    rows = place.rows("SELECT instance_id, attempt_number, state FROM attempts ORDER BY 1, 2")
    assert rows == [(k, n, state) for k in range(4) for n, state in ((1, "failed"), (2, "succeeded"))]
    cores = {
        json.loads(seen)["cpuset"][0]
        for (seen,) in place.rows("SELECT observed FROM attempts WHERE attempt_number = 2")
    }
    assert len(cores) == 2  # both slots worked, each on its own core
    assert place.rows("SELECT seed FROM instances ORDER BY 1") == [(2017,), (2018,), (2019,), (2020,)]
    assert list((tmp_path / "runs" / "toy" / "logs").iterdir()) == []
    with zipfile.ZipFile(tmp_path / "runs" / "toy" / "journals" / "1.zip") as journals:
        assert len(journals.namelist()) == 2  # one per worker


def test_an_instance_that_fills_its_nodes_disk_has_more_of_it_then(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    with mounted(tmp_path / "disk", "2m") as disk:
        fills = {"fill": {"instances": 2, "folder": str(disk)}}  # 1.5 MiB each
        benchmarks(place, fills, rulebook="none", retries={"disk": "x2"})
        ended = launch(place)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    [(instance, message)] = place.rows(
        "SELECT instance_id, failure_message FROM attempts WHERE failure_category = 'benchmark' "
        "AND failure_reason = 'out of disk' AND slot_shape = 'c1'"
    )
    assert "No space left on device" in message
    assert message.endswith("; its node's own disk is full")
    again = "SELECT instance_id, attempt_number, slot_shape FROM accepted ORDER BY attempt_number"
    assert place.rows(again) == [(1 - instance, 1, "c1"), (instance, 2, "c1-d1")]
    [(event,)] = place.rows("SELECT message FROM events WHERE kind = 'disk_raised'")
    assert event.startswith(
        f"fill/{instance} has 100 % of a node's disk at its next attempt, in one of 1 slot"
    )
    shown = place.run("fom", "toy", "--rules").stdout
    assert "1 instance was tried again with more disk, up to 100 % of a node's disk" in " ".join(
        shown.split()
    )


def test_a_hopeless_campaign_ends_early_and_can_be_tried_again(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    benchmarks(place, {"exit": {"instances": 40}}, abort_after_failures=6, retries={"benchmark": 0})
    ended = launch(place)
    assert ended.returncode == 4
    assert "attempts all failed" in ended.stdout
    assert len(place.rows("SELECT 1 FROM attempts")) < 20
    again = place.run("resume", "toy", "--retry-exhausted")
    assert again.returncode == 4


def test_the_ledger_goes_away_and_comes_back(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(16)
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "two instances")
    blocker = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # nobody else can write now
    assert driver.stdout is not None
    said = next(line for line in driver.stdout if "nothing new starts until it is back" in line)
    assert "database is locked" in said
    wait_for(lambda: not place.processes("workloads.run"), "the running instances to finish")
    assert len(place.starts()) < 16
    blocker.execute("ROLLBACK")
    blocker.close()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    assert place.rows("SELECT state, count(*) FROM instances GROUP BY state") == [("done", 16)]
    assert set(place.starts().values()) == {1}


def test_the_same_file_twice_only_when_asked(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(2)
    assert launch(place).returncode == 0
    again = launch(place)
    assert again.returncode == 1
    assert again.stderr == (
        "error: campaign 'toy' is already in the ledger; continue it with `orchestrator resume toy`, "
        "or start another with --name NEW\n"
    )
    named = place.run("launch", "toy.yaml", "--site", "site.yaml", "--name", "toy-2")
    assert named.returncode == 0
    assert place.rows("SELECT name FROM campaigns ORDER BY 1") == [("toy",), ("toy-2",)]
    finished = place.run("resume", "toy")
    assert finished.returncode == 0
    assert place.rows("SELECT count(*) FROM attempts") == [(4,)]


def test_two_slot_shapes_run_one_after_the_other(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    narrow = {"workload": "tests.toys.behave", "instances": 4, "timeout": 30, "parameters": {"seconds": 0.2}}
    wide = {**narrow, "name": "wide", "instances": 2, "slot": {"cores": 2}}
    (tmp_path / "toy.yaml").write_text(json.dumps({"campaign": "toy", "benchmarks": [narrow, wide]}))
    with (tmp_path / "site.yaml").open("a") as site:
        site.write("sampling: off\n")
    assert launch(place).returncode == 0
    assert place.rows("SELECT 1 FROM samples") == []
    spans = {
        name: (first, last)
        for name, first, last in place.rows(
            "SELECT i.benchmark, min(a.run_start_us), max(a.run_stop_us) FROM attempts a "
            "JOIN instances i ON i.instance_id = a.instance_id GROUP BY i.benchmark"
        )
    }
    assert spans["behave"][1] < spans["wide"][0]
    assert {cores for (cores,) in place.rows("SELECT cores FROM attempts")} == {"0", "1", "0,1"}


def test_nothing_listens_wider_than_the_loopback_address(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    content = {
        "campaign": "toy",
        "benchmarks": [
            {
                "workload": "tests.toys.behave",
                "instances": 2,
                "timeout": 60,
                "parameters": {"behaviour": "hang"},
            }
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    wait_for(lambda: len(place.processes("workloads.run")) == 2, "both trainings")
    family = [psutil.Process(driver.pid), *place.processes()]
    listening = {
        one.laddr.ip.removeprefix("::ffff:")
        for process in family
        for one in process.net_connections("inet")
        if one.status == psutil.CONN_LISTEN
    }
    assert listening == {"127.0.0.1"}
    keys = [path for path in (tmp_path / "runs").rglob("*") if path.name.endswith("_secret")]
    assert keys
    assert all(not path.parent.stat().st_mode & 0o077 for path in keys)
    driver.terminate()
    driver.communicate(timeout=600)


def test_a_reader_that_leaves_costs_the_campaign_nothing(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    place.campaign(12)
    driver = place.launch()
    assert driver.stdout is not None
    assert driver.stdout.readline().startswith("campaign toy: 12 instances")
    driver.stdout.close()
    assert driver.stderr is not None
    with driver.stderr:
        err = driver.stderr.read()
    assert driver.wait(300) == 0, err
    assert place.rows("SELECT state, count(*) FROM instances GROUP BY state") == [("done", 12)]
    assert place.rows("SELECT outcome FROM campaigns") == [("complete",)]


def test_a_question_that_takes_too_long_can_be_interrupted(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    assert place.run("ledger", "init").returncode == 0
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    asked = place.start("ledger", "query", endless)
    process = psutil.Process(asked.pid)
    before = wait_for(lambda: (used := process.cpu_times().user) > 0.5 and used, "a command that has started")
    wait_for(lambda: process.cpu_times().user > before + 1.0, "a question that takes long")
    asked.send_signal(signal.SIGINT)
    out, err = asked.communicate(timeout=600)
    assert asked.returncode == 130, out + err
    assert out + err == ""


def test_load_by_another_process_on_a_slots_cores_is_seen(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path, slots=1)
    [core] = sorted(os.sched_getaffinity(0))[:1]
    benchmarks(place, {"succeed": {"seconds": 5.0}})
    other = subprocess.Popen(
        [sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {core})
    )
    try:
        assert launch(place).returncode == 0
    finally:
        other.kill()
        other.wait()
    [(seconds,)] = place.rows("SELECT value FROM metrics WHERE name = 'foreign_cpu_seconds'")
    assert 2.5 < seconds <= 5.5  # the loop, and other processes of this machine, had the core for 5 s
    [found] = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"]
    assert found["workload"] == "tests.toys.behave"
    [(seen,)] = place.rows("SELECT observed FROM attempts")
    assert json.loads(seen)["foreign_cpu_percent"] > 40
    assert json.loads(seen)["sampling"]["interval"] == "run"
    metrics = dict(place.rows("SELECT name, value FROM metrics"))
    assert 0 <= metrics["cpu_utilisation_percent"] < 60  # the training sleeps
    assert metrics["read_bytes"] > 0
    assert {one for (one,) in place.rows("SELECT quantity FROM samples")} >= {"cpu_utilisation", "read_rate"}
    described = place.rows("SELECT subject, message, data FROM events WHERE kind = 'node_described'")
    [(node, message, data)] = described
    key = json.loads(data)["document"]
    assert message == f"node {node} is described by {key[:12]}"
    [(content,)] = place.rows(f"SELECT content FROM documents WHERE sha256 = '{key}'")
    facts = json.loads(content)
    assert facts["os"]["kernel"]
    assert facts["python"]["version"]
    assert facts["packages"]["list"]
    assert not (tmp_path / "runs" / "toy" / "nodes").exists()
