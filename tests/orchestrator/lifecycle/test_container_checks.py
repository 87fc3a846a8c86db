"""A container that cannot be used is found before anything is made or submitted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.diagnostics.site_check import check
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.container_checks import check_containers
from orchestrator.lifecycle.launch import launch, plan
from orchestrator.node.probe import observe
from orchestrator.planning.containers import container_order
from orchestrator.protocol.codec import to_json
from sites import Site, parse
from sites.containers import Container
from tests.containers.stand_in import install

BATCH = {
    "scheduler": {"type": "slurm", "walltime": "1 h"},
    "node": {"cores": "0-3", "memory": "8 GiB"},
    "address": "127.0.0.1",
}


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A container of a stand-in that has this process's Python."""
    monkeypatch.chdir(tmp_path)
    commands = install(tmp_path / "bin", {"train": "ab" * 32})
    return {
        "runtime": "podman",
        "image": "train",
        "command": str(commands / "podman"),
        "python": sys.executable,
    }


def written(folder: Path, benchmark: dict[str, Any] | None = None, **site: Any) -> tuple[str, str]:
    """Write a campaign and a site; return their paths."""
    benchmarks = [{"workload": "lstm", "instances": 1, "timeout": 60, **(benchmark or {})}]
    campaign = {"campaign": "toy", "class": "optimized", "benchmarks": benchmarks}
    (folder / "toy.yaml").write_text(json.dumps(campaign))
    (folder / "site.yaml").write_text(json.dumps({"site": "here", **site}))
    return str(folder / "toy.yaml"), str(folder / "site.yaml")


def test_a_container_with_the_packages_is_taken(tmp_path: Path, container: dict[str, Any]) -> None:
    check_containers(plan(*written(tmp_path, container=container, interpreter="/of/no/use")))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"image": "absent"}, "benchmark lstm: container image absent cannot be used here"),
        (
            {"command": "/nowhere/podman"},
            "benchmark lstm: no command /nowhere/podman of container runtime",
        ),
        ({"python": "python9"}, "benchmark lstm: python9 does not start in a container of image train"),
        ({"options": ["--frobnicate"]}, "--frobnicate"),
    ],
)
def test_a_launch_refuses_what_cannot_start(
    change: dict[str, Any], message: str, tmp_path: Path, container: dict[str, Any]
) -> None:
    files = written(tmp_path, container=container | change)
    with pytest.raises(CampaignError) as caught:
        launch(*files, ledger=f"sqlite:///{tmp_path}/ledger.sqlite")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert not (tmp_path / "ledger.sqlite").exists()
    check_containers(plan(*written(tmp_path, {"container": "none"}, container=container | change)))


def test_a_python_without_the_packages(tmp_path: Path, container: dict[str, Any]) -> None:
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    files = written(tmp_path, container=container | {"python": str(bare)})
    with pytest.raises(CampaignError, match="container image train lacks the packages keras, tensorflow"):
        check_containers(plan(*files))


def test_another_machines_nodes_may_have_what_this_one_lacks(
    tmp_path: Path, container: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    check_containers(plan(*written(tmp_path, container=container | {"command": "/nowhere/podman"}, **BATCH)))
    assert caplog.text == ""
    check_containers(plan(*written(tmp_path, container=container | {"image": "absent"}, **BATCH)))
    assert "container image absent cannot be used here" in caplog.text


def checked(**site: Any) -> tuple[bool, str]:
    """Return what a check of a site finds of its container."""
    findings = check(parse(json.dumps({"site": "here", **site}), Site, "x"))
    [found] = [one for one in findings if one.subject == "container"]
    return found.ok, found.detail


def test_a_check_of_a_site_starts_its_container(tmp_path: Path, container: dict[str, Any]) -> None:
    bare = tmp_path / "bare"
    bare.write_text("#!/bin/sh\necho 'this is no Python' >&2\nexit 1\n")
    bare.chmod(0o755)
    image = f"podman, train (sha256:{'ab' * 32})"
    assert checked(container=container | {"python": str(bare)}) == (False, f"{image}: this is no Python")
    ok, text = checked(container=container | {"image": "absent"})
    assert not ok
    assert text.startswith("container image absent cannot be used here")
    assert checked(container=container, **BATCH) == (True, image)
    assert checked(container=container | {"command": "/nowhere"}, **BATCH) == (
        True, "no command /nowhere on this machine; --probe looks for it on a node"
    )  # fmt: skip


@pytest.mark.parametrize("image", ["train", "absent"])
def test_a_node_looks_for_the_container(image: str, tmp_path: Path, container: dict[str, Any]) -> None:
    order = container_order(Container.model_validate(container | {"image": image, "python": "/bin/false"}))
    found = observe({
        "working_directory": str(tmp_path),
        "gpus": None,
        "interpreter": "/of/no/use",
        "container": to_json(order),
        "environment": {},
    })  # fmt: skip
    if image == "train":
        assert found["container"] == f"podman, train (sha256:{'ab' * 32})"
        assert found["interpreter_error"] == "exit code 1"
    else:
        assert found["container_error"].startswith("container image absent cannot be used here")
        assert "container" not in found
