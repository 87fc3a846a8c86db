"""The RO-Crate metadata of a package: what is in it, for people and for archives.

RO-Crate 1.1, https://w3id.org/ro/crate/1.1, and Process Run Crate 0.5, as each campaign is an action. The
package of one campaign is a Workflow Run Crate 0.5 too: its campaign file is the workflow that was run. The
text is the same for the same package.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from orchestrator.review.sources.recorded import is_source

METADATA = "ro-crate-metadata.json"
_PROFILE = "https://w3id.org/ro/crate/1.1"
_PROCESS_RUN = ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5")
_WORKFLOW_RUN = ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5")
_WORKFLOW = ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0")
_NO_LICENSE = {
    "@id": "#no-license",
    "@type": "CreativeWork",
    "name": "No licence is stated",
    "description": "The campaign files state no licence: ask the owner of the campaigns before reuse.",
}
_KINDS = {
    "json": "application/json",
    "yaml": "application/yaml",
    "csv": "text/csv",
    "txt": "text/plain",
    "py": "text/x-python",
    "log": "text/plain",
    "md": "text/markdown",
}
_FOLDERS = {
    "rows": "All rows of the ledger about these campaigns, one CSV file per table.",
    "workloads": "Files of external workloads, by benchmark.",
    "project": "Sources of this project as the drivers and the attempts ran them.",
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
    "sources.json": "Where the campaign's own sources are in this package, and which are absent.",
    "requirements.txt": "Packages that the trainings' Python had installed, with their versions.",
    "REPRODUCE.md": "Commands that run these campaigns again.",
}
_SOURCE = "Source that attempts recorded with this hash."


def metadata(
    names: Iterable[str], sizes: Mapping[str, int], digests: Mapping[str, str], facts: Mapping[str, Any]
) -> bytes:
    """Return the metadata of a package.

    Parameters
    ----------
    names
        All members so far.
    facts
        Those of ``package.json``.
    """
    runs = facts["runs"]
    within, files = _by_folder(names)
    grouped = {name for members in within.values() for name in members}
    entities = [
        _descriptor(single=len(runs) == 1),
        _root(facts, [*sorted(within), *(f for f in files if f not in grouped)]),
    ]
    entities += [_folder(name, members) for name, members in sorted(within.items())]
    workflows = {_workflow(one): one for one in runs}
    entities += [
        _file(name, sizes[name], digests[name]) | (_of_workflow(workflows[name]) if name in workflows else {})
        for name in files
    ]
    entities += _provenance(facts)
    entities += _stated(runs)
    content = {"@context": f"{_PROFILE}/context", "@graph": entities}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _depth_apart(parts: Sequence[str]) -> int:
    """Return how deep the folder is whose files are not listed here; 0 where a file is."""
    if parts[0] == "project":
        return 1
    return 3 if parts[0] == "campaigns" and len(parts) > 3 and parts[2] in ("journals", "logs") else 0


def folders(names: Iterable[str]) -> list[str]:
    """Return the folders that the metadata of a package with these members names."""
    return sorted(_by_folder(names)[0])


def _by_folder(names: Iterable[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the files of each folder that the metadata names, and all files that it names."""
    found: dict[str, list[str]] = {}
    files = []
    for name in sorted(names):
        parts = name.split("/")
        if depth := _depth_apart(parts):  # thousands of files are one folder here; the manifest lists them
            found.setdefault("/".join(parts[:depth]) + "/", [])
            continue
        files.append(name)
        if parts[0] in _FOLDERS and len(parts) > 1:
            found.setdefault(parts[0] + "/", []).append(name)
    return found, files


def _descriptor(*, single: bool) -> dict[str, Any]:
    profiles = [_PROFILE, _WORKFLOW[0]] if single else [_PROFILE]
    return {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": _links(profiles),
        "about": {"@id": "./"},
    }


def _root(facts: Mapping[str, Any], parts: Iterable[str]) -> dict[str, Any]:
    runs = facts["runs"]
    licenses = [one["@id"] for one in _licenses(runs)]
    found = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Evidence of {', '.join(facts['campaigns'])} under rulebook {facts['rulebook']}",
        "description": "Files that `orchestrator evidence verify` recomputes the verdict from.",
        "datePublished": _time(facts["ended_us"]),
        "conformsTo": _links(profile for profile, *_ in _profiles(runs)),
        "license": _links(licenses),
        "hasPart": [{"@id": quote(name)} for name in parts],
        "mentions": _links([*map(_run_id, runs), "#packaging"]),
    }
    for role in ("author", "publisher"):
        if parties := list(dict.fromkeys(_party_id(one[role]) for one in runs if one[role])):
            found[role] = _links(parties)
    return found | ({"mainEntity": {"@id": quote(_workflow(runs[0]))}} if len(runs) == 1 else {})


