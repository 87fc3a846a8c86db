"""Campaign files that name workloads by path: made independent of where they are launched from."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sites import FileError
from sites.places import Place
from sites.resolved import Resolved
from workloads.description import WorkloadError
from workloads.external.reference import is_file, located, path_of, pin, read_bytes

_BREAKS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


def with_located_files(resolved: Resolved) -> Resolved:
    """Return a campaign whose relative paths of workloads and recipes count from the file that names them.

    Those that are not there count from the working directory, as ever.

    Raises
    ------
    FileError
        If a file is at neither place; names both.
    """
    benchmarks = resolved.data.get("benchmarks")
    if not isinstance(benchmarks, list):
        return resolved
    found = [
        {**one, **_located(one, ("benchmarks", number), resolved)} if isinstance(one, dict) else one
        for number, one in enumerate(benchmarks)
    ]
    return replace(resolved, data={**resolved.data, "benchmarks": found})


def _located(benchmark: Mapping[Any, Any], place: Place, resolved: Resolved) -> dict[str, str]:
    """Return where the recipe of a benchmark, or its workload, stands."""
    key = "recipe" if "recipe" in benchmark else "workload"
    given = benchmark.get(key)
    if not isinstance(given, str) or not is_file(given):
        return {}
    try:
        return {key: located(given, Path(resolved.file_of((*place, key))).parent, key)}
    except WorkloadError as error:
        raise FileError(f"{resolved.where((*place, key))}: {error}") from None


def with_pinned_files(text: str, folder: Path | None = None) -> str:
    """Return a campaign's text with the path of each workload file made absolute and pinned by its hash.

    The rest of the text stays as it is. The exact content of each file is appended as comments, so
    that the ledger says what ran even after the file is gone.

    Parameters
    ----------
    text
        Of a campaign that has been checked.
    folder
        From which its relative paths count first, if from one.

    Raises
    ------
    WorkloadError
        If a file cannot be read, or is not what its name was pinned to.
    """
    contents: dict[str, str] = {}
    edits: dict[int, tuple[int, str]] = {}
    for node in _workload_names(YAML(typ="safe", pure=True).compose(io.StringIO(text))):
        pinned = pin(located(node.value, folder) if folder else node.value)
        if pinned != node.value:
            start = node.start_mark.index
            properties = _PROPERTIES.match(text[start : node.end_mark.index])
            start += properties.end() if properties else 0
            edits[start] = (node.end_mark.index, json.dumps(pinned, ensure_ascii=False))
            contents[pinned] = read_bytes(path_of(pinned)).decode("utf-8", "replace")
    for start, (end, replacement) in sorted(edits.items(), reverse=True):
        text = text[:start] + replacement + text[end:]
    for pinned, content in contents.items():
        lines = [f"Workload file {pinned}, when this campaign was launched:"]
        lines += [f"  {line}" for line in _BREAKS.split(content)]
        text = "\n".join([text.rstrip("\n"), *(f"# {line}".rstrip() for line in lines), ""])
    return text


def _workload_names(root: Node | None) -> Iterator[ScalarNode]:
    for key, benchmarks in _members(root):
        if key == "benchmarks" and isinstance(benchmarks, SequenceNode):
            for benchmark in benchmarks.value:
                for name, value in _members(benchmark):
                    if name == "workload" and isinstance(value, ScalarNode) and is_file(value.value):
                        yield value


def _members(node: Node | None) -> Iterator[tuple[str, Node]]:
    """Yield keys and values of a mapping, those merged into it with ``<<`` included."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.tag != "tag:org,2002:merge":
                yield key.value, value
                continue
            for merged in value.value if isinstance(value, SequenceNode) else [value]:
                yield from _members(merged)
