"""`site detect` writes a site file that `site check` accepts, where commands print recorded text."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sites
from orchestrator.cli import app
from orchestrator.diagnostics.detected_site import FILL_IN, site_name, site_text
from orchestrator.diagnostics.machine_survey import Hardware, Machine, look
from orchestrator.errors import CampaignError
from orchestrator.host.gpu_inventory import Gpu
from orchestrator.host.network import Interface
from orchestrator.host.topology import nominal_hertz
from orchestrator.schedulers.survey.model import Queue, Survey, SurveyedNode
from sites import Site
from tests.orchestrator.schedulers import test_survey as recorded


def printing(text: str, *others: tuple[str, str]) -> str:
    """Return a script that prints a text, or another one if one of its first two arguments is named."""
    cases = "".join(
        f"case \"$1 $2\" in *{word}*) cat <<'E'\n{other}E\nexit;; esac\n" for word, other in others
    )
    return f"{cases}cat <<'E'\n{text}E\n"


def silent(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, "")


COMMANDS = {
    "slurm": {
        "scontrol": printing(recorded.SLURM_NODES, ("partition", recorded.SLURM_PARTITIONS)),
        **silent("sbatch", "squeue", "scancel", "srun"),
    },
    "pbspro": {
        "qstat": printing("    default_queue = prod\n", ("-Q", recorded.PBS_QUEUES)),
        "pbsnodes": printing(recorded.PBS_NODES),
        **silent("qsub", "qdel", "qselect", "mpiexec"),
    },
    "lsf": {
        "bqueues": printing(recorded.LSF_QUEUES),
        "lshosts": printing(recorded.LSF_HOSTS, ("-gpu", recorded.LSF_GPUS)),
        **silent("bsub", "bjobs", "bkill", "jsrun"),
    },
    "flux": {"flux": printing(recorded.FLUX_NODES, ("queue", recorded.FLUX_QUEUES))},
}
HERE = Hardware("login1", (0, 1), (), (), 64 * 2**30, (), (Interface("hsn0", "10.1.0.5", 200000),))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of commands that comes before the system's, and a working directory."""
    (tmp_path / "bin").mkdir()
    for name in ("sh", "cat", "echo"):
        (tmp_path / "bin" / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    for name in ("SLURM_JOB_ID", "LSB_JOBID", "PBS_JOBID", "FLUX_URI", "SBATCH_ACCOUNT", "PROJECT", "BANK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def install(folder: Path, commands: dict[str, str]) -> None:
    for name, script in commands.items():
        file = folder / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)


@pytest.mark.parametrize("family", COMMANDS)
def test_what_is_detected_passes_the_check(family: str, folder: Path) -> None:
    install(folder, COMMANDS[family])
    wrote = CliRunner().invoke(app, ["site", "detect", "--output", "größe 1.yaml"])
    assert wrote.exit_code == 0, wrote.output
    text = (folder / "größe 1.yaml").read_text()
    assert int(re.search(r"(\d+) lines marked", wrote.stdout)[1]) == text.count(FILL_IN) - 1 > 4
    checked = CliRunner().invoke(app, ["site", "check", "größe 1.yaml", "--json"])
    assert checked.exit_code == 0, checked.output
    site, _ = sites.load("größe 1.yaml")
    assert (site.site, site.scheduler.type) == ("gr-e-1", family)
    assert site.node.gpus is None or site.slot.gpus == 1
    facts = json.loads(CliRunner().invoke(app, ["site", "detect", "--json"]).stdout)
    assert facts["survey"]["scheduler"] == family


def test_the_default_queue_gives_nodes_limits_and_requests(folder: Path) -> None:
    install(folder, COMMANDS["slurm"])
    text = site_text("ours", replace(look(), hardware=HERE), "2026-11-01")
    site = sites.parse(text, Site, "ours.yaml")
    assert (site.scheduler.partition, site.scheduler.walltime) == ("gpu", 4 * 3600)
    assert site.scheduler.extra_directives == ["--gpus-per-node=4", "--mem=0"]
    assert site.scheduler.launcher.options == ["--cpus-per-task=128", "--gpus-per-node=4"]
    assert (site.nodes, site.node.cores, site.node.gpus.count, site.node.gpus.vendor) == (
        3,
        "0-127",
        4,
        "nvidia",
    )
    assert (site.slot.cores, site.slot.gpus, site.interface) == (32, 1, "hsn0")
    assert "#   gpu (the default): 36 h, at most 16 nodes" in text
    assert "walltime: 4 h   # of a block; the queue allows 36 h" in text
    assert "#   1 node of 64 cores, 250 GiB, in cpu old" in text
    other = sites.parse(site_text("ours", look(), "2026-11-01", "cpu"), Site, "ours.yaml")
    assert (other.scheduler.partition, other.node.gpus, other.slot.cores) == ("cpu", None, 1)


def test_an_account_that_is_set_and_the_allocation_are_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(folder, COMMANDS["slurm"] | COMMANDS["flux"])
    monkeypatch.setenv("SBATCH_ACCOUNT", "abc")
    monkeypatch.setenv("SLURM_JOB_ID", "71")
    text = site_text("ours", look(), "2026-11-01")
    assert "\n  account: $SBATCH_ACCOUNT\n" in text
    assert "# Inside allocation Slurm 71: launch --here uses its nodes." in text
    monkeypatch.setenv("FLUX_URI", "local:///tmp/x")  # Flux inside that allocation
    machine = look()
    assert (machine.survey.scheduler, machine.allocation) == ("flux", "Flux local:///tmp/x")


def test_a_node_of_the_machine_knows_itself_in_full(folder: Path) -> None:
    install(folder, COMMANDS["slurm"])
    gpus = tuple(Gpu("nvidia", "A100", 40 * 2**30, f"{16 * k}-{16 * k + 15}") for k in (3, 2, 1, 0))
    here = replace(
        HERE, host="g2", cores=tuple(range(128)), further_threads=tuple(range(64, 128)),
        domains=(tuple(range(64)), tuple(range(64, 128))), gpus=gpus,
    )  # fmt: skip
    text = site_text("ours", replace(look(), hardware=here), "2026-11-01")
    site = sites.parse(text, Site, "ours.yaml")
    assert site.node.numa_domains == ["0-63", "64-127"]
    assert site.node.gpus.gpu_cores == ["48-63", "32-47", "16-31", "0-15"]
    assert site.node.gpus.memory == 40 * 2**30
    assert "  cores: 0-127   # 64-127 are further threads of the others\n" in text


@pytest.mark.parametrize(
    "script", ["echo no controller >&2; exit 1", "", "printf '\\033[31m\\000ä\\377=\\n'"]
)
def test_a_batch_system_that_does_not_answer_is_a_comment(script: str, folder: Path) -> None:
    install(folder, {"scontrol": script})
    shown = CliRunner().invoke(app, ["site", "detect"])
    assert shown.exit_code == 0
    assert sites.parse(shown.stdout, Site, "here.yaml").local
    [complaint] = [line for line in shown.stdout.splitlines() if line.startswith("# Slurm: ")]
    assert "no controller" in complaint or "it lists no node" in complaint
    refused = CliRunner().invoke(app, ["site", "detect", "--queue", "gpu"])
    assert isinstance(refused.exception, CampaignError)


def test_names_of_any_kind_stay_one_value_each() -> None:
    odd = 'x: {"\n# \x1b]ä'
    survey = Survey(
        "slurm", (Queue(odd, True, 30.0), Queue("007")), (SurveyedNode((odd,), 4, 2**30, 2, odd, (odd,)),)
    )
    machine = Machine(replace(HERE, interfaces=(), host=odd), survey, complaints=(odd,))
    site = sites.parse(site_text("ours", machine, "2026-11-01"), Site, "ours.yaml")
    assert site.scheduler.partition == 'x: {" #  ]ä'
    assert (site.scheduler.walltime, site.address) == (30.0, "127.0.0.1")
    second = sites.parse(site_text("ours", machine, "2026-11-01", "007"), Site, "ours.yaml")
    assert second.scheduler.partition == "007"
    with pytest.raises(CampaignError, match="no such queue; there are"):
        site_text("ours", machine, "2026-11-01", "none")


def test_a_file_that_exists_is_left_alone(folder: Path) -> None:
    (folder / "ours.yaml").write_text("mine")
    refused = CliRunner().invoke(app, ["site", "detect", "--output", "ours.yaml"])
    assert "exists already" in str(refused.exception)
    assert (folder / "ours.yaml").read_text() == "mine"
    assert isinstance(
        CliRunner().invoke(app, ["site", "detect", "-o", "no/x.yaml"]).exception, sites.FileError
    )


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("ours", "ours"), ("Ünï cluster", "n-cluster"), ("-", "detected"), ("..", "detected")],
)
def test_a_site_has_a_name_that_a_file_may_have(wanted: str, name: str) -> None:
    assert site_name(wanted) == name


