"""Campaigns on fakes of LSF, PBS Pro, Torque and Flux: pinned slots, blocks that end, fail or are held."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.test_slurm import SlurmSandbox, active
from tests.containers.stand_in import install
from tests.harness import ROOT, CampaignSandbox, kill, wait_for
from tests.schedulers.fake_schedulers.store import MARK, NODE_MARK, VARIABLE
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow
FAMILIES = ("lsf", "pbspro", "torque", "flux")
LAUNCHERS = {"lsf": "jsrun", "pbspro": "mpiexec", "torque": "aprun", "flux": "flux"}
STATUS = {"lsf": "bjobs", "pbspro": "qstat", "torque": "qstat", "flux": "flux"}
SILENCE = {
    "lsf": "bjobs failed: Failed in an LSF library call: LIM is down; try later",
    "pbspro": "qstat failed: qstat: cannot connect to server polaris-pbs-01",
    "torque": "qstat failed: qstat: cannot connect to server sdb",
    "flux": "flux jobs failed: flux-jobs: ERROR: Unable to connect to Flux",
}
REFUSED = {
    "lsf": ("bsub", "nowhere: No such queue. Job not submitted."),
    "pbspro": ("qsub", "qsub: Unknown queue"),
    "torque": ("qsub", "qsub: submit error (Unknown queue MSG=cannot locate queue)"),
    "flux": ("flux", "flux-batch: ERROR: 'nowhere' is not a valid queue"),
}


class BatchSandbox(CampaignSandbox):
    """A folder with a site that is a machine of these tests."""

    def __init__(
        self,
        folder: Path,
        machine: Machine,
        *,
        environment: dict[str, str] | None = None,
        interpreter: str = sys.executable,
        inherit: Sequence[str] = (),
        **scheduler: Any,
    ) -> None:
        super().__init__(folder)
        self.machine = machine
        usable = sorted(os.sched_getaffinity(0))[:2]
        batch = {
            "type": machine.family,
            "walltime": "10 min",
            "nodes_per_block": 2,
            "poll_interval": 1,
            "launcher": {"type": LAUNCHERS[machine.family]},
        }
        self.site(
            scheduler=batch | scheduler,
            node={"cores": ",".join(map(str, usable)), "memory": "1 GiB"},
            nodes=100,
            address="127.0.0.1",
            interface="lo",
            interpreter=interpreter,
            environment={"PYTHONPATH": str(ROOT)} if environment is None else environment,
            heartbeat={"period": 1, "threshold": 6},
            inherit=list(inherit),
        )

    def accepted_once(self, instances: int) -> None:
        """Check that every instance has exactly one accepted attempt."""
        assert self.rows("SELECT count(*), count(DISTINCT instance_id) FROM accepted") == [
            (instances, instances)
        ]
        assert self.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(instances,)]

    def blocks(self) -> list[tuple[Any, ...]]:
        """Return state, job and message of every block."""
        return self.rows("SELECT state, job_id, message FROM blocks ORDER BY session_number, block_id")

    def active(self) -> list[str]:
        """Return the ids of jobs that hold or want nodes."""
        return [self.machine.id(job) for job in self.machine.jobs() if job.active and not job.gone]


@pytest.fixture(params=FAMILIES)
def machine(request: pytest.FixtureRequest, named_nodes: None) -> Machine:
    """Each machine with a fake."""
    made: Machine = request.getfixturevalue(f"{request.param}_machine")
    return made


def stub_ssh(folder: Path) -> Path:
    """Make an ssh that starts the command on this host, in a login's environment; return its folder."""
    tools = folder / "tools"
    tools.mkdir()
    carried = " ".join(f'{name}="${name}"' for name in ("HOME", VARIABLE, MARK))
    (tools / "ssh").write_text(
        f"""#!/bin/bash
while [[ $1 == -* ]]; do shift 2; done
host=$1; shift; cd "$HOME"
exec unshare --uts env -i PATH=/usr/bin:/bin {carried} HOSTNAME="$host" {NODE_MARK}="$host" \\
  bash -c "hostname $host; $*"
"""
    )
    (tools / "ssh").chmod(0o755)
    return tools


