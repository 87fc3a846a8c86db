"""Launching, resuming and stopping campaigns."""

from __future__ import annotations

import contextlib
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from db.errors import CampaignExistsError, UnknownCampaignError
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow, NewCampaign, NewEvent
from orchestrator.analysis.projection.forecasts import forecast_message
from orchestrator.driver.progress import NoDisplay, ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.excluded_nodes import checked_list, exclude_list_events
from orchestrator.lifecycle.checks.plans import check_site
from orchestrator.lifecycle.checks.run_directory import check_run_directory, new_run_directory
from orchestrator.lifecycle.data.files import prepare
from orchestrator.lifecycle.data.hashes import describe
from orchestrator.lifecycle.labels import launch_labels
from orchestrator.lifecycle.options import LaunchOptions, PlanOptions
from orchestrator.lifecycle.session.host import EngineMaker, ThisMachine
from orchestrator.lifecycle.session.run_session import RunResult, run_session
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_limits import check_limits
from orchestrator.planning.campaign_reading import load_campaign
from orchestrator.planning.overrides import site_settings
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.plan_checks import check_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.allocation import Allocation, with_allocation
from sites import FileError, Site, default, load

_log = logging.getLogger(__name__)
ForecastMaker = Callable[[Plan], Mapping[str, Any] | None]
"""Returns the facts of the forecast of a plan; None where it makes no forecast."""


def plan(campaign: str | Path, options: PlanOptions = PlanOptions()) -> Plan:  # noqa: B008  frozen
    """Return what launching a campaign on a site would do.

    Parameters
    ----------
    campaign
        Path of a campaign file, or the name of one that comes with the project.

    Raises
    ------
    CampaignError
        If a file is wrong, a slot is bigger than the node, or there is no allocation to use.
    """
    spec, _ = _load_campaign(campaign, options.overrides)
    planned, _ = _planned(spec, _load_site(options)[0], options)
    check_plan(planned)
    return planned


def launch(
    campaign: str | Path,
    options: LaunchOptions = LaunchOptions(),  # noqa: B008  frozen
    *,
    display: ProgressDisplay | None = None,
    make_engine: EngineMaker | None = None,
    forecast: ForecastMaker | None = None,
) -> RunResult:
    """Register a campaign and run it to its end.

    Parameters
    ----------
    campaign
        As for `plan`.
    display
        Shown where the campaign stands; by default nothing. The command line's own is, in a ``with``,
        `orchestrator.cli.terminal.progress_bar.Progress` of a Rich console. Decisions are logged to
        ``orchestrator``.
    make_engine
        Execution engine; Parsl by default.
    forecast
        Makes the forecast to register; by default none is registered.

    Raises
    ------
    CampaignError, WorkloadError
        If a file or the data are wrong. Nothing has been made then.
    LedgerError
        If the ledger is unfit or the name is taken.
    """
    spec, spec_text = _load_campaign(campaign, options.overrides)
    machine, site_text = _load_site(options)
    planned, allocation = _planned(spec, machine, options)
    planned = check_site(planned, submits=allocation is None)
    excluded = checked_list(options.exclude, planned)
    labels = launch_labels(options.tag, options.note)
    _check_name(options.ledger, planned.name)
    directory = Path(planned.site.paths.runs).expanduser().absolute() / planned.name
    check_run_directory(directory)
    data_facts = prepare(planned, check=options.check_data)
    noted = [*exclude_list_events(excluded), labels.event(), *_forecast_events(forecast, planned)]
    with contextlib.ExitStack() as stack:
        with new_run_directory(directory, options.ledger):
            book = stack.enter_context(Ledger.open(options.ledger))
            where = _data_path(planned.site, options.data)
            row = _register(book, planned, spec_text, site_text, where, directory, noted)
        _note_launch(book, row, planned, data_facts)
        host = ThisMachine(make_engine, resumed=False, allocation=allocation)
        return run_session(book, row, planned, "launch", display or NoDisplay(), host, notify=options.notify)


def _planned(spec: CampaignFile, site: Site, options: PlanOptions) -> tuple[Plan, Allocation | None]:
    """Return the plan of a campaign, and the allocation that it uses."""
    machine, allocation = with_allocation(site, options.here, options.pool)
    where, whole = _data_path(machine, options.data), allocation is not None
    return make_plan(spec, machine, node_facts(machine), where, options.name, whole_blocks=whole), allocation


def _check_name(ledger: str | None, name: str) -> None:
    if Ledger.exists(ledger):
        with Ledger(ledger) as book, contextlib.suppress(UnknownCampaignError):
            book.campaign(name)  # by a former name too
            raise CampaignExistsError(name)


def _register(
    book: Ledger,
    planned: Plan,
    spec_text: str,
    site_text: str,
    data: Path,
    directory: Path,
    noted: Sequence[NewEvent] = (),
) -> CampaignRow:
    """Register a campaign with events, such as its exclude list, which it keeps if the launch is killed."""
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
        {benchmark.name: benchmark.description() for benchmark in planned.benchmarks},
        {"planned_node_hours": planned.node_hours},
        noted,
    )
    return book.campaign(planned.name)


def _forecast_events(forecast: ForecastMaker | None, planned: Plan) -> list[NewEvent]:
    facts = forecast(planned) if forecast else None
    if facts is None:
        return []
    message = forecast_message(facts, "are expected")
    _log.info("%s", message)
    return [NewEvent(EventKind.FORECAST_REGISTERED, message, data=facts)]


def _note_launch(
    book: Ledger,
    row: CampaignRow,
    planned: Plan,
    data_facts: Mapping[str, dict[str, Any]],
) -> None:
    for benchmark, facts in data_facts.items():
        book.note(row.campaign_id, EventKind.DATA_READ, describe(facts), subject=benchmark, data=facts)
    _log.info("campaign %s: %d instances, %s", row.name, planned.size, row.run_directory)
    if planned.misfit:
        _log.warning("%s", planned.misfit)


def _load_campaign(campaign: str | Path, overrides: Sequence[str]) -> tuple[CampaignFile, str]:
    spec, text = load_campaign(campaign, overrides)
    check_limits(spec, text, str(campaign))
    return spec, text


def _load_site(options: PlanOptions) -> tuple[Site, str]:
    try:
        return load(options.site or default().site, site_settings(options.overrides))
    except FileError as error:
        raise CampaignError(str(error)) from None


def _data_path(site: Site, data: str | Path | None) -> Path:
    return Path(data or site.paths.data).expanduser().absolute()
