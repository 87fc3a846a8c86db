"""Facts that the ledger records of a campaign beside its times, and how two campaigns differ in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from db.documents import campaign_documents, read_documents
from db.queries import node_descriptions
from db.queries.attempt_times import environments_of
from sites import FileError
from sites.files import parse_mapping

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

_LONGEST = 200  # characters of a value
_LEFT_OUT = frozenset({"node.packages.list", "environment.packages"})  # a digest says the same in one line


def recorded_facts(reader: Reader, row: CampaignRow) -> dict[str, str]:
    """Return by name what a campaign ran with: files, parameters, versions, environment, code, nodes.

    Where attempts or nodes differ among themselves, a value lists all.
    """
    found: dict[str, set[str]] = {
        "site": {row.site_name},
        "rulebook": {f"{row.rulebook}, {row.run_class}"},
    }
    for name, text in (("campaign file", row.campaign_yaml), ("site file", row.site_yaml)):
        for number, line in _settings(text):
            found.setdefault(f"{name}.{number}", set()).add(line)
    for one in reader.benchmarks(row.campaign_id):
        facts = {"workload": one.workload, "instances": one.instances, "slot": json.loads(one.slot)}
        _add(found, f"benchmark {one.benchmark}", facts | json.loads(one.parameters))
    found["version"] = {one.version for one in reader.sessions_of(row.campaign_id)}
    for content in read_documents(reader, environments_of(reader, row.campaign_id)).values():
        _add(found, "environment", content)
    for content in campaign_documents(reader, row.campaign_id).values():
        _add(found, "variable", content.get("variables") or {})
        if content.keys() >= {"packages", "files"}:
            _add(found, "code", content["packages"] | content["files"])
    described, documents = node_descriptions.read(reader, row.campaign_id)
    for key in {one.document for one in described} & documents.keys():
        _add(found, "node", documents[key])
    found["nodes used"] = {str(node_descriptions.nodes_used(reader, row.campaign_id))}
    return {name: " | ".join(sorted(values)) for name, values in found.items() if name not in _LEFT_OUT}


def differences(baseline: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the facts that differ, each with the baseline's value and the other's; ``-`` where absent.

    Of long values a part is returned in which they differ.
    """
    names = sorted(baseline.keys() | other.keys())
    pairs = {name: (baseline.get(name, "-"), other.get(name, "-")) for name in names}
    return {name: _cut(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}


def _settings(text: str) -> Iterable[tuple[str, str]]:
    """Return the settings of a YAML text by their path, and its lines where it is none."""
    try:
        content = parse_mapping(text, "stored file")
    except FileError:
        return [("text", text)]
    flat: dict[str, set[str]] = {}
    _add(flat, "", content)
    return [(name.lstrip("."), value) for name, values in flat.items() for value in values]


def _add(found: dict[str, set[str]], prefix: str, content: Mapping[str, Any]) -> None:
    for name, value in content.items():
        at = f"{prefix}.{name}"
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            for entry, one in zip(_entries(value), value, strict=True):
                _add(found, prefix, {f"{name}[{entry}]": one})
        elif isinstance(value, Mapping) and value:
            _add(found, at, value)
        else:
            found.setdefault(at, set()).add(str(value))


def _entries(entries: Sequence[Mapping[str, Any]]) -> Iterator[object]:
    """Yield the name or the workload of each entry, or its place where that is none's or another's too."""
    names = [one.get("name") or one.get("workload") for one in entries]
    for number, name in enumerate(names, 1):
        yield name if name and names.count(name) == 1 else number


def _cut(one: str, other: str) -> tuple[str, str]:
    """Return parts of two long texts, from shortly before the first character in which they differ."""
    if max(len(one), len(other)) <= _LONGEST:
        return one, other
    shorter = min(len(one), len(other))
    differs = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    start = max(0, differs - _LONGEST // 2)
    first, second = (f"...{text[start:]}" if start else text for text in (one, other))
    return _shortened(first), _shortened(second)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
