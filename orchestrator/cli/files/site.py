"""Commands about sites."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import JsonOption, SiteArgument, complete_site
from orchestrator.cli.terminal.console_log import console_log
from orchestrator.cli.terminal.slow_notice import slow_notice
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from sites import Site


def list_sites(as_json: JsonOption = False) -> None:
    """List the sites that a name finds, where each comes from, and which one is the default and why.

    Searched in this order: orchestrator/sites in $XDG_CONFIG_HOME (by default ~/.config),
    /etc/orchestrator/sites, and the sites that come with the project.

    Example: orchestrator site list
    """
    import sites

    rows = []
    for one in sites.available():
        try:
            found, _ = sites.load(one.name)
            what = (", ".join(found.scheduler_types), found.description)
        except sites.FileError as error:
            what = ("-", f"cannot be used: {str(error).splitlines()[0]}")
        rows.append((one, *what))
    try:
        chosen = sites.default()
        name, why = chosen.site, chosen.why
    except sites.FileError as error:
        name, why = "", str(error)
    if as_json:
        print_json(
            [
                {
                    "site": one.name,
                    "scheduler": scheduler,
                    "description": description,
                    "origin": one.origin,
                    "file": str(one.file),
                    "default": why if one.name == name else None,
                }
                for one, scheduler, description in rows
            ]
        )
    else:
        print_table(
            ["", "site", "scheduler", "from", "what"],
            [
                ["*" if one.name == name else "", one.name, scheduler, one.origin, description]
                for one, scheduler, description in rows
            ],
        )
        say(f"\ndefault  {name}: {why}" if name else f"\nno default: {why}")


def show(
    site: SiteArgument,
    as_json: JsonOption = False,
) -> None:
    """Show a site's file, and what its node offers as seen from here.

    Example: orchestrator site show local
    """
    import sites
    from orchestrator.planning.site_facts import node_facts

    found, text = sites.load(site)
    nodes = {pool: node_facts(one) for pool, one in found.pooled().items()}
    if as_json:
        facts = {
            pool: {"cores": node.cores, "memory_bytes": node.memory_bytes} for pool, node in nodes.items()
        }
        print_json({**found.model_dump(mode="json"), "found": facts.get("", facts)})
    else:
        print(f"# {sites.find(site)}\n{text.rstrip()}\n")
        for pool, node in nodes.items():
            whose = "this node" if pool in found.local_pools else "a node, by the file"
            cores = ",".join(map(str, node.cores))
            # A comment, so that what is shown is a site file.
            where = f"pool {pool}, " if pool else ""
            say(f"# {where}{whose}: cores {cores}; {node.memory_bytes / 2**30:.1f} GiB")


def copy(
    site: Annotated[
        str,
        typer.Argument(
            help="Site to start from, such as slurm or local.", metavar="SITE", autocompletion=complete_site
        ),
    ],
    file: Annotated[Path, typer.Argument(help="File to write, such as ours.yaml.", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Copy a site's file, to make it your machine's.

    Example: orchestrator site copy slurm ours.yaml
    """
    import re

    import sites

    _, text = sites.load(site)
    write_new(file, re.sub(r"^site: .*$", f"site: {file.stem}", text, count=1, flags=re.MULTILINE))
    if as_json:
        print_json({"site": file.stem, "file": str(file)})
    else:
        typer.echo(f"wrote {file}; next: orchestrator site check {file}")


