"""Directives that say again, or otherwise, what a site's keys say are named, with what to do."""

from __future__ import annotations

from typing import Any

import pytest

import sites
from orchestrator.schedulers.conflicts import clashes
from sites import Site

KEYS = {
    "slurm": {"partition": "gpu", "account": "abc", "qos": "high", "constraint": "a100"},
    "lsf": {"queue": "batch", "account": "abc"},
    "pbspro": {"queue": "batch", "account": "abc"},
    "torque": {"queue": "batch", "account": "abc"},
}
GPUS = {"count": 4, "memory": "40 GB"}


def site(family: str, *directives: str, gpus: dict[str, Any] | None = GPUS, **keys: Any) -> Site:
    return Site.model_validate(
        {
            "site": "test",
            "scheduler": {
                "type": family,
                "walltime": "2 h",
                "nodes_per_block": 2,
                "directives": list(directives),
                **KEYS[family],
                **keys,
            },
            "node": {"cores": "0-63", "memory": "1 GiB", "gpus": gpus},
            "address": "127.0.0.1",
        }
    )


def found(one: Site) -> list[tuple[str, bool, str]]:
    return [(clash.what, clash.contradicts, clash.said) for clash in clashes(one)]


@pytest.mark.parametrize(
    ("family", "directive", "said"),
    [
        ("slurm", "--nodes=4", "scheduler.nodes_per_block says 2, it says 4"),
        ("slurm", "-N 4", "scheduler.nodes_per_block says 2, it says 4"),
        ("slurm", "-N4", "scheduler.nodes_per_block says 2, it says 4"),
        ("slurm", "--nodes 1-2", "scheduler.nodes_per_block says 2, it says 1-2"),
        ("slurm", "--time=60", "scheduler.walltime says 2 h 00 min, it says 1 h 00 min"),
        ("slurm", "-t 1-00:00", "scheduler.walltime says 2 h 00 min, it says 24 h 00 min"),
        ("slurm", "-t 30:00", "scheduler.walltime says 2 h 00 min, it says 30 min 00 s"),
        ("slurm", "--partition=debug", "scheduler.partition says gpu, it says debug"),
        ("slurm", "-p debug", "scheduler.partition says gpu, it says debug"),
        ("slurm", "-A xyz", "scheduler.account says abc, it says xyz"),
        ("slurm", "--qos=low", "scheduler.qos says high, it says low"),
        ("slurm", "-C h100", "scheduler.constraint says a100, it says h100"),
        ("slurm", "--oversubscribe", "scheduler.exclusive says true, it says false"),
        ("slurm", "--exclusive=user", "scheduler.exclusive says true, it says false"),
        ("slurm", "--gres=gpu:a100:8,nvme", "node.gpus.count says 4, it asks for 8 of each node"),
        ("slurm", "--gres=gpu", "node.gpus.count says 4, it asks for 1 of each node"),
        ("slurm", "--gpus-per-node=a100:2", "node.gpus.count says 4, it asks for 2 of each node"),
        ("slurm", "--gpus=4", "node.gpus.count says 4, it asks for 2 of each node"),
        ("slurm", "-J mine", "blocks are found by their name; delete it"),
        ("slurm", "--ntasks-per-node=4", "one worker starts on each node; delete it"),
        ("slurm", "--requeue", "a block that came back would find nobody; delete it"),
        ("slurm", "--mem=0 -p debug", "scheduler.partition says gpu, it says debug"),
        ("lsf", "-nnodes 3", "scheduler.nodes_per_block says 2, it says 3"),
        ("lsf", "-W 60", "scheduler.walltime says 2 h 00 min, it says 1 h 00 min"),
        ("lsf", "-W 1:30", "scheduler.walltime says 2 h 00 min, it says 1 h 30 min"),
        ("lsf", "-q debug", "scheduler.queue says batch, it says debug"),
        ("lsf", "-P xyz", "scheduler.account says abc, it says xyz"),
        ("lsf", "-n 80", "write skip: [-nnodes]"),
        ("lsf", "-gpu num=6:mode=shared", "node.gpus.count says 4, it asks for 6 of each node"),
        ("pbspro", "-l select=3:ncpus=64", "write what else they need into scheduler.select"),
        ("pbspro", "-l nodes=2:ppn=32", "write what else they need into scheduler.select"),
        ("pbspro", "-l walltime=01:00:00", "scheduler.walltime says 2 h 00 min, it says 1 h 00 min"),
        ("pbspro", "-l place=free", "scheduler.place says scatter:excl, it says free"),
        ("pbspro", "-q debug", "scheduler.queue says batch, it says debug"),
        ("pbspro", "-A xyz", "scheduler.account says abc, it says xyz"),
        ("pbspro", "-N mine", "blocks are found by their name"),
        ("torque", "-l nodes=2:ppn=32", "write what else they need into scheduler.properties"),
        ("torque", "-l mem=4gb,walltime=3600", "scheduler.walltime says 2 h 00 min, it says 1 h 00 min"),
        ("torque", "-q debug", "scheduler.queue says batch, it says debug"),
        ("slurm", "--exclusive=mcs", "scheduler.exclusive says true, it says false"),
        ("slurm", "-n 4", "one worker starts on each node; delete it"),
        ("slurm", "--nodes=3 # not 2", "scheduler.nodes_per_block says 2, it says 3"),
        ("slurm", "-o mine", "a block's output has its place in the campaign's directory; delete it"),
        ("lsf", "-gpu num=6/host", "node.gpus.count says 4, it asks for 6 of each node"),
        ("pbspro", "-r y", "a block that came back would find nobody; delete it"),
        ("torque", "-r y", "a block that came back would find nobody; delete it"),
    ],
)
def test_a_contradiction_is_an_error(family: str, directive: str, said: str) -> None:
    [(what, contradicts, told)] = found(site(family, directive))
    assert (what, contradicts) == (directive, True)
    assert said in told