def telling_python(folder: Path) -> str:
    """Make a Python that notes the node that it runs on, and whether the setup was done there; return it."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\necho "$(hostname) $LOADED" >>{folder}/told\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return str(python)


def cancel(machine: Machine, job: str) -> None:
    """End a job as its user would."""
    machine.run(*{"lsf": ["bkill"], "flux": ["flux", "cancel"]}.get(machine.family, ["qdel"]), job)


def test_slots_on_two_nodes_are_pinned(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, environment={})
    # A user's own workload, in the folder of the launch; a job of PBS starts in another one.
    (tmp_path / "ours").mkdir()
    text = (ROOT / "tests/toys/behave.py").read_text()
    (tmp_path / "ours" / "mine.py").write_text(text.replace("tests.toys.behave", "ours.mine"))
    place.campaign(12, parameters={"seconds": 0.5})
    file = tmp_path / "toy.yaml"
    file.write_text(file.read_text().replace("tests.toys.behave", "ours.mine"))
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    place.accepted_once(12)
    rows = place.rows("SELECT DISTINCT node, slot_index, cores FROM attempts ORDER BY node, slot_index")
    nodes = ("node1", "node2")
    assert [row[:2] for row in rows] == [(node, slot) for node in nodes for slot in (0, 1)]
    assert {cores for node, slot, cores in rows if slot == 0} != {cores for _, slot, cores in rows if slot}
    assert [state for state, _, _ in place.blocks()] == ["released"]
    wait_for(lambda: not place.active(), "the block to be gone")


def test_a_block_that_waits_keeps_its_place_in_another_queue(machine: Machine, tmp_path: Path) -> None:
    machine.configure(dispatch=False, queues={"batch": {}, "long": {}})
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    place.campaign(4, parameters={"seconds": 0.5})
    driver = place.launch()
    (job,) = wait_for(place.active, "the block")
    changes = ["queue=long"] if machine.family == "flux" else ["queue=long", "account=ours"]
    asked = place.run("node", "set", "toy", "test", *changes)
    assert asked.returncode == 0, asked.stderr
    wait_for(lambda: [one.queue for one in machine.jobs()] == ["long"], "the other queue")
    assert place.active() == [job]
    machine.configure(dispatch=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(4)
    assert [found for _, found, _ in place.blocks()] == [job]
    assert machine.family == "flux" or machine.jobs()[0].account == "ours"


@pytest.mark.parametrize("machine", ["lsf", "pbspro", "torque"], indirect=True)
def test_a_queue_that_refuses_a_block_that_waits_costs_its_place_alone(
    machine: Machine, tmp_path: Path
) -> None:
    machine.configure(dispatch=False, queues={"batch": {}, "long": {}})
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    place.campaign(4, parameters={"seconds": 0.5})
    driver = place.launch()
    (job,) = wait_for(place.active, "the block")
    machine.fail({"lsf": "bmod"}.get(machine.family, "qmove"))
    asked = place.run("node", "set", "toy", "test", "queue=long", "account=ours")
    assert asked.returncode == 0, asked.stderr
    wait_for(lambda: place.active() and place.active() != [job] and len(place.active()) == 1, "another block")
    machine.configure(dispatch=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(4)


def test_a_held_job_and_a_silent_server_end_nothing(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    machine.configure(dispatch=False)
    place.campaign(6, parameters={"seconds": 1.0})
    driver = place.launch()
    (job,) = wait_for(place.active, "the block")
    machine.hold(job)
    wait_for(lambda: [state for state, _, _ in place.blocks()] == ["held"], "the hold to be seen")
    machine.fail(STATUS[machine.family], times=3)
    machine.configure(dispatch=True)
    wait_for(lambda: not machine.store.settings()["failures"], "the server to be asked in vain")
    machine.release(job)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(6)
    assert f"block 0 (job {place.blocks()[0][1]}) is held" in out
    assert SILENCE[machine.family] in out
    assert "the scheduler answers again" in out
    assert len(place.blocks()) == 1


def test_a_cancelled_block_and_a_killed_driver_cost_no_instance(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    place.campaign(10, parameters={"seconds": 1.0}, grace_period=1)
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "the first results")
    (job,) = place.active()
    cancel(machine, job)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 1, out + err
    assert f"(job {place.blocks()[0][1]}) was cancelled from outside" in out + err
    before = place.done()
    driver = place.start("resume", "toy")
    wait_for(lambda: place.done() >= before + 2, "further results")
    (job,) = place.active()
    kill(driver)
    assert place.active() == [job]
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    place.accepted_once(10)
    wait_for(lambda: not place.active(), "the blocks to be gone")


def test_a_block_that_is_refused_ends_the_launch_in_the_batch_systems_words(
    machine: Machine, tmp_path: Path
) -> None:
    place = BatchSandbox(tmp_path, machine, queue="nowhere")
    place.campaign(2)
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 1
    command, words = REFUSED[machine.family]
    assert f"{command} refused the block: {words}" in ended.stdout + ended.stderr
    assert place.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(0,)]
    assert not place.active()


@pytest.mark.parametrize("machine", ["lsf", "pbspro"], indirect=True)
def test_what_a_walltime_ended_goes_on_in_the_next_block(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1)
    place.campaign(8, parameters={"seconds": 2.0}, grace_period=1)
    driver = place.launch()
    wait_for(lambda: place.done() >= 1, "the first result")
    machine.configure(walltime_scale=0.001, dispatch=False)  # sooner than the script was told
    wait_for(lambda: place.blocks()[0][0] == "timeout", "the block to end")
    machine.configure(walltime_scale=1, dispatch=True)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 0, out + err
    place.accepted_once(8)
    assert "reached its walltime" in out
    assert [state for state, _, _ in place.blocks()] == ["timeout", "released"]


@pytest.mark.parametrize("machine", ["torque"], indirect=True)
def test_nothing_is_begun_that_its_block_has_no_time_for(machine: Machine, tmp_path: Path) -> None:
    place = BatchSandbox(tmp_path, machine, nodes_per_block=1, walltime="30 s")
    # Short ones, so that a slow machine begins some in time; eight after each other fit into no block.
    place.campaign(16, parameters={"seconds": 4.0}, expected_runtime="5 s", grace_period=1)
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    place.accepted_once(16)
    assert len(place.blocks()) >= 2
    refused = place.rows(
        "SELECT DISTINCT state, failure_category FROM attempts WHERE failure_reason = 'walltime'"
    )
    assert refused in ([], [("cancelled", "neutral")])
    assert place.rows("SELECT count(*) FROM attempts WHERE state IN ('failed', 'lost', 'timed_out')") == [
        (0,)
    ]


@pytest.mark.parametrize(
    ("machine", "launcher"),
    [("lsf", "jsrun"), ("pbspro", "mpiexec"), ("torque", "aprun"), ("torque", "ssh"), ("flux", "flux")],
    indirect=["machine"],
)
def test_instances_of_two_nodes_meet_and_end_together(
    machine: Machine, launcher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = BatchSandbox(
        tmp_path,
        machine,
        launcher={"type": launcher},
        prologue=[f"export PATH={stub_ssh(tmp_path)}:$PATH LOADED=all"],
        node_prologue=[f"touch {tmp_path}/ready-$HOSTNAME"],
        interpreter=telling_python(tmp_path),
        inherit=["LOADED"],
    )
    if machine.family == "pbspro":
        command = str(install(tmp_path / "runtimes", {"train": "ab" * 32}) / "podman")
        container = {"runtime": "podman", "image": "train", "command": command}
        site = json.loads((tmp_path / "site.yaml").read_text())
        site |= {"container": {**container, "python": site["interpreter"]}, "interpreter": sys.executable}
        (tmp_path / "site.yaml").write_text(json.dumps(site))
    common = {"workload": "tests.toys.multi_rank", "timeout": 60, "slot": {"nodes": 2, "ranks": 4}}
    content = {
        "campaign": "toy",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [
            {**common, "name": "succeed", "instances": 2, "parameters": {"seconds": 2.0}},  # two samples
            {**common, "name": "die", "instances": 1, "parameters": {"behaviour": "die"}},
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 3, ended.stdout + ended.stderr
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_reason, a.failure_message, a.observed FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
    )
    succeeded = [row for row in rows if row[0] == "succeed"]
    assert [row[1] for row in succeeded] == ["succeeded"] * 2, succeeded
    for row in succeeded:
        ranks = json.loads(row[4])["ranks"]
        assert [rank["cpuset"] for rank in ranks[:2]] == [rank["cpuset"] for rank in ranks[2:]]
        assert len({tuple(rank["cpuset"]) for rank in ranks}) == 2
    (dead,) = [row[1:4] for row in rows if row[0] == "die"]
    assert dead[:2] == ("failed", "killed by SIGKILL")
    assert dead[2].startswith("rank 1: ")
    sampled = place.rows(
        "SELECT benchmark, node FROM samples JOIN instances USING (campaign_id, instance_id)"
    )
    assert {node for name, node in sampled if name == "succeed"} == {"node1", "node2"}
    assert not list((tmp_path / "runs" / "toy" / "orders").glob("*"))
    assert {file.name for file in tmp_path.glob("ready-*")} == {"ready-node1", "ready-node2"}
    told = set((tmp_path / "told").read_text().splitlines())
    assert told - {"batch1 all"} == {"node1 all", "node2 all"}  # the worker's node lists its packages


@pytest.mark.parametrize("machine", ["pbspro"], indirect=True)
def test_lines_end_every_node_of_a_cancelled_block(machine: Machine, tmp_path: Path) -> None:
    """Also those that take longer than the other node's, and than what the driver ends on its host: 7 s."""
    machine.configure(kill_delay=120)
    slow = "[ $HOSTNAME = node1 ] || sleep 12"
    lines = [slow, f"touch {tmp_path}/swept-$HOSTNAME", "echo swept"]
    place = BatchSandbox(tmp_path, machine, node_teardown=lines)
    place.campaign(4)  # as many as two nodes have slots
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    events = place.rows("SELECT kind, message FROM events WHERE subject = 'node_teardown' ORDER BY message")
    assert [kind for kind, _ in events] == ["hook_ran"] * 2, events
    for (_, message), node in zip(events, ("node1", "node2"), strict=True):
        assert message.startswith(f"node_teardown on {node}: it ended after ")
        assert message.endswith("it printed: swept")
        assert (tmp_path / f"swept-{node}").exists()


def test_torques_commands_on_slurm(torque_on_slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(
        tmp_path, type="torque", launcher={"type": "srun"}, extra_directives=["-l mem=1000mb"]
    )
    place.campaign(12, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "the first results")
    assert len(active(torque_on_slurm)) == 1
    kill(driver)
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    place.accepted_once(12)
    assert {node for (node,) in place.rows("SELECT node FROM accepted")} == {"node1", "node2"}
    wait_for(lambda: not active(torque_on_slurm), "the blocks to be gone")