def detect(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; by default the site file is printed."),
    ] = None,
    queue: Annotated[
        str | None, typer.Option(help="Partition or queue to write it for; by default the batch system's.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a site file from what this machine says, with a comment wherever something is left to fill in.

    Asks Slurm, LSF, PBS or Flux for queues, their limits, and nodes by kind, and this machine for cores, NUMA
    domains, memory, GPUs and network interfaces. Run on a compute node, it knows that node in full. Submits
    nothing.

    Example: orchestrator site detect --output ours.yaml
    """
    import dataclasses
    from datetime import UTC, datetime

    from orchestrator.diagnostics.detected_site import FILL_IN, site_name, site_text
    from orchestrator.diagnostics.machine_survey import look

    machine = look()
    if as_json:
        print_json(dataclasses.asdict(machine))
        return
    name = site_name(output.stem if output else machine.hardware.host)
    text = site_text(name, machine, datetime.now(UTC).date().isoformat(), queue)
    if output is None:
        typer.echo(text, nl=False)
        return
    write_new(output, text)
    left = sum(FILL_IN in line for line in text.splitlines()[1:])
    typer.echo(
        f"wrote {output}, {count_of(left, 'line')} marked {FILL_IN}; next: orchestrator site check {output}"
    )


def write_new(file: Path, text: str) -> None:
    """Write a file that does not exist yet; raises `sites.FileError`."""
    import sites

    try:
        with file.open("x", encoding="utf-8") as written:
            written.write(text)
    except FileExistsError:
        raise sites.FileError(f"{file} exists already; name another file") from None
    except OSError as error:
        raise sites.FileError(f"{file} cannot be written: {error.strerror}") from None


def check(
    site: SiteArgument,
    probe: Annotated[
        bool,
        typer.Option(
            "--probe",
            help="Also submit one small block, one for each pool, and look at its nodes from within.",
        ),
    ] = False,
    nodes: Annotated[int, typer.Option(help="Nodes of that block.", min=1)] = 1,
    campaign: Annotated[
        str | None,
        typer.Option(help="Also look for the containers of this campaign's benchmarks."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a site file against the machine, before anything is launched.

    Looks at slots, address, interpreter and commands from here, on a local site at GPUs and versions too.
    With --probe, one block of a few minutes looks from its nodes: network to the driver, shared path, cores,
    memory, GPUs, versions, clock. Only what no block could run without keeps it from being submitted.

    Example: orchestrator site check mysite.yaml --probe --nodes 2
    Example: orchestrator site check mysite.yaml --campaign campaign.yaml
    """
    import sites
    from orchestrator.diagnostics import site_check, site_probe
    from orchestrator.lifecycle.launch import plan
    from orchestrator.lifecycle.options import PlanOptions
    from orchestrator.planning.containers import own_containers

    found, _ = sites.load(site)
    own = {} if campaign is None else own_containers(plan(campaign, PlanOptions(site=site)))
    with slow_notice(f"checking site {found.site}; it takes a while where TensorFlow is imported"):
        findings = site_check.check(found, own)
    possible = all(one.ok or not one.blocking for one in findings)
    if probe and possible and not found.local:
        with nullcontext() if as_json else console_log(typer.echo):
            for pool, one in found.pooled().items():
                if one.local:
                    continue
                findings += [
                    finding.of_pool(pool) for finding in site_probe.probe(one, nodes=nodes, own=own.get(pool))
                ]
    bad = [one for one in findings if not one.ok]
    if as_json:
        print_json(
            {
                "site": found.site,
                "good": not bad,
                "findings": [
                    {"what": one.subject, "good": one.ok, "observed": one.detail} for one in findings
                ],
            }
        )
    else:
        if not any(one.subject.endswith("slots of a node") for one in bad):
            _show_slots(found)
        print_table(
            ["", "what", "observed"],
            [["ok" if one.ok else "BAD", one.subject, one.detail] for one in findings],
        )
        if probe and not possible:
            needed = ", ".join(one.subject for one in bad if one.blocking)
            typer.echo(f"\nnot probed; correct first, as no block runs without: {needed}")
        elif probe and found.local:
            typer.echo(f"\nsite {found.site} has no batch system: nothing is probed, all was seen from here")
    raise typer.Exit(1 if bad else 0)


def _show_slots(site: Site) -> None:
    """Draw the slots of a node of each pool."""
    from orchestrator.cli.terminal.slot_picture import draw_slots
    from orchestrator.planning.site_facts import slot_maps

    for pool, pooled in site.pooled().items():
        node, maps = slot_maps(pooled)
        for cut in maps:
            whose = (f" of {cut.workload}" if cut.workload else "") + (f" on {pool}" if pool else "")
            typer.echo(f"\nslots {cut.shape.label}{whose}")
            typer.echo("\n".join(draw_slots(node, cut.slots)))
    typer.echo("")