def test_a_machine_with_thousands_of_queues_and_kinds_has_short_comments() -> None:
    queues = tuple(Queue(f"q{number}") for number in range(3000))
    kinds = tuple(SurveyedNode((f"n{number}",), number + 1, 2**36) for number in range(3000))
    text = site_text("ours", Machine(HERE, Survey("pbspro", queues, kinds)), "2026-11-01")
    assert len(text.splitlines()) < 100
    assert "#   and 2980 more" in text
    site = sites.parse(text, Site, "ours.yaml")
    assert site.scheduler.queue is None
    assert (site.scheduler.select, site.node.cores) == (["ncpus=1"], "0")


def test_peaks_of_gpus_and_cores_are_comments() -> None:
    gpus = (Gpu("nvidia", "Tesla V100-SXM2-16GB", 16 * 2**30, "0-1"),)
    here = replace(HERE, gpus=gpus, cpu_peak="peak TFLOP/s of CPU Z: float64 1")
    text = site_text("ours", Machine(here), "2026-11-01")
    assert "    # peak TFLOP/s of V100 SXM2: float64 7.8, float32 15.7, float16 125 (NVIDIA V100" in text
    assert "  # peak TFLOP/s of CPU Z: float64 1\n" in text
    assert sites.parse(text, Site, "ours.yaml").node.gpus.kind == "Tesla V100-SXM2-16GB"


@pytest.mark.parametrize(
    ("file", "text", "hertz"),
    [
        ("cpufreq/base_frequency", "2500000\n", 2.5e9),
        ("acpi_cppc/nominal_freq", "2450\n", 2.45e9),
        ("acpi_cppc/nominal_freq", "unknown\n", None),
    ],
)
def test_the_nominal_clock_is_as_the_kernel_states_it(
    file: str, text: str, hertz: float | None, tmp_path: Path
) -> None:
    there = tmp_path / "sys/devices/system/cpu/cpu0" / file
    there.parent.mkdir(parents=True)
    there.write_text(text)
    assert nominal_hertz(tmp_path) == hertz
