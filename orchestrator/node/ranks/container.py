"""Start a rank in a container: what it has of the node, and how it reports."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from orchestrator.host.containers import (
    Bind,
    ContainerError,
    client_environment,
    container_command,
    passes_descriptors,
    removal_command,
)
from orchestrator.node.ranks.environment import path_on_node
from orchestrator.node.ranks.packages import WORKLOADS, link_workloads
from orchestrator.protocol.order import AttemptOrder, ContainerOrder
from orchestrator.rundir.layout import RunDirectory

PROGRAM = "workloads.run"
_REMOVAL_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class RankContainer:
    """Command that starts a rank in a container.

    Parameters
    ----------
    command, environment
        Words and variables of the runtime's command.
    name
        Of the container, where the runtime gives it one.
    """

    container: ContainerOrder
    command: list[str]
    environment: dict[str, str]
    name: str

    @property
    def has_descriptors(self) -> bool:
        """True if the rank gets the descriptors that the command was started with."""
        return passes_descriptors(self.container.runtime)

    @property
    def is_child(self) -> bool:
        """True if the rank's own exit status and resource usage are those of the command."""
        return self.container.runtime in ("apptainer", "shifter")

    def remove(self) -> None:
        """Remove what the runtime still knows of a container whose processes were killed."""
        words = removal_command(self.container, self.name)
        if words is not None:
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run(
                    words,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=_REMOVAL_SECONDS,
                    check=False,
                )


def rank_container(
    order: AttemptOrder, rank: int | str, variables: Mapping[str, str], program: str = PROGRAM
) -> RankContainer | None:
    """Return how a rank is started in its order's container; None if it runs in none.

    Parameters
    ----------
    rank
        Its number, or another name of a process that is started like a rank.
    program
        Module that it runs.
    """
    container = order.container
    if container is None:
        return None
    packages = link_workloads(RunDirectory(Path(order.directory)))
    path = os.pathsep.join(filter(None, [str(packages), order.environment.get("PYTHONPATH")]))
    declared = {**variables, "PYTHONPATH": path, "PYTHONNOUSERSITE": "1"}
    name = f"orchestrator-{order.token}-{rank}"
    gpus = order.gpus.vendor if order.gpus is not None and order.gpu_share != "0" else None
    command = container_command(
        container,
        [container.python, "-m", program],
        name=name,
        directory=order.working_directory,
        binds=_binds(order),
        variables=declared,
        gpus=gpus,
    )
    environment = client_environment(container, declared, os.environ)
    return RankContainer(container, command, environment, name)


def _binds(order: AttemptOrder) -> list[Bind]:
    """Return the paths of the node that a training uses, each at its place; refuse what no option names."""
    cache, stage = path_on_node(order.cache), order.cache_stage and path_on_node(order.cache_stage)
    Path(cache).mkdir(parents=True, exist_ok=True)
    paths = [order.working_directory, order.directory, order.data or "/", cache, tempfile.gettempdir()]
    if stage and "$" not in stage:  # a variable without a value on this node: no copies are made
        with suppress(OSError):  # without it, the shared cache is used
            Path(stage).mkdir(parents=True, exist_ok=True)
        paths.append(stage)
    binds = {path: Bind(path, path) for path in paths if path != "/" and Path(path).exists()}
    if odd := [path for path in (*binds, str(WORKLOADS)) if {":", ","} & set(path)]:
        raise ContainerError(
            f"{odd[0]} cannot be bound into a container, as its name has a colon or a comma; use another path"
        )
    return [*binds.values(), Bind(str(WORKLOADS), str(WORKLOADS), read_only=True)]
