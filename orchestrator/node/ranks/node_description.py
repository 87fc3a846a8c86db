"""Describe this node once a session, in files of the run directory that the driver reads."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.host.atomic_files import atomic_write
from orchestrator.host.installed_packages import installed_packages
from orchestrator.host.system_facts import describe_node
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.layout import RunDirectory
from orchestrator.version import package_keys

_log = logging.getLogger(__name__)


def describe_once(order: AttemptOrder, environment: Mapping[str, str] = os.environ) -> None:
    """Write the description of this node, unless a process of the session has begun to; never raise.

    It takes some seconds, before the node's first attempt begins, so that it disturbs no timed run.
    """
    file = RunDirectory(Path(order.directory)).node_description(order.session, node_name())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file.with_suffix(".begun"), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
    except OSError:  # another worker describes the node, or the run directory cannot be written
        return
    try:
        training = {**environment, **order.environment}
        facts = describe_node(environment=training) | {"project": package_keys()}
        if order.container is None:  # else its image's digest stands for them
            facts |= installed_packages(order.interpreter, training)
        atomic_write(file, json.dumps(facts, sort_keys=True))
    except Exception as error:  # noqa: BLE001  an attempt must not fail for its node's description
        _log.warning("node %s is not described: %s", node_name(), error)
