"""Checks that the containers of a plan's trainings start and have the packages, where this can be seen."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.host.containers import (
    ContainerError,
    check_start,
    image_file,
    interpreter_command,
    pinned,
    usable,
)
from orchestrator.host.interpreter import absent_packages
from orchestrator.planning.containers import build_files, containers_of
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import ContainerOrder

_log = logging.getLogger(__name__)
_LARGEST_BUILD_FILE = 1 << 20


def build_documents(plan: Plan) -> list[dict[str, str]]:
    """Return the files that a plan's images were built from, as documents for the ledger.

    Raises
    ------
    CampaignError
        If a file cannot be read, is no text, or is larger than 1 MiB.
    """
    found = []
    for file, image in build_files(plan).items():
        try:
            content = Path(file).read_bytes()
            text = content.decode()
        except (OSError, ValueError) as error:
            raise CampaignError(
                f"build_file {file} of container image {image} cannot be read: {error}; "
                "correct or remove the key"
            ) from None
        if len(content) > _LARGEST_BUILD_FILE:
            raise CampaignError(f"build_file {file} of container image {image} is larger than 1 MiB")
        digest = hashlib.sha256(content).hexdigest()
        found.append({"build_file": file, "image": image, "sha256": digest, "text": text})
    return found


def check_containers(plan: Plan) -> None:
    """Look for runtimes, images and packages of a plan's containers on this host.

    What is missing is an error where instances run on this host. On nodes of a batch system, which may have
    what this host lacks, it is a warning, and a runtime that is not here is none.

    Raises
    ------
    CampaignError
        With a line for each container that cannot be used, or if a build file cannot be read.
    """
    build_documents(plan)
    used: dict[tuple[bool, ContainerOrder], list[str]] = {}  # True: on this very machine
    packages: dict[ContainerOrder, set[str]] = {}
    local_pools = plan.site.local_pools
    planned = {(one.pool, one.name): one for each in plan.benchmarks for one in each.all_places}
    sweeps = {one.name: one.sweep for one in plan.campaign.benchmarks}
    for place, container in containers_of(plan).items():
        if container is None:
            continue
        one = planned[place]
        used.setdefault((one.pool in local_pools, container), []).append(sweeps[one.name] or one.name)
        packages.setdefault(container, set()).update(one.workload.packages(one.parameters, one.shape.ranks))
    declared = {name: os.path.expandvars(value) for name, value in plan.site.environment.items()}
    lines: dict[bool, list[str]] = {True: [], False: []}
    for (runs_here, container), names in used.items():
        if not runs_here and shutil.which(container.command) is None:
            continue
        if problem := _problem(container, packages[container], declared, runs=runs_here):
            benchmarks = ", ".join(dict.fromkeys(names))
            lines[runs_here].append(f"benchmark{'s' if len(set(names)) > 1 else ''} {benchmarks}: {problem}")
    if lines[True]:
        raise CampaignError("\n".join(lines[True]))
    for line in lines[False]:
        _log.warning("%s", line)


def _problem(
    container: ContainerOrder, packages: set[str], declared: Mapping[str, str], *, runs: bool
) -> str | None:
    """Return why a container cannot be used here; `runs` says that its Python is to be asked, too."""
    try:
        found = usable(container)
        if found.runtime == "apptainer":
            image_file(found)  # its digest may take minutes, and a node reads it anyway
        else:
            pinned(found)
        if not runs:
            return None
        check_start(found, declared)
    except ContainerError as error:
        return str(error)
    words, environment = interpreter_command(found, declared)
    if absent := absent_packages(words, sorted(packages), environment):
        return f"container image {container.image} lacks the packages {', '.join(sorted(absent))}"
    return None
