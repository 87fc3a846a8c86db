"""Texts of a package that say what its rows say: written from rows, and derived from them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from db.documents import campaign_documents
from db.evidence.kept_logs import logs_of
from db.plain import RowReader
from db.queries import node_descriptions
from db.queries.labels import NO_LABELS, labels
from db.records import CampaignRow
from orchestrator.analysis.verdict.fom import Judged
from orchestrator.analysis.verdict.registered_workloads import registered_descriptions
from orchestrator.catalog.credits import stated_credits
from orchestrator.review import crate
from orchestrator.review.other_campaigns import OTHERS
from orchestrator.review.readable import as_json, readable
from orchestrator.review.reproduced import REPRODUCTION
from orchestrator.review.rulebook_files import rulebook_folders
from orchestrator.review.sources.instructions import INSTRUCTIONS, build_texts, instructions, package_lists
from orchestrator.review.sources.recorded import is_source, listing_name
from orchestrator.rundir.layout import JOURNAL_SUFFIX, RunDirectory
from orchestrator.version import __version__

FORMAT = 1
LOGS = ("none", "failures", "all")
ROWS, VERDICT, TEXT, FACTS = "rows", "verdict.json", "fom.txt", "package.json"
_DRIVER_LOG = RunDirectory(Path()).driver_log.name


def campaign_texts(reader: RowReader, row: CampaignRow) -> dict[str, bytes]:
    """Return the texts of a campaign by their names in the package."""
    nodes, described = node_descriptions.read(reader, row.campaign_id)
    documents = campaign_documents(reader, row.campaign_id)
    texts = (
        {
            "campaign.yaml": row.campaign_yaml.encode(),
            "site.yaml": row.site_yaml.encode(),
            "nodes.json": as_json({"nodes": [asdict(node) for node in nodes], "documents": described}),
            "documents.json": as_json(documents),
        }
        | package_lists(documents)
        | build_texts(documents)
    )
    for benchmark, document in registered_descriptions(reader, row.campaign_id).items():
        if text := (document or {}).get("text"):
            texts[f"workloads/{benchmark}.yaml"] = text.encode()
    return {f"campaigns/{row.name}/{name}": content for name, content in texts.items()}


def facts_of(reader: RowReader, rows: Sequence[CampaignRow], logs: str, ended_us: int) -> dict[str, Any]:
    """Return what a package states about itself."""
    return {
        "format": FORMAT,
        "version": __version__,
        "rulebook": rows[0].rulebook,
        "campaigns": [row.name for row in rows],
        "logs": logs,
        "ended_us": ended_us,
        "runs": [
            {
                "campaign": row.name,
                "started_us": row.created_us,
                "ended_us": last_end(reader, [row]),
                **stated_credits(row.campaign_yaml),
                **labels(reader, row.campaign_id).get(row.campaign_id, NO_LABELS).to_dict(),
            }
            for row in rows
        ],
    }


def last_end(reader: RowReader, rows: Sequence[CampaignRow]) -> int:
    """Return when the last session of the campaigns ended, UTC microseconds."""
    ends = [row.created_us for row in rows]
    for row in rows:
        ends += [one.ended_us or one.started_us for one in reader.sessions_of(row.campaign_id)]
    return max(ends)


def crate_text(sizes: Mapping[str, int], digests: Mapping[str, str], facts: Mapping[str, Any]) -> bytes:
    """Return the metadata of a package with these members."""
    return crate.metadata(list(digests), sizes, digests, facts)


def text_findings(
    reader: RowReader,
    rows: Sequence[CampaignRow],
    judged: Judged,
    folder: Path,
    sizes: Mapping[str, int],
    digests: Mapping[str, str],
) -> Iterator[str]:
    """Yield the texts of a package that differ from its rows or verdict, or are missing.

    Parameters
    ----------
    folder
        Where the package was unpacked.
    sizes, digests
        Bytes and SHA-256 of its members, but for the manifest and its signature.
    """
    facts, verdict = (json.loads((folder / name).read_bytes()) for name in (FACTS, VERDICT))
    ended_us = last_end(reader, rows)
    logs = facts.get("logs")
    if logs not in LOGS or (logs == "none" and any("/logs/" in name for name in digests)):
        yield f"{FACTS}: logs {logs!r} is not how its logs were chosen"
    stated = facts_of(reader, rows, logs, ended_us)
    wanted = {
        VERDICT: as_json(verdict),
        TEXT: readable(verdict),
        FACTS: as_json({**stated, "version": facts.get("version")}),
    }
    for row in rows:
        wanted |= campaign_texts(reader, row)
    wanted[INSTRUCTIONS] = instructions(reader, rows, judged)
    reworded = {INSTRUCTIONS} if facts.get("version") != __version__ else set()
    for name, content in wanted.items():
        if name not in digests:
            yield f"{name} is missing"
        elif name not in reworded and (folder / name).read_bytes() != content:
            yield f"{name} is not the text that its rows give"
    yield from _manifest_findings(folder / ROWS / "manifest.json", ended_us)
    listed = {name: digest for name, digest in digests.items() if name != crate.METADATA}
    given = (folder / crate.METADATA).read_bytes() if crate.METADATA in digests else b""
    mine = crate_text(sizes, listed, {**facts, "ended_us": ended_us, "runs": stated["runs"]})
    if given != mine and (facts.get("version") == __version__ or _undescribed(given) != _undescribed(mine)):
        yield f"{crate.METADATA} is not what describes these members"
    if OTHERS not in digests:
        yield f"{OTHERS} is missing"
    known = {*wanted, crate.METADATA, OTHERS, REPRODUCTION, *map(listing_name, rows)}
    for row in rows:
        known.update(log_names(reader, row).values())
    yield from (
        f"{name} is no file that packages have"
        for name in sorted(digests)
        if name not in known and not is_source(name) and not _belongs(name, rows)
    )


def is_journal(file: str) -> bool:
    """Tell whether a file of a journals folder holds journals."""
    return file.endswith((JOURNAL_SUFFIX, ".zip"))


def log_names(reader: RowReader, row: CampaignRow) -> dict[str, str]:
    """Return the names in a package of the logs of a campaign's attempts, by their paths."""
    paths = [path for _, *both in logs_of(reader, row.campaign_id) for path in both if path]
    return {path: f"campaigns/{row.name}/logs/{'/'.join(Path(path).parts[-3:])}" for path in paths}


