"""Campaign files by path or name, with all that they include and name."""

from __future__ import annotations

from pathlib import Path

import workloads
from orchestrator.errors import CampaignError
from orchestrator.planning.pinned_workloads import with_located_files
from orchestrator.rulebooks.recipe_file import with_recipes
from sites.resolved import Resolved, resolve
from workloads.spelling import near

_PROGRAMS = frozenset({".py", ".sh"})
_FOLDER = Path(str(workloads.__file__)).parent / "campaigns"


def campaign_names() -> list[str]:
    """Return the names of the campaigns that come with the project."""
    return sorted(file.stem for file in _FOLDER.glob("*.yaml"))


def find_campaign(campaign: str | Path) -> Path:
    """Return the file of a campaign given by path, or by the name of one that comes with the project.

    Raises
    ------
    CampaignError
        If there is no such file; the nearest name is suggested.
    """
    file = Path(campaign)
    if file.suffix in _PROGRAMS and file.is_file():
        raise CampaignError(
            f"{campaign} is a program, not a campaign file: write a workload file that calls it, and name "
            "that file in a campaign file (workloads/README.md, External command)"
        )
    if file.suffix or file.is_file():
        return file
    shipped = _FOLDER / f"{campaign}.yaml"
    if not shipped.is_file():
        known = campaign_names()
        hint = near(str(campaign), known, f"shipped campaigns: {', '.join(known)}")
        raise CampaignError(f"no campaign file {campaign}{hint}")
    return shipped


def read_campaign(campaign: str | Path) -> Resolved:
    """Return the file of a campaign with all that it includes and names, unchecked.

    Raises
    ------
    CampaignError, FileError
        If a file is missing or cannot be read.
    """
    return with_recipes(with_located_files(resolve(find_campaign(campaign), "campaign", find_campaign)))
