"""Directives that repeat or contradict what the submit script says already are named, with what to do."""

from __future__ import annotations

from typing import Any

import pytest

import sites
from orchestrator.schedulers.conflicts import directive_conflicts
from sites import Site

KEYS = {
    "slurm": {"partition": "gpu", "account": "abc", "qos": "high", "constraint": "a100"},
    "lsf": {"queue": "batch", "account": "abc"},
    "pbspro": {"queue": "batch", "account": "abc"},
    "torque": {"queue": "batch", "account": "abc"},
}


def site(family: str, *directives: str, **keys: Any) -> Site:
    return Site.model_validate(
        {
            "site": "test",
            "scheduler": {
                "type": family,
                "walltime": "2 h",
                "nodes_per_block": 2,
                "extra_directives": list(directives),
                **KEYS[family],
                **keys,
            },
            "node": {"cores": "0-63", "memory": "1 GiB", "gpus": {"count": 4, "memory": "40 GB"}},
            "address": "127.0.0.1",
        }
    )


def found(one: Site) -> list[tuple[str, bool, str]]:
    return [(each.directive, each.is_error, each.message) for each in directive_conflicts(one)]


@pytest.mark.parametrize(
    ("family", "directive", "message"),
    [
        ("slurm", "--nodes=4", "scheduler.nodes_per_block is 2, this directive requests 4"),
        ("slurm", "-N 4", "scheduler.nodes_per_block is 2, this directive requests 4"),
        ("slurm", "-N4", "scheduler.nodes_per_block is 2, this directive requests 4"),
        ("slurm", "--nodes 1-2", "scheduler.nodes_per_block is 2, this directive requests 1-2"),
        ("slurm", "--nodes=3 # not 2", "scheduler.nodes_per_block is 2, this directive requests 3"),
        ("slurm", "--time=60", "scheduler.walltime is 2 h 00 min, this directive requests 1 h 00 min"),
        ("slurm", "-t 1-00:00", "scheduler.walltime is 2 h 00 min, this directive requests 24 h 00 min"),
        ("slurm", "-t 30:00", "scheduler.walltime is 2 h 00 min, this directive requests 30 min 00 s"),
        ("slurm", "--partition=debug", "the script has --partition=gpu already; change the key"),
        ("slurm", "-p debug", "the script has --partition=gpu already; change the key"),
        ("slurm", "--mem=0 -p debug", "the script has --partition=gpu already; change the key"),
        ("slurm", "-A xyz", "the script has --account=abc already; change the key"),
        ("slurm", "-C h100", "the script has --constraint=a100 already; change the key"),
        ("slurm", "--exclusive=user", "the script has --exclusive already; change the key"),
        ("slurm", "-J mine", "the script has --job-name=block already"),
        ("slurm", "--ntasks-per-node=4", "the script has --ntasks-per-node=1 already"),
        ("slurm", "-o mine", "the script has --output=out already"),
        ("lsf", "-nnodes 3", "scheduler.nodes_per_block is 2, this directive requests 3"),
        ("lsf", "-W 60", "scheduler.walltime is 2 h 00 min, this directive requests 1 h 00 min"),
        ("lsf", "-W 1:30", "scheduler.walltime is 2 h 00 min, this directive requests 1 h 30 min"),
        ("lsf", "-q debug", "the script has -q batch already; change the key"),
        ("pbspro", "-l select=3:ncpus=64", "scheduler.nodes_per_block is 2, this directive requests 3"),
        ("pbspro", "-l select=2:ncpus=64", "the script has -l select=2 already; change the key"),
        ("pbspro", "-l walltime=01:00:00", "scheduler.walltime is 2 h 00 min, this directive requests 1 h"),
        ("pbspro", "-l place=free", "the script has -l place=scatter:excl already; change the key"),
        ("pbspro", "-N mine", "the script has -N block already"),
        ("pbspro", "-r y", "the script has -r n already"),
        ("torque", "-l nodes=2:ppn=32", "the script has -l nodes=2 already"),
        ("torque", "-l mem=4gb,walltime=3600", "scheduler.walltime is 2 h 00 min, this directive requests"),
        ("torque", "-q debug", "the script has -q batch already; change the key"),
    ],
)
def test_a_contradiction_is_an_error(family: str, directive: str, message: str) -> None:
    [(where, is_error, said)] = found(site(family, directive))
    assert (where, is_error) == (directive, True)
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("family", "directive"),
    [
        *(
            ("slurm", text)
            for text in (
                *("-N 2", "--nodes=2-2", "-N 02", "--time=120", "-t 0-2", "-t 02:00:00", "-p gpu"),
                *("--exclusive", "--exclusive # all of it", "--ntasks-per-node=1", "--no-requeue"),
            )
        ),
        *(("lsf", text) for text in ("-nnodes 2", "-W 120", "-W 2:00", "-q batch")),
        *(
            ("pbspro", text)
            for text in (
                *("-l walltime=02:00:00", "-l place=scatter:excl", "-l select=2", "-A abc"),
                *("-r n", "-j oe", "-S /bin/bash"),
            )
        ),
    ],
)
def test_a_repetition_is_named_and_no_error(family: str, directive: str) -> None:
    [(where, is_error, said)] = found(site(family, directive))
    assert (where, is_error) == (directive, False)
    assert said.endswith("already; delete it")


