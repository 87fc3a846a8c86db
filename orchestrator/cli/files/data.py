"""Commands about the files that benchmarks read."""

from __future__ import annotations

import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.catalog import registry
from orchestrator.cli.files.workload import WorkloadArgument
from orchestrator.cli.options import JsonOption
from orchestrator.cli.terminal.console_log import console_log
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import count_of
from workloads.description import WorkloadError


def generate(
    workload: WorkloadArgument,
    to: Annotated[Path, typer.Option("--output", "-o", help="Directory to write into.")],
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

    Example: orchestrator data generate p1b1 --output data/p1b1 --set train_rows=240 --set features=600
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


def fetch(
    workload: WorkloadArgument,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", help="Directory to write into; data/WORKLOAD by default.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="A file to fetch, or a pattern; all of the data set by default.")
    ] = None,
    url: Annotated[str, typer.Option(help="Base address of a mirror, in place of the published one.")] = "",
    list_only: Annotated[bool, typer.Option("--list", help="Print the files, and fetch nothing.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Download the published files of a workload's data set; go on where an earlier download ended.

    Sizes and checksums are verified where they are published. Proxies are those of the environment.

    Example: orchestrator data fetch p1b1 --output data/p1b1 --list
    """
    from orchestrator.catalog.data_sources import known_source
    from orchestrator.lifecycle.data import fetch as fetching

    described = registry.describe(workload)
    source = known_source(described.name)
    files = fetching.chosen(source, only or [])
    if list_only:
        _list(fetching.listed(source, files, url), source.source, source.licence, as_json)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = to or Path("data") / described.name
    with console_log(lambda line: typer.echo(line, err=True)):
        fetched = fetching.fetch(source, files, folder, url)
    if as_json:
        print_json({"directory": folder, "fetched": fetched})
    else:
        print(f"{folder}: {count_of(len(fetched), 'file')} fetched of {len(files)}")


def verify(
    workload: WorkloadArgument,
    folder: Annotated[Path, typer.Argument(help="Directory of the files.", metavar="DIRECTORY")],
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the training, such as --set dataset=mnist."),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the SHA-256 of files that have none, in .checksums.json.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Read everything a workload would read; name file, row and column of what is wrong.

    Files that are not synthetic are compared with published checksums, or with those that were recorded
    before; the exit code is 1 where a file differs. Warns where a training, by default with the workload's
    own parameters, would start with units that cannot learn.

    Example: orchestrator data verify p1b1 data/p1b1
    """
    from orchestrator.catalog.data_sources import data_source
    from orchestrator.lifecycle.data import recorded
    from orchestrator.lifecycle.data.files import check_data

    with console_log(lambda line: typer.echo(line, err=True)):
        described = registry.describe(workload)
        given = described.resolve(dict(_pair(one) for one in parameters or []))
        facts = check_data(described, folder, given)
        if record:
            recorded.record(folder, recorded.recordable(folder))
        compared = recorded.compare(folder, data_source(described.name))
    if as_json:
        print_json(facts | {"checksums": [asdict(file) for file in compared]})
    else:
        print(f"{folder}: good")
        for name, value in facts.items():
            if name != "warnings":  # logged
                print(f"  {name:<20} {value}")
        if compared:
            print_table(
                ("file", "checksum", "note"), [(file.name, file.state, file.note) for file in compared]
            )
    if any(file.wrong for file in compared):
        raise typer.Exit(1)


def cache(
    workload: WorkloadArgument,
    folder: Annotated[Path, typer.Argument(help="Directory of the files.", metavar="DIRECTORY")],
    to: Annotated[Path, typer.Option("--output", "-o", help="The cache, as in the site's paths.cache.")],
    as_json: JsonOption = False,
) -> None:
    """Parse the files ahead into the cache that instances with loader: cache map into memory.

    Without it the first instance does, and the others wait.

    Example: orchestrator data cache p1b1 data/p1b1 --output cache
    """
    from orchestrator.lifecycle.data.files import cache_data

    facts = cache_data(registry.describe(workload), folder, to)
    if as_json:
        print_json(facts)
        return
    print(f"{folder}: {'was in' if facts['cache'] == 'hit' else 'put into'} {to}")
    for name, value in facts.items():
        print(f"  {name:<20} {value}")


def _list(rows: list[dict[str, str]], source: str, licence: str, as_json: bool) -> None:
    if as_json:
        print_json({"files": rows, "source": source, "licence": licence})
        return
    print_table(("file", "size", "checksum"), [(row["name"], row["size"], row["checksum"]) for row in rows])
    for row in rows:
        say(row["url"])
    say(f"source: {source}")
    say(f"licence: {licence}")


def _pair(text: str) -> tuple[str, object]:
    """Return a name and its value, which is YAML as in a campaign file."""
    from sites.yaml_loader import YamlError, load

    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE, such as features=600", param_hint="--set")
    try:
        return name.strip(), load(value)
    except YamlError as error:
        raise WorkloadError(f"--set {text}: the value is no YAML: {error}") from None
