"""Commands of container runtimes, and the digests of their images.

Options are those of the runtimes' documentation: apptainer.org/docs, docs.podman.io, sarus.readthedocs.io and
github.com/NERSC/shifter. A container shares the node's network, process numbers and shared memory.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.protocol.order import ContainerOrder

_QUESTION_SECONDS = 60.0
_HEXADECIMAL = re.compile(r"(sha256:)?[0-9a-f]{12,64}")
# Paths of the node that name other files in a container, or none.
_PATHS_OF_THE_NODE = re.compile(
    r"PATH|LD_LIBRARY_PATH|LD_PRELOAD|PYTHON(PATH|HOME|USERBASE|EXECUTABLE)|VIRTUAL_ENV|SHELL"
    r"|(CONDA|SPACK|LMOD|MODULE|_LMFILES|LOADEDMODULES|APPTAINER|SINGULARITY|SHIFTER).*"
)
# Descriptors beside the standard ones: podman passes those from 3 on only, sarus closes them.
_PASSES_DESCRIPTORS = {"apptainer": True, "podman": False, "sarus": False, "shifter": True}
_AMD_DEVICES = ("--device=/dev/kfd", "--device=/dev/dri")
_GPU_OPTIONS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("apptainer", "nvidia"): ("--nv",),
    ("apptainer", "amd"): ("--rocm",),
    ("podman", "nvidia"): ("--device=nvidia.com/gpu=all",),
    ("podman", "amd"): (*_AMD_DEVICES, "--group-add=keep-groups"),
    ("podman", "intel"): ("--device=/dev/dri", "--group-add=keep-groups"),
    ("sarus", "amd"): _AMD_DEVICES,
    ("sarus", "intel"): ("--device=/dev/dri",),
}


class ContainerError(OSError):
    """A runtime or an image that is missing or cannot be used."""


@dataclass(frozen=True, slots=True)
class Bind:
    """A path of the node that a container has."""

    source: str
    target: str
    read_only: bool = False

    @classmethod
    def parse(cls, text: str) -> Bind:
        """Return what ``SOURCE[:TARGET[:ro]]`` says; variables are the node's."""
        source, _, rest = os.path.expandvars(text).partition(":")
        target, _, mode = rest.partition(":")
        return cls(source, target or source, mode == "ro")

    def __str__(self) -> str:
        return f"{self.source}:{self.target}" + (":ro" if self.read_only else "")


def passes_descriptors(runtime: str) -> bool:
    """Return whether a process in a container has the descriptors that its runtime was started with."""
    return _PASSES_DESCRIPTORS[runtime]


def is_path_of_the_node(name: str) -> bool:
    """Return whether a variable holds paths of the node's own software, which a container must not get."""
    return _PATHS_OF_THE_NODE.fullmatch(name) is not None


def container_command(
    container: ContainerOrder,
    command: Sequence[str],
    *,
    name: str,
    directory: str,
    binds: Iterable[Bind] = (),
    variables: Iterable[str] = (),
    gpus: str | None = None,
) -> list[str]:
    """Return the words that run a command in a container.

    Parameters
    ----------
    name
        Of the container, where the runtime gives it one.
    variables
        Names of environment variables that the command gets; see `client_environment`.
    gpus
        Vendor of the GPUs that it uses; None for none.
    """
    bound = list(dict.fromkeys([*binds, *map(Bind.parse, container.bind)]))
    devices = _GPU_OPTIONS.get((container.runtime, gpus or ""), ())
    words = [container.command]
    if container.runtime == "apptainer":
        words += ["exec", "--cleanenv", "--no-eval", *devices, f"--pwd={directory}"]
        words += [f"--bind={one}" for one in bound]
        return [*words, *container.options, container.image, *command]
    if container.runtime == "shifter":
        words += [f"--image={container.image}", f"--workdir={directory}"]
        # A site mounts its file systems itself, and shifter refuses to mount over them.
        words += [f"--volume={Bind.parse(one)}" for one in container.bind]
        return [*words, *container.options, *command]
    words += ["run", f"--entrypoint={command[0]}", f"--workdir={directory}"]
    words += [f"--env={variable}" for variable in sorted(variables)]
    if container.runtime == "podman":
        words += ["--rm", "--interactive", "--pull=never", "--log-driver=none", f"--name={name}"]
        words += ["--network=host", "--pid=host", "--ipc=host", "--user=0:0", "--security-opt=label=disable"]
        words += [f"--volume={one}" for one in bound]
    else:
        words += [
            f"--mount=type=bind,source={one.source},destination={one.target}{',readonly' * one.read_only}"
            for one in bound
        ]
    return [*words, *devices, *container.options, container.image, *command[1:]]


