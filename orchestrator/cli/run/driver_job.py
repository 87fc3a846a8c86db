"""`launch --as-job` and `resume --as-job`: drivers in scheduler jobs."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import typer

from orchestrator.cli.options import ledger_words
from orchestrator.cli.terminal.tables import print_json
from orchestrator.lifecycle.options import LaunchOptions, ResumeOptions, words


def launch_as_job(campaign: str, options: LaunchOptions, *, as_json: bool) -> NoReturn:
    """Submit a job that launches a campaign, and end this process."""
    from db.errors import CampaignExistsError, LedgerError
    from orchestrator.lifecycle.driver_process.job import is_registered, record_launch_job, submit_driver_job
    from orchestrator.lifecycle.launch import plan
    from orchestrator.planning.overrides import site_settings
    from sites import load

    made = plan(campaign, options)
    if is_registered(made.name, options.ledger):
        raise CampaignExistsError(made.name)
    _, text = load(made.site.site if options.site is None else options.site, site_settings(options.overrides))
    launch = ["launch", campaign, *words(options)]
    later = ResumeOptions(ledger=options.ledger, notify=options.notify)
    resume = ["resume", made.name, *words(later)]
    job, output = submit_driver_job(made.site, text, made.name, options.ledger, launch, resume)
    try:
        record_launch_job(made.name, options.ledger, job, output)
    except LedgerError as error:
        typer.echo(f"`orchestrator status` knows {made.name} once the job has started: {error}", err=True)
    _tell(made.name, job, output, options.ledger, as_json=as_json)


def resume_as_job(name: str, options: ResumeOptions, *, as_json: bool) -> NoReturn:
    """Submit a job that resumes a campaign, and end this process."""
    from db.reader import Reader
    from orchestrator.catalog.registered_site import registered_site
    from orchestrator.lifecycle.changed_files import changed_site
    from orchestrator.lifecycle.driver_process.job import record_driver_job, submit_driver_job

    with Reader(options.ledger) as reader:
        row = reader.campaign(name)
    machine, change = changed_site(row, registered_site(row), options.site, options.overrides)
    text = change.after if change else row.site_yaml
    # Each resume compares the code anew; what else was asked for is in the ledger from the first job on.
    later = ResumeOptions(
        ledger=options.ledger, notify=options.notify, allow_changed_code=options.allow_changed_code
    )
    first, resume = (["resume", name, *words(one)] for one in (options, later))
    job, output = submit_driver_job(machine, text, name, options.ledger, first, resume)
    record_driver_job(name, options.ledger, job, output)
    _tell(name, job, output, options.ledger, as_json=as_json)


def _tell(name: str, job: str, output: Path, ledger: str | None, *, as_json: bool) -> NoReturn:
    if as_json:
        print_json({"campaign": name, "job": job, "output": str(output)})
    else:
        print(f"{name}: job {job} runs the driver and prints to {output}")
        print(f"next     orchestrator status {name} --watch{ledger_words(ledger)}")
    raise typer.Exit(0)
