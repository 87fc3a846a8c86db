"""Submit scripts really run: launchers are stood in for by programs that do what they are told."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.launchers import launcher_words
from orchestrator.schedulers.model import JobRequest, SchedulerError
from orchestrator.schedulers.submit_script import render
from sites.schedulers import Batch, Launcher, Lsf, PbsPro, Slurm, Torque

NASTY = """it's "quoted" $HOME `id` \\ back; rm -rf / # & | * ? ~ ! (x) {a,b} %J %j"""

# Drops its own options as the real one does, and runs the command once, as each node would.
LAUNCHER = """#!/bin/bash
echo "$(basename "$0") $*" >> "$LAUNCHED"
while [ "$1" != bash ]; do shift; done
exec "$@"
"""
# As sshd: the words after the host are joined to one text, and a login shell reads it in the home.
SSH = """#!/bin/bash
echo "ssh $*" >> "$LAUNCHED"
while [ "${1#-}" != "$1" ]; do [ "$1" = -o ] && shift; shift; done
host=$1; shift
[ "$host" = "$DEAD_NODE" ] && exit 255
cd / && exec env -i PATH="$PATH" HOST="$host" "${LOGIN_SHELL:-sh}" -c "$*"
"""
# What runs on the nodes: tells where it runs, and what it finds there.
REPORT = "import json, os, sys; print(json.dumps([os.getcwd(), sys.argv[1:], dict(os.environ)]))"

BATCHES = {
    "slurm": Slurm(walltime=60),
    "lsf": Lsf(walltime=60),
    "pbspro": PbsPro(walltime=60),
    "torque": Torque(walltime=60, launcher=Launcher(type="aprun")),
    "ssh": Torque(walltime=60),
}


