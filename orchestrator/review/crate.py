"""The RO-Crate metadata of a package: what is in it, for people and for archives.

RO-Crate 1.1, https://w3id.org/ro/crate/1.1. The text is the same for the same package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

METADATA = "ro-crate-metadata.json"
_PROFILE = "https://w3id.org/ro/crate/1.1"
_KINDS = {
    "json": "application/json",
    "yaml": "application/yaml",
    "csv": "text/csv",
    "txt": "text/plain",
    "py": "text/x-python",
    "log": "text/plain",
}
_LISTED_APART = ("journals", "logs")
_FOLDERS = {
    "rows": "All rows of the ledger about these campaigns, one CSV file per table.",
    "workloads": "Files of external workloads, by benchmark.",
    "rulebook": "The rulebook's data files and its code, as they judged these campaigns.",
    "journals": "What attempts reported, discarded ones too; lines are chained by hash.",
    "logs": "Output of attempts.",
}
_FILES = {
    "other_campaigns.json": "Other campaigns of the ledger that ran the same workloads, and their outcomes.",
    "package.json": "What was packaged, by which version, and by which options.",
    "verdict.json": "The verdict for programs: figures, rules, reasons.",
    "fom.txt": "The verdict for people.",
    "campaign.yaml": "The campaign file as registered.",
    "site.yaml": "The site file as registered.",
    "nodes.json": "The nodes' hardware and software as they described themselves.",
    "documents.json": "Listings of code and environment variables that attempts recorded.",
    "driver.log": "What the drivers logged.",
}


def metadata(
    names: Iterable[str], sizes: Mapping[str, int], digests: Mapping[str, str], facts: Mapping[str, Any]
) -> bytes:
    """Return the metadata of a package.

    Parameters
    ----------
    names
        All members so far.
    facts
        ``campaigns``, ``rulebook``, ``version`` and ``date`` (ISO 8601: when the last session ended).
    """
    folders: dict[str, list[str]] = {}
    files = []
    for name in sorted(names):
        parts = name.split("/")
        kept = next((k for k, part in enumerate(parts[:-1]) if part in _LISTED_APART), None)
        if kept is not None:  # thousands of files are one folder here; the manifest lists them
            folders.setdefault("/".join(parts[: kept + 1]) + "/", [])
            continue
        files.append(name)
        if parts[0] in _FOLDERS and len(parts) > 1:
            folders.setdefault(parts[0] + "/", []).append(name)
    grouped = {name for members in folders.values() for name in members}
    entities = [_descriptor(), _root(facts, [*sorted(folders), *(f for f in files if f not in grouped)])]
    entities += [_folder(name, members) for name, members in sorted(folders.items())]
    entities += [_file(name, sizes[name], digests[name]) for name in files]
    entities += _provenance(facts)
    content = {"@context": f"{_PROFILE}/context", "@graph": entities}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _descriptor() -> dict[str, Any]:
    return {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _PROFILE},
        "about": {"@id": "./"},
    }


def _root(facts: Mapping[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence of {', '.join(facts['campaigns'])} under rulebook {facts['rulebook']}",
        "description": "What `orchestrator evidence verify` recomputes the verdict from, without the ledger.",
        "datePublished": facts["date"],
        "license": "As the owner of the campaigns says.",
        "hasPart": [{"@id": quote(name)} for name in parts],
        "mentions": {"@id": "#packaging"},
    }


def _folder(name: str, members: Iterable[str]) -> dict[str, Any]:
    own = name.rstrip("/").rpartition("/")[2]
    found: dict[str, Any] = {
        "@id": quote(name),
        "@type": "Dataset",
        "name": own,
        "description": _FOLDERS[own],
    }
    listed = [{"@id": quote(member)} for member in members]
    return found | ({"hasPart": listed} if listed else {})


def _file(name: str, size: int, digest: str) -> dict[str, Any]:
    own = name.rpartition("/")[2]
    found = {
        "@id": quote(name),
        "@type": "File",
        "name": own,
        "contentSize": str(size),
        "encodingFormat": _KINDS.get(own.rpartition(".")[2], "application/octet-stream"),
        "identifier": f"urn:sha256:{digest}",
    }
    return found | ({"description": _FILES[own]} if own in _FILES else {})


def _provenance(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "@id": "#packaging",
            "@type": "CreateAction",
            "name": "orchestrator evidence package",
            "endTime": facts["date"],
            "instrument": {"@id": "#orchestrator"},
            "result": {"@id": "./"},
        },
        {
            "@id": "#orchestrator",
            "@type": "SoftwareApplication",
            "name": "ensemble-throughput-orchestrator",
            "version": facts["version"],
        },
    ]
