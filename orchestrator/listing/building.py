"""Builds or continues the site of a list: in a folder beside it, which takes its place when it is whole."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from db.times import utc
from orchestrator.listing.errors import ListingError
from orchestrator.listing.log import LOG, Action, Entry, Log
from orchestrator.listing.page import made_files
from orchestrator.listing.rows import Row, read_row
from orchestrator.listing.runtime import RUNTIME, copy_runtime, digests, runtime_files
from orchestrator.listing.stored import PACKAGES, Stored, package_file, read_site
from orchestrator.review.container import Progress, folder_beside

_SHORTEST = 8  # digits that name a root hash


@dataclass(frozen=True, slots=True)
class Wanted:
    """Options of a build.

    Parameters
    ----------
    pyodide
        Folder of the files that a browser recomputes with; without it the site has no buttons.
    signers
        Who may have signed: an ``allowed_signers`` file; a package without such a signature is refused then.
    withdraw
        Root hash of a package to strike out, or its first digits.
    because
        Reason of that.
    """

    pyodide: Path | None = None
    signers: Path | None = None
    withdraw: str = ""
    because: str = ""


@dataclass(slots=True)
class Built:
    """A site that was built: its rows, the lines that its log got, and what deserves a look."""

    site: Path
    rows: list[Row] = field(default_factory=list)
    log: Log = field(default_factory=Log)
    new: list[Entry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def build(
    folder: Path, site: Path, wanted: Wanted, *, now_us: int, progress: Progress = lambda _: None
) -> Built:
    """Build the site of a list from a folder of packages; rows of a former build stay in it.

    Raises
    ------
    ListingError
        If a package does not verify, the site is no site, or what is to be withdrawn is not listed.
    OSError
        If something cannot be read or written; the site is then as it was.
    """
    site = site.absolute()
    former = _former(site)
    files = _packages(folder, former)
    if wanted.pyodide is not None:
        runtime_files(wanted.pyodide)  # names what is missing before any package is verified
    if not site.parent.is_dir():
        raise ListingError(f"the site's folder {site.parent} does not exist; make it first")
    done, at = Built(site), f"{str(utc(now_us))[:19]}Z"
    with _naming(site), folder_beside(site) as partial:
        (partial / PACKAGES).mkdir()
        if former is not None:
            _take_former(done, former, site, partial, wanted, progress)
        known = {row.root for row in done.rows}
        for file in files:
            row = _taken(file, partial, known, done.notes, wanted, progress)
            if row is not None:
                done.rows.append(row)
                done.new.append(Entry(at, Action.ADDED, row.root))
        log = former.log if former is not None else Log()
        if wanted.withdraw:
            root = _withdrawn(wanted.withdraw, [row.root for row in done.rows], log)
            done.new.append(Entry(at, Action.WITHDRAWN, root, because=wanted.because))
        done.new += _superseded(done.rows, log.continued(done.new), at)
        done.log = log.continued(done.new)
        if wanted.pyodide is not None:
            copy_runtime(wanted.pyodide, partial / RUNTIME)
        for name, content in made_files(done.rows, done.log, digests(partial / RUNTIME)).items():
            (partial / name).write_bytes(content)
        _replace(site, partial, log)
    return done


@contextmanager
def _naming(site: Path) -> Iterator[None]:
    """Let the error of a full disk name the site; that of a copy names the file that was read."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OSError(error.errno, error.strerror, str(site)) from None
        raise


def _former(site: Path) -> Stored | None:
    """Return the list that a site has; None for a new or an empty folder."""
    if not site.exists() or (site.is_dir() and not any(site.iterdir())):
        return None
    return read_site(site)


def _packages(folder: Path, former: Stored | None) -> list[Path]:
    if not folder.is_dir():
        raise ListingError(f"{folder} is no folder; name one with packages (*.zip)")
    files = sorted(folder.glob("*.zip"))
    if not files and former is None:
        raise ListingError(f"{folder} has no packages (*.zip); `orchestrator evidence package` writes them")
    return files