class Nodes:
    """A place with launchers on PATH, to run scripts in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "la unch's"
        self.folder.mkdir()
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.launched = folder / "launched"
        for name in ("srun", "jsrun", "mpiexec", "aprun"):
            self.program(name, LAUNCHER)
        self.program("ssh", SSH)
        self.nodefile = folder / "nodes"
        self.nodefile.write_text("n1\nn1\nn2\nn2\n")

    def program(self, name: str, text: str) -> None:
        file = self.bin / name
        file.write_text(text)
        file.chmod(0o755)

    def run(self, text: str, **variables: str) -> subprocess.CompletedProcess[str]:
        file = self.folder / "block.sh"
        file.write_text(text)
        environment = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "LAUNCHED": str(self.launched),
            "PBS_NODEFILE": str(self.nodefile),
            "PBS_O_WORKDIR": str(self.folder),
        }
        return subprocess.run(
            ["bash", str(file)],
            cwd=self.folder,
            env=environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def nodes(tmp_path: Path) -> Nodes:
    return Nodes(tmp_path)


def request(**changes: Any) -> JobRequest:
    given = {
        "name": "eto-1",
        "nodes": 2,
        "walltime_seconds": 60.0,
        "output": Path("/runs/block.out"),
        "command": shlex.join([sys.executable, "-I", "-S", "-c", REPORT, NASTY]),
    }
    return JobRequest(**(given | changes))


def script(batch: Batch, **changes: Any) -> str:
    return render(family_of(batch), batch, request(**changes))


def reports(ended: subprocess.CompletedProcess[str]) -> list[Any]:
    assert (ended.returncode, ended.stderr) == (0, "")
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("count", [1, 2])
def test_the_command_and_its_variables_arrive_as_they_were(kind: str, count: int, nodes: Nodes) -> None:
    variables = (("MARK", "plain"), ("NASTY", NASTY), ("EMPTY", ""))
    found = reports(nodes.run(script(BATCHES[kind], nodes=count, variables=variables)))
    assert len(found) == (count if kind == "ssh" else 1)
    for directory, arguments, environment in found:
        assert directory == str(nodes.folder)
        assert arguments == [NASTY]
        assert {name: environment.get(name) for name, _ in variables} == dict(variables)
        started = int(environment["ORCHESTRATOR_BLOCK_STARTED"])
        assert int(environment["ORCHESTRATOR_BLOCK_ENDS"]) == started + 60


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_ssh_reaches_nodes_with_another_login_shell(shell: str, nodes: Nodes) -> None:
    found = reports(nodes.run(script(BATCHES["ssh"]), LOGIN_SHELL=shell))
    assert sorted(environment["HOST"] for _, _, environment in found) == ["n1", "n2"]


def test_the_launcher_is_told_how_many_nodes(nodes: Nodes) -> None:
    for kind in BATCHES:
        nodes.run(script(BATCHES[kind], nodes=2, command="true"))
    words = [line.split() for line in nodes.launched.read_text().splitlines()]
    assert [one[0] for one in words] == ["srun", "jsrun", "mpiexec", "aprun", "ssh", "ssh"]
    assert {"--nodes=2", "--ntasks=2", "--ntasks-per-node=1"} <= set(words[0])
    assert {"--nrs=2", "--rs_per_host=1"} <= set(words[1])
    assert words[2][1:5] == ["-n", "2", "--ppn", "1"]
    assert words[3][1:5] == ["-n", "2", "-N", "1"]


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("failing", ["false", "missing-command --x", "(exit 3)"])
def test_a_failing_setup_line_ends_the_block_before_anything_is_launched(
    kind: str, failing: str, nodes: Nodes
) -> None:
    batch = BATCHES[kind].model_copy(update={"prologue": ["echo one", failing, "echo two"]})
    ended = nodes.run(script(batch, command="echo worked"))
    assert ended.returncode != 0
    assert ended.stdout == "one\n"
    assert not nodes.launched.exists()


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("count", [1, 2])
def test_what_the_setup_exports_reaches_every_node(kind: str, count: int, nodes: Nodes) -> None:
    batch = BATCHES[kind].model_copy(update={"prologue": ["export LOADED='a b'", "INTERNAL=1"]})
    for _, arguments, environment in reports(nodes.run(script(batch, nodes=count))):
        assert (environment["LOADED"], arguments) == ("a b", [NASTY])


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("count", [1, 2])
def test_node_setup_runs_on_every_node_and_nothing_runs_where_it_fails(
    kind: str, count: int, nodes: Nodes
) -> None:
    good = BATCHES[kind].model_copy(update={"node_prologue": ["export SCRATCH=/tmp/x", "echo '[]'"]})
    found = reports(nodes.run(script(good, nodes=count)))
    told = [one for one in found if one]
    assert len(found) == 2 * len(told)
    assert all(environment["SCRATCH"] == "/tmp/x" for _, _, environment in told)
    bad = BATCHES[kind].model_copy(update={"node_prologue": ["false"]})
    ended = nodes.run(script(bad, nodes=count, command="echo worked"))
    assert (ended.returncode, ended.stdout) == (1, "")


@pytest.mark.parametrize("kind", ["lsf", "pbspro", "torque", "ssh"])
def test_a_command_that_runs_once_finds_nodes_that_are_set_up(kind: str, nodes: Nodes) -> None:
    lists = {"LSB_DJOB_HOSTFILE": str(nodes.folder / "hosts")}
    (nodes.folder / "hosts").write_text("batch1\nn1\nn1\nn2\n")
    batch = BATCHES[kind].model_copy(update={"prologue": ["export LOADED=1"], "node_prologue": ["echo []"]})
    *ready, (directory, arguments, environment) = reports(
        nodes.run(script(batch, on_every_node=False), **lists)
    )
    assert ready == [[]] * (2 if kind == "ssh" else 1)
    launched = [line for line in nodes.launched.read_text().splitlines() if "bash -c" in line]
    assert len(launched) == len(ready)
    assert (directory, arguments, environment["LOADED"]) == (str(nodes.folder), [NASTY], "1")
    assert environment["ORCHESTRATOR_BLOCK_NODES"].split() == ["n1", "n2"]
    bad = batch.model_copy(update={"node_prologue": ["false"]})
    ended = nodes.run(script(bad, on_every_node=False, command="echo worked"), **lists)
    assert (ended.returncode, ended.stdout) == (1, "")


@pytest.mark.parametrize("kind", BATCHES)
@pytest.mark.parametrize("count", [1, 2])
def test_the_script_ends_as_the_command_does(kind: str, count: int, nodes: Nodes) -> None:
    ended = nodes.run(script(BATCHES[kind], nodes=count, command="exit 7"))
    assert ended.returncode == 7


def test_a_node_that_cannot_be_reached_does_not_keep_others_from_working(nodes: Nodes) -> None:
    ended = nodes.run(script(BATCHES["ssh"], command='echo "$HOST"'), DEAD_NODE="n1")
    assert (ended.returncode, ended.stdout) == (255, "n2\n")


def test_no_list_of_nodes_is_a_failure(nodes: Nodes) -> None:
    nodes.nodefile.write_text("")
    assert nodes.run(script(BATCHES["ssh"], command="echo worked")).returncode == 1
    ended = nodes.run(script(BATCHES["ssh"], command="echo worked"), PBS_NODEFILE="/nowhere")
    assert (ended.returncode, ended.stdout) == (1, "")


def test_lsf_without_jsrun_reaches_its_nodes_by_ssh(nodes: Nodes) -> None:
    batch = Lsf(
        walltime=60,
        skip_directives=["-nnodes"],
        extra_directives=["-n 80", '-R "span[ptile=40]"'],
        launcher=Launcher(type="ssh"),
    )
    text = script(batch)
    assert "-nnodes" not in text
    found = reports(nodes.run(text, PBS_NODEFILE="", LSB_DJOB_HOSTFILE=str(nodes.nodefile)))
    assert sorted(environment["HOST"] for _, _, environment in found) == ["n1", "n2"]


def test_the_clock_starts_before_the_setup(nodes: Nodes) -> None:
    nodes.program("date", '#!/bin/sh\necho date >> order\n/bin/date "$@"\n')
    nodes.run(script(Slurm(walltime=60, prologue=["echo setup >> order"]), command="echo work >> order"))
    assert (nodes.folder / "order").read_text().split() == ["date", "setup", "work"]


# -- directives ------------------------------------------------------------------------------


def lines(batch: Batch, **changes: Any) -> list[str]:
    prefix = family_of(batch).directive_prefix
    text = script(batch, **changes).splitlines()
    found = [line.removeprefix(f"{prefix} ") for line in text if line.startswith(prefix)]
    assert text[1 : 1 + len(found)] == [f"{prefix} {one}" for one in found]  # none after the first command
    return found


def test_directives_are_added_and_left_out() -> None:
    plain = lines(Slurm(walltime=60))
    assert "--exclusive" in plain
    changed = lines(
        Slurm(walltime=60, extra_directives=["--mem=0"], skip_directives=["--no-req", "--exclusive"])
    )
    assert set(plain) - set(changed) == {"--no-requeue", "--exclusive"}
    assert set(changed) - set(plain) == {"--mem=0"}
    assert lines(Slurm(walltime=60, skip_directives=["--"])) == []
    assert "--exclusive" not in lines(Slurm(walltime=60, exclusive=False))


def test_every_setting_becomes_a_directive() -> None:
    common: dict[str, Any] = {"walltime": "100:00:01", "account": "abc"}
    slurm = lines(
        Slurm(**common, partition="gpu", qos="debug", constraint="gpu&hbm80g"), walltime_seconds=360001
    )
    assert set(slurm) >= {
        *("--nodes=2", "--time=100:00:01", "--account=abc", "--partition=gpu", "--qos=debug"),
        "--constraint=gpu&hbm80g",
    }
    lsf = lines(Lsf(**common, queue="batch"), walltime_seconds=360001)
    assert set(lsf) >= {"-nnodes 2", "-W 6001", "-P abc", "-q batch"}
    pro = lines(PbsPro(**common, queue="prod", select=["ncpus=64", "ngpus=4"]), walltime_seconds=360001)
    assert set(pro) >= {
        *("-l select=2:ncpus=64:ngpus=4", "-l place=scatter:excl", "-l walltime=100:00:01", "-A abc"),
        "-q prod",
    }
    assert not [one for one in lines(PbsPro(**common, place=None)) if "place" in one]
    torque = lines(Torque(**common, queue="batch", properties=["ppn=32", "gpus=4"]), walltime_seconds=360001)
    assert set(torque) >= {"-l nodes=2:ppn=32:gpus=4", "-l walltime=100:00:01", "-A abc", "-q batch"}


@pytest.mark.parametrize("kind", BATCHES)
def test_the_output_may_lie_anywhere(kind: str) -> None:
    path = "/my runs/it's 100%/block #1.out"
    (line,) = [one for one in lines(BATCHES[kind], output=Path(path)) if "block" in one]
    (found,) = [word for word in shlex.split(line) if "block" in word]
    assert found.removeprefix("--output=").replace("%%", "%") == path
    assert ("%%" in found) is (kind == "slurm")  # there %J and the like mean something


def test_the_account_may_come_from_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PROJECT", "abc123")
    monkeypatch.delenv("NOBODYS", raising=False)
    monkeypatch.setenv("EMPTY", "")
    for batch in (Slurm, Lsf, PbsPro, Torque):
        for account, paid in (("$MY_PROJECT", "abc123"), ("${MY_PROJECT}_g", "abc123_g"), ("x-1", "x-1")):
            text = script(batch(walltime=60, account=account))
            assert any(line.endswith((f"={paid}", f" {paid}")) for line in text.splitlines())
        for account in ("$NOBODYS", "${NOBODYS}_g", "$EMPTY"):
            with pytest.raises(SchedulerError, match=r"account is .*, which is not set here"):
                script(batch(walltime=60, account=account))
        assert "abc123" not in script(batch(walltime=60))


def test_a_launcher_takes_further_options() -> None:
    words = launcher_words("srun", ["--cpus-per-task=56", "-x", "a b"], 3)
    assert words[-3:] == ["--cpus-per-task=56", "-x", "a b"]
    batch = Slurm(walltime=60, launcher=Launcher(type="mpiexec", options=["--depth=64"]))
    assert "mpiexec -n 2 --ppn 1 --cpu-bind none --depth=64 bash -c " in script(batch)


@pytest.mark.parametrize(
    ("kind", "count", "every"),
    [
        *((kind, count, True) for kind in BATCHES for count in (1, 2)),
        *((kind, 2, False) for kind in ("lsf", "pbspro", "torque", "ssh")),
    ],
)
def test_what_ends_a_node_gets_the_command_or_follows_it(
    kind: str,
    count: int,
    every: bool,
    nodes: Nodes,
) -> None:
    lists = {"LSB_DJOB_HOSTFILE": str(nodes.folder / "hosts")}
    (nodes.folder / "hosts").write_text("batch1\nn1\nn1\nn2\n")
    log = nodes.folder / "ended"
    lines = ['[ $# = 0 ] || "$@"', "code=$?", f"echo ended >>{shlex.quote(str(log))}", "exit $code"]
    nodes.program("teardown", "\n".join(["#!/bin/bash", *lines, ""]))
    text = script(
        BATCHES[kind],
        nodes=count,
        on_every_node=every,
        command="echo worked; exit 7",
        teardown=(str(nodes.bin / "teardown"),),
    )
    ended = nodes.run(text, **lists)
    on_nodes = count if kind == "ssh" else 1
    assert ended.returncode == 7
    assert ended.stdout.split() == ["worked"] * (on_nodes if every else 1)
    assert log.read_text().split() == ["ended"] * on_nodes
