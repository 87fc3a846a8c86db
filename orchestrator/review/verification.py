"""Verifies a package: its bytes, its chains, its rows against its journals, and its verdict against both."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from db.errors import LedgerError
from db.evidence.reported import accepted, attempts_by_token
from db.plain import RowReader
from db.records import CampaignRow
from db.transfer.export import Export
from db.transfer.package_rows import PackageRows
from db.verification import broken, check
from orchestrator.analysis.search.suggested import suggestion_problems
from orchestrator.analysis.verdict.fom import Judged
from orchestrator.analysis.verdict.registered_workloads import registered_descriptions
from orchestrator.diagnostics.chain_verification import check_chains
from orchestrator.diagnostics.ledger_verification import (
    Audit,
    JournalAudit,
    chain_of,
    changed_rows,
    unproven_rows,
    without_heads,
)
from orchestrator.errors import OrchestratorError
from orchestrator.review import signature
from orchestrator.review.container import PackageError, Progress
from orchestrator.review.described import description_differences, target_differences
from orchestrator.review.opened import Opened, oversized_archives, unpack
from orchestrator.review.other_campaigns import OTHERS, stated_others
from orchestrator.review.registered_text import seed_differences, text_differences
from orchestrator.review.reproduced import REPRODUCTION, reproduction_findings, reproduction_note
from orchestrator.review.rulebook_files import RULEBOOK, changed_files, rulebook_folders
from orchestrator.review.sources.comparison import source_findings
from orchestrator.review.sources.recorded import is_source
from orchestrator.review.texts import FACTS, FORMAT, ROWS, VERDICT, text_findings
from orchestrator.review.verdicts import differences, stated
from orchestrator.rulebooks.data_files import data_from
from orchestrator.version import __version__
from orchestrator.wording import few
from sites import FileError
from workloads.description import WorkloadError

_SHOWN = 20
_LONGEST = 300


@dataclass(slots=True)
class Review:
    """Findings of the verification of a package.

    Parameters
    ----------
    root
        The package's root hash; None where it has no manifest.
    findings
        What is not so, or not proven, each in one line; none if the evidence gives the packaged verdict.
    judged
        The verdict that the evidence gives; None where it could not be recomputed.
    signed_key
        Statement of ssh-keygen on the key of a valid signature.
    """

    file: Path
    root: str | None = None
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    campaigns: list[str] = field(default_factory=list)
    packaged_by: str | None = None
    reports: int = 0
    judged: Judged | None = None
    verdict: dict[str, Any] | None = None
    signed_by: str | None = None
    signed_key: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "file": str(self.file),
            "root": self.root,
            "verified": not self.findings,
            "findings": self.findings,
            "notes": self.notes,
            "campaigns": self.campaigns,
            "packaged_by": self.packaged_by,
            "verified_by": __version__,
            "signed_by": self.signed_by,
            "reports": self.reports,
            "verdict": self.verdict,
        }


def verify(file: Path, *, signers: Path | None = None, progress: Progress = lambda _: None) -> Review:
    """Verify a package without its ledger, site, network or framework.

    Parameters
    ----------
    signers
        Who may have signed it: an ``allowed_signers`` file of ssh-keygen; a package without such a signature
        is a finding then.
    progress
        Called with the name of each member.

    Raises
    ------
    PackageError
        If it is no package, was cut short, or is not safe to unpack.
    OSError
        If it cannot be read, or the temporary folder not be written.
    """
    done = Review(file)
    with tempfile.TemporaryDirectory(prefix="orchestrator-verify-") as name:
        folder = Path(name)
        opened = unpack(file, folder, _is_wanted, progress)
        done.root = opened.root
        done.findings += opened.problems
        _check_signature(done, opened, signers)
        if opened.problems:
            done.notes.append("rows, journals and verdict were not compared: the package is not as written")
            return done
        try:
            _check_contents(done, opened, folder)
        except (LedgerError, OrchestratorError, WorkloadError, FileError) as error:
            done.findings.append(f"its contents contradict each other: {' '.join(str(error).split())}")
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001  anybody can write rows that no ledger would hold
            text = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST]
            done.findings.append(f"its contents cannot be judged: {text}")
    return done


def _is_wanted(name: str) -> bool:
    parts = name.split("/")  # campaigns/NAME/logs/…
    return not (is_source(name) or (parts[0] == "campaigns" and len(parts) > 3 and parts[2] == "logs"))


def _check_signature(done: Review, opened: Opened, signers: Path | None) -> None:
    if opened.signature is None:
        if signers is not None:
            done.findings.append("it is not signed, and a signature was asked for")
        return
    try:
        found = signature.check(opened.manifest, opened.signature, signers)
    except PackageError as error:
        if signers is not None:
            raise
        done.notes.append(f"its signature was not checked: {error}")
        return
    if not found.valid:
        done.findings.append(f"its signature is not valid: {found.key}")
        return
    done.signed_key = found.key
    if found.signer is None:
        done.notes.append(f"signed by a key that was compared with no list (--signers): {found.key}")
    else:
        done.signed_by = found.signer
        done.notes.append(f"signed by {found.signer}")


def _check_contents(done: Review, opened: Opened, folder: Path) -> None:
    facts, packaged = _read_json(folder / FACTS), _read_json(folder / VERDICT)
    if facts.get("format") != FORMAT:
        raise PackageError(
            f"it is of format {facts.get('format')}, and this version knows {FORMAT}: install a newer one"
        )
    done.campaigns = [str(name) for name in facts.get("campaigns", ())]
    done.packaged_by = str(facts.get("version"))
    reader = PackageRows(Export(folder / ROWS))
    _refuse_contradictions(reader)
    rows = [reader.campaign(name) for name in done.campaigns]
    if len(rows) != len(reader.campaigns()) or not rows:
        done.findings.append(f"its rows are of other campaigns than {FACTS} names")
    done.findings += [_finding(one.campaign, one.message) for one in check(reader) if not one.note]
    for row in rows:
        _check_campaign(done, reader, row, folder / "campaigns" / row.name)
    judged = _check_verdict(done, reader, rows, packaged, folder / RULEBOOK)
    _check_members(done, reader, rows, judged, opened, folder)
    done.findings += _limited(list(reproduction_findings(reader, rows, folder / REPRODUCTION)))
    done.notes += filter(None, [reproduction_note(folder / REPRODUCTION)])
    done.notes += stated_others(folder / OTHERS)


def _refuse_contradictions(reader: PackageRows) -> None:
    """Refuse rows that break a promise of ledgers which holds at every moment: nothing is judged by them."""
    if found := broken(reader, reader.campaigns()):
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise LedgerError(f"{found[0].campaign}: {found[0].message}{more}")


def _read_json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise PackageError(f"{file.name} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise PackageError(f"{file.name} holds no mapping")
    return content


def _finding(campaign: str, message: str) -> str:
    return f"{campaign}: {message}" if campaign else message


def _check_campaign(done: Review, reader: RowReader, row: CampaignRow, place: Path) -> None:
    """Compare the rows of a campaign with its journals, chains and texts."""
    launched_by = {one.version for one in reader.sessions_of(row.campaign_id)}
    rows, same_code = reader.benchmarks(row.campaign_id), launched_by == {__version__}
    documents = registered_descriptions(reader, row.campaign_id)
    different, unknown = text_differences(row, rows, documents, same_code=same_code)
    different += description_differences(documents, rows, same_code=same_code)
    different += target_differences(row, documents, rows) if same_code else ()
    different += seed_differences(reader, row)
    problems = suggestion_problems(reader, row.campaign_id)
    different += [f"benchmark {name}: {problem}" for name, problem in problems.items()]
    done.findings += [f"{row.name}: {one}" for one in different]
    done.notes += [f"{row.name}: {one}" for one in unknown]
    audited = Audit([row.name], [])
    journals = place / "journals"
    if bombs := oversized_archives(journals):
        done.findings += [f"{row.name}: journals were not read: {one}" for one in bombs]
        return
    JournalAudit(reader, row, audited, living=False, complete=True).read(journals)
    done.reports += audited.reports
    done.findings += [
        _finding(one.campaign, one.message.replace(str(place), row.name)) for one in audited.findings
    ]
    done.notes += [note.replace(str(place), row.name) for note in audited.notes]
    _check_chains(done, reader, row, journals)


def _check_chains(done: Review, reader: RowReader, row: CampaignRow, journals: Path) -> None:
    chains = check_chains(reader, row.campaign_id, journals)
    done.findings += _limited([f"{row.name}: {problem}" for problem in chains.problems])
    chain = chain_of(reader, row)
    found = (*unproven_rows(reader, row, chain), *changed_rows(reader, row, chain))
    done.findings += [f"{row.name}: {one}" for one in found]
    if not chains.recorded:
        done.findings.append(
            f"{row.name}: its rows have no heads of journals, so these may have been replaced"
        )
        return
    if chains.open_sessions:
        done.findings.append(f"{row.name}: {without_heads(chains.open_sessions)}")
    attempts = {
        (one.instance_id, one.accepted_attempt): f"{one.benchmark}/{one.benchmark_index}"
        for one in accepted(reader, row.campaign_id)
    }
    tokens = list(chains.beyond)
    known = _attempts_with(reader, row.campaign_id, tokens)
    done.findings += _limited(
        [
            f"{row.name}: {attempts[key]} is accepted by a line of journal {chains.beyond[token]} "
            "after the last head that its rows have"
            for token, key in known.items()
            if key in attempts
        ]
    )


def _attempts_with(reader: RowReader, campaign_id: int, tokens: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return instance and number of the attempts with these tokens."""
    found: dict[str, tuple[int, int]] = {}
    for begin in range(0, len(tokens), 500):
        for token, one in attempts_by_token(reader, campaign_id, tokens[begin : begin + 500]).items():
            found[token] = one.attempt.instance_id, one.attempt.attempt_number
    return found


