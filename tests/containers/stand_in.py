"""Container runtimes as far as processes see them: ``python stand_in.py RUNTIME IMAGE=DIGEST... -- WORDS``.

Each takes the options of its documentation and refuses others. The command gets the environment, descriptors
and parent that the runtime gives it, and the node's own files: nothing is mounted.

- Apptainer, https://apptainer.org/docs/user/1.2/cli/apptainer_exec.html: replaces itself; ``--cleanenv``
  passes on ``APPTAINERENV_`` variables alone.
- Podman, https://docs.podman.io/en/v4.3/markdown/podman-run.1.html: a process that is no child of the client,
  in a session of its own, outlives the client; the client passes SIGTERM on, and exits with 128 + signal.
- Sarus, https://sarus.readthedocs.io/en/stable/user/user_guide.html: a child, all descriptors but the
  standard ones closed.
- Shifter, https://github.com/NERSC/shifter (src/shifter.c): replaces itself and passes everything on.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

FAILED = {"apptainer": 255, "podman": 125, "sarus": 1, "shifter": 1}
IDS = "0123456789abcdef"


class Parser(argparse.ArgumentParser):
    """Exits with the runtime's own code."""

    def __init__(self, runtime: str) -> None:
        super().__init__(runtime, add_help=False, allow_abbrev=False)
        self.runtime = runtime

    def error(self, message: str) -> NoReturn:
        """Print what is wrong."""
        fail(self.runtime, message)


def fail(runtime: str, message: str) -> NoReturn:
    print(f"{runtime}: {message}", file=sys.stderr)
    raise SystemExit(FAILED[runtime])


def take(
    parser: Parser, words: Sequence[str], flags: str, values: str, image: bool = True
) -> argparse.Namespace:
    """Return the options before the first other word, and the words from there as ``rest``."""
    for flag in flags.split():
        parser.add_argument(flag, action="store_true")
    for value in values.split():
        parser.add_argument(value, action="append", default=[])
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    found = parser.parse_args(words)
    if image and not found.rest:
        parser.error("no image")
    return found


def paths(runtime: str, binds: Sequence[str]) -> None:
    """Refuse what cannot be mounted."""
    for one in binds:
        source, _, rest = one.partition(":")
        target, _, mode = rest.partition(":")
        if (
            not Path(source).exists()
            or not Path(target or source).is_absolute()
            or mode not in ("", "ro", "rw")
        ):
            fail(runtime, f"cannot mount {one}")


def close_descriptors() -> None:
    """Close all but the standard descriptors."""
    os.closerange(3, 256)


def run(command: Sequence[str], environment: dict[str, str], directory: str) -> NoReturn:
    """Become the command."""
    os.chdir(directory)
    found = shutil.which(command[0], path=environment.get("PATH", os.defpath))
    if found is None:
        print(f"{command[0]}: not found in the container", file=sys.stderr)
        os._exit(127)
    os.execve(found, command, environment)


