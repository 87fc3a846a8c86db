"""Jobs that wait take other settings where the batch system lets them, and keep their place in the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_of, keep_their_place
from sites import Site
from sites.schedulers import Batch

FACTS = {"site": "ours", "node": {"cores": "0-1", "memory": "1 GiB"}, "address": "127.0.0.1"}


def site(kind: str = "slurm", **settings: Any) -> Site:
    return Site.model_validate(FACTS | {"scheduler": {"type": kind, "walltime": "1 h", **settings}})


def batch(kind: str = "slurm", **settings: Any) -> Batch:
    found = site(kind, **settings).scheduler
    assert isinstance(found, Batch)
    return found


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({}, {"max_blocks": 9, "poll_interval": 1}, ""),
        ({"skip_directives": ["--acc"]}, {"account": "b", "skip_directives": ["--acc"]}, ""),
        (
            {"skip_directives": ["--acc"]},
            {"account": "b", "qos": "high", "skip_directives": ["--acc"]},
            "update JobId=7 QOS=high",
        ),
        ({}, {"partition": "long"}, "update JobId=7 Partition=long"),
        (
            {"account": "a", "qos": "low"},
            {"account": "b", "qos": "high", "constraint": "hbm&fast"},
            "update JobId=7 Account=b QOS=high Features=hbm&fast",
        ),
    ],
)
def test_a_job_of_slurm_takes_settings_by_scontrol(
    before: dict[str, Any], after: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    scontrol.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert SchedulerClient(site(**after)).alter("7", batch(**before))
    asked = tmp_path / "asked"
    assert (asked.read_text() if asked.exists() else "") == (f"{words}\n" if words else "")
    assert keep_their_place(batch(**before), batch(**after))


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("slurm", {}, {"walltime": "2 h"}),
        ("slurm", {"partition": "long"}, {}),
        ("slurm", {}, {"partition": "long", "extra_directives": ["--x"]}),
        ("lsf", {}, {"queue": "long", "walltime": "2 h"}),
        ("pbspro", {}, {"queue": "long", "place": "scatter"}),
        ("flux", {}, {"queue": "long", "account": "a"}),
    ],
)
def test_other_settings_need_another_job(kind: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    assert not SchedulerClient(site(kind, **after)).alter("7", batch(kind, **before))
    assert not keep_their_place(batch(kind, **before), batch(kind, **after))


@pytest.mark.parametrize(
    ("kind", "after", "asked"),
    [
        ("lsf", {"queue": "long"}, ["<bmod><-q><long><7>"]),
        ("lsf", {"queue": "long", "account": "it's; a"}, ["<bmod><-P><it's; a><-q><long><7>"]),
        ("pbspro", {"queue": "long"}, ["<qmove><long><7>"]),
        ("pbspro", {"account": "a b"}, ["<qalter><-A><a b><7>"]),
        ("torque", {"queue": "l g", "account": "it's; a"}, ["<qalter><-A><it's; a><7>", "<qmove><l g><7>"]),
        ("flux", {"queue": "long"}, ["<flux><update><7><queue=long>"]),
    ],
)
def test_a_job_of_others_takes_queue_and_account_by_their_commands(
    kind: str, after: dict[str, Any], asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bmod", "qalter", "qmove", "flux"):
        (tmp_path / name).write_text(
            f'#!/bin/sh\nprintf "<%s>" {name} "$@" >>{tmp_path}/asked\necho >>{tmp_path}/asked\n'
        )
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert SchedulerClient(site(kind, **after)).alter("7", batch(kind))
    assert (tmp_path / "asked").read_text().splitlines() == asked
    assert keep_their_place(batch(kind), batch(kind, **after))


@pytest.mark.parametrize(("before", "after"), [("long", "long@other"), ("long@other", "long")])
def test_a_job_of_pbs_is_not_moved_to_another_server(before: str, after: str) -> None:
    assert not keep_their_place(batch("pbspro", queue=before), batch("pbspro", queue=after))
    assert not SchedulerClient(site("pbspro", queue=after)).alter("7", batch("pbspro", queue=before))


def test_an_account_that_is_not_set_does_not_keep_a_job_of_lsf_in_its_queue() -> None:
    command = family_of(batch("lsf", queue="long", account="$NOT_SET_ANYWHERE")).alter_command("7", {"queue"})
    assert command.words == ("bmod", "-q", "long", "7")


def test_a_job_that_refuses_or_an_account_that_is_not_set_needs_another_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scontrol = tmp_path / "scontrol"
    scontrol.write_text("#!/bin/sh\necho 'Job is no longer pending execution' >&2\nexit 1\n")
    scontrol.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert not SchedulerClient(site(partition="long")).alter("7", batch())
    assert not SchedulerClient(site(account="$NOBODYS_PROJECT")).alter("7", batch())
    assert keep_their_place(batch(), batch(account="$NOBODYS_PROJECT"))  # a variable of another host
