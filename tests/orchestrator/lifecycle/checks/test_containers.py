"""A container that cannot be used is found before anything is made or submitted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from orchestrator.diagnostics.site_check import check
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.containers import build_documents, check_containers
from orchestrator.lifecycle.launch import launch, plan
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions
from orchestrator.node.worker.probe import observe
from orchestrator.planning.containers import container_order, containers_of, own_containers
from orchestrator.planning.plan import Plan
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


def planned_of(files: tuple[str, str]) -> Plan:
    """Return the plan of a campaign file and a site file."""
    campaign, site = files
    return plan(campaign, PlanOptions(site=site))


def test_a_container_with_the_packages_is_taken(tmp_path: Path, container: dict[str, Any]) -> None:
    check_containers(planned_of(written(tmp_path, container=container, interpreter="/of/no/use")))


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
        launch(files[0], LaunchOptions(site=files[1], ledger=f"sqlite:///{tmp_path}/ledger.sqlite"))
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert not (tmp_path / "ledger.sqlite").exists()
    check_containers(planned_of(written(tmp_path, {"container": "none"}, container=container | change)))


def test_the_file_of_an_image_is_read_before_the_launch(tmp_path: Path, container: dict[str, Any]) -> None:
    build = tmp_path / "Containerfile"
    build.write_text("FROM scratch\n")
    files = written(tmp_path, container=container | {"build_file": "Containerfile"})
    [found] = build_documents(planned_of(files))
    assert (found["build_file"], found["image"], found["text"]) == (
        "Containerfile",
        "train",
        "FROM scratch\n",
    )
    for content, message in ((b"\xff", "cannot be read"), (b"#" * (1 << 21), "is larger than 1 MiB")):
        build.write_bytes(content)
        with pytest.raises(
            CampaignError, match=f"build_file Containerfile of container image train {message}"
        ):
            check_containers(planned_of(files))


def test_a_python_without_the_packages(tmp_path: Path, container: dict[str, Any]) -> None:
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    files = written(tmp_path, container=container | {"python": str(bare)})
    with pytest.raises(CampaignError, match="container image train lacks the packages keras, tensorflow"):
        check_containers(planned_of(files))


def test_another_machines_nodes_may_have_what_this_one_lacks(
    tmp_path: Path, container: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    check_containers(
        planned_of(written(tmp_path, container=container | {"command": "/nowhere/podman"}, **BATCH))
    )
    assert caplog.text == ""
    check_containers(planned_of(written(tmp_path, container=container | {"image": "absent"}, **BATCH)))
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


POOLED = BATCH | {"pools": {"a": {"container": {"image": "of-a"}}, "b": {"container": "none"}, "c": {}}}


def test_a_pool_has_a_container_of_its_own(tmp_path: Path, container: dict[str, Any]) -> None:
    benchmarks = [
        {"name": name, "workload": "lstm", "instances": 1, "timeout": 60, **more}
        for name, more in (
            ("on-a", {"pools": ["a"]}),
            ("on-b", {"pools": ["b"]}),
            ("on-c", {"pools": ["c"]}),
            ("own", {"pools": ["b"], "container": container | {"image": "mine"}}),
            ("too", {"pools": ["b"], "container": container | {"image": "mine"}}),
        )
    ]
    files = written(tmp_path, container=container, **POOLED)
    (tmp_path / "toy.yaml").write_text(
        json.dumps({"campaign": "toy", "class": "optimized", "benchmarks": benchmarks})
    )
    planned = planned_of(files)
    images = {name: one and one.image for (_, name), one in containers_of(planned).items()}
    assert images == {"on-a": "of-a", "on-b": None, "on-c": "train", "own": "mine", "too": "mine"}
    assert {pool: list(one) for pool, one in own_containers(planned).items()} == {"b": ["own, too"]}
    shown = CliRunner().invoke(app, ["site", "check", files[1], "--campaign", files[0], "--json"]).stdout
    found = {one["what"]: one["observed"] for one in json.loads(shown)["findings"]}
    assert "container image of-a cannot be used here" in found["pool a: container"]
    assert "pool b: container" not in found
    assert found["pool c: container"].startswith("podman, train (sha256:")
    assert "container image mine cannot be used here" in found["pool b: container of own, too"]


def test_a_probe_looks_for_the_containers_of_benchmarks(tmp_path: Path, container: dict[str, Any]) -> None:
    orders = {
        name: to_json(
            container_order(Container.model_validate(container | {"image": name, "python": "/bin/false"}))
        )
        for name in ("train", "absent")
    }
    order = {"gpus": None, "working_directory": ".", "environment": {}, "own_containers": orders}
    found = observe(order | {"interpreter": "/bin/false"})["own_containers"]
    assert found["train"]["container"] == f"podman, train (sha256:{'ab' * 32})"
    assert found["train"]["interpreter_error"] == "exit code 1"
    assert "container image absent cannot be used here" in found["absent"]["container_error"]


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
