"""`show NAME` without an instance: the code and the environment variables of a campaign."""

from __future__ import annotations

from typing import Any

from orchestrator.cli.tables import print_json, utc


def show_provenance(name: str, ledger: str | None, *, as_json: bool) -> None:
    """Print what code drivers and attempts of a campaign ran, and with which environment variables."""
    facts = _facts(name, ledger)
    if as_json:
        print_json(facts)
        return
    for one in facts["sessions"]:
        print(f"{one['session']}  version {one['version']}  {one['at']}")
        if one["commit"]:
            print(f"  {'commit':<26} {one['commit']}{', with changes' if one['modified'] else ''}")
        for package, key in one["packages"].items():
            print(f"  {package:<26} {key}")
    if not facts["sessions"]:
        print(f"{name}: no session recorded its code")
    for kind in ("code", "variables"):
        for key, content in facts[kind].items():
            print(f"\n{kind} {key}")
            for entry, value in content.items():
                print(f"  {entry:<26} {value}")


def _facts(name: str, ledger: str | None) -> dict[str, Any]:
    from db.documents import campaign_documents
    from db.events import EventKind
    from db.reader import Reader

    with Reader(ledger) as reader:
        row = reader.campaign(name)
        sessions = [
            {"session": one.subject, "at": utc(one.at_us), **(one.data or {})}
            for one in reader.events(row.campaign_id, kinds=[EventKind.CODE_RECORDED])
        ]
        documents = campaign_documents(reader, row.campaign_id)
    return {
        "campaign": name,
        "sessions": sessions,
        "code": {
            key: one["packages"]
            | one["files"]
            | {f"{name} imported from": place for name, place in one.get("outside", {}).items()}
            for key, one in documents.items()
            if one.keys() >= {"packages", "files"}
        },
        "variables": {key: one["variables"] for key, one in documents.items() if "variables" in one},
        "listings": {key: one["files"] for key, one in documents.items() if "package" in one},
    }
