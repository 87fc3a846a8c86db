"""A site file is held against the machine: from here, and by a block that looks at its nodes from within."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.cli.terminal.slot_picture import draw_slots
from orchestrator.diagnostics import site_check
from orchestrator.host.interpreter import interpreter_facts
from orchestrator.planning.slots import NodeFacts, SlotShape, partition
from tests.campaigns.test_batch import BatchSandbox
from tests.campaigns.test_slurm import GPUS, SlurmSandbox, active
from tests.harness import wait_for
from tests.schedulers.machines import Machine
from tests.schedulers.slurm import SlurmCluster

CORES = sorted(os.sched_getaffinity(0))
BATCH = {"type": "slurm", "walltime": "10 min"}
ELSEWHERE = {
    "scheduler": BATCH,
    "node": {"cores": "0", "memory": "1 GiB"},
    "address": "127.0.0.1",
}


def run(folder: Path, *options: str, **site: Any) -> tuple[int, str]:
    """Check a site; return exit code and what was printed."""
    if site:
        (folder / "site.yaml").write_text(json.dumps({"site": "test", **site}))
    ended = CliRunner().invoke(app, ["site", "check", "site.yaml", *options])
    assert ended.exception is None or isinstance(ended.exception, SystemExit), repr(ended.exception)
    return ended.exit_code, ended.stdout


def findings(folder: Path, *options: str, **site: Any) -> tuple[int, dict[str, tuple[bool, str]]]:
    """Check a site; return exit code and findings by what was looked at."""
    code, out = run(folder, "--json", *options, **site)
    found = json.loads(out)
    assert found["good"] is (code == 0)
    return code, {one["what"]: (one["good"], one["observed"]) for one in found["findings"]}


known_interpreters = functools.cache(interpreter_facts)


@pytest.fixture(autouse=True)
def _ask_an_interpreter_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """To import Keras takes seconds."""
    monkeypatch.setattr(site_check, "interpreter_facts", known_interpreters)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the launch, with a submit command."""
    monkeypatch.chdir(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sbatch", "squeue", "scancel"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    (tmp_path / "file").touch()
    (tmp_path / "hooks.py").write_text("def broken(text, site):\n    raise ValueError('no idea')\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_this_machine_is_as_its_file_says(folder: Path) -> None:
    ended = CliRunner().invoke(app, ["site", "check", "local"])
    assert ended.exit_code == 0, ended.stdout
    assert "BAD" not in ended.stdout
    assert ended.stdout.count("ok ") >= 5
    code, out = run(
        folder, node={"cores": ",".join(map(str, CORES[:2])), "numa_domains": [",".join(map(str, CORES))]}
    )
    assert code == 0
    picture = [line for line in out.splitlines() if line.startswith("numa 0")]
    assert picture == ["numa 0  " + "01"[: len(CORES)]]


@pytest.mark.parametrize(
    ("site", "what", "observed"),
    [
        ({"slot": {"cores": 5000}}, "slots of a node", "slot of the site: "),
        ({"slots": {"lstm": {"memory": "1000 TiB"}}}, "slots of a node", "slot lstm: "),
        ({"node": {"cores": "65000"}}, "slots of a node", "names core 65000, which this machine does not"),
        ({"interface": "nowhere0"}, "address of the driver", "interface nowhere0 has no IPv4 address"),
        ({"address": "192.0.2.1"}, "address of the driver", "192.0.2.1 is no address of this machine: "),
        ({"interpreter": "/bin/false"}, "interpreter", "/bin/false: exit code 1"),
        ({"slots": {"alexnt": {"cores": 1}}}, "slots.alexnt", "did you mean alexnet?"),
        ({"node": {"gpus": {"count": 2}}}, "GPUs", "the node's GPUs cannot be listed: nvidia-smi"),
        ({"interpreter": "/no/python"}, "interpreter", "/no/python cannot be run here"),
        ({"paths": {"runs": "file/runs"}}, "path of the runs", "file: not writable"),
        (ELSEWHERE | {"scheduler": BATCH | {"type": "lsf"}}, "command bsub", "is this a login node"),
        (
            ELSEWHERE | {"scheduler": BATCH | {"account": "$NOBODYS"}},
            "submit script",
            "$NOBODYS, which is not",
        ),
        (ELSEWHERE | {"script_hook": "hooks:broken"}, "submit script", "ValueError: no idea"),
        (ELSEWHERE | {"script_hook": "hooks:missing"}, "submit script", "hooks"),
    ],
)
def test_what_is_wrong_is_found(site: dict[str, Any], what: str, observed: str, folder: Path) -> None:
    code, found = findings(folder, **site)
    assert code == 1
    assert observed in found[what][1]
    bad = {name for name, (good, _) in found.items() if not good}
    assert bad - {"command bjobs", "command bkill"} == {what}


def test_every_command_of_the_batch_system_is_looked_for(folder: Path) -> None:
    for name in ("bsub", "bkill"):
        (folder / "bin" / name).symlink_to("sbatch")
    code, found = findings(folder, **(ELSEWHERE | {"scheduler": BATCH | {"type": "lsf"}}))
    assert code == 1
    assert found["command bjobs"] == (False, "no bjobs here; is this a login node of the machine?")
    assert [name for name, (good, _) in found.items() if not good] == ["command bjobs"]


def test_a_directive_that_contradicts_a_key_is_bad_and_one_that_repeats_it_is_not(folder: Path) -> None:
    directives = ["--nodes=4", "--time=10", "--mem=0"]
    code, found = findings(folder, **(ELSEWHERE | {"scheduler": BATCH | {"extra_directives": directives}}))
    assert code == 1
    assert [name for name, (good, _) in found.items() if not good] == ["--nodes=4"]
    assert "scheduler.nodes_per_block is 1, this directive requests 4" in found["--nodes=4"][1]
    assert found["--time=10"] == (True, "the script has --time=00:10:00 already; delete it")
    assert "--mem=0" not in found


def test_a_slot_of_ones_own_workload_is_no_mistake(folder: Path) -> None:
    code, found = findings(folder, slots={"weather": {"cores": 1}})
    assert code == 0
    assert found["slots.weather"] == (True, "for a workload of your own")


def test_a_node_of_many_slots_is_drawn_in_numbers() -> None:
    node = NodeFacts(tuple(range(128)), 1 << 40, tuple(tuple(range(k, k + 64)) for k in (0, 64)), gpus=12)
    few = draw_slots(node, partition(node, SlotShape(cores=8, gpus=Fraction(1))))
    assert few[0] == "numa 0  " + "".join(name * 8 for name in "012345") + "." * 16
    assert few[-2:] == ["gpu 10  a", "gpu 11  b"]
    many = draw_slots(node, partition(node, SlotShape(cores=1)))
    assert many[0].startswith("numa 0     0   1   2   3")
    assert all(len(line) <= 110 for line in many)
    assert " ".join(many).split().count("127") == 1


def test_nothing_is_probed_that_is_wrong_from_here_already(folder: Path) -> None:
    scheduler = BATCH | {"type": "lsf", "extra_directives": ["-nnodes 4"]}
    changed = {"scheduler": scheduler, "paths": {"runs": "file/runs"}}
    code, out = run(folder, "--probe", **(ELSEWHERE | changed))
    assert code == 1
    needed = "path of the runs, command bsub, command bjobs, command bkill"
    assert f"not probed; correct first, as no block runs without: {needed}\n" in out


def test_what_needs_no_mending_first_is_probed_all_the_same(folder: Path) -> None:
    (folder / "bin" / "sbatch").write_text("#!/bin/sh\necho 'no such partition' >&2; exit 1\n")
    scheduler = BATCH | {"extra_directives": ["--nodes=4"]}
    slots = {"alexnt": {"cores": 1}, "lstm": {"cores": 64}}
    changed = {"scheduler": scheduler, "slots": slots, "interpreter": "/no/python"}
    code, found = findings(folder, "--probe", **(ELSEWHERE | changed))
    assert code == 1
    assert found["block"][0] is False
    assert "no such partition" in found["block"][1]
    bad = {name for name, (good, _) in found.items() if not good}
    assert bad == {"--nodes=4", "slots of a node", "slots.alexnt", "interpreter", "block"}
    assert "not probed" not in run(folder, "--probe")[1]


def test_a_partition_beside_the_pools_is_said_to_serve_no_benchmark(folder: Path) -> None:
    pools = {"gpu": {"scheduler": {"partition": "gpu"}}}
    for top, said in (("cpu", True), ("gpu", False)):
        scheduler = BATCH | {"partition": top}
        _, found = findings(folder, **(ELSEWHERE | {"scheduler": scheduler, "pools": pools}))
        assert ("keys outside of pools" in found) is said
        assert not said or found["keys outside of pools"][1].startswith(
            "partition cpu of the scheduler, outside of pools, serves no benchmark"
        )


def test_a_site_without_a_batch_system_is_not_probed() -> None:
    ended = CliRunner().invoke(app, ["site", "check", "local", "--probe"])
    assert ended.exit_code == 0
    assert ended.stdout.endswith(
        "site local has no batch system: nothing is probed, all was seen from here\n"
    )


@pytest.mark.parametrize("site", [{}, ELSEWHERE], ids=["local", "slurm"])
def test_an_interpreter_without_keras_is_good_and_says_what_needs_it(
    site: dict[str, Any], folder: Path
) -> None:
    """A bare Python, whose PYTHONPATH and site packages are empty."""
    bare = folder / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    _, found = findings(folder, interpreter=str(bare), **site)
    good, text = found["interpreter"]
    assert good
    assert text.endswith(
        "no Keras, which hello and scripts do without; for the others: pip install '.[cpu]', or [gpu]"
    )


def test_an_installation_of_keras_that_is_broken_is_bad(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken").mkdir()
    (folder / "broken" / "keras.py").write_text("import no_backend_of_keras\n")
    monkeypatch.setenv("PYTHONPATH", str(folder / "broken"))
    facts = interpreter_facts(sys.executable)
    assert "No module named 'no_backend_of_keras'" in facts["interpreter_error"]


# -- probes ----------------------------------------------------------------------------------


def python(folder: Path) -> Path:
    """Make an interpreter that has what trainings need, and is quick to say so."""
    file = folder / "somepython"
    file.write_text('#!/bin/sh\necho \'{"python": "3.11.9", "keras": "3.15.1"}\'\n')
    file.chmod(0o755)
    return file


def change(folder: Path, **changes: Any) -> None:
    """Change keys of the site file; dictionaries are changed, not replaced."""
    file = folder / "site.yaml"
    content = json.loads(file.read_text())
    for name, value in changes.items():
        content[name] = content[name] | value if isinstance(value, dict) else value
    file.write_text(json.dumps(content))


def leftovers(folder: Path) -> list[Path]:
    """Return what probes left in the path of the runs."""
    return list((folder / "runs").glob("probe-*"))


@pytest.mark.slow
def test_a_true_site_is_confirmed_by_its_nodes(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SlurmSandbox(tmp_path)
    monkeypatch.chdir(tmp_path)
    change(tmp_path, interpreter=str(python(tmp_path)), node={"disk": "1 MiB"})
    code, found = findings(tmp_path, "--probe", "--nodes", "2")
    assert code == 0, found
    assert found["network to the driver"] == (True, "2 of 2 nodes were heard")
    assert found["shared path"][0]
    for node in ("node1", "node2"):
        assert found[f"{node}: interpreter"] == (True, "python 3.11.9, keras 3.15.1")
        assert found[f"{node}: GPUs"] == (True, ", ".join(GPUS))
        assert found[f"{node}: clock"][1].endswith(" ms from the driver's")
    assert not active(slurm)
    assert not leftovers(tmp_path)


@pytest.mark.slow
def test_what_a_site_file_makes_up_is_found_on_the_nodes(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SlurmSandbox(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    change(
        tmp_path,
        interpreter=python(tmp_path).name,  # found here, and not on a node with another PATH
        node={"cores": f"{CORES[0]},65000", "memory": "1000 TiB", "disk": "1 EB", "gpus": {"count": 3}},
        scheduler={"prologue": [f"export PATH={tmp_path}/tools:/usr/bin:/bin"]},
    )
    code, found = findings(tmp_path, "--probe", "--nodes", "2")
    assert code == 1
    for node in ("node1", "node2"):
        assert found[f"{node}: cores"] == (False, "lacks [65000]")
        assert found[f"{node}: memory"][0] is False
        assert found[f"{node}: disk"][0] is False
        assert found[f"{node}: disk"][1].endswith("GiB at $TMPDIR, the site file says 931,322,575 GiB")
        assert found[f"{node}: GPUs"] == (False, "the site file says 3 GPUs a node, this node gives us 2")
        assert found[f"{node}: interpreter"][0] is False
        assert "somepython" in found[f"{node}: interpreter"][1]
        assert found[f"{node}: clock"][0]
    assert found["network to the driver"][0]
    (left,) = leftovers(tmp_path)
    assert str(left) in found["block"][1]
    assert not active(slurm)


@pytest.mark.slow
def test_nodes_that_cannot_reach_the_driver_say_so_in_their_files(
    slurm: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SlurmSandbox(tmp_path)
    monkeypatch.chdir(tmp_path)
    cut_off = {"type": "srun", "options": ["unshare", "--net"]}
    change(tmp_path, interpreter=str(python(tmp_path)), scheduler={"launcher": cut_off})
    code, found = findings(tmp_path, "--probe", "--nodes", "2")
    assert code == 1
    assert found["network to the driver"] == (False, "0 of 2 nodes were heard")
    assert found["shared path"] == (True, "2 of 2 nodes wrote to it")
    for node in ("node1", "node2"):
        assert "cannot be reached" in found[f"{node}: network"][1]
        assert found[f"{node}: interpreter"][0]
    assert not active(slurm)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["lsf", "pbspro", "torque"])
def test_other_batch_systems_are_probed_alike(
    family: str,
    request: pytest.FixtureRequest,
    named_nodes: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine: Machine = request.getfixturevalue(f"{family}_machine")
    place = BatchSandbox(tmp_path, machine, interpreter=str(python(tmp_path)))
    monkeypatch.chdir(tmp_path)
    machine.fail("bjobs" if family == "lsf" else "qstat")
    code, out = run(tmp_path, "--probe", "--nodes", "2")
    assert code == 0, out
    assert len(re.findall(r"node node\d answered", out)) == 2
    assert "BAD" not in out
    wait_for(lambda: not place.active(), "the block to be gone")
    assert not leftovers(tmp_path)
    change(tmp_path, scheduler={"queue": "nowhere"})
    code, found = findings(tmp_path, "--probe")
    assert code == 1
    assert found["block"][0] is False
    assert "refused the block" in found["block"][1]
    assert not leftovers(tmp_path)
