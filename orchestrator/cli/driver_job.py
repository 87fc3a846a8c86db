"""`launch --as-job` and `resume --as-job`: drivers in scheduler jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import typer

from orchestrator.cli.tables import print_json

Options = Mapping[str, str | None]


def launch_as_job(
    words: Sequence[str], site: str, overrides: Sequence[str], options: Options, *, as_json: bool
) -> NoReturn:
    """Submit a job that launches a campaign, and end this process.

    Parameters
    ----------
    words
        ``launch``, the campaign, and further words, which name the site and the values.
    site, overrides
        The site's name or file, and values of the command line.
    options
        Options of the command with their values.
    """
    from db.errors import CampaignExistsError, LedgerError
    from orchestrator.lifecycle.driver_job import is_registered, record_launch_job, submit_driver_job
    from orchestrator.lifecycle.launch import plan
    from orchestrator.planning.overrides import site_settings
    from sites import load

    made = plan(words[1], site, name=options["--name"], data=options["--data"], overrides=overrides)
    if is_registered(made.name, options["--ledger"]):
        raise CampaignExistsError(made.name)
    _, text = load(site, site_settings(overrides))
    kept = {option: options[option] for option in ("--ledger", "--notify")}
    launch = [*words, *_given(options)]
    resume = ["resume", made.name, *_given(kept)]
    job, output = submit_driver_job(made.site, text, made.name, options["--ledger"], launch, resume)
    try:
        record_launch_job(made.name, options["--ledger"], job, output)
    except LedgerError as error:
        typer.echo(f"`orchestrator status` knows {made.name} once the job has started: {error}", err=True)
    _tell(made.name, job, output, options["--ledger"], as_json=as_json)


def resume_as_job(
    words: Sequence[str], site: str | None, overrides: Sequence[str], options: Options, *, as_json: bool
) -> NoReturn:
    """Submit a job that resumes a campaign, and end this process.

    Parameters
    ----------
    words
        ``resume``, the campaign, and further words, which hold for the first of its jobs.
    site, overrides
        Site and values that the campaign goes on with.
    options
        Options of the command with their values.
    """
    from db.reader import Reader
    from orchestrator.catalog.registered_site import registered_site
    from orchestrator.lifecycle.changed_files import changed_site
    from orchestrator.lifecycle.driver_job import record_driver_job, submit_driver_job

    name, ledger = words[1], options["--ledger"]
    with Reader(ledger) as reader:
        row = reader.campaign(name)
    registered = registered_site(row)
    machine, change = changed_site(row, registered, site, overrides)
    text = change.after if change else row.site_yaml
    # Each resume compares the code anew; what else was asked for is in the ledger from the first job on.
    kept = [word for word in words if word == "--allow-changed-code"]
    first, resume = [*words, *_given(options)], ["resume", name, *kept, *_given(options)]
    job, output = submit_driver_job(machine, text, name, ledger, first, resume)
    record_driver_job(name, ledger, job, output)
    _tell(name, job, output, ledger, as_json=as_json)


def _given(options: Options) -> list[str]:
    return [word for option, value in options.items() if value is not None for word in (option, value)]


def _tell(name: str, job: str, output: Path, ledger: str | None, *, as_json: bool) -> NoReturn:
    if as_json:
        print_json({"campaign": name, "job": job, "output": str(output)})
    else:
        option = f" --ledger {ledger}" if ledger else ""
        print(f"{name}: job {job} runs the driver and prints to {output}")
        print(f"next     orchestrator status {name} --watch{option}")
    raise typer.Exit(0)
