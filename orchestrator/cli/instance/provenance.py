"""`instance show NAME` without an instance: workloads, code and environment variables of a campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from db.times import utc
from orchestrator.cli.terminal.tables import print_json, say

if TYPE_CHECKING:
    from collections.abc import Mapping


def show_provenance(name: str, ledger: str | None, *, as_json: bool) -> None:
    """Print which workloads, code and environment variables a campaign ran with."""
    facts = _facts(name, ledger)
    if as_json:
        print_json(facts)
        return
    for one in facts["sessions"]:
        say(f"{one['session']}  version {one['version']}  {one['at']}")
        if one["commit"]:
            say(f"  {'commit':<26} {one['commit']}{', with changes' if one['modified'] else ''}")
        for package, key in one["packages"].items():
            say(f"  {package:<26} {key}")
    if not facts["sessions"]:
        say(f"{name}: no session recorded its code")
    for kind in ("code", "variables"):
        for key, content in facts[kind].items():
            say(f"\n{kind} {key}")
            for entry, value in content.items():
                say(f"  {entry:<26} {value}")
    if facts["block_energy"]:
        say(f"\n{facts['block_energy']}")
        for one in facts["blocks"]:
            stated = "none stated" if one["joules"] is None else f"{one['joules']:.6g} J"
            say(f"  session {one['session']}, block {one['block']:<18} {stated}")
    for benchmark, document in facts["workloads"].items():
        _show_workload(benchmark, document)


def _show_workload(benchmark: str, document: Mapping[str, Any] | None) -> None:
    """Print the description by which a benchmark is judged, and the text of a file."""
    if document is None:
        say(f"\nworkload of {benchmark}: its registered description is gone")
        return
    say(f"\nworkload of {benchmark}: {document['workload']}")
    for name, value in document["description"].items():
        if value not in (None, "", [], {}) and name != "parameters":
            say(f"  {name:<26} {value}")
    if "text" in document:
        say(f"  text of {document['file']}, SHA-256 {document['sha256']}:")
        print("\n".join(f"    {line}" for line in document["text"].splitlines()))


def _facts(name: str, ledger: str | None) -> dict[str, Any]:
    from db.documents import campaign_documents
    from db.events import EventKind
    from db.evidence.block_energy import block_energy
    from db.reader import Reader
    from orchestrator.analysis.verdict.registered_workloads import registered_descriptions

    with Reader(ledger) as reader:
        row = reader.campaign(name)
        sessions = [
            {"session": one.subject, "at": utc(one.at_us), **(one.data or {})}
            for one in reader.events(row.campaign_id, kinds=[EventKind.CODE_RECORDED])
        ]
        documents = campaign_documents(reader, row.campaign_id)
        workloads = registered_descriptions(reader, row.campaign_id)
        energy = block_energy(reader, row.campaign_id)
    return {
        "campaign": name,
        "sessions": sessions,
        "code": {
            key: one["packages"]
            | one["files"]
            | {
                f"{kind} {name}": value
                for kind in ("versions", "elsewhere", "prefixes", "start_up", "search", "interpreter")
                for name, value in one.get(kind, {}).items()
            }
            for key, one in documents.items()
            if one.keys() >= {"packages", "files"}
        },
        "variables": {key: one["variables"] for key, one in documents.items() if "variables" in one},
        "listings": {key: one["files"] for key, one in documents.items() if "package" in one},
        "workloads": workloads,
        "block_energy": str(energy),
        "blocks": [
            {"session": session, "slot_shape": shape, "block": block, "joules": joules}
            for (session, shape, block), joules in energy.joules.items()
        ],
    }
