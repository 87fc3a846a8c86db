"""Commands about the files that benchmarks read."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.catalog import registry
from orchestrator.cli.files.workload import WorkloadArgument
from orchestrator.cli.options import JsonOption
from orchestrator.cli.terminal.console_log import console_log
from orchestrator.cli.terminal.tables import print_json
from orchestrator.wording import count_of

app = typer.Typer(name="data", no_args_is_help=True, help="The files that benchmarks read.")


@app.command()
def generate(
    workload: WorkloadArgument,
    to: Annotated[Path, typer.Option("--to", help="Directory to write into.")],
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="A size, such as --set features=600; see `workload show`. Real sizes by default."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same files.", min=0)] = 2017,
    as_json: JsonOption = False,
) -> None:
    """Write synthetic files in the true format, with structure to learn. They never count as real data.

    Example: orchestrator data generate p1b1 --to data/p1b1 --set train_rows=240 --set features=600
    """
    from orchestrator.lifecycle.data.files import make_data

    # As any other exception, it lets what is half written be removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with console_log(lambda line: typer.echo(line, err=True)):
        files = make_data(registry.describe(workload), to, dict(_pair(one) for one in sizes or []), seed)
    if as_json:
        print_json(files)
    else:
        for file in [file for file in files if file.is_file()]:
            print(f"{file}  {file.stat().st_size:,} bytes")
        for folder in [file for file in files if file.is_dir()]:
            print(f"{folder}  {count_of(sum(one.is_file() for one in folder.rglob('*')), 'file')}")


@app.command()
def verify(
    workload: WorkloadArgument,
    folder: Annotated[Path, typer.Argument(help="Directory of the files.", metavar="DIRECTORY")],
    as_json: JsonOption = False,
) -> None:
    """Read everything a workload would read; name file, row and column of what is wrong.

    Warns where a training with the workload's own parameters would start with units that cannot learn.

    Example: orchestrator data verify p1b1 data/p1b1
    """
    from orchestrator.lifecycle.data.files import check_data

    with console_log(lambda line: typer.echo(line, err=True)):
        described = registry.describe(workload)
        facts = check_data(described, folder, described.resolve({}))
    if as_json:
        print_json(facts)
    else:
        print(f"{folder}: good")
        for name, value in facts.items():
            if name != "warnings":  # logged
                print(f"  {name:<20} {value}")


@app.command()
def cache(
    workload: WorkloadArgument,
    folder: Annotated[Path, typer.Argument(help="Directory of the files.", metavar="DIRECTORY")],
    to: Annotated[Path, typer.Option("--to", help="The cache, as in the site's paths.cache.")],
    as_json: JsonOption = False,
) -> None:
    """Parse the files ahead into the cache that instances with loader: cache map into memory.

    Without it the first instance does, and the others wait.

    Example: orchestrator data cache p1b1 data/p1b1 --to cache
    """
    from orchestrator.lifecycle.data.files import cache_data

    facts = cache_data(registry.describe(workload), folder, to)
    if as_json:
        print_json(facts)
        return
    print(f"{folder}: {'was in' if facts['cache'] == 'hit' else 'put into'} {to}")
    for name, value in facts.items():
        print(f"  {name:<20} {value}")


def _pair(text: str) -> tuple[str, int | str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=NUMBER, such as features=600", param_hint="--set")
    try:
        return name.strip(), int(value)
    except ValueError:
        return name.strip(), value  # the workload says what it wants instead
