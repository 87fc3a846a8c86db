"""Launching, resuming and stopping campaigns."""

from __future__ import annotations

import contextlib
import logging
import shutil
import uuid
from pathlib import Path

from db.errors import CampaignExistsError
from db.events import EventKind
from db.ledger import Ledger
from db.records import Campaign as CampaignRow
from db.records import NewCampaign
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.data_files import prepare
from orchestrator.lifecycle.data_hashes import describe
from orchestrator.lifecycle.new_run_directory import check_run_directory, new_run_directory
from orchestrator.lifecycle.package_checks import check_packages
from orchestrator.lifecycle.session import RunResult, run_session
from orchestrator.lifecycle.session_host import EngineMaker, ThisMachine
from orchestrator.planning.campaign_file import Campaign, load_campaign
from orchestrator.planning.campaign_limits import check_limits
from orchestrator.planning.environment import check_environment
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import driver_address, node_facts
from orchestrator.schedulers.client import SchedulerClient
from sites import FileError, Site, load

_log = logging.getLogger(__name__)


def plan(
    campaign: str | Path,
    site: str = "local",
    *,
    name: str | None = None,
    data: str | Path | None = None,
) -> Plan:
    """Return what launching a campaign on a site would do.

    Parameters
    ----------
    campaign
        Path of a campaign file, or the name of one that comes with the project.
    site
        Name or path of a site.
    name
        Name in the ledger; by default the file's.
    data
        Directory of the data folders; by default the site's.

    Raises
    ------
    CampaignError
        If a file is wrong, or a slot is bigger than the node.
    """
    spec, _ = _load_campaign(campaign)
    machine, _ = _load_site(site)
    planned = make_plan(spec, machine, node_facts(machine), _data_path(machine, data), name)
    check_environment(planned)
    return planned


def launch(
    campaign: str | Path,
    site: str = "local",
    *,
    ledger: str | None = None,
    name: str | None = None,
    data: str | Path | None = None,
    check_data: bool = True,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Register a campaign and run it to its end.

    Parameters
    ----------
    campaign, site, name, data
        As for `plan`.
    ledger
        Ledger URL; by default the environment's, else the default file.
    check_data
        Read and hash all data files first; otherwise only look for their folders.
    display
        Shown where the campaign stands; nothing by default. The command line's own prints a line now and
        then, or a live one on a terminal: ``with Progress(rich.console.Console()) as display``, from
        `orchestrator.cli.progress_bar`. What the driver decides is logged to ``orchestrator``, and to the
        file ``driver.log`` in the run directory.
    make_engine
        Execution engine; Parsl by default.

    Raises
    ------
    CampaignError, WorkloadError
        If a file or the data are wrong. Nothing has been made then.
    LedgerError
        If the ledger is unfit or the name is taken.
    """
    spec, spec_text = _load_campaign(campaign)
    machine, site_text = _load_site(site)
    planned = make_plan(spec, machine, node_facts(machine), _data_path(machine, data), name)
    check_environment(planned)
    _check_interpreter(machine)
    planned = check_packages(planned)
    driver_address(machine)  # or else it fails once it is registered, and has the wrong site for ever
    if not machine.local:
        SchedulerClient(machine).check()
    _check_name(ledger, planned.name)
    directory = Path(machine.paths.runs).expanduser().absolute() / planned.name
    check_run_directory(directory)
    data_facts = prepare(planned, check=check_data)
    with contextlib.ExitStack() as stack:
        with new_run_directory(directory, ledger):
            book = stack.enter_context(Ledger.open(ledger))
            row = _register(book, planned, spec_text, site_text, _data_path(machine, data), directory)
        for benchmark, facts in data_facts.items():
            book.note(row.campaign_id, EventKind.DATA_READ, describe(facts), subject=benchmark, data=facts)
        _log.info("campaign %s: %d instances, %s", row.name, planned.size, row.run_directory)
        return run_session(
            book, row, planned, "launch", display or NoDisplay(), ThisMachine(make_engine, resumed=False)
        )


def _check_name(ledger: str | None, name: str) -> None:
    if Ledger.exists(ledger):
        with Ledger(ledger) as book:
            if any(row.name == name for row in book.campaigns()):
                raise CampaignExistsError(name)


def _register(
    book: Ledger, planned: Plan, spec_text: str, site_text: str, data: Path, directory: Path
) -> CampaignRow:
    site = planned.site
    book.register(
        NewCampaign(
            name=planned.name,
            uid=uuid.uuid4().hex,
            campaign_yaml=spec_text,
            site_name=site.site,
            site_yaml=site_text,
            rulebook=planned.campaign.rulebook,
            run_class=planned.campaign.run_class,
            run_directory=str(directory),
            data_path=str(data),
        ),
        [benchmark.row() for benchmark in planned.benchmarks],
        planned.instances(),
        planned.point_rows(),
    )
    return book.campaign(planned.name)


def _check_interpreter(site: Site) -> None:
    if site.interpreter is not None and shutil.which(site.interpreter) is None:
        raise CampaignError(f"site {site.site}: interpreter {site.interpreter} not found, or not executable")


def _load_campaign(campaign: str | Path) -> tuple[Campaign, str]:
    spec, text = load_campaign(campaign)
    check_limits(spec, text, str(campaign))
    return spec, text


def _load_site(site: str) -> tuple[Site, str]:
    try:
        return load(site)
    except FileError as error:
        raise CampaignError(str(error)) from None


def _data_path(site: Site, data: str | Path | None) -> Path:
    return Path(data or site.paths.data).expanduser().absolute()
