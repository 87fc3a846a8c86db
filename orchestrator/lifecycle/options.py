"""Options of planning, launching and resuming a campaign, and the same as words of a command line."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """Where a campaign runs, and by which values.

    Parameters
    ----------
    site
        Name or path of a site; by default as `sites.default` says.
    name
        Name in the ledger; by default the campaign file's.
    data
        Directory of the data folders; by default the site's.
    overrides
        Values that replace those of the files, each ``PATH=VALUE``, as of ``--set``.
    here
        Whether to use the allocation around this process instead of submitting blocks; None: as the site's
        ``scheduler.inside_allocation`` says, where there is one.
    pool
        Pool of the site that the allocation is of; other sessions are not kept to it.
    """

    site: str | None = None
    name: str | None = None
    data: str | Path | None = None
    overrides: tuple[str, ...] = field(default=(), metadata={"option": "--set"})
    here: bool | None = None
    pool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions(PlanOptions):
    """Options of a launch, besides its campaign file.

    Parameters
    ----------
    ledger
        Ledger URL; by default the environment's, else the default file.
    check_data
        Read and hash all data files first; otherwise only look for their folders.
    notify
        Shell command that is run at the first failed attempt and at the end, with JSON on standard input.
    exclude
        Nodes never to use, in place of an earlier list: a file with one a line, or ``n1,n2``.
    forecast
        Whether to simulate the campaign first and record what it is expected to take; None: where it is
        submitted to a batch system and has at most 500 instances, and durations to draw from.
    tag, note
        By which its owner, the user of this process, finds the campaign.
    """

    ledger: str | None = None
    check_data: bool = True
    notify: str | None = None
    exclude: str | None = None
    forecast: bool | None = None
    tag: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions:
    """Options of a resume, besides the campaign's name.

    Parameters
    ----------
    site
        Name or path of the site to go on with; by default that of the ledger. Directories stay.
    overrides
        Values of the site, or of the campaign if they change no result.
    mixed
        Go on although the site gives other slots to a benchmark that has accepted instances.
    retry_exhausted
        Also retry instances that are out of retries.
    allow_changed_code
        Go on with what is registered although the code has changed; events keep what differs.
    end_running
        End attempts that outlived a driver instead of waiting for them.
    ledger, notify, exclude, here, pool
        As of `LaunchOptions`.
    """

    ledger: str | None = None
    site: str | None = None
    overrides: tuple[str, ...] = field(default=(), metadata={"option": "--set"})
    mixed: bool = False
    retry_exhausted: bool = False
    allow_changed_code: bool = False
    end_running: bool = False
    notify: str | None = None
    exclude: str | None = None
    here: bool | None = None
    pool: str | None = None


def words(options: LaunchOptions | ResumeOptions) -> list[str]:
    """Return options as words of a command line, without those that have their default."""
    found: list[str] = []
    for one in fields(options):
        value: Any = getattr(options, one.name)
        if value == one.default:
            continue
        name = one.name.replace("_", "-")
        if isinstance(value, bool):
            found.append(f"--{name}" if value else f"--no-{name}")
        else:
            option = one.metadata.get("option", f"--{name}")
            given = value if isinstance(value, tuple) else (value,)
            found += [word for item in given for word in (option, str(item))]
    return found
