"""`node exclude` and `node include`."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.instance.requests import show_asked
from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption

NodesArgument = Annotated[
    str, typer.Argument(help="Names of nodes, as n17,n18, or a file with one a line.", metavar="NODES")
]
BecauseOption = Annotated[str, typer.Option("--because", help="Reason, for the events.", metavar="TEXT")]


def exclude(
    name: CampaignArgument,
    nodes: NodesArgument,
    because: BecauseOption = "",
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Start nothing more on some nodes: attempts that run there finish, and further blocks leave them out.

    Blocks that wait keep their place in the queue; if one gets an excluded node, nothing starts on it. Later
    sessions leave the nodes out, too, and the verdict declares it where results were known.

    Example: orchestrator node exclude friday n17,n18 --because "fan of rack 3"
    """
    from orchestrator.lifecycle.requests.nodes import exclude_nodes

    show_asked([exclude_nodes(name, nodes, reason=because, ledger=ledger)], as_json)


def include(
    name: CampaignArgument,
    nodes: NodesArgument,
    because: BecauseOption = "",
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let further blocks have excluded nodes again; blocks that were drained stay so.

    Example: orchestrator node include friday n17
    """
    from orchestrator.lifecycle.requests.nodes import exclude_nodes

    show_asked([exclude_nodes(name, nodes, reason=because, ledger=ledger, included=True)], as_json)
