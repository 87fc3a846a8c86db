"""Commands about workloads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.catalog import registry
from orchestrator.cli.files.rulebook import complete_rulebook, rules_to_dict
from orchestrator.cli.files.site import write_new
from orchestrator.cli.options import JsonOption
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.rulebooks import registry as rulebooks
from orchestrator.rulebooks.model import WorkloadRules
from workloads.description import FOM_UNITS, ParameterRule, Workload
from workloads.external import shipped
from workloads.external.command import ExternalWorkload


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


def list_workloads(as_json: JsonOption = False) -> None:
    """List the workloads that come with the project.

    Example: orchestrator workload list
    """
    found = [registry.describe(name) for name in registry.names()]
    if as_json:
        print_json([{"name": one.name, "title": one.title, "fom_time": one.fom_time} for one in found])
    else:
        print_table(
            ["workload", "FOM time", "accuracy", "what"],
            [[one.name, one.fom_time, one.accuracy_metric or None, one.title] for one in found],
        )
        say(f"\nfiles of other programs, for `orchestrator workload copy`: {', '.join(shipped.names())}")


def complete_file(incomplete: str) -> list[str]:
    """Complete the names of shipped workload files."""
    return [name for name in shipped.names() if name.startswith(incomplete)]


def copy(
    workload: Annotated[
        str,
        typer.Argument(
            help="Program of MLPerf HPC, such as deepcam.", metavar="WORKLOAD", autocompletion=complete_file
        ),
    ],
    file: Annotated[Path, typer.Argument(help="File to write, such as deepcam.yaml.", metavar="FILE")],
    as_json: JsonOption = False,
) -> None:
    """Copy the file of an external program, to complete it with your machine's paths.

    Example: orchestrator workload copy deepcam deepcam.yaml
    """
    write_new(file, shipped.text(workload))
    if as_json:
        print_json({"workload": workload, "file": str(file)})
    else:
        typer.echo(f"wrote {file}; next: set its paths, and name it in a campaign: workload: {file}")


def show(
    workload: WorkloadArgument,
    rulebook: Annotated[
        str | None,
        typer.Option(
            help="Show this rulebook's rules; by default those of all rulebooks that know the workload.",
            autocompletion=complete_rulebook,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a workload's parameters, data and sizes, and what rulebooks demand of it.

    Example: orchestrator workload show p1b1
    """
    found = registry.describe(workload)
    rules = _rules_of(workload, found, rulebook)
    if as_json:
        print_json({**found.to_dict(), "rulebooks": {key: rules_to_dict(one) for key, one in rules.items()}})
        return
    _show_facts(found, rules)
    say()
    print_table(
        ["parameter", "default", "unit", *rules, "what"],
        [
            [
                p.name,
                str(p.default),
                p.unit,
                *(_demand(one.parameters, p.name) for one in rules.values()),
                p.description,
            ]
            for p in found.parameters
        ],
    )
    if found.data:
        say(f"\ndata files: {', '.join(found.data.files)}")
        print_table(
            ["data size", "real data set", *rules, "what"],
            [
                [
                    p.name,
                    str(p.default),
                    *(_demand(one.data, p.name) for one in rules.values()),
                    p.description,
                ]
                for p in found.data.sizes
            ],
        )


def _rules_of(name: str, found: Workload, rulebook: str | None) -> dict[str, WorkloadRules]:
    """Return the rules for a workload by rulebook, and the workload's own under ``own``."""
    known = rulebooks.workload_name(name, found)
    rules = {}
    for book in map(rulebooks.load, [rulebook] if rulebook else rulebooks.names()):
        suite = book.workloads()
        if known in suite:
            rules[book.name] = suite[known]
    if found.own_rules or found.own_target:
        rules["own"] = WorkloadRules(target=found.own_target, parameters=found.own_rules)
    return rules


def _show_facts(found: Workload, rules: Mapping[str, WorkloadRules]) -> None:
    say(f"{found.name}: {found.title}\nsource: {found.source}")
    say(f"figure of merit's time: {found.fom_time} ({FOM_UNITS[found.fom_time]})")
    for name, one in rules.items():
        if one.target:
            say(f"quality target, {name}: {one.target}")
    if found.ranks:
        say("ranks: an instance may have several, as in slot: {ranks: 2, cores: 4}")
    if isinstance(found, ExternalWorkload) and found.command.rank_arguments:
        say(f"further arguments of several ranks: {' '.join(found.command.rank_arguments)}")
    for name, size in found.sizes.items():
        say(f"{name.replace('_', ' ')}: {size:,}")


def _demand(rules: Mapping[str, ParameterRule], name: str) -> str:
    """Return what rules demand of a parameter or a size, in words."""
    return str(rules.get(name, "free"))
