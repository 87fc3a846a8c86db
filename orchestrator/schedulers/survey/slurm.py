"""Slurm: ``scontrol show partition`` and ``scontrol show node``, as of 22.05 and newer."""

from __future__ import annotations

import re

from orchestrator.schedulers.durations import parse_limit
from orchestrator.schedulers.survey.model import (
    Queue,
    Survey,
    SurveyCommands,
    SurveyedNode,
    kinds_of,
    whole_number,
)

_KEY = re.compile(r"(?:^| )([A-Za-z][\w/:]*)=")
_GPU = re.compile(r"(?:^|,)gpu(?::([^:(,]+(?=:)))?:(\d+)")
_MEBIBYTE = 2**20


def survey(partitions: str, nodes: str) -> Survey:
    """Return what the two commands printed."""
    queues = [
        Queue(
            one["PartitionName"],
            one.get("Default") == "YES",
            parse_limit(one.get("MaxTime", "")),
            whole_number(one.get("MaxNodes")),
        )
        for one in map(_fields, partitions.splitlines())
        if "PartitionName" in one and one.get("State", "UP") == "UP"
    ]
    found = [_node(one) for one in map(_fields, nodes.splitlines()) if "NodeName" in one]
    return Survey("slurm", tuple(queues), kinds_of(found))


def _node(fields: dict[str, str]) -> SurveyedNode:
    gpus = _GPU.findall(fields.get("Gres", ""))
    memory = whole_number(fields.get("RealMemory"))
    reserved = whole_number(fields.get("MemSpecLimit")) or 0
    return SurveyedNode(
        tuple(dict.fromkeys((fields["NodeName"], fields.get("NodeHostName", fields["NodeName"])))),
        whole_number(fields.get("CPUTot")) or 1,
        None if memory is None else (memory - reserved) * _MEBIBYTE,
        sum(int(count) for _, count in gpus),
        ", ".join(dict.fromkeys(kind for kind, _ in gpus if kind)),
        tuple(filter(None, fields.get("Partitions", "").split(","))),
    )


def _fields(line: str) -> dict[str, str]:
    """Return the ``Key=value`` pairs of a line; of a key that occurs twice, as in a comment, the first."""
    words = _KEY.split(line.strip())
    fields: dict[str, str] = {}
    for key, value in zip(words[1::2], words[2::2], strict=True):
        fields.setdefault(key, value.strip())
    return fields


COMMANDS = SurveyCommands(
    {
        "partitions": (("scontrol", "show", "partition", "--oneliner"), True),
        "nodes": (("scontrol", "show", "node", "--oneliner"), True),
    },
    survey,
)
