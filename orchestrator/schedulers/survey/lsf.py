"""LSF 10.1: ``bqueues -l``, ``lshosts -w`` and ``lshosts -gpu -w``."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from orchestrator.schedulers.survey.model import (
    UNITS,
    Queue,
    Survey,
    SurveyCommands,
    SurveyedNode,
    kinds_of,
    whole_number,
)

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)(?: (min|[KMGTP]))?(?: of \S+)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([KMGT])")


def survey(queues: str, hosts: str, gpus: str) -> Survey:
    """Return what the commands printed; a host's GPUs are lines of which only the first names it."""
    kinds: dict[str, list[str]] = {}
    host = ""
    for line in gpus.splitlines():
        words = line.split()
        if not words or words[0] == "HOST_NAME":
            continue
        if not line[0].isspace():
            host, *words = words
        if len(words) > 1 and words[0].isdecimal():
            kinds.setdefault(host, []).append(words[1])
    return Survey(
        "lsf",
        tuple(map(_queue, re.split(r"^-{10,}$", queues, flags=re.MULTILINE))) if queues.strip() else (),
        kinds_of(
            SurveyedNode(
                (words[0],),
                whole_number(words[4]) or 1,
                _bytes(words[5]),
                len(kinds.get(words[0], ())),
                ", ".join(Counter(kinds.get(words[0], ()))),
            )
            for words in map(str.split, hosts.splitlines())
            if len(words) > 7 and words[0] != "HOST_NAME" and words[4].isdecimal()
        ),
    )


def _queue(text: str) -> Queue:
    name = re.search(r"^QUEUE: (\S+)", text, re.MULTILINE)
    limits = text.partition("MAXIMUM LIMITS:")[2].partition("SCHEDULING PARAMETERS")[0].splitlines()
    seconds = None
    for names, values in pairwise(limits):
        if "RUNLIMIT" in names.split():
            column = names.split().index("RUNLIMIT")
            found = _LIMIT.findall(values)
            seconds = float(found[column][0]) * 60 if column < len(found) else None
    return Queue(name[1] if name else "", "This is the default queue" in text, seconds)


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return int(float(match[1]) * UNITS[match[2].lower()]) if match else None


COMMANDS = SurveyCommands(
    {
        "queues": (("bqueues", "-l"), True),
        "hosts": (("lshosts", "-w"), True),
        "gpus": (("lshosts", "-gpu", "-w"), False),
    },
    survey,
)
