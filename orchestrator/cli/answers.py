"""Commands that explain, rank, compare and project what campaigns measured."""

from __future__ import annotations

import typer

from orchestrator.cli.compare import compare
from orchestrator.cli.makespan import makespan
from orchestrator.cli.nodes import nodes
from orchestrator.cli.project import project
from orchestrator.cli.report import report
from orchestrator.cli.roofline import roofline
from orchestrator.cli.serve import serve


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    for command in (makespan, nodes, compare, project, roofline, report):
        app.command(rich_help_panel="Explain")(command)
    app.command(rich_help_panel="Look")(serve)
