"""Read campaign files by path or name, with values of the command line, and from the text in a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_source import read_campaign
from orchestrator.planning.overrides import campaign_settings
from orchestrator.planning.pinned_workloads import with_pinned_files
from sites import FileError, parse
from sites.files import validate
from sites.resolved import Resolved
from workloads.description import WorkloadError
from workloads.external.reference import is_file


def load_campaign(campaign: str | Path, overrides: Sequence[str] = ()) -> tuple[CampaignFile, str]:
    """Return a campaign given by path, or by the name of one that comes with the project, and its text.

    The text is that of the file where it includes no other and nothing is set. Workload files are named by
    absolute path and hash in both, so that any process can find them later.

    Parameters
    ----------
    overrides
        Values of the command line, each ``PATH=VALUE``; those of a site are ignored.

    Raises
    ------
    CampaignError
        If there is no such file, or it does not follow the schema.
    """
    try:
        resolved = read_campaign(campaign)
        return checked_campaign(resolved.with_settings(campaign_settings(overrides, resolved.data)))
    except (FileError, WorkloadError) as error:
        raise CampaignError(str(error)) from None


def checked_campaign(resolved: Resolved) -> tuple[CampaignFile, str]:
    """Return the campaign of a file that was read, and its text; see `load_campaign`.

    Raises
    ------
    FileError, WorkloadError
        If it does not follow the schema, or a workload file is wrong.
    """
    _refuse_other_files(resolved)
    # First as it was written: errors name places in it.
    found = validate(resolved.data, CampaignFile, resolved.source, resolved.where)
    text = resolved.text
    if not any(is_file(benchmark.workload) for benchmark in found.benchmarks):
        return found, text
    text = with_pinned_files(text, Path(resolved.source).parent if resolved.as_written else None)
    return parse_campaign(text, resolved.source), text


def _refuse_other_files(resolved: Resolved) -> None:
    """Raise `CampaignError` where the keys of a file are those of a site or of a workload."""
    keys, source = resolved.data.keys(), resolved.source
    if keys & {"campaign", "benchmarks"}:
        return
    if "site" in keys:
        raise CampaignError(f"{source} is a site file; give it with a campaign: --site {source}")
    if "command" in keys:
        entry = f"{{workload: {Path(source).name}, instances: 4, timeout: 10 min}}"
        raise CampaignError(f"{source} is a workload file; name it in a campaign file: benchmarks: [{entry}]")


def parse_campaign(text: str, source: str) -> CampaignFile:
    """Return the campaign that a text describes; raises `CampaignError` with places and reasons."""
    try:
        return parse(text, CampaignFile, source)
    except FileError as error:
        raise CampaignError(str(error)) from None
