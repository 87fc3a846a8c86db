"""Flux: ``flux queue list`` and ``flux resource list``, as of flux-core 0.60 and newer."""

from __future__ import annotations

import re

from orchestrator.schedulers.survey.model import (
    Queue,
    Survey,
    SurveyCommands,
    SurveyedNode,
    kinds_of,
    whole_number,
)

_QUEUES = "{queuem}|{limits.timelimit!F}|{limits.max.nnodes}"
_NODES = "{queue}|{propertiesx}|{nnodes}|{ncores}|{ngpus}|{nodelist}"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def survey(queues: str, nodes: str) -> Survey:
    """Return what the two commands printed; Flux counts cores, not threads, and states no memory."""
    found = []
    for line in nodes.splitlines():
        words = line.split("|")
        if len(words) == 6 and (count := whole_number(words[2].strip())):
            cores, gpus = whole_number(words[3].strip()) or 0, whole_number(words[4].strip()) or 0
            found.append(
                SurveyedNode(
                    _hosts(words[5].strip()),
                    max(cores // count, 1),
                    None,
                    gpus // count,
                    queues=tuple(filter(None, words[0].strip().split(","))),
                    count=count,
                )
            )
    return Survey(
        "flux", tuple(_queue(line) for line in queues.splitlines() if _names_queue(line)), kinds_of(found)
    )


def _names_queue(line: str) -> bool:
    return line.count("|") == 2 and not line.startswith("|")  # an instance without queues has one of no name


def _queue(line: str) -> Queue:
    name, limit, most = (word.strip() for word in line.split("|"))
    duration = _DURATION.fullmatch(limit)
    return Queue(
        name.removesuffix("*"),
        name.endswith("*"),
        float(duration[1]) * _SECONDS[duration[2]] if duration else None,
        whole_number(most),
    )


def _hosts(nodelist: str) -> tuple[str, ...]:
    """Return host names of a list such as ``tuo[1001-1004,1010],x``."""
    hosts: list[str] = []
    for prefix, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", nodelist):
        for part in inside.split(",") if inside else [""]:
            first, dash, last = part.partition("-")
            if not dash or not (first.isdecimal() and last.isdecimal()):
                hosts.append(prefix + part)
            else:
                width = len(first)
                hosts += [f"{prefix}{number:0{width}d}" for number in range(int(first), int(last) + 1)]
    return tuple(hosts)


COMMANDS = SurveyCommands(
    {
        "queues": (("flux", "queue", "list", "--no-header", f"--format={_QUEUES}"), True),
        "nodes": (("flux", "resource", "list", "--no-header", "--states=all", f"--format={_NODES}"), True),
    },
    survey,
)
