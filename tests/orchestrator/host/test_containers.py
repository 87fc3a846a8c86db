"""The words that start containers, what they get of the environment, and the digests of images."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from orchestrator.host.containers import (
    Bind,
    ContainerError,
    check_start,
    client_environment,
    container_command,
    is_path_of_the_node,
    pinned,
    removal_command,
    sarus_digest,
    usable,
)
from orchestrator.protocol.order import ContainerOrder
from tests.containers.stand_in import install

DIGEST = hashlib.sha256(b"an image").hexdigest()
BINDS = (Bind("/work", "/work"), Bind("/code/workloads", "/code/workloads", read_only=True))


def words(runtime: str, gpus: str | None = None, **changes: object) -> list[str]:
    container = ContainerOrder(
        **{"runtime": runtime, "image": "img", "command": runtime, "bind": ("/data:/d:ro",), **changes}  # type: ignore[arg-type]
    )
    return container_command(
        container,
        ["python3", "-m", "x"],
        name="n1",
        directory="/work",
        binds=BINDS,
        variables=["B", "A"],
        gpus=gpus,
    )


def test_the_words_of_apptainer() -> None:
    assert words("apptainer", "nvidia", options=("--fakeroot",)) == [
        "apptainer", "exec", "--cleanenv", "--no-eval", "--nv", "--pwd=/work", "--bind=/work:/work",
        "--bind=/code/workloads:/code/workloads:ro", "--bind=/data:/d:ro", "--fakeroot", "img",
        "python3", "-m", "x",
    ]  # fmt: skip
    assert "--rocm" in words("apptainer", "amd")


def test_the_words_of_podman() -> None:
    assert words("podman", options=("--shm-size=1g",)) == [
        "podman", "run", "--entrypoint=python3", "--workdir=/work", "--env=A", "--env=B", "--rm",
        "--interactive", "--pull=never", "--log-driver=none", "--name=n1", "--network=host", "--pid=host",
        "--ipc=host", "--user=0:0", "--security-opt=label=disable", "--volume=/work:/work",
        "--volume=/code/workloads:/code/workloads:ro", "--volume=/data:/d:ro", "--shm-size=1g", "img",
        "-m", "x",
    ]  # fmt: skip
    assert "--device=nvidia.com/gpu=all" in words("podman", "nvidia")
    assert {"--device=/dev/kfd", "--group-add=keep-groups"} <= set(words("podman", "amd"))


def test_the_words_of_sarus_and_shifter() -> None:
    assert words("sarus") == [
        "sarus", "run", "--entrypoint=python3", "--workdir=/work", "--env=A", "--env=B",
        "--mount=type=bind,source=/work,destination=/work",
        "--mount=type=bind,source=/code/workloads,destination=/code/workloads,readonly",
        "--mount=type=bind,source=/data,destination=/d,readonly", "img", "-m", "x",
    ]  # fmt: skip
    assert words("shifter", "nvidia", options=("--module=gpu",)) == [
        "shifter", "--image=img", "--workdir=/work", "--volume=/data:/d:ro", "--module=gpu", "python3",
        "-m", "x",
    ]  # fmt: skip


def test_a_bind_has_the_variables_of_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRATCH", "/lustre/me")
    assert Bind.parse("$SCRATCH/a") == Bind("/lustre/me/a", "/lustre/me/a")
    assert Bind.parse("$SCRATCH:/s") == Bind("/lustre/me", "/s")


def test_each_runtime_gets_the_declared_variables_its_own_way() -> None:
    own = {"PATH": "/bin", "HOME": "/home/me", "OTHER": "1"}
    declared = {"OMP_NUM_THREADS": "4", "HOME": "/home/me", "PYTHONPATH": "/p"}

    def given(runtime: str, command: str = "") -> dict[str, str]:
        return client_environment(ContainerOrder(runtime, "img", command or runtime), declared, own)

    apptainer = given("apptainer")
    assert apptainer["APPTAINERENV_PYTHONPATH"] == "/p"
    assert "PYTHONPATH" not in apptainer
    assert "APPTAINERENV_HOME" not in apptainer, "which Apptainer refuses"
    assert given("apptainer", "/usr/bin/singularity")["SINGULARITYENV_OMP_NUM_THREADS"] == "4"
    assert given("podman") == {**own, **declared}
    assert given("sarus") == given("shifter") == {"PATH": "/bin", **declared}


def test_paths_of_the_nodes_software_stay_outside() -> None:
    assert all(
        map(is_path_of_the_node, ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "CONDA_PREFIX", "MODULEPATH"])
    )
    assert not any(
        map(is_path_of_the_node, ["OMP_NUM_THREADS", "HOME", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID"])
    )


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    return install(tmp_path / "bin", {"train": DIGEST})


def found(commands: Path, runtime: str, image: str = "train") -> tuple[ContainerOrder, str]:
    return pinned(usable(ContainerOrder(runtime, image, str(commands / runtime))))


def test_images_are_named_by_their_digests(commands: Path, tmp_path: Path) -> None:
    (tmp_path / "train.sif").write_bytes(b"an image")
    digest = f"sha256:{DIGEST}"
    assert found(commands, "apptainer", str(tmp_path / "train.sif"))[1] == digest
    podman, of_podman = found(commands, "podman")
    shifter, of_shifter = found(commands, "shifter")
    assert (of_podman, of_shifter, found(commands, "sarus")[1]) == (digest, digest, digest)
    assert (podman.image, shifter.image) == (DIGEST, f"id:{DIGEST}")
    assert (removal_command(podman, "n") or [])[1:] == ["rm", "--force", "--ignore", "n"]
    assert removal_command(shifter, "n") is None


@pytest.mark.parametrize(
    ("runtime", "image", "message"),
    [
        (
            "podman",
            "absent",
            "absent cannot be used here: podman ended with exit code 125: podman: absent: image",
        ),
        ("sarus", "absent", "it is not in `sarus images --digests`; get it with `sarus pull absent`"),
        (
            "shifter",
            "absent",
            "shifterimg ended with exit code 1: shifter: absent: image not known; get it with",
        ),
        ("apptainer", "/nowhere/a.sif", "container image /nowhere/a.sif is no file here"),
        ("apptainer", "/", "container image / is a directory here"),
        ("apptainer", "docker://python:3.11", "is no file here; pull it as a .sif file"),
    ],
)
def test_what_cannot_be_used_is_named(runtime: str, image: str, message: str, commands: Path) -> None:
    with pytest.raises(ContainerError) as caught:
        found(commands, runtime, image)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_runtime_that_prints_no_digest(tmp_path: Path) -> None:
    odd = tmp_path / "podman"
    odd.write_text("#!/bin/sh\necho 'WARN\x1b[31m odd'\n")
    odd.chmod(0o755)
    with pytest.raises(ContainerError, match="no digest"):
        pinned(ContainerOrder("podman", "train", str(odd)))


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / "a.sif"
    image.write_bytes(b"x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ContainerError, match=r"a\.sif cannot be read: Permission denied"):
        pinned(ContainerOrder("apptainer", str(image), "apptainer"))


def test_a_python_that_does_not_start(commands: Path) -> None:
    container = usable(ContainerOrder("podman", "train", str(commands / "podman"), python="python9"))
    with pytest.raises(
        ContainerError, match=r"python9 does not start in a container of image train: .*found"
    ):
        check_start(container, {})
    check_start(usable(ContainerOrder("podman", "train", str(commands / "podman"))), dict(os.environ))


LISTING = """REPOSITORY        TAG      DIGEST          IMAGE ID       CREATED               SIZE      SERVER
alpine            latest   sha256:{a}   e3671980822d   2022-03-25T13:17:13   2.61MB    docker.io
ubuntu            <none>   sha256:{b}   4f4768f23ea4   2022-03-25T13:21:40   26.41MB   docker.io
me/train          v2       <none>          4f4768f23ea4   2022-03-25T13:21:40   26.41MB   quay.io
""".format(a="a" * 64, b="b" * 64)


@pytest.mark.parametrize(
    ("image", "digest"),
    [
        ("alpine", "sha256:" + "a" * 64),
        ("docker.io/library/alpine:latest", "sha256:" + "a" * 64),
        ("alpine:3.15", None),
        ("ubuntu", None),
        ("ubuntu@sha256:" + "b" * 64, "sha256:" + "b" * 64),
        ("quay.io/me/train:v2", None),
        ("", None),
    ],
)
def test_digests_in_the_list_of_sarus(image: str, digest: str | None) -> None:
    assert sarus_digest(LISTING, image) == digest
    assert sarus_digest("", image) is None