def test_a_walltime_that_the_scheduler_has_in_whole_minutes_is_the_same() -> None:
    [(_, is_error, said)] = found(site("lsf", "-W 2", walltime="90 s"))
    assert (is_error, said) == (False, "the script has -W 2 already; delete it")


@pytest.mark.parametrize(
    ("family", "directives"),
    [
        ("slurm", ["--mem=0", "--gpus-per-node=4", "--gres=nvme:1", "--comment='a -N 4 b'"]),
        ("slurm", ["--gres=gpu:a100:4(S:0-1)", "-x node3", "--mail-type=END"]),
        ("lsf", ['-alloc_flags "smt4 nvme"', "-N", '-R "span[ptile=40]"', "-R rusage[mem=4]", "-gpu num=4"]),
        ("pbspro", ["-l filesystems=home:eagle", "-k doe", "-W group_list=x", "-W umask=022", "-v A=1,B=2"]),
        ("torque", ["-l naccesspolicy=singlejob", "-n"]),
        ("slurm", ["--unbalanced='quote"]),
        ("slurm", ["-n 2", "# comment --nodes=3", "--mem=0 # -N 4"]),
        ("slurm", ["-v", "-v", "--container-mounts=/a", "--container-mounts=/b"]),
        ("lsf", ["-gpu num=1/task", "-data one", "-data two"]),
        ("torque", ["-v A=1", "-v B=2", "-W x=1", "-W y=2"]),
    ],
)
def test_other_directives_are_the_users_own_business(family: str, directives: list[str]) -> None:
    assert found(site(family, *directives)) == []


@pytest.mark.parametrize("directive", ["-N 2k", f"-N {'1' * 5000}"])
def test_a_number_of_nodes_that_cannot_be_read_is_no_contradiction(directive: str) -> None:
    assert [one[1] for one in found(site("slurm", directive))] == [False]


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("--nodes=64", "scheduler.nodes_per_block is 4..64, this directive requests 64"),
        (
            "--time=02:00:00",
            "scheduler.walltime is 30 min 00 s..2 h 00 min, this directive requests 2 h 00 min",
        ),
    ],
)
def test_a_directive_for_what_the_driver_chooses_is_an_error(directive: str, message: str) -> None:
    one = site("slurm", directive, nodes_per_block="4..64", walltime="30 min..2 h")
    assert found(one) == [(directive, True, f"{message}; change one of them")]


def test_a_key_that_is_not_written_is_left_to_a_directive() -> None:
    assert found(site("slurm", "-p debug", "-A xyz", partition=None, account=None)) == []
    assert found(site("slurm", "--exclusive=user", exclusive=False)) == []


def test_an_option_that_the_site_skips_may_be_written_otherwise() -> None:
    whole = ["-n 80", '-R "span[ptile=40]"', "-x"]
    assert found(site("lsf", *whole, skip_directives=["-nnodes"])) == []
    assert found(site("slurm", "-N 2", skip_directives=["--nodes"])) == []
    [(_, is_error, _)] = found(site("slurm", "-t 60", skip_directives=["--time"]))
    assert is_error  # blocks would end long before the orchestrator expects it
    assert found(site("slurm", "-t 60", skip_directives=["-t"])) == []  # it is not in the script
    assert found(site("slurm", "-o mine", skip_directives=["--output"])) == []
    # What the directive itself begins with is left out too; so it begins with another one here.
    assert found(site("pbspro", "-k doe -r n", skip_directives=["-r"])) == []


def test_an_account_that_is_not_set_here_is_reported_by_another_check() -> None:
    assert found(site("slurm", account="$NOBODY_SETS_THIS")) == []
    assert found(site("slurm", "-A abc", account="$NOBODY_SETS_THIS")) == []


def test_an_account_that_is_a_variable_is_compared_by_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROJECT", "abc")
    [(_, is_error, _)] = found(site("slurm", "-A abc", account="$PROJECT"))
    assert not is_error
    [(_, _, said)] = found(site("slurm", "-A xyz", account="$PROJECT"))
    assert said.startswith("the script has --account=abc already")


@pytest.mark.parametrize("name", sites.names())
def test_no_shipped_site_contradicts_itself(name: str) -> None:
    for one in sites.load(name)[0].pooled().values():
        assert found(one) == []