@pytest.mark.parametrize(
    ("family", "directive"),
    [
        *(
            ("slurm", text)
            for text in (
                *("-N 2", "--nodes=2-2", "-N 02", "--time=120", "-t 0-2", "-t 02:00:00", "-p gpu"),
                *("--exclusive", "--exclusive # all of it"),
            )
        ),
        *(("lsf", text) for text in ("-nnodes 2", "-W 120", "-W 2:00", "-q batch")),
        *(
            ("pbspro", text)
            for text in ("-l walltime=02:00:00", "-l place=scatter:excl", "-l select=2", "-A abc")
        ),
    ],
)
def test_what_is_said_twice_is_named_and_no_error(family: str, directive: str) -> None:
    [(what, contradicts, told)] = found(site(family, directive))
    assert (what, contradicts) == (directive, False)
    assert told.endswith("says the same; delete it")


@pytest.mark.parametrize(
    ("family", "directive"),
    [
        *(("slurm", text) for text in ("--ntasks-per-node=1", "--no-requeue")),
        *(("pbspro", text) for text in ("-r n", "-j oe", "-S /bin/bash")),
        *(("torque", text) for text in ("-r n", "-j oe", "-S /bin/bash")),
    ],
)
def test_what_is_written_anyway_is_no_error(family: str, directive: str) -> None:
    [(what, contradicts, told)] = found(site(family, directive))
    assert (what, contradicts) == (directive, False)
    assert told == "it is written anyway; delete it"


def test_a_walltime_that_the_batch_system_has_in_whole_minutes_is_the_same() -> None:
    [(_, contradicts, told)] = found(site("lsf", "-W 2", walltime="90 s"))
    assert (contradicts, told) == (False, "scheduler.walltime says the same; delete it")


@pytest.mark.parametrize(
    ("family", "directives"),
    [
        ("slurm", ["--mem=0", "--gpus-per-node=4", "--gres=nvme:1", "--comment='a -N 4 b'"]),
        ("slurm", ["--gres=gpu:a100:4(S:0-1)", "-x node3", "--mail-type=END"]),
        ("lsf", ['-alloc_flags "smt4 nvme"', "-N", '-R "span[ptile=40]"', "-R rusage[mem=4]", "-gpu num=4"]),
        ("pbspro", ["-l filesystems=home:eagle", "-k doe", "-W group_list=x", "-W umask=022", "-v A=1,B=2"]),
        ("torque", ["-l naccesspolicy=singlejob", "-n"]),
        ("slurm", ["--unbalanced='quote"]),
        ("slurm", ["-n 2", "--exclusive=topo", "# comment --nodes=3", "--mem=0 # -N 4"]),
        ("slurm", ["--nodes=2k", "-t UNLIMITED"]),
        ("slurm", [f"-N {'1' * 5000}", f"-t {'1' * 5000}"]),
        ("slurm", ["-v", "-v", "--container-mounts=/a", "--container-mounts=/b"]),
        ("lsf", ["-gpu num=1/task", "-data one", "-data two"]),
        ("torque", ["-v A=1", "-v B=2", "-W x=1", "-W y=2"]),
    ],
)  # fmt: skip
def test_what_says_nothing_that_a_key_says_is_nobodys_matter(family: str, directives: list[str]) -> None:
    assert found(site(family, *directives)) == []