def client_environment(
    container: ContainerOrder, declared: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of the runtime's command.

    Parameters
    ----------
    declared
        Variables for the process in the container.
    own
        Variables of this process, by which the command finds its own files.
    """
    if container.runtime == "apptainer":
        prefix = "SINGULARITY" if Path(container.command).name.startswith("singularity") else "APPTAINER"
        passed = {f"{prefix}ENV_{name}": value for name, value in declared.items() if name != "HOME"}
        return {
            **own,
            **{name: declared[name] for name in declared if not is_path_of_the_node(name)},
            **passed,
        }
    if container.runtime == "podman":
        return {**own, **declared, "PATH": own.get("PATH", os.defpath)}
    return {"PATH": own.get("PATH", os.defpath), **declared}  # they pass on all that they have


def interpreter_command(
    container: ContainerOrder, declared: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """Return the words that start a container's Python, and the environment of their process.

    Parameters
    ----------
    container
        From `usable`.
    """
    name = f"orchestrator-check-{os.getpid()}"
    words = container_command(container, [container.python], name=name, directory="/", variables=declared)
    return words, client_environment(container, declared, os.environ)


def check_start(container: ContainerOrder, declared: Mapping[str, str]) -> None:
    """Start a container's Python once; raises `ContainerError` with what was printed if it does not start."""
    words, environment = interpreter_command(container, declared)
    try:
        _answer(container, [*words, "-c", ""], environment)
    except ContainerError as error:
        raise ContainerError(
            f"{container.python} does not start in a container of image {container.image}: {error}; "
            "container.python and container.options say how it is started"
        ) from None


def removal_command(container: ContainerOrder, name: str) -> list[str] | None:
    """Return the words that remove what a killed container left; None where that is nothing."""
    return [container.command, "rm", "--force", "--ignore", name] if container.runtime == "podman" else None


def usable(container: ContainerOrder) -> ContainerOrder:
    """Return a container with its command's path, and variables in its image's name expanded.

    Raises
    ------
    ContainerError
        If this node has no such command.
    """
    found = shutil.which(container.command)
    if found is None:
        raise ContainerError(
            f"no command {container.command} of container runtime {container.runtime} here; write the right "
            "one as container.command, or load its module in the site's prologue"
        )
    return replace(container, command=found, image=os.path.expandvars(container.image))


def pinned(container: ContainerOrder) -> tuple[ContainerOrder, str]:
    """Return a container that is started by its image's digest where that can be, and the digest.

    Parameters
    ----------
    container
        From `usable`.

    Raises
    ------
    ContainerError
        If there is no such image, or the runtime does not name its digest.
    """
    if container.runtime == "apptainer":
        return container, file_digest(image_file(container))
    if container.runtime == "podman":
        # The hash of the configuration, which names the layers: the same however a node got the image.
        words = [container.command, "image", "inspect", "--format={{.Id}}", container.image]
        digest = _digest(container, words, f"{container.command} pull {container.image}")
        return replace(container, image=digest.removeprefix("sha256:")), digest
    if container.runtime == "shifter":
        words = [str(Path(container.command).with_name("shifterimg")), "lookup", container.image]
        digest = _digest(container, words, f"shifterimg pull {container.image}")
        return replace(container, image=f"id:{digest.removeprefix('sha256:')}"), digest
    words = [container.command, "images", "--digests"]
    if (found := sarus_digest(_answer(container, words), container.image)) is None:
        raise _absent(container, f"sarus pull {container.image}", "it is not in `sarus images --digests`")
    return container, found


def image_file(container: ContainerOrder) -> Path:
    """Return the file that is an image of apptainer; raises `ContainerError` if it is none."""
    file = Path(container.image)
    if not file.is_file():
        what = "is a directory" if file.is_dir() else "is no file"
        raise ContainerError(
            f"container image {container.image} {what} here; pull it as a .sif file that every node sees"
        )
    return file


def file_digest(file: Path) -> str:
    """Return the SHA-256 of a file; raises `ContainerError` if it cannot be read."""
    try:
        with file.open("rb") as stream:
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
    except OSError as error:
        raise ContainerError(
            f"container image {file} cannot be read: {error.strerror}; every node must be able to read it"
        ) from None


def sarus_digest(listing: str, image: str) -> str | None:
    """Return the digest of an image in the answer of ``sarus images --digests``; None if it is not listed."""
    name, _, wanted = image.partition("@")
    last = name.rpartition("/")[2]
    tag = last.partition(":")[2] or "latest"
    repository = name[: len(name) - len(last)] + last.partition(":")[0]
    for line in listing.splitlines()[1:]:
        columns = line.split()
        if len(columns) < 4:
            continue
        full = f"{columns[-1]}/{columns[0]}"
        same = repository in (columns[0], full) or f"{columns[-1]}/library/{columns[0]}" == repository
        if same and (columns[2] == wanted if wanted else columns[1] == tag):
            return columns[2] if _HEXADECIMAL.fullmatch(columns[2]) else None
    return None


def _digest(container: ContainerOrder, words: Sequence[str], remedy: str) -> str:
    try:
        lines = _answer(container, words).split()
    except ContainerError as error:
        raise _absent(container, remedy, str(error)) from None
    found = lines[-1] if lines else ""
    if not _HEXADECIMAL.fullmatch(found):
        raise _absent(container, remedy, f"`{' '.join(words)}` printed {found[:80]!r}, no digest")
    return found if found.startswith("sha256:") else f"sha256:{found}"


def _answer(
    container: ContainerOrder, words: Sequence[str], environment: Mapping[str, str] | None = None
) -> str:
    try:
        done = subprocess.run(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_QUESTION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ContainerError(f"{container.runtime} does not answer: {error}") from None
    if done.returncode:
        printed = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it printed nothing"]
        raise ContainerError(
            f"{Path(words[0]).name} ended with exit code {done.returncode}: {printed[0][:300]}"
        )
    return done.stdout.decode(errors="replace")


def _absent(container: ContainerOrder, remedy: str, why: str) -> ContainerError:
    return ContainerError(
        f"container image {container.image} cannot be used here: {why}; get it with `{remedy}`, and correct "
        "container.image if its name is another"
    )