def _take_former(
    done: Built, former: Stored, site: Path, partial: Path, wanted: Wanted, progress: Progress
) -> None:
    """Take the packages of a former build, verified again; of a struck one that fails, the row stays."""
    struck = former.log.struck()
    for stated in former.rows:
        file, copy = package_file(site, stated.root), package_file(partial, stated.root)
        try:
            os.link(file, copy)
        except OSError:  # links are not possible everywhere; if the file is missing, copying says so
            shutil.copyfile(file, copy)
        row, findings = read_row(copy, signers=wanted.signers, progress=progress)
        if row is not None and row.root != stated.root:
            findings = [f"it is another package, with root hash {row.root}"]
        if findings and stated.root not in struck:
            raise ListingError(
                f"the listed package {stated.root[:12]} does not verify: {findings[0]}; restore it, or "
                "withdraw it with the version that listed it"
            )
        if findings:
            done.notes.append(f"{stated.root[:12]}, which no longer counts, does not verify: {findings[0]}")
        done.rows.append(stated if row is None or findings else row)


def _taken(
    file: Path, partial: Path, known: set[str], notes: list[str], wanted: Wanted, progress: Progress
) -> Row | None:
    """Copy a package into a new site and return its row; None if the site has it already."""
    if not file.is_file():
        raise ListingError(f"{file.name} is refused: it is not a regular file; nothing was changed")
    copy = partial / PACKAGES / "new"
    shutil.copyfile(file, copy)
    row, findings = read_row(copy, signers=wanted.signers, progress=progress)
    if row is None:
        problem = findings[0].replace(f"{copy} is", "it is").replace(f"{copy.name} is", "it is")
        problem = problem.replace(str(copy), "the package")
        raise ListingError(f"{file.name} is refused: {problem}; nothing was changed")
    if row.signature is None:
        raise ListingError(f"{file.name} is signed, and there is no ssh-keygen: install OpenSSH's client")
    if row.root in known:
        copy.unlink()
        notes.append(f"{file.name} is listed already, as {row.root[:12]}")
        return None
    copy.rename(package_file(partial, row.root))
    known.add(row.root)
    return row


def _withdrawn(given: str, roots: Sequence[str], log: Log) -> str:
    """Return the root hash of the package to withdraw."""
    found = [root for root in roots if len(given) >= _SHORTEST and root.startswith(given.lower())]
    if len(found) != 1:
        raise ListingError(
            f"{given!r} names {len(found)} packages of the list: give {_SHORTEST} digits of a root hash"
        )
    [root] = found
    gone = log.struck().get(root)
    if gone is not None and gone.action is Action.WITHDRAWN:
        raise ListingError(f"{root[:12]} was {gone.words()}")
    return root


def _superseded(rows: Sequence[Row], log: Log, at: str) -> Iterator[Entry]:
    """Yield which packages newer ones of the same campaigns supersede."""
    struck = log.struck()
    same: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        gone = struck.get(row.root)
        if gone is None or gone.action is not Action.WITHDRAWN:
            same.setdefault(row.uids, []).append(row)
    for mine in same.values():
        newest = max(reversed(mine), key=lambda row: row.ended_us)  # of equal ones, the one added last
        yield from (
            Entry(at, Action.SUPERSEDED, row.root, by=newest.root)
            for row in mine
            if row is not newest and row.root not in struck
        )


def _replace(site: Path, partial: Path, log: Log) -> None:
    """Put a new site in the place of the former one, unless another process has changed it."""
    if not site.exists() or not any(site.iterdir()):
        partial.rename(site)
        return
    if (site / LOG).read_bytes() != log.content:
        raise ListingError(f"{site} was changed by another process; build again")
    aside = partial.with_name(f"{partial.name}.former")
    site.rename(aside)
    try:
        partial.rename(site)
    except OSError:
        with suppress(OSError):
            aside.rename(site)
        raise
    shutil.rmtree(aside, ignore_errors=True)
