"""Checks the site of a list: every row from its package, and every file that follows from the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.listing.page import LIST, made_files
from orchestrator.listing.rows import Row, row_findings
from orchestrator.listing.runtime import PROJECT, RUNTIME, digests, project_differs
from orchestrator.listing.stored import PACKAGES, Stored, package_file, read_site
from orchestrator.review.container import Progress
from orchestrator.version import __version__


@dataclass(slots=True)
class Checked:
    """Result of a check: how the site differs from its packages, and what deserves a look, a line each."""

    site: Path
    root: str
    rows: int
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(site: Path, *, signers: Path | None = None, progress: Progress = lambda _: None) -> Checked:
    """Recompute all rows of a site from their packages, and compare rows and page with them.

    Raises
    ------
    ListingError
        If the folder is no site of a list, or its log was edited.
    OSError
        If it cannot be read.
    """
    stored = read_site(site)
    done = Checked(site, stored.log.root, len(stored.rows))
    struck = stored.log.struck()
    rows: list[Row] = []
    for row, stated in zip(stored.rows, stored.stated, strict=True):
        name = f"{', '.join(row.campaigns)} ({row.root[:12]})"
        file = package_file(site, row.root)
        if not file.is_file():
            done.findings.append(f"{name}: its package is missing")
            rows.append(row)
            continue
        found, findings = row_findings(file, stated, signers=signers, progress=progress)
        rows.append(row if found is None or findings else found)
        if found is None and row.root in struck:
            done.notes.append(f"{name} no longer counts, and does not verify: {findings[0]}")
        else:
            done.findings += [f"{name}: {finding}" for finding in findings]
    runtime = digests(site / RUNTIME)
    for name in sorted({*runtime, *stored.runtime}):
        if runtime.get(name) != stored.runtime.get(name):
            done.findings.append(f"{RUNTIME}/{name} is not the file that {LIST} has the hash of")
    made = made_files(rows, stored.log, stored.runtime)
    done.findings += _made_findings(site, stored, made)
    done.notes += _strange_files(site, stored, made)
    return done


def _made_findings(site: Path, stored: Stored, made: Mapping[str, bytes]) -> list[str]:
    """Return which made files are not what rows and log give."""
    if stored.version != __version__:
        return [
            f"the page was written by version {stored.version}, and this is {__version__}: build it again"
        ]
    findings = []
    for name, content in made.items():
        if name == LIST:  # its values were compared; another processor may give other last digits
            continue
        file = site / name
        given = file.read_bytes() if file.is_file() else None
        same = given == content or (name == PROJECT and given is not None and not project_differs(given))
        if not same:
            findings.append(
                f"{name} is {'missing' if given is None else 'not the file that the packages give'}"
            )
    return findings


def _strange_files(site: Path, stored: Stored, made: Mapping[str, bytes]) -> list[str]:
    known = {*made, *(f"{PACKAGES}/{row.root}.zip" for row in stored.rows)}
    known |= {f"{RUNTIME}/{name}" for name in stored.runtime}
    names = (file.relative_to(site).as_posix() for file in site.rglob("*") if not file.is_dir())
    return [f"{name} is no file of a list" for name in sorted(names) if name not in known]
