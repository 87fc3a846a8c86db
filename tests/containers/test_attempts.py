"""Attempts in containers: what they have of the node, how they end, and that nothing of them lives on."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from db.states import AttemptState
from orchestrator.driver.code import driver_code
from orchestrator.host.processes import terminate
from orchestrator.node.ranks.container_image import pinned_order
from orchestrator.protocol.order import ContainerOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from tests.containers.stand_in import install
from tests.harness import wait_for
from tests.orchestrator.node.supervised import Supervised, supervised_order
from workloads.provenance.code import OWN

RUNTIMES = ("apptainer", "podman", "sarus", "shifter")
DIGEST = hashlib.sha256(b"an image").hexdigest()


def container(folder: Path, runtime: str, **changes: Any) -> ContainerOrder:
    """Return a container of a stand-in, with the interpreter of this process."""
    bin_folder = install(folder / "bin", {"train": DIGEST})
    image = folder / "train.sif" if runtime == "apptainer" else Path("train")
    if runtime == "apptainer":
        image.write_bytes(b"an image")
    fields = {"image": str(image), "command": str(bin_folder / runtime), "python": sys.executable}
    return ContainerOrder(**{"runtime": runtime, **fields, **changes})


def attempt(
    folder: Path, runtime: str, behaviour: str = "succeed", ranks: int = 1, **changes: Any
) -> Supervised:
    given = {"parameters": {"behaviour": behaviour}, "container": container(folder, runtime), **changes}
    return Supervised(folder, ranks, **given)


def ended(report: AttemptReport) -> tuple[AttemptState, str | None, str | None]:
    return report.state, report.failure_category, report.failure_reason


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_training_in_a_container_has_its_slot_and_reports(
    runtime: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/of/the/node")
    monkeypatch.setenv("UCX_TLS", "tcp")
    own = driver_code().packages[OWN]
    report = attempt(tmp_path, runtime, known_documents=(own,)).report()
    assert (report.state, report.failure_message) == (AttemptState.SUCCEEDED, None)
    assert report.result is not None
    observed = report.result.observed
    assert observed.cpuset == report.cores
    assert observed.facts["container"]["digest"] == f"sha256:{DIGEST}"
    assert observed.facts["container"]["runtime"] == runtime
    assert observed.facts["container"]["options"] == str(tmp_path / "bin" / runtime)
    assert (report.cpu_seconds or 0) > 0.01
    assert (report.peak_memory_bytes or 0) > 1 << 20
    [code] = [one for one in report.result.documents if "packages" in one]
    assert own in code["packages"].values(), "the project's package in the container is the driver's"
    [variables] = [one["variables"] for one in report.result.documents if "variables" in one]
    assert variables["UCX_TLS"] == "tcp"
    assert "/of/the/node" not in variables.get("LD_LIBRARY_PATH", "")


@pytest.mark.parametrize("runtime", ["apptainer", "podman", "sarus"])
def test_the_start_barrier_opens_in_a_container(runtime: str, tmp_path: Path) -> None:
    running = attempt(tmp_path, runtime, wave=0)
    barrier = RunDirectory(tmp_path).barrier_file(1, 0)
    journal = tmp_path / "a.journal"
    wait_for(
        lambda: journal.exists() and '"at_barrier":true' in journal.read_text().replace(" ", ""),
        "barrier",
        20,
    )
    assert not (tmp_path / "started-7").exists()
    barrier.parent.mkdir(parents=True)
    barrier.write_text("1\n")
    assert running.report().state is AttemptState.SUCCEEDED


@pytest.mark.parametrize("runtime", ["apptainer", "podman"])
def test_ranks_in_containers_meet(runtime: str, tmp_path: Path) -> None:
    report = attempt(tmp_path, runtime, ranks=2, workload="tests.toys.multi_rank", parameters={}).report()
    assert (report.state, report.failure_message) == (AttemptState.SUCCEEDED, None)
    died = attempt(
        tmp_path / "again",
        runtime,
        ranks=2,
        workload="tests.toys.multi_rank",
        parameters={"behaviour": "die"},
    )
    assert (died.report().failure_reason) == "killed by SIGKILL"


@pytest.mark.parametrize(
    ("runtime", "behaviour"),
    [("apptainer", "stubborn"), ("podman", "hang"), ("podman", "stubborn"), ("sarus", "hang")],
)
def test_a_container_ends_with_its_attempt(runtime: str, behaviour: str, tmp_path: Path) -> None:
    running = attempt(tmp_path, runtime, behaviour, grace_seconds=0.5)
    running.started()
    running.process.send_signal(signal.SIGTERM)
    assert ended(running.report()) == (AttemptState.FAILED, "infrastructure", "terminated")


@pytest.mark.parametrize("runtime", ["apptainer", "podman"])
def test_processes_of_a_container_are_found_when_the_supervisor_was_killed(
    runtime: str, tmp_path: Path
) -> None:
    running = attempt(tmp_path, runtime, "hang")
    running.started()
    running.process.kill()
    running.process.communicate()
    terminate(running.left(), 5)
    wait_for(lambda: not running.left(), "the end of the container")


@pytest.mark.parametrize(
    ("runtime", "behaviour", "reason"),
    [
        ("apptainer", "kill_self", "killed by SIGKILL"),
        ("podman", "segfault", "crashed with SIGSEGV"),
        ("podman", "exit", "exit code 3"),
        ("sarus", "kill_self", "killed by SIGKILL"),
        ("shifter", "exception", "exception"),
    ],
)
def test_how_a_training_ended_is_seen_through_its_runtime(
    runtime: str, behaviour: str, reason: str, tmp_path: Path
) -> None:
    assert attempt(tmp_path, runtime, behaviour).report().failure_reason == reason


def test_memory_and_time_are_limited_in_a_container(tmp_path: Path) -> None:
    greedy = attempt(tmp_path, "podman", "greedy", memory_bytes=200 << 20, grace_seconds=0.5)
    assert greedy.report().failure_reason == "out of memory"
    slow = attempt(tmp_path / "slow", "sarus", "hang", timeout_seconds=1.0, grace_seconds=0.5)
    assert slow.report().state is AttemptState.TIMED_OUT


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"command": "/nowhere/runtime"}, "no command /nowhere/runtime of container runtime podman"),
        ({"image": "absent"}, "container image absent cannot be used here: podman ended with exit code 125"),
    ],
)
def test_a_missing_runtime_or_image_ends_the_attempt(
    changes: dict[str, str], message: str, tmp_path: Path
) -> None:
    report = Supervised(tmp_path, container=container(tmp_path, "podman", **changes)).report()
    assert ended(report) == (AttemptState.FAILED, "infrastructure", "cannot start")
    assert message in str(report.failure_message)
    assert "\n" not in str(report.failure_message)


@pytest.mark.parametrize("runtime", ["apptainer", "podman"])
def test_a_container_without_the_python_ends_the_attempt(runtime: str, tmp_path: Path) -> None:
    missing = container(tmp_path, runtime, python="python9")
    report = Supervised(tmp_path, container=missing).report()
    assert ended(report) == (AttemptState.FAILED, "infrastructure", "container failed")
    assert "ended with exit code 127 before the training began: python9: not found" in str(
        report.failure_message
    )


def test_a_runtime_that_refuses_an_option_ends_the_attempt(tmp_path: Path) -> None:
    odd = container(tmp_path, "podman", options=("--frobnicate",))
    report = Supervised(tmp_path, container=odd).report()
    assert report.failure_reason == "container failed"
    assert "--frobnicate" in str(report.failure_message)


@pytest.mark.parametrize("name", ["a b\u00e4", "a:b", "a,b"])
def test_paths_that_a_runtime_cannot_name(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    own = container(tmp_path, "sarus")
    report = Supervised(folder, container=own, data=str(tmp_path / "absent")).report()
    if name == "a b\u00e4":
        assert report.state is AttemptState.SUCCEEDED
    else:
        assert report.failure_reason == "cannot start"
        assert f"{folder} cannot be bound into a container" in str(report.failure_message)


def test_an_image_that_changes_is_read_again(tmp_path: Path) -> None:
    digests = []
    for content in (b"an image", b"an image", b"another image"):
        own = container(tmp_path, "apptainer")
        Path(own.image).write_bytes(content)
        os.utime(own.image, ns=(0, 1000 * len(content)))
        result = Supervised(tmp_path, container=own).report().result
        assert result is not None
        digests.append(result.observed.facts["container"]["digest"])
    assert digests[0] == digests[1] == f"sha256:{DIGEST}"
    assert digests[2] == f"sha256:{hashlib.sha256(b'another image').hexdigest()}"


def test_an_image_of_the_same_size_and_time_is_read_again(tmp_path: Path) -> None:
    """`cp --preserve` or `touch` give another image the time of the former; its ctime is its own."""
    own = container(tmp_path, "apptainer")
    order = supervised_order(tmp_path, container=own)
    digests = []
    for content in (b"one image", b"two image"):
        Path(own.image).write_bytes(content)
        os.utime(own.image, ns=(0, 1000))
        _, facts = pinned_order(order)
        digests.append(facts and facts["digest"])
    assert digests == [f"sha256:{hashlib.sha256(one).hexdigest()}" for one in (b"one image", b"two image")]


def test_an_image_that_is_started_by_its_name_is_looked_up_again(tmp_path: Path) -> None:
    order = supervised_order(tmp_path, container=container(tmp_path, "sarus"))
    other = hashlib.sha256(b"another image").hexdigest()

    def digest() -> str:
        facts = pinned_order(order)[1]
        assert facts is not None
        return facts["digest"]

    first = digest()
    install(tmp_path / "bin", {"train": other})
    assert digest() == first  # of the last minute
    for file in RunDirectory(Path(order.directory)).container_digest("x").parent.glob("*.json"):
        os.utime(file, (0, 0))
    assert DIGEST in first
    assert other in digest()
