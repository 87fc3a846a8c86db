"""Claim a new campaign's run directory until the ledger has the campaign.

A launch that is killed while it registers leaves a directory that holds nothing but its claim. The claim says
which driver made it and for which ledger, so that a later launch can tell it from a campaign's directory.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from db.connection.connect import parse_url, redacted_url
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import display_name, is_dead, this_driver
from orchestrator.rundir.layout import RunDirectory

_CLAIM = "registering-"
_INTO = " into "
_OTHER_NAME = "use another --name"


def check_run_directory(directory: Path) -> None:
    """Refuse a run directory whose name or path is too long, before anything is made.

    Raises
    ------
    CampaignError
        With the limit of the file system.
    """
    above = next(parent for parent in directory.parents if _is_there(parent))
    longest = os.pathconf(above, "PC_NAME_MAX")
    length = len(os.fsencode(directory.name))
    if length > longest:
        raise CampaignError(
            f"the campaign's name has {length} bytes, and a directory's name at most {longest}; "
            "give a shorter --name"
        )
    longest = os.pathconf(above, "PC_PATH_MAX") // 2  # the other half is for the files below it
    if len(os.fsencode(directory)) > longest:
        raise CampaignError(
            f"campaign directory {str(directory)[:40]}… has a path of more than {longest} bytes; "
            "write a shorter folder into paths.runs of the site file"
        )


@contextlib.contextmanager
def new_run_directory(directory: Path, ledger: str | None) -> Iterator[None]:
    """Make a run directory and claim it while its campaign is being registered.

    A directory that a dead launch into the same ledger claimed is used again. After an error what was made
    is removed. Otherwise a first file is written before the claim is removed, so that no launch takes the
    directory of a campaign for an empty one.

    Parameters
    ----------
    ledger
        Ledger that the campaign is registered in, as for `launch`.

    Raises
    ------
    CampaignError
        If the directory holds anything else, or cannot be made.
    """
    missing = [folder for folder in (directory, *directory.parents) if not _is_there(folder)]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _claim(directory, redacted_url(parse_url(ledger)))
    except OSError as error:
        _remove(directory, missing)
        raise CampaignError(
            f"campaign directory {directory} cannot be made: {error.strerror}; write another folder into "
            "paths.runs of the site file, or launch from another one"
        ) from None
    try:
        yield
    except BaseException:
        _remove(directory, missing)
        raise
    remove_claim(directory)


def remove_claim(directory: Path) -> None:
    """Remove the claim of a launch whose campaign is registered; a full disk keeps it, which does no harm."""
    with contextlib.suppress(OSError):
        RunDirectory(directory).driver_log.touch()
        _remove(directory, [])


def _claim(directory: Path, ledger: str) -> None:
    """Claim a directory that is empty, or that only a dead launch into the same ledger has claimed.

    A claim is a symbolic link, which has its content from the start and which one process alone can make. A
    dead claim stays until its successor's end: no process can take a newer one for it.
    """
    claims = _claims(directory)
    for claim in claims[-1:]:
        owner, _, address = os.readlink(claim).partition(_INTO)  # noqa: PTH115  a Path drops slashes
        if address != ledger:
            raise CampaignError(f"{directory} was made by a launch into ledger {address}; {_OTHER_NAME}")
        if not is_dead(owner):
            raise CampaignError(
                f"{directory} is being made by a launch, {display_name(owner)}; wait for it, or remove the "
                "directory if that launch has ended"
            )
    number = _number(claims[-1]) + 1 if claims else 1
    mine = directory / f"{_CLAIM}{number}"
    try:
        mine.symlink_to(f"{this_driver()}{_INTO}{ledger}")
    except FileExistsError:
        raise CampaignError(f"{directory} is being made by another launch; {_OTHER_NAME}") from None
    try:
        _claims(directory)  # a campaign may have got it since
    except CampaignError:
        mine.unlink()
        raise


def _is_there(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises an error for a name that is too long


def _claims(directory: Path) -> list[Path]:
    """Return the claims of a directory, the newest last; raise `CampaignError` if it holds anything else."""
    found = list(directory.iterdir())
    if not all(one.is_symlink() and one.name.startswith(_CLAIM) for one in found):
        raise CampaignError(f"{directory} exists already, from a campaign in another ledger; {_OTHER_NAME}")
    return sorted(found, key=_number)


def _number(claim: Path) -> int:
    return int(claim.name.removeprefix(_CLAIM))


def _remove(directory: Path, made: list[Path]) -> None:
    """Remove all claims, the newest last, and then the directories that were made."""
    with contextlib.suppress(OSError):
        for claim in sorted(directory.glob(f"{_CLAIM}*"), key=_number):
            claim.unlink()
    for folder in made:
        with contextlib.suppress(OSError):
            folder.rmdir()
