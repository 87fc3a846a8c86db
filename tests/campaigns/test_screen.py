"""The slots of this machine screened by real micro-benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.campaigns.test_slurm import SlurmSandbox
from tests.harness import CampaignSandbox
from tests.schedulers.slurm import SlurmCluster

pytestmark = pytest.mark.slow


def test_two_slots_are_screened_and_one_node_is_not_judged(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    words = ["--site", "site.yaml", "--waves", "1", "--seconds", "0.2", "--workload", "gemm"]
    words += ["--workload", "tests.toys.behave", "--set", "gemm.m=64", "--set", "gemm.n=64"]
    ended = place.run("node", "screen", "night", *words, "--output", "slow.txt", "--json", seconds=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads(ended.stdout)
    assert [(one["name"], one["unit"]) for one in found["benchmarks"]] == [
        ("gemm", "FLOP/s"),
        ("behave", "1/s"),
    ]
    [node] = found["nodes"]
    assert (node["values"], node["verdict"], found["asked_nodes"]) == (4, "", 1)
    assert found["rates_of_a_slot"] == {"fewest": 1, "most": 1}
    assert (found["named"], found["silent"], found["unfinished"]) == ([], [], "")
    assert found["no_verdict"].startswith("1 node has rates")
    assert found["held_node_minutes"] > 0
    again = place.run("node", "screen", "night", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout) == found | {"outcome": None}
    assert "of site test, 20" in (tmp_path / "slow.txt").read_text()
    place.campaign(instances=1)
    listed = place.run("launch", "toy.yaml", "--site", "site.yaml", "--name", "later", "--exclude", "n1")
    assert listed.returncode == 1
    assert "--exclude: site test runs on this machine alone" in listed.stderr


def test_the_links_of_slurms_nodes_are_screened(slurm: SlurmCluster, tmp_path: Path) -> None:
    place = SlurmSandbox(tmp_path, nodes_per_block=len(slurm.names))
    words = ["--site", "site.yaml", "--waves", "1", "--at-most", "1", "--seconds", "1", "--workload", "links"]
    ended = place.run("node", "screen", "wires", *words, "--json", seconds=600)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads(ended.stdout)
    assert sorted(one["node"] for one in found["nodes"]) == slurm.names
    assert [(one["name"], one["unit"], one["waves"]) for one in found["benchmarks"]] == [
        ("links_4M", "B/s", 1),
        ("links_64", "B/s", 1),
    ]
    large, small = (one["median"] for one in found["benchmarks"])
    assert large > 10 * small > 0
    assert (found["asked_nodes"], found["silent"], found["unfinished"]) == (len(slurm.names), [], "")
    described = place.rows("SELECT subject FROM events WHERE kind = 'node_described' ORDER BY subject")
    assert [name for (name,) in described] == slurm.names
    assert found["no_verdict"] == f"{len(slurm.names)} nodes have rates; at least 5 are compared"
