"""Campaigns on a real Slurm of several nodes: pinned slots, shared GPUs, and whatever befalls a block."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.evidence.clocks import clocks
from db.reader import Reader
from orchestrator.schedulers.client import SchedulerClient
from tests.harness import CampaignSandbox, kill, wait_for, worker_of
from tests.orchestrator.schedulers.test_client import site as scheduler_site
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
GPUS = ("GPU-00000000-0000-0000-0000-00000000000a", "GPU-00000000-0000-0000-0000-00000000000b")


class SlurmSandbox(CampaignSandbox):
    """A folder with a site that is the Slurm of these tests."""

    def __init__(
        self, folder: Path, *, blocks: int = 1, nodes_per_block: int | str = 2, **scheduler: Any
    ) -> None:
        super().__init__(folder)
        tools = folder / "tools"
        tools.mkdir()
        listing = "\n".join(f"GPU {k}: Fake (UUID: {name})" for k, name in enumerate(GPUS))
        (tools / "nvidia-smi").write_text(f"#!/bin/sh\ncat <<'EOF'\n{listing}\nEOF\n")
        (tools / "nvidia-smi").chmod(0o755)
        usable = sorted(os.sched_getaffinity(0))[:2]
        batch = {
            "type": "slurm",
            "walltime": "10 min",
            "max_blocks": blocks,
            "nodes_per_block": nodes_per_block,
            "poll_interval": 1,
            "extra_directives": ["--gres=gpu:2"],
            "prologue": [f"export PATH={tools}:$PATH"],
        }
        self.site(
            scheduler=batch | scheduler,
            node={
                "cores": ",".join(map(str, usable)),
                "memory": "1 GiB",
                "gpus": {"count": 2, "memory": "8 GiB", "sharing": "mps", "instances_per_gpu": 4},
            },
            nodes=100,
            address="127.0.0.1",
            interface="lo",
            heartbeat={"period": 1, "threshold": 6, "stall_timeout": 30},
        )

    def accepted_once(self, instances: int) -> None:
        """Check that every instance has exactly one accepted attempt."""
        assert self.rows("SELECT count(*), count(DISTINCT instance_id) FROM accepted") == [
            (instances, instances)
        ]
        succeeded = "SELECT count(*) FROM attempts WHERE state = 'succeeded'"
        assert self.rows(succeeded) == [(instances,)]

    def asked_without(self, node: str) -> None:
        """Check that all blocks but the first two, one array, were asked for without a node."""
        with zipfile.ZipFile(self.folder / "runs" / "toy" / "parsl" / "1.zip") as packed:
            names = sorted(name for name in packed.namelist() if name.endswith(".sh"))
            scripts = [packed.read(name).decode() for name in names]
        avoiding = [f"#SBATCH --exclude={node}\n" in script for script in scripts]
        assert avoiding[0] is False
        assert "#SBATCH --array=0-1\n" in scripts[0]
        assert {*avoiding[1:]} == {True}, scripts

    def blocks(self) -> list[tuple[Any, ...]]:
        """Return state and job of every block."""
        return self.rows("SELECT state, job_id, session_number FROM blocks ORDER BY session_number, block_id")


def active(slurm: SlurmCluster) -> list[str]:
    """Return the ids of jobs that hold or want nodes."""
    return subprocess.check_output(["squeue", "--noheader", "--format=%i"], text=True).split()


def test_slots_on_nodes_that_are_not_excluded_are_pinned_and_share_gpus(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path)
    common = {"workload": "tests.toys.gpu_visibility", "timeout": 60}
    content = {
        "campaign": "toy",
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [
            {**common, "name": "whole", "instances": 8, "slot": {"gpus": 1}},
            {**common, "name": "half", "instances": 4, "slot": {"gpus": "1/2"}},
            {**common, "name": "stray", "instances": 1, "slot": {"gpus": 1}, "parameters": {"stray": True}},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    excluded, *others = slurm.names
    ended = place.start("launch", "toy.yaml", "--site", "site.yaml", "--exclude", excluded)
    out, err = ended.communicate(timeout=600)
    assert ended.returncode == 3, out + err
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_reason, a.node, a.slot_index, a.cores, "
        "a.devices, a.observed, a.failure_message "
        "FROM attempts a JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
    )
    assert {row[3] for row in rows} == set(others)
    whole = [row for row in rows if row[0] == "whole"]
    assert {row[1] for row in whole} == {"succeeded"}
    # Two nodes with two slots each, every slot always with its own core and its own GPU.
    places = {(node, slot): (cores, devices) for _, _, _, node, slot, cores, devices, _, _ in whole}
    assert len(places) == 4
    for node in {node for node, _ in places}:
        mine = [held for (where, _), held in places.items() if where == node]
        assert len({cores for cores, _ in mine}) == 2
        assert {devices for _, devices in mine} == set(GPUS)
    half = [json.loads(row[7]) for row in rows if row[0] == "half"]
    # The whole node has two cores, so two instances, spread over both GPUs.
    assert {one["gpus"][0]["uuid"] for one in half} == set(GPUS)
    environment = place.rows("SELECT content FROM documents")
    caps = {json.loads(facts).get("device_memory_bytes") for (facts,) in environment}
    assert caps == {None, 4 << 30}
    (stray,) = [row for row in rows if row[0] == "stray"]
    assert stray[1:3] == ("failed", "slot mismatch")
    assert "opened GPUs GPU-of-somebody-else, its slot has GPU-" in stray[8]
    told = place.rows("SELECT clock_offset_max_us FROM attempts WHERE state = 'succeeded'")
    assert all(0 <= ahead < 60_000_000 for (ahead,) in told)  # one machine has one clock
    with Reader(place.ledger) as reader:
        known = clocks(reader, reader.campaign("toy").campaign_id)
    assert {node for _, node in known.nodes} == {node for node, _ in places}
    for bounds in known.nodes.values():
        assert bounds.low_us is not None
        assert bounds.high_us is not None
        assert -60_000_000 < bounds.low_us <= 0 <= bounds.high_us < 60_000_000
    assert known.contradiction_us == 0
    assert [state for state, _, _ in place.blocks()] == ["released", "released"]  # one a slot shape
    ((energy,),) = place.rows("SELECT message FROM events WHERE kind = 'block_energy'")
    assert energy.startswith("the energy of blocks is absent: Slurm's ")
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_slurm_says_when_it_would_start_a_block_and_why_not(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(4)

    def asked(*options: str) -> tuple[int, str]:
        ended = place.start("plan", "toy.yaml", "--site", "site.yaml", "--ask", *options)
        out, err = ended.communicate(timeout=120)
        assert not err
        return ended.returncode, " ".join(out.split())

    code, answer = asked()
    assert code == 0, answer
    assert re.search(r"2 nodes for 10 min 00 s: Job \d+ to start at \d{4}-\d\d-\d\dT", answer), answer
    code, answer = asked("--set", "site.scheduler.partition=nowhere")
    assert (code, "refused: " in answer, "invalid partition" in answer.lower()) == (5, True, True), answer
    assert active(slurm) == []


def test_a_node_killed_in_the_middle_costs_no_instance(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=2)
    place.campaign(28, parameters={"seconds": 5.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 4, "the first results")
    running = (
        "SELECT node FROM attempts WHERE state = 'running' AND node IS NOT NULL "
        "ORDER BY process_start_us DESC LIMIT 1"
    )
    ((node,),) = wait_for(lambda: place.rows(running), "a running attempt")
    slurm.kill_node(node)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(28)
    lost = place.rows("SELECT failure_category, failure_message FROM attempts WHERE state = 'lost'")
    assert {category for category, _ in lost} == {"infrastructure"}
    assert any(message.endswith(f"(it ran on node {node})") for _, message in lost), lost
    assert "lost its nodes" in out + err
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_block_that_ends_in_the_middle_is_followed_by_another(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, walltime="40 s")
    place.campaign(10, parameters={"seconds": 8.0}, expected_runtime="9 s", grace_period=1)
    driver = place.launch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(10)
    assert len(place.blocks()) >= 2  # a slow machine needs more
    refused = place.rows(
        "SELECT failure_category, failure_message FROM attempts WHERE failure_reason = 'walltime'"
    )
    assert {category for category, _ in refused} <= {"neutral"}
    assert place.rows("SELECT count(*) FROM attempts WHERE state IN ('failed', 'lost', 'timed_out')") == [
        (0,)
    ]


def test_what_runs_when_a_block_ends_runs_again_in_the_next_and_is_no_failure(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, walltime="70 s")
    # Together they take longer than a block; each fits into one, with 25 s left for starting up.
    common = {"workload": "tests.toys.behave", "timeout": 120, "expected_runtime": "5 s"}
    content = {
        "campaign": "toy",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "benchmarks": [
            {**common, "name": "short", "instances": 2, "parameters": {"seconds": 30.0}},
            {**common, "name": "long", "instances": 2, "parameters": {"seconds": 45.0}},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(4)
    ended = place.rows(
        "SELECT i.benchmark, a.state, a.failure_category, a.failure_message FROM attempts a JOIN instances i "
        "ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id WHERE "
        "a.process_start_us IS NOT NULL "
        "AND a.state != 'succeeded'"
    )
    assert ended == [("long", "cancelled", "neutral", "its block was about to end")] * 2
    assert len(place.blocks()) >= 2  # a slow machine needs more


def test_a_block_cancelled_from_outside_ends_the_campaign_and_can_be_resumed(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(16, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "the first results")
    (job,) = active(slurm)
    subprocess.run(["scancel", job], check=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 1, out + err
    assert f"(job {job}) was cancelled from outside" in out + err
    assert place.run("resume", "toy").returncode == 0
    place.accepted_once(16)


def test_a_killed_driver_leaves_no_block_behind(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(16, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 3, "the first results")
    assert len(active(slurm)) == 1
    kill(driver)
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stderr
    place.accepted_once(16)
    assert max(place.starts().values()) <= 2
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_blocks_of_one_shape_are_one_job_array(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=3, node_teardown=["true"])
    place.campaign(24, parameters={"seconds": 3.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 3, "the first results")
    wait_for(lambda: len(active(slurm)) == 3, "all blocks to run")
    first, *others = [job for _, job, _ in place.blocks()]
    array = first.partition("_")[0]
    assert [first, *others] == [f"{array}_{task}" for task in range(3)]
    subprocess.run(["scancel", others[1]], check=True)
    kill(driver)
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    place.accepted_once(24)
    again = {job.partition("_")[0] for _, job, session in place.blocks() if session == 2}
    assert len(again) == 1
    assert again != {array}
    outputs = {file.name for file in (tmp_path / "runs" / "toy").rglob("*.out")}
    with zipfile.ZipFile(tmp_path / "runs" / "toy" / "parsl" / "2.zip") as packed:
        outputs |= {Path(name).name for name in packed.namelist() if name.endswith(".sh")}
    assert sum(name.endswith(".sh") for name in outputs) == 1, outputs
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def lose_login_node(driver: subprocess.Popen[str]) -> None:
    """Kill the driver and all below it at once, as when its host goes down."""
    host = [psutil.Process(driver.pid), *psutil.Process(driver.pid).children(recursive=True)]
    for process in host:
        process.kill()
    driver.communicate()


def running(place: SlurmSandbox) -> list[psutil.Process]:
    """Return the trainings of a campaign."""
    return place.processes("workloads.run")


def test_attempts_outlive_their_driver_and_run_once(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(5, parameters={"seconds": 20.0})
    driver = place.launch()
    first = wait_for(lambda: len(found := running(place)) == 4 and found, "four trainings")
    (job,) = active(slurm)
    lose_login_node(driver)
    wait_for(lambda: not [one for one in place.processes("spawn_main") if one.is_running()], "no worker")
    assert all(one.is_running() for one in first)
    assert active(slurm) == [job]
    resumed = place.run("resume", "toy")  # while they run
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert f"4 attempts of a dead driver still run in blocks {job}" in resumed.stdout
    assert "adopted 4 results from the journals" in resumed.stdout
    place.accepted_once(5)
    assert set(place.starts().values()) == {1}
    wait_for(lambda: not active(slurm), "the blocks to be gone")
    assert place.processes() == []


def test_a_block_without_a_driver_ends_with_its_last_attempt(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(4, parameters={"seconds": 15.0})
    driver = place.launch()
    wait_for(lambda: len(running(place)) == 4, "four trainings")
    driver.terminate()  # as a login node that shuts down does
    driver.communicate()
    assert driver.returncode == -signal.SIGTERM
    wait_for(lambda: not active(slurm), "the block to end by itself", 300)
    assert place.processes() == []
    assert place.done() == 0
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "adopted 4 results from the journals" in resumed.stdout
    place.accepted_once(4)
    assert set(place.starts().values()) == {1}


def test_what_outlived_its_driver_can_be_ended(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(4, parameters={"seconds": 60.0})
    driver = place.launch()
    wait_for(lambda: len(running(place)) == 4, "four trainings")
    lose_login_node(driver)
    ended = place.run("stop", "toy", "--now")
    assert "no driver runs it; ended" in ended.stdout, ended.stdout + ended.stderr
    wait_for(lambda: not active(slurm), "the block to be gone")
    wait_for(lambda: not place.processes(), "the end of all processes")


def test_a_driver_job_hands_over_and_the_next_goes_on(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, exclusive=False)
    site = json.loads((tmp_path / "site.yaml").read_text())
    site["driver_job"] = {"walltime": "60 s", "extra_directives": []}
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    # Six waves on two slots take longer than the driver's job may, and than Slurm needs to end it.
    place.campaign(12, parameters={"seconds": 18.0})
    started = place.run("launch", "toy.yaml", "--site", "site.yaml", "--as-job", "--json")
    assert started.returncode == 0, started.stderr
    output = Path(json.loads(started.stdout)["output"])
    wait_for(lambda: place.done() == 12 and not active(slurm), "the end of the campaign and its jobs", 1200)
    place.accepted_once(12)
    assert set(place.starts().values()) == {1}
    sessions = place.rows("SELECT kind, outcome FROM sessions ORDER BY session_number")
    assert sessions[0] == ("launch", "driver_died")
    assert sessions[-1] == ("resume", "complete")
    taken_over = "SELECT count(*) >= 1 FROM attempts WHERE session_number = 1 AND state = 'succeeded' AND "
    taken_over += "received_us > (SELECT started_us FROM sessions WHERE session_number = 2)"
    assert place.rows(taken_over) == [(1,)]  # it outlived the driver that started it
    own = f"SELECT count(*) FROM events WHERE kind = 'driver_started' AND data LIKE '%{output.name}%'"
    assert place.rows(own) == [(len(sessions),)]  # each driver is known by its job and what it prints to
    assert place.rows("SELECT count(*) >= 1 FROM events WHERE kind = 'driver_job_submitted'") == [(1,)]
    followed = place.run("attach", "toy")
    assert followed.returncode == 0, followed.stdout + followed.stderr


def test_a_block_that_slurm_refuses_ends_the_launch_in_its_words(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, partition="nowhere")
    place.campaign(2)
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 1
    assert "sbatch refused the block" in ended.stdout + ended.stderr
    assert "invalid partition" in ended.stdout + ended.stderr
    assert place.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(0,)]


def test_a_campaign_whose_next_block_is_refused_is_not_complete(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, walltime="30 s")
    place.campaign(14, parameters={"seconds": 6.0}, expected_runtime="7 s", grace_period=1)
    refuse = tmp_path / "refuse"
    wrapper = tmp_path / "tools" / "sbatch"
    wrapper.write_text(
        f'#!/bin/sh\n[ -e {refuse} ] && {{ echo "error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1; }}\n'
        f'exec {shutil.which("sbatch")} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    driver = place.launch()
    wait_for(lambda: place.done() >= 1, "the first result")
    refuse.touch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 1, out + err
    assert "QOSMaxSubmitJobPerUserLimit" in out + err
    assert "engine failed" in out + err
    done = place.done()
    assert 0 < done < 14
    refused = place.rows("SELECT count(*) FROM attempts WHERE failure_reason = 'walltime'")[0][0]
    assert refused < 8  # a block that ends is not handed all that waits
    refuse.unlink()
    assert place.run("resume", "toy").returncode == 0
    place.accepted_once(14)


def test_a_block_that_never_starts_ends_the_launch_with_what_to_change(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, partition="short")  # which allows a minute
    place.campaign(2)
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 1
    said = ended.stdout + ended.stderr
    assert "will never start: PENDING (PartitionTimeLimit); write a shorter scheduler.walltime" in said
    assert place.rows("SELECT count(*) FROM events WHERE kind = 'block_waiting'") == [(1,)]
    wait_for(lambda: not active(slurm), "the block to be gone")


def test_a_prolog_that_fails_once_costs_one_block(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1)
    place.campaign(4)
    slurm.fail_prolog_once()
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    place.accepted_once(4)
    assert [state for state, _, _ in place.blocks()] == ["failed", "released"]
    [(message,)] = place.rows("SELECT message FROM events WHERE kind = 'block_failed'")
    assert "ended it on its nodes before its script ran, as after a failed prolog" in message


def test_ctrl_c_gives_the_blocks_back(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    place.campaign(16, parameters={"seconds": 2.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 1, "the first result")
    os.kill(driver.pid, signal.SIGINT)
    os.kill(driver.pid, signal.SIGINT)
    driver.communicate(timeout=600)
    assert driver.returncode == 4
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_node_that_keeps_failing_is_set_aside_and_avoided(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=2)
    # Whatever runs there finds no GPU any more; Slurm itself sees nothing wrong.
    bad = tmp_path / "bad"
    smi = tmp_path / "tools" / "nvidia-smi"
    fails = f'[ "$SLURMD_NODENAME" != "$(cat {bad} 2>/dev/null)" ] || exit 9'
    smi.write_text(smi.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{fails}\n"))
    content = {
        "campaign": "toy",
        "retries": {"benchmark": 0, "infrastructure": 20},
        "benchmarks": [
            {
                "workload": "tests.toys.gpu_visibility",
                "timeout": 60,
                "instances": 60,
                "parameters": {"seconds": 2.0},
                "slot": {"gpus": 1},
            }
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    first = "SELECT node FROM attempts WHERE state = 'succeeded' LIMIT 1"
    ((node,),) = wait_for(lambda: place.rows(first), "the first result")
    bad.write_text(node)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(60)
    assert place.rows("SELECT DISTINCT node FROM attempts WHERE state = 'failed'") == [(node,)]
    assert re.search(rf"node {node} is excluded after \d+ failures in a row: GpuError", out), out
    place.asked_without(node)
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_block_that_nothing_is_left_for_is_given_back(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=2)
    common = {"workload": "tests.toys.behave", "timeout": 120}
    content = {
        "campaign": "toy",
        "rulebook": "none",  # which lets benchmarks run side by side
        "benchmarks": [
            {
                **common,
                "name": "long",
                "instances": 1,
                "parameters": {"seconds": 45.0},
                "expected_runtime": "50 s",
            },
            {**common, "name": "short", "instances": 7, "expected_runtime": "5 s"},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    driver = place.launch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(8)
    ((longest,),) = place.rows("SELECT max(process_stop_us) FROM attempts")
    ended = place.rows("SELECT state, ended_us FROM blocks ORDER BY ended_us")
    assert [state for state, _ in ended] == ["released", "released"]
    assert ended[0][1] < longest < ended[1][1]


def test_blocks_fit_holes_that_a_block_of_one_shape_misses(slurm: SlurmCluster, tmp_path: Path) -> None:
    kept, ended = (
        slurm.submit(
            "#!/bin/bash\nsleep 600\n", "--exclusive", "--time=10", f"--nodelist={node}", cwd=tmp_path
        )
        for node in slurm.names[:2]
    )
    first = slurm.submit("#!/bin/bash\nsleep 600\n", "--exclusive", "--nodes=3", "--time=10", cwd=tmp_path)
    for job in (kept, ended):
        slurm.wait_job(job, "RUNNING")
    place = SlurmSandbox(tmp_path, blocks=8, nodes_per_block="1..2", walltime="1 min..10 min")
    place.campaign(48, parameters={"seconds": 5.0}, expected_runtime="8 s")
    driver = place.launch()
    holes = "SELECT count(*) FROM events WHERE kind = 'block_shaped' AND message LIKE '%are free%'"
    wait_for(lambda: place.rows("SELECT 1 FROM blocks WHERE started_us IS NOT NULL"), "a block in the hole")
    waits = "SELECT job_id FROM blocks WHERE started_us IS NULL AND ended_us IS NULL"
    client = SchedulerClient(scheduler_site("slurm"))
    wait_for(
        lambda: (answer := client.free_nodes()) and {job for (job,) in place.rows(waits)} & {*answer.behind},
        "a full block that Slurm expects to start after the first job",
    )
    subprocess.run(["scancel", ended], check=True)  # which makes another hole
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(48)
    ((asked,),) = place.rows(holes)
    assert asked, place.rows("SELECT message FROM events")
    assert slurm.job(first).state == "PENDING"
    # Before the job that was first in the queue: in each hole, one for free nodes or a short full block.
    started = place.rows("SELECT nodes FROM blocks WHERE started_us IS NOT NULL")
    assert len(started) >= 2
    assert {nodes for (nodes,) in started} <= {1, 2}


def test_blocks_cost_no_more_than_the_budget_and_a_larger_budget_lets_the_rest_run(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block="1..2", walltime="1 min..10 min", blocks=2)
    place.campaign(
        40, parameters={"seconds": 5.0}, expected_runtime="8 s", rulebook="none", budget={"node_hours": 0.025}
    )
    driver = place.launch()
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 4, out + err
    assert "pays for no block in which an instance fits" in out + err
    held = "SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks"
    ((hours,),) = place.rows(held)
    assert hours <= 0.025
    assert 0 < place.done() < 40
    again = place.run("resume", "toy")
    assert again.returncode == 4, again.stdout + again.stderr  # nothing is left of it
    assert place.rows(held) == [(hours,)]
    larger = place.run("resume", "toy", "--set", "campaign.budget.node_hours=2")
    assert larger.returncode == 0, larger.stdout + larger.stderr
    place.accepted_once(40)
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_held_block_is_told_and_goes_on_when_released(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, extra_directives=["--gres=gpu:2", "--hold"])
    place.campaign(4)
    driver = place.launch()
    held = "SELECT job_id FROM blocks WHERE state = 'held'"
    ((job,),) = wait_for(lambda: place.rows(held), "the held block")
    subprocess.run(["scontrol", "release", job], check=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    assert f"block 0 (job {job}) is held: PENDING (JobHeldUser)" in out
    place.accepted_once(4)


def test_a_block_that_never_starts_can_be_given_up_for_later(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, extra_directives=["--gres=gpu:2", "--begin=now+1hour"])
    place.campaign(4)
    driver = place.launch()
    waits = "SELECT message FROM blocks WHERE state = 'queued' AND message LIKE '%BeginTime%'"
    wait_for(lambda: place.rows(waits), "the block to wait")
    os.kill(driver.pid, signal.SIGINT)
    out, err = driver.communicate(timeout=600)  # a drain does not wait for those who never started
    assert driver.returncode == 4, out + err
    assert re.search(r"^block 0 \(job \d+\) is queued", out, re.MULTILINE)
    wait_for(lambda: not active(slurm), "the blocks to be gone")
    assert place.rows("SELECT DISTINCT state FROM instances") == [("planned",)]
    assert place.rows("SELECT count(*) FROM attempts WHERE failure_category != 'neutral'") == [(0,)]


WAITING = "SELECT message FROM blocks WHERE state = 'queued' AND message LIKE '%BeginTime%'"


def test_a_block_that_waits_is_asked_for_anew_once_its_pool_is_changed(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, extra_directives=["--gres=gpu:2", "--begin=now+1hour"])
    place.campaign(4, parameters={"seconds": 3.0})
    driver = place.launch()
    wait_for(lambda: place.rows(WAITING), "the block to wait")
    refused = place.run("node", "set", "toy", "test", "poll_interval=2")
    assert refused.returncode == 1
    settings = ("extra_directives=[--gres=gpu:2]", "walltime=5min", "nodes_per_block=1")
    asked = place.run("node", "set", "toy", "test", *settings)
    assert asked.stdout == "toy: asked its driver to change pool test\n"
    limits = ["squeue", "--noheader", "--format=%l"]
    wait_for(lambda: subprocess.check_output(limits, text=True) == "5:00\n", "a block of 5 min")
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(4)
    assert place.rows("SELECT state, nodes FROM blocks ORDER BY block_id") == [
        ("released", 2),
        ("released", 1),
    ]
    assert place.rows("SELECT count(*) FROM attempts WHERE failure_category IS NOT NULL") == [(0,)]
    assert "with other settings since session 1" in place.run("fom", "toy", "--rules").stdout
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_of_several_partitions_of_a_pool_a_block_starts_in_one_that_is_up(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, walltime="60 s", partition="short,main", nodes_per_block="1..2")
    place.campaign(8, parameters={"seconds": 1.0})
    asked = place.run("plan", "toy.yaml", "--site", "site.yaml", "--ask")
    assert asked.returncode == 0, asked.stdout + asked.stderr
    subprocess.run(["scontrol", "update", "PartitionName=short", "State=DOWN"], check=True)
    try:
        driver = place.launch()
        where = ["squeue", "--noheader", "--states=RUNNING", "--format=%P"]
        wait_for(lambda: subprocess.check_output(where, text=True).split() == ["main"], "a block in main")
        out, err = driver.communicate(timeout=600)
    finally:
        subprocess.run(["scontrol", "update", "PartitionName=short", "State=UP"], check=True)
    assert driver.returncode == 0, out + err
    place.accepted_once(8)
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_block_that_waits_keeps_its_place_in_another_partition_and_beside_more_blocks(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(
        tmp_path, nodes_per_block=1, walltime="60 s", extra_directives=["--gres=gpu:2", "--begin=now+1hour"]
    )
    place.campaign(8, parameters={"seconds": 1.0}, expected_runtime=1)
    driver = place.launch()
    wait_for(lambda: place.rows(WAITING), "the block to wait")
    ((_, job, _),) = place.blocks()
    explained = place.run("explain", "toy", "--sooner", "--json")
    assert explained.returncode == 0, explained.stderr
    unknown = json.loads(explained.stdout)["sooner"]["unknown"]
    assert [one["settings"] for one in unknown] == [["nodes_per_block=2"], ["partition=short"]]
    assert "to start at" in unknown[1]["answers"][0]
    asked = place.run("node", "set", "toy", "test", "partition=short")
    assert asked.returncode == 0, asked.stderr
    where = ["squeue", "--noheader", "--format=%i %P"]
    wait_for(lambda: subprocess.check_output(where, text=True) == f"{job} short\n", "another partition")
    asked = place.run("node", "set", "toy", "test", "max_blocks=2")
    assert asked.returncode == 0, asked.stderr
    wait_for(lambda: len(place.blocks()) == 2, "a second block")
    assert job in active(slurm)
    for one in active(slurm):
        subprocess.run(["scontrol", "update", f"JobId={one}", "StartTime=now"], check=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(8)
    assert [state for state, one, _ in place.blocks() if one == job] == ["released"]
    assert len(place.blocks()) == 2
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_node_that_is_excluded_while_it_works_is_given_back_and_avoided(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1, blocks=2)
    place.campaign(60, parameters={"seconds": 2.0})
    driver = place.launch()
    first = "SELECT node FROM attempts WHERE state = 'succeeded' LIMIT 1"
    ((node,),) = wait_for(lambda: place.rows(first), "the first result")
    asked = place.run("node", "exclude", "toy", node, "--because", "fan")
    assert asked.stdout == f"toy: asked its driver to exclude node {node}\n"
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(60)
    [(applied_us,)] = place.rows("SELECT at_us FROM events WHERE kind = 'exclude_list'")
    # What was starting at that moment ends there.
    late = f"node = '{node}' AND process_start_us > {applied_us + 5_000_000} AND state = 'succeeded'"
    assert place.rows(f"SELECT count(*) FROM attempts WHERE {late}") == [(0,)]
    place.asked_without(node)
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_change_that_a_killed_driver_was_asked_for_is_applied_once_by_the_next(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, extra_directives=["--gres=gpu:2", "--begin=now+1hour"])
    place.campaign(4)
    driver = place.launch()
    wait_for(lambda: place.rows(WAITING), "the block to wait")
    driver.send_signal(signal.SIGSTOP)
    asked = place.run("node", "set", "toy", "test", "extra_directives=[--gres=gpu:2]")
    assert asked.returncode == 0, asked.stderr
    kill(driver)
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    place.accepted_once(4)
    assert place.rows("SELECT count(*) FROM events WHERE kind = 'site_changed'") == [(1,)]
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_instances_of_two_nodes_meet_and_end_together(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path)
    common = {
        "workload": "tests.toys.multi_rank",
        "timeout": 60,
        "slot": {"nodes": 2, "ranks": 4, "gpus": "1/2"},
    }
    content = {
        "campaign": "toy",
        "grace_period": 1,
        "start": "synchronized",
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [
            {**common, "name": "succeed", "instances": 3},
            {**common, "name": "die", "instances": 1, "parameters": {"behaviour": "die"}},
            {**common, "name": "raise", "instances": 1, "parameters": {"behaviour": "raise"}},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    ended = place.launch()
    out, err = ended.communicate(timeout=600)
    assert ended.returncode == 3, out + err
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_reason, a.failure_message, a.observed, a.devices, "
        "a.run_start_us - a.ready_us FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
    )
    succeeded = [row for row in rows if row[0] == "succeed"]
    assert [row[1] for row in succeeded] == ["succeeded"] * 3, succeeded
    for row in succeeded:
        ranks = json.loads(row[4])["ranks"]
        assert [rank["cpuset"] for rank in ranks[:2]] == [rank["cpuset"] for rank in ranks[2:]]
        assert len({tuple(rank["cpuset"]) for rank in ranks}) == 2
        assert sorted(row[5].split(",")) == sorted(GPUS * 2)
        assert row[6] > 2.5e6  # both nodes' ranks waited for the announced instant
    others = {row[0]: row[1:4] for row in rows if row[0] != "succeed"}
    assert others["die"][:2] == ("failed", "killed by SIGKILL")
    assert others["die"][2].startswith("rank 1: ")
    assert others["raise"][:2] == ("failed", "exception")
    assert "rank 1: RuntimeError: rank 1 was to fail" in others["raise"][2]
    shares = place.rows("SELECT slot FROM benchmarks")
    assert {json.loads(slot)["share_of_system"] for (slot,) in shares} == {0.02}
    assert not list((tmp_path / "runs" / "toy" / "orders").glob("*"))


def test_a_node_whose_workers_hang_is_replaced_and_its_orders_run_elsewhere(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=2, blocks=1)
    place.campaign(24, parameters={"seconds": 2.0})
    driver = place.launch()
    workers: dict[str, set[psutil.Process]] = {}

    def seen() -> bool:
        for training in place.processes("workloads.run"):
            with suppress(psutil.NoSuchProcess):
                worker = worker_of(training, tmp_path / "runs" / "toy" / "journals")
                if worker is not None:
                    workers.setdefault(worker.environ()["SLURMD_NODENAME"], set()).add(worker)
        return [len(found) for found in workers.values()] == [2, 2] and place.done() >= 2

    wait_for(seen, "all workers at work", 300)
    driver.send_signal(signal.SIGSTOP)
    looks = 0

    def idle() -> bool:  # for longer than workers take from one order to the next
        nonlocal looks
        looks = 0 if place.processes("workloads.run") else looks + 1
        return looks > 60

    wait_for(idle, "idle workers", 300)
    node = next(iter(workers))
    for worker in workers[node]:
        worker.kill()  # one of them holds the lock of the pool's queue, and takes it along
    driver.send_signal(signal.SIGCONT)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(24)
    told = re.findall(
        rf"worker pool of node {node} started none of its \d orders for .* it gets no more", out
    )
    assert len(told) == 1, out
    assert next(state for state, _, _ in place.blocks()) == "released"
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_pools_in_two_partitions_work_side_by_side(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=1)
    site = json.loads((tmp_path / "site.yaml").read_text())
    site["pools"] = {
        "wide": {"scheduler": {"partition": "main"}},
        "short": {"scheduler": {"partition": "short", "walltime": "60 s"}, "node": {"gpus": None}},
    }
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    common = {"workload": "tests.toys.behave", "instances": 2, "timeout": 40, "parameters": {"seconds": 15.0}}
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "benchmarks": [
            {**common, "name": "a", "slot": {"gpus": 1}, "pools": ["short", "wide"]},
            {**common, "name": "b", "pools": ["short"]},
            {**common, "name": "both", "instances": 10, "spread": True, "pools": ["short", "wide"]},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    launched = place.launch()
    at_once = (
        "SELECT count(DISTINCT benchmark) FROM attempts JOIN instances USING (instance_id) "
        "WHERE attempts.state = 'running'"
    )
    wait_for(lambda: place.rows(at_once) == [(2,)], "instances of both pools run", 300)
    jobs = subprocess.check_output(["squeue", "--noheader", "--format=%P"], text=True).split()
    assert sorted(jobs) == ["main", "short"]
    out, err = launched.communicate(timeout=600)
    assert launched.returncode == 0, out + err
    place.accepted_once(14)
    assert set(
        place.rows(
            "SELECT benchmark, pool, nodes FROM attempts JOIN instances USING (instance_id) JOIN blocks ON "
            "blocks.slot_shape = attempts.slot_shape AND blocks.block_id = attempts.block_id"
        )
    ) == {("a", "wide", 1), ("b", "short", 1), ("both", "short", 1), ("both", "wide", 1)}
    shown = json.loads(place.run("fom", "toy", "--json").stdout)
    both = shown["pools"].pop("both")
    assert (len(both), sum(both.values())) == (2, 10)
    assert shown["pools"] == {
        "a": {"wide (partition main, nodes of 2 nvidia GPUs)": 2},
        "b": {"short (partition short, nodes of 2 cores)": 2},
    }
    assert active(slurm) == []


def test_what_runs_out_of_memory_runs_in_a_larger_slot_of_a_block_of_its_own(
    slurm: SlurmCluster, tmp_path: Path
) -> None:
    place = SlurmSandbox(tmp_path)
    common = {"workload": "tests.toys.behave", "timeout": 60, "slot": {"memory": "300 MiB"}}
    content = {
        "campaign": "toy",
        "rulebook": "none",
        "retries": {"memory": "x2"},
        "benchmarks": [
            {**common, "name": "greedy", "instances": 1, "parameters": {"megabytes": 400, "seconds": 3.0}},
            {**common, "name": "modest", "instances": 3},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    ended = place.start("launch", "toy.yaml", "--site", "site.yaml")
    out, err = ended.communicate(timeout=600)
    assert ended.returncode == 0, out + err
    place.accepted_once(4)
    failed = "SELECT slot_shape, failure_reason FROM attempts WHERE state = 'failed'"
    assert place.rows(failed) == [("c1-300m", "out of memory")]
    raised = "SELECT subject FROM events WHERE kind = 'memory_raised'"
    assert place.rows(raised) == [("greedy/0",)]
    larger = "SELECT b.state, b.nodes FROM accepted a JOIN blocks b USING (slot_shape, block_id)"
    assert place.rows(f"{larger} WHERE slot_shape = 'c1-600m'") == [("released", 1)]
    wait_for(lambda: not active(slurm), "the blocks to be gone")


def test_a_detected_site_is_right_on_a_real_slurm(slurm: SlurmCluster, tmp_path: Path) -> None:
    orchestrator = [sys.executable, "-m", "orchestrator", "site"]
    subprocess.run([*orchestrator, "detect", "--output", "ours.yaml"], cwd=tmp_path, check=True)
    text = (tmp_path / "ours.yaml").read_text()
    assert "\n  partition: main\n" in text
    assert "\n  extra_directives: [--gpus-per-node=2, --mem=0]\n" in text
    assert "\nnodes: 3\n" in text
    assert "#   short: 1 min\n" in text
    checked = subprocess.run(
        [*orchestrator, "check", "ours.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