def test_the_same_option_twice() -> None:
    [(what, contradicts, told)] = found(site("slurm", "--mem=0", "--mem=100G"))
    assert (what, contradicts) == ("--mem=100G", True)
    assert told == "--mem was given before, as --mem=0; delete one of them"
    [(_, contradicts, _)] = found(site("slurm", "--mem=0", "--mem 0"))
    assert not contradicts
    again = [one for one in clashes(site("slurm", "-t 120", "-t 02:00:00")) if "before" in one.said]
    assert [one.contradicts for one in again] == [False]


def test_a_key_that_is_not_written_is_left_to_a_directive() -> None:
    assert found(site("slurm", "-p debug", "-A xyz", partition=None, account=None)) == []
    assert found(site("slurm", "--exclusive=user", exclusive=False)) == []


def test_what_is_skipped_may_be_said_otherwise_where_it_says_the_same() -> None:
    whole = ["-n 80", '-R "span[ptile=40]"', "-x"]
    assert found(site("lsf", *whole, skip=["-nnodes"])) == []
    assert found(site("slurm", "-N 2", skip=["--nodes"])) == []
    [(_, contradicts, _)] = found(site("slurm", "-t 60", skip=["--time"]))
    assert contradicts  # blocks would end long before the orchestrator expects it
    assert found(site("slurm", "-t 60", skip=["-t"])) == []  # it is not in the script
    assert found(site("slurm", "-o mine", skip=["--output"])) == []
    assert found(site("slurm", "--ntasks-per-node=1", skip=["--ntasks"])) == []
    # What the directive itself begins with is left out too; so it begins with another one here.
    assert found(site("pbspro", "-k doe -r n", skip=["-r"])) == []


def test_gpus_that_the_node_is_not_said_to_have() -> None:
    [(_, contradicts, told)] = found(site("slurm", "--gpus-per-node=4", gpus=None))
    assert contradicts
    assert told.startswith("node.gpus says of none, it asks for 4 of each node")
    parts = GPUS | {"count": 28, "sharing": "mig"}
    assert found(site("slurm", "--gpus-per-node=4", gpus=parts)) == []


def test_gpus_in_the_chunks_of_pbs() -> None:
    [(what, contradicts, _)] = found(site("pbspro", select=["ncpus=64", "ngpus=8"]))
    assert (what, contradicts) == ("ngpus=8", True)
    [(what, contradicts, _)] = found(site("torque", properties=["ppn=32", "gpus=1"], gpus=None))
    assert (what, contradicts) == ("gpus=1", True)
    assert found(site("pbspro", select=["ncpus=64", "ngpus=4"])) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cpus-per-task=32"], "node.cores names 64 cores, a worker would get 32"),
        (["-c", "32"], "node.cores names 64 cores, a worker would get 32"),
        (["--gpus-per-node=2"], "node.gpus.count says 4, it asks for 2 of each node"),
    ],
)
def test_srun_gives_a_worker_less_than_the_node(options: list[str], said: str) -> None:
    [(what, contradicts, told)] = found(site("slurm", launcher={"type": "srun", "options": options}))
    assert contradicts
    assert what.startswith("launcher option --")
    assert said in told


def test_an_account_that_is_not_set_here_is_another_checks_matter() -> None:
    assert found(site("slurm", account="$NOBODY_SETS_THIS")) == []
    assert found(site("slurm", "-A abc", account="$NOBODY_SETS_THIS")) == []


def test_an_account_that_is_a_variable_is_what_that_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECT", "abc")
    [(_, contradicts, _)] = found(site("slurm", "-A abc", account="$PROJECT"))
    assert not contradicts
    [(_, _, told)] = found(site("slurm", "-A xyz", account="$PROJECT"))
    assert told.startswith("scheduler.account says abc, it says xyz")


@pytest.mark.parametrize("name", sites.names())
def test_no_shipped_site_contradicts_itself(name: str) -> None:
    assert found(sites.load(name)[0]) == []