def _profiles(runs: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    return [_PROCESS_RUN, *([_WORKFLOW_RUN, _WORKFLOW] if len(runs) == 1 else [])]


def _links(names: Iterable[str]) -> dict[str, str] | list[dict[str, str]]:
    """Return a reference, or the list of several."""
    found = [{"@id": name} for name in names]
    return found[0] if len(found) == 1 else found


def _time(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="seconds")


def _workflow(run: Mapping[str, Any]) -> str:
    return f"campaigns/{run['campaign']}/campaign.yaml"


def _run_id(run: Mapping[str, Any]) -> str:
    return f"#run-{quote(run['campaign'])}"


def _of_workflow(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a campaign file's properties as a workflow."""
    return {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": f"Campaign {run['campaign']}",
        "version": "1",  # a campaign's file never changes once it is launched
        "programmingLanguage": {"@id": "#campaign-file"},
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
    description = _SOURCE if is_source(name) else _FILES.get(own)
    return found | ({"description": description} if description else {})


def _provenance(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        *(_action(one) for one in facts["runs"]),
        {
            "@id": "#packaging",
            "@type": "CreateAction",
            "name": "orchestrator evidence package",
            "description": "Collects the evidence of campaigns.",
            "endTime": _time(facts["ended_us"]),
            "instrument": {"@id": "#orchestrator"},
            "object": {"@id": "rows/"},
            "result": {"@id": "./"},
        }
        | _agent(facts["runs"][0]),
        {
            "@id": "#orchestrator",
            "@type": "SoftwareApplication",
            "name": "ensemble-throughput-orchestrator",
            "version": facts["version"],
        },
        {
            "@id": "#campaign-file",
            "@type": "ComputerLanguage",
            "name": "Campaign file of ensemble-throughput-orchestrator",
            "version": facts["version"],
        },
        *(
            {"@id": profile, "@type": "CreativeWork", "name": name, "version": version}
            for profile, name, version in _profiles(facts["runs"])
        ),
    ]


def _action(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run of a campaign, from its registration to the end of its last session."""
    return {
        "@id": _run_id(run),
        "@type": "CreateAction",
        "name": f"Run of campaign {run['campaign']}",
        "description": "The orchestrator ran all instances of the campaign file on the site.",
        "startTime": _time(run["started_us"]),
        "endTime": _time(run["ended_us"]),
        "instrument": {"@id": quote(_workflow(run))},
        "object": {"@id": quote(f"campaigns/{run['campaign']}/site.yaml")},
        "result": {"@id": "rows/"},
    } | _agent(run)


def _agent(run: Mapping[str, Any]) -> dict[str, Any]:
    return {"agent": {"@id": _party_id(run["author"])}} if run["author"] else {}


def _stated(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return licences, authors and publishers that campaign files state, each once."""
    found = {one["@id"]: one for one in _licenses(runs)}
    for run in runs:
        for role, kind in (("author", "Person"), ("publisher", "Organization")):
            party = run[role]
            while party:
                entity = {"@id": _party_id(party), "@type": kind, "name": party["name"]}
                found[entity["@id"]] = entity
                if party.get("url"):
                    entity["url"] = party["url"]
                party, kind = party.get("affiliation"), "Organization"
                if party:
                    entity["affiliation"] = {"@id": _party_id(party)}
    return list(found.values())


def _licenses(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = dict.fromkeys(run["license"] for run in runs)
    return [_license(name) for name in names]


def _license(name: str | None) -> dict[str, Any]:
    if not name:
        return _NO_LICENSE
    address = name if "://" in name else f"https://spdx.org/licenses/{quote(name)}"
    return {"@id": address, "@type": "CreativeWork", "name": name, "description": f"The licence {name}."}


def _party_id(party: Mapping[str, Any]) -> str:
    return str(party.get("url") or f"#{quote(party['name'])}")