def _limited(found: Sequence[str]) -> list[str]:
    more = [f"and {len(found) - _SHOWN} more like the last one"] if len(found) > _SHOWN else []
    return [*found[:_SHOWN], *more]


def _check_members(
    done: Review,
    reader: RowReader,
    rows: Sequence[CampaignRow],
    judged: Judged,
    opened: Opened,
    folder: Path,
) -> None:
    """Compare texts and sources of a package with its rows."""
    texts = text_findings(reader, rows, judged, folder, opened.sizes, opened.digests)
    done.findings += _limited(list(texts))
    different, absent = source_findings(reader, rows, folder, opened.digests)
    done.findings += _limited(different)
    done.notes += absent


def _check_verdict(
    done: Review, reader: RowReader, rows: Sequence[CampaignRow], packaged: dict[str, Any], data: Path
) -> Judged:
    """Recompute the verdict by the package's data files, compare it figure by figure, and return it."""
    with data_from(data):
        judged, done.verdict = stated(reader, rows)
    done.judged = judged
    done.notes += done.verdict.get("warnings", [])
    done.findings += _limited([f"verdict: {one}" for one in differences(packaged, done.verdict)])
    folders = rulebook_folders(rows[0].rulebook)
    other = [one for place, own in folders.items() for one in changed_files(data.parent / place, own)]
    if not other:
        return judged
    named = few(other, 5)
    versions = f"packaged by version {done.packaged_by}, verified by {__version__}"
    if done.packaged_by == __version__:
        done.findings.append(f"the rulebook's files are not those of version {__version__}: {named}")
        return judged
    mine = list(differences(done.verdict, stated(reader, rows)[1]))
    if mine:
        done.findings.append(
            f"the rulebook's files differ ({versions}: {named}), and by this version's the verdict is "
            f"another: {mine[0]}"
        )
    else:
        done.notes.append(f"the rulebook's files differ ({versions}: {named}); the verdict agrees by both")
    return judged
