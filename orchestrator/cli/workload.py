"""Commands about workloads."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.catalog import registry
from orchestrator.cli.options import JsonOption
from orchestrator.cli.tables import print_json, print_table

app = typer.Typer(no_args_is_help=True, help="The benchmark programs.")


def complete_workload(incomplete: str) -> list[str]:
    """Complete the names of shipped workloads."""
    return [name for name in registry.names() if name.startswith(incomplete)]


WorkloadArgument = Annotated[
    str,
    typer.Argument(
        help="Name of a workload, a dotted module that holds one, or the .yaml file of an external command.",
        metavar="WORKLOAD",
        autocompletion=complete_workload,
    ),
]


@app.command("list")
def list_workloads(as_json: JsonOption = False) -> None:
    """List the workloads that come with the project.

    Example: orchestrator workload list
    """
    found = [registry.describe(name) for name in registry.names()]
    if as_json:
        print_json([{"name": one.name, "title": one.title, "fom_time": one.fom_time} for one in found])
    else:
        print_table(
            ["workload", "FOM time", "target", "what"],
            [[w.name, w.fom_time, w.quality.minimum if w.quality else None, w.title] for w in found],
        )


@app.command()
def show(workload: WorkloadArgument, as_json: JsonOption = False) -> None:
    """Show a workload's parameters, rules, quality target, data and sizes.

    Example: orchestrator workload show p1b1
    """
    from workloads.description import FOM_UNITS

    found = registry.describe(workload)
    if as_json:
        print_json(found.to_dict())
        return
    print(f"{found.name}: {found.title}\nsource: {found.source}")
    print(f"figure of merit's time: {found.fom_time} ({FOM_UNITS[found.fom_time]})")
    if found.quality:
        print(f"quality target: {found.quality.metric} >= {found.quality.minimum}")
    for name, size in found.sizes.items():
        print(f"{name.replace('_', ' ')}: {size:,}")
    print()
    print_table(
        ["parameter", "default", "unit", "base rule", "what"],
        [[p.name, str(p.default), p.unit, p.rule, p.description] for p in found.parameters],
    )
    if found.data:
        print(f"\ndata files: {', '.join(found.data.files)}")
        print_table(
            ["data size", "real data set", "what"],
            [[p.name, str(p.default), p.description] for p in found.data.sizes],
        )
