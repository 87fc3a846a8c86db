"""PBS Professional, OpenPBS and Torque: ``qstat -Q -f``, ``qstat -B -f`` and ``pbsnodes -a``."""

from __future__ import annotations

import re

from orchestrator.schedulers.durations import parse_limit
from orchestrator.schedulers.survey.model import (
    UNITS,
    Queue,
    Survey,
    SurveyCommands,
    SurveyedNode,
    kinds_of,
    whole_number,
)

_SIZE = re.compile(r"(\d+)([kmgt]?)b?", re.IGNORECASE)


def survey(queues: str, nodes: str, server: str) -> Survey:
    """Return what the commands printed; only Torque's nodes have ``np``."""
    default = re.search(r"^\s*default_queue = (\S+)", server, re.MULTILINE)
    listed = _blocks(nodes)
    return Survey(
        "torque" if any("np" in fields for fields in listed.values()) else "pbspro",
        tuple(
            Queue(
                name,
                default is not None and default[1] == name,
                parse_limit(fields.get("resources_max.walltime", "")),
                whole_number(fields.get("resources_max.nodect")),
            )
            for name, fields in _blocks(queues).items()
            if fields.get("enabled") == "True" and fields.get("started") == "True"
        ),
        kinds_of(_node(name, fields) for name, fields in listed.items()),
    )


def _node(name: str, fields: dict[str, str]) -> SurveyedNode:
    status = dict(pair.split("=", 1) for pair in fields.get("status", "").split(",") if "=" in pair)
    cores = fields.get("resources_available.ncpus") or fields.get("np") or fields.get("pcpus")
    gpus = fields.get("resources_available.ngpus") or fields.get("gpus")
    queues = fields.get("resources_available.Qlist") or fields.get("queue") or ""
    return SurveyedNode(
        (name,),
        whole_number(cores) or 1,
        _bytes(fields.get("resources_available.mem") or status.get("physmem", "")),
        whole_number(gpus) or 0,
        queues=tuple(filter(None, map(str.strip, queues.split(",")))),
    )


def _blocks(text: str) -> dict[str, dict[str, str]]:
    """Return blocks of ``key = value`` lines by the line above them; a tab continues the value before it."""
    blocks: dict[str, dict[str, str]] = {}
    fields: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if line.startswith("\t") and last:
            fields[last] += line.strip()
        elif line[:1].isspace() and " = " in line:
            last, _, value = line.strip().partition(" = ")
            fields[last] = value
        elif line and not line[0].isspace():
            fields = blocks.setdefault(line.removeprefix("Queue: ").strip(), {})
            last = ""
    return blocks


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return int(match[1]) * UNITS[match[2].lower()] if match else None


COMMANDS = SurveyCommands(
    {
        "queues": (("qstat", "-Q", "-f"), True),
        "nodes": (("pbsnodes", "-a"), True),
        "server": (("qstat", "-B", "-f"), False),
    },
    survey,
)
