"""Writes the package of one or several campaigns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import CampaignRow
from db.transfer.snapshot import Snapshot
from orchestrator.analysis.verdict.fom import campaigns_named
from orchestrator.review import contents, crate, signature, texts
from orchestrator.review.container import (
    MANIFEST,
    SIGNATURE,
    PackageError,
    Progress,
    new_package,
)
from orchestrator.review.noted_packages import noted_packages
from orchestrator.review.other_campaigns import OTHERS, other_campaigns
from orchestrator.review.readable import as_json, readable
from orchestrator.review.reproduced import REPRODUCTION, reproduction
from orchestrator.review.sources.instructions import INSTRUCTIONS, instructions
from orchestrator.review.sources.packing import add_sources
from orchestrator.review.verdicts import stated


@dataclass(frozen=True, slots=True)
class Packaged:
    """A package that was written.

    Parameters
    ----------
    root
        SHA-256 of its manifest.
    warnings
        What deserves a look before it is handed on.
    """

    file: Path
    root: str
    members: int
    bytes: int
    signed: bool
    warnings: tuple[str, ...]


def package(
    names: Sequence[str],
    to: Path,
    *,
    ledger: str | None = None,
    logs: str = "failures",
    key: Path | None = None,
    document: str | None = None,
    progress: Progress = lambda _: None,
) -> Packaged:
    """Write the evidence of campaigns into a new file.

    Equal ledgers, journals, logs, sources and options make packages with the same root hash.

    Parameters
    ----------
    logs
        Which logs of attempts to take: ``none``, ``failures`` or ``all``.
    key
        A private SSH key to sign the manifest with.
    document
        Published document whose tables, figures and claims are put in, by the runs of these campaigns.
    progress
        Called with the name of each member.

    Raises
    ------
    PackageError
        If the file is there already, a driver runs one of the campaigns, or the key does not sign.
    LedgerError, CampaignError
        If the ledger or a campaign is not there, or they follow different rulebooks.
    OSError
        If something cannot be read or written; nothing is left of the package then.
    """
    if key is not None:
        signature.check_key(key)
    with Reader(ledger) as reader:
        rows = campaigns_named(reader, names)
        warnings: list[str] = []
        with Snapshot(reader, names) as source, new_package(to, progress) as package:
            _refuse_running(source)
            ended_us = texts.last_end(reader, rows)
            contents.add_rows(package, source, to, ended_us)
            for row in rows:
                warnings += contents.add_campaign(package, reader, row, logs)
                warnings += add_sources(package, reader, row)
            contents.add_rulebook(package, rows[0].rulebook)
            judged, verdict = stated(reader, rows)
            warnings += verdict.get("warnings", [])
            package.add(texts.VERDICT, as_json(verdict))
            package.add(texts.TEXT, readable(verdict))
            package.add(INSTRUCTIONS, instructions(reader, rows, judged))
            package.add(OTHERS, as_json({"campaigns": other_campaigns(reader, rows)}))
            if document is not None:
                package.add(REPRODUCTION, as_json(reproduction(reader, rows, document)))
            facts = texts.facts_of(reader, rows, logs, ended_us)
            package.add(texts.FACTS, as_json(facts))
            package.add(crate.METADATA, texts.crate_text(package.sizes, package.digests, facts))
            package.add_folders(crate.folders(package.digests))
            manifest = package.manifest()
            package.add_unlisted(MANIFEST, manifest)
            if key is not None:
                package.add_unlisted(SIGNATURE, signature.sign(manifest, key))
        root = hashlib.sha256(manifest).hexdigest()
        warnings += _note(reader, ledger, rows, root, to)
    size = to.stat().st_size
    return Packaged(to, root, len(package.digests), size, key is not None, tuple(warnings))


def _refuse_running(source: Snapshot) -> None:
    for one in source.campaigns:
        if one.running:
            raise PackageError(
                f"a driver runs campaign {one.name}: package it when it has ended, "
                f"or first: orchestrator stop {one.name}"
            )


def _note(reader: Reader, ledger: str | None, rows: Sequence[CampaignRow], root: str, to: Path) -> list[str]:
    """Record the root hash with each campaign, once; returns why that was not possible."""
    try:
        with Ledger(ledger) as book:
            for row in rows:
                if root not in (one["root"] for one in noted_packages(reader, row)):
                    book.note(
                        row.campaign_id,
                        EventKind.EVIDENCE_PACKAGED,
                        f"packaged as {to.name}, root hash {root}",
                        data={"root": root, "file": to.name},
                    )
    except LedgerError as error:
        return [f"the ledger does not have the root hash, and `fom` will not show it: {error}"]
    return []