def _belongs(name: str, rows: Sequence[CampaignRow]) -> bool:
    """Tell whether a member is one of those that are compared elsewhere, or a driver's log."""
    if name.startswith(tuple(f"{place}/" for place in (ROWS, *rulebook_folders(rows[0].rulebook)))):
        return True
    folders = [f"campaigns/{row.name}" for row in rows]
    return any(
        (name.startswith(f"{folder}/journals/") and is_journal(name))
        or name.startswith(f"{folder}/logs/{_DRIVER_LOG}")
        for folder in folders
    )


def _manifest_findings(file: Path, ended_us: int) -> Iterator[str]:
    """Yield what of the rows' manifest is not derived from the rows; the tables were compared with it."""
    manifest = json.loads(file.read_bytes())
    keys = {"format", "schema", "exported_us", "kind", "campaigns", "tables"}
    plain = all(
        (
            manifest.keys() == keys,
            file.read_bytes() == (json.dumps(manifest, indent=2) + "\n").encode(),
            manifest["exported_us"] == ended_us,
            not any(one.get("running") for one in manifest["campaigns"]),
            all(one.keys() == {"file", "rows", "bytes", "sha256"} for one in manifest["tables"].values()),
        )
    )
    if not plain:
        yield f"{ROWS}/manifest.json is not the text that its rows give"
    tables = {f"{one.get('file')}" for one in manifest["tables"].values()} | {file.name}
    yield from (
        f"{ROWS}/{one.name} is no file that packages have"
        for one in sorted(file.parent.iterdir())
        if one.name not in tables
    )


def _undescribed(metadata: bytes) -> Any:
    """Return the metadata of a package without its descriptions, whose words versions may change."""
    try:
        content = json.loads(metadata)
        return [{name: one[name] for name in one if name != "description"} for one in content["@graph"]]
    except (ValueError, TypeError, KeyError):
        return None
