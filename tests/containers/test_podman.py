"""Campaigns and attempts in real Podman: in an image of mount points alone, and in that of the project."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from db.states import AttemptState
from orchestrator.host.processes import terminate
from orchestrator.protocol.order import ContainerOrder
from tests.harness import ROOT, CampaignSandbox, wait_for
from tests.orchestrator.node.supervised import Supervised
from tests.orchestrator.node.warm_worker import training_of, warm_worker
from tests.requirements import needs_command

pytestmark = pytest.mark.slow
IMAGE = "localhost/mount-points:1"


class Podman:
    """A command with a store of its own, and a container that runs this process's Python."""

    def __init__(self, folder: Path) -> None:
        self.command = folder / "podman"
        store = f"--root {folder}/store --runroot {folder}/run --storage-driver vfs --runtime runc"
        self.command.write_text(f'#!/bin/sh\nexec podman {store} "$@"\n')
        self.command.chmod(0o755)
        image = folder / "image.tar"
        with tarfile.open(image, "w") as archive:
            for name in ("usr", "tmp", "proc", "sys", "dev", "etc"):
                entry = tarfile.TarInfo(name)
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            for name in ("bin", "lib", "lib64"):
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = tarfile.SYMTYPE, f"usr/{name}"
                archive.addfile(entry)
        self("import", "--quiet", str(image), IMAGE)

    def __call__(self, *words: str) -> str:
        """Return what a command prints."""
        done = subprocess.run([self.command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def container(self, image: str = IMAGE, python: str = sys.executable) -> dict[str, Any]:
        """Return the container as a site file has it."""
        roots = sorted({"/usr", str(ROOT), sys.prefix, sys.base_prefix})
        return {
            "runtime": "podman",
            "image": image,
            "command": str(self.command),
            # Podman's own limits are higher than those of a machine that may not raise its own.
            "options": ["--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096"],
            "bind": [f"{root}:{root}:ro" for root in roots],
            "python": python,
        }

    def order(self) -> ContainerOrder:
        """Return the container as an order has it."""
        given = self.container()
        return ContainerOrder(**{**given, "options": tuple(given["options"]), "bind": tuple(given["bind"])})

    def left(self) -> str:
        """Return the containers that Podman knows."""
        return self("ps", "--all", "--quiet")


@pytest.fixture(scope="module")
def podman() -> Iterator[Podman]:
    needs_command("podman", "podman")
    needs_command("runc", "runc")
    with tempfile.TemporaryDirectory(
        prefix="podman-", dir="/tmp"
    ) as folder:  # a path of 50 characters at most
        made = Podman(Path(folder))
        words = [made.command, "run", "--rm", "--network=host", "--pid=host", "--volume=/usr:/usr:ro"]
        words += [*made.container()["options"], IMAGE, "/bin/true"]
        tried = subprocess.run(words, capture_output=True, text=True, check=False)
        if tried.returncode:
            pytest.skip(f"this machine lets Podman start no container: {tried.stderr.strip()}")
        yield made


@pytest.fixture(scope="module")
def image(podman: Podman) -> str:
    """The image of sites/images with the machine's own programs as its base, and without TensorFlow."""
    words = [
        "--file",
        str(ROOT / "sites" / "images" / "Containerfile"),
        "--tag",
        "localhost/orchestrator:test",
    ]
    words += ["--build-arg", f"BASE={IMAGE}", "--build-arg", "EXTRAS=serve", "--network=host"]
    words += [f"--volume={folder}:{folder}:ro" for folder in ("/usr", "/etc/ssl")]
    words += [f"--env={name}={value}" for name, value in os.environ.items() if name.startswith("PIP_")]
    podman("build", "--quiet", *words, str(ROOT))
    return "localhost/orchestrator:test"


def test_the_image_of_the_project_runs_hello(podman: Podman, image: str) -> None:
    words = ["--rm", "--network=host", "--pid=host", "--workdir=/tmp"]
    words += [f"--volume={path}:{path}:ro" for path in ("/usr", "/etc/passwd")]  # the base has no users
    smaller = ["--set", "gemm.parameters.seconds=0.1", "--set", "triad.parameters.seconds=0.1"]
    words += [*podman.container()["options"], image, "orchestrator", "launch", "hello", *smaller]
    assert "14 of 14 programs finished" in podman("run", *words)


def test_trainings_run_in_the_image_of_the_project(podman: Podman, image: str, tmp_path: Path) -> None:
    campaign_in(podman, podman.container(image, "python3"), tmp_path)


def test_a_campaign_in_containers(podman: Podman, tmp_path: Path) -> None:
    campaign_in(podman, podman.container(), tmp_path)


def campaign_in(podman: Podman, container: dict[str, Any], tmp_path: Path) -> None:
    """Run a campaign whose trainings run in a container, and read the container in its verdict."""
    place = CampaignSandbox(tmp_path)
    file = tmp_path / "site.yaml"
    site = yaml.safe_load(file.read_text())
    site |= {"container": container, "environment": {"PYTHONPATH": str(ROOT)}}
    file.write_text(yaml.safe_dump(site))
    place.campaign(2, rulebook="none", timeout=300)  # the first container copies a large image
    done = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert done.returncode == 0, done.stderr
    image = container["image"]
    digest = podman("image", "inspect", "--format={{.Id}}", image)
    rules = " ".join(place.run("fom", "toy", "--rules").stdout.split())
    assert f"in the container {image} with " in rules  # its options
    assert f"(sha256:{digest})" in rules
    assert podman.left() == ""


def test_attempts_in_podman_end_with_all_their_processes(podman: Podman, tmp_path: Path) -> None:
    def attempt(name: str, ranks: int = 1, **changes: Any) -> Supervised:
        (tmp_path / name).mkdir()
        return Supervised(tmp_path / name, ranks, container=podman.order(), grace_seconds=0.5, **changes)

    ranks = attempt("ranks", 2, workload="tests.toys.multi_rank").report()
    assert (ranks.state, ranks.failure_message) == (AttemptState.SUCCEEDED, None)
    crash = attempt("crash", parameters={"behaviour": "segfault"}).report()
    assert crash.failure_reason == "crashed with SIGSEGV"
    stubborn = attempt("stubborn", parameters={"behaviour": "stubborn"})
    stubborn.started()
    stubborn.process.send_signal(signal.SIGTERM)
    assert stubborn.report().failure_reason == "terminated"
    killed = attempt("killed", parameters={"behaviour": "hang"})
    killed.started()
    killed.process.kill()
    killed.process.communicate()
    terminate(killed.left(), 5)
    wait_for(lambda: not killed.left(), "the end of the container")
    wait_for(lambda: podman.left() == "", "Podman to forget the containers")


def test_apptainer_gets_what_podman_gets() -> None:
    images = ROOT / "sites" / "images"
    definition = re.sub(r"{{ (\w+) }}", r"${\1}", (images / "apptainer.def").read_text())
    file = (images / "Containerfile").read_text()
    copied = [word for line in re.findall(r"^COPY (.+)$", file, re.MULTILINE) for word in line.split()[:-1]]
    parts = dict(re.findall(r"^%(\w+)\n((?: {4}.+\n)+)", definition, re.MULTILINE))
    assert [line.split() for line in parts["files"].splitlines()] == [
        [name, f"/src/{name}"] for name in copied
    ]
    ran = re.split(r"\s*\\\n\s*&&\s*", file.partition("\nRUN ")[2].partition("\nENV ")[0])
    assert [line.strip() for line in parts["post"].splitlines()] == ran
    assert parts["environment"].split()[1:] == re.findall(r"^ENV (.+)$", file, re.MULTILINE)
    assert parts["arguments"].split() == re.findall(r"^ARG (.+)$", file, re.MULTILINE)


def test_trainings_are_forked_in_one_container(podman: Podman, tmp_path: Path) -> None:
    with warm_worker(tmp_path) as worker:
        trainings = set()
        for _ in range(3):
            trainings.add(training_of(worker.behave(container=podman.order())))
            assert len(podman.left().split()) == 1
        crash = worker.behave("segfault", container=podman.order())
        assert crash.failure_reason == "crashed with SIGSEGV"
        daemon = worker.behave("daemon", parameters={"folder": str(tmp_path)}, container=podman.order())
        assert daemon.state is AttemptState.SUCCEEDED
        assert not psutil.pid_exists(int((tmp_path / "daemon-7").read_text()))
        stubborn = worker.behave("stubborn", container=podman.order(), timeout_seconds=2.0, grace_seconds=0.5)
        assert stubborn.state is AttemptState.TIMED_OUT
        last = worker.behave(container=podman.order())
        trainings.add(training_of(last))
        assert len(trainings) == 4
        fresh = worker.behave(processes="fresh", container=podman.order())
        assert last.result is not None
        assert fresh.result is not None
        seen, expected = last.result.observed, fresh.result.observed
        assert seen.facts["container"] == expected.facts["container"]
        assert (seen.code, seen.variables, seen.cpuset) == (
            expected.code, expected.variables, expected.cpuset,
        )  # fmt: skip
    wait_for(lambda: podman.left() == "", "Podman to forget the containers")
