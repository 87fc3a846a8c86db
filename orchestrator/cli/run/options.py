"""Options of the commands that run campaigns, made from the fields of a dataclass."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from orchestrator.cli.options import LedgerOption, complete_site, yaml_files


def takes(options: type[Any], **types: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command one option for each field of a dataclass; it gets the dataclass as ``options``.

    Parameters
    ----------
    types
        Annotated types of fields whose option is another than in `OPTIONS`.
    """
    known = OPTIONS | types

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            values = {one.name: given.pop(one.name) for one in fields(options)}
            values = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items()}
            command(**given, options=options(**{k: v for k, v in values.items() if v is not None}))

        hints = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command).parameters.values():
            if parameter.name == "options":
                parameters += [_parameter(one.name, known[one.name], one.default) for one in fields(options)]
            else:
                parameters.append(_parameter(parameter.name, hints[parameter.name], parameter.default))
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return run

    return decorate


def check_may_write(option: str, file: Path | None) -> None:
    """Refuse the file of an option where it cannot be written, before hours of measurements."""
    if file is not None and (file.is_dir() or not os.access(file.parent, os.W_OK)):
        problem = "is a directory" if file.is_dir() else f"cannot be written in {file.parent}"
        raise typer.BadParameter(f"{file} {problem}; name another file", param_hint=option)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    absent = default is MISSING or default is inspect.Parameter.empty
    value = inspect.Parameter.empty if absent else None if default == () else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=annotation)


def complete_file(incomplete: str) -> list[str]:
    """Complete names of shipped campaigns, and YAML files."""
    from orchestrator.planning.campaign_source import campaign_names

    return [*(name for name in campaign_names() if name.startswith(incomplete)), *yaml_files(incomplete)]


FileArgument = Annotated[
    str,
    typer.Argument(
        help="Campaign file, or the name of one that comes with the project, such as demo.",
        metavar="CAMPAIGN",
        autocompletion=complete_file,
    ),
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        "-s",
        help="Site: a name (see `site list`, which also shows the default) or a .yaml file.",
        autocompletion=complete_site,
    ),
]
ResumedSiteOption = Annotated[
    str | None,
    typer.Option(
        "--site",
        "-s",
        help="Go on by another site: a name or a .yaml file; by default the one of the ledger.",
        autocompletion=complete_site,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value, written as YAML: p1b1.instances=8, p1b1.parameters.epochs=8 (or "
        "p1b1.epochs=8), campaign.start=synchronized, site.scheduler.account=abc. Repeatable.",
    ),
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", "-n", help="Name in the ledger; by default the campaign file's."),
]
DataOption = Annotated[
    str | None,
    typer.Option("--data", help="Directory of the data folders; by default the site's."),
]
NotifyOption = Annotated[
    str | None,
    typer.Option(
        "--notify",
        help="Shell command that is run at the first failed attempt and at the end, with JSON on its "
        "standard input.",
        metavar="COMMAND",
    ),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", help="Tag by which lists find the campaign. Repeatable."),
]
NoteOption = Annotated[str | None, typer.Option("--note", help="A line about the campaign, for lists.")]
ExcludeOption = Annotated[
    str | None,
    typer.Option(
        "--exclude",
        help="Never use these nodes: a file with one a line, as of screen --output, or n1,n2.",
        metavar="FILE|NODES",
    ),
]
HereOption = Annotated[
    bool | None,
    typer.Option(
        "--here/--no-here",
        help="Use the allocation that this command runs in (salloc, qsub -I, bsub -Is, flux alloc): submit "
        "no jobs, start the workers on its nodes, end before it does. By default as the site file's "
        "scheduler.inside_allocation says.",
    ),
]
PoolOption = Annotated[
    str | None,
    typer.Option(
        "--pool", help="With --here: the pool of the site that the allocation is of, in this session alone."
    ),
]
MixedOption = Annotated[
    bool,
    typer.Option(
        "--mixed",
        help="Go on although the site gives other slots to a benchmark that has accepted instances; the "
        "figure of merit is not reportable then.",
    ),
]
RetryExhaustedOption = Annotated[
    bool, typer.Option("--retry-exhausted", help="Also retry instances that are out of retries.")
]
ChangedCodeOption = Annotated[
    bool,
    typer.Option(
        "--allow-changed-code",
        help="Go on with the registered parameters although the code has changed; it is recorded.",
    ),
]
EndRunningOption = Annotated[
    bool,
    typer.Option(
        "--end-running", help="End attempts that outlived their driver instead of waiting for them."
    ),
]
CheckDataOption = Annotated[
    bool,
    typer.Option("--check-data/--no-check-data", help="Read and hash all data files before the launch."),
]
ForecastOption = Annotated[
    bool | None,
    typer.Option(
        "--forecast/--no-forecast",
        help="Simulate the campaign first, and record when it is expected to end. By default on batch "
        "systems, for up to 500 instances whose durations are expected or known from earlier campaigns.",
    ),
]
OPTIONS: dict[str, Any] = {
    "site": SiteOption,
    "name": NameOption,
    "data": DataOption,
    "tag": TagOption,
    "note": NoteOption,
    "overrides": SetOption,
    "here": HereOption,
    "pool": PoolOption,
    "ledger": LedgerOption,
    "check_data": CheckDataOption,
    "notify": NotifyOption,
    "exclude": ExcludeOption,
    "forecast": ForecastOption,
    "mixed": MixedOption,
    "retry_exhausted": RetryExhaustedOption,
    "allow_changed_code": ChangedCodeOption,
    "end_running": EndRunningOption,
}
"""The option of each field of `LaunchOptions` and `ResumeOptions`, and of what other commands share."""
