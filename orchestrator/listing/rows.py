"""Rows of a list: facts that a verified package gives, and comparison of stated rows with them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.listing.errors import ListingError
from orchestrator.report.head import verdict_line
from orchestrator.review.container import MANIFEST, SIGNATURE, PackageError
from orchestrator.review.rulebook_files import RULEBOOK
from orchestrator.review.texts import FACTS
from orchestrator.review.verdicts import differences
from orchestrator.review.verification import verify
from orchestrator.rulebooks import registry

if TYPE_CHECKING:
    from orchestrator.review.container import Progress
    from orchestrator.review.verification import Review

_LONGEST = 120


@dataclass(frozen=True, slots=True)
class ListedFigure:
    """A figure of merit; `benchmark` is empty for that of the whole campaign."""

    benchmark: str
    name: str
    value: float | None
    unit: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a list: facts of a package.

    Parameters
    ----------
    root
        Root hash of the package.
    uids
        Identities of its campaigns, which packages of the same campaigns share.
    rulebook_version
        Version of the program that judged.
    rulebook_files
        SHA-256 over the rulebook's files in the package.
    verdict, kind
        The verdict in a line, and ``good``, ``bad`` or ``plain``.
    reportable
        None where the rulebook has no figure of the whole campaign, and not all benchmarks agree.
    declared, modifications
        Declared deviations, and what runs changed that their class leaves free.
    machine
        Names of the sites.
    ended_us
        End of the last session, UTC microseconds.
    data
        SHA-256 of the data that each workload read; empty where it was not hashed.
    signature
        Type and fingerprint of the key; empty without a signature, None where it could not be checked.
    """

    root: str
    campaigns: tuple[str, ...]
    uids: tuple[str, ...]
    rulebook: str
    rulebook_version: str
    rulebook_files: str
    run_class: str
    workloads: tuple[str, ...]
    verdict: str
    kind: str
    reportable: bool | None
    figures: tuple[ListedFigure, ...]
    declared: tuple[str, ...]
    modifications: tuple[str, ...]
    machine: str
    ended_us: int
    data: dict[str, str]
    signature: str | None
    bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return data


def read_row(
    file: Path, *, signers: Path | None = None, progress: Progress = lambda _: None
) -> tuple[Row | None, list[str]]:
    """Verify a package and return its row, or None and the findings.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    try:
        review = verify(file, signers=signers, progress=progress)
    except PackageError as error:
        return None, [" ".join(str(error).split())]
    if review.findings:
        return None, review.findings
    return _row(file, review), []


def row_findings(
    file: Path, stated: Mapping[str, Any], *, signers: Path | None = None, progress: Progress = lambda _: None
) -> tuple[Row | None, list[str]]:
    """Return the row that a package gives, and how the stated row differs from it, a line each."""
    row, findings = read_row(file, signers=signers, progress=progress)
    if row is not None:
        findings = list(row_differences(stated, row.to_dict()))
    return row, findings


def row_differences(stated: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield where a stated row differs from the one that its package gives."""
    for key in dict.fromkeys((*found, *stated)):
        if key == "signature" and found.get(key) is None:  # there is no ssh-keygen in a browser
            continue
        if any(differences(stated.get(key), found.get(key))):
            given, gives = _short(stated.get(key)), _short(found.get(key))
            yield f"{key.replace('_', ' ')}: the list states {given}, the package gives {gives}"


def _row(file: Path, review: Review) -> Row:
    if review.judged is None or review.root is None:
        raise ListingError(f"{file.name} gives no verdict")
    with zipfile.ZipFile(file) as archive:
        manifest, facts = archive.read(MANIFEST), json.loads(archive.read(FACTS))
        signed = SIGNATURE in archive.namelist()
    verdict = review.judged.verdict
    campaigns = {one.campaign.campaign_id: one.campaign for one in review.judged.judged}.values()
    words, kind = verdict_line(verdict)
    headlines = [("", verdict.headline)]
    if verdict.headline is None:
        headlines = [(one.benchmark, one.headline) for one in verdict.benchmarks]
    answers = {one.reportable for one in verdict.benchmarks}
    return Row(
        root=review.root,
        campaigns=tuple(review.campaigns),
        uids=tuple(sorted(one.uid for one in campaigns)),
        rulebook=verdict.rulebook,
        rulebook_version=str(facts["version"]),
        rulebook_files=_rulebook_files(manifest, verdict.rulebook),
        run_class=", ".join(sorted({one.run_class for one in verdict.benchmarks})),
        workloads=tuple(sorted({one.workload for one in verdict.benchmarks})),
        verdict=words,
        kind=kind,
        reportable=verdict.reportable if verdict.headline or len(answers) != 1 else answers.pop(),
        figures=tuple(
            ListedFigure(benchmark, figure.name, figure.value, figure.unit)
            for benchmark, figure in headlines
            if figure is not None
        ),
        declared=tuple(sorted({text for one in verdict.benchmarks for text in one.declared})),
        modifications=tuple(sorted({text for one in verdict.benchmarks for text in one.modifications})),
        machine=", ".join(sorted({one.site_name for one in campaigns})),
        ended_us=int(facts["ended_us"]),
        data=_data(review),
        signature=_fingerprint(review.signed_key) if signed else "",
        bytes=file.stat().st_size,
    )


def _rulebook_files(manifest: bytes, rulebook: str) -> str:
    """Return the SHA-256 over the manifest's lines of a rulebook's files, without other rulebooks'."""
    others = tuple(f"{RULEBOOK}/{name}/" for name in registry.names() if name != rulebook)
    named = [(line, line.partition("  ")[2]) for line in manifest.decode().splitlines()]
    own = [line for line, name in named if name.startswith(RULEBOOK) and not name.startswith(others)]
    return hashlib.sha256("\n".join(own).encode()).hexdigest()


def _data(review: Review) -> dict[str, str]:
    """Return the hashes of the data by workload; several of a workload are joined."""
    stated = review.verdict or {}
    workloads = {one["benchmark"]: one["workload"] for one in stated.get("benchmarks", ())}
    found: dict[str, set[str]] = {}
    for benchmark, facts in stated.get("data", {}).items():
        found.setdefault(workloads.get(benchmark, benchmark), set()).add(str(facts.get("sha256", "")))
    return {workload: " ".join(sorted(hashes)) for workload, hashes in sorted(found.items())}


def _fingerprint(key: str | None) -> str | None:
    """Return type and fingerprint of a key from what ssh-keygen says of a good signature."""
    return None if key is None else key.rpartition(" with ")[2]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