def exit_as(status: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    os._exit(128 - code if code < 0 else code)


def apptainer(words: list[str], known: Callable[[str], str]) -> None:
    if words[:1] != ["exec"]:
        fail("apptainer", f"no such command: {words}")
    found = take(Parser("apptainer"), words[1:], "--cleanenv --no-eval --nv --rocm", "--bind --pwd")
    image, *command = found.rest
    if not Path(image).is_file():
        fail("apptainer", f"could not open image {image}")
    paths("apptainer", found.bind)
    prefix = "APPTAINERENV_"
    passed = {name.removeprefix(prefix): os.environ[name] for name in os.environ if name.startswith(prefix)}
    names = ("HOME", "TERM") if found.cleanenv else tuple(os.environ)
    kept = {name: os.environ[name] for name in names if name in os.environ}
    run(command, {"PATH": os.defpath, **kept, **passed, "APPTAINER_CONTAINER": image}, found.pwd[0])


def podman(words: list[str], known: Callable[[str], str]) -> None:
    if words[:2] == ["image", "inspect"]:
        if words[2] != "--format={{.Id}}":
            fail("podman", f"unknown format {words[2]}")
        print(known(words[3]))
        return
    if words[:1] == ["rm"]:
        take(Parser("podman"), words[1:], "--force --ignore", "")
        return
    if words[:1] != ["run"]:
        fail("podman", f"unknown command {words}")
    values = "--entrypoint --workdir --env --pull --log-driver --name --network --pid --ipc --user"
    found = take(
        Parser("podman"),
        words[1:],
        "--rm --interactive",
        f"{values} --security-opt --volume --device --group-add --ulimit",
    )
    known(found.rest[0])
    paths("podman", found.volume)
    environment = {name: os.environ[name] for name in found.env if name in os.environ}
    environment = {"PATH": os.defpath, "container": "podman", **environment}
    reader, writer = os.pipe()
    if os.fork() == 0:  # the monitor, once its parent has ended
        if os.fork():
            os._exit(0)
        os.setsid()
        child = os.fork()
        if child == 0:
            if not found.interactive:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            close_descriptors()
            run([*found.entrypoint, *found.rest[1:]], environment, found.workdir[0])
        os.close(reader)
        os.write(writer, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(BrokenPipeError):  # the command was killed meanwhile
            os.write(writer, f"{status}\n".encode())
        os._exit(0)
    os.close(writer)
    os.wait()
    with open(reader, encoding="ascii") as monitor:
        child = int(monitor.readline())
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
        exit_as(int(monitor.readline()))


def sarus(words: list[str], known: Callable[[str], str]) -> None:
    if words == ["images", "--digests"]:
        print("REPOSITORY   TAG   DIGEST   IMAGE ID   CREATED   SIZE   SERVER")
        for name in os.environ["STAND_IN_IMAGES"].split():
            image, _, digest = name.partition("=")
            print(f"{image}  latest  sha256:{digest}  {digest[:12]}  2026-01-01T00:00:00  1.0MB  docker.io")
        return
    if words[:1] != ["run"]:
        fail("sarus", f"unknown command {words}")
    found = take(Parser("sarus"), words[1:], "", "--entrypoint --workdir --env --mount --device")
    known(found.rest[0])
    for one in found.mount:
        parts = dict(part.partition("=")[::2] for part in one.split(","))
        if parts.pop("type") != "bind" or set(parts) - {"source", "destination", "readonly"}:
            fail("sarus", f"bad mount {one}")
        paths("sarus", [f"{parts['source']}:{parts['destination']}"])
    if not {name.partition("=")[0] for name in found.env} <= set(os.environ):
        fail("sarus", "a variable is not set")
    child = os.fork()
    if child == 0:
        close_descriptors()
        run([*found.entrypoint, *found.rest[1:]], dict(os.environ), found.workdir[0])
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    exit_as(os.waitpid(child, 0)[1])


def shifter(words: list[str], known: Callable[[str], str]) -> None:
    found = take(Parser("shifter"), words, "", "--image --volume --workdir --env --module", image=False)
    kind, _, name = found.image[0].rpartition(":")
    if kind != "id" or not set(name) <= set(IDS):
        known(found.image[0])
    paths("shifter", found.volume)
    run(found.rest, dict(os.environ), found.workdir[0])


def shifterimg(words: list[str], known: Callable[[str], str]) -> None:
    if words[:1] != ["lookup"]:
        fail("shifter", f"unknown command {words}")
    print(known(words[1]))


def install(folder: Path, images: dict[str, str]) -> Path:
    """Write the commands of all runtimes into a folder, which also gets their state, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    known = " ".join(f"{name}={digest}" for name, digest in images.items())
    for name in COMMANDS:
        file = folder / name
        file.write_text(
            f"#!/bin/sh\nexport STAND_IN={folder} STAND_IN_IMAGES='{known}'\n"
            f'exec {sys.executable} -S {Path(__file__).absolute()} {name} "$@"\n'
        )
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return folder


COMMANDS = {one.__name__: one for one in (apptainer, podman, sarus, shifter, shifterimg)}


def main() -> None:
    runtime, *words = sys.argv[1:]
    images = dict(one.split("=", 1) for one in os.environ["STAND_IN_IMAGES"].split())

    def known(name: str) -> str:
        if name.removeprefix("sha256:") in images.values():
            return name
        if name not in images:
            fail("shifter" if runtime == "shifterimg" else runtime, f"{name}: image not known")
        return images[name]

    COMMANDS[runtime](words, known)


if __name__ == "__main__":
    main()
