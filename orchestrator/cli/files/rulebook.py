"""Commands about rulebooks."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from orchestrator.cli.options import JsonOption
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Rulebook, WorkloadRules


def complete_rulebook(incomplete: str) -> list[str]:
    """Complete the names of installed rulebooks."""
    return [name for name in registry.names() if name.startswith(incomplete)]


RulebookArgument = Annotated[
    str,
    typer.Argument(help="Name of a rulebook.", metavar="RULEBOOK", autocompletion=complete_rulebook),
]


def list_rulebooks(as_json: JsonOption = False) -> None:
    """List the rulebooks that are installed.

    Example: orchestrator rulebook list
    """
    found = [registry.load(name) for name in registry.names()]
    if as_json:
        print_json([{"name": one.name, "title": one.title, "run_classes": one.run_classes} for one in found])
        return
    print_table(
        ["rulebook", "run classes", "benchmarks", "what"],
        [[one.name, ", ".join(one.run_classes), len(one.workloads()), one.title] for one in found],
    )


def show(rulebook: RulebookArgument, as_json: JsonOption = False) -> None:
    """Show a rulebook's source, run classes, groups, benchmarks and rules.

    Example: orchestrator rulebook show coral2
    """
    found = registry.load(rulebook)
    if as_json:
        print_json(_to_dict(found))
        return
    say(f"{found.name}: {found.title}\nsource: {found.source}")
    say(f"reports: {found.headline or 'no figure of merit'}")
    say(f"run classes: {', '.join(found.run_classes)} (the first is the default)\n")
    if benchmarks := found.workloads():
        print_table(
            ["benchmark", "group", "quality target", "ruled parameters", "data sizes"],
            [
                [name, _group_of(found, name), _target(rules), len(rules.parameters), len(rules.data) or None]
                for name, rules in benchmarks.items()
            ],
        )
        say()
    print_table(["rule", "what it demands"], [[name, text] for name, text in found.sentences.items()])


def rules_to_dict(rules: WorkloadRules) -> dict[str, Any]:
    """Return what a rulebook demands of a workload as JSON-ready data."""
    return {
        "target": _target(rules),
        "parameters": {name: str(rule) for name, rule in rules.parameters.items()},
        "data": {name: str(rule) for name, rule in rules.data.items()},
    }


def _to_dict(found: Rulebook) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "source": found.source,
        "headline": found.headline,
        "run_classes": found.run_classes,
        "groups": found.groups,
        "benchmarks": {name: rules_to_dict(rules) for name, rules in found.workloads().items()},
        "rules": found.sentences,
    }


def _group_of(found: Rulebook, workload: str) -> str | None:
    return next((name for name, members in found.groups.items() if workload in members), None)


def _target(rules: WorkloadRules) -> str | None:
    return str(rules.target) if rules.target else None
