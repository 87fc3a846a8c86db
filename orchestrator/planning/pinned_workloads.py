"""Campaign files that name workloads by path: made independent of where they are launched from."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sites.yaml_loader import hide_old_breaks
from workloads.external.reference import is_file, path_of, pin, read_bytes

_BREAKS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


def with_pinned_files(text: str) -> str:
    """Return a campaign's text with the path of each workload file made absolute and pinned by its hash.

    The rest of the text stays as it is. The exact content of each file is appended as comments, so
    that the ledger says what ran even after the file is gone.

    Parameters
    ----------
    text
        Of a campaign that has been checked.

    Raises
    ------
    WorkloadError
        If a file cannot be read, or is not what its name was pinned to.
    """
    contents: dict[str, str] = {}
    edits: dict[int, tuple[int, str]] = {}
    for node in _workload_names(YAML(typ="safe", pure=True).compose(io.StringIO(hide_old_breaks(text)))):
        pinned = pin(node.value)
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
